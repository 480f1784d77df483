//! `impact_analysis`: what a change of a symbol, or of all that a diff touches, may break.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use serde::{Deserialize, Serialize};

use super::find_implementations::Implementation;
use crate::answer::Answer;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{Resolution, UseRole, shares, symbol_params, with_symbol};
use crate::answer::symbol::words;
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil impact Engine::run         what a change of it may break, and which tests reach it
  claudevil impact                     of everything that is changed and not committed
  claudevil impact --diff main..HEAD   of all commits since";

symbol_params! {
    ImpactAnalysis {
        /// Instead of a symbol: `working` or `a..b`.
        #[cfg_attr(feature = "cli", arg(long))]
        diff: String,
        /// Default 1.
        #[schemars(range(min = 1, max = 5))]
        #[cfg_attr(feature = "cli", arg(long))]
        depth: u32,
    }
}

impl ImpactAnalysis {
    /// The working tree against its last commit.
    pub const WORKING: &'static str = "working";
    pub const DEEPEST: u32 = 5;

    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(1)
    }
}

impl Tool for ImpactAnalysis {
    type Answer = Impact;

    const INFO: ToolInfo = ToolInfo {
        name: "impact_analysis",
        title: "Impact analysis",
        description: "What a change of a symbol or a git diff may break: usages by area, dependents, tests to run, \
                      risk.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "impact",
            alias: Some("impact-analysis"),
            about: "Show what a change may break, and which tests reach it",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_range("depth", self.depth, 1..=Self::DEEPEST)?;
        let Some(diff) = &self.diff else {
            if self.symbol.is_none() && self.path.is_none() && self.line.is_none() {
                return Err(ToolError::invalid_argument("give `symbol`, or `path` and `line`, or `diff`")
                    .with_hint("impact_analysis {\"diff\":\"working\"} is about the changes since the last commit"));
            }
            return self.symbol_query().check();
        };
        check_length("diff", Some(diff), 200)?;
        if self.symbol.is_some() || self.path.is_some() || self.line.is_some() {
            return Err(ToolError::invalid_argument(
                "give either a symbol or `diff`",
            ));
        }
        if diff != Self::WORKING && !diff.contains("..") {
            return Err(ToolError::invalid_argument(format!(
                "diff is `{diff}`; it takes `working` or a range `a..b`"
            ))
            .with_hint(format!(
                "impact_analysis {}",
                serde_json::json!({ "diff": format!("{diff}..HEAD") })
            )));
        }
        Ok(())
    }
}

words! {
    /// What happened to a symbol.
    #[derive(Default)]
    ChangeKind {
        // It was asked about; nothing has happened to it yet.
        #[default]
        Asked = "asked",
        Modified = "modified",
        Added = "added",
        Removed = "removed",
    }
}

