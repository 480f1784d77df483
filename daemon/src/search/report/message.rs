//! Finds the error messages of a report, and measures how much of a message a text contains.
//!
//! A message has values where the source has placeholders, `%s`, `{}` or `{name}`, so runs of its words are compared instead of
//! the whole.

use std::sync::LazyLock;

use regex::Regex;

use crate::store::text::words;

/// Messages with fewer words are too common to search for.
const FEWEST_WORDS: usize = 3;
/// Shorter runs match by chance.
const SHORTEST_RUN: usize = 2;
/// The most words between two runs of one message in a source: the expression of a placeholder.
const WIDEST_HOLE: usize = 8;
const LONGEST_MESSAGE: usize = 300;

/// Returns the message of a line that reports an error: `ValueError: no such unit`, `error: no such unit`.
pub fn error_in_line(line: &str) -> Option<String> {
    let found = ERROR.captures(line.trim_start_matches("E  ").trim())?;
    message(&found["message"])
}

/// Returns a line without the qualified type of an error before its message: `java.lang.IllegalStateException: no such unit`.
/// Its words are those of a package that is not the project's.
pub fn without_error_type(line: &str) -> &str {
    ERROR_TYPE
        .find(line)
        .map_or(line, |found| &line[found.end()..])
}

/// Returns the quoted texts of a sentence that may be messages: `it says "no such unit here"`.
pub fn quoted(line: &str) -> impl Iterator<Item = String> {
    QUOTED
        .captures_iter(line)
        .filter_map(|found| message(&found["message"]))
}

fn message(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST_MESSAGE).collect();
    (words(&text).count() >= FEWEST_WORDS).then_some(text)
}

/// Returns the share of a message's words that a text contains in runs of at least two, close together, and the byte of the
/// text at which the first run begins. One run has at least three words.
pub fn share_in(message: &[String], text: &str) -> Option<(f32, usize)> {
    let own: Vec<(usize, String)> = words(text)
        .map(|(at, word)| (at, word.to_lowercase()))
        .collect();
    let run = |from: usize, at: usize| {
        message[from..]
            .iter()
            .zip(&own[at..])
            .take_while(|(word, (_, own))| *word == own)
            .count()
    };
    let mut best: Option<(usize, usize)> = None;
    for (from, word) in message.iter().enumerate() {
        for at in (0..own.len()).filter(|at| own[*at].1 == *word) {
            let first = run(from, at);
            if first < SHORTEST_RUN {
                continue;
            }
            let (mut covered, mut longest) = (first, first);
            let (mut next, mut end) = (from + first, at + first);
            // The message continues after a placeholder.
            while next < message.len() {
                let until = (end + WIDEST_HOLE).min(own.len());
                let further = (next..message.len().min(next + WIDEST_HOLE)).find_map(|next| {
                    let start = (end..until).find(|start| run(next, *start) >= SHORTEST_RUN)?;
                    Some((next, start))
                });
                let Some((behind, start)) = further else {
                    break;
                };
                let length = run(behind, start);
                covered += length;
                longest = longest.max(length);
                (next, end) = (behind + length, start + length);
            }
            let is_message = longest >= FEWEST_WORDS.min(message.len());
            if is_message && best.is_none_or(|(most, _)| covered > most) {
                best = Some((covered, own[at].0));
            }
        }
    }
    let (covered, at) = best?;
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let share = covered as f32 / message.len() as f32;
    Some((share, at))
}

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[\w.$\\/<>-]* )*?(?:(?:[\w$]+[.\\:]+)*\w*(?:Error|Exception|Warning|Failure|Panic)\b|(?i:error|fatal|panic|failed|exception)(?:\[\w+\])?|panicked at)(?:: ?| ')(?P<message>.+)$",
    )
    .expect("a valid pattern")
});

static ERROR_TYPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[a-z][\w$]*\.)+[A-Z][\w$]*: +").expect("a valid pattern"));

static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["“`](?P<message>[^"”`]{12,200})["”`]"#).expect("a valid pattern")
});
