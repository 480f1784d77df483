//! Filters, and definitions that are found by their names.

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{all, asking, files, path, repository, search};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("search_filters_leave_out_all_else", Needs::Nothing, filters),
        proof("search_puts_definitions_first", Needs::Nothing, definitions),
        proof("search_asks_all_projects", Needs::Nothing, many_projects),
        proof(
            "search_asks_the_projects_that_are_there",
            Needs::Nothing,
            projects_away,
        ),
        proof("search_says_what_nothing_has", Needs::Nothing, nothing),
    ]
}

const FILES: &[(&str, &str)] = &[
    (
        "src/engine.rs",
        "//! Harbours.\n\n/// Holds ferries.\npub struct Harbour {\n    pub ferries: u32,\n}\n\nimpl Harbour {\n    /// Ties a ferry up.\n    pub fn moor(&mut self, ferry: u32) -> u32 {\n        self.ferries += ferry;\n        self.ferries\n    }\n}\n",
    ),
    (
        "src/dock.rs",
        "pub struct Dock;\n\nimpl Dock {\n    fn moor(&self) -> bool {\n        let ferry = true;\n        ferry\n    }\n}\n\npub struct Buoy;\n\nimpl Buoy {\n    pub(crate) fn moor(&self) {}\n}\n",
    ),
    (
        "tools/ferry.py",
        "class Ferry:\n    def sail(self):\n        \"\"\"A ferry sails.\"\"\"\n        return 1\n\n\ndef moor(ferry):\n    return ferry.sail()\n",
    ),
    ("docs/ferry.md", "# Ferries\n\nA ferry may moor anywhere.\n"),
    ("data/ferry.json", "{\"ferry\": \"moor\"}\n"),
];

async fn filters() {
    let home = Home::new();
    let root = repository(&home, "port", FILES);
    let mut questions = asking(&home, &root).await;
    let table: &[(Value, &[&str])] = &[
        (
            json!({}),
            &[
                "data/ferry.json",
                "docs/ferry.md",
                "src/dock.rs",
                "src/engine.rs",
                "tools/ferry.py",
            ],
        ),
        (
            json!({ "language": "rust" }),
            &["src/dock.rs", "src/engine.rs"],
        ),
        (json!({ "language": "py" }), &["tools/ferry.py"]),
        (
            json!({ "path": "src/**" }),
            &["src/dock.rs", "src/engine.rs"],
        ),
        (json!({ "path": "*.md" }), &["docs/ferry.md"]),
        (
            json!({ "target": "code" }),
            &["src/dock.rs", "src/engine.rs", "tools/ferry.py"],
        ),
        (json!({ "kind": "class" }), &["tools/ferry.py"]),
        (
            json!({ "kind": "method", "language": "rust" }),
            &["src/dock.rs", "src/engine.rs"],
        ),
        (json!({ "kind": "function" }), &["tools/ferry.py"]),
        (json!({ "path": "nowhere/**" }), &[]),
    ];
    for (filter, expected) in table {
        for mode in ["auto", "keyword", "semantic", "literal", "regex"] {
            let mut question = filter.clone();
            question["query"] = json!("ferry");
            question["mode"] = json!(mode);
            question["limit"] = json!(100);
            question["max_tokens"] = json!(10000);
            let found = files(&mut questions, question.clone()).await;
            if mode == "semantic" {
                // A result that is near in meaning need not have the word.
                assert!(
                    found.iter().all(|path| expected.contains(&path.as_str())),
                    "{question}: {found:?}"
                );
            } else {
                assert_eq!(found, *expected, "{question}");
            }
        }
    }
    let docs = files(
        &mut questions,
        json!({ "query": "ferry", "target": "docs", "limit": 100 }),
    )
    .await;
    assert!(
        docs.contains(&"docs/ferry.md".to_owned()) && !docs.contains(&"data/ferry.json".to_owned()),
        "{docs:?}"
    );
    for mode in ["auto", "keyword", "literal"] {
        let question =
            json!({ "query": "moor", "mode": mode, "target": "definitions", "limit": 100 });
        let found = all(&mut questions, question).await;
        assert!(!found.is_empty(), "{mode}");
        for one in &found {
            assert!(!one["symbol"].is_null(), "{mode}: {one}");
        }
        assert!(
            found.iter().all(|one| path(one) != "docs/ferry.md"),
            "{mode}: {found:?}"
        );
    }
    // Every result of a kind is shown with it.
    for (kind, mode) in [
        ("method", "auto"),
        ("struct", "auto"),
        ("method", "keyword"),
        ("struct", "keyword"),
    ] {
        let question =
            json!({ "query": "harbour moor dock", "kind": kind, "mode": mode, "limit": 100 });
        let found = all(&mut questions, question).await;
        assert!(
            !found.is_empty() && found.iter().all(|one| one["kind"] == kind),
            "{kind}: {found:?}"
        );
    }
    // A folder of a known root limits the search to itself.
    let mut inside = Questions::start(&home, &root).await;
    let folder = root.join("src");
    for mode in ["auto", "keyword", "literal", "regex"] {
        let question = json!({ "query": "ferry", "mode": mode, "root": folder, "limit": 100 });
        let answer = search(&mut inside, question).await;
        assert_eq!(
            (&answer["root"], &answer["folder"]),
            (&json!(root), &json!("src")),
            "{mode}"
        );
        let found = answer["results"].as_array().expect("a list");
        assert!(
            !found.is_empty() && found.iter().all(|one| path(one).starts_with("src/")),
            "{mode}: {answer}"
        );
    }
}

