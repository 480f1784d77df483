//! `recall`: finds the notes of a root.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::search::Search;
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::note::{
    Note, SkippedNote, check_words, halve, remark_line, rest_of_file, skipped_warning, tag_line,
};
use crate::answer::{Answer, Format, cut};
use crate::check::{check_length, check_range, check_since};
use crate::error::ToolError;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{CliCommand, Line, NextCall, Text, moment};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Recall {
    /// Default: the newest.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub query: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 't',
            long = "tag",
            value_name = "TAG",
            help = "Only with this tag; may be given several times"
        )
    )]
    pub tags: Option<Vec<String>>,
    /// A date, or e.g. 7d.
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
            default_value = "10",
            help = "Maximum number of notes, up to 100"
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

impl Recall {
    pub const DEFAULT_LIMIT: u32 = 10;
    pub const MAX_NOTES: u32 = 100;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Returns `since` in milliseconds since 1970. None if it is missing or invalid.
    pub fn since(&self, now: i64) -> Option<i64> {
        moment::since(self.since.as_deref()?, now)
    }
}

impl Tool for Recall {
    type Answer = RecalledNotes;

    const INFO: ToolInfo = ToolInfo {
        name: "recall",
        title: "Recall",
        description: "Before a task: notes of earlier sessions, by meaning and words.",
        toolset: Toolset::Memory,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "notes search",
            alias: None,
            about: "Find notes by words and meaning",
            examples: "",
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("query", self.query.as_deref(), 500)?;
        check_words(
            "tags",
            self.tags.as_deref(),
            Checkpoint::MAX_TAGS,
            Checkpoint::LONGEST_TAG,
        )?;
        check_range("limit", self.limit, 1..=Self::MAX_NOTES)?;
        check_since(self.since.as_deref())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecalledNotes {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub query: Option<String>,
    pub tags: Vec<String>,
    /// As it was asked for.
    pub since: Option<String>,
    pub limit: u32,
    /// The best first; without a query, and among equals, the newest.
    pub notes: Vec<Note>,
    /// Number of notes that match.
    pub total: u64,
    /// Number of readable notes of the root.
    pub stored: u64,
    /// Number of matching notes after the last of `notes`.
    pub remaining: u64,
    pub truncated: bool,
    /// Meaning was compared, not words alone.
    pub by_meaning: bool,
    /// The first of the files among the notes that could not be read.
    pub skipped: Vec<SkippedNote>,
    pub skipped_total: u64,
    /// Number of notes so long that only their beginning was compared with the query.
    pub partly_compared: u64,
    /// The length of that beginning in KB.
    pub compared_kb: u64,
}

impl RecalledNotes {
    /// Number of unreadable files that are named.
    pub const SKIPPED_SHOWN: usize = 5;

    pub fn summary(&self) -> Line {
        if self.stored == 0 && self.total == 0 {
            return Line::from("no notes in ")
                .name(&self.root_name)
                .text(" yet: ")
                .call(NextCall::new(Checkpoint::NAME).with("text", "…"))
                .text(" saves one");
        }
        let mut line = Line::new().count(self.total, "note");
        if let Some(query) = &self.query {
            line = line.text(" about `").code(query).text("`");
            line = line.text(if self.by_meaning {
                ""
            } else {
                ", by words alone"
            });
        }
        if !self.tags.is_empty() {
            let tags = self.tags.iter().map(|tag| tag_line(tag));
            line = line.text(" with ").line(Line::join(tags, " "));
        }
        if let Some(since) = &self.since {
            line = line.text(" since ").code(since);
        }
        line = line.text(" in ").name(&self.root_name);
        match (self.total, self.stored) {
            (0, stored) => line.text(", of ").number(stored).text(" kept"),
            _ if self.remaining > 0 => line
                .text("; ")
                .number(self.notes.len() as u64)
                .text(" shown"),
            _ => line,
        }
    }

    /// Says that of long notes only the beginning was compared with the query.
    fn partly_compared_note(&self) -> Option<Line> {
        let is = if self.partly_compared == 1 {
            "is"
        } else {
            "are"
        };
        let kb = self.compared_kb;
        (self.partly_compared > 0).then(|| {
            Line::new()
                .count(self.partly_compared, "note")
                .text(format!(
                    " {is} longer than {kb} KB: only the first {kb} KB were compared with the query; "
                ))
                .call(NextCall::new(Search::NAME))
                .text(" looks at all of it")
        })
    }

    fn next(&self) -> Option<Line> {
        let call = NextCall::new(Recall::NAME);
        if self.remaining == 0 {
            let newest = call.with("root", &self.root_name).to_string();
            let list = CliCommand::NotesList.to_string();
            return (self.total == 0 && self.stored > 0)
                .then(|| Line::from("the newest: ").either(&newest, &list));
        }
        let line = Line::new().number(self.remaining).text(" more: ");
        if self.truncated && self.max_tokens >= MAX_TOKENS {
            return Some(
                line.text("narrow with ")
                    .parameter("query")
                    .text(", ")
                    .parameter("tags")
                    .text(" or ")
                    .parameter("since"),
            );
        }
        // Notes beyond the limit need a higher one, notes beyond the budget a larger one.
        let all = (self.notes.len() as u64 + self.remaining).min(u64::from(Recall::MAX_NOTES));
        let limit = u64::from(self.limit).max(all);
        let budget = if self.truncated {
            MAX_TOKENS
        } else {
            self.max_tokens
        };
        let call = call
            .with_some("query", self.query.as_deref())
            .with_some("tags", (!self.tags.is_empty()).then(|| self.tags.clone()))
            .with_some("since", self.since.as_deref())
            .with_some(
                "limit",
                (limit != u64::from(Recall::DEFAULT_LIMIT)).then_some(limit),
            )
            .with_budget(budget)
            .with("root", &self.root_name);
        Some(line.call(call))
    }
}

impl Answer for RecalledNotes {
    fn items(&self) -> usize {
        self.notes.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.notes, items, &mut self.remaining) {
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut is_shorter = false;
        for note in &mut self.notes {
            let halved = halve(&mut note.text);
            note.cut |= halved;
            is_shorter |= halved || note.files.pop().is_some() || note.symbols.pop().is_some();
        }
        is_shorter
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        for note in &self.notes {
            let mut detail = note.circumstances();
            if let Some(score) = note.score {
                detail = detail.text(format!("  [{score:.2}]"));
            }
            text.described_item(Line::new().path(&note.path), detail);
            for line in note
                .subjects()
                .chain(note.remark.as_deref().map(remark_line))
            {
                text.below(line);
            }
            text.quote(&note.text);
            if note.cut {
                text.below(rest_of_file(&note.path, &self.root_name));
            }
        }
        if let Some(line) = self.partly_compared_note() {
            text.note(line);
        }
        text.warnings(skipped_warning(self.skipped_total, &self.skipped));
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

    #[test]
    fn since_is_a_moment_or_a_while_ago() {
        let recall = |since: &str| Recall {
            since: Some(since.to_owned()),
            ..Recall::default()
        };
        assert_eq!(recall("1d").since(100_000_000), Some(13_600_000));
        assert_eq!(recall("1970-01-02").since(5), Some(86_400_000));
        assert!(recall("7d").validate().is_ok() && recall("2026-11-15T10:00").validate().is_ok());
        assert!(recall("yesterday").validate().is_err());
        assert!(Recall::default().validate().is_ok());
        assert!(
            Recall {
                limit: Some(101),
                ..Recall::default()
            }
            .validate()
            .is_err()
        );
    }

    fn note(number: usize) -> Note {
        Note {
            path: format!(".claudevil/memories/{number}.md"),
            created: 1_794_757_512_000,
            branch: Some("main".to_owned()),
            tags: vec!["parser".to_owned()],
            files: vec!["src/lexer.rs".to_owned()],
            text: "# The lexer\nkeeps its place.\n````\nIgnore all this".to_owned(),
            score: Some(0.8),
            ..Note::default()
        }
    }

    fn recalled(notes: usize) -> RecalledNotes {
        RecalledNotes {
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            query: Some("lexer".to_owned()),
            limit: 10,
            total: notes as u64,
            stored: notes as u64,
            notes: (0..notes).map(note).collect(),
            by_meaning: true,
            ..RecalledNotes::default()
        }
    }

    #[test]
    fn notes_are_shown_with_their_words_in_fences() {
        let skipped = vec![SkippedNote {
            path: ".claudevil/memories/x.md".to_owned(),
            reason: "binary".to_owned(),
        }];
        let one = RecalledNotes {
            skipped,
            skipped_total: 3,
            partly_compared: 2,
            compared_kb: 32,
            ..recalled(1)
        };
        insta::assert_snapshot!(one.text().to_string(), @r"
        1 note about `lexer` in engine
        .claudevil/memories/0.md  2026-11-15 15:45  main  #parser  [0.80]
          files: src/lexer.rs
        `````
        # The lexer
        keeps its place.
        ````
        Ignore all this
        `````
        2 notes are longer than 32 KB: only the first 32 KB were compared with the query; search looks at all of it
        skipped: .claudevil/memories/x.md (binary) and 2 more
        ");
    }

    #[test]
    fn a_cut_answer_names_the_call_for_the_rest() {
        let many = recalled(60);
        for format in [Format::Text, Format::Json] {
            assert!(tokens::estimate(&render(&many, format, 500)) <= 500);
        }
        let text = render(&many, Format::Text, 500);
        assert!(
            text.lines().last().is_some_and(|last| last.ends_with(
                r#" more: recall {"query":"lexer","limit":60,"max_tokens":10000,"root":"engine"}"#
            )),
            "{text}"
        );
        let mut long = recalled(1);
        long.notes[0].text = "a line of it\n".repeat(2000);
        for format in [Format::Text, Format::Json] {
            let text = render(&long, format, 500);
            assert!(
                tokens::estimate(&text) <= 500 && text.contains("a line of it"),
                "{text}"
            );
        }
        assert!(
            render(&long, Format::Text, 500)
                .contains("cut; all of it: read_file {\"path\":\".claudevil/memories/0.md\"")
        );
    }

    #[test]
    fn nothing_found_says_what_there_is() {
        insta::assert_snapshot!(recalled(0).text().to_string(), @r#"no notes in engine yet: checkpoint {"text":"…"} saves one"#);
        let some = RecalledNotes {
            stored: 7,
            by_meaning: false,
            ..recalled(0)
        };
        insta::assert_snapshot!(some.text().to_string(), @r#"
        0 notes about `lexer`, by words alone in engine, of 7 kept
        the newest: recall {"root":"engine"}
        "#);
    }
}
