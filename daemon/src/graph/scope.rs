//! Resolution of unqualified names, from the innermost scope outwards.

mod enclosing;
mod injected;
mod receivers;

use std::path::Path;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use self::enclosing::is_constant;
use super::modules::Module;
use super::patterns::{ERROR_PREFIX, unpack};
use super::{Memo, Position, ScopedName, Scopes, SymbolId, Use, Uses};
use crate::extract::facts::{Reach, Role, Symbol};
use crate::index::names::namespace_of;
use crate::index::root_paths::folder;
use crate::lang::families::{Feature, c};
use crate::lang::{ImplicitScope, NameRules};

/// Reasons given for symbols. Symbols found with `ONLY_ONE` or `ONE_OF_SEVERAL` may be anywhere in the root, and do not
/// conflict with a nearer symbol with that name.
const FOR_PROJECT: &str = "imported for the whole project";
const INCLUDED: &str = "from an included file";
const ONLY_ONE: &str = "the only symbol with that name";
pub(super) const UNDECLARED: &str = "the only symbol with that name, but not declared in this file";
const ONE_OF_SEVERAL: &str = "several symbols share this name";
const A_MEMBER: &str = "a member of the enclosing type";
const IN_FILE: &str = "in the same file";
const NEAREST: &str = "in the nearest enclosing module";
pub(super) const A_MACRO: &str = "a macro with that name";

/// The meaning of a name at a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meaning {
    /// A local name, with the text that it is bound to and the position from which that is resolved.
    Local(Option<String>, Position),
    /// One of these symbols, and the reason.
    Symbols(Vec<SymbolId>, &'static str),
    Module(Module),
    /// A symbol outside the root.
    External,
    #[default]
    Unknown,
}

#[derive(Default)]
pub(super) struct ScopeMemo {
    meanings: Memo<ScopedName, Meaning>,
    injection: injected::InjectionMemo,
}

impl Scopes<'_, '_> {
    pub(super) fn resolve(self, here: Position, name: &str) -> Meaning {
        self.deeper(|| self.resolve_uncached(here, name))
    }

    fn resolve_uncached(self, here: Position, name: &str) -> Meaning {
        let Some(rules) = self.rules(here.file) else {
            return Meaning::Unknown;
        };
        if let Some(local) = self.find_local(here, name) {
            return local;
        }
        if let Some(own) = self.find_in_class_body(here, name, rules) {
            return own;
        }
        if let Some(found) = self.find_in_closure_receivers(here, name, rules) {
            return Meaning::Symbols(found, "a member of the receiver of the closure around it");
        }
        // Apart from names above and in closures, the position inside the symbol makes no difference.
        let key = (here.file, here.symbol, name.to_owned());
        if let Some(known) = self.scope_memo.meanings.known(&key) {
            return known;
        }
        let files = here.file as usize..here.file as usize + 1;
        let ends_with_closure = |at: SymbolId| self.symbol(at).closure.is_some();
        if self.named_within(name, files).any(ends_with_closure) {
            return self.resolve_beyond_class_body(here, name, rules);
        }
        self.scope_memo
            .meanings
            .get(key, || self.resolve_beyond_class_body(here, name, rules))
    }

    /// Resolves a name that is called. In some languages no variable hides a function: `Builder builder = builder();`.
    pub(super) fn resolve_called(self, here: Position, name: &str) -> Meaning {
        match (self.resolve(here, name), self.rules(here.file)) {
            (Meaning::Local(..), Some(rules)) if rules.separate_calls => {
                self.resolve_beyond_locals(here, name, rules)
            }
            (meaning, _) => meaning,
        }
    }

    /// Resolves a name, ignoring local names.
    pub(super) fn resolve_beyond_locals(
        self,
        here: Position,
        name: &str,
        rules: &NameRules,
    ) -> Meaning {
        self.find_in_class_body(here, name, rules)
            .unwrap_or_else(|| self.resolve_beyond_class_body(here, name, rules))
    }

