//! `find_implementations`: what makes a trait, an interface, a base class or a method real.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_implementations::{
    FindImplementations, ImplRelation, Implementation, Implementations,
};

use super::Context;
use super::calls::{Page, cursor, page};
use super::linked::{Linked, info};
use crate::extract::facts::{Relation, RelationKind};
use crate::graph::{At, Graph};

/// Types of others that are named.
const MOST_OUTSIDE: usize = 10;

pub fn find_implementations(
    context: &Context,
    params: &FindImplementations,
) -> Result<Implementations, ToolError> {
    let after = cursor(params.cursor.as_deref())?;
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let target = linked.find(&graph, params.symbol_query())?;
    let mut all = implementations(&graph, target);
    all.sort_by(|one, other| {
        (one.depth, &one.path, one.line).cmp(&(other.depth, &other.path, other.line))
    });
    let Page {
        items: implementations,
        total,
        remaining,
    } = page(all, after.as_ref(), params.limit(), Implementation::place);
    let indexed = &linked.indexed;
    let mut freshness = linked.freshness(&graph, &[target]);
    if let Some(outside) = outside(&graph, target) {
        freshness.add_note(outside);
    }
    let mut answer = Implementations {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: info(&graph, target),
        implementations,
        total,
        remaining,
        truncated: false,
        cursor: None,
        limit: params.limit(),
    };
    answer.set_cursor();
    Ok(answer)
}

/// For which types that are not of this project something is made real, and where.
fn outside(graph: &Graph<'_>, target: At) -> Option<String> {
    let all = graph.members().foreign_implementations(target);
    let (shown, rest) = all.split_at(all.len().min(MOST_OUTSIDE));
    let place = |(file, said): &(u32, &Relation)| {
        format!(
            "{} ({}:{})",
            said.subject,
            graph.file(*file).path,
            said.line
        )
    };
    let shown: Vec<String> = shown.iter().map(place).collect();
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" and {} more", rest.len())
    };
    (!shown.is_empty()).then(|| {
        format!(
            "also for types that are not of this project: {}{more}",
            shown.join(", ")
        )
    })
}

/// Of a type its subtypes, of a method those that override it.
pub fn implementations(graph: &Graph<'_>, target: At) -> Vec<Implementation> {
    let kind = graph.symbol(target).kind;
    if !kind.is_type() && kind != SymbolKind::Module {
        let made = |at: At| Implementation {
            relation: ImplRelation::Overrides,
            resolution: Resolution::Resolved,
            reason: "a method of the same name in what is derived from its type".to_owned(),
            candidates: None,
            depth: 1,
            via: None,
            ..Implementation::from_symbol(info(graph, at))
        };
        return graph
            .members()
            .overriding(target)
            .into_iter()
            .map(made)
            .collect();
    }
    let mut found: Vec<Implementation> = vec![];
    for below in graph.members().all_subtypes(target) {
        let relation = match below.kind {
            RelationKind::Extends => ImplRelation::Extends,
            RelationKind::Implements => ImplRelation::Implements,
        };
        let via = (below.depth > 1).then(|| {
            graph
                .file(below.supertype.file)
                .qualified(graph.symbol(below.supertype))
        });
        found.push(Implementation {
            relation: if below.structural {
                ImplRelation::MethodSet
            } else {
                relation
            },
            resolution: Resolution::Resolved,
            reason: if below.structural {
                "it has all the methods"
            } else {
                "it says so"
            }
            .to_owned(),
            candidates: None,
            depth: below.depth,
            via,
            ..Implementation::from_symbol(info(graph, below.at))
        });
    }
    found
}
