//! Everything that has to get the new name together, and what the new name would collide with.

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::files::module_file;
use super::names::{are_within, hidden_within, says_it_overrides};
use super::text::Reading;
use super::words::head_of_block;
use super::{CANDIDATES, last_part};
use crate::extract::facts::Role;
use crate::graph::references::Reference;
use crate::graph::{Graph, Outcome, Position, SymbolId};
use crate::lang::families::Feature;
use crate::query::Context;

pub struct Family<'a> {
    graph: &'a Graph<'a>,
    pub target: SymbolId,
    /// The symbol, its declarations, and methods that override each other.
    pub members: Vec<SymbolId>,
    pub references: Vec<Reference>,
}

impl<'a> Family<'a> {
    pub fn new(
        graph: &'a Graph<'a>,
        target: SymbolId,
        context: &Context,
    ) -> Result<Self, ToolError> {
        let mut members = graph.entities().declarations(target);
        let mut next = 0;
        while next < members.len() {
            let at = members[next];
            next += 1;
            let mut more: Vec<SymbolId> = vec![];
            if graph.symbol(at).kind.is_callable() && graph.members().owner(at).is_some() {
                more.extend(graph.members().overridden(at));
                more.extend(graph.members().overriding(at));
            }
            if graph.symbol(at).kind.is_type() {
                // A constructor that is called like its type.
                let own = graph.members().all(at);
                more.extend(own.into_iter().filter(|one| {
                    graph.symbol(*one).kind == SymbolKind::Constructor
                        && graph.symbol(*one).name == graph.symbol(at).name
                }));
            }
            if let Some(file) = module_file(graph, at) {
                // Several crates of one folder can have the same file.
                let has_it =
                    |one: &SymbolId| *one != at && module_file(graph, *one).as_ref() == Some(&file);
                more.extend(graph.named(&graph.symbol(at).name).filter(has_it));
            }
            for one in more
                .into_iter()
                .flat_map(|one| graph.entities().declarations(one))
            {
                if !members.contains(&one) {
                    members.push(one);
                }
            }
        }
        let name = &graph.symbol(target).name;
        let mut references: Vec<Reference> = vec![];
        let mut asked: Vec<SymbolId> = vec![];
        for at in &members {
            if graph.symbol(*at).kind == SymbolKind::Constructor || asked.contains(at) {
                continue;
            }
            asked.extend(graph.entities().declarations(*at));
            references.extend(graph.references().to(*at, context.cancel)?.iter().cloned());
        }
        // Where another name is used for it, only the import says this one.
        let is_called = |found: &Reference| {
            let used = if graph.has_uses(found.file) {
                graph.uses(found.file).name(&found.row).to_owned()
            } else {
                return true;
            };
            used == **name || used == last_part(name)
        };
        references.retain(is_called);
        references.sort_by_key(|found| {
            (
                found.file,
                found.row.line,
                found.row.column,
                found.resolution,
            )
        });
        references.dedup_by_key(|found| (found.file, found.row.line, found.row.column));
        Ok(Self {
            graph,
            target,
            members,
            references,
        })
    }

    /// What is called as others say cannot be called otherwise here alone.
    pub fn refuse_what_others_name(&self, reading: &Reading<'_>) -> Result<(), ToolError> {
        for at in &self.members {
            let symbol = self.graph.symbol(*at);
            if !symbol.kind.is_callable() || self.graph.members().owner(*at).is_none() {
                continue;
            }
            let Some(naming) = reading.naming(at.file) else {
                continue;
            };
            // What it overrides in this root is a member of the family too.
            let is_free = !self.graph.members().overridden(*at).is_empty();
            let rules = self.graph.rules(at.file);
            let has_blocks = rules.is_some_and(|rules| rules.has(Feature::ImplBlocks));
            let is_bound =
                says_it_overrides(naming, symbol) || has_blocks && self.is_in_block(reading, *at);
            if is_bound && !is_free {
                let file = self.graph.file(at.file);
                let (name, place) = (
                    file.qualified(symbol),
                    format!("{}:{}", file.path, symbol.name_line),
                );
                return Err(ToolError::invalid_argument(format!(
                    "{name} ({place}) implements something that is not of this project, and is called as that says; \
                     nothing was changed"
                )));
            }
        }
        Ok(())
    }

    /// Whether it stands in a block that says what it implements.
    fn is_in_block(&self, reading: &Reading<'_>, at: SymbolId) -> bool {
        let symbol = self.graph.symbol(at);
        let Some(opened) = reading.open(at.file) else {
            return false;
        };
        let Some(start) = opened.offset(symbol.name_line, symbol.name_column) else {
            return false;
        };
        let Some(head) = head_of_block(opened.code(), start) else {
            return false;
        };
        let (first, last) = (opened.line_of(head.start), opened.line_of(head.end));
        let relations = &self.graph.file(at.file).outline.relations;
        let owner = symbol.scope.as_deref();
        relations
            .iter()
            .any(|one| (first..=last).contains(&one.line) && Some(&*one.subject) == owner)
    }

