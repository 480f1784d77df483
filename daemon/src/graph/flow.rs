//! The values that flow into an expression: through variables, parameters, results, fields and containers.
//!
//! A call of a function by its name needs none of this. A value call (`handler()`, `handlers[key]()`) is traced back to the
//! assignments, arguments and results that the value may come from, on any path of control. Statements are read from the text,
//! because facts do not describe them, and the work of one query is bounded.

mod calls;
mod containers;
mod parameters;
mod statements;

use std::cell::Cell;
use std::rc::Rc;

use claudevil_protocol::answer::symbol::SymbolKind;

pub use self::calls::{CallSelection, ValueCall, ValueCallSite};
use self::parameters::ReturnedValue;
use self::statements::{PatternStep, bracketed, is_tuple};
use super::expression::without_prefixes;
use super::modules::Module;
use super::scope::Meaning;
use super::value::Value;
use super::{Flows, Memo, Position, SymbolId, Use};
use crate::extract::facts::Role;
use crate::extract::type_expr::{is_word, value_alternatives};
use crate::lang::families::Keyword;

/// The most expressions that are evaluated in one query.
const MAX_STEPS: u32 = 20_000;
/// The most values of one expression.
const MAX_VALUES: usize = 24;

/// A value that may flow into an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowValue {
    Function(SymbolId),
    Type(SymbolId),
    Instance(SymbolId),
    Module(Module),
    /// The supertypes of a type: `super()`.
    Supertypes(SymbolId),
    /// A literal, by its text and the position that names in it are resolved from: `{"open": open}`.
    Literal(Rc<str>, Position),
    /// The result of a function that yields values.
    Generator(SymbolId),
}

/// The arguments of a call.
#[derive(Clone, Copy)]
enum Arguments<'t> {
    /// The arguments as written, and the position of the call.
    Text(&'t str, Position),
    /// The only argument: the function below a decorator.
    Only(&'t [FlowValue]),
}

/// The text of a file, with the offsets of its lines.
pub(super) struct SourceText {
    pub(super) text: Rc<str>,
    lines: Vec<usize>,
}

#[derive(Default)]
pub(super) struct FlowMemo {
    values: Memo<(Position, String), Vec<FlowValue>>,
    parameters: Memo<(SymbolId, String), Vec<FlowValue>>,
    decorated: Memo<(SymbolId, u32), Vec<FlowValue>>,
    returned: Memo<SymbolId, Rc<[ReturnedValue]>>,
    calls: Memo<(u32, CallSelection), Rc<[ValueCall]>>,
    sites: Memo<SymbolId, Rc<[ValueCallSite]>>,
    texts: Memo<u32, Option<Rc<SourceText>>>,
    steps: Cell<u32>,
    searches: Cell<u32>,
}

impl SourceText {
    fn new(text: Rc<str>) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { text, lines }
    }

    /// Returns the offset of a position; none past the end.
    pub(super) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let start = self.lines.get(line.checked_sub(1)? as usize)?;
        let offset = start + column as usize;
        self.text.is_char_boundary(offset).then_some(offset)
    }

    fn line(&self, line: u32) -> &str {
        let start = self.offset(line, 0).unwrap_or(self.text.len());
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// Returns the width of a line's indentation.
    fn indent(&self, line: u32) -> usize {
        let line = self.line(line);
        line.len() - line.trim_start().len()
    }
}

