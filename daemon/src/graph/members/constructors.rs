//! The constructors of types.

use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::declaration::Parameters;
use crate::extract::facts::Symbol;
use crate::graph::{Members, SymbolId};
use crate::lang::families::Feature;

impl Members<'_, '_> {
    /// Returns the constructor of a type, or of its nearest supertype.
    pub(in crate::graph) fn constructor(self, of: SymbolId) -> Option<SymbolId> {
        self.member_memo
            .constructors
            .get(of, || self.deeper(|| self.find_constructor(of)))
    }

    fn find_constructor(self, of: SymbolId) -> Option<SymbolId> {
        let end = self.symbol(of).end_byte;
        let inside = self
            .file(of.file)
            .outline
            .symbols
            .iter()
            .zip(0..)
            .skip(of.symbol as usize + 1);
        let is_own =
            |one: &Symbol| one.parent == Some(of.symbol) && one.kind == SymbolKind::Constructor;
        let mut own = inside
            .take_while(|(one, _)| one.start_byte < end)
            .filter(|(one, _)| is_own(one))
            .map(|(_, symbol)| SymbolId { symbol, ..of })
            .peekable();
        if own.peek().is_some() || self.has_header_constructor(of) {
            return own.find(|at| self.is_called_by_type(*at, of));
        }
        self.supertypes(of)
            .into_iter()
            .find_map(|(above, _)| self.constructor(above))
    }

    /// Returns whether the header of a type declares a constructor: `class Store(val path: String)`.
    pub(in crate::graph) fn has_header_constructor(self, of: SymbolId) -> bool {
        let parameters = self.symbol(of).parameters();
        parameters.is_some_and(|all| all.count() > 0)
            && self.rules(of.file).is_some_and(|rules| rules.overloads)
    }

    /// Returns whether a call of a type may run one of its constructors, which has no other name: `Store(…)` runs `Store`, but
    /// not `Store.open`.
    pub(in crate::graph) fn is_called_by_type(self, constructor: SymbolId, of: SymbolId) -> bool {
        let symbol = self.symbol(constructor);
        self.rules(of.file).is_none_or(|rules| {
            let has_own_name =
                rules.has(Feature::NamedConstructors) && symbol.name != self.symbol(of).name;
            !has_own_name && !rules.family.is_type_initializer(&symbol.signature)
        })
    }

    /// Returns the constructors among which a call of a type chooses, if it may run this one: those with its name, and the type
    /// itself for the constructor in its header.
    pub(in crate::graph) fn constructor_overloads(self, constructor: SymbolId) -> Vec<SymbolId> {
        let Some(owner) = self.owner(constructor) else {
            return vec![];
        };
        let mut all = self.find_own(owner, &self.symbol(constructor).name);
        all.retain(|at| {
            self.symbol(*at).kind == SymbolKind::Constructor && self.is_called_by_type(*at, owner)
        });
        let text = |at: &SymbolId| self.symbol(*at).parameters().map(Parameters::text);
        if self.has_header_constructor(owner) && !all.iter().any(|at| text(at) == text(&owner)) {
            all.push(owner);
        }
        // A constructor without a list of parameters has those of the header: `record Store(Path path) { Store { check(path); } }`.
        let is_compact = |at: &SymbolId| !self.symbol(*at).signature.contains('(');
        if all.contains(&owner) {
            all.retain(|at| !is_compact(at));
        }
        self.entities().distinct(&all)
    }
}
