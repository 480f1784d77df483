//! Chooses the lines of a result that are shown: its head, and those with words of the query.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use claudevil_protocol::text::truncate;

use super::text_cache::FileText;
use crate::store::text::{parts, words};

/// The number of lines of a snippet without `context`.
const LINES: usize = 6;
/// Longer lines are cut.
const LONGEST_LINE: usize = 240;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub lines: Vec<u32>,
}

/// A range of lines, and how many of the words each has.
pub struct ScoredLines<'a> {
    text: &'a FileText,
    lines: Vec<(u32, &'a str)>,
    scores: Vec<usize>,
}

impl<'a> ScoredLines<'a> {
    pub fn new(
        text: &'a FileText,
        start_line: u32,
        end_line: u32,
        matcher: &WordMatcher<'_>,
    ) -> Self {
        let lines: Vec<(u32, &str)> = text.lines(start_line, end_line).collect();
        let scores = lines
            .iter()
            .map(|(_, line)| matcher.count_in(line))
            .collect();
        Self {
            text,
            lines,
            scores,
        }
    }

    /// Returns the line with the most words, the first of equals; `None` if no line has any.
    pub fn best(&self) -> Option<u32> {
        let best =
            (0..self.lines.len()).max_by_key(|at| (self.scores[*at], std::cmp::Reverse(*at)))?;
        (self.scores[best] > 0).then(|| self.lines[best].0)
    }

    /// Chooses the lines to show. `head` is the line with the declaration, if there is one. With `context`, that many lines
    /// before and after the best one are shown instead of the best few.
    pub fn snippet(&self, head: Option<u32>, context: Option<u32>) -> Snippet {
        let Self {
            text,
            lines,
            scores,
        } = self;
        if let Some(context) = context {
            let first = lines.first().map_or(1, |(line, _)| *line);
            let focus = self.best().or(head).unwrap_or(first);
            return Snippet::from_lines(
                text.lines(focus.saturating_sub(context), focus.saturating_add(context)),
            );
        }
        let mut chosen: Vec<usize> = vec![];
        let head = head.and_then(|head| lines.iter().position(|(line, _)| *line == head));
        chosen.extend(head);
        let mut by_score: Vec<usize> = (0..lines.len())
            .filter(|at| scores[*at] > 0 && !chosen.contains(at))
            .collect();
        by_score.sort_by_key(|at| (std::cmp::Reverse(scores[*at]), *at));
        chosen.extend(by_score.into_iter().take(LINES - chosen.len()));
        // If few lines match, the first lines are the most informative.
        let mut next = head.unwrap_or(0);
        while chosen.len() < LINES.min(lines.len()) && next < lines.len() {
            if !chosen.contains(&next) && !lines[next].1.trim().is_empty() {
                chosen.push(next);
            }
            next += 1;
        }
        chosen.sort_unstable();
        Snippet::from_lines(chosen.into_iter().map(|at| lines[at]))
    }
}

impl Snippet {
    fn from_lines<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let mut snippet = Self::default();
        for (number, line) in lines {
            if !snippet.lines.is_empty() {
                snippet.text.push('\n');
            }
            snippet.text.push_str(&truncate(line, LONGEST_LINE));
            snippet.lines.push(number);
        }
        snippet
    }
}

/// Finds the words of a query in lines.
pub struct WordMatcher<'a> {
    /// In lower case; the forms of one word are together.
    words: Vec<Vec<&'a str>>,
    /// Rejects most lines without a word, much faster than splitting them into words. `None` if a form is not ASCII.
    prefilter: Option<AhoCorasick>,
    /// The first letters of the forms, one bit each, by the length of the form: rejects most words of a line.
    first_letters: [u32; LENGTHS],
    /// Says whether a form begins with something other than an ASCII letter.
    has_other: bool,
}

/// The number of lengths that are distinguished; longer words count as the longest.
const LENGTHS: usize = 24;
/// Shorter prefixes match too many words.
const SHORTEST_PREFIX: usize = 3;

