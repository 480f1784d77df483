//! The role of a use in the code around it: `call in`, `parameter type of`, `argument of`.

use claudevil_protocol::answer::graph::UseRole;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::facts::{Role, Symbol};
use crate::extract::type_expr::is_word;
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId};

pub fn use_role(role: Role) -> UseRole {
    match role {
        Role::Import => UseRole::Import,
        Role::Call | Role::Implicit => UseRole::Call,
        Role::Write | Role::Bind | Role::Narrow => UseRole::Write,
        Role::Type => UseRole::Type,
        Role::Read | Role::Named => UseRole::Read,
        Role::Mention => UseRole::Mention,
    }
}

/// Describes a use by its role in the symbol around it: `parameter type of`.
pub fn describe_usage(graph: &Graph<'_>, reference: &Reference, name: &str) -> &'static str {
    let Some(symbol) = reference.row.symbol.map(|symbol| {
        graph.symbol(SymbolId {
            file: reference.file,
            symbol,
        })
    }) else {
        return role_usage(reference.row.role);
    };
    if reference.row.role != Role::Type {
        return role_usage(reference.row.role);
    }
    if symbol.kind.is_callable() {
        return match part_of_signature(graph, reference, symbol, name) {
            Some(SignaturePart::Parameters) => "parameter type of",
            Some(SignaturePart::ReturnType) => "return type of",
            Some(SignaturePart::Other) | None => "type in",
        };
    }
    let is_base = graph
        .file(reference.file)
        .outline
        .relations
        .iter()
        .any(|relation| relation.line == reference.row.line && *relation.target == *name);
    match symbol.kind {
        _ if is_base => "base of",
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable | SymbolKind::Constant => {
            "type of"
        }
        _ => "type in",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignaturePart {
    Parameters,
    ReturnType,
    Other,
}

/// Returns the part of a callable's signature that contains a use of a type; none if the use is in the body. If the signature
/// contains the name n times, the first n uses belong to it.
fn part_of_signature(
    graph: &Graph<'_>,
    reference: &Reference,
    symbol: &Symbol,
    name: &str,
) -> Option<SignaturePart> {
    let uses = graph.uses(reference.file);
    let own = uses
        .named(uses.name(&reference.row))
        .filter(|row| row.symbol == reference.row.symbol && row.role == Role::Type);
    let earlier = own
        .filter(|row| (row.line, row.column) < (reference.row.line, reference.row.column))
        .count();
    let place = *places_of_word(&symbol.signature, name).get(earlier)?;
    let start = symbol.signature.as_ptr().addr();
    let inside = symbol.parameters().map(|all| {
        let text = all.text();
        let from = text.as_ptr().addr().saturating_sub(start);
        from..from + text.len()
    });
    let declared = symbol.result().or_else(|| symbol.declared_type());
    let is_returned =
        declared.is_some_and(|declared| !places_of_word(declared.text(), name).is_empty());
    Some(match inside {
        Some(inside) if inside.contains(&place) => SignaturePart::Parameters,
        _ if is_returned => SignaturePart::ReturnType,
        _ => SignaturePart::Other,
    })
}

/// Returns the places of a name in a text, where it is a whole word.
fn places_of_word(text: &str, name: &str) -> Vec<usize> {
    let is_whole = |at: &usize| {
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    };
    text.match_indices(name)
        .map(|(at, _)| at)
        .filter(is_whole)
        .collect()
}

/// Returns the name of the function that has exactly the text at a place as an argument: `register` for `@` in
/// `register(@, 1)`.
pub fn called_with(text: &str, at: usize, length: usize) -> Option<&str> {
    let (before, after) = (
        text.get(..at)?.trim_end(),
        text.get(at + length..)?.trim_start(),
    );
    if !before.ends_with(['(', ',']) || !after.starts_with([')', ',']) {
        return None;
    }
    let mut depth = 0_u32;
    let open = before.bytes().rposition(|byte| {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
            b'(' | b'[' | b'{' => return true,
            _ => {}
        }
        false
    })?;
    let called = text[..open].trim_end();
    let name = &called[called.trim_end_matches(is_word).len()..];
    (text.as_bytes()[open] == b'(' && !name.is_empty()).then_some(name)
}

fn role_usage(role: Role) -> &'static str {
    match role {
        Role::Import => "import in",
        Role::Call | Role::Implicit => "call in",
        Role::Write | Role::Bind | Role::Narrow => "write in",
        Role::Type => "type in",
        Role::Read | Role::Named => "read in",
        Role::Mention => "mention in",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_found_with_the_function_that_is_called() {
        for (text, expected) in [
            ("register(@)", Some("register")),
            ("bus.on('done', @, 3)", Some("on")),
            ("run(a, [b, c],\n    @)", Some("run")),
            ("[a, @, b]", None),
            ("(@, b)", None),
            ("run({ a, @ })", None),
            ("run(@ + 1)", None),
            ("run(@.a)", None),
            ("@", None),
        ] {
            let at = text.find('@').expect("a place");
            assert_eq!(
                called_with(&text.replace('@', "name"), at, 4),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        assert_eq!(
            places_of_word("fn of(a: Account, b: MyAccount) -> Account", "Account"),
            [9, 35]
        );
        assert!(places_of_word("", "Account").is_empty());
    }
}
