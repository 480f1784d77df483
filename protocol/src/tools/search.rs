//! `search`: code by meaning, by words, or exactly.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::index_summary::SkipCount;
use crate::answer::symbol::{SymbolKind, Visibility};
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil search how are tokens counted         by words and meaning
  claudevil search parse_file -k function         a name, of one kind
  claudevil search 'retry AND NOT symbol:test'    words with operators
  claudevil search -F 'foo(' -p 'src/**' -C 2     every line with this text, and two around it
  claudevil search -E 'TODO|FIXME' -l rust        every line that matches, in one language

Operators: AND OR NOT -word +word \"a phrase\" ( ); fields: symbol: file_path: lang: kind: content:
Literal and regex find every line, in a window, in a pipe and with --json; they are printed as PATH:LINE:TEXT.
Nothing found is exit code 1.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Search {
    /// Keywords take AND OR NOT "phrase" symbol: path: lang: content:.
    #[cfg_attr(feature = "cli", arg(long))]
    pub query: String,
    /// `*` is all.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default auto.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub mode: Option<SearchMode>,
    /// Default all.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub target: Option<SearchTarget>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
    /// Glob.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// E.g. function.
    // The error lists all.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    #[cfg_attr(feature = "cli", arg(long))]
    pub kind: Option<SymbolKind>,
    /// Default 10.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub context_lines: Option<u32>,
    /// Say why.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub detailed: Option<bool>,
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

// Words about single variants stay out of schemas, which would list each with its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum SearchMode {
    // By what the query looks like.
    #[default]
    Auto,
    // By meaning alone.
    Semantic,
    // By words, with operators.
    Keyword,
    // Every line that holds the text.
    Literal,
    // Every line that matches the pattern.
    Regex,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum SearchTarget {
    #[default]
    All,
    // Programs, without prose and data.
    Code,
    // Only what defines something.
    Definitions,
    // Prose: documentation and comments that document.
    Docs,
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! { SearchMode { Auto = "auto", Semantic = "semantic", Keyword = "keyword", Literal = "literal", Regex = "regex" } }
words! { SearchTarget { All = "all", Code = "code", Definitions = "definitions", Docs = "docs" } }

impl SearchMode {
    /// Finds every line rather than the best.
    pub fn is_exhaustive(self) -> bool {
        matches!(self, Self::Literal | Self::Regex)
    }

    /// Returns, in lower case, what to highlight in results: the text itself, or the words of a query that say something.
    /// Empty for a pattern.
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

    /// Compares code with the query by meaning.
    pub fn needs_vectors(self) -> bool {
        matches!(self, Self::Auto | Self::Semantic)
    }
}

/// Words of questions that say nothing of what is looked for, and operators.
const STOP_WORDS: &[&str] = &[
    "and", "are", "can", "does", "for", "from", "how", "into", "not", "that", "the", "this", "was",
    "what", "when", "where", "which", "who", "why", "with",
];

/// A line is not cut below this many characters.
const SHORTEST_LINE: usize = 20;

impl Search {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const MOST_RESULTS: u32 = 100;
    /// Of an exhaustive search, for clients that go through all of it.
    pub const MOST_LINES: u32 = 10_000;
    pub const LONGEST_QUERY: usize = 500;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for Search {
    type Answer = SearchResults;

    const INFO: ToolInfo = ToolInfo {
        name: "search",
        title: "Search",
        description: "Code by question, name, error message or words: ranked places, an exact definition first. mode \
                      literal or regex finds every line, like grep.",
        toolset: Toolset::Explore,
        core: true,
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
        check_length("query", Some(&self.query), Self::LONGEST_QUERY)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("context_lines", self.context_lines, 0..=100)?;
        let is_exhaustive = self.mode.is_some_and(SearchMode::is_exhaustive);
        let most = if is_exhaustive {
            Self::MOST_LINES
        } else {
            Self::MOST_RESULTS
        };
        check_range("limit", self.limit, 1..=most)
    }
}

/// What was found, best first; of an exhaustive search in the order of paths and lines. May be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResults {
    /// The root's absolute path; `*` when all were asked.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub query: String,
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
    /// How many there are in all: of an exhaustive search lines, else places worth showing.
    pub total: u64,
    /// Only of an exhaustive search.
    pub coverage: Option<Coverage>,
    /// How many come before `results`.
    pub offset: u64,
    /// How many come after the last of `results`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
    /// What to try instead, when nothing or little was found.
    pub advice: Option<Line>,
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The root's name, where several were asked.
    pub root: Option<String>,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The symbol that it is, or is in, with its containers.
    pub symbol: Option<String>,
    pub kind: Option<SymbolKind>,
    pub language: Option<String>,
    /// 0 to 1, with three decimals.
    pub score: f64,
    /// The lines that matter, joined; their numbers are in `snippet_lines`.
    pub snippet: String,
    pub snippet_lines: Vec<u32>,
    /// Defines exactly what was asked for.
    pub definition: bool,
    /// Of a definition.
    pub visibility: Option<Visibility>,
    /// Of a definition.
    pub signature: Option<String>,
    /// Only in detail.
    pub why: Option<Why>,
}

/// Where exactly, and for what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    pub start_byte: u64,
    /// Exclusive.
    pub end_byte: u64,
    /// Which of the file's chunks, from 0.
    pub chunk: Option<u32>,
    pub reasons: Vec<String>,
}

/// What an exhaustive search looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Matching lines.
    pub lines: u64,
    pub matches: u64,
    /// Files with matches.
    pub files: u64,
    pub searched: u64,
    /// Files that were left out, by reason.
    pub skipped: Vec<SkipCount>,
    /// Files that could not be looked at in time.
    pub unsearched: u64,
}

