//! Checks that the new name is an identifier of the symbol's language.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;
use regex::Regex;

use crate::graph::Graph;
use crate::lang::{Naming, SIGILS};

pub fn check_identifier(
    graph: &Graph<'_>,
    file: u32,
    kind: SymbolKind,
    old: &str,
    new_name: &str,
) -> Result<(), ToolError> {
    let language = graph.file(file).language;
    let name = language.map_or("its language", |language| language.name);
    let Some(naming) = language
        .and_then(|language| language.facts.as_ref())
        .map(|facts| &facts.naming)
    else {
        let is_fit = |sign: char| sign.is_alphanumeric() || sign == '_' || old.contains(sign);
        let is_name = new_name.chars().all(is_fit) && !new_name.starts_with(char::is_numeric);
        return is_name
            .then_some(())
            .ok_or_else(|| not_an_identifier(new_name, name));
    };
    let is_free = naming.reserved_methods && kind == SymbolKind::Method;
    if !is_identifier(naming, kind, old) || naming.reserved.contains(&old) && !is_free {
        return Err(ToolError::invalid_argument(format!(
            "`{old}` is not an ordinary identifier in {name}, so it cannot be renamed; nothing was changed"
        )));
    }
    if !is_identifier(naming, kind, new_name) || sigil(old) != sigil(new_name) {
        return Err(not_an_identifier(new_name, name));
    }
    let is_reserved = naming.reserved.contains(&new_name) && !is_free
        || naming.reserved_types.contains(&new_name)
            && (kind.is_type() || kind == SymbolKind::Alias);
    if is_reserved {
        let message = format!("`{new_name}` is a reserved word of {name}; nothing was changed");
        return Err(ToolError::invalid_argument(message));
    }
    if naming.case_tells_kind && is_capitalised(old) != is_capitalised(new_name) {
        let case = if is_capitalised(old) {
            "a capital"
        } else {
            "a lowercase"
        };
        let message = format!(
            "in {name}, names of this kind start with {case} letter, and `{new_name}` does not"
        );
        return Err(ToolError::invalid_argument(format!(
            "{message}; nothing was changed"
        )));
    }
    Ok(())
}

fn not_an_identifier(new_name: &str, language: &str) -> ToolError {
    ToolError::invalid_argument(format!(
        "`{new_name}` is not a valid identifier in {language}; nothing was changed"
    ))
}

fn is_identifier(naming: &Naming, kind: SymbolKind, name: &str) -> bool {
    let bare = name.trim_start_matches(SIGILS);
    let is_function = kind.is_callable() || kind == SymbolKind::Property;
    let pattern = naming
        .function_identifier
        .as_deref()
        .filter(|_| is_function)
        .unwrap_or(naming.identifier);
    let whole = Regex::new(&format!("^(?:{pattern})$"));
    whole.is_ok_and(|whole| whole.is_match(bare) || whole.is_match(name))
}

fn sigil(name: &str) -> Option<char> {
    // `$` does not count: where it may be anywhere in a name, as in JavaScript, it is a letter like any other.
    name.chars()
        .next()
        .filter(|first| SIGILS.contains(first) && *first != '$')
}

fn is_capitalised(name: &str) -> bool {
    name.trim_start_matches(|sign: char| !sign.is_alphabetic())
        .starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    fn naming(id: &str) -> &'static Naming {
        let facts = lang::by_name(id).and_then(|language| language.facts.as_ref());
        &facts.expect(id).naming
    }

    #[test]
    fn every_language_has_identifiers_of_its_own() {
        use SymbolKind::{Class, Function, Method, Variable};
        for (language, kind, right, wrong) in [
            (
                "rust",
                Function,
                "path item block expr union default größe",
                "a-b 1a a.b",
            ),
            ("javascript", Function, "$h _x get of from", "a-b 1a"),
            ("bash", Function, "run-thing a.b", "1a a/b"),
            ("bash", Variable, "run_thing", "run-thing"),
            ("ruby", Method, "empty? save! total= run", "a-b ?a a?b"),
            ("ruby", Class, "Run", "Run?"),
            ("haskell", Function, "go' a'b", "'a a-b"),
            ("php", Function, "run", "a-b"),
        ] {
            for name in right.split(' ') {
                assert!(
                    is_identifier(naming(language), kind, name),
                    "{language}: {name}"
                );
            }
            for name in wrong.split(' ') {
                assert!(
                    !is_identifier(naming(language), kind, name),
                    "{language}: {name}"
                );
            }
        }
    }

    #[test]
    fn keywords_of_some_positions_only_are_not_reserved() {
        for (language, free, reserved) in [
            (
                "rust",
                "path item block literal expr union default auto raw",
                "fn match self Self crate async",
            ),
            (
                "typescript",
                "get set of from type async as any",
                "class new typeof null",
            ),
            (
                "javascript",
                "get set of from async static_",
                "class let yield",
            ),
            (
                "java",
                "record open with to module sealed var",
                "class enum null true",
            ),
            ("python", "match type print case", "class def None lambda"),
            ("go", "len string any", "func nil true range"),
            ("kotlin", "data open value get set by", "fun object val"),
            ("csharp", "record get value await var", "class int string"),
            ("swift", "get set open some any", "func init nil"),
            (
                "cpp",
                "final override module import",
                "class new delete nullptr",
            ),
            ("ocaml", "constraint_ ok", "let rec match"),
        ] {
            let naming = naming(language);
            for word in free.split(' ') {
                assert!(!naming.reserved.contains(&word), "{language}: {word}");
            }
            for word in reserved.split(' ') {
                assert!(naming.reserved.contains(&word), "{language}: {word}");
            }
        }
    }

    #[test]
    fn the_first_letter_tells_the_case() {
        assert!(
            is_capitalised("Run")
                && is_capitalised("_Run")
                && !is_capitalised("run")
                && is_capitalised("@Run")
        );
    }
}
