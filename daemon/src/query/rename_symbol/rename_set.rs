//! The symbols that must get the new name together, and the references to them.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::file_move::module_file;
use super::last_part;
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::occurrences::{NameAccount, NameOccurrences};

pub struct RenameSet<'a> {
    graph: &'a Graph<'a>,
    pub target: SymbolId,
    /// The symbol, its declarations, and methods that override each other.
    pub members: Vec<SymbolId>,
    pub references: Vec<Reference>,
}

impl<'a> RenameSet<'a> {
    pub fn new(
        graph: &'a Graph<'a>,
        target: SymbolId,
        context: &Context,
    ) -> Result<Self, ToolError> {
        let members = renamed_together(graph, target);
        let mut references: Vec<Reference> = vec![];
        let mut searched: Vec<SymbolId> = vec![];
        for at in &members {
            if graph.symbol(*at).kind == SymbolKind::Constructor || searched.contains(at) {
                continue;
            }
            searched.extend(graph.entities().declarations(*at));
            references.extend(graph.references().to(*at, context.cancel)?.iter().cloned());
        }
        // A use through an alias has a different name; only the import contains the renamed one:
        // `use store::open as open_store`.
        let name = &graph.symbol(target).name;
        let as_attribute = graph.references().name_as_attribute(target);
        references.retain(|reference| {
            if !graph.has_uses(reference.file) {
                return true;
            }
            let uses = graph.uses(reference.file);
            let own = uses.name(&reference.row);
            // A use that only a precise index knows has no name in the facts. It is compared with the text later.
            own.is_empty() || *own == **name || own == last_part(name) || Some(own) == as_attribute
        });
        references.sort_by_key(|reference| {
            let row = &reference.row;
            (reference.file, row.line, row.column, reference.resolution)
        });
        references
            .dedup_by_key(|reference| (reference.file, reference.row.line, reference.row.column));
        Ok(Self {
            graph,
            target,
            members,
            references,
        })
    }

    /// Accounts for every occurrence of the old name.
    pub fn account(
        &self,
        root: &GraphRoot<'_>,
        context: &Context,
    ) -> Result<NameAccount, ToolError> {
        let occurrences = NameOccurrences {
            graph: self.graph,
            target: self.target,
        };
        let (_, files) = occurrences.resolve_and_classify(&[self.target], root, context)?;
        occurrences.account_for(&self.members, &self.references, &files, context)
    }

    pub fn has(&self, at: SymbolId) -> bool {
        self.members.contains(&at)
    }

    /// Returns whether `outer` is `inner` or encloses it.
    pub fn encloses(&self, file: u32, outer: u32, inner: Option<u32>) -> bool {
        let symbols = &self.graph.file(file).outline.symbols;
        std::iter::successors(inner, |at| symbols.get(*at as usize)?.parent).any(|at| at == outer)
    }
}

/// Returns the members that a member overrides or implements, and those that do it to the member. Fields of equal names in a
/// class and its subclass are two fields, but a property that an interface declares is one with the field of its class.
fn overrides(graph: &Graph<'_>, at: SymbolId) -> Vec<SymbolId> {
    let members = graph.members();
    let is_property = |at: &SymbolId| graph.symbol(*at).kind == SymbolKind::Property;
    let mut related = match graph.symbol(at).kind {
        kind if kind.is_callable() || kind == SymbolKind::Property => {
            [members.overridden(at), members.overriding(at)].concat()
        }
        SymbolKind::Field => {
            let mut above = members.overridden(at);
            above.retain(is_property);
            above
        }
        _ => vec![],
    };
    related.retain(|one| members.is_static(*one) == members.is_static(at));
    related
}

fn renamed_together(graph: &Graph<'_>, target: SymbolId) -> Vec<SymbolId> {
    let mut members = graph.entities().declarations(target);
    let mut next = 0;
    while next < members.len() {
        let at = members[next];
        next += 1;
        let symbol = graph.symbol(at);
        let mut related: Vec<SymbolId> = vec![];
        if graph.members().owner(at).is_some() {
            related.extend(overrides(graph, at));
        }
        if symbol.kind.is_type() {
            // A constructor with the name of its type is renamed too.
            related.extend(graph.members().all(at).into_iter().filter(|member| {
                let member = graph.symbol(*member);
                member.kind == SymbolKind::Constructor && member.name == symbol.name
            }));
        }
        if let Some(file) = module_file(graph, at) {
            // Several crates of one folder can declare the same file.
            let declares_file =
                |one: &SymbolId| *one != at && module_file(graph, *one).as_ref() == Some(&file);
            related.extend(graph.named(&symbol.name).filter(declares_file));
        }
        for one in related
            .into_iter()
            .flat_map(|one| graph.entities().declarations(one))
        {
            if !members.contains(&one) {
                members.push(one);
            }
        }
    }
    members
}