async fn nothing() {
    let home = Home::new();
    let root = repository(&home, "port", FILES);
    let mut questions = asking(&home, &root).await;
    // The query, the maximum number of results, and the note.
    for (query, most, note) in [
        (
            "how to bake a chocolate cake",
            0,
            json!("no match for: bake, chocolate, cake"),
        ),
        ("zzzqqqxx", 0, json!("no match for: zzzqqqxx")),
        ("Harbuor", 0, json!("no match for: Harbuor")),
        (
            "harbour chocolate cake",
            100,
            json!("no match for: chocolate, cake"),
        ),
        ("a ferry moors at night", 100, json!(null)),
        ("ferry", 100, json!(null)),
    ] {
        let answer = search(&mut questions, json!({ "query": query, "limit": 100 })).await;
        assert_eq!(answer["freshness"]["note"], note, "{query}: {answer}");
        let found = answer["results"].as_array().expect("a list");
        assert!(
            found.len() <= most && answer["total"] == found.len(),
            "{query}: {answer}"
        );
        // The best of irrelevant results does not get a score of 1.
        let is_sure = found.iter().any(|one| one["score"] == 1.0);
        assert_eq!(is_sure, most == 100, "{query}: {answer}");
        assert_eq!(
            answer["advice"].is_null(),
            !found.is_empty(),
            "{query}: {answer}"
        );
    }
    let misspelt = search(&mut questions, json!({ "query": "Harbuor" })).await;
    assert_eq!(
        misspelt["advice"],
        "nothing found: the nearest names are Harbour"
    );
    // A search by meaning alone asks for the nearest results; the score says how near they are.
    let far = |words: &str| {
        json!(format!(
            "no match for: {words}; these are the closest in meaning, but not close matches"
        ))
    };
    for (query, scores, note) in [
        ("chocolate cake", 0.0..0.4, far("chocolate, cake")),
        ("zorblax", 0.0..0.4, far("zorblax")),
        ("a ferry moors at night", 0.3..0.99, json!(null)),
    ] {
        let near = search(
            &mut questions,
            json!({ "query": query, "mode": "semantic" }),
        )
        .await;
        assert_eq!(near["freshness"]["note"], note, "{query}: {near}");
        let score = near["results"][0]["score"].as_f64().expect("a result");
        assert!(scores.contains(&score), "{query}: {near}");
    }
    // A result that is near enough to be shown is still uncertain if it has no word of the question.
    for query in [
        "vessel",
        "boat quay wharf",
        "xyzzyplugh",
        "zorblax wibblefrotz gnarfle snurgle blathnort",
    ] {
        let near = search(&mut questions, json!({ "query": query })).await;
        let found = near["results"].as_array().expect("a list");
        assert!(
            found
                .iter()
                .all(|one| one["score"].as_f64().is_some_and(|score| score < 0.8)),
            "{query}: {near}"
        );
    }

    let explored = questions
        .ask(
            "explore",
            json!({ "question": "quantum entanglement of cheese" }),
        )
        .await;
    let explored = explored.expect("an answer");
    assert_eq!(
        (&explored["symbols"], &explored["total"]),
        (&json!([]), &json!(0)),
        "{explored}"
    );
    for next in explored["read_next"].as_array().expect("a list") {
        assert_eq!(
            next["why"], "closest in meaning, but not a close match",
            "{explored}"
        );
    }
    let explored = questions
        .ask("explore", json!({ "question": "Harbour" }))
        .await
        .expect("an answer");
    assert_eq!(
        explored["symbols"][0]["why"], "named in the question",
        "{explored}"
    );
}

