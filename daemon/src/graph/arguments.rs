//! Overload resolution by the number of arguments, and then by their types.

use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;

use super::argument_types::Fit;
use super::entity::from_name;
use super::flow::SourceText;
use super::resolve::Targets;
use super::{Outcome, Position, Resolver, SymbolId};
use crate::extract::type_expr::{is_word, skip_generics};

const BY_NUMBER: &str = "by the number of arguments";
const ONLY_WITH_NUMBER: &str = "the only member with that name and number of arguments";

impl Resolver<'_, '_> {
    /// Keeps the functions that accept as many arguments as the call at `here` has, in a language where others with the name are
    /// other functions.
    pub(super) fn filter_by_arity(self, here: Position, name: &str, targets: Targets) -> Outcome {
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

    /// Keeps the overloads that accept as many arguments as the call at `here` has.
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
        let is_overloaded = self.rules(here.file).is_some_and(|rules| rules.overloads);
        let text = (together && is_overloaded).then(|| self.flows().source_text(here.file));
        let text = text.flatten();
        let Some(arguments) = text
            .as_deref()
            .and_then(|text| arguments_at(text, here, name))
        else {
            return targets;
        };
        let count = arguments.len();
        let fitting: Vec<SymbolId> = targets
            .symbols
            .iter()
            .copied()
            .filter(|at| (self.symbol(*at).parameters()).is_none_or(|all| all.accept(count)))
            .collect();
        // An overload with exactly this number of parameters precedes those with optional or variadic ones.
        let is_exact = |at: &SymbolId| {
            (self.symbol(*at).parameters())
                .is_some_and(|all| all.count() == count && !all.has_rest())
        };
        let exact: Vec<SymbolId> = fitting.iter().copied().filter(is_exact).collect();
        let symbols = match (&exact[..], &fitting[..]) {
            ([], []) => return targets,
            ([], _) => fitting,
            _ => exact,
        };
        let by_number = symbols.len();
        let (symbols, fit) = self.filter_by_types(here, &arguments, symbols);
        let symbols: Rc<[SymbolId]> = symbols.into();
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
                resolution: if by_number > 1 && fit == Fit::SimilarName {
                    Resolution::Likely
                } else {
                    Resolution::Resolved
                },
                reason: if by_number == 1 {
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

/// Returns the arguments of the call at a position.
fn arguments_at<'a>(text: &'a SourceText, here: Position, name: &str) -> Option<Vec<&'a str>> {
    let from = text.offset(here.line, here.column)? + name.len();
    let rest = text.text.get(from..)?.trim_start();
    let rest = if rest.starts_with('<') {
        &rest[rest.find(">(")? + 1..]
    } else {
        rest
    };
    parse_arguments(rest)
}

/// Returns the arguments between the parentheses at the start of a text; none if their number is not certain.
fn parse_arguments(text: &str) -> Option<Vec<&str>> {
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
                // A brace after the parentheses may open a closure that is one more argument, or an unrelated body:
                // `if f(a) { … }`.
                let is_sure = !inside[at + 1..].trim_start_matches(' ').starts_with('{');
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
    use super::parse_arguments;

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
                parse_arguments(text).map(|all| all.len()),
                Some(count),
                "{text}"
            );
        }
        assert_eq!(
            (
                parse_arguments("x"),
                parse_arguments("(a, \"b)"),
                parse_arguments("(a"),
                parse_arguments("(a) { it }")
            ),
            (None, None, None, None)
        );
    }
}
