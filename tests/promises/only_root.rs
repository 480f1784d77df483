//! A session that is confined to one project learns nothing of any other.

use std::path::PathBuf;

use claudevil_tests::home::{Home, repository};
use claudevil_tests::mcp::Session;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "only_root_refuses_every_other_project",
            Needs::Nothing,
            others_are_refused,
        ),
        proof(
            "only_root_answers_about_its_project_whatever_the_client_says",
            Needs::Nothing,
            own_project,
        ),
    ]
}

/// Makes two projects that the daemon knows. Nothing of the second may be in an answer.
async fn projects(home: &Home) -> (PathBuf, PathBuf) {
    let engine = repository(
        home,
        "engine",
        &[("src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n")],
    );
    let vault = repository(
        home,
        "vault",
        &[(
            "src/hoard.rs",
            "pub fn dragon_gold() -> u32 {\n    answer()\n}\n",
        )],
    );
    for root in [&vault, &engine] {
        Questions::start(home, root).await.settled().await;
    }
    (engine, vault)
}

/// Starts a session in the other project, confined to the first.
async fn confined(home: &Home, engine: &str, vault: &str) -> Session {
    let arguments = ["--toolsets", "all", "--root", engine, "--only-root"];
    let mut session = Session::spawn_with(
        home,
        vault.as_ref(),
        &arguments,
        &[("CLAUDE_PROJECT_DIR", vault)],
    );
    session.shake_hands().await;
    session
}

async fn others_are_refused() {
    let home = Home::new();
    let (engine, vault) = projects(&home).await;
    let (engine, vault) = (
        engine.to_str().expect("UTF-8"),
        vault.to_str().expect("UTF-8"),
    );
    let mut session = confined(&home, engine, vault).await;
    let calls = [
        ("explore", json!({ "question": "dragon gold" })),
        ("search", json!({ "query": "dragon_gold" })),
        (
            "search",
            json!({ "query": "dragon_gold", "mode": "literal" }),
        ),
        ("find_symbol", json!({ "name": "dragon_gold" })),
        ("find_similar", json!({ "code": "fn dragon_gold() {}" })),
        ("map_code", json!({})),
        ("list_files", json!({})),
        ("read_file", json!({ "path": "src/hoard.rs" })),
        ("find_references", json!({ "symbol": "dragon_gold" })),
        ("find_callers", json!({ "symbol": "answer" })),
        ("find_callees", json!({ "symbol": "dragon_gold" })),
        ("get_call_graph", json!({ "symbol": "dragon_gold" })),
        (
            "call_path",
            json!({ "from": "dragon_gold", "to": "answer" }),
        ),
        ("find_implementations", json!({ "symbol": "dragon_gold" })),
        ("deep_dive", json!({ "symbol": "dragon_gold" })),
        ("impact_analysis", json!({ "symbol": "dragon_gold" })),
        (
            "rename_symbol",
            json!({ "symbol": "dragon_gold", "new_name": "silver" }),
        ),
        (
            "edit_symbol",
            json!({ "symbol": "dragon_gold", "action": "delete" }),
        ),
        ("undo", json!({})),
        ("search_structure", json!({ "pattern": "dragon_gold()" })),
        (
            "rewrite",
            json!({ "pattern": "dragon_gold()", "replacement": "silver()" }),
        ),
        ("get_dependencies", json!({ "path": "src/hoard.rs" })),
        (
            "find_definition",
            json!({ "path": "src/hoard.rs", "line": 1, "column": 8 }),
        ),
        ("analyze_complexity", json!({})),
        ("find_unused", json!({})),
        ("find_clones", json!({})),
        ("index_status", json!({})),
        ("reindex", json!({})),
        ("manage_precise", json!({ "action": "list" })),
        ("history", json!({})),
        ("checkpoint", json!({ "text": "the hoard is here" })),
        ("recall", json!({})),
        ("plan", json!({ "action": "list" })),
    ];
    let offered = session.request("tools/list", json!({})).await;
    for tool in offered["result"]["tools"].as_array().expect("tools") {
        let is_tried =
            calls.iter().any(|(name, _)| tool["name"] == *name) || tool["name"] == "manage_roots";
        assert!(is_tried, "{tool} is not tried here");
    }
    for (tool, arguments) in &calls {
        for root in [
            "vault",
            vault,
            &format!("{engine}/../vault"),
            "/nowhere",
            "/",
        ] {
            let mut arguments = arguments.clone();
            arguments["root"] = json!(root);
            let (text, is_error) = session.call(tool, arguments).await;
            assert!(
                is_error && text.starts_with("root_refused: "),
                "{tool} about {root}: {text}"
            );
            assert!(
                text.contains("--only-root") && !text.contains("dragon") && !text.contains("hoard"),
                "{text}"
            );
        }
    }
    for (action, path) in [
        ("add", vault),
        ("remove", "vault"),
        ("remove", vault),
        ("add", "/tmp"),
    ] {
        let arguments = json!({ "action": action, "path": path, "confirm": true });
        let (text, is_error) = session.call("manage_roots", arguments).await;
        assert!(
            is_error && text.starts_with("root_refused: "),
            "{action} {path}: {text}"
        );
    }
    // Questions about all projects are about this one.
    for (tool, arguments) in [
        (
            "search",
            json!({ "query": "dragon_gold", "mode": "literal", "root": "*" }),
        ),
        ("search", json!({ "query": "dragon gold", "root": "*" })),
        ("find_symbol", json!({ "name": "dragon_gold", "root": "*" })),
        (
            "find_similar",
            json!({ "code": "pub fn dragon_gold() -> u32 { answer() }", "root": "*" }),
        ),
        ("index_status", json!({})),
        ("index_status", json!({ "root": "*", "detailed": true })),
        ("manage_roots", json!({ "action": "list" })),
        (
            "read_file",
            json!({ "path": format!("{vault}/src/hoard.rs") }),
        ),
    ] {
        let (text, _) = session.call(tool, arguments.clone()).await;
        let told = text.replace(&format!("{vault}/src/hoard.rs"), "");
        assert!(
            !told.contains("vault") && !told.contains("hoard"),
            "{tool} {arguments}: {text}"
        );
    }
    for uri in [
        "claudevil://roots/vault/map",
        "claudevil://roots/vault/status",
    ] {
        let answer = session
            .request("resources/read", json!({ "uri": uri }))
            .await;
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
    let template = json!({ "type": "ref/resource", "uri": "claudevil://roots/{root}/map" });
    let params = json!({ "ref": template, "argument": { "name": "root", "value": "" } });
    let answer = session.request("completion/complete", params).await;
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["engine"]),
        "{answer}"
    );
    // Another session is not confined, and nothing was added or removed.
    let mut free = Questions::start(&home, engine.as_ref()).await;
    let known = free
        .ask("manage_roots", json!({ "action": "list" }))
        .await
        .expect("a list");
    let mut names: Vec<&Value> = known["roots"]
        .as_array()
        .expect("roots")
        .iter()
        .map(|root| &root["name"])
        .collect();
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, ["engine", "vault"]);
}

