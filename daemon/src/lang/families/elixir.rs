//! Elixir: modules whose names are whole paths, functions that are told apart by the number of their parameters and have several
//! clauses, and code that macros write into other modules.

use std::ops::RangeInclusive;

use super::{FamilyRules, Feature};

pub struct Elixir;

/// The sign before the default value of a parameter: `options \\ []`.
const DEFAULT: &str = "\\\\";
/// Passes a value on as the first argument: `path |> open(mode)`.
const PIPE: &str = "|>";

impl FamilyRules for Elixir {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::ModulesNamedByPath,
            Feature::FunctionsByArity,
            Feature::QuotedDefinitions,
        ]
    }

    fn are_clauses(&self, first: &str, second: &str) -> bool {
        let count = |definition| Some(*self.accepted_arguments(definition)?.end());
        let counts = count(first).zip(count(second));
        counts.is_none_or(|(first, second)| first == second)
    }

    fn accepted_arguments(&self, definition: &str) -> Option<RangeInclusive<usize>> {
        let rest = definition.trim_start_matches(is_name);
        if !rest.starts_with('(') {
            return Some(0..=0);
        }
        let (all, _) = bracketed(rest)?;
        let has_default = |one: &&&str| one.contains(DEFAULT);
        Some(all.len() - all.iter().filter(has_default).count()..=all.len())
    }

    fn count_arguments(&self, before: &str, after: &str) -> Option<usize> {
        let before = before.trim_end_matches(|sign| is_name(sign) || ".:@".contains(sign));
        // `&put/2`, and `put: 2` in the list of an import.
        let number = after.strip_prefix('/').filter(|_| before.ends_with('&'));
        if let Some(number) = number.or(after.strip_prefix(": ")) {
            let end = number.find(|sign: char| !sign.is_ascii_digit());
            return number[..end.unwrap_or(number.len())].parse().ok();
        }
        let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
        let (all, rest) = if after.starts_with('(') {
            let (all, rest) = bracketed(after)?;
            (all.len(), rest)
        } else {
            // Arguments without parentheses are not counted.
            let rest = after.trim_start_matches(' ');
            let is_end = rest.is_empty() || rest.starts_with(['\n', '\r', ')', ']', '}', ',', '|']);
            (is_end.then_some(0)?, rest)
        };
        // A block is an argument of the first call in the line: `if valid?(a) do`.
        let has_block = rest.trim_start_matches(' ').starts_with("do\n")
            || rest.trim_start_matches(' ').starts_with("do\r\n");
        let is_first = line.is_empty() || line.ends_with(['=', '>']);
        let is_piped = before.trim_end().ends_with(PIPE);
        Some(all + usize::from(is_piped) + usize::from(has_block && is_first))
    }

    fn using_macro(&self) -> Option<&'static str> {
        Some("__using__")
    }

    fn calls_by_name(&self, name: &str) -> bool {
        name.starts_with("__") && name.ends_with("__") && Some(name) != self.using_macro()
    }

    fn is_registered_by(&self, attribute: &str) -> bool {
        // Other attributes describe a function, or are constants: `@doc`, `@spec`, `@limit 10`.
        matches!(attribute, "decorate" | "impl")
    }
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || "_?!".contains(sign)
}

