//! Every occurrence of a name is accounted for: the parts of the accounting add up to what a scan of the files finds.

use std::fs;
use std::path::Path;

use claudevil_tests::binaries::workspace;
use claudevil_tests::home::put;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{asking, home, project};
use crate::{Needs, measured, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "every_occurrence_of_a_name_is_accounted_for",
            Needs::Nothing,
            adds_up,
        ),
        proof(
            "all_tools_give_the_same_account_of_a_name",
            Needs::Nothing,
            is_the_same,
        ),
        proof(
            "an_account_follows_every_edit",
            Needs::Nothing,
            follows_edits,
        ),
        proof(
            "an_account_names_the_packages_that_names_are_from",
            Needs::Nothing,
            names_packages,
        ),
        proof(
            "guesses_come_last_and_many_of_them_on_request",
            Needs::Nothing,
            guesses,
        ),
        proof(
            "an_account_tells_namesakes_text_and_unknown_code_apart",
            Needs::Nothing,
            tells_apart,
        ),
        proof(
            "what_is_not_indexed_is_said_to_be_unsearched",
            Needs::Nothing,
            says_unsearched,
        ),
    ]
}

async fn adds_up() {
    let languages = fs::read_dir(workspace().join("tests/accuracy")).expect("projects");
    let languages = languages.filter_map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_name()?.to_str()?.to_owned();
        path.is_dir().then_some(name)
    });
    let (mut symbols, mut occurrences, mut unknown) = (0, 0, 0);
    let home = home();
    for language in languages {
        let (root, truth) = project(&home, &language);
        let mut questions = asking(&home, &root).await;
        for (thing, (path, line)) in &truth.definitions {
            let asked = json!({ "path": path, "line": line, "symbol": truth.name(thing) });
            let Ok(found) = questions.ask("find_references", asked).await else {
                // Other tests cover lines on which the index knows no definition.
                continue;
            };
            let name = found["symbol"]["name"].as_str().expect("a name");
            let is_word = |name: &str| {
                name.chars()
                    .all(|sign| sign.is_alphanumeric() || sign == '_')
            };
            let account = &found["accounting"];
            if name.len() < 3 || !is_word(name) {
                continue;
            }
            let total = number(account, "total");
            let (least, most) = (
                count_words(&root, name, &['_', '$']),
                count_words(&root, name, &['_']),
            );
            assert!(
                (least..=most).contains(&total),
                "{language}: {name} is there {least} to {most} times: {found}"
            );
            let parts = [
                "uses",
                "definitions",
                "other_symbols",
                "locals",
                "external",
                "text",
                "unknown",
                "not_examined",
            ];
            let sum: u64 = parts.iter().map(|part| number(account, part)).sum();
            assert_eq!(sum, total, "{language}: {name} {account}");
            symbols += 1;
            occurrences += total;
            unknown += number(account, "unknown");
        }
    }
    measured(&format!(
        "{symbols} symbols, {occurrences} occurrences, {unknown} unknown"
    ));
    assert!(symbols > 500 && unknown * 20 < occurrences);
}

