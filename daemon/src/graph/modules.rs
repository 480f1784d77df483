//! Which files an import means, and what can be had from them.

mod crates;
pub(super) mod paths;

use std::rc::Rc;

use claudevil_protocol::model::symbol::SymbolKind;

use super::expression::Value;
use super::scope::{Meaning, folder};
use super::{At, Graph, Here};
use crate::extract::facts::{Import, Reach};
use crate::index::names::namespace_of;
use crate::lang::families::{Family, Feature, Keyword};
use crate::lang::{ImplicitScope, ModuleSystem, NameRules, conventions};

/// Something that names can be had from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    File(u32),
    /// A module, namespace or type inside a file.
    Inside(At),
    /// All that says it is in it, with dots between its parts.
    Namespace(Rc<str>),
    /// All files directly in it.
    Folder(Rc<str>),
}

impl Graph<'_> {
    /// What a text of an import stands for, if that is in this root.
    pub(super) fn module(&self, here: Here, text: &str) -> Option<Module> {
        let rules = self.rules(here.file)?;
        let around = rules
            .modules
            .hides_outer_names()
            .then_some(here.symbol)
            .flatten();
        self.modules.get((here.file, around, text.to_owned()), || {
            self.deeper(|| self.followed(here, text, rules))
        })
    }

    fn followed(&self, here: Here, text: &str, rules: &NameRules) -> Option<Module> {
        match rules.modules {
            ModuleSystem::None => None,
            ModuleSystem::Dotted => self.dotted(here.file, text),
            ModuleSystem::Relative => self.relative(here.file, text),
            ModuleSystem::PackageFolder => self.package_folder(text),
            ModuleSystem::Crate => self.in_crate(here, text),
            ModuleSystem::Namespace => self.namespace(text),
            ModuleSystem::Include => self.included(here.file, text).map(Module::File),
            ModuleSystem::Capitalised => self.capitalised(here.file, text),
        }
    }

    /// What an import brings into sight.
    pub(super) fn imported(&self, here: Here, import: &Import) -> Meaning {
        let here = self.at_import(here, import);
        let Some(module) = self
            .module(here, &import.module)
            .or_else(|| self.known_as(here, import))
        else {
            // A path of names, where modules are no files. What only names a file of others is none.
            let is_file =
                import.name.is_none() && import.alias.is_none() && import.reach == Reach::Named;
            if self
                .rules(here.file)
                .is_some_and(|rules| rules.modules == ModuleSystem::Include)
            {
                if is_file {
                    return Meaning::External;
                }
                let path = import
                    .name
                    .as_ref()
                    .map(|name| format!("{}::{name}", import.module));
                return match self.value(here, path.as_deref().unwrap_or(&import.module)) {
                    Value::Module(module) => Meaning::Module(module),
                    Value::Type(at) | Value::Function(at, _) => {
                        Meaning::Symbols(vec![at], "imported")
                    }
                    _ => Meaning::External,
                };
            }
            // The last part may be a thing of the module before it.
            return match (split(&import.module), &import.name) {
                (Some((module, name)), None) => match self.module(here, &module) {
                    Some(module) => self.taken(&module, name),
                    None => Meaning::External,
                },
                _ => Meaning::External,
            };
        };
        match &import.name {
            None => Meaning::Module(module),
            Some(name) if self.is_own_module(here.file, name) => Meaning::Module(module),
            Some(name) => {
                let mut module = module;
                let mut parts = name
                    .split(['.', '\\'])
                    .filter(|part| !part.is_empty())
                    .peekable();
                while let Some(part) = parts.next() {
                    if parts.peek().is_none() {
                        return self.taken(&module, part);
                    }
                    match self.submodule(&module, part) {
                        Some(inner) => module = inner,
                        None => return Meaning::Unknown,
                    }
                }
                Meaning::Module(module)
            }
        }
    }

    /// The module that another import of the file gives the name by which this one asks for it.
    fn known_as(&self, here: Here, asking: &Import) -> Option<Module> {
        let imports = &self.file(here.file).outline.imports;
        let named = |import: &&Import| {
            import.module != asking.module
                && self.local_name(here.file, import) == Some(&*asking.module)
        };
        self.deeper(|| match self.imported(here, imports.iter().find(named)?) {
            Meaning::Module(module) => Some(module),
            _ => None,
        })
    }

    fn taken(&self, module: &Module, name: &str) -> Meaning {
        let found = self.in_module(module, name);
        if !found.is_empty() {
            return Meaning::Symbols(found, "imported");
        }
        match self.submodule(module, name) {
            Some(inner) => Meaning::Module(inner),
            None => Meaning::Unknown,
        }
    }

    /// What a module has under a name, itself or passed on.
    pub(super) fn in_module(&self, module: &Module, name: &str) -> Vec<At> {
        let key = (module.clone(), name.to_owned());
        self.in_modules
            .get(key, || self.deeper(|| self.found_in(module, name)))
    }

    fn found_in(&self, module: &Module, name: &str) -> Vec<At> {
        match module {
            Module::File(file) => {
                let own = self.top_level(*file, name);
                match &self.file(*file).outline.default {
                    _ if !own.is_empty() => own,
                    Some(given) if name == conventions::DEFAULT_EXPORT => {
                        self.in_module(module, given)
                    }
                    _ if self.given_as(*file, name).is_some() => self.given_out(*file, name),
                    given => {
                        // A file that gives one thing gives what that has.
                        let whole = given.iter().flat_map(|given| self.top_level(*file, given));
                        let is_table =
                            |at: &At| !self.symbol(*at).kind.is_type() && self.can_own(*at);
                        let found: Vec<At> = whole
                            .filter(is_table)
                            .flat_map(|at| self.member(at, name))
                            .collect();
                        if found.is_empty() {
                            self.passed_on(*file, name)
                        } else {
                            found
                        }
                    }
                }
            }
            Module::Inside(at) => self.inside(*at, name),
            Module::Namespace(namespace) => {
                let is_in = |at: &At| {
                    (self.is_top_level(*at) || self.is_extension(*at))
                        && self
                            .rules(at.file)
                            .is_some_and(|rules| rules.modules == ModuleSystem::Namespace)
                        && namespace_of(self.file(at.file), Some(at.symbol)).as_deref()
                            == Some(namespace)
                };
                let own: Vec<At> = self.named(name).filter(is_in).collect();
                if own.is_empty() {
                    self.given_on(namespace, name)
                } else {
                    own
                }
            }
            Module::Folder(path) => self
                .named(name)
                .filter(|at| folder(&self.file(at.file).path) == &**path && self.is_top_level(*at))
                .collect(),
        }
    }

    fn inside(&self, at: At, name: &str) -> Vec<At> {
        let symbol = self.symbol(at);
        if symbol.kind != SymbolKind::Module {
            return self.member(at, name);
        }
        if self
            .rules(at.file)
            .is_some_and(|rules| rules.modules.hides_outer_names())
        {
            let own = self.children(at, name);
            if !own.is_empty() {
                return own;
            }
            let import = self.passed_on_in(at, name);
            if !import.is_empty() {
                return import;
            }
            return self
                .file_of_module(at)
                .map(|file| self.in_module(&Module::File(file), name))
                .unwrap_or_default();
        }
        // Opened again elsewhere, it is still one.
        let qualified = self.file(at.file).qualified(symbol);
        let mut found = vec![];
        for one in self.named(&symbol.name) {
            let same = one == at
                || self.symbol(one).kind == SymbolKind::Module
                    && self.are_kin(one.file, at.file)
                    && self.file(one.file).qualified(self.symbol(one)) == qualified;
            if same {
                found.extend(self.children(one, name));
            }
        }
        if found.is_empty() {
            found = self.member(at, name);
        }
        // Made by another module.
        if let Some(made_by) = symbol.gives.as_deref().filter(|_| found.is_empty()) {
            let here = Here {
                symbol: symbol.parent,
                ..Here::of(self, at)
            };
            if let Value::Module(module) = self.value(here, made_by) {
                return self.in_module(&module, name);
            }
        }
        found
    }

    /// What the files of a namespace give on of others: all that a module has, or the name.
    fn given_on(&self, namespace: &str, name: &str) -> Vec<At> {
        let files = || self.names.namespace(namespace).iter().map(|at| at.file);
        let passes = |import: &Import| {
            import.reach == Reach::Reexport
                && import.alias.is_none()
                && import
                    .name
                    .as_deref()
                    .is_none_or(|passed_on| passed_on == name)
        };
        let found: Vec<At> = files()
            .flat_map(|file| {
                self.file(file)
                    .outline
                    .imports
                    .iter()
                    .map(move |import| (file, import))
            })
            .filter(|(_, import)| passes(import))
            .filter_map(|(file, import)| {
                self.module(
                    Here {
                        file,
                        symbol: None,
                        line: 0,
                        column: 0,
                    },
                    &import.module,
                )
            })
            .flat_map(|module| self.in_module(&module, name))
            .collect();
        if found.is_empty() {
            files()
                .flat_map(|file| self.given_out(file, name))
                .collect()
        } else {
            found
        }
    }

    /// What is given out under a name by a file that has it under another, or takes it from a module as a whole.
    fn given_out(&self, file: u32, outside: &str) -> Vec<At> {
        let (Some(name), Some(rules)) = (self.given_as(file, outside), self.rules(file)) else {
            return vec![];
        };
        let here = Here {
            file,
            symbol: None,
            line: 0,
            column: 0,
        };
        let own = self.top_level(file, name);
        if !own.is_empty() {
            return own;
        }
        match self.unnamed(here, name, rules) {
            Meaning::Symbols(found, _) => found,
            _ => vec![],
        }
    }

    /// What a file calls what it gives out.
    fn given_as(&self, file: u32, outside: &str) -> Option<&str> {
        let given = &self.file(file).outline.given;
        given
            .iter()
            .find(|given| *given.outside == *outside)
            .map(|given| &*given.name)
    }

    /// The symbols that open a module.
    pub(super) fn opened_by(&self, module: &Module) -> Vec<At> {
        match module {
            Module::Namespace(namespace) => self.names.namespace(namespace).to_vec(),
            Module::Inside(at) => vec![*at],
            Module::File(_) | Module::Folder(_) => vec![],
        }
    }

    /// A namespace, or a type that is named by its whole path.
    fn namespace_named(&self, name: &str) -> Option<Module> {
        if self.names.has_namespace(name) {
            return Some(Module::Namespace(name.into()));
        }
        let is_it = |at: &At| {
            self.symbol(*at).kind.is_type()
                && self
                    .rules(at.file)
                    .is_some_and(|rules| rules.has(Feature::ModulesNamedByPath))
        };
        self.named(name)
            .filter(|_| name.contains('.'))
            .find(is_it)
            .map(Module::Inside)
    }

    /// What a file gives on of what it imports.
    fn passed_on(&self, file: u32, name: &str) -> Vec<At> {
        let Some(rules) = self.rules(file) else {
            return vec![];
        };
        let here = Here {
            file,
            symbol: None,
            line: 0,
            column: 0,
        };
        let imports = &self.file(file).outline.imports;
        for import in imports {
            let passes = import.reach == Reach::Reexport || rules.has(Feature::ImportsAreMembers);
            if !passes || import.reach == Reach::Wildcard {
                continue;
            }
            let is_all =
                import.reach == Reach::Reexport && import.name.is_none() && import.alias.is_none();
            if is_all || self.local_name(file, import) == Some(name) {
                let found = match self.imported(here, import) {
                    Meaning::Module(module) if is_all => self.in_module(&module, name),
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
            if let Some(module) = self.module(here, &import.module) {
                let found = self.in_module(&module, name);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        vec![]
    }

    /// The same for a module inside a file: imports between its lines.
    fn passed_on_in(&self, at: At, name: &str) -> Vec<At> {
        let symbol = self.symbol(at);
        let here = Here::of(self, at);
        let here = Here {
            line: symbol.end_line,
            ..here
        };
        let imports = &self.file(at.file).outline.imports;
        let inside =
            |import: &&Import| (symbol.start_line..=symbol.end_line).contains(&import.line);
        for import in imports.iter().filter(inside) {
            if import.reach == Reach::Wildcard {
                continue;
            }
            if self.local_name(at.file, import) == Some(name)
                && let Meaning::Symbols(found, _) = self.imported(here, import)
            {
                return found;
            }
        }
        vec![]
    }

    pub(super) fn submodule(&self, module: &Module, name: &str) -> Option<Module> {
        match module {
            Module::Namespace(outer) => self.namespace_named(&format!("{outer}.{name}")),
            Module::Folder(path) => self.file_or_folder(&join(path, name), None),
            Module::File(file) => {
                let rules = self.rules(*file)?;
                let path = &self.file(*file).path;
                match rules.modules {
                    ModuleSystem::Crate => self.child_module(*file, name),
                    ModuleSystem::Dotted if rules.index_files.contains(&stem(path)) => {
                        self.file_or_folder(&join(folder(path), name), Some(rules))
                    }
                    _ => self.whole_passed_on(*file, name),
                }
            }
            Module::Inside(at) => {
                let found = self.children(*at, name);
                found
                    .iter()
                    .find(|one| self.symbol(**one).kind == SymbolKind::Module)
                    .map(|one| Module::Inside(*one))
            }
        }
    }

    /// A module that a file gives on as a whole, under a name.
    fn whole_passed_on(&self, file: u32, name: &str) -> Option<Module> {
        let is_it = |import: &&Import| {
            import.reach == Reach::Reexport
                && import.is_whole()
                && self.local_name(file, import) == Some(name)
        };
        let import = self.file(file).outline.imports.iter().find(is_it)?;
        let here = Here {
            file,
            symbol: None,
            line: import.line,
            column: 0,
        };
        self.module(here, &import.module)
    }

    /// A module that needs no import to be named.
    pub(super) fn implied_module(&self, here: Here, name: &str) -> Option<Module> {
        match self.rules(here.file)?.modules {
            ModuleSystem::Namespace => self.namespace_named(name),
            ModuleSystem::Crate => self.in_crate(here, name),
            ModuleSystem::Capitalised => self.capitalised(here.file, name),
            _ => None,
        }
    }

    fn namespace(&self, text: &str) -> Option<Module> {
        let name = crate::index::names::dotted(text);
        if !self.names.namespace(&name).is_empty() {
            return Some(Module::Namespace(name.into()));
        }
        // A type of a namespace can be imported from as well.
        let found = name.rsplit_once('.').and_then(|(outer, inner)| {
            let types = self.in_module(&Module::Namespace(outer.into()), inner);
            types
                .into_iter()
                .find(|at| self.symbol(*at).kind.is_type())
                .map(Module::Inside)
        });
        found.or_else(|| self.namespace_named(&name))
    }

    /// Returns whether an import of this name is of the module itself: `use store::{self}`.
    pub(super) fn is_own_module(&self, file: u32, name: &str) -> bool {
        self.rules(file)
            .is_some_and(|rules| rules.family.keyword(name) == Some(Keyword::OwnModule))
    }

    /// Whether an import that names nothing brings everything.
    pub(super) fn brings_all(&self, file: u32) -> bool {
        self.rules(file)
            .is_some_and(|rules| rules.has(Feature::ImportBringsAll))
    }

    /// The last part of a module's name, by which it is used.
    pub(super) fn last_of<'b>(&self, file: u32, module: &'b str) -> &'b str {
        let Some(rules) = self.rules(file) else {
            return module;
        };
        match rules.modules {
            ModuleSystem::PackageFolder => {
                let mut parts = module.rsplit('/');
                let last = parts.next().unwrap_or(module);
                let is_version = last
                    .strip_prefix('v')
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
                let last = if is_version {
                    parts.next().unwrap_or(last)
                } else {
                    last
                };
                last.rsplit('-')
                    .next()
                    .unwrap_or(last)
                    .split('.')
                    .next()
                    .unwrap_or(last)
            }
            // The first of several folders is what is bound.
            ModuleSystem::Dotted if rules.has(Feature::ImportsAreMembers) => {
                module.split('.').next().unwrap_or(module)
            }
            ModuleSystem::Relative | ModuleSystem::Include => {
                let last = module.rsplit('/').next().unwrap_or(module);
                last.split('.').next().unwrap_or(last)
            }
            _ => module
                .rsplit(['.', ':', '\\', '/'])
                .find(|part| !part.is_empty())
                .unwrap_or(module),
        }
    }

    /// Those of the candidates that lie in what a file includes, or beside it under the same stem.
    pub(super) fn reachable_by_include(&self, file: u32, candidates: &[At]) -> Vec<At> {
        if self.rules(file).is_none_or(|rules| {
            rules.modules != ModuleSystem::Include || rules.implicit_scope != ImplicitScope::Root
        }) {
            return vec![];
        }
        let mut seen = vec![file];
        let mut next = 0;
        while next < seen.len() && seen.len() < 400 {
            let one = seen[next];
            next += 1;
            for import in &self.file(one).outline.imports {
                if let Some(included) = self.included(one, &import.module)
                    && !seen.contains(&included)
                {
                    seen.push(included);
                }
            }
        }
        let stems: Vec<&str> = seen
            .iter()
            .map(|file| without_extension(&self.file(*file).path))
            .collect();
        let is_near = |at: &At| stems.contains(&without_extension(&self.file(at.file).path));
        candidates.iter().copied().filter(is_near).collect()
    }
}

impl<'a> Graph<'a> {
    /// What the files of a folder say that it is called, where an import of it names it by its path.
    pub(super) fn package_named(&self, file: u32, module: &str) -> Option<&'a str> {
        let rules = self
            .rules(file)
            .filter(|rules| rules.modules == ModuleSystem::PackageFolder)?;
        let here = Here {
            file,
            symbol: None,
            line: 0,
            column: 0,
        };
        match self.module(here, module)? {
            Module::Folder(path) => self
                .packages
                .get(Rc::clone(&path), || self.package_in(&path, rules.family)),
            _ => None,
        }
    }

    /// Most files of a folder say the same. Programs and tests may lie beside what can be imported.
    fn package_in(&self, path: &str, family: Family) -> Option<&'a str> {
        let mut said: Vec<(&str, usize)> = vec![];
        let files = self
            .snapshot
            .beneath(path)
            .iter()
            .filter(|file| folder(&file.path) == path);
        for name in files.filter_map(|file| file.outline.package.as_deref()) {
            match said.iter_mut().find(|(known, _)| *known == name) {
                Some((_, files)) => *files += 1,
                None => said.push((name, 1)),
            }
        }
        said.into_iter()
            .max_by_key(|(name, files)| (family.is_importable_package(name), *files))
            .map(|(name, _)| name)
    }
}

/// A module and the last part of its name.
fn split(text: &str) -> Option<(String, &str)> {
    let at = text.rfind(['.', ':', '\\'])?;
    let module = text[..at].trim_end_matches([':', '.', '\\']);
    (!module.is_empty()).then(|| (module.to_owned(), &text[at + 1..]))
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn without_extension(path: &str) -> &str {
    let from = path.rfind('/').map_or(0, |slash| slash + 1);
    path[from..]
        .find('.')
        .map_or(path, |dot| &path[..from + dot])
}
