//! A project still builds after each edit, and is as before once the last edit undoes the others.

use std::fs;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::toolchains::broken;
use super::{asking, home, project};
use crate::{Needs, proof};

/// For each language, the program that checks a project, a symbol, and a new neighbour for it.
const EDITS: [(&str, Needs, &str, &str); 9] = [
    (
        "python",
        Needs::Program("python3", "needs python3"),
        "pricing.total",
        "def added_here():\n    return 1",
    ),
    (
        "javascript",
        Needs::Program("node", "needs node"),
        "parse.parse",
        "function added_here() {\n  return 1;\n}",
    ),
    (
        "typescript",
        Needs::Program("tsc", "needs tsc"),
        "task.create",
        "export function added_here(): number {\n  return 1;\n}",
    ),
    (
        "rust",
        Needs::Program("cargo", "needs cargo"),
        "parser.parse",
        "#[allow(dead_code)]\nfn added_here() -> u8 {\n    1\n}",
    ),
    (
        "c",
        Needs::Program("cc", "needs cc"),
        "table_put",
        "int added_here(void)\n{\n    return 1;\n}",
    ),
    (
        "cpp",
        Needs::Program("c++", "needs c++"),
        "Spooler.submit",
        "static int added_here() {\n    return 1;\n}",
    ),
    (
        "go",
        Needs::Program("go", "needs go"),
        "shipping.New",
        "func added_here() int {\n\treturn 1\n}",
    ),
    (
        "java",
        Needs::Program("javac", "needs javac"),
        "Money.plus",
        "static int added_here() {\n    return 1;\n}",
    ),
    (
        "bash",
        Needs::Program("bash", "needs bash"),
        "pack",
        "added_here() {\n    return 1\n}",
    ),
];

pub fn trials() -> Vec<Trial> {
    let builds = EDITS.map(|(language, needs, id, neighbour)| {
        proof(
            &format!("edit_leaves_a_{language}_project_that_builds"),
            needs,
            move || builds(language, id, neighbour),
        )
    });
    builds.into_iter().collect()
}

async fn builds(language: &str, id: &str, neighbour: &str) {
    let home = home();
    let (root, truth) = project(&home, language);
    let mut questions = asking(&home, &root).await;
    let (path, line) = &truth.definitions[id];
    let read = || fs::read_to_string(root.join(path)).expect("a text");
    let before = read();
    let symbol = truth.name(id);
    let edit = |action: &str, text: &str| json!({ "symbol": symbol, "path": path, "line": line, "action": action, "text": text });
    let asked = edit("insert_after", neighbour);
    let answer = questions.change("edit_symbol", asked).await;
    let own = lines_of(&answer.expect("inserted"), &before);

    let mut lines = neighbour.lines();
    let body = lines.find(|line| line.contains('1')).expect("a body");
    let body = body.replace('1', "2");
    let asked = json!({ "symbol": "added_here", "path": path, "action": "replace_body", "text": body.trim() });
    let answer = questions.change("edit_symbol", asked).await;
    assert_eq!(answer.expect("another body")["applied"], true);
    // Its indentation follows the file.
    assert!(read().contains(body.trim()), "{}", read());

    let with_neighbour = read();
    let answer = questions.change("edit_symbol", edit("replace", &own)).await;
    answer.expect("replaced");
    assert_eq!(read(), with_neighbour, "replaced by itself");

    let above = neighbour.replace("added_here", "added_above");
    let asked = edit("insert_before", &above);
    let answer = questions.change("edit_symbol", asked).await;
    answer.expect("inserted");
    // Each edit was made on top of the previous one.
    let scratch = home.scratch().join("built");
    assert_eq!(broken(language, &root, &scratch), None, "{}", read());

    let gone = ["added_here", "added_above"]
        .map(|name| json!({ "symbol": name, "path": path, "action": "delete" }));
    let answer = questions
        .change("edit_symbol", json!({ "edits": gone }))
        .await;
    answer.expect("deleted");
    assert_eq!(read(), before, "the neighbours are gone");
}

/// Returns the lines of the symbol that an answer is about.
fn lines_of(answer: &Value, text: &str) -> String {
    let line = |key: &str| {
        let number = answer["edits"][0]["symbol"][key].as_u64();
        usize::try_from(number.expect("a line")).expect("small")
    };
    let lines: Vec<&str> = text.lines().collect();
    lines[line("start_line") - 1..line("end_line")].join("\n")
}
