//! Which lines of a place are worth showing: its head, and those that have what was asked for.

use super::texts::FileText;
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

/// What a snippet is taken from.
pub struct Place<'a> {
    pub text: &'a FileText,
    pub start_line: u32,
    pub end_line: u32,
    /// The line that says what this is, if one does.
    pub head: Option<u32>,
}

/// The line that has most of the words, the first of equals; none if no line has any.
pub fn best_line(place: &Place<'_>, sought: &[Vec<&str>]) -> Option<u32> {
    let sought = Sought::new(sought);
    let scored = place.text.lines(place.start_line, place.end_line).map(|(line, text)| (sought.in_line(text), line));
    scored
        .filter(|(score, _)| *score > 0)
        .max_by_key(|(score, line)| (*score, std::cmp::Reverse(*line)))
        .map(|best| best.1)
}

/// `sought` are words in lower case, those together that are forms of one. With `context`, all lines that near the best
/// one instead of the best few.
pub fn snippet(place: &Place<'_>, sought: &[Vec<&str>], context: Option<u32>) -> Snippet {
    let lines: Vec<(u32, &str)> = place.text.lines(place.start_line, place.end_line).collect();
    let sought = Sought::new(sought);
    let scored: Vec<usize> = lines.iter().map(|(_, line)| sought.in_line(line)).collect();
    let best = (0..lines.len()).max_by_key(|at| (scored[*at], std::cmp::Reverse(*at)));
    if let Some(context) = context {
        let focus = best.filter(|best| scored[*best] > 0).map(|best| lines[best].0).or(place.head);
        let focus = focus.unwrap_or(place.start_line);
        let around = place.text.lines(focus.saturating_sub(context), focus.saturating_add(context));
        return Snippet::of(around);
    }
    let mut chosen: Vec<usize> = vec![];
    let head = place.head.and_then(|head| lines.iter().position(|(line, _)| *line == head));
    chosen.extend(head);
    let mut by_score: Vec<usize> = (0..lines.len()).filter(|at| scored[*at] > 0 && !chosen.contains(at)).collect();
    by_score.sort_by_key(|at| (std::cmp::Reverse(scored[*at]), *at));
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
struct Sought<'a> {
    /// In lower case, those together that are forms of one.
    words: &'a [Vec<&'a str>],
    /// By their length, which small letters they begin with, a bit each: nearly all words of a line are told apart by that.
    beginnings: [u32; LENGTHS],
    /// Whether one begins with anything else.
    any_other: bool,
}

/// All longer words are taken as of this length.
const LENGTHS: usize = 24;

impl<'a> Sought<'a> {
    fn new(words: &'a [Vec<&'a str>]) -> Self {
        let mut sought = Self { words, beginnings: [0; LENGTHS], any_other: false };
        for form in words.iter().flatten() {
            match letter(form) {
                Some(bit) => sought.beginnings[length(form)] |= bit,
                None => sought.any_other = true,
            }
        }
        sought
    }

    /// How many of the words a line has in any form, whole or as parts of names.
    fn in_line(&self, line: &str) -> usize {
        let mut found = 0_u64;
        for (_, word) in words(line) {
            for one in parts(word).map(|part| &word[part]).chain([word]).filter(|one| self.may_have(one)) {
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
        !word.is_ascii() || letter(word).map_or(self.any_other, |bit| self.beginnings[length(word)] & bit != 0)
    }
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
fn is_same(word: &str, lower: &str) -> bool {
    if word.is_ascii() { word.eq_ignore_ascii_case(lower) } else { word.to_lowercase() == lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/// Counts.\nfn count() {\n    let tokens = 1;\n\n    counted(tokens);\n    end();\n    far();\n    away();\n}\n";

    fn place(text: &FileText) -> Place<'_> {
        Place { text, start_line: 1, end_line: 9, head: Some(2) }
    }

    #[test]
    fn the_best_line_has_most_words_in_any_form() {
        let text = FileText::of(TEXT);
        let count = vec!["counts", "count", "counted"];
        // Forms of one word are one word.
        assert_eq!(best_line(&place(&text), std::slice::from_ref(&count)), Some(1));
        assert_eq!(best_line(&place(&text), &[count, vec!["tokens"]]), Some(5));
        assert_eq!(best_line(&place(&text), &[vec!["nowhere"]]), None);
    }

    #[test]
    fn the_head_and_the_best_lines_are_shown_then_what_follows() {
        let text = FileText::of(TEXT);
        assert_eq!(snippet(&place(&text), &[vec!["tokens"]], None).lines, [2, 3, 5, 6, 7, 8]);
        assert_eq!(snippet(&place(&text), &[vec!["away"]], Some(1)).lines, [7, 8, 9]);
        assert_eq!(snippet(&place(&text), &[vec!["nowhere"]], Some(0)).lines, [2]);
    }
}
