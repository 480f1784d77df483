//! Notes and plans, over the real binaries: no saved note is lost, nothing is written that should not be, and changes that
//! people make to the files break no question.

mod at_once;
mod by_hand;
mod kept_out;
mod many;

use std::fs;
use std::path::{Path, PathBuf};

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub fn trials() -> Vec<Trial> {
    [
        at_once::trials(),
        by_hand::trials(),
        kept_out::trials(),
        many::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const NOTES: &str = ".claudevil/memories";
const PLANS: &str = ".claudevil/memories/plans";

async fn session(home: &Home, project: &Path) -> Session {
    Session::start(home, project, &["--toolsets", "all"]).await
}

/// Returns the answer of a tool as JSON, or its error as text.
async fn ask(session: &mut Session, tool: &str, mut arguments: Value) -> Result<Value, String> {
    arguments["format"] = json!("json");
    let (text, is_error) = session.call(tool, arguments).await;
    if is_error {
        return Err(text);
    }
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// Returns the next answer of several concurrent calls: the id of its call, its text, and whether it is an error.
async fn next_answer(session: &mut Session) -> (u64, String, bool) {
    loop {
        let message = session.next().await;
        if let (Some(id), Some(text)) = (
            message["id"].as_u64(),
            message["result"]["content"][0]["text"].as_str(),
        ) {
            return (id, text.to_owned(), message["result"]["isError"] == true);
        }
    }
}

/// Returns the texts of all notes that `recall` finds.
async fn recalled(session: &mut Session, arguments: Value) -> Vec<String> {
    let mut arguments = arguments;
    arguments["limit"] = json!(100);
    arguments["max_tokens"] = json!(10_000);
    let answer = ask(session, "recall", arguments).await.expect("notes");
    let notes = answer["notes"].as_array().expect("a list");
    notes
        .iter()
        .map(|note| note["text"].as_str().expect("a text").to_owned())
        .collect()
}

/// Returns the files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return vec![];
    };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// Returns every file below a folder, without following links.
fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            match entry.file_type().expect("a kind") {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