    fn resolve_beyond_class_body(self, here: Position, name: &str, rules: &NameRules) -> Meaning {
        let has_open_modules = rules.has(Feature::OpenModules);
        if has_open_modules && name.starts_with(char::is_uppercase) {
            let found = self.find_constant(here, name);
            if !found.is_empty() {
                return Meaning::Symbols(found, "a constant in scope");
            }
            if self.named(name).all(|at| is_constant(self.symbol(at).kind)) {
                return Meaning::Unknown;
            }
        }
        let mut closed = false;
        let mut is_innermost = true;
        // Extensions of the innermost type that has any. The members of all types around hide them: `buffer` of `Pipe` in
        // `class Pipe { val source = object : Source { … } }` beside `fun Source.buffer()`.
        let mut extensions = vec![];
        for around in self.enclosing(here.file, here.symbol) {
            let symbol = self.symbol(around);
            let mut inside = self.in_closures_around(here, self.children(around, name));
            // A method of an object literal is not in scope without its object: `{ open() { return open(this); } }`.
            inside
                .retain(|at| rules.implicit_members || self.symbol(*at).kind != SymbolKind::Method);
            if symbol.kind == SymbolKind::Module && rules.modules.hides_outer_names() {
                closed = true;
                if !inside.is_empty() {
                    return Meaning::Symbols(inside, "in the enclosing module");
                }
                break;
            }
            if (symbol.kind.is_callable() || symbol.kind == SymbolKind::Module)
                && !inside.is_empty()
            {
                return Meaning::Symbols(inside, "in an enclosing scope");
            }
            if let Some(field) = self.constructor_property(around, name) {
                return Meaning::Symbols(
                    vec![field],
                    "a constructor parameter that declares a property",
                );
            }
            if rules.implicit_members || symbol.kind == SymbolKind::Module {
                let is_open = symbol.kind == SymbolKind::Module && has_open_modules && is_innermost;
                let of = if symbol.kind.is_type() || is_open {
                    Some(around)
                } else {
                    self.members().declared_owner(around)
                };
                let members = of
                    .map(|of| self.members().find_implicit_member(of, name))
                    .unwrap_or_default();
                // A type in an extension is in the scope of the extended type: `extension Store { struct Row { var kind: Kind } }`.
                let outer =
                    Some(around).filter(|_| symbol.kind.is_type() && symbol.scope.is_some());
                let outer = outer.and_then(|around| self.members().declared_owner(around));
                let members = match outer.filter(|_| members.is_empty()) {
                    Some(outer) => self.members().find_implicit_member(outer, name),
                    None => members,
                };
                let is_extension = |at: &SymbolId| self.members().is_extension(*at);
                if !members.iter().all(is_extension) {
                    return Meaning::Symbols(members, A_MEMBER);
                }
                if extensions.is_empty() {
                    extensions = members;
                }
            }
            is_innermost &= !self.members().has_members(around);
        }
        if !extensions.is_empty() {
            return Meaning::Symbols(extensions, A_MEMBER);
        }
        let top = if closed {
            vec![]
        } else {
            self.in_file(here, name)
        };
        let is_module = |at: &SymbolId| self.symbol(*at).kind == SymbolKind::Module;
        // A module and a function may share a name: `mod open; use open::open;`.
        let is_shared = rules.modules.hides_outer_names() && top.iter().all(is_module);
        if !top.is_empty() && !is_shared {
            return Meaning::Symbols(top, IN_FILE);
        }
        let imports = self.modules().imports_named(here.file, name);
        for import in imports.filter(|import| import.reach != Reach::Wildcard) {
            let of_path = import.name.is_none()
                && import.alias.is_none()
                && rules.has(Feature::ImportsAreMembers);
            let found = match of_path.then(|| self.modules().resolve_module(here, name)) {
                Some(first) => first.map_or(Meaning::External, Meaning::Module),
                None => self.modules().resolve_import(here, import),
            };
            match found {
                Meaning::Unknown => {}
                Meaning::Symbols(found, reason) => {
                    return Meaning::Symbols([top, found].concat(), reason);
                }
                _ if !top.is_empty() => {}
                found => return found,
            }
        }
        if !top.is_empty() {
            return Meaning::Symbols(top, IN_FILE);
        }
        match self.find_implicit(here, name, rules) {
            Meaning::Unknown => {}
            found => return found,
        }
        if let Some(module) = self.modules().implicit_module(here, name) {
            return Meaning::Module(module);
        }
        if rules.implicit_scope == ImplicitScope::Root {
            return self.find_in_root(here, name);
        }
        self.find_macros(here, name)
    }

