//! Statements as text: what they assign to a name, the items of lists and maps, and the arguments of calls.
//!
//! Only brackets, strings and commas are interpreted, so that nothing here depends on a language.

use std::ops::Range;

use crate::extract::type_expr::is_word;
use crate::lang::vocabulary;

/// The most steps to a part of a pattern, which bounds the recursion.
const MAX_STEPS: usize = 32;

/// A step from a value to the part of it that a pattern binds to a name: to `b` in `a, (b, *c) = …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternStep {
    /// The item at a position, from 0.
    Item(usize),
    /// The item at a position from the end, after a rest pattern: `c` in `a, *b, c`.
    ItemFromEnd(usize),
    /// All items except this many at the start and this many at the end: `*b`.
    Rest(usize, usize),
    /// An item of an iteration: `for item in items`.
    Iteration,
}

/// The expression that a statement assigns, and the steps to the part of its value that a name is bound to.
#[derive(Debug, PartialEq, Eq)]
pub struct Assignment<'t> {
    pub value: &'t str,
    pub steps: Vec<PatternStep>,
}

/// An item of a list, or an entry of a map.
#[derive(Debug, PartialEq, Eq)]
pub struct Item<'t> {
    pub key: Option<&'t str>,
    pub value: &'t str,
}

/// The characters of a text outside strings and comments, each with the number of brackets that are open before it.
struct Signs<'t, 'c> {
    text: &'t str,
    at: usize,
    depth: i32,
    comments: &'c [&'static str],
    /// False if a quotation mark without a second one on its line does not open a string: the `"` in `/"/`.
    spans_lines: bool,
}

impl Iterator for Signs<'_, '_> {
    type Item = (usize, char, i32);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let sign = rest.chars().next()?;
            if self.comments.iter().any(|open| rest.starts_with(open)) {
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            let (at, depth) = (self.at, self.depth);
            self.at += match sign {
                '"' | '\'' | '`' => string_length(rest, sign)
                    .filter(|length| self.spans_lines || !rest[..*length].contains('\n'))
                    .unwrap_or(1),
                sign => sign.len_utf8(),
            };
            self.depth += match sign {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
            return Some((at, sign, depth));
        }
    }
}