/// Symbol, kind, visibility if it matters, and words of the signature.
type Definition = (&'static str, &'static str, &'static str, &'static str);

async fn definitions() {
    let home = Home::new();
    let root = repository(&home, "port", FILES);
    let mut questions = asking(&home, &root).await;
    // The query, and the definitions that come first.
    let table: &[(&str, &[Definition])] = &[
        (
            "Harbour",
            &[("Harbour", "struct", "public", "pub struct Harbour")],
        ),
        (
            "harbour",
            &[("Harbour", "struct", "public", "pub struct Harbour")],
        ),
        (
            "Harbour::moor",
            &[(
                "Harbour::moor",
                "method",
                "public",
                "pub fn moor(&mut self, ferry: u32) -> u32",
            )],
        ),
        (
            "Harbour.moor",
            &[(
                "Harbour::moor",
                "method",
                "public",
                "pub fn moor(&mut self, ferry: u32) -> u32",
            )],
        ),
        (
            "Dock::moor",
            &[("Dock::moor", "method", "private", "fn moor(&self) -> bool")],
        ),
        (
            "Buoy::moor",
            &[("Buoy::moor", "method", "", "fn moor(&self)")],
        ),
        (
            "Ferry.sail",
            &[("Ferry.sail", "method", "", "def sail(self)")],
        ),
        ("Ferry", &[("Ferry", "class", "", "class Ferry")]),
        (
            "moor",
            &[
                ("Buoy::moor", "method", "", "fn moor(&self)"),
                ("Dock::moor", "method", "private", "fn moor(&self) -> bool"),
                (
                    "Harbour::moor",
                    "method",
                    "public",
                    "pub fn moor(&mut self, ferry: u32) -> u32",
                ),
                ("moor", "function", "", "def moor(ferry)"),
            ],
        ),
    ];
    for (query, expected) in table {
        let answer = search(&mut questions, json!({ "query": query, "limit": 100 })).await;
        let results = answer["results"].as_array().expect("a list");
        let mut first: Vec<&Value> = results
            .iter()
            .take_while(|one| one["definition"] == true)
            .collect();
        assert_eq!(
            results
                .iter()
                .filter(|one| one["definition"] == true)
                .count(),
            first.len(),
            "{query}: {answer}"
        );
        first.sort_by_key(|one| one["symbol"].as_str().map(str::to_owned));
        let found: Vec<&str> = first
            .iter()
            .map(|one| one["symbol"].as_str().expect("a symbol"))
            .collect();
        assert_eq!(
            found,
            expected
                .iter()
                .map(|(symbol, ..)| *symbol)
                .collect::<Vec<_>>(),
            "{query}: {answer}"
        );
        for (one, (symbol, kind, visibility, signature)) in first.iter().zip(*expected) {
            assert_eq!(one["kind"], *kind, "{query}: {one}");
            assert!(
                visibility.is_empty() || one["visibility"] == *visibility,
                "{query}: {one}"
            );
            let shown = one["signature"]
                .as_str()
                .unwrap_or_else(|| panic!("{query}: {one}"));
            assert!(shown.contains(signature), "{query}: {one}");
            // Its lines are those of the symbol, and the first one shown has its name.
            let name = symbol.rsplit([':', '.']).next().expect("a name");
            assert!(
                one["snippet"]
                    .as_str()
                    .is_some_and(|text| text.contains(name)),
                "{query}: {one}"
            );
        }
        // No other result is marked as a definition.
        for other in &results[first.len()..] {
            assert!(
                other["signature"].is_null() && other["visibility"].is_null(),
                "{query}: {other}"
            );
        }
    }
    let (text, _) = questions
        .session()
        .call("search", json!({ "query": "moor" }))
        .await;
    assert!(
        text.contains("\nDefinitions found\n") && text.contains("\nOther matches\n"),
        "{text}"
    );
    for query in ["how do ferries moor", "nothing_of_this_name"] {
        let answer = search(&mut questions, json!({ "query": query })).await;
        let results = answer["results"].as_array().expect("a list");
        assert!(
            results.iter().all(|one| one["definition"] == false),
            "{query}: {answer}"
        );
    }
}

