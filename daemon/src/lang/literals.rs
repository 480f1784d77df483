//! The types of literals, by which overloads are chosen: `open(1)` and `open("a")`.

use serde::Deserialize;

use super::words::Words;

/// The names of the types that literals of each kind can have, the default first: `int`, `long`. Empty in languages that
/// convert values implicitly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiteralTypes {
    pub strings: Words,
    /// Methods of all objects that return a string: `toString`.
    pub string_methods: Words,
    pub characters: Words,
    pub booleans: Words,
    pub integers: Words,
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
        let kind = literal(text)?;
        let (_, words) = self.all().into_iter().find(|(one, _)| *one == kind)?;
        let is_long = kind == Literal::Integer && text.ends_with(['L', 'l']);
        let place = usize::from(is_long || kind == Literal::Decimal && text.ends_with(['f', 'F']));
        let words = words.as_slice();
        words.get(place).or(words.first()).copied()
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

fn literal(text: &str) -> Option<Literal> {
    if matches!(text, "true" | "false") {
        return Some(Literal::Boolean);
    }
    let digits = text.trim_start_matches(['-', '+']);
    match digits.chars().next()? {
        '"' if text.ends_with('"') => Some(Literal::String),
        '\'' if text.ends_with('\'') => Some(Literal::Character),
        sign if sign.is_ascii_digit() => {
            let is_plain = |sign: char| sign.is_ascii_alphanumeric() || ".+-_".contains(sign);
            let is_hex = digits.starts_with("0x") || digits.starts_with("0X");
            let is_decimal = digits.contains('.') || !is_hex && digits.ends_with(['d', 'f', 'F']);
            let kind = if is_decimal {
                Literal::Decimal
            } else {
                Literal::Integer
            };
            digits.chars().all(is_plain).then_some(kind)
        }
        _ => None,
    }
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