impl Flows<'_, '_> {
    /// Returns the members with this name of the values of a qualifier.
    pub(super) fn members_of(self, here: Position, qualifier: &str, name: &str) -> Vec<SymbolId> {
        let mut found = vec![];
        for value in self.evaluate(here, qualifier) {
            let (FlowValue::Instance(of) | FlowValue::Type(of)) = value else {
                continue;
            };
            for at in self.members().find(of, name) {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        found
    }

    /// Returns the values of an expression; empty if nothing is known about it.
    pub(super) fn evaluate(self, here: Position, text: &str) -> Vec<FlowValue> {
        let steps = &self.flow_memo.steps;
        if steps.get() >= MAX_STEPS || self.cancel.is_cancelled() {
            return vec![];
        }
        steps.set(steps.get() + 1);
        self.deeper(|| {
            let key = (here, text.to_owned());
            self.flow_memo
                .values
                .get(key, || self.evaluate_uncached(here, text))
        })
    }

    fn evaluate_uncached(self, here: Position, text: &str) -> Vec<FlowValue> {
        let text = text.trim().trim_end_matches([';', ',']);
        if is_tuple(text) {
            return vec![FlowValue::Literal(text.into(), here)];
        }
        let parts = value_alternatives(text);
        if parts.len() > 1 && !text.starts_with(['[', '{', '(']) {
            return union(parts.into_iter().map(|part| self.evaluate(here, part)));
        }
        let found = self.evaluate_chain(here, without_prefixes(text).0);
        if found.is_empty() {
            convert(&self.values().evaluate(here, text))
        } else {
            found
        }
    }

    /// Evaluates a name or a literal with its suffixes: `store.open`, `open()`, `handlers[key]`.
    fn evaluate_chain(self, here: Position, text: &str) -> Vec<FlowValue> {
        let literal = |text: &str| vec![FlowValue::Literal(text.into(), here)];
        let (mut name, mut values, mut rest) = match text.chars().next() {
            Some('(') => match bracketed(text) {
                Some((inner, rest)) => (None, self.evaluate(here, inner), rest),
                None => return vec![],
            },
            Some('[' | '{') => match bracketed(text) {
                Some((_, rest)) => (None, literal(&text[..text.len() - rest.len()]), rest),
                None => return vec![],
            },
            Some(first) if first.is_ascii_digit() || "\"'`-".contains(first) => {
                return literal(text);
            }
            Some(first) if is_word(first) => {
                let length = text.find(|sign| !is_word(sign)).unwrap_or(text.len());
                let (name, rest) = text.split_at(length);
                (Some(name), self.name_values(here, name), rest)
            }
            _ => return vec![],
        };
        let mut keys: Vec<&str> = vec![];
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return values;
            }
            if let Some((inside, behind)) = bracketed(rest) {
                values = match rest.chars().next() {
                    Some('(') => {
                        (name, keys) = (None, vec![]);
                        let arguments = Arguments::Text(inside, here);
                        union(values.iter().map(|one| self.call(one, arguments)))
                    }
                    Some('[') => {
                        keys.push(inside);
                        self.index_values(here, &values, name, &keys)
                    }
                    _ => return vec![],
                };
                rest = behind;
                continue;
            }
            let Some(after) = ["?.", "::", "->", "."]
                .iter()
                .find_map(|sign| rest.strip_prefix(sign))
            else {
                return vec![];
            };
            let length = after.find(|sign| !is_word(sign)).unwrap_or(after.len());
            let (member, behind) = after.split_at(length);
            if let Some((found, behind)) = self.container_call(here, &values, member, behind) {
                (name, values, rest) = (None, found, behind);
                continue;
            }
            values = union(values.iter().map(|one| self.member_values(one, member)));
            (name, keys, rest) = (None, vec![], behind);
        }
    }

    /// Returns the values of a name.
    fn name_values(self, here: Position, name: &str) -> Vec<FlowValue> {
        let Some(rules) = self.rules(here.file) else {
            return vec![];
        };
        let around = || self.members().enclosing_type(here);
        if rules.supertype_words.contains(&name) {
            return around().map(FlowValue::Supertypes).into_iter().collect();
        }
        if rules.receivers.contains(&name)
            && let Some(at) = around()
        {
            let is_type = rules.family.keyword(name) == Some(Keyword::OwnType);
            let value = if is_type {
                FlowValue::Type
            } else {
                FlowValue::Instance
            };
            return vec![value(at)];
        }
        match self.scopes().resolve(here, name) {
            Meaning::Local(..) => self.local_values(here, name),
            Meaning::Symbols(found, _) => {
                union(found.iter().map(|at| self.symbol_values(here, *at)))
            }
            Meaning::Module(module) => match self.values().default_export_value(&module) {
                Some(value) => convert(&value),
                None => vec![FlowValue::Module(module)],
            },
            Meaning::External | Meaning::Unknown => vec![],
        }
    }

