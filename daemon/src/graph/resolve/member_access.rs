//! Member access: resolves the name after a qualifier by the value of the qualifier.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};

use super::{Outcome, Targets};
use crate::extract::declaration::Parameter;
use crate::extract::facts::{Import, Role};
use crate::extract::type_expr::{is_word, paths};
use crate::graph::modules::Module;
use crate::graph::scope::Meaning;
use crate::graph::value::{GenericArguments, Value, Wrapping};
use crate::graph::{Position, Resolver, SymbolId};
use crate::lang::ModuleSystem;
use crate::lang::families::Keyword;
use crate::lang::{NameRules, SIGILS};

const ON_FOREIGN_VALUE: &str = "called on a value from an external library";

/// The most candidates by name for a member of a foreign value.
const FEW: usize = 4;

impl Resolver<'_, '_> {
    /// Resolves a member: `name` of `qualifier.name`.
    pub(super) fn resolve_member(
        self,
        here: Position,
        qualifier: &str,
        name: &str,
        role: Role,
    ) -> Outcome {
        let rules = self.rules(here.file);
        if let Some(chosen) = rules.and_then(|rules| rules.family.switch_subject(qualifier)) {
            let found = self
                .values()
                .find_members(&self.values().evaluate(here, chosen), name);
            return if found.is_empty() {
                self.resolve_bare_name(here, name, role)
            } else {
                self.outcome(&found, "a case of the switch subject")
            };
        }
        let is_global = |rules: &NameRules| {
            rules.family.global_prefix() == Some(qualifier)
                || rules.family.root_prefix() == qualifier
        };
        if rules.is_some_and(is_global) {
            let mut found = self.values().find_global(here, name);
            found.retain(|at| self.fits_role(*at, role, rules));
            let is_any = !found.is_empty();
            return if is_any {
                self.outcome(&found, "in the global namespace")
            } else {
                Outcome::Foreign
            };
        }
        let library = rules.and_then(|rules| rules.family.library_namespace());
        let first = qualifier.split("::").next();
        if library.is_some_and(|name| first == Some(name) && self.named(name).next().is_none()) {
            return Outcome::Foreign;
        }
        if rules.is_some_and(|rules| rules.family.keyword(qualifier) == Some(Keyword::Derive)) {
            return self.resolve_derived_trait(here, name);
        }
        let suffix = rules.and_then(|rules| rules.family.attribute_suffix());
        if let Some(suffix) = suffix.filter(|_| qualifier == "[") {
            return self.resolve_attribute(here, name, suffix);
        }
        if let Some(suffix) = suffix.filter(|_| role == Role::Named) {
            return self.resolve_attribute_argument(here, qualifier, name, suffix);
        }
        // A key of an object literal without a known type.
        if qualifier.starts_with('{') {
            return self.resolve_by_name(here, name, role);
        }
        if let Some(of) = qualifier.strip_suffix('{') {
            return self.resolve_literal_key(here, of, name, role);
        }
        if let Some(taker) = qualifier.strip_suffix('(') {
            return self.resolve_argument(here, taker, name, role);
        }
        let hidden = (role == Role::Type).then(|| self.values().hidden_namespace(here, qualifier));
        let value = hidden
            .flatten()
            .unwrap_or_else(|| self.values().evaluate(here, qualifier).unwrapped().clone());
        // The qualifier of a path is a module, even if a function has its name: `open::Mode`.
        let value = match value {
            Value::Instance(..) | Value::Union(..) | Value::Pair(..)
                if self.values().is_collection(here, qualifier) =>
            {
                Value::ForeignResult
            }
            Value::Function(..) if rules.is_some_and(|rules| rules.modules.hides_outer_names()) => {
                let module = self.modules().resolve_module(here, qualifier);
                module.map_or(value, Value::Module)
            }
            value => value,
        };
        if let Value::Anonymous(of) = value
            && self.values().anonymous_field_binding(of, name).is_some()
        {
            return Outcome::Local;
        }
        if let Value::Function(at, applied) = &value
            && role == Role::Write
        {
            // A named argument: a parameter of the function, or a property of its first parameter's type.
            let found = self.destructured_properties(*at, applied, name);
            return if found.is_empty() {
                Outcome::Local
            } else {
                self.outcome(&found, "a property of the function's first parameter")
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
                return self.outcome(&found, "a property of the constructor's first parameter");
            }
        }
        let mut found = self.values().find_members(&value, name);
        found.retain(|at| self.fits_role(*at, role, rules));
        self.prefer_static(here, qualifier, &value, &mut found);
        if matches!(role, Role::Read | Role::Write)
            && let Some(case) = self.values().variant_at_path(here, qualifier)
        {
            // The fields of a variant are its own, and never methods of its type.
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
        // Inside a class its name is a member: `using Base::Base;`.
        if let Value::Type(at) = value
            && rules.is_some_and(|rules| rules.modules == ModuleSystem::Include)
            && *self.symbol(at).name == *name
        {
            return self.outcome(&[at], "the type of that name");
        }
        if let Value::Instance(at, _) = value
            && let Some(found) = self.find_in_classes_using_trait(at, name)
        {
            return self.outcome(
                &self.filter_by_role(found, role),
                "from a class that uses the trait",
            );
        }
        if let Value::Supertypes(at) = value
            && let Some(outcome) = self.possible_outcome(
                self.members().find_combined(at, name),
                "from a class that is combined with the enclosing type",
                role,
            )
        {
            return outcome;
        }
        // Only the receiver itself may have members of subtypes: `this.run()` in an abstract class.
        if let Value::Instance(at, _) | Value::Type(at) = value
            && rules.is_some_and(|rules| rules.receivers.contains(&qualifier))
            && let Some(outcome) = self.resolve_in_subtypes(at, name, role)
        {
            return outcome;
        }
        if let Some(part) = self.values().embedded_field(here, &value, name) {
            return self.outcome(&[part], "an embedded field");
        }
        self.resolve_extension(here, qualifier, &value, name, role)
            .or_else(|| self.resolve_by_flow(here, &value, qualifier, name, role))
            .unwrap_or_else(|| self.resolve_unknown_member(here, value, name, role))
    }

    /// Keeps the members of a type itself or those of its objects, where it has both under one name: `Store.open()` is
    /// `static open()`.
    fn prefer_static(
        self,
        here: Position,
        qualifier: &str,
        value: &Value,
        found: &mut Vec<SymbolId>,
    ) {
        let is_static = |at: &SymbolId| self.members().is_static(*at);
        if found.len() < 2 || found.iter().all(is_static) || !found.iter().any(is_static) {
            return;
        }
        let is_receiver = self.rules(here.file).is_some_and(|rules| {
            rules.receivers.contains(&qualifier) || rules.supertype_words.contains(&qualifier)
        });
        let is_in_type_member = || {
            self.enclosing(here.file, here.symbol)
                .any(|at| is_static(&at))
        };
        let wanted = matches!(value, Value::Type(_)) || is_receiver && is_in_type_member();
        found.retain(|at| is_static(at) == wanted);
    }

    /// Resolves a member of a receiver without a declared type, by the values that flow into it.
    fn resolve_by_flow(
        self,
        here: Position,
        value: &Value,
        qualifier: &str,
        name: &str,
        role: Role,
    ) -> Option<Outcome> {
        let is_candidate = || {
            let by_name = self.resolve_by_name(here, name, role);
            matches!(by_name, Outcome::Targets(_))
        };
        let can_tell = self
            .rules(here.file)
            .is_some_and(|rules| rules.family.has_untyped_variables());
        let is_open = matches!(value, Value::Unknown | Value::Instance(..));
        if !can_tell || !is_open || !is_candidate() {
            return None;
        }
        let found = self.flows().members_of(here, qualifier, name);
        let found = self.filter_by_role(found, role);
        (!found.is_empty())
            .then(|| self.outcome(&found, "by the values that flow into the receiver"))
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
            // If no supertype in the root has the member, a supertype outside the root has it: `super().open()`.
            Value::Foreign | Value::Supertypes(_) => Outcome::Foreign,
            // The result of a foreign function is mostly foreign too, so only a rare name is kept as a candidate.
            Value::ForeignResult => match self.resolve_by_name(here, name, role) {
                Outcome::Targets(targets) if targets.symbols.len() <= FEW => {
                    Outcome::Targets(Targets {
                        resolution: Resolution::NameOnly,
                        reason: ON_FOREIGN_VALUE,
                        ..targets
                    })
                }
                _ => Outcome::Foreign,
            },
            Value::Module(module) => match self.modules().submodule(&module, name) {
                Some(inner) => self.module_outcome(&inner),
                None if self.has_only_own_names(&module) => Outcome::Unknown,
                None => Outcome::Foreign,
            },
            Value::Instance(at, _) | Value::Type(at) if self.members().is_fully_known(at) => {
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
            // Most likely a member of the wrapping type: `items.len()` of `items: Vec<T>`.
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
                Some(found) => self.outcome(&found, "a field accessible by its bare name"),
                None => self.resolve_by_name(here, name, role),
            },
        }
    }