async fn own_project() {
    let home = Home::new();
    let (engine, vault) = projects(&home).await;
    let (engine, vault) = (
        engine.to_str().expect("UTF-8"),
        vault.to_str().expect("UTF-8"),
    );
    let mut session = confined(&home, engine, vault).await;
    for root in [
        Value::Null,
        json!("engine"),
        json!(engine),
        json!(format!("{engine}/src")),
    ] {
        let (text, is_error) = session.call("list_files", json!({ "root": root })).await;
        assert!(!is_error && text.contains("lib.rs"), "{root}: {text}");
    }
    for uri in [
        "claudevil://project/map",
        "claudevil://project/status",
        "claudevil://roots/engine/map",
    ] {
        let answer = session
            .request("resources/read", json!({ "uri": uri }))
            .await;
        assert!(
            answer["result"]["contents"][0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("engine")),
            "{answer}"
        );
    }
    // A client that names another folder as its workspace is not asked for it.
    let mut session = Session::spawn(&home, vault.as_ref(), &["--root", engine, "--only-root"]);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": { "roots": {} },
        "clientInfo": { "name": "claudevil-tests", "version": "1" }
    });
    session.request("initialize", hello).await;
    session.notify("notifications/initialized", json!({})).await;
    let call = session.send_call("list_files", json!({})).await;
    let answer = session.next().await;
    assert_eq!(answer["id"], call, "{answer}");
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("lib.rs")),
        "{answer}"
    );
    // By name; and by a folder inside a known project.
    let mut named =
        Session::start(&home, vault.as_ref(), &["--root", "engine", "--only-root"]).await;
    assert!(!named.call("list_files", json!({})).await.1);
    assert!(named.call("list_files", json!({ "root": vault })).await.1);
    let part = format!("{vault}/src");
    let mut part = Session::start(&home, engine.as_ref(), &["--root", &part, "--only-root"]).await;
    let (text, is_error) = part.call("list_files", json!({})).await;
    assert!(
        !is_error && text.contains("hoard.rs") && !text.contains("src/hoard.rs"),
        "{text}"
    );
    assert!(part.call("list_files", json!({ "root": vault })).await.1);
    // Without a project there is nothing to confine to.
    let output = home
        .command("claudevil-mcp")
        .arg("--only-root")
        .output()
        .await
        .expect("it runs");
    assert!(
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("--root"),
        "{output:?}"
    );
}
