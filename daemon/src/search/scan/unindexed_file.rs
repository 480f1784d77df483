//! Matches keyword queries against whole files that are not indexed.

use crate::index::prepare::language_of;
use crate::lang::{self, Language};
use crate::search::path_term::PathTerm;
use crate::search::syntax::{Field, MatchTarget};
use crate::store::text::{parts, words as words_of};

/// A whole file as a keyword query sees it, by its path and text alone.
pub struct UnindexedFile<'a> {
    path: &'a str,
    language: Option<&'static Language>,
    /// In lower case, with single spaces.
    text: String,
    /// In lower case, with the parts of names; sorted.
    words: Vec<String>,
}

impl<'a> UnindexedFile<'a> {
    pub fn new(path: &'a str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut words: Vec<String> = vec![];
        for (_, word) in words_of(&text) {
            words.extend(parts(word).map(|part| word[part].to_lowercase()));
            words.push(word.to_lowercase());
        }
        words.sort_unstable();
        words.dedup();
        Self {
            path,
            language: language_of(path, bytes),
            text: normalized(&text),
            words,
        }
    }

    fn has_word(&self, word: &str) -> bool {
        let order = |own: &String| own.as_str().cmp(word);
        self.words.binary_search_by(order).is_ok()
    }

    fn has_text(&self, text: &str) -> bool {
        let lower = normalized(text);
        let mut words = words_of(&lower);
        if let (Some((_, word)), None) = (words.next(), words.next()) {
            // Punctuation around a word is not searched for: `main()`.
            self.has_word(word)
        } else {
            let is_sign = |sign: char| !sign.is_alphanumeric() && sign != '_';
            self.text.contains(lower.trim_matches(is_sign))
        }
    }
}

impl MatchTarget for UnindexedFile<'_> {
    /// The kinds of its symbols are not known.
    fn knows(&self, field: Field) -> bool {
        field != Field::Kind
    }

    fn word(&self, field: Field, word: &str) -> bool {
        match field {
            Field::Any => {
                self.has_text(word) || self.path.to_lowercase().contains(&word.to_lowercase())
            }
            Field::Content => self.has_text(word),
            // Names that the file defines are in its text, those of containers elsewhere: `Parser::next`.
            Field::Symbol => {
                let lower = word.to_lowercase();
                words_of(&lower).all(|(_, word)| self.has_word(word))
            }
            Field::Path => PathTerm::new(word).is_ok_and(|term| term.matches(self.path)),
            Field::Language => self
                .language
                .is_some_and(|own| lang::by_name(word).is_some_and(|named| named.id == own.id)),
            Field::Kind => true,
        }
    }

    fn phrase(&self, field: Field, words: &str) -> bool {
        self.word(field, words)
    }
}

fn normalized(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::syntax::parse;

    #[test]
    fn no_filter_hides_a_file_that_may_match() {
        let text = b"#!/bin/sh\nmain(one) { vec![foo->bar()]; }\n";
        let file = UnindexedFile::new("bin/run", text);
        for (query, is_match) in [
            ("lang:bash", true),
            ("lang:rust", false),
            ("main AND NOT lang:rust", true),
            ("main AND kind:function", true),
            ("main AND NOT kind:function", true),
            ("bar AND NOT (main AND kind:function)", true),
            ("other AND NOT kind:function", false),
            ("+main()", true),
            ("+vec!", true),
            ("+foo->bar()", true),
            ("+foo->baz()", false),
            ("+mai()", false),
            ("symbol:foo.bar", true),
            ("symbol:bar::main", true),
            ("symbol:bar::other", false),
        ] {
            let expression = parse(query).expect("a query");
            assert_eq!(expression.matches(&file), is_match, "{query}");
        }
    }
}
