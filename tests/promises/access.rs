//! Only its user gets to the daemon, and to what it keeps.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use claudevil_protocol::endpoint::Endpoint;
use claudevil_protocol::paths::Paths;
use claudevil_tests::binaries;
use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;
use tokio::process::Command;

use crate::{Needs, proof};

const NOBODY: u32 = 65_534;

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "21_socket_and_directory_are_private_under_any_umask",
            Needs::Nothing,
            private_under_any_umask,
        ),
        proof(
            "21_a_directory_made_by_somebody_else_is_refused",
            Needs::Root,
            foreign_directory,
        ),
        proof(
            "21_a_symlinked_directory_is_refused",
            Needs::Nothing,
            symlinked_directory,
        ),
        proof(
            "21_another_user_is_not_served",
            Needs::Root,
            another_user_is_not_served,
        ),
        proof(
            "21_another_users_socket_is_not_used",
            Needs::Root,
            another_users_socket,
        ),
        proof("21_a_long_home_works", Needs::Nothing, long_home),
        proof(
            "22_nothing_is_readable_by_others",
            Needs::Nothing,
            nothing_is_readable_by_others,
        ),
    ]
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("there").mode() & 0o777
}

async fn private_under_any_umask() {
    let home = Home::new();
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o777)).expect("opened");
    let output = Command::new("sh")
        .args(["-c", "umask 000; exec \"$1\" status", "sh"])
        .arg(binaries::path("claudevil"))
        .env("CLAUDEVIL_HOME", home.claudevil_home())
        .output()
        .await
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(mode(&run), 0o700);
    assert_eq!(mode(Endpoint::new(&home.paths()).address()), 0o600);
}

async fn foreign_directory() {
    let home = Home::new();
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    std::os::unix::fs::chown(&run, Some(NOBODY), Some(NOBODY)).expect("given away");
    refused(&home, "belongs to another user").await;
}

async fn symlinked_directory() {
    let home = Home::new();
    fs::create_dir_all(home.claudevil_home()).expect("made");
    let elsewhere = home.scratch().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    symlink(&elsewhere, home.paths().run()).expect("linked");
    refused(&home, "is a symlink or a file").await;
    assert_eq!(
        fs::read_dir(&elsewhere).expect("there").count(),
        0,
        "nothing was written through the link"
    );
}

async fn refused(home: &Home, why: &str) {
    let error = home.json(&["status"]).await;
    assert_eq!(error["error"]["code"], "daemon_unreachable", "{error}");
    assert!(
        error["error"]["message"]
            .as_str()
            .expect("words")
            .contains(why),
        "{error}"
    );
    assert!(home.daemons().is_empty());
}

/// Opens the way to the socket on purpose, so that only the check of the peer is left.
async fn another_user_is_not_served() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    open_up(&home);
    let output = Command::new(copied("claudevil", home.scratch()))
        .args(["--json", "daemon", "status"])
        .env("CLAUDEVIL_HOME", home.claudevil_home())
        .env("HOME", home.scratch())
        .current_dir(home.scratch())
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .await
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && text.contains("daemon_unreachable"),
        "{output:?}"
    );
    assert!(text.contains("another user"), "{text}");
    // The daemon's own check, without the client's.
    let program = "import socket, sys\n\
                   s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n\
                   sys.stdout.write(str(s.recv(64)[10]))\n";
    let output = Command::new("/usr/bin/python3")
        .args(["-c", program])
        .arg(Endpoint::new(&home.paths()).address())
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/")
        .output()
        .await
        .expect("it runs");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "4",
        "the verdict: a foreign user; {output:?}"
    );
    let (_, is_error) = session.call("list_files", json!({})).await;
    assert!(!is_error);
}

async fn another_users_socket() {
    let home = Home::new();
    let run = home.paths().run().to_owned();
    fs::create_dir_all(&run).expect("made");
    open_up(&home);
    fs::set_permissions(&run, fs::Permissions::from_mode(0o777)).expect("opened");
    let socket = Endpoint::new(&home.paths()).address().to_owned();
    let program = "import socket, sys\n\
                   s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)\n\
                   print('listening', flush=True)\n\
                   c, _ = s.accept(); print(c.recv(64), flush=True)\n";
    let mut impostor = Command::new("/usr/bin/python3")
        .args(["-c", program])
        .arg(&socket)
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/")
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let mut said = tokio::io::BufReader::new(impostor.stdout.take().expect("standard output"));
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut said, &mut line)
        .await
        .expect("a line");
    assert_eq!(line, "listening\n");
    let error = home.json(&["status"]).await;
    assert!(
        error["error"]["message"]
            .as_str()
            .expect("words")
            .contains("is served by another user"),
        "{error}"
    );
    let mut heard = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut said, &mut heard)
        .await
        .expect("a line");
    assert_eq!(heard.trim(), "b''", "not a word was said to the impostor");
}

async fn long_home() {
    let home = Home::new();
    let project = home.project("engine");
    let long = home.scratch().join("x".repeat(120));
    let paths = Paths::gathered(home.scratch(), &long);
    let address = Endpoint::new(&paths).address().to_owned();
    assert!(address.as_os_str().len() < 104, "{}", address.display());
    let run = |arguments: &'static [&'static str]| {
        let mut command = home.command("claudevil");
        command
            .args(arguments)
            .current_dir(&project)
            .env("CLAUDEVIL_HOME", &long);
        command.output()
    };
    let output = run(&["files"]).await.expect("it runs");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("src/main.rs"),
        "{output:?}"
    );
    assert_eq!(
        (mode(&address), mode(address.parent().expect("a folder"))),
        (0o600, 0o700)
    );
    assert!(
        run(&["daemon", "stop"])
            .await
            .expect("it runs")
            .status
            .success()
    );
    assert!(!address.exists());
}

async fn nothing_is_readable_by_others() {
    let home = Home::new();
    let project = home.project("engine");
    for changes in [
        ["setup", "cursor", "--yes", "--json"],
        ["model", "use", "static", "--untried"],
    ] {
        let output = home.claudevil(&changes).await;
        assert!(output.status.success(), "{output:?}");
    }
    let mut session = Session::start(&home, &project, &["--toolsets", "all"]).await;
    session.call("list_files", json!({})).await;
    session
        .call("index_status", json!({ "detailed": true }))
        .await;
    session
        .call("manage_roots", json!({ "action": "list" }))
        .await;
    let mut seen = 0;
    let mut open = vec![];
    let mut folders = vec![home.claudevil_home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            seen += 1;
            let path = entry.path();
            if mode(&path) & 0o077 != 0 {
                open.push(path.clone());
            }
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            }
        }
    }
    assert!(seen > 8, "only {seen} files were looked at");
    assert!(open.is_empty(), "open to others: {open:?}");
}

/// Lets every user through to the socket.
fn open_up(home: &Home) {
    let paths = home.paths();
    let run = paths.run();
    let mut open: Vec<&Path> = run
        .ancestors()
        .take_while(|above| above.starts_with(home.scratch()))
        .collect();
    open.push(run);
    for folder in open {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("opened");
    }
    let socket = Endpoint::new(&paths).address().to_owned();
    for file in [socket, paths.daemon_lock()] {
        if file.exists() {
            fs::set_permissions(file, fs::Permissions::from_mode(0o666)).expect("opened");
        }
    }
}

/// Copies a binary to a place where another user may run it.
fn copied(name: &str, to: &Path) -> PathBuf {
    let copy = to.join(name);
    fs::copy(binaries::path(name), &copy).expect("copied");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("executable");
    copy
}
