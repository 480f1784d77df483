//! `search`: code by meaning, by words, or exactly.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::ListCursor;
use crate::answer::hits::{SearchHit, write_ranked};
use crate::answer::index_summary::SkipCount;
use crate::answer::scope::with_scope;
use crate::answer::symbol::{SymbolKind, words};
use crate::answer::{Answer, Format, cut, one_root};
use crate::check::{check_length, check_range, check_words};
use crate::error::ToolError;
use crate::text::quantity::{elapsed, noun_for};
use crate::text::{GAP, Line, NextCall, Text, fence, one_line, truncate};

const EXAMPLES: &str = "\
Examples:
  claudevil search how are tokens counted         by words and meaning
  claudevil search parse_file -k function         a name, of one kind
  claudevil search 'retry AND NOT symbol:test'    words with operators
  claudevil search -F 'foo(' -p 'src/**' -C 2     every line with this text, and two around it
  claudevil search -E 'TODO|FIXME' -t rust        every line that matches, in one language
  claudevil search -iw token -g '!tests/**'       a word in any case, outside a folder
  claudevil search -l -F 'unsafe {'               only the files

Operators: AND OR NOT -word +word \"a phrase\" ( ); fields: symbol: file_path: lang: kind: content:
Literal and regex find every line, in a window, in a pipe and with --json. -i, -w, -l, -c, -A and -B look for a pattern, as
ripgrep does, unless -F is given. In a pipe every match is a row PATH:LINE:COLUMN:TEXT, as of rg --vimgrep, with paths from
the working directory, and a ranked result is the row of its best line; --blocks prints what a window has.
Nothing found is exit code 1.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(arg = super::all_roots_option()))]
pub struct Search {
    /// Keywords take AND OR NOT "phrase" symbol: path: lang: content:.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub query: String,
    /// The query as a command line has it, which needs no quotes.
    #[serde(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "query",
            required = true,
            value_name = "QUERY",
            help = "What to look for: a question, a name, words with operators, a text or a pattern; - reads standard input"
        )
    )]
    pub words: Vec<String>,
    /// `*` is all.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "DIR|NAME",
            conflicts_with = "all_roots",
            default_value_if("all_roots", "true", "*"),
            help = super::ROOT_HELP
        )
    )]
    pub root: Option<String>,
    /// Default auto.
    #[cfg_attr(
        feature = "cli",
        arg(short, long, default_value = "auto", help = "Search mode")
    )]
    pub mode: Option<SearchMode>,
    /// Default all.
    #[cfg_attr(
        feature = "cli",
        arg(long, default_value = "all", help = "Kinds of content to search")
    )]
    pub target: Option<SearchTarget>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub language: Option<String>,
    /// The languages as a command line has them. Several are several searches.
    #[serde(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "language",
            short = 't',
            long = "language",
            visible_alias = "type",
            value_name = "LANGUAGE",
            help = "Only this language; may be repeated"
        )
    )]
    pub languages: Vec<String>,
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
    // The error lists all.
    #[schemars(with = "Option<String>")]
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            hide_possible_values = true,
            help = "Only this kind of symbol, e.g. function, struct, trait"
        )
    )]
    pub kind: Option<SymbolKind>,
    /// Default 10.
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            help = "Maximum number of results [default: 10, of literal and regex every line]; up to 100, of literal and \
                    regex 10000"
        )
    )]
    pub limit: Option<u32>,
    #[schemars(range(min = 0, max = 100))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'C',
            long = "context",
            value_name = "LINES",
            help = "Lines to show around each match [default: those that matter]"
        )
    )]
    pub context_lines: Option<u32>,
    /// Say why.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            action = clap::ArgAction::SetTrue,
            help = "Also say where exactly and why each result matched"
        )
    )]
    pub detailed: Option<bool>,
    #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

words! {
    // Variants have no doc comments: schemas would list each variant with its own.
    #[derive(Default)]
    SearchMode {
        #[default]
        Auto = "auto": "By what the query looks like",
        Semantic = "semantic": "By meaning alone",
        Keyword = "keyword": "By words, with operators",
        Literal = "literal": "Every line that holds the text",
        Regex = "regex": "Every line that matches the pattern",
    }
}

