//! Lines on the shim's standard input that are no message: each gets JSON-RPC's error, and the session goes on.

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![proof(
        "lines_that_are_no_message_get_an_error_of_json_rpc",
        Needs::Nothing,
        malformed_lines,
    )]
}

async fn malformed_lines() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::spawn(&home, &project, &[]);
    let lines = [
        ("nonsense", -32700, json!(null)),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"tools/list\"",
            -32700,
            json!(null),
        ),
        ("[1,", -32700, json!(null)),
        ("{\"jsonrpc\":\"2.0\",\"id\":70}", -32600, json!(70)),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":5}",
            -32600,
            json!("x"),
        ),
        ("[]", -32600, json!(null)),
    ];
    for is_before_handshake in [true, false] {
        for (line, code, id) in &lines {
            session.write_line(line).await;
            let answer = session.next().await;
            assert_eq!(answer["error"]["code"], *code, "{line}: {answer}");
            assert_eq!(answer["id"], *id, "{line}: {answer}");
            assert!(
                answer["error"]["message"]
                    .as_str()
                    .is_some_and(|words| !words.is_empty()),
                "{answer}"
            );
        }
        // Not answered, like everything that is no request.
        session.write_line("").await;
        session
            .write_line("{\"jsonrpc\":\"2.0\",\"id\":70,\"error\":5}")
            .await;
        if is_before_handshake {
            session.shake_hands().await;
        }
    }
    let (text, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    // Longer than any message may be.
    session
        .write_line(&format!("{{\"x\":\"{}\"}}", "x".repeat(17 << 20)))
        .await;
    let answer = session.next().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    session.write_line("nonsense").await;
    assert_eq!(session.next().await["error"]["code"], -32700);
    assert!(session.close().await.success());
}
