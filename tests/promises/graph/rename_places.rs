//! Doubtful places of a rename are accepted or refused one by one, by an agent or by a person at a terminal.

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_tests::home::{Home, put};
use claudevil_tests::questions::Questions;
use claudevil_tests::window::{Window, WindowKind};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home};
use crate::{Needs, proof};

const BARN: &str = "\
class Barn:
    def feed(self):
        return 1


class Stall:
    def feed(self):
        return 2
";
const MAIN: &str = "\
from registry import lookup


def run(name):
    first = lookup(name)
    first.feed()
    second = lookup(name)
    second.feed()
    third = lookup(name)
    third.feed()
";
const REGISTRY: &str = "\
import barn


def lookup(name):
    return getattr(barn, name)()
";
const WINDOW: WindowKind<'_> = WindowKind {
    rows: 60,
    columns: 100,
    term: "xterm",
};
const QUESTION: &str = "[y,n,a,d,q,?]?";

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "rename_takes_and_leaves_doubtful_places_by_their_numbers",
            Needs::Nothing,
            by_number,
        ),
        proof(
            "rename_refuses_the_numbers_of_a_preview_that_is_out_of_date",
            Needs::Nothing,
            out_of_date,
        ),
        proof(
            "rename_asks_about_doubtful_places_at_a_terminal",
            Needs::Program("script", "needs script"),
            at_a_terminal,
        ),
        proof(
            "rename_asks_nothing_where_nobody_can_answer",
            Needs::Nothing,
            in_a_pipe,
        ),
    ]
}

fn farm(home: &Home) -> PathBuf {
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(&root, "barn.py", BARN.as_bytes());
    put(&root, "main.py", MAIN.as_bytes());
    put(&root, "registry.py", REGISTRY.as_bytes());
    root
}

async fn rename(questions: &mut Questions, decisions: Value) -> Result<Value, String> {
    let mut asked = json!({ "symbol": "Barn.feed", "new_name": "nourish" });
    let all = asked.as_object_mut().expect("an object");
    all.extend(decisions.as_object().expect("an object").clone());
    questions.ask("rename_symbol", asked).await
}

/// Returns the names that are called in `main.py`, in order.
fn calls(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join("main.py")).expect("a text");
    let called = text.lines().filter_map(|line| line.trim().split_once('.'));
    let called = called.filter_map(|(_, rest)| rest.strip_suffix("()"));
    called.map(str::to_owned).collect()
}

async fn by_number() {
    let home = home();
    let root = farm(&home);
    let mut questions = asking(&home, &root).await;
    let preview = rename(&mut questions, json!({})).await.expect("a preview");
    let doubtful = preview["left_out"].as_array().expect("a list");
    let doubtful = doubtful.iter().filter(|place| place["is_doubtful"] == true);
    let doubtful: Vec<(&Value, &str)> = doubtful
        .map(|place| (&place["number"], place["text"].as_str().expect("a line")))
        .collect();
    let expected = [
        (&json!(1), "first.feed()"),
        (&json!(2), "second.feed()"),
        (&json!(3), "third.feed()"),
    ];
    assert_eq!(doubtful, expected, "{preview}");
    assert_eq!(preview["total_undecided"], 3, "{preview}");
    let name = &preview["preview"];

    for (decisions, code) in [
        (json!({ "dry_run": false }), "ambiguous_symbol"),
        (json!({ "include": [2] }), "invalid_argument"),
        (
            json!({ "include": [4], "preview": name }),
            "invalid_argument",
        ),
        (
            json!({ "include": [1], "exclude": [2], "preview": name, "dry_run": false }),
            "ambiguous_symbol",
        ),
    ] {
        let refused = rename(&mut questions, decisions.clone()).await;
        let refused = refused.expect_err("refused");
        assert!(refused.starts_with(code), "{decisions}: {refused}");
    }
    let excluded = json!({ "exclude": [1, 3], "preview": name });
    let excluded = rename(&mut questions, excluded).await.expect("a preview");
    assert_eq!(excluded["total_edits"], 2, "{excluded}");
    assert_eq!(&excluded["preview"], name, "the files are the same");
    assert_eq!(calls(&root), ["feed", "feed", "feed"]);

    let included = json!({ "include": [2], "preview": name, "dry_run": false });
    let applied = rename(&mut questions, included).await.expect("applied");
    assert_eq!(applied["applied"], true, "{applied}");
    assert_eq!(calls(&root), ["feed", "nourish", "feed"]);
    let barn = fs::read_to_string(root.join("barn.py")).expect("a text");
    assert_eq!(barn, BARN.replacen("feed", "nourish", 1));
}

async fn out_of_date() {
    let home = home();
    let root = farm(&home);
    let mut questions = asking(&home, &root).await;
    let preview = rename(&mut questions, json!({})).await.expect("a preview");
    let changed = MAIN.replacen("    first.feed()\n", "", 1);
    put(&root, "main.py", changed.as_bytes());
    let included = json!({ "include": [2], "preview": preview["preview"], "dry_run": false });
    let refused = rename(&mut questions, included).await;
    let refused = refused.expect_err("its numbers mean other places");
    assert!(refused.starts_with("stale"), "{refused}");
    let barn = fs::read_to_string(root.join("barn.py")).expect("a text");
    assert_eq!(
        (barn.as_str(), calls(&root)),
        (BARN, vec!["feed".to_owned(); 2])
    );
}

async fn at_a_terminal() {
    let home = home();
    let root = farm(&home);
    asking(&home, &root).await;
    let line = "claudevil rename Barn.feed nourish --apply";
    let mut window = Window::open(&home, &root, WINDOW, line);
    window.shows(0, QUESTION).await;
    window.press("q\n").await;
    let (shown, code) = window.end().await;
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!(code, Some(1), "{shown}");
    assert_eq!(calls(&root), ["feed"; 3]);

    let mut window = Window::open(&home, &root, WINDOW, line);
    let mut from = 0;
    for (key, place, then) in [
        ("?\n", "first.", "quit; no file is changed"),
        ("n\n", "", "second."),
        ("y\n", "", "third."),
        ("d\n", "", "applied"),
    ] {
        from = window.shows(from, place).await;
        from = window.shows(from, QUESTION).await;
        window.press(key).await;
        from = window.shows(from, then).await;
    }
    let (shown, code) = window.end().await;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(calls(&root), ["feed", "nourish", "feed"]);
}

async fn in_a_pipe() {
    let home = home();
    let root = farm(&home);
    asking(&home, &root).await;
    let folder = root.to_str().expect("UTF-8");
    let output = home
        .claudevil(&[
            "rename",
            "Barn.feed",
            "nourish",
            "--apply",
            "--root",
            folder,
        ])
        .await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("ambiguous_symbol"),
        "{said}"
    );
    assert!(!said.contains(QUESTION), "{said}");
    assert_eq!(calls(&root), ["feed"; 3]);
}