impl<'a> WordMatcher<'a> {
    /// Takes words in lower case; the forms of one word are together.
    pub fn new(words: Vec<Vec<&'a str>>) -> Self {
        let forms = || words.iter().flatten();
        // Other kinds of automata search faster, but take longer to build than searching all lines of an answer takes. For the
        // same reason only the common prefix of a word's forms is searched for.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let prefixes = words.iter().flat_map(|forms| match common_prefix(forms) {
            shared if shared.len() < SHORTEST_PREFIX => forms.clone(),
            shared => vec![shared],
        });
        let prefilter = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(kind)
            .build(prefixes);
        let prefilter = prefilter
            .ok()
            .filter(|_| forms().all(|form| form.is_ascii()));
        let (mut first_letters, mut has_other) = ([0; LENGTHS], false);
        for form in forms() {
            match letter(form) {
                Some(bit) => first_letters[length(form)] |= bit,
                None => has_other = true,
            }
        }
        Self {
            words,
            prefilter,
            first_letters,
            has_other,
        }
    }

    /// Counts the words that a line has.
    fn count_in(&self, line: &str) -> usize {
        self.found_in(line).count_ones() as usize
    }

    /// Returns the words that a line has in any form, whole or as parts of names: one bit for each of the first 64.
    pub fn found_in(&self, line: &str) -> u64 {
        // Lowercasing a non-ASCII letter may give an ASCII letter: the Kelvin sign.
        if line.is_ascii()
            && self
                .prefilter
                .as_ref()
                .is_some_and(|prefilter| !prefilter.is_match(line))
        {
            return 0;
        }
        let mut found = 0_u64;
        for (_, word) in words(line) {
            for one in parts(word)
                .map(|part| &word[part])
                .chain([word])
                .filter(|one| self.may_match(one))
            {
                for (at, forms) in self.words.iter().enumerate().take(64) {
                    if forms.iter().any(|form| equals_lower(one, form)) {
                        found |= 1 << at;
                    }
                }
            }
        }
        found
    }

    fn may_match(&self, word: &str) -> bool {
        // Its lower case may differ in length.
        !word.is_ascii()
            || letter(word).map_or(self.has_other, |bit| {
                self.first_letters[length(word)] & bit != 0
            })
    }
}

/// Returns the longest prefix of all forms.
fn common_prefix<'a>(forms: &[&'a str]) -> &'a str {
    let shared = |one: &'a str, other: &str| {
        let ends = one
            .char_indices()
            .zip(other.chars())
            .find(|((_, letter), its)| letter != its);
        &one[..ends.map_or(one.len().min(other.len()), |((at, _), _)| at)]
    };
    let mut forms = forms.iter();
    let first = forms.next().copied().unwrap_or_default();
    forms.fold(first, |so_far, form| shared(so_far, form))
}

fn length(word: &str) -> usize {
    word.len().min(LENGTHS - 1)
}

/// Returns the bit of a word's first letter, if that is an ASCII letter.
fn letter(word: &str) -> Option<u32> {
    let first = word.as_bytes().first()?.to_ascii_lowercase();
    first.is_ascii_lowercase().then(|| 1 << (first - b'a'))
}

/// Compares a word in any case with one in lower case.
pub fn equals_lower(word: &str, lower: &str) -> bool {
    if word.is_ascii() {
        word.eq_ignore_ascii_case(lower)
    } else {
        word.to_lowercase() == lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/// Counts.\nfn count() {\n    let tokens = 1;\n\n    counted(tokens);\n    end();\n    far();\n    away();\n}\n";

    fn lines<'a>(text: &'a FileText, words: &[&[&str]]) -> ScoredLines<'a> {
        ScoredLines::new(
            text,
            1,
            9,
            &WordMatcher::new(words.iter().map(|forms| forms.to_vec()).collect()),
        )
    }

    #[test]
    fn the_best_line_has_most_words_in_any_form() {
        let text = FileText::from_text(TEXT);
        let count = &["counts", "count", "counted"][..];
        // All forms of a word count as one word.
        assert_eq!(lines(&text, &[count]).best(), Some(1));
        assert_eq!(lines(&text, &[count, &["tokens"]]).best(), Some(5));
        assert_eq!(lines(&text, &[&["nowhere"]]).best(), None);
        assert_eq!(lines(&text, &[]).best(), None);
    }

    #[test]
    fn letters_of_any_kind_are_found_in_any_case() {
        let text = FileText::from_text("let a = 1;\nlet GrößeMax = 2;\n// Kelvin: \u{212A}ELVIN\n");
        assert_eq!(lines(&text, &[&["größe"]]).best(), Some(2));
        assert_eq!(lines(&text, &[&["kelvin"]]).best(), Some(3));
        // A part of a word does not count as the word.
        assert_eq!(lines(&text, &[&["elvi"]]).best(), None);
    }

    #[test]
    fn a_snippet_has_the_head_the_best_lines_and_those_that_follow() {
        let text = FileText::from_text(TEXT);
        let snippet =
            |word: &str, context| lines(&text, &[&[word]]).snippet(Some(2), context).lines;
        assert_eq!(snippet("tokens", None), [2, 3, 5, 6, 7, 8]);
        assert_eq!(snippet("away", Some(1)), [7, 8, 9]);
        assert_eq!(snippet("nowhere", Some(0)), [2]);
    }
}