    /// Resolves a name to macros. The scope of a macro follows the order of the text, which is not known here, so macros of
    /// the same package are preferred.
    fn find_macros(self, here: Position, name: &str) -> Meaning {
        let is_macro = |at: &SymbolId| {
            self.symbol(*at).kind == SymbolKind::Macro
                && self.same_language_family(at.file, here.file)
        };
        let mut all: Vec<SymbolId> = self.named(name).filter(is_macro).collect();
        if !self.entities().are_one(&all) {
            let manifests = self.modules().manifests();
            let package = |file: u32| manifests.crate_around(&self.file(file).path);
            let own: Vec<SymbolId> = all
                .iter()
                .copied()
                .filter(|at| package(at.file) == package(here.file))
                .collect();
            all = if own.is_empty() { all } else { own };
        }
        if all.is_empty() {
            Meaning::Unknown
        } else {
            Meaning::Symbols(all, A_MACRO)
        }
    }

    /// Returns the symbols with this name that are in scope without an import that names them.
    pub(super) fn find_implicit(self, here: Position, name: &str, rules: &NameRules) -> Meaning {
        let shared = self.find_shared(here, name, rules.implicit_scope);
        if !shared.is_empty() {
            return Meaning::Symbols(shared, "visible without an import");
        }
        let imports = &self.file(here.file).outline.imports;
        for import in imports
            .iter()
            .filter(|import| self.modules().is_wildcard(here.file, import))
        {
            if let Some(module) = self
                .modules()
                .resolve_module(self.modules().import_position(here, import), &import.module)
            {
                let found = self.modules().find(&module, name);
                if !found.is_empty() {
                    return Meaning::Symbols(found, "imported by a wildcard import");
                }
            }
        }
        for (file, import) in self.names.global_imports(self.snapshot) {
            // A global import applies to the project of its file: to all files below the same folder.
            let is_for =
                Path::new(&self.file(here.file).path).starts_with(folder(&self.file(file).path));
            if is_for
                && self.same_language_family(file, here.file)
                && let Some(module) = self
                    .modules()
                    .resolve_module(Position::at_line(file, import.line), &import.module)
            {
                let found = self.modules().find(&module, name);
                if !found.is_empty() {
                    return Meaning::Symbols(found, FOR_PROJECT);
                }
            }
        }
        if rules.has(Feature::ProjectImports) {
            let manifests = self.modules().manifests();
            for namespace in manifests.imports_around(&self.file(here.file).path) {
                let module = self.modules().resolve_module(here, namespace);
                let found = module.map(|module| self.modules().find(&module, name));
                if let Some(found) = found.filter(|found| !found.is_empty()) {
                    return Meaning::Symbols(found, FOR_PROJECT);
                }
            }
        }
        Meaning::Unknown
    }

    /// Returns the symbol that a name refers to at the top level of a file.
    pub fn resolve_at_top_level(self, file: u32, name: &str) -> Option<SymbolId> {
        let here = Position::at_line(file, u32::MAX);
        match self.resolve(here, name) {
            Meaning::Symbols(found, _) => found.first().copied(),
            _ => None,
        }
    }

