//! What a file's path says: the words of its name, and what kind of file it is by custom.

use crate::lang::Language;
use crate::store::text::{parts, words};

/// What is to be known of a path, made once.
#[derive(Debug)]
pub struct PathWords {
    /// The parts of the file's name, without its extension, and its words whole; in lower case, each once.
    pub stem: Box<[Box<str>]>,
    /// How many of them are parts.
    pub parts: u8,
    pub custom: Custom,
}

/// Where custom puts files that are seldom meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Custom {
    pub is_test: bool,
    pub is_example: bool,
    pub is_legacy: bool,
    pub is_declaration: bool,
    pub is_data: bool,
}

/// Files whose own name says nothing: the folder's name counts instead.
const NAMELESS: [&str; 6] = ["index", "mod", "init", "__init__", "main", "lib"];
const TEST_FOLDERS: [&str; 13] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "__mocks__",
    "e2e",
];
const TEST_ENDINGS: [&str; 3] = ["test", "tests", "spec"];
const EXAMPLE_FOLDERS: [&str; 13] = [
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
    "benchmark",
    "benchmarks",
    "bench",
    "benches",
];
const EXAMPLE_ENDINGS: [&str; 3] = ["bench", "benchmark", "example"];
const LEGACY_FOLDERS: [&str; 4] = ["compat", "legacy", "deprecated", "old"];

impl PathWords {
    pub fn new(path: &str, language: Option<&Language>) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        let is_nameless = NAMELESS.contains(&stem.to_lowercase().as_str()) && !folder.is_empty();
        let told = if is_nameless { folder.rsplit('/').next().unwrap_or(folder) } else { stem };
        let mut stem_words: Vec<Box<str>> = vec![];
        for (_, word) in words(told) {
            for part in parts(word) {
                push(&mut stem_words, &word[part]);
            }
        }
        let parts = u8::try_from(stem_words.len()).unwrap_or(u8::MAX).max(1);
        for (_, word) in words(told).chain(words(stem)) {
            push(&mut stem_words, word);
        }
        Self { stem: stem_words.into(), parts, custom: custom(folder, name, language) }
    }
}

fn push(all: &mut Vec<Box<str>>, word: &str) {
    let word = word.to_lowercase();
    if !all.iter().any(|known| **known == *word) {
        all.push(word.into());
    }
}

fn custom(folder: &str, name: &str, language: Option<&Language>) -> Custom {
    let folders = || folder.split('/').map(str::to_lowercase);
    let is_in = |known: &[&str]| folders().any(|folder| known.contains(&folder.as_str()));
    let bare = name.rsplit_once('.').map_or(name, |(bare, _)| bare);
    let parts: Vec<String> =
        words(bare).flat_map(|(_, word)| parts(word).map(move |part| word[part].to_lowercase())).collect();
    let first = parts.first().filter(|_| parts.len() > 1).map(String::as_str);
    let last = parts.last().filter(|_| parts.len() > 1).map(String::as_str);
    Custom {
        is_test: is_in(&TEST_FOLDERS) || first == Some("test") || last.is_some_and(|last| TEST_ENDINGS.contains(&last)),
        is_example: is_in(&EXAMPLE_FOLDERS) || last.is_some_and(|last| EXAMPLE_ENDINGS.contains(&last)),
        is_legacy: is_in(&LEGACY_FOLDERS),
        is_declaration: language.is_some_and(|language| {
            language.declarations.iter().any(|ending| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
        }),
        is_data: language.is_none_or(|language| language.facts.is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn custom_is_told_by_names_and_folders() {
        let of = |path: &str| PathWords::new(path, lang::by_name("rust")).custom;
        for path in ["tests/a.rs", "src/__tests__/b.ts", "pkg/server_test.go", "src/test_client.py", "a/FooTest.java"] {
            assert!(of(path).is_test, "{path}");
        }
        for path in ["src/latest.rs", "src/contest/a.rs", "src/test.rs", "attest.go"] {
            assert!(!of(path).is_test, "{path}");
        }
        assert!(of("examples/a.rs").is_example && of("src/sort_bench.rs").is_example);
        assert!(of("src/compat/a.rs").is_legacy);
        assert!(!of("src/a.rs").is_data && PathWords::new("README", None).custom.is_data);
    }
}
