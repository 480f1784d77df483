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

/// Modules and crates of the daemon with words that mean something else there. All other words of languages stand in `lang/` alone.
const OTHER_MEANINGS: &[(&str, &[&str])] = &[
    // Names of grammars.
    ("grammars", &["go"]),
    // The wildcard of queries.
    ("treequery", &["_"]),
    // Values of settings, and files of models.
    ("vectors", &["data", "false", "true"]),
    // Outcomes of an undo.
    ("change", &["done"]),
    // Values of settings and commands.
    ("config", &["_", "default", "false", "static"]),
    ("embed", &["float", "static"]),
    ("model_command", &["from", "static"]),
    // Captures of queries.
    (
        "extract",
        &[
            "default",
            "error",
            "import",
            "initializer",
            "match",
            "open",
            "package",
        ],
    ),
    // The sign of an ignored value, as arguments are written.
    ("graph", &["_"]),
    // Keys of manifests, of compiler settings and of measurements; folders of built files.
    (
        "index",
        &[
            "_", "end", "extends", "list", "main", "mod", "module", "out", "package",
        ],
    ),
    // Words of notes and of their headers.
    (
        "memory",
        &["done", "empty", "false", "list", "null", "open", "true"],
    ),
    // A file that is being written.
    ("precise", &["new"]),
    // Parameters and settings of tools, and a sign in names.
    (
        "query",
        &["_", "after", "auto", "default", "from", "to", "use"],
    ),
    // Operators of queries; groups of patterns; folders of package managers; endings of English words.
    (
        "search",
        &["_", "def", "function", "go", "main", "mod", "or"],
    ),
    // Lines above the mark of a generated file, and a class of characters in a pattern.
    ("source", &["namespace", "package", "print"]),
];

/// Files about English or about the texts of credentials, whose words are those of languages by chance.
const OTHER_SUBJECTS: &[&str] = &[
    "search/printed_message.rs",
    "search/question.rs",
    "search/scan/words.rs",
    "search/stop_words.rs",
    "secrets",
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
    let daemon = workspace().join("daemon");
    let mut unused: BTreeSet<(&str, &str)> = OTHER_MEANINGS
        .iter()
        .flat_map(|(module, others)| others.iter().map(|word| (*module, *word)))
        .collect();
    for path in sources().filter(|path| path.starts_with(&daemon) && !is_test(path)) {
        let inside = path.strip_prefix(&daemon).expect("inside");
        let inside = inside.strip_prefix("src").unwrap_or(inside);
        if inside.starts_with("lang") || OTHER_SUBJECTS.iter().any(|one| inside.starts_with(one)) {
            continue;
        }
        let module = inside.components().next().expect("a name").as_os_str();
        let module = module.to_str().expect("UTF-8").trim_end_matches(".rs");
        let code = read_without_tests(&path);
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for word in lines.flat_map(literals).map(str::trim) {
            let row = OTHER_MEANINGS.iter().find(|(name, _)| *name == module);
            let other = row.and_then(|(_, others)| others.iter().find(|other| **other == word));
            if let (Some((module, _)), Some(other)) = (row, other) {
                unused.remove(&(*module, *other));
            }
            assert!(
                !words.contains(word) || other.is_some(),
                "{} has the word {word:?} of a language",
                path.display()
            );
        }
    }
    assert!(unused.is_empty(), "words that are not there: {unused:?}");
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| {
        ["tests", "tests.rs", "engine_tests.rs"]
            .iter()
            .any(|name| part.as_os_str() == *name)
    })
}

/// The texts between double quotes on a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}
