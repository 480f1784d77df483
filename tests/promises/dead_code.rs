//! Code that nothing uses, and code that is there twice.

use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "unused_symbols_are_those_that_nothing_uses",
            Needs::Nothing,
            unused,
        ),
        proof("unused_symbols_are_paged", Needs::Nothing, paged),
        proof(
            "clones_are_grouped_whatever_their_names",
            Needs::Nothing,
            clones,
        ),
    ]
}

async fn project(home: &Home, files: &[(&str, &str)]) -> Questions {
    let root = repository(home, "engine", &[]);
    for (path, text) in files {
        put(&root, path, text.as_bytes());
    }
    let mut questions = Questions::start(home, &root).await;
    questions.settled().await;
    questions
}

fn home() -> Home {
    Home::new().with("CLAUDEVIL_EMBEDDER", "none")
}

fn names(answer: &Value) -> Vec<String> {
    let symbols = answer["symbols"].as_array().expect("symbols").iter();
    symbols
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            format!("{} {}", text("qualified"), text("confidence"))
        })
        .collect()
}

const RUST: &str = "\
pub trait Open {
    fn open(&self);
}

pub struct Store;

impl Open for Store {
    fn open(&self) {
        used();
    }
}

impl Store {
    fn lone(&self) {}

    pub fn close(&self) {
        inner::called();
    }
}

fn used() {}

/// Like `recursive`, which nothing calls.
fn recursive() {
    recursive();
}

#[no_mangle]
fn exported_by_attribute() {}

fn named_in_text() {}

fn only_tested() {}

mod inner {
    pub fn called() {
        println!(\"named_in_text\");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        super::only_tested();
    }
}
";

const PYTHON: &str = "\
import app


class Shape:
    def __repr__(self):
        return _helper()


def _helper():
    return 1


def _unused():
    return 2


@app.route('/')
def _registered():
    return 3
";

async fn unused() {
    let home = home();
    let manifest = "[package]\nname = \"engine\"\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/lib.rs", RUST),
        ("shape.py", PYTHON),
    ];
    let mut questions = project(&home, &files).await;
    let answer = questions
        .ask_until_current("find_unused", json!({}))
        .await
        .expect("an answer");
    let expected = [
        "_unused high",
        "Store::lone high",
        "recursive high",
        "named_in_text medium",
    ];
    assert_eq!(names(&answer), expected, "{answer:#}");
    let count = |reason: &str| {
        let left_out = answer["left_out"].as_array().expect("counts");
        let one = left_out.iter().find(|one| one["reason"] == reason);
        one.map_or(0, |one| one["symbols"].as_u64().expect("a number"))
    };
    assert_eq!(count("decorated"), 2, "{answer:#}");
    assert_eq!(count("tests_only"), 1, "{answer:#}");
    assert!(count("public") >= 2 && count("override") >= 1, "{answer:#}");
    for (asked, expected) in [
        (json!({ "group": "tests_only" }), vec!["only_tested high"]),
        (json!({ "language": "python" }), vec!["_unused high"]),
        (json!({ "path": "shape.py" }), vec!["_unused high"]),
        (
            json!({ "min_confidence": "high", "path": "src" }),
            vec!["Store::lone high", "recursive high"],
        ),
    ] {
        let answer = questions.ask("find_unused", asked.clone()).await;
        assert_eq!(names(&answer.expect("an answer")), expected, "{asked}");
    }
}

async fn paged() {
    let home = home();
    let many: String = (0..25)
        .map(|number| format!("def _step_{number}():\n    return {number}\n\n\n"))
        .collect();
    let mut questions = project(&home, &[("a.py", &many), ("b.py", "import a\n")]).await;
    let mut seen = vec![];
    let mut cursor = Value::Null;
    loop {
        let mut asked = json!({ "limit": 7 });
        if !cursor.is_null() {
            asked["cursor"] = cursor;
        }
        let answer = questions.ask_until_current("find_unused", asked).await;
        let answer = answer.expect("an answer");
        seen.extend(names(&answer));
        cursor = answer["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let expected: Vec<String> = (0..25)
        .map(|number| format!("_step_{number} high"))
        .collect();
    assert_eq!(seen, expected);
}

async fn clones() {
    let home = home();
    let function = |name: &str, item: &str, step: &str| {
        format!(
            "def {name}({item}, limit):\n    total = 0\n    for one in {item}:\n        if one.size > limit:\n            \
             continue\n        total += one.size * {step}\n        one.mark(\"{name}\")\n    return total\n\n\n"
        )
    };
    let (one, two) = (
        function("add_all", "items", "2"),
        function("sum_up", "rows", "3"),
    );
    let other = "def walk(tree):\n    stack = [tree]\n    while stack:\n        node = stack.pop()\n        yield node\n        \
                 stack.extend(node.children)\n        if node.last:\n            return\n    raise ValueError(tree)\n";
    let files = [
        ("a.py", one.as_str()),
        ("b.py", &two),
        ("c.py", other),
        ("tests/test_a.py", &one),
    ];
    let mut questions = project(&home, &files).await;
    let answer = questions
        .ask_until_current("find_clones", json!({}))
        .await
        .expect("an answer");
    let functions = |answer: &Value| -> Vec<String> {
        let groups = answer["groups"].as_array().expect("groups").iter();
        let all = groups.flat_map(|group| group["functions"].as_array().expect("functions"));
        all.map(|one| one["path"].as_str().expect("a path").to_owned())
            .collect()
    };
    assert_eq!(functions(&answer), ["a.py", "b.py"], "{answer:#}");
    assert_eq!(answer["groups"][0]["repeated_lines"], 8, "{answer:#}");
    assert_eq!(answer["compared"], 3, "{answer:#}");
    let answer = questions
        .ask("find_clones", json!({ "include_tests": true }))
        .await
        .expect("an answer");
    assert_eq!(
        functions(&answer),
        ["a.py", "b.py", "tests/test_a.py"],
        "{answer:#}"
    );
    for asked in [json!({ "path": "c.py" }), json!({ "min_lines": 20 })] {
        let answer = questions.ask("find_clones", asked.clone()).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer["total"], 0, "{asked}: {answer:#}");
    }
}