async fn is_the_same() {
    for language in ["python", "rust", "typescript"] {
        let home = home();
        let (root, truth) = project(&home, language);
        let mut questions = asking(&home, &root).await;
        let mut compared = 0;
        for (thing, (path, line)) in truth.definitions.iter().take(25) {
            let asked = json!({ "path": path, "line": line, "symbol": truth.name(thing) });
            let Ok(expected) = questions.ask("find_references", asked.clone()).await else {
                continue;
            };
            for tool in ["find_callers", "impact_analysis", "deep_dive"] {
                // Every fifth symbol is accounted for again, because a file has changed.
                if compared % 15 < 3 {
                    put(&root, "changed.txt", tool.as_bytes());
                }
                let found = questions.ask(tool, asked.clone()).await;
                let found = found.unwrap_or_else(|error| panic!("{tool} {thing}: {error}"));
                // Accountings of short names are left out.
                let account = &found["accounting"];
                if expected["accounting"]["total"] != 0 {
                    assert_eq!(account, &expected["accounting"], "{tool} {thing}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 50, "{language}: {compared}");
    }
}

async fn follows_edits() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(&root, "barn.py", b"def unload():\n    pass\n");
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "path": "barn.py", "line": 1 });
    let tools = [
        "find_references",
        "find_callers",
        "impact_analysis",
        "deep_dive",
    ];
    for users in 0..tools.len() {
        let text = format!("from barn import unload\n\ndef user_{users}():\n    unload()\n");
        put(&root, &format!("user_{users}.py"), text.as_bytes());
        // Each tool is the first to ask once.
        for place in users..users + tools.len() {
            let tool = tools[place % tools.len()];
            let found = questions.ask_until_current(tool, asked.clone()).await;
            let found = found.expect(tool);
            let expected = u64::try_from(2 * users + 2).expect("few");
            assert_eq!(
                number(&found["accounting"], "uses"),
                expected,
                "{tool} {users}: {found}"
            );
        }
    }
}

async fn names_packages() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(&root, "barn.py", b"def dump():\n    pass\n\n\ndump()\n");
    put(
        &root,
        "store.py",
        b"import json\nfrom yaml import dump\n\n\njson.dump({}, None)\ndump({})\n",
    );
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "path": "barn.py", "line": 1, "min_confidence": "low" });
    let found = questions.ask("find_references", asked).await;
    let account = &found.expect("an answer")["accounting"];
    assert_eq!(
        account["packages"],
        json!([
            { "package": "yaml", "reason": "imported", "occurrences": 2 },
            { "package": "json", "reason": "imported", "occurrences": 1 },
        ]),
        "{account}"
    );
    let places: Vec<(&str, u64, &str)> = account["places"]
        .as_array()
        .expect("places")
        .iter()
        .map(|place| {
            let text = |field: &str| place[field].as_str().expect("a text");
            (text("path"), number(place, "line"), text("kind"))
        })
        .collect();
    let expected = [
        ("barn.py", 1, "definition"),
        ("barn.py", 5, "use"),
        ("store.py", 2, "external"),
        ("store.py", 5, "external"),
        ("store.py", 6, "external"),
    ];
    assert_eq!(places, expected);
}

async fn guesses() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(
        &root,
        "barn.py",
        b"class Barn:\n    def feed(self):\n        pass\n\n\ndef own():\n    Barn().feed()\n",
    );
    let calls: String = (0..30)
        .map(|number| format!("def walk{number}(keeper):\n    keeper.feed()\n\n\n"))
        .collect();
    put(&root, "guess.py", calls.as_bytes());
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "symbol": "Barn.feed" });
    let found = questions.ask("find_references", asked.clone()).await;
    let found = found.expect("an answer");
    let levels = |found: &Value| {
        let references = found["references"].as_array().expect("a list");
        let levels = references.iter().map(|one| one["level"].clone());
        levels.collect::<Vec<Value>>()
    };
    assert_eq!(
        (found["total"].as_u64(), found["more_by_name"].as_u64()),
        (Some(11), Some(20))
    );
    assert_eq!(levels(&found)[..2], ["high", "low"]);
    assert_eq!(number(&found["accounting"], "uses"), 31);
    let all = json!({ "symbol": "Barn.feed", "min_confidence": "low", "max_tokens": 10000 });
    let all = questions
        .ask("find_references", all)
        .await
        .expect("an answer");
    assert_eq!((levels(&all).len(), &all["more_by_name"]), (31, &json!(0)));
    let callers = questions.ask("find_callers", asked.clone()).await;
    let callers = callers.expect("an answer");
    assert_eq!(callers["callers"][0]["name"], "own", "{callers}");
    assert_eq!(
        (callers["total"].as_u64(), callers["more_by_name"].as_u64()),
        (Some(11), Some(20))
    );
    // Without the certain candidate, all are guesses, and listed as such.
    put(
        &root,
        "barn.py",
        b"class Barn:\n    def feed(self):\n        pass\n",
    );
    let current = questions
        .ask_until_current("find_references", asked.clone())
        .await;
    assert_eq!(current.expect("an answer")["total"], 30);
    for tool in ["find_references", "find_callers"] {
        let (text, _) = questions.session().call(tool, asked.clone()).await;
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.contains("all are guesses, by the name alone"),
            "{text}"
        );
    }
}

