//! The files that an import leads to, and the names that can be taken from them.

mod crates;
mod includes;
pub(super) mod paths;
mod reexports;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::imports::last_part;
use super::scope::Meaning;
use super::value::Value;
use super::{Memo, Modules, Position, ScopedName, SymbolId};
use crate::extract::facts::{Import, Reach};
use crate::index::manifests::Manifests;
use crate::index::names::namespace_of;
use crate::index::prepare::content_hash;
use crate::index::root_paths::{folder, join};
use crate::lang::families::{Family, Feature, Keyword};
use crate::lang::{ImplicitScope, ModuleSystem, NameRules, conventions};

/// A container of names that an import can lead to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    File(u32),
    /// A module, namespace or type inside a file.
    Inside(SymbolId),
    /// The namespace that files declare themselves to be in, with dots between its parts.
    Namespace(Rc<str>),
    /// A folder: the files directly in it.
    Folder(Rc<str>),
}

/// Stands for every file in memo keys, for languages in which a text names the same module in all files.
const ANY_FILE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct ModuleMemo<'a> {
    /// Set if a manifest has changed since it was indexed.
    manifests: RefCell<Option<Arc<Manifests>>>,
    modules: Memo<ScopedName, Option<Module>>,
    names: Memo<(Module, String), Vec<SymbolId>>,
    /// Modules that files re-export under a name.
    reexported: Memo<(u32, String), Option<Module>>,
    /// Files by the text of an include, for headers that are not beside the file that includes them.
    includes: Memo<String, Option<u32>>,
    /// The files that a file includes, by its number.
    included: Memo<u32, Rc<[u32]>>,
    /// The names by which importing files use the packages of folders.
    packages: Memo<Rc<str>, Option<&'a str>>,
    /// The names that the imports of a file bind, by its number.
    import_names: Memo<u32, Rc<[Option<&'a str>]>>,
}

