//! `checkpoint`: keeps a note about the work on a root.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note::{Note, check_words, halve};
use super::{Answer, DEFAULT_TOKENS, Format, Params, Shared, check_length, check_shared};
use crate::error::ToolError;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Markdown.
    pub text: String,
    /// To find it by.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// That it is about.
    #[serde(default)]
    pub symbols: Option<Vec<String>>,
    /// Likewise.
    #[serde(default)]
    pub files: Option<Vec<String>>,
    #[serde(default)]
    pub root: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub format: Option<Format>,
}

impl Checkpoint {
    pub const LONGEST_TEXT: usize = 20_000;
    pub const MOST_TAGS: usize = 20;
    pub const LONGEST_TAG: usize = 50;
    /// Of symbols and of files.
    pub const MOST_NAMES: usize = 50;
}

impl Params for Checkpoint {
    const TOOL: &'static str = "checkpoint";

    fn validate(&self) -> Result<(), ToolError> {
        check_shared(self.root.as_deref(), self.max_tokens)?;
        check_length("text", Some(self.text.trim()), Self::LONGEST_TEXT)?;
        check_words(
            "tags",
            self.tags.as_deref(),
            Self::MOST_TAGS,
            Self::LONGEST_TAG,
        )?;
        check_words("symbols", self.symbols.as_deref(), Self::MOST_NAMES, 200)?;
        check_words("files", self.files.as_deref(), Self::MOST_NAMES, 1000)
    }

    fn shared(&self) -> Shared<'_> {
        let root = self.root.as_deref();
        let max_tokens = self.max_tokens.unwrap_or(DEFAULT_TOKENS);
        Shared {
            root,
            format: self.format.unwrap_or_default(),
            max_tokens,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// As it was written.
    pub note: Note,
    /// How many secrets were left out of it.
    pub redacted: u64,
}

impl Answer for Saved {
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

    fn text(&self) -> String {
        crate::text::checkpoint::write(self)
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
}
