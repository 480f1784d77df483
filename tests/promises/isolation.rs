//! Nothing of a root is executed, and nothing leaves the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use claudevil_tests::home::Home;
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "24_nothing_of_a_root_is_executed",
            Needs::Strace,
            nothing_is_executed,
        ),
        proof(
            "24_everything_works_without_a_network",
            Needs::Namespaces,
            without_a_network,
        ),
    ]
}

async fn nothing_is_executed() {
    let home = Home::new();
    let trace = home.scratch().join("trace");
    let trace_word = trace.to_str().expect("UTF-8").to_owned();
    let calls = "trace=execve,execveat,socket,connect";
    // strace follows the daemon and its workers; the parent of the shim need not wait for them.
    let home = home.run_by([
        "strace",
        "-f",
        "-qq",
        "-s",
        "200",
        "-e",
        calls,
        "-A",
        "-o",
        &trace_word,
    ]);
    let project = home.project("engine");
    let trap = trap(&project);
    set_traps(&project, &trap);
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    use_everything(&mut questions, &project).await;
    questions
        .ask("reindex", json!({ "wait": true, "force": true }))
        .await
        .expect("done");
    let stopped = home.claudevil(&["daemon", "stop"]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    home.gone().await;
    assert!(
        !trap.with_extension("sprung").exists(),
        "a program of the root was run"
    );
    let trace = fs::read_to_string(trace).expect("a trace");
    let run: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains("execve"))
        .collect();
    assert!(
        run.iter().any(|line| line.contains("\"worker\"")),
        "no worker was seen to start: {run:#?}"
    );
    let own = [
        "/claudevil-mcp\"",
        "/claudevil\"",
        "/claudevild\"",
        "\"/proc/self/exe\", [\"/proc/self/exe\", \"worker\"]",
        "\"/proc/self/exe\", [\"/proc/self/exe\", \"worker\", \"--prompt\"]",
        "/claudevil-vectors\", [",
    ];
    for line in &run {
        assert!(
            own.iter().any(|own| line.contains(own)) || line.contains("resumed>"),
            "{line}"
        );
    }
    let talks: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains("AF_INET") || line.contains("AF_PACKET"))
        .collect();
    assert!(talks.is_empty(), "{talks:#?}");
    assert!(trace.contains("AF_UNIX"), "its own socket is there");
    crate::measured(&format!(
        "{} programs started, all our own; no socket of a network",
        run.len()
    ));
}

async fn without_a_network() {
    let home = Home::new().run_by(["unshare", "--user", "--map-root-user", "--net"]);
    let project = home.project("engine");
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    use_everything(&mut questions, &project).await;
    let daemon = home.daemon().expect("a daemon");
    let routes = fs::read_to_string(format!("/proc/{daemon}/net/route")).expect("readable");
    assert!(routes.lines().count() <= 1, "there is a route: {routes}");
}

async fn use_everything(questions: &mut Questions, project: &Path) {
    fs::write(
        project.join("src/lib.rs"),
        "pub fn answer() -> u32 {\n    helper()\n}\n\nfn helper() -> u32 {\n    41\n}\n",
    )
    .expect("written");
    questions.until_found("helper", &["src/lib.rs"]).await;
    for (tool, arguments) in [
        ("list_files", json!({})),
        ("read_file", json!({ "path": "src/lib.rs" })),
        ("search", json!({ "query": "what is the answer" })),
        ("search", json!({ "query": "answer(", "mode": "literal" })),
        ("find_similar", json!({ "path": "src/lib.rs", "line": 1 })),
        ("find_symbol", json!({ "name": "answer" })),
        ("map_code", json!({})),
        ("analyze_complexity", json!({})),
        ("get_dependencies", json!({ "path": "src/lib.rs" })),
        ("index_status", json!({ "detailed": true })),
        ("manage_roots", json!({ "action": "list" })),
    ] {
        let answer = questions.ask(tool, arguments).await;
        assert!(answer.is_ok(), "{tool}: {answer:?}");
    }
}

/// Makes a program that leaves a mark when it is run.
fn trap(project: &Path) -> PathBuf {
    let trap = project.join("trap");
    let mark = trap.with_extension("sprung");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).expect("written");
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).expect("executable");
    trap
}

/// Names the trap in every place from which git, build tools or shells would run it.
fn set_traps(project: &Path, trap: &Path) {
    let trap = trap.display();
    let config = format!(
        "[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\tsshCommand = {trap}\n\teditor = {trap}\n\thooksPath = {}\n\
         [diff]\n\texternal = {trap}\n[diff \"evil\"]\n\ttextconv = {trap}\n\tcommand = {trap}\n\
         [filter \"evil\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n\
         [credential]\n\thelper = !{trap}\n[alias]\n\tstatus = !{trap}\n[include]\n\tpath = ../evil.config\n",
        project.join("hooks").display(),
    );
    let hook = format!("#!/bin/sh\n{trap}\n");
    for (path, text) in [
        (".git/config", config.as_str()),
        (".git/objects/.keep", ""),
        (
            ".git/refs/heads/main",
            "0123456789012345678901234567890123456789\n",
        ),
        ("evil.config", &format!("[core]\n\tfsmonitor = {trap}\n")),
        (".gitattributes", "* diff=evil filter=evil\n"),
        (
            ".gitmodules",
            &format!("[submodule \"x\"]\n\tpath = x\n\turl = ext::{trap}\n\tupdate = !{trap}\n"),
        ),
        (".git/hooks/post-checkout", &hook),
        (".git/hooks/fsmonitor-watchman", &hook),
        ("hooks/post-index-change", &hook),
        (".envrc", &hook),
        (
            "Makefile",
            &format!("all:\n\t{trap}\nX := $(shell {trap})\n"),
        ),
        (
            "build.rs",
            "fn main() { std::process::Command::new(\"./trap\").status().unwrap(); }\n",
        ),
        (
            "package.json",
            "{ \"scripts\": { \"preinstall\": \"./trap\", \"prepare\": \"./trap\" } }\n",
        ),
        ("conftest.py", "import os\nos.system('./trap')\n"),
        (
            ".cargo/config.toml",
            "[build]\nrustc-wrapper = \"./trap\"\n",
        ),
    ] {
        let path = project.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    }
}
