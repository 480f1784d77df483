//! Texts that stand for a part of something: of a pattern up to a name in it, of several types, of several values.

use super::signature::is_word;

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

/// What a text says that ends within the brackets of a pattern.
pub fn parse_binding(text: &str) -> Option<Binding<'_>> {
    if let Some(of) = text.strip_prefix(ERROR_PREFIX) {
        return Some(Binding::Error(of));
    }
    if let Some(of) = text.strip_suffix(" as ") {
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

/// What a text says that is one of several, or all of them at once: `A | B`, `A & B`, `c ? a : b`. One for any other.
pub fn alternatives(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut quote = None;
    let mut parts = vec![];
    let mut from = 0;
    let mut is_choice = false;
    let bytes = text.as_bytes();
    for (at, sign) in text.char_indices() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '`') => quote = Some(sign),
            // What a function gives may be one of several; the function is none of them.
            (None, '>') if before == Some(b'=') => return vec![text],
            (None, '>') if before == Some(b'-') => {}
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, '|' | '&') if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            // The condition is no value of the whole.
            (None, '?')
                if depth == 0 && before == Some(b' ') && bytes.get(at + 1) == Some(&b' ') =>
            {
                is_choice = true;
                from = at + 1;
            }
            (None, ':') if is_choice && depth == 0 && before == Some(b' ') => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
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

    #[test]
    fn several_are_parted_and_one_is_whole() {
        for (text, parts) in [
            ("One | Two", &["One", "Two"][..]),
            ("One & Two", &["One", "Two"]),
            ("?One|null", &["?One", "null"]),
            ("| One | Two", &["One", "Two"]),
            ("is_set ? One.new : Two.new", &["One.new", "Two.new"]),
            ("first || new One()", &["first", "new One()"]),
            ("Map<One | Two, Three>", &["Map<One | Two, Three>"]),
            ("(one: One) => Two | Three", &["(one: One) => Two | Three"]),
            ("const One& ", &["const One"]),
            ("&mut One", &["mut One"]),
            ("One?", &["One?"]),
            ("a::B", &["a::B"]),
            ("size : One", &["size : One"]),
        ] {
            assert_eq!(alternatives(text), parts, "{text}");
        }
    }
}
