//! `analyze_complexity`: how much code there is, and where it branches most.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::symbol::SymbolKind;
use crate::answer::{Answer, Format, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Rating, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil complexity               this project and its hot spots
  claudevil complexity src -n 50     the fifty worst of a folder
  claudevil complexity src/main.rs   each function of a file";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct AnalyzeComplexity {
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// File or folder. Default: all.
    #[cfg_attr(
        feature = "cli",
        arg(help = "File or folder [default: the whole project]")
    )]
    pub path: Option<String>,
    /// Default 20.
    #[schemars(range(min = 1, max = 200))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            help = "Maximum number of functions to show, up to 200 [default: 20]"
        )
    )]
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
        description: "To find what is large or tangled: lines, symbols, calls, complexity.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "complexity",
            alias: Some("analyze-complexity"),
            about: "Count lines, symbols and branches, and show the most complex functions",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_range("limit", self.limit, 1..=Self::HIGHEST_LIMIT)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = self.path.as_deref().map(locate);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Complexity {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The file or folder that was measured, relative to the root; empty for all of it.
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
    /// The number of functions after the last of `functions`.
    pub remaining: u64,
    pub truncated: bool,
    /// The limit in force.
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Root,
    Folder,
    File,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineCounts {
    pub total: u64,
    /// `code` and `comment` together.
    pub non_empty: u64,
    /// Lines with any code; a comment after it does not count.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindCount {
    pub kind: SymbolKind,
    pub count: u64,
}

/// The cyclomatic complexity of some functions: one for each, and one for each place where it branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cyclomatic {
    pub functions: u64,
    pub total: u64,
    /// With two decimals; zero without functions.
    pub mean: f64,
    pub max: u32,
}

