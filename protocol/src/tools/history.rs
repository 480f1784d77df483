//! `history`: commits by words and meaning, or the timeline of a symbol or path.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::commit::{CoChangedFile, CommitFileChange, CommitSummary, add_co_changed};
use crate::answer::{Answer, Format, cut};
use crate::check::{check_length, check_range, check_since};
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Text, moment, truncate};

const EXAMPLES: &str = "\
Examples:
  claudevil log retry backoff            commits about it
  claudevil log --symbol Lexer::next     when, by whom and why a symbol changed
  claudevil log --path src/lexer.rs      the timeline of a file or folder
  claudevil log --since 2w               the last two weeks

Messages and changes are read from the repository; git is not run.";

/// Maximum number of files of a commit that a text names.
const FILES_SHOWN: usize = 4;
/// Maximum number of symbols of a file that a text names.
const SYMBOLS_SHOWN: usize = 4;
/// Maximum number of characters of a message, after its subject, that a text shows.
const BODY_SHOWN: usize = 280;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct History {
    #[cfg_attr(feature = "cli", arg(skip))]
    pub query: Option<String>,
    /// The query as a command line has it, which needs no quotes.
    #[serde(skip)]
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "query",
            value_name = "QUERY",
            help = "Words or a question [default: the newest commits]"
        )
    )]
    pub words: Vec<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "NAME",
            help = "Only changes of this symbol: Lexer::next"
        )
    )]
    pub symbol: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "PATH",
            help = "Only changes of this file or folder"
        )
    )]
    pub path: Option<String>,
    /// Date, or 7d.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "WHEN",
            help = "Only since then: a date, or how long ago, such as 24h, 7d, 2w"
        )
    )]
    pub since: Option<String>,
    /// Default 10.
    #[schemars(range(min = 1, max = 100))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            help = "Maximum number of commits, up to 100 [default: 10]"
        )
    )]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl History {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const MAX_COMMITS: u32 = 100;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Returns `since` in milliseconds since 1970. None if it is missing or invalid.
    pub fn since(&self, now: i64) -> Option<i64> {
        moment::since(self.since.as_deref()?, now)
    }
}

impl Tool for History {
    type Answer = CommitHistory;

