//! A compiler's index resolves names as long as their files are those that it was made from.

use std::path::Path;
use std::time::Instant;

use claudevil_tests::home::put;
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use scip::types::{
    Document, Index, Metadata, Occurrence, Relationship, SymbolInformation, SymbolRole, ToolInfo,
};
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
const REGISTRY: &str = "\
import barn


def lookup(name):
    return getattr(barn, name)()
";
const MAIN: &str = "\
from registry import lookup


def run(name):
    keeper = lookup(name)
    return keeper.feed()
";

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_precise_index_holds_for_the_files_that_it_was_made_of",
            Needs::Nothing,
            holds_for_its_files,
        ),
        proof(
            "a_precise_index_in_the_root_is_added_by_itself",
            Needs::Nothing,
            is_added_by_itself,
        ),
        proof(
            "a_precise_index_knows_implementations_and_names_in_strings",
            Needs::Nothing,
            knows_more_than_the_source,
        ),
    ]
}

async fn holds_for_its_files() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put_project(&root);
    let scip = home.scratch().join("farm.scip");
    write_index(&scip, documents());
    let mut questions = asking(&home, &root).await;
    // By the source alone it may be either.
    assert_eq!(uses(&mut questions, "Barn.feed").await, ["name_only"]);
    assert_eq!(uses(&mut questions, "Stall.feed").await, ["name_only"]);

    let garbage = home.scratch().join("garbage.scip");
    std::fs::write(&garbage, b"class Barn: pass\n").expect("written");
    let refused = manage(&mut questions, "add", Some(&garbage)).await;
    let refused = refused.expect_err("not a SCIP index");
    assert!(refused.starts_with("invalid_argument"), "{refused}");

    let added = manage(&mut questions, "add", Some(&scip)).await;
    let added = added.expect("added");
    assert_eq!(added["subject"]["tool"], "scip-python 0.6.0", "{added}");
    assert_eq!(added["subject"]["current"], 3, "{added}");
    assert_eq!(uses(&mut questions, "Barn.feed").await, ["resolved"]);
    assert!(uses(&mut questions, "Stall.feed").await.is_empty());
    let place = json!({ "path": "main.py", "line": 6, "column": 19 });
    let definition = questions.ask("find_definition", place).await;
    let definition = definition.expect("a definition");
    assert_eq!(definition["reason"], "resolved by scip-python");
    assert_eq!(definition["definitions"][0]["qualified"], "Barn.feed");

    // A changed file is resolved as before, and precisely again once its text is restored.
    put(&root, "main.py", format!("# Feeds.\n{MAIN}").as_bytes());
    assert_eq!(uses(&mut questions, "Barn.feed").await, ["name_only"]);
    let status = manage(&mut questions, "status", None).await;
    let status = status.expect("a status");
    assert_eq!(status["coverage"][0]["precise"], 2, "{status}");
    assert_eq!(status["coverage"][0]["files"], 3, "{status}");
    put(&root, "main.py", MAIN.as_bytes());
    assert_eq!(uses(&mut questions, "Barn.feed").await, ["resolved"]);
    // The same holds for a use of a definition that has moved.
    put(&root, "barn.py", format!("# Barns.\n{BARN}").as_bytes());
    assert_eq!(uses(&mut questions, "Stall.feed").await, ["name_only"]);
    put(&root, "barn.py", BARN.as_bytes());

    // The file was written after the index was made, which may be out of date.
    let again = manage(&mut questions, "add", Some(&scip)).await;
    let again = again.expect("added");
    assert_eq!(again["subject"]["current"], 1, "{again}");
    assert_eq!(uses(&mut questions, "Stall.feed").await, ["name_only"]);

    let removed = manage(&mut questions, "remove", None).await;
    let removed = removed.expect("removed");
    assert_eq!(removed["subject"]["name"], "farm", "{removed}");
    assert!(manage(&mut questions, "remove", None).await.is_err());
}

async fn is_added_by_itself() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put_project(&root);
    write_index(&root.join("index.scip"), documents());
    let mut questions = asking(&home, &root).await;
    // The import runs concurrently with questions, which are answered without it until it is done.
    let started = Instant::now();
    loop {
        let found = uses(&mut questions, "Barn.feed").await;
        if found == ["resolved"] {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{found:?}");
        claudevil_tests::pause().await;
    }
    let shown = home
        .claudevil(&["precise", "list", "--root", root.to_str().expect("UTF-8")])
        .await;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("index  scip-python 0.6.0  3 of 3 files"),
        "{shown}"
    );
}

