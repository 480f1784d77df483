//! The promises of the tools about the graph, over the real binaries and the projects of `tests/accuracy`.

mod accounting;
mod answers;
mod by_text;
mod chains;
mod changed_bytes;
mod cut_off;
mod definitions;
mod diffs;
mod edited;
mod fresh;
mod graph_errors;
mod impact;
mod large_diffs;
mod names;
mod pages;
mod precise;
mod reaching;
mod rename_case;
mod rename_namesakes;
mod rename_outcomes;
mod rename_places;
mod renames;
mod sizes;
mod toolchains;

use std::path::{Path, PathBuf};

use claudevil_tests::accuracy::truth::Truth;
use claudevil_tests::binaries::workspace;
use claudevil_tests::home::{Home, put, repository};
use claudevil_tests::questions::Questions;
use libtest_mimic::Trial;

pub use toolchains::is_here;

pub fn trials() -> Vec<Trial> {
    [
        accounting::trials(),
        answers::trials(),
        renames::trials(),
        edited::trials(),
        rename_places::trials(),
        changed_bytes::trials(),
        cut_off::trials(),
        definitions::trials(),
        by_text::trials(),
        chains::trials(),
        impact::trials(),
        large_diffs::trials(),
        reaching::trials(),
        sizes::trials(),
        graph_errors::trials(),
        fresh::trials(),
        diffs::trials(),
        names::trials(),
        pages::trials(),
        precise::trials(),
        rename_outcomes::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns a home without vectors, which do not matter for the graph.
fn home() -> Home {
    Home::new().with("CLAUDEVIL_EMBEDDER", "none")
}

/// Copies a project of `tests/accuracy` without its marks. Returns its folder, and the truth in the marks.
fn project(home: &Home, language: &str) -> (PathBuf, Truth) {
    let root = home.scratch().join("user").join(language);
    let truth = Truth::take(&workspace().join("tests/accuracy").join(language), &root);
    put(&root, ".git/HEAD", b"ref: refs/heads/main\n");
    (root, truth)
}

/// Starts a session that asks about a project, once it is indexed.
async fn asking(home: &Home, root: &Path) -> Questions {
    let mut questions = Questions::start(home, root).await;
    questions.settled().await;
    questions
}

/// Returns whether a line has a name as a word of its own.
fn has_word(line: &str, name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(is_letter)
            && !line[at + name.len()..]
                .chars()
                .next()
                .is_some_and(is_letter)
    })
}