impl Cyclomatic {
    pub fn from_functions(functions: impl IntoIterator<Item = u32>) -> Self {
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageComplexity {
    pub language: String,
    pub files: u64,
    pub lines: LineCounts,
    pub calls: u64,
    pub cyclomatic: Cyclomatic,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl Complexity {
    fn summary(&self) -> Line {
        let line = Line::from("complexity of ");
        match self.scope {
            Scope::Root => line.name(&self.root_name),
            Scope::Folder | Scope::File => line.path(&self.path).text(" in ").name(&self.root_name),
        }
    }

    /// Returns e.g. `lines: 2,400 in 2 files: 1,900 code, 220 comment, 280 blank; 2,120 not empty`.
    fn line_counts(&self) -> Line {
        let lines = self.lines;
        let line = Line::from("lines: ").number(lines.total);
        let line = match self.scope {
            Scope::File => line,
            Scope::Root | Scope::Folder => line.text(" in ").count(self.files, "file"),
        };
        line.text(": ")
            .number(lines.code)
            .text(" code, ")
            .number(lines.comment)
            .text(" comment, ")
            .number(lines.blank)
            .text(" blank; ")
            .number(lines.non_empty)
            .text(" not empty")
    }

    /// Returns the call for more functions: with the largest limit and budget or, if these are in force, for the file with the
    /// most complex function.
    fn next(&self) -> Option<NextCall> {
        let is_widest =
            self.limit == AnalyzeComplexity::HIGHEST_LIMIT && self.max_tokens == MAX_TOKENS;
        let path = self
            .functions
            .first()
            .filter(|_| is_widest)
            .map_or(&self.path, |function| &function.path);
        if self.remaining == 0 || (is_widest && *path == self.path) {
            return None;
        }
        let call = NextCall::new(AnalyzeComplexity::NAME)
            .with_some("path", (!path.is_empty()).then_some(path))
            .with("root", &self.root_name)
            .with("limit", AnalyzeComplexity::HIGHEST_LIMIT)
            .with_budget(MAX_TOKENS);
        Some(call)
    }
}

impl Cyclomatic {
    /// Returns e.g. `610 in 160 functions, mean 3.81, highest 41`.
    fn line(&self) -> Line {
        if self.functions == 0 {
            return "no functions".into();
        }
        Line::new()
            .number(self.total)
            .text(" in ")
            .count(self.functions, "function")
            .text(format!(", mean {:.2}, highest {}", self.mean, self.max))
    }
}

impl LanguageComplexity {
    fn line(&self) -> Line {
        Line::new()
            .name(&self.language)
            .text(": ")
            .count(self.files, "file")
            .text(", ")
            .number(self.lines.code)
            .text(" code, cyclomatic ")
            .line(self.cyclomatic.line())
    }
}

impl FunctionComplexity {
    /// The cyclomatic complexity from which a function counts as hard to test.
    const HIGH: u32 = 15;

    fn item(&self) -> Line {
        let complexity = self.cyclomatic.to_string();
        let line = if self.cyclomatic < Self::HIGH {
            complexity.into()
        } else {
            Line::new().rated(complexity, Rating::Warning)
        };
        line.text("  ")
            .location(&self.path, self.start_line, self.end_line)
            .text(format!("  {} ", self.kind.as_str()))
            .name(&self.name)
    }
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
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        text.item(self.line_counts());
        if !self.symbols.is_empty() {
            let symbols = self
                .symbols
                .iter()
                .map(|one| Line::new().count(one.count, one.kind.as_str()));
            text.item(Line::from("symbols: ").line(Line::join(symbols, ", ")));
        }
        text.item(Line::from("calls: ").number(self.calls));
        text.item(Line::from("cyclomatic: ").line(self.cyclomatic.line()));
        if self.languages.len() > 1 {
            for language in &self.languages {
                text.item(language.line());
            }
        }
        if !self.functions.is_empty() {
            text.heading(match self.scope {
                Scope::File => "functions:",
                Scope::Root | Scope::Folder => "hot spots:",
            });
        }
        for function in &self.functions {
            let calls = Line::new().count(u64::from(function.calls), "call");
            text.described_item(function.item(), calls);
        }
        if let Some(call) = self.next() {
            let line = Line::new().count(self.remaining, "more function");
            text.next(line.text(": ").call(call));
        }
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    #[test]
    fn sums_follow_from_their_parts() {
        let sum = Cyclomatic::from_functions([1, 1, 5]);
        assert_eq!((sum.functions, sum.total, sum.max), (3, 7, 5));
        assert!((sum.mean - 2.33).abs() < 1e-9);
        assert_eq!(Cyclomatic::from_functions([]), Cyclomatic::default());
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

    fn answer(functions: u32) -> Complexity {
        let function = |index: u32| FunctionComplexity {
            name: format!("Engine::step_{index}"),
            kind: SymbolKind::Method,
            path: "src/engine.rs".to_owned(),
            start_line: 10 * index,
            end_line: 10 * index + 8,
            cyclomatic: functions - index,
            calls: 3,
        };
        let cyclomatic = Cyclomatic::from_functions((0..functions).map(|index| functions - index));
        let language = |language: &str, code| LanguageComplexity {
            language: language.to_owned(),
            files: 1,
            lines: LineCounts::new(code, 10, 5),
            calls: 3,
            cyclomatic,
        };
        Complexity {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: "src".to_owned(),
            scope: Scope::Folder,
            files: 2,
            lines: LineCounts::new(1900, 220, 280),
            symbols: vec![
                KindCount {
                    kind: SymbolKind::Method,
                    count: 40,
                },
                KindCount {
                    kind: SymbolKind::Class,
                    count: 2,
                },
            ],
            calls: 3210,
            cyclomatic,
            languages: vec![language("rust", 1800), language("c", 100)],
            functions: (0..functions).map(function).collect(),
            remaining: 0,
            truncated: false,
            limit: 20,
        }
    }

    #[test]
    fn a_folder_has_sums_and_hot_spots() {
        insta::assert_snapshot!(answer(2).text().to_string(), @r"
        complexity of src in engine
        lines: 2,400 in 2 files: 1,900 code, 220 comment, 280 blank; 2,120 not empty
        symbols: 40 methods, 2 classes
        calls: 3,210
        cyclomatic: 3 in 2 functions, mean 1.50, highest 2
        rust: 1 file, 1,800 code, cyclomatic 3 in 2 functions, mean 1.50, highest 2
        c: 1 file, 100 code, cyclomatic 3 in 2 functions, mean 1.50, highest 2
        hot spots:
        2  src/engine.rs:0-8  method Engine::step_0  3 calls
        1  src/engine.rs:10-18  method Engine::step_1  3 calls
        ");
    }

    #[test]
    fn the_most_complex_survive_the_cut() {
        let text = render(&answer(100), Format::Text, 500);
        assert!(
            tokens::estimate(&text) <= 500 && text.contains("\n100  src/engine.rs:0-8  "),
            "{text}"
        );
        let shown = text
            .lines()
            .filter(|line| line.contains("Engine::step_"))
            .count();
        let more = format!("{} more functions: analyze_complexity ", 100 - shown);
        assert!(
            text.lines()
                .last()
                .is_some_and(|last| last.starts_with(&more)),
            "{text}"
        );
    }

    #[test]
    fn a_file_without_functions_has_its_lines() {
        let mut file = answer(0);
        (file.scope, file.path) = (Scope::File, "notes.md".to_owned());
        (file.languages, file.symbols) = (vec![], vec![]);
        insta::assert_snapshot!(file.text().to_string(), @r"
        complexity of notes.md in engine
        lines: 2,400: 1,900 code, 220 comment, 280 blank; 2,120 not empty
        calls: 3,210
        cyclomatic: no functions
        ");
    }
}