    const INFO: ToolInfo = ToolInfo {
        name: "history",
        title: "History",
        description: "To see when, by whom and why code changed: commits by words, symbol or path.",
        toolset: Toolset::Explore,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "log",
            alias: Some("history"),
            about: "Find commits, or show when and why a symbol or file changed",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("query", self.query.as_deref(), 500)?;
        check_length("symbol", self.symbol.as_deref(), 500)?;
        check_length("path", self.path.as_deref(), 4096)?;
        check_range("limit", self.limit, 1..=Self::MAX_COMMITS)?;
        check_since(self.since.as_deref())
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        let words = std::mem::take(&mut self.words).join(" ");
        self.query = Some(words).filter(|words| !words.is_empty());
        self.path = self.path.as_deref().map(locate);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitHistory {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub query: Option<String>,
    /// The symbol whose changes these are, with its containers.
    pub symbol: Option<String>,
    /// The file or folder whose changes these are.
    pub path: Option<String>,
    /// As it was asked for.
    pub since: Option<String>,
    pub limit: u32,
    /// The best first for a query, and else the newest.
    pub commits: Vec<CommitDetails>,
    /// Number of commits that match.
    pub total: u64,
    /// Number of matching commits after the last of `commits`.
    pub remaining: u64,
    /// Number of authors of the matching commits.
    pub authors: u64,
    /// Number of commits that were searched.
    pub searched: u64,
    /// The time of the oldest of them, in milliseconds since 1970.
    pub oldest: Option<i64>,
    /// Files that usually change in the same commits as `path`.
    pub together: Vec<CoChangedFile>,
    pub gaps: Vec<HistoryGap>,
    pub truncated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitDetails {
    pub id: String,
    /// Milliseconds since 1970.
    pub time: i64,
    /// The name of the author, without the address.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
    /// The rest of the message, cut where it is very long.
    pub body: String,
    /// The file that was asked about first.
    pub files: Vec<CommitFile>,
    pub total_files: u64,
    /// The match with the query, from 0 to 1.
    pub score: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitFile {
    pub path: String,
    pub change: CommitFileChange,
    /// The path of a moved file before the commit.
    pub old_path: Option<String>,
    /// Definitions with changed lines: `Lexer.next`.
    pub symbols: Vec<String>,
}

/// A reason why the history may lack commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HistoryGap {
    /// The root is in no repository.
    NoRepository,
    /// The branch has no commits yet.
    NoCommits,
    /// The repository cannot be read, or must not be.
    Unreadable(String),
    /// The clone has only the newest commits.
    Shallow,
    /// Older commits are not kept.
    Limited,
    /// The number of commits that are still being read.
    Unread(u64),
    /// The newest commits are still to be found.
    Behind,
}

impl HistoryGap {
    fn line(&self, oldest: Option<i64>) -> Line {
        let oldest = oldest.map(moment::minute);
        let oldest = oldest
            .as_deref()
            .and_then(|oldest| oldest.split(' ').next());
        let since = oldest.map_or_else(String::new, |oldest| format!(" before {oldest}"));
        match self {
            Self::NoRepository => {
                Line::from("note: there is no git repository here, so no history")
            }
            Self::NoCommits => Line::from("note: nothing has been committed yet"),
            Self::Unreadable(why) => Line::from("note: no history: ").code(why),
            Self::Shallow => Line::from(format!(
                "note: the clone is shallow: commits{since} are missing; `git fetch --unshallow` gets them"
            )),
            Self::Limited => Line::from(format!("note: commits{since} are not kept")),
            Self::Unread(commits) => Line::from("partial: ")
                .count(*commits, "older commit")
                .text(if *commits == 1 { " is" } else { " are" })
                .text(" still being read; ask again in a moment"),
            Self::Behind => {
                Line::from("partial: the newest commits are being read; ask again in a moment")
            }
        }
    }
}

impl CommitDetails {
    pub fn summary(&self) -> CommitSummary {
        CommitSummary {
            id: self.id.clone(),
            time: self.time,
            author: self.author.clone(),
            subject: self.subject.clone(),
        }
    }

    fn files_line(&self) -> Option<Line> {
        if self.files.is_empty() {
            return None;
        }
        let files = self.files.iter().take(FILES_SHOWN).map(CommitFile::line);
        let line = Line::join(files, ", ");
        let shown = self.files.len().min(FILES_SHOWN) as u64;
        let rest = self.total_files.saturating_sub(shown);
        Some(if rest > 0 {
            line.text(" and ").number(rest).text(" more")
        } else {
            line
        })
    }
}

impl CommitFile {
    /// Returns e.g. `src/lexer.rs (Lexer.next, Lexer.peek)`.
    fn line(&self) -> Line {
        let mut line = Line::new().path(&self.path);
        match (self.change, &self.old_path) {
            (CommitFileChange::Moved, Some(old)) => line = line.text(" moved from ").path(old),
            (CommitFileChange::Modified, _) => {}
            (change, _) => line = line.text(" ").text(change.as_str()),
        }
        // An added file adds all its symbols, so none is named.
        if self.symbols.is_empty() || self.change == CommitFileChange::Added {
            return line;
        }
        let names = self.symbols.iter().take(SYMBOLS_SHOWN);
        let names = Line::join(names.map(|name| Line::new().name(name)), ", ");
        let more = self.symbols.len() > SYMBOLS_SHOWN;
        line.text(" (")
            .line(names)
            .text(if more { ", …)" } else { ")" })
    }
}

impl CommitHistory {
    fn summary(&self) -> Line {
        let mut line = Line::new().count(self.total, "commit");
        if let Some(query) = &self.query {
            line = line.text(" about `").code(query).text("`");
        }
        match (&self.symbol, &self.path) {
            (Some(symbol), Some(path)) => {
                line = line.text(" that changed ").name(symbol);
                line = line.text(" in ").path(path);
            }
            (Some(subject), None) | (None, Some(subject)) => {
                line = line.text(" that changed ").name(subject);
            }
            (None, None) => {}
        }
        if let Some(since) = &self.since {
            line = line.text(" since ").code(since);
        }
        if self.authors > 1 {
            line = line.text(" by ").count(self.authors, "author");
        }
        line = line.text(" in ").name(&self.root_name);
        if self.total == 0 {
            return line.text(", of ").number(self.searched).text(" searched");
        }
        line.page(0, self.commits.len() as u64, self.remaining)
    }

    fn next(&self) -> Option<Line> {
        if self.remaining == 0 {
            return None;
        }
        let line = Line::new().number(self.remaining).text(" more: ");
        let shown = self.commits.len() as u64;
        let is_all = self.limit >= History::MAX_COMMITS && !self.truncated;
        if is_all || self.truncated && self.max_tokens >= MAX_TOKENS {
            return Some(line.words("narrow with `query`, `path`, `symbol` or `since`"));
        }
        let all = shown + self.remaining;
        let limit = all.min(u64::from(History::MAX_COMMITS));
        let budget = if self.truncated {
            MAX_TOKENS
        } else {
            self.max_tokens
        };
        let call = NextCall::new(History::NAME)
            .with_some("query", self.query.as_deref())
            .with_some("symbol", self.symbol.as_deref())
            .with_some("path", self.path.as_deref())
            .with_some("since", self.since.as_deref())
            .with("limit", limit.max(u64::from(self.limit)))
            .with_budget(budget)
            .with("root", &self.root_name);
        Some(if limit < all {
            let line = line.call(call).text(" shows the first ").number(limit);
            line.words("; narrow with `query`, `path`, `symbol` or `since`")
        } else {
            line.call(call)
        })
    }
}

impl Answer for CommitHistory {
    fn items(&self) -> usize {
        self.commits.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.commits, items, &mut self.remaining) {
            self.together.clear();
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut is_shorter = false;
        for commit in &mut self.commits {
            is_shorter |= !commit.body.is_empty() || !commit.files.is_empty();
            commit
                .body
                .truncate(commit.body.floor_char_boundary(commit.body.len() / 2));
            commit.files.truncate(commit.files.len() / 2);
        }
        is_shorter
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        for commit in &self.commits {
            let score = commit.score.map(|score| format!("[{score:.2}]"));
            text.described_item(commit.summary().line(), score.unwrap_or_default());
            if !commit.body.is_empty() {
                let body = commit.body.split_whitespace().collect::<Vec<_>>().join(" ");
                let body = truncate(&body, BODY_SHOWN);
                text.below(Line::new().code(&format!("{body:?}")));
            }
            if let Some(line) = commit.files_line() {
                text.below(line);
            }
        }
        add_co_changed(&mut text, &self.together);
        text.warnings(self.gaps.iter().map(|gap| gap.line(self.oldest)));
        text.next(self.next());
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    fn commit(number: u8) -> CommitDetails {
        CommitDetails {
            id: format!("{number:02x}").repeat(20),
            time: 1_794_757_512_000,
            author: "Ann Lee".to_owned(),
            subject: "Retry uploads".to_owned(),
            body: "The gateway drops\n```\nnote: connections.".to_owned(),
            files: vec![
                CommitFile {
                    path: "src/upload.rs".to_owned(),
                    change: CommitFileChange::Modified,
                    old_path: None,
                    symbols: vec!["Upload.send".to_owned(), "retry".to_owned()],
                },
                CommitFile {
                    path: "src/net/b.rs".to_owned(),
                    change: CommitFileChange::Moved,
                    old_path: Some("src/b.rs".to_owned()),
                    symbols: vec![],
                },
            ],
            total_files: 9,
            score: Some(0.8),
        }
    }

    fn answer(commits: u8) -> CommitHistory {
        CommitHistory {
            root_name: "shop".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            query: Some("retry".to_owned()),
            limit: 10,
            commits: (0..commits).map(commit).collect(),
            total: u64::from(commits),
            searched: 120,
            oldest: Some(1_694_757_512_000),
            ..CommitHistory::default()
        }
    }

    #[test]
    fn commits_are_shown_with_who_when_and_why() {
        let one = CommitHistory {
            path: Some("src/upload.rs".to_owned()),
            together: vec![CoChangedFile {
                path: "src/net.rs".to_owned(),
                with: "src/upload.rs".to_owned(),
                together: 4,
                commits: 5,
            }],
            gaps: vec![HistoryGap::Shallow, HistoryGap::Unread(1)],
            ..answer(1)
        };
        insta::assert_snapshot!(one.text().to_string(), @r#"
        1 commit about `retry` that changed src/upload.rs in shop
        0000000000  2026-11-15  Ann Lee  "Retry uploads"  [0.80]
          "The gateway drops ``` note: connections."
          src/upload.rs (Upload.send, retry), src/net/b.rs moved from src/b.rs and 7 more
        often changed together
          src/net.rs  in 4 of 5 commits that changed src/upload.rs
        note: the clone is shallow: commits before 2023-09-15 are missing; `git fetch --unshallow` gets them
        partial: 1 older commit is still being read; ask again in a moment
        "#);
        insta::assert_snapshot!(answer(0).text().to_string(), @"0 commits about `retry` in shop, of 120 searched");
    }

    #[test]
    fn a_cut_answer_names_the_call_for_the_rest() {
        let many = CommitHistory {
            symbol: Some("Upload::send".to_owned()),
            ..answer(60)
        };
        for format in [Format::Text, Format::Json] {
            assert!(tokens::estimate(&render(&many, format, 500)) <= 500);
        }
        let text = render(&many, Format::Text, 500);
        let last = text.lines().last().unwrap_or_default();
        assert!(
            last.contains(r#" more: history {"query":"retry","symbol":"Upload::send","limit":"#),
            "{text}"
        );
        let mut long = answer(1);
        long.commits[0].body = "a line of it\n".repeat(2000);
        for format in [Format::Text, Format::Json] {
            assert!(tokens::estimate(&render(&long, format, 500)) <= 500);
        }
    }

    #[test]
    fn out_of_range_is_refused() {
        assert!(History::default().validate().is_ok());
        for refused in [
            History {
                limit: Some(101),
                ..History::default()
            },
            History {
                since: Some("yesterday".to_owned()),
                ..History::default()
            },
            History {
                query: Some(String::new()),
                ..History::default()
            },
        ] {
            assert!(refused.validate().is_err(), "{refused:?}");
        }
    }
}
