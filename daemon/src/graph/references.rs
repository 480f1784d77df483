//! References: the uses of a symbol.
//!
//! The text index lists the files that may contain the symbol's name. Every use of the name in them is resolved on its own,
//! and is a reference if the symbol is among its targets.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::scope::Meaning;
use super::{Graph, Outcome, Position, References, Resolution, SymbolId, Targets, Use, Uses};
use crate::extract::declaration::Parameters;
use crate::extract::facts::{Import, Reach, RelationKind, Role};
use crate::extract::type_expr::is_word;
use crate::index::names::{UNNAMED_MODULE, last_of_module, last_of_name};
use crate::index::root_paths::folder;
use crate::lang::conventions::DEFAULT_EXPORT;
use crate::lang::families::Feature;
use crate::lang::{ModuleSystem, NameRules};
use crate::source::cancel::CancelToken;

const RUN_BY_USE: &str = "runs where its module is used";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub file: u32,
    pub row: Use,
    pub resolution: Resolution,
    pub reason: &'static str,
    /// The number of symbols that the use may refer to.
    pub candidates: usize,
    /// The candidates were found by name alone.
    pub by_name: bool,
    /// The use refers to a method that the symbol overrides or implements, and may reach the symbol by dispatch.
    pub by_dispatch: bool,
    /// An imported index resolved the use.
    pub by_index: bool,
    /// Set if one word is both a property and a variable: `{ size }`.
    pub shorthand: Option<Shorthand>,
}

/// The side of a symbol in `{ size }`, short for `{ size: size }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shorthand {
    /// The name before the colon.
    Property,
    /// The name after the colon.
    Variable,
}

/// The symbols whose references are searched for.
struct ReferenceTargets<'a> {
    wanted: &'a [SymbolId],
    /// The methods that they override, or are overridden by.
    above: &'a [SymbolId],
    /// The last result: uses that are resolved by name share one list, which may have thousands of candidates.
    last: RefCell<Option<(Rc<[SymbolId]>, TargetMatch)>>,
}

/// The relation of a use's candidates to the symbols that are searched for.
#[derive(Clone, Copy)]
enum TargetMatch {
    Nothing,
    Target,
    Overridden,
}

impl<'a> ReferenceTargets<'a> {
    fn new(wanted: &'a [SymbolId], above: &'a [SymbolId]) -> Self {
        Self {
            wanted,
            above,
            last: RefCell::default(),
        }
    }

    fn matching(&self, graph: &Graph<'_>, symbols: &Rc<[SymbolId]>) -> TargetMatch {
        if let Some((last, matching)) = &*self.last.borrow()
            && Rc::ptr_eq(last, symbols)
        {
            return *matching;
        }
        let has = |of: &[SymbolId]| {
            symbols
                .iter()
                .any(|at| of.iter().any(|one| graph.entities().are_same(*one, *at)))
        };
        let matching = if has(self.wanted) {
            TargetMatch::Target
        } else if has(self.above) {
            TargetMatch::Overridden
        } else {
            TargetMatch::Nothing
        };
        *self.last.borrow_mut() = Some((Rc::clone(symbols), matching));
        matching
    }
}

#[derive(Default)]
pub(super) struct ReferenceMemo {
    references: RefCell<HashMap<SymbolId, Arc<[Reference]>>>,
}

