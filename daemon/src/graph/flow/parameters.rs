//! Arguments and results: the values of a function's parameters, and those that it returns.

use std::ops::Range;
use std::rc::Rc;

use claudevil_protocol::answer::symbol::SymbolKind;

use super::statements::{argument, bracketed, parenthesised, statement_length};
use super::{Arguments, FlowValue, convert, union};
use crate::extract::facts::Role;
use crate::extract::type_expr::is_word;
use crate::graph::references::Reference;
use crate::graph::{Flows, Position, Resolution, SymbolId, Use};
use crate::lang::vocabulary;

/// The most files that are searched for the calls of one function.
const MAX_FILES: usize = 16;
/// The most functions whose calls are searched for in one query.
const MAX_SEARCHES: u32 = 40;

/// A parameter of a function.
pub(super) struct FunctionParameter<'a> {
    /// Its position among the arguments; none for a variadic parameter.
    place: Option<usize>,
    default: Option<&'a str>,
}

/// An expression that a function returns or yields.
pub(super) struct ReturnedValue {
    text: String,
    here: Position,
    is_yielded: bool,
}

impl<'a> Flows<'_, 'a> {
    /// Returns the parameter with this name.
    pub(super) fn parameter(self, of: SymbolId, name: &str) -> Option<FunctionParameter<'a>> {
        let symbol = self.symbol(of);
        let receivers = self.rules(of.file)?.receivers;
        // In Python, `/` ends the parameters that are passed by position.
        let all = symbol.parameters()?.iter().filter(|one| one.text() != "/");
        let mut all = all.peekable();
        // The receiver is not among the arguments.
        let is_method = self.members().owner(of).is_some();
        let first = all.peek().and_then(|one| one.first_name());
        if is_method && first.is_some_and(|first| receivers.contains(&first)) {
            all.next();
        }
        let (place, found) = (0..).zip(all).find(|(_, one)| {
            let text = one.text().trim_start_matches(['*', '.']);
            text.split(|sign| !is_word(sign)).next() == Some(name) || one.first_name() == Some(name)
        })?;
        let is_rest = found.text().starts_with(['*', '.']);
        let default = found.text().split_once('=').map(|(_, value)| value.trim());
        Some(FunctionParameter {
            place: (!is_rest).then_some(place),
            default,
        })
    }

    /// Returns the values that all calls of a function pass for one of its parameters.
    pub(super) fn parameter_values(self, of: SymbolId, name: &str) -> Vec<FlowValue> {
        let key = (of, name.to_owned());
        self.flow_memo
            .parameters
            .get(key, || self.find_parameter_values(of, name))
    }

    fn find_parameter_values(self, of: SymbolId, name: &str) -> Vec<FlowValue> {
        let Some(parameter) = self.parameter(of, name) else {
            return vec![];
        };
        if let Some(provider) = self.scopes().injected(of, name) {
            return self.provided_values(provider);
        }
        let default = parameter.default.map_or(vec![], |text| {
            let here = Position::outside(&self, of);
            self.evaluate(here, text)
        });
        let searches = &self.flow_memo.searches;
        let is_constructor = self.symbol(of).kind == SymbolKind::Constructor;
        let maker = self.members().owner(of).filter(|_| is_constructor);
        let called = &self.symbol(maker.unwrap_or(of)).name;
        if searches.get() >= MAX_SEARCHES || self.files_with(called).len() > MAX_FILES {
            return default;
        }
        searches.set(searches.get() + 1);
        let references = self.references().to(of, &self.cancel);
        let references = references.unwrap_or_default();
        let is_call = |one: &&Reference| {
            one.row.role == Role::Call && !one.by_name && one.resolution != Resolution::NameOnly
        };
        let named = references.iter().filter(is_call);
        let named = named.map(|one| (one.file, one.row));
        let sites = self.value_call_sites(maker.unwrap_or(of));
        let by_value = sites.iter().map(|site| (site.file, site.row));
        let calls = named.chain(by_value).map(|(file, row)| {
            let here = Position::of_use(file, &row);
            if let Some(below) = self.decorated_at(here) {
                return self.argument_values(Arguments::Only(&below), &parameter, name);
            }
            let arguments = self.arguments_at(file, &row).unwrap_or_default();
            self.argument_values(Arguments::Text(&arguments, here), &parameter, name)
        });
        union([default].into_iter().chain(calls))
    }

    /// Returns the text between the parentheses of a call.
    fn arguments_at(self, file: u32, row: &Use) -> Option<String> {
        let text = self.source_text(file)?;
        // A call of an unnamed value has the position of its parenthesis: `handlers[key]()`.
        let name = match row.role {
            Role::Implicit => 0,
            _ => self.uses(file).name(row).len(),
        };
        let offset = text.offset(row.line, row.column)? + name;
        let behind = text.text.get(offset..)?;
        let (arguments, _) = bracketed(behind).filter(|_| behind.starts_with('('))?;
        Some(arguments.to_owned())
    }

    fn argument_values(
        self,
        arguments: Arguments<'_>,
        parameter: &FunctionParameter<'_>,
        name: &str,
    ) -> Vec<FlowValue> {
        match arguments {
            Arguments::Text(text, here) => argument(text, parameter.place, name)
                .map_or(vec![], |value| self.evaluate(here, value)),
            Arguments::Only(value) if parameter.place == Some(0) => value.to_vec(),
            Arguments::Only(_) => vec![],
        }
    }

    /// Returns the result of calling a value.
    pub(super) fn call(self, value: &FlowValue, arguments: Arguments<'_>) -> Vec<FlowValue> {
        match value {
            FlowValue::Function(at) => self.results(*at, Some(arguments)),
            FlowValue::Type(at) => vec![FlowValue::Instance(*at)],
            FlowValue::Instance(at) => {
                let run = self.call_methods(*at);
                union(run.iter().map(|at| self.results(*at, Some(arguments))))
            }
            FlowValue::Supertypes(at) => vec![FlowValue::Supertypes(*at)],
            FlowValue::Module(_) | FlowValue::Literal(..) | FlowValue::Generator(_) => vec![],
        }
    }

    /// Returns the methods that a call of an object of this type runs.
    pub(super) fn call_methods(self, of: SymbolId) -> Vec<SymbolId> {
        let method = self
            .rules(of.file)
            .and_then(|rules| rules.family.call_method());
        method.map_or(vec![], |name| self.members().find(of, name))
    }

    /// Returns the results of a function. Parameters that it returns are replaced by their arguments, where those are known.
    pub(super) fn results(self, of: SymbolId, arguments: Option<Arguments<'_>>) -> Vec<FlowValue> {
        let returned = self.returned(of);
        if returned.iter().any(|one| one.is_yielded) {
            return vec![FlowValue::Generator(of)];
        }
        let found = union(returned.iter().map(|one| {
            let passed = self.parameter(of, &one.text).zip(arguments);
            let passed =
                passed.map(|(parameter, given)| self.argument_values(given, &parameter, &one.text));
            passed
                .filter(|values| !values.is_empty())
                .unwrap_or_else(|| self.evaluate(one.here, &one.text))
        }));
        if found.is_empty() {
            convert(&self.types().result(of))
        } else {
            found
        }
    }

    /// Returns the values that a framework passes to parameters with the name of a function: its result, or what it yields.
    fn provided_values(self, provider: SymbolId) -> Vec<FlowValue> {
        let results = self.results(provider, None);
        union(results.into_iter().map(|value| match value {
            FlowValue::Generator(of) => self.yielded_values(of),
            value => vec![value],
        }))
    }

    /// Returns the values that a generator yields.
    pub(super) fn yielded_values(self, of: SymbolId) -> Vec<FlowValue> {
        let returned = self.returned(of);
        let yielded = returned.iter().filter(|one| one.is_yielded);
        union(yielded.map(|one| self.evaluate(one.here, &one.text)))
    }

    /// Returns the expressions that a function returns or yields, except those of inner functions and of closures among
    /// arguments: `each(function () { return 1; })`.
    fn returned(self, of: SymbolId) -> Rc<[ReturnedValue]> {
        self.flow_memo
            .returned
            .get(of, || self.find_returned(of).into())
    }

    fn find_returned(self, of: SymbolId) -> Vec<ReturnedValue> {
        let symbol = self.symbol(of);
        let Some(text) = self.source_text(of.file) else {
            return vec![];
        };
        let symbols = &self.file(of.file).outline.symbols;
        let inner = symbols[of.symbol as usize + 1..]
            .iter()
            .take_while(|one| one.start_byte < symbol.end_byte)
            .filter(|one| one.kind.is_callable());
        let is_inner = |line: u32| {
            let mut inner = inner.clone();
            inner.any(|one| (one.start_line..=one.end_line).contains(&line))
        };
        let start = symbol.start_byte as usize;
        let code = text.text.get(start..symbol.end_byte as usize);
        let arguments = parenthesised(code.unwrap_or_default(), self.comments(of.file));
        let words = [(vocabulary::RETURN, false), (vocabulary::YIELD, true)];
        let lines = symbol.name_line..=symbol.end_line;
        let mut found = vec![];
        for line in lines.filter(|line| !is_inner(*line)) {
            let whole = text.line(line);
            let code = whole.trim_start();
            let Some((rest, is_yielded)) = words.iter().find_map(|(word, is_yielded)| {
                let rest = code.strip_prefix(*word)?;
                rest.starts_with([' ', '(']).then_some((rest, *is_yielded))
            }) else {
                continue;
            };
            let column = u32::try_from(whole.len() - rest.len()).unwrap_or(u32::MAX);
            let Some(from) = text.offset(line, column) else {
                continue;
            };
            // The value may begin with a bracket of its own: `return(x)`.
            let at = from.saturating_sub(start);
            let is_argument = |range: &Range<usize>| range.start < at && at < range.end;
            if !is_yielded && arguments.iter().any(is_argument) {
                continue;
            }
            let rest = &text.text[from..];
            let length = statement_length(rest, self.comments(of.file));
            found.push(ReturnedValue {
                text: rest[..length].trim().to_owned(),
                here: Position {
                    file: of.file,
                    symbol: Some(of.symbol),
                    line,
                    column,
                },
                is_yielded,
            });
        }
        found
    }

    /// Returns the value that the decorator at a position is applied to; none if there is no decorator.
    fn decorated_at(self, here: Position) -> Option<Vec<FlowValue>> {
        let around = self.enclosing(here.file, here.symbol);
        let is_above = |at: &SymbolId| {
            let symbol = self.symbol(*at);
            symbol.kind.is_callable() && (symbol.start_line..symbol.name_line).contains(&here.line)
        };
        let function = around.into_iter().find(is_above)?;
        // A call among the arguments of a decorator is not the decorator itself.
        let text = self.source_text(here.file)?;
        let before = text.line(here.line).get(..here.column as usize)?;
        if before.contains('(') {
            return None;
        }
        Some(self.decorated(function, here.line))
    }

    /// Returns the value of a function to which the decorators below a line have been applied: all of them for line 0.
    pub(super) fn decorated(self, function: SymbolId, line: u32) -> Vec<FlowValue> {
        self.flow_memo
            .decorated
            .get((function, line), || self.find_decorated(function, line))
    }

    fn find_decorated(self, function: SymbolId, line: u32) -> Vec<FlowValue> {
        let symbol = self.symbol(function);
        let mut value = vec![FlowValue::Function(function)];
        let Some(text) = self.source_text(function.file) else {
            return value;
        };
        for line in (symbol.start_line.max(line + 1)..symbol.name_line).rev() {
            let Some(decorator) = text.line(line).trim_start().strip_prefix('@') else {
                continue;
            };
            let here = Position {
                file: function.file,
                symbol: symbol.parent,
                line,
                column: 0,
            };
            let below = Arguments::Only(&value);
            let by = self.evaluate(here, decorator);
            let by = by
                .iter()
                .filter(|one| matches!(one, FlowValue::Function(_)));
            let above = union(by.map(|one| self.call(one, below)));
            if !above.is_empty() {
                value = above;
            }
        }
        value
    }
}
