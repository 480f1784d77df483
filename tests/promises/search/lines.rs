//! Literal and regular expressions find exactly the lines that a plain scan finds, and nothing of a secret.

use std::collections::BTreeMap;
use std::path::Path;

use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use regex::bytes::RegexBuilder;
use serde_json::json;

use super::{all, asking, put, repository, whole};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "search_finds_every_line_that_a_plain_look_finds",
            Needs::Nothing,
            every_line,
        ),
        proof(
            "search_says_what_it_did_not_look_at",
            Needs::Nothing,
            skipped,
        ),
    ]
}

const WORDS: &[&str] = &[
    "alpha",
    "Beta",
    "gamma_delta",
    "größe",
    "東京",
    "😀",
    "fn",
    "return",
    "->",
    "::",
    "{",
    "}",
    "0x1F",
    "42",
    "\"",
    "\\",
    "a.b",
    "(c)",
    "[d]",
    "$e",
    "^f",
    "*",
    "+?",
    "ALPHA",
    "\t",
    "—",
    "e\u{301}",
];
const LINE_ENDS: &[&str] = &["\n", "\n", "\n", "\r\n"];

/// The lines that the daemon must find, by file.
type Lines = BTreeMap<String, Vec<String>>;

/// Writes files of all kinds. Returns the lines of those that are searched.
fn scatter(root: &Path, chance: &mut Chance, count: usize) -> Lines {
    let mut lines = Lines::new();
    for number in 0..count {
        let extension = chance.one_of(&["rs", "py", "md", "txt", "go", "unknown"]);
        let path = format!("area{}/file{number}.{extension}", number % 4);
        let end = *chance.one_of(LINE_ENDS);
        let mut own: Vec<String> = (0..chance.below(40)).map(|_| line(chance)).collect();
        if number % 9 == 0 {
            own.push("long ".repeat(200) + "needle" + &" tail".repeat(100));
        }
        let mut text = own.join(end);
        if !own.is_empty() && (chance.below(3) > 0 || own.last().is_some_and(String::is_empty)) {
            text += end;
        }
        if number % 11 == 0 {
            text.insert(0, '\u{feff}');
        }
        put(root, &path, text.as_bytes());
        lines.insert(path, own);
    }
    lines
}

fn line(chance: &mut Chance) -> String {
    let words: Vec<&str> = (0..chance.below(9))
        .map(|_| *chance.one_of(WORDS))
        .collect();
    let between: &&str = chance.one_of(&[" ", "", "  "]);
    words.join(between)
}

/// Writes files that must not be found, although they have the text.
fn hide(root: &Path) {
    put(root, ".gitignore", b"ignored/\n*.log\n");
    put(root, "ignored/one.rs", b"alpha needle\n");
    put(root, "two.log", b"alpha needle\n");
    put(root, "binary.rs", b"alpha\0needle\n");
    put(root, "latin.txt", b"alpha needle \xe9\xe8\xff\n");
    put(root, "app.min.js", b"alpha needle\n");
    put(root, "Cargo.lock", b"alpha needle\n");
    put(root, ".env", b"alpha=needle\n");
    put(root, "empty.rs", b"");
}

