//! Bad input: each gets its code and the next step, and nothing else breaks.

use std::fs;

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "bad_arguments_get_a_code_and_a_next_step",
            Needs::Nothing,
            bad_arguments,
        ),
        proof(
            "hostile_files_are_read_safely",
            Needs::Nothing,
            hostile_files,
        ),
        proof(
            "the_command_line_fails_in_words",
            Needs::Nothing,
            command_line,
        ),
        proof("a_removed_root_is_reported", Needs::Nothing, removed_root),
        proof("secrets_are_marked", Needs::Nothing, secrets_are_marked),
    ]
}

async fn bad_arguments() {
    let home = Home::new();
    let project = home.project("engine");
    fs::write(project.join("logo.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").expect("written");
    fs::write(project.join("latin1.txt"), b"caf\xe9\n").expect("written");
    let mut session = Session::start(&home, &project, &["--toolsets", "all"]).await;
    let user_home = home.scratch().join("user");
    let cases = [
        (
            "list_files",
            json!({ "root": "/no/such/folder" }),
            "root_not_found",
        ),
        (
            "list_files",
            json!({ "root": "unknown-name" }),
            "root_not_found",
        ),
        (
            "list_files",
            json!({ "root": project.join("src/main.rs") }),
            "root_not_found",
        ),
        ("list_files", json!({ "root": "/" }), "root_refused"),
        ("list_files", json!({ "root": user_home }), "root_refused"),
        (
            "list_files",
            json!({ "root": home.claudevil_home().join("data") }),
            "root_refused",
        ),
        ("list_files", json!({ "root": "*" }), "invalid_argument"),
        (
            "list_files",
            json!({ "pattern": "src/[a" }),
            "invalid_argument",
        ),
        (
            "list_files",
            json!({ "pattern": "(", "pattern_type": "regex" }),
            "invalid_argument",
        ),
        (
            "list_files",
            json!({ "pattern_type": "fuzzy" }),
            "invalid_argument",
        ),
        (
            "list_files",
            json!({ "language": "klingon" }),
            "invalid_argument",
        ),
        ("list_files", json!({ "limit": 501 }), "invalid_argument"),
        ("list_files", json!({ "limit": "ten" }), "invalid_argument"),
        (
            "list_files",
            json!({ "cursor": "nonsense" }),
            "invalid_argument",
        ),
        ("list_files", json!({ "colour": "red" }), "invalid_argument"),
        ("read_file", json!({}), "invalid_argument"),
        ("read_file", json!({ "path": "" }), "invalid_argument"),
        ("read_file", json!({ "path": "a\0b" }), "invalid_argument"),
        (
            "read_file",
            json!({ "path": "missing.rs" }),
            "file_not_found",
        ),
        ("read_file", json!({ "path": "src" }), "file_not_found"),
        (
            "read_file",
            json!({ "path": "../engine2/x" }),
            "path_outside_root",
        ),
        ("read_file", json!({ "path": "logo.png" }), "binary_file"),
        ("read_file", json!({ "path": "latin1.txt" }), "binary_file"),
        (
            "read_file",
            json!({ "path": "README.md", "start_line": 5, "end_line": 2 }),
            "invalid_argument",
        ),
        (
            "read_file",
            json!({ "path": "README.md", "start_line": 99 }),
            "invalid_argument",
        ),
        (
            "read_file",
            json!({ "path": "README.md", "start_line": -1 }),
            "invalid_argument",
        ),
        (
            "read_file",
            json!({ "path": "README.md", "context_lines": 101 }),
            "invalid_argument",
        ),
        ("reindex", json!({ "path": "missing" }), "file_not_found"),
        (
            "reindex",
            json!({ "path": "../engine2" }),
            "path_outside_root",
        ),
        (
            "index_status",
            json!({ "root": "unknown-name" }),
            "root_not_found",
        ),
        (
            "manage_roots",
            json!({ "action": "explode" }),
            "invalid_argument",
        ),
        (
            "manage_roots",
            json!({ "action": "add", "path": "relative" }),
            "invalid_argument",
        ),
        (
            "manage_roots",
            json!({ "action": "add", "path": "/" }),
            "root_refused",
        ),
        (
            "manage_roots",
            json!({ "action": "add", "path": project, "name": "a b" }),
            "invalid_argument",
        ),
        (
            "manage_roots",
            json!({ "action": "add", "path": project, "chunk_size": 99 }),
            "invalid_argument",
        ),
        (
            "manage_roots",
            json!({ "action": "remove", "path": "engine" }),
            "invalid_argument",
        ),
        (
            "manage_roots",
            json!({ "action": "remove", "path": "nobody", "confirm": true }),
            "root_not_found",
        ),
    ];
    for (tool, arguments, code) in cases {
        let (text, is_error) = session.call(tool, arguments.clone()).await;
        assert!(
            is_error && text.starts_with(&format!("{code}: ")),
            "{tool} {arguments}: {text}"
        );
    }
    let (text, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error && text.contains("src/main.rs"), "{text}");
    let (text, _) = session.call("list_files", json!({ "root": "/" })).await;
    assert!(
        text.contains("Known roots: engine"),
        "a refusal lists what is known: {text}"
    );
}

async fn hostile_files() {
    let home = Home::new();
    let project = home.project("engine");
    let sparse = fs::File::create(project.join("sparse.bin")).expect("made");
    sparse.set_len(1 << 30).expect("sparse");
    fs::write(project.join("one_line.js"), "x".repeat(5 << 20)).expect("written");
    fs::write(project.join("fences.md"), "```\nignore this\n````\n").expect("written");
    fs::write(project.join("empty"), "").expect("written");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    let mut session = Session::start(&home, &project, &[]).await;
    for (path, code) in [("sparse.bin", "binary_file: "), ("pipe", "binary_file: ")] {
        let (text, is_error) = session.call("read_file", json!({ "path": path })).await;
        assert!(is_error && text.starts_with(code), "{path}: {text}");
    }
    let (text, is_error) = session
        .call("read_file", json!({ "path": "one_line.js" }))
        .await;
    assert!(
        !is_error && text.contains("of its 5,242,880 characters are shown"),
        "{}",
        &text[text.len() - 200..]
    );
    let (text, _) = session
        .call("read_file", json!({ "path": "fences.md" }))
        .await;
    assert!(
        text.contains("`````markdown") && text.ends_with("`````"),
        "{text}"
    );
    let (text, is_error) = session.call("read_file", json!({ "path": "empty" })).await;
    assert!(
        !is_error && text.starts_with("empty (0 lines, 0 B)"),
        "{text}"
    );
    fs::write(project.join("a\nlist_files {}.rs"), "").expect("written");
    let (text, is_error) = session.call("list_files", json!({})).await;
    assert!(
        !is_error && text.contains("sparse.bin") && !text.contains("pipe"),
        "{text}"
    );
    assert!(
        !text.contains("\nlist_files {}.rs"),
        "a file's name began a line: {text}"
    );
}

async fn command_line() {
    let home = Home::new();
    let project = home.project("engine");
    let root = project.to_str().expect("UTF-8");
    for (arguments, code, words) in [
        (
            vec!["read", "--root", root, "missing.rs"],
            1,
            "missing.rs does not exist",
        ),
        (
            vec!["read", "--root", root, "../../etc/passwd"],
            1,
            "is outside the root",
        ),
        (vec!["files", "--root", "/"], 1, "is refused as a root"),
        (
            vec!["search", "--root", root, "-F", "qqzzxxqq"],
            1,
            "qqzzxxqq",
        ),
        (
            vec!["similar", "--root", root, "src/main.rs"],
            2,
            "names no line",
        ),
        (
            vec!["files", "--root", root, "nosuch*"],
            1,
            "no files match",
        ),
        (
            vec!["reindex", "--root", root, "nosuch"],
            1,
            "nosuch does not exist",
        ),
        (
            vec!["files", "--sort", "colour"],
            2,
            "invalid value 'colour'",
        ),
        (
            vec!["files", "--root", root, "nosuch*"],
            1,
            "no files match",
        ),
        (
            vec!["reindex", "--root", root, "nosuch"],
            1,
            "nosuch does not exist",
        ),
        (
            vec!["roots", "remove", "engine"],
            2,
            "not a terminal, so there is no one to ask",
        ),
        (
            vec!["roots", "remove", "nosuch"],
            1,
            "`nosuch` is not a known root",
        ),
        (
            vec!["model", "use", "nosuch"],
            2,
            "embedder = nosuch: expected static, none",
        ),
        (vec!["nonsense"], 2, "unrecognized subcommand"),
    ] {
        let output = home.claudevil(&arguments).await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(
            said.contains(words) && output.stdout.is_empty(),
            "{arguments:?}: {output:?}"
        );
        assert!(
            !said.contains('\u{1b}'),
            "no colours where nobody sees them: {said:?}"
        );
    }
    let error = home.json(&["read", "--root", root, "missing.rs"]).await;
    assert_eq!(error["error"]["code"], "file_not_found");
    let always = home
        .claudevil(&["--color", "always", "read", "--root", root, "missing.rs"])
        .await;
    assert!(String::from_utf8_lossy(&always.stderr).contains('\u{1b}'));
    let text = home
        .claudevil(&["read", "--root", root, "src/main.rs:1-2"])
        .await;
    assert_eq!(
        String::from_utf8_lossy(&text.stdout),
        "fn main() {\n    println!(\"hello\");\n"
    );
    let removed = home.claudevil(&["roots", "remove", root, "--yes"]).await;
    assert!(
        String::from_utf8_lossy(&removed.stdout).contains("its files are untouched"),
        "{removed:?}"
    );
    assert!(project.join("src/main.rs").exists());
    for shell in ["bash", "zsh", "fish"] {
        let script = home.claudevil(&["completions", shell]).await;
        assert!(script.status.success() && script.stdout.len() > 500);
    }
}

async fn removed_root() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let moved = home.scratch().join("user/moved");
    fs::rename(&project, &moved).expect("moved");
    let (text, is_error) = session.call("list_files", json!({ "root": project })).await;
    assert!(
        is_error && text.starts_with("root_not_found: ") && text.contains("its record is kept"),
        "{text}"
    );
    let status = home.json(&["status"]).await;
    assert_eq!(status["health"], "degraded");
    assert!(status["roots"][0]["unavailable"].is_string(), "{status}");
    fs::rename(&moved, &project).expect("moved back");
    let (_, is_error) = session.call("list_files", json!({ "root": project })).await;
    assert!(!is_error);
    assert_eq!(home.json(&["status"]).await["health"], "healthy");
}

async fn secrets_are_marked() {
    let home = Home::new();
    let project = home.project("engine");
    fs::write(
        project.join("deploy.py"),
        "import os\nKEY = 'AKIAABCDEFGHIJKLMNOP'\n",
    )
    .expect("written");
    let mut session = Session::start(&home, &project, &[]).await;
    let (text, _) = session
        .call("read_file", json!({ "path": "deploy.py" }))
        .await;
    assert!(
        text.contains("looks like credentials, shown as on disk: line 2 (AWS access key)"),
        "{text}"
    );
    assert!(text.contains("AKIAABCDEFGHIJKLMNOP"));
    let (text, _) = session
        .call(
            "read_file",
            json!({ "path": "deploy.py", "format": "json" }),
        )
        .await;
    let answer: Value = serde_json::from_str(&text).expect("json");
    assert_eq!(
        answer["secrets"][0],
        json!({ "line": 2, "kind": "AWS access key" })
    );
}
