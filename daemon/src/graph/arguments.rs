//! Overload resolution by the number of arguments, and then by their types.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;

use super::argument_types::ArgumentMatch;
use super::entity::from_name;
use super::flow::SourceText;
use super::resolve::Targets;
use super::{Outcome, Position, Resolver, SymbolId};
use crate::extract::declaration::{Parameter, Parameters};
use crate::extract::type_expr::{is_word, skip_generics, split};
use crate::lang::families::Feature;

const BY_NUMBER: &str = "by the number of arguments";
const ONLY_WITH_NUMBER: &str = "the only member with that name and number of arguments";

impl Resolver<'_, '_> {
    /// Keeps the functions that accept as many arguments as the call at `here` has, in a language where others with the name are
    /// other functions.
    pub(super) fn filter_functions_by_arity(
        self,
        here: Position,
        name: &str,
        targets: Targets,
    ) -> Outcome {
        let Some(count) = self.count_arguments(here, name) else {
            return Outcome::Targets(targets);
        };
        let all = targets.symbols.iter().copied();
        let symbols: Vec<SymbolId> = all
            .filter(|at| self.entities().accepts_arguments(*at, count))
            .collect();
        match &symbols[..] {
            [] => Outcome::Unknown,
            all if all.len() == targets.symbols.len() => Outcome::Targets(targets),
            [_] => Outcome::Targets(Targets {
                symbols: symbols.into(),
                resolution: if targets.by_name {
                    Resolution::NameOnly
                } else {
                    Resolution::Resolved
                },
                reason: if targets.by_name {
                    ONLY_WITH_NUMBER
                } else {
                    BY_NUMBER
                },
                ..targets
            }),
            _ => Outcome::Targets(Targets {
                symbols: symbols.into(),
                ..targets
            }),
        }
    }

    /// Returns the number of arguments of the call of a name at a position, if it is certain.
    fn count_arguments(self, here: Position, name: &str) -> Option<usize> {
        let family = self.rules(here.file)?.family;
        let text = self.flows().source_text(here.file)?;
        let at = text.offset(here.line, here.column)?;
        let (before, rest) = text.text.split_at(at);
        if let Some(after) = rest.strip_prefix(name) {
            return family.count_arguments(before, after);
        }
        // A function that passes its arguments on may not name what it calls: `defdelegate size(list), to: Store`.
        let symbol = here.symbol?;
        let around = self.symbol(SymbolId {
            file: here.file,
            symbol,
        });
        let accepted = family.accepted_arguments(from_name(around))?;
        (around.kind.is_callable() && accepted.start() == accepted.end()).then_some(*accepted.end())
    }

    /// Keeps the overloads that accept the arguments of the call at `here`.
    pub(super) fn filter_by_arguments(
        self,
        here: Position,
        name: &str,
        targets: Targets,
    ) -> Targets {
        let owner = |at: &SymbolId| (self.members().owner(*at), self.symbol(*at).parent.is_none());
        let together = targets.symbols.iter().all(|at| {
            owner(at) == owner(&targets.symbols[0]) && self.symbol(*at).kind.is_callable()
        });
        if together {
            self.filter_overloads(here, name, targets)
        } else {
            targets
        }
    }

    /// Keeps the types with as many type parameters as the use at `here` has generic arguments, where types with one name differ
    /// in that number: `Store` and `Store<T>`.
    pub(super) fn filter_types_by_arity(
        self,
        here: Position,
        name: &str,
        targets: Targets,
    ) -> Targets {
        let is_type = |at: &SymbolId| self.symbol(*at).kind.is_type();
        let by_arity = self
            .rules(here.file)
            .is_some_and(|rules| rules.has(Feature::TypesByArity));
        if !by_arity || !targets.symbols.iter().all(is_type) {
            return targets;
        }
        let Some(count) = self.generic_arguments_at(here, name) else {
            return targets;
        };
        let fits = |at: &SymbolId| self.symbol(*at).type_parameters().count() == count;
        let fitting: Vec<SymbolId> = targets.symbols.iter().copied().filter(fits).collect();
        match fitting[..] {
            [] => targets,
            [_] => Targets {
                symbols: fitting.into(),
                resolution: Resolution::Resolved,
                ..targets
            },
            _ => Targets {
                symbols: fitting.into(),
                ..targets
            },
        }
    }

    /// Returns the number of generic arguments after a name: 2 in `Map<K, V>`, 1 in `Store<>`.
    pub(super) fn generic_arguments_at(self, here: Position, name: &str) -> Option<usize> {
        let text = self.flows().source_text(here.file)?;
        let from = text.offset(here.line, here.column)?;
        let rest = text.text.get(from..)?.strip_prefix(name)?;
        let length = if rest.starts_with('<') {
            skip_generics(rest)
        } else {
            0
        };
        let inside = rest.get(1..length.saturating_sub(1));
        Some(inside.map_or(0, |inside| match split(inside).len() {
            0 => inside.matches(',').count() + 1,
            count => count,
        }))
    }

