//! Names and modules that files export under other names, or re-export: `pub use store::Text`, `export * from "./store"`, any
//! import in Python.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::super::scope::Meaning;
use super::super::{Modules, Position, SymbolId};
use super::Module;
use crate::extract::facts::{Import, Reach};
use crate::lang::families::Feature;

impl<'a> Modules<'_, 'a> {
    /// Adds the symbols that a file re-exports under the name of one of its modules: `mod open; pub use open::open;`.
    pub(super) fn with_reexported_symbols(
        self,
        file: u32,
        name: &str,
        mut own: Vec<SymbolId>,
    ) -> Vec<SymbolId> {
        let is_module = |at: &SymbolId| self.symbol(*at).kind == SymbolKind::Module;
        let hides = self
            .rules(file)
            .is_some_and(|rules| rules.modules.hides_outer_names());
        if hides && own.iter().all(is_module) {
            own.extend(self.find_reexported(file, name));
        }
        own
    }

    /// Returns the symbols with this name that a file re-exports, or imports for the modules inside it.
    pub(super) fn find_reexported(self, file: u32, name: &str) -> Vec<SymbolId> {
        let Some(rules) = self.rules(file) else {
            return vec![];
        };
        let here = Position::at_line(file, 0);
        let imports = &self.file(file).outline.imports;
        let passes_all =
            rules.has(Feature::ImportsAreMembers) || rules.has(Feature::ImportsVisibleInside);
        for import in imports {
            let passes = passes_all || import.reach == Reach::Reexport;
            if !passes || import.reach == Reach::Wildcard {
                continue;
            }
            let is_all = import.reexports_all();
            if is_all || self.local_name(file, import) == Some(name) {
                let found = match self.resolve_import(here, import) {
                    Meaning::Module(module) if is_all => self.find(&module, name),
                    Meaning::Symbols(found, _) if !is_all => found,
                    _ => vec![],
                };
                if !found.is_empty() {
                    return found;
                }
            }
        }
        for import in imports
            .iter()
            .filter(|import| import.reach == Reach::Wildcard)
        {
            if let Some(module) = self.resolve_module(here, &import.module) {
                let found = self.find(&module, name);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        vec![]
    }

    /// Returns the symbols with this name that a `mod` block re-exports by the imports between its lines.
    pub(super) fn find_reexported_in_block(self, at: SymbolId, name: &str) -> Vec<SymbolId> {
        let symbol = self.symbol(at);
        let here = Position::declaration(&self, at);
        let here = Position {
            line: symbol.end_line,
            ..here
        };
        let imports = &self.file(at.file).outline.imports;
        let innermost_module = |line: u32| {
            self.enclosing(at.file, self.innermost_symbol(at.file, line))
                .find(|one| self.symbol(*one).kind == SymbolKind::Module)
        };
        let is_own = |import: &&Import| {
            (symbol.start_line..=symbol.end_line).contains(&import.line)
                && innermost_module(import.line) == Some(at)
        };
        let (all, named): (Vec<&Import>, Vec<&Import>) =
            (imports.iter().filter(is_own)).partition(|import| import.reach == Reach::Wildcard);
        for import in named {
            if self.local_name(at.file, import) == Some(name)
                && let Meaning::Symbols(found, _) = self.resolve_import(here, import)
            {
                return found;
            }
        }
        // Modules inside a module can import what a wildcard brings into it: `mod tests { use super::*; mod open { … } }`.
        let found = all.into_iter().find_map(|import| {
            let module = self.resolve_module(self.import_position(here, import), &import.module)?;
            Some(self.find(&module, name)).filter(|found| !found.is_empty())
        });
        found.unwrap_or_default()
    }

    /// Returns the module that a file re-exports under a name, directly or through a re-export of everything:
    /// `export * as store from "./store"`, `export * from "./all"`.
    pub(super) fn reexported_module(self, file: u32, name: &str) -> Option<Module> {
        self.module_memo
            .reexported
            .get((file, name.to_owned()), || {
                let here = Position::at_line(file, 0);
                let is_it = |import: &&Import| {
                    import.reach == Reach::Reexport
                        && import.is_whole()
                        && self.local_name(file, import) == Some(name)
                };
                let imports = &self.file(file).outline.imports;
                if let Some(import) = imports.iter().find(is_it) {
                    return self.resolve_module(here, &import.module);
                }
                imports
                    .iter()
                    .filter(|import| import.reexports_all())
                    .find_map(|import| match self.resolve_module(here, &import.module)? {
                        Module::File(other) => self.reexported_module(other, name),
                        _ => None,
                    })
            })
    }

    /// Returns the symbols that a file exports under a name that differs from its own name for them.
    pub(super) fn find_exported(self, file: u32, outside: &str) -> Vec<SymbolId> {
        let (Some(name), Some(rules)) = (self.exported_name(file, outside), self.rules(file))
        else {
            return vec![];
        };
        let here = Position::at_line(file, 0);
        let own = self.scopes().exportable(file, name);
        if !own.is_empty() {
            return own;
        }
        match self.scopes().find_implicit(here, name, rules) {
            Meaning::Symbols(found, _) => found,
            _ => vec![],
        }
    }

    /// Returns a file's own name for what it exports as `outside`.
    pub(super) fn exported_name(self, file: u32, outside: &str) -> Option<&'a str> {
        let given = &self.file(file).outline.exports;
        given
            .iter()
            .find(|given| *given.outside == *outside)
            .map(|given| &*given.name)
    }

    /// Returns the symbols that any file exports under this name, which is not their own: `export { open as openStore }`.
    pub fn exported_as(self, name: &str) -> Vec<SymbolId> {
        let passes = |import: &Import| {
            import.reach == Reach::Reexport && import.alias.as_deref() == Some(name)
        };
        let mut found = vec![];
        for (file, indexed) in (0..).zip(&self.snapshot.files) {
            let outline = &indexed.outline;
            if outline
                .exports
                .iter()
                .any(|export| *export.outside == *name)
                || outline.imports.iter().any(passes)
            {
                found.extend(self.find(&Module::File(file), name));
            }
        }
        self.entities().distinct(&found)
    }
}