words! {
    Risk {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

/// Each list has a total beside it, and may hold fewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The diff that was asked about, if it was one.
    pub diff: Option<String>,
    pub depth: u32,
    /// What changes: the symbol that was asked about, or what the diff touches.
    pub changed: Vec<ChangedSymbol>,
    pub total_changed: u64,
    /// How many of them were followed: of a large diff not all are.
    pub total_followed: u64,
    /// How many changed symbols have another signature than before.
    pub total_signatures: u64,
    /// Files of the diff in which no symbol changed.
    pub other_files: Vec<String>,
    pub total_other_files: u64,
    /// Parts of the diff that were not compared.
    pub not_compared: NotCompared,
    /// Methods that override or implement what changes, and types that implement or extend it.
    pub overrides: Vec<Implementation>,
    pub total_overrides: u64,
    /// Direct usages, tests included, by folder: the folder with most first.
    pub areas: Vec<ImpactArea>,
    pub total_usages: u64,
    /// Places of which nothing is known but that they have the name of something that changes; none of them is in `areas`.
    pub total_name_only: u64,
    /// What depends on it, directly or through others, nearest first; without tests.
    pub dependents: Vec<ImpactDependent>,
    pub total_dependents: u64,
    /// More depend on it than were counted.
    pub is_least: bool,
    /// Tests that reach it, nearest first. Where none does, tests whose names contain its name; these have no `distance`
    /// and are not counted in `total_tests`.
    pub tests: Vec<ImpactTest>,
    pub total_tests: u64,
    /// Files of the tests that reach it, in the order of their nearest test.
    pub test_files: Vec<TestFile>,
    pub total_test_files: u64,
    /// Uses between tests and what changes that were not followed: they may mean something else, or a macro makes them.
    pub total_uncertain: u64,
    /// Files with usages or dependents, by path.
    pub files: Vec<String>,
    pub total_files: u64,
    /// How many functions and methods have usages in them or depend on it.
    pub total_functions: u64,
    pub risk: Risk,
    pub risk_reasons: Vec<String>,
    pub truncated: bool,
    /// How many overloads are taken together, where the name means several of one owner; else 0.
    pub overloads: u32,
}

with_symbol! {
    ChangedSymbol {
        change: ChangeKind,
        /// The signature before the diff, where it differs from `signature`.
        old_signature: Option<String>,
    }
}

/// Files of a diff that were not compared, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotCompared {
    pub binary: u64,
    /// Larger than the limit for one file.
    pub large: u64,
    /// Unreadable files, and objects that a partial clone lacks.
    pub unreadable: u64,
    /// Names that are not UTF-8.
    pub unnamed: u64,
    /// Beyond the limits on the number of files and on their total size.
    pub beyond: u64,
    /// Compared line by line, but removed symbols and old signatures were not looked for.
    pub without_old_symbols: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpactArea {
    /// A folder, relative to the root; empty for the root itself.
    pub area: String,
    pub usages: Vec<ImpactUsage>,
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImpactUsage {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub role: UseRole,
    /// What it is to the symbol around it: `call in`, `return type of`.
    pub usage: String,
    /// The symbol around it, with its containers.
    pub enclosing: Option<String>,
    /// Which of the changed symbols is used, where there are several.
    pub of: Option<String>,
    pub resolution: Resolution,
    pub is_test: bool,
}

with_symbol! {
    ImpactDependent {
        /// 1 uses the changed symbol itself.
        depth: u32,
        /// What it depends on, one level nearer.
        via: String,
        resolution: Resolution,
        reason: String,
    }
}

with_symbol! {
    ImpactTest {
        /// Calls between the test and what changes: 0 for a changed test, 1 for one that uses it. None where only the
        /// test's name suggests that it belongs.
        distance: Option<u32>,
        /// The function that the test uses and that leads to what changes; none for a test that uses it directly.
        via: Option<String>,
        resolution: Resolution,
    }
}

/// A file with tests that reach what changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFile {
    pub path: String,
    /// How many of its tests do.
    pub total: u64,
}

impl Impact {
    fn lengths(&self) -> [usize; 8] {
        [
            self.changed.len(),
            self.areas.iter().map(|area| area.usages.len()).sum(),
            self.dependents.len(),
            self.tests.len(),
            self.files.len(),
            self.other_files.len(),
            self.overrides.len(),
            self.test_files.len(),
        ]
    }
}

/// All lists give way alike, the longest first.
impl Answer for Impact {
    fn items(&self) -> usize {
        self.lengths().iter().sum()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let kept = shares(items, &self.lengths());
        self.changed.truncate(kept[0]);
        let areas: Vec<_> = self.areas.iter().map(|area| area.usages.len()).collect();
        for (area, kept) in self.areas.iter_mut().zip(shares(kept[1], &areas)) {
            area.usages.truncate(kept);
        }
        self.dependents.truncate(kept[2]);
        self.tests.truncate(kept[3]);
        self.files.truncate(kept[4]);
        self.other_files.truncate(kept[5]);
        self.overrides.truncate(kept[6]);
        self.test_files.truncate(kept[7]);
        self.truncated = true;
    }

    fn shorten(&mut self) -> bool {
        let areas = self.areas.len();
        self.areas.truncate(5);
        let reasons = self.risk_reasons.len();
        self.risk_reasons.truncate(3);
        self.areas.len() < areas || self.risk_reasons.len() < reasons
    }

    fn text(&self) -> Text {
        crate::tools::impact_analysis::text::write(self).into()
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
    fn impact_is_of_a_symbol_or_of_a_diff() {
        let diff = |text: &str| ImpactAnalysis {
            diff: Some(text.to_owned()),
            ..ImpactAnalysis::default()
        };
        let symbol = ImpactAnalysis {
            symbol: Some("run".to_owned()),
            ..ImpactAnalysis::default()
        };
        for right in [
            diff("working"),
            diff("main..HEAD"),
            diff("v1...v2"),
            symbol.clone(),
        ] {
            assert!(right.validate().is_ok(), "{right:?}");
        }
        let both = ImpactAnalysis {
            diff: Some("working".to_owned()),
            ..symbol.clone()
        };
        let deep = ImpactAnalysis {
            depth: Some(6),
            ..symbol
        };
        for wrong in [
            ImpactAnalysis::default(),
            both,
            deep,
            diff(""),
            diff("HEAD~3"),
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }
}
