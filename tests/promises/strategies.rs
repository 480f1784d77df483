//! Prompts, their completions, and a project's map and status as resources.

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("prompts_and_lists_need_no_daemon", Needs::Nothing, lists),
        proof(
            "completions_come_from_the_project",
            Needs::Nothing,
            completions,
        ),
        proof(
            "resources_are_the_projects_map_and_status",
            Needs::Nothing,
            resources,
        ),
    ]
}

async fn lists() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::spawn(&home, &project, &[]);
    let hello = session.shake_hands().await;
    for offered in ["tools", "prompts", "resources", "completions"] {
        assert!(
            hello["result"]["capabilities"].get(offered).is_some(),
            "{offered}: {hello}"
        );
    }
    let listed = session.request("prompts/list", json!({})).await;
    let prompts = listed["result"]["prompts"]
        .as_array()
        .expect("prompts")
        .clone();
    assert_eq!(prompts.len(), 4, "{listed}");
    for prompt in &prompts {
        let arguments = prompt["arguments"].as_array().expect("arguments");
        let given: serde_json::Map<_, _> = arguments
            .iter()
            .map(|argument| {
                (
                    argument["name"].as_str().expect("a name").to_owned(),
                    Value::from("Parser::next"),
                )
            })
            .collect();
        let got = session
            .request(
                "prompts/get",
                json!({ "name": prompt["name"], "arguments": given }),
            )
            .await;
        let text = got["result"]["messages"][0]["content"]["text"]
            .as_str()
            .expect("a text");
        assert!(
            text.contains("`Parser::next`") && text.len() > 1000,
            "{text}"
        );
        assert!(text.len() < 6000, "a strategy is short: {}", text.len());
    }
    let wrong = session
        .request("prompts/get", json!({ "name": "explore-type-hierarchy" }))
        .await;
    assert!(
        wrong["error"]["message"]
            .as_str()
            .is_some_and(|said| said.contains("`symbol` is missing")),
        "{wrong}"
    );
    let listed = session.request("resources/list", json!({})).await;
    assert_eq!(
        listed["result"]["resources"].as_array().map(Vec::len),
        Some(2),
        "{listed}"
    );
    let listed = session.request("resources/templates/list", json!({})).await;
    assert_eq!(
        listed["result"]["resourceTemplates"]
            .as_array()
            .map(Vec::len),
        Some(2),
        "{listed}"
    );
    assert_eq!(
        home.daemon(),
        None,
        "nothing of this is a reason to start it"
    );
    session.close().await;
}

async fn completed(
    session: &mut Session,
    reference: Value,
    argument: &str,
    typed: &str,
) -> Vec<String> {
    let params = json!({ "ref": reference, "argument": { "name": argument, "value": typed } });
    let answer = session.request("completion/complete", params).await;
    let values = answer["result"]["completion"]["values"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    values
        .iter()
        .filter_map(|value| Some(value.as_str()?.to_owned()))
        .collect()
}

async fn completions() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &["--toolsets", "all"]).await;
    let (said, is_error) = session.call("reindex", json!({ "wait": true })).await;
    assert!(!is_error, "{said}");
    let prompt = |name: &str| json!({ "type": "ref/prompt", "name": name });
    assert_eq!(
        completed(&mut session, prompt("trace-call-path"), "from", "answ").await,
        ["answer"]
    );
    assert_eq!(
        completed(&mut session, prompt("trace-call-path"), "to", "swer").await,
        ["answer"]
    );
    assert_eq!(
        completed(&mut session, prompt("explore-architecture"), "path", "LIB").await,
        ["src/lib.rs"]
    );
    assert_eq!(
        completed(&mut session, prompt("explore-architecture"), "path", "src/")
            .await
            .len(),
        2
    );
    for (reference, argument, typed) in [
        (prompt("trace-call-path"), "from", ""),
        (prompt("trace-call-path"), "from", "no such name at all"),
        (prompt("trace-call-path"), "path", "lib"),
        (prompt("explore-architecture"), "path", "("),
        (prompt("nonsense"), "from", "answ"),
    ] {
        assert!(
            completed(&mut session, reference, argument, typed)
                .await
                .is_empty(),
            "{argument} {typed}"
        );
    }
    let template = json!({ "type": "ref/resource", "uri": "claudevil://roots/{root}/map" });
    assert_eq!(
        completed(&mut session, template, "root", "eng").await,
        ["engine"]
    );
    session.close().await;
}

async fn resources() {
    let home = Home::new();
    let project = home.project("engine");
    home.project("other");
    let mut session = Session::start(&home, &project, &[]).await;
    let (said, is_error) = session.call("reindex", json!({ "wait": true })).await;
    assert!(!is_error, "{said}");
    for (uri, part) in [
        ("claudevil://project/map", "answer"),
        ("claudevil://project/status", "engine"),
        ("claudevil://roots/engine/map", "answer"),
        ("claudevil://roots/engine/status", "engine"),
    ] {
        let read = session
            .request("resources/read", json!({ "uri": uri }))
            .await;
        let content = &read["result"]["contents"][0];
        assert_eq!(content["uri"], uri, "{read}");
        assert!(
            content["text"]
                .as_str()
                .is_some_and(|text| text.contains(part)),
            "{read}"
        );
    }
    for uri in [
        "claudevil://project/files",
        "file:///etc/passwd",
        "claudevil://roots/nobody/map",
    ] {
        let read = session
            .request("resources/read", json!({ "uri": uri }))
            .await;
        assert!(read.get("error").is_some(), "{read}");
    }
    let (said, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error, "the session goes on: {said}");
    session.close().await;
}