words! {
    #[derive(Default)]
    SearchTarget {
        #[default]
        All = "all",
        Code = "code": "Programs, without prose and data",
        Definitions = "definitions": "Only what defines something",
        // Prose: documentation and comments that document.
        Docs = "docs": "Documentation",
    }
}

impl SearchMode {
    /// Returns whether the mode finds every matching line rather than the best results.
    pub fn is_exhaustive(self) -> bool {
        matches!(self, Self::Literal | Self::Regex)
    }

    /// Returns, in lower case, what to highlight in results: the text itself, or the significant words of a query. Empty for a
    /// pattern.
    pub fn words_to_highlight(self, query: &str) -> Vec<String> {
        let says_something =
            |word: &String| word.chars().count() >= 3 && !STOP_WORDS.contains(&word.as_str());
        match self {
            Self::Regex => vec![],
            Self::Literal => vec![query.to_ascii_lowercase()],
            Self::Auto | Self::Semantic | Self::Keyword => query
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .map(str::to_ascii_lowercase)
                .filter(says_something)
                .collect(),
        }
    }

    /// Returns whether the mode compares code with the query by meaning.
    pub fn needs_vectors(self) -> bool {
        matches!(self, Self::Auto | Self::Semantic)
    }
}

/// Words of questions that tell nothing about the subject, and operators.
const STOP_WORDS: &[&str] = &[
    "and", "are", "can", "does", "for", "from", "how", "into", "not", "that", "the", "this", "was",
    "what", "when", "where", "which", "who", "why", "with",
];

impl Search {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const MAX_RESULTS: u32 = 100;
    /// The largest page of an exhaustive search, for clients that go through all of it.
    pub const MAX_LINES: u32 = 10_000;
    /// The longest query: a whole bug report with its stack traces.
    pub const LONGEST_QUERY: usize = 32_000;
    /// The longest query with operators, text or pattern.
    pub const LONGEST_PATTERN: usize = 500;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for Search {
    type Answer = SearchResults;

    const INFO: ToolInfo = ToolInfo {
        name: "search",
        title: "Search",
        description: "To find code by question, name, error message, bug report or words, an exact definition first. mode \
                      literal or regex finds every line, like grep.",
        toolset: Toolset::Explore,
        availability: Availability::AlwaysLoaded,
        replaces_reading: true,
        long_answers: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "search",
            alias: None,
            about: "Find code by meaning, by words, or every line with a text",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        let longest = match self.mode.unwrap_or_default() {
            SearchMode::Auto | SearchMode::Semantic => Self::LONGEST_QUERY,
            SearchMode::Keyword | SearchMode::Literal | SearchMode::Regex => Self::LONGEST_PATTERN,
        };
        check_length("query", Some(&self.query), longest)?;
        let is_exhaustive = self.mode.is_some_and(SearchMode::is_exhaustive);
        if !is_exhaustive {
            check_words("query", &self.query)?;
        }
        check_length("language", self.language.as_deref(), 50)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("context_lines", self.context_lines, 0..=100)?;
        let most = if is_exhaustive {
            Self::MAX_LINES
        } else {
            Self::MAX_RESULTS
        };
        check_range("limit", self.limit, 1..=most)
    }

    fn read_command_line(&mut self, _: &dyn Fn(&str) -> String) {
        self.query = std::mem::take(&mut self.words).join(" ");
        self.languages.dedup();
        if let [one] = self.languages.as_slice() {
            self.language = Some(one.clone());
        }
    }

    fn take_text_file(&mut self) -> Option<String> {
        let is_exhaustive = self.mode.is_some_and(SearchMode::is_exhaustive);
        (self.query == "-" && !is_exhaustive).then(|| "-".to_owned())
    }

    fn longest_text(&self) -> Option<usize> {
        Some(Self::LONGEST_QUERY)
    }

    fn set_text(&mut self, text: String) {
        self.query = text;
    }

    fn glob_mut(&mut self) -> Option<&mut String> {
        self.path.as_mut()
    }
}

/// Results, best first; of an exhaustive search in the order of paths and lines. May be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResults {
    /// The root's absolute path; `*` when all were asked.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The title, where a report was asked.
    pub query: String,
    /// The id of the report, where the query is one: its cursors have it, so that they need no more than the title.
    pub report: Option<String>,
    /// The mode that answered: `auto` for words and meaning together.
    pub mode: SearchMode,
    pub target: SearchTarget,
    pub language: Option<String>,
    /// The glob in force.
    pub path: Option<String>,
    pub kind: Option<SymbolKind>,
    pub context_lines: Option<u32>,
    pub detailed: bool,
    pub results: Vec<SearchHit>,
    /// Number of results in all: of an exhaustive search lines, else places worth showing.
    pub total: u64,
    /// Only of an exhaustive search.
    pub coverage: Option<Coverage>,
    /// Number of results before `results`.
    pub offset: u64,
    /// Number of results after the last of `results`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
    /// Advice on what to try instead, when nothing or little was found.
    pub advice: Option<Line>,
    pub elapsed_ms: f64,
}

