//! The editors that can be told to start `claudevil-lsp`, and the lines that tell them.
//!
//! Editors are configured in languages of their own. Our lines are between two comments, so that they are found again;
//! Zed's settings are JSON, where entries are found by their keys.
//! In every editor a language server of the language itself comes first: it knows more.

use std::path::PathBuf;

use claudevil_protocol::ToolError;

use super::block::{self, Markers};
use super::change::{Change, Kind};
use super::clients::{Folder, User, ZED_FOLDER, everywhere};
use super::config_text::{StrippedText, Target, Unreadable};
use super::owner::Owner;
use super::record::Record;
use super::{Scope, entry, zed};
use crate::cli::installer::Installer;

pub struct Editor {
    /// The name on the command line.
    pub id: &'static str,
    pub name: &'static str,
    folder: Folder,
    /// Names of the file in that folder: the first that exists, else the first of all.
    files: &'static [&'static str],
    edit: Edit,
    programs: &'static [&'static str],
    /// The step that a person has to take for a change to take effect.
    pub then: &'static str,
}

/// The edit by which an editor is told to start the server.
enum Edit {
    /// Lines in the editor's own language.
    Lines {
        markers: Markers,
        /// Makes the lines from the text around them, and the command of the server.
        lines: fn(&str, &str) -> Result<String, Unreadable>,
    },
    ZedSettings,
}

/// Editors whose configuration cannot start a server, with advice on what can.
const OTHERS: &[(&str, &str)] = &[
    (
        "vscode",
        "VS Code starts it by an extension: `code --install-extension claudevil.vsix`, with the file of the release",
    ),
    (
        "claude-code",
        "the plugin for Claude Code starts it: /plugin marketplace add, as docs/clients.md says",
    ),
];

pub const EDITORS: &[Editor] = &[
    Editor {
        id: "neovim",
        name: "Neovim",
        folder: Folder {
            linux: "$CONFIG/nvim",
            macos: "$CONFIG/nvim",
            windows: "~/AppData/Local/nvim",
        },
        files: &["plugin/claudevil.lua"],
        edit: Edit::Lines {
            markers: Markers {
                begin: "-- claudevil:begin",
                end: "-- claudevil:end",
            },
            lines: neovim_lines,
        },
        programs: &["nvim"],
        then: "it takes effect in the next session",
    },
    Editor {
        id: "helix",
        name: "Helix",
        folder: Folder {
            linux: "$CONFIG/helix",
            macos: "$CONFIG/helix",
            windows: "%APPDATA%/helix",
        },
        files: &["languages.toml"],
        edit: Edit::Lines {
            markers: Markers {
                begin: "# claudevil:begin",
                end: "# claudevil:end",
            },
            lines: helix_lines,
        },
        programs: &["hx", "helix"],
        then: "`:lsp-restart`, or a new session; other languages need a row like those",
    },
    Editor {
        id: "emacs",
        name: "Emacs",
        folder: everywhere("~"),
        files: &[
            ".emacs.d/init.el",
            ".config/emacs/init.el",
            ".emacs",
            ".emacs.el",
        ],
        edit: Edit::Lines {
            markers: Markers {
                begin: ";; claudevil:begin",
                end: ";; claudevil:end",
            },
            lines: emacs_lines,
        },
        programs: &["emacs"],
        then: "M-x eglot starts it, in the next session",
    },
    Editor {
        id: "zed",
        name: "Zed",
        folder: ZED_FOLDER,
        files: &["settings.json"],
        edit: Edit::ZedSettings,
        programs: &["zed", "zeditor"],
        then: "`zed: install dev extension` with the folder packaging/zed of claudevil's source",
    },
];

pub fn find(id: &str) -> Option<&'static Editor> {
    EDITORS.iter().find(|editor| editor.id == id)
}

/// Returns the names of editors on the command line.
pub fn names() -> impl Iterator<Item = &'static str> {
    let others = OTHERS.iter().map(|(id, _)| *id);
    EDITORS.iter().map(|editor| editor.id).chain(others)
}

