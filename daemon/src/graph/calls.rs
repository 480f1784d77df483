//! Callers and callees.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::flow::{CallSelection, ValueCallSite};
use super::{Calls, Outcome, Resolution, SymbolId, Use, Uses};
use crate::extract::facts::{Role, Symbol};
use crate::lang::families::Feature;
use crate::source::cancel::CancelToken;

const BY_VALUE: &str = "called through a value";
const PASSED: &str = "passed on as a value, which other code may call";

/// A caller or a callee, with the lines of the calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// None for code at the top level of a file.
    pub symbol: Option<SymbolId>,
    /// The file of the caller.
    pub file: u32,
    pub lines: Vec<u32>,
    /// The most certain resolution of these calls.
    pub resolution: Resolution,
    pub reason: &'static str,
    /// The number of symbols that the most certain call may refer to.
    pub candidates: usize,
}

/// The callees of a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callees {
    pub calls: Vec<Call>,
    /// Names of functions that are unknown or outside the root, with the number of their calls.
    pub foreign: Vec<(String, u64)>,
    /// The number of calls of variables, parameters and fields.
    pub values: u64,
}

impl Calls<'_, '_> {
    /// Returns the callers, in the order of the files and their lines.
    pub fn callers(
        self,
        targets: &[SymbolId],
        cancel: &CancelToken,
    ) -> Result<Vec<Call>, ToolError> {
        let mut calls: Vec<Call> = vec![];
        // Reading or writing a property runs its code.
        let is_accessor = targets.iter().any(|at| self.is_accessor(*at));
        let runs_when_read = |role| is_accessor && matches!(role, Role::Read | Role::Write);
        for reference in self.references().to_any(targets, cancel)?.iter() {
            let symbol = self.caller_of(reference.file, &reference.row);
            let symbol = symbol.map(|at| self.entities().first_clause(at));
            // Outside functions, the name refers to the property itself: `@size.setter`.
            let runs = runs_when_read(reference.row.role) && symbol.is_some();
            if reference.row.role != Role::Call && !runs {
                continue;
            }
            let call = Call {
                symbol,
                file: reference.file,
                lines: vec![reference.row.line],
                resolution: reference.resolution,
                reason: reference.reason,
                candidates: reference.candidates,
            };
            join(&mut calls, call);
        }
        for target in targets {
            cancel.check()?;
            for maker in self
                .references()
                .constructed_types(*target)
                .iter()
                .chain([target])
            {
                for site in self.flows().value_call_sites(*maker).iter() {
                    join(&mut calls, self.call_of_value(site));
                }
            }
        }
        Ok(calls)
    }

    fn call_of_value(self, site: &ValueCallSite) -> Call {
        Call {
            symbol: (self.caller_of(site.file, &site.row))
                .map(|at| self.entities().first_clause(at)),
            file: site.file,
            lines: vec![site.row.line],
            resolution: value_resolution(site.candidates),
            reason: BY_VALUE,
            candidates: site.candidates,
        }
    }

    /// Returns the callees of several symbols together.
    pub fn callees_of_any(self, all: &[SymbolId]) -> Callees {
        joined_callees(all.iter().map(|at| self.callees(*at)))
    }

    /// Returns the callees, in the order of the calls.
    pub fn callees(self, of: SymbolId) -> Callees {
        match self.entities().clauses(of)[..] {
            [only] => self.own_callees(only),
            ref all => joined_callees(all.iter().map(|at| self.own_callees(*at))),
        }
    }

