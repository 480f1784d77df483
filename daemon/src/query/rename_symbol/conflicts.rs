//! Reasons to refuse a rename: foreign code prescribes the name, the new one would hide the symbol, or it is taken.

use std::collections::HashSet;

use claudevil_protocol::answer::symbol::Visibility;
use claudevil_protocol::{ErrorCode, ToolError};

use super::CANDIDATES;
use super::rename_set::RenameSet;
use super::source_cache::SourceCache;
use super::syntax::block_head;
use crate::extract::facts::Role;
use crate::graph::{Graph, Outcome, Position, SymbolId};
use crate::lang::NameReach;
use crate::lang::families::Feature;

pub struct ConflictCheck<'a> {
    pub graph: &'a Graph<'a>,
    pub sources: &'a SourceCache<'a>,
    pub set: &'a RenameSet<'a>,
}

impl ConflictCheck<'_> {
    pub fn run(&self, new_name: &str) -> Result<(), ToolError> {
        self.refuse_foreign_overrides()?;
        self.refuse_hiding(new_name)?;
        self.refuse_collisions(new_name)
    }

    /// Refuses a method that implements or overrides one outside the project: `fmt` of `impl Display for Store`.
    fn refuse_foreign_overrides(&self) -> Result<(), ToolError> {
        for at in &self.set.members {
            let symbol = self.graph.symbol(*at);
            if !symbol.kind.is_callable() || self.graph.members().owner(*at).is_none() {
                continue;
            }
            let Some(naming) = self.sources.naming(at.file) else {
                continue;
            };
            // A method of this root that it overrides is renamed too.
            let is_free = !self.graph.members().overridden(*at).is_empty();
            let rules = self.graph.rules(at.file);
            let has_blocks = rules.is_some_and(|rules| rules.has(Feature::ImplBlocks));
            let is_bound = naming.has_override_modifier(&symbol.signature)
                || has_blocks && self.is_in_impl_block(*at);
            if is_bound && !is_free {
                let file = self.graph.file(at.file);
                return Err(ToolError::invalid_argument(format!(
                    "{} ({}:{}) implements an interface outside this project, which fixes its name; nothing was changed",
                    file.qualified(symbol),
                    file.path,
                    symbol.name_line
                )));
            }
        }
        Ok(())
    }

    /// Returns whether a method is in a block whose head names what it implements: `impl Display for Store`.
    fn is_in_impl_block(&self, at: SymbolId) -> bool {
        let symbol = self.graph.symbol(at);
        let Some(source) = self.sources.open(at.file) else {
            return false;
        };
        let Some(head) = source
            .offset(symbol.name_line, symbol.name_column)
            .and_then(|start| block_head(source.code(), start))
        else {
            return false;
        };
        let (first, last) = (source.line_of(head.start), source.line_of(head.end));
        let relations = &self.graph.file(at.file).outline.relations;
        let owner = symbol.scope.as_deref();
        relations
            .iter()
            .any(|one| (first..=last).contains(&one.line) && Some(&*one.subject) == owner)
    }

    /// Refuses a name whose letters hide the symbol from files that use it: `Open` → `open` in Go.
    fn refuse_hiding(&self, new_name: &str) -> Result<(), ToolError> {
        let Some(reach) = reach_if_hidden(self.graph, self.set.target, new_name) else {
            return Ok(());
        };
        let path = |file: u32| self.graph.file(file).path.as_str();
        let members = self.set.members.iter();
        let definitions = members.map(|at| (path(at.file), self.graph.symbol(*at).name_line));
        let references = self.set.references.iter();
        let uses = references.map(|found| (path(found.file), found.row.line));
        let is_visible = |from: &str| {
            let mut members = self.set.members.iter();
            members.all(|at| is_in_reach(reach, path(at.file), from))
        };
        let mut places: Vec<String> = uses
            .chain(definitions)
            .filter(|(path, _)| !is_visible(path))
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

    /// Refuses a name that already means something where the symbol is defined or used.
    fn refuse_collisions(&self, new_name: &str) -> Result<(), ToolError> {
        let mut taken: Vec<String> = vec![];
        for at in &self.set.members {
            for other in self.graph.scopes().siblings(*at, new_name) {
                let (file, symbol) = (self.graph.file(other.file), self.graph.symbol(other));
                let name = file.qualified(symbol);
                taken.push(format!("{name} ({}:{})", file.path, symbol.name_line));
            }
        }
        for found in &self.set.references {
            let uses = self.graph.uses(found.file);
            if !self.graph.has_uses(found.file)
                || uses.qualifier(&found.row).is_some()
                || found.row.role == Role::Import
            {
                continue;
            }
            let here = Position::from_use(found.file, &found.row);
            if self.graph.scopes().is_bound(here, new_name) {
                let path = &self.graph.file(found.file).path;
                taken.push(format!("{path}:{}", found.row.line));
            }
        }
        taken.extend(self.captured_uses(new_name));
        if taken.is_empty() {
            return Ok(());
        }
        let mut listed = HashSet::new();
        taken.retain(|place| listed.insert(place.clone()));
        taken.truncate(CANDIDATES);
        let name = &self.graph.symbol(self.set.target).name;
        Err(ToolError::new(
            ErrorCode::InvalidArgument,
            format!("`{new_name}` already means something where `{name}` is defined or used; nothing was changed"),
        )
        .with_candidates(taken)
        .with_hint("choose another name"))
    }

    /// Returns the uses of the new name, in the files of the definitions, that would mean the renamed symbol.
    fn captured_uses(&self, new_name: &str) -> Vec<String> {
        let mut captured = vec![];
        for at in &self.set.members {
            let Some(rules) = self.graph.rules(at.file) else {
                continue;
            };
            let owner = self.graph.members().owner(*at);
            if owner.is_some() && !rules.implicit_members {
                continue;
            }
            let around = owner
                .filter(|owner| owner.file == at.file)
                .map(|owner| owner.symbol)
                .or(self.graph.symbol(*at).parent);
            let uses = self.graph.uses(at.file);
            let naming = self.sources.naming(at.file);
            for row in uses
                .named(new_name)
                .filter(|row| row.role != Role::Bind && uses.qualifier(row).is_none())
            {
                // The key of an object literal does not refer to a variable: `{ size: 1 }`.
                let is_key =
                    row.role == Role::Write && naming.is_some_and(|naming| naming.shorthand_fields);
                let is_inside =
                    around.is_none_or(|around| self.set.encloses(at.file, around, row.symbol));
                if is_key || !is_inside || self.sources.has_receiver(at.file, row.line, row.column)
                {
                    continue;
                }
                if self.graph.resolver().resolve(at.file, &uses, row) != Outcome::Local {
                    captured.push(format!("{}:{}", self.graph.file(at.file).path, row.line));
                }
            }
        }
        captured
    }
}

/// Returns the reach of a public symbol that the new name would make private; none if it would not.
fn reach_if_hidden(graph: &Graph<'_>, target: SymbolId, new_name: &str) -> Option<NameReach> {
    let facts = graph.file(target.file).language?.facts.as_ref()?;
    let reach = facts.naming.hidden_names_reach?;
    let is_public =
        |name: &str| facts.visibility.visibility_of(name, None) == Some(Visibility::Public);
    (is_public(&graph.symbol(target).name) && !is_public(new_name)).then_some(reach)
}

/// Returns whether hidden names of one file are visible in the other.
fn is_in_reach(reach: NameReach, one: &str, other: &str) -> bool {
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    match reach {
        NameReach::File => one == other,
        NameReach::Folder => folder(one) == folder(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_reach_a_folder_or_a_file() {
        assert!(
            is_in_reach(NameReach::Folder, "a/b.go", "a/c.go")
                && !is_in_reach(NameReach::Folder, "a/b.go", "b.go")
        );
        assert!(
            is_in_reach(NameReach::File, "b.dart", "b.dart")
                && !is_in_reach(NameReach::File, "b.dart", "c.dart")
        );
    }
}
