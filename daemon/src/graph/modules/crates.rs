//! Modules that are a tree of files under the root of a crate, and modules inside those files.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::super::scope::Meaning;
use super::super::{Modules, Position, SymbolId};
use super::{Module, stem};
use crate::index::root_paths::{folder, join};
use crate::lang::families::rust::{
    BINARIES_FOLDER, CRATE_FOLDERS, CRATE_ROOTS, EXTENSION, FOLDER_MODULE, MANIFEST, SOURCE_FOLDER,
};
use crate::lang::families::{FamilyRules, Keyword, rust};

impl Modules<'_, '_> {
    /// Resolves a path of modules: `super::a`, `a::b`, or a path in another crate.
    pub(super) fn resolve_crate_path(self, here: Position, text: &str) -> Option<Module> {
        let mut parts = text
            .split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let head = parts.next()?;
        let mut module = match rust::Rust.keyword(head) {
            Some(Keyword::CrateRoot) => self.crate_root(here.file)?,
            Some(Keyword::OwnModule) => self.enclosing_module(here),
            Some(Keyword::ParentModule) => self.parent_module(&self.enclosing_module(here))?,
            _ => self.resolve_path_head(here, head)?,
        };
        for part in parts {
            module = match rust::Rust.keyword(part) {
                Some(Keyword::ParentModule) => self.parent_module(&module)?,
                _ => self.resolve_path_part(&module, part)?,
            };
        }
        Some(module)
    }

    fn resolve_path_head(self, here: Position, name: &str) -> Option<Module> {
        let around = self.enclosing_module(here);
        if let Some(found) = self.resolve_path_part(&around, name) {
            return Some(found);
        }
        for import in &self.file(here.file).outline.imports {
            let own = import.alias.as_deref().or(import.name.as_deref());
            let is_it = own == Some(name)
                || own.is_some_and(|own| self.is_own_module(here.file, own))
                    && self.last_part(here.file, &import.module) == name;
            if is_it && let Meaning::Module(module) = self.resolve_import(here, import) {
                return Some(module);
            }
        }
        let from = &self.file(here.file).path;
        let manifests = self.manifests();
        let folders = manifests.crate_dirs(name, from).into_iter();
        let mut tries =
            folders.flat_map(|folder| CRATE_ROOTS.into_iter().map(move |root| (folder, root)));
        tries
            .find_map(|(folder, root)| {
                self.file_number(&join(&join(folder, SOURCE_FOLDER), root))
                    .or_else(|| self.file_number(&join(folder, root)))
            })
            .map(Module::File)
    }

    /// Returns what a part of a path names: a file, a `mod` block, a type, or a re-export.
    fn resolve_path_part(self, module: &Module, name: &str) -> Option<Module> {
        if let Some(found) = self.submodule(module, name) {
            return Some(found);
        }
        let found = self.find(module, name);
        let of = |at: &SymbolId| {
            self.symbol(*at).kind == SymbolKind::Module || self.symbol(*at).kind.is_type()
        };
        if let Some(at) = found.iter().copied().find(of) {
            return Some(
                self.file_of_module(at)
                    .map_or(Module::Inside(at), Module::File),
            );
        }
        // A module can be re-exported as well.
        let Module::File(file) = module else {
            return None;
        };
        let here = Position::at_line(*file, 0);
        self.file(*file).outline.imports.iter().find_map(|import| {
            let own = import.alias.as_deref().or(import.name.as_deref());
            match (own == Some(name)).then(|| self.resolve_import(here, import)) {
                Some(Meaning::Module(module)) => Some(module),
                _ => None,
            }
        })
    }

    /// Returns the module around a position: a `mod` block, or the file.
    fn enclosing_module(self, here: Position) -> Module {
        let block = self.enclosing(here.file, here.symbol).find(|at| {
            let symbol = self.symbol(*at);
            symbol.kind == SymbolKind::Module && symbol.start_line < symbol.end_line
        });
        block.map_or(Module::File(here.file), Module::Inside)
    }

    fn parent_module(self, module: &Module) -> Option<Module> {
        match module {
            Module::Inside(at) => {
                let parent = self.parent(*at);
                Some(parent.map_or(Module::File(at.file), Module::Inside))
            }
            Module::File(file) => {
                let path = &self.file(*file).path;
                let up = if stem(path) == FOLDER_MODULE {
                    folder(folder(path))
                } else {
                    folder(path)
                };
                let above = self.file_of_folder(up).map(Module::File);
                above.or_else(|| {
                    // A module of a file with any name, perhaps in a block: `mod test { mod helpers; }` in `integration.rs`.
                    let declared = self.declaration_of(*file)?;
                    let block = self.parent(declared).map(Module::Inside);
                    Some(block.unwrap_or(Module::File(declared.file)))
                })
            }
            _ => None,
        }
    }

