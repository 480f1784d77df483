//! The uses that a deleted symbol would leave behind.

use std::collections::BTreeMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::edit_symbol::EditAction;

use super::file_plan::{FilePlan, PlacedEdit};
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId};
use crate::query::Context;

const USES_SHOWN: usize = 10;

pub struct UseCheck<'a> {
    pub context: &'a Context<'a>,
    pub graph: &'a Graph<'a>,
    pub plans: &'a [FilePlan],
}

impl UseCheck<'_> {
    /// Refuses to delete a symbol that is used. Uses by name only are noted.
    pub fn run(&self, notes: &mut BTreeMap<SymbolId, Vec<String>>) -> Result<(), ToolError> {
        for plan in self.plans {
            let deleted = plan
                .edits
                .iter()
                .filter(|edit| edit.action == EditAction::Delete);
            for edit in deleted {
                let guesses = self.check(edit)?;
                if guesses > 0 {
                    let name = &self.graph.symbol(edit.at).name;
                    let uses = count(guesses, "use");
                    notes.entry(edit.at).or_default().push(format!(
                        "{uses} of something called `{name}` may mean this one"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Fails if uses would remain, and returns the number of those by name only.
    fn check(&self, edit: &PlacedEdit) -> Result<u64, ToolError> {
        let name = self.graph.symbol(edit.at).name.clone();
        let references = self.graph.references().to(edit.at, self.context.cancel)?;
        let remaining = references
            .iter()
            .filter(|reference| !self.is_removed_by_call(&name, reference));
        let (guesses, uses): (Vec<_>, Vec<_>) =
            remaining.partition(|reference| reference.resolution == Resolution::NameOnly);
        if uses.is_empty() {
            return Ok(guesses.len() as u64);
        }
        let places = uses.iter().take(USES_SHOWN).map(|reference| {
            let path = &self.graph.file(reference.file).path;
            format!("{path}:{}", reference.row.line)
        });
        let message = format!(
            "`{name}` has {}; nothing was changed",
            count(uses.len() as u64, "use")
        );
        Err(ToolError::invalid_argument(message)
            .with_candidates(places.collect())
            .with_hint(
                Line::from("change them first, or in the same call by ")
                    .parameter("edits")
                    .text("; all of them: ")
                    .call(NextCall::new("find_references").with("symbol", name.as_ref())),
            ))
    }

    /// Returns whether the edits of the call remove a use, because it is in text that is replaced by text without the name.
    fn is_removed_by_call(&self, name: &str, reference: &Reference) -> bool {
        let path = &self.graph.file(reference.file).path;
        let Some(plan) = self.plans.iter().find(|plan| plan.file.path == *path) else {
            return false;
        };
        let text = &plan.file.text;
        let line = text
            .split_inclusive('\n')
            .take(reference.row.line.saturating_sub(1) as usize);
        let at = line.map(str::len).sum::<usize>() + reference.row.column as usize;
        let replacing = plan
            .edits
            .iter()
            .find(|edit| edit.splice.range.contains(&at));
        replacing.is_some_and(|edit| !has_word(&edit.splice.text, name))
    }
}

/// Returns the number of uses of a symbol outside of its own lines.
pub fn count_uses(context: &Context, graph: &Graph<'_>, at: SymbolId) -> Result<u64, ToolError> {
    let references = graph.references().to(at, context.cancel)?;
    let (symbol, file) = (graph.symbol(at), at.file);
    let inside = |reference: &&Reference| {
        reference.file == file
            && (symbol.start_line..=symbol.end_line).contains(&reference.row.line)
    };
    let uses = references
        .iter()
        .filter(|reference| !inside(reference))
        .count();
    Ok(uses as u64)
}

pub fn has_word(text: &str, word: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}
