//! The symbols that one use of a name refers to, and the certainty of that.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::Module;
use super::scope::Meaning;
use super::value::{GenericArguments, Value, Wrapping};
use super::{Memo, Position, Resolver, SymbolId, Use, Uses, scope};
use crate::extract::declaration::Parameter;
use crate::extract::facts::Role;
use crate::extract::type_expr::paths;
use crate::lang::families::Keyword;
use crate::lang::{ImplicitScope, ModuleSystem, NameRules};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// They were found by the name alone.
    pub by_name: bool,
    /// One declaration for each symbol that may be meant.
    pub symbols: Rc<[SymbolId]>,
    pub resolution: Resolution,
    pub reason: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    Targets(Targets),
    /// A parameter or a variable of a function.
    Local,
    /// A symbol outside of the root.
    Foreign,
    #[default]
    Unknown,
}

const MAKES_OWN: &str = "constructs the enclosing type";

const HANDED: &str = "called on a value from an external library";

/// The most candidates by name for a member of a foreign value.
const FEW: usize = 4;
/// The most candidates that are ambiguous; more are found by name only.
pub(super) const MOST_CANDIDATES: usize = 12;

#[derive(Default)]
pub(super) struct ResolverMemo {
    /// By the name, its role, and the language.
    by_name: Memo<(String, Role, &'static str), Outcome>,
}

impl Resolver<'_, '_> {
    pub fn resolve(self, file: u32, uses: &Uses, row: &Use) -> Outcome {
        if let Some(known) = self.precise().resolve(file, row) {
            return known;
        }
        let here = Position {
            file,
            symbol: row.symbol,
            line: row.line,
            column: row.column,
        };
        let (name, qualifier) = (uses.name(row), uses.qualifier(row));
        if let Some(own) = self
            .self_construction(here, qualifier, name)
            .filter(|_| row.role == Role::Call)
        {
            return self.outcome(&[own], MAKES_OWN);
        }
        let found = match (row.role, qualifier) {
            (Role::Bind | Role::Narrow, _) => Outcome::Local,
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
        match found {
            Outcome::Targets(targets)
                if row.role == Role::Call && targets.resolution == Resolution::Ambiguous =>
            {
                Outcome::Targets(self.filter_by_arguments(here, name, targets))
            }
            found => found,
        }
    }

    /// Returns the type that is constructed by a word for the type around, or by a type accessor: `Self(…)`, `type(self)()`.
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
            // Where types are made by methods of theirs, who asks for a type makes nothing yet.
            Some(text)
                if rules.type_accessors.contains(&name)
                    && rules.family.implicit_constructors().is_empty() =>
            {
                self.values().evaluate(here, text).type_symbol()
            }
            _ => None,
        }
    }

    /// Returns whether a word is the receiver: nothing else has its name, or only the first parameter of a method.
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

