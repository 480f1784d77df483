//! The life of a session: handshake, errors, cancellation, restarts of the daemon, and the end.

use std::time::{Duration, Instant};

use claudevil_tests::binaries::are_debug_builds;
use claudevil_tests::home::Home;
use claudevil_tests::lsp::{LspSession, at, uri};
use claudevil_tests::processes::memory;
use claudevil_tests::tree::Tree;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::farm;
use crate::{Needs, measured, percentile, proof, slack};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_initialize_does_not_wait_for_the_daemon",
            Needs::Nothing,
            initializes_at_once,
        ),
        proof(
            "lsp_broken_messages_are_answered_and_survived",
            Needs::Nothing,
            broken_messages,
        ),
        proof(
            "lsp_a_cancelled_request_is_answered_as_such",
            Needs::DebugBuilds,
            cancels,
        ),
        proof(
            "lsp_a_session_survives_the_death_of_the_daemon",
            Needs::Nothing,
            survives_the_daemon,
        ),
        proof(
            "lsp_a_new_project_has_outlines_at_once_and_definitions_once_they_are_sure",
            Needs::Nothing,
            new_project,
        ),
        proof("lsp_sessions_end", Needs::Nothing, ends),
        proof(
            "lsp_a_session_is_small_and_answers_fast",
            Needs::Nothing,
            small_and_fast,
        ),
    ]
}

async fn initializes_at_once() {
    let home = Home::new();
    let root = farm(&home);
    let mut session = LspSession::spawn(&home, &root);
    let early = session.request("textDocument/hover", json!({})).await;
    assert_eq!(early["error"]["code"], -32002, "{early}");
    let began = Instant::now();
    let params = json!({ "processId": null, "rootUri": uri(&root), "capabilities": {} });
    let answer = session.request("initialize", params).await;
    measured(&format!("initialize in {:?}", began.elapsed()));
    assert_eq!(home.daemons(), Vec::<u32>::new(), "no daemon was started");
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16", "{answer}");
    assert_eq!(capabilities["definitionProvider"], true);
    let twice = session
        .request("initialize", json!({ "capabilities": {} }))
        .await;
    assert_eq!(twice["error"]["code"], -32600, "{twice}");
}

