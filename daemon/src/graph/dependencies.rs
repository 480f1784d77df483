//! The files that an import leads to, and the imports that lead to a file.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::{Module, stem};
use super::scope::Meaning;
use super::{Dependencies, Position};
use crate::extract::facts::Import;
use crate::index::names::namespace_of;
use crate::index::root_paths::folder;
use crate::lang::families::Family;

impl Dependencies<'_, '_> {
    /// Returns the files of this root that an import depends on, in the order of their paths: the file that it names, and the
    /// files that define what it imports. An import in an inner module can lead to its own file. Empty for an import from
    /// outside the root.
    pub fn files_imported_by(self, file: u32, import: &Import) -> Vec<u32> {
        let here = Position::at_line(file, import.line);
        let named = self
            .modules()
            .resolve_module(self.modules().import_position(here, import), &import.module);
        let mut found = match self.modules().resolve_import(here, import) {
            Meaning::Symbols(symbols, _) => symbols.into_iter().map(|at| at.file).collect(),
            Meaning::Module(module) => self.files_of_module(&module, file),
            // The imported name may be defined in a way that extraction does not see, but the module is known.
            _ => named
                .as_ref()
                .map(|module| self.files_of_module(module, file))
                .unwrap_or_default(),
        };
        // A file that only re-exports the imported name is a dependency too.
        if let Some(Module::File(passes)) = named {
            found.push(passes);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn files_of_module(self, module: &Module, from: u32) -> Vec<u32> {
        match module {
            Module::File(file) => vec![*file],
            Module::Inside(at) => vec![at.file],
            Module::Namespace(namespace) => self
                .names
                .namespace(namespace)
                .iter()
                .map(|at| at.file)
                .collect(),
            Module::Folder(path) => (0..)
                .zip(&self.snapshot.files)
                .filter(|(number, file)| {
                    folder(&file.path) == &**path && self.same_language_family(*number, from)
                })
                .filter(|(number, _)| !self.tests().is_test_file(*number))
                .map(|(number, _)| number)
                .collect(),
        }
    }

    /// Returns the imports that lead to a file, each as the importing file and the index of the import in that file's list.
    pub fn dependents(self, target: u32) -> Vec<(u32, usize)> {
        let path = &self.file(target).path;
        let (own, around) = (
            stem(path),
            folder(path).rsplit('/').next().unwrap_or_default(),
        );
        let namespace = namespace_of(self.file(target), None);
        let last = namespace
            .as_deref()
            .and_then(|name| name.rsplit('.').next())
            .unwrap_or_default();
        let names: Vec<&str> = self
            .file(target)
            .outline
            .symbols
            .iter()
            .filter(|symbol| symbol.parent.is_none() || symbol.kind == SymbolKind::Module)
            .map(|symbol| &*symbol.name)
            .collect();
        let manifests = self.modules().manifests();
        let prefixes: Vec<&str> = manifests.import_prefixes(path).collect();
        let family = (self.rules(target)).map_or(Family::None, |rules| rules.family);
        // Resolving an import costs more than this check that rules most of them out.
        let may_lead = |import: &Import| {
            let text = import.module.to_lowercase();
            let has = |word: &str| !word.is_empty() && text.contains(&word.to_lowercase());
            let name = import.name.as_deref();
            has(own)
                || has(around)
                || has(last)
                || text.starts_with('.')
                || (prefixes.iter()).any(|prefix| import.module.starts_with(prefix))
                || text.split("::").any(|part| family.keyword(part).is_some())
                || name.is_some_and(|name| name == own || names.contains(&name))
        };
        let mut found = vec![];
        for (file, indexed) in (0..).zip(&self.snapshot.files) {
            if file == target || !self.same_language_family(file, target) {
                continue;
            }
            for (place, import) in indexed.outline.imports.iter().enumerate() {
                if may_lead(import) && self.files_imported_by(file, import).contains(&target) {
                    found.push((file, place));
                }
            }
        }
        found
    }
}
