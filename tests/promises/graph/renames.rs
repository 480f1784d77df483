//! A rename reaches every use and nothing else, and afterwards the project still builds and runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use claudevil_tests::accuracy::truth::{SourceLine, Truth};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::toolchains::broken;
use super::{asking, has_word, home, project};
use crate::{Needs, proof};

/// Symbols with their new names.
type Renames = [(&'static str, &'static str); 2];

/// For each language, the program that checks a project, and the renames.
const RENAMES: [(&str, Needs, Renames); 9] = [
    (
        "python",
        Needs::Program("python3", "needs python3"),
        [("pricing.total", "sum_up"), ("Order", "Purchase")],
    ),
    (
        "javascript",
        Needs::Program("node", "needs node"),
        [("parse.parse", "dissect"), ("Room", "Chamber")],
    ),
    (
        "typescript",
        Needs::Program("tsc", "needs tsc"),
        [("task.create", "makeTask"), ("Queue.add", "enlist")],
    ),
    (
        "rust",
        Needs::Program("cargo", "needs cargo"),
        [
            ("parser.parse", "read_program"),
            ("Interpreter.define", "teach"),
        ],
    ),
    (
        "c",
        Needs::Program("cc", "needs cc"),
        [("table_put", "table_store"), ("Table", "Dictionary")],
    ),
    (
        "cpp",
        Needs::Program("c++", "needs c++"),
        [("Spooler.submit", "hand_in"), ("Document", "Paper")],
    ),
    (
        "go",
        Needs::Program("go", "needs go"),
        [("shipping.New", "Create"), ("Shelf", "Rack")],
    ),
    (
        "java",
        Needs::Program("javac", "needs javac"),
        [("summary", "overviewOf"), ("Money.plus", "increasedBy")],
    ),
    (
        "bash",
        Needs::Program("bash", "needs bash"),
        [("pack", "bundle"), ("die", "give_up")],
    ),
];

pub fn trials() -> Vec<Trial> {
    let builds = RENAMES.map(|(language, needs, renames)| {
        proof(
            &format!("rename_leaves_a_{language}_project_that_builds"),
            needs,
            move || builds(language, renames),
        )
    });
    let lines = RENAMES.map(|(language, _, renames)| {
        proof(
            &format!("rename_reaches_the_uses_in_{language}_and_no_more"),
            Needs::Nothing,
            move || lines(language, renames),
        )
    });
    // If the file is named after the class, both get the new name or neither.
    let file = proof(
        "rename_of_a_class_that_names_its_file_still_builds",
        Needs::Program("javac", "needs javac"),
        || whole_or_refused("java", ("Money", "Amount")),
    );
    builds.into_iter().chain(lines).chain([file]).collect()
}

async fn builds(language: &str, renames: Renames) {
    let home = home();
    let (root, truth) = project(&home, language);
    let scratch = home.scratch().join("built");
    assert_eq!(
        broken(language, &root, &scratch),
        None,
        "before anything was changed"
    );
    let mut questions = asking(&home, &root).await;
    let mut failed = vec![];
    for (id, new_name) in renames {
        let before = text(&root, &truth.definitions[id]);
        match rename(&mut questions, &truth, id, new_name, false).await {
            Err(error) => failed.push(format!("{id}: {error}")),
            Ok(answer) => {
                assert_eq!(answer["applied"], true, "{answer}");
                let files = answer["total_files"].as_u64().expect("a number");
                assert!(files > 1, "{id} is used in several files: {answer}");
                let after = text(&root, &truth.definitions[id]);
                assert!(
                    after != before && has_word(&after, new_name),
                    "{before} became {after}"
                );
            }
        }
    }
    // Each rename was made on top of the previous one.
    failed.extend(broken(language, &root, &scratch));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

async fn whole_or_refused(language: &str, (id, new_name): (&str, &str)) {
    let home = home();
    let (root, truth) = project(&home, language);
    let mut questions = asking(&home, &root).await;
    if rename(&mut questions, &truth, id, new_name, false)
        .await
        .is_ok()
    {
        assert_eq!(
            broken(language, &root, &home.scratch().join("built")),
            None,
            "{id} as {new_name}"
        );
    }
}

/// Previews each rename without applying it, so that each starts from the same project.
async fn lines(language: &str, renames: Renames) {
    let home = home();
    let (root, truth) = project(&home, language);
    let mut questions = asking(&home, &root).await;
    let mut wrong = vec![];
    for (id, new_name) in renames {
        let name = truth.name(id);
        let answer = rename(&mut questions, &truth, id, new_name, true)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let changed = removed(&answer);
        let says_it = |place: &&SourceLine| has_word(&text(&root, place), name);
        let references = truth.references.get(id).into_iter().flatten();
        let expected: BTreeSet<&SourceLine> = references
            .chain([&truth.definitions[id]])
            .filter(says_it)
            .collect();
        // Constructors have the name of their type.
        let own = truth
            .definitions
            .iter()
            .filter(|(other, _)| other.starts_with(&format!("{id}.")));
        let possible: BTreeSet<&SourceLine> = truth
            .possible
            .get(id)
            .into_iter()
            .flatten()
            .chain(own.map(|(_, place)| place))
            .collect();
        wrong.extend(
            expected
                .iter()
                .filter(|place| !changed.contains(*place))
                .map(|place| format!("- {id} {place:?}")),
        );
        let more = changed
            .iter()
            .filter(|place| !expected.contains(place) && !possible.contains(place));
        wrong.extend(more.map(|place| format!("+ {id} {place:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn rename(
    questions: &mut Questions,
    truth: &Truth,
    id: &str,
    new_name: &str,
    dry_run: bool,
) -> Result<Value, String> {
    let (path, line) = &truth.definitions[id];
    let symbol = truth.name(id);
    let asked = json!({
        "symbol": symbol, "path": path, "line": line, "new_name": new_name, "dry_run": dry_run, "max_tokens": 10000
    });
    questions.ask("rename_symbol", asked).await
}

fn text(root: &Path, (path, line): &SourceLine) -> String {
    let text = fs::read_to_string(root.join(path)).expect("a text");
    text.lines()
        .nth(usize::try_from(*line).expect("small") - 1)
        .unwrap_or_default()
        .to_owned()
}

/// Returns the lines that a diff removes, by their old numbers.
fn removed(answer: &Value) -> BTreeSet<SourceLine> {
    assert_eq!(answer["truncated"], false, "{answer}");
    let mut places = BTreeSet::new();
    for file in answer["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        for hunk in file["hunks"].as_array().expect("hunks") {
            let mut line =
                u32::try_from(hunk["old_start"].as_u64().expect("a number")).expect("small");
            for text in hunk["lines"].as_array().expect("lines") {
                let sign = text.as_str().expect("a line").chars().next();
                if sign == Some('-') {
                    places.insert((path.to_owned(), line));
                }
                line += u32::from(matches!(sign, Some('-' | ' ')));
            }
        }
    }
    places
}
