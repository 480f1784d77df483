//! Configuration of editors that start `claudevil-lsp`: text to be put where the editor reads it.
//!
//! Editors are configured in their own languages, where a program cannot add a line safely. So nothing is written: each
//! text names its file, and is right as it is.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Editor {
    Neovim,
    Helix,
    Emacs,
}

/// The languages for which Helix is told of a server, with the server that it starts first.
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

const NEOVIM: &str = r#"-- claudevil: put this into ~/.config/nvim/plugin/claudevil.lua (Neovim 0.8 or newer).
local group = vim.api.nvim_create_augroup("claudevil", {})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  callback = function(args)
    local path = vim.api.nvim_buf_get_name(args.buf)
    if vim.bo[args.buf].buftype ~= "" or path == "" then
      return
    end
    local marker = vim.fs.find({ ".git", ".jj", ".hg", ".svn" }, { path = vim.fs.dirname(path), upward = true })[1]
    if marker then
      vim.lsp.start({ name = "claudevil", cmd = { "claudevil-lsp" }, root_dir = vim.fs.dirname(marker) })
    end
  end,
})

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

const HELIX: &str = r#"# claudevil: add this to ~/.config/helix/languages.toml.
# Of several servers Helix asks the first that can answer, so claudevil comes last.
[language-server.claudevil]
command = "claudevil-lsp"
"#;

const EMACS: &str = r#";; claudevil: add this to your init file. Then M-x eglot starts it.
;; At the end of the list, so that a language server of the language itself is preferred.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(prog-mode . ("claudevil-lsp")) t))
"#;

/// Returns the configuration of an editor.
pub fn configuration(editor: Editor) -> String {
    match editor {
        Editor::Neovim => NEOVIM.to_owned(),
        Editor::Helix => {
            let languages = HELIX_LANGUAGES.iter().map(|(name, server)| {
                format!(
                    "\n[[language]]\nname = \"{name}\"\nlanguage-servers = [\"{server}\", \"claudevil\"]\n"
                )
            });
            format!("{HELIX}{}", languages.collect::<String>())
        }
        Editor::Emacs => EMACS.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_editor_is_told_to_start_the_server() {
        for editor in Editor::value_variants() {
            assert!(configuration(*editor).contains("\"claudevil-lsp\""));
        }
        let helix: toml_edit::DocumentMut = configuration(Editor::Helix).parse().expect("TOML");
        let languages = helix["language"].as_array_of_tables().expect("tables");
        assert_eq!(languages.len(), HELIX_LANGUAGES.len());
    }
}
