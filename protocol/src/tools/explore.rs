//! `explore`: for a question, the few symbols that matter, with their source and how they connect.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::{Search, SearchMode};
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::commit::{CommitSummary, add_commits};
use crate::answer::freshness::Freshness;
use crate::answer::graph::{Excerpt, Resolution, shares, with_symbol};
use crate::answer::scope::with_scope;
use crate::answer::symbol::words;
use crate::answer::{Answer, Format, one_root};
use crate::check::{check_length, check_words};
use crate::error::ToolError;
use crate::text::tokens::{DEFAULT_TOKENS, MAX_TOKENS};
use crate::text::{Line, NextCall, SourceLines, Text, truncate};

const EXAMPLES: &str = "\
Examples:
  claudevil explore how are answers cut to a budget   the code that matters, and what depends on it
  claudevil explore retry -p 'src/**' -l rust         in some files only
  claudevil explore --file issue.md                   from a bug report to the code at fault
  cargo test 2>&1 | claudevil explore -               from what failed to the code at fault";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Explore {
    #[cfg_attr(feature = "cli", arg(skip))]
    pub question: String,
    /// The question as a command line has it, which needs no quotes.
    #[serde(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "question",
            required_unless_present = "file",
            value_name = "WORDS",
            help = "A question, a task or a bug report; - reads standard input"
        )
    )]
    pub words: Vec<String>,
    /// The file that has the question.
    #[serde(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "FILE",
            conflicts_with = "question",
            help = "Read the question from this file, e.g. an issue or a stack trace"
        )
    )]
    pub file: Option<String>,
    /// Glob.
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "GLOB",
            help = "Only files that match this glob"
        )
    )]
    pub path: Option<String>,
    #[cfg_attr(feature = "cli", arg(short, long, help = "Only this language"))]
    pub language: Option<String>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 2000, in JSON 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "TOKENS",
            default_value = "10000",
            help = "Maximum number of tokens to show"
        )
    )]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

/// The budget of an answer as text whose caller gives none: a larger one shows more of the same functions, and hardly any further
/// function that answers the question.
const TEXT_TOKENS: u32 = 2_000;

impl Explore {
    fn default_tokens(&self) -> u32 {
        match self.format.unwrap_or_default() {
            Format::Text => TEXT_TOKENS,
            Format::Json => DEFAULT_TOKENS,
        }
    }
}

impl Tool for Explore {
    type Answer = Exploration;

    const INFO: ToolInfo = ToolInfo {
        name: "explore",
        title: "Explore",
        description: "First, for any question, task or bug report: the symbols that matter with source, connections, \
                      dependents, tests, what to read next.",
        toolset: Toolset::Explore,
        availability: Availability::AlwaysLoaded,
        replaces_reading: true,
        long_answers: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "explore",
            alias: None,
            about: "Answer a question with the code that matters, and what depends on it",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!(Self::default_tokens);

    fn check(&self) -> Result<(), ToolError> {
        check_length("question", Some(&self.question), Search::LONGEST_QUERY)?;
        check_words("question", &self.question)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("language", self.language.as_deref(), 50)
    }

    fn read_command_line(&mut self, _: &dyn Fn(&str) -> String) {
        self.question = std::mem::take(&mut self.words).join(" ");
    }

    fn glob_mut(&mut self) -> Option<&mut String> {
        self.path.as_mut()
    }

    fn take_text_file(&mut self) -> Option<String> {
        let is_input = self.question == "-";
        self.file
            .take()
            .or_else(|| is_input.then(|| "-".to_owned()))
    }

    fn longest_text(&self) -> Option<usize> {
        Some(Search::LONGEST_QUERY)
    }

    fn set_text(&mut self, text: String) {
        self.question = text;
    }
}

words! {
    /// The relation of one symbol to another.
    ConnectionKind {
        Calls = "calls",
        Uses = "uses",
        Implements = "implements",
    }
}

/// May be empty, with `advice`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exploration {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The title, where a report was asked.
    pub question: String,
    /// The question is a report, of which this answer has only the title.
    pub is_report: bool,
    /// The glob in force.
    pub path: Option<String>,
    pub language: Option<String>,
    /// The symbols that matter, most important first. Their sources may be given whole: what does not fit is cut by lines.
    pub symbols: Vec<ExploredSymbol>,
    /// Number of symbols worth considering.
    pub total: u64,
    /// Among `symbols`.
    pub connections: Vec<Connection>,
    /// Symbols that depend on them, without tests and without each other.
    pub dependents: Vec<ExploredDependent>,
    pub total_dependents: u64,
    /// Tests that reach them.
    pub tests: Vec<ExploredDependent>,
    pub total_tests: u64,
    /// The last commits that changed them, the newest first.
    pub commits: Vec<CommitSummary>,
    /// Places that come next.
    pub read_next: Vec<ReadNext>,
    /// Advice on what to try instead, when nothing or little was found.
    pub advice: Option<Line>,
    pub truncated: bool,
}