fn signs<'t, 'c>(text: &'t str, comments: &'c [&'static str]) -> Signs<'t, 'c> {
    Signs {
        text,
        at: 0,
        depth: 0,
        comments,
        spans_lines: true,
    }
}

/// Returns the length of the string at the start of a text. An apostrophe without a second one on its line does not open a
/// string: `'a` in Rust.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if quote == '\'' => return None,
            sign if sign == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of the statement at the start of a text: up to the end of its line, or of the bracket that it is in.
pub fn statement_length(text: &str, comments: &[&'static str]) -> usize {
    let ends = |(at, sign, depth): &(usize, char, i32)| match sign {
        '\n' => *depth <= 0 && !text[..*at].ends_with('\\'),
        ';' | ')' | ']' | '}' => *depth <= 0,
        _ => false,
    };
    signs(text, comments)
        .find(ends)
        .map_or(text.len(), |(at, ..)| at)
}

/// Returns the text between the bracket at the start of a text and the one that closes it, and the text after that.
pub fn bracketed(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(['(', '[', '{']) {
        return None;
    }
    let closes = |(_, sign, depth): &(usize, char, i32)| *depth == 1 && ")]}".contains(*sign);
    let (end, ..) = signs(text, &[]).find(closes)?;
    Some((&text[1..end], &text[end + 1..]))
}

/// Returns the ranges in parentheses. One that is not closed within its block is ignored.
pub fn parenthesised(text: &str, comments: &[&'static str]) -> Vec<Range<usize>> {
    let mut open = vec![];
    let mut found = vec![];
    let signs = Signs {
        spans_lines: false,
        ..signs(text, comments)
    };
    for (at, sign, _) in signs {
        match sign {
            '(' | '{' => open.push((at, sign)),
            ')' => {
                if let Some((from, '(')) = open.last().copied() {
                    open.pop();
                    found.push(from..at);
                }
            }
            '}' => while open.pop().is_some_and(|(_, sign)| sign != '{') {},
            _ => {}
        }
    }
    found
}

/// Splits a text at a sign outside brackets and strings, without empty parts.
pub fn split_at(text: &str, separator: char) -> Vec<&str> {
    let mut parts = vec![];
    let mut from = 0;
    for (at, sign, depth) in signs(text, &[]) {
        if sign == separator && depth == 0 {
            parts.push(&text[from..at]);
            from = at + sign.len_utf8();
        }
    }
    parts.push(&text[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns whether a text is several expressions: `a, b`.
pub fn is_tuple(text: &str) -> bool {
    signs(text, &[]).any(|(_, sign, depth)| sign == ',' && depth == 0)
}

/// Splits a statement at its assignment signs: `a`, `b` and `open()` of `a = b = open()`.
fn split_assignment(statement: &str) -> Vec<&str> {
    let mut parts = vec![];
    let mut from = 0;
    for (at, sign, depth) in signs(statement, &[]) {
        let (before, after) = (&statement[from..at], &statement[at + sign.len_utf8()..]);
        let is_operator = before.ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|'])
            || after.starts_with(['=', '>', '~']);
        if sign == '=' && depth == 0 && !is_operator {
            parts.push(before);
            from = at + 1;
        }
    }
    parts.push(&statement[from..]);
    parts
}

/// Returns the value that a statement assigns to the name at an offset in it.
pub fn assignment(statement: &str, offset: usize) -> Option<Assignment<'_>> {
    if !statement.is_char_boundary(offset) {
        return None;
    }
    let parts = split_assignment(statement);
    let (value, targets) = parts.split_last()?;
    let start = |part: &str| part.as_ptr().addr() - statement.as_ptr().addr();
    let contains = |part: &&&str| (start(part)..start(part) + part.len()).contains(&offset);
    if let Some(target) = targets.iter().find(contains) {
        let mut steps = vec![];
        add_steps(target, offset - start(target), &mut steps)?;
        let value = value.trim();
        return Some(Assignment { value, steps });
    }
    iteration(statement, offset)
}

/// Returns the value of a name that an iteration binds: `for item in items:`.
fn iteration(statement: &str, offset: usize) -> Option<Assignment<'_>> {
    let behind = statement[offset..].trim_start_matches(is_word);
    let value = vocabulary::ITERATION_WORDS
        .iter()
        .find_map(|word| behind.strip_prefix(word))?;
    let ends = |(at, sign, depth): &(usize, char, i32)| {
        let is_sign = matches!(sign, ':' | '{' | '\n' | ';') && *depth == 0;
        let is_end = vocabulary::ITERATION_ENDS
            .iter()
            .any(|word| *depth == 0 && value[*at..].starts_with(word));
        is_sign || is_end || *depth == 0 && ")]}".contains(*sign)
    };
    let end = signs(value, &[]).find(ends);
    Some(Assignment {
        value: value[..end.map_or(value.len(), |(at, ..)| at)].trim(),
        steps: vec![PatternStep::Iteration],
    })
}

/// Adds the steps to the part of a pattern at an offset; returns none for a pattern that names fields: `const { a } = store`.
fn add_steps(mut pattern: &str, mut offset: usize, steps: &mut Vec<PatternStep>) -> Option<()> {
    if steps.len() > MAX_STEPS {
        return None;
    }
    // A colon precedes a type (`name: Type`), or ends the head of the statement around this one (`if ready: name`).
    let is_colon = |(_, sign, depth): &(usize, char, i32)| *sign == ':' && *depth == 0;
    while let Some((at, ..)) = signs(pattern, &[]).find(is_colon) {
        if offset > at {
            (pattern, offset) = (&pattern[at + 1..], offset - at - 1);
        } else {
            pattern = &pattern[..at];
        }
    }
    let mut trimmed = pattern.trim_start();
    while let Some((word, rest)) = trimmed.split_once(' ')
        && vocabulary::MODIFIERS.contains(&word)
    {
        trimmed = rest.trim_start();
    }
    let indent = pattern.len() - trimmed.len();
    let is_inside = |inner: &str| (indent + 1..=indent + 1 + inner.len()).contains(&offset);
    if let Some((inner, _)) = bracketed(trimmed).filter(|(inner, _)| is_inside(inner)) {
        if trimmed.starts_with('{') {
            return None;
        }
        return add_item_steps(inner, offset - indent - 1, steps);
    }
    if is_tuple(pattern) {
        return add_item_steps(pattern, offset, steps);
    }
    Some(())
}

/// Adds the steps for a pattern of several parts: `a, *b, c`.
fn add_item_steps(patterns: &str, offset: usize, steps: &mut Vec<PatternStep>) -> Option<()> {
    let parts = split_at(patterns, ',');
    let start = |part: &str| part.as_ptr().addr() - patterns.as_ptr().addr();
    let place = parts
        .iter()
        .position(|part| (start(part)..start(part) + part.len()).contains(&offset))?;
    let after = parts.len() - place - 1;
    steps.push(if is_spread(parts[place]) {
        PatternStep::Rest(place, after)
    } else if parts[..place].iter().any(|part| is_spread(part)) {
        PatternStep::ItemFromEnd(after)
    } else {
        PatternStep::Item(place)
    });
    add_steps(parts[place], offset - start(parts[place]), steps)
}

/// Returns the items of a list, a tuple or a map: `[a, b]`, `{"key": a}`, `a, b`.
pub fn items<'t>(literal: &'t str) -> Vec<Item<'t>> {
    let inside = match bracketed(literal.trim()) {
        Some((inside, rest)) if rest.trim().is_empty() => inside,
        _ => literal,
    };
    let has_keys = literal.trim_start().starts_with('{');
    let item = |part: &'t str| {
        let colon = signs(part, &[]).find(|(_, sign, depth)| *sign == ':' && *depth == 0);
        match colon.filter(|_| has_keys) {
            Some((at, ..)) => Item {
                key: Some(part[..at].trim()),
                value: part[at + 1..].trim(),
            },
            None => Item {
                key: None,
                value: part.trim(),
            },
        }
    };
    split_at(inside, ',').into_iter().map(item).collect()
}

/// Returns the argument for a parameter: by its name (`size=1`), or by its position.
pub fn argument<'t>(arguments: &'t str, place: Option<usize>, name: &str) -> Option<&'t str> {
    let all = split_at(arguments, ',');
    let mut named = all.iter().copied().filter_map(named_argument);
    if let Some((_, value)) = named.find(|(key, _)| *key == name) {
        return Some(value);
    }
    let positional = all.iter().copied();
    let mut positional = positional
        .take_while(|text| named_argument(text).is_none() && !is_spread(text))
        .map(str::trim);
    positional.nth(place?)
}

