//! `rename_symbol`: another name for a symbol, in all files or in none.

#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::read_file::SecretMark;
use super::read_file::{CREDENTIALS, marked_lines};
use super::{CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::again;
use crate::answer::graph::{SymbolInfo, SymbolQuery, shares, symbol_params};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::tokens::MOST_TOKENS;
use crate::text::{INDENT, Line, Text, one_line};

const EXAMPLES: &str = "\
Examples:
  claudevil rename Engine::run start            show what would change
  claudevil rename Engine::run start --apply    change all files, or none
  claudevil rename run start > rename.patch     the diff for later";

symbol_params! {
    #[schemars(extend("required" = ["new_name"]))]
    RenameSymbol {
        /// Without its containers.
        #[cfg_attr(feature = "cli", arg(required = true, help = "New name, without its containers"))]
        new_name: String,
        /// Default true.
        #[cfg_attr(feature = "cli", arg(skip))]
        dry_run: bool,
        /// Doubtful places: change, or leave. Unset, they stop an apply.
        #[cfg_attr(feature = "cli", arg(
            long, num_args = 0, default_missing_value = "true", help = "Change doubtful places too"
        ))]
        include_low_confidence: bool,
        // Options of the command line alone, for parameters that are false.
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(
            id = "no_dry_run", long = "apply", num_args = 0, default_missing_value = "true",
            help = "Change the files, all of them or none"
        ))]
        apply: bool,
        #[serde(skip)]
        #[cfg_attr(feature = "cli", arg(
            id = "no_include_low_confidence", long = "leave-doubtful", num_args = 0, default_missing_value = "true",
            conflicts_with = "include_low_confidence",
            help = "Leave doubtful places as they are, and change the rest"
        ))]
        leave_doubtful: bool,
    }
}

impl RenameSymbol {
    /// Returns true unless the change is to be applied.
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(true)
    }

    /// Returns the new name; empty when it is missing, which `validate` refuses.
    pub fn new_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or_default()
    }
}

impl Tool for RenameSymbol {
    type Answer = Renaming;

    const INFO: ToolInfo = ToolInfo {
        name: "rename_symbol",
        title: "Rename symbol",
        description: "To rename a symbol in all files or none. Shows the diff; `dry_run` false applies it.",
        toolset: Toolset::Change,
        core: false,
        effect: Effect::Edits,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "rename",
            alias: Some("rename-symbol"),
            about: "Rename a symbol in all files, or none",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        if self.new_name.is_none() {
            return Err(ToolError::invalid_argument("`new_name` is missing"));
        }
        check_length(
            "new_name",
            self.new_name.as_deref(),
            SymbolQuery::LONGEST_NAME,
        )?;
        // What a name may be is for its language to say, but none has these.
        let is_unfit = |letter: char| {
            letter.is_whitespace() || letter.is_control() || "\"`(){}[],;/\\".contains(letter)
        };
        if self.new_name().contains(is_unfit) {
            let message = format!(
                "new_name is `{}`; it takes one plain name, without its containers",
                self.new_name()
            );
            return Err(ToolError::invalid_argument(message));
        }
        Ok(())
    }