async fn broken_messages() {
    let home = Home::new();
    let root = farm(&home);
    let mut session = LspSession::start(&home, &root).await;
    for (broken, code) in [
        (&b"Content-Length: 5\r\n\r\n{bad}"[..], -32700),
        (b"Content-Type: none\r\n\r\n", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 8\r\n\r\n{\"id\":1}", -32600),
    ] {
        session.write_bytes(broken).await;
        let answer = loop {
            let message = session.next().await;
            if message.get("error").is_some() {
                break message;
            }
        };
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    let unknown = session.request("textDocument/dance", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let wrong = session
        .request("textDocument/hover", json!({ "a": 1 }))
        .await;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    session.notify("$/unknown", json!({})).await;
    session
        .notify("textDocument/didOpen", json!({ "a": 1 }))
        .await;
    let outside = home.scratch().join("user/outside.rs");
    for nowhere in [json!("untitled:1"), json!(uri(&outside))] {
        let params = json!({ "textDocument": { "uri": nowhere }, "position": { "line": 0, "character": 0 } });
        assert_eq!(session.ask("textDocument/hover", params).await, Value::Null);
    }
    let main = root.join("src/main.rs");
    let answer = session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    assert!(!answer[0].is_null(), "it goes on: {answer}");
}

async fn cancels() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "ask_editor:hang");
    let root = farm(&home);
    let mut session = LspSession::start(&home, &root).await;
    let main = root.join("src/main.rs");
    let id = session
        .send("textDocument/definition", at(&main, 4, 31))
        .await;
    session.notify("$/cancelRequest", json!({ "id": id })).await;
    let answer = session.answer(id).await;
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    session.notify("$/cancelRequest", json!({ "id": id })).await;
    assert!(session.shut_down().await.success());
}

async fn survives_the_daemon() {
    let home = Home::new();
    let root = farm(&home);
    let mut session = LspSession::start(&home, &root).await;
    let main = root.join("src/main.rs");
    let text = "mod barn;\n\nfn main() {\n    fresh();\n}\n\nfn fresh() {}\n";
    session.open(&main, text).await;
    let before = session
        .ask("textDocument/definition", at(&main, 3, 5))
        .await;
    assert_eq!(before[0]["range"]["start"]["line"], 6, "{before}");
    let first = home.daemon();
    home.kill_daemon().await;
    let after = session
        .ask("textDocument/definition", at(&main, 3, 5))
        .await;
    assert_eq!(after, before, "the unsaved text is there again");
    assert_ne!(home.daemon(), first);
}

async fn new_project() {
    let home = Home::new();
    let root = Tree::new(&home.scratch().join("user/engine"), 5, 1500).root;
    let (barn, main) = (root.join("zoo_barn.py"), root.join("a_main.py"));
    std::fs::write(&barn, "def feed():\n    pass\n").expect("written");
    let text = "from zoo_barn import feed\n\nfeed()\n\ndef work():\n    pass\n";
    std::fs::write(&main, text).expect("written");
    let mut session = LspSession::start(&home, &root).await;
    session.open(&main, text).await;
    let definition = session
        .send("textDocument/definition", at(&main, 2, 1))
        .await;
    let params = json!({ "textDocument": { "uri": uri(&main) } });
    let outline = session.send("textDocument/documentSymbol", params).await;
    let first = loop {
        let message = session.next().await;
        if message["id"] == definition || message["id"] == outline {
            break message;
        }
    };
    assert_eq!(first["id"], outline, "the text is enough for it: {first}");
    assert_eq!(first["result"][0]["name"], "work", "{first}");
    let mut found = session.answer(definition).await;
    // On a busy machine, indexing takes longer than a question waits, and the answer says so; it is never wrong.
    let is_too_soon = |answer: &Value| {
        let message = answer["error"]["message"].as_str();
        message.is_some_and(|message| message.starts_with("indexing: "))
    };
    while is_too_soon(&found) {
        let again = session
            .send("textDocument/definition", at(&main, 2, 1))
            .await;
        found = session.answer(again).await;
    }
    assert_eq!(found["result"][0]["uri"], uri(&barn), "{found}");
}

async fn ends() {
    let home = Home::new();
    let root = farm(&home);
    assert!(
        LspSession::start(&home, &root)
            .await
            .shut_down()
            .await
            .success()
    );
    assert!(
        LspSession::start(&home, &root)
            .await
            .close()
            .await
            .success()
    );
    let mut rude = LspSession::start(&home, &root).await;
    rude.notify("exit", Value::Null).await;
    assert_eq!(rude.ended().await.code(), Some(1));
    let mut closing = LspSession::start(&home, &root).await;
    closing.ask("shutdown", Value::Null).await;
    let late = closing.request("textDocument/hover", json!({})).await;
    assert_eq!(late["error"]["code"], -32600, "{late}");
}

async fn small_and_fast() {
    /// Edits with a question after each.
    const EDITS: u32 = 200;
    let home = Home::new();
    let root = farm(&home);
    let mut session = LspSession::start(&home, &root).await;
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    let mut saved = vec![];
    for _ in 0..EDITS {
        let began = Instant::now();
        session
            .ask("textDocument/definition", at(&main, 4, 31))
            .await;
        saved.push(began.elapsed());
    }
    session
        .open(&barn, &std::fs::read_to_string(&barn).expect("a file"))
        .await;
    let mut edited = vec![];
    for line in 0..EDITS {
        let began = Instant::now();
        session.edit(&barn, [0, 0, 0, 0], "// One\n").await;
        let found = session
            .ask("textDocument/definition", at(&main, 4, 31))
            .await;
        edited.push(began.elapsed());
        assert_eq!(found[0]["range"]["start"]["line"], line + 2, "{found}");
    }
    let resident = memory(session.pid()).resident;
    measured(&format!(
        "definition {:?} (95 of 100 within {:?}), after an edit {:?} (95 of 100 within {:?}), {} KB resident",
        percentile(&saved, 50),
        percentile(&saved, 95),
        percentile(&edited, 50),
        percentile(&edited, 95),
        resident,
    ));
    assert!(percentile(&edited, 95) < slack(Duration::from_millis(500)));
    // A debug build has more code to be resident.
    let most = if are_debug_builds() { 40_000 } else { 10_000 };
    assert!(resident < most, "{resident} KB");
}
