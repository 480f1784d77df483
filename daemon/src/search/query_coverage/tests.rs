//! Measures questions over a small tree, by words and by the built-in model.

use std::sync::Arc;

use super::*;
use crate::embed::Embedder;
use crate::embed::built_in::BuiltInModel;
use crate::index::models::ModelTier;
use crate::index::similarity::QueryVectors;
use crate::index::snapshot::IndexedFile;
use crate::index::vectors::{FileVectors, QueryVector};
use crate::search::rank::rank;
use crate::search::rank::tests::{FILES, snapshot};
use crate::source::cancel::CancelToken;
use claudevil_child::vectors::ChunkVector;

const LOGIN: (&str, &str) = (
    "src/access.py",
    "def authenticate(username, password):\n    \"\"\"Checks the credentials of a user.\"\"\"\n    return check(username, password)\n",
);

fn files() -> Vec<(&'static str, &'static str)> {
    FILES.iter().copied().chain([LOGIN]).collect()
}

/// Adds the vector of a file that is one chunk.
fn embed(model: &BuiltInModel, file: &IndexedFile, text: &str) -> IndexedFile {
    assert_eq!(file.outline.chunks.len(), 1, "{}", file.path);
    let row = model.documents(&[text]).expect("embedded").remove(0);
    let row = ChunkVector::quantise([0; 16], &row).expect("finite");
    file.with_vectors(
        ModelTier::BuiltIn,
        Some(Arc::new(FileVectors::new(row.codes.len(), &[&row], None))),
    )
}

fn coverage(query: &str, is_by_meaning: bool, allowed: Option<&[bool]>) -> QueryCoverage {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut snapshot = snapshot(scratch.path(), &files());
    let model = BuiltInModel::new().expect("a model");
    let text = |path: &str| {
        files()
            .into_iter()
            .find(|(known, _)| *known == path)
            .expect("a file")
            .1
    };
    for file in &mut snapshot.files {
        *file = Arc::new(embed(&model, file, text(&file.path)));
    }
    let probe = model
        .query(query)
        .ok()
        .and_then(|vector| QueryVector::new(&vector));
    let meaning = probe
        .filter(|_| is_by_meaning)
        .map(|probe| QueryVectors::new(probe, None));
    let question = Question::new(query);
    let cancel = CancelToken::default();
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: meaning.as_ref(),
        is_semantic: false,
        root_name: "tree",
        files: allowed,
        only: None,
        cancel: &cancel,
    };
    let ranked = rank(&snapshot, &request).expect("ranked");
    QueryCoverage::measure(&snapshot, &request, query, &ranked).expect("looked up")
}

fn listed(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn words_that_nothing_has_are_listed() {
    for (query, expected) in [
        (
            "how to bake a chocolate cake",
            QueryCoverage::Absent(listed(&["bake", "chocolate", "cake"])),
        ),
        (
            "how does a Session bake chocolate",
            QueryCoverage::Partial(listed(&["bake", "chocolate"])),
        ),
        ("zzzqqqxx", QueryCoverage::Absent(listed(&["zzzqqqxx"]))),
        (
            "FrobnicateCheese",
            QueryCoverage::Absent(listed(&["FrobnicateCheese"])),
        ),
        // Half of the words are enough, also in other forms, in names, in paths and in pairs.
        ("session chocolate", QueryCoverage::Sufficient),
        ("adapting", QueryCoverage::Sufficient),
        ("retries", QueryCoverage::Sufficient),
        ("authentication", QueryCoverage::Sufficient),
        ("back off", QueryCoverage::Sufficient),
        ("src/retry.py", QueryCoverage::Sufficient),
        ("Session", QueryCoverage::Sufficient),
        ("…", QueryCoverage::Sufficient),
    ] {
        assert_eq!(coverage(query, false, None), expected, "{query}");
    }
}

#[test]
fn a_chunk_near_in_meaning_needs_no_word() {
    assert_eq!(
        coverage("login", true, None),
        QueryCoverage::MeaningOnly(listed(&["login"]))
    );
    assert_eq!(
        coverage("login", false, None),
        QueryCoverage::Absent(listed(&["login"]))
    );
    let cheese = listed(&["quantum", "entanglement", "cheese"]);
    assert_eq!(
        coverage("quantum entanglement of cheese", true, None),
        QueryCoverage::Absent(cheese)
    );
}

#[test]
fn only_allowed_files_count() {
    // Sorted: docs/session.md, src/access.py, …
    let wanted: Vec<bool> = (0..files().len()).map(|place| place == 0).collect();
    assert_eq!(
        coverage("backoff", true, Some(&wanted)),
        QueryCoverage::Absent(listed(&["backoff"]))
    );
    assert_eq!(
        coverage("cookies", true, Some(&wanted)),
        QueryCoverage::Sufficient
    );
}

#[test]
fn a_word_is_missing_if_every_root_lacks_it() {
    let [one, other] = [listed(&["bake", "cake"]), listed(&["cake"])];
    let nothing = || QueryCoverage::Absent(one.clone());
    assert_eq!(nothing().and(nothing()), nothing());
    assert_eq!(
        nothing().and(QueryCoverage::Sufficient),
        QueryCoverage::Sufficient
    );
    assert_eq!(
        QueryCoverage::Partial(other.clone()).and(nothing()),
        QueryCoverage::Partial(other.clone())
    );
    assert_eq!(
        nothing().and(QueryCoverage::Partial(other.clone())),
        QueryCoverage::Partial(other)
    );
    assert_eq!(
        nothing().and(QueryCoverage::MeaningOnly(one.clone())),
        QueryCoverage::MeaningOnly(one)
    );
}
