//! `checkpoint`: keeps a note about the work on a root.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Effect, Replay, Tool, ToolInfo, Toolset, common_params, schema_of,
};
use crate::answer::note::{Note, check_words, halve, redaction_warning};
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::{Line, Text};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Checkpoint {
    #[cfg_attr(feature = "cli", arg(skip))]
    pub text: String,
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 't',
            long = "tag",
            value_name = "TAG",
            help = "Tag; may be given several times"
        )
    )]
    pub tags: Option<Vec<String>>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 's',
            long = "symbol",
            value_name = "NAME",
            help = "Symbol that it is about; may be given several times"
        )
    )]
    pub symbols: Option<Vec<String>>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'f',
            long = "file",
            value_name = "FILE",
            help = "File that it is about; may be given several times"
        )
    )]
    pub files: Option<Vec<String>>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Checkpoint {
    pub const LONGEST_TEXT: usize = 20_000;
    pub const MAX_TAGS: usize = 20;
    pub const LONGEST_TAG: usize = 50;
    /// Maximum number of symbols, and of files.
    pub const MAX_NAMES: usize = 50;
}

impl Tool for Checkpoint {
    type Answer = SavedNote;

    const INFO: ToolInfo = ToolInfo {
        name: "checkpoint",
        title: "Checkpoint",
        description: "After a decision or finding: keep a note for later sessions.",
        toolset: Toolset::Memory,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Keeps,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "notes add",
            alias: None,
            about: "Keep a note",
            examples: "",
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn replay(&self) -> Replay {
        Replay::Never
    }

    fn check(&self) -> Result<(), ToolError> {
        check_length("text", Some(self.text.trim()), Self::LONGEST_TEXT)?;
        check_words(
            "tags",
            self.tags.as_deref(),
            Self::MAX_TAGS,
            Self::LONGEST_TAG,
        )?;
        check_words("symbols", self.symbols.as_deref(), Self::MAX_NAMES, 200)?;
        check_words("files", self.files.as_deref(), Self::MAX_NAMES, 1000)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        for file in self.files.iter_mut().flatten() {
            *file = locate(file);
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SavedNote {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// As it was written.
    pub note: Note,
    /// Number of secrets that were left out.
    pub redacted: u64,
}

impl Answer for SavedNote {
    fn items(&self) -> usize {
        0
    }

    fn keep(&mut self, _items: usize) {}

    fn shorten(&mut self) -> bool {
        self.note.cut = true;
        halve(&mut self.note.text)
            || self.note.files.pop().is_some()
            || self.note.symbols.pop().is_some()
    }

    fn text(&self) -> Text {
        let outcome = Line::from("saved in ")
            .name(&self.root_name)
            .text(": ")
            .path(&self.note.path)
            .text("  ")
            .line(self.note.circumstances());
        let mut text = Text::with_outcome(outcome);
        for line in self.note.subjects() {
            text.below(line);
        }
        text.warnings(redaction_warning(self.redacted));
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_something_and_its_words_stay_on_a_line() {
        let note = |text: &str, tag: &str| Checkpoint {
            text: text.to_owned(),
            tags: Some(vec![tag.to_owned()]),
            ..Checkpoint::default()
        };
        assert!(note("a finding\nin two lines", "parser").validate().is_ok());
        for wrong in [
            note(" \n", "a"),
            note("x", ""),
            note("x", "a\nb"),
            note(&"x".repeat(20_001), "a"),
        ] {
            assert!(wrong.validate().is_err());
        }
        let many = Checkpoint {
            tags: Some(vec!["a".to_owned(); 21]),
            ..note("x", "a")
        };
        assert!(many.validate().is_err());
    }

    #[test]
    fn a_saved_note_says_where_it_is_and_what_was_left_out() {
        let saved = SavedNote {
            root_name: "engine".to_owned(),
            note: Note {
                path: ".claudevil/memories/2026-11-15-154512-the-lexer-a1b2.md".to_owned(),
                created: 1_794_757_512_000,
                commit: Some("1a2b3c4d5e6f".to_owned()),
                branch: Some("main".to_owned()),
                tags: vec!["parser".to_owned(), "decision".to_owned()],
                symbols: vec!["Parser::next".to_owned()],
                ..Note::default()
            },
            redacted: 1,
            ..SavedNote::default()
        };
        insta::assert_snapshot!(saved.text().to_string(), @r"
        saved in engine: .claudevil/memories/2026-11-15-154512-the-lexer-a1b2.md  2026-11-15 15:45  main@1a2b3c4  #parser #decision
          symbols: Parser::next
        1 secret was left out, marked [redacted]
        ");
    }
}
