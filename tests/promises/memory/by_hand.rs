//! Changes that people make to the files: they edit, break, link and remove them, and ignore them in git.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Instant;

use claudevil_tests::home::{Home, put};
use claudevil_tests::questions::{PATIENCE, Questions};
use libtest_mimic::Trial;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::{NOTES, PLANS, ask, recalled, session};
use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("memory_broken_notes_break_nothing", Needs::Nothing, broken),
        proof("memory_notes_by_hand_are_notes", Needs::Nothing, by_hand),
        proof(
            "memory_broken_plans_break_nothing",
            Needs::Nothing,
            broken_plans,
        ),
        proof(
            "memory_notes_are_searched_though_git_ignores_them",
            Needs::Nothing,
            searched,
        ),
        proof(
            "memory_notes_and_plans_at_the_terminal",
            Needs::Nothing,
            terminal,
        ),
    ]
}

/// Makes files that are not valid notes.
fn break_all(folder: &Path) {
    fs::create_dir_all(folder.join("a folder.md")).expect("made");
    let files: [(&str, Vec<u8>); 8] = [
        ("binary.md", vec![0, 1, 2, 3]),
        ("noise.md", vec![0xff; 500]),
        ("huge.md", b"x ".repeat(1 << 20)),
        ("empty.md", vec![]),
        (
            "unfinished.md",
            b"---\ntags: [open\n\nThe zebrafinch is unfinished.".to_vec(),
        ),
        (
            "latin.md",
            b"---\ntags: [latin]\n---\nThe zebrafinch drinks caf\xe9 au lait.".to_vec(),
        ),
        (
            "moment.md",
            b"---\ncreated: when it rained\n???\n---\nThe zebrafinch has no time.".to_vec(),
        ),
        (
            "merge.md",
            b"<<<<<<< ours\nThe zebrafinch\n=======\nconflicts.\n>>>>>>> theirs\n".to_vec(),
        ),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("written");
    }
    symlink("/etc/passwd", folder.join("link.md")).expect("linked");
    symlink("nowhere", folder.join("dangling.md")).expect("linked");
    mknodat(
        CWD,
        folder.join("pipe.md"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .expect("a pipe");
}

async fn broken() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = session(&home, &project).await;
    ask(
        &mut session,
        "checkpoint",
        json!({ "text": "The zebrafinch sings." }),
    )
    .await
    .expect("kept");
    break_all(&project.join(NOTES));
    let found = recalled(&mut session, json!({ "query": "zebrafinch" })).await;
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(
        found.contains(&"The zebrafinch sings.".to_owned()),
        "{found:?}"
    );
    let answer = ask(&mut session, "recall", json!({ "max_tokens": 10_000 }))
        .await
        .expect("notes");
    assert_eq!(
        (answer["stored"].as_u64(), answer["skipped_total"].as_u64()),
        (Some(5), Some(8)),
        "{answer}"
    );
    let notes = answer["notes"].as_array().expect("notes");
    assert_eq!(
        notes
            .iter()
            .filter(|note| note["remark"].is_string())
            .count(),
        3,
        "each is said: {answer}"
    );
    assert!(
        !answer.to_string().contains("root:"),
        "no link is followed: {answer}"
    );
    let (text, _) = session.call("recall", json!({})).await;
    assert!(
        text.lines()
            .last()
            .is_some_and(|last| last.starts_with("skipped: ") && last.ends_with("and 3 more")),
        "{text}"
    );
    ask(
        &mut session,
        "checkpoint",
        json!({ "text": "And still there is room." }),
    )
    .await
    .expect("kept");
}

async fn by_hand() {
    let home = Home::new();
    let project = home.project("engine");
    put(
        &project,
        &format!("{NOTES}/2026-01-02-plain.md"),
        b"Written by hand, without anything.\n",
    );
    put(
        &project,
        &format!("{NOTES}/later.md"),
        b"---\ntags:\n  - Hand\ndate: 2026-03-04\nowner: ada\n---\n\nLater by hand.\n",
    );
    let mut session = session(&home, &project).await;
    ask(
        &mut session,
        "checkpoint",
        json!({ "text": "Now, by a tool.", "tags": ["tool"], "files": ["src/lib.rs"] }),
    )
    .await
    .expect("kept");
    assert_eq!(
        recalled(&mut session, json!({})).await,
        [
            "Now, by a tool.",
            "Later by hand.",
            "Written by hand, without anything."
        ],
        "the newest first"
    );
    assert_eq!(
        recalled(&mut session, json!({ "tags": ["#hand"] })).await,
        ["Later by hand."]
    );
    assert_eq!(
        recalled(&mut session, json!({ "since": "2026-02-01" }))
            .await
            .len(),
        2
    );
    assert_eq!(
        recalled(&mut session, json!({ "since": "1h" })).await,
        ["Now, by a tool."]
    );
    assert_eq!(
        recalled(&mut session, json!({ "query": "lib.rs" })).await,
        ["Now, by a tool."]
    );
    // Edits and removals are visible at once.
    fs::write(project.join(NOTES).join("later.md"), "Edited by hand.").expect("written");
    fs::remove_file(project.join(NOTES).join("2026-01-02-plain.md")).expect("removed");
    let mut now = recalled(&mut session, json!({})).await;
    now.sort();
    assert_eq!(now, ["Edited by hand.", "Now, by a tool."]);
    for wrong in [
        ("recall", json!({ "since": "yesterday" })),
        ("recall", json!({ "limit": 101 })),
        ("recall", json!({ "query": "" })),
        ("checkpoint", json!({ "text": "  " })),
        ("checkpoint", json!({})),
        ("checkpoint", json!({ "text": "x", "tags": ["a\nb"] })),
        (
            "checkpoint",
            json!({ "text": "x", "files": ["../outside"] }),
        ),
        (
            "checkpoint",
            json!({ "text": "x", "files": ["/etc/passwd"] }),
        ),
        ("plan", json!({})),
        ("plan", json!({ "action": "save", "title": "x" })),
        ("plan", json!({ "action": "show" })),
        ("plan", json!({ "action": "activate", "title": "nonsense" })),
    ] {
        let (tool, arguments) = wrong;
        let told = ask(&mut session, tool, arguments.clone())
            .await
            .expect_err("refused");
        let code = told.split(':').next().unwrap_or_default();
        assert!(
            ["invalid_argument", "path_outside_root"].contains(&code),
            "{tool} {arguments}: {told}"
        );
    }
}

async fn broken_plans() {
    let home = Home::new();
    let project = home.project("engine");
    let folder = project.join(PLANS);
    fs::create_dir_all(&folder).expect("made");
    break_all(&folder);
    for (name, when) in [("one", "10"), ("two", "11")] {
        let text = format!(
            "---\ntitle: {name}\nstatus: active\nactivated: 2026-11-15T{when}:00:00Z\n---\n- [ ] a\n"
        );
        put(&project, &format!("{PLANS}/{name}.md"), text.as_bytes());
    }
    let mut session = session(&home, &project).await;
    let active = |listed: &Value| {
        let plans = listed["plans"].as_array().expect("plans").iter();
        plans
            .filter(|plan| plan["status"] == "active")
            .map(|plan| plan["title"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let listed = ask(
        &mut session,
        "plan",
        json!({ "action": "list", "max_tokens": 10_000 }),
    )
    .await
    .expect("plans");
    assert_eq!(
        active(&listed),
        ["two"],
        "the one that was activated last: {listed}"
    );
    assert_eq!(listed["skipped_total"], 8, "{listed}");
    ask(
        &mut session,
        "plan",
        json!({ "action": "save", "title": "three", "text": "- [ ] b" }),
    )
    .await
    .expect("saved");
    ask(
        &mut session,
        "plan",
        json!({ "action": "activate", "title": "three" }),
    )
    .await
    .expect("activated");
    let listed = ask(
        &mut session,
        "plan",
        json!({ "action": "list", "max_tokens": 10_000 }),
    )
    .await
    .expect("plans");
    assert_eq!(active(&listed), ["three"]);
    let done = ask(&mut session, "plan", json!({ "action": "complete" }))
        .await
        .expect("completed");
    assert_eq!(
        (&done["plan"]["title"], &done["plan"]["status"]),
        (&json!("three"), &json!("completed"))
    );
}

/// Returns the results of a search once the answer is marked as current.
async fn searched_for(questions: &mut Questions, query: &str, mode: &str) -> Value {
    let started = Instant::now();
    loop {
        let found = questions
            .ask("search", json!({ "query": query, "mode": mode }))
            .await
            .expect("an answer");
        if found["freshness"]["stale_total"] == 0 && found["freshness"]["note"].is_null() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{query}: {found}");
        claudevil_tests::pause().await;
    }
}

async fn searched() {
    let home = Home::new();
    let project = home.project("engine");
    put(&project, ".gitignore", b"ignored.txt\n.claudevil/\n");
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    let kept = questions
        .ask(
            "checkpoint",
            json!({ "text": "The wobbegong parser is lazy." }),
        )
        .await
        .expect("kept");
    let path = kept["note"]["path"].as_str().expect("a path").to_owned();
    questions
        .ask(
            "plan",
            json!({ "action": "save", "title": "wobbegong diet", "text": "- [ ] feed it" }),
        )
        .await
        .expect("saved");
    for mode in ["literal", "auto", "keyword"] {
        let found = searched_for(&mut questions, "wobbegong", mode).await;
        let paths: Vec<_> = found["results"]
            .as_array()
            .expect("results")
            .iter()
            .filter_map(|hit| hit["path"].as_str())
            .collect();
        assert!(paths.contains(&path.as_str()), "{mode}: {found}");
        assert!(
            paths.contains(&".claudevil/memories/plans/wobbegong-diet.md"),
            "{mode}: {found}"
        );
    }
    let again =
        json!({ "action": "save", "title": "wobbegong diet", "text": "- [x] fed it plankton" });
    questions.ask("plan", again).await.expect("saved");
    fs::write(project.join(&path), "The axolotl parser is eager.").expect("written");
    for (query, files) in [("plankton", 1), ("axolotl", 1), ("feed it", 0), ("lazy", 0)] {
        let found = searched_for(&mut questions, query, "literal").await;
        assert_eq!(
            found["coverage"]["files"], files,
            "{query}: what was replaced is no part of the project: {found}"
        );
    }
    let listed = questions
        .ask("list_files", json!({ "pattern": ".claudevil/**" }))
        .await
        .expect("listed");
    assert_eq!(listed["total"], 2, "{listed}");
    put(&project, ".claudevilignore", b".claudevil/\n");
    let listed = questions
        .ask("list_files", json!({ "pattern": ".claudevil/**" }))
        .await
        .expect("listed");
    assert_eq!(
        listed["total"], 0,
        "who does not want them there says so: {listed}"
    );
    assert_eq!(
        questions.ask("recall", json!({})).await.expect("notes")["total"],
        1,
        "and they are notes all the same"
    );
}

async fn terminal() {
    let home = Home::new();
    let project = home.project("engine");
    let root = project.to_str().expect("UTF-8").to_owned();
    let run = async |arguments: &[&str]| {
        let output = home
            .claudevil(&[arguments, &["--root", &root]].concat())
            .await;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, out, told) = run(&["notes", "list"]).await;
    assert!(
        code == Some(0) && out.is_empty() && told.contains("no notes in engine yet"),
        "{out}{told}"
    );
    let (code, out, told) = run(&["notes", "add", "the", "lexer is", "lazy", "-t", "lexer"]).await;
    assert!(
        code == Some(0) && out.starts_with(".claudevil/memories/") && told.contains("#lexer"),
        "{out}{told}"
    );
    let (code, out, _) = run(&["notes", "search", "lazy lexers"]).await;
    assert!(
        code == Some(0) && out.contains("    the lexer is lazy\n"),
        "{out}"
    );
    assert_eq!(run(&["notes", "search", "zebrafinch"]).await.0, Some(1));
    let (code, out, _) = run(&["notes", "show", "lexer"]).await;
    assert!(
        code == Some(0)
            && out.starts_with("---\ncreated: ")
            && out.ends_with("the lexer is lazy\n"),
        "{out}"
    );
    let (code, _, told) = run(&["notes", "show", "nonsense"]).await;
    assert!(
        code == Some(2) && told.contains("no note has `nonsense`"),
        "{told}"
    );
    let (code, _, told) = run(&["plan", "list"]).await;
    assert!(
        code == Some(0) && told.contains("no plans in engine yet"),
        "{told}"
    );
    for (arguments, says) in [
        (
            &["plan", "save", "Lexer", "- [ ] tokens"][..],
            "saved a new plan: Lexer (active)",
        ),
        (
            &["plan", "save", "Docs", "- [ ] words"],
            "saved a new plan: Docs (open)",
        ),
        (&["plan", "activate", "docs"], "activated: Docs (active)"),
        (&["plan", "show"], "- [ ] words"),
        (&["plan", "complete"], "completed: Docs (completed)"),
        (&["plan", "list"], "Lexer (open)"),
    ] {
        let (code, out, told) = run(arguments).await;
        assert!(
            code == Some(0) && out.contains(says),
            "{arguments:?}: {out}{told}"
        );
    }
    let (code, _, told) = run(&["plan", "complete"]).await;
    assert!(
        code == Some(2) && told.contains("no plan is active"),
        "{told}"
    );
    let notes = home.json(&["notes", "list", "--root", &root]).await;
    assert_eq!(
        (&notes["total"], &notes["notes"][0]["tags"]),
        (&json!(1), &json!(["lexer"])),
        "{notes}"
    );
}