    fn own_callees(self, of: SymbolId) -> Callees {
        let uses = self.uses(of.file);
        let mut found = Callees::default();
        let bare_calls = self
            .rules(of.file)
            .is_some_and(|rules| rules.calls_without_parentheses);
        let is_injected =
            (self.rules(of.file)).is_some_and(|rules| rules.family.injection().is_some());
        for row in uses.rows().iter().filter(|row| {
            matches!(row.role, Role::Call | Role::Implicit)
                || bare_calls && row.role == Role::Read
                || is_injected && row.role == Role::Bind
        }) {
            if !self.is_run_by(of, row) {
                continue;
            }
            if row.role == Role::Implicit {
                for call in self.run_by_value(of.file, &uses, row) {
                    join(&mut found.calls, call);
                }
                continue;
            }
            match self.resolver().resolve_once(of.file, &uses, row) {
                Outcome::Targets(targets)
                    if row.role == Role::Read
                        && !self.is_bare_call(of.file, uses.name(row), &targets.symbols) => {}
                // The function that a field holds is not known here, so this counts as a call of a value.
                Outcome::Targets(targets)
                    if targets.symbols.iter().all(|at| self.holds_function(*at)) =>
                {
                    found.values += 1;
                }
                Outcome::Targets(targets) => {
                    let all = (targets.symbols.iter())
                        .map(|symbol| self.entities().definitions(*symbol, of.file));
                    let all = all.collect::<Vec<_>>().concat();
                    for symbol in &all {
                        let resolution = if all.len() > targets.symbols.len() {
                            targets.resolution.max(Resolution::Ambiguous)
                        } else {
                            targets.resolution
                        };
                        let call = Call {
                            symbol: Some(*symbol),
                            file: of.file,
                            lines: vec![row.line],
                            resolution,
                            reason: targets.reason,
                            candidates: all.len(),
                        };
                        join(&mut found.calls, call);
                    }
                }
                Outcome::Foreign | Outcome::Unknown if row.role != Role::Call => {}
                Outcome::Foreign | Outcome::Unknown => {
                    let name = uses.name(row);
                    match found.foreign.iter_mut().find(|(known, _)| known == name) {
                        Some((_, calls)) => *calls += 1,
                        None => found.foreign.push((name.to_owned(), 1)),
                    }
                }
                Outcome::Local => found.values += u64::from(row.role == Role::Call),
            }
            for call in self.run_by_value(of.file, &uses, row) {
                join(&mut found.calls, call);
            }
        }
        found
    }

    /// Returns the functions that a symbol names without calling them, so that other code may: `setTimeout(this.tick)`.
    pub fn passed_functions(self, of: SymbolId) -> Vec<Call> {
        let uses = self.uses(of.file);
        let clauses = self.entities().clauses(of);
        let mut found = vec![];
        for row in uses.rows().iter().filter(|row| row.role == Role::Read) {
            if !clauses.iter().any(|one| self.is_run_by(*one, row)) {
                continue;
            }
            let Outcome::Targets(targets) = self.resolver().resolve_once(of.file, &uses, row)
            else {
                continue;
            };
            for symbol in targets.symbols.iter() {
                if self.symbol(*symbol).kind.is_callable()
                    && targets.resolution != Resolution::NameOnly
                {
                    let call = Call {
                        symbol: Some(self.entities().definition(*symbol)),
                        file: of.file,
                        lines: vec![row.line],
                        resolution: Resolution::Ambiguous,
                        reason: PASSED,
                        candidates: targets.symbols.len(),
                    };
                    join(&mut found, call);
                }
            }
        }
        found
    }

    /// Returns whether calling or constructing a symbol runs the code of a use.
    fn is_run_by(self, of: SymbolId, row: &Use) -> bool {
        let is_inside = || self.enclosing(of.file, row.symbol).any(|at| at == of);
        match self.symbol(of).kind {
            SymbolKind::Module => is_inside(),
            kind if kind.is_type() => {
                // Constructing a value runs the constructor and the initializers of fields, but none of the methods.
                let runs = self.enclosing_function(of.file, row.symbol);
                is_inside()
                    && runs.is_none_or(|at| {
                        self.symbol(at).kind == SymbolKind::Constructor || at == of
                    })
            }
            _ => {
                self.caller_of(of.file, row) == Some(of)
                    || row.symbol == Some(of.symbol) && !self.precedes_name(of, row)
            }
        }
    }

