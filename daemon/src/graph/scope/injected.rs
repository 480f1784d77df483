//! Parameters that a framework passes by their names: fixtures of pytest.

use std::collections::HashMap;
use std::rc::Rc;

use super::Meaning;
use crate::extract::facts::Role;
use crate::extract::type_expr::matching;
use crate::graph::{Memo, Position, Scopes, SymbolId};
use crate::lang::families::Injection;

/// The functions of a file whose results a framework passes, by the names of the parameters.
type Providers = Rc<HashMap<String, Vec<SymbolId>>>;

#[derive(Default)]
pub(in crate::graph) struct InjectionMemo {
    /// By file.
    providers: Memo<u32, Providers>,
    /// By the function and its parameter.
    injected: Memo<(SymbolId, String), Option<SymbolId>>,
}

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
        let memo = &self.scope_memo.injection.injected;
        memo.get((of, name.to_owned()), || {
            self.find_injected(of, name, rules)
        })
    }

    fn find_injected(self, of: SymbolId, name: &str, rules: &Injection) -> Option<SymbolId> {
        if !self.is_injected_into(of, rules) {
            return None;
        }
        let mut parameters = self.symbol(of).parameters()?.iter();
        parameters.find(|one| one.first_name() == Some(name) && one.is_required())?;
        let gets_value = |at: SymbolId| {
            let all = self.decorator_arguments(at, rules.values_decorator);
            all.iter().any(|one| (rules.passes_values)(one, name))
        };
        if self.enclosing(of.file, Some(of.symbol)).any(gets_value) {
            return None;
        }
        self.nearest_provider(of, name, rules)
    }

    /// Returns the nearest function whose result can be passed to a function: of the same class, of the same file, an imported
    /// one, and that of the nearest shared file.
    fn nearest_provider(self, of: SymbolId, name: &str, rules: &Injection) -> Option<SymbolId> {
        let members = self.members();
        let in_file = |file: u32, owner: Option<SymbolId>| {
            let providers = self.providers(file, rules);
            let mut all = providers.get(name)?.iter().copied();
            all.find(|at| *at != of && members.owner(*at) == owner)
        };
        let is_provider = |at: &SymbolId| {
            let providers = self.providers(at.file, rules);
            providers.get(name).is_some_and(|all| all.contains(at))
        };
        let in_class = || {
            let own = members.owner(of)?;
            let inherited = || {
                members
                    .find_inherited(own, name)
                    .into_iter()
                    .find(is_provider)
            };
            in_file(of.file, Some(own)).or_else(inherited)
        };
        let imported = || {
            let outside = Position {
                symbol: None,
                ..Position::declaration(&self, of)
            };
            match self.resolve(outside, name) {
                Meaning::Symbols(found, _) => {
                    found.into_iter().find(|at| *at != of && is_provider(at))
                }
                _ => None,
            }
        };
        let shared = || {
            let path = &*self.file(of.file).path;
            let mut folders = path.match_indices('/').rev().map(|(end, _)| &path[..=end]);
            let shared = |folder: &str| {
                let file = self.file_number(&format!("{folder}{}", rules.shared_file))?;
                in_file(file, None)
            };
            folders.find_map(shared).or_else(|| shared(""))
        };
        (in_class().or_else(|| in_file(of.file, None)))
            .or_else(imported)
            .or_else(shared)
    }

    fn providers(self, file: u32, rules: &Injection) -> Providers {
        let memo = &self.scope_memo.injection.providers;
        memo.get(file, || {
            let mut all: HashMap<String, Vec<SymbolId>> = HashMap::new();
            let uses = self.uses(file);
            let is_used = |decorator: &&str| uses.named(decorator).next().is_some();
            if !rules.decorators.iter().any(is_used) {
                return all.into();
            }
            for (symbol, one) in (0..).zip(&self.file(file).outline.symbols) {
                let at = SymbolId { file, symbol };
                if one.kind.is_callable() && self.is_decorated_by(at, rules) {
                    let names = rules.decorators.iter();
                    let arguments = names.flat_map(|name| self.decorator_arguments(at, name));
                    let arguments = arguments.collect::<String>();
                    let parameter = (rules.parameter)(&arguments).unwrap_or(&one.name);
                    all.entry(parameter.to_owned()).or_default().push(at);
                }
            }
            all.into()
        })
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
        let mut decorators = rules.decorators.iter();
        decorators.any(|name| !self.decorators(at, name).is_empty())
    }

    /// Returns the positions of the decorators of a symbol with this name.
    fn decorators(self, at: SymbolId, name: &str) -> Vec<(u32, u32)> {
        let symbol = self.symbol(at);
        let lines = symbol.start_line..symbol.name_line;
        if lines.is_empty() {
            return vec![];
        }
        let uses = self.uses(at.file);
        let rows = uses.named(name).filter(|row| lines.contains(&row.line));
        rows.map(|row| (row.line, row.column)).collect()
    }

    /// Returns the arguments of the decorators of a symbol with this name, with their brackets.
    fn decorator_arguments(self, at: SymbolId, name: &str) -> Vec<String> {
        let arguments = |(line, column): (u32, u32)| {
            let source = self.flows().source_text(at.file)?;
            let behind = source
                .text
                .get(source.offset(line, column)? + name.len()..)?;
            let end = matching(behind).filter(|_| behind.starts_with('('))?;
            Some(behind[..=end].to_owned())
        };
        let decorators = self.decorators(at, name).into_iter();
        decorators.filter_map(arguments).collect()
    }
}
