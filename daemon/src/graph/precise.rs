//! Names whose definitions are known from an index that the user imported, as a compiler resolved them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::references::Reference;
use super::{Memo, Outcome, Precise, Resolution, SymbolId, Targets, Use, Uses};
use crate::extract::facts::Role;
use crate::extract::type_expr::is_word;
use crate::precise::{DefinitionPosition, PreciseFile, PreciseTarget};

/// A file's precise names, and the reason given for references that they resolve.
#[derive(Clone)]
pub struct PreciseNames {
    pub file: Rc<PreciseFile>,
    pub reason: &'static str,
}

/// Returns the reason given for references that an indexer resolved, by its name and version: `scip-typescript 0.3.15`.
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
    files: Memo<u32, Option<PreciseNames>>,
}

impl Precise<'_, '_> {
    /// Returns the names of a file, if an index describes its current content.
    fn names(self, file: u32) -> Option<PreciseNames> {
        self.precise_memo.files.get(file, || {
            let indexed = self.file(file);
            self.source.precise(&indexed.path, &indexed.record.hash)
        })
    }

    /// Returns the outcome of a use according to an index; none if no index knows it.
    pub(super) fn resolve(self, file: u32, row: &Use) -> Option<Outcome> {
        // A name that is bound here is a definition in an index, not a use.
        if matches!(row.role, Role::Bind | Role::Narrow) {
            return None;
        }
        let names = self.names(file)?;
        let uses = names.file.at(row.line, row.column);
        let mut symbols = vec![];
        let mut is_elsewhere = false;
        for used in uses {
            match self.definition(&names.file, used.target) {
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
            // Several symbols are declarations of one entity, or both sides of `{ size }`.
            resolution: Resolution::Resolved,
            symbols,
            reason: names.reason,
        }))
    }

    /// Returns whether an index knows the symbols that a use refers to.
    pub(super) fn resolves(self, file: u32, row: &Use) -> bool {
        matches!(self.resolve(file, row), Some(Outcome::Targets(_)))
    }

    /// Returns the package that a name is from according to an index, with the reason.
    pub fn package(self, file: u32, row: &Use) -> Option<(String, &'static str)> {
        let names = self.names(file)?;
        let mut uses = names.file.at(row.line, row.column).iter();
        let package = uses.find_map(|used| match used.target {
            PreciseTarget::Package(place) => names.file.packages.get(place as usize),
            PreciseTarget::Definition(_) | PreciseTarget::Local => None,
        });
        Some((package?.clone(), names.reason))
    }

    fn definition(self, names: &PreciseFile, target: PreciseTarget) -> Definition {
        let DefinitionPosition { file, line, column } = match target {
            PreciseTarget::Definition(position) => position,
            PreciseTarget::Local => return Definition::Local,
            PreciseTarget::Package(_) => return Definition::Foreign,
        };
        let Some(file) = names.files.get(file as usize).and_then(|(path, hash)| {
            self.file_number(path)
                .filter(|file| self.file(*file).record.hash == *hash)
        }) else {
            return Definition::ChangedFile;
        };
        // The start of a file refers to the whole file: a module, whose name is not in the text.
        if (line, column) == (1, 0) {
            return Definition::Module;
        }
        let symbol = self.symbol_at(file, line, column);
        symbol.map_or(Definition::NoSymbol, Definition::Symbol)
    }

    /// Returns the uses of a symbol in files that an index describes, under any name, including those that extraction did not
    /// find.
    pub(super) fn uses_of(self, target: SymbolId) -> Vec<Reference> {
        let mut found = vec![];
        for (file, names) in self.users(target) {
            let is_meant = |position| self.is_at(target, &names.file, position);
            let rows = names.file.rows.iter();
            let meant = rows.filter(
                |row| matches!(row.target, PreciseTarget::Definition(position) if is_meant(position)),
            );
            let mut meant: BTreeSet<(u32, u32)> = meant.map(|row| (row.line, row.column)).collect();
            let uses = self.uses(file);
            let mut rows: Vec<Use> = vec![];
            for row in uses.rows().iter().filter(|row| row.role != Role::Narrow) {
                if meant.remove(&(row.line, row.column)) {
                    // `size` in `const { size } = box` binds a variable and reads a property.
                    let role = if row.role.binds() {
                        Role::Read
                    } else {
                        row.role
                    };
                    rows.push(Use { role, ..*row });
                }
            }
            rows.extend(self.unknown_rows(file, meant));
            found.extend(rows.into_iter().map(|row| Reference {
                file,
                row,
                resolution: Resolution::Resolved,
                reason: names.reason,
                candidates: 1,
                by_name: false,
                by_dispatch: false,
                by_index: true,
                shorthand: None,
            }));
        }
        found
    }

    /// Returns the definitions that implement or override a symbol, with the reasons.
    pub fn implementations(self, target: SymbolId) -> Vec<(SymbolId, &'static str)> {
        let mut found = vec![];
        for (file, names) in self.users(target) {
            let all = names.file.implementations.iter();
            for one in all.filter(|one| self.is_at(target, &names.file, one.implemented)) {
                let at = self.symbol_at(file, one.line, one.column);
                found.extend(at.map(|at| (at, names.reason)));
            }
        }
        found
    }

    /// Returns the symbol that the name around a position refers to, with the start of the name and the reason.
    pub fn definition_at(
        self,
        file: u32,
        (line, column): (u32, u32),
    ) -> Option<(SymbolId, (u32, u32), &'static str)> {
        let names = self.names(file)?;
        let rows = &names.file.rows;
        let end = rows.partition_point(|row| (row.line, row.column) <= (line, column));
        let used = rows[..end].last().filter(|row| row.line == line)?;
        let Definition::Symbol(at) = self.definition(&names.file, used.target) else {
            return None;
        };
        let length = u32::try_from(self.symbol(at).name.len()).unwrap_or(u32::MAX);
        let is_covered = column <= used.column.saturating_add(length);
        is_covered.then_some((at, (used.line, used.column), names.reason))
    }

    /// Returns the files that refer to definitions in the file of a symbol, with their names.
    fn users(self, target: SymbolId) -> Vec<(u32, PreciseNames)> {
        let file = self.file(target.file);
        let users = self.source.precise_users(&file.path, &file.record.hash);
        let mut users: Vec<u32> = users
            .iter()
            .filter_map(|path| self.file_number(path))
            .collect();
        users.sort_unstable();
        users.dedup();
        users
            .into_iter()
            .filter_map(|user| Some((user, self.names(user)?)))
            .collect()
    }

    /// Returns whether a position in an index is the current position of a symbol.
    fn is_at(self, target: SymbolId, names: &PreciseFile, position: DefinitionPosition) -> bool {
        let symbol = self.symbol(target);
        let file = self.file(target.file);
        let of = names.files.get(position.file as usize);
        (position.line, position.column) == (symbol.name_line, symbol.name_column)
            && of.is_some_and(|(path, hash)| *path == file.path && *hash == file.record.hash)
    }

    fn symbol_at(self, file: u32, line: u32, column: u32) -> Option<SymbolId> {
        let symbols = &self.file(file).outline.symbols;
        let place = symbols
            .iter()
            .position(|symbol| (symbol.name_line, symbol.name_column) == (line, column));
        let symbol = u32::try_from(place?).ok()?;
        Some(SymbolId { file, symbol })
    }

    /// Returns rows for names that extraction does not know, such as some in macros: calls if arguments follow.
    fn unknown_rows(self, file: u32, positions: BTreeSet<(u32, u32)>) -> Vec<Use> {
        if positions.is_empty() {
            return vec![];
        }
        let text = self.indexed_text(file);
        let text = text.as_deref().unwrap_or_default();
        let lines: Vec<&str> = text.split('\n').collect();
        let row = |(line, column): (u32, u32)| {
            let rest = lines.get(line.saturating_sub(1) as usize);
            let rest = rest.and_then(|line| line.get(column as usize..));
            let behind = rest.unwrap_or_default().trim_start_matches(is_word);
            Use {
                name: Uses::NO_NAME,
                line,
                column,
                role: if behind.starts_with('(') {
                    Role::Call
                } else {
                    Role::Read
                },
                qualifier: None,
                symbol: self.innermost_symbol(file, line),
            }
        };
        positions.into_iter().map(row).collect()
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