    /// Returns whether a module is a file that re-exports no other as a whole, so that what it lacks is not from a library.
    fn has_only_own_names(self, module: &Module) -> bool {
        let Module::File(file) = module else {
            return false;
        };
        let rules = self.rules(*file);
        rules.is_some_and(|rules| rules.modules == ModuleSystem::Relative)
            && !(self.file(*file).outline.imports.iter()).any(Import::reexports_all)
    }

    /// Resolves a key of a literal of a type: the name of a field, or the value of a key if the type is a map.
    fn resolve_literal_key(self, here: Position, of: &str, name: &str, role: Role) -> Outcome {
        let value = self.values().evaluate(here, of);
        if let Some(at) = value.type_symbol() {
            let field = self.resolve_member(here, of, name, role);
            let is_sure = matches!(field, Outcome::Targets(Targets { by_name: false, .. }));
            let is_struct = self.symbol(at).kind == SymbolKind::Struct;
            return if is_sure || is_struct {
                field
            } else {
                self.resolve_bare_name(here, name, Role::Read)
            };
        }
        let value = self.resolve_bare_name(here, name, Role::Read);
        let language = self.file(here.file).language;
        let facts = language.and_then(|language| language.facts.as_ref());
        let is_private = facts.is_some_and(|facts| {
            facts.visibility.visibility_of(name, None) == Some(Visibility::Private)
        });
        match value {
            // A private field of another package cannot be set.
            value if is_private => value,
            Outcome::Targets(targets) if !targets.by_name => Outcome::Targets(Targets {
                resolution: Resolution::Ambiguous,
                reason: "a key of a map, or a field of a type from an external library",
                ..targets
            }),
            _ => Outcome::Foreign,
        }
    }

