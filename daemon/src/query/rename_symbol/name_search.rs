//! Finds a name in a text as a whole word, by the identifiers of its language.

use regex::Regex;

use crate::lang::Naming;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordMatch {
    /// In bytes of the text.
    pub offset: usize,
    pub line: u32,
    /// In bytes of the line.
    pub column: u32,
}

pub struct NamePattern {
    name: String,
    /// Matches an identifier from its start.
    identifier: Option<Regex>,
    has_dollar: bool,
}

impl NamePattern {
    pub fn new(name: &str, naming: Option<&Naming>) -> Self {
        let identifier =
            naming.and_then(|naming| Regex::new(&format!("^(?:{})", naming.identifier)).ok());
        let has_dollar = identifier
            .as_ref()
            .is_none_or(|pattern| pattern.is_match("$a"));
        Self {
            name: name.to_owned(),
            identifier,
            has_dollar,
        }
    }

    /// Returns every match in a text that is not part of a longer name.
    pub fn find_all(&self, text: &str) -> Vec<WordMatch> {
        let mut matches = vec![];
        let mut start = 0;
        for (line, content) in (1..).zip(text.split_inclusive('\n')) {
            for (column, _) in content.match_indices(&*self.name) {
                if self.is_whole_word(content, column) {
                    matches.push(WordMatch {
                        offset: start + column,
                        line,
                        column: u32::try_from(column).unwrap_or(u32::MAX),
                    });
                }
            }
            start += content.len();
        }
        matches
    }

    fn is_whole_word(&self, line: &str, column: usize) -> bool {
        let is_part =
            |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$' && self.has_dollar;
        let begins_alone = !self.name.starts_with(is_part) || !line[..column].ends_with(is_part);
        let rest = &line[column..];
        let longest = self
            .identifier
            .as_ref()
            .and_then(|pattern| pattern.find(rest))
            .map_or(0, |identifier| identifier.end());
        let goes_on = self.name.ends_with(is_part) && rest[self.name.len()..].starts_with(is_part);
        begins_alone && !goes_on && longest <= self.name.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        for (language, name, text, columns) in [
            ("rust", "run", "run(); rerun(); run2; run", vec![0, 22]),
            ("haskell", "go", "go x = go' (go x)", vec![0, 12]),
            ("haskell", "go'", "go x = go' (go x)", vec![7]),
            ("javascript", "el", "el $el el$ el", vec![0, 11]),
            ("php", "name", "$name->name", vec![1, 7]),
            ("ruby", "empty?", "a.empty? b.empty", vec![2]),
            (
                "bash",
                "do-thing",
                "do-thing; other do-thing-2",
                vec![0, 16],
            ),
            ("rust", "größe", "die größe größer", vec![4]),
        ] {
            let facts = lang::by_name(language).and_then(|language| language.facts.as_ref());
            let pattern = NamePattern::new(name, Some(&facts.expect(language).naming));
            let found: Vec<u32> = pattern
                .find_all(text)
                .iter()
                .map(|word| word.column)
                .collect();
            assert_eq!(found, columns, "{name} in {text}");
        }
        let pattern = NamePattern::new("b", None);
        assert_eq!(
            pattern.find_all("a\r\nä b\n b")[1],
            WordMatch {
                offset: 9,
                line: 3,
                column: 1
            }
        );
    }
}
