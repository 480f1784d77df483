//! `find_similar`: code like some other code.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::ListCursor;
use crate::answer::hits::{SearchHit, write_ranked};
use crate::answer::scope::with_scope;
use crate::answer::{Answer, Format, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::elapsed;
use crate::text::{Line, NextCall, Span, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil similar src/lexer.rs:120              code like that around this line
  claudevil similar --code 'fn retry(' -l rust    code like this
  pbpaste | claudevil similar --code -            code like what is piped in

Nothing found is exit code 1.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(arg = super::all_roots_option()))]
pub struct FindSimilar {
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "CODE|-",
            allow_hyphen_values = true,
            help = "The code itself; - reads it from standard input"
        )
    )]
    pub code: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            value_name = "PATH:LINE",
            required_unless_present = "code",
            conflicts_with = "code",
            help = "A line of the code, in a file relative to the working directory or absolute"
        )
    )]
    pub path: Option<String>,
    #[schemars(range(min = 1))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub line: Option<u32>,
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
    #[cfg_attr(feature = "cli", arg(short, long, help = "Only this language"))]
    pub language: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            default_value = "10",
            help = "Maximum number of results, up to 100"
        )
    )]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl FindSimilar {
    /// The most places that are compared, whatever the limit.
    pub const MOST: u32 = 200;
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
        description: "To find duplicates and variants: code like a given piece.",
        toolset: Toolset::Explore,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "similar",
            alias: Some("find-similar"),
            about: "Find code similar to a given piece",
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
            (None, Some(path), None) => Err(ToolError::invalid_argument(
                Line::from("`").path(path).text("` names no line"),
            )
            .with_hint(either_way())),
            _ => Err(ToolError::invalid_argument(either_way())),
        }
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        if let Some(given) = &self.path {
            let (path, line) = split_location(given);
            (self.path, self.line) = (Some(locate(path)), line);
        }
    }
}

/// Says how the code can be given.
fn either_way() -> Line {
    Line::from("give either ")
        .parameter("code")
        .text(", or ")
        .span(Span::PathAndLine)
}

/// Splits `src/a.rs:12` or `src/a.rs:12-40` into the path and the first line.
fn split_location(given: &str) -> (&str, Option<u32>) {
    let first_line = |lines: &str| lines.split('-').next().and_then(|line| line.parse().ok());
    match given.rsplit_once(':') {
        Some((path, lines)) if first_line(lines).is_some() => (path, first_line(lines)),
        _ => (given, None),
    }
}

/// Similar code, most similar first. May be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarCode {
    /// The root's absolute path; `*` when all were asked.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The location of the given code, if it was given by its location.
    pub path: Option<String>,
    pub line: Option<u32>,
    /// The code as it was given.
    pub code: Option<String>,
    pub language: Option<String>,
    /// The measure of similarity.
    pub measure: SimilarBy,
    pub results: Vec<SearchHit>,
    pub total: u64,
    /// Number of results before `results`.
    pub offset: u64,
    /// Number of results after the last of `results`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
    pub elapsed_ms: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SimilarBy {
    #[default]
    Meaning,
    /// There are no vectors, or not yet: by the words in common.
    Words,
}

/// The longest code that is repeated in the call for the next page: the caller has longer code.
const LONGEST_REPEATED: usize = 200;

with_scope!(SimilarCode);