    /// Returns the symbols that already have a name in the scope of a symbol.
    pub fn siblings(self, at: SymbolId, name: &str) -> Vec<SymbolId> {
        if let Some(owner) = self.members().owner(at) {
            return self.members().find(owner, name);
        }
        let symbol = self.symbol(at);
        if let Some(parent) = self.parent(at) {
            return self.in_closures_around(
                Position::declaration(&self, at),
                self.children(parent, name),
            );
        }
        if symbol.closure.is_some() {
            return self.in_file(Position::declaration(&self, at), name);
        }
        let mut found = self.top_level(at.file, name);
        let here = Position {
            symbol: None,
            ..Position::declaration(&self, at)
        };
        let shares = self
            .rules(at.file)
            .map_or(ImplicitScope::Nothing, |rules| rules.implicit_scope);
        found.extend(self.find_shared(here, name, shares));
        found
    }

    /// Returns whether a name is in scope at a position.
    pub fn is_bound(self, here: Position, name: &str) -> bool {
        match self.resolve(here, name) {
            Meaning::Local(..) | Meaning::Module(_) | Meaning::External => true,
            Meaning::Symbols(_, reason) => {
                ![ONLY_ONE, ONE_OF_SEVERAL, UNDECLARED].contains(&reason)
            }
            Meaning::Unknown => false,
        }
    }

    /// Returns the line and column where a parameter or a variable of the enclosing functions is bound.
    pub fn binding(self, here: Position, name: &str) -> Option<(u32, u32)> {
        let uses = self.uses(here.file);
        let mut bind = self.find_binding(here, &uses, name)?;
        // A type test narrows a name that is bound before it: `if isinstance(shape, Circle):`.
        while bind.role == Role::Narrow {
            let before = Position {
                line: bind.line,
                column: bind.column.checked_sub(1)?,
                ..here
            };
            let outer = self.find_binding(before, &uses, name)?;
            if (outer.line, outer.column) >= (bind.line, bind.column) {
                return None;
            }
            bind = outer;
        }
        Some((bind.line, bind.column))
    }

    /// Returns a parameter or a variable of the enclosing functions.
    pub(super) fn find_local(self, here: Position, name: &str) -> Option<Meaning> {
        let uses = self.uses(here.file);
        let bind = self.find_binding(here, &uses, name)?;
        let place = Position {
            file: here.file,
            symbol: bind.symbol,
            line: bind.line,
            column: bind.column.saturating_sub(1),
        };
        Some(Meaning::Local(
            self.binding_text(here.file, &uses, bind),
            place,
        ))
    }

