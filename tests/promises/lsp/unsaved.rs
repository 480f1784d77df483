//! Unsaved text: answers to a session are those of its buffers, and no other session sees them.

use claudevil_tests::home::Home;
use claudevil_tests::lsp::{LspSession, at, span, uri};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::farm;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "lsp_unsaved_text_is_what_its_session_sees",
            Needs::Nothing,
            unsaved_text,
        ),
        proof(
            "lsp_unsaved_names_reach_other_files",
            Needs::Nothing,
            across_files,
        ),
        proof(
            "lsp_texts_larger_than_a_message_and_than_a_file_may_be",
            Needs::Nothing,
            large_texts,
        ),
    ]
}

async fn unsaved_text() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    let mut other = LspSession::start(&home, &root).await;
    let text = std::fs::read_to_string(&barn).expect("a file");
    session.open(&barn, &text).await;
    session.edit(&barn, [0, 0, 0, 0], "// One\n// Two\n").await;
    let definition = session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    assert_eq!(definition[0]["range"], span([3, 7, 3, 11]), "{definition}");
    let saved = other.ask("textDocument/definition", at(&main, 4, 31)).await;
    assert_eq!(saved[0]["range"], span([1, 7, 1, 11]), "{saved}");
    // A function that is not on disk, and a call of it.
    session
        .edit(&barn, [5, 1, 5, 1], "\nfn milk() -> u32 {\n    feed(1)\n}")
        .await;
    session.edit(&barn, [16, 8, 16, 15], "milk()").await;
    let milk = session
        .ask("textDocument/definition", at(&barn, 16, 9))
        .await;
    let expected = json!([{ "uri": uri(&barn), "range": span([6, 3, 6, 7]) }]);
    assert_eq!(milk, expected);
    let params = json!({ "textDocument": { "uri": uri(&barn) } });
    let symbols = session
        .ask("textDocument/documentSymbol", params.clone())
        .await;
    assert!(symbols.to_string().contains("\"milk\""), "{symbols}");
    let symbols = other
        .ask("textDocument/documentSymbol", params.clone())
        .await;
    assert!(!symbols.to_string().contains("\"milk\""), "{symbols}");
    session.close_document(&barn).await;
    let closed = session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    assert_eq!(closed, saved, "what is closed is as it is on disk");
    // A file that was never saved.
    let fresh = root.join("src/fresh.rs");
    session
        .open(&fresh, "fn fresh() {\n    crate::barn::feed(1);\n}\n")
        .await;
    let feed = session
        .ask("textDocument/definition", at(&fresh, 1, 19))
        .await;
    assert_eq!(feed, saved);
    let nothing = other
        .ask("textDocument/definition", at(&fresh, 1, 19))
        .await;
    assert_eq!(nothing, Value::Null);
}

async fn across_files() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    session.open(&barn, "pub fn shear() {}\n").await;
    session
        .open(&main, "mod barn;\n\nfn main() {\n    barn::shear();\n}\n")
        .await;
    let definition = session
        .ask("textDocument/definition", at(&main, 3, 11))
        .await;
    let expected = json!([{ "uri": uri(&barn), "range": span([0, 7, 0, 12]) }]);
    assert_eq!(definition, expected);
    let mut params = at(&barn, 0, 8);
    params["context"] = json!({ "includeDeclaration": false });
    let references = session.ask("textDocument/references", params).await;
    let expected = json!([{ "uri": uri(&main), "range": span([3, 10, 3, 15]) }]);
    assert_eq!(references, expected);
    // Saved text is served from the index, with the same result.
    std::fs::write(&barn, "pub fn shear() {}\n").expect("written");
    let definition = session
        .ask("textDocument/definition", at(&main, 3, 11))
        .await;
    assert_eq!(definition[0]["range"], span([0, 7, 0, 12]), "{definition}");
}

async fn large_texts() {
    let home = Home::new();
    let root = farm(&home);
    let (main, barn) = (root.join("src/main.rs"), root.join("src/barn.rs"));
    let mut session = LspSession::start(&home, &root).await;
    let lines = |bytes: usize| "// Filled with words of a comment.\n".repeat(bytes / 35);
    // A text that is larger than one message to the daemon.
    let several = lines(1_400_000);
    let last = u32::try_from(several.lines().count()).expect("few");
    session
        .open(
            &barn,
            &format!("{several}pub fn feed(amount: u32) -> u32 {{\n    amount\n}}\n"),
        )
        .await;
    let definition = session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    assert_eq!(
        definition[0]["range"],
        span([last, 7, last, 11]),
        "{definition}"
    );
    session.open(&barn, &lines(40_000_000)).await;
    let definition = session
        .ask("textDocument/definition", at(&main, 4, 31))
        .await;
    assert_eq!(definition[0]["range"], span([1, 7, 1, 11]), "{definition}");
    let is_told = |one: &Value| one["params"]["message"].to_string().contains("too large");
    assert!(session.others.iter().any(is_told), "{:?}", session.others);
}
