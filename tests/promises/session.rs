//! An editor session: the handshake, the tools, the project, progress.

use std::time::{Duration, Instant};

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof, slack};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "initialize_does_not_wait_for_the_daemon",
            Needs::Nothing,
            initialize_does_not_wait,
        ),
        proof("tools_are_offered_by_set_and_name", Needs::Nothing, offers),
        proof(
            "the_project_is_resolved_for_every_call",
            Needs::Nothing,
            projects,
        ),
        proof(
            "client_roots_come_before_the_working_directory",
            Needs::Nothing,
            client_roots,
        ),
        proof("progress_reaches_the_client", Needs::Nothing, progress),
        proof("lists_page_without_gaps_or_repeats", Needs::Nothing, paging),
        proof(
            "files_are_those_that_git_sees",
            Needs::Nothing,
            files_of_git,
        ),
        proof(
            "a_folder_of_a_root_is_a_part_of_it",
            Needs::Nothing,
            folders,
        ),
        proof("answers_obey_their_budget", Needs::Nothing, budgets),
    ]
}

async fn initialize_does_not_wait() {
    let home = Home::new().with("CLAUDEVIL_DAEMON", "/nowhere/claudevild");
    let project = home.project("engine");
    let mut session = Session::spawn(&home, &project, &[]);
    let started = Instant::now();
    let answer = session.shake_hands().await;
    assert!(started.elapsed() < slack(Duration::from_secs(2)));
    let result = &answer["result"];
    assert_eq!(result["serverInfo"]["name"], "claudevil");
    let instructions = result["instructions"].as_str().expect("instructions");
    assert!(instructions.len() < 2048 && instructions.contains("explore"));
    let tools = session.request("tools/list", json!({})).await;
    assert_eq!(
        tools["result"]["tools"].as_array().expect("tools").len(),
        33
    );
    let (text, is_error) = session.call("list_files", json!({})).await;
    assert!(is_error && text.contains("daemon_unreachable"), "{text}");
}

