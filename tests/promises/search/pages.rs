//! Pages together are the whole list: everything once, in the order of one large answer.

use std::fs;

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{all, asking, paths, search, whole};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("search_pages_are_the_whole", Needs::Nothing, pages),
        proof(
            "search_pages_go_on_where_they_ended",
            Needs::Nothing,
            pages_while_files_change,
        ),
    ]
}

/// Identifies a result by what does not differ between calls.
fn place(result: &Value) -> String {
    let part = |name: &str| result[name].to_string();
    [
        part("root"),
        part("path"),
        part("start_line"),
        part("symbol"),
        part("definition"),
    ]
    .join(" ")
}

async fn pages() {
    let home = Home::new();
    let one = Tree::new(&home.scratch().join("user/one"), 5, 24);
    let two = Tree::new(&home.scratch().join("user/two"), 6, 16);
    asking(&home, &two.root).await;
    let mut questions = asking(&home, &one.root).await;
    let names: Vec<&String> = one.visible().flat_map(|(_, names)| names).collect();
    let mut compared = 0;
    for root in ["one", "*"] {
        for (mode, query) in [
            ("auto", "looks at a value"),
            ("auto", "vista"),
            ("auto", names[7].as_str()),
            ("semantic", "look at values"),
            ("keyword", "value OR looks"),
            ("keyword", "return -lang:go"),
            ("literal", "value) + 1"),
            ("regex", "(?i)looks at"),
        ] {
            let question = |limit: u32, tokens: u32| json!({ "query": query, "mode": mode, "root": root, "limit": limit, "max_tokens": tokens });
            let large = all(&mut questions, question(100, 10000)).await;
            let expected: Vec<String> = large.iter().map(place).collect();
            assert!(
                expected.len() > 5 || query == names[7],
                "{mode} {query}: {expected:?}"
            );
            for (limit, tokens) in [(1, 500), (7, 10000), (100, 500)] {
                if limit == 1 && expected.len() > 30 {
                    continue;
                }
                let found: Vec<String> = all(&mut questions, question(limit, tokens))
                    .await
                    .iter()
                    .map(place)
                    .collect();
                assert_eq!(
                    found, expected,
                    "{root} {mode} {query} by {limit} in {tokens}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// A cursor continues after the last result that was shown, even if earlier results are gone or new ones came.
async fn pages_while_files_change() {
    let home = Home::new();
    let tree = Tree::new(&home.scratch().join("user/one"), 5, 30);
    let mut questions = asking(&home, &tree.root).await;
    for mode in ["literal", "keyword"] {
        let question = json!({ "query": "value", "mode": mode, "limit": 10, "max_tokens": 10000 });
        let first = search(&mut questions, question.clone()).await;
        let seen: Vec<String> = paths(&first);
        let before = rest(&mut questions, &question, &first["cursor"]).await;
        // A shown result disappears, and one that would have been shown appears.
        let (gone, last) = (
            seen.first().expect("a result"),
            seen.last().expect("a result"),
        );
        assert_ne!(gone, last, "{mode}: a page of several files");
        let text = fs::read(tree.root.join(gone)).expect("it is there");
        fs::remove_file(tree.root.join(gone)).expect("removed");
        let after = rest(&mut questions, &question, &first["cursor"]).await;
        let expected: Vec<&String> = before
            .iter()
            .filter(|place| !place.contains(gone.as_str()))
            .collect();
        if mode == "literal" {
            assert_eq!(
                after.iter().collect::<Vec<_>>(),
                expected,
                "{mode}: without {gone}"
            );
            fs::write(tree.root.join("aaa.rs"), "// value\n// value\n").expect("written");
            assert_eq!(
                rest(&mut questions, &question, &first["cursor"]).await,
                after,
                "{mode}: with aaa.rs"
            );
        } else {
            // Weights change a little with the tree, so only the number of results after the cursor is compared.
            assert!(
                after.len().abs_diff(expected.len()) <= 3,
                "{mode}: {after:?} is not {expected:?}"
            );
        }
        fs::write(tree.root.join(gone), text).expect("written");
        let _ = fs::remove_file(tree.root.join("aaa.rs"));
    }
}

async fn rest(questions: &mut Questions, question: &Value, cursor: &Value) -> Vec<String> {
    let mut question = question.clone();
    question["cursor"] = cursor.clone();
    question["limit"] = json!(100);
    let mut found = vec![];
    loop {
        let answer = whole(questions, &question).await;
        found.extend(
            answer["results"]
                .as_array()
                .expect("a list")
                .iter()
                .map(place),
        );
        if answer["cursor"].is_null() {
            return found;
        }
        question["cursor"] = answer["cursor"].clone();
    }
}
