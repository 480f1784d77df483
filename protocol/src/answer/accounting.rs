//! The sum over all occurrences of a symbol's name: which are its uses, and what the others are.

use serde::{Deserialize, Serialize};

use crate::text::Line;

/// Other symbols that the text names; the rest is counted.
const SYMBOLS_SHOWN: usize = 3;

/// Every occurrence of a name as a whole word in the indexed files, by its meaning. The numbers add up to `total`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounting {
    pub total: u64,
    /// Listed as references.
    pub uses: u64,
    /// Those of them that are of low confidence.
    pub doubtful: u64,
    /// Definitions of the symbol.
    pub definitions: u64,
    /// Definitions and uses of other symbols that have the name.
    pub other_symbols: u64,
    /// Parameters and variables of functions.
    pub locals: u64,
    /// Names from outside of the project.
    pub external: u64,
    /// Words in comments, strings, prose and other languages.
    pub text: u64,
    /// Code that may or may not mean the symbol.
    pub unknown: u64,
    /// Names that are too many to resolve in the time of a call.
    pub not_examined: u64,
    /// Files with the name that were not read: their occurrences are not in `total`.
    pub unread_files: u64,
    /// The other symbols, those with most occurrences first.
    pub symbols: Vec<NamesakeCount>,
}

/// A symbol that has the name too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamesakeCount {
    pub qualified: String,
    pub path: String,
    pub line: u32,
    pub occurrences: u64,
}

impl Accounting {
    /// Returns whether no other occurrence can mean the symbol.
    pub fn is_complete(&self) -> bool {
        [
            self.doubtful,
            self.unknown,
            self.not_examined,
            self.unread_files,
        ]
        .iter()
        .all(|count| *count == 0)
    }

    /// `52 occurrences of the name: 41 uses, 2 definitions, 8 of v3.ZodError (src/v3/error.ts:12), 1 unknown`.
    pub fn line(&self) -> Line {
        let counts = [
            (self.uses, "use"),
            (self.definitions, "definition"),
            (self.locals, "local variable"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, noun)| Line::new().count(*count, noun));
        let named = self.symbols.iter().take(SYMBOLS_SHOWN).map(|one| {
            Line::new()
                .number(one.occurrences)
                .text(" of ")
                .name(&one.qualified)
                .text(" (")
                .location(&one.path, one.line, one.line)
                .text(")")
        });
        let shown: u64 = self
            .symbols
            .iter()
            .take(SYMBOLS_SHOWN)
            .map(|one| one.occurrences)
            .sum();
        let rest = [
            (
                self.other_symbols - shown.min(self.other_symbols),
                "of other symbols",
            ),
            (self.external, "of other packages"),
            (self.text, "in comments, strings and prose"),
            (self.not_examined, "not examined"),
        ];
        let rest = rest.iter().filter(|(count, _)| *count > 0);
        let rest = rest.map(|(count, of)| Line::new().number(*count).text(format!(" {of}")));
        let unknown = Line::new().number(self.unknown).text(" unknown");
        let parts = counts.chain(named).chain(rest).chain([unknown]);
        let line = Line::new()
            .count(self.total, "occurrence")
            .text(" of the name: ")
            .line(Line::join(parts, ", "));
        match self.unread_files {
            0 => line,
            unread => line.text("; ").count(unread, "file").text(" not read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_every_part_that_is_there() {
        let mut accounting = Accounting {
            total: 57,
            uses: 41,
            definitions: 1,
            other_symbols: 8,
            external: 3,
            text: 4,
            symbols: vec![NamesakeCount {
                qualified: "v3.ZodError".to_owned(),
                path: "src/v3/error.ts".to_owned(),
                line: 12,
                occurrences: 7,
            }],
            ..Accounting::default()
        };
        insta::assert_snapshot!(
            accounting.line().to_string(),
            @"57 occurrences of the name: 41 uses, 1 definition, 7 of v3.ZodError (src/v3/error.ts:12), 1 of other symbols, 3 of other packages, 4 in comments, strings and prose, 0 unknown"
        );
        assert!(accounting.is_complete());
        accounting.unread_files = 2;
        assert!(
            accounting
                .line()
                .to_string()
                .ends_with("; 2 files not read")
        );
        assert!(!accounting.is_complete());
    }
}
