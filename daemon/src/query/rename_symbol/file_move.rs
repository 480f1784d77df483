//! Files that are named after a symbol in them, and are renamed with it.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::rename_set::RenameSet;
use crate::extract::facts::Role;
use crate::graph::{Graph, SymbolId, Use};
use crate::lang::ModuleSystem;
use crate::lang::families::rust::CRATE_ROOTS;
use crate::lang::families::{Feature, Keyword};

/// A rename of a file within its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMove {
    pub from: String,
    pub to: String,
}

/// Returns the rename of the file that is named after the symbol: `mod store;` and `store.rs`, `class Store` and
/// `Store.java`.
pub fn find_file_move(
    graph: &Graph<'_>,
    set: &RenameSet<'_>,
    new_name: &str,
) -> Result<Option<FileMove>, ToolError> {
    let target = set.target;
    let symbol = graph.symbol(target);
    let from = match module_file(graph, target) {
        Some(file) => file,
        None if symbol.kind == SymbolKind::Module && has_no_body(graph, target) => {
            return Err(ToolError::invalid_argument(format!(
                "`{}` is a module of several files or a folder, which rename_symbol cannot rename; nothing was changed",
                symbol.name
            )));
        }
        None => {
            let named = set
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
    if stem(&from) != &*symbol.name || !graph.snapshot.beneath(&without_extension(&from)).is_empty()
    {
        return Err(ToolError::invalid_argument(format!(
            "renaming `{}` requires renaming {from} and its folder too, which rename_symbol cannot do; nothing was changed",
            symbol.name
        ))
        .with_hint("rename the folder first, with its module"));
    }
    let (folder, name) = from
        .rsplit_once('/')
        .map_or(("", from.as_str()), |(folder, name)| (folder, name));
    let extension = &name[symbol.name.len()..];
    let to = if folder.is_empty() {
        format!("{new_name}{extension}")
    } else {
        format!("{folder}/{new_name}{extension}")
    };
    let is_taken = graph.file_number(&to).is_some()
        || !graph.snapshot.beneath(&without_extension(&to)).is_empty();
    if is_taken {
        let message =
            format!("{from} would be called {to}, which already exists; nothing was changed");
        return Err(ToolError::invalid_argument(message).with_hint("choose another name"));
    }
    Ok(Some(FileMove { from, to }))
}

/// Returns the file of a module that another file declares: `store.rs` or `store/mod.rs` for `mod store;`.
pub fn module_file(graph: &Graph<'_>, at: SymbolId) -> Option<String> {
    let symbol = graph.symbol(at);
    let is_declared = symbol.kind == SymbolKind::Module && has_no_body(graph, at);
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
    // The module is in the folder named after the file. For the root of a crate and for `mod.rs`, it is in the file's own
    // folder.
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

/// Returns whether a file declares a symbol without any contents.
fn has_no_body(graph: &Graph<'_>, at: SymbolId) -> bool {
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

fn without_extension(path: &str) -> String {
    let folder = path.len() - path.rsplit('/').next().unwrap_or(path).len();
    format!("{}{}", &path[..folder], stem(path))
}

/// The certainty that a name in a path means a module that is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleUse {
    Sure,
    Doubtful,
}

/// Returns whether a part of a path means the module `target`, by the `qualifier` before it and the code `after` it; none if
/// `target` is not such a module, or the use is not part of a path.
pub fn module_use(
    graph: &Graph<'_>,
    target: SymbolId,
    file: u32,
    used: &Use,
    qualifier: Option<&str>,
    after: &str,
) -> Option<ModuleUse> {
    module_file(graph, target)?;
    let facts = graph.file(file).language?.facts.as_ref()?;
    if !after.trim_start().starts_with(facts.separator) && used.role != Role::Import {
        return None;
    }
    let declared_in = &graph.file(target.file).path;
    let (folder, name) = declared_in.rsplit_once('/').unwrap_or(("", declared_in));
    let is_top = graph.symbol(target).parent.is_none();
    let is_in_crate = CRATE_ROOTS.contains(&name) && graph.file(file).path.starts_with(folder);
    let keyword = qualifier.map(|word| facts.names.family.keyword(word));
    Some(match keyword {
        None | Some(Some(Keyword::OwnModule)) if file == target.file && is_top => ModuleUse::Sure,
        Some(Some(Keyword::CrateRoot)) if is_in_crate && is_top => ModuleUse::Sure,
        _ => ModuleUse::Doubtful,
    })
}
