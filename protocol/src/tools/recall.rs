//! `recall`: finds the notes of a root.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use crate::answer::note::{Note, SkippedNote, check_words, halve};
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;
use crate::text::moment;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Recall {
    /// Default: the newest.
    #[cfg_attr(feature = "cli", arg(long))]
    pub query: Option<String>,
    /// All of them.
    #[cfg_attr(feature = "cli", arg(long))]
    pub tags: Option<Vec<String>>,
    /// A date, or e.g. 24h, 7d, 2w.
    #[cfg_attr(feature = "cli", arg(long))]
    pub since: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Recall {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const MOST_NOTES: u32 = 100;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Since when, in milliseconds since 1970. None where nothing was said, or nothing that `validate` takes.
    pub fn since(&self, now: i64) -> Option<i64> {
        let text = self.since.as_deref()?;
        moment::read(text).or_else(|| Some(now.saturating_sub(moment::span(text)?)))
    }
}

impl Tool for Recall {
    type Answer = Recalled;

    const INFO: ToolInfo = ToolInfo {
        name: "recall",
        title: "Recall",
        description: "Notes of earlier sessions by meaning and words, newest first on ties. Before a task.",
        toolset: Toolset::Memory,
        core: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "notes search",
            alias: None,
            about: "Find notes by words and meaning",
            examples: "",
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("query", self.query.as_deref(), 500)?;
        check_words(
            "tags",
            self.tags.as_deref(),
            Checkpoint::MOST_TAGS,
            Checkpoint::LONGEST_TAG,
        )?;
        check_range("limit", self.limit, 1..=Self::MOST_NOTES)?;
        if let (Some(since), None) = (&self.since, self.since(0)) {
            return Err(ToolError::invalid_argument(format!("since is `{since}`, which is no moment")).with_hint(
                "give a date (2026-11-15), a date and a time (2026-11-15T15:45), or how long ago: 30m, 24h, 7d, 2w",
            ));
        }
        Ok(())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub query: Option<String>,
    pub tags: Vec<String>,
    /// As it was asked for.
    pub since: Option<String>,
    pub limit: u32,
    /// The best first; without a query, and among equals, the newest.
    pub notes: Vec<Note>,
    /// How many fit what was asked for.
    pub total: u64,
    /// How many notes the root has that can be read.
    pub stored: u64,
    /// How many come after the last of `notes`.
    pub remaining: u64,
    pub truncated: bool,
    /// Whether meaning was compared, or words alone.
    pub by_meaning: bool,
    /// The first of the files among the notes that could not be read.
    pub skipped: Vec<SkippedNote>,
    pub skipped_total: u64,
    /// How many notes are so long that only their beginning was compared with the query.
    pub partly_compared: u64,
    /// How many KB of such a note that is.
    pub compared_kb: u64,
}

impl Recalled {
    /// How many files that could not be read are named.
    pub const SKIPPED_SHOWN: usize = 5;
}

impl Answer for Recalled {
    fn items(&self) -> usize {
        self.notes.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.notes.len() {
            self.remaining += (self.notes.len() - items) as u64;
            self.notes.truncate(items);
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut is_shorter = false;
        for note in &mut self.notes {
            let halved = halve(&mut note.text);
            note.cut |= halved;
            is_shorter |= halved || note.files.pop().is_some() || note.symbols.pop().is_some();
        }
        is_shorter
    }

    fn text(&self) -> Text {
        crate::tools::recall::text::write(self).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_moment_or_a_while_ago() {
        let recall = |since: &str| Recall {
            since: Some(since.to_owned()),
            ..Recall::default()
        };
        assert_eq!(recall("1d").since(100_000_000), Some(13_600_000));
        assert_eq!(recall("1970-01-02").since(5), Some(86_400_000));
        assert!(recall("7d").validate().is_ok() && recall("2026-11-15T10:00").validate().is_ok());
        assert!(recall("yesterday").validate().is_err());
        assert!(Recall::default().validate().is_ok());
        assert!(
            Recall {
                limit: Some(101),
                ..Recall::default()
            }
            .validate()
            .is_err()
        );
    }
}
