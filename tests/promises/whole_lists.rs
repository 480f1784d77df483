//! Lists without a limit are complete, in a pipe and as JSON.

use std::path::PathBuf;

use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_search_for_every_line_as_json_has_every_line",
            Needs::Nothing,
            every_line,
        ),
        proof(
            "files_in_a_pipe_and_as_json_are_all_files",
            Needs::Nothing,
            every_file,
        ),
    ]
}

const FILES: usize = 1203;
/// More lines than one answer carries.
const LINES: usize = 10_400;

async fn project(home: &Home) -> PathBuf {
    let root = repository(home, "port", &[]);
    for number in 0..FILES {
        let text = if number < 56 {
            format!("the walrus number {number}\n")
        } else {
            String::new()
        };
        put(&root, &format!("data/file{number}.txt"), text.as_bytes());
    }
    let lines: Vec<String> = (0..LINES).map(|line| format!("seal {line}")).collect();
    put(&root, "seals.txt", lines.join("\n").as_bytes());
    Questions::start(home, &root).await.settled().await;
    root
}

async fn every_line() {
    let home = Home::new();
    let root = project(&home).await;
    let root = root.to_str().expect("UTF-8");
    for (arguments, lines) in [
        (["search", "-F", "walrus", "--root", root], 56),
        (["search", "-E", "wal.us", "--root", root], 56),
        (["search", "-F", "seal", "--root", root], LINES),
    ] {
        let answer = home.json(&arguments).await;
        let found = answer["results"].as_array().expect("a list");
        assert_eq!(
            (found.len(), answer["total"].as_u64()),
            (lines, u64::try_from(lines).ok()),
            "{arguments:?}"
        );
        assert!(
            answer["cursor"].is_null() && answer["remaining"] == 0 && answer["truncated"] == false,
            "{arguments:?}"
        );
        let mut places: Vec<String> = found
            .iter()
            .map(|one| format!("{}:{}", one["path"], one["start_line"]))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), lines, "each once");
        let printed = home.claudevil(&arguments).await;
        assert_eq!(
            String::from_utf8_lossy(&printed.stdout).lines().count(),
            lines,
            "{arguments:?}"
        );
    }
    let some = home
        .json(&["search", "-F", "walrus", "-n", "7", "--root", root])
        .await;
    assert_eq!(
        some["results"].as_array().map(Vec::len),
        Some(7),
        "a limit that is set holds"
    );
    let ranked = home.json(&["search", "walrus", "--root", root]).await;
    assert_eq!(
        ranked["results"].as_array().map(Vec::len),
        Some(10),
        "ranked results are the best ten"
    );
}

async fn every_file() {
    let home = Home::new();
    let root = project(&home).await;
    let root = root.to_str().expect("UTF-8");
    for (arguments, files) in [
        (vec!["files", "--root", root], FILES + 1),
        (vec!["files", "*.txt", "--root", root], FILES + 1),
        (vec!["files", "--sort", "size", "--root", root], FILES + 1),
        (vec!["files", "data/*", "--root", root], FILES),
        (vec!["files", "-n", "20", "--root", root], 20),
    ] {
        let printed = home.claudevil(&arguments).await;
        let mut names: Vec<String> = String::from_utf8_lossy(&printed.stdout)
            .lines()
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            files,
            "{arguments:?}: {}",
            String::from_utf8_lossy(&printed.stderr)
        );
        let answer = home.json(&arguments).await;
        assert_eq!(
            answer["files"].as_array().map(Vec::len),
            Some(files),
            "{arguments:?}"
        );
        assert_eq!(answer["truncated"], files == 20, "{arguments:?}");
    }
}
