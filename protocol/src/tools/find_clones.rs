//! `find_clones`: groups of functions that are nearly the same.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::ListCursor;
use crate::answer::symbol::SymbolKind;
use crate::answer::{Answer, Format, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil clones                     functions that are nearly the same, the most repeated code first
  claudevil clones -p src/net          with one of them in a folder
  claudevil clones --min-lines 20 --include-tests";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FindClones {
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "PATH",
            help = "Only groups with a function of a file or folder"
        )
    )]
    pub path: Option<String>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "NAME",
            help = "Only functions in this language"
        )
    )]
    pub language: Option<String>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "LINES",
            help = "Shortest function to compare [default: 6]"
        )
    )]
    pub min_lines: Option<u32>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            num_args = 0,
            default_missing_value = "true",
            help = "Compare tests and examples too"
        )
    )]
    pub include_tests: Option<bool>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            value_name = "1-200",
            help = "Maximum number of groups [default: 20]"
        )
    )]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
    pub cursor: Option<String>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl FindClones {
    pub const DEFAULT_LIMIT: u32 = 20;
    pub const MAX_GROUPS: u32 = 200;
    pub const DEFAULT_MIN_LINES: u32 = 6;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    pub fn min_lines(&self) -> u32 {
        self.min_lines.unwrap_or(Self::DEFAULT_MIN_LINES)
    }
}

impl Tool for FindClones {
    type Answer = CloneGroups;

    const INFO: ToolInfo = ToolInfo {
        name: "find_clones",
        title: "Find clones",
        description: "To find functions that are nearly the same.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "clones",
            alias: Some("find-clones"),
            about: "Find functions that are nearly the same",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("cursor", self.cursor.as_deref(), ListCursor::LONGEST)?;
        check_range("min_lines", self.min_lines, 2..=1000)?;
        check_range("limit", self.limit, 1..=Self::MAX_GROUPS)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = self.path.as_deref().map(locate);
    }
}

/// The groups with the most repeated lines first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CloneGroups {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// Relative to the root; empty for all of it.
    pub path: String,
    pub language: Option<String>,
    pub min_lines: u32,
    pub include_tests: bool,
    pub groups: Vec<CloneGroup>,
    pub total: u64,
    /// Groups after the last of `groups`.
    pub remaining: u64,
    /// The number of functions that were compared.
    pub compared: u64,
    /// Functions that were not: shorter than `min_lines` or a few tokens.
    pub too_short: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
}

/// Functions that are nearly the same as the first of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CloneGroup {
    pub language: String,
    /// The lines of all but the first.
    pub repeated_lines: u64,
    /// By path and line; the first functions of a large group.
    pub functions: Vec<CloneFunction>,
    /// The number of all.
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CloneFunction {
    /// With its containers, as the language writes it.
    pub name: String,
    pub kind: SymbolKind,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The share of token sequences that it has in common with the longest of the group, names and literals aside.
    pub similarity: f64,
}

impl CloneGroup {
    /// Returns the position that a cursor names.
    pub fn place(&self) -> (&str, u32) {
        self.functions
            .first()
            .map_or(("", 0), |first| (&first.path, first.start_line))
    }

    fn title(&self) -> Line {
        let least = self.functions.iter().map(|one| one.similarity);
        let least = least.fold(1.0, f64::min);
        let line = Line::new()
            .count(self.total, "function")
            .text(", ")
            .count(self.repeated_lines, "line")
            .text(" repeated, ");
        if least >= 1.0 {
            line.text("the same but for names and literals")
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share"
            )]
            let percent = (least * 100.0).floor() as u64;
            line.text("at least ").number(percent).text("% the same")
        }
    }
}

impl CloneGroups {
    /// Sets the cursor after the last group.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let last = self.groups.last().map(CloneGroup::place);
        self.cursor = ListCursor::behind(last, self.total, self.remaining);
    }

    fn summary(&self) -> Line {
        let line = match self.total {
            0 => Line::from("no clones"),
            total => Line::new().count(total, "group").text(" of clones"),
        };
        let line = line.text(" in ");
        let line = match self.path.as_str() {
            "" => line.name(&self.root_name),
            path => line.path(path).text(" of ").name(&self.root_name),
        };
        line.text("; ")
            .count(self.compared, "function")
            .text(" compared, ")
            .number(self.too_short)
            .text(" too short")
    }

    fn next(&self) -> Option<NextCall> {
        let cursor = self.cursor.as_deref()?;
        let limit = (self.limit != FindClones::DEFAULT_LIMIT).then_some(self.limit);
        let lines = (self.min_lines != FindClones::DEFAULT_MIN_LINES).then_some(self.min_lines);
        let path = (!self.path.is_empty()).then_some(self.path.as_str());
        let call = NextCall::new(FindClones::NAME)
            .with_some("path", path)
            .with_some("language", self.language.as_deref())
            .with_some("min_lines", lines)
            .with_some("include_tests", self.include_tests.then_some(true))
            .with_some("limit", limit)
            .with("cursor", cursor)
            .with("root", &self.root_name);
        Some(call)
    }
}

impl Answer for CloneGroups {
    fn items(&self) -> usize {
        self.groups.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.groups, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for group in &self.groups {
            text.item(group.title());
            for one in &group.functions {
                let line = Line::new()
                    .location(&one.path, one.start_line, one.end_line)
                    .text(format!("  {} ", one.kind.as_str()))
                    .name(&one.name);
                text.nested(1, line, Line::new());
            }
            let more = group.total.saturating_sub(group.functions.len() as u64);
            if more > 0 {
                text.nested(
                    1,
                    Line::from("and ").number(more).text(" more"),
                    Line::new(),
                );
            }
        }
        if let Some(call) = self.next() {
            let line = Line::new().count(self.remaining, "more group");
            text.next(line.text(": ").call(call));
        }
        text
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    fn answer(groups: u32) -> CloneGroups {
        let function = |number: u32, similarity| CloneFunction {
            name: format!("open_{number}"),
            kind: SymbolKind::Function,
            path: "src/store.rs".to_owned(),
            start_line: 20 * number + 1,
            end_line: 20 * number + 12,
            similarity,
        };
        let group = |number: u32| CloneGroup {
            language: "rust".to_owned(),
            repeated_lines: 24,
            functions: vec![function(2 * number, 1.0), function(2 * number + 1, 0.857)],
            total: 3,
        };
        let mut answer = CloneGroups {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: String::new(),
            language: None,
            min_lines: 6,
            include_tests: false,
            groups: (0..groups).map(group).collect(),
            total: u64::from(groups),
            remaining: 0,
            compared: 310,
            too_short: 150,
            truncated: false,
            cursor: None,
            limit: 20,
        };
        answer.set_cursor();
        answer
    }

    #[test]
    fn a_group_lists_its_functions() {
        insta::assert_snapshot!(answer(1).text().to_string(), @r"
        1 group of clones in engine; 310 functions compared, 150 too short
        3 functions, 24 lines repeated, at least 85% the same
          src/store.rs:1-12  function open_0
          src/store.rs:21-32  function open_1
          and 1 more
        ");
    }

    #[test]
    fn a_cut_list_goes_on_behind_its_last_group() {
        let text = render(&answer(100), Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500, "{text}");
        let last = text.lines().last().expect("a line");
        assert!(last.contains("more groups: find_clones {"), "{text}");
    }
}
