//! The text of a signature, split into type parameters, parameters, result and value.

use std::ops::Range;

use crate::extract::text::CUT;
use crate::extract::type_expr::{
    NodeKind, TreeBuilder, find_name, is_word, matching, paths, skip_generics, split,
};
use crate::lang::families::c::TEMPLATE;
use crate::lang::{TypePosition, vocabulary};

pub fn add_parameter<'a>(tree: &mut TreeBuilder<'a>, parameter: &'a str) {
    if parameter.starts_with(CUT) {
        return tree.add(NodeKind::RestParameter, parameter, |_| {});
    }
    let is_rest = parameter.contains("...")
        || parameter.starts_with('*')
        || vocabulary::REST_MARKERS
            .iter()
            .any(|marker| parameter.starts_with(marker));
    let has_mark = |name: &str| name.trim_end().ends_with('?');
    let is_optional = parameter.contains('=') || parameter.split(':').next().is_some_and(has_mark);
    let kind = match (is_rest, is_optional) {
        (true, _) => NodeKind::RestParameter,
        (false, true) => NodeKind::OptionalParameter,
        (false, false) => NodeKind::Parameter,
    };
    let annotation = if parameter.starts_with('{') {
        parameter.rsplit_once('}').map(|(_, text)| text)
    } else {
        find_colon(parameter).map(|at| &parameter[at + 1..])
    };
    let whole = parameter.trim_start_matches(vocabulary::PUBLIC_FIELD);
    tree.add(kind, parameter, |tree| {
        tree.add_type(annotation.unwrap_or(whole));
    });
}

/// Returns the position of a `:` that is not a part of `::`.
fn find_colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_alone = |at: &usize| {
        bytes[*at] == b':'
            && bytes.get(at + 1) != Some(&b':')
            && (*at == 0 || bytes[at - 1] != b':')
    };
    (0..bytes.len()).find(is_alone)
}

pub fn add_variable<'a>(
    tree: &mut TreeBuilder<'a>,
    signature: &'a str,
    name: &str,
    at: usize,
    position: TypePosition,
) {
    let before = signature[..at].trim_end_matches('$').trim();
    let after = signature[at + name.len()..]
        .trim_start_matches(['?', '!'])
        .trim();
    let (behind, value) = match find_assignment(after) {
        Some(sign) => (
            after[..sign].trim_end_matches(':').trim(),
            after[sign + 1..].trim(),
        ),
        None => (after, ""),
    };
    // One of several names: `store, log = open()`.
    let is_one_of_several = behind.starts_with(',') || before.ends_with(',');
    if position == TypePosition::After && is_one_of_several && !value.is_empty() {
        return;
    }
    let declared = match position {
        TypePosition::After => behind.trim_start_matches(':').trim(),
        TypePosition::Before => before,
    };
    if declared.ends_with(CUT) {
        return;
    }
    if paths(declared).next().is_some() && !has_only_modifiers(declared) {
        tree.add(NodeKind::Variable, declared, |tree| tree.add_type(declared));
    } else if !value.is_empty() {
        let value = value.trim_end_matches([';', ',']);
        tree.add(NodeKind::Value, value, |_| {});
    }
}

/// Returns a signature without its last parameters, so that it has a length and still ends with the result type:
/// `func Open(path string, …) *Store`.
pub fn shortened(signature: &str, name: &str, longest: usize) -> Option<String> {
    let all = Parts::parse(signature, name)?.parameters;
    let start = all.as_ptr().addr() - signature.as_ptr().addr();
    let (before, after) = (&signature[..start], &signature[start + all.len()..]);
    let mut room = longest.checked_sub(before.len() + after.len() + CUT.len_utf8())?;
    let mut parameters = String::new();
    for parameter in split(all) {
        let Some(left) = room.checked_sub(parameter.len() + 2) else {
            break;
        };
        room = left;
        parameters += parameter;
        parameters += ", ";
    }
    Some(format!("{before}{parameters}{CUT}{after}"))
}