/// Returns the parts between the brackets at the start of a text, and the text after them; none if they do not end.
fn bracketed(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut at = text.chars().next()?.len_utf8();
    let (mut depth, mut parts, mut start) = (0_u32, vec![], at);
    loop {
        let rest = &text[at..];
        let sign = rest.chars().next()?;
        let mut length = sign.len_utf8();
        let before = text[..at].chars().next_back();
        match sign {
            ')' | ']' | '}' if depth == 0 => {
                let last = text[start..at].trim();
                parts.extend((!last.is_empty()).then_some(last));
                return Some((parts, &text[at + 1..]));
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '<' | '>' if rest.starts_with("<<<") || rest.starts_with(">>>") => length = 3,
            '<' if rest.starts_with("<<") => (depth, length) = (depth + 1, 2),
            '>' if rest.starts_with(">>") => (depth, length) = (depth.checked_sub(1)?, 2),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            '"' | '\'' => length = quoted(rest)?,
            '~' if rest[1..].starts_with(char::is_alphabetic) => length = sigil(rest)?,
            '#' => length = rest.find('\n')?,
            // A character: `?(`.
            '?' => length += rest[1..].chars().next()?.len_utf8(),
            sign if is_name(sign) => {
                length = rest.find(|sign| !is_name(sign))?;
                let is_key = rest[length..].starts_with(':') && !rest[length..].starts_with("::");
                match &rest[..length] {
                    _ if is_key || matches!(before, Some(':' | '.')) => {}
                    "fn" | "do" => depth += 1,
                    "end" => depth = depth.checked_sub(1)?,
                    _ => {}
                }
            }
            _ => {}
        }
        at += length;
    }
}

/// Returns the length of the string at the start, with its quotes: `"a#{b}"`, `"""`.
fn quoted(text: &str) -> Option<usize> {
    let quote = if text.starts_with(r#"""""#) || text.starts_with("'''") {
        &text[..3]
    } else {
        &text[..1]
    };
    let mut at = quote.len();
    loop {
        let rest = &text[at..];
        if rest.starts_with(quote) {
            return Some(at + quote.len());
        }
        at += match rest.chars().next()? {
            '\\' => 1 + rest[1..].chars().next()?.len_utf8(),
            '#' if rest.starts_with("#{") => rest.len() - bracketed(&rest[1..])?.1.len(),
            sign => sign.len_utf8(),
        };
    }
}

/// Returns the length of the sigil at the start: `~r/(a)/`.
fn sigil(text: &str) -> Option<usize> {
    let at = 1 + text[1..].find(|sign: char| !sign.is_alphanumeric())?;
    let close = match text[at..].chars().next()? {
        '"' | '\'' => return Some(at + quoted(&text[at..])?),
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        sign => sign,
    };
    let mut signs = text[at + 1..].char_indices();
    loop {
        match signs.next()? {
            (_, '\\') => drop(signs.next()?),
            (place, sign) if sign == close => return Some(at + 1 + place + sign.len_utf8()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_accepts_as_many_arguments_as_it_has_parameters() {
        for (definition, expected) in [
            ("now do", Some(0..=0)),
            ("now() do", Some(0..=0)),
            ("valid?(a), do: true", Some(1..=1)),
            ("put(store, %{key: a, value: b}) when a > 1 do", Some(2..=2)),
            ("size([]), do: 0", Some(1..=1)),
            ("read(<<a, b>>, \", (\", ?,), do: a", Some(3..=3)),
            ("get(map, key, default \\\\ nil)", Some(2..=3)),
            ("get(map, ke…", None),
        ] {
            let found = Elixir.accepted_arguments(definition);
            assert_eq!(found, expected, "{definition}");
        }
        assert!(Elixir.are_clauses("get(a, b \\\\ 1)", "get([], b), do: b"));
        assert!(!Elixir.are_clauses("get(a)", "get(a, b)"));
    }

    #[test]
    fn arguments_are_counted_with_what_a_pipe_passes_on() {
        for (before, after, expected) in [
            ("Store.", "(a, b)", Some(2)),
            ("", "(\"a, #{f(\"b, c\")} (\", 'x,', ~r/[(,]/)", Some(3)),
            ("", "(fn a, b -> {a, b} end, end: 1)", Some(2)),
            ("a\n    |> Store.", "(b)", Some(2)),
            ("a |> ", "\n", Some(1)),
            ("  Store.", "\n", Some(0)),
            ("&Store.", "/2)", Some(2)),
            ("import A, only: [", ": 2]", Some(2)),
            ("  ", "(a) do\n", Some(2)),
            ("  if ", "(a) do\n", Some(1)),
            ("  ", " a, b", None),
            ("", "(a, b", None),
        ] {
            let found = Elixir.count_arguments(before, after);
            assert_eq!(found, expected, "{before} {after}");
        }
    }
}
