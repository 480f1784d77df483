//! Things that must not happen: secrets in notes, files outside the root, and a project that cannot be written to.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use claudevil_tests::home::{Home, put};
use libtest_mimic::Trial;
use serde_json::json;

use super::{NOTES, PLANS, ask, everything, recalled, session};
use crate::{Needs, measured, proof, roots_away};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "memory_secrets_are_written_nowhere",
            Needs::Nothing,
            secrets,
        ),
        proof(
            "memory_no_link_leads_a_note_elsewhere",
            Needs::Nothing,
            links,
        ),
        proof(
            "memory_a_project_that_cannot_be_written_to_says_so",
            Needs::Permissions,
            read_only,
        ),
    ]
}

async fn secrets() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = session(&home, &project).await;
    // Put together here, so that this file holds no credential.
    let half = "q7Rk2".repeat(4);
    let token = format!("ghp_{}{}", half, &half[..16]);
    let url = format!("postgres://ada:{half}@db.internal/engine");
    let assigned = format!("password = \"{half}\"");
    let key = format!("-----BEGIN PRIVATE KEY-----\n{half}{half}{half}\n-----END PRIVATE KEY-----");
    for secret in [&token, &url, &assigned, &key] {
        let text = format!("# About {secret}\nThe zebrafinch knows {secret} by heart.\n");
        let arguments = json!({ "text": text, "tags": [token], "symbols": [token], "files": [format!("src/{token}")] });
        let kept = ask(&mut session, "checkpoint", arguments)
            .await
            .expect("kept");
        assert!(kept["redacted"].as_u64() >= Some(3), "{kept}");
        let plan = json!({ "action": "save", "title": token, "text": text });
        let saved = ask(&mut session, "plan", plan).await.expect("saved");
        assert!(
            saved["redacted"].as_u64() >= Some(2)
                && saved["text"]
                    .as_str()
                    .is_some_and(|text| text.contains("[redacted]")),
            "{saved}"
        );
    }
    let (text, _) = session
        .call("recall", json!({ "query": "zebrafinch" }))
        .await;
    assert!(
        text.contains("zebrafinch knows") && !text.contains(&half),
        "{text}"
    );
    // A person may write a secret into a note by hand; it is not shown.
    put(
        &project,
        &format!("{NOTES}/by-hand.md"),
        format!("The axolotl has {token}.").as_bytes(),
    );
    put(
        &project,
        &format!("{PLANS}/by-hand.md"),
        format!("---\ntitle: axolotl\n---\nThe axolotl has {token}.").as_bytes(),
    );
    assert_eq!(
        recalled(&mut session, json!({ "query": "axolotl" })).await,
        ["The axolotl has [redacted]."]
    );
    let shown = ask(
        &mut session,
        "plan",
        json!({ "action": "show", "title": "axolotl" }),
    )
    .await
    .expect("shown");
    assert_eq!(shown["text"], "The axolotl has [redacted].");
    fs::remove_file(project.join(NOTES).join("by-hand.md")).expect("removed");
    fs::remove_file(project.join(PLANS).join("by-hand.md")).expect("removed");
    session.close().await;
    home.claudevil(&["daemon", "stop"]).await;
    home.gone().await;
    let places = [everything(&project), everything(&home.claudevil_home())].concat();
    let mut bytes = 0;
    for path in &places {
        let content = fs::read(path).expect("readable");
        bytes += content.len();
        let leaked = content
            .windows(half.len())
            .any(|window| window.eq_ignore_ascii_case(half.as_bytes()));
        assert!(
            !leaked && !path.to_string_lossy().contains(&half),
            "{}",
            path.display()
        );
    }
    measured(&format!(
        "four secrets in none of {bytes} bytes of {} files",
        places.len()
    ));
}

