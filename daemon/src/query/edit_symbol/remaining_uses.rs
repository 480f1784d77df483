//! The uses that a deleted symbol would leave behind.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::edit_symbol::EditAction;
use claudevil_protocol::{ErrorCode, ToolError};

use super::file_plan::{FilePlan, PlacedEdit};
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::symbol_name::last_part;
use crate::query::shared::unindexed_files::search_unindexed_files;

const USES_SHOWN: usize = 10;

pub struct UseCheck<'a> {
    pub context: &'a Context<'a>,
    pub root: &'a GraphRoot<'a>,
    pub graph: &'a Graph<'a>,
    pub plans: &'a [FilePlan],
    /// Refuses if something may be a use: by its name, of one of several symbols, or in a file that is not indexed. Otherwise it is
    /// noted.
    pub refuses_possible_uses: bool,
}

impl UseCheck<'_> {
    /// Refuses to delete a symbol that is used. The notes, by the place of an edit in the call, name what may be a use.
    pub fn run(&self, notes: &mut [Vec<String>]) -> Result<(), ToolError> {
        let edits = self.plans.iter().flat_map(|plan| &plan.edits);
        let deleted = edits.filter(|edit| edit.action == EditAction::Delete);
        let deleted: Vec<&PlacedEdit> = deleted.collect();
        if deleted.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = (deleted.iter())
            .map(|edit| last_part(&self.graph.symbol(edit.at).name))
            .collect();
        let unindexed = search_unindexed_files(self.root, &names);
        for (at, (edit, name)) in deleted.into_iter().zip(names).enumerate() {
            let mut possible = vec![];
            if let Some(uses) = self.check(edit)? {
                possible.push(format!("{uses} may mean this `{name}`"));
            }
            if let Some(files) = unindexed.list(at) {
                possible.push(format!(
                    "`{name}` is in files that are not indexed: {files}"
                ));
            }
            if self.refuses_possible_uses && !possible.is_empty() {
                return Err(refuse_possible(name, &possible));
            }
            if unindexed.unread > 0 {
                let files = count(unindexed.unread, "file");
                possible.push(format!(
                    "{files} that are not indexed could not be searched for `{name}`"
                ));
            }
            notes[edit.place].extend(possible);
        }
        Ok(())
    }

    /// Fails if uses would remain, and describes those that may mean another symbol.
    fn check(&self, edit: &PlacedEdit) -> Result<Option<String>, ToolError> {
        let name = self.graph.symbol(edit.at).name.clone();
        let references = self.graph.references().to(edit.at, self.context.cancel)?;
        let remaining = references
            .iter()
            .filter(|reference| !self.is_removed_by_call(&name, reference));
        let remaining: Vec<&Reference> = remaining.collect();
        let is_possible = |reference: &&Reference| {
            matches!(
                reference.resolution,
                Resolution::NameOnly | Resolution::Ambiguous
            )
        };
        let (possible, certain): (Vec<_>, Vec<_>) = remaining.into_iter().partition(is_possible);
        let places = |uses: &[&Reference]| -> Vec<String> {
            let places = uses.iter().take(USES_SHOWN).map(|reference| {
                let path = &self.graph.file(reference.file).path;
                format!("{path}:{}", reference.row.line)
            });
            places.collect()
        };
        if certain.is_empty() {
            let more = if possible.len() > USES_SHOWN {
                ", …"
            } else {
                ""
            };
            let listed = || {
                let total = count(possible.len() as u64, "use");
                format!("{total} ({}{more})", places(&possible).join(", "))
            };
            return Ok((!possible.is_empty()).then(listed));
        }
        let message = format!(
            "`{name}` has {}; nothing was changed",
            count(certain.len() as u64, "use")
        );
        Err(ToolError::invalid_argument(message)
            .with_candidates(places(&certain))
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

fn refuse_possible(name: &str, possible: &[String]) -> ToolError {
    let message = format!(
        "`{name}` may be used: {}; nothing was changed",
        possible.join("; ")
    );
    ToolError::new(ErrorCode::AmbiguousSymbol, message).with_hint(
        Line::from("look at them; if they mean something else, ").either(
            "\"allow_possible_uses\": true deletes it",
            "`--allow-possible-uses` deletes it",
        ),
    )
}

/// Returns the number of uses of a symbol outside its own lines.
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
