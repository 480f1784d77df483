//! Files that are called like what is in them, and get the new name together with it.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::family::Family;
use crate::extract::facts::Role;
use crate::graph::{Graph, SymbolId, Use};
use crate::lang::ModuleSystem;
use crate::lang::families::Feature;

/// A file that gets another name in its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: String,
    pub to: String,
}

/// The file that has to be called otherwise too, if there is one.
pub fn moved(
    graph: &Graph<'_>,
    family: &Family<'_>,
    new_name: &str,
) -> Result<Option<Move>, ToolError> {
    let target = family.target;
    let symbol = graph.symbol(target);
    let from = match module_file(graph, target) {
        Some(file) => file,
        None if symbol.kind == SymbolKind::Module && is_without_body(graph, target) => {
            return Err(ToolError::invalid_argument(format!(
                "`{}` is a module that is more than one file, or a folder, which is not renamed; nothing was changed",
                symbol.name
            )));
        }
        None => {
            let named = family
                .members
                .iter()
                .map(|at| &graph.file(at.file).path)
                .find(|path| stem(path) == &*symbol.name);
            let names_file = graph
                .rules(target.file)
                .is_some_and(|rules| rules.has(Feature::PublicTypesNameFiles))
                && symbol.kind.is_type()
                && symbol.parent.is_none();
            match named.filter(|_| names_file) {
                Some(path) => path.clone(),
                None => return Ok(None),
            }
        }
    };
    if stem(&from) != &*symbol.name || !graph.snapshot.beneath(&without_ending(&from)).is_empty() {
        return Err(ToolError::invalid_argument(format!(
            "{from} and the folder of `{}` would have to be renamed too, which is not done; nothing was changed",
            symbol.name
        ))
        .with_hint("rename the folder first, with its module"));
    }
    let (folder, name) = from
        .rsplit_once('/')
        .map_or(("", from.as_str()), |(folder, name)| (folder, name));
    let ending = &name[symbol.name.len()..];
    let to = if folder.is_empty() {
        format!("{new_name}{ending}")
    } else {
        format!("{folder}/{new_name}{ending}")
    };
    let is_taken = graph.file_number(&to).is_some()
        || !graph.snapshot.beneath(&without_ending(&to)).is_empty();
    if is_taken {
        let message =
            format!("{from} would be called {to}, which is there already; nothing was changed");
        return Err(ToolError::invalid_argument(message).with_hint("choose another name"));
    }
    Ok(Some(Move { from, to }))
}

/// The file that a module stands for, where it is declared in another.
pub fn module_file(graph: &Graph<'_>, at: SymbolId) -> Option<String> {
    let symbol = graph.symbol(at);
    let is_declared = symbol.kind == SymbolKind::Module && is_without_body(graph, at);
    let rules = graph
        .rules(at.file)
        .filter(|rules| is_declared && rules.modules == ModuleSystem::Crate)?;
    let path = &graph.file(at.file).path;
    let (folder, name) = path
        .rsplit_once('/')
        .map_or((String::new(), path.as_str()), |(folder, name)| {
            (format!("{folder}/"), name)
        });
    let (own, ending) = name.split_once('.')?;
    let mut around: Vec<String> = graph
        .file(at.file)
        .containers(symbol)
        .map(|name| format!("{name}/"))
        .collect();
    around.reverse();
    let around = around.concat();
    let inner = format!("{around}{}", symbol.name);
    // Beneath a folder called like the file, unless that is the root of a crate or stands for its folder.
    let folders = [format!("{folder}{own}/"), folder];
    let indexes: Vec<String> = rules
        .index_files
        .iter()
        .map(|index| format!("/{index}.{ending}"))
        .collect();
    let endings = || std::iter::once(format!(".{ending}")).chain(indexes.iter().cloned());
    let found = folders.iter().find_map(|folder| {
        endings()
            .map(|ending| format!("{folder}{inner}{ending}"))
            .find(|path| graph.file_number(path).is_some())
    });
    found.filter(|found| found != path)
}

/// Whether nothing stands in it, here at least.
fn is_without_body(graph: &Graph<'_>, at: SymbolId) -> bool {
    !graph
        .file(at.file)
        .outline
        .symbols
        .iter()
        .any(|one| one.parent == Some(at.symbol))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn without_ending(path: &str) -> String {
    let folder = path.len() - path.rsplit('/').next().unwrap_or(path).len();
    format!("{}{}", &path[..folder], stem(path))
}

/// How sure it is that a name in a path means a module that is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleUse {
    Sure,
    Doubtful,
}

/// None where no such module is asked about, or the name is no part of a path.
pub fn module_use(
    graph: &Graph<'_>,
    target: SymbolId,
    file: u32,
    row: &Use,
    qualifier: Option<&str>,
    after: &str,
) -> Option<ModuleUse> {
    module_file(graph, target)?;
    let is_path = after.trim_start().starts_with("::") || row.role == Role::Import;
    let root = &graph.file(target.file).path;
    let is_root = matches!(stem(root), "lib" | "main");
    let is_top = graph.symbol(target).parent.is_none();
    let of_crate = |path: &str| {
        path.rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned()
    };
    let is_beneath = graph.file(file).path.starts_with(&of_crate(root));
    is_path.then_some(match qualifier {
        None | Some("self") if file == target.file && is_top => ModuleUse::Sure,
        Some("crate") if is_root && is_top && is_beneath => ModuleUse::Sure,
        _ => ModuleUse::Doubtful,
    })
}
