//! Texts that every match of a pattern contains, so that most files need not be parsed. `errors.Is($A, $B)` requires `errors`,
//! `.`, `Is` and `(` in this order, with nothing between them but tokens that matching skips.

use std::ops::Range;

use super::reading::PatternNode;
use crate::extract::compiled::compiled;
use crate::lang::Language;

/// A shorter text is in almost every file: `if`, `}`.
const SHORTEST: usize = 3;
/// White space, punctuation and bytes of non-ASCII characters.
const SIGN: &str = "[^0-9A-Za-z_]";

/// Returns regular expressions for bytes, the longest text first. Each covers a run of tokens without a hole.
pub(super) fn required_texts(language: &'static Language, pattern: &PatternNode) -> Vec<String> {
    let mut runs = vec![vec![]];
    collect_runs(pattern, &mut runs);
    runs.retain(|run| length(run) >= SHORTEST);
    runs.sort_by_key(|run| std::cmp::Reverse(length(run)));
    let between = format!("(?:{})*", skippable(language).join("|"));
    let quoted = runs.iter().map(|run| {
        let tokens = run.iter().map(|token| quote(token));
        tokens.collect::<Vec<_>>().join(&between)
    });
    quoted.collect()
}

/// Returns the longest text of a token that every match of a pattern contains.
pub(super) fn longest_token(pattern: &PatternNode) -> Option<&str> {
    let mut runs = vec![vec![]];
    collect_runs(pattern, &mut runs);
    runs.into_iter().flatten().max_by_key(|token| token.len())
}

/// The places of a text in a file.
pub(super) struct TextPlaces {
    starts: Vec<usize>,
    length: usize,
}

impl TextPlaces {
    /// Finds a text, which is not empty, also where it overlaps with itself.
    pub fn find(text: &str, sought: &str) -> Self {
        let finder = memchr::memmem::Finder::new(sought);
        let (mut starts, mut from) = (vec![], 0);
        while let Some(at) = text
            .as_bytes()
            .get(from..)
            .and_then(|rest| finder.find(rest))
        {
            starts.push(from + at);
            from += at + 1;
        }
        Self {
            starts,
            length: sought.len(),
        }
    }

    pub fn is_in(&self, range: &Range<usize>) -> bool {
        let first = self.starts.partition_point(|start| *start < range.start);
        let first = self.starts.get(first);
        first.is_some_and(|start| start + self.length <= range.end)
    }
}

fn length(run: &[&str]) -> usize {
    run.iter().map(|token| token.len()).sum()
}

fn collect_runs<'a>(pattern: &'a PatternNode, runs: &mut Vec<Vec<&'a str>>) {
    match pattern {
        PatternNode::One(_) | PatternNode::Many(_) | PatternNode::Tokens(_) => runs.push(vec![]),
        // A line break may stand for it.
        PatternNode::Token { text, .. } if text.trim() == ";" => {}
        PatternNode::Token { text, .. } => {
            if let Some(run) = runs.last_mut().filter(|_| !text.trim().is_empty()) {
                run.push(text.trim());
            }
        }
        PatternNode::Node { children, .. } => {
            for child in children {
                collect_runs(child, runs);
            }
        }
    }
}

/// Returns regular expressions for the text that matching skips between two tokens: punctuation, keywords, comments.
fn skippable(language: &'static Language) -> Vec<String> {
    let mut all = vec![SIGN.to_owned()];
    let lexis = &language.lexis;
    all.extend((lexis.line_comments.iter()).map(|open| format!("{}[^\\n]*", quote(open))));
    all.extend(
        (lexis.block_comments.iter())
            .map(|(open, close)| format!("{}(?s:.*?){}", quote(open), quote(close))),
    );
    if let Some(compiled) = compiled(language) {
        let kinds = 0..u16::try_from(compiled.grammar.node_kind_count()).unwrap_or(u16::MAX);
        let words = kinds
            .filter(|kind| !compiled.grammar.node_kind_is_named(*kind))
            .filter_map(|kind| compiled.grammar.node_kind_for_id(kind))
            .filter(|word| word.contains(|sign: char| sign.is_alphanumeric()));
        all.extend(words.map(quote));
    }
    all
}

fn quote(text: &str) -> String {
    format!("(?u:{})", regex::escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn texts(language: &str, pattern: &str) -> Vec<regex::bytes::Regex> {
        let language = lang::by_name(language).expect("a language");
        let pattern =
            PatternNode::parse(language, pattern).unwrap_or_else(|problem| panic!("{problem:?}"));
        let texts = required_texts(language, &pattern);
        let texts = texts.iter().map(|text| {
            let builder = regex::bytes::RegexBuilder::new(text).unicode(false).build();
            builder.expect("a regular expression")
        });
        texts.collect()
    }

    #[test]
    fn a_text_is_found_where_it_overlaps_with_itself() {
        let places = TextPlaces::find("aaab", "aa");
        assert!(places.is_in(&(0..4)) && places.is_in(&(1..3)) && !places.is_in(&(2..4)));
    }

    #[test]
    fn tokens_have_only_signs_keywords_and_comments_between_them() {
        let found = texts("go", "if err != nil { return $X }");
        assert_eq!(found.len(), 1);
        for (text, expected) in [
            ("if err != nil {\n\treturn err\n}", true),
            (
                "if err /* one */ != nil { // two three\n\treturn err }",
                true,
            ),
            ("if other != nil {\n\treturn err\n}", false),
            ("if err != nil {\n\tlog(err)\n\treturn err\n}", false),
        ] {
            assert_eq!(found[0].is_match(text.as_bytes()), expected, "{text}");
        }
        let found = texts("cpp", "delete $X;");
        assert!(found[0].is_match(b"delete[] a;"));
        let found = texts("javascript", "f('größe', $X)");
        assert!(
            found[0].is_match("f( 'größe' , 1)".as_bytes()) && !found[0].is_match(b"f('g', 1)")
        );
        let found = texts("go", "errors.Is($A, $B)");
        assert!(!found[0].is_match(b"errors.New(Is(a, b))"));
    }
}
