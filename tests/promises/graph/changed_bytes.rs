//! A rename changes the bytes of the name and no others, its preview shows exactly what it does, and in doubt it changes
//! nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::toolchains::files;
use super::{asking, home, put, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "rename_keeps_every_other_byte_and_mode",
            Needs::Nothing,
            || other_bytes(&PLAIN),
        ),
        proof("rename_keeps_strange_line_ends", Needs::Nothing, || {
            other_bytes(&STRANGE)
        }),
        proof("rename_keeps_a_byte_order_mark", Needs::Nothing, || {
            other_bytes(&MARKED)
        }),
        proof(
            "rename_only_shown_changes_nothing",
            Needs::Nothing,
            only_shown,
        ),
        proof("rename_does_what_it_has_shown", Needs::Nothing, || {
            as_shown(&PLAIN)
        }),
        proof(
            "rename_does_what_it_has_shown_of_strange_line_ends",
            Needs::Nothing,
            || as_shown(&STRANGE),
        ),
        proof("rename_refuses_a_name_that_is_taken", Needs::Nothing, taken),
        proof("rename_refuses_what_is_no_name", Needs::Nothing, no_name),
        proof(
            "rename_refuses_a_name_that_several_have",
            Needs::Nothing,
            several,
        ),
        proof(
            "rename_refuses_to_leave_doubtful_calls_behind",
            Needs::Nothing,
            || doubtful(LOOP),
        ),
        proof(
            "rename_refuses_to_leave_calls_in_comprehensions_behind",
            Needs::Nothing,
            || doubtful(COMPREHENSION),
        ),
    ]
}

type Files = [(&'static str, &'static str); 3];

/// `@` stands for the name.
const PLAIN: Files = [
    (
        "field.py",
        "def @():\n    return 1\n\n\ndef twice():\n    return @() + @()\n",
    ),
    (
        "walk.py",
        "from field import @\n\n# a meadow is walked\nprint(@())\n\n\n\n\n\n\n\n\nprint(@(), 'meadow')\n",
    ),
    ("sub/run.py", "import field\n\nfield.@()\n"),
];
/// Line ends of Windows, a last line without an end, and both kinds of ends in one file.
const STRANGE: Files = [
    (
        "field.py",
        "def @():\r\n    return 1\r\n\r\n\r\ndef twice():\r\n    return @() + @()\r\n",
    ),
    (
        "walk.py",
        "from field import @\n\n# ünd a meadow\nprint('ä', @())\n\nprint(@())",
    ),
    (
        "sub/run.py",
        "import field\r\n\nfield.@()\r\nx = 1\n\nfield.@()",
    ),
];

/// A byte order mark before a first line with the name, and before one without it.
const MARKED: Files = [
    (
        "field.py",
        "\u{feff}def @():\n    return 1\n\n\ndef twice():\n    return @() + @()\n",
    ),
    ("walk.py", "\u{feff}from field import @\n\nprint(@())\n"),
    ("sub/run.py", "\u{feff}import field\n\nfield.@()\n"),
];

const OLD: &str = "meadow";
const NEW: &str = "pasture_ground";

fn made(home: &Home, texts: &Files) -> std::path::PathBuf {
    let root = repository(home, "fields", &[]);
    for (path, text) in texts {
        put(&root, path, text.replace('@', OLD).as_bytes());
    }
    root
}

async fn rename(
    questions: &mut Questions,
    symbol: &str,
    new_name: &str,
    dry_run: bool,
) -> Result<Value, String> {
    let asked =
        json!({ "symbol": symbol, "new_name": new_name, "dry_run": dry_run, "max_tokens": 10000 });
    questions.ask("rename_symbol", asked).await
}

async fn other_bytes(texts: &'static Files) {
    let home = home();
    let root = made(&home, texts);
    let modes = [
        ("field.py", 0o755),
        ("walk.py", 0o600),
        ("sub/run.py", 0o444),
    ];
    for (path, mode) in modes {
        fs::set_permissions(root.join(path), PermissionsExt::from_mode(mode)).expect("set");
    }
    let mut questions = asking(&home, &root).await;
    let answer = rename(&mut questions, OLD, NEW, false)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (&answer["total_files"], &answer["total_edits"]),
        (&json!(3), &json!(names(texts))),
        "{answer}"
    );
    for (path, text) in texts {
        let found = String::from_utf8(fs::read(root.join(path)).expect("there")).expect("UTF-8");
        assert_eq!(found, text.replace('@', NEW), "{path}");
    }
    for (path, mode) in modes {
        assert_eq!(
            fs::metadata(root.join(path))
                .expect("there")
                .permissions()
                .mode()
                & 0o7777,
            mode,
            "{path}"
        );
    }
    assert_eq!(
        files(&root, "").len(),
        3,
        "nothing lies beside them: {:?}",
        files(&root, "")
    );
}

