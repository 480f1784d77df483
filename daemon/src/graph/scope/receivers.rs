//! The receivers and first parameters that closures have without declaring them, bound at their opening brace.

use super::Meaning;
use crate::graph::value::Value;
use crate::graph::{Position, Scopes, SymbolId};
use crate::lang::NameRules;
use crate::lang::families::Feature;
use crate::lang::vocabulary::CLOSURE_BRACE;

/// The most closures around a position whose receivers are examined.
const MAX_CLOSURES: usize = 4;

impl Scopes<'_, '_> {
    /// Returns the members with this name of the receivers of the closures around a position, the innermost first:
    /// `store.apply { open() }`.
    pub(super) fn find_in_closure_receivers(
        self,
        here: Position,
        name: &str,
        rules: &NameRules,
    ) -> Option<Vec<SymbolId>> {
        if !rules.has(Feature::ClosureReceivers) {
            return None;
        }
        let receivers = std::iter::successors(self.closure_value(here), |(_, outside)| {
            self.closure_value(*outside)
        });
        receivers.take(MAX_CLOSURES).find_map(|(value, _)| {
            let found = self.values().find_members(&value, name);
            (!found.is_empty()).then_some(found)
        })
    }

    /// Returns the receiver of the innermost closure around a position that has one: `this` in `store.apply { … }`.
    pub(in crate::graph) fn closure_receiver(self, here: Position) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let receiver = rules
            .has(Feature::ClosureReceivers)
            .then(|| self.closure_value(here));
        Some(receiver??.0)
    }

    /// Returns the first parameter of the innermost closure around a position, if it is not declared: `$0`.
    pub(in crate::graph) fn implicit_parameter(self, here: Position) -> Option<Value> {
        let rules = self.rules(here.file)?;
        let value = (!rules.has(Feature::ClosureReceivers)).then(|| self.closure_value(here));
        Some(value??.0)
    }

    /// Returns the value that is bound at the brace of the innermost closure, and a position outside the closure.
    fn closure_value(self, here: Position) -> Option<(Value, Position)> {
        match self.find_local(here, CLOSURE_BRACE)? {
            // Code of a symbol in the closure may have a receiver of its own: `store.apply { object : Log { … } }`.
            Meaning::Local(Some(text), outside) if outside.symbol == here.symbol => {
                let value = self.deeper(|| self.types().binding_value(outside, &text));
                Some((value, outside))
            }
            _ => None,
        }
    }
}