/// Returns the advice for those of the named editors whose configuration cannot start a server.
pub fn advice(names: &[String]) -> impl Iterator<Item = &'static str> {
    let is_selected = |id: &str| names.iter().any(|name| name == id);
    let others = OTHERS.iter().filter(move |(id, _)| is_selected(id));
    others.map(|(_, advice)| *advice)
}

/// Plans the changes of the named editors, or of all that are installed; a removal includes editors that are no longer
/// installed.
pub fn plan(
    names: &[String],
    remove: bool,
    user: &User,
    record: &Record,
) -> Result<Vec<Change>, ToolError> {
    let is_selected = |editor: &&Editor| match names {
        [] => remove || editor.is_installed(user),
        names => names.iter().any(|name| name == editor.id),
    };
    let mut selected = EDITORS.iter().filter(is_selected).peekable();
    if remove {
        let removals = selected.map(|editor| editor.to_remove(user, record));
        let is_shown = |change: &Change| !names.is_empty() || change.kind != Kind::Nothing;
        return Ok(removals.filter(is_shown).collect());
    }
    if selected.peek().is_none() {
        return Ok(vec![]);
    }
    let command = entry::language_server(Installer::here())?;
    let configure =
        |editor: &'static Editor| Change::to_configure(editor, editor.file(user), &command);
    Ok(selected.map(configure).collect())
}

impl Editor {
    pub fn to_remove(&'static self, user: &User, record: &Record) -> Change {
        Change::to_remove(
            Owner::Editor(self),
            &Scope::User,
            Target::LanguageServer,
            self.file(user),
            record,
        )
    }

    pub fn file(&self, user: &User) -> PathBuf {
        let folder = user.folder(&self.folder);
        let mut files = self.files.iter().map(|name| folder.join(name));
        let first = folder.join(self.files[0]);
        files.find(|path| path.exists()).unwrap_or(first)
    }

    pub fn is_installed(&self, user: &User) -> bool {
        self.file(user).exists() || self.programs.iter().any(|name| user.has_program(name))
    }

    pub fn is_there(&self, text: &str) -> Result<bool, Unreadable> {
        match &self.edit {
            Edit::Lines { markers, .. } => block::is_there(*markers, text),
            Edit::ZedSettings => Ok(zed::take(text)?.is_some()),
        }
    }

    pub fn put(&self, text: &str, command: &str) -> Result<String, Unreadable> {
        let Edit::Lines { markers, lines } = &self.edit else {
            return zed::put(text, command);
        };
        let around = self.take(text)?.map(|without| without.text);
        let lines = lines(around.as_deref().unwrap_or(text), command)?;
        let lines: Vec<&str> = lines.lines().collect();
        block::put(*markers, text, "", &lines)
    }

    pub fn take(&self, text: &str) -> Result<Option<StrippedText>, Unreadable> {
        match &self.edit {
            Edit::Lines { markers, .. } => block::take(*markers, text, ""),
            Edit::ZedSettings => zed::take(text),
        }
    }
}

const NEOVIM: &str = r#"local command = { COMMAND }
local markers = { ".git", ".jj", ".hg", ".svn" }
local group = vim.api.nvim_create_augroup("claudevil", {})

if vim.lsp.config and vim.lsp.enable then
  vim.lsp.config("claudevil", { cmd = command, root_markers = { markers } })
  vim.lsp.enable("claudevil")
else
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    callback = function(args)
      local path = vim.api.nvim_buf_get_name(args.buf)
      if vim.bo[args.buf].buftype ~= "" or path == "" or not vim.lsp.start then
        return
      end
      local marker = vim.fs.find(markers, { path = vim.fs.dirname(path), upward = true })[1]
      if marker then
        vim.lsp.start({ name = "claudevil", cmd = command, root_dir = vim.fs.dirname(marker) })
      end
    end,
  })
end

-- A language server of the language itself knows more: claudevil leaves its buffers to it.
vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(args)
    local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = args.buf })
    local own, has_other
    for _, client in ipairs(clients) do
      if client.name == "claudevil" then
        own = client
      elseif client.server_capabilities.definitionProvider then
        has_other = true
      end
    end
    if own and has_other then
      vim.schedule(function()
        vim.lsp.buf_detach_client(args.buf, own.id)
      end)
    end
  end,
})
"#;