impl<'a> References<'_, 'a> {
    /// Returns the references to a symbol, in the order of the files and their lines.
    pub fn to(self, target: SymbolId, cancel: &CancelToken) -> Result<Arc<[Reference]>, ToolError> {
        if let Some(known) = self.remembered(target) {
            return Ok(known);
        }
        let found: Arc<[Reference]> = self.find(target, cancel)?.into();
        self.remember(target, Arc::clone(&found));
        Ok(found)
    }

    /// Returns the references to a symbol if they were found before.
    pub fn remembered(self, target: SymbolId) -> Option<Arc<[Reference]>> {
        let known = self.reference_memo.references.borrow();
        known.get(&target).map(Arc::clone)
    }

    /// Stores the references to a symbol that another query found in the same snapshot.
    pub fn remember(self, target: SymbolId, found: Arc<[Reference]>) {
        let mut known = self.reference_memo.references.borrow_mut();
        known.insert(target, found);
    }

    /// Returns the references to any of several symbols, such as overloads. A use whose targets are all among them is resolved.
    pub fn to_any(
        self,
        targets: &[SymbolId],
        cancel: &CancelToken,
    ) -> Result<Arc<[Reference]>, ToolError> {
        if let [only] = targets {
            return self.to(*only, cancel);
        }
        let mut found: Vec<(Reference, usize)> = vec![];
        let mut places: HashMap<(u32, u32, u32), usize> = HashMap::new();
        for target in targets {
            for one in self.to(*target, cancel)?.iter() {
                let place = (one.file, one.row.line, one.row.column);
                let Some(at) = places.get(&place).copied() else {
                    places.insert(place, found.len());
                    found.push((one.clone(), 1));
                    continue;
                };
                let (known, times) = &mut found[at];
                *times += 1;
                if (one.resolution, one.by_dispatch) < (known.resolution, known.by_dispatch) {
                    *known = one.clone();
                }
            }
        }
        let as_one = |(mut one, times): (Reference, usize)| {
            let means_no_other = one.resolution == Resolution::Ambiguous
                && !one.by_dispatch
                && times >= one.candidates;
            if means_no_other {
                // All candidates of the use are among the given symbols. A match by name alone remains a match by name.
                one.candidates = 1;
                if !one.by_name {
                    (one.resolution, one.reason) = (Resolution::Resolved, "one of the overloads");
                }
            }
            one
        };
        let mut found: Vec<Reference> = found.into_iter().map(as_one).collect();
        found.sort_by_key(|one| (one.file, one.row.line, one.row.column));
        Ok(found.into())
    }

    fn find(self, target: SymbolId, cancel: &CancelToken) -> Result<Vec<Reference>, ToolError> {
        if !self.has_uses(target.file) {
            return self.find_by_text(target, cancel);
        }
        let symbol = self.symbol(target);
        let mut wanted = self.entities().declarations(target);
        // Constructing an object calls its constructor.
        let constructed_types = self.constructed_types(target);
        let made = constructed_types.first().copied();
        let overloads = made.map_or(vec![], |_| self.members().constructor_overloads(target));
        for maker in &constructed_types {
            wanted.extend(self.entities().declarations(*maker));
        }
        let mut above = if symbol.kind.is_callable() {
            self.members().all_overridden(target)
        } else {
            vec![]
        };
        if symbol.kind == SymbolKind::Constructor {
            let parameters = |at: SymbolId| self.symbol(at).parameters().map(Parameters::text);
            above.retain(|at| parameters(*at) == parameters(target));
        }
        if symbol.kind.is_callable()
            && self
                .rules(target.file)
                .is_some_and(|rules| rules.links_overrides)
        {
            above.extend(self.members().overriding(target));
        }
        let mut names: Vec<&str> = vec![&symbol.name];
        names.extend(constructed_types.iter().map(|at| &*self.symbol(*at).name));
        // A symbol whose name is a whole path is mostly used by its last part: `Store` of `Shop.Store`.
        names.extend(symbol.name.rsplit_once('.').map(|(_, last)| last));
        names.extend(self.name_as_attribute(target));
        self.add_reexported_names(&mut names, &wanted);
        let own = self.construction_words(made.unwrap_or(target));
        let aliases = self.aliases(&names, target);
        let (meant, made_here) = (
            ReferenceTargets::new(&wanted, &above),
            ReferenceTargets::new(&wanted, &[]),
        );
        let mut found = vec![];
        let mut files: Vec<u32> = aliases.keys().copied().collect();
        for name in &names {
            files.extend_from_slice(&self.files_with(name));
        }
        files.sort_unstable();
        files.dedup();
        files.retain(|file| {
            self.same_language_family(*file, target.file) && self.scopes().can_use(target, *file)
        });
        for file in files {
            cancel.check()?;
            let aliases = aliases.get(&file);
            let here = || names.iter().chain(aliases.into_iter().flatten()).copied();
            let sought: Vec<&str> = here().chain(own.iter().copied()).collect();
            let Some(uses) = self.uses_with(file, &sought) else {
                continue;
            };
            for name in here() {
                for (place, row) in uses.named(name).enumerate() {
                    // A generated file may have a name in every line.
                    if place.is_multiple_of(256) {
                        cancel.check()?;
                    }
                    if made.is_some() && !matches!(row.role, Role::Call | Role::Write) {
                        continue;
                    }
                    let one = self.check_use(file, &uses, row, &meant);
                    let one = one.filter(|one| made.is_none() || one.row.role == Role::Call);
                    found.extend(
                        one.and_then(|one| self.narrow_to_overload(&uses, one, target, &overloads)),
                    );
                }
            }
            for row in own.iter().flat_map(|word| uses.named(word)) {
                let made = self.check_use(file, &uses, row, &made_here);
                let made = made.filter(|made| made.row.role == Role::Call);
                found.extend(
                    made.and_then(|made| self.narrow_to_overload(&uses, made, target, &overloads)),
                );
            }
        }
        found.extend(self.uses_of_module(target));
        // These are added last, so that of two references at one position the one with a role is kept.
        found.extend(wanted.iter().flat_map(|at| self.precise().uses_of(*at)));
        found.sort_by_key(|one| (one.file, one.row.line, one.row.column));
        found.dedup_by_key(|one| (one.file, one.row.line, one.row.column));
        Ok(found)
    }

    /// Returns the shorter name that a type has as an attribute: `Route` for `RouteAttribute`, used as `[Route]`.
    pub fn name_as_attribute(self, at: SymbolId) -> Option<&'a str> {
        let suffix = self.rules(at.file)?.family.attribute_suffix()?;
        let symbol = self.symbol(at);
        let name = symbol.name.strip_suffix(suffix)?;
        (symbol.kind.is_type() && !name.is_empty()).then_some(name)
    }

    /// Returns the uses of a module that run a macro of it: `use Store` runs `Store.__using__`.
    fn uses_of_module(self, target: SymbolId) -> Vec<Reference> {
        let name = &self.symbol(target).name;
        let family = self.rules(target.file).map(|rules| rules.family);
        let is_run = family.and_then(|family| family.using_macro()) == Some(&**name);
        let module = self.members().owner(target).filter(|_| is_run);
        let Some((at, module)) = module.map(|at| (at, &*self.symbol(at).name)) else {
            return vec![];
        };
        let last = module.rsplit('.').next().unwrap_or(module);
        let mut found = vec![];
        for file in self.files_with(last).iter().copied() {
            let is_used = |row: &&Use| {
                let mut relations = self.file(file).outline.relations.iter();
                row.role == Role::Import
                    && relations
                        .any(|one| one.kind == RelationKind::Extends && one.line == row.line)
            };
            let uses = self.uses(file);
            let names = [module, last]
                .into_iter()
                .take(1 + usize::from(module != last));
            for row in names.flat_map(|name| uses.named(name)).filter(is_used) {
                if let Outcome::Targets(targets) = self.resolver().resolve_once(file, &uses, row)
                    && targets
                        .symbols
                        .iter()
                        .any(|one| self.entities().are_same(*one, at))
                {
                    found.push(Reference {
                        file,
                        row: Use {
                            role: Role::Call,
                            ..*row
                        },
                        resolution: targets.resolution,
                        reason: RUN_BY_USE,
                        candidates: targets.symbols.len(),
                        by_name: targets.by_name,
                        by_dispatch: false,
                        by_index: false,
                        shorthand: None,
                    });
                }
            }
        }
        found
    }

    /// Returns the types that a constructor constructs: its owner, and subtypes without a constructor. Empty for any other
    /// symbol.
    pub(super) fn constructed_types(self, target: SymbolId) -> Vec<SymbolId> {
        let owner = self.members().owner(target);
        let is_constructor = self.symbol(target).kind == SymbolKind::Constructor;
        let is_made =
            |of: &SymbolId| is_constructor && self.members().is_called_by_type(target, *of);
        let Some(owner) = owner.filter(is_made) else {
            return vec![];
        };
        let overloads = self.members().constructor_overloads(target);
        let inherits = |at: &SymbolId| {
            let constructor = self.members().constructor(*at);
            constructor.is_some_and(|at| at == target || overloads.contains(&at))
        };
        let below = self.members().all_subtypes(owner);
        let below = below.iter().map(|subtype| subtype.at).filter(inherits);
        std::iter::once(owner).chain(below).collect()
    }

    /// Keeps a use of a type that constructs a value, if it may call this constructor and not only others of the type.
    fn narrow_to_overload(
        self,
        uses: &Uses,
        one: Reference,
        target: SymbolId,
        overloads: &[SymbolId],
    ) -> Option<Reference> {
        let (name, own_name) = (uses.name(&one.row), &*self.symbol(target).name);
        let owner = self.members().owner(target);
        // A use of the constructor by its own name is resolved among the overloads already: `Store.init(3)`.
        let is_word = |rules: &NameRules| rules.self_constructors.contains(&name);
        let is_by_name = name == own_name
            && owner.is_some_and(|of| *self.symbol(of).name != *name)
            && !self.rules(one.file).is_some_and(is_word);
        if overloads.len() < 2 || is_by_name {
            return Some(one);
        }
        let chosen = Targets {
            by_name: false,
            symbols: overloads.into(),
            resolution: Resolution::Ambiguous,
            reason: "one of several constructors",
        };
        let here = Position::from_use(one.file, &one.row);
        let chosen = self.resolver().filter_overloads(here, name, chosen);
        // A constructor that is not among them has the parameters in the header of the type.
        let is_target = |at: &SymbolId| {
            self.entities().are_same(*at, target)
                || Some(*at) == owner && !overloads.contains(&target)
        };
        let is_less_sure = one.resolution < chosen.resolution;
        chosen.symbols.iter().any(is_target).then(|| Reference {
            resolution: one.resolution.max(chosen.resolution),
            reason: if is_less_sure || one.resolution == Resolution::Resolved {
                chosen.reason
            } else {
                one.reason
            },
            candidates: one.candidates.max(chosen.symbols.len()),
            by_index: false,
            ..one
        })
    }

    /// Returns the words that construct a type in its own code: `Self`, `cls`.
    fn construction_words(self, of: SymbolId) -> Vec<&'static str> {
        let rules = self
            .rules(of.file)
            .filter(|_| self.members().has_members(of));
        let all = rules.map(|rules| {
            [
                rules.self_constructors.as_slice(),
                rules.super_constructors.as_slice(),
                rules.type_accessors.as_slice(),
                rules.family.implicit_constructors(),
            ]
        });
        all.into_iter().flatten().flatten().copied().collect()
    }

    fn check_use(
        self,
        file: u32,
        uses: &Uses,
        row: &Use,
        meant: &ReferenceTargets<'_>,
    ) -> Option<Reference> {
        let Outcome::Targets(targets) = self.resolver().resolve_once(file, uses, row) else {
            return None;
        };
        let by_dispatch = match meant.matching(&self, &targets.symbols) {
            TargetMatch::Nothing => return None,
            TargetMatch::Target => false,
            // `super().open()` calls the overridden method, and never one that overrides it.
            TargetMatch::Overridden
                if self.is_of_supertype(file, uses, row)
                    || self.is_of_named_class(file, uses, row) =>
            {
                return None;
            }
            TargetMatch::Overridden => true,
        };
        let is_type = |at: &SymbolId| self.symbol(*at).kind.is_type();
        let is_call = match row.role {
            Role::Read => self
                .calls()
                .is_bare_call(file, uses.name(row), &targets.symbols),
            Role::Write => {
                let rules = self.rules(file);
                rules.is_some_and(|rules| rules.has(Feature::BaseInitializers))
                    && targets.symbols.iter().all(is_type)
            }
            // A framework calls the function to pass its result.
            Role::Bind => true,
            _ => false,
        };
        Some(Reference {
            file,
            row: Use {
                role: if is_call { Role::Call } else { row.role },
                ..*row
            },
            resolution: if by_dispatch {
                Resolution::Ambiguous
            } else {
                targets.resolution
            },
            reason: if by_dispatch {
                "by dispatch, through an overridden or overriding method"
            } else {
                targets.reason
            },
            candidates: targets.symbols.len(),
            by_name: targets.by_name,
            by_dispatch,
            by_index: !by_dispatch && self.precise().resolves(file, row),
            shorthand: shorthand(uses, row),
        })
    }

    /// Returns whether a member is accessed on the supertypes of the enclosing type: `super().open`.
    fn is_of_supertype(self, file: u32, uses: &Uses, row: &Use) -> bool {
        let qualifier = uses.qualifier(row).unwrap_or_default();
        let first = qualifier.split(|sign| !is_word(sign)).next();
        let rules = self.rules(file).zip(first);
        rules.is_some_and(|(rules, first)| rules.supertype_words.contains(&first))
    }

    /// Returns whether a member is accessed on a class by the name of the class: `Store.open(self)`. A method of a trait is
    /// dispatched even then: `Display::fmt(self, out)`.
    fn is_of_named_class(self, file: u32, uses: &Uses, row: &Use) -> bool {
        let qualifier = uses.qualifier(row).unwrap_or_default();
        if qualifier.is_empty() || !qualifier.chars().all(is_word) {
            return false;
        }
        let here = Position::from_use(file, row);
        let named = self.types().resolve_name(here, qualifier);
        named.is_some_and(|at| {
            let symbol = self.symbol(at);
            let is_class = matches!(symbol.kind, SymbolKind::Class | SymbolKind::Struct);
            is_class && *symbol.name == *qualifier
        })
    }

    /// Adds the names under which files re-export a symbol: `export { open as openStore }`.
    fn add_reexported_names(self, names: &mut Vec<&'a str>, wanted: &[SymbolId]) {
        let mut next = 0;
        let is_default = wanted.iter().any(|at| {
            self.file(at.file).outline.default_export.as_deref() == Some(&*self.symbol(*at).name)
        });
        while next < names.len() && names.len() < 16 {
            let name = names[next];
            next += 1;
            let given = wanted
                .iter()
                .flat_map(|at| &self.file(at.file).outline.exports);
            for outside in given
                .filter(|given| *given.name == *name)
                .map(|given| &*given.outside)
            {
                if !names.contains(&outside) {
                    names.push(outside);
                }
            }
            let stands_for = [Some(name), is_default.then_some(DEFAULT_EXPORT)]
                .into_iter()
                .flatten();
            let mut imports: Vec<(u32, &Import)> = stands_for
                .flat_map(|name| self.names.aliased_imports(self.snapshot, name))
                .collect();
            imports.sort_by_key(|(file, import)| (*file, import.line));
            for (file, import) in imports {
                let Some(alias) = import
                    .alias
                    .as_deref()
                    .filter(|alias| !names.contains(alias))
                else {
                    continue;
                };
                let own = import.name.as_deref().map(last_of_name);
                let passes = import.reach == Reach::Reexport
                    || self
                        .rules(file)
                        .is_some_and(|rules| rules.has(Feature::ImportsAreMembers));
                let is_it = own == Some(name) || is_default && own == Some(DEFAULT_EXPORT);
                if !is_it || !passes {
                    continue;
                }
                let here = Position::at_line(file, import.line);
                if let Meaning::Symbols(found, _) = self.modules().resolve_import(here, import)
                    && found.iter().any(|at| wanted.contains(at))
                {
                    names.push(alias);
                }
            }
        }
    }

    /// Returns the aliases of a symbol by file: `import { open as openStore }`.
    fn aliases(self, names: &[&str], target: SymbolId) -> HashMap<u32, Vec<&'a str>> {
        // An alias of a package is not an alias of the symbols in it.
        let of_files = self
            .rules(target.file)
            .is_none_or(|rules| rules.modules != ModuleSystem::PackageFolder);
        let target_file = self.file(target.file).path.as_str();
        let (stem, folder) = (super::modules::stem(target_file), folder(target_file));
        let is_alias = |import: &Import| match &import.name {
            Some(name) if &**name != DEFAULT_EXPORT => names.contains(&last_of_name(name)),
            // A whole module under an alias: `import * as store from "./store"`.
            _ => last_of_module(&import.module).is_some_and(|last| {
                of_files && (names.contains(&last) || last == stem || folder.ends_with(last))
            }),
        };
        // A module may be named after the end of its folder's name.
        let inner = folder.rsplit('/').next().unwrap_or(folder);
        let ends = inner.char_indices().map(|(at, _)| &inner[at..]);
        let mut aliases: HashMap<u32, Vec<&str>> = HashMap::new();
        for stands_for in names
            .iter()
            .copied()
            .chain([stem].into_iter().chain(ends).filter(|_| of_files))
        {
            for (file, import) in self
                .names
                .aliased_imports(self.snapshot, stands_for)
                .filter(|(_, import)| is_alias(import))
            {
                let Some(alias) = import
                    .alias
                    .as_deref()
                    .filter(|alias| !names.contains(alias))
                else {
                    continue;
                };
                let own = aliases.entry(file).or_default();
                if !own.contains(&alias) {
                    own.push(alias);
                }
            }
        }
        self.add_entry_aliases(&mut aliases, names, target);
        aliases
    }

    /// Adds the aliases of the default export of a folder or a package, for imports that name neither the symbol nor its file:
    /// `const Koa = require("../..")`, `const Koa = require("koa")`.
    fn add_entry_aliases(
        self,
        aliases: &mut HashMap<u32, Vec<&'a str>>,
        names: &[&str],
        target: SymbolId,
    ) {
        let is_path = |rules: &NameRules| rules.modules == ModuleSystem::Relative;
        if !self.rules(target.file).is_some_and(is_path) || self.symbol(target).parent.is_some() {
            return;
        }
        let manifests = self.modules().manifests();
        let packages = manifests.packages_around(&self.file(target.file).path);
        let modules = packages.filter_map(last_of_module).chain([UNNAMED_MODULE]);
        for (file, import) in
            modules.flat_map(|module| self.names.aliased_imports(self.snapshot, module))
        {
            let Some(alias) = import.alias.as_deref() else {
                continue;
            };
            let known = || aliases.get(&file).is_some_and(|own| own.contains(&alias));
            if names.contains(&alias) || known() || !self.takes_default(file, import, target) {
                continue;
            }
            aliases.entry(file).or_default().push(alias);
        }
    }

    /// Returns whether an import binds a symbol to an alias as the default export of a module.
    fn takes_default(self, file: u32, import: &Import, target: SymbolId) -> bool {
        let here = Position::at_line(file, import.line);
        let Meaning::Module(module) = self.modules().resolve_import(here, import) else {
            return false;
        };
        let alias = import.alias.as_deref().unwrap_or(DEFAULT_EXPORT);
        match self.resolver().default_export_outcome(&module, alias) {
            Outcome::Targets(targets) => {
                let is_target = |at: &SymbolId| self.entities().are_same(*at, target);
                targets.symbols.iter().any(is_target)
            }
            _ => false,
        }
    }
}

