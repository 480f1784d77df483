//! Resolution of one use of a name: the symbols that it refers to, and how certain that is.

mod extensions;
mod member_access;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use foldhash::fast::RandomState;

use super::modules::Module;
use super::scope::Meaning;
use super::value::Value;
use super::{INCOMPLETE, Memo, Position, Resolver, SymbolId, Use, Uses, scope};
use crate::extract::facts::{RelationKind, Role};
use crate::lang::families::Feature;
use crate::lang::{ImplicitScope, NameRules};
use crate::store::text::parts;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// The symbols were found by name alone.
    pub by_name: bool,
    /// One symbol for each entity that the use may refer to.
    pub symbols: Rc<[SymbolId]>,
    pub resolution: Resolution,
    pub reason: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    Targets(Targets),
    /// A parameter or a variable of a function.
    Local,
    /// A symbol outside the root.
    Foreign,
    #[default]
    Unknown,
}

const MAKES_OWN: &str = "constructs the enclosing type";
const MAKES_SUPERCLASS: &str = "constructs the superclass";
/// The reason given for a function whose result a framework passes.
pub const PASSED_BY_NAME: &str = "passed to the parameter with its name";
const ONLY_MEMBER: &str = "the only member of that name";

/// The most candidates of an ambiguous use; with more of them it is resolved by name only.
pub(super) const MAX_CANDIDATES: usize = 12;

/// The most outcomes that are kept during a query.
const MAX_OUTCOMES: usize = 200_000;

