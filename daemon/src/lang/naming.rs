//! The identifiers of a language, and the rules for renaming symbols: the `[facts.naming]` of a definition.

use serde::Deserialize;

use super::words::{Words, leaked};

/// Sigils before a name, which a rename keeps: `#size`, `@size`, `$size`, `%size`.
pub const SIGILS: [char; 4] = ['#', '@', '$', '%'];

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule of a language"
)]
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Naming {
    /// A regular expression for a whole identifier: `[A-Za-z_$][A-Za-z0-9_$]*`.
    #[serde(deserialize_with = "leaked")]
    pub identifier: &'static str,
    /// The same for functions and methods, where it differs: `empty?` in Ruby.
    pub function_identifier: Option<String>,
    /// Words that are never identifiers, so without contextual keywords: `class` in Java, but not `record`.
    pub reserved: Words,
    /// Words that are not allowed as names of types: `record` in Java.
    pub reserved_types: Words,
    /// A method may have a reserved word as its name: `delete()` in JavaScript.
    pub reserved_methods: bool,
    /// The case of the first letter determines the kind: `Store` is a constructor in Haskell, `store` a function.
    pub case_tells_kind: bool,
    /// The reach of a name whose spelling makes it private: `_cache` in Dart, `cache` in Go.
    pub hidden_names_reach: Option<NameReach>,
    /// A field and a variable with one name can be written as one word where an object is constructed or destructured:
    /// `{ size }`.
    pub shorthand_fields: bool,
    /// Modifiers of a field where an object is constructed or destructured: `Config { ref mut size }`, `{ get size() {} }`.
    pub field_modifiers: Words,
    /// Signs and words between such an object and its type: `({ size }: Options) => size`, `{ size } as Options`.
    pub type_annotations: Words,
    /// Operators between a value and its member: `.`, `->`.
    pub member_operators: Words,
    /// The sigil of every variable, and of nothing else: `$`.
    pub variable_sigil: Option<char>,
    /// The sigil of instance variables, which hold the values of properties: `@size` for `attr_reader :size`.
    pub instance_variable_sigil: Option<char>,
    /// A string may name a variable in braces: `println!("{size}")`.
    pub inline_format: bool,
    /// Elements of markup are expressions, whose text is no code: `<p>call helper</p>`.
    pub markup: bool,
    /// Modifiers of a method that overrides another: `override`.
    pub override_modifiers: Words,
    /// Modifiers of a member of the type itself, which overrides no member of its objects: `static`.
    pub static_modifiers: Words,
    /// Modifiers of a symbol that code can use without its name: `operator fun plus`, `implicit val order`.
    pub implicit_modifiers: Words,
}

impl Default for Naming {
    fn default() -> Self {
        Self {
            identifier: r"[\p{XID_Start}_]\p{XID_Continue}*",
            function_identifier: None,
            reserved: Words::default(),
            reserved_types: Words::default(),
            reserved_methods: false,
            case_tells_kind: false,
            hidden_names_reach: None,
            shorthand_fields: false,
            field_modifiers: Words::default(),
            type_annotations: Words::default(),
            member_operators: Words::new(&["."]),
            variable_sigil: None,
            instance_variable_sigil: None,
            inline_format: false,
            markup: false,
            override_modifiers: Words::default(),
            static_modifiers: Words::default(),
            implicit_modifiers: Words::default(),
        }
    }
}

impl Naming {
    /// Returns whether a signature says that its method overrides another: `override fun open()`.
    pub fn has_override_modifier(&self, signature: &str) -> bool {
        let before = signature.split('(').next().unwrap_or_default();
        let behind = signature.rsplit(')').next().unwrap_or_default();
        [before, behind].iter().any(|text| {
            text.split_whitespace()
                .any(|word| self.override_modifiers.contains(&word))
        })
    }

    /// Returns whether a signature says that its member is one of the type itself: `static open()`.
    pub fn has_static_modifier(&self, signature: &str) -> bool {
        let before = signature.split(['(', '=', ':']).next().unwrap_or_default();
        let mut words = before.split_whitespace();
        words.any(|word| self.static_modifiers.contains(&word))
    }

    /// Returns whether a signature says that code can use its symbol without the name: `operator fun plus(other: Point)`.
    pub fn has_implicit_modifier(&self, signature: &str) -> bool {
        let before = signature.split('(').next().unwrap_or_default();
        let mut words = before.split_whitespace();
        words.any(|word| self.implicit_modifiers.contains(&word))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameReach {
    File,
    Folder,
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use crate::lang;

    #[test]
    fn names_are_what_their_languages_say() {
        for language in lang::all() {
            let Some(facts) = &language.facts else {
                continue;
            };
            let function = facts.naming.function_identifier.as_deref();
            for pattern in [Some(facts.naming.identifier), function]
                .into_iter()
                .flatten()
            {
                let whole = Regex::new(&format!("^(?:{pattern})$")).expect(language.id);
                assert!(
                    whole.is_match("run_2") && whole.is_match("Run"),
                    "{}",
                    language.id
                );
                for wrong in ["", "2run", "a b", "a(b", "a/b", "a,b"] {
                    assert!(!whole.is_match(wrong), "{}: {wrong}", language.id);
                }
            }
            let reserved = facts.naming.reserved;
            assert!(reserved.len() > 9, "{} has words of its own", language.id);
            assert!(
                !facts
                    .naming
                    .reserved_types
                    .iter()
                    .any(|word| reserved.contains(word)),
                "{}",
                language.id
            );
        }
    }
}