/// The files that an exhaustive search looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Matching lines.
    pub lines: u64,
    pub matches: u64,
    /// Files with matches.
    pub files: u64,
    pub searched: u64,
    /// Files that were left out, by reason.
    pub skipped: Vec<SkipCount>,
    /// Files that could not be searched in time.
    pub unsearched: u64,
}

/// A longer query is shown by its beginning.
const LONGEST_SHOWN_QUERY: usize = 120;

with_scope!(SearchResults);

impl SearchResults {
    /// Sets the cursor after the last result.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let shown = self.offset + self.results.len() as u64;
        self.cursor = self
            .results
            .last()
            .filter(|_| self.remaining > 0)
            .map(|last| ListCursor::after(last, shown))
            .map(|cursor| match &self.report {
                Some(id) => ListCursor::with_report(&cursor, id),
                None => cursor,
            });
    }

    fn summary(&self) -> Line {
        let mut line = if self.mode.is_exhaustive() {
            self.count_lines()
        } else {
            self.count_results()
        };
        if let Some(glob) = &self.path {
            line = line.text(" under ").path(glob);
        }
        line.text(format!(" ({})", self.manner())).page(
            self.offset,
            self.results.len() as u64,
            self.remaining,
        )
    }

    /// Returns e.g. `3 results for "how are tokens counted" of rust in engine`.
    fn count_results(&self) -> Line {
        let noun = self.kind.map_or("result", SymbolKind::as_str);
        let line = match self.total {
            0 => format!("no {}", noun_for(0, noun)).into(),
            total => Line::new().count(total, noun),
        };
        let mut line = line
            .text(" for \"")
            .code(&truncate(&self.query, LONGEST_SHOWN_QUERY))
            .text("\"");
        if let Some(language) = &self.language {
            line = line.text(" of ").code(language);
        }
        line.text(" in ").line(self.scope().name())
    }

    /// Returns e.g. ``9 lines with `foo(` in 5 rust files of engine``.
    fn count_lines(&self) -> Line {
        let line = match self.total {
            0 => "no lines".into(),
            total => Line::new().count(total, "line"),
        };
        let how = if self.mode == SearchMode::Regex {
            " matching `"
        } else {
            " with `"
        };
        let query = truncate(&self.query, LONGEST_SHOWN_QUERY);
        let mut line = line.text(how).code(&query).text("` in ");
        let files = self.coverage.as_ref().map_or(0, |coverage| coverage.files);
        if files > 0 {
            line = line.number(files).text(" ");
        }
        if let Some(language) = &self.language {
            line = line.code(language).text(" ");
        }
        if files > 0 || self.language.is_some() {
            line = line.text(format!("{} of ", noun_for(files, "file")));
        }
        line.line(self.scope().name())
    }

    /// Returns e.g. `auto, definitions, 3 ms`.
    fn manner(&self) -> String {
        let mut parts = vec![self.mode.as_str().to_owned()];
        if self.target != SearchTarget::All {
            parts.push(self.target.as_str().to_owned());
        }
        if let Some(kind) = self.kind.filter(|_| self.mode.is_exhaustive()) {
            parts.push(format!("kind {}", kind.as_str()));
        }
        parts.push(elapsed(self.elapsed_ms));
        parts.join(", ")
    }

    /// Adds matching lines by file.
    fn write_lines(&self, text: &mut Text) {
        let is_same_file =
            |one: &SearchHit, other: &SearchHit| one.path == other.path && one.root == other.root;
        for hits in self.results.chunk_by(is_same_file) {
            text.item(hits[0].root_prefix().path(&hits[0].path));
            let lines = matching_lines(hits);
            let fence = fence(lines.iter().map(String::as_str));
            text.verbatim(format!("{fence}\n{}\n{fence}", lines.join("\n")));
        }
    }

    fn next(&self) -> Option<Line> {
        if self.remaining == 0 {
            return None;
        }
        let mode = (self.mode != SearchMode::Auto).then(|| self.mode.as_str());
        let target = (self.target != SearchTarget::All).then(|| self.target.as_str());
        let limit = (self.limit != Search::DEFAULT_LIMIT).then_some(self.limit);
        let call = NextCall::new(Search::NAME)
            .with("query", &self.query)
            .with_some("mode", mode)
            .with_some("target", target)
            .with_some("kind", self.kind.map(SymbolKind::as_str))
            .with_some("language", self.language.as_deref())
            .with_some("path", self.path.as_deref())
            .with_some("limit", limit)
            .with_some("context_lines", self.context_lines)
            .with_some("detailed", self.detailed.then_some(true))
            .with_budget(self.max_tokens)
            .with("root", self.scope().argument())
            .with_some("cursor", self.cursor.as_deref());
        let line = Line::new().number(self.remaining);
        Some(line.text(" more: ").call(call))
    }
}