/// Returns the side of a use in `{ size }`. Of two uses at one position, the one with a qualifier is the property.
fn shorthand(uses: &Uses, row: &Use) -> Option<Shorthand> {
    let is_other =
        |other: &Use| (other.line, other.column) == (row.line, row.column) && other != row;
    uses.named(uses.name(row))
        .any(is_other)
        .then(|| match row.qualifier {
            Some(_) if !row.role.binds() => Shorthand::Property,
            _ => Shorthand::Variable,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn package_private_methods_are_used_only_in_their_folder() {
        let calls = "func all() {\n\tunknown().run()\n\tunknown().Run()\n}\n";
        let files = Files::new(
            "go",
            &[
                (
                    "a/one.go",
                    "package a\n\ntype T struct{}\n\nfunc (t T) run() {}\nfunc (t T) Run() {}\n",
                ),
                ("a/two.go", &format!("package a\n\n{calls}")),
                ("b/three.go", &format!("package b\n\n{calls}")),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let users = |name: &str| {
            let target = graph.named(name).next().expect("defined");
            let found = graph
                .references()
                .to(target, &CancelToken::default())
                .expect("not cancelled");
            found
                .iter()
                .map(|one| graph.file(one.file).path.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(users("run"), ["a/two.go"]);
        assert_eq!(users("Run"), ["a/two.go", "b/three.go"]);
    }

    #[test]
    fn a_call_through_the_type_above_all_others_may_reach_a_method() {
        let header = "class Env { public: virtual int Open(int x); };\n\
                      class Wrapper : public Env { public: int Open(int x) override; };\n\
                      class Batch { public: class Handler { public: virtual int Put(int x); }; };\n";
        let code = "class Mine : public Wrapper { public: int Open(int x) override { return x; } };\n\
                    class Inserter : public Batch::Handler { public: int Put(int x) override { return x; } };\n\
                    int run(Env* env, Batch::Handler* handler) {\n  env->Open(1);\n  return handler->Put(1);\n}\n";
        let other =
            "void test() { class Handler : public Batch::Handler { int Put(int x) override; }; }\n";
        let files = Files::new("cpp", &[("a.cc", code), ("a.h", header), ("b.cc", other)]);
        let graph = Graph::new(&files.snapshot, &files);
        for (name, owner, line) in [("Open", "Mine", 4), ("Put", "Inserter", 5)] {
            let is_its = |at: &SymbolId| {
                let of = graph.members().owner(*at);
                of.is_some_and(|of| &*graph.symbol(of).name == owner)
            };
            let target = graph.named(name).find(is_its).expect("defined");
            let found = graph
                .references()
                .to(target, &CancelToken::default())
                .expect("not cancelled");
            let lines: Vec<_> = found
                .iter()
                .map(|one| (one.row.line, one.by_dispatch))
                .collect();
            assert_eq!(lines, [(line, true)], "{name}");
        }
    }

    #[test]
    fn a_package_under_another_name_is_nothing_that_is_in_it() {
        let files = Files::new(
            "go",
            &[
                ("a/v1/one.go", "package v1\n\nfunc Run() {}\n"),
                (
                    "b/two.go",
                    "package b\n\nimport corev1 \"example.com/m/a/v1\"\n\nfunc all() {\n\tcorev1.Run()\n}\n",
                ),
                ("go.mod", "module example.com/m\n"),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let target = graph.named("Run").next().expect("defined");
        let found = graph
            .references()
            .to(target, &CancelToken::default())
            .expect("not cancelled");
        let places: Vec<_> = found
            .iter()
            .map(|one| (one.row.line, one.row.column, one.resolution))
            .collect();
        assert_eq!(places, [(6, 8, Resolution::Resolved)]);
        assert!(graph.references().aliases(&["Run"], target).is_empty());
    }
}
