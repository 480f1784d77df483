//! Imports that are paths of files, folders and packages, or are converted to such paths: `./a/b`, `a.b`.

use std::rc::Rc;

use super::super::Modules;
use super::{Module, stem};
use crate::index::path_words::PathConvention;
use crate::index::root_paths::{folder, join, normal};
use crate::lang::NameRules;
use crate::lang::families::Feature;

impl Modules<'_, '_> {
    /// Resolves a dotted path: `a.b.c` from one of the folders above, `.b` from the file's own folder.
    pub(super) fn resolve_dotted(self, file: u32, text: &str) -> Option<Module> {
        let rules = self.rules(file)?;
        let own = folder(&self.file(file).path);
        let dots = text.len() - text.trim_start_matches('.').len();
        let path = text.trim_start_matches('.').replace('.', "/");
        if dots > 0 {
            let mut base = own;
            for _ in 1..dots {
                base = folder(base);
            }
            let whole = if path.is_empty() {
                base.to_owned()
            } else {
                join(base, &path)
            };
            return self.file_or_folder(&whole, Some(rules));
        }
        let mut bases: Vec<String> = vec![String::new(), "src".to_owned(), "lib".to_owned()];
        let mut above = vec![];
        let mut base = own;
        while !base.is_empty() {
            above.push(base.to_owned());
            base = folder(base);
        }
        bases.extend(above.into_iter().rev());
        let is_package = |base: &str| {
            !base.is_empty()
                && self.index_file(base, rules).is_some()
                && rules.has(Feature::ImportsAreMembers)
        };
        let found = bases
            .iter()
            .filter(|base| !is_package(base))
            .find_map(|base| {
                self.file_or_folder(&join(base, &path), Some(rules))
                    .filter(|found| matches!(found, Module::File(_)))
            });
        found
            .or_else(|| {
                path.contains('/')
                    .then(|| self.file_ending_with(&path, rules))
                    .flatten()
                    .map(Module::File)
            })
            .or_else(|| {
                bases
                    .iter()
                    .find_map(|base| self.file_or_folder(&join(base, &path), Some(rules)))
            })
    }

    /// Returns the file at a path without its extension, or the index file of a folder, or the folder: `a/b` for `a/b.py`,
    /// `a/b/__init__.py`, `a/b/`.
    pub(super) fn file_or_folder(self, path: &str, rules: Option<&NameRules>) -> Option<Module> {
        if let Some(rules) = rules {
            if let Some(found) = self.with_extension(path, rules) {
                return Some(Module::File(found));
            }
            if let Some(found) = self.index_file(path, rules) {
                return Some(Module::File(found));
            }
        }
        let is_folder = !path.is_empty() && !self.snapshot.beneath(path).is_empty();
        is_folder.then(|| Module::Folder(Rc::from(path)))
    }

    fn with_extension(self, path: &str, rules: &NameRules) -> Option<u32> {
        rules
            .import_extensions
            .iter()
            .find_map(|extension| self.file_number(&format!("{path}.{extension}")))
    }

    fn index_file(self, folder: &str, rules: &NameRules) -> Option<u32> {
        rules
            .index_files
            .iter()
            .find_map(|index| self.with_extension(&join(folder, index), rules))
    }

