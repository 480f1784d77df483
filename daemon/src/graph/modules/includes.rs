//! Files that are included as text: `#include "store.h"`.

use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;

use super::super::{Modules, SymbolId};
use super::without_extension;
use crate::lang::{ImplicitScope, ModuleSystem};

/// The most files that are followed from one file, directly or through others.
const MAX_INCLUDED: usize = 400;

impl Modules<'_, '_> {
    /// Keeps the candidates in files that a file includes, and in files with the stem of such a file: `store.c` for `store.h`.
    pub(in crate::graph) fn filter_included(
        self,
        file: u32,
        candidates: &[SymbolId],
    ) -> Vec<SymbolId> {
        let files = self.included_files(file);
        let stem = |file: u32| without_extension(&self.file(file).path);
        let stems: Vec<&str> = files.iter().map(|file| stem(*file)).collect();
        let is_near = |at: &SymbolId| stems.contains(&stem(at.file));
        candidates.iter().copied().filter(is_near).collect()
    }

    /// Keeps the candidates in files that a file includes, but not in others with their stems.
    pub(in crate::graph) fn filter_in_included_files(
        self,
        file: u32,
        candidates: &[SymbolId],
    ) -> Vec<SymbolId> {
        let files = self.included_files(file);
        let is_included = |at: &SymbolId| files.contains(&at.file);
        candidates.iter().copied().filter(is_included).collect()
    }

    /// Returns whether an include that leads to no file of the root may mean a file of these candidates: `<shop/store.h>`, which
    /// is only there after an installation, and `src/store.h`.
    pub(in crate::graph) fn may_include(self, file: u32, candidates: &[SymbolId]) -> bool {
        let name = |path: &str| Path::new(path).file_name().map(OsStr::to_owned);
        let names: Vec<_> = (candidates.iter())
            .map(|at| name(&self.file(at.file).path))
            .collect();
        let files = self.included_files(file);
        let mut imports = files
            .iter()
            .flat_map(|one| &self.file(*one).outline.imports);
        files.len() >= MAX_INCLUDED || imports.any(|one| names.contains(&name(&one.module)))
    }

    /// Returns a file and those that it includes, directly or through others; nothing in a language without includes.
    fn included_files(self, file: u32) -> Rc<[u32]> {
        let includes = self.rules(file).is_some_and(|rules| {
            rules.modules == ModuleSystem::Include && rules.implicit_scope == ImplicitScope::Root
        });
        if !includes {
            return Rc::default();
        }
        self.module_memo.included.get(file, || {
            let mut files = vec![file];
            let mut next = 0;
            while next < files.len() && files.len() < MAX_INCLUDED {
                let one = files[next];
                next += 1;
                for import in &self.file(one).outline.imports {
                    if let Some(included) = self.resolve_include(one, &import.module)
                        && !files.contains(&included)
                    {
                        files.push(included);
                    }
                }
            }
            files.into()
        })
    }
}
