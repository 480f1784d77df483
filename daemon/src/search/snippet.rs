//! Which lines of a place are worth showing: its head, and those that have what was asked for.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::text_cache::FileText;
use crate::store::text::{parts, words};

/// Lines of a snippet, when nothing is said.
const LINES: usize = 6;
/// Longer lines are cut.
const LONGEST_LINE: usize = 240;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub lines: Vec<u32>,
}

/// The lines of a place, and how many of the words each has.
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
        sought: &WordMatcher<'_>,
    ) -> Self {
        let lines: Vec<(u32, &str)> = text.lines(start_line, end_line).collect();
        let scores = lines.iter().map(|(_, line)| sought.in_line(line)).collect();
        Self {
            text,
            lines,
            scores,
        }
    }

    /// The line that has most of the words, the first of equals; none if no line has any.
    pub fn best(&self) -> Option<u32> {
        let best =
            (0..self.lines.len()).max_by_key(|at| (self.scores[*at], std::cmp::Reverse(*at)))?;
        (self.scores[best] > 0).then(|| self.lines[best].0)
    }

    /// What is worth showing; `head` is the line that says what this is, if one does. With `context`, all lines that near
    /// the best one instead of the best few.
    pub fn snippet(&self, head: Option<u32>, context: Option<u32>) -> Snippet {
        let Self {
            text,
            lines,
            scores,
        } = self;
        if let Some(context) = context {
            let first = lines.first().map_or(1, |(line, _)| *line);
            let focus = self.best().or(head).unwrap_or(first);
            return Snippet::of(
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
        // Where little matches, what comes first says most.
        let mut next = head.unwrap_or(0);
        while chosen.len() < LINES.min(lines.len()) && next < lines.len() {
            if !chosen.contains(&next) && !lines[next].1.trim().is_empty() {
                chosen.push(next);
            }
            next += 1;
        }
        chosen.sort_unstable();
        Snippet::of(chosen.into_iter().map(|at| lines[at]))
    }
}

impl Snippet {
    fn of<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let mut snippet = Self::default();
        for (number, line) in lines {
            if !snippet.lines.is_empty() {
                snippet.text.push('\n');
            }
            snippet.text.push_str(&cut(line));
            snippet.lines.push(number);
        }
        snippet
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Words that are looked for in many lines.
pub struct WordMatcher<'a> {
    /// In lower case, those together that are forms of one.
    words: Vec<Vec<&'a str>>,
    /// Finds lines that may have one, much faster than they are taken apart. None where small letters are not all there is to
    /// it.
    anywhere: Option<AhoCorasick>,
    /// By their length, which small letters they begin with, a bit each: nearly all words of a line are told apart by that.
    beginnings: [u32; LENGTHS],
    /// Whether one begins with anything else.
    any_other: bool,
}

/// All longer words are taken as of this length.
const LENGTHS: usize = 24;
/// Less is at the beginning of too many words.
const SHORTEST_BEGINNING: usize = 3;

impl<'a> WordMatcher<'a> {
    /// Words in lower case, those together that are forms of one.
    pub fn new(words: Vec<Vec<&'a str>>) -> Self {
        let forms = || words.iter().flatten();
        // The other kinds find faster, but take longer to make than all lines of an answer take to be looked at. For the
        // same reason only what all forms of a word begin with is looked for.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let beginnings = words
            .iter()
            .flat_map(|forms| match shared_beginning(forms) {
                shared if shared.len() < SHORTEST_BEGINNING => forms.clone(),
                shared => vec![shared],
            });
        let anywhere = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(kind)
            .build(beginnings);
        let anywhere = anywhere
            .ok()
            .filter(|_| forms().all(|form| form.is_ascii()));
        let (mut beginnings, mut any_other) = ([0; LENGTHS], false);
        for form in forms() {
            match letter(form) {
                Some(bit) => beginnings[length(form)] |= bit,
                None => any_other = true,
            }
        }
        Self {
            words,
            anywhere,
            beginnings,
            any_other,
        }
    }

    /// How many of the words a line has in any form, whole or as parts of names.
    fn in_line(&self, line: &str) -> usize {
        // In lower case other letters may become plain ones.
        if line.is_ascii()
            && self
                .anywhere
                .as_ref()
                .is_some_and(|anywhere| !anywhere.is_match(line))
        {
            return 0;
        }
        let mut found = 0_u64;
        for (_, word) in words(line) {
            for one in parts(word)
                .map(|part| &word[part])
                .chain([word])
                .filter(|one| self.may_have(one))
            {
                for (at, forms) in self.words.iter().enumerate().take(64) {
                    if forms.iter().any(|form| is_same(one, form)) {
                        found |= 1 << at;
                    }
                }
            }
        }
        found.count_ones() as usize
    }

    fn may_have(&self, word: &str) -> bool {
        // In lower case it may be of another length.
        !word.is_ascii()
            || letter(word).map_or(self.any_other, |bit| {
                self.beginnings[length(word)] & bit != 0
            })
    }
}

/// What all of them begin with.
fn shared_beginning<'a>(forms: &[&'a str]) -> &'a str {
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

/// The bit of the letter that a word begins with.
fn letter(word: &str) -> Option<u32> {
    let first = word.as_bytes().first()?.to_ascii_lowercase();
    first.is_ascii_lowercase().then(|| 1 << (first - b'a'))
}

/// Whether a word is this one in lower case.
pub fn is_same(word: &str, lower: &str) -> bool {
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

    fn lines<'a>(text: &'a FileText, sought: &[&[&str]]) -> ScoredLines<'a> {
        ScoredLines::new(
            text,
            1,
            9,
            &WordMatcher::new(sought.iter().map(|forms| forms.to_vec()).collect()),
        )
    }

    #[test]
    fn the_best_line_has_most_words_in_any_form() {
        let text = FileText::from_text(TEXT);
        let count = &["counts", "count", "counted"][..];
        // Forms of one word are one word.
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
        // A part of a word is no word.
        assert_eq!(lines(&text, &[&["elvi"]]).best(), None);
    }

    #[test]
    fn the_head_and_the_best_lines_are_shown_then_what_follows() {
        let text = FileText::from_text(TEXT);
        let snippet =
            |word: &str, context| lines(&text, &[&[word]]).snippet(Some(2), context).lines;
        assert_eq!(snippet("tokens", None), [2, 3, 5, 6, 7, 8]);
        assert_eq!(snippet("away", Some(1)), [7, 8, 9]);
        assert_eq!(snippet("nowhere", Some(0)), [2]);
    }
}
