//! The configuration file of each client, against the table and the page.

use super::*;

fn user(system: System, variables: fn(&str) -> Option<PathBuf>) -> User {
    User {
        system,
        home: PathBuf::from("/home/ada"),
        variables,
    }
}

#[test]
fn every_client_has_its_file_on_every_system() {
    let expected = [
        (
            "claude-code",
            ".claude.json",
            ".claude.json",
            ".claude.json",
            ".mcp.json",
        ),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
            "",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
        ),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
            ".vscode/mcp.json",
        ),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            "",
        ),
        (
            "zed",
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
            ".zed/settings.json",
        ),
        (
            "codex",
            ".codex/config.toml",
            ".codex/config.toml",
            ".codex/config.toml",
            ".codex/config.toml",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini/settings.json",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.json",
            "opencode.json",
        ),
        (
            "jetbrains",
            ".junie/mcp/mcp.json",
            ".junie/mcp/mcp.json",
            ".junie/mcp/mcp.json",
            ".junie/mcp/mcp.json",
        ),
    ];
    assert_eq!(
        expected.map(|row| row.0).to_vec(),
        CLIENTS.iter().map(|client| client.id).collect::<Vec<_>>()
    );
    for (id, linux, macos, windows, project) in expected {
        let client = find(id).expect("a client");
        for (system, file) in [
            (System::Linux, linux),
            (System::MacOs, macos),
            (System::Windows, windows),
        ] {
            let found = client.user_file(&user(system, |_| None));
            assert_eq!(
                found,
                Path::new("/home/ada").join(file),
                "{id} on {system:?}"
            );
        }
        let found = client.project_file(Path::new("/work"));
        assert_eq!(
            found,
            (!project.is_empty()).then(|| Path::new("/work").join(project)),
            "{id}"
        );
    }
}

#[test]
fn the_page_on_clients_has_every_row() {
    let page = include_str!("../../../../../docs/clients.md");
    for client in CLIENTS {
        let Folder {
            linux,
            macos,
            windows,
        } = &client.folder;
        let file = |folder: &str| {
            format!(
                "`{}/{}`",
                folder.replace("$CONFIG", "~/.config"),
                client.files[0]
            )
        };
        let project = client
            .project_files
            .first()
            .map(|file| format!("`{file}` "))
            .unwrap_or_default();
        let row = format!(
            "| {} | `{}` | {} | {} | {} | {project}|",
            client.name,
            client.id,
            file(linux),
            file(macos),
            file(windows)
        );
        assert!(page.contains(&row), "not in docs/clients.md: {row}");
    }
}

#[test]
fn variables_that_move_a_client_are_followed() {
    let moved = user(System::Linux, |name| {
        let to = match name {
            "CLAUDE_CONFIG_DIR" => "/elsewhere/claude",
            "CODEX_HOME" => "relative/is/ignored",
            "XDG_CONFIG_HOME" => "/settings",
            _ => return None,
        };
        Some(PathBuf::from(to))
    });
    let file = |id| find(id).expect("a client").user_file(&moved);
    assert_eq!(
        file("claude-code"),
        Path::new("/elsewhere/claude/.claude.json")
    );
    assert_eq!(file("codex"), Path::new("/home/ada/.codex/config.toml"));
    assert_eq!(file("zed"), Path::new("/settings/zed/settings.json"));
}

#[test]
fn a_client_is_found_by_its_folder_or_its_program_and_an_existing_name_wins() {
    let scratch = tempfile::tempdir().expect("a folder");
    let clean = User {
        system: System::Linux,
        home: scratch.path().to_owned(),
        variables: |_| None,
    };
    assert!(CLIENTS.iter().all(|client| !client.is_installed(&clean)));
    let opencode = find("opencode").expect("a client");
    std::fs::create_dir_all(scratch.path().join(".config/opencode")).expect("made");
    assert!(opencode.is_installed(&clean));
    std::fs::write(scratch.path().join(".config/opencode/opencode.jsonc"), "{}").expect("written");
    assert!(opencode.user_file(&clean).ends_with("opencode.jsonc"));
    assert!(!find("gemini").expect("a client").is_installed(&clean));
}

#[test]
fn instructions_of_every_client_are_written_once_and_taken_back() {
    use super::super::change::{Change, Kind};
    use super::super::owner::Owner;
    use super::super::record::Record;
    use crate::cli::setup::Target;
    use claudevil_protocol::paths::Paths;

    let mut files = 0;
    for client in CLIENTS {
        let scratch = tempfile::tempdir().expect("a folder");
        let paths = Paths::gathered(scratch.path(), &scratch.path().join("cv"));
        let user = User {
            system: System::Linux,
            home: scratch.path().join("home"),
            variables: |_| None,
        };
        let project = scratch.path().join("project");
        std::fs::create_dir_all(&project).expect("made");
        for scope in [Scope::User, Scope::Project(project)] {
            let Some(file) = client.instruction_file(&scope, &user) else {
                continue;
            };
            files += 1;
            for before in [None, Some("# Mine\n\nUse tabs.\n")] {
                if let Some(before) = before {
                    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
                    std::fs::write(&file, before).expect("written");
                }
                let mut record = Record::open(&paths);
                let change = Change::to_instruct(client, &scope, file.clone());
                assert_eq!(change.kind, Kind::Add, "{}", client.id);
                change.apply(&mut record).expect("done");
                let text = std::fs::read_to_string(&file).expect("readable");
                assert!(text.contains("claudevil explore"), "{text}");
                assert!(text.starts_with(before.unwrap_or(client.instruction_head(&scope))));
                let again = Change::to_instruct(client, &scope, file.clone());
                assert_eq!(again.kind, Kind::Nothing, "{}: twice is once", client.id);
                let target = Target::Instructions;
                let remove =
                    Change::to_remove(Owner::Client(client), &scope, target, file.clone(), &record);
                assert_eq!(remove.kind, Kind::Remove, "{}", client.id);
                remove.apply(&mut record).expect("done");
                let left = std::fs::read_to_string(&file).ok();
                assert_eq!(left.as_deref(), before, "{}", client.id);
            }
        }
    }
    assert_eq!(files, 14);
}
