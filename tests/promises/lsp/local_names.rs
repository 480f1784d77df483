//! Parameters and variables of functions are renamed where they mean the same variable, and nowhere else.

use std::path::{Path, PathBuf};

use claudevil_tests::home::{Home, repository};
use claudevil_tests::lsp::{LspSession, at, uri};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_local_names_are_renamed_in_their_function",
            Needs::Nothing,
            renames,
        ),
        proof(
            "lsp_a_local_name_that_is_taken_is_refused",
            Needs::Nothing,
            refusals,
        ),
    ]
}

/// A file before and after `before` is renamed to `after` at `§`, which is not part of the text.
struct Case {
    file: &'static str,
    text: &'static str,
    after: &'static str,
}

const CASES: &[Case] = &[
    Case {
        file: "shadow.rs",
        text: "struct Row { before: u32 }\n\nfn run(before: u32) -> Row {\n    let other = |before: u32| format!(\"{before}\").len() as u32 + before;\n    println!(\"{before} {}\", other(§before));\n    // before\n    Row { before }\n}\n\nfn beside(before: u32) -> u32 {\n    before\n}\n",
        after: "struct Row { before: u32 }\n\nfn run(after: u32) -> Row {\n    let other = |before: u32| format!(\"{before}\").len() as u32 + before;\n    println!(\"{after} {}\", other(after));\n    // before\n    Row { before: after }\n}\n\nfn beside(before: u32) -> u32 {\n    before\n}\n",
    },
    Case {
        file: "assign.py",
        text: "def run(flag, row):\n    before = 1\n    if flag:\n        §before = row.before\n    return before + len([before for before in row])\n\n\ndef beside(before):\n    return before\n",
        after: "def run(flag, row):\n    after = 1\n    if flag:\n        after = row.before\n    return after + len([before for before in row])\n\n\ndef beside(before):\n    return before\n",
    },
    Case {
        file: "named.py",
        text: "def open(§before, mode=1):\n    return before * mode\n\n\ndef use(before):\n    return open(before=before, mode=2)\n",
        after: "def open(after, mode=1):\n    return after * mode\n\n\ndef use(before):\n    return open(after=before, mode=2)\n",
    },
    Case {
        file: "fields.ts",
        text: "export function run(row: { before: number }) {\n  const { before } = row;\n  for (let i = 0; i < 2; i++) {\n    console.log(§before, `${before}`, row.before);\n  }\n  return { before, other: before };\n}\n",
        after: "export function run(row: { before: number }) {\n  const { before: after } = row;\n  for (let i = 0; i < 2; i++) {\n    console.log(after, `${after}`, row.before);\n  }\n  return { before: after, other: after };\n}\n",
    },
    Case {
        file: "blocks.go",
        text: "package main\n\nfunc run(values []int) int {\n\tsum := 0\n\tfor _, before := range values {\n\t\tsum += §before\n\t}\n\tfor _, before := range values {\n\t\tsum -= before\n\t}\n\treturn sum\n}\n",
        after: "package main\n\nfunc run(values []int) int {\n\tsum := 0\n\tfor _, after := range values {\n\t\tsum += after\n\t}\n\tfor _, before := range values {\n\t\tsum -= before\n\t}\n\treturn sum\n}\n",
    },
];

/// Returns a text without its mark, and the line and column of the mark.
fn marked(text: &str) -> (String, u32, u32) {
    let at = text.find('§').expect("a mark");
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
    let without = text.replace('§', "");
    (
        without,
        u32::try_from(line).expect("few"),
        u32::try_from(column).expect("few"),
    )
}

fn project(home: &Home) -> PathBuf {
    let texts: Vec<(&str, String)> = CASES
        .iter()
        .map(|case| (case.file, marked(case.text).0))
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    repository(home, "names", &files)
}

/// Makes the edits of a file, from the last to the first.
fn apply(text: &str, answer: &Value, path: &Path) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let files = answer["documentChanges"].as_array().expect("a list");
    let own = files
        .iter()
        .filter(|file| file["textDocument"]["uri"] == uri(path));
    let mut edits: Vec<&Value> = own
        .flat_map(|file| file["edits"].as_array().expect("a list"))
        .collect();
    let place = |position: &Value| {
        let number = |key: &str| usize::try_from(position[key].as_u64().expect("a number"));
        (
            number("line").expect("few"),
            number("character").expect("few"),
        )
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(place(&edit["range"]["start"])));
    for edit in edits {
        assert!(edit.get("annotationId").is_none(), "a doubt: {edit}");
        let (line, start) = place(&edit["range"]["start"]);
        let (_, end) = place(&edit["range"]["end"]);
        lines[line].replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    lines.join("\n")
}

async fn renames() {
    let home = Home::new();
    let root = project(&home);
    let mut session = LspSession::start(&home, &root).await;
    for case in CASES {
        let (text, line, column) = marked(case.text);
        let path = root.join(case.file);
        let mut params = at(&path, line, column);
        params["newName"] = json!("after");
        let answer = session.ask("textDocument/rename", params).await;
        assert_eq!(
            apply(&text, &answer, &path),
            case.after,
            "{}: {answer}",
            case.file
        );
    }
}

async fn refusals() {
    let home = Home::new();
    let root = project(&home);
    let mut session = LspSession::start(&home, &root).await;
    for (new_name, reason) in [
        ("flag", "is used in the same function"),
        ("def", "is a reserved word of Python"),
        ("before", "already called"),
    ] {
        let mut params = at(&root.join("assign.py"), 1, 5);
        params["newName"] = json!(new_name);
        let refused = session.request("textDocument/rename", params).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(reason), "{refused}");
    }
}
