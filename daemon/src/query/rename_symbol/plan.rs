//! Plans the edits of a rename without writing them, for editors, which make them themselves.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::rename_symbol::RenameSymbol;

use super::classify::{Rewrite, Verdict};
use super::occurrences::Occurrence;
use super::rename_set::RenameSet;
use super::source_cache::SourceCache;
use super::{find_changes, last_part, named_symbol};
use crate::graph::SymbolId;
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;

pub struct RenamePlan {
    /// In the order of the files and their lines.
    pub edits: Vec<PlannedEdit>,
    /// The paths of a file that is named after the symbol, before and after.
    pub file_move: Option<(String, String)>,
}

/// A replacement of text within one line.
pub struct PlannedEdit {
    pub file: u32,
    /// Counted from 1.
    pub line: u32,
    /// In bytes of the line, counted from 0.
    pub column: u32,
    /// In bytes.
    pub length: u32,
    pub new_text: String,
    /// Why the place may mean something else.
    pub doubt: Option<&'static str>,
}

/// Plans a rename by the rules of `rename_symbol`, and refuses what that tool refuses. Doubtful places are among the edits.
pub fn plan_rename(
    context: &Context,
    root: &GraphRoot<'_>,
    target: SymbolId,
    new_name: &str,
) -> Result<RenamePlan, ToolError> {
    let graph = root.graph();
    let target = named_symbol(&graph, target)?;
    let name = last_part(&graph.symbol(target).name);
    let params = RenameSymbol {
        symbol: Some(name.to_owned()),
        new_name: Some(new_name.to_owned()),
        ..RenameSymbol::default()
    };
    params.check()?;
    root.indexed.refuse_incomplete()?;
    let texts = root.texts();
    let sources = &SourceCache::new(&graph, &texts);
    let set = &RenameSet::new(&graph, target, context)?;
    let (file_move, occurrences) = find_changes(context, &graph, sources, set, new_name)?;
    root.read_errors.check()?;
    let edits = occurrences.iter();
    Ok(RenamePlan {
        edits: edits
            .filter_map(|one| plan_edit(one, name, new_name))
            .collect(),
        file_move: file_move.map(|moved| (moved.from, moved.to)),
    })
}

/// Returns the edit of an occurrence; none for a word in a comment, a string or prose.
fn plan_edit(occurrence: &Occurrence, name: &str, new_name: &str) -> Option<PlannedEdit> {
    if matches!(occurrence.verdict, Verdict::Mention { .. }) {
        return None;
    }
    let (replaced, new_text) = occurrence.rewrite.replacement(name, new_name);
    let length = u32::try_from(replaced.len()).ok()?;
    let column = match occurrence.rewrite {
        Rewrite::Field(column) => column,
        _ => occurrence.word.column,
    };
    Some(PlannedEdit {
        file: occurrence.file,
        line: occurrence.word.line,
        column,
        length,
        new_text,
        doubt: occurrence.verdict.doubt(),
    })
}
