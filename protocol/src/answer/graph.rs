//! Types that the tools about the graph share: the query for a symbol, its description, and the certainty of a
//! relation.

pub mod text;

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::{SymbolKind, Visibility, words};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Line;

/// Number of lines at the beginning of an excerpt that are always shown.
const HEAD_LINES: usize = 2;

words! {
    /// The certainty that something leads to a symbol.
    #[derive(Default)]
    Resolution {
        // One target, by scope, import or type.
        Resolved = "resolved",
        // The only member in the root with this name, a name of several words, on a receiver of unknown type.
        Likely = "likely",
        // Several candidates, all counted.
        Ambiguous = "ambiguous",
        // Only the name matches; nothing else is known.
        #[default]
        NameOnly = "name_only",
    }
}

impl Resolution {
    /// Returns the word for a relation that is not certain: `ambiguous`. None for a resolved one.
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Resolved => None,
            Self::Likely => Some("likely"),
            Self::Ambiguous => Some("ambiguous"),
            Self::NameOnly => Some("name only"),
        }
    }
}

words! {
    /// The role of a symbol in a use of it.
    UseRole {
        Call = "call",
        Type = "type",
        Import = "import",
        Read = "read",
        Write = "write",
        // In a comment, a string or prose.
        Mention = "mention",
    }
}

/// A symbol and where it is: what every answer about symbols shows of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolInfo {
    pub name: String,
    /// With its containers, as the language writes it.
    pub qualified: String,
    pub kind: SymbolKind,
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The line of its name.
    pub line: u32,
    pub signature: String,
    /// None where the language does not say.
    pub visibility: Option<Visibility>,
    pub language: String,
    /// Is a test, or lies among tests.
    pub is_test: bool,
}

/// Defines a list item whose JSON has the fields of a [`SymbolInfo`] before its own. They are written out because bincode
/// cannot follow serde's `flatten`.
macro_rules! with_symbol {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            pub name: String,
            pub qualified: String,
            pub kind: $crate::answer::symbol::SymbolKind,
            pub path: String,
            pub start_line: u32,
            pub end_line: u32,
            pub line: u32,
            pub signature: String,
            pub visibility: Option<$crate::answer::symbol::Visibility>,
            pub language: String,
            pub is_test: bool,
            $($(#[$field_about])* pub $field: $kind,)*
        }

        impl $name {
            /// Makes an item from a symbol, with defaults for the item's own fields.
            pub fn from_symbol(symbol: $crate::answer::graph::SymbolInfo) -> Self {
                Self {
                    name: symbol.name,
                    qualified: symbol.qualified,
                    kind: symbol.kind,
                    path: symbol.path,
                    start_line: symbol.start_line,
                    end_line: symbol.end_line,
                    line: symbol.line,
                    signature: symbol.signature,
                    visibility: symbol.visibility,
                    language: symbol.language,
                    is_test: symbol.is_test,
                    $($field: <$kind>::default(),)*
                }
            }

            pub fn symbol(&self) -> $crate::answer::graph::SymbolInfo {
                $crate::answer::graph::SymbolInfo {
                    name: self.name.clone(),
                    qualified: self.qualified.clone(),
                    kind: self.kind,
                    path: self.path.clone(),
                    start_line: self.start_line,
                    end_line: self.end_line,
                    line: self.line,
                    signature: self.signature.clone(),
                    visibility: self.visibility,
                    language: self.language.clone(),
                    is_test: self.is_test,
                }
            }
        }
    };
}
pub(crate) use with_symbol;