fn names(texts: &Files) -> usize {
    texts
        .iter()
        .map(|(_, text)| text.matches('@').count())
        .sum()
}

async fn only_shown() {
    let home = home();
    let root = made(&home, &STRANGE);
    let mut questions = asking(&home, &root).await;
    let before = seen(&root);
    let shown = json!({ "symbol": OLD, "new_name": NEW });
    let answer = questions.ask("rename_symbol", shown).await.expect("shown");
    assert_eq!(
        (&answer["applied"], &answer["total_edits"]),
        (&json!(false), &json!(names(&STRANGE))),
        "{answer}"
    );
    assert_eq!(seen(&root), before);
}

async fn as_shown(texts: &'static Files) {
    let home = home();
    let root = made(&home, texts);
    let mut questions = asking(&home, &root).await;
    let shown = rename(&mut questions, OLD, NEW, true).await.expect("shown");
    let done = rename(&mut questions, OLD, NEW, false).await.expect("done");
    assert_eq!(shown["files"], done["files"]);
    let files = done["files"].as_array().expect("files");
    assert_eq!(files.len(), 3, "{done}");
    for file in files {
        let path = file["path"].as_str().expect("a path");
        let old = texts
            .iter()
            .find(|(other, _)| *other == path)
            .expect("ours")
            .1
            .replace('@', OLD);
        let now = fs::read_to_string(root.join(path)).expect("there");
        assert_eq!(
            patched(&old, &file["hunks"]),
            now,
            "{path}: {}",
            file["hunks"]
        );
    }
}

/// Applies a diff to a text, as any tool that reads diffs would.
fn patched(old: &str, hunks: &Value) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut new, mut next) = (String::new(), 0);
    for hunk in hunks.as_array().expect("hunks") {
        let start =
            usize::try_from(hunk["old_start"].as_u64().expect("a number")).expect("small") - 1;
        new += &lines[next..start].concat();
        next = start;
        let shown: Vec<&str> = hunk["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|line| line.as_str().expect("text"))
            .collect();
        for (at, line) in shown.iter().enumerate() {
            let (sign, text) = line.split_at(1);
            let is_ended = !shown
                .get(at + 1)
                .is_some_and(|after| after.starts_with('\\'));
            let text = if is_ended {
                format!("{text}\n")
            } else {
                text.to_owned()
            };
            match sign {
                " " | "-" => {
                    assert_eq!(
                        lines.get(next).copied(),
                        Some(text.as_str()),
                        "what the diff says was there"
                    );
                    next += 1;
                    if sign == " " {
                        new += &text;
                    }
                }
                "+" => new += &text,
                _ => assert_eq!(sign, "\\", "{line}"),
            }
        }
    }
    new + &lines[next..].concat()
}

async fn taken() {
    let home = home();
    let root = repository(
        &home,
        "fields",
        &[
            (
                "field.py",
                "def meadow():\n    return 1\n\n\ndef pasture():\n    return 2\n",
            ),
            (
                "walk.py",
                "from field import meadow\n\n\ndef walk(grass):\n    return grass + meadow()\n",
            ),
            (
                "shape.py",
                "class Shape:\n    def area(self):\n        return self.size()\n\n    def size(self):\n        return 1\n",
            ),
        ],
    );
    let mut questions = asking(&home, &root).await;
    let before = seen(&root);
    // Names that are taken: in the same file, at a use, in a class.
    for (symbol, new_name) in [
        ("meadow", "pasture"),
        ("meadow", "grass"),
        ("Shape.area", "size"),
    ] {
        for dry_run in [true, false] {
            let error = rename(&mut questions, symbol, new_name, dry_run)
                .await
                .expect_err(new_name);
            assert!(
                error.starts_with("invalid_argument: "),
                "{symbol} as {new_name}: {error}"
            );
        }
    }
    assert_eq!(seen(&root), before);
}

