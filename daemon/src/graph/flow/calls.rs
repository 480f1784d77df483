//! Value calls: calls of a variable, a parameter, an item of a list, or the result of another call.

use std::rc::Rc;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::FlowValue;
use crate::extract::facts::Role;
use crate::graph::references::Reference;
use crate::graph::{Flows, Outcome, Position, SymbolId, Use, Uses};
use crate::lang::families::Feature;
use crate::lang::vocabulary;

/// The most calls of one file that are examined.
const MAX_CALLS: usize = 2_000;
/// The most symbols with one name that are examined.
const MAX_SYMBOLS_PER_NAME: usize = 64;
/// The most files that are searched for the places where one function is called as a value.
const MAX_FILES: usize = 16;

/// The kinds of calls of a file that are examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallSelection {
    Values,
    /// Also calls of decorated functions by name, because they run the function that the decorator returns.
    ValuesAndDecorated,
}

/// A value call, or code that runs methods implicitly: `for item in store`.
#[derive(Clone, Debug)]
pub struct ValueCall {
    pub row: Use,
    /// The expression that is called, or whose methods are run.
    callee: Box<str>,
}

/// A value call that may run a certain function.
#[derive(Clone, Copy, Debug)]
pub struct ValueCallSite {
    pub file: u32,
    pub row: Use,
    /// The number of functions that the value may be.
    pub candidates: usize,
}

impl Flows<'_, '_> {
    /// Returns the places where a function, or a type, is called as a value.
    pub fn value_call_sites(self, target: SymbolId) -> Rc<[ValueCallSite]> {
        self.flow_memo
            .sites
            .get(target, || self.find_sites(target).into())
    }

    fn find_sites(self, target: SymbolId) -> Vec<ValueCallSite> {
        let symbol = self.symbol(target);
        // An inner function may be what a decorator returns in place of the decorated function.
        let is_inner = self
            .enclosing(target.file, symbol.parent)
            .any(|at| self.symbol(at).kind.is_callable());
        let selection = if is_inner {
            CallSelection::ValuesAndDecorated
        } else {
            CallSelection::Values
        };
        let mut found = vec![];
        for file in self.files_of_values(target) {
            let uses = self.uses(file);
            let may_run = |call: &&ValueCall| {
                let sign = (call.row.role == Role::Implicit).then(|| uses.name(&call.row));
                let rules = self.rules(file).zip(sign);
                let methods = rules.map(|(rules, sign)| rules.family.implicit_methods(sign));
                let methods = methods.unwrap_or_default();
                methods.is_empty() || methods.contains(&&*symbol.name)
            };
            for call in self.value_calls(file, selection).iter().filter(may_run) {
                let run = self.targets_of_value_call(file, call);
                if run.iter().any(|at| self.entities().are_same(*at, target)) {
                    found.push(ValueCallSite {
                        file,
                        row: call.row,
                        candidates: run.len(),
                    });
                }
            }
        }
        found
    }

    /// Returns the files in which a symbol may be called as a value: files that use it as a value, files of functions that are
    /// called on the same line and may receive it, and files that mention the function around such a use.
    fn files_of_values(self, target: SymbolId) -> Vec<u32> {
        let mut files: Vec<u32> = vec![];
        let mut add = |all: &mut dyn Iterator<Item = u32>| {
            for file in all {
                if files.len() < MAX_FILES && !files.contains(&file) {
                    files.push(file);
                }
            }
        };
        let is_implicit = |name: &str| {
            let rules = self.rules(target.file);
            rules.is_some_and(|rules| rules.family.is_implicitly_called(name))
        };
        let owner = self.members().owner(target);
        let of = owner.filter(|_| is_implicit(&self.symbol(target).name));
        if let Some(owner) = of {
            let users = self.files_with(&self.symbol(owner).name);
            add(&mut users
                .iter()
                .copied()
                .filter(|file| self.same_language_family(*file, owner.file)));
            return files;
        }
        let references = self.references().to(target, &self.cancel);
        let references = references.unwrap_or_default();
        let is_decorated = self.is_decorated(target);
        let is_value = |one: &&Reference| {
            !one.by_name && matches!(one.row.role, Role::Read | Role::Named | Role::Write)
        };
        for reference in references.iter().filter(is_value).take(MAX_FILES) {
            add(&mut [reference.file].into_iter());
            let uses = self.uses(reference.file);
            let on_line = |row: &&Use| row.line == reference.row.line && row.role == Role::Call;
            for row in uses.rows().iter().filter(on_line) {
                if let Outcome::Targets(takers) =
                    self.resolver().resolve_once(reference.file, &uses, row)
                {
                    add(&mut takers.symbols.iter().map(|at| at.file));
                }
            }
            let around = self.enclosing(reference.file, reference.row.symbol).next();
            if let Some(around) = around {
                let named = self.files_with(&self.symbol(around).name);
                let is_own = |file: &u32| self.same_language_family(*file, target.file);
                if named.len() <= MAX_FILES {
                    add(&mut named.iter().copied().filter(is_own));
                }
            }
        }
        // A decorator takes the function below it as its argument.
        if is_decorated {
            let uses = self.uses(target.file);
            let is_above = |row: &&Use| {
                row.role == Role::Call
                    && row.symbol == Some(target.symbol)
                    && row.line < self.symbol(target).name_line
            };
            add(&mut [target.file].into_iter());
            for row in uses.rows().iter().filter(is_above) {
                if let Outcome::Targets(by) = self.resolver().resolve_once(target.file, &uses, row)
                {
                    add(&mut by.symbols.iter().map(|at| at.file));
                }
            }
        }
        files
    }