    /// Returns the values of a parameter or a variable of a function.
    fn local_values(self, here: Position, name: &str) -> Vec<FlowValue> {
        let uses = self.uses(here.file);
        let Some(bind) = self.scopes().find_binding(here, &uses, name) else {
            return vec![];
        };
        let is_same = |row: &&Use| row.role == Role::Bind && row.symbol == bind.symbol;
        let binds = uses.named(name).filter(is_same).copied();
        let lines = binds.clone().map(|row| (row.line, row.column)).collect();
        let reaching = if bind.symbol == here.symbol {
            self.reaching(here, lines)
        } else {
            lines
        };
        let reaching = binds.filter(|row| reaching.contains(&(row.line, row.column)));
        union(reaching.map(|row| self.binding_values(here.file, &row, name)))
    }

    /// Keeps the assignments that may reach a position: the last unconditional one before it, and the conditional ones after
    /// that. An assignment that is indented more deeply than the position counts as conditional.
    fn reaching(self, here: Position, mut assigned: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        let Some(text) = self.source_text(here.file) else {
            return assigned;
        };
        assigned.sort_unstable();
        let before = assigned.partition_point(|place| *place <= (here.line, here.column));
        if before == 0 {
            return assigned;
        }
        let indent = text.indent(here.line);
        let is_certain = |(line, _): &(u32, u32)| text.indent(*line) <= indent;
        let first = assigned[..before].iter().rposition(is_certain);
        assigned[first.unwrap_or(0)..before].to_vec()
    }

    /// Returns the values that a binding assigns to a name.
    fn binding_values(self, file: u32, bind: &Use, name: &str) -> Vec<FlowValue> {
        if let Some(symbol) = bind.symbol {
            let function = SymbolId { file, symbol };
            let uses = self.uses(file);
            let is_own = |row: &&Use| row.role.binds() && row.symbol == Some(symbol);
            let is_first = uses.named(name).find(is_own) == Some(bind);
            if is_first && self.parameter(function, name).is_some() {
                return self.parameter_values(function, name);
            }
        }
        let here = Position {
            file,
            symbol: bind.symbol,
            line: bind.line,
            column: bind.column.saturating_sub(1),
        };
        self.assigned_values(here, (bind.line, bind.column))
    }

    /// Returns the values that the statement around a name assigns to it.
    fn assigned_values(self, here: Position, (line, column): (u32, u32)) -> Vec<FlowValue> {
        let Some(text) = self.source_text(here.file) else {
            return vec![];
        };
        let Some(start) = text.offset(line, 0) else {
            return vec![];
        };
        let length = statements::statement_length(&text.text[start..], self.comments(here.file));
        let statement = &text.text[start..start + length];
        let Some(assigned) = statements::assignment(statement, column as usize) else {
            return vec![];
        };
        let value = self.evaluate(here, assigned.value);
        let part = |values: Vec<FlowValue>, step: &PatternStep| {
            union(values.iter().map(|one| self.part(one, *step)))
        };
        assigned.steps.iter().fold(value, part)
    }

    /// Returns the values of a symbol.
    fn symbol_values(self, here: Position, at: SymbolId) -> Vec<FlowValue> {
        let symbol = self.symbol(at);
        match symbol.kind {
            kind if kind.is_callable() && self.is_decorated(at) => self.decorated(at, 0),
            kind if kind.is_callable() => vec![FlowValue::Function(at)],
            kind if kind.is_type() => vec![FlowValue::Type(at)],
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => {
                let found = self.variable_values(here, at);
                if found.is_empty() {
                    convert(&self.types().result(at))
                } else {
                    found
                }
            }
            _ => convert(&self.values().symbols_value(&[at], &Value::Unknown)),
        }
    }

    /// Returns the values that the assignments of a variable give it.
    fn variable_values(self, here: Position, at: SymbolId) -> Vec<FlowValue> {
        let mut all = self.entities().declarations(at);
        all.retain(|one| one.file == at.file);
        let place = |one: &SymbolId| {
            let symbol = self.symbol(*one);
            (symbol.name_line, symbol.name_column)
        };
        let is_top = here.file == at.file
            && (self.calls().enclosing_function(here.file, here.symbol)).is_none();
        let lines = all.iter().map(place).collect();
        let reaching = if is_top {
            self.reaching(here, lines)
        } else {
            lines
        };
        all.retain(|one| reaching.contains(&place(one)));
        union(all.iter().map(|one| {
            let around = Position::outside(&self, *one);
            self.assigned_values(around, place(one))
        }))
    }

