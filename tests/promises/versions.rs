//! Builds whose ranges of versions differ, as debug builds take them from the environment: a common version is served, a newer
//! build takes over, one that is too old is told to update.

use claudevil_protocol::version::PROTOCOL;
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;

use crate::lifecycle::under_way;
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "05_a_client_with_an_older_common_version_is_served",
            Needs::DebugBuilds,
            older_version_is_served,
        ),
        proof(
            "05_a_newer_client_replaces_an_older_daemon",
            Needs::DebugBuilds,
            newer_client_replaces,
        ),
        proof(
            "05_a_newer_build_replaces_an_older_daemon",
            Needs::DebugBuilds,
            newer_build_replaces,
        ),
        proof(
            "05_a_shim_that_is_too_old_is_told",
            Needs::DebugBuilds,
            too_old_is_told,
        ),
        proof(
            "05_calls_under_way_finish_during_a_replacement",
            Needs::DebugBuilds,
            calls_finish,
        ),
    ]
}

/// Starts a session whose binaries speak other versions of the protocol. They share one home through its directory.
async fn session(home: &Home, protocol: &str) -> Session {
    let project = home.scratch().join("user/engine");
    let mut command = Session::spawn_with(
        home,
        &project,
        &[],
        &[("CLAUDEVIL_TEST_PROTOCOL", protocol)],
    );
    command.shake_hands().await;
    command
}

async fn older_version_is_served() {
    let home = Home::new();
    home.project("engine");
    let mut new = session(&home, "2-3").await;
    new.call("list_files", json!({})).await;
    let daemon = home.daemon();
    let mut previous = session(&home, "1-2").await;
    let (text, is_error) = previous.call("list_files", json!({})).await;
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    assert_eq!(
        home.daemon(),
        daemon,
        "an older client does not replace a newer daemon"
    );
}

async fn newer_client_replaces() {
    let home = Home::new();
    home.project("engine");
    let mut old = session(&home, "1-2").await;
    old.call("list_files", json!({})).await;
    let first = home.daemon();
    let mut new = session(&home, "2-3").await;
    let (text, is_error) = new.call("list_files", json!({})).await;
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    assert_ne!(home.daemon(), first);
    assert_eq!(home.daemons().len(), 1);
    let (_, is_error) = old.call("list_files", json!({})).await;
    assert!(!is_error, "the old session goes on with the new daemon");
}

/// Without a version in common, the newer side still replaces the older one.
async fn newer_build_replaces() {
    let home = Home::new();
    home.project("engine");
    let mut old = session(&home, "1-1").await;
    old.call("list_files", json!({})).await;
    let first = home.daemon();
    let mut new = session(&home, "3-4").await;
    let (text, is_error) = new.call("list_files", json!({})).await;
    assert!(!is_error, "{text}");
    assert_ne!(home.daemon(), first);
}

async fn too_old_is_told() {
    let home = Home::new();
    home.project("engine");
    let mut new = session(&home, "3-4").await;
    new.call("list_files", json!({})).await;
    let daemon = home.daemon();
    let mut old = session(&home, "1-2").await;
    let (text, is_error) = old.call("list_files", json!({})).await;
    assert!(is_error && text.starts_with("version_mismatch: "), "{text}");
    assert!(text.contains("restart the editor session"), "{text}");
    assert_eq!(home.daemon(), daemon);
}

async fn calls_finish() {
    let home = Home::new().with("CLAUDEVIL_TEST_FAULT", "list_files:slow");
    home.project("engine");
    // Both speak the version of this test's own client, too.
    let own = *PROTOCOL.end();
    let mut old = session(&home, &format!("{}-{own}", own - 1)).await;
    old.call("index_status", json!({})).await;
    let first = home.daemon();
    let call = old.send_call("list_files", json!({})).await;
    under_way(&home).await;
    let mut new = session(&home, &format!("{own}-{}", own + 1)).await;
    let ((text, is_error), (_, new_is_error)) =
        tokio::join!(old.tool_answer(call), new.call("index_status", json!({})));
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    assert!(!new_is_error);
    assert_ne!(home.daemon(), first);
}
