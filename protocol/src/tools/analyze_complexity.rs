//! `analyze_complexity`: how much code there is, and where it branches most.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::symbol::SymbolKind;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil complexity               this project and its hot spots
  claudevil complexity src -n 50     the fifty worst of a folder
  claudevil complexity src/main.rs   each function of a file";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct AnalyzeComplexity {
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// File or folder. Default: all.
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// Functions to show. Default 20.
    #[schemars(range(min = 1, max = 200))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl AnalyzeComplexity {
    pub const DEFAULT_LIMIT: u32 = 20;
    pub const HIGHEST_LIMIT: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for AnalyzeComplexity {
    type Answer = Complexity;

    const INFO: ToolInfo = ToolInfo {
        name: "analyze_complexity",
        title: "Analyze complexity",
        description: "Lines of code and comment, symbols by kind, calls, cyclomatic complexity, and the most complex \
                      functions.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "complexity",
            alias: Some("analyze-complexity"),
            about: "Count lines, symbols and branches, and show the most complex functions",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_range("limit", self.limit, 1..=Self::HIGHEST_LIMIT)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Complexity {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// What was measured, relative to the root; empty for all of it.
    pub path: String,
    pub scope: Scope,
    pub files: u64,
    pub lines: LineCounts,
    /// Most first.
    pub symbols: Vec<KindCount>,
    /// Calls of functions, as written.
    pub calls: u64,
    pub cyclomatic: Cyclomatic,
    /// Most code first.
    pub languages: Vec<LanguageComplexity>,
    /// The most complex first: of a file all, of a folder the hot spots.
    pub functions: Vec<FunctionComplexity>,
    /// How many functions come after the last of `functions`.
    pub remaining: u64,
    pub truncated: bool,
    /// How many functions were asked for at most.
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Root,
    Folder,
    File,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    pub total: u64,
    /// `code` and `comment` together.
    pub non_empty: u64,
    /// Lines with any code; a comment behind it does not count.
    pub code: u64,
    pub comment: u64,
    pub blank: u64,
}

impl LineCounts {
    pub fn new(code: u64, comment: u64, blank: u64) -> Self {
        Self {
            total: code + comment + blank,
            non_empty: code + comment,
            code,
            comment,
            blank,
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(
            self.code + other.code,
            self.comment + other.comment,
            self.blank + other.blank,
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCount {
    pub kind: SymbolKind,
    pub count: u64,
}

/// The cyclomatic complexity of some functions: one for each, and one for each place where it branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cyclomatic {
    pub functions: u64,
    pub total: u64,
    /// With two decimals; zero without functions.
    pub mean: f64,
    pub max: u32,
}

impl Cyclomatic {
    pub fn of(functions: impl IntoIterator<Item = u32>) -> Self {
        let mut sum = Self::default();
        for one in functions {
            sum.functions += 1;
            sum.total += u64::from(one);
            sum.max = sum.max.max(one);
        }
        if sum.functions > 0 {
            #[expect(
                clippy::cast_precision_loss,
                reason = "no project has that many branches"
            )]
            let mean = sum.total as f64 / sum.functions as f64;
            sum.mean = (mean * 100.0).round() / 100.0;
        }
        sum
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanguageComplexity {
    pub language: String,
    pub files: u64,
    pub lines: LineCounts,
    pub calls: u64,
    pub cyclomatic: Cyclomatic,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionComplexity {
    /// With its containers, as the language writes it.
    pub name: String,
    pub kind: SymbolKind,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub cyclomatic: u32,
    pub calls: u32,
}

impl Answer for Complexity {
    fn items(&self) -> usize {
        // The sums are an item of their own: a file without functions still has them.
        1 + self.functions.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let functions = items.saturating_sub(1);
        self.remaining += (self.functions.len() - functions) as u64;
        self.functions.truncate(functions);
        self.truncated = true;
    }

    fn text(&self) -> Text {
        crate::tools::analyze_complexity::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_follow_from_their_parts() {
        let sum = Cyclomatic::of([1, 1, 5]);
        assert_eq!((sum.functions, sum.total, sum.max), (3, 7, 5));
        assert!((sum.mean - 2.33).abs() < 1e-9);
        assert_eq!(Cyclomatic::of([]), Cyclomatic::default());
        let lines = LineCounts::new(5, 2, 1).plus(LineCounts::new(1, 0, 1));
        assert_eq!(
            lines,
            LineCounts {
                total: 10,
                non_empty: 8,
                code: 6,
                comment: 2,
                blank: 2
            }
        );
    }
}
