//! Names that the classes and modules around a position have.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::Meaning;
use crate::graph::{Position, Scopes, SymbolId};
use crate::lang::NameRules;
use crate::lang::families::Feature;

impl Scopes<'_, '_> {
    /// Resolves a name to the names that the code of a class body has bound before: `LIMIT` of the second line in
    /// `class Config: LIMIT = LIMIT; size = LIMIT`.
    pub(super) fn find_in_class_body(
        self,
        here: Position,
        name: &str,
        rules: &NameRules,
    ) -> Option<Meaning> {
        if !rules.has(Feature::ClassBodyScope) {
            return None;
        }
        let around = || self.enclosing(here.file, here.symbol);
        let is_bound = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            (symbol.name_line, symbol.name_column) < (here.line, here.column)
                && !around().any(|one| one == *at)
        };
        around()
            .take_while(|at| !self.symbol(*at).kind.is_callable())
            .filter(|at| self.symbol(*at).kind.is_type())
            .find_map(|at| {
                let mut own = self.children(at, name);
                own.retain(is_bound);
                (!own.is_empty()).then_some(Meaning::Symbols(own, "in the enclosing class body"))
            })
    }

    /// Resolves a constant: in the enclosing modules and classes, the innermost first, then in the supertypes of the innermost,
    /// then outside all modules. `Base` in `module Shop; class Json < Base` is `Shop::Base` before it is `::Base`.
    pub(super) fn find_constant(self, here: Position, name: &str) -> Vec<SymbolId> {
        let members = self.members();
        let is_constant = |at: &SymbolId| is_constant(self.symbol(*at).kind);
        let around = || {
            self.enclosing(here.file, here.symbol)
                .filter(|at| members.has_members(*at))
        };
        let keep = |mut found: Vec<SymbolId>| {
            found.retain(is_constant);
            (!found.is_empty()).then_some(found)
        };
        around()
            .find_map(|at| keep(members.find_own(at, name)))
            .or_else(|| keep(members.find_inherited(around().next()?, name)))
            .or_else(|| {
                let is_outermost = |at: &SymbolId| {
                    let symbol = self.symbol(*at);
                    symbol.parent.is_none()
                        && symbol.scope.is_none()
                        && self.same_language_family(at.file, here.file)
                };
                keep(self.named(name).filter(is_outermost).collect())
            })
            .unwrap_or_default()
    }

    /// Keeps the symbols in the innermost enclosing module that has any, whatever file they are in: `shop::Base` for `Base` in
    /// `namespace shop`.
    pub(super) fn in_nearest_module(
        self,
        here: Position,
        found: &[SymbolId],
    ) -> Option<Vec<SymbolId>> {
        let rules = self.rules(here.file)?;
        let is_module = |at: &SymbolId| self.symbol(*at).kind == SymbolKind::Module;
        let containers = |at: SymbolId| self.entities().containers(at);
        let modules = self.enclosing(here.file, here.symbol).filter(is_module);
        // A method of an open module is in scope in that module alone.
        let mut modules = modules.filter(|_| !rules.has(Feature::OpenModules));
        modules.find_map(|module| {
            let name = self.symbol(module).name.rsplit("::");
            let path: Vec<&str> = name.chain(containers(module)).collect();
            let is_in = |at: &SymbolId| containers(*at).eq(path.iter().copied());
            let near: Vec<SymbolId> = found.iter().copied().filter(is_in).collect();
            (!near.is_empty()).then_some(near)
        })
    }
}

/// Returns whether a symbol of a kind is a constant, and no member of an object.
pub(super) fn is_constant(kind: SymbolKind) -> bool {
    !kind.is_callable() && !matches!(kind, SymbolKind::Field | SymbolKind::Property)
}
