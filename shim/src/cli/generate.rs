//! `claudevil generate`: completions and manual pages, made from the command line itself so that they are never stale.
//!
//! Installers and packages call it; people have `claudevil completions` and `--help`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use super::Arguments;
use crate::{lsp, mcp};

/// Paths of completions below a `share` folder, where shells look for them.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/claudevil"),
    (Shell::Zsh, "zsh/site-functions/_claudevil"),
    (Shell::Fish, "fish/vendor_completions.d/claudevil.fish"),
];
const MANUALS: &str = "man/man1";

/// Writes everything below a `share` folder. Returns the paths of the files.
pub fn run(share: &Path) -> io::Result<Vec<PathBuf>> {
    let mut written = vec![];
    for (shell, path) in COMPLETIONS {
        let mut script = vec![];
        clap_complete::generate(shell, &mut Arguments::command(), "claudevil", &mut script);
        written.push(write(&share.join(path), &script)?);
    }
    for (name, page) in manuals()? {
        written.push(write(&share.join(MANUALS).join(name), &page)?);
    }
    Ok(written)
}

/// Returns the files that an installation may have put below a `share` folder.
pub fn installed_files(share: &Path) -> Vec<PathBuf> {
    let completions = COMPLETIONS.iter().map(|(_, path)| share.join(path));
    // Another version may have had other verbs.
    let pages = fs::read_dir(share.join(MANUALS))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let ours = |path: &PathBuf| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name == "claudevil.1" || (name.starts_with("claudevil-") && name.ends_with(".1"))
    };
    completions.chain(pages.filter(ours)).collect()
}

/// Returns a page for each of the programs, and one for each verb.
fn manuals() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = Arguments::command();
    program.build();
    let verbs: Vec<_> = program
        .get_subcommands()
        // The page of `mcp` is that of `claudevil-mcp`.
        .filter(|verb| !verb.is_hide_set() && !["help", "mcp"].contains(&verb.get_name()))
        .cloned()
        .collect();
    let mut pages = vec![
        page(Arguments::command(), "claudevil")?,
        page(mcp::Arguments::command(), "claudevil-mcp")?,
        page(lsp::Arguments::command(), "claudevil-lsp")?,
    ];
    for verb in verbs {
        let name = format!("claudevil-{}", verb.get_name());
        pages.push(page(verb, &name)?);
    }
    Ok(pages)
}

fn page(command: clap::Command, name: &str) -> io::Result<(String, Vec<u8>)> {
    let mut page = vec![];
    let command = command.disable_help_subcommand(true);
    clap_mangen::Man::new(command)
        .title(name.to_uppercase())
        .render(&mut page)?;
    Ok((format!("{name}.1"), page))
}

fn write(path: &Path, content: &[u8]) -> io::Result<PathBuf> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_file_is_removed_by_uninstall() {
        let scratch = tempfile::tempdir().expect("a folder");
        let mut written = run(scratch.path()).expect("written");
        fs::write(scratch.path().join("man/man1/other.1"), "").expect("written");
        let mut found = installed_files(scratch.path());
        written.sort();
        found.sort();
        assert_eq!(found, written);
        for verb in ["setup", "search", "uninstall"] {
            let page =
                fs::read_to_string(scratch.path().join(format!("man/man1/claudevil-{verb}.1")))
                    .expect("a page");
            assert!(
                page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"),
                "{page}"
            );
        }
        assert!(
            !scratch
                .path()
                .join("man/man1/claudevil-generate.1")
                .exists()
        );
    }
}
