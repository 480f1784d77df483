//! Patterns, written up to a name in them: the value that the name is bound to.

use crate::extract::type_expr::is_word;
use crate::lang::vocabulary::AS;

/// The value that a pattern binds a name to. The pattern is written up to the name.
#[derive(Debug, PartialEq, Eq)]
pub enum Binding<'a> {
    /// `Path { first, field:`.
    Field(&'a str, &'a str),
    /// `Path(first, `: the position counts from 0.
    Element(&'a str, usize),
    /// `value as `: the result of a context manager.
    ContextManager(&'a str),
    /// `!(value`: the error of a result.
    Error(&'a str),
}

/// The sign before a result whose error is bound.
pub const ERROR_PREFIX: &str = "!(";

/// Parses a text that ends within the brackets of a pattern.
pub fn parse_binding(text: &str) -> Option<Binding<'_>> {
    if let Some(of) = text.strip_prefix(ERROR_PREFIX) {
        return Some(Binding::Error(of));
    }
    if let Some(of) = text.strip_suffix(AS) {
        return Some(Binding::ContextManager(of));
    }
    if !text.ends_with(['(', ',', ':', ' ', '&']) {
        return None;
    }
    let mut depth = 0_u32;
    let mut places = 0;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' | ']' | '}' | '>' => depth += 1,
            '(' if depth == 0 => return Some(Binding::Element(text[..at].trim_end(), places)),
            '{' if depth == 0 => {
                let field = text
                    .trim_end_matches([' ', '&'])
                    .strip_suffix(':')?
                    .trim_end();
                let from = field
                    .rfind(|sign| !is_word(sign))
                    .map_or(0, |before| before + 1);
                return Some(Binding::Field(text[..at].trim_end(), &field[from..]));
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
            ("Shape::B(", Some(Binding::Element("Shape::B", 0))),
            (
                "Shape::B(n, Some(x), ",
                Some(Binding::Element("Shape::B", 2)),
            ),
            (
                "Shape::C { one, two: ",
                Some(Binding::Field("Shape::C", "two")),
            ),
            (
                "self.ctx() { store:",
                Some(Binding::Field("self.ctx()", "store")),
            ),
            (
                "open(path) as ",
                Some(Binding::ContextManager("open(path)")),
            ),
            ("!(self.open()", Some(Binding::Error("self.open()"))),
            ("Shape::B(n)", None),
            ("Vec<Shape>", None),
            ("self.shapes[0]", None),
        ] {
            assert_eq!(parse_binding(text), expected, "{text}");
        }
    }
}