    /// Returns the functions that a value call may run.
    fn run_by_value(self, file: u32, uses: &Uses, row: &Use) -> Vec<Call> {
        let Some(call) =
            self.flows()
                .value_call(file, uses, row, CallSelection::ValuesAndDecorated)
        else {
            return vec![];
        };
        let run = self.flows().targets_of_value_call(file, &call);
        let candidates = run.len();
        let call = |symbol| Call {
            symbol: Some(self.entities().definition(symbol)),
            file,
            lines: vec![row.line],
            resolution: value_resolution(candidates),
            reason: BY_VALUE,
            candidates,
        };
        run.into_iter().map(call).collect()
    }

    /// Returns whether a bare name that refers to these symbols is a call: `total` in Ruby.
    pub(super) fn is_bare_call(self, file: u32, name: &str, targets: &[SymbolId]) -> bool {
        let Some(rules) = self
            .rules(file)
            .filter(|rules| rules.calls_without_parentheses)
        else {
            return false;
        };
        let takes = |symbol: &Symbol| symbol.parameters().is_some_and(|all| all.count() > 0);
        let is_called = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            symbol.kind.is_callable() && !(rules.has(Feature::FunctionValues) && takes(symbol))
        };
        targets.iter().all(|at| {
            is_called(at)
                || rules.family.implicit_constructors().contains(&name)
                    && self.symbol(*at).kind.is_type()
        })
    }

    /// Returns whether a symbol is a property with code of its own: `@property def size(self)`.
    pub(super) fn is_accessor(self, at: SymbolId) -> bool {
        let symbol = self.symbol(at);
        symbol.kind == SymbolKind::Property && symbol.complexity > 0
    }

    /// Returns whether a call of a symbol runs the function that the symbol holds: `self.handler()` for a field `handler`.
    /// In languages whose records have accessors, the call runs the accessor instead: `point.x()`.
    fn holds_function(self, at: SymbolId) -> bool {
        self.symbol(at).kind == SymbolKind::Field
            && self
                .rules(at.file)
                .is_some_and(|rules| !rules.has(Feature::RecordAccessors))
    }

    /// Returns the innermost function that makes a call. A decorator precedes the name of its function and runs in the scope
    /// around it.
    fn caller_of(self, file: u32, row: &Use) -> Option<SymbolId> {
        let inside = self
            .enclosing(file, row.symbol)
            .find(|at| !self.precedes_name(*at, row));
        self.enclosing_function(file, inside.map(|at| at.symbol))
    }

    pub(super) fn precedes_name(self, at: SymbolId, row: &Use) -> bool {
        let symbol = self.symbol(at);
        (row.line, row.column) < (symbol.name_line, symbol.name_column)
    }

    /// Returns the innermost function around a position; closures belong to the function around them.
    pub fn enclosing_function(self, file: u32, symbol: Option<u32>) -> Option<SymbolId> {
        self.enclosing(file, symbol).find(|at| {
            let kind = self.symbol(*at).kind;
            kind.is_callable() || kind == SymbolKind::Macro || self.is_accessor(*at)
        })
    }
}

/// Returns the callees of several symbols, each once.
fn joined_callees(all: impl Iterator<Item = Callees>) -> Callees {
    let mut found = Callees::default();
    for own in all {
        found.values += own.values;
        own.calls
            .into_iter()
            .for_each(|call| join(&mut found.calls, call));
        for (name, calls) in own.foreign {
            match found.foreign.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += calls,
                None => found.foreign.push((name, calls)),
            }
        }
    }
    found
}

fn value_resolution(candidates: usize) -> Resolution {
    if candidates > 1 {
        Resolution::Ambiguous
    } else {
        Resolution::Resolved
    }
}

/// Adds a call, or adds its lines to an existing call of the same symbol.
fn join(calls: &mut Vec<Call>, call: Call) {
    let same = |known: &&mut Call| {
        known.symbol == call.symbol && (known.symbol.is_some() || known.file == call.file)
    };
    match calls.iter_mut().find(same) {
        Some(known) => {
            known.lines.extend(&call.lines);
            known.lines.sort_unstable();
            known.lines.dedup();
            if call.resolution < known.resolution {
                (known.resolution, known.reason, known.candidates) =
                    (call.resolution, call.reason, call.candidates);
            }
        }
        None => calls.push(call),
    }
}
