//! All definitions, read once, and the tables in which languages are looked up.
//!
//! Nothing here may name a language: what is particular to one is in its `lang.toml`. Two languages with the same name or
//! extension, and a definition that cannot be parsed, are bugs that the tests below catch.

use std::sync::LazyLock;

use super::Language;
use super::definitions::FILES;

/// Keys sorted by their bytes, each with the index of its language.
type Entries = Vec<(String, usize)>;

/// A kind of key by which a language can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Ids, display names and aliases, in lower case.
    Name,
    /// Extensions, in lower case.
    Extension,
    Filename,
    FilenamePrefix,
    /// Interpreters, in lower case.
    Shebang,
}

struct Registry {
    languages: Vec<Language>,
    names: Entries,
    extensions: Entries,
    filenames: Entries,
    filename_prefixes: Entries,
    shebangs: Entries,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::load);

/// Returns every language, in the order of the ids.
pub(super) fn languages() -> &'static [Language] {
    &REGISTRY.languages
}

/// Returns the language whose key is exactly `key`.
pub(super) fn find(table: Table, key: &str) -> Option<&'static Language> {
    let entries = REGISTRY.entries(table);
    let at = entries
        .binary_search_by(|(entry, _)| entry.as_str().cmp(key))
        .ok()?;
    Some(&REGISTRY.languages[entries[at].1])
}

/// Returns the language whose key is `key`, ignoring case. Only for tables with lower-case keys.
pub(super) fn find_ignoring_case(table: Table, key: &str) -> Option<&'static Language> {
    // Lowered byte by byte while comparing: this runs for every file of a tree and need not allocate.
    let lowered = || key.bytes().map(|byte| byte.to_ascii_lowercase());
    let entries = REGISTRY.entries(table);
    let at = entries
        .binary_search_by(|(entry, _)| entry.bytes().cmp(lowered()))
        .ok()?;
    Some(&REGISTRY.languages[entries[at].1])
}

/// Returns the language with the longest key that is a proper prefix of `text`.
pub(super) fn find_prefix(table: Table, text: &str) -> Option<&'static Language> {
    let is_prefix = |key: &str| key.len() < text.len() && text.starts_with(key);
    REGISTRY
        .entries(table)
        .iter()
        .filter(|(key, _)| is_prefix(key))
        .max_by_key(|(key, _)| key.len())
        .map(|(_, place)| &REGISTRY.languages[*place])
}

impl Registry {
    fn load() -> Self {
        let definitions = FILES.iter().filter_map(|(path, text)| {
            let id = path.strip_suffix("/lang.toml")?;
            Some(Language::parse(id, text).unwrap_or_else(|error| panic!("{path}: {error}")))
        });
        let languages: Vec<Language> = definitions.collect();
        let entries = |table: Table| {
            let keys = (languages.iter().enumerate()).flat_map(|(place, language)| {
                table
                    .keys(language)
                    .into_iter()
                    .map(move |key| (key, place))
            });
            let mut entries: Entries = keys.collect();
            entries.sort_unstable();
            entries
        };
        Self {
            names: entries(Table::Name),
            extensions: entries(Table::Extension),
            filenames: entries(Table::Filename),
            filename_prefixes: entries(Table::FilenamePrefix),
            shebangs: entries(Table::Shebang),
            languages,
        }
    }

    fn entries(&self, table: Table) -> &Entries {
        match table {
            Table::Name => &self.names,
            Table::Extension => &self.extensions,
            Table::Filename => &self.filenames,
            Table::FilenamePrefix => &self.filename_prefixes,
            Table::Shebang => &self.shebangs,
        }
    }
}

impl Table {
    /// Returns the keys of a language in this table.
    fn keys(self, language: &Language) -> Vec<String> {
        let words = match self {
            Self::Name => {
                let name = language.name.to_ascii_lowercase();
                let is_other = name != language.id;
                let names = [Some(language.id.to_owned()), is_other.then_some(name)];
                let aliases = language.aliases.iter().map(ToString::to_string);
                return names.into_iter().flatten().chain(aliases).collect();
            }
            Self::Extension => language.extensions,
            Self::Filename => language.filenames,
            Self::FilenamePrefix => language.filename_prefixes,
            Self::Shebang => language.shebangs,
        };
        words.iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the folder of definitions is part of the source, and of no root"
    )]
    fn every_file_of_a_definition_is_embedded() {
        let defs = Path::new("src/lang/defs");
        let mut on_disk = BTreeSet::new();
        for folder in fs::read_dir(defs).unwrap().flatten() {
            for file in fs::read_dir(folder.path()).unwrap().flatten() {
                let name = file.file_name().into_string().unwrap();
                if name == "lang.toml" || name.strip_suffix(".scm").is_some() {
                    let folder = folder.file_name().into_string().unwrap();
                    on_disk.insert(format!("{folder}/{name}"));
                }
            }
        }
        let embedded: BTreeSet<_> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(embedded, on_disk);
        assert!(FILES.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn every_definition_can_be_read() {
        for (path, text) in FILES {
            if let Some(id) = path.strip_suffix("/lang.toml") {
                assert_eq!(Language::parse(id, text).err(), None, "{path}");
            }
        }
    }

    #[test]
    fn a_misspelt_key_and_an_unknown_word_are_refused() {
        for (text, problem) in [
            (
                "name = \"A\"\nextension = [\"a\"]",
                "unknown field `extension`",
            ),
            (
                "name = \"A\"\nextensions = []\n[facts]\ngrammar = \"a\"\n[facts.names]\nmodules = \"none\"\nmembers = true",
                "unknown field `members`",
            ),
            (
                "name = \"A\"\nextensions = []\n[facts]\ngrammar = \"a\"\n[facts.names]\nmodules = \"crates\"",
                "unknown variant `crates`",
            ),
        ] {
            let error = Language::parse("a", text).expect_err(text);
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn no_two_languages_claim_the_same_key() {
        let (lower, any) = (
            [Table::Name, Table::Extension, Table::Shebang],
            [Table::Filename, Table::FilenamePrefix],
        );
        for table in lower.into_iter().chain(any) {
            let entries = REGISTRY.entries(table);
            for pair in entries.windows(2) {
                let ids = [pair[0].1, pair[1].1].map(|place| languages()[place].id);
                assert_ne!(pair[0].0, pair[1].0, "{table:?}: claimed by {ids:?}");
            }
            for (key, place) in entries {
                let id = languages()[*place].id;
                let is_clean = key.is_ascii()
                    && !key.is_empty()
                    && key.trim() == key
                    && !key.contains(['/', '\\']);
                assert!(is_clean, "{table:?} {key:?} of {id}");
                let is_lower = !key.starts_with('.')
                    && !key.contains(|letter: char| letter.is_ascii_uppercase());
                assert!(
                    is_lower || any.contains(&table),
                    "{table:?} {key:?} of {id}"
                );
            }
        }
    }
}
