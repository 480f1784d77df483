//! Ranks the chunks of files that a test gives.

use crate::index::snapshot::Snapshot;
use crate::search::question::Question;
use crate::search::rank::{RankRequest, RankedChunk, rank, tests::snapshot};
use crate::search::text_cache::{FileText, TextCache};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;

/// Ranks files, given by path and text, and passes on what a search has at that point.
pub fn with_ranked<R>(
    files: &[(&str, &str)],
    query: &str,
    then: impl FnOnce(&mut Vec<RankedChunk>, &Snapshot, &TextCache<'_>, &Question) -> R,
) -> R {
    let scratch = tempfile::tempdir().expect("a directory");
    let snapshot = snapshot(scratch.path(), files);
    let folder = tempfile::tempdir().expect("a directory");
    let dir = RootDir::open(folder.path(), "shop").expect("a root");
    let texts = TextCache::new(&dir, &snapshot, 0);
    for (place, file) in snapshot.files.iter().enumerate() {
        let text = files.iter().find(|(path, _)| *path == file.path);
        texts.insert(place, FileText::from_text(text.expect("a file").1));
    }
    let question = Question::new(query);
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "shop",
        files: None,
        only: None,
        cancel: &CancelToken::default(),
    };
    let mut ranked = rank(&snapshot, &request).expect("ranked");
    then(&mut ranked, &snapshot, &texts, &question)
}
