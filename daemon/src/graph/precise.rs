//! Names whose definitions a compiler knows, by an index that the user imported.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::references::Reference;
use super::{Outcome, Precise, Resolution, SymbolId, Targets, Use};
use crate::extract::facts::Role;
use crate::precise::{PreciseFile, PreciseTarget, PreciseUse};

/// A file's precise names, and the reason that references by them have.
#[derive(Clone)]
pub struct PreciseNames {
    pub file: Rc<PreciseFile>,
    pub reason: &'static str,
}

/// Returns the reason of references that an indexer resolved: `scip-typescript 0.3.15`.
pub fn reason(tool: &str) -> &'static str {
    match tool.split(' ').next().unwrap_or_default() {
        "rust-analyzer" => "resolved by rust-analyzer",
        "scip-typescript" => "resolved by scip-typescript",
        "scip-python" => "resolved by scip-python",
        "scip-go" => "resolved by scip-go",
        "scip-java" => "resolved by scip-java",
        "scip-clang" => "resolved by scip-clang",
        "scip-ruby" => "resolved by scip-ruby",
        "scip-dotnet" => "resolved by scip-dotnet",
        "scip-php" => "resolved by scip-php",
        "scip-dart" => "resolved by scip-dart",
        _ => "resolved by a SCIP index",
    }
}

#[derive(Default)]
pub(super) struct PreciseMemo {
    files: RefCell<HashMap<u32, Option<PreciseNames>>>,
}

impl Precise<'_, '_> {
    /// Returns the names of a file, if an index describes it as it is.
    fn names(self, file: u32) -> Option<PreciseNames> {
        if let Some(names) = self.precise_memo.files.borrow().get(&file) {
            return names.clone();
        }
        let indexed = self.file(file);
        let names = self.source.precise(&indexed.path, &indexed.record.hash);
        let mut files = self.precise_memo.files.borrow_mut();
        files.insert(file, names.clone());
        names
    }

    /// Returns the outcome that an index knows for a use.
    pub(super) fn resolve(self, file: u32, row: &Use) -> Option<Outcome> {
        // A name that is bound here is a definition in an index, and no use.
        if matches!(row.role, Role::Bind | Role::Narrow) {
            return None;
        }
        let names = self.names(file)?;
        let uses = names.file.at(row.line, row.column);
        let mut symbols = vec![];
        let mut is_elsewhere = false;
        for used in uses {
            match self.definition(&names.file, used) {
                Definition::Symbol(at) => symbols.push(at),
                Definition::Local => return Some(Outcome::Local),
                Definition::Foreign => return Some(Outcome::Foreign),
                Definition::NoSymbol => is_elsewhere = true,
                Definition::Module | Definition::ChangedFile => {}
            }
        }
        if symbols.is_empty() {
            return is_elsewhere.then_some(Outcome::Local);
        }
        let symbols: Rc<[SymbolId]> = self.entities().distinct(&symbols).into();
        Some(Outcome::Targets(Targets {
            by_name: false,
            // Several are declarations of one symbol, or both sides of `{ size }`.
            resolution: Resolution::Resolved,
            symbols,
            reason: names.reason,
        }))
    }

    /// Returns the package that an index knows a name to be from, with the reason.
    pub fn package(self, file: u32, row: &Use) -> Option<(String, &'static str)> {
        let names = self.names(file)?;
        let mut uses = names.file.at(row.line, row.column).iter();
        let package = uses.find_map(|used| match used.target {
            PreciseTarget::Package(place) => names.file.packages.get(place as usize),
            PreciseTarget::Definition { .. } | PreciseTarget::Local => None,
        });
        Some((package?.clone(), names.reason))
    }

    fn definition(self, names: &PreciseFile, used: &PreciseUse) -> Definition {
        let (file, line, column) = match used.target {
            PreciseTarget::Definition { file, line, column } => (file, line, column),
            PreciseTarget::Local => return Definition::Local,
            PreciseTarget::Package(_) => return Definition::Foreign,
        };
        let Some(file) = names.files.get(file as usize).and_then(|(path, hash)| {
            self.file_number(path)
                .filter(|file| self.file(*file).record.hash == *hash)
        }) else {
            return Definition::ChangedFile;
        };
        // A whole file is a module, which has no name in it.
        if (line, column) == (1, 0) {
            return Definition::Module;
        }
        let symbols = &self.file(file).outline.symbols;
        let place = symbols
            .iter()
            .position(|symbol| (symbol.name_line, symbol.name_column) == (line, column));
        match place.and_then(|place| u32::try_from(place).ok()) {
            Some(symbol) => Definition::Symbol(SymbolId { file, symbol }),
            None => Definition::NoSymbol,
        }
    }

    /// Returns the uses of a symbol in files that an index describes, whatever name they have there.
    pub(super) fn uses_of(self, target: SymbolId) -> Vec<Reference> {
        let (path, hash) = {
            let file = self.file(target.file);
            (&file.path, &file.record.hash)
        };
        let symbol = self.symbol(target);
        let mut found = vec![];
        for user in self.source.precise_users(path, hash) {
            let Some(file) = self.file_number(&user) else {
                continue;
            };
            let Some(names) = self.names(file) else {
                continue;
            };
            let is_meant = |used: &PreciseUse| {
                let PreciseTarget::Definition { file, line, column } = used.target else {
                    return false;
                };
                (line, column) == (symbol.name_line, symbol.name_column)
                    && names
                        .file
                        .files
                        .get(file as usize)
                        .is_some_and(|(of, with)| of == path && with == hash)
            };
            let meant = names.file.rows.iter().filter(|row| is_meant(row));
            let meant: HashSet<(u32, u32)> = meant.map(|row| (row.line, row.column)).collect();
            if meant.is_empty() {
                continue;
            }
            let uses = self.uses(file);
            let rows = uses.rows().iter().filter(|row| !row.role.binds());
            for row in rows.filter(|row| meant.contains(&(row.line, row.column))) {
                found.push(Reference {
                    file,
                    row: *row,
                    resolution: Resolution::Resolved,
                    reason: names.reason,
                    candidates: 1,
                    by_name: false,
                    by_dispatch: false,
                    shorthand: None,
                });
            }
        }
        found
    }
}

/// The definition of a use.
enum Definition {
    Symbol(SymbolId),
    /// A definition that the outline has no symbol for, such as a parameter.
    NoSymbol,
    Local,
    Foreign,
    /// A whole file, which the graph resolves itself.
    Module,
    /// Its file has changed since the index was made.
    ChangedFile,
}
