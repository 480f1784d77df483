//! Positions to definitions, uses, symbols and hovers, in every position encoding.

use claudevil_tests::home::Home;
use claudevil_tests::lsp::{LspSession, at, span, uri};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::farm;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_positions_are_right_in_every_encoding",
            Needs::Nothing,
            encodings,
        ),
        proof(
            "lsp_symbols_and_hovers_come_from_the_index",
            Needs::Nothing,
            symbols_and_hovers,
        ),
        proof(
            "lsp_hierarchies_folds_selections_and_links",
            Needs::Nothing,
            structure,
        ),
        proof(
            "lsp_renames_are_edits_for_the_editor_and_doubts_are_asked",
            Needs::Nothing,
            renames,
        ),
        proof(
            "lsp_folders_come_and_go_and_names_lead_from_one_to_another",
            Needs::Nothing,
            folders,
        ),
    ]
}

async fn encodings() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    // `feed` in `    let hay = "🦀"; let left = feed(3);`
    for (encoding, column) in [("utf-8", 33), ("utf-16", 31), ("utf-32", 30)] {
        let (mut session, answer) = LspSession::start_with(&home, &root, encoding).await;
        let chosen = &answer["result"]["capabilities"]["positionEncoding"];
        assert_eq!(chosen, encoding, "{answer}");
        let definition = session
            .ask("textDocument/definition", at(&main, 4, column))
            .await;
        let expected = json!([{ "uri": uri(&barn), "range": span([1, 7, 1, 11]) }]);
        assert_eq!(definition, expected, "{encoding}");
        let mut params = at(&barn, 1, 8);
        params["context"] = json!({ "includeDeclaration": true });
        let references = session.ask("textDocument/references", params.clone()).await;
        let found: Vec<Value> = references.as_array().expect("a list").clone();
        let has = |path: &std::path::Path, range: [u32; 4]| {
            found.contains(&json!({ "uri": uri(path), "range": span(range) }))
        };
        assert!(has(&barn, [1, 7, 1, 11]), "the definition: {references}");
        assert!(has(&barn, [11, 8, 11, 12]), "{references}");
        assert!(has(&main, [1, 10, 1, 14]), "the import: {references}");
        assert!(
            has(&main, [4, column, 4, column + 4]),
            "{encoding}: {references}"
        );
        assert_eq!(found.len(), 4, "{references}");
        params["context"] = json!({ "includeDeclaration": false });
        let without = session.ask("textDocument/references", params).await;
        assert_eq!(without.as_array().map(Vec::len), Some(3), "{without}");
        // A local name, from its use to its binding.
        let local = session
            .ask("textDocument/definition", at(&main, 5, 24))
            .await;
        let binding = column - 7;
        let expected = json!([{ "uri": uri(&main), "range": span([4, binding, 4, binding + 4]) }]);
        assert_eq!(local, expected, "{encoding}");
        let nothing = session
            .ask("textDocument/definition", at(&main, 2, 0))
            .await;
        assert_eq!(nothing, Value::Null);
    }
}

async fn symbols_and_hovers() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    let hover = session.ask("textDocument/hover", at(&main, 4, 31)).await;
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(
        text.contains("```rust\npub fn feed(amount: u32) -> u32\n```"),
        "{text}"
    );
    assert!(text.contains("Feeds the animals."), "{text}");
    assert!(text.contains("src/barn.rs:2, resolved"), "{text}");
    assert_eq!(hover["range"], span([4, 31, 4, 35]), "{hover}");
    let params = json!({ "textDocument": { "uri": uri(&barn) } });
    let symbols = session.ask("textDocument/documentSymbol", params).await;
    let names: Vec<&str> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert!(
        names.contains(&"feed") && names.contains(&"Cow"),
        "{symbols}"
    );
    let feed = &symbols[0];
    assert_eq!(feed["selectionRange"], span([1, 7, 1, 11]), "{feed}");
    assert_eq!(
        feed["range"]["end"],
        json!({ "line": 3, "character": 1 }),
        "{feed}"
    );
    let found = session
        .ask("workspace/symbol", json!({ "query": "Co" }))
        .await;
    assert_eq!(found[0]["name"], "Cow", "{found}");
    assert_eq!(found[0]["location"]["uri"], uri(&barn), "{found}");
    let highlights = session
        .ask("textDocument/documentHighlight", at(&barn, 1, 8))
        .await;
    let ranges: Vec<&Value> = highlights
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["range"])
        .collect();
    assert_eq!(
        ranges,
        [&span([1, 7, 1, 11]), &span([11, 8, 11, 12])],
        "{highlights}"
    );
}

