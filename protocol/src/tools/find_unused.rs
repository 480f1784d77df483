//! `find_unused`: symbols that nothing uses, and how sure that is.

use std::cmp::Ordering;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_references::ConfidenceLevel;
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::{ListCursor, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil unused                      symbols that nothing uses, and nothing outside can
  claudevil unused --group public       public symbols that nothing here uses
  claudevil unused --group tests_only   symbols that only tests use
  claudevil unused -p src/net -n 100";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FindUnused {
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "PATH",
            help = "Only symbols of a file or folder"
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
            help = "Only symbols in this language"
        )
    )]
    pub language: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(short, long, help = "Which symbols to list [default: private]")
    )]
    pub group: Option<UnusedGroup>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "LEVEL",
            help = "Only symbols that are unused with at least this certainty [default: medium]"
        )
    )]
    pub min_confidence: Option<ConfidenceLevel>,
    #[schemars(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            value_name = "1-200",
            help = "Maximum number of symbols [default: 50]"
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

words! {
    #[derive(Default)]
    UnusedGroup {
        #[default]
        Private = "private": "Nothing uses them, and nothing outside the project can",
        Public = "public": "Nothing here uses them, but others may",
        TestsOnly = "tests_only": "Only tests use them",
    }
}

words! {
    /// The reason why a symbol without uses is not listed.
    LeftOutReason {
        EntryPoint = "entry_point",
        Test = "test",
        Override = "override",
        Decorated = "decorated",
        Copy = "copy",
        Public = "public",
        TestsOnly = "tests_only",
        Private = "private",
        NotExamined = "not_examined",
    }
}

impl LeftOutReason {
    fn about(self) -> &'static str {
        match self {
            Self::EntryPoint => "entry points and names that the language calls",
            Self::Test => "in tests and examples",
            Self::Override => "may be called through what they override or implement",
            Self::Decorated => "decorated, annotated or exported to other programs",
            Self::Copy => "generated, built or third-party",
            Self::Public => "public",
            Self::TestsOnly => "used by tests only",
            Self::Private => "private",
            Self::NotExamined => "not examined, because too many uses have the name",
        }
    }
}

impl FindUnused {
    pub const DEFAULT_LIMIT: u32 = 50;
    pub const MAX_SYMBOLS: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    pub fn min_confidence(&self) -> ConfidenceLevel {
        self.min_confidence.unwrap_or(ConfidenceLevel::Medium)
    }
}

impl Tool for FindUnused {
    type Answer = UnusedSymbols;

    const INFO: ToolInfo = ToolInfo {
        name: "find_unused",
        title: "Find unused",
        description: "To find dead code, and how sure that is.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(120),
        command: CommandInfo {
            verb: "unused",
            alias: Some("find-unused"),
            about: "Find symbols that nothing uses",
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
        check_range("limit", self.limit, 1..=Self::MAX_SYMBOLS)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = self.path.as_deref().map(locate);
    }
}

with_symbol! {
    UnusedSymbol {
        /// The certainty that nothing uses it.
        confidence: Option<ConfidenceLevel>,
        reason: String,
    }
}

/// By path and line. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnusedSymbols {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// Relative to the root; empty for all of it.
    pub path: String,
    pub language: Option<String>,
    pub group: UnusedGroup,
    pub min_confidence: ConfidenceLevel,
    pub symbols: Vec<UnusedSymbol>,
    /// The number of symbols whose uses were looked for.
    pub examined: u64,
    /// Symbols after this page that may be unused: each is verified when its page is asked for.
    pub remaining: u64,
    /// Verified symbols up to the end of this page that are used after all, or less surely unused than asked for.
    pub dropped: u64,
    /// Symbols without uses that are not listed, by the reason.
    pub left_out: Vec<LeftOutCount>,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutCount {
    pub reason: LeftOutReason,
    pub symbols: u64,
}

/// The last symbol of a page. Its qualified name tells it from others on its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedCursor {
    pub path: String,
    pub line: u32,
    pub name: String,
}