fn number(account: &Value, part: &str) -> u64 {
    account[part]
        .as_u64()
        .unwrap_or_else(|| panic!("no {part} in {account}"))
}

/// Counts a name as a whole word in all files of a project. `$` belongs to names in some languages and not in others.
fn count_words(folder: &Path, name: &str, signs: &[char]) -> u64 {
    let is_letter = |sign: char| sign.is_alphanumeric() || signs.contains(&sign);
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with(".git") {
            continue;
        }
        if path.is_dir() {
            count += count_words(&path, name, signs);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let places = text.match_indices(name);
        count += places
            .filter(|(at, _)| {
                !text[..*at].ends_with(is_letter) && !text[at + name.len()..].starts_with(is_letter)
            })
            .count() as u64;
    }
    count
}

async fn tells_apart() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(&root, "barn.py", b"def feed():\n    pass\n\n\nfeed()\n");
    put(
        &root,
        "stall.py",
        b"# Like feed of the barn.\ndef feed():\n    pass\n\n\nfeed()\nfeed()\n",
    );
    put(&root, "yard.py", b"def walk(feed):\n    return feed\n");
    put(&root, "NOTES.md", b"Call feed twice.\n");
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "path": "barn.py", "line": 1 });
    let found = questions.ask("find_references", asked.clone()).await;
    let account = &found.expect("an answer")["accounting"];
    let counts = [
        "total",
        "uses",
        "definitions",
        "other_symbols",
        "locals",
        "text",
        "unknown",
    ];
    let counts = counts.map(|part| number(account, part));
    assert_eq!(counts, [9, 1, 1, 3, 2, 2, 0], "{account}");
    assert_eq!(account["symbols"][0]["path"], "stall.py", "{account}");
    let (text, _) = questions.session().call("find_references", asked).await;
    assert!(text.contains("files to update (1, complete)"), "{text}");
    assert!(
        text.contains("9 occurrences of the name: 1 use, 1 definition, 2 local variables, 3 of feed (stall.py:2), "),
        "{text}"
    );
}

async fn says_unsearched() {
    let home = home();
    let root = home.scratch().join("user/farm");
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    put(&root, "barn.py", b"def feed():\n    pass\n\n\nfeed()\n");
    let generated =
        b"# Generated by make. DO NOT EDIT.\nfrom barn import feed\ndef graze():\n    feed()\n";
    put(&root, "herd.py", generated);
    // Code of another language cannot use the function.
    put(
        &root,
        "herd.go",
        b"// Code generated. DO NOT EDIT.\npackage herd\n",
    );
    let mut questions = asking(&home, &root).await;
    let asked = json!({ "path": "barn.py", "line": 1 });
    let found = questions.ask("find_references", asked.clone()).await;
    let account = &found.expect("an answer")["accounting"];
    assert_eq!(number(account, "unindexed_files"), 1, "{account}");
    let (text, _) = questions.session().call("find_references", asked).await;
    assert!(
        text.contains("0 unknown; 1 unindexed file not searched"),
        "{text}"
    );
    assert!(text.contains("files to update (1)"), "{text}");
    let rename = json!({ "path": "barn.py", "line": 1, "new_name": "nourish" });
    let renaming = questions.ask("rename_symbol", rename.clone()).await;
    let account = &renaming.expect("a preview")["accounting"];
    assert_eq!(number(account, "unindexed_files"), 0, "{account}");
    let (text, _) = questions.session().call("rename_symbol", rename).await;
    assert!(
        text.contains("not indexed, has the name, and stays as it is: herd.py (generated)"),
        "{text}"
    );
    let of_generated = "herd.py is not indexed (generated), so its symbols are not known";
    for (tool, asked, words) in [
        (
            "find_references",
            json!({ "path": "herd.py", "line": 3 }),
            of_generated,
        ),
        ("map_code", json!({ "path": "herd.py" }), of_generated),
        (
            "find_references",
            json!({ "symbol": "graze" }),
            "no symbol `graze` in farm; 2 unindexed files not searched",
        ),
    ] {
        let error = questions.ask(tool, asked).await.expect_err(words);
        assert!(
            error.starts_with("symbol_not_found: ") && error.contains(words),
            "{error}"
        );
    }
}
