//! Resolution of names in import statements, and of names that refer to modules.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::Module;
use super::resolve::{MAX_CANDIDATES, Outcome, Targets, fits};
use super::scope::Meaning;
use super::{Position, Resolver, SymbolId};
use crate::extract::facts::{Import, Role};
use crate::lang::conventions;

impl Resolver<'_, '_> {
    /// Resolves a name in an import statement.
    pub(super) fn resolve_in_import(self, here: Position, name: &str) -> Outcome {
        let imports = &self.file(here.file).outline.imports;
        let is_it = |import: &&Import| {
            let last = import
                .name
                .as_deref()
                .map(|name| name.rsplit(['.', '\\']).next().unwrap_or(name));
            last == Some(name)
                || import.alias.as_deref() == Some(name)
                || import.name.is_none() && last_part(&import.module) == name
        };
        // The imports nearest to the line come first, because a statement may span several lines.
        let mut near: Vec<_> = imports.iter().filter(is_it).collect();
        near.sort_by_key(|import| import.line.abs_diff(here.line));
        let (mut is_lost, mut is_own) = (false, false);
        for import in near {
            match self.modules().resolve_import(here, import) {
                Meaning::Unknown => {
                    is_lost = true;
                    // A macro may declare it: `use self::flags::Flags` of `bitflags! { … }`.
                    is_own |= self.modules().is_own_path(here.file, &import.module);
                }
                Meaning::Symbols(found, reason) => return self.outcome(&found, reason),
                Meaning::Module(module) if import.is_whole() => {
                    return self.module_outcome(&module);
                }
                Meaning::Module(module) => return self.default_export_outcome(&module, name),
                _ => {}
            }
        }
        // The name may be the module of an import of single names: `shop` in `from shop import Store`.
        let whole = imports
            .iter()
            .find(|import| *import.module == *name)
            .and_then(|_| self.modules().resolve_module(here, name));
        let module = whole
            .or_else(|| self.modules().module_on_import_path(here, name))
            .or_else(|| self.imported_from_type(here, name));
        match module {
            Some(module) => self.default_export_outcome(&module, name),
            None if is_lost => self
                .resolve_missing_import(here, name, Role::Import)
                .unwrap_or(if is_own {
                    Outcome::Unknown
                } else {
                    Outcome::Foreign
                }),
            None => Outcome::Foreign,
        }
    }

    /// Returns the type from which a file imports a member: `Store` of `import static shop.Store.open`.
    fn imported_from_type(self, here: Position, name: &str) -> Option<Module> {
        let imports = &self.file(here.file).outline.imports;
        let of_type = |import: &&Import| import.name.is_some() && last_part(&import.module) == name;
        let nearest = imports
            .iter()
            .filter(of_type)
            .min_by_key(|import| import.line.abs_diff(here.line))?;
        let module = self.modules().resolve_module(here, &nearest.module);
        module.filter(
            |module| matches!(module, Module::Inside(at) if *self.symbol(*at).name == *name),
        )
    }

    /// Returns whether a name is imported from a module of the root in which it is not found.
    pub(super) fn is_missing_import(self, here: Position, name: &str) -> bool {
        let mut own = self.modules().imports_named(here.file, name);
        own.any(|import| self.modules().resolve_import(here, import) == Meaning::Unknown)
    }

    /// Resolves a name whose import is missing in its module, by the name alone.
    pub(super) fn resolve_missing_import(
        self,
        here: Position,
        name: &str,
        role: Role,
    ) -> Option<Outcome> {
        let may_be = |at: &SymbolId| {
            let kind = self.symbol(*at).kind;
            let is_inner = kind == SymbolKind::Method || self.members().owner(*at).is_some();
            self.same_language_family(at.file, here.file)
                && at.file != here.file
                && !is_inner
                && fits(kind, role)
        };
        let symbols: Rc<[SymbolId]> = self
            .entities()
            .distinct(&self.named(name).filter(may_be).collect::<Vec<_>>())
            .into();
        let resolution = match symbols.len() {
            0 => return None,
            2..=MAX_CANDIDATES => Resolution::Ambiguous,
            _ => Resolution::NameOnly,
        };
        let reason = "imported from a module that does not define it; matched by name";
        Some(Outcome::Targets(Targets {
            symbols,
            resolution,
            by_name: true,
            reason,
        }))
    }

    /// Resolves a name that refers to a module but is used as a symbol: to the default export of the module.
    pub(super) fn default_export_outcome(self, module: &Module, name: &str) -> Outcome {
        match module {
            Module::File(file) => {
                if let Some(declared) = self.modules().declaration_of(*file) {
                    return self.outcome(&[declared], "a module");
                }
                for given in [conventions::DEFAULT_EXPORT, name] {
                    let found = self.modules().find(module, given);
                    if !found.is_empty() {
                        return self.outcome(&found, "the default export of its file");
                    }
                }
                self.modules()
                    .only_export(module)
                    .map_or(Outcome::Foreign, |at| {
                        self.outcome(&[at], "the default export of its file")
                    })
            }
            Module::Inside(at) => self.outcome(&[*at], "imported"),
            Module::Namespace(namespace) => {
                let opened = self.names.namespace(namespace);
                if opened.is_empty() {
                    Outcome::Foreign
                } else {
                    self.outcome(opened, "imported")
                }
            }
            Module::Folder(_) => Outcome::Foreign,
        }
    }
}

/// Returns the last part of a module's name: `c` of `a.b.c`.
pub(super) fn last_part(module: &str) -> &str {
    module
        .rsplit(['.', ':', '\\', '/'])
        .find(|part| !part.is_empty())
        .unwrap_or(module)
}