/// Where a page ended: how many came before, and the last of them, to find the place again when others came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPlace {
    pub before: u64,
    pub start_line: u32,
    pub path: String,
}

impl SearchPlace {
    /// The cursor behind a hit, of which there are so many with it.
    pub fn after(last: &SearchHit, shown: u64) -> String {
        let root = last
            .root
            .as_ref()
            .map_or_else(String::new, |root| format!("{root}/"));
        let path = format!("{root}{}", last.path);
        Self {
            before: shown,
            start_line: last.start_line,
            path,
        }
        .encode()
    }

    pub fn encode(&self) -> String {
        format!("{}:{}:{}", self.before, self.start_line, self.path)
    }

    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ':');
        let before = parts.next()?.parse().ok()?;
        Some(Self {
            before,
            start_line: parts.next()?.parse().ok()?,
            path: parts.next()?.to_owned(),
        })
    }
}

impl SearchHit {
    /// Half of the lines, those around the one that has most of the words or is the match; then half of that line.
    fn shorten(&mut self, words: &[String]) -> bool {
        let lines: Vec<&str> = self.snippet.split('\n').collect();
        if let [line] = lines[..] {
            let half = line.chars().count() / 2;
            let signature = self
                .signature
                .as_ref()
                .map_or(0, |signature| signature.chars().count() / 2);
            if half < SHORTEST_LINE && signature < SHORTEST_LINE {
                return false;
            }
            self.snippet = shortened(line, half);
            self.signature = self
                .signature
                .take()
                .map(|text| shortened(&text, signature));
            return true;
        }
        let number = |at: usize| self.snippet_lines.get(at).copied();
        let worth = |at: &usize| {
            let lower = lines[*at].to_lowercase();
            let found = words
                .iter()
                .filter(|word| lower.contains(word.as_str()))
                .count();
            (
                found,
                words.is_empty() && number(*at) == Some(self.start_line),
                std::cmp::Reverse(*at),
            )
        };
        let best = (0..lines.len()).max_by_key(worth).unwrap_or(0);
        let kept = lines.len().div_ceil(2);
        let from = best.saturating_sub(kept / 2).min(lines.len() - kept);
        self.snippet = lines[from..from + kept].join("\n");
        self.snippet_lines = self
            .snippet_lines
            .iter()
            .copied()
            .skip(from)
            .take(kept)
            .collect();
        true
    }
}

/// The beginning of a line, if it is long enough to be cut.
fn shortened(text: &str, most: usize) -> String {
    match text
        .trim_end_matches('…')
        .char_indices()
        .nth(most.max(SHORTEST_LINE))
    {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl SearchResults {
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

impl Answer for SearchResults {
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
        crate::tools::search::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_their_text_form() {
        for (before, start_line, path) in [(0, 1, "a.rs"), (20, 400, "engine/a:b/ü c.rs")] {
            let place = SearchPlace {
                before,
                start_line,
                path: path.to_owned(),
            };
            assert_eq!(SearchPlace::decode(&place.encode()), Some(place));
        }
        for nonsense in ["", "10", "10:x:a.rs", "-1:1:a.rs", "3:4"] {
            assert_eq!(SearchPlace::decode(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_result_that_is_too_much_alone_is_shown_in_part() {
        let lines: Vec<String> = (1..=201)
            .map(|line| format!("line {line} of the long place"))
            .collect();
        let mut lines = lines;
        "the walrus, ".repeat(400).clone_into(&mut lines[150]);
        let hit = SearchHit {
            path: "src/a.rs".to_owned(),
            start_line: 1,
            end_line: 201,
            snippet: lines.join("\n"),
            snippet_lines: (1..=201).collect(),
            ..SearchHit::default()
        };
        let list = SearchResults {
            query: "walrus".to_owned(),
            results: vec![hit],
            total: 1,
            ..SearchResults::default()
        };
        for format in [Format::Text, Format::Json] {
            for budget in [500, 4000] {
                let shown = crate::answer::render::render(&list, format, budget);
                assert!(
                    crate::text::tokens::estimate(&shown) <= budget as usize,
                    "{shown}"
                );
                assert!(
                    shown.contains("walrus, ") && shown.contains("151"),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn queries_and_limits_have_their_ranges() {
        let asked = |query: &str, limit| Search {
            query: query.to_owned(),
            limit,
            ..Search::default()
        };
        assert!(asked("run", Some(100)).validate().is_ok());
        for wrong in [
            asked("", None),
            asked(&"x".repeat(501), None),
            asked("run", Some(101)),
            asked("run", Some(0)),
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
        let lines = |limit| Search {
            mode: Some(SearchMode::Literal),
            ..asked("run", Some(limit))
        };
        assert!(lines(10_000).validate().is_ok() && lines(10_001).validate().is_err());
        let context = Search {
            context_lines: Some(101),
            ..asked("run", None)
        };
        assert!(context.validate().is_err());
    }
}