/// The source says neither that `Stall` is a `Barn` nor that the string names a method.
async fn knows_more_than_the_source() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put_project(&root);
    put(&root, "names.py", b"NAMES = [\"feed\"]\n");
    let scip = home.scratch().join("farm.scip");
    let mut documents = documents();
    let implements = |name: &str, implemented: &str| SymbolInformation {
        symbol: symbol(name),
        relationships: vec![Relationship {
            symbol: symbol(implemented),
            is_implementation: true,
            ..Relationship::default()
        }],
        ..SymbolInformation::default()
    };
    documents[0].symbols = vec![
        implements("barn/Stall#", "barn/Barn#"),
        implements("barn/Stall#feed().", "barn/Barn#feed()."),
    ];
    documents.push(document(
        "names.py",
        vec![
            definition([0, 0, 5], "names/NAMES."),
            reference([0, 10, 14], "barn/Barn#feed()."),
        ],
    ));
    write_index(&scip, documents);
    let mut questions = asking(&home, &root).await;
    let added = manage(&mut questions, "add", Some(&scip)).await;
    assert_eq!(added.expect("added")["subject"]["current"], 4);

    for (symbol, expected) in [("Barn", "Stall"), ("Barn.feed", "Stall.feed")] {
        let found = questions
            .ask("find_implementations", json!({ "symbol": symbol }))
            .await
            .expect("an answer");
        let found = &found["implementations"];
        assert_eq!(found[0]["qualified"], expected, "{found}");
        assert_eq!(found[0]["reason"], "resolved by scip-python", "{found}");
    }
    let found = questions
        .ask("find_references", json!({ "symbol": "Barn.feed" }))
        .await
        .expect("an answer");
    let references = found["references"].as_array().expect("a list");
    let in_string = references.iter().find(|one| one["path"] == "names.py");
    assert_eq!(
        in_string.expect("a use")["resolution"],
        "resolved",
        "{found}"
    );
    assert_eq!(found["accounting"]["unknown"], 0, "{found}");
    let place = json!({ "path": "names.py", "line": 1, "column": 12 });
    let defined = questions.ask("find_definition", place).await;
    let defined = defined.expect("a definition");
    assert_eq!(
        defined["definitions"][0]["qualified"], "Barn.feed",
        "{defined}"
    );

    let status = questions.status().await;
    let covered = json!([{ "language": "Python", "precise": 4, "files": 4 }]);
    assert_eq!(status["precise"], covered, "{status}");
}

fn put_project(root: &Path) {
    put(root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(root, "barn.py", BARN.as_bytes());
    put(root, "registry.py", REGISTRY.as_bytes());
    put(root, "main.py", MAIN.as_bytes());
}

/// Returns how each use of a symbol outside its own file is resolved.
async fn uses(questions: &mut Questions, symbol: &str) -> Vec<String> {
    let found = questions
        .ask_until_current("find_references", json!({ "symbol": symbol }))
        .await
        .expect("an answer");
    let references = found["references"].as_array().expect("a list");
    let resolution = |one: &Value| one["resolution"].as_str().unwrap_or_default().to_owned();
    references
        .iter()
        .filter(|one| one["path"] == "main.py")
        .map(resolution)
        .collect()
}

async fn manage(
    questions: &mut Questions,
    action: &str,
    file: Option<&Path>,
) -> Result<Value, String> {
    let mut arguments = json!({ "action": action });
    match file {
        Some(file) => arguments["file"] = json!(file),
        None if action == "remove" => arguments["name"] = json!("farm"),
        None => {}
    }
    questions.ask("manage_precise", arguments).await
}

fn symbol(name: &str) -> String {
    format!("scip-python python farm 0.1.0 {name}")
}

fn definition(range: [i32; 3], name: &str) -> Occurrence {
    Occurrence {
        symbol_roles: SymbolRole::Definition as i32,
        ..reference(range, name)
    }
}

fn reference(range: [i32; 3], name: &str) -> Occurrence {
    Occurrence {
        range: range.to_vec(),
        symbol: symbol(name),
        ..Occurrence::default()
    }
}

fn document(path: &str, occurrences: Vec<Occurrence>) -> Document {
    Document {
        relative_path: path.to_owned(),
        occurrences,
        ..Document::default()
    }
}

/// Returns what scip-python would write about `feed`.
fn documents() -> Vec<Document> {
    vec![
        document(
            "barn.py",
            vec![
                definition([0, 6, 10], "barn/Barn#"),
                definition([1, 8, 12], "barn/Barn#feed()."),
                definition([5, 6, 11], "barn/Stall#"),
                definition([6, 8, 12], "barn/Stall#feed()."),
            ],
        ),
        document(
            "registry.py",
            vec![definition([3, 4, 10], "registry/lookup().")],
        ),
        document(
            "main.py",
            vec![
                definition([3, 4, 7], "main/run()."),
                reference([5, 18, 22], "barn/Barn#feed()."),
            ],
        ),
    ]
}

fn write_index(path: &Path, documents: Vec<Document>) {
    let tool = ToolInfo {
        name: "scip-python".to_owned(),
        version: "0.6.0".to_owned(),
        ..ToolInfo::default()
    };
    let index = Index {
        metadata: Some(Metadata {
            tool_info: Some(tool).into(),
            project_root: "file:///builds/farm".to_owned(),
            ..Metadata::default()
        })
        .into(),
        documents,
        ..Index::default()
    };
    scip::write_message_to_file(path, index).expect("written");
}