async fn many_projects() {
    let home = Home::new();
    let port = repository(&home, "port", FILES);
    let quay = repository(
        &home,
        "quay",
        &[("src/engine.rs", "/// A ferry.\npub fn quay() {}\n")],
    );
    asking(&home, &quay).await;
    let mut questions = asking(&home, &port).await;
    for mode in ["auto", "semantic", "keyword", "literal", "regex"] {
        let question = json!({ "query": "ferry", "mode": mode, "root": "*", "limit": 100, "max_tokens": 10000 });
        let answer = search(&mut questions, question).await;
        assert_eq!(answer["root"], "*");
        let mut roots: Vec<&str> = answer["results"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["root"].as_str())
            .collect();
        roots.sort_unstable();
        roots.dedup();
        assert_eq!(roots, ["port", "quay"], "{mode}: {answer}");
    }
    let answer = search(
        &mut questions,
        json!({ "query": "ferry", "root": "quay", "limit": 100 }),
    )
    .await;
    assert_eq!(answer["root_name"], "quay");
    assert!(
        answer["results"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|one| one["root"].is_null()),
        "{answer}"
    );
}

/// A project that is gone, indexed or not, costs only its own results: while that is noticed, afterwards, and for the next
/// daemon.
async fn projects_away() {
    let home = Home::new();
    let port = repository(&home, "port", FILES);
    let quay = repository(
        &home,
        "quay",
        &[("src/engine.rs", "/// A ferry.\npub fn moor_quay() {}\n")],
    );
    let pier = repository(
        &home,
        "pier",
        &[("src/engine.rs", "/// A ferry.\npub fn moor_pier() {}\n")],
    );
    asking(&home, &quay).await;
    let mut questions = asking(&home, &port).await;
    let added = home
        .claudevil(&["roots", "add", &pier.display().to_string()])
        .await;
    assert!(added.status.success(), "{added:?}");
    for gone in [&quay, &pier] {
        std::fs::remove_dir_all(gone).expect("removed");
    }
    for is_restarted in [false, true] {
        if is_restarted {
            home.kill_daemon().await;
        }
        for mode in ["auto", "semantic", "keyword", "literal", "regex"] {
            let question = json!({ "query": "ferry", "mode": mode, "root": "*", "limit": 100, "max_tokens": 10000 });
            let answer = search(&mut questions, question).await;
            assert!(
                roots_of(&answer).iter().all(|root| *root == "port"),
                "{mode}: {answer}"
            );
            assert!(!roots_of(&answer).is_empty(), "{mode}: {answer}");
            says_who_is_away(&answer);
        }
        let question =
            json!({ "code": "fn moor(&self) -> bool { ferry }", "root": "*", "limit": 100 });
        let answer = questions
            .ask("find_similar", question)
            .await
            .expect("an answer");
        assert!(
            roots_of(&answer).iter().all(|root| *root == "port"),
            "{answer}"
        );
        says_who_is_away(&answer);
        let alone = questions
            .ask("search", json!({ "query": "ferry", "root": "quay" }))
            .await;
        assert!(alone.expect_err("it is gone").starts_with("root_not_found"));
    }
}

fn roots_of(answer: &Value) -> Vec<&str> {
    answer["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["root"].as_str())
        .collect()
}

fn says_who_is_away(answer: &Value) {
    let note = answer["freshness"]["note"].as_str().unwrap_or_default();
    assert!(
        note.contains("cannot be opened") && note.contains("quay") && note.contains("pier"),
        "{answer}"
    );
}
