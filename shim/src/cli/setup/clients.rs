//! The clients that claudevil can be set up in: where each keeps its servers, and in which shape.
//!
//! A client is a row. Nothing else in the code knows one by its name.

use std::path::{Path, PathBuf};

use claudevil_protocol::environment;

use super::Scope;

/// Our key among a client's servers.
pub const SERVER: &str = "claudevil";

pub struct Client {
    /// The name on the command line.
    pub id: &'static str,
    pub name: &'static str,
    /// The folder of its own configuration.
    folder: Folder,
    /// A variable that, where it is set, names that folder instead.
    moved_by: Option<&'static str>,
    /// Names of the file in that folder: the first that exists, else the first of all.
    files: &'static [&'static str],
    /// Likewise within a project; empty if the client reads none there.
    project_files: &'static [&'static str],
    pub format: Format,
    /// The key that holds the servers.
    pub section: &'static str,
    pub shape: Shape,
    /// The file of a person's own instructions for its model, if it reads one.
    user_instructions: Option<InstructionFile>,
    /// Likewise within a project.
    project_instructions: Option<InstructionFile>,
    /// Folders and programs that show that it is installed.
    signs: &'static [Folder],
    programs: &'static [&'static str],
    /// The step that a person has to take for a change to take effect.
    pub then: &'static str,
}

/// A file of instructions for a client's model.
struct InstructionFile {
    /// Its folder; in a project, the project.
    folder: Folder,
    name: &'static str,
    /// The lines at the beginning of a new file without which the client would not read it.
    head: &'static str,
}

/// Returns a file in a project whose whole text is instructions.
const fn in_project(name: &'static str, head: &'static str) -> InstructionFile {
    InstructionFile {
        folder: everywhere(""),
        name,
        head,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With comments and trailing commas, which are kept where they are.
    Json,
    Toml,
}

/// The notation of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same with `type: stdio`.
    Typed,
    /// `type: local`, and one list for the command and its arguments.
    OneList,
}

/// A folder on each system: `~` is the home, `$CONFIG` the place for settings of users (`~/.config`), `%APPDATA%` that of
/// Windows.
pub struct Folder {
    pub linux: &'static str,
    pub macos: &'static str,
    pub windows: &'static str,
}

/// Zed has its MCP servers and its language servers in one file.
pub const ZED_FOLDER: Folder = Folder {
    linux: "$CONFIG/zed",
    macos: "~/.config/zed",
    windows: "%APPDATA%/Zed",
};

pub const fn everywhere(folder: &'static str) -> Folder {
    Folder {
        linux: folder,
        macos: folder,
        windows: folder,
    }
}

pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        folder: everywhere("~"),
        moved_by: Some("CLAUDE_CONFIG_DIR"),
        files: &[".claude.json"],
        project_files: &[".mcp.json"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Typed,
        user_instructions: Some(InstructionFile {
            folder: everywhere("~/.claude"),
            name: "CLAUDE.md",
            head: "",
        }),
        project_instructions: Some(in_project("CLAUDE.md", "")),
        signs: &[everywhere("~/.claude"), everywhere("~/.claude.json")],
        programs: &["claude"],
        then: "start a new session",
    },
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        folder: Folder {
            linux: "$CONFIG/Claude",
            macos: "~/Library/Application Support/Claude",
            windows: "%APPDATA%/Claude",
        },
        moved_by: None,
        files: &["claude_desktop_config.json"],
        project_files: &[],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        user_instructions: None,
        project_instructions: None,
        signs: &[],
        programs: &[],
        then: "quit it and start it again",
    },
    Client {
        id: "cursor",
        name: "Cursor",
        folder: everywhere("~/.cursor"),
        moved_by: None,
        files: &["mcp.json"],
        project_files: &[".cursor/mcp.json"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Typed,
        user_instructions: None,
        project_instructions: Some(in_project(
            ".cursor/rules/claudevil.mdc",
            "---\nalwaysApply: true\n---\n\n",
        )),
        signs: &[],
        programs: &["cursor"],
        then: "turn it on under Settings, Tools & MCP, if it is not on",
    },
    Client {
        id: "vscode",
        name: "VS Code",
        folder: Folder {
            linux: "$CONFIG/Code/User",
            macos: "~/Library/Application Support/Code/User",
            windows: "%APPDATA%/Code/User",
        },
        moved_by: None,
        files: &["mcp.json"],
        project_files: &[".vscode/mcp.json"],
        format: Format::Json,
        section: "servers",
        shape: Shape::Typed,
        user_instructions: Some(InstructionFile {
            folder: Folder {
                linux: "$CONFIG/Code/User/prompts",
                macos: "~/Library/Application Support/Code/User/prompts",
                windows: "%APPDATA%/Code/User/prompts",
            },
            name: "claudevil.instructions.md",
            head: "---\napplyTo: '**'\n---\n\n",
        }),
        project_instructions: Some(in_project(".github/copilot-instructions.md", "")),
        signs: &[everywhere("~/.vscode")],
        programs: &["code"],
        then: "open the chat in agent mode and confirm that you trust it",
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        folder: everywhere("~/.codeium/windsurf"),
        moved_by: None,
        files: &["mcp_config.json"],
        project_files: &[],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        user_instructions: Some(InstructionFile {
            folder: everywhere("~/.codeium/windsurf/memories"),
            name: "global_rules.md",
            head: "",
        }),
        project_instructions: None,
        signs: &[],
        programs: &["windsurf"],
        then: "press refresh in the list of MCP servers",
    },
    Client {
        id: "zed",
        name: "Zed",
        folder: ZED_FOLDER,
        moved_by: None,
        files: &["settings.json"],
        project_files: &[".zed/settings.json"],
        format: Format::Json,
        section: "context_servers",
        shape: Shape::Plain,
        user_instructions: None,
        project_instructions: Some(in_project("AGENTS.md", "")),
        signs: &[],
        programs: &["zed", "zeditor"],
        then: "it takes effect at once",
    },
    Client {
        id: "codex",
        name: "Codex CLI",
        folder: everywhere("~/.codex"),
        moved_by: Some("CODEX_HOME"),
        files: &["config.toml"],
        project_files: &[".codex/config.toml"],
        format: Format::Toml,
        section: "mcp_servers",
        shape: Shape::Plain,
        user_instructions: Some(InstructionFile {
            folder: everywhere("~/.codex"),
            name: "AGENTS.md",
            head: "",
        }),
        project_instructions: Some(in_project("AGENTS.md", "")),
        signs: &[],
        programs: &["codex"],
        then: "start a new session; in a project, one that you trust",
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        folder: everywhere("~/.gemini"),
        moved_by: None,
        files: &["settings.json"],
        project_files: &[".gemini/settings.json"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        user_instructions: Some(InstructionFile {
            folder: everywhere("~/.gemini"),
            name: "GEMINI.md",
            head: "",
        }),
        project_instructions: Some(in_project("GEMINI.md", "")),
        signs: &[],
        programs: &["gemini"],
        then: "start a new session in a folder that you trust",
    },
    Client {
        id: "opencode",
        name: "opencode",
        folder: everywhere("$CONFIG/opencode"),
        moved_by: Some("OPENCODE_CONFIG_DIR"),
        files: &["opencode.json", "opencode.jsonc"],
        project_files: &["opencode.json", "opencode.jsonc"],
        format: Format::Json,
        section: "mcp",
        shape: Shape::OneList,
        user_instructions: Some(InstructionFile {
            folder: everywhere("$CONFIG/opencode"),
            name: "AGENTS.md",
            head: "",
        }),
        project_instructions: Some(in_project("AGENTS.md", "")),
        signs: &[],
        programs: &["opencode"],
        then: "start a new session",
    },
    Client {
        id: "jetbrains",
        name: "JetBrains (Junie)",
        folder: everywhere("~/.junie/mcp"),
        moved_by: None,
        files: &["mcp.json"],
        project_files: &[".junie/mcp/mcp.json"],
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
        user_instructions: None,
        project_instructions: Some(in_project(".junie/guidelines.md", "")),
        signs: &[
            everywhere("~/.junie"),
            Folder {
                linux: "$CONFIG/JetBrains",
                macos: "~/Library/Application Support/JetBrains",
                windows: "%APPDATA%/JetBrains",
            },
        ],
        programs: &["junie"],
        then: "reopen the project; AI Assistant keeps its own list: add the same there, under Tools, AI Assistant, MCP",
    },
];

pub fn find(id: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.id == id)
}