    /// Returns the type around, where an implicit constructor makes a value of it: `new` in a Ruby class.
    fn implicit_construction(
        self,
        here: Position,
        qualifier: Option<&str>,
        name: &str,
    ) -> Option<SymbolId> {
        let rules = self
            .rules(here.file)
            .filter(|rules| rules.family.implicit_constructors().contains(&name))?;
        // What is reached through another type names that, and is a use of it already.
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

    /// Resolves a member: `name` of `qualifier.name`.
    fn resolve_member(self, here: Position, qualifier: &str, name: &str, role: Role) -> Outcome {
        let rules = self.rules(here.file);
        if let Some(chosen) = rules.and_then(|rules| rules.family.switch_subject(qualifier)) {
            let found = self
                .values()
                .find_members(&self.values().evaluate(here, chosen), name);
            return if found.is_empty() {
                self.resolve_bare_name(here, name, role)
            } else {
                self.outcome(&found, "a case of what is chosen by")
            };
        }
        if rules.is_some_and(|rules| rules.family.global_prefix() == Some(qualifier)) {
            let mut found = self.values().find_global(here, name);
            found.retain(|at| self.fits_role(*at, role, rules));
            let is_any = !found.is_empty();
            return if is_any {
                self.outcome(&found, "outside of all modules")
            } else {
                Outcome::Foreign
            };
        }
        if rules.is_some_and(|rules| rules.family.keyword(qualifier) == Some(Keyword::Derive)) {
            return self.resolve_derived_trait(here, name);
        }
        // A key of an object that nobody says the type of.
        if qualifier.starts_with('{') {
            return self.resolve_by_name(here, name, role);
        }
        if let Some(taker) = qualifier.strip_suffix('(') {
            return self.resolve_argument(here, taker, name);
        }
        let value = self.values().evaluate(here, qualifier).unwrapped().clone();
        // What a path goes on from is a module, though a function has its name too: `open::Mode`.
        let value = match value {
            Value::Function(..) if rules.is_some_and(|rules| rules.modules.hides_outer_names()) => {
                let module = self.modules().resolve_module(here, qualifier);
                module.map_or(value, Value::Module)
            }
            value => value,
        };
        if let Value::Function(at, applied) = &value
            && role == Role::Write
        {
            // An argument by name: of the function, or of what its first parameter is made of.
            let found = self.destructured_properties(*at, applied, name);
            return if found.is_empty() {
                Outcome::Local
            } else {
                self.outcome(&found, "a property of what is made")
            };
        }
        if let Value::Type(at) = value
            && role == Role::Write
        {
            if self.constructor_takes(at, name) {
                return Outcome::Local;
            }
            let found = self
                .members()
                .constructor(at)
                .map(|by| self.destructured_properties(by, &None, name))
                .unwrap_or_default();
            if !found.is_empty() {
                return self.outcome(&found, "a property of what it is made with");
            }
        }
        let mut found = self.values().find_members(&value, name);
        found.retain(|at| self.fits_role(*at, role, rules));
        if matches!(role, Role::Read | Role::Write)
            && let Some(case) = self.values().variant_at_path(here, qualifier)
        {
            // What a case is made of, or taken apart into, is its own, and never a method of its type.
            let own = self.members().find_own(case, name);
            found.retain(|at| !self.symbol(*at).kind.is_callable());
            found = if own.is_empty() { found } else { own };
            if found.is_empty() {
                return Outcome::Foreign;
            }
        }
        if !found.is_empty() {
            let reason = match value {
                Value::Module(_) => "from an imported module",
                Value::Supertypes(_) => "inherited by the enclosing type",
                _ => "by the receiver's type",
            };
            return self.outcome(&self.filter_by_role(found, role), reason);
        }
        if let Value::Instance(at, _) = value
            && let Some(found) = self.find_in_users(at, name)
        {
            return self.outcome(
                &self.filter_by_role(found, role),
                "from a type around the enclosing type",
            );
        }
        // Elsewhere what a type lacks cannot be asked of it, or nobody knows which of the derived ones is at hand.
        if let Value::Instance(at, _) | Value::Type(at) = value
            && rules.is_some_and(|rules| rules.receivers.contains(&qualifier))
            && let Some(outcome) = self.resolve_in_subtypes(at, name, role)
        {
            return outcome;
        }
        if let Some(part) = self.values().embedded_field(here, &value, name) {
            return self.outcome(&[part], "a part that is called like its type");
        }
        self.resolve_extension(here, name, role)
            .unwrap_or_else(|| self.resolve_unknown_member(here, value, name, role))
    }

    /// Resolves a member that the type of its qualifier does not have.
    fn resolve_unknown_member(
        self,
        here: Position,
        value: Value,
        name: &str,
        role: Role,
    ) -> Outcome {
        match value {
            Value::Foreign => Outcome::Foreign,
            // Mostly something foreign as well, so that only a name that few have is worth a doubt.
            Value::FromForeign => match self.resolve_by_name(here, name, role) {
                Outcome::Targets(targets) if targets.symbols.len() <= FEW => {
                    Outcome::Targets(Targets {
                        resolution: Resolution::NameOnly,
                        reason: HANDED,
                        ..targets
                    })
                }
                _ => Outcome::Foreign,
            },
            Value::Module(module) => match self.modules().submodule(&module, name) {
                Some(inner) => self.module_outcome(&inner),
                None => Outcome::Foreign,
            },
            Value::Instance(at, _) | Value::Type(at) | Value::Supertypes(at)
                if self.members().is_fully_known(at) =>
            {
                Outcome::Foreign
            }
            Value::Union(all)
                if all.iter().all(|one| {
                    one.type_symbol()
                        .is_some_and(|at| self.members().is_fully_known(at))
                }) =>
            {
                Outcome::Foreign
            }
            // Most likely a member of what it is in.
            Value::TypeParameter(_, Wrapping::Wrapped) => {
                match self.resolve_by_name(here, name, role) {
                    Outcome::Targets(targets) => Outcome::Targets(Targets {
                        resolution: Resolution::NameOnly,
                        ..targets
                    }),
                    outcome => outcome,
                }
            }
            _ => match self.unscoped_field(here, name) {
                Some(found) => self.outcome(&found, "a visible member"),
                None => self.resolve_by_name(here, name, role),
            },
        }
    }

    /// Resolves a derived trait: `Debug` of `#[derive(Debug)]`.
    fn resolve_derived_trait(self, here: Position, name: &str) -> Outcome {
        let can_be = |at: &SymbolId| {
            !matches!(
                self.symbol(*at).kind,
                SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union
            )
        };
        match self.resolve_bare_name(here, name, Role::Type) {
            Outcome::Targets(targets) if !targets.symbols.iter().all(can_be) => Outcome::Foreign,
            outcome => outcome,
        }
    }

    /// Resolves a named argument: of a function, or of a constructor. A type without a constructor is made
    /// with its fields.
    fn resolve_argument(self, here: Position, taker: &str, name: &str) -> Outcome {
        let value = self.values().evaluate(here, taker);
        match value {
            Value::Function(..) => Outcome::Local,
            Value::Type(at) if self.members().constructor(at).is_some() => Outcome::Local,
            Value::Type(at) => {
                let mut found = self.members().find(at, name);
                found.retain(|at| self.symbol(*at).kind == SymbolKind::Field);
                if found.is_empty() {
                    Outcome::Foreign
                } else {
                    self.outcome(&found, "a field of what is made")
                }
            }
            Value::Foreign | Value::FromForeign => Outcome::Foreign,
            _ => Outcome::Unknown,
        }
    }

    /// Returns the members that a trait expects of the classes that use it: `$this->name` in a PHP trait.
    fn find_in_users(self, at: SymbolId, name: &str) -> Option<Vec<SymbolId>> {
        if self.symbol(at).kind != SymbolKind::Trait
            || self.rules(at.file)?.modules.hides_outer_names()
        {
            return None;
        }
        let found: Vec<SymbolId> = self
            .members()
            .subtypes(at)
            .into_iter()
            .flat_map(|(below, _)| self.members().find(below, name))
            .collect();
        (!found.is_empty()).then_some(found)
    }

    /// Resolves a member that only subtypes have: one of these may be the receiver.
    fn resolve_in_subtypes(self, at: SymbolId, name: &str, role: Role) -> Option<Outcome> {
        let mut below = vec![at];
        let mut found: Vec<SymbolId> = vec![];
        for next in 0..MOST_CANDIDATES {
            let Some(of) = below.get(next).copied() else {
                break;
            };
            for (derived, _) in self.members().subtypes(of) {
                if !below.contains(&derived) {
                    found.extend(self.members().find_own(derived, name));
                    below.push(derived);
                }
            }
        }
        let symbols = self
            .entities()
            .distinct(&self.filter_by_role(found, role))
            .into();
        let reason = "from a type derived from the receiver's type";
        let found = Targets {
            by_name: false,
            symbols,
            resolution: Resolution::Ambiguous,
            reason,
        };
        (!found.symbols.is_empty()).then_some(Outcome::Targets(found))
    }

    /// Returns whether a member can have this role: a field is never a method where the two are in separate namespaces.
    fn fits_role(self, at: SymbolId, role: Role, rules: Option<&NameRules>) -> bool {
        let is_field = matches!(role, Role::Read | Role::Write)
            && rules.is_some_and(|rules| rules.separate_fields);
        !is_field || !self.symbol(at).kind.is_callable()
    }

    /// Returns the fields of a name that can be used without their type: a record field in OCaml.
    fn unscoped_field(self, here: Position, name: &str) -> Option<Vec<SymbolId>> {
        let rules = self
            .rules(here.file)
            .filter(|rules| rules.unscoped_members.contains(&SymbolKind::Field))?;
        match self.scopes().resolve_beyond_locals(here, name, rules) {
            Meaning::Symbols(found, _) => {
                let is_field = |at: &SymbolId| self.symbol(*at).kind == SymbolKind::Field;
                found.iter().all(is_field).then_some(found)
            }
            _ => None,
        }
    }

    /// Resolves an extension method of a foreign type: `fun String.shorten()`.
    fn resolve_extension(self, here: Position, name: &str, role: Role) -> Option<Outcome> {
        let rules = self
            .rules(here.file)
            .filter(|rules| rules.modules == ModuleSystem::Namespace)?;
        let is_it = |at: &SymbolId| {
            let parameters = self.symbol(*at).parameters();
            parameters.is_some_and(|all| rules.family.is_extension_method(all.text()))
                && self.same_language_family(at.file, here.file)
        };
        let mut found: Vec<SymbolId> = if role == Role::Call {
            self.named(name).filter(is_it).collect()
        } else {
            vec![]
        };
        if found.is_empty()
            && let Meaning::Symbols(seen, _) =
                self.scopes().resolve_beyond_locals(here, name, rules)
        {
            found = seen
                .into_iter()
                .filter(|at| self.members().is_extension(*at))
                .collect();
        }
        (!found.is_empty())
            .then(|| self.outcome(&found, "written as a member of what others define"))
    }

    /// Returns the properties of a name in the type of a function's first parameter, unless a parameter has that name: `<Button size=… />`.
    fn destructured_properties(
        self,
        at: SymbolId,
        applied: &GenericArguments,
        name: &str,
    ) -> Vec<SymbolId> {
        let Some(all) = self.symbol(at).parameters() else {
            return vec![];
        };
        let Some(first) = all.iter().next() else {
            return vec![];
        };
        let is_named = |one: Parameter<'_>| one.first_name() == Some(name);
        if !first.is_destructured() && all.iter().any(is_named) {
            return vec![];
        }
        let declared = first.type_expr().filter(|_| first.text().contains(':'));
        match declared.map(|declared| self.types().parameter_value(at, applied, declared)) {
            Some(Value::Instance(of, _)) => self.members().find(of, name),
            _ => vec![],
        }
    }

    /// Returns whether the constructor of a type has a parameter of this name.
    fn constructor_takes(self, of: SymbolId, name: &str) -> bool {
        let constructor = self.members().constructor(of);
        let parameters = constructor.and_then(|at| self.symbol(at).parameters());
        parameters.is_some_and(|all| paths(all.text()).any(|word| word == name))
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
        // Who writes to a visible member names no variable.
        if let Some(found) = self
            .unscoped_field(here, name)
            .filter(|_| role == Role::Write)
        {
            return self.outcome(&found, "a visible member");
        }
        let apart = self.rules(here.file).filter(|rules| rules.separate_modules);
        let meaning = match (self.scopes().resolve(here, name), apart) {
            (Meaning::Module(module), Some(rules)) => {
                match self.scopes().find_implicit(here, name, rules) {
                    Meaning::Unknown => Meaning::Module(module),
                    found => found,
                }
            }
            (meaning, _) => meaning,
        };
        if role == Role::Type
            && let Some(found) = self.shadowed_type(here, name, &meaning)
        {
            return self.outcome(&found, "the type of that name");
        }
        match meaning {
            Meaning::Local(..) => Outcome::Local,
            // A variable that declares a type parameter is meant itself: `T = TypeVar("T")`, `class Tray(Generic[T])`.
            Meaning::Symbols(ref found, _)
                if role == Role::Type
                    && found.iter().any(|at| fits(self.symbol(*at).kind, role))
                    && self.types().is_type_parameter(here, name) =>
            {
                Outcome::Local
            }
            // Only what is called can be one that is visible without an import.
            Meaning::Symbols(_, scope::A_MACRO)
                if matches!(role, Role::Read | Role::Write | Role::Type) =>
            {
                Outcome::Unknown
            }
            Meaning::Symbols(found, reason) => {
                self.outcome(&self.filter_by_role(found, role), reason)
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
                    self.resolve_by_name(here, name, role)
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

    /// Returns the types of a name that something else of the same name shadows.
    fn shadowed_type(self, here: Position, name: &str, nearer: &Meaning) -> Option<Vec<SymbolId>> {
        let rules = self.rules(here.file)?;
        let is_type = |at: &SymbolId| fits(self.symbol(*at).kind, Role::Type);
        let is_hidden = match nearer {
            // A type that is left open hides one of its name.
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
        match self.scopes().resolve_beyond_locals(outside, name, rules) {
            Meaning::Symbols(found, _) if is_hidden => {
                let types: Vec<SymbolId> = found.into_iter().filter(is_type).collect();
                (!types.is_empty()).then_some(types)
            }
            _ => None,
        }
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
        // A field and a method may have one name: who reads means the field.
        if matches!(role, Role::Read | Role::Write) && found.iter().any(holds) {
            return found.into_iter().filter(holds).collect();
        }
        found
    }

    /// Keeps the types or the other symbols of a name, where types are in a namespace of their own.
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
        // Wherever it is asked from in this language, and it may be asked thousands of times.
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
        match symbols.len() {
            0 => Outcome::Unknown,
            1 => Outcome::Targets(Targets {
                symbols,
                resolution: Resolution::NameOnly,
                by_name: true,
                reason: "the only member of that name",
            }),
            2..=MOST_CANDIDATES => Outcome::Targets(Targets {
                symbols,
                resolution: Resolution::Ambiguous,
                by_name: true,
                reason: "several members share this name",
            }),
            _ => Outcome::Targets(Targets {
                symbols,
                resolution: Resolution::NameOnly,
                by_name: true,
                reason: "many members share this name",
            }),
        }
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
