//! The definition of a name from outside of the root, in another root that is indexed.

use std::path::Path;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::graph::{Resolution, SymbolInfo};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_definition::{
    Definitions, FilePosition, FindDefinition, NameTarget, OtherRoot,
};
use claudevil_protocol::{ErrorCode, ToolError};

use super::NameAt;
use crate::extract::facts::{Import, Role};
use crate::graph::Graph;
use crate::query::Context;
use crate::query::shared::all_roots::merge_freshness;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::occurrences::import_of;
use crate::query::shared::symbol_info::describe_symbol;
use crate::roots::RootFolder;
use crate::store::roots::RootRecord;

/// Roots that are searched at most.
const MOST_ROOTS: usize = 8;

/// Definitions in another root.
pub struct Elsewhere {
    root: OtherRoot,
    definitions: Vec<SymbolInfo>,
    freshness: Freshness,
}

/// Follows the import of a name into the other roots that the call may see: those that are loaded, and those that are
/// called like the module. A root that cannot be opened is left out.
pub fn find(
    context: &Context<'_>,
    root: &GraphRoot<'_>,
    graph: &Graph<'_>,
    file: u32,
    found: &NameAt,
) -> Result<Option<Elsewhere>, ToolError> {
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
        // What is behind more than one name is a member of something whose type nobody knows.
        Some(qualifier) if qualifier.contains(['.', '(', ':', '[']) => return Ok(None),
        Some(_) => Some(uses.name(row)),
    };
    let others = context.roots.visible(context.call).into_iter();
    let others = others.filter(|other| other.id != root.indexed.root.id);
    let may_have = |other: &RootRecord| {
        context.indexes.loaded(other.id).is_some() || is_called_like(other, import)
    };
    for other in others.filter(may_have).take(MOST_ROOTS) {
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
        let symbols = graph.modules().imported_elsewhere(language, import, member);
        if symbols.is_empty() {
            continue;
        }
        let mut definitions: Vec<SymbolInfo> = symbols
            .iter()
            .map(|at| describe_symbol(&graph, graph.entities().definition(*at)))
            .collect();
        definitions.dedup();
        let record = &other.indexed.root;
        return Ok(Some(Elsewhere {
            root: OtherRoot {
                name: record.name.clone(),
                path: record.path.clone(),
            },
            definitions,
            freshness: other.freshness(&graph, &symbols),
        }));
    }
    Ok(None)
}

/// Returns whether a root has a part of a module's path as its name, or as the name of its folder.
fn is_called_like(root: &RootRecord, import: &Import) -> bool {
    let folder = Path::new(&root.path).file_name();
    let folder = folder.and_then(|name| name.to_str()).unwrap_or_default();
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let parts = import.module.split(['/', '.', ':', '\\']);
    let mut parts = parts.filter(|part| !part.is_empty());
    parts.any(|part| [folder, &root.name].map(plain).contains(&plain(part)))
}

impl Elsewhere {
    pub fn into_answer(
        self,
        root: &GraphRoot<'_>,
        params: &FindDefinition,
        path: String,
        found: NameAt,
    ) -> Definitions {
        let indexed = &root.indexed;
        let mut freshness = indexed.freshness.clone();
        merge_freshness(&mut freshness, &self.freshness, Some(&self.root.name));
        let is_one = self.definitions.len() == 1;
        Definitions {
            root: indexed.root.path.clone(),
            root_name: indexed.root.name.clone(),
            max_tokens: params.common().max_tokens,
            freshness,
            path,
            position: FilePosition {
                line: found.start.0,
                column: found.start.1 + 1,
            },
            name: found.name,
            target: NameTarget::OtherRoot,
            resolution: if is_one {
                Resolution::Resolved
            } else {
                Resolution::Ambiguous
            },
            reason: "imported from another root".to_owned(),
            local: None,
            total: self.definitions.len() as u64,
            definitions: self.definitions,
            other_root: Some(self.root),
            truncated: false,
        }
    }
}
