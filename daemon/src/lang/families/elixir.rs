//! Elixir: modules whose names are whole paths, and functions of several clauses.

use super::{FamilyRules, Feature};

pub struct Elixir;

impl FamilyRules for Elixir {
    fn features(&self) -> &'static [Feature] {
        &[Feature::ModulesNamedByPath]
    }

    fn are_clauses(&self, first: &str, second: &str) -> bool {
        arity(first) == arity(second)
    }
}

/// Returns the number of parameters of a definition, given from its name on: 2 for `put(store, %{key: a, value: b}) do`.
fn arity(definition: &str) -> usize {
    let rest =
        definition.trim_start_matches(|sign: char| sign.is_alphanumeric() || "_?!".contains(sign));
    let Some(parameters) = rest.strip_prefix('(') else {
        return 0;
    };
    let (mut depth, mut commas, mut is_empty) = (0_usize, 0, true);
    for sign in parameters.chars() {
        match sign {
            ')' | ']' | '}' if depth == 0 => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
        is_empty &= sign.is_whitespace();
    }
    if is_empty { 0 } else { commas + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arity_counts_the_parameters_and_not_the_commas_inside_them() {
        for (definition, expected) in [
            ("now do", 0),
            ("now() do", 0),
            ("valid?(a), do: true", 1),
            ("put(store, %{key: a, value: b}) when a > 1 do", 2),
            ("size([]), do: 0", 1),
        ] {
            assert_eq!(arity(definition), expected, "{definition}");
        }
    }
}
