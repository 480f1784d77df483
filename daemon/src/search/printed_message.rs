//! Recognises a message that a program printed with values in it: the source of `fixture 'foo' not found` is
//! `fixture '{name}' not found`, so `foo` says little about where it comes from.

use std::ops::Range;

use super::stop_words::is_stop_word;
use crate::store::text::words;

/// A message with fewer words beside its values says too little.
const FEWEST_WORDS: usize = 2;
/// The most words of a source in the place of a value: the expression that gives it.
const WIDEST_VALUE: usize = 8;
/// Words that begin a question.
const QUESTIONS: &[&str] = &[
    "how", "what", "where", "why", "when", "which", "who", "does", "is", "are", "can",
];

/// A message in its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct PrintedMessage {
    /// The byte of the query at which the message begins, behind the sign of a test runner.
    start: usize,
    /// The words between the values, in lower case.
    fixed: Vec<Vec<String>>,
    /// The bytes of the query that are values.
    values: Vec<Range<usize>>,
}

impl PrintedMessage {
    /// Parses a query; none if it is a question, or has no values.
    pub fn parse(query: &str) -> Option<Self> {
        if is_question(query) || query.contains('\n') {
            return None;
        }
        let values = values(query);
        let mut fixed: Vec<Vec<String>> = vec![];
        let start = without_marker(query);
        let mut from = start;
        let ends = values.iter().map(|value| (value.start, value.end));
        for (end, next) in ends.chain([(query.len(), query.len())]) {
            let between = words(query.get(from..end).unwrap_or_default());
            let between: Vec<String> = between.map(|(_, word)| word.to_lowercase()).collect();
            if !between.is_empty() {
                fixed.push(between);
            }
            from = next;
        }
        let has_sense = fixed.iter().flatten().any(|word| !is_stop_word(word));
        let is_message = fixed.iter().map(Vec::len).sum::<usize>() >= FEWEST_WORDS;
        (!values.is_empty() && has_sense && is_message).then_some(Self {
            start,
            fixed,
            values,
        })
    }

    /// Returns whether a byte of the query is before the message.
    pub fn is_before(&self, at: usize) -> bool {
        at < self.start
    }

    /// Returns whether a byte of the query is in a value.
    pub fn is_in_value(&self, at: usize) -> bool {
        self.values.iter().any(|value| value.contains(&at))
    }

    /// Returns the share of the words between the values that a text has in their order, with no more between two runs of them
    /// than an expression.
    pub fn share_in(&self, text: &str) -> f32 {
        let own: Vec<String> = words(text).map(|(_, word)| word.to_lowercase()).collect();
        let begin = |run: usize, at: usize| own[at] == self.fixed[run][0];
        let starts = (0..self.fixed.len()).flat_map(|run| (0..own.len()).map(move |at| (run, at)));
        let covered = starts
            .filter(|(run, at)| begin(*run, *at))
            .map(|(run, at)| self.covered_from(run, at, &own));
        let all: usize = self.fixed.iter().map(Vec::len).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few words")]
        let share = covered.max().unwrap_or(0) as f32 / all as f32;
        share
    }

    /// Counts the words of the message that follow each other in a text, from the beginning of a run on.
    fn covered_from(&self, first: usize, at: usize, own: &[String]) -> usize {
        let (mut end, mut covered) = (at, 0);
        for (number, run) in self.fixed[first..].iter().enumerate() {
            let until = if number == 0 {
                end + 1
            } else {
                (end + WIDEST_VALUE + 1).min(own.len())
            };
            let longest = (end..until)
                .map(|at| (common_length(run, &own[at..]), at))
                .max_by_key(|(length, at)| (*length, std::cmp::Reverse(*at)));
            if let Some((length, at)) = longest.filter(|(length, _)| *length > 0) {
                covered += length;
                end = at + length;
            }
        }
        covered
    }
}

fn common_length(run: &[String], own: &[String]) -> usize {
    let pairs = run.iter().zip(own);
    pairs.take_while(|(word, own)| word == own).count()
}

/// Returns whether a text asks something.
pub fn is_question(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    text.trim_end().ends_with('?') || QUESTIONS.contains(&first.to_lowercase().as_str())
}

