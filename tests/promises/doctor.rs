//! `claudevil doctor` names what is wrong with an installation, and what to do about it; it starts and changes nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Instant;

use claudevil_tests::binaries;
use claudevil_tests::home::{BOUND, Home, put, repository};
use libtest_mimic::Trial;
use serde_json::Value;
use tokio::process::Command;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "doctor_finds_nothing_in_a_good_set_up",
            Needs::Nothing,
            all_is_well,
        ),
        proof(
            "doctor_finds_what_is_wrong_with_the_installation",
            Needs::Nothing,
            installation,
        ),
        proof(
            "doctor_finds_what_is_wrong_with_folders_and_files",
            Needs::Nothing,
            folders,
        ),
        proof(
            "doctor_finds_what_is_wrong_with_projects",
            Needs::Nothing,
            projects,
        ),
        proof(
            "doctor_finds_a_model_that_is_not_there",
            Needs::Nothing,
            missing_model,
        ),
        proof("doctor_finds_a_full_disk", Needs::Namespaces, full),
        proof(
            "doctor_finds_too_few_watches",
            Needs::Namespaces,
            few_watches,
        ),
    ]
}

/// The findings of all checks, with their verdicts. Each finding that is not good says what to do.
struct Report {
    findings: Vec<Value>,
    code: Option<i32>,
}

impl Report {
    async fn run(command: &mut Command) -> Self {
        let output = command
            .args(["--json", "doctor"])
            .output()
            .await
            .expect("it runs");
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let findings = report["findings"].as_array().expect("findings").clone();
        for finding in &findings {
            let has_remedy = finding["remedy"]
                .as_str()
                .is_some_and(|remedy| !remedy.is_empty());
            assert_eq!(has_remedy, finding["verdict"] != "good", "{finding}");
        }
        let problems = findings
            .iter()
            .filter(|finding| finding["verdict"] == "problem")
            .count();
        assert_eq!(report["problems"], problems);
        assert_eq!(
            output.status.code(),
            Some(i32::from(problems > 0)),
            "{report}"
        );
        Self {
            findings,
            code: output.status.code(),
        }
    }

    /// Checks that a check ends in a verdict, with these words in its detail or remedy.
    fn has(&self, check: &str, verdict: &str, words: &str) {
        let found = self.findings.iter().any(|finding| {
            let text = format!("{} {}", finding["detail"], finding["remedy"]);
            finding["check"] == check && finding["verdict"] == verdict && text.contains(words)
        });
        assert!(
            found,
            "no {verdict} of {check} with {words:?}: {:#?}",
            self.findings
        );
    }
}

/// Makes a folder with a program that reports another version.
fn other_version(folder: &Path, name: &str) {
    script(folder, name, &format!("echo {name} 0.0.1"));
}

/// Makes a folder with a script of these lines.
fn script(folder: &Path, name: &str, lines: &str) {
    fs::create_dir_all(folder).expect("made");
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{lines}\n")).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
}

async fn all_is_well() {
    let home = Home::new();
    let root = home.project("engine");
    home.claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    put(&home.scratch().join("user"), ".cursor/mcp.json", b"{}");
    assert!(
        home.claudevil(&["setup", "cursor", "--yes"])
            .await
            .status
            .success()
    );
    let bin = binaries::directory();
    let mut command = home.command("claudevil");
    command
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .current_dir(&root);
    let report = Report::run(&mut command).await;
    for check in [
        "directories",
        "binaries",
        "vectors",
        "configuration",
        "lock",
        "socket",
        "daemon",
        "stores",
        "projects",
        "PATH",
    ] {
        report.has(check, "good", "");
    }
    report.has("clients", "good", "Cursor");
    report.has("here", "good", root.to_str().expect("UTF-8"));
    // Without a daemon it starts none.
    assert!(home.claudevil(&["daemon", "stop"]).await.status.success());
    home.gone().await;
    let report = Report::run(&mut home.command("claudevil")).await;
    report.has("daemon", "good", "not running");
    assert_eq!((home.daemon(), report.code), (None, Some(0)));
}

/// `claudevil-vectors` beside the daemon: missing, another version, broken; and where the configuration names it.
async fn vectors_program(home: &Home) {
    let bin = home.scratch().join("bin");
    binaries::install("claudevild", &bin.join("claudevild"));
    let report = async || {
        Report::run(
            home.command("claudevil")
                .env("CLAUDEVIL_DAEMON", bin.join("claudevild")),
        )
        .await
    };
    let missing = report().await;
    missing.has("vectors", "warning", "bin/claudevil-vectors is missing");
    missing.has("vectors", "warning", "built-in model");
    missing.has("vectors", "warning", "install claudevil-vectors");
    other_version(&bin, "claudevil-vectors");
    report()
        .await
        .has("vectors", "warning", "claudevil-vectors is 0.0.1");
    script(&bin, "claudevil-vectors", "exit 3");
    report().await.has("vectors", "warning", "exit status: 3");
    let elsewhere = binaries::path("claudevil-vectors");
    let setting = format!("vectors_program = \"{}\"\n", elsewhere.display());
    put(
        &home.claudevil_home(),
        "config/config.toml",
        setting.as_bytes(),
    );
    report()
        .await
        .has("vectors", "good", elsewhere.to_str().expect("UTF-8"));
    fs::remove_file(home.claudevil_home().join("config/config.toml")).expect("removed");
}

