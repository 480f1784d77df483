//! The types of literals, by which overloads are chosen: `open(1)` and `open("a")`.

use serde::Deserialize;

use super::words::Words;

/// The names of the types that literals of each kind can have: integers as `int`, `long`, `short`, `byte`, `uint`, `ulong`,
/// decimals as `double`, `float`, `decimal`. Empty in languages that convert values implicitly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiteralTypes {
    /// Types of `"a"`: `String`, `CharSequence`.
    pub strings: Words,
    /// Methods of all objects that return a string: `toString`.
    pub string_methods: Words,
    /// Types of `'a'`: `char`.
    pub characters: Words,
    /// Types of `true`: `boolean`.
    pub booleans: Words,
    /// Types of `1`: `int`, `long`.
    pub integers: Words,
    /// Types of `1.5`: `double`, `float`.
    pub decimals: Words,
}

/// The kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    String,
    Character,
    Boolean,
    Integer,
    Decimal,
}

impl Literal {
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal)
    }
}

impl LiteralTypes {
    pub fn is_empty(self) -> bool {
        self.strings.is_empty()
    }

    /// Returns the kind of literals that can have a type.
    pub fn kind(self, name: &str) -> Option<Literal> {
        self.all()
            .into_iter()
            .find_map(|(kind, words)| words.contains(&name).then_some(kind))
    }

    /// Returns the type of a literal, or of concatenated strings; none for any other expression.
    pub fn type_of(self, text: &str) -> Option<&'static str> {
        let (kind, place) = literal(text)?;
        let (_, words) = self.all().into_iter().find(|(one, _)| *one == kind)?;
        words.as_slice().get(place).copied()
    }

    fn all(self) -> [(Literal, Words); 5] {
        [
            (Literal::String, self.strings),
            (Literal::Character, self.characters),
            (Literal::Boolean, self.booleans),
            (Literal::Integer, self.integers),
            (Literal::Decimal, self.decimals),
        ]
    }
}

/// Returns the kind of a literal, and which of the kind's types it has.
fn literal(text: &str) -> Option<(Literal, usize)> {
    if matches!(text, "true" | "false") {
        return Some((Literal::Boolean, 0));
    }
    match text.trim_start_matches(['-', '+']).chars().next()? {
        '"' if text.ends_with('"') => Some((Literal::String, 0)),
        '\'' if text.ends_with('\'') => Some((Literal::Character, 0)),
        sign if sign.is_ascii_digit() => number(text),
        _ => None,
    }
}

/// Returns the kind of a number, and which of the kind's types its suffix names.
fn number(text: &str) -> Option<(Literal, usize)> {
    let text = text.trim_start_matches(['-', '+']);
    let text = text.replace('_', "").to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return integer(behind_digits(digits, radix));
        }
    }
    let whole = behind_digits(&text, 10);
    let fraction = whole.strip_prefix('.').map(|rest| behind_digits(rest, 10));
    let behind = fraction.unwrap_or(whole);
    let exponent = behind.strip_prefix('e');
    let exponent = exponent.map(|rest| behind_digits(rest.trim_start_matches(['-', '+']), 10));
    let has_integer_form = fraction.is_none() && exponent.is_none();
    match exponent.unwrap_or(behind) {
        "d" => Some((Literal::Decimal, 0)),
        "f" => Some((Literal::Decimal, 1)),
        "m" => Some((Literal::Decimal, 2)),
        "" if !has_integer_form => Some((Literal::Decimal, 0)),
        suffix if has_integer_form => integer(suffix),
        _ => None,
    }
}

fn behind_digits(text: &str, radix: u32) -> &str {
    text.trim_start_matches(|sign: char| sign.is_digit(radix))
}

fn integer(suffix: &str) -> Option<(Literal, usize)> {
    let place = match suffix {
        "" => 0,
        "l" => 1,
        "u" => 4,
        "ul" | "lu" => 5,
        _ => return None,
    };
    Some((Literal::Integer, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_types() {
        let types = LiteralTypes {
            strings: Words::new(&["String"]),
            string_methods: Words::new(&["toString"]),
            characters: Words::new(&["char"]),
            booleans: Words::new(&["boolean"]),
            integers: Words::new(&["int", "long"]),
            decimals: Words::new(&["double", "float"]),
        };
        for (text, expected) in [
            ("\"a, b\"", Some("String")),
            ("\"a\" + name + \"b\"", Some("String")),
            ("'x'", Some("char")),
            ("true", Some("boolean")),
            ("-12", Some("int")),
            ("12L", Some("long")),
            ("0x1F", Some("int")),
            ("0X1F", Some("int")),
            ("1.5", Some("double")),
            ("1.5f", Some("float")),
            ("2f", Some("float")),
            ("0x2f", Some("int")),
            ("0b101L", Some("long")),
            ("1_000", Some("int")),
            ("1e5", Some("double")),
            ("1.5E-3f", Some("float")),
            ("1D", Some("double")),
            ("1.5m", None),
            ("1u", None),
            ("1..5", None),
            ("16.dp", None),
            ("1+x", None),
            ("1 < size", None),
            ("name", None),
            ("\"a\".length()", None),
        ] {
            assert_eq!(types.type_of(text), expected, "{text}");
        }
        assert_eq!(types.kind("long"), Some(Literal::Integer));
        assert_eq!(types.kind("Store"), None);
    }
}