async fn offers() {
    let home = Home::new();
    let project = home.project("engine");
    let names = async |arguments: &[&str]| {
        let mut session = Session::spawn_as_given(&home, &project, arguments, &[]);
        session.shake_hands().await;
        let answer = session.request("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        for tool in &tools {
            assert_eq!(tool["inputSchema"]["type"], "object");
            assert!(tool["title"].is_string(), "{tool}");
            for hint in [
                "readOnlyHint",
                "destructiveHint",
                "idempotentHint",
                "openWorldHint",
            ] {
                assert!(tool["annotations"][hint].is_boolean(), "{hint}: {tool}");
            }
        }
        // The cost of the list for every session, as sent over the wire.
        let cost = claudevil_protocol::text::tokens::estimate(&answer["result"].to_string());
        assert!(
            cost <= if arguments.is_empty() { 2_500 } else { 6_000 },
            "{cost} tokens for {arguments:?}"
        );
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    let explore = [
        "explore",
        "search",
        "find_symbol",
        "find_similar",
        "map_code",
        "list_files",
        "read_file",
    ];
    let calls = ["find_references", "find_callers", "find_callees"];
    let whole = ["find_implementations", "deep_dive", "impact_analysis"];
    assert_eq!(
        names(&[]).await,
        [
            &["explore", "search", "find_symbol", "map_code", "read_file"][..],
            &["find_references"],
            &whole,
            &["index_status"],
        ]
        .concat()
    );
    let graph = [
        &calls[..],
        &["get_call_graph", "call_path"],
        &whole,
        &["get_dependencies", "analyze_complexity"],
    ]
    .concat();
    let index = ["index_status", "reindex", "manage_roots"];
    let memory = ["checkpoint", "recall", "plan"];
    let last = ["find_definition"];
    let audits = ["find_unused", "find_clones"];
    assert_eq!(
        names(&["--toolsets", "graph"]).await,
        [&graph[..], &last, &audits].concat()
    );
    assert_eq!(
        names(&["--toolsets", "all"]).await,
        [
            &explore[..],
            &graph,
            &["rename_symbol"],
            &index,
            &memory,
            &last,
            &["manage_precise", "history", "edit_symbol", "undo"],
            &["search_structure", "rewrite"],
            &audits,
        ]
        .concat()
    );
    assert_eq!(names(&["--toolsets", "memory"]).await, memory);
    assert_eq!(
        names(&["--toolsets", "memory", "--read-only"]).await,
        ["recall"]
    );
    assert_eq!(
        names(&["--toolsets", "index,explore", "--read-only"]).await,
        [
            &explore[..],
            &["index_status", "history", "search_structure"]
        ]
        .concat()
    );
    assert_eq!(names(&["--tools", "read_file"]).await, ["read_file"]);
    let mut session = Session::start(&home, &project, &["--tools", "read_file"]).await;
    let answer = session
        .request(
            "tools/call",
            json!({ "name": "list_files", "arguments": {} }),
        )
        .await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let said = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(
        said.contains("list_files is not among the tools of this session")
            && said.contains("read_file"),
        "{said}"
    );
    let answer = session
        .request(
            "tools/call",
            json!({ "name": "list_flies", "arguments": {} }),
        )
        .await;
    assert!(
        answer["error"]["message"]
            .as_str()
            .expect("an error")
            .contains("unknown tool `list_flies`"),
        "{answer}"
    );
    let uri = "claudevil://roots/no-such-project/map";
    let answer = session
        .request("resources/read", json!({ "uri": uri }))
        .await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
}

async fn projects() {
    let home = Home::new();
    let engine = home.project("engine");
    let atlas = home.project("atlas");
    let head = |text: &str| text.lines().next().unwrap_or_default().to_owned();

    let mut inside = Session::start(&home, &engine.join("src"), &[]).await;
    assert_eq!(
        head(&inside.call("list_files", json!({})).await.0),
        "4 files in engine"
    );
    let by_path = inside.call("list_files", json!({ "root": atlas })).await.0;
    assert_eq!(head(&by_path), "4 files in atlas");
    assert_eq!(
        head(
            &inside
                .call("list_files", json!({ "root": "atlas" }))
                .await
                .0
        ),
        "4 files in atlas"
    );

    let mut by_option = Session::start(
        &home,
        home.scratch(),
        &["--root", atlas.to_str().expect("UTF-8")],
    )
    .await;
    assert_eq!(
        head(&by_option.call("list_files", json!({})).await.0),
        "4 files in atlas"
    );

    let variables = [("CLAUDE_PROJECT_DIR", engine.to_str().expect("UTF-8"))];
    let mut by_variable = Session::spawn_with(&home, &atlas, &["--root", "atlas"], &variables);
    by_variable.shake_hands().await;
    assert_eq!(
        head(&by_variable.call("list_files", json!({})).await.0),
        "4 files in engine"
    );
}

async fn client_roots() {
    let home = Home::new();
    let engine = home.project("engine");
    let atlas = home.project("my atlas");
    let mut session = Session::spawn(&home, &engine, &[]);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": { "roots": {} },
        "clientInfo": { "name": "claudevil-tests", "version": "1" }
    });
    session.request("initialize", hello).await;
    session.notify("notifications/initialized", json!({})).await;
    for uri in [
        format!(
            "file://{}/my%20atlas",
            home.scratch().join("user").display()
        ),
        format!("file://{}", engine.display()),
    ] {
        let call = session.send_call("list_files", json!({})).await;
        let asked = session.next().await;
        assert_eq!(
            asked["method"], "roots/list",
            "asked afresh for every call: {asked}"
        );
        session.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [{ "uri": uri }] } })).await;
        let (text, is_error) = session.tool_answer(call).await;
        let name = if uri.contains("atlas") {
            "my-atlas"
        } else {
            "engine"
        };
        assert!(
            !is_error && text.starts_with(&format!("4 files in {name}")),
            "{text}"
        );
    }
    assert!(atlas.exists());
}

async fn progress() {
    let home = Home::new();
    let project = home.project("engine");
    for folder in 0..30 {
        let folder = project.join(format!("many/{folder}"));
        std::fs::create_dir_all(&folder).expect("made");
        for file in 0..200 {
            std::fs::write(folder.join(format!("{file}.rs")), "").expect("written");
        }
    }
    let mut session = Session::start(&home, &project, &[]).await;
    let params =
        json!({ "name": "list_files", "arguments": {}, "_meta": { "progressToken": "p" } });
    let call = session.send("tools/call", params).await;
    let mut seen = vec![];
    let answer = loop {
        let message = session.next().await;
        if message["id"] == call {
            break message;
        }
        assert_eq!(message["params"]["progressToken"], "p", "{message}");
        seen.push(message["params"]["progress"].as_f64().expect("a number"));
    };
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .expect("text")
            .starts_with("6,004 files")
    );
    assert!(!seen.is_empty(), "no progress came");
    assert!(seen.is_sorted_by(|one, other| one < other), "{seen:?}");
}