    /// A name that hides what it names must not hide it from whoever uses it.
    pub fn refuse_to_hide(&self, new_name: &str) -> Result<(), ToolError> {
        let Some(within) = hidden_within(self.graph, self.target, new_name) else {
            return Ok(());
        };
        let own: Vec<&str> = self
            .members
            .iter()
            .map(|at| self.graph.file(at.file).path.as_str())
            .collect();
        let is_seen = |path: &str| own.iter().all(|own| are_within(within, own, path));
        let used = self
            .references
            .iter()
            .map(|found| (self.graph.file(found.file).path.as_str(), found.row.line));
        let defined = self.members.iter().map(|at| {
            (
                self.graph.file(at.file).path.as_str(),
                self.graph.symbol(*at).name_line,
            )
        });
        let mut places: Vec<String> = used
            .chain(defined)
            .filter(|(path, _)| !is_seen(path))
            .map(|(path, line)| format!("{path}:{line}"))
            .collect();
        if places.is_empty() {
            return Ok(());
        }
        places.dedup();
        let several = places.len();
        places.truncate(CANDIDATES);
        let message = format!(
            "`{new_name}` would not be seen from {several} places that use it; nothing was changed"
        );
        Err(ToolError::invalid_argument(message)
            .with_candidates(places)
            .with_hint("choose another name"))
    }

    /// Nothing that the new name would mean may be there already.
    pub fn refuse_collisions(
        &self,
        reading: &Reading<'_>,
        new_name: &str,
    ) -> Result<(), ToolError> {
        let mut taken: Vec<String> = vec![];
        let mut note = |place: String| {
            if !taken.contains(&place) {
                taken.push(place);
            }
        };
        for at in &self.members {
            for other in self.graph.scopes().siblings(*at, new_name) {
                let (file, symbol) = (self.graph.file(other.file), self.graph.symbol(other));
                note(format!(
                    "{} ({}:{})",
                    file.qualified(symbol),
                    file.path,
                    symbol.name_line
                ));
            }
        }
        for found in &self.references {
            let uses = self.graph.uses(found.file);
            if !self.graph.has_uses(found.file)
                || uses.qualifier(&found.row).is_some()
                || found.row.role == Role::Import
            {
                continue;
            }
            let here = Position {
                file: found.file,
                symbol: found.row.symbol,
                line: found.row.line,
                column: found.row.column,
            };
            if self.graph.scopes().is_bound(here, new_name) {
                note(format!(
                    "{}:{}",
                    self.graph.file(found.file).path,
                    found.row.line
                ));
            }
        }
        self.captured(reading, new_name).into_iter().for_each(note);
        if taken.is_empty() {
            return Ok(());
        }
        taken.truncate(CANDIDATES);
        let name = &self.graph.symbol(self.target).name;
        Err(ToolError::new(
            ErrorCode::InvalidArgument,
            format!("`{new_name}` already means something where `{name}` is defined or used; nothing was changed"),
        )
        .with_candidates(taken)
        .with_hint("choose another name"))
    }

    /// Uses of the new name, in the files of the definitions, that would mean the symbol once it is called so.
    fn captured(&self, reading: &Reading<'_>, new_name: &str) -> Vec<String> {
        let mut found = vec![];
        for at in &self.members {
            let Some(rules) = self.graph.rules(at.file) else {
                continue;
            };
            let owner = self.graph.members().owner(*at);
            if owner.is_some() && !rules.implicit_members {
                continue;
            }
            let around = owner
                .filter(|owner| owner.file == at.file)
                .map(|owner| owner.symbol);
            let around = around.or(self.graph.symbol(*at).parent);
            let uses = self.graph.uses(at.file);
            let naming = reading.naming(at.file);
            for row in uses
                .named(new_name)
                .filter(|row| row.role != Role::Bind && uses.qualifier(row).is_none())
            {
                // Keys of objects are nobody's names.
                let is_key =
                    row.role == Role::Write && naming.is_some_and(|naming| naming.shorthand_fields);
                let is_inside =
                    around.is_none_or(|around| self.is_around(at.file, around, row.symbol));
                if is_key || !is_inside || reading.is_member(at.file, row.line, row.column) {
                    continue;
                }
                if self.graph.resolver().resolve(at.file, &uses, row) != Outcome::Local {
                    found.push(format!("{}:{}", self.graph.file(at.file).path, row.line));
                }
            }
        }
        found
    }

    /// Whether a symbol is the other, or around it.
    pub fn is_around(&self, file: u32, outer: u32, inner: Option<u32>) -> bool {
        let symbols = &self.graph.file(file).outline.symbols;
        std::iter::successors(inner, |at| symbols.get(*at as usize)?.parent).any(|at| at == outer)
    }

    pub fn has(&self, at: SymbolId) -> bool {
        self.members.contains(&at)
    }
}