async fn links() {
    let home = Home::new();
    for (name, link, target) in [
        ("outside", ".claudevil", "../elsewhere"),
        ("absolute", ".claudevil", "/tmp"),
        ("inside", ".claudevil", "src"),
        ("hooks", NOTES, "../.git/hooks"),
        ("plans", PLANS, "../../.git/hooks"),
        ("file", ".claudevil", "README.md"),
    ] {
        let project = home.project(name);
        let elsewhere = home.scratch().join("user/elsewhere");
        fs::create_dir_all(&elsewhere).expect("made");
        fs::create_dir_all(project.join(".git/hooks")).expect("made");
        fs::create_dir_all(project.join(link).parent().expect("a folder")).expect("made");
        symlink(target, project.join(link)).expect("linked");
        let before = everything(&project);
        let mut session = session(&home, &project).await;
        if name != "plans" {
            let told = ask(&mut session, "checkpoint", json!({ "text": "Not there." }))
                .await
                .expect_err("refused");
            assert!(
                told.starts_with("invalid_argument: ") && told.contains("nothing was saved"),
                "{name}: {told}"
            );
        }
        let plan = json!({ "action": "save", "title": "post-commit", "text": "Not there." });
        let told = ask(&mut session, "plan", plan).await.expect_err("refused");
        assert!(
            told.contains("a link or a file is where a folder is expected"),
            "{name}: {told}"
        );
        let (text, is_error) = session.call("recall", json!({})).await;
        assert!(
            !is_error && text.starts_with("no notes in "),
            "{name}: {text}"
        );
        assert_eq!(
            text.contains("skipped: .claudevil/memories (a link or a file"),
            name != "plans",
            "{name}: {text}"
        );
        assert_eq!(everything(&project), before, "{name}");
        assert!(everything(&elsewhere).is_empty(), "{name}");
        let (text, is_error) = session.call("search", json!({ "query": "answer" })).await;
        assert!(
            !is_error && text.contains("src/lib.rs"),
            "all else goes on: {text}"
        );
    }
}

async fn read_only() {
    let home = Home::new();
    let project = home.project("engine");
    let _daemon = roots_away::obedient_daemon(&home).await;
    let mut session = session(&home, &project).await;
    ask(
        &mut session,
        "checkpoint",
        json!({ "text": "Kept before." }),
    )
    .await
    .expect("kept");
    ask(
        &mut session,
        "plan",
        json!({ "action": "save", "title": "Docs", "text": "- [ ] a" }),
    )
    .await
    .expect("saved");
    let folders = [
        project.join(PLANS),
        project.join(NOTES),
        project.join(".claudevil"),
        project.clone(),
    ];
    let set = |mode| {
        for folder in &folders {
            fs::set_permissions(folder, Permissions::from_mode(mode)).expect("set");
        }
    };
    set(0o555);
    for (tool, arguments) in [
        ("checkpoint", json!({ "text": "Not there." })),
        (
            "plan",
            json!({ "action": "save", "title": "Other", "text": "x" }),
        ),
        (
            "plan",
            json!({ "action": "save", "title": "Docs", "text": "x" }),
        ),
        ("plan", json!({ "action": "complete" })),
    ] {
        let told = ask(&mut session, tool, arguments.clone())
            .await
            .expect_err("refused");
        assert!(
            told.starts_with("invalid_argument: ") && told.contains("ermission denied"),
            "{arguments}: {told}"
        );
        assert!(
            told.contains("nothing was saved") || told.contains("nothing was changed"),
            "{arguments}: {told}"
        );
    }
    assert_eq!(
        recalled(&mut session, json!({})).await,
        ["Kept before."],
        "reading goes on"
    );
    let shown = ask(&mut session, "plan", json!({ "action": "show" }))
        .await
        .expect("shown");
    assert_eq!(shown["text"], "- [ ] a");
    set(0o755);
    ask(&mut session, "checkpoint", json!({ "text": "Kept after." }))
        .await
        .expect("kept");
    assert_eq!(recalled(&mut session, json!({})).await.len(), 2);
}
