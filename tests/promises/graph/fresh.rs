//! A question about calls sees every edit made before it.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, put, repository};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof(
        "08_callers_are_those_of_the_last_save",
        Needs::Nothing,
        callers,
    )]
}

/// A debug build on a busy machine is often late, and says so; an answer that does not say so must be right.
const MAX_MARKED: usize = 60;

async fn callers() {
    let home = home();
    let root = repository(
        &home,
        "fields",
        &[
            ("field.py", "def meadow():\n    return 1\n"),
            ("walk.py", "def walk():\n    return 0\n"),
            ("run.go", "package run\n\nfunc Meadow() int { return 1 }\n"),
        ],
    );
    let mut questions = asking(&home, &root).await;
    let mut marked = 0;
    let mut callers: Vec<String> = vec![];
    for number in 0..12 {
        // Calls appear in a new file, then in one that had none, and then disappear again.
        let (path, text, name) = match number % 3 {
            0 => {
                let name = format!("walk{number}");
                (
                    format!("new{number}.py"),
                    format!("from field import meadow\n\n\ndef {name}():\n    return meadow()\n"),
                    name,
                )
            }
            1 => {
                let name = format!("walk{number}");
                (
                    "walk.py".to_owned(),
                    format!("import field\n\n\ndef {name}():\n    return field.meadow()\n"),
                    name,
                )
            }
            _ => (
                "walk.py".to_owned(),
                "def walk():\n    return 0\n".to_owned(),
                String::new(),
            ),
        };
        if path == "walk.py" {
            callers.retain(|caller| !caller.ends_with("@walk.py"));
        }
        if !name.is_empty() {
            callers.push(format!("{name}@{path}"));
            callers.sort();
        }
        put(&root, &path, text.as_bytes());
        let answer = loop {
            let asked = json!({ "symbol": "meadow", "path": "field.py", "line": 1 });
            let answer = questions
                .ask("find_callers", asked)
                .await
                .unwrap_or_else(|error| panic!("{error}"));
            let freshness = &answer["freshness"];
            if freshness["partial"].is_null()
                && freshness["stale_total"] == 0
                && freshness["note"].is_null()
            {
                break answer;
            }
            marked += 1;
            assert!(
                marked < MAX_MARKED,
                "{marked} answers say that they may lack something: {freshness}"
            );
        };
        let of = |one: &Value| {
            format!(
                "{}@{}",
                one["name"].as_str().expect("a name"),
                one["path"].as_str().expect("a path")
            )
        };
        let mut found: Vec<String> = answer["callers"]
            .as_array()
            .expect("a list")
            .iter()
            .map(of)
            .collect();
        found.sort();
        assert_eq!(found, callers, "edit {number} of {path}: {answer}");
    }
    measured(&format!(
        "12 edits, {marked} answers say that they may lack something"
    ));
}