    /// Returns whether a function has decorators.
    pub(super) fn is_decorated(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        let rules = self.rules(at.file);
        rules.is_some_and(|rules| rules.has(Feature::Decorators))
            && symbol.kind.is_callable()
            && symbol.start_line < symbol.name_line
    }

    /// Returns the calls of values in a file.
    fn value_calls(self, file: u32, selection: CallSelection) -> Rc<[ValueCall]> {
        self.flow_memo.calls.get((file, selection), || {
            let uses = self.uses(file);
            let calls = uses
                .rows()
                .iter()
                .filter(|row| matches!(row.role, Role::Call | Role::Implicit));
            let calls = calls.take(MAX_CALLS);
            calls
                .filter_map(|row| self.value_call(file, &uses, row, selection))
                .collect()
        })
    }

    /// Returns a use as a value call; none if it is not a call, or calls a function by name.
    pub fn value_call(
        self,
        file: u32,
        uses: &Uses,
        row: &Use,
        selection: CallSelection,
    ) -> Option<ValueCall> {
        let (name, qualifier) = (uses.name(row), uses.qualifier(row));
        if row.role == Role::Implicit {
            return Some(ValueCall {
                row: *row,
                callee: qualifier?.into(),
            });
        }
        let holds_value = |at: &SymbolId| {
            matches!(
                self.symbol(*at).kind,
                SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field
            )
        };
        let is_decorated =
            |at: SymbolId| selection == CallSelection::ValuesAndDecorated && self.is_decorated(at);
        // A cheap check: most names belong to functions only.
        let may_be = || {
            let is_given = |one: &Use| matches!(one.role, Role::Bind | Role::Write);
            let mut all = self.named(name).take(MAX_SYMBOLS_PER_NAME);
            uses.named(name).any(is_given) || all.any(|at| holds_value(&at) || is_decorated(at))
        };
        let is_value = row.role == Role::Call
            && may_be()
            && match self.resolver().resolve_once(file, uses, row) {
                Outcome::Local => true,
                Outcome::Targets(targets) => {
                    let mut all = targets.symbols.iter();
                    !targets.by_name && all.clone().all(holds_value)
                        || all.any(|at| is_decorated(*at))
                }
                // An attribute that a method assigns and no class declares: `self.open = open`.
                Outcome::Foreign | Outcome::Unknown => {
                    qualifier.is_some() && uses.named(name).any(|one| one.role == Role::Write)
                }
            };
        is_value.then(|| ValueCall {
            row: *row,
            callee: match qualifier {
                Some(qualifier) => format!("{qualifier}.{name}").into(),
                None => name.into(),
            },
        })
    }

    /// Returns the functions and types that a value call may run.
    pub fn targets_of_value_call(self, file: u32, call: &ValueCall) -> Vec<SymbolId> {
        let here = self.call_position(file, &call.row);
        let uses = self.uses(file);
        let Some(rules) = self.rules(file) else {
            return vec![];
        };
        let sign = match call.row.role {
            Role::Implicit => uses.name(&call.row),
            _ => vocabulary::CALL_SIGN,
        };
        let methods = rules.family.implicit_methods(sign);
        let is_call = sign == vocabulary::CALL_SIGN || sign == vocabulary::DECORATOR_SIGN;
        let mut found: Vec<SymbolId> = vec![];
        for value in self.evaluate(here, &call.callee) {
            let run = match value {
                FlowValue::Instance(at) if !methods.is_empty() => methods
                    .iter()
                    .flat_map(|name| self.members().find(at, name))
                    .collect(),
                FlowValue::Function(at) if is_call => vec![at],
                FlowValue::Type(at) if methods.is_empty() && self.symbol(at).kind.is_type() => {
                    vec![at]
                }
                FlowValue::Instance(at) if is_call => self.call_methods(at),
                _ => vec![],
            };
            for at in run {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        found
    }

    /// Returns the position from which the names in a call are resolved: a decorator is outside its function.
    pub(super) fn call_position(self, file: u32, row: &Use) -> Position {
        let around = self.enclosing(file, row.symbol);
        let mut around = around.skip_while(|at| self.calls().precedes_name(*at, row));
        Position {
            symbol: around.next().map(|at| at.symbol),
            ..Position::from_use(file, row)
        }
    }

    /// Returns the methods that an iteration over an object runs.
    pub(super) fn iteration_methods(self, of: SymbolId) -> Vec<SymbolId> {
        let Some(rules) = self.rules(of.file) else {
            return vec![];
        };
        let methods = rules.family.implicit_methods(vocabulary::ITERATION_SIGN);
        methods
            .iter()
            .flat_map(|name| self.members().find(of, name))
            .collect()
    }
}