impl Client {
    /// Returns the path of its own configuration.
    pub fn user_file(&self, user: &User) -> PathBuf {
        let folder = self.moved_by.and_then(|variable| user.variable(variable));
        first_that_is_there(
            &folder.unwrap_or_else(|| user.folder(&self.folder)),
            self.files,
        )
    }

    /// Returns the path of its configuration for one project, if it reads any there.
    pub fn project_file(&self, project: &Path) -> Option<PathBuf> {
        (!self.project_files.is_empty()).then(|| first_that_is_there(project, self.project_files))
    }

    /// Returns the path of the instructions for its model, if it reads any.
    pub fn instruction_file(&self, scope: &Scope, user: &User) -> Option<PathBuf> {
        match scope {
            Scope::User => {
                let file = self.user_instructions.as_ref()?;
                let moved = self.moved_by.and_then(|variable| user.variable(variable));
                Some(
                    moved
                        .unwrap_or_else(|| user.folder(&file.folder))
                        .join(file.name),
                )
            }
            Scope::Project(project) => {
                let file = self.project_instructions.as_ref()?;
                Some(project.join(file.name))
            }
        }
    }

    /// Returns the lines at the beginning of a new file of instructions.
    pub fn instruction_head(&self, scope: &Scope) -> &'static str {
        let file = match scope {
            Scope::User => &self.user_instructions,
            Scope::Project(_) => &self.project_instructions,
        };
        file.as_ref().map_or("", |file| file.head)
    }

    pub fn is_installed(&self, user: &User) -> bool {
        let own_folder = (self.folder.linux != "~").then_some(&self.folder);
        self.user_file(user).exists()
            || own_folder
                .into_iter()
                .chain(self.signs)
                .any(|sign| user.folder(sign).exists())
            || self
                .programs
                .iter()
                .any(|program| user.has_program(program))
    }
}

fn first_that_is_there(folder: &Path, names: &[&str]) -> PathBuf {
    let there = names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.exists());
    there.unwrap_or_else(|| folder.join(names[0]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

impl System {
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };
}

/// The user whose clients are set up. The variables of other programs are read here, because they decide where those programs
/// look for their configuration.
pub struct User {
    pub system: System,
    pub home: PathBuf,
    pub variables: fn(&str) -> Option<PathBuf>,
}

impl User {
    pub fn here(home: &Path) -> Self {
        Self {
            system: System::HERE,
            home: home.to_owned(),
            variables: environment::path,
        }
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.variables)(name).filter(|folder| folder.is_absolute())
    }

    pub fn folder(&self, folder: &Folder) -> PathBuf {
        let written = match self.system {
            System::Linux => folder.linux,
            System::MacOs => folder.macos,
            System::Windows => folder.windows,
        };
        let (base, rest) = written.split_once('/').unwrap_or((written, ""));
        let base = match base {
            "$CONFIG" => self
                .variable("XDG_CONFIG_HOME")
                .unwrap_or_else(|| self.home.join(".config")),
            "%APPDATA%" => self
                .variable("APPDATA")
                .unwrap_or_else(|| self.home.join("AppData/Roaming")),
            _ => self.home.clone(),
        };
        if rest.is_empty() {
            base
        } else {
            base.join(rest)
        }
    }

    pub fn has_program(&self, name: &str) -> bool {
        let path = (self.variables)("PATH").unwrap_or_default();
        let endings: &[&str] = if self.system == System::Windows {
            &[".exe", ".cmd"]
        } else {
            &[""]
        };
        std::env::split_paths(&path).any(|dir| {
            endings
                .iter()
                .any(|ending| dir.join(format!("{name}{ending}")).is_file())
        })
    }
}

#[cfg(test)]
mod tests;