impl UnusedCursor {
    pub fn after(last: &UnusedSymbol) -> Self {
        Self {
            path: last.path.clone(),
            line: last.line,
            name: last.qualified.clone(),
        }
    }

    pub fn encode(&self) -> String {
        // Names and paths may have colons.
        let Self { path, line, name } = self;
        format!("{line}:{}:{name}:{path}", name.len())
    }

    pub fn decode(text: &str) -> Option<Self> {
        let (line, rest) = text.split_once(':')?;
        let (length, rest) = rest.split_once(':')?;
        let (name, path) = rest.split_at_checked(length.parse().ok()?)?;
        Some(Self {
            path: path.strip_prefix(':')?.to_owned(),
            line: line.parse().ok()?,
            name: name.to_owned(),
        })
    }

    /// Returns the number of symbols on earlier pages, of all in order, each as its path, line and qualified name.
    pub fn count_shown<'a>(&self, all: impl Iterator<Item = (&'a str, u32, String)>) -> usize {
        let mut shown = 0;
        for (number, (path, line, name)) in (1..).zip(all) {
            match (path, line).cmp(&(&*self.path, self.line)) {
                Ordering::Less => shown = number,
                Ordering::Equal if *name == *self.name => shown = number,
                Ordering::Equal => {}
                Ordering::Greater => break,
            }
        }
        shown
    }
}

impl UnusedSymbols {
    fn summary(&self) -> Line {
        let (noun, behind) = match self.group {
            UnusedGroup::Private => ("unused symbol", ""),
            UnusedGroup::Public => ("public symbol", " that nothing here uses"),
            UnusedGroup::TestsOnly => ("symbol", " that only tests use"),
        };
        let line = match self.symbols.len() as u64 {
            0 => Line::from(format!("no {noun}s")),
            shown => Line::new().count(shown, noun),
        };
        let line = line.text(format!("{behind} in "));
        let line = match self.path.as_str() {
            "" => line.name(&self.root_name),
            path => line.path(path).text(" of ").name(&self.root_name),
        };
        line.text("; ").number(self.examined).text(" examined")
    }

    /// Returns e.g. `without uses but not listed: 31 public, 4 decorated or annotated`.
    fn left_out_line(&self) -> Option<Line> {
        let left_out = self.left_out.iter().filter(|one| one.symbols > 0);
        let parts: Vec<Line> = left_out
            .map(|one| {
                Line::new()
                    .number(one.symbols)
                    .text(format!(" {}", one.reason.about()))
            })
            .collect();
        (!parts.is_empty())
            .then(|| Line::from("without uses but not listed: ").line(Line::join(parts, "; ")))
    }

    fn next(&self) -> Option<NextCall> {
        let cursor = self.cursor.as_deref()?;
        let group = (self.group != UnusedGroup::default()).then(|| self.group.as_str());
        let level =
            (self.min_confidence != ConfidenceLevel::Medium).then(|| self.min_confidence.as_str());
        let limit = (self.limit != FindUnused::DEFAULT_LIMIT).then_some(self.limit);
        let path = (!self.path.is_empty()).then_some(self.path.as_str());
        let call = NextCall::new(FindUnused::NAME)
            .with_some("path", path)
            .with_some("language", self.language.as_deref())
            .with_some("group", group)
            .with_some("min_confidence", level)
            .with_some("limit", limit)
            .with("cursor", cursor)
            .with("root", &self.root_name);
        Some(call)
    }
}

impl Answer for UnusedSymbols {
    fn items(&self) -> usize {
        self.symbols.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.symbols, items, &mut self.remaining) {
            let last = self.symbols.last();
            self.cursor = last.map(|last| UnusedCursor::after(last).encode());
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for item in &self.symbols {
            let level = item.confidence.map_or("", ConfidenceLevel::as_str);
            let detail = format!("{level}: {}", crate::text::one_line(&item.reason));
            text.described_item(item.symbol().list_item(), Line::from(detail));
        }
        if let Some(line) = self.left_out_line() {
            text.item(line);
        }
        if let Some(call) = self.next() {
            let line = Line::from("up to ").number(self.remaining);
            text.next(line.text(" more: ").call(call));
        }
        text
    }

    fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.remaining == 0
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::SymbolInfo;
    use crate::answer::render::render;
    use crate::answer::symbol::{SymbolKind, Visibility};
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    fn answer(symbols: u32) -> UnusedSymbols {
        let symbol = |number: u32| {
            let info = SymbolInfo {
                name: format!("step_{number}"),
                qualified: format!("Engine::step_{number}"),
                kind: SymbolKind::Method,
                path: "src/engine.rs".to_owned(),
                start_line: 10 * number + 1,
                end_line: 10 * number + 8,
                line: 10 * number + 1,
                signature: format!("fn step_{number}(&self)"),
                visibility: Some(Visibility::Private),
                language: "rust".to_owned(),
                is_test: false,
            };
            UnusedSymbol {
                confidence: Some(ConfidenceLevel::High),
                reason: "nothing else has the name".to_owned(),
                ..UnusedSymbol::from_symbol(info)
            }
        };
        UnusedSymbols {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            path: String::new(),
            language: None,
            group: UnusedGroup::Private,
            min_confidence: ConfidenceLevel::Medium,
            symbols: (0..symbols).map(symbol).collect(),
            examined: 1480,
            remaining: 0,
            dropped: 0,
            left_out: vec![LeftOutCount {
                reason: LeftOutReason::Public,
                symbols: 31,
            }],
            truncated: false,
            cursor: None,
            limit: FindUnused::DEFAULT_LIMIT,
        }
    }

    #[test]
    fn a_symbol_has_its_reason_and_the_rest_is_counted() {
        insta::assert_snapshot!(answer(2).text().to_string(), @r"
        2 unused symbols in engine; 1,480 examined
        src/engine.rs:1-8  private method Engine::step_0  high: nothing else has the name
        src/engine.rs:11-18  private method Engine::step_1  high: nothing else has the name
        without uses but not listed: 31 public
        ");
    }

    #[test]
    fn a_cut_list_goes_on_behind_its_last_symbol() {
        let text = render(&answer(200), Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500, "{text}");
        let shown = text
            .lines()
            .filter(|line| line.contains(" method Engine::step_"))
            .count();
        let last = 10 * (shown - 1) + 1;
        let name = format!("Engine::step_{}", shown - 1);
        let expected = format!(
            "up to {} more: find_unused {{\"cursor\":\"{last}:{}:{name}:src/engine.rs\"",
            200 - shown,
            name.len()
        );
        assert!(text.contains(&expected), "{text}");
    }

    #[test]
    fn cursors_name_a_symbol_among_those_of_its_line() {
        let cursor = |name: &str| UnusedCursor {
            path: "src/a:b.rs".to_owned(),
            line: 12,
            name: name.to_owned(),
        };
        let named = cursor("on:click");
        assert_eq!(UnusedCursor::decode(&named.encode()), Some(named));
        for text in ["src/a.rs", "12:src/a.rs", "12:99:one:src/a.rs"] {
            assert_eq!(UnusedCursor::decode(text), None, "{text}");
        }
        let all = [
            ("src/a:b.rs", 3, "one"),
            ("src/a:b.rs", 12, "two"),
            ("src/a:b.rs", 12, "three"),
            ("src/a:b.rs", 20, "two"),
            ("src/b.rs", 1, "one"),
        ]
        .map(|(path, line, name)| (path, line, name.to_owned()));
        for (name, shown) in [("two", 2), ("three", 3), ("gone", 1)] {
            assert_eq!(
                cursor(name).count_shown(all.iter().cloned()),
                shown,
                "{name}"
            );
        }
    }
}
