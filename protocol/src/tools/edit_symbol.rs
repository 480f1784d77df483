//! `edit_symbol`: replaces a symbol or its body, inserts text before or after it, or removes it.

#[cfg(test)]
mod tests;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::diff::{FileEdits, add_diff, credentials, hunk_count, keep_hunks};
use crate::answer::freshness::Freshness;
use crate::answer::graph::{SymbolInfo, SymbolQuery, symbol_params};
use crate::answer::symbol::words;
use crate::answer::{Answer, one_root};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::{Line, Text};

const LONGEST_PREVIEW: usize = 64;

const EXAMPLES: &str = "\
Examples:
  claudevil edit Engine::run replace_body --text 'self.start()'    show what would change
  claudevil edit Engine::run replace --file run.rs --apply         change the file
  claudevil edit src/a.py:12 insert_after --apply < new.py         text from standard input
  claudevil edit old_helper delete --apply                         refused while it is, or may be, used";

words! {
    EditAction {
        Replace = "replace": "Replace all of it; its comments and attributes stay unless the text has its own",
        ReplaceBody = "replace_body": "Replace what is between its braces, or below its first line",
        InsertBefore = "insert_before": "Insert text before it",
        InsertAfter = "insert_after": "Insert text after it",
        Delete = "delete": "Remove all of it, with its comments and attributes",
    }
}

symbol_params! {
    EditSymbol {
        #[cfg_attr(feature = "cli", arg(required = true, help = "What to do with the symbol"))]
        action: EditAction,
        #[cfg_attr(feature = "cli", arg(
            long, conflicts_with = "file", allow_hyphen_values = true, help = "New text [default: standard input]"
        ))]
        text: String,
        /// Or several {symbol, action, text}, all or none.
        #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
        #[cfg_attr(feature = "cli", arg(skip))]
        edits: Vec<SymbolEdit>,
        /// Default true.
        #[cfg_attr(feature = "cli", arg(
            long, hide = true, num_args = 0, default_missing_value = "true", conflicts_with = "no_dry_run",
            help = "Show what would change, as without `--apply`"
        ))]
        dry_run: bool,
        #[cfg_attr(feature = "cli", arg(long, help = "Preview to apply: refused if the same call would now change something else"))]
        preview: String,
        /// Ignore doubtful uses.
        #[cfg_attr(feature = "cli", arg(
            long, num_args = 0, default_missing_value = "true", help = "Delete it although doubtful places may use it"
        ))]
        allow_possible_uses: bool,
        // Options of the command line alone.
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(long, help = "File with the new text; - is standard input"))]
        file: String,
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(
            id = "no_dry_run", long = "apply", num_args = 0, default_missing_value = "true",
            help = "Change the file"
        ))]
        apply: bool,
    }
}

/// One of several edits of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SymbolEdit {
    pub symbol: Option<String>,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub context_file: Option<String>,
    pub action: Option<EditAction>,
    pub text: Option<String>,
}

impl SymbolEdit {
    pub fn symbol_query(&self) -> SymbolQuery<'_> {
        SymbolQuery {
            symbol: self.symbol.as_deref(),
            path: self.path.as_deref(),
            line: self.line,
            context_file: self.context_file.as_deref(),
        }
    }

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        let Some(action) = self.action else {
            return Err(ToolError::invalid_argument("`action` is missing"));
        };
        let has_text = self
            .text
            .as_deref()
            .is_some_and(|text| !text.trim().is_empty());
        match (action, has_text) {
            (EditAction::Delete, true) => {
                Err(ToolError::invalid_argument("`delete` takes no `text`"))
            }
            (EditAction::Delete, false) | (_, true) => Ok(()),
            (_, false) => {
                let message = format!("`text` is missing or empty: {} needs it", action.as_str());
                Err(ToolError::invalid_argument(message))
            }
        }
    }
}

impl EditSymbol {
    pub const MAX_EDITS: usize = 100;
    pub const LONGEST_TEXT: usize = 500_000;