async fn paging() {
    let home = Home::new();
    let project = home.project("engine");
    for file in 0..57 {
        std::fs::write(
            project.join(format!("src/file_{file}.rs")),
            "x".repeat(file % 7),
        )
        .expect("written");
    }
    let mut session = Session::start(&home, &project, &[]).await;
    for sort in ["path", "size", "recent"] {
        let whole = list(&mut session, json!({ "sort": sort, "limit": 100 })).await;
        assert_eq!(whole.0.len(), 61);
        let (mut paged, mut cursor) = (vec![], Value::Null);
        loop {
            let mut arguments = json!({ "sort": sort, "limit": 9 });
            if cursor.is_string() {
                arguments["cursor"] = cursor;
            }
            let page = list(&mut session, arguments).await;
            paged.extend(page.0);
            cursor = page.1;
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(paged, whole.0, "sorted by {sort}");
    }
}

async fn list(session: &mut Session, mut arguments: Value) -> (Vec<String>, Value) {
    arguments["format"] = "json".into();
    arguments["max_tokens"] = 10_000.into();
    let (text, is_error) = session.call("list_files", arguments).await;
    assert!(!is_error, "{text}");
    let answer: Value = serde_json::from_str(&text).expect("json");
    let files = answer["files"].as_array().expect("files");
    (
        files
            .iter()
            .map(|file| file["path"].as_str().expect("a path").to_owned())
            .collect(),
        answer["cursor"].clone(),
    )
}

async fn files_of_git() {
    let home = Home::new();
    let project = home.project("engine");
    std::fs::remove_dir_all(project.join(".git")).expect("removed");
    std::fs::write(project.join("forced.txt"), "tracked\n").expect("written");
    std::fs::write(project.join(".gitignore"), "ignored.txt\nforced.txt\n").expect("written");
    for arguments in [&["init", "-q"][..], &["add", "-f", "forced.txt", "src"]] {
        let git = std::process::Command::new("git")
            .args(arguments)
            .current_dir(&project)
            .status();
        assert!(git.expect("git runs").success());
    }
    let mut session = Session::start(&home, &project, &[]).await;
    let (files, _) = list(&mut session, json!({})).await;
    assert_eq!(
        files,
        [
            ".gitignore",
            "README.md",
            "forced.txt",
            "src/lib.rs",
            "src/main.rs"
        ]
    );
}

async fn folders() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let source = project.join("src");
    let (text, _) = session
        .call("list_files", json!({ "root": source, "limit": 1 }))
        .await;
    assert!(
        text.starts_with("2 files in engine/src; 1 shown\nsrc/lib.rs"),
        "{text}"
    );
    let (text, is_error) = session
        .call("read_file", json!({ "root": source, "path": "main.rs" }))
        .await;
    assert!(!is_error && text.starts_with("src/main.rs ("), "{text}");
    let (text, is_error) = session
        .call("read_file", json!({ "root": source, "path": "README.md" }))
        .await;
    assert!(!is_error && text.starts_with("README.md ("), "{text}");
}

async fn budgets() {
    let home = Home::new();
    let project = home.project("engine");
    let line = "let total = items.iter().map(|item| item.price).sum::<u64>(); // ünïcödé\n";
    std::fs::write(project.join("src/long.rs"), line.repeat(5000)).expect("written");
    std::fs::write(project.join("src/one_line.js"), "a=1;".repeat(100_000)).expect("written");
    std::fs::write(
        project.join("src/one_line.json"),
        "{\"a\":\"b\\n\"},".repeat(50_000),
    )
    .expect("written");
    for file in 0..400 {
        std::fs::write(project.join(format!("src/file_{file}.rs")), "").expect("written");
    }
    let mut session = Session::start(&home, &project, &[]).await;
    for (tool, arguments) in [
        ("list_files", json!({ "limit": 500 })),
        ("read_file", json!({ "path": "src/long.rs" })),
        ("read_file", json!({ "path": "src/one_line.js" })),
        ("read_file", json!({ "path": "src/one_line.json" })),
        ("index_status", json!({})),
    ] {
        for format in ["text", "json"] {
            for budget in [500, 1000, 4000, 10_000] {
                let mut arguments = arguments.clone();
                arguments["max_tokens"] = budget.into();
                arguments["format"] = format.into();
                let (text, is_error) = session.call(tool, arguments.clone()).await;
                assert!(!is_error, "{text}");
                let cost = claudevil_protocol::text::tokens::estimate(&text);
                assert!(cost <= budget, "{tool} {arguments} costs {cost}");
                assert!(
                    text.len() < 40_000,
                    "{tool} {arguments}: {} bytes",
                    text.len()
                );
                assert!(
                    !text.contains(r#""lines":[]"#) && !text.contains("```\n```"),
                    "nothing is shown: {text}"
                );
            }
        }
    }
    // A file that was cut can be read on: the parts together are the whole.
    let (mut next, mut read) = (1, 0);
    while next > 0 {
        let arguments = json!({ "path": "src/long.rs", "start_line": next, "format": "json" });
        let (text, _) = session.call("read_file", arguments).await;
        let part: Value = serde_json::from_str(&text).expect("json");
        let lines = part["lines"].as_array().expect("lines");
        assert!(
            lines
                .iter()
                .all(|shown| shown.as_str() == Some(line.trim_end())),
            "a line was cut"
        );
        read += lines.len();
        next = part["next_line"].as_u64().unwrap_or(0);
    }
    assert_eq!(read, 5000);
}
