//! The name of a preview: it identifies the state of the files for which the numbers of its doubtful places are valid.

use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::rename_symbol::RenameSymbol;
use claudevil_protocol::{ErrorCode, ToolError};

use super::classify::Verdict;
use super::occurrences::Occurrence;
use super::source_cache::SourceCache;
use crate::graph::Graph;

/// Bytes of the hash that name a preview.
const NAME_BYTES: usize = 6;

/// Returns the name of a preview: a hash of the occurrences, their verdicts, and the texts of their files.
pub fn preview(
    graph: &Graph<'_>,
    sources: &SourceCache<'_>,
    new_name: &str,
    occurrences: &[Occurrence],
) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(new_name.as_bytes());
    for in_file in occurrences.chunk_by(|one, other| one.file == other.file) {
        let file = in_file[0].file;
        hasher.update(b"\0");
        hasher.update(graph.file(file).path.as_bytes());
        if let Some(source) = sources.open(file) {
            hasher.update(blake3::hash(source.text().as_bytes()).as_bytes());
        }
        sources.close(file);
        for one in in_file {
            let verdict = match one.verdict {
                Verdict::Change => 0,
                Verdict::Doubt { .. } => 1,
                Verdict::Mention { .. } => 2,
            };
            for number in [one.word.line, one.word.column, verdict] {
                hasher.update(&number.to_le_bytes());
            }
        }
    }
    let hash = hasher.finalize();
    let bytes = hash.as_bytes().iter().take(NAME_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Checks that the numbers of a call refer to the files as they are now.
pub fn check_preview(
    params: &RenameSymbol,
    preview: &str,
    occurrences: &[Occurrence],
) -> Result<(), ToolError> {
    let Some(asked) = params.preview.as_deref() else {
        return Ok(());
    };
    if asked != preview {
        let message = "files with the name have changed since that preview, so its numbers may mean other places; \
                       nothing was changed";
        let call = NextCall::new(RenameSymbol::NAME)
            .with_some("symbol", params.symbol.as_ref())
            .with_some("path", params.path.as_ref())
            .with_some("line", params.line)
            .with_some("new_name", params.new_name.as_ref());
        let again = Line::from("ask for a preview again: ").call(call);
        return Err(ToolError::new(ErrorCode::Stale, message).with_hint(again));
    }
    let is_doubtful = |one: &&Occurrence| matches!(one.verdict, Verdict::Doubt { .. });
    let doubtful = occurrences.iter().filter(is_doubtful).count();
    let is_there = |number: &u32| (1..=doubtful).contains(&(*number as usize));
    match params.numbers().find(|number| !is_there(number)) {
        Some(number) => Err(ToolError::invalid_argument(format!(
            "there is no doubtful place {number}; the preview has {doubtful}"
        ))),
        None => Ok(()),
    }
}
