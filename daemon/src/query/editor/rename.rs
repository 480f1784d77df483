//! Computes the edits of a rename for the editor to apply, by the rules of `rename_symbol`.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::editor::{
    EditorAnswer, FilePoint, RenameEdit, RenameEdits, RenameRange, TextRange,
};
use claudevil_protocol::{ErrorCode, ToolError};

use super::view::{EditorView, NameInFile};
use crate::graph::{PASSED_BY_NAME, SymbolId};
use crate::query::rename_symbol::{LocalName, PlannedEdit, plan_local_rename, plan_rename};

/// Returns the name at a position, if it is one that can be renamed.
pub fn rename_range(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::RenameRange(None));
    };
    let can_rename = found.name.local.is_some() || target(view, &found).is_ok();
    let range = can_rename.then(|| RenameRange {
        range: found.range,
        name: found.name.name.clone(),
    });
    Ok(EditorAnswer::RenameRange(range))
}

pub fn rename(
    view: &EditorView<'_>,
    at: &FilePoint,
    new_name: &str,
) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Err(ToolError::invalid_argument("there is no name here"));
    };
    let plan = match found.name.local {
        Some(binding) => {
            let local = LocalName {
                file: found.file,
                name: &found.name.name,
                binding,
            };
            plan_local_rename(view.context, view.root, local, new_name)?
        }
        None => plan_rename(view.context, view.root, target(view, &found)?, new_name)?,
    };
    let root = &view.root.indexed.root.path;
    Ok(EditorAnswer::Rename(RenameEdits {
        edits: plan.edits.iter().map(|edit| describe(view, edit)).collect(),
        file_move: plan
            .file_move
            .map(|(from, to)| (format!("{root}/{from}"), format!("{root}/{to}"))),
    }))
}

/// Returns the only symbol that a name resolves to.
fn target(view: &EditorView<'_>, found: &NameInFile) -> Result<SymbolId, ToolError> {
    let name = &found.name;
    let symbols = view.graph.entities().distinct(&name.symbols);
    match &symbols[..] {
        // `shop` of `def test_open(shop):` for `@pytest.fixture(name="shop") def make_shop():`.
        [only] if name.reason == PASSED_BY_NAME && *view.graph.symbol(*only).name != *name.name => {
            Err(ToolError::invalid_argument(format!(
                "`{}` is the name that a decorator gives to `{}`; nothing was changed",
                name.name,
                view.graph.symbol(*only).name
            )))
        }
        [only] if name.resolution == Resolution::Resolved => Ok(*only),
        [] => Err(ToolError::invalid_argument(format!(
            "`{}` is not a symbol of this project",
            name.name
        ))),
        several => Err(ToolError::new(
            ErrorCode::AmbiguousSymbol,
            format!(
                "`{}` may mean {} symbols here; nothing was changed",
                name.name,
                several.len()
            ),
        )
        .with_hint("rename it where it is defined")),
    }
}

fn describe(view: &EditorView<'_>, edit: &PlannedEdit) -> RenameEdit {
    let lines = view.lines(edit.file);
    // Columns of the plan do not count a byte order mark.
    let position = |column| lines.position_in_text(view.unit, edit.line, column);
    RenameEdit {
        path: view.path(edit.file),
        range: TextRange {
            start: position(edit.column),
            end: position(edit.column + edit.length),
        },
        new_text: edit.new_text.clone(),
        doubt: edit.doubt.map(str::to_owned),
    }
}
