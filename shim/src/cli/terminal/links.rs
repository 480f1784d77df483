//! Places that can be clicked: `path:line` as a link to the file, where the terminal knows links (OSC 8).
//!
//! Only what is a file of the project becomes a link, so that text which merely looks like a place stays text.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_protocol::environment;

use crate::project;

/// `never`, `auto`, `always`, an editor, or a form with `{path}` and `{line}`.
pub const VARIABLE: &str = "CLAUDEVIL_LINKS";
/// The form that kitty takes; others open the file without the line.
const FILE: &str = "file://{path}#{line}";
/// Programs with URL schemes of their own.
const EDITORS: [&str; 5] = ["cursor", "vscode", "vscode-insiders", "windsurf", "zed"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LinkChoice {
    /// On a terminal that is known to show them
    Auto,
    Always,
    Never,
}

/// Makes links of locations, where the terminal shows links.
#[derive(Debug)]
pub struct Links {
    form: Option<String>,
    root: Option<PathBuf>,
    /// A cache of whether a path is a file.
    known: HashMap<String, bool>,
}

impl Links {
    pub fn new(choice: LinkChoice, is_terminal: bool) -> Self {
        let said = environment::variable(VARIABLE).and_then(|said| said.into_string().ok());
        let form = form(choice, is_terminal, said.as_deref(), |name| {
            environment::variable(name).and_then(|value| value.into_string().ok())
        });
        Self {
            form,
            root: None,
            known: HashMap::new(),
        }
    }

    /// Sets the project that paths are relative to.
    pub fn set_project(&mut self, root: &str) {
        let root = Path::new(root).is_absolute().then(|| PathBuf::from(root));
        if self.root != root {
            self.known.clear();
            self.root = root;
        }
    }

    /// Returns a location as a link, if there is such a file and the terminal shows links.
    pub fn link(&mut self, path: &str, line: u32, shown: &str) -> String {
        if self.form.is_none() || !self.is_file(path) {
            return shown.to_owned();
        }
        match self.target(path, line) {
            Some(target) => format!("\x1b]8;;{target}\x1b\\{shown}\x1b]8;;\x1b\\"),
            None => shown.to_owned(),
        }
    }

    fn is_file(&mut self, path: &str) -> bool {
        let Some(root) = &self.root else { return false };
        if path.is_empty() {
            return false;
        }
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let is_file = fs::metadata(root.join(path)).is_ok_and(|found| found.is_file());
        self.known.insert(path.to_owned(), is_file);
        is_file
    }

    fn target(&self, path: &str, line: u32) -> Option<String> {
        let path = self.root.as_ref()?.join(path);
        Some(
            self.form
                .as_ref()?
                .replace("{path}", &project::percent_encode(path.to_str()?))
                .replace("{line}", &line.to_string()),
        )
    }
}

/// Returns the form of links, by the option, the variable, and what is known of the terminal.
fn form(
    choice: LinkChoice,
    is_terminal: bool,
    said: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let form = match said {
        Some(said) if said.contains("{path}") => said.to_owned(),
        Some(editor) if EDITORS.contains(&editor) => format!("{editor}://file{{path}}:{{line}}"),
        _ => FILE.to_owned(),
    };
    let shown = match (choice, said) {
        (LinkChoice::Never, _) | (LinkChoice::Auto, Some("never")) => false,
        (LinkChoice::Always, _) | (LinkChoice::Auto, Some("always")) => true,
        // A person who names a form knows that it works.
        (LinkChoice::Auto, Some(said)) if said != "auto" => is_terminal,
        (LinkChoice::Auto, _) => is_terminal && shows_links(variable),
    };
    shown.then_some(form)
}

/// Returns whether the terminal shows links, by the variables that identify it.
fn shows_links(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, values: &[&str]| {
        variable(name).is_some_and(|value| values.contains(&value.as_str()))
    };
    let number = |name: &str| {
        variable(name)
            .and_then(|value| value.parse::<u32>().ok())
            .unwrap_or(0)
    };
    if is("TERM", &["dumb", "linux"]) {
        return false;
    }
    is(
        "TERM_PROGRAM",
        &[
            "Hyper",
            "WezTerm",
            "ghostty",
            "iTerm.app",
            "mintty",
            "rio",
            "vscode",
            "zed",
        ],
    ) || is(
        "TERM",
        &[
            "alacritty",
            "foot",
            "foot-extra",
            "xterm-ghostty",
            "xterm-kitty",
        ],
    ) || number("VTE_VERSION") >= 5000
        || number("KONSOLE_VERSION") >= 201_200
        || ["DOMTERM", "KITTY_WINDOW_ID", "WT_SESSION"]
            .into_iter()
            .any(|name| variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(root: &Path, form: &str) -> Links {
        let mut links = Links {
            form: Some(form.to_owned()),
            root: None,
            known: HashMap::new(),
        };
        links.set_project(root.to_str().expect("UTF-8"));
        links
    }

    #[test]
    fn only_files_of_the_project_are_linked() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path();
        for name in ["a.rs", "two words.rs"] {
            fs::write(root.join(name), "").expect("written");
        }
        let mut links = links(root, "x://{path}:{line}");
        let base = format!("x://{}", root.display());
        let link =
            |target: &str, text: &str| format!("\x1b]8;;{base}/{target}\x1b\\{text}\x1b]8;;\x1b\\");
        assert_eq!(
            links.link("a.rs", 12, "a.rs:12-40"),
            link("a.rs:12", "a.rs:12-40")
        );
        assert_eq!(links.link("b.rs", 12, "b.rs:12"), "b.rs:12");
        assert_eq!(
            links.link("two words.rs", 3, "two words.rs:3"),
            link("two%20words.rs:3", "two words.rs:3")
        );
        let painted = "\x1b[1ma.rs\x1b[0m:7";
        assert_eq!(links.link("a.rs", 7, painted), link("a.rs:7", painted));
    }

    #[test]
    fn links_are_made_where_they_are_wanted_and_shown() {
        let none = |_: &str| None;
        let kitty = |name: &str| (name == "TERM").then(|| "xterm-kitty".to_owned());
        let dumb = |name: &str| Some(if name == "TERM" { "dumb" } else { "9999" }.to_owned());
        let auto = LinkChoice::Auto;
        assert_eq!(form(auto, true, None, none), None);
        assert_eq!(form(auto, true, None, dumb), None);
        assert_eq!(form(auto, false, None, kitty), None);
        assert_eq!(form(auto, true, None, kitty).as_deref(), Some(FILE));
        assert_eq!(form(auto, true, Some("never"), kitty), None);
        assert_eq!(form(LinkChoice::Never, true, Some("vscode"), kitty), None);
        assert_eq!(
            form(auto, true, Some("vscode"), none).as_deref(),
            Some("vscode://file{path}:{line}")
        );
        assert_eq!(
            form(auto, true, Some("ed:{path}"), none).as_deref(),
            Some("ed:{path}")
        );
        assert_eq!(form(auto, false, Some("ed:{path}"), none), None);
        assert_eq!(
            form(LinkChoice::Always, false, None, none).as_deref(),
            Some(FILE)
        );
    }
}
