//! Parameters that a framework passes by their names: fixtures of pytest.

use std::cmp::Reverse;

use super::Meaning;
use crate::extract::facts::Role;
use crate::graph::{Position, Scopes, SymbolId};
use crate::index::root_paths::folder;
use crate::lang::families::Injection;

impl Scopes<'_, '_> {
    /// Returns the function whose result a framework passes for the parameter that a name refers to at a position: the fixture
    /// `store` for `def test_open(store):`.
    pub(in crate::graph) fn injected_at(self, here: Position, name: &str) -> Option<SymbolId> {
        let rules = self.injection(here.file)?;
        let mut around = self.enclosing(here.file, here.symbol);
        if !around.any(|at| self.is_injected_into(at, rules)) {
            return None;
        }
        let uses = self.uses(here.file);
        let bind = self.find_binding(here, &uses, name)?;
        let symbol = bind.symbol.filter(|_| bind.role == Role::Bind)?;
        let of = SymbolId {
            file: here.file,
            symbol,
        };
        self.injected(of, name)
    }

    /// Returns the function whose result a framework passes for a parameter of a function.
    pub(in crate::graph) fn injected(self, of: SymbolId, name: &str) -> Option<SymbolId> {
        let rules = self.injection(of.file)?;
        if !self.is_injected_into(of, rules) {
            return None;
        }
        let mut parameters = self.symbol(of).parameters()?.iter();
        parameters.find(|one| one.first_name() == Some(name) && one.is_required())?;
        let is_provider = |at: &SymbolId| {
            *at != of
                && self.same_language_family(at.file, of.file)
                && self.is_decorated_by(*at, rules)
        };
        let providers = self.named(name).filter(is_provider);
        let visible = providers.filter_map(|at| Some((self.distance(of, at, name, rules)?, at)));
        Some(visible.min_by_key(|(distance, _)| *distance)?.1)
    }

    fn injection(self, file: u32) -> Option<&'static Injection> {
        self.rules(file)?.family.injection()
    }

    fn is_injected_into(self, at: SymbolId, rules: &Injection) -> bool {
        let symbol = self.symbol(at);
        symbol.kind.is_callable()
            && (symbol.name.starts_with(rules.function_prefix) || self.is_decorated_by(at, rules))
    }

    fn is_decorated_by(self, at: SymbolId, rules: &Injection) -> bool {
        let symbol = self.symbol(at);
        if !symbol.kind.is_callable() || symbol.start_line == symbol.name_line {
            return false;
        }
        let uses = self.uses(at.file);
        rules.decorators.iter().any(|decorator| {
            let mut rows = uses.named(decorator);
            rows.any(|row| (symbol.start_line..symbol.name_line).contains(&row.line))
        })
    }

    /// Returns how far a provider is from a function; none if the function cannot use it. The nearest provider wins: of the same
    /// class, of the same file, an imported one, and that of the nearest shared file.
    fn distance(
        self,
        of: SymbolId,
        provider: SymbolId,
        name: &str,
        rules: &Injection,
    ) -> Option<(u8, Reverse<usize>)> {
        let members = self.members();
        if let Some(owner) = members.owner(provider) {
            let own = members.owner(of)?;
            let is_inherited = || members.find(own, name).contains(&provider);
            return (own == owner || is_inherited()).then_some((0, Reverse(0)));
        }
        if provider.file == of.file {
            return Some((1, Reverse(0)));
        }
        let (path, from) = (&self.file(provider.file).path, &self.file(of.file).path);
        let own = folder(path);
        let is_shared = path.rsplit('/').next() == Some(rules.shared_file);
        if is_shared && (own.is_empty() || from.starts_with(&format!("{own}/"))) {
            return Some((3, Reverse(own.len())));
        }
        let outside = Position {
            symbol: None,
            ..Position::declaration(&self, of)
        };
        match self.resolve(outside, name) {
            Meaning::Symbols(found, _) if found.contains(&provider) => Some((2, Reverse(0))),
            _ => None,
        }
    }
}
