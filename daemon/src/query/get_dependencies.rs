//! `get_dependencies`: what a file imports, as it is written there.

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::get_dependencies::{
    Dependencies, DependencyDirection, DependentsKnown, GetDependencies, Import, ImportResolution, ImportedName,
};

use super::Context;
use super::indexed::Indexed;
use crate::extract::facts::{self, Reach};

pub fn get_dependencies(context: &Context, params: &GetDependencies) -> Result<Dependencies, ToolError> {
    let indexed = Indexed::of(context)?;
    let path = indexed.path(Some(&params.path))?;
    let file = indexed.file(&path)?;
    let direction = params.direction.unwrap_or_default();
    let imports = match direction {
        DependencyDirection::Dependents => vec![],
        DependencyDirection::Imports | DependencyDirection::Both => statements(&file.outline.imports),
    };
    let language = file.language.map(|language| language.id.to_owned());
    Ok(Dependencies {
        root: indexed.root.path,
        root_name: indexed.root.name,
        max_tokens: params.shared().max_tokens,
        freshness: indexed.freshness,
        path,
        language,
        direction,
        total_imports: imports.len() as u64,
        imports,
        total_dependents: 0,
        dependents: vec![],
        dependents_known: match direction {
            DependencyDirection::Imports => DependentsKnown::NotAsked,
            DependencyDirection::Dependents | DependencyDirection::Both => DependentsKnown::NotResolved,
        },
        truncated: false,
    })
}

/// What is taken from one module on one line is one import.
fn statements(imports: &[facts::Import]) -> Vec<Import> {
    let mut statements: Vec<Import> = vec![];
    for import in imports {
        let re_export = import.reach == Reach::Reexport;
        let wildcard = import.reach == Reach::Wildcard;
        let same = statements.last_mut().filter(|last| {
            last.module == *import.module && last.line == import.line && last.re_export == re_export && !wildcard
        });
        let name = import
            .name
            .as_ref()
            .map(|name| ImportedName { name: name.to_string(), alias: import.alias.as_ref().map(ToString::to_string) });
        match (same, name) {
            (Some(last), Some(name)) if !last.wildcard => last.names.push(name),
            (_, name) => statements.push(Import {
                line: import.line,
                module: import.module.to_string(),
                alias: import.alias.as_ref().filter(|_| name.is_none()).map(ToString::to_string),
                names: name.into_iter().collect(),
                wildcard,
                re_export,
                resolution: ImportResolution::Unresolved,
                target: None,
            }),
        }
    }
    statements
}
