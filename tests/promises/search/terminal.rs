//! `claudevil search` at a terminal: what it prints, and how it ends.

use std::process::Output;

use claudevil_tests::home::Home;
use libtest_mimic::Trial;
use serde_json::Value;

use super::{asking, put, repository};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof("search_at_a_terminal", Needs::Nothing, prints)]
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

async fn prints() {
    let home = Home::new();
    let root = repository(
        &home,
        "port",
        &[("src/moor.rs", "/// Ties it up.\npub fn moor_ferry() {}\n")],
    );
    let mut expected = vec![];
    for number in 0..5 {
        let lines: Vec<String> = (0..90)
            .map(|line| format!("walrus {number} {line}"))
            .collect();
        put(
            &root,
            &format!("data/file{number}.txt"),
            lines.join("\n").as_bytes(),
        );
        expected.extend(lines.iter().enumerate().map(|(at, line)| {
            let path = root.join(format!("data/file{number}.txt"));
            format!("{}:{}:1:{line}", path.display(), at + 1)
        }));
    }
    asking(&home, &root).await;
    let folder = root.to_str().expect("UTF-8").to_owned();
    let run = async |arguments: &[&str]| -> Output {
        home.claudevil(&[&["search", "--root", &folder], arguments].concat())
            .await
    };
    // Every line, over as many pages as needed, as programs read them. From elsewhere, paths are absolute.
    for option in [
        &["-F", "walrus"][..],
        &["-E", "wal.us"],
        &["--mode", "literal", "walrus"],
    ] {
        let output = run(option).await;
        assert_eq!(
            text(&output.stdout).lines().collect::<Vec<_>>(),
            expected,
            "{option:?}"
        );
        assert!(output.status.success(), "{output:?}");
        assert!(text(&output.stderr).contains("450 lines"), "{output:?}");
    }
    let output = run(&["-F", "walrus", "-n", "3"]).await;
    assert_eq!(text(&output.stdout).lines().count(), 3);
    assert!(text(&output.stderr).contains("447 more"), "{output:?}");
    let output = run(&["-F", "walrus 3 50", "-C", "1"]).await;
    let path = root.join("data/file3.txt").display().to_string();
    let around = [
        format!("{path}-50-walrus 3 49"),
        format!("{path}:51:1:walrus 3 50"),
        format!("{path}-52-walrus 3 51"),
    ];
    assert_eq!(text(&output.stdout).lines().collect::<Vec<_>>(), around);

    let output = run(&["moor_ferry", "--blocks"]).await;
    assert!(output.status.success());
    let shown = text(&output.stdout);
    assert!(
        shown.starts_with("Definition found\nsrc/moor.rs:"),
        "{shown}"
    );
    assert!(shown.contains("pub fn moor_ferry()"), "{shown}");
    // Several words form one query.
    assert!(text(&run(&["ties", "it", "up"]).await.stdout).contains("src/moor.rs"));

    let output = run(&["-F", "no such text"]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        output.stdout.is_empty() && text(&output.stderr).contains("no lines with"),
        "{output:?}"
    );
    let output = run(&["zzzqqqxx"]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        output.stdout.is_empty() && text(&output.stderr).contains("no match for: zzzqqqxx"),
        "{output:?}"
    );
    let output = run(&["-E", "a(b"]).await;
    assert!(
        !output.status.success() && output.status.code() != Some(1) || output.stdout.is_empty(),
        "{output:?}"
    );
    assert!(
        text(&output.stderr).contains("not valid at character 2"),
        "{output:?}"
    );
    assert_eq!(run(&["x", "--mode", "fuzzy"]).await.status.code(), Some(2));

    let json = |output: &Output| -> Value { serde_json::from_slice(&output.stdout).expect("JSON") };
    let output = home
        .claudevil(&[
            "--json", "search", "--root", &folder, "-F", "walrus", "-n", "2",
        ])
        .await;
    let answer = json(&output);
    assert_eq!(
        (
            answer["total"].as_u64(),
            answer["results"].as_array().map(Vec::len)
        ),
        (Some(450), Some(2))
    );
    let cursor = answer["cursor"].as_str().expect("a cursor").to_owned();
    let output = home
        .claudevil(&[
            "--json", "search", "--root", &folder, "-F", "walrus", "-n", "2", "--cursor", &cursor,
        ])
        .await;
    assert_eq!(json(&output)["results"][0]["start_line"], 3);
    let output = home
        .claudevil(&["--json", "search", "--root", &folder, "-F", "no such text"])
        .await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(&output)["total"], 0);
    let output = home
        .claudevil(&["--json", "search", "--root", &folder, "-E", "a(b"])
        .await;
    assert_eq!(json(&output)["error"]["code"], "invalid_query");
    assert!(!output.status.success());
}