    /// Resolves an attribute, whose name may lack a suffix: `[Route]` for `class RouteAttribute`.
    fn resolve_attribute(self, here: Position, name: &str, suffix: &str) -> Outcome {
        let whole = format!("{name}{suffix}");
        match self.resolve_bare_name(here, &whole, Role::Type) {
            found @ Outcome::Targets(Targets { by_name: false, .. }) => found,
            _ => self.resolve_bare_name(here, name, Role::Type),
        }
    }

    /// Resolves a named argument of an attribute, which sets a property of its type: `[Route(Path = "/")]`.
    fn resolve_attribute_argument(
        self,
        here: Position,
        attribute: &str,
        name: &str,
        suffix: &str,
    ) -> Outcome {
        let whole = format!("{attribute}{suffix}");
        let types = [&*whole, attribute].into_iter();
        let mut types = types.filter_map(|text| self.values().evaluate(here, text).type_symbol());
        let found = types.next().map(|at| self.members().find(at, name));
        match found {
            Some(found) if !found.is_empty() => self.outcome(&found, "set by an attribute"),
            _ => Outcome::Foreign,
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

    /// Resolves a named argument of a function or a constructor: it is a parameter, or the field that a parameter declares or a
    /// type without a constructor is constructed with.
    fn resolve_argument(self, here: Position, taker: &str, name: &str, role: Role) -> Outcome {
        let value = self.values().evaluate(here, taker);
        let (of, constructor) = match value {
            Value::Function(at, _) if self.symbol(at).kind == SymbolKind::Constructor => {
                (self.members().owner(at), Some(at))
            }
            Value::Function(..) => return Outcome::Local,
            Value::Type(at) => (Some(at), self.members().constructor(at)),
            _ => (None, None),
        };
        let Some(of) = of else {
            return self.argument_of_unknown(here, &value, name, role);
        };
        let mut fields = self.members().find(of, name);
        fields.retain(|at| {
            let symbol = self.symbol(*at);
            // A property with code is computed.
            symbol.kind == SymbolKind::Field
                || symbol.kind == SymbolKind::Property && symbol.complexity == 0
        });
        let is_parameter = || {
            let uses = self.uses(of.file);
            let mut binds = uses.named(name).filter(|row| row.role == Role::Bind);
            binds.any(|row| row.symbol == Some(of.symbol))
        };
        let in_header = |field: &SymbolId| {
            let (head, field) = (&self.symbol(of).signature, &self.symbol(*field).signature);
            head.contains(&**field) && !is_parameter()
        };
        let in_constructor = |field: &SymbolId| {
            constructor.is_some_and(|by| {
                by.file == field.file && self.symbol(*field).parent == Some(by.symbol)
                    || self.sets_field(by, name)
            })
        };
        let mut declared = fields.clone();
        declared.retain(|field| in_header(field) || in_constructor(field));
        let reason = "a field of the constructed type";
        match constructor {
            _ if !declared.is_empty() => self.outcome(&declared, reason),
            Some(_) if fields.is_empty() || self.constructor_takes(of, name) => Outcome::Local,
            // A type may have further constructors.
            Some(_) => self
                .possible_outcome(fields, reason, role)
                .unwrap_or(Outcome::Local),
            None if is_parameter() => Outcome::Local,
            None if fields.is_empty() => Outcome::Foreign,
            None => self.outcome(&fields, reason),
        }
    }

    /// Returns whether a parameter sets a field by the receiver: `Store({this.path})`.
    fn sets_field(self, constructor: SymbolId, name: &str) -> bool {
        let signature = &self.symbol(constructor).signature;
        let Some(rules) = self.rules(constructor.file) else {
            return false;
        };
        rules.receivers.iter().any(|receiver| {
            let field = format!("{receiver}.{name}");
            let mut found = signature.match_indices(&field);
            found.any(|(at, _)| {
                !signature[..at].ends_with(is_word)
                    && !signature[at + field.len()..].starts_with(is_word)
            })
        })
    }

    /// Resolves a named argument of a call that is not resolved. It may set a field, but never names a function:
    /// `order.copy(size = 2)`.
    fn argument_of_unknown(self, here: Position, value: &Value, name: &str, role: Role) -> Outcome {
        if self
            .rules(here.file)
            .is_some_and(|rules| rules.implicit_members)
        {
            let Outcome::Targets(targets) = self.resolve_by_name(here, name, role) else {
                return Outcome::Foreign;
            };
            let is_field = |at: &&SymbolId| !self.symbol(**at).kind.is_callable();
            let symbols: Rc<[SymbolId]> =
                targets.symbols.iter().filter(is_field).copied().collect();
            return if symbols.is_empty() {
                Outcome::Foreign
            } else {
                Outcome::Targets(Targets { symbols, ..targets })
            };
        }
        match value {
            Value::Foreign | Value::ForeignResult => Outcome::Foreign,
            _ => Outcome::Unknown,
        }
    }

    /// Returns the members that a trait expects of the classes that use it: `$this->name` in a PHP trait.
    fn find_in_classes_using_trait(self, at: SymbolId, name: &str) -> Option<Vec<SymbolId>> {
        if self.symbol(at).kind != SymbolKind::Trait
            || self.rules(at.file)?.modules.hides_outer_names()
        {
            return None;
        }
        let found: Vec<SymbolId> = self
            .members()
            .subtypes(at)
            .iter()
            .flat_map(|(below, _)| self.members().find(*below, name))
            .collect();
        (!found.is_empty()).then_some(found)
    }

    /// Resolves a member that only subtypes have, or types that they combine with this one: the receiver may be one of them.
    pub(super) fn resolve_in_subtypes(
        self,
        at: SymbolId,
        name: &str,
        role: Role,
    ) -> Option<Outcome> {
        let found = self.members().find_in_subtypes(at, name);
        let reason = "from a type derived from the receiver's type";
        self.possible_outcome(found.to_vec(), reason, role)
    }

    /// Returns the outcome of a use that may refer to any of these members, or to one of another type.
    fn possible_outcome(
        self,
        found: Vec<SymbolId>,
        reason: &'static str,
        role: Role,
    ) -> Option<Outcome> {
        let symbols = self
            .entities()
            .distinct(&self.filter_by_role(found, role))
            .into();
        let found = Targets {
            by_name: false,
            symbols,
            resolution: Resolution::Ambiguous,
            reason,
        };
        (!found.symbols.is_empty()).then_some(Outcome::Targets(found))
    }

    /// Returns the fields with this name that can be used without their type: a record field in OCaml.
    pub(super) fn unscoped_field(self, here: Position, name: &str) -> Option<Vec<SymbolId>> {
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

    /// Returns the properties with this name of the type of a function's first parameter, unless a parameter has that name:
    /// `<Button size=… />`.
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

    /// Returns whether the constructor of a type has a parameter with this name.
    fn constructor_takes(self, of: SymbolId, name: &str) -> bool {
        let constructor = self.members().constructor(of);
        let parameters = constructor.and_then(|at| self.symbol(at).parameters());
        let is_it = |word: &str| word.trim_start_matches(SIGILS) == name;
        parameters.is_some_and(|all| paths(all.text()).any(is_it))
    }
}