#[derive(Default)]
pub(super) struct ResolverMemo {
    /// By the name, its role, and the language.
    by_name: Memo<(String, Role, &'static str), Outcome>,
    by_use: RefCell<HashMap<(u32, Use), Outcome, RandomState>>,
    /// Extensions of types outside the root, by their name and the language.
    extensions: Memo<(String, &'static str), Rc<[SymbolId]>>,
}

impl Resolver<'_, '_> {
    /// Resolves a use and stores the outcome: searches for several symbols with one name, and for the values that flow into
    /// several calls, resolve the same uses.
    pub fn resolve_once(self, file: u32, uses: &Uses, row: &Use) -> Outcome {
        let key = (file, *row);
        if let Some(known) = self.resolver_memo.by_use.borrow().get(&key) {
            return known.clone();
        }
        let before = INCOMPLETE.get();
        let outcome = self.resolve(file, uses, row);
        // Within another resolution, a cycle or a limit may have cut this one short.
        if self.depth.get() == 0 || INCOMPLETE.get() == before {
            let mut by_use = self.resolver_memo.by_use.borrow_mut();
            if by_use.len() >= MAX_OUTCOMES {
                by_use.clear();
            }
            by_use.insert(key, outcome.clone());
        }
        outcome
    }

    pub fn resolve(self, file: u32, uses: &Uses, row: &Use) -> Outcome {
        if let Some(known) = self.precise().resolve(file, row) {
            return known;
        }
        let here = Position::from_use(file, row);
        let (name, qualifier) = (uses.name(row), uses.qualifier(row));
        if let Some(own) = self
            .self_construction(here, qualifier, name)
            .filter(|_| row.role == Role::Call)
        {
            return self.outcome(&[own], MAKES_OWN);
        }
        if row.role == Role::Call && qualifier.is_none() && self.constructs_superclass(here, name) {
            return self.superclass_construction(here);
        }
        let found = match (row.role, qualifier) {
            (Role::Bind, _) => self.local_outcome(here, name),
            (Role::Narrow, _) => Outcome::Local,
            (Role::Import, _) => self.resolve_in_import(here, name),
            (_, Some(qualifier)) => self.resolve_member(here, qualifier, name, row.role),
            (_, None) => self.resolve_bare_name(here, name, row.role),
        };
        let is_sure = matches!(
            &found,
            Outcome::Local | Outcome::Targets(Targets { by_name: false, .. })
        );
        if let Some(own) = self
            .implicit_construction(here, qualifier, name)
            .filter(|_| !is_sure)
        {
            return self.outcome(&[own], MAKES_OWN);
        }
        let found = match found {
            Outcome::Targets(targets) if targets.resolution == Resolution::Ambiguous => {
                Outcome::Targets(self.filter_types_by_arity(here, name, targets))
            }
            found => found,
        };
        let by_arity =
            (self.rules(here.file)).is_some_and(|rules| rules.has(Feature::FunctionsByArity));
        match found {
            Outcome::Targets(targets)
                if by_arity && matches!(row.role, Role::Call | Role::Named | Role::Import) =>
            {
                self.filter_functions_by_arity(here, name, targets)
            }
            Outcome::Targets(targets)
                if row.role == Role::Call && targets.resolution == Resolution::Ambiguous =>
            {
                Outcome::Targets(self.filter_by_arguments(here, name, targets))
            }
            found => found,
        }
    }

    /// Returns the position that introduces the local name of a use, or a field of a type without a name: `size` of `row.size`
    /// for `row := struct { size int }{ … }`. None for a named argument.
    pub fn local_binding(self, file: u32, uses: &Uses, row: &Use) -> Option<(u32, u32)> {
        if row.role.binds() {
            return Some((row.line, row.column));
        }
        let (here, name) = (Position::from_use(file, row), uses.name(row));
        let Some(qualifier) = uses.qualifier(row) else {
            return self.scopes().binding(here, name);
        };
        let value = self.values().evaluate(here, qualifier);
        let Value::Anonymous(of) = *value.unwrapped() else {
            return None;
        };
        let field = self.values().anonymous_field_binding(of, name)?;
        Some((field.line, field.column))
    }

    /// Returns the outcome of a local name, which may stand for the function whose result a framework passes.
    fn local_outcome(self, here: Position, name: &str) -> Outcome {
        match self.scopes().injected_at(here, name) {
            Some(provider) => self.outcome(&[provider], PASSED_BY_NAME),
            None => Outcome::Local,
        }
    }

    /// Returns the type that a word for the enclosing type or a type accessor constructs: `Self(…)`, `type(self)()`.
    fn self_construction(
        self,
        here: Position,
        qualifier: Option<&str>,
        name: &str,
    ) -> Option<SymbolId> {
        let rules = self.rules(here.file)?;
        match qualifier {
            None if rules.self_constructors.contains(&name) && self.is_receiver(here, name) => {
                self.members().enclosing_type(here)
            }
            // Where a method constructs a type (`Store.new`), accessing the type constructs nothing yet.
            Some(text)
                if rules.type_accessors.contains(&name)
                    && rules.family.implicit_constructors().is_empty() =>
            {
                self.values().evaluate(here, text).type_symbol()
            }
            _ => None,
        }
    }

    /// Returns whether a call of a word constructs the superclass: `super(…)`.
    fn constructs_superclass(self, here: Position, name: &str) -> bool {
        let rules = self.rules(here.file);
        rules.is_some_and(|rules| rules.super_constructors.contains(&name))
    }

    fn superclass_construction(self, here: Position) -> Outcome {
        let Some(own) = self.members().enclosing_type(here) else {
            return Outcome::Unknown;
        };
        let mut above = self.members().supertypes(own).into_iter();
        let is_class = |at: SymbolId| self.symbol(at).kind == SymbolKind::Class;
        let superclass = above.find(|(at, kind)| *kind == RelationKind::Extends || is_class(*at));
        superclass.map_or(Outcome::Foreign, |(at, _)| {
            self.outcome(&[at], MAKES_SUPERCLASS)
        })
    }

    /// Returns whether a word refers to the receiver: no local name shadows it, except the first parameter of a method.
    fn is_receiver(self, here: Position, name: &str) -> bool {
        let Some(Meaning::Local(
            _,
            Position {
                symbol: Some(symbol),
                ..
            },
        )) = self.scopes().find_local(here, name)
        else {
            return true;
        };
        let by = self.symbol(SymbolId {
            file: here.file,
            symbol,
        });
        let first = by.parameters().and_then(|all| all.iter().next());
        first.is_some_and(|first| first.first_name() == Some(name))
    }

    /// Returns the enclosing type, if an implicit constructor constructs a value of it: `new` in a Ruby class.
    fn implicit_construction(
        self,
        here: Position,
        qualifier: Option<&str>,
        name: &str,
    ) -> Option<SymbolId> {
        let rules = self
            .rules(here.file)
            .filter(|rules| rules.family.implicit_constructors().contains(&name))?;
        // A call on another type names that type, and is a use of it already.
        let is_own = |text: &str| {
            let last = text.rsplit('.').next().unwrap_or(text);
            rules.receivers.contains(&last) || rules.type_accessors.contains(&last)
        };
        let of = match qualifier {
            None => self.members().enclosing_type(here),
            Some(text) if is_own(text) => self.values().evaluate(here, text).type_symbol(),
            Some(_) => None,
        };
        of.filter(|at| self.symbol(*at).kind.is_type())
    }

    /// Returns whether a member can have this role: a read is never a method where fields and methods are in separate
    /// namespaces.
    fn fits_role(self, at: SymbolId, role: Role, rules: Option<&NameRules>) -> bool {
        let is_field = matches!(role, Role::Read | Role::Write)
            && rules.is_some_and(|rules| rules.separate_fields);
        !is_field || !self.symbol(at).kind.is_callable()
    }

    pub(super) fn module_outcome(self, module: &Module) -> Outcome {
        match module {
            Module::Inside(at) => self.outcome(&[*at], "a module"),
            Module::File(file) => self
                .modules()
                .declaration_of(*file)
                .map_or(Outcome::Foreign, |at| self.outcome(&[at], "a module")),
            Module::Namespace(namespace) if !self.names.namespace(namespace).is_empty() => {
                self.outcome(self.names.namespace(namespace), "a module")
            }
            _ => Outcome::Foreign,
        }
    }

    fn resolve_bare_name(self, here: Position, name: &str, role: Role) -> Outcome {
        // A write to a field that is visible without its type is not a write to a variable.
        if let Some(found) = self
            .unscoped_field(here, name)
            .filter(|_| role == Role::Write)
        {
            return self.outcome(&found, "a field accessible by its bare name");
        }
        let apart = self.rules(here.file).filter(|rules| rules.separate_modules);
        let meaning = if role == Role::Call {
            self.scopes().resolve_called(here, name)
        } else {
            self.scopes().resolve(here, name)
        };
        let meaning = match (meaning, apart) {
            (Meaning::Module(module), Some(rules)) => {
                match self.scopes().find_implicit(here, name, rules) {
                    Meaning::Unknown => Meaning::Module(module),
                    found => found,
                }
            }
            (meaning, _) => meaning,
        };
        let is_read = matches!(role, Role::Read | Role::Write);
        let is_function =
            |at: &SymbolId| self.symbol(*at).kind.is_callable() && self.members().is_extension(*at);
        let meaning = match meaning {
            // Without a call, no extension function is meant: `buffer` beside `fun Source.buffer()` in `object : Source { … }`.
            Meaning::Symbols(found, _) if is_read && found.iter().all(is_function) => {
                let outside = Position {
                    symbol: None,
                    ..here
                };
                self.scopes().resolve(outside, name)
            }
            meaning => meaning,
        };
        if role == Role::Type
            && let Some(found) = self.shadowed_type(here, name, &meaning)
        {
            return self.outcome(&found, "the type of that name");
        }
        match meaning {
            Meaning::Local(..) => self.local_outcome(here, name),
            // A variable that declares a type parameter counts as local where it is used as a type: `T = TypeVar("T")`,
            // `class Tray(Generic[T])`.
            Meaning::Symbols(ref found, _)
                if role == Role::Type
                    && found.iter().any(|at| fits(self.symbol(*at).kind, role))
                    && self.types().is_type_parameter(here, name) =>
            {
                Outcome::Local
            }
            // Only a call can refer to a macro that is in scope without an import.
            Meaning::Symbols(_, scope::A_MACRO)
                if matches!(role, Role::Read | Role::Write | Role::Type) =>
            {
                Outcome::Unknown
            }
            Meaning::Symbols(found, reason) => {
                let found = self.filter_by_role(found, role);
                let open = scope::may_be_elsewhere(reason)
                    .then(|| self.resolve_on_open_receiver(here, name, role, &found));
                open.flatten()
                    .unwrap_or_else(|| match self.outcome(&found, reason) {
                        Outcome::Targets(targets) if reason == scope::UNDECLARED => {
                            Outcome::Targets(Targets {
                                by_name: true,
                                resolution: Resolution::NameOnly,
                                ..targets
                            })
                        }
                        outcome => outcome,
                    })
            }
            Meaning::Module(module) if self.modules().imports_whole_module(here.file, name) => {
                self.module_outcome(&module)
            }
            Meaning::Module(module) => self.default_export_outcome(&module, name),
            Meaning::External => Outcome::Foreign,
            Meaning::Unknown => {
                let open = self.rules(here.file).is_some_and(|rules| {
                    rules.implicit_scope == ImplicitScope::Root || rules.implicit_members
                });
                if open {
                    self.resolve_implicit_extension(here, name)
                        .or_else(|| self.resolve_on_open_receiver(here, name, role, &[]))
                        .unwrap_or_else(|| self.resolve_by_name(here, name, role))
                } else {
                    let lost = self
                        .is_missing_import(here, name)
                        .then(|| self.resolve_missing_import(here, name, role))
                        .flatten();
                    lost.unwrap_or(Outcome::Unknown)
                }
            }
        }
    }

    /// Resolves a bare name in a language whose classes may include any module, so that the receiver in a module is an object of
    /// whatever class: `save` in `module Storable` is the method of `class Order; include Storable`. `known` are the symbols
    /// with this name that all code can call. Returns none if only those are possible.
    fn resolve_on_open_receiver(
        self,
        here: Position,
        name: &str,
        role: Role,
        known: &[SymbolId],
    ) -> Option<Outcome> {
        let is_callable = |at: &SymbolId| self.symbol(*at).kind.is_callable();
        if !self.rules(here.file)?.has(Feature::OpenModules) || !known.iter().all(is_callable) {
            return None;
        }
        let is_member = |at: &SymbolId| self.members().owner(*at).is_some();
        let receiver = self.members().enclosing_type(here);
        if receiver.is_none() && !known.iter().any(is_member) {
            return None;
        }
        // A name that a function has is a call: `save` for `save()`.
        let role = if known.is_empty() { role } else { Role::Call };
        let mut all: Vec<SymbolId> = known.iter().copied().filter(|at| !is_member(at)).collect();
        // A class has no methods but its own, those of its supertypes, and the functions outside all classes.
        let is_class = receiver.is_some_and(|at| self.symbol(at).kind.is_type());
        let is_closed = is_class && !all.is_empty();
        let outcome = receiver
            .and_then(|at| self.resolve_in_subtypes(at, name, role))
            .or_else(|| (!is_closed).then(|| self.resolve_by_name(here, name, role)));
        let Some(Outcome::Targets(targets)) = outcome else {
            return None;
        };
        all.extend(targets.symbols.iter());
        let symbols: Rc<[SymbolId]> = self.entities().distinct(&all).into();
        if symbols.len() == targets.symbols.len() {
            return Some(Outcome::Targets(targets));
        }
        Some(Outcome::Targets(Targets {
            symbols,
            resolution: targets.resolution.max(Resolution::Ambiguous),
            ..targets
        }))
    }

    /// Returns the types with this name that a variable or another symbol with the name shadows.
    fn shadowed_type(self, here: Position, name: &str, nearer: &Meaning) -> Option<Vec<SymbolId>> {
        let rules = self.rules(here.file)?;
        let is_type = |at: &SymbolId| fits(self.symbol(*at).kind, Role::Type);
        let is_hidden = match nearer {
            // A type parameter hides a type with its name.
            Meaning::Local(..) => {
                rules.separate_types && !self.types().is_type_parameter(here, name)
            }
            Meaning::Symbols(found, _) => !found.iter().any(is_type),
            _ => false,
        };
        let module = self
            .enclosing(here.file, here.symbol)
            .find(|at| self.symbol(*at).kind == SymbolKind::Module);
        let outside = Position {
            symbol: module.map(|at| at.symbol),
            ..here
        };
        let types_of = |meaning| match meaning {
            Meaning::Symbols(found, _) if is_hidden => {
                let types: Vec<SymbolId> = found.into_iter().filter(is_type).collect();
                (!types.is_empty()).then_some(types)
            }
            _ => None,
        };
        types_of(self.scopes().resolve_beyond_locals(outside, name, rules)).or_else(|| {
            // A function of the file hides no type of another file: `struct node` beside `int node(void)`.
            let is_shared =
                is_hidden && rules.separate_types && rules.implicit_scope == ImplicitScope::Root;
            is_shared.then(|| types_of(self.scopes().find_in_root(outside, name)))?
        })
    }

    /// Keeps the symbols that can have this role, if any can.
    fn filter_by_role(self, found: Vec<SymbolId>, role: Role) -> Vec<SymbolId> {
        let apart = found
            .first()
            .and_then(|at| self.rules(at.file))
            .is_some_and(|rules| rules.separate_types);
        if apart && let Some(found) = self.filter_by_namespace(&found, role) {
            return found;
        }
        let fits = |at: &SymbolId| fits(self.symbol(*at).kind, role);
        let holds = |at: &SymbolId| !self.symbol(*at).kind.is_callable();
        if found.iter().any(fits) && !found.iter().all(fits) {
            return found.into_iter().filter(fits).collect();
        }
        // A field and a method may share a name: a read refers to the field.
        if matches!(role, Role::Read | Role::Write) && found.iter().any(holds) {
            return found.into_iter().filter(holds).collect();
        }
        found
    }

    /// Keeps either the types or the other symbols, where types are in a namespace of their own.
    fn filter_by_namespace(self, found: &[SymbolId], role: Role) -> Option<Vec<SymbolId>> {
        let is_type = |at: &&SymbolId| self.symbol(**at).kind.is_type();
        let (types, others): (Vec<&SymbolId>, Vec<&SymbolId>) = found.iter().partition(is_type);
        let meant = match role {
            Role::Type => types,
            Role::Call | Role::Read | Role::Named => others,
            _ => return None,
        };
        (!meant.is_empty() && meant.len() < found.len())
            .then(|| meant.into_iter().copied().collect())
    }

    /// Resolves a member by its name alone.
    fn resolve_by_name(self, here: Position, name: &str, role: Role) -> Outcome {
        let Some(language) = self.file(here.file).language else {
            return Outcome::Unknown;
        };
        // The outcome is the same in all files of a language, and may be requested thousands of times.
        self.resolver_memo
            .by_name
            .get((name.to_owned(), role, language.id), || {
                self.find_by_name(here, name, role)
            })
    }

    fn find_by_name(self, here: Position, name: &str, role: Role) -> Outcome {
        let mut all: Vec<SymbolId> = self
            .named(name)
            .filter(|at| {
                let kind = self.symbol(*at).kind;
                let is_member = kind == SymbolKind::Method || self.members().owner(*at).is_some();
                self.same_language_family(at.file, here.file)
                    && fits(kind, role)
                    && is_member
                    && self.tests().test_macro(*at).is_none()
                    && self.fits_role(*at, role, self.rules(here.file))
            })
            .collect();
        self.prefer_originals(&mut all);
        let symbols: Rc<[SymbolId]> = self.entities().distinct(&all).into();
        let (resolution, reason) = match symbols.len() {
            0 => return Outcome::Unknown,
            // Libraries have members called `get` and `close` as well, but hardly one called `token_next_by`.
            1 if has_several_words(name) => (Resolution::Likely, ONLY_MEMBER),
            1 => (Resolution::NameOnly, ONLY_MEMBER),
            2..=MAX_CANDIDATES => (Resolution::Ambiguous, "several members share this name"),
            _ => (Resolution::NameOnly, "many members share this name"),
        };
        Outcome::Targets(Targets {
            symbols,
            resolution,
            by_name: true,
            reason,
        })
    }

    pub(super) fn outcome(self, found: &[SymbolId], reason: &'static str) -> Outcome {
        let symbols: Rc<[SymbolId]> = self.entities().distinct(found).into();
        let resolution = if symbols.len() > 1 {
            Resolution::Ambiguous
        } else {
            Resolution::Resolved
        };
        Outcome::Targets(Targets {
            by_name: false,
            symbols,
            resolution,
            reason,
        })
    }
}

/// Returns whether a name is made of several words: `token_next`, `nextToken`, but neither `next` nor `sha1`.
fn has_several_words(name: &str) -> bool {
    let starts_with_letter =
        |part: &Range<usize>| name[part.start..].starts_with(char::is_alphabetic);
    parts(name).filter(starts_with_letter).nth(1).is_some()
}

/// Returns whether a symbol of a kind can have this role.
pub(super) fn fits(kind: SymbolKind, role: Role) -> bool {
    match role {
        Role::Type => {
            kind.is_type()
                || matches!(
                    kind,
                    SymbolKind::Alias | SymbolKind::Module | SymbolKind::Variant
                )
        }
        Role::Call => {
            kind.is_callable()
                || kind.is_type()
                || matches!(kind, SymbolKind::Macro | SymbolKind::Variant)
        }
        _ => true,
    }
}
