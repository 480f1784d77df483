//! Which type a text means, and what type a symbol gives.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use claudevil_protocol::model::symbol::SymbolKind;

use super::expression::{GenericArguments, Iterated, PairKind, Value, Wrapping};
use super::scope::Meaning;
use super::{At, Memo, Position, ScopedName, Types, patterns, signature};
use crate::lang::conventions;
use crate::lang::families::{Feature, Keyword, Wrapper};

/// A longer type says nothing that a shorter one would not.
const MOST_WORDS: usize = 12;

#[derive(Default)]
pub(super) struct TypeMemo {
    types: RefCell<HashMap<ScopedName, Option<At>>>,
    results: Memo<At, Value>,
}

impl<'a> Types<'_, 'a> {
    /// The type of a name, as it is seen from a place.
    pub(super) fn resolve_name(self, here: Position, name: &str) -> Option<At> {
        let key = (here.file, here.symbol, name.to_owned());
        if let Some(known) = self.type_memo.types.borrow().get(&key) {
            return *known;
        }
        let found = match self.scopes().resolve(here, name) {
            Meaning::Symbols(found, _) => self.first_type(&found),
            Meaning::Module(module) => self
                .modules()
                .declarations(&module)
                .into_iter()
                .find(|at| self.members().has_members(*at)),
            Meaning::Local(Some(text), at)
                if text != name && patterns::parse_binding(&text).is_none() =>
            {
                self.resolve_text(at, &text)
            }
            _ => None,
        };
        if self.depth.get() < super::DEEPEST / 2 {
            self.type_memo.types.borrow_mut().insert(key, found);
        }
        found
    }

    fn first_type(self, symbols: &[At]) -> Option<At> {
        let is_type = |at: &&At| self.members().has_members(**at);
        if let Some(found) = symbols.iter().find(is_type) {
            return Some(*found);
        }
        let alias = symbols
            .iter()
            .find(|at| self.symbol(**at).kind == SymbolKind::Alias)?;
        self.deeper(|| self.resolve_alias(*alias)).or(Some(*alias))
    }

    fn resolve_alias(self, alias: At) -> Option<At> {
        let symbol = self.symbol(alias);
        let text = symbol
            .gives
            .as_deref()
            .or_else(|| signature::aliased(symbol))?;
        // Something with members of its own, or made of the names of others.
        let is_own = text.starts_with('{')
            || self.rules(alias.file)?.family.keyword(first_word(text))
                == Some(Keyword::KeyOperator);
        if is_own {
            return None;
        }
        let here = Position {
            symbol: self.symbol(alias).parent,
            ..Position::declaration(&self, alias)
        };
        self.resolve_text(here, text)
            .filter(|found| *found != alias)
    }

    /// The first type of this root in a text that says a type: what a pointer, a list or a promise is of.
    pub(super) fn resolve_text(self, here: Position, text: &str) -> Option<At> {
        self.deeper(|| {
            signature::paths(text)
                .take(MOST_WORDS)
                .find_map(|path| self.resolve_path(here, path))
        })
    }

    pub(super) fn resolve_path(self, here: Position, path: &str) -> Option<At> {
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

    /// What something is that a text says the type of: of the first type of this root in it, or of a parameter.
    pub(super) fn instance(self, here: Position, text: &str) -> Value {
        let text = text.trim();
        // Something with members that are nobody's, or with any.
        if text.starts_with('{')
            || self
                .rules(here.file)
                .is_some_and(|rules| rules.dynamic_types.contains(&text))
        {
            return Value::Unknown;
        }
        let parts = patterns::alternatives(text);
        if parts.len() > 1 {
            return self
                .deeper(|| Value::union(parts.into_iter().map(|part| self.instance(here, part))));
        }
        if let Some(value) = self.deeper(|| self.wrapper_instance(here, text)) {
            return value;
        }
        self.deeper(|| {
            for path in signature::paths(text).take(MOST_WORDS) {
                if self.is_type_parameter(here, path) {
                    let held = if signature::is_inside(text, path) {
                        Wrapping::Wrapped
                    } else {
                        Wrapping::Bare
                    };
                    return Value::TypeParameter(path.into(), held);
                }
                if let Some(at) = self.resolve_path(here, path) {
                    return Value::Instance(at, self.generic_arguments(here, text, path));
                }
                if path == text.trim() && self.is_variable(here, path) {
                    return Value::TypeParameter(path.into(), Wrapping::Bare);
                }
            }
            Value::Foreign
        })
    }

    /// What something is of a type of others that is known for what it holds, or of one that stands for several.
    fn wrapper_instance(self, here: Position, text: &str) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let head = signature::paths(text).next()?;
        let last = head.rsplit(['.', ':', '\\']).next().unwrap_or(head);
        let wrapper = rules.family.wrapper(last);
        let is_map = rules.map_types.contains(&last);
        if rules.family.keyword(head) == Some(Keyword::KeyOperator) {
            return Some(Value::Foreign);
        }
        if wrapper.is_none() && !is_map {
            return self.alias_instance(here, text, head);
        }
        if self.resolve_path(here, head).is_some() {
            return self.alias_instance(here, text, head);
        }
        let inside = signature::applied_to(text, head)?;
        let mut parts = signature::split(inside);
        if wrapper == Some(Wrapper::Union) {
            return Some(Value::union(
                parts.into_iter().map(|part| self.instance(here, part)),
            ));
        }
        // `map[Key]Value`.
        let behind = text
            .rsplit_once(inside)
            .map_or("", |(_, behind)| behind.trim_start_matches([']', '>']));
        if parts.len() == 1 && !behind.is_empty() {
            parts.push(behind);
        }
        let [first, second] = parts[..] else {
            return None;
        };
        let both = [self.instance(here, first), self.instance(here, second)];
        let is_known =
            |value: &Value| !matches!(value, Value::Foreign | Value::FromForeign | Value::Unknown);
        let holds = if wrapper == Some(Wrapper::Result) {
            PairKind::Result
        } else if rules.has(Feature::IterationGivesKeys) {
            PairKind::Map(Iterated::Keys)
        } else {
            PairKind::Map(Iterated::Values)
        };
        match &both {
            [first, second] if !is_known(first) && !is_known(second) => Some(Value::Foreign),
            // Nothing but what it hands out is of this root.
            [first, second] if holds == PairKind::Result && !is_known(second) => {
                Some(first.clone())
            }
            [first, second] if holds != PairKind::Result && !is_known(first) => {
                Some(second.clone())
            }
            _ => Some(Value::Pair(Rc::new(both), holds)),
        }
    }

    /// What something is of a type that is only a name: for several, or for another with what it is applied to.
    fn alias_instance(self, here: Position, text: &str, name: &str) -> Option<Value> {
        let Meaning::Symbols(found, _) = self.scopes().resolve(here, name) else {
            return None;
        };
        let [alias] = found[..] else { return None };
        let symbol = self.symbol(alias);
        if symbol.kind != SymbolKind::Alias || self.members().has_members(alias) {
            return None;
        }
        let said = signature::aliased(symbol)?;
        let open = signature::type_parameters(symbol);
        if open.is_empty() && patterns::alternatives(said).len() < 2 {
            return None;
        }
        let applied = signature::applied_to(text, name)
            .map(signature::split)
            .unwrap_or_default();
        let find = |parameter: &str| {
            let place = open.iter().position(|one| *one == parameter)?;
            applied.get(place).map(|part| self.instance(here, part))
        };
        let value = self
            .instance(Position::declaration(&self, alias), said)
            .substituted(&find);
        (!matches!(value, Value::Foreign | Value::FromForeign | Value::Unknown)).then_some(value)
    }

    /// What a text applies a type in it to.
    fn generic_arguments(self, here: Position, text: &str, name: &str) -> GenericArguments {
        let inside = signature::applied_to(text, name)?;
        Some(
            signature::split(inside)
                .into_iter()
                .map(|part| self.instance(here, part))
                .collect(),
        )
    }

    /// Whether what is around a place leaves a type of this name open.
    pub(super) fn is_type_parameter(self, here: Position, name: &str) -> bool {
        let can_be_open = |at: &At| {
            let kind = self.symbol(*at).kind;
            kind.is_callable() || kind.is_type() || kind == SymbolKind::Alias
        };
        self.enclosing(here.file, here.symbol)
            .filter(can_be_open)
            .any(|at| {
                signature::type_parameters(self.symbol(at)).contains(&name)
                    || self
                        .members()
                        .declared_owner(at)
                        .is_some_and(|owner| self.type_parameters(owner, at).contains(&name))
            })
    }

    /// Whether a name that is used as a type is a variable, which may have been made to stand for one.
    fn is_variable(self, here: Position, name: &str) -> bool {
        let is_one = |at: &At| {
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

    /// Of something whose type stays open, what it is at least.
    pub(super) fn bounded(self, here: Position, value: Value) -> Value {
        match value {
            Value::TypeParameter(name, held) => match self.scopes().resolve(here, &name) {
                // It has what its bound has, and nothing else.
                Meaning::Local(Some(bound), at) if bound != *name => self
                    .resolve_text(at, &bound)
                    .map_or(Value::Foreign, |at| Value::Instance(at, None)),
                _ => Value::TypeParameter(name, held),
            },
            value => value,
        }
    }

    /// The type parameters of a type, by the names that one of its members has for them.
    fn type_parameters(self, owner: At, member: At) -> Vec<&'a str> {
        let owner = self.symbol(owner);
        let receiver = signature::receiver(self.symbol(member));
        let said = receiver.and_then(|text| signature::applied_to(text, &owner.name));
        said.map_or_else(|| signature::type_parameters(owner), signature::split)
    }

    /// What the type is applied to that a member belongs to, when it is taken from something.
    pub(super) fn arguments_for_member(self, from: &Value, member: At) -> GenericArguments {
        let Value::Instance(of, applied) = from else {
            return None;
        };
        let owner = self.members().owner(member)?;
        if owner == *of || self.entities().are_same(owner, *of) {
            return applied.clone();
        }
        // The type was derived from it: how is said in its header.
        let (symbol, here) = (self.symbol(*of), Position::declaration(&self, *of));
        let above = self.generic_arguments(here, &symbol.signature, &self.symbol(owner).name)?;
        let names = signature::type_parameters(symbol);
        let find = |name: &str| {
            let place = names.iter().position(|one| *one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        Some(
            above
                .iter()
                .map(|one| one.clone().substituted(&find))
                .collect(),
        )
    }

    /// What a member gives, where its type is applied to something.
    pub(super) fn result_for(self, at: At, applied: &GenericArguments) -> Value {
        self.substitute(at, applied, self.result(at))
    }

    /// What a member says of its type's parameters, where that is applied to something.
    fn substitute(self, at: At, applied: &GenericArguments, said: Value) -> Value {
        let find = |name: &str| {
            let place = self
                .type_parameters(self.members().owner(at)?, at)
                .iter()
                .position(|one| *one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        said.substituted(&find)
    }

    /// What a parameter of a function is that is declared with this text.
    pub(super) fn parameter_value(self, at: At, applied: &GenericArguments, text: &str) -> Value {
        let here = Position::declaration(&self, at);
        self.bounded(
            here,
            self.substitute(at, applied, self.instance(here, text)),
        )
    }

    /// What a function gives that is called with these arguments.
    pub(super) fn call_result(
        self,
        here: Position,
        at: At,
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

    /// What a function's own type parameter is, by the argument that has it in its type.
    fn infer_argument(self, here: Position, at: At, name: &str, arguments: &str) -> Option<Value> {
        let receivers = self.rules(at.file)?.receivers;
        let mut parameters = signature::split(signature::parameter_text(self.symbol(at))?);
        parameters.retain(|text| !receivers.contains(&text.trim_start_matches(['&', '*'])));
        let place = parameters
            .iter()
            .position(|text| signature::paths(text).any(|word| word == name))?;
        match self.binding_value(here, signature::split(arguments).get(place)?) {
            Value::TypeParameter(..) => None,
            value => Some(value),
        }
    }

    /// What calling a function, or reading a variable, gives.
    pub(super) fn result(self, at: At) -> Value {
        self.type_memo
            .results
            .get(at, || self.deeper(|| self.find_result(at)))
    }

    fn find_result(self, at: At) -> Value {
        let value = self.result_by_code(at);
        let Some(rules) = self
            .rules(at.file)
            .filter(|_| matches!(value, Value::Unknown | Value::Foreign | Value::FromForeign))
        else {
            return value;
        };
        let symbol = self.symbol(at);
        let words = if symbol.kind.is_callable() {
            rules.doc_return_tags
        } else {
            rules.doc_type_tags
        };
        let Some(text) = signature::documented(symbol, &words) else {
            return value;
        };
        match self.instance(Position::declaration(&self, at), text) {
            // Something of a class, and not only of a list or of anything.
            Value::Foreign if text.contains(char::is_uppercase) => Value::Foreign,
            Value::Foreign => value,
            documented => documented,
        }
    }

    /// The same without what comments say.
    fn result_by_code(self, at: At) -> Value {
        let symbol = self.symbol(at);
        let here = Position {
            symbol: Some(at.symbol),
            ..Position::declaration(&self, at)
        };
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
        let Some(rules) = self.rules(at.file) else {
            return Value::Unknown;
        };
        if symbol.kind.is_callable() {
            let value = match (
                signature::returned(symbol, rules.type_position),
                &symbol.gives,
            ) {
                (Some(text), _) => self.instance(here, &text),
                (None, Some(text)) => self.binding_value(Position::inside(&self, at), text),
                (None, None) => Value::Unknown,
            };
            // What is called like one that makes something of its type does so, unless it says otherwise.
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
        if let Some(text) = &symbol.gives {
            let around = Position {
                symbol: symbol.parent,
                ..here
            };
            return self.binding_value(around, text);
        }
        match signature::declared(symbol, rules.type_position) {
            Some(signature::Declared::Type(text)) => self.instance(here, &text),
            // That it is nothing at first says nothing.
            Some(signature::Declared::Value(text)) if conventions::NULLS.contains(&&*text) => {
                Value::Unknown
            }
            Some(signature::Declared::Value(text)) => self.binding_value(
                Position {
                    symbol: symbol.parent,
                    ..here
                },
                &text,
            ),
            None => Value::Unknown,
        }
    }

    /// What a text is the value of: an expression that was assigned, or a type that was declared.
    pub(super) fn binding_value(self, here: Position, text: &str) -> Value {
        let parts = patterns::alternatives(text);
        if parts.len() > 1 && patterns::parse_binding(text).is_none() {
            return self.deeper(|| {
                Value::union(parts.into_iter().map(|part| self.binding_value(here, part)))
            });
        }
        let value = self.values().evaluate(here, text);
        match value {
            Value::Type(at) => match self.instance(here, text) {
                Value::Instance(same, applied) if same == at => Value::Instance(at, applied),
                found @ (Value::Union(..) | Value::Pair(..)) => found,
                _ => Value::Instance(at, None),
            },
            Value::Function(at, applied) => {
                self.bounded(Position::inside(&self, at), self.result_for(at, &applied))
            }
            // What is bound is what they give.
            Value::Union(all) if all.iter().any(|one| matches!(one, Value::Function(..))) => {
                Value::union(all.iter().map(|one| match one {
                    Value::Function(at, applied) => self.result_for(*at, applied),
                    value => value.clone(),
                }))
            }
            Value::Unknown | Value::Foreign | Value::FromForeign => match self.instance(here, text)
            {
                Value::Unknown => Value::Unknown,
                found @ (Value::Instance(..) | Value::TypeParameter(..)) => {
                    self.bounded(here, found)
                }
                found @ (Value::Union(..) | Value::Pair(..)) => found,
                _ => value,
            },
            value => value,
        }
    }
}

fn first_word(text: &str) -> &str {
    signature::paths(text).next().unwrap_or(text)
}