    fn replay(&self) -> Replay {
        if self.dry_run() {
            Replay::Safe
        } else {
            Replay::Never
        }
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
        self.dry_run = Some(self.apply.is_none());
        if self.leave_doubtful.is_some() {
            self.include_low_confidence = Some(false);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Renaming {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// As it was before.
    pub symbol: SymbolInfo,
    pub new_name: String,
    /// The caller's decision about doubtful places.
    pub include_low_confidence: Option<bool>,
    /// The files were changed; false for a dry run.
    pub applied: bool,
    /// By path.
    pub files: Vec<FileEdits>,
    pub total_files: u64,
    /// Places that change, in all files.
    pub total_edits: u64,
    /// Places with the name that do not change: those that may mean the symbol first, then words in comments, strings and
    /// prose.
    pub left_out: Vec<LeftOut>,
    pub total_left_out: u64,
    /// Those of them that may mean the symbol.
    pub total_doubtful: u64,
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdits {
    pub path: String,
    /// The path afterwards, where that changes.
    pub new_path: Option<String>,
    /// Places that change.
    pub edits: u64,
    /// The number of all hunks, those left out included.
    pub total_hunks: u64,
    pub hunks: Vec<DiffHunk>,
    /// Lines of the hunks that look as if they held credentials, by their numbers before the change. They are shown as they are
    /// on disk.
    pub secrets: Vec<SecretMark>,
}

/// One hunk of a unified diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffHunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// Each begins with ` `, `-`, `+` or, of a last line without an end, `\`. Without the `\n`; a `\r` before it stays.
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub path: String,
    pub line: u32,
    pub column: u32,
    /// 0 to 1, with two decimals.
    pub confidence: f64,
    pub reason: String,
    /// The line itself.
    pub text: String,
    /// It may mean the symbol: an apply is refused until it is said what is to become of it.
    pub is_doubtful: bool,
}

impl Renaming {
    fn hunks(&self) -> usize {
        self.files.iter().map(|file| file.hunks.len()).sum()
    }

    /// Says what changes, and whether it has.
    fn summary(&self) -> Line {
        Line::from("rename ")
            .line(self.symbol.title_and_location())
            .text(" to ")
            .name(&self.new_name)
            .text(" in ")
            .name(&self.root_name)
            .text(": ")
            .count(self.total_edits, "edit")
            .text(" in ")
            .count(self.total_files, "file")
            .text(if self.applied {
                "; applied"
            } else {
                "; a dry run, nothing changed yet"
            })
    }

    /// Names the lines of the diff that look as if they held credentials.
    fn credentials(&self) -> Option<Line> {
        let files = self.files.iter().filter(|file| !file.secrets.is_empty());
        let files = files.map(|file| {
            let marks = marked_lines(&file.secrets);
            Line::new().path(&file.path).text(format!(" {marks}"))
        });
        let files = Line::join(files, "; ");
        (!files.is_empty()).then(|| Line::from(format!("{CREDENTIALS}: ")).line(files))
    }

    /// Lists the places that do not change but may mean the symbol.
    fn doubtful(&self) -> Vec<Line> {
        if self.total_doubtful == 0 {
            return vec![];
        }
        let stops_apply = self.include_low_confidence.is_none() && !self.applied;
        let heading = Line::from("left as they are")
            .text(if stops_apply {
                ", which stops an apply: "
            } else {
                ": "
            })
            .count(self.total_doubtful, "doubtful place");
        self.list_left_out(heading, self.total_doubtful, |place| place.is_doubtful)
    }

    /// Lists the words in comments, strings and prose that do not change.
    fn words(&self) -> Vec<Line> {
        let total = self.total_left_out.saturating_sub(self.total_doubtful);
        if total == 0 {
            return vec![];
        }
        let heading = Line::from("left as they are: ")
            .count(total, "word")
            .text(" in comments, strings and prose");
        self.list_left_out(heading, total, |place| !place.is_doubtful)
    }

    fn list_left_out(
        &self,
        heading: Line,
        total: u64,
        is_listed: impl Fn(&LeftOut) -> bool,
    ) -> Vec<Line> {
        let places: Vec<_> = self
            .left_out
            .iter()
            .filter(|place| is_listed(place))
            .collect();
        let shown = places.len() as u64;
        let heading = if shown == total {
            heading
        } else {
            heading.text("; ").number(shown).text(" shown")
        };
        let places = places.into_iter().map(LeftOut::line_below);
        std::iter::once(heading).chain(places).collect()
    }

    fn next(&self) -> Option<Line> {
        if self.applied {
            return None;
        }
        let call = again(RenameSymbol::NAME, &self.symbol).with("new_name", &self.new_name);
        if self.truncated && self.max_tokens < MOST_TOKENS {
            let call = call
                .with_some("include_low_confidence", self.include_low_confidence)
                .with_budget(MOST_TOKENS)
                .with("root", &self.root_name);
            return Some(Line::from("cut to fit; the whole diff: ").call(call));
        }
        let is_undecided = self.total_doubtful > 0 && self.include_low_confidence.is_none();
        let line = if is_undecided {
            Line::from("to apply, and change doubtful places too (")
                .either("false leaves them", "--leave-doubtful leaves them")
                .text("): ")
        } else {
            "to apply: ".into()
        };
        let decision = self.include_low_confidence.or(is_undecided.then_some(true));
        let call = call
            .with_some("include_low_confidence", decision)
            .with("dry_run", false)
            .with("root", &self.root_name);
        Some(line.call(call))
    }
}

impl FileEdits {
    /// Returns the lines of a unified diff.
    fn diff(&self) -> Vec<String> {
        let path = one_line(&self.path);
        let new_path = self
            .new_path
            .as_deref()
            .map_or_else(|| path.clone(), one_line);
        let mut lines = vec![];
        if self.new_path.is_some() {
            // As git writes it, so that git reads it back.
            lines.push(format!("diff --git a/{path} b/{new_path}"));
            lines.push(format!("rename from {path}"));
            lines.push(format!("rename to {new_path}"));
        }
        if !self.hunks.is_empty() {
            lines.extend([format!("--- a/{path}"), format!("+++ b/{new_path}")]);
        }
        for hunk in &self.hunks {
            lines.push(hunk.header());
            lines.extend(hunk.lines.iter().cloned());
        }
        lines
    }
}

impl DiffHunk {
    /// `@@ -11,3 +11,3 @@`.
    fn header(&self) -> String {
        format!(
            "@@ -{},{} +{},{} @@",
            self.old_start, self.old_lines, self.new_start, self.new_lines
        )
    }
}

impl LeftOut {
    /// `README.md:7  0.35 in prose`, below a heading.
    fn line_below(&self) -> Line {
        Line::from(INDENT)
            .location(&self.path, self.line, self.line)
            .text(format!(
                "  {:.2} {}",
                self.confidence,
                one_line(&self.reason)
            ))
    }
}

impl Answer for Renaming {
    fn items(&self) -> usize {
        self.hunks() + self.left_out.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let kept = shares(items, &[self.hunks(), self.left_out.len()]);
        let mut hunks = kept[0];
        for file in &mut self.files {
            file.hunks.truncate(hunks);
            hunks -= file.hunks.len();
            let end = file
                .hunks
                .last()
                .map_or(0, |hunk| u64::from(hunk.old_start + hunk.old_lines));
            file.secrets.retain(|mark| mark.line < end);
        }
        self.files
            .retain(|file| !file.hunks.is_empty() || file.total_hunks == 0);
        self.left_out.truncate(kept[1]);
        self.truncated = true;
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        text.warnings(self.credentials());
        text.diff(self.files.iter().flat_map(FileEdits::diff).collect());
        text.warnings(self.doubtful());
        for line in self.words() {
            text.note(line);
        }
        if let Some(line) = self.next() {
            text.next(line);
        }
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
