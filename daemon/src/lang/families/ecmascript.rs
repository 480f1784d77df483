//! JavaScript, TypeScript and TSX: modules as objects, `keyof`, merged declarations, and decorators.

use super::{FamilyRules, Feature, Keyword};

pub struct Ecmascript;

impl FamilyRules for Ecmascript {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::MergedDeclarations,
            Feature::Decorators,
            Feature::FunctionExpressions,
            Feature::SignaturesWithoutSemicolons,
        ]
    }

    fn keyword(&self, word: &str) -> Option<Keyword> {
        match word {
            "exports" | "module.exports" => Some(Keyword::Exports),
            "require" | "import" => Some(Keyword::Require),
            "keyof" => Some(Keyword::KeyOperator),
            _ => None,
        }
    }

    fn calls_by_name(&self, name: &str) -> bool {
        matches!(name, "toString" | "toJSON" | "valueOf" | "then")
    }

    fn is_function_expression(&self, code_before: &str) -> bool {
        let before = code_before.trim_end().trim_end_matches('*').trim_end();
        let Some(before) = strip_last_word(before, "function").map(str::trim_end) else {
            return false;
        };
        let before = strip_last_word(before, "async").map_or(before, str::trim_end);
        before.ends_with(['(', ',', '[', '?', '=', '!'])
            || strip_last_word(before, "return").is_some()
    }

    fn opens_export_list(&self, code_before: &str) -> bool {
        let before = code_before.trim_end();
        let before = strip_last_word(before, "type").map_or(before, str::trim_end);
        let assigned = before.strip_suffix('=').map(str::trim_end);
        strip_last_word(before, "export").is_some()
            || assigned.is_some_and(|left| strip_last_word(left, "exports").is_some())
    }
}

fn strip_last_word<'t>(code: &'t str, word: &str) -> Option<&'t str> {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$';
    code.strip_suffix(word)
        .filter(|rest| !rest.ends_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_expression_is_told_from_a_declaration() {
        for (code_before, expected) in [
            ("list.forEach(function ", true),
            ("open(1,\n    async function* ", true),
            ("  return function ", true),
            ("a();\nfunction ", false),
            ("export default function ", false),
            ("", false),
        ] {
            assert_eq!(
                Ecmascript.is_function_expression(code_before),
                expected,
                "{code_before}"
            );
        }
    }

    #[test]
    fn an_export_list_is_told_from_a_default_export_and_a_variable() {
        for (code_before, expected) in [
            ("module.exports = ", true),
            ("export ", true),
            ("export type ", true),
            ("export default ", false),
            ("myexports = ", false),
        ] {
            assert_eq!(
                Ecmascript.opens_export_list(code_before),
                expected,
                "{code_before}"
            );
        }
    }
}
