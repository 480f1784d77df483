//! References and highlights: the uses of the symbol that a name refers to.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{EditorAnswer, FilePoint, UseLocation};
use claudevil_protocol::tools::find_definition::NameTarget;
use claudevil_protocol::tools::find_references::ConfidenceLevel;

use super::view::{EditorView, NameInFile};
use crate::graph::{Outcome, SymbolId, Use};
use crate::query::shared::confidence::confidence;
use crate::query::shared::occurrences::defined;
use crate::query::shared::usage::use_role;

/// Lists the definitions and every use of at least medium confidence. If there is no such use, all others are listed: an editor
/// cannot show how certain a use is.
pub fn references(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Uses(vec![]));
    };
    if found.name.target == NameTarget::Local {
        return Ok(EditorAnswer::Uses(local_uses(view, &found)));
    }
    let targets = &found.name.symbols;
    let mut uses = definition_names(view, targets, None);
    let references = if targets.is_empty() {
        [].into()
    } else {
        view.graph
            .references()
            .to_any(targets, view.context.cancel)?
    };
    let is_sure = |level: ConfidenceLevel| level <= ConfidenceLevel::Medium;
    let level = |one| ConfidenceLevel::from_confidence(confidence(one));
    let has_sure = references.iter().any(|one| is_sure(level(one)));
    for one in references.iter() {
        if has_sure && !is_sure(level(one)) {
            continue;
        }
        let own_uses = view.graph.uses(one.file);
        // A use that only a precise index knows has no name in the facts. It is taken to have the name of its symbol.
        let name = match own_uses.name(&one.row) {
            "" => found.name.name.as_str(),
            name => name,
        };
        uses.push(describe_use(view, one.file, &one.row, name));
    }
    Ok(EditorAnswer::Uses(uses))
}

/// Lists the uses in the file of the position. No other file is read.
pub fn highlights(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Uses(vec![]));
    };
    if found.name.target == NameTarget::Local {
        return Ok(EditorAnswer::Uses(local_uses(view, &found)));
    }
    let targets = &found.name.symbols;
    let entities = view.graph.entities();
    let is_target = |at: &SymbolId| targets.iter().any(|one| entities.are_same(*one, *at));
    let own_uses = view.graph.uses(found.file);
    let mut uses = definition_names(view, targets, Some(found.file));
    for row in own_uses.named(&found.name.name) {
        let outcome = view.graph.resolver().resolve(found.file, &own_uses, row);
        let is_it = match outcome {
            Outcome::Targets(resolved) => resolved.symbols.iter().any(is_target),
            // Names from outside the project are taken for the same if they are spelled alike.
            Outcome::Foreign | Outcome::Unknown => targets.is_empty(),
            Outcome::Local => false,
        };
        if is_it {
            uses.push(describe_use(view, found.file, row, &found.name.name));
        }
    }
    Ok(EditorAnswer::Uses(uses))
}

fn definition_names(
    view: &EditorView<'_>,
    targets: &[SymbolId],
    file: Option<u32>,
) -> Vec<UseLocation> {
    defined(view.graph, targets)
        .into_iter()
        .filter(|at| file.is_none_or(|file| at.file == file))
        .map(|at| UseLocation {
            path: view.path(at.file),
            range: view.name_range(at),
            role: None,
        })
        .collect()
}

/// Returns the uses of a parameter or a variable of a function, its binding among them.
fn local_uses(view: &EditorView<'_>, found: &NameInFile) -> Vec<UseLocation> {
    let name = found.name.name.as_str();
    let uses = view.graph.uses(found.file);
    let bound_by = |row: &Use| {
        let resolver = view.graph.resolver();
        resolver.local_binding(found.file, &uses, row)
    };
    uses.named(name)
        .filter(
            |row| match view.graph.resolver().resolve(found.file, &uses, row) {
                Outcome::Local => bound_by(row) == found.name.local,
                _ => false,
            },
        )
        .map(|row| {
            let is_binding = Some((row.line, row.column)) == found.name.local;
            let role = (!is_binding).then(|| use_role(row.role));
            UseLocation {
                role,
                ..describe_use(view, found.file, row, name)
            }
        })
        .collect()
}

fn describe_use(view: &EditorView<'_>, file: u32, row: &Use, name: &str) -> UseLocation {
    UseLocation {
        path: view.path(file),
        range: view.word(file, (row.line, row.column), name),
        role: Some(use_role(row.role)),
    }
}
