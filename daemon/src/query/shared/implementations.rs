//! Implementations of types and methods, as listed in results.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::find_implementations::{ImplRelation, Implementation};

use super::symbol_info::describe_symbol;
use crate::extract::facts::RelationKind;
use crate::graph::{Graph, SymbolId};

/// Returns the subtypes of a type, or the overrides of a method, from the source and from precise indexes.
pub fn implementations(graph: &Graph<'_>, target: SymbolId) -> Vec<Implementation> {
    let mut found = implementations_in_source(graph, target);
    let kind = graph.symbol(target).kind;
    let relation = match kind {
        SymbolKind::Interface | SymbolKind::Trait => ImplRelation::Implements,
        kind if kind.is_type() => ImplRelation::Extends,
        _ => ImplRelation::Overrides,
    };
    for (at, reason) in graph.precise().implementations(target) {
        let symbol = describe_symbol(graph, at);
        let is_known = |one: &Implementation| (&one.path, one.line) == (&symbol.path, symbol.line);
        if !found.iter().any(is_known) {
            found.push(Implementation {
                relation,
                resolution: Resolution::Resolved,
                reason: reason.to_owned(),
                candidates: None,
                depth: 1,
                via: None,
                ..Implementation::from_symbol(symbol)
            });
        }
    }
    found
}

fn implementations_in_source(graph: &Graph<'_>, target: SymbolId) -> Vec<Implementation> {
    let kind = graph.symbol(target).kind;
    if !kind.is_type() && kind != SymbolKind::Module {
        let overriding = |at: SymbolId| Implementation {
            relation: ImplRelation::Overrides,
            resolution: Resolution::Resolved,
            reason: "same-named method in a subtype".to_owned(),
            candidates: None,
            depth: 1,
            via: None,
            ..Implementation::from_symbol(describe_symbol(graph, at))
        };
        return graph
            .members()
            .overriding(target)
            .into_iter()
            .map(overriding)
            .collect();
    }
    let mut found: Vec<Implementation> = vec![];
    for subtype in graph.members().all_subtypes(target).iter() {
        let relation = match subtype.kind {
            RelationKind::Extends => ImplRelation::Extends,
            RelationKind::Implements => ImplRelation::Implements,
        };
        let via = (subtype.depth > 1).then(|| {
            graph
                .file(subtype.supertype.file)
                .qualified(graph.symbol(subtype.supertype))
        });
        found.push(Implementation {
            relation: if subtype.structural {
                ImplRelation::MethodSet
            } else {
                relation
            },
            resolution: Resolution::Resolved,
            reason: if subtype.structural {
                "it has all the methods"
            } else {
                "declared explicitly"
            }
            .to_owned(),
            candidates: None,
            depth: subtype.depth,
            via,
            ..Implementation::from_symbol(describe_symbol(graph, subtype.at))
        });
    }
    found
}