    /// Returns the values of a member.
    fn member_values(self, of: &FlowValue, name: &str) -> Vec<FlowValue> {
        let found = match of {
            FlowValue::Instance(at) | FlowValue::Type(at) => {
                let mut found = self.members().find(*at, name);
                found.retain(|at| self.symbol(*at).kind != SymbolKind::Field);
                if found.is_empty() {
                    return self.field_values(*at, name);
                }
                found
            }
            FlowValue::Supertypes(at) => self.members().find_inherited(*at, name),
            FlowValue::Module(module) => {
                let found = self.modules().find(module, name);
                if found.is_empty() {
                    let inner = self.modules().submodule(module, name);
                    return inner.map(FlowValue::Module).into_iter().collect();
                }
                found
            }
            FlowValue::Function(_) | FlowValue::Literal(..) | FlowValue::Generator(_) => vec![],
        };
        union(found.iter().map(|at| {
            if self.calls().is_accessor(*at) {
                return self.results(*at, None);
            }
            self.symbol_values(Position::inside(&self, *at), *at)
        }))
    }

    /// Returns the values that methods assign to a field of their object: `self.open = open`. Those of subtypes count only if a
    /// type and its supertypes assign none.
    fn field_values(self, of: SymbolId, name: &str) -> Vec<FlowValue> {
        let mut own = vec![of];
        let mut next = 0;
        while next < own.len() && own.len() < MAX_VALUES {
            let above = self.members().supertypes(own[next]);
            own.extend(above.into_iter().map(|(at, _)| at));
            next += 1;
        }
        let found = union(own.iter().map(|at| self.own_field_values(*at, name)));
        if !found.is_empty() {
            return found;
        }
        let below = self.members().all_subtypes(of);
        let below = below.iter().take(MAX_VALUES);
        union(below.map(|one| self.own_field_values(one.at, name)))
    }

    fn own_field_values(self, of: SymbolId, name: &str) -> Vec<FlowValue> {
        let declared = self.members().find_own(of, name);
        let declared = declared.into_iter().map(|at| {
            let here = Position::outside(&self, at);
            let found = self.assigned_values(here, (here.line, here.column));
            if found.is_empty() {
                convert(&self.types().result(at))
            } else {
                found
            }
        });
        let uses = self.uses(of.file);
        let receivers = self.rules(of.file).map(|rules| rules.receivers);
        let receivers = receivers.unwrap_or_default();
        let written = uses.named(name).filter(|row| {
            let here = Position::from_use(of.file, row);
            row.role == Role::Write
                && uses
                    .qualifier(row)
                    .is_some_and(|text| receivers.contains(&text))
                && self.members().enclosing_type(here) == Some(of)
        });
        let written = written.map(|row| {
            self.assigned_values(Position::from_use(of.file, row), (row.line, row.column))
        });
        union(declared.chain(written))
    }

    /// Returns the text of a file; none if it is newer than the facts.
    pub(super) fn source_text(self, file: u32) -> Option<Rc<SourceText>> {
        self.flow_memo.texts.get(file, || {
            self.indexed_text(file)
                .map(|text| Rc::new(SourceText::new(text)))
        })
    }

    fn comments(self, file: u32) -> &'static [&'static str] {
        let language = self.file(file).language;
        language.map_or(&[], |language| language.lexis.line_comments.as_slice())
    }
}

/// Returns the values of all lists without duplicates, at most `MAX_VALUES`.
fn union(all: impl Iterator<Item = Vec<FlowValue>>) -> Vec<FlowValue> {
    let mut found: Vec<FlowValue> = vec![];
    for value in all.flatten() {
        if found.len() < MAX_VALUES && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Converts a value that was inferred from types into flow values.
fn convert(value: &Value) -> Vec<FlowValue> {
    match value {
        Value::Function(at, _) => vec![FlowValue::Function(*at)],
        Value::Type(at) => vec![FlowValue::Type(*at)],
        Value::Instance(at, _) => vec![FlowValue::Instance(*at)],
        Value::Module(module) => vec![FlowValue::Module(module.clone())],
        Value::Supertypes(at) => vec![FlowValue::Supertypes(*at)],
        Value::Union(all) => union(all.iter().map(convert)),
        _ => vec![],
    }
}