    /// Keeps the overloads that accept the arguments of the call at `here`. A type stands for the constructor in its header:
    /// `class Store(val path: String)`.
    pub(super) fn filter_overloads(self, here: Position, name: &str, targets: Targets) -> Targets {
        let Some(rules) = self.rules(here.file).filter(|rules| rules.overloads) else {
            return targets;
        };
        let text = self.flows().source_text(here.file);
        let is_word =
            rules.self_constructors.contains(&name) || rules.super_constructors.contains(&name);
        let braces = if rules.has(Feature::TrailingClosures) && !is_word {
            Braces::Closure
        } else {
            Braces::Body
        };
        let Some(arguments) = text
            .as_deref()
            .and_then(|text| arguments_at(text, here, name, braces))
        else {
            return targets;
        };
        let labels = rules.has(Feature::ArgumentLabels);
        let accepts = |at: &SymbolId| {
            (self.symbol(*at).parameters()).is_none_or(|all| {
                if labels {
                    accepts_labels(all, &arguments)
                } else {
                    all.accept(arguments.len())
                }
            })
        };
        let fitting: Vec<SymbolId> = targets.symbols.iter().copied().filter(accepts).collect();
        if fitting.is_empty() {
            return targets;
        }
        // One that fits is not examined further.
        let shapes = if fitting.len() > 1 {
            self.argument_shapes(here, &arguments, rules)
        } else {
            vec![]
        };
        let fit = |at: SymbolId| (at, self.fit(at, &shapes, rules));
        let mut fits: Vec<(SymbolId, ArgumentMatch)> = fitting.into_iter().map(fit).collect();
        if fits
            .iter()
            .any(|(_, fit)| *fit != ArgumentMatch::Impossible)
        {
            fits.retain(|(_, fit)| *fit != ArgumentMatch::Impossible);
        } else {
            for (_, fit) in &mut fits {
                *fit = ArgumentMatch::Possible;
            }
        }
        let by_number = fits.iter().all(|(_, fit)| *fit == ArgumentMatch::Possible);
        let is_exact = |(at, _): &(SymbolId, ArgumentMatch)| {
            (self.symbol(*at).parameters())
                .is_some_and(|all| all.count() == arguments.len() && !all.has_rest())
        };
        // An overload with exactly this number of parameters precedes those with optional or variadic ones, unless its types may
        // not accept the arguments.
        let (mut exact, mut others): (Vec<_>, Vec<_>) = fits.into_iter().partition(is_exact);
        others.retain(|(other, _)| {
            let mut exact = exact.iter();
            !exact.any(|(at, _)| self.precedes(*at, *other, &shapes, rules))
        });
        let is_alone = exact.len() + others.len() == 1;
        let best = keep_best(&mut exact);
        let (kept, fit) = match best {
            None => {
                let fit = keep_best(&mut others);
                (others, fit)
            }
            Some(ArgumentMatch::Possible) => {
                exact.append(&mut others);
                (exact, best)
            }
            Some(_) => (exact, best),
        };
        let symbols: Rc<[SymbolId]> = kept.into_iter().map(|(at, _)| at).collect();
        match &symbols[..] {
            // The candidates were found by name alone. The number of arguments does not make that more certain.
            [_] if targets.by_name => Targets {
                symbols,
                resolution: Resolution::NameOnly,
                reason: ONLY_WITH_NUMBER,
                ..targets
            },
            [_] => Targets {
                symbols,
                resolution: if !is_alone && fit == Some(ArgumentMatch::SimilarName) {
                    Resolution::Likely
                } else {
                    Resolution::Resolved
                },
                reason: if labels {
                    "by the labels of the arguments"
                } else if by_number {
                    BY_NUMBER
                } else {
                    "by the types of the arguments"
                },
                ..targets
            },
            _ => Targets { symbols, ..targets },
        }
    }
}

/// Keeps the overloads with the best match, and returns its quality.
fn keep_best(all: &mut Vec<(SymbolId, ArgumentMatch)>) -> Option<ArgumentMatch> {
    let best = all.iter().map(|(_, fit)| *fit).max();
    all.retain(|(_, fit)| Some(*fit) == best);
    best
}