/// Returns the bytes of texts in quotes or brackets, of options, and of absolute paths: `[App\Cart]`, `<GET /cart>`. Names in
/// backticks are what a sentence is about.
fn values(query: &str) -> Vec<Range<usize>> {
    let mut found = vec![];
    let mut at = 0;
    let mut before = ' ';
    while let Some(sign) = query[at..].chars().next() {
        let rest = &query[at + sign.len_utf8()..];
        let length = match sign {
            '\'' | '"' | '“' if !before.is_alphanumeric() => quoted_length(sign, rest),
            '[' | '<' if at > 0 && before.is_whitespace() => {
                quoted_length(sign, rest).filter(|_| !rest.starts_with(char::is_whitespace))
            }
            '/' | '-' if before.is_whitespace() || "=:(".contains(before) => {
                let word = query[at..].split_whitespace().next().unwrap_or_default();
                let is_value = word.len() > 2 && (sign == '/' || word.starts_with("--"));
                is_value.then_some(word.len() - sign.len_utf8())
            }
            _ => None,
        };
        let end = at + sign.len_utf8() + length.unwrap_or(0);
        if length.is_some() {
            found.push(at..end);
        }
        before = query[at..end].chars().next_back().unwrap_or(sign);
        at = end;
    }
    found
}

/// Returns the length of a quoted text with its closing quote; none if it is not closed, or the quote is an apostrophe.
fn quoted_length(open: char, rest: &str) -> Option<usize> {
    let close = match open {
        '“' => '”',
        '[' => ']',
        '<' => '>',
        same => same,
    };
    let ends = rest.match_indices(close);
    let mut ends = ends.map(|(at, quote)| (at, at + quote.len()));
    let (_, end) = ends.find(|(at, end)| {
        let is_apart = !rest[*end..].starts_with(char::is_alphanumeric);
        *at > 0 && is_apart
    })?;
    Some(end)
}

/// Returns where a message begins behind the sign of a test runner: `E       fixture …`.
fn without_marker(query: &str) -> usize {
    let text = query.trim_start();
    let indent = query.len() - text.len();
    match text.strip_prefix("E ") {
        Some(rest) => query.len() - rest.trim_start().len(),
        None => indent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(query: &str) -> Vec<String> {
        let message = PrintedMessage::parse(query);
        let fixed = message.map(|message| message.fixed).unwrap_or_default();
        fixed.into_iter().map(|run| run.join(" ")).collect()
    }

    #[test]
    fn values_stand_in_quotes_and_brackets_or_are_options_and_paths() {
        for (query, expected) in [
            (
                "E       fixture 'foo' not found",
                vec!["fixture", "not found"],
            ),
            (
                "Failed to lookup view \"index\" in views directory \"/app/views\"",
                vec!["failed to lookup view", "in views directory"],
            ),
            ("Missing queryFn: '[\"todos\"]'", vec!["missing queryfn"]),
            (
                "the argument '--a' can't be used with '--b'",
                vec!["the argument", "can t be used with"],
            ),
            (
                "found no collectors for /tmp/x.py",
                vec!["found no collectors for"],
            ),
            (
                "unexpected argument --color found",
                vec!["unexpected argument", "found"],
            ),
            (
                "Target class [App\\Cart] does not exist.",
                vec!["target class", "does not exist"],
            ),
            (
                "Crawled 200 <GET https://a.b/c> twice",
                vec!["crawled 200", "twice"],
            ),
            ("[shop] cart is empty", vec![]),
            ("if a < b and c > d holds", vec![]),
            ("don't parse the user's input", vec![]),
            ("where is \"index\" looked up in a view", vec![]),
            ("the `Parser` skips a token", vec![]),
            ("\"token stream\"", vec![]),
            ("in \"a\" the", vec![]),
            ("read/write lock - how", vec![]),
        ] {
            assert_eq!(fixed(query), expected, "{query}");
        }
    }

    #[test]
    fn a_source_has_expressions_in_the_place_of_values() {
        let message = PrintedMessage::parse("fixture 'foo' not found").expect("a message");
        for (text, expected) in [
            ("msg = f\"fixture '{self.argname}' not found\"", 1.0),
            ("\"fixture '\" + name + \"' not found\"", 1.0),
            ("foo is not found", 2.0 / 3.0),
            ("found: fixture", 1.0 / 3.0),
        ] {
            assert!((message.share_in(text) - expected).abs() < 0.01, "{text}");
        }
        let query = "Failed to lookup view \"index\" in views directory \"/app\"";
        let message = PrintedMessage::parse(query).expect("a message");
        let share = message.share_in("'Failed to lookup view \"' + name + '\" in views ' + dirs");
        assert!((share - 6.0 / 7.0).abs() < 0.01, "{share}");
        assert!(message.is_in_value(query.find("index").expect("given")));
        assert!(!message.is_in_value(query.find("views").expect("given")));
    }
}
