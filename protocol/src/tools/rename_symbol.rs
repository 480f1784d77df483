//! `rename_symbol`: another name for a symbol, in all files or in none.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of};
use serde::{Deserialize, Serialize};

use super::read_file::SecretMark;
use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{SymbolInfo, SymbolQuery, shares, symbol_params};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil rename Engine::run start            show what would change
  claudevil rename Engine::run start --apply    change all files, or none
  claudevil rename run start > rename.patch     the diff for later";

symbol_params! {
    #[schemars(extend("required" = ["new_name"]))]
    RenameSymbol {
        /// Without its containers.
        #[cfg_attr(feature = "cli", arg(long))]
        new_name: String,
        /// Only show the diff. Default true.
        #[cfg_attr(feature = "cli", arg(long))]
        dry_run: bool,
        /// Doubtful places: change, or leave. Unset, they stop an apply.
        #[cfg_attr(feature = "cli", arg(long))]
        include_low_confidence: bool,
    }
}

impl RenameSymbol {
    /// Only shows what it would do, unless told otherwise.
    pub fn dry_run(&self) -> bool {
        self.dry_run.unwrap_or(true)
    }

    /// Empty when it is missing, which `validate` refuses.
    pub fn new_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or_default()
    }
}

impl Tool for RenameSymbol {
    type Answer = Renaming;

    const INFO: ToolInfo = ToolInfo {
        name: "rename_symbol",
        title: "Rename symbol",
        description: "Rename a symbol in all files or none. Shows the diff; `dry_run` false applies it. Refuses what is \
                      ambiguous or would collide.",
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
            is_plain: false,
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
    /// What was said of doubtful places.
    pub include_low_confidence: Option<bool>,
    /// Whether the files were changed; false for a dry run.
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
    /// What it is called afterwards, where that changes.
    pub new_path: Option<String>,
    /// Places that change.
    pub edits: u64,
    /// How many hunks there are in all.
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
        crate::tools::rename_symbol::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Tool;

    #[test]
    fn a_new_name_is_one_name() {
        let named = |name: Option<&str>| RenameSymbol {
            symbol: Some("run".to_owned()),
            new_name: name.map(str::to_owned),
            ..RenameSymbol::default()
        };
        for right in [
            "start",
            "größe",
            "empty?",
            "save!",
            "$el",
            "operator+",
            "kebab-name",
            "go'",
        ] {
            assert!(named(Some(right)).validate().is_ok(), "{right}");
        }
        for wrong in [
            None,
            Some(""),
            Some("a b"),
            Some("a\nb"),
            Some("a/b"),
            Some("f("),
            Some("x;"),
        ] {
            assert!(named(wrong).validate().is_err(), "{wrong:?}");
        }
        assert!(
            named(Some("start")).dry_run(),
            "nothing is changed unless it is said"
        );
    }
}