/// Returns whether arguments have the labels of these parameters, in their order.
fn accepts_labels(parameters: Parameters<'_>, arguments: &[&str]) -> bool {
    let mut rest = parameters.iter();
    let mut is_in_rest = false;
    for argument in arguments {
        let label = argument_label(argument);
        if is_in_rest && label.is_none() {
            continue;
        }
        loop {
            let Some(parameter) = rest.next() else {
                return false;
            };
            if parameter_label(parameter) == label {
                is_in_rest = parameter.is_rest();
                break;
            }
            if parameter.is_required() {
                return false;
            }
        }
    }
    !rest.any(Parameter::is_required)
}

/// Returns the label before an argument: `path` of `path: "a"`.
fn argument_label(argument: &str) -> Option<&str> {
    let end = argument.find(|sign| !is_word(sign))?;
    (end > 0 && argument[end..].trim_start().starts_with(':')).then_some(&argument[..end])
}

/// Returns the label of a parameter, its first word: `for` of `for name: String`, none of `_ name: String`.
fn parameter_label(parameter: Parameter<'_>) -> Option<&str> {
    let mut words = parameter.text().split(|sign| !is_word(sign));
    words
        .find(|word| !word.is_empty())
        .filter(|word| *word != "_")
}

/// The meaning of a brace after the parentheses of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// It may open a closure that is one more argument, or an unrelated body: `if f(a) { … }`.
    Closure,
    Body,
}

/// Returns the arguments of the call at a position.
fn arguments_at<'a>(
    text: &'a SourceText,
    here: Position,
    name: &str,
    braces: Braces,
) -> Option<Vec<&'a str>> {
    let from = text.offset(here.line, here.column)? + name.len();
    let rest = text.text.get(from..)?.trim_start();
    let rest = if rest.starts_with('<') {
        &rest[rest.find(">(")? + 1..]
    } else {
        rest
    };
    parse_arguments(rest, braces)
}

/// Returns the arguments between the parentheses at the start of a text; none if their number is not certain.
fn parse_arguments(text: &str, braces: Braces) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('(')?;
    let (mut depth, mut all, mut start, mut at) = (0_u32, vec![], 0, 0);
    loop {
        let rest = &inside[at..];
        let sign = rest.chars().next()?;
        let mut length = sign.len_utf8();
        match sign {
            ')' if depth == 0 => {
                let last = inside[start..at].trim();
                // There may be a trailing comma.
                all.extend((!last.is_empty()).then_some(last));
                let is_sure = braces == Braces::Body
                    || !inside[at + 1..].trim_start_matches(' ').starts_with('{');
                return is_sure.then_some(all);
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                all.push(inside[start..at].trim());
                start = at + 1;
            }
            '"' | '\'' | '`' => length = quoted(rest, sign)?,
            // `.<Type>of(…)`.
            '.' if rest[1..].starts_with('<') => length += skip_generics(&rest[1..]),
            sign if is_word(sign) => {
                length = rest.find(|sign| !is_word(sign))?;
                length += generic_arguments_length(&rest[length..]);
            }
            _ => {}
        }
        at += length;
    }
}

/// Returns the length of the string literal at the start, with its quotes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            sign if sign == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of the generic arguments at the start, with their brackets; 0 if `<` is a comparison.
fn generic_arguments_length(text: &str) -> usize {
    let length = if text.starts_with('<') {
        skip_generics(text)
    } else {
        0
    };
    let is_types = text[..length]
        .chars()
        .all(|sign| is_word(sign) || "<>,.:?&*[] ".contains(sign));
    let is_applied = text[length..]
        .chars()
        .next()
        .is_none_or(|sign| "(){}[].,:;>".contains(sign));
    if is_types && is_applied { length } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{Braces, parse_arguments};

    #[test]
    fn arguments_are_told_from_what_is_in_them() {
        for (text, count) in [
            ("() + f(a)", 0),
            ("(  )", 0),
            ("(a)", 1),
            ("(a, b,)", 2),
            ("(startMillis <= endMillis, \"from, to\")", 2),
            ("(a < b, c > d)", 2),
            ("(a<b, c)", 2),
            ("(new Map<String, List<Integer>>(), x)", 2),
            ("(map.<A, B>of(k, v), [1, 2], { p, q -> p })", 3),
            ("(',', \"\\\"(\", ')')", 3),
        ] {
            assert_eq!(
                parse_arguments(text, Braces::Closure).map(|all| all.len()),
                Some(count),
                "{text}"
            );
        }
        assert_eq!(
            (
                parse_arguments("x", Braces::Body),
                parse_arguments("(a, \"b)", Braces::Body),
                parse_arguments("(a", Braces::Body),
                parse_arguments("(a) { it }", Braces::Closure),
                parse_arguments("(a) { body(); }", Braces::Body)
            ),
            (None, None, None, None, Some(vec!["a"]))
        );
    }
}
