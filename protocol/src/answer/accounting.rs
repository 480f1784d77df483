//! Counts every occurrence of a symbol's name by its meaning: uses, definitions, other symbols, words in text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::words;
use crate::text::Line;

/// Maximum number of other symbols, and of packages, that the text names; the rest are only counted.
const SHOWN: usize = 3;

/// Every occurrence of a name as a whole word in the indexed files, by its meaning. The numbers add up to `total`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Names from outside the project.
    pub external: u64,
    /// Words in comments, strings, prose and other languages.
    pub text: u64,
    /// Code that may or may not mean the symbol.
    pub unknown: u64,
    /// Names that are too many to resolve in the time of a call.
    pub not_examined: u64,
    /// Files with the name that were not read: their occurrences are not in `total`.
    pub unread_files: u64,
    /// Files of code that are not indexed, such as generated ones: they may have the name, and were not searched.
    pub unindexed_files: u64,
    /// The other symbols, those with most occurrences first.
    pub symbols: Vec<NamesakeCount>,
    /// The packages of `external`, those with most occurrences first.
    pub packages: Vec<PackageCount>,
    /// Every occurrence, in the order of files and lines, where they are asked for.
    pub places: Option<Vec<OccurrencePlace>>,
}

/// A package outside the project that the name is used of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageCount {
    /// None where only that it is outside is known.
    pub package: Option<String>,
    /// The evidence for it: `imported`, `resolved by rust-analyzer`.
    pub reason: String,
    pub occurrences: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OccurrencePlace {
    pub path: String,
    pub line: u32,
    /// 1-based, in bytes.
    pub column: u32,
    pub kind: OccurrenceKind,
}

words! {
    OccurrenceKind {
        Use = "use",
        Definition = "definition",
        OtherSymbol = "other_symbol",
        Local = "local",
        External = "external",
        Text = "text",
        Unknown = "unknown",
        NotExamined = "not_examined",
    }
}

/// A symbol that has the name too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            self.unindexed_files,
        ]
        .iter()
        .all(|count| *count == 0)
    }

    /// Returns e.g. `52 occurrences of the name: 41 uses, 2 definitions, 8 of v3.ZodError (src/v3/error.ts:12), 1 unknown`.
    pub fn line(&self) -> Line {
        self.line_naming(SHOWN)
    }

    /// Returns the same without the names of other symbols and packages.
    pub fn short_line(&self) -> Line {
        self.line_naming(0)
    }

    fn line_naming(&self, shown: usize) -> Line {
        let counts = [
            (self.uses, "use"),
            (self.definitions, "definition"),
            (self.locals, "local variable"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, noun)| Line::new().count(*count, noun));
        let symbols = &self.symbols[..shown.min(self.symbols.len())];
        let named: u64 = symbols.iter().map(|one| one.occurrences).sum();
        let symbols = symbols.iter().map(|one| {
            Line::new()
                .number(one.occurrences)
                .text(" of ")
                .name(&one.qualified)
                .text(" (")
                .location(&one.path, one.line, one.line)
                .text(")")
        });
        let packages = self.packages.iter().take(shown);
        let packages = packages.filter_map(|one| Some((one.package.as_deref()?, one)));
        let packages: Vec<(&str, &PackageCount)> = packages.collect();
        let in_named_packages: u64 = packages.iter().map(|(_, one)| one.occurrences).sum();
        let packages = packages.into_iter().map(|(package, one)| {
            Line::new()
                .number(one.occurrences)
                .text(if is_path(package) {
                    " of "
                } else {
                    " of package "
                })
                .name(package)
                .text(format!(" ({})", one.reason))
        });
        let rest = [
            (self.other_symbols.saturating_sub(named), "of other symbols"),
            (
                self.external.saturating_sub(in_named_packages),
                "of other packages",
            ),
            (self.text, "in comments, strings and prose"),
            (self.not_examined, "not examined"),
        ];
        let rest = rest.iter().filter(|(count, _)| *count > 0);
        let rest = rest.map(|(count, of)| Line::new().number(*count).text(format!(" {of}")));
        let unknown = Line::new().number(self.unknown).text(" unknown");
        let parts = counts.chain(symbols).chain(packages).chain(rest);
        let line = Line::new()
            .count(self.total, "occurrence")
            .text(" of the name: ")
            .line(Line::join(parts.chain([unknown]), ", "));
        let gaps = [
            (self.unread_files, "file", " not read"),
            (self.unindexed_files, "unindexed file", " not searched"),
        ];
        let gaps = gaps.iter().filter(|(count, ..)| *count > 0);
        gaps.fold(line, |line, (count, noun, what)| {
            line.text("; ").count(*count, noun).text(*what)
        })
    }
}

/// Returns whether a name was imported from a file, by its path, rather than from a package: `../utils.js`.
fn is_path(module: &str) -> bool {
    module.starts_with("./") || module.starts_with("../")
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
        accounting.packages = vec![PackageCount {
            package: Some("zod-core".to_owned()),
            reason: "imported".to_owned(),
            occurrences: 2,
        }];
        insta::assert_snapshot!(
            accounting.line().to_string(),
            @"57 occurrences of the name: 41 uses, 1 definition, 7 of v3.ZodError (src/v3/error.ts:12), 2 of package zod-core (imported), 1 of other symbols, 1 of other packages, 4 in comments, strings and prose, 0 unknown"
        );
        accounting.packages[0].package = Some("../utils.js".to_owned());
        let line = accounting.line().to_string();
        assert!(line.contains(", 2 of ../utils.js (imported),"), "{line}");
        insta::assert_snapshot!(
            accounting.short_line().to_string(),
            @"57 occurrences of the name: 41 uses, 1 definition, 8 of other symbols, 3 of other packages, 4 in comments, strings and prose, 0 unknown"
        );
        accounting.unread_files = 2;
        assert!(
            accounting
                .line()
                .to_string()
                .ends_with("; 2 files not read")
        );
        assert!(!accounting.is_complete());
        accounting.unread_files = 0;
        accounting.unindexed_files = 4454;
        assert!(
            accounting
                .line()
                .to_string()
                .ends_with("; 4,454 unindexed files not searched")
        );
        assert!(!accounting.is_complete());
    }
}