#[expect(clippy::unnecessary_wraps, reason = "a file of Helix may be refused")]
fn neovim_lines(_around: &str, command: &str) -> Result<String, Unreadable> {
    Ok(NEOVIM.replace("COMMAND", &quoted(command)))
}

/// The languages for which Helix gets our server, with the server that it starts first.
const HELIX_LANGUAGES: &[(&str, &str)] = &[
    ("rust", "rust-analyzer"),
    ("python", "pylsp"),
    ("typescript", "typescript-language-server"),
    ("javascript", "typescript-language-server"),
    ("go", "gopls"),
    ("java", "jdtls"),
    ("c", "clangd"),
    ("cpp", "clangd"),
];

/// Makes a row for each language for which the user has none: of two rows Helix uses the last.
fn helix_lines(around: &str, command: &str) -> Result<String, Unreadable> {
    let document: toml_edit::DocumentMut = around
        .parse()
        .map_err(|error: toml_edit::TomlError| Unreadable(error.message().to_owned()))?;
    let own = document
        .get("language")
        .and_then(|rows| rows.as_array_of_tables());
    let has_row = |name: &str| {
        let mut rows = own.into_iter().flat_map(|rows| rows.iter());
        rows.any(|row| row.get("name").and_then(|own| own.as_str()) == Some(name))
    };
    let has_server = document
        .get("language-server")
        .is_some_and(|servers| servers.get("claudevil").is_some());
    if has_server {
        return Err(Unreadable(
            "it already has a server `claudevil` that setup did not write".to_owned(),
        ));
    }
    let rows = HELIX_LANGUAGES.iter().filter(|(name, _)| !has_row(name));
    let rows = rows.map(|(name, server)| {
        format!(
            "\n[[language]]\nname = \"{name}\"\nlanguage-servers = [\"{server}\", \"claudevil\"]\n"
        )
    });
    Ok(format!(
        "# Of several servers Helix asks the first that can answer, so claudevil comes last.\n\
         [language-server.claudevil]\ncommand = {}\n{}",
        quoted(command),
        rows.collect::<String>()
    ))
}

#[expect(clippy::unnecessary_wraps, reason = "a file of Helix may be refused")]
fn emacs_lines(_around: &str, command: &str) -> Result<String, Unreadable> {
    // At the end of the list, where other entries are preferred.
    Ok(format!(
        "(with-eval-after-load 'eglot\n  (add-to-list 'eglot-server-programs '(prog-mode . ({})) t))",
        quoted(command)
    ))
}

/// Writes a string as Lua, TOML and Emacs Lisp have it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_editor_is_told_to_start_the_server_once() {
        for editor in EDITORS {
            let text = editor.put("", "/bin/claudevil-lsp").expect("written");
            assert!(text.contains("\"/bin/claudevil-lsp\""), "{text}");
            let again = editor.put(&text, "/bin/claudevil-lsp");
            assert_eq!(again.as_ref(), Ok(&text), "{}", editor.id);
            let moved = editor.put(&text, "/opt/claudevil-lsp").expect("written");
            assert!(!moved.contains("/bin/claudevil-lsp"), "{moved}");
            let taken = editor.take(&moved).expect("readable").expect("there");
            assert!(taken.is_bare, "{}", taken.text);
        }
    }

    #[test]
    fn helix_keeps_the_rows_of_its_user() {
        let editor = find("helix").expect("an editor");
        let own = "[[language]]\nname = \"rust\"\nauto-format = true\n";
        let text = editor.put(own, "claudevil-lsp").expect("written");
        assert!(text.starts_with(own), "{text}");
        let document: toml_edit::DocumentMut = text.parse().expect("TOML");
        let rows = document["language"].as_array_of_tables().expect("tables");
        assert_eq!(rows.len(), HELIX_LANGUAGES.len(), "{text}");
        let taken = editor.take(&text).expect("readable").expect("there");
        assert_eq!(taken.text, own);
        assert!(editor.put("[language-server.claudevil]\n", "x").is_err());
        assert!(editor.put("[language", "x").is_err(), "no TOML");
    }
}