async fn every_line() {
    let home = Home::new();
    let root = repository(&home, "scattered", &[]);
    let mut chance = Chance::new(23);
    let lines = {
        let mut lines = scatter(&root, &mut chance, 60);
        hide(&root);
        lines.insert(
            ".gitignore".to_owned(),
            vec!["ignored/".to_owned(), "*.log".to_owned()],
        );
        lines
    };
    let mut questions = asking(&home, &root).await;
    let mut asked = 0;
    // Texts that exist, texts that differ by a letter, and texts that do not exist.
    let mut literals: Vec<String> = [
        "needle",
        "alpha",
        "nowhere at all",
        "größe",
        "e\u{301}",
        " ",
        "a",
        "\\",
        "]",
        "long long",
        "東",
    ]
    .map(str::to_owned)
    .to_vec();
    let filled: Vec<&String> = lines
        .values()
        .flatten()
        .filter(|line| line.chars().count() > 3)
        .collect();
    for number in 0..30 {
        let letters: Vec<char> = chance.one_of(&filled).chars().collect();
        let start = chance.below(letters.len() - 1);
        let length = 1 + chance.below((letters.len() - start).min(30));
        let mut cut: String = letters[start..start + length].iter().collect();
        if number % 6 == 0 {
            cut.push('q');
        }
        literals.push(cut);
    }
    for literal in &literals {
        let count = |line: &str| line.matches(literal.as_str()).count();
        compare(&mut questions, &lines, "literal", literal, &count).await;
        asked += 1;
    }
    for pattern in [
        "alpha",
        "^alpha",
        "alpha$",
        "^$",
        "^\\s*$",
        "(?i)alpha|beta",
        "\\bfn\\b",
        "gr.{1,2}e",
        "\\p{Han}+",
        "[^a-z ]{3,}",
        "\\w+::\\w+",
        "needle.*tail$",
        "^.{1000,}$",
        "0x[0-9A-F]+",
        "\\{\\}",
        "(alpha).*(Beta)",
        "\\d",
        "😀",
        "x{0}alpha",
        "(?-i)ALPHA",
        "nothing like this",
        "^\\\\",
        "\"$",
        "e\\x{301}",
        "[[:upper:]]{5}",
        "\\Aalpha",
        "fn|->|::",
        ".",
    ] {
        // Like grep, a pattern sees one line at a time.
        let regex = RegexBuilder::new(pattern).build().expect(pattern);
        let count = |line: &str| regex.find_iter(line.as_bytes()).count();
        compare(&mut questions, &lines, "regex", pattern, &count).await;
        asked += 1;
    }
    measured(&format!("{asked} patterns over {} files", lines.len()));
}

async fn compare(
    questions: &mut Questions,
    lines: &Lines,
    mode: &str,
    pattern: &str,
    count: &dyn Fn(&str) -> usize,
) {
    let mut expected: Vec<(&str, usize, &str)> = vec![];
    let (mut matches, mut files) = (0, 0);
    for (path, own) in lines {
        let before = expected.len();
        for (number, line) in own.iter().enumerate().filter(|(_, line)| count(line) > 0) {
            expected.push((path, number + 1, line));
            matches += count(line);
        }
        files += usize::from(expected.len() > before);
    }
    let question = json!({ "query": pattern, "mode": mode, "limit": 100, "max_tokens": 10000 });
    let coverage = whole(questions, &question).await["coverage"].clone();
    assert_eq!(coverage["lines"], expected.len(), "{mode} {pattern:?}");
    assert_eq!(coverage["matches"], matches, "{mode} {pattern:?}");
    assert_eq!(coverage["files"], files, "{mode} {pattern:?}");
    assert_eq!(
        coverage["searched"],
        lines.len() + 1,
        "with the empty file: {mode} {pattern:?}"
    );
    let found = all(questions, question).await;
    assert_eq!(found.len(), expected.len(), "{mode} {pattern:?}");
    for (one, (path, number, line)) in found.iter().zip(expected) {
        assert_eq!(
            (&one["path"], &one["start_line"]),
            (&json!(path), &json!(number)),
            "{mode} {pattern:?}"
        );
        let shown = one["snippet"].as_str().expect("a text");
        let is_whole = line.len() <= 300;
        let is_same = if is_whole {
            shown == line
        } else {
            line.contains(shown.trim_matches('…'))
        };
        assert!(
            is_same,
            "{mode} {pattern:?} {path}:{number}: {shown:?} is not {line:?}"
        );
    }
}

async fn skipped() {
    let home = Home::new();
    let root = repository(&home, "hidden", &[("src/one.rs", "// alpha needle\n")]);
    hide(&root);
    let mut questions = asking(&home, &root).await;
    for mode in ["literal", "regex"] {
        let question = json!({ "query": "needle", "mode": mode });
        let answer = whole(&mut questions, &question).await;
        assert_eq!(answer["total"], 1, "{answer}");
        assert_eq!(answer["results"][0]["path"], "src/one.rs");
        let mut reasons: Vec<(&str, u64)> = answer["coverage"]["skipped"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| {
                (
                    one["reason"].as_str().expect("a reason"),
                    one["files"].as_u64().expect("a count"),
                )
            })
            .collect();
        reasons.sort_unstable();
        let expected = [
            ("binary", 1),
            ("generated", 1),
            ("minified", 1),
            ("not_utf8", 1),
            ("secret", 1),
        ];
        assert_eq!(reasons, expected, "{answer}");
        let (text, _) = questions.session().call("search", question).await;
        assert!(
            text.contains("not searched: ") && text.contains("1 secret"),
            "{text}"
        );
    }
}
