//! Every example of the README and of the pages in docs/ is run, in a home of its own, over one small project.
//!
//! In a block marked `console` a line that begins with `$ ` is a command; the lines below it are its whole output. There `…`
//! stands for any text within a line or, alone on a line, for any number of lines. A command without lines below must succeed,
//! whatever it prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use claudevil_tests::binaries::workspace;
use claudevil_tests::home::{BOUND, Home, put};
use libtest_mimic::Trial;
use regex::Regex;

use crate::{Needs, proof};

/// Commands that are not run here, with the reason. Each is proven elsewhere.
const NOT_TYPED: &[(&str, &str)] = &[
    (
        "claudevil service install",
        "a service manager would start it",
    ),
    (
        "claudevil uninstall",
        "it asks a person; the new user's check answers",
    ),
    ("claudevil status --watch", "it goes on until Ctrl-C"),
    (
        "claudevil model install-runtime",
        "it downloads; tests/models installs it from an index of its own",
    ),
    (
        "claudevil model install jina-embeddings-v2-base-code",
        "it downloads; tests/models does it from a hub of its own",
    ),
    (
        "claudevil model use jina-embeddings-v2-base-code",
        "likewise",
    ),
    ("claudevil model use bge-small-en-v1.5", "likewise"),
    (
        "claudevil vectors status",
        "it needs a bucket; tests/shared has one",
    ),
    ("ollama pull nomic-embed-text", "it is another's"),
    (
        "claudevil model use remote --url http://127.0.0.1:11434/v1 --model nomic-embed-text",
        "it needs that server",
    ),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![proof(
        "documented_pages_are_linked_and_there",
        Needs::Nothing,
        linked,
    )];
    for page in pages() {
        let name = page
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name")
            .to_lowercase();
        let needs = Needs::Program("git", "needs git");
        trials.push(proof(
            &format!("documented_examples_of_{name}"),
            needs,
            move || typed(page),
        ));
    }
    trials
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(workspace().join("docs"))
        .expect("pages")
        .flatten()
        .map(|entry| entry.path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut pages: Vec<_> = docs
        .filter(is_page)
        .chain([workspace().join("README.md")])
        .collect();
    pages.sort();
    assert!(pages.len() > 7, "{pages:?}");
    pages
}

#[derive(Debug)]
struct Example {
    line: usize,
    command: String,
    /// None if only the exit code counts.
    prints: Option<String>,
}

fn examples(page: &Path) -> Vec<Example> {
    let text = fs::read_to_string(page).expect("readable");
    let mut examples: Vec<Example> = vec![];
    let mut inside = false;
    // A block in a list is indented.
    let mut indent = 0;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            inside = trimmed == "```console";
            indent = line.len() - trimmed.len();
            continue;
        }
        if !inside {
            continue;
        }
        if let Some(command) = trimmed.strip_prefix("$ ") {
            examples.push(Example {
                line: number + 1,
                command: command.to_owned(),
                prints: None,
            });
            continue;
        }
        let example = examples
            .last_mut()
            .unwrap_or_else(|| panic!("{}: {line}", page.display()));
        let prints = example.prints.get_or_insert_default();
        prints.push_str(line.get(indent..).unwrap_or_default());
        prints.push('\n');
    }
    examples
}

/// Makes the small project, as a repository with two commits.
async fn engine(home: &Home) -> PathBuf {
    let root = home.scratch().join("user/engine");
    let from = workspace().join("tests/documented/engine");
    let script = format!(
        "set -e; cp -r {} {root}; cd {root}; git init -q -b main; git add .; git commit -qm 'all of it'; \
         git checkout -qb faster; sed -i 's/is one too many/is too much/' src/parser.rs; git commit -qam 'other words'",
        from.display(),
        root = root.display()
    );
    let mut command = home.shell(&script);
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Ada")
            .env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    let made = command.output().await.expect("it runs");
    assert!(made.status.success(), "{made:?}");
    let indexed = home
        .claudevil(&["reindex", "--wait", "--root", root.to_str().expect("UTF-8")])
        .await;
    assert!(indexed.status.success(), "{indexed:?}");
    root
}