    /// Returns true unless the change is to be applied.
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(true)
    }

    /// Returns the edits of the call: the list, or the single one.
    pub fn all(&self) -> Vec<SymbolEdit> {
        match &self.edits {
            Some(edits) => edits.clone(),
            None => vec![SymbolEdit {
                symbol: self.symbol.clone(),
                path: self.path.clone(),
                line: self.line,
                context_file: self.context_file.clone(),
                action: self.action,
                text: self.text.clone(),
            }],
        }
    }
}

impl Tool for EditSymbol {
    type Answer = EditReport;

    const INFO: ToolInfo = ToolInfo {
        name: "edit_symbol",
        title: "Edit symbol",
        description: "To replace, extend or delete a symbol, parsed first. `dry_run` false applies it.",
        toolset: Toolset::Change,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Edits,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "edit",
            alias: Some("edit-symbol"),
            about: "Replace, extend or delete a symbol",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("preview", self.preview.as_deref(), LONGEST_PREVIEW)?;
        if let Some(edits) = &self.edits {
            let is_single = self.action.is_some()
                || self.text.is_some()
                || self.symbol.is_some()
                || self.path.is_some()
                || self.line.is_some()
                || self.context_file.is_some();
            if is_single {
                let message = "give either `edits`, or the fields of a single edit";
                return Err(ToolError::invalid_argument(message));
            }
            if edits.is_empty() || edits.len() > Self::MAX_EDITS {
                let message = format!(
                    "`edits` has {} entries; expected 1 to {}",
                    edits.len(),
                    Self::MAX_EDITS
                );
                return Err(ToolError::invalid_argument(message));
            }
        }
        let all = self.all();
        let length: usize = all
            .iter()
            .filter_map(|edit| edit.text.as_ref())
            .map(String::len)
            .sum();
        if length > Self::LONGEST_TEXT {
            let message = format!(
                "the text has {length} bytes; at most {} are allowed",
                Self::LONGEST_TEXT
            );
            return Err(ToolError::invalid_argument(message));
        }
        all.iter().try_for_each(SymbolEdit::check)
    }

    fn replay(&self) -> Replay {
        Replay::for_edit(self.dry_run())
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
        self.dry_run = Some(self.apply.is_none());
    }

    fn take_text_file(&mut self) -> Option<String> {
        let needs_text = self.text.is_none() && self.action != Some(EditAction::Delete);
        self.file
            .take()
            .or_else(|| needs_text.then(|| "-".to_owned()))
    }

    fn set_text(&mut self, text: String) {
        self.text = Some(text);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditReport {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// In the order of the call.
    pub edits: Vec<EditedSymbol>,
    /// Names the state of the files that the diff is for.
    pub preview: String,
    /// The files were changed; false for a dry run.
    pub applied: bool,
    /// By path.
    pub files: Vec<FileEdits>,
    pub total_files: u64,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditedSymbol {
    /// As it was before.
    pub symbol: SymbolInfo,
    pub action: EditAction,
    /// Consequences to look at: a name that is no longer defined, or is defined twice.
    pub notes: Vec<String>,
}

impl EditReport {
    fn summary(&self) -> Line {
        let edits = self.edits.iter().map(|edit| {
            Line::from(edit.action.as_str().replace('_', " "))
                .text(" ")
                .line(edit.symbol.title_and_location())
        });
        Line::join(edits, ", ")
            .text(" in ")
            .name(&self.root_name)
            .text(match (self.applied, self.total_files) {
                (_, 0) => ": nothing changes",
                (true, _) => ": applied",
                (false, _) => ": a dry run, nothing changed yet",
            })
    }

    fn next(&self) -> Option<Line> {
        if self.applied || self.total_files == 0 {
            return None;
        }
        Some(Line::from("to apply: the same with ").either(
            &format!(r#""dry_run": false, "preview": "{}""#, self.preview),
            &format!("--apply --preview {}", self.preview),
        ))
    }
}

impl Answer for EditReport {
    fn items(&self) -> usize {
        hunk_count(&self.files)
    }

    fn keep(&mut self, items: usize) {
        if items < self.items() {
            keep_hunks(&mut self.files, items);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        text.warnings(credentials(&self.files));
        let notes = self.edits.iter().flat_map(|edit| &edit.notes);
        text.warnings(notes.map(|note| Line::from(note.as_str())));
        add_diff(&mut text, &self.files, self.truncated);
        text.next(self.next());
        text
    }

    one_root!();
}