with_symbol! {
    ExploredSymbol {
        /// The reason for which it is shown: `named in the question`, `calls count`.
        why: String,
        /// Whole where it fits, else the lines that count.
        source: Option<Excerpt>,
    }
}

/// By qualified names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Connection {
    pub from: String,
    pub to: String,
    pub kind: ConnectionKind,
    pub resolution: Resolution,
}

with_symbol! {
    ExploredDependent {
        /// The symbol that it depends on, with its containers.
        of: String,
        resolution: Resolution,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadNext {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The symbol there, with its containers.
    pub symbol: Option<String>,
    pub why: String,
}

/// Minimum number of lines of a symbol that is cut: its signature and the beginning of its body.
const FEWEST_LINES: usize = 6;

/// Length in characters above which a question is cut.
const LONGEST_QUESTION: usize = 120;

with_scope!(Exploration);

impl Exploration {
    fn summary(&self) -> Line {
        let symbols = match self.symbols.len() as u64 {
            0 => "no symbols".into(),
            shown => Line::new().count_shown(shown, self.total.max(shown), "symbol"),
        };
        let mut line = symbols
            .text(" for \"")
            .code(&truncate(&self.question, LONGEST_QUESTION))
            .text("\"");
        if let Some(language) = &self.language {
            line = line.text(" of ").code(language);
        }
        line = line.text(" in ").line(self.scope().name());
        match &self.path {
            Some(glob) => line.text(" under ").path(glob),
            None => line,
        }
    }

    fn next(&self) -> Option<Line> {
        if !self.truncated {
            return None;
        }
        let root = self.scope().argument();
        if self.max_tokens < MAX_TOKENS && !self.is_report {
            let call = NextCall::new(Explore::NAME)
                .with("question", &self.question)
                .with_some("path", self.path.as_deref())
                .with_some("language", self.language.as_deref())
                .with_budget(MAX_TOKENS)
                .with("root", root);
            return Some(Line::from("cut to fit; more: ").call(call));
        }
        let is_cut = |symbol: &&ExploredSymbol| {
            let source = symbol.source.as_ref();
            source.is_some_and(|source| !source.is_whole)
        };
        let symbol = self.symbols.iter().find(is_cut)?;
        let call = NextCall::new("read_file")
            .with("path", &symbol.path)
            .with("start_line", symbol.start_line)
            .with("end_line", symbol.end_line)
            .with("root", root);
        Some(Line::from("cut to fit; the rest of a symbol: ").call(call))
    }

    fn sides(&self) -> [usize; 4] {
        [
            self.connections.len(),
            self.dependents.len(),
            self.tests.len(),
            self.read_next.len(),
        ]
    }
}

impl ExploredSymbol {
    /// Returns its size in items: the symbol, and each of its lines.
    fn size(&self) -> usize {
        1 + self.source.as_ref().map_or(0, |source| source.lines.len())
    }

    /// Adds the symbol with its source, or with its signature where no source is shown.
    fn write(&self, text: &mut Text, highlight: &[String]) {
        let symbol = self.symbol();
        text.described_item(symbol.list_item(), in_parentheses(&self.why));
        match &self.source {
            Some(source) if !source.lines.is_empty() => text.source(SourceLines {
                highlight: highlight.to_vec(),
                ..source.source()
            }),
            _ => {
                if let Some(signature) = symbol.signature_below() {
                    text.below(signature);
                }
            }
        }
    }
}

impl Connection {
    /// Returns e.g. `count calls estimate`.
    fn item(&self) -> Line {
        Line::from("  ")
            .name(&self.from)
            .text(format!(" {} ", self.kind.as_str()))
            .name(&self.to)
    }
}

impl ExploredDependent {
    /// Returns e.g. `src/engine.rs:12-40  Engine::run -> count`.
    fn item(&self) -> Line {
        Line::from("  ")
            .line(self.symbol().location())
            .text("  ")
            .name(&self.qualified)
            .text(" -> ")
            .name(&self.of)
    }
}

impl ReadNext {
    /// Returns e.g. `src/words.rs:1-40  split`.
    fn item(&self) -> Line {
        let line = Line::from("  ").location(&self.path, self.start_line, self.end_line);
        match &self.symbol {
            Some(symbol) => line.text("  ").name(symbol),
            None => line,
        }
    }
}

fn in_parentheses(reason: &str) -> Line {
    if reason.is_empty() {
        return Line::new();
    }
    Line::from("(").code(reason).text(")")
}

/// Returns the remark beside an uncertain relation. Empty for a certain one.
fn doubt(resolution: Resolution) -> Line {
    resolution.doubt().map(Line::from).unwrap_or_default()
}

/// Adds a title and the items below it, if there are any.
fn section(
    text: &mut Text,
    title: &str,
    items: impl ExactSizeIterator<Item = (Line, Line)>,
    total: u64,
) {
    let shown = items.len() as u64;
    if shown == 0 {
        return;
    }
    let title = Line::from(title);
    text.heading(if total > shown {
        let title = title.text(" (").number(shown);
        title.text(" of ").number(total).text(")")
    } else {
        title
    });
    for (item, detail) in items {
        text.described_item(item, detail);
    }
}

/// A symbol counts one, and so does each line of its source. At most two fifths of the items go to the other lists: each of
/// these begins, and earlier ones are filled before later ones.
impl Answer for Exploration {
    fn items(&self) -> usize {
        self.symbols.iter().map(ExploredSymbol::size).sum::<usize>()
            + self.sides().iter().sum::<usize>()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let beside = self.sides().iter().sum::<usize>().min(items * 2 / 5);
        let kept = shares(beside, &self.sides());
        let mut lines = items - kept.iter().sum::<usize>();
        let mut sizes = vec![];
        for symbol in &self.symbols {
            let size = symbol.size().min(1 + FEWEST_LINES).min(lines);
            lines -= size;
            sizes.push(size);
        }
        let words: Vec<_> = self
            .question
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        for (symbol, size) in self.symbols.iter_mut().zip(&mut sizes) {
            let more = (symbol.size() - *size).min(lines);
            lines -= more;
            *size += more;
            if let Some(source) = &mut symbol.source {
                source.keep_best(size.saturating_sub(1), &words);
            }
        }
        let shown = sizes.iter().take_while(|size| **size > 0).count();
        self.symbols.truncate(shown);
        self.connections.truncate(kept[0]);
        self.dependents.truncate(kept[1]);
        self.tests.truncate(kept[2]);
        self.read_next.truncate(kept[3]);
        let is_shown = |name: &String| self.symbols.iter().any(|symbol| symbol.qualified == *name);
        let connections = std::mem::take(&mut self.connections);
        self.connections = connections
            .into_iter()
            .filter(|one| is_shown(&one.from) && is_shown(&one.to))
            .collect();
        self.truncated = true;
    }

    fn shorten(&mut self) -> bool {
        !std::mem::take(&mut self.commits).is_empty()
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        let highlight = SearchMode::Auto.words_to_highlight(&self.question);
        for symbol in &self.symbols {
            symbol.write(&mut text, &highlight);
        }
        let connections = self.connections.iter();
        let connections = connections.map(|one| (one.item(), doubt(one.resolution)));
        section(&mut text, "how they connect", connections, 0);
        let dependent = |one: &ExploredDependent| (one.item(), doubt(one.resolution));
        section(
            &mut text,
            "what depends on them",
            self.dependents.iter().map(dependent),
            self.total_dependents,
        );
        section(
            &mut text,
            "tests that reach them",
            self.tests.iter().map(dependent),
            self.total_tests,
        );
        add_commits(&mut text, &self.commits);
        let read_next = self.read_next.iter();
        let read_next = read_next.map(|one| (one.item(), in_parentheses(&one.why)));
        section(&mut text, "read next", read_next, 0);
        if let Some(advice) = &self.advice {
            text.note(advice.clone());
        }
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens;

    fn explored(qualified: &str, lines: u32) -> ExploredSymbol {
        let text: Vec<_> = (0..lines)
            .map(|line| format!("    let value_{line} = tokens.count();"))
            .collect();
        ExploredSymbol {
            why: "2 of 2 words".to_owned(),
            source: Some(Excerpt::whole(10, text.iter().map(String::as_str))),
            ..ExploredSymbol::from_symbol(symbol(
                qualified,
                SymbolKind::Function,
                "src/count.rs",
                (10, 9 + lines),
            ))
        }
    }

    fn found(symbols: Vec<ExploredSymbol>) -> Exploration {
        let dependent = |of: &str, symbol| ExploredDependent {
            of: of.to_owned(),
            resolution: Resolution::Resolved,
            ..ExploredDependent::from_symbol(symbol)
        };
        Exploration {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            question: "how are tokens counted".to_owned(),
            total: symbols.len() as u64,
            symbols,
            connections: vec![Connection {
                from: "count".to_owned(),
                to: "estimate".to_owned(),
                kind: ConnectionKind::Calls,
                resolution: Resolution::Ambiguous,
            }],
            dependents: vec![dependent("count", run())],
            total_dependents: 7,
            tests: vec![dependent(
                "count",
                symbol("counts", SymbolKind::Function, "tests/count.rs", (3, 9)),
            )],
            total_tests: 1,
            commits: vec![],
            read_next: vec![ReadNext {
                path: "src/words.rs".to_owned(),
                start_line: 1,
                end_line: 40,
                symbol: Some("split".to_owned()),
                why: "called by count".to_owned(),
            }],
            ..Exploration::default()
        }
    }

    #[test]
    fn symbols_have_their_source_and_what_is_around_them() {
        insta::assert_snapshot!(found(vec![explored("count", 3), explored("estimate", 2)]).text().to_string(), @r#"
        2 symbols for "how are tokens counted" in engine
        src/count.rs:10-12  public function count  (2 of 2 words)
        ```
        10	    let value_0 = tokens.count();
        11	    let value_1 = tokens.count();
        12	    let value_2 = tokens.count();
        ```
        src/count.rs:10-11  public function estimate  (2 of 2 words)
        ```
        10	    let value_0 = tokens.count();
        11	    let value_1 = tokens.count();
        ```
        how they connect
          count calls estimate  ambiguous
        what depends on them (1 of 7)
          src/engine.rs:12-40  Engine::run -> count
        tests that reach them
          tests/count.rs:3-9  counts -> count
        read next
          src/words.rs:1-40  split  (called by count)
        "#);
    }

    #[test]
    fn long_sources_give_way_before_what_is_around_them() {
        let many = found(vec![
            explored("count", 300),
            explored("estimate", 300),
            explored("split", 300),
        ]);
        for budget in [500, 1000, 4000] {
            let text = render(&many, Format::Text, budget);
            assert!(tokens::estimate(&text) <= budget as usize, "{text}");
            assert!(tokens::estimate(&render(&many, Format::Json, budget)) <= budget as usize);
            for needed in [
                "function count",
                "function split",
                "count calls estimate",
                "tests/count.rs",
                "more: explore {",
            ] {
                assert!(text.contains(needed), "{needed}: {text}");
            }
        }
        let widest = Exploration {
            max_tokens: MAX_TOKENS,
            ..many
        };
        let text = render(&widest, Format::Text, 4000);
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"cut to fit; the rest of a symbol: read_file {"path":"src/count.rs","start_line":10,"end_line":309,"root":"engine"}"#);
    }

    #[test]
    fn nothing_found_says_what_to_try() {
        let advice = Some("ask in other words, or search mode literal".into());
        let none = Exploration {
            question: "x".to_owned(),
            language: Some("rust".to_owned()),
            path: Some("src/**".to_owned()),
            root_name: "engine".to_owned(),
            advice,
            ..Exploration::default()
        };
        insta::assert_snapshot!(none.text().to_string(), @r#"
        no symbols for "x" of rust in engine under src/**
        ask in other words, or search mode literal
        "#);
    }
}