async fn installation() {
    let home = Home::new();
    let user = home.scratch().join("user");
    let doctor = || home.command("claudevil");
    // A client whose binary was moved.
    put(
        &user,
        ".cursor/mcp.json",
        br#"{"mcpServers":{"claudevil":{"command":"/gone/claudevil-mcp","args":[]}}}"#,
    );
    Report::run(&mut doctor()).await.has(
        "clients",
        "problem",
        "/gone/claudevil-mcp, which is not there",
    );
    // An entry that starts another version.
    let old = home.scratch().join("old");
    other_version(&old, "claudevil-mcp");
    let entry = format!(
        r#"{{"mcpServers":{{"claudevil":{{"command":"{}/claudevil-mcp"}}}}}}"#,
        old.display()
    );
    put(&user, ".cursor/mcp.json", entry.as_bytes());
    Report::run(&mut doctor())
        .await
        .has("clients", "warning", "which is 0.0.1");
    // No client has an entry.
    fs::remove_file(user.join(".cursor/mcp.json")).expect("removed");
    Report::run(&mut doctor())
        .await
        .has("clients", "warning", "claudevil setup");
    Report::run(&mut doctor())
        .await
        .has("PATH", "warning", "not on PATH");
    // Two versions on `PATH`.
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        old.display(),
        binaries::directory().display()
    );
    Report::run(doctor().env("PATH", path)).await.has(
        "copies",
        "warning",
        "claudevil-mcp is 0.0.1",
    );
    // Two names of one file count as one.
    let linked = home.scratch().join("linked");
    fs::create_dir_all(&linked).expect("made");
    symlink(
        binaries::path("claudevil-mcp"),
        linked.join("claudevil-mcp"),
    )
    .expect("linked");
    let path = format!("{}:{}", linked.display(), binaries::directory().display());
    let report = Report::run(doctor().env("PATH", path)).await;
    assert!(
        !report
            .findings
            .iter()
            .any(|finding| finding["check"] == "copies"),
        "{:#?}",
        report.findings
    );
    // The daemon's binary is missing, or is another version.
    Report::run(doctor().env("CLAUDEVIL_DAEMON", "/gone/claudevild"))
        .await
        .has("binaries", "problem", "/gone/claudevild");
    other_version(&old, "claudevild");
    Report::run(doctor().env("CLAUDEVIL_DAEMON", old.join("claudevild")))
        .await
        .has("binaries", "warning", "0.0.1");
    vectors_program(&home).await;
    // A service of another version, and one with a file missing.
    if cfg!(target_os = "linux") {
        let units = user.join(".config/systemd/user");
        let written = async || {
            let mut command = home.command("claudevil");
            let written = command
                .env_remove("CLAUDEVIL_HOME")
                .args(["service", "install", "--no-start"])
                .output()
                .await;
            assert!(written.expect("it runs").status.success());
        };
        written().await;
        // With a service manager, and without one that could start the service.
        for (end, verdict, words) in [
            (0, "good", "starts this daemon"),
            (1, "warning", "is not reachable: no bus"),
        ] {
            let managers = home.scratch().join(format!("managers{end}"));
            script(
                &managers,
                "systemctl",
                &format!("echo inactive; echo no bus >&2; exit {end}"),
            );
            let path = format!("{}:/usr/bin:/bin", managers.display());
            Report::run(doctor().env_remove("CLAUDEVIL_HOME").env("PATH", &path))
                .await
                .has("service", verdict, words);
            let mut command = doctor();
            command
                .env_remove("CLAUDEVIL_HOME")
                .env("PATH", path)
                .args(["service", "status"]);
            let output = command.output().await.expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && said.contains(if end == 0 { "inactive" } else { words }),
                "{output:?}"
            );
        }
        put(
            &units,
            "claudevil.service",
            b"[Service]\nExecStart=/gone/claudevild\n",
        );
        Report::run(doctor().env_remove("CLAUDEVIL_HOME"))
            .await
            .has("service", "warning", "claudevil service install");
        fs::remove_file(units.join("claudevil.service")).expect("removed");
        Report::run(doctor().env_remove("CLAUDEVIL_HOME"))
            .await
            .has("service", "problem", "missing");
    }
}