async fn structure() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    let item = session
        .ask("textDocument/prepareCallHierarchy", at(&main, 4, 31))
        .await;
    assert_eq!(item[0]["name"], "feed", "{item}");
    let incoming = session
        .ask("callHierarchy/incomingCalls", json!({ "item": item[0] }))
        .await;
    let callers: Vec<(&str, &Value)> = incoming
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| Some((one["from"]["name"].as_str()?, &one["fromRanges"][0])))
        .collect();
    assert_eq!(
        callers,
        [
            ("call", &span([11, 8, 11, 12])),
            ("main", &span([4, 31, 4, 35]))
        ],
        "{incoming}"
    );
    let call = &incoming[0]["from"];
    let outgoing = session
        .ask("callHierarchy/outgoingCalls", json!({ "item": call }))
        .await;
    assert_eq!(outgoing[0]["to"]["name"], "feed", "{outgoing}");
    let document = json!({ "textDocument": { "uri": uri(&barn) } });
    let folds = session
        .ask("textDocument/foldingRange", document.clone())
        .await;
    let has_fold = |first: u32, last: u32| {
        let mut all = folds.as_array().into_iter().flatten();
        all.any(|one| one["startLine"] == first && one["endLine"] == last)
    };
    assert!(has_fold(1, 3) && has_fold(10, 12), "{folds}");
    let mut params = document;
    params["positions"] = json!([{ "line": 11, "character": 9 }]);
    let selection = session.ask("textDocument/selectionRange", params).await;
    let mut around = vec![];
    let mut next = &selection[0];
    while !next.is_null() {
        around.push(next["range"].clone());
        next = &next["parent"];
    }
    assert_eq!(around[0], span([11, 8, 11, 12]), "{selection}");
    assert_eq!(around[1], span([11, 8, 11, 15]), "{selection}");
    assert!(around.contains(&span([10, 4, 12, 5])), "{selection}");
    let links = session
        .ask(
            "textDocument/documentLink",
            json!({ "textDocument": { "uri": uri(&main) } }),
        )
        .await;
    assert_eq!(links[0]["target"], uri(&barn), "{links}");
}

async fn renames() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    let range = session
        .ask("textDocument/prepareRename", at(&main, 4, 32))
        .await;
    let expected = json!({ "range": span([4, 31, 4, 35]), "placeholder": "feed" });
    assert_eq!(range, expected);
    let local = session
        .ask("textDocument/prepareRename", at(&main, 5, 24))
        .await;
    let expected = json!({ "range": span([5, 23, 5, 27]), "placeholder": "left" });
    assert_eq!(local, expected, "a variable of a function");
    // An unsaved line above.
    let text = std::fs::read_to_string(&main).expect("a file");
    session.open(&main, &format!("// One\n{text}")).await;
    let mut params = at(&main, 5, 32);
    params["newName"] = json!("nourish");
    let edit = session.ask("textDocument/rename", params.clone()).await;
    let mut changed: Vec<(String, Value)> = vec![];
    for file in edit["documentChanges"].as_array().expect("a list") {
        let uri = file["textDocument"]["uri"]
            .as_str()
            .expect("an address")
            .to_owned();
        for one in file["edits"].as_array().expect("a list") {
            assert_eq!(one["newText"], "nourish", "{edit}");
            assert!(one.get("annotationId").is_none(), "{edit}");
            changed.push((uri.clone(), one["range"].clone()));
        }
    }
    assert_eq!(
        changed,
        [
            (uri(&barn), span([1, 7, 1, 11])),
            (uri(&barn), span([11, 8, 11, 12])),
            (uri(&main), span([2, 10, 2, 14])),
            (uri(&main), span([5, 31, 5, 35])),
        ],
        "{edit}"
    );
    assert!(std::fs::read_to_string(&barn).is_ok_and(|text| text.contains("fn feed")));
    params["newName"] = json!("fn");
    let refused = session.request("textDocument/rename", params).await;
    assert!(refused["error"]["code"].is_number(), "{refused}");
}

async fn folders() {
    let home = Home::new();
    let root = farm(&home);
    let files = [
        ("package.json", r#"{"name": "well", "main": "pump.ts"}"#),
        ("pump.ts", "export function draw() {\n  return 1;\n}\n"),
    ];
    let well = claudevil_tests::home::repository(&home, "well", &files);
    let files = [("use.ts", "import { draw } from \"well\";\n\ndraw();\n")];
    let town = claudevil_tests::home::repository(&home, "town", &files);
    let mut session = LspSession::start(&home, &root).await;
    let find = json!({ "query": "draw" });
    let before = session.ask("workspace/symbol", find.clone()).await;
    assert_eq!(before, json!([]));
    let event = |added: &[&std::path::PathBuf], removed: &[&std::path::PathBuf]| {
        let list = |folders: &[&std::path::PathBuf]| -> Vec<Value> {
            let each = folders
                .iter()
                .map(|one| json!({ "uri": uri(one), "name": "folder" }));
            each.collect()
        };
        json!({ "event": { "added": list(added), "removed": list(removed) } })
    };
    session
        .notify(
            "workspace/didChangeWorkspaceFolders",
            event(&[&well, &town], &[]),
        )
        .await;
    let found = session.ask("workspace/symbol", find.clone()).await;
    assert_eq!(
        found[0]["location"]["uri"],
        uri(&well.join("pump.ts")),
        "{found}"
    );
    let in_parts = json!({ "query": "draw", "partialResultToken": "parts" });
    session.others.clear();
    let rest = session.ask("workspace/symbol", in_parts).await;
    assert_eq!(rest, json!([]), "parts are not answered again");
    let parts = session.others.iter().map(|one| &one["params"]);
    let mut parts = parts.filter(|params| params["token"] == "parts");
    assert!(
        parts.any(|params| params["value"] == found),
        "{:?}",
        session.others
    );
    let definition = session
        .ask("textDocument/definition", at(&town.join("use.ts"), 2, 1))
        .await;
    let expected = json!([{ "uri": uri(&well.join("pump.ts")), "range": span([0, 16, 0, 20]) }]);
    assert_eq!(definition, expected, "from one root to another");
    session
        .notify(
            "workspace/didChangeWorkspaceFolders",
            event(&[], &[&well, &town]),
        )
        .await;
    let after = session.ask("workspace/symbol", find).await;
    assert_eq!(after, before);
    let text = session
        .ask("claudevil/explore", json!({ "question": "feed" }))
        .await;
    assert!(
        text["text"]
            .as_str()
            .is_some_and(|text| text.contains("feed")),
        "{text}"
    );
}
