//! Receivers that are collections: their members are those of the collection, not of its elements.
//!
//! Elsewhere, a value of type `List<Store>` is evaluated as its element, because loops, patterns and closures mostly bind an
//! element. A receiver that is declared as a collection is the exception: `stores.size()` is never `Store.size()`.

use super::expression::{last_call, without_prefixes};
use super::scope::Meaning;
use super::value::Value;
use super::{Position, SymbolId, Values, patterns};
use crate::extract::type_expr::{ParsedType, is_word};
use crate::lang::NameRules;

impl Values<'_, '_> {
    /// Returns whether a receiver (a variable, a field or a call) is declared as a collection type of another library.
    pub(super) fn is_collection(self, here: Position, receiver: &str) -> bool {
        let Some(rules) = self
            .rules(here.file)
            .filter(|rules| !rules.collection_types.is_empty())
        else {
            return false;
        };
        let declaration = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            let declared = symbol.declared_type().or_else(|| symbol.result());
            declared.is_some_and(|declared| {
                self.names_collection(Position::declaration(&self, *at), declared.text(), rules)
            })
        };
        // An awaited or dereferenced value is no longer the collection.
        if without_prefixes(receiver).0.len() < receiver.len() {
            return false;
        }
        if let Some(called) = last_call(receiver) {
            return matches!(self.evaluate(here, called), Value::Function(at, _) if declaration(&at));
        }
        let (owner, name) = receiver.split_at(receiver.trim_end_matches(is_word).len());
        if owner.is_empty() {
            return match self.scopes().resolve(here, receiver) {
                Meaning::Local(Some(text), at) => {
                    let is_type = !text.contains('(') && patterns::parse_binding(&text).is_none();
                    is_type && self.names_collection(at, &text, rules)
                }
                Meaning::Symbols(found, _) => found.first().is_some_and(declaration),
                _ => false,
            };
        }
        let owner = owner.trim_end_matches(['.', ':', '-', '?', '!', '>']);
        if name.is_empty() || owner.is_empty() {
            return false;
        }
        let found = self.find_members(self.evaluate(here, owner).unwrapped(), name);
        found.first().is_some_and(declaration)
    }

    /// Returns whether a type is a collection type of another library, or an alias of one: `Vec<Store>`, `Store[]`.
    fn names_collection(self, here: Position, text: &str, rules: &NameRules) -> bool {
        let parsed = ParsedType::new(text);
        let expr = parsed.expr();
        if expr.is_union() || expr.is_object() {
            return false;
        }
        let bare = text.trim_start_matches(['&', '*', ' ']);
        if bare.starts_with('[') || bare.trim_end_matches(['?', '!']).ends_with("[]") {
            return true;
        }
        // Modifiers may precede the type: `private final List<Store>`.
        let generic = expr.names().find(|name| name.has_arguments());
        let Some(head) = generic.or_else(|| expr.names().last()) else {
            return false;
        };
        if let Meaning::Symbols(found, _) = self.scopes().resolve(here, head.path()) {
            let [alias] = found[..] else { return false };
            let aliased = self.symbol(alias).aliased_type();
            return aliased.is_some_and(|aliased| {
                let there = Position::declaration(&self, alias);
                !self.members().has_members(alias)
                    && self.deeper(|| self.names_collection(there, aliased.text(), rules))
            });
        }
        let name = head.last_part();
        head.has_arguments()
            && (rules.collection_types.contains(&name) || rules.map_types.contains(&name))
            && self.types().resolve_path(here, head.path()).is_none()
    }
}