async fn folders() {
    let home = Home::new();
    let (paths, doctor) = (home.paths(), || home.command("claudevil"));
    let run = paths.run().to_owned();
    fs::create_dir_all(&run).expect("made");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).expect("set");
    Report::run(&mut doctor())
        .await
        .has("directories", "problem", "chmod 700");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("set");
    // A file that is no socket in the socket's place.
    fs::write(run.join("daemon.sock"), "not a socket").expect("written");
    Report::run(&mut doctor())
        .await
        .has("socket", "problem", "is not a socket");
    fs::remove_file(run.join("daemon.sock")).expect("removed");
    // Unknown settings, and unusable values.
    let config = paths.config_file();
    put(
        config.parent().expect("a folder"),
        "config.toml",
        b"max_cals = 3\n",
    );
    Report::run(&mut doctor())
        .await
        .has("configuration", "warning", "max_cals");
    put(
        config.parent().expect("a folder"),
        "config.toml",
        b"embedder = \"no such model\"\n",
    );
    let report = Report::run(&mut doctor()).await;
    report.has("configuration", "problem", "embedder");
    fs::remove_file(&config).expect("removed");
    // A folder that cannot be written to, whatever its permissions say.
    Report::run(doctor().env("CLAUDEVIL_HOME", "/proc/claudevil"))
        .await
        .has("directories", "problem", "/proc cannot be");
    // A file where a folder belongs.
    fs::remove_dir_all(home.claudevil_home()).expect("removed");
    fs::write(home.claudevil_home(), "in the way").expect("written");
    Report::run(&mut doctor())
        .await
        .has("directories", "problem", "is not a folder");
}

async fn projects() {
    let home = Home::new();
    let user = home.scratch().join("user");
    Report::run(home.command("claudevil").current_dir(&user))
        .await
        .has("here", "warning", "your home directory");
    Report::run(home.command("claudevil").current_dir("/"))
        .await
        .has("here", "warning", "root of the file system");
    // Everything is ignored.
    let ignored = repository(
        &home,
        "ignored",
        &[(".gitignore", "*\n"), ("src/main.rs", "fn main() {}\n")],
    );
    home.claudevil(&[
        "reindex",
        "--wait",
        "--root",
        ignored.to_str().expect("UTF-8"),
    ])
    .await;
    Report::run(&mut home.command("claudevil")).await.has(
        "projects",
        "warning",
        "no file is indexed",
    );
    assert!(
        home.claudevil(&["roots", "remove", "ignored", "--yes"])
            .await
            .status
            .success()
    );
    // A project whose folder is gone.
    let gone = home.project("gone");
    home.claudevil(&["reindex", "--wait", "--root", gone.to_str().expect("UTF-8")])
        .await;
    fs::rename(&gone, home.scratch().join("elsewhere")).expect("moved");
    Report::run(&mut home.command("claudevil")).await.has(
        "projects",
        "warning",
        "claudevil roots remove gone",
    );
    fs::rename(home.scratch().join("elsewhere"), &gone).expect("moved back");
    let began = Instant::now();
    loop {
        // The folder is looked for when a call asks about it, and found in the background.
        home.claudevil(&["files", "--root", gone.to_str().expect("UTF-8")])
            .await;
        let report = Report::run(&mut home.command("claudevil")).await;
        if report
            .findings
            .iter()
            .any(|finding| finding["check"] == "projects" && finding["verdict"] == "good")
        {
            report.has("projects", "good", "1 project");
            break;
        }
        assert!(began.elapsed() < BOUND, "{:#?}", report.findings);
        claudevil_tests::pause().await;
    }
}

async fn missing_model() {
    let home = Home::new().with("CLAUDEVIL_EMBEDDER", "bge-small-en-v1.5");
    let root = home.project("engine");
    let began = Instant::now();
    loop {
        // It is opened when a project is asked about, in the background.
        let asked = home
            .claudevil(&["search", "answer", "--root", root.to_str().expect("UTF-8")])
            .await;
        assert!(
            asked.status.success(),
            "the built-in model is used: {asked:?}"
        );
        let report = Report::run(&mut home.command("claudevil")).await;
        if report
            .findings
            .iter()
            .any(|finding| finding["check"] == "stores" && finding["verdict"] == "warning")
        {
            report.has("stores", "warning", "ONNX Runtime is not installed");
            report.has("stores", "warning", "claudevil model use static");
            break;
        }
        assert!(began.elapsed() < BOUND, "{:#?}", report.findings);
        claudevil_tests::pause().await;
    }
}

async fn full() {
    let home = Home::new();
    let data = home.claudevil_home();
    fs::create_dir_all(&data).expect("made");
    let script = format!(
        "mount -t tmpfs -o size=8m none {} && exec \"$0\" \"$@\"",
        data.display()
    );
    let home = home.run_by([
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        &script,
    ]);
    Report::run(&mut home.command("claudevil")).await.has(
        "free space",
        "problem",
        "free some space",
    );
}

async fn few_watches() {
    let script = "echo 30 > /proc/sys/user/max_inotify_watches && exec \"$0\" \"$@\"";
    let home = Home::new().run_by(["unshare", "--user", "--map-root-user", "sh", "-c", script]);
    Report::run(&mut home.command("claudevil")).await.has(
        "watch limit",
        "warning",
        "30 watched folders",
    );
}