/// Returns the text of the result type in a signature.
pub fn result<'a>(signature: &'a str, name: &str, position: TypePosition) -> Option<&'a str> {
    Parts::parse(signature, name)?.result(position)
}

/// The declaration of a callable, split at its parameters.
pub struct Parts<'a> {
    before: &'a str,
    pub parameters: &'a str,
    after: &'a str,
}

impl<'a> Parts<'a> {
    pub fn parse(signature: &'a str, name: &str) -> Option<Self> {
        let mut from = 0;
        loop {
            let at = from + find_name(&signature[from..], name)?;
            let behind = at + name.len();
            let rest = function_value(&signature[behind..]);
            let open = signature.len() - rest.len() + skip_generics(rest);
            if signature[open..].trim_start().starts_with('(') {
                let open = open + signature[open..].find('(')?;
                let length = matching(&signature[open..])?;
                return Some(Self {
                    before: &signature[..at],
                    parameters: &signature[open + 1..open + length],
                    after: &signature[open + length + 1..],
                });
            }
            if !signature[behind..].contains(name) {
                if signature.ends_with(CUT) {
                    return None;
                }
                // A function without parameters: `def total: Int`.
                let rest = &signature[behind..];
                let result = rest.find("->").or_else(|| rest.find(':'));
                return Some(Self {
                    before: &signature[..at],
                    parameters: &signature[behind..behind],
                    after: &rest[result.unwrap_or(rest.len())..],
                });
            }
            from = behind;
        }
    }

    pub fn result(&self, position: TypePosition) -> Option<&'a str> {
        let after = self.after;
        // The end of a truncated result is missing, and with it perhaps the name of its type.
        if position == TypePosition::After && after.ends_with(CUT) {
            return None;
        }
        let after = after.split(vocabulary::WHERE).next().unwrap_or(after);
        // An arrow function: `open = (path: Path): Store =>`.
        let after = after.strip_suffix("=>").unwrap_or(after);
        let arrow = after.split_once("->").or_else(|| after.split_once("=>"));
        let arrow = arrow.map(|(_, text)| text.trim());
        if let Some(text) = arrow.filter(|text| !text.is_empty()) {
            return Some(text);
        }
        let after = after.trim();
        let text = match position {
            TypePosition::After => after.trim_start_matches(':'),
            TypePosition::Before => {
                // PHP declares result types after the parameters: `function open(): Store`.
                let behind = after.strip_prefix(':').map(str::trim);
                let behind = behind.filter(|text| !text.is_empty());
                behind.unwrap_or_else(|| behind_type_parameters(without_container(self.before)))
            }
        };
        let text = text.trim().trim_end_matches(['{', '=', ';']).trim();
        // An error union of Zig: `Error!Value`.
        let text = text
            .rsplit_once('!')
            .map_or(text, |(_, value)| value.trim());
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the names of the type parameters of a declaration.
pub fn type_parameters<'a>(signature: &'a str, name: &str, at: usize) -> Vec<&'a str> {
    // A specialisation has arguments after its name: `template <> class Box<Order>`.
    let is_template = signature.starts_with(TEMPLATE);
    let own = &signature[at..];
    let inside = Some(own)
        .filter(|_| !is_template)
        .and_then(|own| arguments_behind(own, name))
        .or_else(|| Some(&signature[before_name(&signature[..at])?]))
        .or_else(|| {
            let bases = vocabulary::GENERIC_BASES.iter();
            bases
                .into_iter()
                .find_map(|base| arguments_behind(own, base))
        });
    let all = inside.map(split).unwrap_or_default();
    all.into_iter().filter_map(type_parameter_name).collect()
}

/// Returns the text after a name, without the words that introduce a function value: `<T>(item: T)` of
/// ` = async <T>(item: T)`.
fn function_value(behind: &str) -> &str {
    let Some(value) = behind.trim_start().strip_prefix('=') else {
        return behind;
    };
    vocabulary::FUNCTION_WORDS
        .iter()
        .fold(value.trim_start(), |value, word| {
            value.strip_prefix(word).unwrap_or(value).trim_start()
        })
}