    /// Returns the binding that a name refers to at a position.
    pub(super) fn find_binding<'u>(
        self,
        here: Position,
        uses: &'u Uses,
        name: &str,
    ) -> Option<&'u Use> {
        let around: Vec<u32> = self
            .enclosing(here.file, here.symbol)
            .map(|at| at.symbol)
            .collect();
        // In its own initializer a member is not in scope yet: `class Store(path: Path) { val path = path }`.
        let symbols = &self.file(here.file).outline.symbols;
        let is_in_member = |of: u32| {
            let mut inside = around.iter().map(|at| &symbols[*at as usize]);
            inside
                .any(|one| one.parent == Some(of) && *one.name == *name && !one.kind.is_callable())
        };
        let binds = uses.bindings(name).rev().filter(|row| {
            row.symbol.is_none_or(|symbol| around.contains(&symbol))
                && row.symbol.is_none_or(|symbol| {
                    let of = SymbolId {
                        symbol,
                        file: here.file,
                    };
                    !self.has_member(of, name) || is_in_member(symbol)
                })
                && !uses.is_in_initializer(row, here.line, here.column)
                && uses
                    .extent(row)
                    .is_none_or(|extent| extent.contains(here.line, here.column))
        });
        let is_before = |row: &Use| {
            (row.line, row.column) <= (here.line, here.column)
                || uses.extent(row).is_some_and(|one| one.from_start)
        };
        // A name that an outer scope binds later is bound by the time an inner function runs.
        let is_outer = |row: &Use| row.symbol != here.symbol && row.symbol.is_some();
        // The innermost scope comes first, and in it the last binding before the position.
        let distance = |row: &Use| {
            around
                .iter()
                .position(|at| Some(*at) == row.symbol)
                .unwrap_or(around.len())
        };
        let bind = binds
            .clone()
            .filter(|row| is_before(row) || is_outer(row))
            .min_by_key(|row| (distance(row), !is_before(row)))?;
        // The bound of a type parameter may follow the parameters: `fn open<S>(sink: S) where S: Sink`.
        let is_bound = |row: &&Use| row.symbol == bind.symbol && row.qualifier.is_some();
        let bind = if bind.qualifier.is_none() && name.starts_with(char::is_uppercase) {
            binds.clone().find(is_bound).unwrap_or(bind)
        } else {
            bind
        };
        // A name that is narrowed but not bound here is not a local name.
        if bind.role == Role::Narrow && !binds.clone().any(|row| row.role == Role::Bind) {
            return None;
        }
        Some(bind)
    }

    /// Returns the text that a name is bound to.
    fn binding_text(self, file: u32, uses: &Uses, bind: &Use) -> Option<String> {
        let name = uses.name(bind);
        let Some(text) = uses.qualifier(bind) else {
            // A field that is destructured under its own name.
            let is_field = |row: &&Use| {
                (row.line, row.column, row.role) == (bind.line, bind.column, Role::Read)
            };
            let of = uses
                .named(name)
                .find(is_field)
                .and_then(|row| uses.qualifier(row))?;
            return Some(format!("{of} {{ {name}:"));
        };
        if let Some(part) = unpack(text, name) {
            return Some(part);
        }
        // `Err(name)`: the name is bound to the error of the value.
        let is_before = |word: &str, row: &Use| {
            let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
            (
                row.line,
                row.column.saturating_add(length).saturating_add(1),
            ) == (bind.line, bind.column)
        };
        let failures = self
            .rules(file)
            .map_or(&[][..], |rules| rules.family.error_patterns());
        let is_failure = failures
            .iter()
            .any(|word| uses.named(word).any(|row| is_before(word, row)));
        Some(if is_failure {
            format!("{ERROR_PREFIX}{text}")
        } else {
            text.to_owned()
        })
    }

    /// Returns whether a type has a member with this name, so that a binding in its body is that member.
    fn has_member(self, at: SymbolId, name: &str) -> bool {
        self.symbol(at).kind.is_type() && !self.children(at, name).is_empty()
    }

    /// Returns the property that a constructor declares as a parameter: `constructor(private store: Store)`.
    fn constructor_property(self, of: SymbolId, name: &str) -> Option<SymbolId> {
        let constructor =
            Some(self.symbol(of)).filter(|symbol| symbol.kind == SymbolKind::Constructor)?;
        let is_it = |symbol: &&Symbol| {
            symbol.parent == Some(of.symbol)
                && *symbol.name == *name
                && symbol.scope.is_some()
                && constructor.signature.contains(&*symbol.signature)
        };
        let mut symbols = (0..).zip(&self.file(of.file).outline.symbols);
        let (symbol, _) = symbols.find(|(_, symbol)| is_it(symbol))?;
        Some(SymbolId { symbol, ..of })
    }

    /// Returns the symbols with this name directly inside a symbol.
    pub(super) fn children(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        let symbols = &self.file(of.file).outline.symbols;
        let from = of.symbol + 1;
        let end = symbols[of.symbol as usize].end_byte;
        let is_child = |one: &Symbol| {
            one.parent == Some(of.symbol) && *one.name == *name && one.scope.is_none()
        };
        (from..)
            .zip(&symbols[from as usize..])
            .take_while(|(_, one)| one.start_byte < end)
            .filter(|(_, one)| is_child(one))
            .map(|(symbol, _)| SymbolId { symbol, ..of })
            .collect()
    }

    /// Returns the symbols with this name that are in scope in all of a file, or in the innermost closure around a position
    /// that defines the name.
    fn in_file(self, here: Position, name: &str) -> Vec<SymbolId> {
        self.in_closures_around(here, self.outermost(here.file, name))
    }

    /// Returns the symbols with this name that a file can export: those at its top level, or else those in the function that
    /// wraps the whole file: `(function () { function open() {} exports.open = open })()`.
    pub(super) fn exportable(self, file: u32, name: &str) -> Vec<SymbolId> {
        let mut found = self.outermost(file, name);
        let is_open = |at: &SymbolId| self.symbol(*at).closure.is_none();
        if found.iter().any(is_open) {
            found.retain(is_open);
        }
        found
    }

    /// Returns the symbols with this name that no other symbol of the file contains.
    fn outermost(self, file: u32, name: &str) -> Vec<SymbolId> {
        let is_outermost = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            self.is_top_level(*at)
                || symbol.closure.is_some() && symbol.parent.is_none() && symbol.scope.is_none()
        };
        self.named_within(name, file as usize..file as usize + 1)
            .filter(is_outermost)
            .collect()
    }

    /// Keeps the symbols in the innermost closure around a position that has any, or else those outside closures.
    fn in_closures_around(self, here: Position, mut found: Vec<SymbolId>) -> Vec<SymbolId> {
        let closure = |at: &SymbolId| self.symbol(*at).closure;
        let is_around = |(start, end): &(u32, u32)| (*start..=*end).contains(&here.line);
        let innermost = (found.iter().filter_map(closure).filter(is_around)).max();
        found.retain(|at| closure(at) == innermost);
        found
    }

    /// Returns the symbols with this name at the top level of a file, or of its namespaces.
    pub(super) fn top_level(self, file: u32, name: &str) -> Vec<SymbolId> {
        self.named_within(name, file as usize..file as usize + 1)
            .filter(|at| self.is_top_level(*at))
            .collect()
    }

    pub(super) fn is_top_level(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        let Some(rules) = self.rules(at.file) else {
            return false;
        };
        let closed = rules.modules.hides_inner_names();
        symbol.scope.is_none()
            && symbol.closure.is_none()
            && match self.parent(at) {
                None => true,
                Some(parent) => {
                    let kind = self.symbol(parent).kind;
                    let opens = if kind == SymbolKind::Module {
                        !closed
                    } else {
                        kind != SymbolKind::Class
                            && rules.unscoped_members.contains(&symbol.kind)
                            && (kind.is_type() || kind == SymbolKind::Variant)
                    };
                    opens && self.is_top_level(parent)
                }
            }
    }

    /// Returns whether code of a file can use a symbol. Where the files of a folder share a scope, a private symbol is visible
    /// only in its folder.
    pub fn can_use(self, of: SymbolId, file: u32) -> bool {
        let is_shared = || {
            self.rules(of.file)
                .is_some_and(|rules| rules.implicit_scope == ImplicitScope::Folder)
        };
        let folder_of = |file: u32| folder(&self.file(file).path);
        self.symbol(of).visibility != Some(Visibility::Private)
            || !is_shared()
            || folder_of(of.file) == folder_of(file)
    }

    /// Returns the symbols with this name in the same folder or namespace.
    fn find_shared(self, here: Position, name: &str, shares: ImplicitScope) -> Vec<SymbolId> {
        match shares {
            ImplicitScope::Nothing | ImplicitScope::Root => vec![],
            ImplicitScope::Folder => {
                let own = folder(&self.file(here.file).path);
                self.named_within(name, self.snapshot.places_beneath(own))
                    .filter(|at| {
                        folder(&self.file(at.file).path) == own
                            && self.is_top_level(*at)
                            && self.same_language_family(at.file, here.file)
                    })
                    .collect()
            }
            ImplicitScope::Namespace => {
                let own = namespace_of(self.file(here.file), here.symbol);
                let candidates: Vec<SymbolId> = self
                    .named(name)
                    .filter(|at| {
                        self.is_top_level(*at) && self.same_language_family(at.file, here.file)
                    })
                    .collect();
                // Names of the enclosing namespaces are in scope too, the nearest first.
                let mut sight = own.clone();
                loop {
                    let found: Vec<SymbolId> = candidates
                        .iter()
                        .copied()
                        .filter(|at| namespace_of(self.file(at.file), Some(at.symbol)) == sight)
                        .collect();
                    if !found.is_empty() {
                        return found;
                    }
                    match sight {
                        Some(inner) => {
                            sight = inner.rsplit_once('.').map(|(outer, _)| outer.to_owned());
                        }
                        None => return vec![],
                    }
                }
            }
        }
    }

    /// Resolves a name in a language whose files share one scope. Of several symbols, those of included files are preferred.
    pub(super) fn find_in_root(self, here: Position, name: &str) -> Meaning {
        let (mut all, hidden): (Vec<SymbolId>, Vec<SymbolId>) = self
            .named(name)
            .filter(|at| self.same_language_family(at.file, here.file) && self.is_top_level(*at))
            .partition(|at| self.has_external_linkage(*at));
        // What a file includes becomes a part of it, `static inline` functions too.
        if !hidden.is_empty() {
            let included = self.modules().filter_in_included_files(here.file, &hidden);
            if !included.is_empty() {
                return Meaning::Symbols(included, INCLUDED);
            }
        }
        self.prefer_originals(&mut all);
        if all.is_empty() {
            return Meaning::Unknown;
        }
        if self.entities().are_one(&all) {
            let reason = if self.is_undeclared(here, &all) {
                UNDECLARED
            } else {
                ONLY_ONE
            };
            return Meaning::Symbols(all, reason);
        }
        if let Some(near) = self.in_nearest_module(here, &all) {
            return Meaning::Symbols(near, NEAREST);
        }
        let near = self.modules().filter_included(here.file, &all);
        if near.is_empty() {
            Meaning::Symbols(all, ONE_OF_SEVERAL)
        } else {
            Meaning::Symbols(near, INCLUDED)
        }
    }

    /// Returns whether a function has a prototype that a source file neither contains nor includes, so that the file may mean
    /// one of the system: `epoll_ctl` beside a replacement for another platform.
    fn is_undeclared(self, here: Position, all: &[SymbolId]) -> bool {
        let is_source = Path::new(&self.file(here.file).path)
            .extension()
            .is_some_and(|extension| c::SOURCE_EXTENSIONS.iter().any(|one| extension == *one));
        let is_function = |at: &SymbolId| self.symbol(*at).kind == SymbolKind::Function;
        is_source
            && all.iter().all(is_function)
            && all.iter().any(|at| at.file != all[0].file)
            && self.modules().filter_included(here.file, all).is_empty()
            && !self.modules().may_include(here.file, all)
    }

    /// Returns whether a name may refer to any of several types in unrelated scopes.
    pub(super) fn is_ambiguous_type(self, here: Position, name: &str) -> bool {
        match self.resolve(here, name) {
            Meaning::Symbols(mut found, ONE_OF_SEVERAL) => {
                found.retain(|at| self.symbol(*at).kind.is_type());
                !self.entities().are_one(&found)
            }
            _ => false,
        }
    }

    /// Returns whether other files can use a symbol: a `static` function of C is private to its file.
    fn has_external_linkage(self, at: SymbolId) -> bool {
        self.symbol(at).visibility != Some(Visibility::Private)
            || self
                .rules(at.file)
                .is_some_and(|rules| rules.modules != crate::lang::ModuleSystem::Include)
    }
}

/// Returns whether a reason says that symbols may be anywhere in the root or in the file, and so in any class.
pub(super) fn may_be_elsewhere(reason: &str) -> bool {
    [ONLY_ONE, ONE_OF_SEVERAL, UNDECLARED, IN_FILE].contains(&reason)
}
