//! The texts that names are bound to: expressions, types, and patterns that are cut off before the name.

use crate::extract::type_expr::{is_word, split_pattern};
use crate::lang::vocabulary::AS;

/// The place of a closure's parameter in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosurePlace {
    /// The position of the closure among the arguments.
    pub argument: usize,
    /// The position of the parameter in the closure.
    pub parameter: usize,
}

/// The value that a pattern binds a name to. The text of the pattern ends before the name.
#[derive(Debug, PartialEq, Eq)]
pub enum PatternBinding<'a> {
    /// `Path { first, field:`.
    Field(&'a str, &'a str),
    /// `Path(first, `: the position counts from 0.
    Element(&'a str, usize),
    /// `value as `: the result of a context manager.
    ContextManager(&'a str),
    /// `!(value`: the error of a result.
    Error(&'a str),
    /// `open() @1`: an element of a tuple, counted from 0.
    Part(&'a str, usize),
    /// `stores.map @0.1`: the second parameter of a closure that is the first argument of a call.
    Passed(&'a str, ClosurePlace),
}

/// The prefix of a result whose error is bound.
pub const ERROR_PREFIX: &str = "!(";

/// The prefix of an expression that is bound as it is, and not as the result of calling it: `const open = store.open`.
pub const COPY_PREFIX: char = '=';

/// The separator between a call that returns a tuple and the index of an element.
const PART_SIGN: &str = " @";

/// Returns the part of a tuple that a name is bound to: `open() @1` for `log` of `(store, log) = open()`.
pub fn unpack(text: &str, name: &str) -> Option<String> {
    let (pattern, _, value) = split_pattern(text)?;
    if pattern.matches(['(', '[', '{']).count() > 1 {
        return None;
    }
    let names = pattern.trim_matches(['(', ')', '[', ']']);
    let is_name = |part: &str| part.split_whitespace().last() == Some(name);
    let place = names.split(',').position(is_name)?;
    Some(format!("{value}{PART_SIGN}{place}"))
}

/// Parses a text that ends within a pattern; none for a type or an ordinary expression.
pub fn parse_binding(text: &str) -> Option<PatternBinding<'_>> {
    if let Some(of) = text.strip_prefix(ERROR_PREFIX) {
        return Some(PatternBinding::Error(of));
    }
    if let Some(of) = text.strip_suffix(AS) {
        return Some(PatternBinding::ContextManager(of));
    }
    if let Some((of, place)) = text.rsplit_once(PART_SIGN) {
        if let Ok(place) = place.parse() {
            return Some(PatternBinding::Part(of, place));
        }
        if let Some((argument, parameter)) = place.split_once('.')
            && let (Ok(argument), Ok(parameter)) = (argument.parse(), parameter.parse())
        {
            let place = ClosurePlace {
                argument,
                parameter,
            };
            return Some(PatternBinding::Passed(of, place));
        }
    }
    if !text.ends_with(['(', ',', ':', ' ', '&']) {
        return None;
    }
    let mut depth = 0_u32;
    let mut places = 0;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' | ']' | '}' | '>' => depth += 1,
            '(' if depth == 0 => {
                return Some(PatternBinding::Element(text[..at].trim_end(), places));
            }
            '{' if depth == 0 => {
                let field = text
                    .trim_end_matches([' ', '&'])
                    .strip_suffix(':')?
                    .trim_end();
                let from = field
                    .rfind(|sign| !is_word(sign))
                    .map_or(0, |before| before + 1);
                return Some(PatternBinding::Field(text[..at].trim_end(), &field[from..]));
            }
            '(' | '[' | '{' | '<' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => places += 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_says_what_the_name_behind_it_is_bound_to() {
        for (text, expected) in [
            ("Shape::B(", Some(PatternBinding::Element("Shape::B", 0))),
            (
                "Shape::B(n, Some(x), ",
                Some(PatternBinding::Element("Shape::B", 2)),
            ),
            (
                "Shape::C { one, two: ",
                Some(PatternBinding::Field("Shape::C", "two")),
            ),
            (
                "self.ctx() { store:",
                Some(PatternBinding::Field("self.ctx()", "store")),
            ),
            (
                "open(path) as ",
                Some(PatternBinding::ContextManager("open(path)")),
            ),
            ("!(self.open()", Some(PatternBinding::Error("self.open()"))),
            ("open() @1", Some(PatternBinding::Part("open()", 1))),
            (
                "stores.map @1.0",
                Some(PatternBinding::Passed(
                    "stores.map",
                    ClosurePlace {
                        argument: 1,
                        parameter: 0,
                    },
                )),
            ),
            ("Shape::B(n)", None),
            ("Vec<Shape>", None),
            ("self.shapes[0]", None),
        ] {
            assert_eq!(parse_binding(text), expected, "{text}");
        }
    }

    #[test]
    fn a_name_in_a_tuple_is_bound_to_its_part() {
        for (text, name, expected) in [
            ("(store, log) = open()", "log", Some("open() @1")),
            ("(mut store, _) = open()", "store", Some("open() @0")),
            (
                "store, log = await open(path)",
                "store",
                Some("await open(path) @0"),
            ),
            (
                "[state, setState] = useState(1)",
                "setState",
                Some("useState(1) @1"),
            ),
            ("_, store := open(path)", "store", Some("open(path) @1")),
            ("((one, two), three) = open()", "three", None),
            ("open()", "open", None),
        ] {
            assert_eq!(unpack(text, name).as_deref(), expected, "{text}");
        }
    }
}