/// Splits a named argument: `size=1`.
fn named_argument(text: &str) -> Option<(&str, &str)> {
    match split_assignment(text)[..] {
        [key, value] => Some((key.trim(), value.trim())),
        _ => None,
    }
}

/// Returns whether a part of a list is a rest pattern or a spread: `*rest`, `...rest`.
fn is_spread(part: &str) -> bool {
    part.trim_start().starts_with(['*', '.'])
}

/// Returns the key of an entry with normalized quotes: `'a'` is `"a"`, but `"1"` is not `1`.
pub fn normalized_key(key: &str) -> String {
    let key = key.trim();
    let bare = key.trim_matches(['"', '\'', '`']);
    if bare.len() < key.len() {
        format!("\"{bare}\"")
    } else {
        bare.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_its_part_of_the_value() {
        use PatternStep::{Item, ItemFromEnd, Iteration, Rest};
        for (statement, name, value, steps) in [
            ("a = b = open", "b", "open", vec![]),
            ("x: Store = open", "x", "open", vec![]),
            ("if ready: x = open", "x", "open", vec![]),
            (
                "a, (b, c) = f, (g, h)",
                "c",
                "f, (g, h)",
                vec![Item(1), Item(1)],
            ),
            ("a, *b, c = f, g, h", "b", "f, g, h", vec![Rest(1, 1)]),
            ("a, *b, c = f, g, h", "c", "f, g, h", vec![ItemFromEnd(0)]),
            ("const [p, q] = pair();", "q", "pair();", vec![Item(1)]),
            ("for i in make(1, 2):", "i", "make(1, 2)", vec![Iteration]),
            ("[r for r in rows if r]", "r in", "rows", vec![Iteration]),
        ] {
            let offset = statement.find(name).expect("a name");
            let found = assignment(statement, offset);
            assert_eq!(found, Some(Assignment { value, steps }), "{statement}");
        }
        assert_eq!(assignment("if a == b:", 3), None);
        let deep = format!("{}a{} = b", "(".repeat(20_000), ",)".repeat(20_000));
        assert_eq!(assignment(&deep, 20_000), None);
        assert_eq!(assignment("const { a } = store", 8), None);
    }

    #[test]
    fn items_are_split_outside_of_brackets_and_strings() {
        let values = |text| items(text).iter().map(|one| one.value).collect::<Vec<_>>();
        assert_eq!(values("[a, (b, c), 'x, y']"), ["a", "(b, c)", "'x, y'"]);
        assert_eq!(values("{\"a\": f, 1: g}"), ["f", "g"]);
        assert_eq!(items("{'a': f}")[0].key, Some("'a'"));
        assert_eq!(normalized_key("'a'"), normalized_key("\"a\""));
        assert_ne!(normalized_key("'1'"), normalized_key("1"));
    }

    #[test]
    fn parentheses_are_paired_within_their_blocks() {
        let inside = |text: &'static str| {
            let found = parenthesised(text, &["//"]).into_iter();
            found.map(|range| &text[range]).collect::<Vec<_>>()
        };
        assert_eq!(inside("f(a, {b(c)}) // ("), ["(c", "(a, {b(c)}"]);
        assert_eq!(inside("{ /\\(/ } f(')')"), ["(')'"]);
        assert_eq!(inside("f(/\"/)\ng(\"a)\")"), ["(/\"/", "(\"a)\""]);
    }

    #[test]
    fn arguments_are_found_by_position_and_by_name() {
        let text = "f, c=h, b=g";
        assert_eq!(argument(text, Some(0), "a"), Some("f"));
        assert_eq!(argument(text, Some(1), "b"), Some("g"));
        assert_eq!(argument(text, Some(2), "d"), None);
        assert_eq!(argument("*all, x", Some(1), "b"), None);
    }

    #[test]
    fn a_statement_ends_with_its_line_or_the_bracket_around_it() {
        let text = "a = [\n  1, # ]\n]\nb = 2";
        assert_eq!(statement_length(text, &["#"]), 17 - 1);
        assert_eq!(statement_length("x) + y", &[]), 1);
    }
}
