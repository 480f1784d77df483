//! The types that are named in code, and the types of symbols.

use std::rc::Rc;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::modules::Module;
use super::scope::Meaning;
use super::value::{GenericArguments, MapElement, PairKind, Value, Wrapping};
use super::{CyclicMemo, Memo, Position, ScopedName, SymbolId, Types, patterns};
use crate::extract::declaration::Parameter;
use crate::extract::type_expr::{ParsedType, TypeExpr, TypeName, paths, split, value_alternatives};
use crate::lang::families::{Feature, Keyword, Wrapper};
use crate::lang::{conventions, vocabulary};

/// The most names of a type that are resolved.
const MAX_NAMES: usize = 12;

#[derive(Default)]
pub(super) struct TypeMemo {
    types: CyclicMemo<ScopedName, Option<SymbolId>>,
    /// The values of aliases, before their type parameters are replaced.
    aliases: CyclicMemo<SymbolId, Value>,
    /// The values that functions of an aliased type are passed, by the position of the parameter.
    pub passed: CyclicMemo<(SymbolId, usize), Value>,
    results: Memo<SymbolId, Value>,
}

impl<'a> Types<'_, 'a> {
    /// Returns the type of the result of a function, or of the value of a variable, if it is of this root.
    pub fn type_of_symbol(self, at: SymbolId) -> Option<SymbolId> {
        self.result(at).type_symbol()
    }

    /// Returns the type of the value that a name has at a position, if it is of this root.
    pub fn type_of_name(self, here: Position, name: &str) -> Option<SymbolId> {
        self.values().evaluate(here, name).type_symbol()
    }

    /// Returns the type that a name refers to.
    pub(super) fn resolve_name(self, here: Position, name: &str) -> Option<SymbolId> {
        let key = (here.file, here.symbol, name.to_owned());
        self.deeper_once(&self.type_memo.types, key, || {
            match self.scopes().resolve(here, name) {
                Meaning::Symbols(found, _) => self.first_type(&found),
                Meaning::Module(module) => self.container_of_module(&module),
                Meaning::Local(Some(text), at)
                    if text != name && patterns::parse_binding(&text).is_none() =>
                {
                    self.resolve_text(at, &text)
                }
                _ => None,
            }
        })
    }

    fn first_type(self, symbols: &[SymbolId]) -> Option<SymbolId> {
        let is_type = |at: &&SymbolId| self.members().has_members(**at);
        if let Some(found) = symbols.iter().find(is_type) {
            return Some(*found);
        }
        let alias = symbols
            .iter()
            .find(|at| self.symbol(**at).kind == SymbolKind::Alias)?;
        self.resolve_alias(*alias).or(Some(*alias))
    }

    pub(super) fn resolve_alias(self, alias: SymbolId) -> Option<SymbolId> {
        let symbol = self.symbol(alias);
        let aliased = || symbol.aliased_type().map(TypeExpr::text);
        let text = symbol.initializer.as_deref().or_else(aliased)?;
        let first_word = paths(text).next().unwrap_or(text);
        // An object type or a `keyof` type is a type of its own.
        let is_own = text.starts_with('{')
            || self.rules(alias.file)?.family.keyword(first_word) == Some(Keyword::KeyOperator);
        if is_own {
            return None;
        }
        let here = Position::outside(&self, alias);
        self.resolve_text(here, text)
            .filter(|found| *found != alias)
    }

    /// Returns the first type of the root in a text: `Store` of `Promise<Store>`.
    pub(super) fn resolve_text(self, here: Position, text: &str) -> Option<SymbolId> {
        self.deeper(|| {
            paths(text)
                .take(MAX_NAMES)
                .find_map(|path| self.resolve_path(here, path))
        })
    }

    pub(super) fn resolve_path(self, here: Position, path: &str) -> Option<SymbolId> {
        if self
            .rules(here.file)
            .is_some_and(|rules| rules.receivers.contains(&path))
        {
            return self.members().enclosing_type(here);
        }
        if path.contains(['.', ':', '\\']) {
            return match self.values().evaluate(here, path) {
                Value::Type(at) => Some(at),
                _ => None,
            };
        }
        self.resolve_name(here, path)
    }

    /// Returns the type or the module with members that a path names: `Shop::Store`, `Shop::Logging`.
    pub(super) fn resolve_container(self, here: Position, path: &str) -> Option<SymbolId> {
        match self.values().evaluate(here, path) {
            Value::Type(at) => Some(at),
            Value::Module(module) => self.container_of_module(&module),
            _ => None,
        }
    }

    fn container_of_module(self, module: &Module) -> Option<SymbolId> {
        let mut found = self.modules().declarations(module).into_iter();
        found.find(|at| self.members().has_members(*at))
    }

    /// Returns a value of the type that a text names.
    pub(super) fn instance_of_text(self, here: Position, text: &str) -> Value {
        self.instance(here, ParsedType::new(text).expr())
    }

    /// Returns a value of a type: of the first type of this root in it, or of a type parameter.
    pub(super) fn instance(self, here: Position, expr: TypeExpr<'_>) -> Value {
        let is_dynamic = self
            .rules(here.file)
            .is_some_and(|rules| rules.dynamic_types.contains(&expr.text()));
        if expr.is_object() || is_dynamic {
            return Value::Unknown;
        }
        if expr.is_union() {
            let instances = || expr.alternatives().map(|one| self.instance(here, one));
            return self.deeper(|| Value::union(instances()));
        }
        if let Some(value) = self.deeper(|| self.wrapper_instance(here, expr)) {
            return value;
        }
        self.deeper(|| {
            for name in expr.names().take(MAX_NAMES) {
                let path = name.path();
                if self.is_type_parameter(here, path) {
                    let wrapping = if expr.is_bracketed(name) {
                        Wrapping::Wrapped
                    } else {
                        Wrapping::Bare
                    };
                    return Value::TypeParameter(path.into(), wrapping);
                }
                if let Some(at) = self.resolve_path(here, path) {
                    let at = self.entities().with_arity(at, name.arguments().count());
                    return Value::Instance(at, self.generic_arguments(here, name));
                }
                if path == expr.text() && self.is_variable(here, path) {
                    return Value::TypeParameter(path.into(), Wrapping::Bare);
                }
            }
            Value::Foreign
        })
    }

    /// Returns a value of a foreign type whose use of its generic arguments is known (`Result<T, E>`), or of an alias.
    fn wrapper_instance(self, here: Position, expr: TypeExpr<'_>) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let head = expr.names().next()?;
        if rules.family.keyword(head.path()) == Some(Keyword::KeyOperator) {
            return Some(Value::Foreign);
        }
        let wrapper = rules.family.wrapper(head.last_part());
        let is_map = rules.map_types.contains(&head.last_part());
        let is_known = wrapper.is_some() || is_map;
        if !is_known || self.resolve_path(here, head.path()).is_some() {
            return self.alias_instance(here, head);
        }
        let mut arguments = head.arguments().map(|one| self.instance(here, one));
        if wrapper == Some(Wrapper::Union) {
            return head.has_arguments().then(|| Value::union(arguments));
        }
        let both = [arguments.next()?, arguments.next()?];
        if arguments.next().is_some() {
            return None;
        }
        let kind = if wrapper == Some(Wrapper::Result) {
            PairKind::Result
        } else if rules.has(Feature::IterationGivesKeys) {
            PairKind::Map(MapElement::Keys)
        } else {
            PairKind::Map(MapElement::Values)
        };
        match &both {
            [first, second] if !first.is_known() && !second.is_known() => Some(Value::Foreign),
            // Only one value of the pair is of this root.
            [first, second] if kind == PairKind::Result && !second.is_known() => {
                Some(first.clone())
            }
            [first, second] if kind != PairKind::Result && !first.is_known() => {
                Some(second.clone())
            }
            _ => Some(Value::Pair(Rc::new(both), kind)),
        }
    }

    /// Returns a value of an alias of a union, or of a type with generic arguments: `type Stores<T> = Map<string, T>`.
    fn alias_instance(self, here: Position, name: TypeName<'_>) -> Option<Value> {
        let Meaning::Symbols(found, _) = self.scopes().resolve(here, name.path()) else {
            return None;
        };
        let [alias] = found[..] else { return None };
        let symbol = self.symbol(alias);
        if symbol.kind != SymbolKind::Alias || self.members().has_members(alias) {
            return None;
        }
        let aliased = symbol.aliased_type()?;
        let is_generic = symbol.type_parameters().next().is_some();
        if !is_generic && !aliased.is_union() {
            return None;
        }
        let find = |parameter: &str| {
            let place = symbol.type_parameters().position(|one| one == parameter)?;
            Some(self.instance(here, name.arguments().nth(place)?))
        };
        let value = self.deeper_once(&self.type_memo.aliases, alias, || {
            self.instance(Position::declaration(&self, alias), aliased)
        });
        let value = value.substituted(&find);
        value.is_known().then_some(value)
    }

    fn generic_arguments(self, here: Position, name: TypeName<'_>) -> GenericArguments {
        let arguments = name.arguments().map(|one| self.instance(here, one));
        name.has_arguments().then(|| arguments.collect())
    }

    /// Returns whether a name is a type parameter at a position.
    pub(super) fn is_type_parameter(self, here: Position, name: &str) -> bool {
        let can_be_open = |at: &SymbolId| {
            let kind = self.symbol(*at).kind;
            kind.is_callable() || kind.is_type() || kind == SymbolKind::Alias
        };
        self.enclosing(here.file, here.symbol)
            .filter(can_be_open)
            .any(|at| {
                (self.symbol(at).type_parameters()).any(|one| one == name)
                    || self
                        .members()
                        .declared_owner(at)
                        .is_some_and(|owner| self.type_parameters(owner, at).contains(&name))
            })
    }

    /// Returns whether a name in a type is a variable: `T = TypeVar("T")`.
    fn is_variable(self, here: Position, name: &str) -> bool {
        let is_one = |at: &SymbolId| {
            matches!(
                self.symbol(*at).kind,
                SymbolKind::Variable | SymbolKind::Constant
            )
        };
        match self.scopes().resolve(here, name) {
            Meaning::Symbols(found, _) => found.iter().all(is_one),
            _ => false,
        }
    }

    /// Replaces a type parameter by its bound: gives a value of `Shape` for `T: Shape`.
    pub(super) fn bounded(self, here: Position, value: Value) -> Value {
        match value {
            Value::TypeParameter(name, held) => match self.scopes().resolve(here, &name) {
                // The value has the members of the bound and no others.
                Meaning::Local(Some(bound), at) if bound != *name => self
                    .resolve_text(at, &bound)
                    .map_or(Value::Foreign, |at| Value::Instance(at, None)),
                _ => Value::TypeParameter(name, held),
            },
            value => value,
        }
    }

    /// Returns the type parameters of a type, as one of its members names them: `func (b *Box[E]) First() E`.
    fn type_parameters(self, owner: SymbolId, member: SymbolId) -> Vec<&'a str> {
        let owner = self.symbol(owner);
        let is_owner = |name: &TypeName<'_>| name.last_part() == &*owner.name;
        let receiver = self.symbol(member).receiver();
        let applied = receiver.and_then(|receiver| receiver.names().find(is_owner));
        match applied.filter(|name| name.has_arguments()) {
            Some(name) => name.arguments().map(TypeExpr::text).collect(),
            None => owner.type_parameters().collect(),
        }
    }

    /// Returns the generic arguments of the type that owns a member, for a member that is accessed on a value.
    pub(super) fn arguments_for_member(self, from: &Value, member: SymbolId) -> GenericArguments {
        let Value::Instance(of, applied) = from else {
            return None;
        };
        let owner = self.members().owner(member)?;
        if owner == *of || self.entities().are_same(owner, *of) {
            return applied.clone();
        }
        // The type inherits the member, perhaps indirectly: its header gives the supertype's arguments.
        let (symbol, here) = (self.symbol(*of), Position::declaration(&self, *of));
        let header = symbol.header()?;
        let find = |name: &str| {
            let place = symbol.type_parameters().position(|one| one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        let supertypes = self.members().supertypes(*of);
        supertypes.into_iter().find_map(|(above, _)| {
            let is_above = |name: &TypeName<'_>| *name.last_part() == *self.symbol(above).name;
            let arguments = self.generic_arguments(here, header.names().find(is_above)?)?;
            let arguments = arguments.iter().map(|one| one.clone().substituted(&find));
            let value = Value::Instance(above, Some(arguments.collect()));
            self.deeper(|| self.arguments_for_member(&value, member))
        })
    }

    /// Returns the result of a member of a type with these generic arguments.
    pub(super) fn result_for(self, at: SymbolId, applied: &GenericArguments) -> Value {
        self.substitute(at, applied, self.result(at))
    }

    /// Replaces type parameters of a member's type by generic arguments.
    fn substitute(self, at: SymbolId, applied: &GenericArguments, said: Value) -> Value {
        let find = |name: &str| {
            let place = self
                .type_parameters(self.members().owner(at)?, at)
                .iter()
                .position(|one| *one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        said.substituted(&find)
    }

    /// Returns the value of a parameter with this declared type.
    pub(super) fn parameter_value(
        self,
        at: SymbolId,
        applied: &GenericArguments,
        declared: TypeExpr<'_>,
    ) -> Value {
        let here = Position::declaration(&self, at);
        self.bounded(
            here,
            self.substitute(at, applied, self.instance(here, declared)),
        )
    }

    /// Returns the result of a call with these arguments.
    pub(super) fn call_result(
        self,
        here: Position,
        at: SymbolId,
        applied: &GenericArguments,
        arguments: &str,
    ) -> Value {
        match self.result_for(at, applied) {
            Value::TypeParameter(name, held) => self
                .infer_argument(here, at, &name, arguments)
                .unwrap_or_else(|| {
                    self.bounded(
                        Position::inside(&self, at),
                        Value::TypeParameter(name, held),
                    )
                }),
            value => value,
        }
    }

    /// Infers a function's type parameter from the argument whose parameter has it in its type.
    fn infer_argument(
        self,
        here: Position,
        at: SymbolId,
        name: &str,
        arguments: &str,
    ) -> Option<Value> {
        let receivers = self.rules(at.file)?.receivers;
        let is_receiver = |one: &Parameter<'_>| {
            let name = one.first_name();
            name.is_some_and(|name| receivers.contains(&name))
                || receivers.contains(&one.text().trim_start_matches(['&', '*']))
        };
        let has_name = |one: Parameter<'_>| {
            let declared = one.type_expr();
            declared.is_some_and(|declared| declared.names().any(|own| own.path() == name))
        };
        let mut parameters = self.symbol(at).parameters()?.iter();
        let place = (parameters.by_ref())
            .filter(|one| !is_receiver(one))
            .position(has_name)?;
        match self.binding_value(here, split(arguments).get(place)?) {
            Value::TypeParameter(..) => None,
            value => Some(value),
        }
    }

    /// Returns the result of a function, or the value of a variable.
    pub(super) fn result(self, at: SymbolId) -> Value {
        self.type_memo
            .results
            .get(at, || self.deeper(|| self.find_result(at)))
    }

    fn find_result(self, at: SymbolId) -> Value {
        let value = self.result_by_code(at);
        let Some(rules) = self.rules(at.file).filter(|_| !value.is_known()) else {
            return value;
        };
        let symbol = self.symbol(at);
        let words = if symbol.kind.is_callable() {
            rules.doc_return_tags
        } else {
            rules.doc_type_tags
        };
        let Some(text) = symbol.documented_type(&words) else {
            return value;
        };
        match self.instance_of_text(Position::declaration(&self, at), text) {
            // The comment names a class from outside the root, and not just a list or `mixed`.
            Value::Foreign if text.contains(char::is_uppercase) => Value::Foreign,
            Value::Foreign => value,
            documented => documented,
        }
    }

    /// Returns the result of a symbol, ignoring the types in comments.
    fn result_by_code(self, at: SymbolId) -> Value {
        let symbol = self.symbol(at);
        let here = Position::declaration(&self, at);
        match symbol.kind {
            SymbolKind::Constructor | SymbolKind::Variant => {
                return self
                    .members()
                    .owner(at)
                    .map_or(Value::Unknown, |owner| Value::Instance(owner, None));
            }
            kind if kind.is_type() => return Value::Instance(at, None),
            _ => {}
        }
        if symbol.kind.is_callable() || self.calls().is_accessor(at) {
            let declared = symbol.result().or_else(|| symbol.declared_type());
            let value = match (declared, &symbol.initializer) {
                (Some(result), _) => self.instance(here, result),
                (None, Some(text)) => self.binding_value(Position::inside(&self, at), text),
                (None, None) => Value::Unknown,
            };
            // A member with the name of a constructor, such as `new`, returns its type unless it declares another result.
            let made = || {
                let owner = self
                    .members()
                    .owner(at)
                    .filter(|_| conventions::CONSTRUCTORS.contains(&&*symbol.name));
                owner.map(|owner| Value::Instance(owner, None))
            };
            return if value == Value::Unknown {
                made().unwrap_or(value)
            } else {
                value
            };
        }
        if self.has_anonymous_type(at) {
            return Value::Anonymous(here);
        }
        let around = Position::outside(&self, at);
        if let Some(text) = &symbol.initializer {
            return self.binding_value(around, text);
        }
        if let Some(declared) = symbol.declared_type() {
            return self.instance(here, declared);
        }
        let is_value = |text: &&str| !conventions::NULLS.contains(text);
        let is_function = |value: &Value| matches!(value, Value::Function(..));
        let is_called = (self.rules(at.file)).is_some_and(|rules| rules.calls_without_parentheses);
        match symbol.first_value().filter(is_value) {
            // A function under another name: `const open = openStore`.
            Some(text) if !is_called && !text.contains('(') => {
                Some(self.values().evaluate(around, text))
                    .filter(is_function)
                    .unwrap_or_else(|| self.binding_value(around, text))
            }
            Some(text) => self.binding_value(around, text),
            None => Value::Unknown,
        }
    }

    /// Returns whether a field is of a type without a name, or a list or a map of such values: `inner struct { log *Log }`.
    fn has_anonymous_type(self, at: SymbolId) -> bool {
        let Some(word) = (self.rules(at.file)).and_then(|rules| rules.family.anonymous_type())
        else {
            return false;
        };
        let signature = &self.symbol(at).signature;
        let kind = signature.split_once(' ').map_or("", |(_, kind)| kind);
        is_anonymous_type(kind.trim_start_matches(['=', ' ']), word)
    }

    /// Returns the value of a text that a name is bound to: an assigned expression, or a declared type.
    pub(super) fn binding_value(self, here: Position, text: &str) -> Value {
        let rules = self.rules(here.file);
        let word = rules.and_then(|rules| rules.family.anonymous_type());
        if word.is_some_and(|word| is_anonymous_type(text, word)) {
            return Value::Anonymous(here);
        }
        if let Some(patterns::PatternBinding::Passed(of, place)) = patterns::parse_binding(text) {
            return self.deeper(|| self.values().closure_parameter(here, of, place));
        }
        if let Some(text) = text.strip_prefix(patterns::COPY_PREFIX) {
            return self.values().evaluate(here, text.trim_start());
        }
        let parts = value_alternatives(text);
        if parts.len() > 1 && patterns::parse_binding(text).is_none() {
            return self.deeper(|| {
                Value::union(parts.into_iter().map(|part| self.binding_value(here, part)))
            });
        }
        let value = self.values().evaluate(here, text);
        self.given_value(here, text, value)
    }

    /// Returns the value of a variable that is bound to a text with this value: an instance of a type, the result of a
    /// function.
    pub(super) fn given_value(self, here: Position, text: &str, value: Value) -> Value {
        let is_method_call = || {
            let rules = self.rules(here.file);
            text.ends_with(')')
                && text.contains('.')
                && rules.is_some_and(|rules| rules.has(Feature::ImplBlocks))
        };
        match value {
            Value::Type(at) => match self.instance_of_text(here, text) {
                Value::Instance(same, applied) if same == at => Value::Instance(at, applied),
                found @ (Value::Union(..) | Value::Pair(..)) => found,
                _ => Value::Instance(at, None),
            },
            Value::Function(at, applied) => {
                self.bounded(Position::inside(&self, at), self.result_for(at, &applied))
            }
            // The variable is bound to the results of the functions.
            Value::Union(all) if all.iter().any(|one| matches!(one, Value::Function(..))) => {
                Value::union(all.iter().map(|one| match one {
                    Value::Function(at, applied) => self.result_for(*at, applied),
                    value => value.clone(),
                }))
            }
            // The words of a method call are not types: `let store = library.open(Config::new())`.
            Value::Foreign | Value::ForeignResult if is_method_call() => Value::Foreign,
            Value::Unknown if is_method_call() => Value::Unknown,
            Value::Unknown | Value::Foreign | Value::ForeignResult => {
                match self.instance_of_text(here, text) {
                    Value::Unknown => Value::Unknown,
                    found @ (Value::Instance(..) | Value::TypeParameter(..)) => {
                        self.bounded(here, found)
                    }
                    found @ (Value::Union(..) | Value::Pair(..)) => found,
                    _ => value,
                }
            }
            Value::Module(module) => match self.values().default_export_value(&module) {
                Some(value) => self.given_value(here, text, value),
                None => Value::Module(module),
            },
            value => self.values().called_object(here, &value).unwrap_or(value),
        }
    }
}

/// Returns whether a text begins with a type without a name, or a list or a map of such values: `[]struct { … }`.
fn is_anonymous_type(text: &str, word: &str) -> bool {
    let Some((before, behind)) = text.split_once(word) else {
        return false;
    };
    let before = before.trim_start_matches(vocabulary::MAP_TYPE).trim_start();
    let is_list = before.starts_with(['[', '*', '&']) && !before.contains(['(', '{', ' ']);
    (before.is_empty() || is_list) && (behind.is_empty() || behind.trim_start().starts_with('{'))
}
