//! Changes of setup are undone completely: by setup itself, by uninstall, and with several setups at once.

use std::fs;
use std::path::Path;

use claudevil_tests::home::Home;
use claudevil_tests::window::{Window, WindowKind};
use libtest_mimic::Trial;
use tokio::process::Command;

use crate::{Needs, proof};

const CLIENTS: &[&str] = &[
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "windsurf",
    "zed",
    "codex",
    "gemini",
    "opencode",
    "jetbrains",
];

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "setup_and_uninstall_leave_an_empty_home_empty",
            Needs::Nothing,
            empty_home,
        ),
        proof("setup_takes_no_for_an_answer", Needs::Nothing, no_means_no),
        proof(
            "setup_of_editors_keeps_what_people_wrote_and_is_undone",
            Needs::Nothing,
            editors,
        ),
        proof(
            "setup_of_a_project_writes_through_no_link_that_leads_out",
            Needs::Nothing,
            links_that_lead_out,
        ),
        proof(
            "setup_of_two_at_once_is_remembered_of_both",
            Needs::Program("script", "needs script"),
            two_at_once,
        ),
    ]
}

async fn done(mut command: Command, arguments: &[&str]) {
    let output = command.args(arguments).output().await.expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn is_empty(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder)
        .expect("readable")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

async fn empty_home() {
    let all: &[&str] = &[&["setup", "--yes"], CLIENTS].concat();
    let editors: &[&str] = &["setup", "--yes", "--lsp", "neovim", "helix", "emacs", "zed"];
    let service: &[&str] = &["service", "install", "--no-start"];
    let uninstall: &[&str] = &["uninstall", "--yes"];
    // A folder is removed with the last entry in it, whichever command made it.
    let ways: [&[&[&str]]; 6] = [
        &[all, uninstall],
        &[editors, all, uninstall],
        &[all, editors, uninstall],
        &[all, service, uninstall],
        &[service, all, uninstall],
        &[service, &["service", "uninstall"]],
    ];
    for way in ways {
        if !cfg!(target_os = "linux") && way.contains(&service) {
            continue;
        }
        let home = Home::new();
        for arguments in way {
            let mut command = home.command("claudevil");
            // No service manager can be reached.
            command
                .env_remove("CLAUDEVIL_HOME")
                .env("PATH", home.scratch());
            done(command, arguments).await;
        }
        // The service's log has a folder, which only uninstall removes.
        let user = home.scratch().join("user");
        if way.contains(&uninstall) {
            is_empty(&user);
        } else {
            assert!(
                !user.join(".config").exists(),
                "{:?}",
                fs::read_dir(user.join(".config"))
            );
        }
    }
    // With claudevil's own files outside the home.
    let home = Home::new();
    for arguments in [all, uninstall] {
        done(home.command("claudevil"), arguments).await;
    }
    is_empty(&home.scratch().join("user"));
    assert!(!home.claudevil_home().exists());
}

async fn editors() {
    let home = Home::new();
    let user = home.scratch().join("user");
    let own = [
        (".emacs.d/init.el", "(setq mine t)\n"),
        (
            ".config/helix/languages.toml",
            "[[language]]\nname = \"rust\"\nauto-format = true # mine\n",
        ),
    ];
    let zed = ".config/zed/settings.json";
    let zed_settings = "// mine\n{\n  \"vim_mode\": true,\n}\n";
    let own_files = own.into_iter().chain([(zed, zed_settings)]);
    for (name, text) in own_files {
        let file = user.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    }
    let read = |name: &str| fs::read_to_string(user.join(name)).unwrap_or_default();
    let setup = async |arguments: &[&str]| {
        let mut command = home.command("claudevil");
        command.args(["setup", "--lsp"]).args(arguments);
        let output = command.output().await.expect("it runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let (code, shown) = setup(&["neovim", "helix", "emacs", "--dry-run"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("+(with-eval-after-load 'eglot"), "{shown}");
    assert_eq!(read(".emacs.d/init.el"), "(setq mine t)\n");
    let (code, shown) = setup(&["neovim", "helix", "emacs", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    let written: Vec<String> = own.iter().map(|(name, _)| read(name)).collect();
    for ((name, text), written) in own.iter().zip(&written) {
        assert!(written.starts_with(text), "{name}: {written}");
        assert!(written.contains("/claudevil-lsp\""), "{name}: {written}");
    }
    let script = read(".config/nvim/plugin/claudevil.lua");
    assert!(script.contains("/claudevil-lsp\" }"), "{script}");
    let (_, shown) = setup(&["helix", "emacs", "--yes"]).await;
    assert!(shown.contains("nothing to do"), "{shown}");
    // A line that was added since stays.
    let later = format!("{}(setq later t)\n", written[0]);
    fs::write(user.join(".emacs.d/init.el"), later).expect("written");
    let (code, shown) = setup(&["--remove", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(read(own[1].0), own[1].1);
    let emacs = read(".emacs.d/init.el");
    assert!(
        emacs.starts_with("(setq mine t)\n") && emacs.ends_with("(setq later t)\n"),
        "{emacs}"
    );
    assert!(!emacs.contains("claudevil"), "{emacs}");
    assert!(!user.join(".config/nvim").exists());
    let (_, shown) = setup(&["--remove"]).await;
    assert!(shown.contains("no editor has claudevil"), "{shown}");

    // Zed has its MCP servers and its language servers in one file: each is removed without the other.
    done(home.command("claudevil"), &["setup", "zed", "--yes"]).await;
    let with_mcp_server = read(zed);
    let (code, shown) = setup(&["zed", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(read(zed).contains("/claudevil-lsp\""), "{}", read(zed));
    let (_, shown) = setup(&["zed", "--yes"]).await;
    assert!(shown.contains("nothing to do"), "{shown}");
    let (code, shown) = setup(&["zed", "--remove", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(read(zed), with_mcp_server);
    let (code, shown) = setup(&["zed", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    done(home.command("claudevil"), &["setup", "--remove", "--yes"]).await;
    let with_language_server = read(zed);
    assert!(!with_language_server.contains("claudevil-mcp"));
    assert!(with_language_server.contains("/claudevil-lsp\""));
    let (code, shown) = setup(&["zed", "--remove", "--yes"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(read(zed), zed_settings);
}

async fn two_at_once() {
    let home = Home::new();
    let kind = WindowKind {
        rows: 24,
        columns: 80,
        term: "xterm",
    };
    let mut window = Window::open(&home, home.scratch(), kind, "claudevil setup cursor");
    window.shows(0, "[Y/n]").await;
    done(home.command("claudevil"), &["setup", "zed", "--yes"]).await;
    window.press("y\n").await;
    let (shown, code) = window.end().await;
    assert_eq!(code, Some(0), "{shown:?}");
    let record =
        fs::read_to_string(home.paths().state().join("setup/record.json")).expect("a record");
    assert!(
        record.contains("\"cursor\"") && record.contains("\"zed\""),
        "{record}"
    );
    done(home.command("claudevil"), &["setup", "--remove", "--yes"]).await;
    is_empty(&home.scratch().join("user"));
}

async fn no_means_no() {
    let home = Home::new();
    let file = home.scratch().join("user/.cursor/mcp.json");
    for answer in ["yes n", "printf 'no\\n'", "echo what"] {
        for json in ["", "--json "] {
            let line = format!("{answer} | claudevil {json}setup cursor");
            let output = home.shell(&line).output().await.expect("it runs");
            assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
            assert!(!file.exists(), "{line} wrote {}", file.display());
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                said.contains("nothing changed") || said.contains("\"applied\": false"),
                "{line}: {output:?}"
            );
        }
    }
    for line in [
        "yes | claudevil setup cursor",
        "claudevil setup cursor --remove < /dev/null",
    ] {
        let output = home.shell(line).output().await.expect("it runs");
        assert!(output.status.success(), "{line}: {output:?}");
        assert_eq!(file.exists(), line.starts_with("yes"), "{line}: {output:?}");
    }
}

async fn links_that_lead_out() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let project = home.project("engine");
    let outside = home.scratch().join("outside");
    fs::create_dir_all(&outside).expect("made");
    fs::write(outside.join("mcp.json"), "{}").expect("written");
    symlink(&outside, project.join(".cursor")).expect("linked");
    symlink(outside.join("made.json"), project.join(".mcp.json")).expect("linked");
    let setup = async |arguments: &[&str]| {
        let mut command = home.command("claudevil");
        command
            .args(["setup", "--project", "--yes"])
            .args(arguments)
            .current_dir(&project);
        command.output().await.expect("it runs")
    };
    for client in ["cursor", "claude-code"] {
        let output = setup(&[client]).await;
        assert_eq!(output.status.code(), Some(1), "{client}: {output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.contains("leads out of the project"),
            "{client}: {said}"
        );
    }
    assert_eq!(
        fs::read_to_string(outside.join("mcp.json")).expect("readable"),
        "{}"
    );
    assert_eq!(
        fs::read_dir(&outside).expect("readable").count(),
        1,
        "nothing is made outside"
    );
    // A link that stays inside the project is followed.
    fs::create_dir(project.join("shared")).expect("made");
    fs::remove_file(project.join(".mcp.json")).expect("removed");
    symlink("shared/mcp.json", project.join(".mcp.json")).expect("linked");
    let output = setup(&["claude-code"]).await;
    assert!(output.status.success(), "{output:?}");
    assert!(project.join("shared/mcp.json").is_file());
}
