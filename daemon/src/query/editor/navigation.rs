//! From a name to its definitions, declarations, types and implementations.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::editor::{EditorAnswer, EditorSymbol, FilePoint, SymbolLocations};
use claudevil_protocol::tools::find_definition::NameTarget;

use super::symbols;
use super::view::{EditorView, NameInFile};
use crate::graph::{Position, SymbolId};
use crate::query::shared::other_root::follow_import;

pub fn definitions(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Symbols(SymbolLocations::default()));
    };
    let origin = Some(found.range);
    if let Some(local) = local_symbol(view, &found) {
        let symbols = vec![local];
        return Ok(EditorAnswer::Symbols(SymbolLocations { origin, symbols }));
    }
    if found.name.target == NameTarget::External {
        let (root, graph) = (view.root, view.graph);
        let elsewhere = follow_import(view.context, root, graph, found.file, &found.name)?;
        if let Some((other, definitions)) = elsewhere {
            let graph = other.graph();
            let other = EditorView::new(view.context, &other, &graph, view.unit);
            return Ok(symbols(origin, &other, &definitions));
        }
    }
    Ok(symbols(origin, view, &found.name.symbols))
}

/// Describes the binding of a local name.
fn local_symbol(view: &EditorView<'_>, found: &NameInFile) -> Option<EditorSymbol> {
    let range = view.word(found.file, found.name.local?, &found.name.name);
    Some(EditorSymbol {
        name: found.name.name.clone(),
        container: None,
        kind: SymbolKind::Variable,
        signature: String::new(),
        path: view.path(found.file),
        range,
        name_range: range,
    })
}

/// Returns the declarations that are not the definition, such as `int run(void);` in a header, or else the definition.
pub fn declarations(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Symbols(SymbolLocations::default()));
    };
    let entities = view.graph.entities();
    let apart: Vec<SymbolId> = found
        .name
        .symbols
        .iter()
        .flat_map(|at| {
            let others = entities.declarations(*at).into_iter();
            others.filter(|one| *one != entities.definition(*at))
        })
        .collect();
    if apart.is_empty() {
        return definitions(view, at);
    }
    Ok(symbols(Some(found.range), view, &apart))
}

/// Returns the result type of a function, or the type of a variable: `-> Engine`, `let engine: Engine`.
pub fn type_definitions(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Symbols(SymbolLocations::default()));
    };
    let types = view.graph.types();
    let own = found.name.row.filter(|_| found.name.local.is_some());
    let of_local = own.and_then(|row| {
        let here = Position::from_use(found.file, &row);
        types.type_of_name(here, &found.name.name)
    });
    let of_symbol = |at: &SymbolId| match view.graph.symbol(*at).kind {
        kind if kind.is_type() => Some(*at),
        _ => types.type_of_symbol(*at),
    };
    let of_symbols = found.name.symbols.iter().filter_map(of_symbol);
    let all: Vec<SymbolId> = of_local.into_iter().chain(of_symbols).collect();
    Ok(symbols(Some(found.range), view, &all))
}

pub fn implementations(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Symbols(SymbolLocations::default()));
    };
    let members = view.graph.members();
    let mut all: Vec<SymbolId> = vec![];
    for target in &found.name.symbols {
        let kind = view.graph.symbol(*target).kind;
        if kind.is_type() || kind == SymbolKind::Module {
            let subtypes = members.all_subtypes(*target);
            all.extend(subtypes.iter().map(|subtype| subtype.at));
        } else {
            all.extend(members.overriding(*target));
        }
        let precise = view.graph.precise().implementations(*target);
        all.extend(precise.into_iter().map(|(at, _)| at));
    }
    all.sort_unstable();
    all.dedup();
    Ok(symbols(Some(found.range), view, &all))
}