impl SimilarCode {
    /// Sets the cursor after the last result.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let shown = self.offset + self.results.len() as u64;
        self.cursor = self
            .results
            .last()
            .filter(|_| self.remaining > 0)
            .map(|last| ListCursor::after(last, shown));
    }

    fn summary(&self) -> Line {
        let line = match self.total {
            0 => "nothing".into(),
            // There may be more: only the nearest are kept.
            total if total == u64::from(FindSimilar::MOST) => {
                Line::from("the ").number(total).text(" nearest places")
            }
            total => Line::new().count(total, "place"),
        };
        let mut line = match (&self.path, self.line) {
            (Some(path), Some(number)) => line.text(" like ").location(path, number, number),
            _ => line.text(" like the given code"),
        };
        if let Some(language) = &self.language {
            line = line.text(" of ").code(language);
        }
        let measure = match self.measure {
            SimilarBy::Meaning => "by meaning",
            SimilarBy::Words => "by words in common",
        };
        line.text(" in ")
            .line(self.scope().name())
            .text(format!(" ({measure}, {})", elapsed(self.elapsed_ms)))
            .page(self.offset, self.results.len() as u64, self.remaining)
    }

    fn next(&self) -> Option<Line> {
        if self.remaining == 0 {
            return None;
        }
        let code = self.code.as_deref().filter(|_| self.path.is_none());
        let repeated = code.filter(|code| code.chars().count() <= LONGEST_REPEATED);
        let limit = (self.limit != FindSimilar::DEFAULT_LIMIT).then_some(self.limit);
        let call = NextCall::new(FindSimilar::NAME)
            .with_some("code", repeated)
            .with_some("path", self.path.as_deref())
            .with_some("line", self.line)
            .with_some("language", self.language.as_deref())
            .with_some("limit", limit)
            .with_budget(self.max_tokens)
            .with("root", self.scope().argument())
            .with_some("cursor", self.cursor.as_deref());
        let line = Line::new().number(self.remaining);
        let line = line.text(" more: ").call(call);
        Some(if code.is_some() && repeated.is_none() {
            line.text(" and the same ").parameter("code")
        } else {
            line
        })
    }
}

impl Answer for SimilarCode {
    fn items(&self) -> usize {
        self.results.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.results, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        write_ranked(&mut text, &self.results, &[]);
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens::DEFAULT_TOKENS;

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

    #[test]
    fn a_location_on_the_command_line_has_a_line() {
        assert_eq!(split_location("src/a.rs:12"), ("src/a.rs", Some(12)));
        assert_eq!(split_location("src/a.rs:12-40"), ("src/a.rs", Some(12)));
        for wrong in [
            "src/a.rs",
            "src/a.rs:0",
            "src/a.rs:x",
            "src/a.rs:99999999999",
        ] {
            let mut params = FindSimilar {
                path: Some(wrong.to_owned()),
                ..FindSimilar::default()
            };
            params.read_command_line(&str::to_owned);
            assert!(params.validate().is_err(), "{wrong}");
        }
    }

    fn alike() -> SimilarCode {
        let hit = SearchHit {
            path: "src/tally.rs".to_owned(),
            start_line: 7,
            end_line: 9,
            symbol: Some("tally".to_owned()),
            kind: Some(SymbolKind::Function),
            score: 0.91,
            snippet: "fn tally() -> usize {\n    0\n}".to_owned(),
            snippet_lines: vec![7, 8, 9],
            ..SearchHit::default()
        };
        let mut list = SimilarCode {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            path: Some("src/count.rs".to_owned()),
            line: Some(12),
            results: vec![hit],
            total: 4,
            remaining: 3,
            limit: 1,
            elapsed_ms: 12.3,
            ..SimilarCode::default()
        };
        list.set_cursor();
        list
    }

    #[test]
    fn places_are_shown_with_their_lines() {
        insta::assert_snapshot!(alike().text().to_string(), @r#"
        4 places like src/count.rs:12 in engine (by meaning, 12 ms); 1 shown
        src/tally.rs:7-9  function tally  [0.910]
        ```
        7	fn tally() -> usize {
        8	    0
        9	}
        ```
        3 more: find_similar {"path":"src/count.rs","line":12,"limit":1,"root":"engine","cursor":"1:7:src/tally.rs"}
        "#);
    }

    #[test]
    fn long_code_is_not_repeated() {
        let mut list = alike();
        (list.path, list.line, list.measure) = (None, None, SimilarBy::Words);
        list.code = Some("fn tally() {}".to_owned());
        assert!(
            list.text()
                .to_string()
                .contains(r#"find_similar {"code":"fn tally() {}","limit":1"#),
            "{}",
            list.text().to_string()
        );
        list.code = Some("x".repeat(5000));
        let text = list.text().to_string();
        assert!(text.starts_with(
            "4 places like the given code in engine (by words in common, 12 ms); 1 shown"
        ));
        assert!(
            text.len() < 400 && text.ends_with("and the same `code`"),
            "{text}"
        );
    }

    #[test]
    fn nothing_alike_is_an_answer() {
        let list = SimilarCode {
            results: vec![],
            total: 0,
            remaining: 0,
            ..alike()
        };
        assert_eq!(
            list.text().to_string(),
            "nothing like src/count.rs:12 in engine (by meaning, 12 ms)"
        );
    }
}
