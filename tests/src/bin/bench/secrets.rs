//! The share of planted credentials that are found, and false alarms in other projects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use claudevil_tests::binaries::workspace;
use claudevil_tests::home::Home;
use claudevil_tests::planted::{self, Part, Recall};
use serde_json::Value;

/// Prints recall by kind of the corpus, then every line of the folders that is taken for a credential.
#[expect(clippy::print_stdout, reason = "it is what was asked for")]
pub async fn run(folders: &[PathBuf]) -> ExitCode {
    let home = Home::new();
    let mut by_kind: BTreeMap<String, [Recall; Part::ALL.len()]> = BTreeMap::new();
    for (column, part) in Part::ALL.into_iter().enumerate() {
        let scratch = tempfile::tempdir().expect("a folder");
        let files = planted::read(workspace(), part);
        for file in &files {
            fs::write(scratch.path().join(&file.name), &file.text).expect("written");
        }
        let measured = measure(&home, scratch.path()).await;
        for file in &files {
            let mut counts = BTreeMap::new();
            file.count(&planted::covered(&measured, &file.name), &mut counts);
            for (kind, recall) in counts {
                let sum = &mut by_kind.entry(kind).or_default()[column];
                (sum.planted, sum.found) = (sum.planted + recall.planted, sum.found + recall.found);
            }
        }
    }
    println!("| kind | development | judged | blind |\n|---|---:|---:|---:|");
    let row = |kind: &str, recalls: &[Recall]| {
        let cells = recalls
            .iter()
            .map(|recall| format!(" {} of {} |", recall.found, recall.planted));
        println!("| {kind} |{}", cells.collect::<String>());
    };
    let mut total = [Recall::default(); Part::ALL.len()];
    for (kind, recalls) in &by_kind {
        row(kind, recalls);
        for (sum, recall) in total.iter_mut().zip(recalls) {
            (sum.planted, sum.found) = (sum.planted + recall.planted, sum.found + recall.found);
        }
    }
    row("all", &total);
    for folder in folders {
        let measured = measure(&home, folder).await;
        let mut lines = BTreeSet::new();
        for secret in measured["secrets"].as_array().into_iter().flatten() {
            let (path, kind) = (
                secret["path"].as_str().unwrap_or_default(),
                secret["kind"].as_str().unwrap_or_default(),
            );
            if lines.insert((path.to_owned(), secret["line"].as_u64())) {
                println!("{}\t{path}\t{}\t{kind}", folder.display(), secret["line"]);
            }
        }
        println!(
            "{}: {} of {} lines, {} bytes in {} s",
            folder.display(),
            lines.len(),
            measured["lines"],
            measured["bytes"],
            measured["seconds"]
        );
    }
    ExitCode::SUCCESS
}

async fn measure(home: &Home, folder: &Path) -> Value {
    let output = home
        .command("claudevild")
        .args(["measure", "secrets"])
        .arg(folder)
        .output()
        .await
        .expect("it runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}