/// Defines the parameters of a tool that takes a symbol: those that name the symbol, the tool's own, and the common ones.
macro_rules! symbol_params {
    ($(#[$extra:meta])* $name:ident { $($fields:tt)* }) => {
        $crate::answer::graph::symbol_params! { $(#[$extra])* $name, "Default 4000.", { $($fields)* } }
    };
    (
        $(#[$extra:meta])* $name:ident, $budget:literal,
        { $($(#[$about:meta])* $field:ident: $kind:ty,)* }
    ) => {
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[serde(deny_unknown_fields, default)]
        $(#[$extra])*
        pub struct $name {
            #[cfg_attr(feature = "cli", arg(
                value_name = "SYMBOL|FILE:LINE",
                required = true,
                help = "Name, plain or qualified, or a line of a file"
            ))]
            pub symbol: Option<String>,
            #[cfg_attr(feature = "cli", arg(skip))]
            pub path: Option<String>,
            #[cfg_attr(feature = "cli", arg(skip))]
            pub line: Option<u32>,
            #[cfg_attr(feature = "cli", arg(
                short = 'f', long, value_name = "FILE",
                help = "File that chooses between symbols with the same name"
            ))]
            pub context_file: Option<String>,
            $($(#[$about])* pub $field: Option<$kind>,)*
            #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = $crate::check::ROOT_HELP))]
            pub root: Option<String>,
            #[doc = $budget]
            #[schemars(range(max = 10000))]
            #[cfg_attr(feature = "cli", arg(skip))]
            pub max_tokens: Option<u32>,
            #[cfg_attr(feature = "cli", arg(skip))]
            pub format: Option<$crate::answer::Format>,
        }

        impl $name {
            /// Returns the query for the symbol.
            pub fn symbol_query(&self) -> $crate::answer::graph::SymbolQuery<'_> {
                $crate::answer::graph::SymbolQuery {
                    symbol: self.symbol.as_deref(),
                    path: self.path.as_deref(),
                    line: self.line,
                    context_file: self.context_file.as_deref(),
                }
            }

            /// Reads a symbol that is given as `FILE:LINE`, and makes paths absolute.
            #[allow(dead_code, reason = "not every tool is a plain command")]
            fn read_symbol(&mut self, locate: &dyn Fn(&str) -> String) {
                let given = self.symbol.take();
                let query = given.as_deref().map($crate::answer::graph::SymbolQuery::parse);
                if let Some(query) = query {
                    self.path = query.path.map(locate);
                    self.line = query.line;
                    self.symbol = query.symbol.map(str::to_owned);
                }
                self.context_file = self.context_file.as_deref().map(locate);
            }
        }
    };
}
pub(crate) use symbol_params;

/// A symbol as a caller gives it: by name, or by a line in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolQuery<'a> {
    pub symbol: Option<&'a str>,
    pub path: Option<&'a str>,
    pub line: Option<u32>,
    /// Chooses between symbols with the same name.
    pub context_file: Option<&'a str>,
}

impl<'a> SymbolQuery<'a> {
    pub const LONGEST_NAME: usize = 200;

    /// Parses a name, `Type::method`, or a location, `src/a.rs:12`.
    pub fn parse(text: &'a str) -> Self {
        match text
            .rsplit_once(':')
            .map(|(path, line)| (path, line.parse()))
        {
            Some((path, Ok(line))) if !path.is_empty() && !path.ends_with(':') => Self {
                path: Some(path),
                line: Some(line),
                ..Self::default()
            },
            _ => Self {
                symbol: Some(text),
                ..Self::default()
            },
        }
    }

    /// Checks that exactly one symbol is asked for: by name, or by path and line.
    pub fn check(&self) -> Result<(), ToolError> {
        self.check_ranges()?;
        match (self.symbol, self.path, self.line) {
            // `symbol` with `path` and `line` is the symbol of that name at the line; with `path` alone, the one in that file or
            // nearest to it.
            (Some(_), _, None) | (_, Some(_), Some(_)) => Ok(()),
            _ => Err(ToolError::invalid_argument(Line::new().either(
                "give either `symbol`, or `path` and `line`",
                "give either SYMBOL or FILE:LINE",
            ))),
        }
    }

    pub fn check_ranges(&self) -> Result<(), ToolError> {
        check_length("symbol", self.symbol, Self::LONGEST_NAME)?;
        check_length("path", self.path, 4096)?;
        check_length("context_file", self.context_file, 4096)?;
        check_range("line", self.line, 1..=u32::MAX)
    }
}

/// The end of a page of symbols or hits: the last one shown, and the number shown so far. The next page begins after that one,
/// even if others before it came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListCursor {
    pub shown: u64,
    pub line: u32,
    pub path: String,
}

impl ListCursor {
    pub const LONGEST: usize = 8192;

    /// Encodes the position after the last symbol on a page; `None` if nothing follows.
    pub fn behind(last: Option<(&str, u32)>, total: u64, remaining: u64) -> Option<String> {
        let (path, line) = last.filter(|_| remaining > 0)?;
        Some(
            Self {
                shown: total.saturating_sub(remaining),
                line,
                path: path.to_owned(),
            }
            .encode(),
        )
    }

    pub fn encode(&self) -> String {
        format!("{}:{}:{}", self.shown, self.line, self.path)
    }

    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ':');
        let shown = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Self {
            shown,
            line,
            path: parts.next()?.to_owned(),
        })
    }

    /// Returns the number of items before the next page.
    pub fn skipped<T>(&self, items: &[T], place: impl Fn(&T) -> (&str, u32)) -> usize {
        let shown = usize::try_from(self.shown)
            .unwrap_or(usize::MAX)
            .min(items.len());
        let is_it = |at: &usize| place(&items[*at]) == (self.path.as_str(), self.line);
        // One line can have several items: take the one nearest to its old position.
        let found = (0..items.len())
            .filter(is_it)
            .min_by_key(|at| (at + 1).abs_diff(shown));
        found.map_or(shown, |at| at + 1)
    }
}

