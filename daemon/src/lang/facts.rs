//! The `[facts]` of a definition: what a language with a grammar needs besides its queries.

use std::collections::BTreeMap;

use claudevil_protocol::answer::symbol::Visibility;
use serde::Deserialize;

use super::naming::Naming;
use super::rules::NameRules;
use super::words::{Words, leaked};

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The name of its grammar in the list of grammars: `c-sharp`.
    #[serde(deserialize_with = "leaked")]
    pub grammar: &'static str,
    /// Queries of other languages that hold for this one too: `javascript/common.scm`.
    #[serde(default)]
    pub shared_queries: Words,
    /// The sign between the parts of a qualified name: `::`.
    #[serde(default = "dot", deserialize_with = "leaked")]
    pub separator: &'static str,
    /// Text before all code of a file: `<?php `.
    #[serde(default)]
    pub code_prefix: String,
    /// Code to put around a statement that the grammar would read differently at the top of a file: `fmt.Println(x)` as a
    /// conversion to a type.
    pub statement_context: Option<(String, String)>,
    /// A block ends where its indentation does, and no sign or word closes it: `def open():`.
    #[serde(default)]
    pub indented_blocks: bool,
    /// Grammar nodes with tokens in place of expressions: the arguments of `assert_eq!(a.b, c)`.
    #[serde(default)]
    pub token_trees: Words,
    /// Parentheses group an expression, so that `(a + b)` may stand for it anywhere. In a shell they start a subshell.
    #[serde(default = "yes")]
    pub parentheses_group: bool,
    /// Grammar nodes of strings that may contain line breaks: `raw_string_literal`.
    #[serde(default)]
    pub string_nodes: Words,
    /// Beginnings of comments at the top of a file that are about all of it, not about the first symbol:
    /// `frozen_string_literal:`.
    #[serde(default)]
    pub file_comments: Words,
    /// The visibility of symbols: `pub` is public, and what has no modifier is private.
    #[serde(default)]
    pub visibility: VisibilityRule,
    /// The rules for resolving names: `receivers = ["self", "Self"]`.
    #[serde(default)]
    pub names: NameRules,
    /// The rules for identifiers and renames: `reserved = ["fn", "let"]`.
    #[serde(default)]
    pub naming: Naming,
}

fn yes() -> bool {
    true
}

fn dot() -> &'static str {
    "."
}

/// The rules for a symbol's visibility, by its modifiers and its name. The first rule that applies wins, in this order.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VisibilityRule {
    /// Modifiers as written, or single words of them: `pub(crate)`, `private`.
    pub words: BTreeMap<String, Visibility>,
    /// For names that begin with `_`: `_cache` is private in Python.
    pub underscore: Option<Visibility>,
    /// For names that begin with a capital: `Open` is public in Go.
    pub uppercase: Option<Visibility>,
    /// For all others: `fn open()` is private in Rust.
    pub otherwise: Option<Visibility>,
}

impl VisibilityRule {
    pub fn visibility_of(&self, name: &str, modifiers: Option<&str>) -> Option<Visibility> {
        let find = |word: &str| self.words.get(word).copied();
        let by_words = modifiers.and_then(|modifiers| {
            find(modifiers.trim()).or_else(|| {
                modifiers
                    .split(|sign: char| !sign.is_alphanumeric())
                    .find_map(find)
            })
        });
        let by_name = || match name.chars().next() {
            Some('_') => self.underscore,
            Some(first) if first.is_uppercase() => self.uppercase,
            _ => None,
        };
        by_words.or_else(by_name).or(self.otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_before_names_and_names_before_the_default() {
        let rule = VisibilityRule {
            words: BTreeMap::from([
                ("pub".to_owned(), Visibility::Public),
                ("pub(crate)".to_owned(), Visibility::Internal),
            ]),
            underscore: Some(Visibility::Private),
            uppercase: Some(Visibility::Public),
            otherwise: Some(Visibility::Protected),
        };
        for (name, modifiers, visibility) in [
            ("a", Some("pub"), Visibility::Public),
            ("a", Some("pub(crate)"), Visibility::Internal),
            ("a", Some("static pub final"), Visibility::Public),
            ("_a", None, Visibility::Private),
            ("Ä", Some("static"), Visibility::Public),
            ("a", None, Visibility::Protected),
        ] {
            assert_eq!(
                rule.visibility_of(name, modifiers),
                Some(visibility),
                "{name} {modifiers:?}"
            );
        }
        assert_eq!(VisibilityRule::default().visibility_of("a", None), None);
    }
}
