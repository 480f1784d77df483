//! The words of a file's path, and the conventions that the path follows: tests, examples, legacy code.

use crate::lang::Language;
use crate::lang::path_names::{
    COPY_FOLDERS, EXAMPLE_ENDINGS, EXAMPLE_FOLDERS, LEGACY_FOLDERS, MOCK, NAMELESS, OUTPUT_FOLDERS,
    SHIPPED_FOLDERS, TEST_ENDINGS, TEST_FOLDERS, TEST_PREFIX,
};
use crate::store::text::{parts, words};

/// The words and conventions of a path.
#[derive(Debug)]
pub struct PathWords {
    /// The parts of the words in the file's name, then the whole words; without the extension, in lower case, each once.
    pub stem: Box<[Box<str>]>,
    /// The number of parts at the beginning of `stem`.
    pub parts: u8,
    pub conventions: PathConventions,
}

/// A convention of files that are seldom searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathConvention {
    Test,
    /// Examples, samples, benchmarks, code of documentation: `examples/`.
    Example,
    /// Old interfaces that are still supported: `compat/`, `legacy/`.
    Legacy,
    /// Declarations of code that is defined elsewhere: `index.d.ts`.
    Declaration,
    /// Data or prose rather than a program.
    Data,
    /// Build outputs, and copies of third-party code: `dist/`, `vendor/`.
    Copy,
}

impl PathConvention {
    const ALL: [Self; 6] = [
        Self::Test,
        Self::Example,
        Self::Legacy,
        Self::Declaration,
        Self::Data,
        Self::Copy,
    ];
}

/// The conventions of one file as a bit set, because a ranking reads them for every candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathConventions(u8);

impl PathConventions {
    pub fn contains(self, convention: PathConvention) -> bool {
        self.0 & 1 << convention as u8 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = PathConvention> {
        PathConvention::ALL
            .into_iter()
            .filter(move |convention| self.contains(*convention))
    }
}

impl FromIterator<PathConvention> for PathConventions {
    fn from_iter<I: IntoIterator<Item = PathConvention>>(conventions: I) -> Self {
        Self(
            conventions
                .into_iter()
                .fold(0, |all, convention| all | 1 << convention as u8),
        )
    }
}

impl PathWords {
    pub fn new(path: &str, language: Option<&Language>) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name
            .split('.')
            .find(|part| !part.is_empty())
            .unwrap_or(name);
        let source = if is_nameless(stem) && !folder.is_empty() {
            folder.rsplit('/').next().unwrap_or(folder)
        } else {
            stem
        };
        let mut stem_words: Vec<Box<str>> = vec![];
        for (_, word) in words(source) {
            for part in parts(word) {
                push(&mut stem_words, &word[part]);
            }
        }
        let parts = u8::try_from(stem_words.len()).unwrap_or(u8::MAX).max(1);
        for (_, word) in words(source).chain(words(stem)) {
            push(&mut stem_words, word);
        }
        Self {
            stem: stem_words.into(),
            parts,
            conventions: conventions(folder, name, language),
        }
    }
}

/// Returns whether the name of a file is generic, so that the name of its folder is used instead: `parser/mod.rs`.
pub fn is_nameless(stem: &str) -> bool {
    NAMELESS.contains(&stem.to_lowercase().as_str())
}

fn push(all: &mut Vec<Box<str>>, word: &str) {
    let word = word.to_lowercase();
    if !all.iter().any(|known| **known == *word) {
        all.push(word.into());
    }
}