/// Lines of a file with their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// The lines, joined; their numbers are in `lines`.
    pub text: String,
    pub lines: Vec<u32>,
    /// True if nothing is left out.
    pub is_whole: bool,
}

impl Excerpt {
    /// Makes an excerpt of consecutive lines.
    pub fn whole<'a>(start_line: u32, lines: impl IntoIterator<Item = &'a str>) -> Self {
        let lines: Vec<_> = lines.into_iter().collect();
        let numbers = (start_line..)
            .zip(&lines)
            .map(|(number, _)| number)
            .collect();
        Self {
            text: lines.join("\n"),
            lines: numbers,
            is_whole: true,
        }
    }

    pub fn numbered(&self) -> impl Iterator<Item = (u32, &str)> {
        self.lines.iter().copied().zip(self.text.split('\n'))
    }

    /// Keeps the first lines. Returns false if there are no more.
    pub fn keep(&mut self, lines: usize) -> bool {
        if lines >= self.lines.len() {
            return false;
        }
        self.text = self
            .text
            .split('\n')
            .take(lines)
            .collect::<Vec<_>>()
            .join("\n");
        self.lines.truncate(lines);
        self.is_whole = false;
        true
    }

    /// Keeps some lines: the beginning, then those with most of the words, still in their order.
    pub fn keep_best(&mut self, lines: usize, words: &[String]) {
        if lines >= self.lines.len() {
            return;
        }
        let all: Vec<_> = self.numbered().collect();
        let worth = |at: &usize| {
            let lower = all[*at].1.to_lowercase();
            let found = words
                .iter()
                .filter(|word| lower.contains(word.as_str()))
                .count();
            (*at >= HEAD_LINES, Reverse(found), *at)
        };
        let mut best: Vec<_> = (0..all.len()).collect();
        best.sort_by_key(worth);
        best.truncate(lines);
        best.sort_unstable();
        let text = best
            .iter()
            .map(|at| all[*at].1)
            .collect::<Vec<_>>()
            .join("\n");
        self.lines = best.iter().map(|at| all[*at].0).collect();
        self.text = text;
        self.is_whole = false;
    }
}

