//! `find_definition`: the symbols that the name at a position refers to.

mod other_root;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_definition::{
    Definitions, FilePosition, FindDefinition, NameTarget,
};

use self::other_root::OtherRootDefinitions;
use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::name_at::name_at;
use super::shared::other_root::follow_import;
use super::shared::symbol_info::describe_symbol;

pub fn find_definition(
    context: &Context,
    params: &FindDefinition,
) -> Result<Definitions, ToolError> {
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let path = root.indexed.path(Some(&params.path))?;
    let file = graph
        .file_number(&path)
        .ok_or_else(|| root.indexed.not_indexed(&path))?;
    let position = (params.line, params.column - 1);
    let found = name_at(&graph, file, position).ok_or_else(|| {
        let (line, column) = (params.line, params.column);
        ToolError::invalid_argument(format!("there is no name at {path}:{line}:{column}"))
            .with_hint("give a position within a name, both counted from 1")
    })?;
    let elsewhere = match found.target {
        NameTarget::External => follow_import(context, &root, &graph, file, &found)?,
        _ => None,
    };
    if let Some((other, symbols)) = elsewhere {
        let elsewhere = OtherRootDefinitions::new(&other, &symbols);
        return Ok(elsewhere.into_answer(&root, params, path, found));
    }
    // Several symbols can have the same location, such as a type and its constructor.
    let symbols = found.symbols.iter();
    let clauses = symbols.flat_map(|at| graph.entities().clauses(*at));
    let mut definitions: Vec<_> = clauses.map(|at| describe_symbol(&graph, at)).collect();
    definitions.dedup();
    Ok(Definitions {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: root.freshness(&graph, &found.symbols),
        path,
        position: FilePosition {
            line: found.start.0,
            column: found.start.1 + 1,
        },
        name: found.name,
        target: found.target,
        resolution: found.resolution,
        reason: found.reason.to_owned(),
        local: found.local.map(|(line, column)| FilePosition {
            line,
            column: column + 1,
        }),
        total: definitions.len() as u64,
        definitions,
        other_root: None,
        truncated: false,
    })
}
