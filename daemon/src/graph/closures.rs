//! The parameters of closures that are arguments of a call: `each(store => store.open())`.
//!
//! A function of the root says what it passes, by the type of its parameter. Some methods of foreign collections are known to
//! pass their elements.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::patterns::ClosurePlace;
use super::scope::Meaning;
use super::value::{GenericArguments, Value};
use super::{Position, SymbolId, Values};
use crate::extract::declaration::{Parameter, Parameters};
use crate::extract::type_expr::{ParsedType, TypeExpr, closure_parameter};

impl Values<'_, '_> {
    /// Returns the value of a parameter of a closure that is passed to a function: `store` of `stores.map(store => …)`.
    pub(super) fn closure_parameter(
        self,
        here: Position,
        taker: &str,
        place: ClosurePlace,
    ) -> Value {
        let called = taker.rsplit_once('.');
        let receiver = called.map(|(receiver, _)| receiver.trim_end_matches(['?', '!']));
        let is_collection = receiver.is_some_and(|receiver| self.is_collection(here, receiver));
        if !is_collection {
            match self.evaluate(here, taker) {
                Value::Function(at, applied) => return self.passed_by(at, &applied, place),
                Value::Type(at) => {
                    let constructor = self.members().constructor(at);
                    return constructor
                        .map_or(Value::Unknown, |at| self.passed_by(at, &None, place));
                }
                _ => {}
            }
        }
        let passes_elements = |method: &str| {
            let rules = self.rules(here.file);
            rules.is_some_and(|rules| rules.element_callbacks.contains(&method))
        };
        match (called, receiver) {
            (Some((_, method)), Some(receiver))
                if passes_elements(method) && (place.argument, place.parameter) == (0, 0) =>
            {
                self.types().binding_value(here, receiver)
            }
            _ => Value::Unknown,
        }
    }

    /// Returns what a function passes to a closure among its arguments.
    fn passed_by(self, at: SymbolId, applied: &GenericArguments, place: ClosurePlace) -> Value {
        let overloads = self.entities().declarations(at).into_iter();
        Value::union(overloads.map(|at| {
            let symbol = self.symbol(at);
            let receivers = self.rules(at.file).map(|rules| rules.receivers);
            let receivers = receivers.unwrap_or_default();
            let is_receiver =
                |name: Option<&str>| name.is_some_and(|name| receivers.contains(&name));
            let parameters = symbol.parameters().into_iter().flat_map(Parameters::iter);
            let mut parameters = parameters.filter(|one| !is_receiver(one.first_name()));
            let declared = parameters.nth(place.argument);
            let declared = declared.and_then(Parameter::type_expr);
            declared.map_or(Value::Unknown, |declared| {
                self.passed_to(
                    Position::declaration(&self, at),
                    declared,
                    place.parameter,
                    &|part| self.types().parameter_value(at, applied, part),
                )
            })
        }))
    }

    /// Returns the value of a parameter of a function type, where `value` gives the value of a type in it.
    fn passed_to(
        self,
        here: Position,
        function: TypeExpr<'_>,
        parameter: usize,
        value: &dyn Fn(TypeExpr<'_>) -> Value,
    ) -> Value {
        if let Some(part) = closure_parameter(function.text(), parameter) {
            return value(ParsedType::new(part).expr());
        }
        if function.is_union() {
            let all = function.alternatives();
            return Value::union(all.map(|one| self.passed_to(here, one, parameter, value)));
        }
        let is_list = function.text().ends_with("[]");
        let name = function.names().next().filter(|_| !is_list);
        let (Some(name), Some(rules)) = (name, self.rules(here.file)) else {
            return Value::Unknown;
        };
        let mut arguments = name.arguments();
        if rules.function_wrappers.contains(&name.last_part()) {
            let inner = arguments.next();
            return inner.map_or(Value::Unknown, |inner| {
                self.passed_to(here, inner, parameter, value)
            });
        }
        if rules.function_types.contains(&name.last_part()) {
            // A function is not a value of a type in its own type: `Action<Action<Store>>`.
            let is_function = |part: &TypeExpr<'_>| {
                let head = part.names().next();
                head.is_some_and(|head| rules.function_types.contains(&head.last_part()))
            };
            let passed = arguments.nth(parameter).filter(|part| !is_function(part));
            return passed.map_or(Value::Unknown, value);
        }
        let Meaning::Symbols(found, _) = self.scopes().resolve(here, name.path()) else {
            return Value::Unknown;
        };
        let alias = found
            .into_iter()
            .find(|at| self.symbol(*at).kind == SymbolKind::Alias);
        let aliased = alias.and_then(|at| Some((at, self.symbol(at).aliased_type()?)));
        aliased.map_or(Value::Unknown, |(at, aliased)| {
            let there = Position::declaration(&self, at);
            self.deeper_once(&self.type_memo.passed, (at, parameter), || {
                self.passed_to(there, aliased, parameter, &|part| {
                    self.types().instance(there, part)
                })
            })
        })
    }
}
