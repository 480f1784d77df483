//! Parses a pasted issue, stack trace or test output into its kinds of evidence.
//!
//! A stack frame names a line, an error message can be searched for, `Constraint.validate` is a method and `app.db.models` a
//! module; only prose is ranked by its words. Everything here is a pure function of the text; the ranking decides which of it a
//! root contains.

mod frame;
pub mod functions;
pub mod message;
mod name;
pub mod provenance;
mod section;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use self::frame::Frame;
pub use self::name::{Mention, MentionPlace, PathMention};
use self::section::{LineKind, Sections};
pub use self::terms::{Term, terms_of};

/// A shorter text on one line is a question or some words.
const SHORTEST_REPORT: usize = 240;
const MAX_FRAMES: usize = 60;
/// The most lines around a stack trace that do not make it the part of a longer report: a message, a header.
const MAX_AROUND_TRACE: usize = 3;
const MAX_MESSAGES: usize = 5;
const MAX_MENTIONS: usize = 150;
const MAX_PATHS: usize = 40;
/// The most characters of a title.
const LONGEST_TITLE: usize = 200;

/// A report in its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The first line of prose.
    pub title: String,
    /// Sentences, without code, traces and the boilerplate of issue templates.
    pub prose: String,
    /// Code blocks and code in sentences.
    pub code: String,
    /// Innermost first.
    pub frames: Vec<Frame>,
    pub messages: Vec<String>,
    pub mentions: Vec<Mention>,
    pub paths: Vec<PathMention>,
    /// The text is a stack trace with few other lines, so all of its frames are what it is about.
    pub is_trace: bool,
}

impl Report {
    /// Parses a text that is a report; none for a question, a name or some words.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if lines < 2 && text.chars().count() < SHORTEST_REPORT {
            return None;
        }
        let mut report = Self::default();
        let sections = Sections::new(text);
        let traced = frame::find(sections.lines());
        report.frames = traced.frames;
        report.is_trace = is_trace(sections.lines().len(), &traced.lines);
        for (number, line) in sections.lines().iter().enumerate() {
            if let Some(message) = message::error_in_line(line.text) {
                report.add_message(message);
            }
            if traced.lines.contains(&number) {
                continue;
            }
            match line.kind {
                LineKind::Prose => report.add_prose(line.text),
                LineKind::Code => report.add_code(line.text),
            }
        }
        if report.title.is_empty() {
            // A report of code or a trace alone is named by its message, or by its innermost function.
            let message = report.messages.first().map(String::as_str);
            let function = || {
                report
                    .frames
                    .iter()
                    .find_map(|frame| frame.function.as_deref())
            };
            report.title = first_words(message.or_else(function).unwrap_or(text));
        }
        report.frames.truncate(MAX_FRAMES);
        report.mentions.truncate(MAX_MENTIONS);
        report.paths.truncate(MAX_PATHS);
        Some(report)
    }

    fn add_prose(&mut self, line: &str) {
        let place = if self.title.is_empty() {
            self.title = first_words(message::without_error_type(line));
            MentionPlace::Title
        } else {
            self.prose.push_str(line);
            self.prose.push('\n');
            MentionPlace::Prose
        };
        name::add_paths(&mut self.paths, line);
        name::add_prose_mentions(&mut self.mentions, line, place);
        for message in message::quoted(line) {
            self.add_message(message);
        }
    }

    fn add_code(&mut self, line: &str) {
        self.code.push_str(line);
        self.code.push('\n');
        name::add_paths(&mut self.paths, line);
        name::add_code_mentions(&mut self.mentions, line);
    }

    fn add_message(&mut self, message: String) {
        if self.messages.len() < MAX_MESSAGES && !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Returns whether a sentence of the report has a name.
    pub fn names(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| {
            mention.place != MentionPlace::Code
                && mention.parts.last().is_some_and(|own| own == name)
        })
    }

    /// Returns the text that is embedded: the title, prose and messages, without code.
    pub fn meaning(&self) -> String {
        let prose: String = self.prose.chars().take(MEANING_LENGTH).collect();
        let messages = self.messages.join(". ");
        format!("{}\n{prose}\n{messages}", self.title)
    }

    /// Summarises the recognised parts in one line:
    /// `interpreted as a report: 3 stack frames, 1 error message, 5 names, and prose`.
    pub fn summary(&self) -> String {
        let names = self
            .mentions
            .iter()
            .filter(|mention| mention.place != MentionPlace::Code)
            .count();
        let counts = [
            (self.frames.len(), "stack frame"),
            (self.messages.len(), "error message"),
            (names, "name"),
            (self.paths.len(), "path"),
        ];
        let parts: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if parts.is_empty() {
            "interpreted as a report: prose only".to_owned()
        } else {
            format!("interpreted as a report: {}, and prose", parts.join(", "))
        }
    }
}

/// The most characters of prose that are embedded.
const MEANING_LENGTH: usize = 700;

/// Returns whether most lines of a text are frames, or beside a frame as the code and the functions of frames are.
fn is_trace(lines: usize, frames: &BTreeSet<usize>) -> bool {
    let is_beside =
        |line: &usize| (line.saturating_sub(1)..=line + 1).any(|one| frames.contains(&one));
    let others = (0..lines).filter(|line| !is_beside(line)).count();
    !frames.is_empty() && others <= MAX_AROUND_TRACE
}

fn first_words(line: &str) -> String {
    let line = line.trim_matches(|letter: char| letter.is_whitespace() || "#*=_".contains(letter));
    line.chars().take(LONGEST_TITLE).collect()
}