    /// Returns the only file whose path, without its extension, ends with `path`.
    fn file_ending_with(self, path: &str, rules: &NameRules) -> Option<u32> {
        let last = stem(path);
        let mut found = None;
        for (number, file) in (0..).zip(&self.snapshot.files) {
            let (before, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let Some((own, extension)) = name.split_once('.') else {
                continue;
            };
            let is_it = if own == last {
                let length = file.path.len() - name.len() + own.len();
                ends_with_path(&file.path[..length], path)
            } else {
                rules.index_files.contains(&own) && ends_with_path(before, path)
            };
            if is_it
                && rules.import_extensions.contains(&extension)
                && found.replace(number).is_some()
            {
                return None;
            }
        }
        found
    }

    /// Resolves the path of a file, or the name of a package of this root: `./a/b`, `a.ext`, `@shop/ui`.
    pub(super) fn resolve_relative(self, file: u32, text: &str) -> Option<Module> {
        let rules = self.rules(file)?;
        let own = folder(&self.file(file).path);
        let has_extension = text
            .rsplit_once('.')
            .is_some_and(|(_, extension)| rules.import_extensions.contains(&extension));
        if text.starts_with('.') || text.starts_with('/') || has_extension && !text.contains(':') {
            let from_file = normal(own, text.trim_start_matches('/'));
            let found = from_file.and_then(|path| {
                self.file_as_written(&path, rules)
                    .or_else(|| self.first_file(&self.manifests().exported(&path, ""), rules))
            });
            if found.is_some() || text.starts_with('.') {
                return found.map(Module::File);
            }
        }
        let manifests = self.manifests();
        if text.starts_with('#')
            && let Some(found) = self.first_file(&manifests.imported(own, text), rules)
        {
            return Some(Module::File(found));
        }
        if let Some(paths) = manifests.mapped(own, text) {
            let found = paths
                .iter()
                .find_map(|path| self.file_as_written(path, rules));
            if found.is_some() {
                return found.map(Module::File);
            }
        }
        if let Some((base, rest)) = manifests.package(text) {
            let mut tries = manifests.exported(base, rest);
            tries.extend([
                join(base, rest),
                join(base, &join("src", rest)),
                join(base, &join("lib", rest)),
            ]);
            let found = self.first_file(&tries, rules);
            if found.is_some() {
                return found.map(Module::File);
            }
        }
        // Where all files share a scope, an import may be the end of a path: `require "shop/store"`.
        if rules.implicit_scope == crate::lang::ImplicitScope::Root {
            return self
                .file_ending_with(text.trim_start_matches('/'), rules)
                .map(Module::File);
        }
        None
    }

    /// Returns the first of these files that exists. A source precedes a file of declarations (`store.d.ts`) and a copy of it.
    fn first_file(self, paths: &[String], rules: &NameRules) -> Option<u32> {
        let found = || {
            paths
                .iter()
                .filter_map(|path| self.file_as_written(path.trim_end_matches('/'), rules))
        };
        let is_source = |file: &u32| {
            let conventions = self.file(*file).path_words().conventions;
            !self.only_declares(*file) && !conventions.contains(PathConvention::Copy)
        };
        found().find(is_source).or_else(|| found().next())
    }

    /// Returns whether a file mostly declares symbols that others define, by its name: `store.d.ts`.
    fn only_declares(self, file: u32) -> bool {
        let file = self.file(file);
        let ends = |extension: &&str| {
            file.path
                .strip_suffix(*extension)
                .is_some_and(|stem| stem.ends_with('.'))
        };
        file.language
            .is_some_and(|language| language.declarations.iter().any(ends))
    }

    /// Returns the file of a path as an import writes it: whole, without its extension, with the extension of the compiled file
    /// (`./a.js` for `a.ts`), or of a folder.
    fn file_as_written(self, path: &str, rules: &NameRules) -> Option<u32> {
        if let Some(found) = self.file_number(path) {
            return Some(found);
        }
        if let Some(found) = self
            .with_extension(path, rules)
            .or_else(|| self.index_file(path, rules))
        {
            return Some(found);
        }
        let (bare, extension) = path.rsplit_once('.')?;
        rules
            .import_extensions
            .contains(&extension)
            .then(|| self.with_extension(bare, rules))
            .flatten()
    }

    /// Resolves a Go import path: `example.com/shop/store` below the `module example.com/shop` of a `go.mod`.
    pub(super) fn resolve_package_folder(self, text: &str) -> Option<Module> {
        let manifests = self.manifests();
        if let Some((base, rest)) = manifests.go_module(text) {
            let path = join(base, rest);
            return Some(Module::Folder(Rc::from(path.trim_matches('/'))));
        }
        if manifests.has_go_modules() {
            return None;
        }
        // The root may be a part of a module: its longest suffix that is a folder is taken.
        let parts: Vec<&str> = text.split('/').collect();
        let ends = (1..parts.len().saturating_sub(1)).map(|from| parts[from..].join("/"));
        ends.into_iter()
            .find(|path| !self.snapshot.beneath(path).is_empty())
            .map(|path| Module::Folder(path.into()))
    }

    /// Returns the header beside the file, or the one nearest to the root whose path ends with `text`.
    pub(super) fn resolve_include(self, file: u32, text: &str) -> Option<u32> {
        let own = folder(&self.file(file).path);
        if let Some(found) = normal(own, text).and_then(|path| self.file_number(&path)) {
            return Some(found);
        }
        self.module_memo
            .includes
            .get(text.to_owned(), || self.find_included(text))
    }

    fn find_included(self, text: &str) -> Option<u32> {
        let name = text.rsplit('/').next().unwrap_or(text);
        let ends_so = |file: &str| file.ends_with(name) && ends_with_path(file, text);
        let files = (0..)
            .zip(&self.snapshot.files)
            .filter(|(_, file)| ends_so(&file.path));
        files
            .min_by_key(|(_, file)| file.path.matches('/').count())
            .map(|(number, _)| number)
    }

    /// Resolves `Store` or `Library.Store` to the file `store` beside this one, or to the only file with that name.
    pub(super) fn resolve_capitalised(self, file: u32, text: &str) -> Option<Module> {
        let rules = self.rules(file)?;
        let own = folder(&self.file(file).path);
        let mut parts = text.split('.');
        while let Some(part) = parts.next() {
            let mut letters = part.chars();
            let Some(first) = letters.next().filter(|first| first.is_uppercase()) else {
                continue;
            };
            let name: String = first.to_lowercase().chain(letters).collect();
            let found = self
                .with_extension(&join(own, &name), rules)
                .or_else(|| self.with_extension(&join(own, part), rules))
                .or_else(|| self.file_ending_with(&name, rules));
            let Some(found) = found else { continue };
            let mut module = Module::File(found);
            for inner in parts {
                let at = self.find(&module, inner).first().copied()?;
                module = Module::Inside(at);
            }
            return Some(module);
        }
        None
    }
}

/// Returns whether a path ends with another one at the boundary of a folder: `src/a/b.h` and `a/b.h`.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_whole_names() {
        assert!(ends_with_path("src/a/b.h", "a/b.h"));
        assert!(!ends_with_path("src/xa/b.h", "a/b.h"));
    }
}
