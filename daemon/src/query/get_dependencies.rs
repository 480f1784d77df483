//! `get_dependencies`: the imports of a file, the files that they lead to, and the files that import it.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::get_dependencies::{
    Dependencies, DependencyDirection, Dependent, DependentsKnown, GetDependencies, Import,
    ImportResolution, ImportedName,
};

use super::Context;
use super::shared::graph_root::GraphRoot;
use crate::extract::facts::{self, Reach};
use crate::graph::Graph;
use crate::lang::ModuleSystem;

pub fn get_dependencies(
    context: &Context,
    params: &GetDependencies,
) -> Result<Dependencies, ToolError> {
    let root = GraphRoot::open(context)?;
    let indexed = &root.indexed;
    let path = indexed.path(Some(&params.path))?;
    let file = indexed.file(&path)?;
    let graph = root.graph();
    let number = graph
        .file_number(&path)
        .ok_or_else(|| indexed.not_indexed(&path))?;
    let direction = params.direction.unwrap_or_default();
    let imports = match direction {
        DependencyDirection::Dependents => vec![],
        DependencyDirection::Imports | DependencyDirection::Both => {
            import_statements(&graph, number)
        }
    };
    context.cancel.check()?;
    let is_followed = graph
        .rules(number)
        .is_some_and(|rules| rules.modules != ModuleSystem::None);
    let (dependents, dependents_known) = match direction {
        DependencyDirection::Imports => (vec![], DependentsKnown::NotAsked),
        _ if !is_followed => (vec![], DependentsKnown::NotResolved),
        _ => (dependents(&graph, number), DependentsKnown::All),
    };
    let language = file.language.map(|language| language.id.to_owned());
    Ok(Dependencies {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: indexed.freshness.clone(),
        language,
        direction,
        total_imports: imports.len() as u64,
        imports,
        total_dependents: dependents.len() as u64,
        dependents,
        dependents_known,
        truncated: false,
        path,
    })
}

fn dependents(graph: &Graph<'_>, target: u32) -> Vec<Dependent> {
    let mut found: Vec<Dependent> = vec![];
    for (file, place) in graph.dependencies().dependents(target) {
        let import = &graph.file(file).outline.imports[place];
        let path = &graph.file(file).path;
        let name = import.name.as_ref().map(|name| ImportedName {
            name: name.to_string(),
            alias: import.alias.as_ref().map(ToString::to_string),
        });
        match found.last_mut().filter(|last| {
            last.path == *path && last.line == import.line && last.module == *import.module
        }) {
            Some(last) => last.names.extend(name),
            None => found.push(Dependent {
                path: path.clone(),
                line: import.line,
                module: import.module.to_string(),
                names: name.into_iter().collect(),
                resolution: ImportResolution::Resolved,
            }),
        }
    }
    found
}

/// Returns the imports of a file; names from one module on one line are one import.
fn import_statements(graph: &Graph<'_>, file: u32) -> Vec<Import> {
    let mut statements: Vec<Import> = vec![];
    for import in &graph.file(file).outline.imports {
        let re_export = import.reach == Reach::Reexport;
        let wildcard = import.reach == Reach::Wildcard;
        let same = statements.last_mut().filter(|last| {
            last.module == *import.module
                && last.line == import.line
                && last.re_export == re_export
                && !wildcard
        });
        let name = import.name.as_ref().map(|name| ImportedName {
            name: name.to_string(),
            alias: import.alias.as_ref().map(ToString::to_string),
        });
        let targets = targets(graph, file, import);
        match (same, name) {
            (Some(last), Some(name)) if !last.wildcard => {
                last.names.push(name);
                let more: Vec<String> = targets
                    .into_iter()
                    .filter(|path| !last.targets.contains(path))
                    .collect();
                last.targets.extend(more);
                if !last.targets.is_empty() {
                    last.resolution = ImportResolution::Resolved;
                }
            }
            (_, name) => statements.push(Import {
                line: import.line,
                module: import.module.to_string(),
                alias: import
                    .alias
                    .as_ref()
                    .filter(|_| name.is_none())
                    .map(ToString::to_string),
                names: name.into_iter().collect(),
                wildcard,
                re_export,
                resolution: match graph.rules(file).map(|rules| rules.modules) {
                    None | Some(ModuleSystem::None) => ImportResolution::Unresolved,
                    Some(_) if targets.is_empty() => ImportResolution::External,
                    Some(_) => ImportResolution::Resolved,
                },
                targets,
            }),
        }
    }
    statements
}

fn targets(graph: &Graph<'_>, file: u32, import: &facts::Import) -> Vec<String> {
    let files = graph.dependencies().files_imported_by(file, import);
    files
        .into_iter()
        .map(|file| graph.file(file).path.clone())
        .collect()
}