async fn typed(page: PathBuf) {
    let examples = examples(&page);
    let home = Home::new()
        .with("TERM", "dumb")
        .with("GIT_CONFIG_NOSYSTEM", "1");
    let root = engine(&home).await;
    for folder in [
        ".claude",
        ".cursor",
        ".config/zed",
        ".codex",
        ".codeium/windsurf",
    ] {
        fs::create_dir_all(home.scratch().join("user").join(folder)).expect("made");
    }
    put(home.scratch(), "user/.config/helix/languages.toml", b"");
    // A viewer that only checks that the picture is not empty.
    put(
        home.scratch(),
        "bin/xdg-open",
        b"#!/bin/sh\ntest -s \"$1\"\n",
    );
    let opener = home.scratch().join("bin/xdg-open");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("set");
    let mut broken = vec![];
    for example in &examples {
        if NOT_TYPED
            .iter()
            .any(|(command, _)| *command == example.command)
        {
            continue;
        }
        if let Some(why) = run(&home, &root, example).await {
            broken.push(format!(
                "{}:{}: $ {}\n{why}",
                page.display(),
                example.line,
                example.command
            ));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    crate::measured(&format!(
        "{} examples of {}",
        examples.len(),
        page.display()
    ));
}

/// Runs an example. Returns its difference from the page, if there is one.
async fn run(home: &Home, root: &Path, example: &Example) -> Option<String> {
    // Pages show what a window has, and here is a pipe, in which a search would print rows.
    let blocks =
        if example.command.starts_with("claudevil search ") && !example.command.contains('|') {
            " --blocks"
        } else {
            ""
        };
    let line = format!(
        "PATH=$PATH:{}; {{ {}{blocks}\n}} 2>&1",
        home.scratch().join("bin").display(),
        example.command
    );
    let mut command = home.shell(&line);
    let done = tokio::time::timeout(BOUND, command.current_dir(root).output())
        .await
        .expect("it ends")
        .expect("it runs");
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    match &example.prints {
        None => (!done.status.success()).then(|| format!("{}:\n{printed}", done.status)),
        Some(expected) => not_alike(expected, &printed, &done),
    }
}

fn not_alike(expected: &str, printed: &str, done: &Output) -> Option<String> {
    let lines = expected.trim_end().lines().map(|line| match line.trim() {
        "…" => "(?:[^\n]*\n)*?".to_owned(),
        _ => format!(
            "{}[ \t]*\n",
            line.trim_end()
                .split('…')
                .map(regex::escape)
                .collect::<Vec<_>>()
                .join("[^\n]*?")
        ),
    });
    let pattern = Regex::new(&format!("\\A{}\\z", lines.collect::<String>())).expect("a pattern");
    let printed = if printed.ends_with('\n') {
        printed.to_owned()
    } else {
        format!("{printed}\n")
    };
    (!pattern.is_match(&printed))
        .then(|| format!("{}, not as it is written:\n{printed}", done.status))
}

/// Checks that every link between pages leads somewhere, and that every page and picture is reached from the README or from a
/// page.
async fn linked() {
    let link = Regex::new(r"\]\(([^)#:\s]+)(#[^)]*)?\)").expect("a pattern");
    let mut reached = vec![];
    for page in pages() {
        let text = fs::read_to_string(&page).expect("readable");
        for found in link.captures_iter(&text) {
            let target = page.parent().expect("a folder").join(&found[1]);
            let there = fs::canonicalize(&target);
            reached.push(
                there.unwrap_or_else(|error| panic!("{}: {}: {error}", page.display(), &found[1])),
            );
        }
    }
    let pictures = fs::read_dir(workspace().join("docs/pictures"))
        .expect("pictures")
        .flatten()
        .map(|entry| entry.path());
    let is_picture = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "svg" || extension == "png")
    };
    let pictures = pictures.filter(is_picture);
    let pictures: Vec<_> = pictures.collect();
    assert!(pictures.len() >= 3, "{pictures:?}");
    for file in pages()
        .into_iter()
        .chain(pictures)
        .filter(|file| !file.ends_with("README.md"))
    {
        let file = fs::canonicalize(file).expect("there");
        assert!(
            reached.contains(&file),
            "nothing leads to {}",
            file.display()
        );
    }
}