async fn no_name() {
    let home = home();
    let root = repository(
        &home,
        "fields",
        &[
            ("field.py", "def meadow():\n    return 1\n"),
            ("src/lib.rs", "pub fn grassland() -> u8 {\n    1\n}\n"),
        ],
    );
    let mut questions = asking(&home, &root).await;
    let before = seen(&root);
    let mut accepted = vec![];
    for word in [
        "class",
        "1st",
        "a-b",
        "a.b",
        "a::b",
        "fn",
        "a b",
        "$",
        "@",
        "meadow",
        "grassland",
    ] {
        for symbol in ["meadow", "grassland"] {
            // Its own name is refused too, but a keyword of the other language may be a valid name.
            let is_fine = matches!(
                (symbol, word),
                ("meadow", "fn" | "grassland") | ("grassland", "class" | "meadow")
            );
            match rename(&mut questions, symbol, word, true).await {
                Ok(_) if !is_fine => accepted.push(format!("{symbol} as {word}")),
                Err(error) if !error.starts_with("invalid_argument: ") || is_fine => {
                    accepted.push(format!("{symbol} as {word}: {error}"));
                }
                _ => {}
            }
        }
    }
    assert_eq!(seen(&root), before);
    assert!(accepted.is_empty(), "{accepted:?}");
}

const LOOP: &str = "def graze_all(herd):\n    for beast in herd: beast.graze()\n";
const COMPREHENSION: &str = "def graze_all(herd):\n    return [beast.graze() for beast in herd]\n";

fn herd(home: &Home, all: &str) -> std::path::PathBuf {
    let files = [
        (
            "one.py",
            "class Cow:\n    def graze(self):\n        return 1\n\n\ndef feed():\n    return 1\n",
        ),
        (
            "two.py",
            "class Goat:\n    def graze(self):\n        return 2\n\n\ndef feed():\n    return 2\n",
        ),
        ("herd.py", all),
    ];
    repository(home, "fields", &files)
}

async fn several() {
    let home = home();
    let root = herd(&home, LOOP);
    let mut questions = asking(&home, &root).await;
    let before = seen(&root);
    for symbol in ["feed", "graze"] {
        let error = rename(&mut questions, symbol, "nibble", false)
            .await
            .expect_err(symbol);
        assert!(error.starts_with("ambiguous_symbol: "), "{error}");
        assert!(
            error.contains("one.py:") && error.contains("two.py:"),
            "{error}"
        );
    }
    assert_eq!(seen(&root), before);
}

/// A call on a value of unknown type may mean either class: if it stays as it is, it may break.
async fn doubtful(all: &str) {
    let home = home();
    let root = herd(&home, all);
    let mut questions = asking(&home, &root).await;
    let before = seen(&root);
    let shown = rename(&mut questions, "Cow.graze", "nibble", true)
        .await
        .expect("it may be looked at");
    assert_eq!(
        (&shown["left_out"][0]["path"], &shown["left_out"][0]["line"]),
        (&json!("herd.py"), &json!(2)),
        "{shown}"
    );
    let refused = rename(&mut questions, "Cow.graze", "nibble", false).await;
    let error = refused
        .err()
        .unwrap_or_else(|| panic!("it was done, and herd.py:2 calls graze still"));
    assert!(
        error.starts_with("ambiguous_symbol: ") && error.contains("herd.py:2"),
        "{error}"
    );
    assert_eq!(seen(&root), before);
    let asked = json!({
        "symbol": "Cow.graze", "new_name": "nibble", "dry_run": false, "include_low_confidence": true
    });
    questions
        .ask("rename_symbol", asked)
        .await
        .expect("who insists gets it");
    assert!(
        fs::read_to_string(root.join("herd.py"))
            .expect("there")
            .contains("beast.nibble()")
    );
}

/// Returns every file with its content, its mode and its time.
fn seen(root: &Path) -> BTreeMap<std::path::PathBuf, (Vec<u8>, u32, SystemTime)> {
    let all = files(root, "").into_iter().map(|path| {
        let known = fs::metadata(&path).expect("there");
        let state = (
            fs::read(&path).expect("read"),
            known.permissions().mode(),
            known.modified().expect("a time"),
        );
        (path, state)
    });
    all.collect()
}
