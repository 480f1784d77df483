//! What a name means that comes by an import: in the statement itself, or by the module that it stands for.

use std::rc::Rc;

use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::symbol::{SymbolKind, Visibility};

use super::modules::Module;
use super::resolve::{MOST_CANDIDATES, Outcome, Targets, fits};
use super::scope::Meaning;
use super::{At, Graph, Here};
use crate::extract::facts::{Import, Role};
use crate::lang::{ModuleSystem, conventions};

impl Graph<'_> {
    /// A name in an import statement.
    pub(super) fn named_in_import(&self, here: Here, name: &str) -> Outcome {
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
        // Those nearest to the line first: a statement may go over several.
        let mut near: Vec<_> = imports.iter().filter(is_it).collect();
        near.sort_by_key(|import| import.line.abs_diff(here.line));
        let mut is_lost = false;
        for import in near {
            match self.imported(here, import) {
                Meaning::Unknown => is_lost = true,
                Meaning::Symbols(found, reason) => return self.judged(&found, reason),
                Meaning::Module(module) if import.is_whole() => {
                    return self.stands_for_module(&module);
                }
                Meaning::Module(module) => return self.stands_for(&module, name),
                _ => {}
            }
        }
        // The module of an import that names things in it.
        let whole = imports
            .iter()
            .find(|import| *import.module == *name)
            .and_then(|_| self.module(here, name));
        match whole.or_else(|| self.on_the_way(here, name)) {
            Some(module) => self.stands_for(&module, name),
            None if is_lost => self
                .lost(here, name, Role::Import)
                .unwrap_or(Outcome::Foreign),
            None => Outcome::Foreign,
        }
    }

    /// Whether a name is imported from a module of this root in which it cannot be found.
    pub(super) fn is_lost(&self, here: Here, name: &str) -> bool {
        let imports = &self.file(here.file).outline.imports;
        let mut own = imports
            .iter()
            .filter(|import| self.local_name(here.file, import) == Some(name));
        own.any(|import| self.imported(here, import) == Meaning::Unknown)
    }

    /// What such a name may mean: nothing but the name is known of it.
    pub(super) fn lost(&self, here: Here, name: &str, role: Role) -> Option<Outcome> {
        let may_be = |at: &At| {
            let kind = self.symbol(*at).kind;
            let is_inner = kind == SymbolKind::Method || self.owner(*at).is_some();
            self.are_kin(at.file, here.file)
                && at.file != here.file
                && !is_inner
                && fits(kind, role)
        };
        let symbols: Rc<[At]> = self
            .entities(&self.named(name).filter(may_be).collect::<Vec<_>>())
            .into();
        let resolution = match symbols.len() {
            0 => return None,
            2..=MOST_CANDIDATES => Resolution::Ambiguous,
            _ => Resolution::NameOnly,
        };
        let reason = "imported from a module in which it was not found: by its name";
        Some(Outcome::Targets(Targets {
            symbols,
            resolution,
            by_name: true,
            reason,
        }))
    }

    /// A module in the path of an import, where modules are declared by name.
    fn on_the_way(&self, here: Here, name: &str) -> Option<Module> {
        self.rules(here.file)
            .filter(|rules| rules.modules.hides_outer_names())?;
        self.file(here.file)
            .outline
            .imports
            .iter()
            .find_map(|import| {
                let parts: Vec<&str> = import.module.split("::").collect();
                let place = parts.iter().position(|part| *part == name)?;
                self.module(self.at_import(here, import), &parts[..=place].join("::"))
            })
    }

    /// A module where a thing is expected: what it gives by default.
    pub(super) fn stands_for(&self, module: &Module, name: &str) -> Outcome {
        match module {
            Module::File(file) => {
                if let Some(declared) = self.declaration_of(*file) {
                    return self.judged(&[declared], "a module");
                }
                for given in [conventions::DEFAULT_EXPORT, name] {
                    let found = self.in_module(module, given);
                    if !found.is_empty() {
                        return self.judged(&found, "what its file gives by default");
                    }
                }
                self.by_default(module).map_or(Outcome::Foreign, |at| {
                    self.judged(&[at], "what its file gives by default")
                })
            }
            Module::Inside(at) => self.judged(&[*at], "imported"),
            Module::Namespace(namespace) => {
                let opened = self.names.namespace(namespace);
                if opened.is_empty() {
                    Outcome::Foreign
                } else {
                    self.judged(opened, "imported")
                }
            }
            Module::Folder(_) => Outcome::Foreign,
        }
    }

    /// Whether a file has a module under a name, and not what that gives by default.
    pub(super) fn is_whole_module(&self, file: u32, name: &str) -> bool {
        let imports = &self.file(file).outline.imports;
        imports
            .iter()
            .any(|import| import.is_whole() && self.local_name(file, import) == Some(name))
    }

    /// The one thing that a file exports.
    fn by_default(&self, module: &Module) -> Option<At> {
        let Module::File(file) = module else {
            return None;
        };
        if self
            .rules(*file)
            .is_none_or(|rules| rules.modules != ModuleSystem::Relative)
        {
            return None;
        }
        let symbols = &self.file(*file).outline.symbols;
        let mut public = (0..).zip(symbols).filter(|(_, symbol)| {
            symbol.parent.is_none() && symbol.visibility == Some(Visibility::Public)
        });
        match (public.next(), public.next()) {
            (Some((symbol, _)), None) => Some(At {
                file: *file,
                symbol,
            }),
            _ => None,
        }
    }
}

fn last_part(module: &str) -> &str {
    module
        .rsplit(['.', ':', '\\', '/'])
        .find(|part| !part.is_empty())
        .unwrap_or(module)
}
