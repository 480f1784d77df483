//! The definition of an imported name in another root that is indexed.

use std::path::Path;

use claudevil_protocol::{ErrorCode, ToolError};

use super::graph_root::GraphRoot;
use super::name_at::NameAt;
use super::occurrences::import_of;
use crate::extract::facts::{Import, Role};
use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::roots::RootFolder;
use crate::store::roots::RootRecord;

/// The most roots that are searched.
const MAX_ROOTS: usize = 8;

/// Follows the import of a name into the other roots that the call may see: those that are loaded, and those that are named
/// like the module. A root that cannot be opened is left out.
pub fn follow_import<'a>(
    context: &Context<'a>,
    root: &GraphRoot<'_>,
    graph: &Graph<'_>,
    file: u32,
    found: &NameAt,
) -> Result<Option<(GraphRoot<'a>, Vec<SymbolId>)>, ToolError> {
    let uses = graph.uses(file);
    let Some(row) = &found.row else {
        return Ok(None);
    };
    let (Some(import), Some(language)) = (
        import_of(graph, file, &uses, row),
        graph.file(file).language,
    ) else {
        return Ok(None);
    };
    let member = match uses.qualifier(row) {
        None => None,
        Some(_) if row.role == Role::Import => None,
        // In `a.b.c`, `c` is a member of a value of unknown type.
        Some(qualifier) if qualifier.contains(['.', '(', ':', '[']) => return Ok(None),
        Some(_) => Some(uses.name(row)),
    };
    let others = context.roots.visible(context.call).into_iter();
    let others = others.filter(|other| other.id != root.indexed.root.id);
    let may_have = |other: &RootRecord| {
        context.indexes.loaded(other.id).is_some() || is_called_like(other, import)
    };
    for other in others.filter(may_have).take(MAX_ROOTS) {
        context.cancel.check()?;
        let place = RootFolder {
            root: other,
            folder: None,
        };
        let other = match GraphRoot::open_at(context, place) {
            Ok(other) => other,
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(_) => continue,
        };
        let graph = other.graph();
        let imported = graph
            .modules()
            .resolve_import_from_other_root(language, import, member);
        let symbols = imported.iter().map(|at| graph.entities().definition(*at));
        let symbols: Vec<SymbolId> = symbols.collect();
        drop(graph);
        if !symbols.is_empty() {
            return Ok(Some((other, symbols)));
        }
    }
    Ok(None)
}

/// Returns whether a root has a part of a module's path as its name, or as the name of its folder.
fn is_called_like(root: &RootRecord, import: &Import) -> bool {
    let folder = Path::new(&root.path).file_name();
    let folder = folder.and_then(|name| name.to_str()).unwrap_or_default();
    let plain = |name: &str| {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let parts = import.module.split(['/', '.', ':', '\\']);
    let mut parts = parts.filter(|part| !part.is_empty());
    parts.any(|part| [folder, &root.name].map(plain).contains(&plain(part)))
}
