//! Doc comments begin with their subject, and types are named by nouns.

use std::collections::BTreeMap;

use claudevil_tests::binaries::workspace;
use regex::Regex;

use super::{read, sources};

/// Words that no doc comment opens with: its subject comes first.
const INDIRECT_OPENINGS: &[&str] = &["How", "Of", "What", "Where", "Whether", "Which"];

/// Words that do not say what a type is: participles that do not end in `ed`, adverbs, and nouns that fit everything.
const VAGUE_TYPE_NAMES: &[&str] = &[
    "About",
    "After",
    "Again",
    "Ahead",
    "Any",
    "Around",
    "Asking",
    "At",
    "Before",
    "Beside",
    "Beyond",
    "Both",
    "Chosen",
    "Company",
    "Completing",
    "Customs",
    "Desk",
    "Diving",
    "Does",
    "Drawn",
    "Found",
    "Given",
    "Gone",
    "Grounds",
    "Having",
    "Heard",
    "Held",
    "Here",
    "Judging",
    "Kept",
    "Known",
    "Lack",
    "Lacking",
    "Left",
    "Looks",
    "Made",
    "Making",
    "Meant",
    "Met",
    "Most",
    "Near",
    "Own",
    "Place",
    "Places",
    "Put",
    "Read",
    "Said",
    "Seen",
    "Sent",
    "Showing",
    "Shown",
    "Sought",
    "Spot",
    "Taken",
    "There",
    "Told",
    "Took",
    "Waiting",
    "Watching",
    "Weighing",
    "What",
    "Where",
    "While",
    "Whole",
    "Without",
    "Written",
];

/// Nouns that look like participles.
const NOUNS_IN_ED: &[&str] = &["Embed", "Feed", "Need", "Seed", "Speed"];

/// Folders whose words are not all clear yet: the exact numbers of indirect doc comments and of vague names in each. They
/// only ever become smaller.
const UNCLEAR: &[(&str, usize, usize)] = &[("daemon/src/graph", 0, 6)];

#[test]
fn doc_comments_begin_with_their_subject_and_types_are_nouns() {
    let opening = Regex::new(r"^\s*//[/!] (\w+)").expect("a pattern");
    let kind = r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait|type) (\w+)";
    let kind = Regex::new(kind).expect("a pattern");
    let constructor = r"^\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn of\b";
    let constructor = Regex::new(constructor).expect("a pattern");
    let mut seen: BTreeMap<&str, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let samples = ["tests/accuracy", "tests/documented"].map(|folder| workspace().join(folder));
    for path in sources().filter(|path| !samples.iter().any(|folder| path.starts_with(folder))) {
        let folder = UNCLEAR
            .iter()
            .map(|(folder, ..)| *folder)
            .find(|folder| path.starts_with(workspace().join(folder)));
        let (comments, names) = seen.entry(folder.unwrap_or("elsewhere")).or_default();
        let code = read(&path);
        let lines: Vec<_> = code.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let place = || format!("{}:{}: {}", path.display(), at + 1, line.trim());
            let is_first = at == 0 || doc_text(lines[at - 1]).is_empty();
            let word = opening.captures(line).map(|found| found[1].to_owned());
            if is_first
                && word.is_some_and(|word| INDIRECT_OPENINGS.contains(&word.as_str()))
                && !is_question(&lines[at..])
            {
                comments.push(place());
            }
            let name = kind.captures(line).map(|found| found[1].to_owned());
            if constructor.is_match(line) || name.is_some_and(|name| is_vague(&name)) {
                names.push(place());
            }
        }
    }
    for (folder, (comments, names)) in &seen {
        let row = UNCLEAR.iter().find(|(name, ..)| name == folder);
        let (_, most_comments, most_names) = row.copied().unwrap_or((folder, 0, 0));
        let is_stated = (comments.len(), names.len()) == (most_comments, most_names);
        assert!(
            is_stated,
            "{folder} has {} indirect doc comments and {} vague names, and states {most_comments} and \
             {most_names}; smaller numbers are stated as they are: {comments:#?} {names:#?}",
            comments.len(),
            names.len()
        );
    }
    assert_eq!(
        seen.len(),
        UNCLEAR.len() + 1,
        "a folder is gone: {:?}",
        seen.keys()
    );
}

/// Words that no test's name begins with: a test is named by what the code does, with its subject first.
const INDIRECT_NAMES: &[&str] = &["how_", "what_", "where_", "whether_", "which_"];

#[test]
fn tests_are_named_by_behaviour() {
    let test = Regex::new(r"#\[(?:tokio::)?test[^\]]*\]\s*(?:#\[[^\n]*\]\s*)*(?:async )?fn (\w+)")
        .expect("a pattern");
    let documented = workspace().join("tests/documented");
    let mut seen = 0;
    for path in sources().filter(|path| !path.starts_with(&documented)) {
        let code = read(&path);
        for name in test.captures_iter(&code).map(|found| found[1].to_owned()) {
            seen += 1;
            let is_indirect = INDIRECT_NAMES.iter().any(|start| name.starts_with(start));
            assert!(!is_indirect, "{}: {name}", path.display());
        }
    }
    assert!(seen > 1_000, "only {seen} tests were read");
}

/// Returns the text of a line of a doc comment; nothing for any other line.
fn doc_text(line: &str) -> &str {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
    text.unwrap_or_default().trim()
}

/// Returns whether the first sentence of a doc comment is a question.
fn is_question(lines: &[&str]) -> bool {
    let text = lines.iter().map(|line| doc_text(line));
    let text: Vec<_> = text.take_while(|text| !text.is_empty()).collect();
    let text = format!("{} ", text.join(" "));
    text.split_inclusive(['.', '?', ':'])
        .next()
        .is_some_and(|sentence| sentence.ends_with('?'))
}

fn is_vague(name: &str) -> bool {
    let is_one_word = name.chars().skip(1).all(char::is_lowercase);
    VAGUE_TYPE_NAMES.contains(&name)
        || (is_one_word && name.ends_with("ed") && !NOUNS_IN_ED.contains(&name))
}