impl<'a> Modules<'_, 'a> {
    /// Returns the manifests of the root. All queries on a snapshot share them, unless a manifest has changed since it was
    /// indexed.
    pub(super) fn manifests(self) -> Arc<Manifests> {
        if let Some(known) = self.snapshot.manifests.get() {
            return Arc::clone(known);
        }
        if let Some(known) = &*self.module_memo.manifests.borrow() {
            return Arc::clone(known);
        }
        let all_as_indexed = Cell::new(true);
        let read = |path: &str| {
            let text = self.source.read(path);
            let file = self.file_number(path).map(|file| self.file(file));
            let is_as_indexed = text
                .as_ref()
                .zip(file)
                .is_some_and(|(text, file)| content_hash(text.as_bytes()) == file.record.hash);
            all_as_indexed.set(all_as_indexed.get() && is_as_indexed);
            text
        };
        let paths = self.names.manifests().iter();
        let paths = paths.map(|file| self.file(*file).path.as_str());
        let manifests = Arc::new(Manifests::read(paths, &read));
        if all_as_indexed.get() {
            // Another query may have set the same value meanwhile.
            let _ = self.snapshot.manifests.set(Arc::clone(&manifests));
        } else {
            *self.module_memo.manifests.borrow_mut() = Some(Arc::clone(&manifests));
        }
        manifests
    }

    /// Returns the module that the text of an import names, if it is in the root.
    pub(super) fn resolve_module(self, here: Position, text: &str) -> Option<Module> {
        let rules = self.rules(here.file)?;
        let around = rules
            .modules
            .hides_outer_names()
            .then_some(here.symbol)
            .flatten();
        let file = match rules.modules {
            ModuleSystem::PackageFolder => ANY_FILE,
            _ => here.file,
        };
        self.module_memo
            .modules
            .get((file, around, text.to_owned()), || {
                self.deeper(|| self.follow(here, text, rules))
            })
    }

    fn follow(self, here: Position, text: &str, rules: &NameRules) -> Option<Module> {
        match rules.modules {
            ModuleSystem::None => None,
            ModuleSystem::Dotted => self.resolve_dotted(here.file, text),
            ModuleSystem::Relative => self.resolve_relative(here.file, text),
            ModuleSystem::PackageFolder => self.resolve_package_folder(text),
            ModuleSystem::Crate => self.resolve_crate_path(here, text),
            ModuleSystem::Namespace => self.resolve_namespace(text, rules),
            ModuleSystem::Include => self.resolve_include(here.file, text).map(Module::File),
            ModuleSystem::Capitalised => self.resolve_capitalised(here.file, text),
        }
    }

    /// Returns the meaning of an import.
    pub(super) fn resolve_import(self, here: Position, import: &Import) -> Meaning {
        let here = self.import_position(here, import);
        let Some(module) = self
            .resolve_module(here, &import.module)
            .or_else(|| self.module_by_alias(here, import))
        else {
            // The import is a path of names. An include of a file outside the root is not.
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
                return match self
                    .values()
                    .evaluate(here, path.as_deref().unwrap_or(&import.module))
                {
                    Value::Module(module) => Meaning::Module(module),
                    Value::Type(at) | Value::Function(at, _) => {
                        Meaning::Symbols(vec![at], "imported")
                    }
                    _ => Meaning::External,
                };
            }
            if self.is_own_path(here.file, &import.module) {
                return Meaning::Unknown;
            }
            // The last part may be a symbol of the module before it: `a.b.Store`.
            return match (split(&import.module), &import.name) {
                (Some((module, name)), None) => match self.resolve_module(here, &module) {
                    Some(module) => self.resolve_in_module(&module, name),
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
                        return self.resolve_in_module(&module, part);
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

    /// Returns the module to which another import of the file gives this name: `import a as b`, then `from b import c`.
    fn module_by_alias(self, here: Position, asking: &Import) -> Option<Module> {
        let mut named = self
            .imports_named(here.file, &asking.module)
            .filter(|import| import.module != asking.module);
        self.deeper(|| match self.resolve_import(here, named.next()?) {
            Meaning::Module(module) => Some(module),
            _ => None,
        })
    }

    fn resolve_in_module(self, module: &Module, name: &str) -> Meaning {
        let found = self.find(module, name);
        if !found.is_empty() {
            return Meaning::Symbols(found, "imported");
        }
        match self.submodule(module, name) {
            Some(inner) => Meaning::Module(inner),
            None => Meaning::Unknown,
        }
    }

    /// Returns the symbols with this name in a module, including re-exported ones.
    pub(super) fn find(self, module: &Module, name: &str) -> Vec<SymbolId> {
        let key = (module.clone(), name.to_owned());
        self.module_memo
            .names
            .get(key, || self.deeper(|| self.find_uncached(module, name)))
    }

    fn find_uncached(self, module: &Module, name: &str) -> Vec<SymbolId> {
        match module {
            Module::File(file) => {
                let own = self.scopes().exportable(*file, name);
                match &self.file(*file).outline.default_export {
                    _ if !own.is_empty() => self.with_reexported_symbols(*file, name, own),
                    Some(given) if name == conventions::DEFAULT_EXPORT => self.find(module, given),
                    _ if self.exported_name(*file, name).is_some() => {
                        self.find_exported(*file, name)
                    }
                    given => {
                        // The members of a default export are members of the file: `module.exports = store`.
                        let whole = given
                            .iter()
                            .flat_map(|given| self.scopes().exportable(*file, given));
                        let is_table = |at: &SymbolId| {
                            !self.symbol(*at).kind.is_type() && self.members().has_members(*at)
                        };
                        let found: Vec<SymbolId> = whole
                            .filter(is_table)
                            .flat_map(|at| self.members().find(at, name))
                            .collect();
                        if found.is_empty() {
                            self.find_reexported(*file, name)
                        } else {
                            found
                        }
                    }
                }
            }
            Module::Inside(at) => self.find_in_block(*at, name),
            Module::Namespace(namespace) => {
                let is_in = |at: &SymbolId| {
                    (self.scopes().is_top_level(*at) || self.members().is_extension(*at))
                        && self
                            .rules(at.file)
                            .is_some_and(|rules| rules.modules == ModuleSystem::Namespace)
                        && namespace_of(self.file(at.file), Some(at.symbol)).as_deref()
                            == Some(namespace)
                };
                let own: Vec<SymbolId> = self.named(name).filter(is_in).collect();
                if own.is_empty() {
                    self.find_in_namespace_exports(namespace, name)
                } else {
                    own
                }
            }
            Module::Folder(path) => self
                .named(name)
                .filter(|at| {
                    folder(&self.file(at.file).path) == &**path && self.scopes().is_top_level(*at)
                })
                .collect(),
        }
    }

    fn find_in_block(self, at: SymbolId, name: &str) -> Vec<SymbolId> {
        let symbol = self.symbol(at);
        if symbol.kind != SymbolKind::Module {
            let found = self.members().find(at, name);
            return if found.is_empty() {
                self.members().extensions_inside(at, name)
            } else {
                found
            };
        }
        if self
            .rules(at.file)
            .is_some_and(|rules| rules.modules.hides_outer_names())
        {
            let own = self.scopes().children(at, name);
            if !own.is_empty() {
                return own;
            }
            let import = self.find_reexported_in_block(at, name);
            if !import.is_empty() {
                return import;
            }
            return self
                .file_of_module(at)
                .map(|file| self.find(&Module::File(file), name))
                .unwrap_or_default();
        }
        // A module may be opened in several places, all of which are one module: `module Shop` in Ruby.
        let qualified = self.file(at.file).qualified(symbol);
        let mut found = vec![];
        for one in self.named(&symbol.name) {
            let same = one == at
                || self.symbol(one).kind == SymbolKind::Module
                    && self.same_language_family(one.file, at.file)
                    && self.file(one.file).qualified(self.symbol(one)) == qualified;
            if same {
                found.extend(self.scopes().children(one, name));
            }
        }
        if found.is_empty() {
            found = self.find_in_transparent_modules(at, name);
        }
        if found.is_empty() {
            found = self.members().find(at, name);
        }
        // The module may be defined by another one: `module Stores = Make (Store)` in OCaml.
        if let Some(made_by) = symbol.initializer.as_deref().filter(|_| found.is_empty()) {
            let here = Position::outside(&self, at);
            if let Value::Module(module) = self.values().evaluate(here, made_by) {
                return self.find(&module, name);
            }
        }
        found
    }

    /// Returns the symbols with this name in the modules inside a module whose names are also its own:
    /// `namespace shop { inline namespace v1 { … } }`.
    fn find_in_transparent_modules(self, at: SymbolId, name: &str) -> Vec<SymbolId> {
        let Some(rules) = self.rules(at.file) else {
            return vec![];
        };
        let is_it = |one: &SymbolId| {
            let module = self.parent(*one).filter(|module| {
                let symbol = self.symbol(*module);
                symbol.kind == SymbolKind::Module
                    && rules.family.is_transparent_module(&symbol.signature)
            });
            let around = module.and_then(|module| self.parent(module));
            around.is_some_and(|around| self.symbol(around).name == self.symbol(at).name)
                && self.same_language_family(one.file, at.file)
        };
        self.named(name).filter(is_it).collect()
    }

    /// Returns the symbols with this name that the files of a namespace re-export.
    fn find_in_namespace_exports(self, namespace: &str, name: &str) -> Vec<SymbolId> {
        let files = || self.names.namespace(namespace).iter().map(|at| at.file);
        let passes = |import: &Import| {
            import.reach == Reach::Reexport
                && import.alias.is_none()
                && import
                    .name
                    .as_deref()
                    .is_none_or(|passed_on| passed_on == name)
        };
        let found: Vec<SymbolId> = files()
            .flat_map(|file| {
                self.file(file)
                    .outline
                    .imports
                    .iter()
                    .map(move |import| (file, import))
            })
            .filter(|(_, import)| passes(import))
            .filter_map(|(file, import)| {
                self.resolve_module(Position::at_line(file, 0), &import.module)
            })
            .flat_map(|module| self.find(&module, name))
            .collect();
        if found.is_empty() {
            files()
                .flat_map(|file| self.find_exported(file, name))
                .collect()
        } else {
            found
        }
    }

    /// Returns the symbols that declare a module.
    pub(super) fn declarations(self, module: &Module) -> Vec<SymbolId> {
        match module {
            Module::Namespace(namespace) => self.names.namespace(namespace).to_vec(),
            Module::Inside(at) => vec![*at],
            Module::File(_) | Module::Folder(_) => vec![],
        }
    }

    /// Returns the namespace with this name, or the type whose name is this whole path: `defmodule Shop.Store`.
    fn namespace_named(self, name: &str) -> Option<Module> {
        if self.names.has_namespace(name) {
            return Some(Module::Namespace(name.into()));
        }
        let is_it = |at: &SymbolId| {
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

    pub(super) fn submodule(self, module: &Module, name: &str) -> Option<Module> {
        match module {
            Module::Namespace(outer) => self.namespace_named(&format!("{outer}.{name}")),
            Module::Folder(path) => {
                // A folder without an index file is a package too: `from shop import cart` for `shop/cart.py`.
                let mut files = self.snapshot.places_beneath(path);
                let rules = files.find_map(|file| self.rules(u32::try_from(file).ok()?));
                let rules = rules.filter(|rules| rules.modules == ModuleSystem::Dotted);
                self.file_or_folder(&join(path, name), rules)
            }
            Module::File(file) => {
                let rules = self.rules(*file)?;
                let path = &self.file(*file).path;
                match rules.modules {
                    ModuleSystem::Crate => self.child_module(*file, name),
                    ModuleSystem::Dotted if rules.index_files.contains(&stem(path)) => {
                        self.file_or_folder(&join(folder(path), name), Some(rules))
                    }
                    _ => self.reexported_module(*file, name),
                }
            }
            Module::Inside(at) => {
                let found = self.scopes().children(*at, name);
                found
                    .iter()
                    .find(|one| self.symbol(**one).kind == SymbolKind::Module)
                    .map(|one| Module::Inside(*one))
            }
        }
    }

    /// Returns a module that can be used without an import.
    pub(super) fn implicit_module(self, here: Position, name: &str) -> Option<Module> {
        match self.rules(here.file)?.modules {
            ModuleSystem::Namespace => self.resolve_relative_namespace(here, name),
            ModuleSystem::Crate => self.resolve_crate_path(here, name),
            ModuleSystem::Capitalised => self.resolve_capitalised(here.file, name),
            _ => None,
        }
    }

    /// Returns the namespace that a name refers to relative to the enclosing ones: `Handler\File` for `Shop\Handler\File` in
    /// `Shop`.
    fn resolve_relative_namespace(self, here: Position, name: &str) -> Option<Module> {
        let own = self
            .rules(here.file)
            .filter(|rules| rules.has(Feature::RelativeNamespaces))
            .and_then(|_| namespace_of(self.file(here.file), here.symbol));
        let around = std::iter::successors(own.as_deref(), |inner| Some(inner.rsplit_once('.')?.0));
        around
            .map(|outer| format!("{outer}.{name}"))
            .chain([name.to_owned()])
            .find_map(|path| self.namespace_named(&path))
    }

    fn resolve_namespace(self, text: &str, rules: &NameRules) -> Option<Module> {
        let name = crate::index::names::dotted(text);
        if !self.names.namespace(&name).is_empty() {
            return Some(Module::Namespace(name.into()));
        }
        // Names can also be imported from a type of a namespace, and from the types inside it.
        let found = name.rsplit_once('.').and_then(|(outer, inner)| {
            let around = self.deeper(|| self.resolve_namespace(outer, rules))?;
            let types = self.find(&around, inner).into_iter();
            let mut types = types.filter(|at| self.symbol(*at).kind.is_type());
            let is_companion = || {
                matches!(around, Module::Inside(_))
                    && rules.family.keyword(inner) == Some(Keyword::CompanionObject)
            };
            let found = types.next().map(Module::Inside);
            found.or_else(|| is_companion().then(|| around.clone()))
        });
        found.or_else(|| self.namespace_named(&name))
    }

    /// Returns whether a path begins inside the crate of its file, so that it leads to no other package: `crate::store`,
    /// `self::store`, `super::store`.
    pub(super) fn is_own_path(self, file: u32, path: &str) -> bool {
        let head = path.split("::").next().unwrap_or(path).trim();
        self.rules(file).is_some_and(|rules| {
            rules.modules.hides_outer_names()
                && matches!(
                    rules.family.keyword(head),
                    Some(Keyword::CrateRoot | Keyword::OwnModule | Keyword::ParentModule)
                )
        })
    }

    /// Returns whether this name in an import stands for the module itself: `use store::{self}`.
    pub(super) fn is_own_module(self, file: u32, name: &str) -> bool {
        self.rules(file)
            .is_some_and(|rules| rules.family.keyword(name) == Some(Keyword::OwnModule))
    }

    /// Returns the last part of a module's name, by which it is used.
    pub(super) fn last_part(self, file: u32, module: &str) -> &str {
        let Some(rules) = self.rules(file) else {
            return module;
        };
        match rules.modules {
            ModuleSystem::PackageFolder => {
                let mut parts = module.rsplit('/');
                let last = parts.next().unwrap_or(module);
                let is_version = last
                    .strip_prefix('v')
                    .is_some_and(|rest| rest.parse::<u32>().is_ok());
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
            // `import a.b.c` binds `a`.
            ModuleSystem::Dotted if rules.has(Feature::ImportsAreMembers) => {
                module.split('.').next().unwrap_or(module)
            }
            ModuleSystem::Relative | ModuleSystem::Include => {
                let last = module.rsplit('/').next().unwrap_or(module);
                last.split('.').next().unwrap_or(last)
            }
            _ => last_part(module),
        }
    }

    /// Returns the imports of a file that bind this name.
    pub(super) fn imports_named(self, file: u32, name: &str) -> impl Iterator<Item = &'a Import> {
        let imports = &self.file(file).outline.imports;
        let names = self.module_memo.import_names.get(file, || {
            let names = imports.iter().map(|import| self.local_name(file, import));
            names.collect()
        });
        let is_it = move |place: &usize| names.get(*place).copied().flatten() == Some(name);
        (0..imports.len())
            .filter(is_it)
            .map(move |place| &imports[place])
    }

    /// Returns the name that an import binds in its file.
    pub(super) fn local_name<'b>(self, file: u32, import: &'b Import) -> Option<&'b str>
    where
        'a: 'b,
    {
        if let Some(alias) = &import.alias {
            return Some(alias);
        }
        if let Some(name) = &import.name {
            let last = name.rsplit(['.', '\\', ':']).next().unwrap_or(name);
            // `use a::b::{self}` binds `b`.
            return Some(if self.is_own_module(file, last) {
                self.last_part(file, &import.module)
            } else {
                last
            });
        }
        // An import that only names a file binds nothing: `import "./store"`.
        let is_file = |modules| matches!(modules, ModuleSystem::Include | ModuleSystem::Relative);
        let binds = !self.rules(file).is_some_and(|rules| is_file(rules.modules));
        binds.then(|| {
            self.package_name(file, &import.module)
                .unwrap_or_else(|| self.last_part(file, &import.module))
        })
    }

    pub(super) fn is_wildcard(self, file: u32, import: &Import) -> bool {
        import.reach == Reach::Wildcard
            || import.reexports_all()
                && self
                    .rules(file)
                    .is_some_and(|rules| rules.modules == ModuleSystem::Namespace)
            || import.name.is_none()
                && import.alias.is_none()
                && self.rules(file).is_some_and(|rules| {
                    rules.implicit_scope == ImplicitScope::Nothing
                        && rules.has(Feature::ImportBringsAll)
                })
    }

    /// Returns the position of an import: its names are resolved from the module around it.
    pub(super) fn import_position(self, here: Position, import: &Import) -> Position {
        let closed = self
            .rules(here.file)
            .is_some_and(|rules| rules.modules.hides_outer_names());
        let around = closed.then(|| {
            self.file(here.file)
                .outline
                .symbols
                .iter()
                .rposition(|symbol| {
                    symbol.kind == SymbolKind::Module
                        && symbol.start_line < import.line
                        && import.line <= symbol.end_line
                })
        });
        Position {
            symbol: around
                .flatten()
                .and_then(|symbol| u32::try_from(symbol).ok()),
            ..here
        }
    }

    /// Returns the module that a part of an import path names: `store` of `use super::store::Text`.
    pub(super) fn module_on_import_path(self, here: Position, name: &str) -> Option<Module> {
        self.rules(here.file)
            .filter(|rules| rules.modules.hides_outer_names())?;
        self.file(here.file)
            .outline
            .imports
            .iter()
            .find_map(|import| {
                let parts: Vec<&str> = import.module.split("::").collect();
                let place = parts.iter().position(|part| *part == name)?;
                self.resolve_module(
                    self.import_position(here, import),
                    &parts[..=place].join("::"),
                )
            })
    }

    /// Returns whether a file imports a whole module under a name, and not its default export.
    pub(super) fn imports_whole_module(self, file: u32, name: &str) -> bool {
        self.imports_named(file, name).any(Import::is_whole)
    }

    /// Returns the only export of a file.
    pub(super) fn only_export(self, module: &Module) -> Option<SymbolId> {
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
            (Some((symbol, _)), None) => Some(SymbolId {
                file: *file,
                symbol,
            }),
            _ => None,
        }
    }
}

impl<'a> Modules<'_, 'a> {
    /// Returns the package name of a Go import: `package store` in the files of `example.com/shop/store`.
    pub(super) fn package_name(self, file: u32, module: &str) -> Option<&'a str> {
        let rules = self
            .rules(file)
            .filter(|rules| rules.modules == ModuleSystem::PackageFolder)?;
        let here = Position::at_line(file, 0);
        match self.resolve_module(here, module)? {
            Module::Folder(path) => self.module_memo.packages.get(Rc::clone(&path), || {
                self.package_name_in(&path, rules.family)
            }),
            _ => None,
        }
    }

    /// Returns the package name that most files of a folder declare. A program or a test package beside it comes last:
    /// `store_test`.
    fn package_name_in(self, path: &str, family: Family) -> Option<&'a str> {
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

/// Splits a module into its parent and the last part of its name.
fn split(text: &str) -> Option<(String, &str)> {
    let at = text.rfind(['.', ':', '\\'])?;
    let module = text[..at].trim_end_matches([':', '.', '\\']);
    (!module.is_empty()).then(|| (module.to_owned(), &text[at + 1..]))
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