fn conventions(folder: &str, name: &str, language: Option<&Language>) -> PathConventions {
    let folders = || folder.split('/').map(str::to_lowercase);
    let is_in = |known: &[&str]| folders().any(|folder| known.contains(&folder.as_str()));
    let bare = name.rsplit_once('.').map_or(name, |(bare, _)| bare);
    let parts: Vec<String> = words(bare)
        .flat_map(|(_, word)| parts(word).map(move |part| word[part].to_lowercase()))
        .collect();
    let first = parts
        .first()
        .filter(|_| parts.len() > 1)
        .map(String::as_str);
    let last = parts.last().filter(|_| parts.len() > 1).map(String::as_str);
    let folder_ends_with = |endings: &[&str]| {
        folder
            .split('/')
            .any(|folder| endings.iter().any(|ending| has_last_word(folder, ending)))
    };
    let folder_names: Vec<&str> = folder.split('/').collect();
    let is_shipped = folder_names.windows(2).any(|pair| pair == SHIPPED_FOLDERS);
    let is_double = || is_in(&[MOCK]) && parts.iter().any(|part| part == MOCK);
    let is_test = !is_shipped
        && (is_in(&TEST_FOLDERS)
            || is_double()
            || folder_ends_with(&TEST_ENDINGS)
            || first == Some(TEST_PREFIX)
            || last.is_some_and(|last| TEST_ENDINGS.contains(&last)));
    let is_example = is_in(&EXAMPLE_FOLDERS)
        || folder_ends_with(&EXAMPLE_ENDINGS)
        || last.is_some_and(|last| EXAMPLE_ENDINGS.contains(&last));
    let declares = |ending: &&str| {
        name.strip_suffix(ending)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    let is_declaration =
        language.is_some_and(|language| language.declarations.iter().any(declares));
    let top = folders().next();
    let is_copy = is_in(&COPY_FOLDERS)
        || top.is_some_and(|top| OUTPUT_FOLDERS.contains(&top.as_str()))
        || bare.rsplit_once('.').is_some_and(|(_, last)| last == "min");
    let is_data = language.is_none_or(|language| language.facts.is_none());
    [
        (PathConvention::Test, is_test),
        (PathConvention::Example, is_example),
        (PathConvention::Legacy, is_in(&LEGACY_FOLDERS)),
        (PathConvention::Declaration, is_declaration),
        (PathConvention::Data, is_data),
        (PathConvention::Copy, is_copy),
    ]
    .into_iter()
    .filter_map(|(convention, applies)| applies.then_some(convention))
    .collect()
}

/// Returns whether a folder of several words ends with this one: `jvmTest`, `Shop.Tests`, `integration-tests`.
fn has_last_word(folder: &str, word: &str) -> bool {
    let Some((before, last)) = folder
        .len()
        .checked_sub(word.len())
        .and_then(|at| folder.split_at_checked(at))
    else {
        return false;
    };
    last.eq_ignore_ascii_case(word)
        && !before.is_empty()
        && (last.starts_with(char::is_uppercase) && before.ends_with(char::is_lowercase)
            || !before.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn conventions_are_recognised_by_names_and_folders() {
        let is = |path: &str, convention| {
            PathWords::new(path, lang::by_name("rust"))
                .conventions
                .contains(convention)
        };
        for path in [
            "tests/a.rs",
            "src/__tests__/b.ts",
            "pkg/server_test.go",
            "src/test_client.py",
            "a/FooTest.java",
            "client/jvmTest/a.kt",
            "Src/Shop.Tests/Cart.cs",
            "integration-tests/a.ts",
            "regress/new-session.sh",
            "fuzz/input-fuzzer.c",
            "gcc/testsuite/a.c",
            "tools/selftests/a.c",
            "store/mock/mock_store.go",
            "store/mocks/store.go",
        ] {
            assert!(is(path, PathConvention::Test), "{path}");
        }
        for path in [
            "src/latest.rs",
            "src/contest/a.rs",
            "src/test.rs",
            "src/latest/a.rs",
            "Src/CONTEST/a.cs",
            "attest.go",
            "src/main/java/org/mockito/mock/Settings.java",
            "core/src/main/java/org/shop/testing/ClockTest.java",
            "lib/mock/settings.py",
        ] {
            assert!(!is(path, PathConvention::Test), "{path}");
        }
        assert!(
            is("examples/a.rs", PathConvention::Example)
                && is("Shop.Benchmarks/a.cs", PathConvention::Example)
                && is("src/sort_bench.rs", PathConvention::Example)
        );
        assert!(is("src/compat/a.rs", PathConvention::Legacy));
        for path in ["dist/a.js", "lib/vendor/a.js", "build/a.js", "a.min.js"] {
            assert!(is(path, PathConvention::Copy), "{path}");
        }
        for path in ["src/build/a.rs", "src/vendors.rs", "min.js"] {
            assert!(!is(path, PathConvention::Copy), "{path}");
        }
        assert_eq!(
            PathWords::new("src/a.rs", lang::by_name("rust"))
                .conventions
                .iter()
                .count(),
            0
        );
        let conventions = |path: &str| {
            PathWords::new(path, None)
                .conventions
                .iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(conventions("README"), [PathConvention::Data]);
        assert_eq!(
            conventions("old/tests/README"),
            [
                PathConvention::Test,
                PathConvention::Legacy,
                PathConvention::Data
            ]
        );
    }
}
