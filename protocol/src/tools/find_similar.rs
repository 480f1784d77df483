//! `find_similar`: code like some other code.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::{SearchHit, SearchPlace};
use crate::answer::freshness::Freshness;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil similar src/lexer.rs:120              code like that around this line
  claudevil similar --code 'fn retry(' -l rust    code like this
  pbpaste | claudevil similar --code -            code like what is piped in

Nothing found is exit code 1.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FindSimilar {
    /// Or path + line.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub code: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    #[serde(default)]
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub line: Option<u32>,
    /// `*` is all.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
    /// Default 10.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl FindSimilar {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const LONGEST_CODE: usize = 20_000;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for FindSimilar {
    type Answer = SimilarCode;

    const INFO: ToolInfo = ToolInfo {
        name: "find_similar",
        title: "Find similar",
        description: "Code like a given piece: duplicates, variants, the same elsewhere.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "similar",
            alias: Some("find-similar"),
            about: "Find code like some other code",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("code", self.code.as_deref(), Self::LONGEST_CODE)?;
        check_length("path", self.path.as_deref(), 4096)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("limit", self.limit, 1..=100)?;
        check_range("line", self.line, 1..=u32::MAX)?;
        match (&self.code, &self.path, self.line) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => Ok(()),
            _ => Err(ToolError::invalid_argument(
                "give either `code`, or `path` and `line`",
            )),
        }
    }
}

/// What is alike, most first. May be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimilarCode {
    /// The root's absolute path; `*` when all were asked.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// Where the given code lies, if a place was given.
    pub path: Option<String>,
    pub line: Option<u32>,
    /// The code as it was given.
    pub code: Option<String>,
    pub language: Option<String>,
    /// How alikeness was judged.
    pub measure: SimilarBy,
    pub results: Vec<SearchHit>,
    pub total: u64,
    /// How many come before `results`.
    pub offset: u64,
    /// How many come after the last of `results`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
    pub elapsed_ms: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimilarBy {
    #[default]
    Meaning,
    /// There are no vectors, or not yet: by the words in common.
    Words,
}

impl SimilarCode {
    /// Says where to go on after the results that are there.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let shown = self.offset + self.results.len() as u64;
        self.cursor = self
            .results
            .last()
            .filter(|_| self.remaining > 0)
            .map(|last| SearchPlace::after(last, shown));
    }
}

impl Answer for SimilarCode {
    fn items(&self) -> usize {
        self.results.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.results.len() {
            return;
        }
        self.remaining += (self.results.len() - items) as u64;
        self.results.truncate(items);
        self.set_cursor();
    }

    fn text(&self) -> Text {
        crate::tools::find_similar::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_given_itself_or_by_its_place() {
        let code = FindSimilar {
            code: Some("fn main() {}".to_owned()),
            ..FindSimilar::default()
        };
        let place = FindSimilar {
            path: Some("a.rs".to_owned()),
            line: Some(3),
            ..FindSimilar::default()
        };
        assert!(code.validate().is_ok() && place.validate().is_ok());
        let both = FindSimilar {
            line: Some(3),
            ..code.clone()
        };
        let half = FindSimilar {
            line: None,
            ..place
        };
        for wrong in [
            both,
            half,
            FindSimilar::default(),
            FindSimilar {
                code: Some(String::new()),
                ..code
            },
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