impl Coverage {
    /// Returns a line each for files that were left out, and for those that were not reached in time.
    fn gaps(&self) -> Vec<Line> {
        let mut lines = Vec::from_iter(SkipCount::not_searched(&self.skipped));
        if self.unsearched > 0 {
            let line = Line::from("incomplete: ").count(self.unsearched, "file");
            lines.push(
                line.text(" could not be searched in time; narrow the search with ")
                    .parameter("path")
                    .text(" or ")
                    .parameter("language"),
            );
        }
        lines
    }
}

/// Returns the lines of one file as grep shows them, with the symbol around a match where that changes.
fn matching_lines(hits: &[SearchHit]) -> Vec<String> {
    // A context line of one match may be a context line of the next, or match itself.
    let mut texts = BTreeMap::new();
    let mut symbols = BTreeMap::new();
    for hit in hits {
        texts.extend(hit.numbered());
        symbols.extend((hit.start_line..=hit.end_line).map(|line| (line, hit.symbol.as_deref())));
    }
    let has_context = texts.len() > symbols.len();
    let mut lines = vec![];
    let (mut before, mut around) = (None, None);
    for (number, text) in texts {
        // Without context, the line numbers show the gaps as well.
        if has_context && before.is_some_and(|before: u32| before.saturating_add(1) != number) {
            lines.push(GAP.to_owned());
        }
        before = Some(number);
        match symbols.get(&number) {
            Some(&Some(symbol)) if around != Some(symbol) => {
                around = Some(symbol);
                lines.push(format!("{number}: {text}  [in {}]", one_line(symbol)));
            }
            Some(symbol) => {
                around = *symbol;
                lines.push(format!("{number}: {text}"));
            }
            None => lines.push(format!("{number}- {text}")),
        }
    }
    lines
}

impl Answer for SearchResults {
    fn items(&self) -> usize {
        self.results.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.results, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn shorten(&mut self) -> bool {
        let words: Vec<String> = match self.mode {
            SearchMode::Literal | SearchMode::Regex => vec![],
            _ => self
                .query
                .split_whitespace()
                .map(str::to_lowercase)
                .collect(),
        };
        let shortened = self
            .results
            .iter_mut()
            .map(|hit| hit.shorten(&words))
            .filter(|is_shorter| *is_shorter);
        shortened.count() > 0
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        if self.mode.is_exhaustive() {
            self.write_lines(&mut text);
        } else {
            let highlight = self.mode.words_to_highlight(&self.query);
            write_ranked(&mut text, &self.results, &highlight);
        }
        text.warnings(self.coverage.iter().flat_map(Coverage::gaps));
        if let Some(advice) = &self.advice {
            text.note(advice.clone());
        }
        text.next(self.next());
        text
    }

    one_root!();
}