/// Divides a number of items evenly among lists of these lengths; the unused share of a short list goes to the others.
pub(crate) fn shares(items: usize, lengths: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; lengths.len()];
    let mut left = items;
    while left > 0 {
        let open: Vec<_> = (0..lengths.len())
            .filter(|list| shares[*list] < lengths[*list])
            .collect();
        if open.is_empty() {
            break;
        }
        let each = (left / open.len()).max(1);
        for list in open {
            let more = each.min(lengths[list] - shares[list]).min(left);
            shares[list] += more;
            left -= more;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_given_by_its_name_or_its_place() {
        let named = |text| SymbolQuery {
            symbol: Some(text),
            ..SymbolQuery::default()
        };
        let placed = |path, line| SymbolQuery {
            path: Some(path),
            line: Some(line),
            ..SymbolQuery::default()
        };
        for (text, expected) in [
            ("run", named("run")),
            ("Engine::run", named("Engine::run")),
            ("pkg.Type.method", named("pkg.Type.method")),
            ("src/a.rs:12", placed("src/a.rs", 12)),
            ("C:\\src\\a.rs:12", placed("C:\\src\\a.rs", 12)),
            ("Tuple::0", named("Tuple::0")),
            (":7", named(":7")),
        ] {
            assert_eq!(SymbolQuery::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn one_way_to_give_a_symbol_is_taken() {
        let name = SymbolQuery {
            symbol: Some("run"),
            context_file: Some("a.rs"),
            ..SymbolQuery::default()
        };
        let place = SymbolQuery {
            path: Some("a.rs"),
            line: Some(3),
            ..SymbolQuery::default()
        };
        let in_file = SymbolQuery {
            path: Some("a.rs"),
            ..name
        };
        assert!(name.check().is_ok() && place.check().is_ok() && in_file.check().is_ok());
        let long = "x".repeat(201);
        for wrong in [
            SymbolQuery::default(),
            SymbolQuery {
                line: Some(3),
                ..name
            },
            SymbolQuery {
                line: None,
                ..place
            },
            SymbolQuery {
                line: Some(0),
                ..place
            },
            SymbolQuery {
                symbol: Some(""),
                ..name
            },
            SymbolQuery {
                symbol: Some(&long),
                ..name
            },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_excerpt_loses_lines_from_its_end() {
        let mut excerpt = Excerpt::whole(7, ["a", "", "b"]);
        assert_eq!(
            excerpt.numbered().collect::<Vec<_>>(),
            [(7, "a"), (8, ""), (9, "b")]
        );
        assert!(!excerpt.keep(3) && excerpt.keep(2));
        assert_eq!(
            excerpt,
            Excerpt {
                text: "a\n".to_owned(),
                lines: vec![7, 8],
                is_whole: false
            }
        );
        let mut excerpt = Excerpt::whole(
            1,
            [
                "fn count() {",
                "    let a = 1;",
                "    b();",
                "    tokens += 1;",
                "}",
            ],
        );
        excerpt.keep_best(3, &["tokens".to_owned()]);
        assert_eq!(excerpt.lines, [1, 2, 4]);
        excerpt.keep_best(0, &[]);
        assert_eq!(excerpt, Excerpt::default());
    }

    #[test]
    fn a_page_begins_behind_the_last_symbol_of_the_one_before() {
        let items = [("a.rs", 1), ("a.rs", 1), ("b:c.rs", 7), ("d.rs", 2)];
        let after = |cursor: &str, items: &[(&str, u32)]| {
            ListCursor::decode(cursor)
                .expect(cursor)
                .skipped(items, |item| *item)
        };
        for shown in 1..4 {
            let (path, line) = items[shown - 1];
            let cursor = ListCursor::behind(Some((path, line)), 4, 4 - shown as u64).expect("more");
            assert_eq!(after(&cursor, &items), shown);
        }
        assert_eq!(after("3:7:b:c.rs", &items[1..]), 2, "one before it is gone");
        assert_eq!(after("3:9:gone.rs", &items), 3);
        assert_eq!(after("9:9:gone.rs", &items), 4);
        assert_eq!(ListCursor::behind(Some(("a", 1)), 4, 0), None);
        for nonsense in ["", "1", "1:2", "x:1:a", "high:1:1:a.rs"] {
            assert_eq!(ListCursor::decode(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn lists_share_evenly_what_is_left() {
        for (items, lengths, expected) in [
            (0, [5, 5, 5], [0, 0, 0]),
            (1, [5, 5, 5], [1, 0, 0]),
            (9, [5, 5, 5], [3, 3, 3]),
            (9, [1, 9, 0], [1, 8, 0]),
            (10, [2, 3, 100], [2, 3, 5]),
            (99, [2, 3, 4], [2, 3, 4]),
        ] {
            assert_eq!(
                shares(items, &lengths),
                expected,
                "{items} among {lengths:?}"
            );
        }
    }
}