/// Returns the text between the brackets after a name: `K, V` of `Map<K, V>`.
fn arguments_behind<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let behind = function_value(&text[find_name(text, name)? + name.len()..]);
    match skip_generics(behind) {
        0 => None,
        length => Some(&behind[1..length - 1]),
    }
}

/// Returns the range of the type parameters before a name, at the start of the text, after white space or after `template`:
/// `template <typename T>`, `public <T>`.
fn before_name(text: &str) -> Option<Range<usize>> {
    let open = text.match_indices('<').map(|(at, _)| at).find(|at| {
        let before = &text[..*at];
        before.is_empty() || before.ends_with(char::is_whitespace) || before.ends_with(TEMPLATE)
    })?;
    let length = skip_generics(&text[open..]).checked_sub(1)?;
    Some(open + 1..open + length)
}

/// Returns the text after the type parameters that precede a result type: `Stream<T>` of `static <T> Stream<T>`.
fn behind_type_parameters(text: &str) -> &str {
    before_name(text).map_or(text, |inside| text[inside.end + 1..].trim_start())
}

fn type_parameter_name(text: &str) -> Option<&str> {
    // A lifetime has a position among the type parameters, but is not a type.
    if text.starts_with('\'') {
        return Some(text);
    }
    let head = text.split([':', '=', '<', '[', '(']).next()?;
    head.split(|sign: char| !is_word(sign))
        .find(|word| !word.is_empty() && !vocabulary::TYPE_PARAMETER_MODIFIERS.contains(word))
}

/// Returns the type that an alias stands for.
pub fn aliased<'a>(signature: &'a str, name: &str, at: usize) -> Option<&'a str> {
    let after = &signature[at + name.len()..];
    let text = after.split_once('=').map_or(after, |(_, text)| text).trim();
    // `typedef struct node Node`: the type is before the name.
    let text = if text.trim_matches(';').is_empty() {
        signature[..at].trim()
    } else {
        text
    };
    (!text.is_empty()).then_some(text)
}

/// Returns the position of a `=` that is neither part of a comparison nor of an arrow.
fn find_assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b'=' if depth <= 0 => {
                let alone = !matches!(bytes.get(at + 1), Some(b'=' | b'>'))
                    && !matches!(
                        at.checked_sub(1).map(|before| bytes[before]),
                        Some(b'=' | b'!' | b'<' | b'>')
                    );
                if alone {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns `Type Owner::` without the owner.
fn without_container(before: &str) -> &str {
    let before = before.trim_end();
    match before.strip_suffix("::") {
        Some(owner) => owner
            .rfind(|sign: char| !is_word(sign) && !matches!(sign, ':' | '<' | '>'))
            .map_or("", |at| &owner[..at]),
        None => before,
    }
}

fn has_only_modifiers(text: &str) -> bool {
    // Another variable of the same declaration, `var $a, $b`, is not a type either.
    paths(text).all(|word| vocabulary::MODIFIERS.contains(&word) || word.starts_with('$'))
}

/// Returns the type that a text begins with, and the text after it.
pub fn first_type(text: &str) -> (&str, &str) {
    // A type may contain spaces inside its brackets.
    let mut depth = 0_i32;
    let end = text.find(|sign: char| {
        depth += match sign {
            '<' | '(' | '[' | '{' => 1,
            '>' | ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth <= 0 && sign.is_whitespace()
    });
    let (kind, behind) = text.split_at(end.unwrap_or(text.len()));
    (
        kind.strip_prefix('{')
            .and_then(|kind| kind.strip_suffix('}'))
            .unwrap_or(kind),
        behind,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_arguments_follow_their_own_name() {
        assert_eq!(arguments_behind("Box[Circle]", "Box"), Some("Circle"));
        assert_eq!(arguments_behind("Boxes<Circle> Box", "Box"), None);
    }
}
