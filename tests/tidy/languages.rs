//! Languages: their names and words stand in their definitions alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use claudevil_tests::binaries::workspace;

use super::{read, read_without_tests, sources};

#[test]
fn languages_are_named_only_in_their_definitions() {
    let lang = workspace().join("daemon/src/lang");
    let ids: Vec<_> = fs::read_dir(lang.join("defs"))
        .expect("definitions")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    let ids: Vec<_> = ids.iter().filter_map(|id| id.to_str()).collect();
    for path in sources().filter(|path| path.starts_with(workspace().join("daemon"))) {
        let code = read_without_tests(&path);
        for id in ids.iter().filter(|_| !path.ends_with("tests.rs")) {
            assert!(
                !code.contains(&format!("\"{id}\" =>")),
                "{} decides by the language {id}",
                path.display()
            );
        }
    }
}

/// Keywords and words of conventions that a definition does not list as reserved.
const OTHER_WORDS: &[&str] = &[
    "Err",
    "Generic",
    "Protocol",
    "Result",
    "Union",
    "__enter__",
    "derive",
    "keyof",
    "main",
    "module.exports",
    "params",
    "template",
    "test_",
    "tests",
    "typename",
    "vararg",
    "_test",
];

/// Folders of the daemon that hold no words of languages, each with words that mean something else there: keys of manifests
/// and of compiler settings, folders of built files, parameters and settings of tools.
const WITHOUT_LANGUAGE_WORDS: &[(&str, &[&str])] = &[
    (
        "graph",
        &["extends", "main", "mod", "module", "out", "package", "_"],
    ),
    ("query", &["after", "auto", "default", "from", "to", "use"]),
];

#[test]
fn words_of_languages_stand_only_in_their_definitions() {
    let lang = workspace().join("daemon/src/lang");
    let mut words: BTreeSet<String> = OTHER_WORDS.iter().map(ToString::to_string).collect();
    for entry in fs::read_dir(lang.join("defs"))
        .expect("definitions")
        .flatten()
    {
        let definition = read(&entry.path().join("lang.toml"));
        let reserved = definition
            .split("\nreserved = [")
            .nth(1)
            .and_then(|rest| rest.split(']').next());
        words.extend(literals(reserved.unwrap_or_default()).map(str::to_owned));
    }
    assert!(words.len() > 200, "only {} words were read", words.len());
    for (folder, others) in WITHOUT_LANGUAGE_WORDS {
        let folder = workspace().join("daemon/src").join(folder);
        for path in sources().filter(|path| path.starts_with(&folder) && !is_test(path)) {
            let code = read_without_tests(&path);
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for word in lines.flat_map(literals).map(str::trim) {
                assert!(
                    !words.contains(word) || others.contains(&word),
                    "{} has the word {word:?} of a language",
                    path.display()
                );
            }
        }
    }
}

fn is_test(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

/// The texts between double quotes on a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}