    /// Returns the file of a folder's module: `store/mod.rs`, or `store.rs` beside it.
    fn file_of_folder(self, folder: &str) -> Option<u32> {
        let roots = CRATE_ROOTS.iter().map(|root| join(folder, root));
        let tries = roots.chain(
            [join(folder, FOLDER_MODULE), folder.to_owned()]
                .map(|path| format!("{path}.{EXTENSION}")),
        );
        tries.into_iter().find_map(|path| self.file_number(&path))
    }

    fn crate_root(self, file: u32) -> Option<Module> {
        let path = &self.file(file).path;
        let mut up = folder(path);
        if self.is_crate_folder(up) {
            return Some(Module::File(file));
        }
        loop {
            let apart = self.is_crate_folder(up);
            for root in CRATE_ROOTS {
                if let Some(found) = self.file_number(&join(up, root)) {
                    return Some(Module::File(found));
                }
            }
            if up.is_empty() || apart {
                return Some(Module::File(file));
            }
            up = folder(up);
        }
    }

    /// Returns whether the files of a folder are crates of their own: `tests/`. A module of a crate may have the name of such a
    /// folder, too.
    fn is_crate_folder(self, of: &str) -> bool {
        let (above, name) = of.rsplit_once('/').unwrap_or(("", of));
        let is_among_modules =
            above.split('/').any(|part| part == SOURCE_FOLDER) && name != BINARIES_FOLDER;
        CRATE_FOLDERS.contains(&name)
            && (!is_among_modules || self.file_number(&join(above, MANIFEST)).is_some())
    }

    /// Returns the module `name` of a file: `store/text.rs` for `mod text;` in `store.rs`.
    pub(super) fn child_module(self, file: u32, name: &str) -> Option<Module> {
        if let Some(found) = self.child_file(file, &[], name) {
            return (found != file).then_some(Module::File(found));
        }
        let blocks = self.scopes().top_level(file, name);
        blocks
            .into_iter()
            .find(|at| self.symbol(*at).kind == SymbolKind::Module)
            .map(Module::Inside)
    }

    /// Returns the file of the module `name` that is declared in a file, inside these blocks, the outermost first.
    fn child_file(self, file: u32, blocks: &[&str], name: &str) -> Option<u32> {
        let path = &self.file(file).path;
        let name_of_file = path.rsplit('/').next().unwrap_or(path);
        let up = folder(path);
        let is_root = CRATE_ROOTS.contains(&name_of_file)
            || stem(name_of_file) == FOLDER_MODULE
            || self.is_crate_folder(up);
        let base = if is_root {
            up.to_owned()
        } else {
            join(up, stem(path))
        };
        let base = blocks.iter().fold(base, |base, block| join(&base, block));
        let tries = [join(&base, name), join(&join(&base, name), FOLDER_MODULE)]
            .map(|path| format!("{path}.{EXTENSION}"));
        tries.iter().find_map(|path| self.file_number(path))
    }

    /// Returns the `mod name;` that declares a file.
    pub(in crate::graph) fn declaration_of(self, file: u32) -> Option<SymbolId> {
        self.rules(file)
            .filter(|rules| rules.modules.hides_outer_names())?;
        let path = &self.file(file).path;
        let name = if stem(path) == FOLDER_MODULE {
            folder(path).rsplit('/').next()?
        } else {
            stem(path)
        };
        self.named(name)
            .find(|at| self.file_of_module(*at) == Some(file))
    }

    /// Returns the file that a `mod name;` declares.
    pub fn file_of_module(self, at: SymbolId) -> Option<u32> {
        let symbol = self.symbol(at);
        if symbol.kind != SymbolKind::Module || symbol.start_line < symbol.end_line {
            return None;
        }
        let around = self.enclosing(at.file, symbol.parent);
        let mut blocks: Vec<&str> = around
            .filter(|one| self.symbol(*one).kind == SymbolKind::Module)
            .map(|one| &*self.symbol(one).name)
            .collect();
        blocks.reverse();
        let found = self.child_file(at.file, &blocks, &symbol.name);
        found.filter(|file| *file != at.file)
    }
}
