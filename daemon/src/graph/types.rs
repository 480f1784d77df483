//! Which type a text means, and what type a symbol gives.

use std::rc::Rc;

use claudevil_protocol::model::symbol::SymbolKind;

use super::expression::{Applied, Held, Holds, Iterated, Value};
use super::scope::Meaning;
use super::{At, Graph, Here, patterns, signature};
use crate::lang::conventions;
use crate::lang::families::{Feature, Keyword, Wrapper};

/// A longer type says nothing that a shorter one would not.
const MOST_WORDS: usize = 12;

impl Graph<'_> {
    /// The type of a name, as it is seen from a place.
    pub(super) fn type_named(&self, here: Here, name: &str) -> Option<At> {
        let key = (here.file, here.symbol, name.to_owned());
        if let Some(known) = self.types.borrow().get(&key) {
            return *known;
        }
        let found = match self.meaning(here, name) {
            Meaning::Symbols(found, _) => self.first_type(&found),
            Meaning::Module(module) => self
                .opened_by(&module)
                .into_iter()
                .find(|at| self.can_own(*at)),
            Meaning::Local(Some(text), at) if text != name && patterns::part(&text).is_none() => {
                self.type_of_text(at, &text)
            }
            _ => None,
        };
        if self.depth.get() < super::DEEPEST / 2 {
            self.types.borrow_mut().insert(key, found);
        }
        found
    }

    fn first_type(&self, symbols: &[At]) -> Option<At> {
        let is_type = |at: &&At| self.can_own(**at);
        if let Some(found) = symbols.iter().find(is_type) {
            return Some(*found);
        }
        let alias = symbols
            .iter()
            .find(|at| self.symbol(**at).kind == SymbolKind::Alias)?;
        self.deeper(|| self.behind_alias(*alias)).or(Some(*alias))
    }

    fn behind_alias(&self, alias: At) -> Option<At> {
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
        let here = Here {
            symbol: self.symbol(alias).parent,
            ..Here::of(self, alias)
        };
        self.type_of_text(here, text)
            .filter(|found| *found != alias)
    }

    /// The first type of this root in a text that says a type: what a pointer, a list or a promise is of.
    pub(super) fn type_of_text(&self, here: Here, text: &str) -> Option<At> {
        self.deeper(|| {
            signature::paths(text)
                .take(MOST_WORDS)
                .find_map(|path| self.type_at_path(here, path))
        })
    }

    pub(super) fn type_at_path(&self, here: Here, path: &str) -> Option<At> {
        if self
            .rules(here.file)
            .is_some_and(|rules| rules.receivers.contains(&path))
        {
            return self.type_around(here);
        }
        if path.contains(['.', ':', '\\']) {
            return match self.value(here, path) {
                Value::Type(at) => Some(at),
                _ => None,
            };
        }
        self.type_named(here, path)
    }

    /// What something is that a text says the type of: of the first type of this root in it, or of a parameter.
    pub(super) fn of_type(&self, here: Here, text: &str) -> Value {
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
                .deeper(|| Value::one_of(parts.into_iter().map(|part| self.of_type(here, part))));
        }
        if let Some(value) = self.deeper(|| self.of_wrapper(here, text)) {
            return value;
        }
        self.deeper(|| {
            for path in signature::paths(text).take(MOST_WORDS) {
                if self.is_parameter(here, path) {
                    let held = if signature::is_inside(text, path) {
                        Held::Inside
                    } else {
                        Held::Itself
                    };
                    return Value::Parameter(path.into(), held);
                }
                if let Some(at) = self.type_at_path(here, path) {
                    return Value::Instance(at, self.applied_in(here, text, path));
                }
                if path == text.trim() && self.is_variable(here, path) {
                    return Value::Parameter(path.into(), Held::Itself);
                }
            }
            Value::Foreign
        })
    }

    /// What something is of a type of others that is known for what it holds, or of one that stands for several.
    fn of_wrapper(&self, here: Here, text: &str) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let head = signature::paths(text).next()?;
        let last = head.rsplit(['.', ':', '\\']).next().unwrap_or(head);
        let wrapper = rules.family.wrapper(last);
        let is_map = rules.map_types.contains(&last);
        if rules.family.keyword(head) == Some(Keyword::KeyOperator) {
            return Some(Value::Foreign);
        }
        if wrapper.is_none() && !is_map {
            return self.behind_name(here, text, head);
        }
        if self.type_at_path(here, head).is_some() {
            return self.behind_name(here, text, head);
        }
        let inside = signature::applied_to(text, head)?;
        let mut parts = signature::split(inside);
        if wrapper == Some(Wrapper::Union) {
            return Some(Value::one_of(
                parts.into_iter().map(|part| self.of_type(here, part)),
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
        let both = [self.of_type(here, first), self.of_type(here, second)];
        let is_known =
            |value: &Value| !matches!(value, Value::Foreign | Value::Handed | Value::Unknown);
        let holds = if wrapper == Some(Wrapper::Result) {
            Holds::Result
        } else if rules.has(Feature::IterationGivesKeys) {
            Holds::Keyed(Iterated::Keys)
        } else {
            Holds::Keyed(Iterated::Values)
        };
        match &both {
            [first, second] if !is_known(first) && !is_known(second) => Some(Value::Foreign),
            // Nothing but what it hands out is of this root.
            [first, second] if holds == Holds::Result && !is_known(second) => Some(first.clone()),
            [first, second] if holds != Holds::Result && !is_known(first) => Some(second.clone()),
            _ => Some(Value::Pair(Rc::new(both), holds)),
        }
    }

    /// What something is of a type that is only a name: for several, or for another with what it is applied to.
    fn behind_name(&self, here: Here, text: &str, name: &str) -> Option<Value> {
        let Meaning::Symbols(found, _) = self.meaning(here, name) else {
            return None;
        };
        let [alias] = found[..] else { return None };
        let symbol = self.symbol(alias);
        if symbol.kind != SymbolKind::Alias || self.can_own(alias) {
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
            applied.get(place).map(|part| self.of_type(here, part))
        };
        let value = self.of_type(Here::of(self, alias), said).filled(&find);
        (!matches!(value, Value::Foreign | Value::Handed | Value::Unknown)).then_some(value)
    }

    /// What a text applies a type in it to.
    fn applied_in(&self, here: Here, text: &str, name: &str) -> Applied {
        let inside = signature::applied_to(text, name)?;
        Some(
            signature::split(inside)
                .into_iter()
                .map(|part| self.of_type(here, part))
                .collect(),
        )
    }

    /// Whether what is around a place leaves a type of this name open.
    pub(super) fn is_parameter(&self, here: Here, name: &str) -> bool {
        let can_be_open = |at: &At| {
            let kind = self.symbol(*at).kind;
            kind.is_callable() || kind.is_type() || kind == SymbolKind::Alias
        };
        self.around(here.file, here.symbol)
            .filter(can_be_open)
            .any(|at| {
                signature::type_parameters(self.symbol(at)).contains(&name)
                    || self
                        .scope_owner(at)
                        .is_some_and(|owner| self.parameters_of(owner, at).contains(&name))
            })
    }

    /// Whether a name that is used as a type is a variable, which may have been made to stand for one.
    fn is_variable(&self, here: Here, name: &str) -> bool {
        let is_one = |at: &At| {
            matches!(
                self.symbol(*at).kind,
                SymbolKind::Variable | SymbolKind::Constant
            )
        };
        match self.meaning(here, name) {
            Meaning::Symbols(found, _) => found.iter().all(is_one),
            _ => false,
        }
    }

    /// Of something whose type stays open, what it is at least.
    pub(super) fn at_least(&self, here: Here, value: Value) -> Value {
        match value {
            Value::Parameter(name, held) => match self.meaning(here, &name) {
                // It has what its bound has, and nothing else.
                Meaning::Local(Some(bound), at) if bound != *name => self
                    .type_of_text(at, &bound)
                    .map_or(Value::Foreign, |at| Value::Instance(at, None)),
                _ => Value::Parameter(name, held),
            },
            value => value,
        }
    }

    /// The type parameters of a type, by the names that one of its members has for them.
    fn parameters_of(&self, owner: At, member: At) -> Vec<&str> {
        let owner = self.symbol(owner);
        let receiver = signature::receiver(self.symbol(member));
        let said = receiver.and_then(|text| signature::applied_to(text, &owner.name));
        said.map_or_else(|| signature::type_parameters(owner), signature::split)
    }

    /// What the type is applied to that a member belongs to, when it is taken from something.
    pub(super) fn applied_for(&self, from: &Value, member: At) -> Applied {
        let Value::Instance(of, applied) = from else {
            return None;
        };
        let owner = self.owner(member)?;
        if owner == *of || self.are_one(owner, *of) {
            return applied.clone();
        }
        // The type was derived from it: how is said in its header.
        let (symbol, here) = (self.symbol(*of), Here::of(self, *of));
        let above = self.applied_in(here, &symbol.signature, &self.symbol(owner).name)?;
        let names = signature::type_parameters(symbol);
        let find = |name: &str| {
            let place = names.iter().position(|one| *one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        Some(above.iter().map(|one| one.clone().filled(&find)).collect())
    }

    /// What a member gives, where its type is applied to something.
    pub(super) fn given_for(&self, at: At, applied: &Applied) -> Value {
        self.seen_through(at, applied, self.given_by(at))
    }

    /// What a member says of its type's parameters, where that is applied to something.
    fn seen_through(&self, at: At, applied: &Applied, said: Value) -> Value {
        let find = |name: &str| {
            let place = self
                .parameters_of(self.owner(at)?, at)
                .iter()
                .position(|one| *one == name)?;
            applied.as_ref()?.get(place).cloned()
        };
        said.filled(&find)
    }

    /// What a parameter of a function is that is declared with this text.
    pub(super) fn declared_by(&self, at: At, applied: &Applied, text: &str) -> Value {
        let here = Here::of(self, at);
        self.at_least(
            here,
            self.seen_through(at, applied, self.of_type(here, text)),
        )
    }

    /// What a function gives that is called with these arguments.
    pub(super) fn called(&self, here: Here, at: At, applied: &Applied, arguments: &str) -> Value {
        match self.given_for(at, applied) {
            Value::Parameter(name, held) => self
                .inferred(here, at, &name, arguments)
                .unwrap_or_else(|| {
                    self.at_least(Here::within(self, at), Value::Parameter(name, held))
                }),
            value => value,
        }
    }

    /// What a function's own type parameter is, by the argument that has it in its type.
    fn inferred(&self, here: Here, at: At, name: &str, arguments: &str) -> Option<Value> {
        let receivers = self.rules(at.file)?.receivers;
        let mut parameters = signature::split(signature::parameter_text(self.symbol(at))?);
        parameters.retain(|text| !receivers.contains(&text.trim_start_matches(['&', '*'])));
        let place = parameters
            .iter()
            .position(|text| signature::paths(text).any(|word| word == name))?;
        match self.value_of(here, signature::split(arguments).get(place)?) {
            Value::Parameter(..) => None,
            value => Some(value),
        }
    }

    /// What calling a function, or reading a variable, gives.
    pub(super) fn given_by(&self, at: At) -> Value {
        self.given.get(at, || self.deeper(|| self.given_anew(at)))
    }

    fn given_anew(&self, at: At) -> Value {
        let value = self.given_by_code(at);
        let Some(rules) = self
            .rules(at.file)
            .filter(|_| matches!(value, Value::Unknown | Value::Foreign | Value::Handed))
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
        match self.of_type(Here::of(self, at), text) {
            // Something of a class, and not only of a list or of anything.
            Value::Foreign if text.contains(char::is_uppercase) => Value::Foreign,
            Value::Foreign => value,
            documented => documented,
        }
    }

    /// The same without what comments say.
    fn given_by_code(&self, at: At) -> Value {
        let symbol = self.symbol(at);
        let here = Here {
            symbol: Some(at.symbol),
            ..Here::of(self, at)
        };
        match symbol.kind {
            SymbolKind::Constructor | SymbolKind::Variant => {
                return self
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
                (Some(text), _) => self.of_type(here, &text),
                (None, Some(text)) => self.value_of(Here::within(self, at), text),
                (None, None) => Value::Unknown,
            };
            // What is called like one that makes something of its type does so, unless it says otherwise.
            let made = || {
                let owner = self
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
            let around = Here {
                symbol: symbol.parent,
                ..here
            };
            return self.value_of(around, text);
        }
        match signature::declared(symbol, rules.type_position) {
            Some(signature::Declared::Type(text)) => self.of_type(here, &text),
            // That it is nothing at first says nothing.
            Some(signature::Declared::Value(text)) if conventions::NULLS.contains(&&*text) => {
                Value::Unknown
            }
            Some(signature::Declared::Value(text)) => self.value_of(
                Here {
                    symbol: symbol.parent,
                    ..here
                },
                &text,
            ),
            None => Value::Unknown,
        }
    }

    /// What a text is the value of: an expression that was assigned, or a type that was declared.
    pub(super) fn value_of(&self, here: Here, text: &str) -> Value {
        let parts = patterns::alternatives(text);
        if parts.len() > 1 && patterns::part(text).is_none() {
            return self
                .deeper(|| Value::one_of(parts.into_iter().map(|part| self.value_of(here, part))));
        }
        let value = self.value(here, text);
        match value {
            Value::Type(at) => match self.of_type(here, text) {
                Value::Instance(same, applied) if same == at => Value::Instance(at, applied),
                found @ (Value::Either(..) | Value::Pair(..)) => found,
                _ => Value::Instance(at, None),
            },
            Value::Function(at, applied) => {
                self.at_least(Here::within(self, at), self.given_for(at, &applied))
            }
            // What is bound is what they give.
            Value::Either(all) if all.iter().any(|one| matches!(one, Value::Function(..))) => {
                Value::one_of(all.iter().map(|one| match one {
                    Value::Function(at, applied) => self.given_for(*at, applied),
                    value => value.clone(),
                }))
            }
            Value::Unknown | Value::Foreign | Value::Handed => match self.of_type(here, text) {
                Value::Unknown => Value::Unknown,
                found @ (Value::Instance(..) | Value::Parameter(..)) => self.at_least(here, found),
                found @ (Value::Either(..) | Value::Pair(..)) => found,
                _ => value,
            },
            value => value,
        }
    }
}

fn first_word(text: &str) -> &str {
    signature::paths(text).next().unwrap_or(text)
}
