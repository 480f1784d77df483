//! claudevil uses and removes only the directories that it made, and removes from them only its own files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use claudevil_tests::home::{Home, put};
use libtest_mimic::Trial;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "a_directory_of_somebody_else_is_refused_and_left_as_it_is",
            Needs::Nothing,
            refused,
        ),
        proof(
            "uninstall_keeps_what_it_did_not_make",
            Needs::Nothing,
            uninstall_keeps,
        ),
        proof(
            "directories_of_an_earlier_version_go_on_working",
            Needs::Nothing,
            earlier_version,
        ),
    ]
}

/// Returns every file and folder below a folder, with its mode.
fn tree(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let metadata = fs::symlink_metadata(entry.path()).expect("there");
        found.push((entry.path(), metadata.permissions().mode() & 0o777));
        if metadata.is_dir() {
            found.extend(tree(&entry.path()));
        }
    }
    found.sort();
    found
}

fn is_socket_or_lock(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "run")
}

async fn refused() {
    for (directory, file) in [
        ("data", "thesis/chapter.tex"),
        ("state", "logs/app.log"),
        ("run", "app.pid"),
    ] {
        let home = Home::new();
        let place = home.claudevil_home().join(directory);
        put(&place, file, b"theirs");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("set");
        let before = tree(&place);
        let answer = home.json(&["status"]).await;
        assert_eq!(answer["error"]["code"], "daemon_unreachable", "{answer}");
        let said = answer["error"]["message"].as_str().expect("words");
        assert!(
            said.contains(place.to_str().expect("UTF-8"))
                && said.contains("was not made by claudevil"),
            "{said}"
        );
        assert!(said.contains("CLAUDEVIL_HOME"), "what to do: {said}");
        assert_eq!(tree(&place), before, "neither a file nor a mode is changed");
        let report = home.json(&["doctor"]).await;
        let findings = report["findings"].as_array().expect("findings");
        let is_named = findings.iter().any(|one| {
            one["check"] == "directories"
                && one["verdict"] == "problem"
                && one["detail"]
                    .as_str()
                    .is_some_and(|detail| detail.contains("was not made by claudevil"))
        });
        assert!(is_named, "{report}");
        let removed = home.claudevil(&["uninstall", "--yes"]).await;
        assert!(removed.status.success(), "{removed:?}");
        assert_eq!(tree(&place), before, "uninstall leaves it");
    }
}

async fn uninstall_keeps() {
    let home = Home::new();
    let root = home.project("engine");
    assert!(
        home.claudevil(&[
            "search",
            "-F",
            "answer",
            "--root",
            root.to_str().expect("UTF-8")
        ])
        .await
        .status
        .success()
    );
    let place = home.claudevil_home();
    put(&place, "data/thesis/chapter.tex", b"theirs");
    put(&place, "data/thesis.pdf", b"theirs");
    put(&place, "config/nginx.conf", b"theirs");
    put(&place, "config/config.toml", b"# whose is this?\n");
    put(&place, "state/notes.txt", b"theirs");
    put(&place, "photos/one.jpg", b"theirs");
    let told = home.json(&["uninstall", "--dry-run"]).await;
    let stays = told["left"].to_string();
    assert!(
        stays.contains("/cv/data") && stays.contains("thesis") && stays.contains("nginx.conf"),
        "{told}"
    );
    let removed = home.json(&["uninstall", "--yes"]).await;
    assert!(removed["left"].to_string().contains("thesis"), "{removed}");
    let left: Vec<_> = tree(&place)
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| path.is_file())
        .collect();
    let expected = [
        "config/config.toml",
        "config/nginx.conf",
        "data/thesis/chapter.tex",
        "data/thesis.pdf",
        "photos/one.jpg",
        "state/notes.txt",
    ];
    let mut expected = expected.map(|path| place.join(path)).to_vec();
    expected.sort();
    assert_eq!(left, expected);
    assert!(!place.join("run").exists());
    // The rest is not claudevil's installation, and is not taken for one.
    let answer = home.json(&["status"]).await;
    assert_eq!(answer["error"]["code"], "daemon_unreachable", "{answer}");
}

async fn earlier_version() {
    let home = Home::new();
    let root = home.project("engine");
    let search = [
        "search",
        "-F",
        "answer",
        "--root",
        root.to_str().expect("UTF-8"),
    ];
    assert!(home.claudevil(&search).await.status.success());
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    home.gone().await;
    // An earlier version made no markers.
    let place = home.claudevil_home();
    for (path, _) in tree(&place) {
        let is_marker = path
            .file_name()
            .is_some_and(|name| name == ".claudevil-directory");
        if is_marker {
            fs::remove_file(path).expect("removed");
        }
    }
    put(&place, "config/config.toml", b"log_days = 3\n");
    let found = home.claudevil(&search).await;
    assert!(found.status.success(), "{found:?}");
    let known = home.json(&["roots", "list"]).await;
    assert_eq!(known["roots"][0]["name"], "engine", "{known}");
    for directory in ["data", "state", "run"] {
        assert!(
            place.join(directory).join(".claudevil-directory").is_file(),
            "{directory} is ours from now on"
        );
    }
    let removed = home.json(&["uninstall", "--yes"]).await;
    assert!(
        !place.exists(),
        "{removed}: {:?}",
        tree(&place)
            .iter()
            .filter(|(path, _)| !is_socket_or_lock(path))
    );
}
