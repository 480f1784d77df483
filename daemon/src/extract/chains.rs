//! Condenses chains of calls that are too long to store or span several lines: `Command().arg().spawn()`.
//!
//! The type of a chain follows from its names; arguments only matter for generic results.

use super::type_expr::{is_word, split_pattern};
use crate::lang::vocabulary;

/// Longer chains are not worth resolving.
const LONGEST_CHAIN: usize = 400;

/// Returns a chain with emptied brackets and without spaces; none for any other expression.
pub fn condense(text: &str) -> Option<String> {
    // A destructured tuple: `(store, log) = open(…)`.
    if let Some((pattern, sign, value)) = split_pattern(text)
        && pattern.contains(',')
        && !pattern.contains('\n')
    {
        return condense(value).map(|value| format!("{pattern}{sign}{value}"));
    }
    let (prefix, chain) = vocabulary::CHAIN_PREFIXES
        .iter()
        .find_map(|prefix| Some((*prefix, text.strip_prefix(prefix)?)))
        .unwrap_or(("", text));
    let mut kept = prefix.to_owned();
    let mut depth = 0_u32;
    let mut rest = chain.trim_start();
    while let Some(sign) = rest.chars().next() {
        let length = skipped(rest).unwrap_or(sign.len_utf8());
        let is_kept = match sign {
            '(' | '[' | '{' => {
                depth += 1;
                depth == 1
            }
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                depth == 0
            }
            _ if depth > 0 => false,
            sign if sign.is_whitespace() => {
                let joins = rest
                    .trim_start()
                    .starts_with(['.', '?', ':', '-', '/', '#'])
                    || !kept.ends_with(is_word);
                if !joins {
                    return None;
                }
                false
            }
            '/' | '#' if length > 1 => false,
            '"' | '\'' | '`' => return None,
            sign => {
                let is_private = sign == '#' && kept.ends_with('.');
                if !is_word(sign) && !is_private && !".:?!<>&*@,-".contains(sign) {
                    return None;
                }
                true
            }
        };
        if is_kept {
            kept.push(sign);
            if kept.len() > LONGEST_CHAIN {
                return None;
            }
        }
        rest = &rest[length..];
    }
    let is_chain = kept.trim_start_matches(['&', '*']).starts_with(is_word);
    (depth == 0 && is_chain).then_some(kept)
}

/// Returns the position of a closure among the arguments of a call, and that of a parameter in the closure, given the text
/// between the callee and the parameter: 1 and 0 for `(path, (`. None if the closure is not an argument itself.
pub fn closure_parameter(text: &str) -> Option<(usize, usize)> {
    let mut commas: Vec<usize> = vec![];
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        match sign {
            '(' | '[' | '{' => commas.push(0),
            ')' | ']' | '}' => {
                commas.pop()?;
            }
            // A comma between type arguments is outside all brackets: `open<A, B>(`.
            ',' => {
                if let Some(last) = commas.last_mut() {
                    *last += 1;
                }
            }
            _ => {}
        }
        rest = &rest[skipped(rest).unwrap_or(sign.len_utf8())..];
    }
    match commas[..] {
        [argument] => Some((argument, 0)),
        [argument, parameter] => Some((argument, parameter)),
        _ => None,
    }
}

/// Returns the length of the string or comment that a text begins with, whose brackets do not count.
fn skipped(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if text.starts_with("//") || text.starts_with("# ") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix(['"', '\'', '`'])?;
    let mut is_escaped = false;
    for (at, sign) in inside.char_indices() {
        match sign {
            // A lifetime, or an apostrophe in a comment.
            '\n' if first == '\'' => return None,
            sign if sign == first && !is_escaped => return Some(at + 2),
            sign => is_escaped = sign == '\\' && !is_escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_a_closure_has_a_place_in_the_call() {
        for (text, expected) in [
            ("(", Some((0, 0))),
            ("(path, ", Some((1, 0))),
            ("(\"a, b(\", async (", Some((1, 0))),
            ("([a, b], open(1, 2), function (one, ", Some((2, 1))),
            ("<A, B>(", Some((0, 0))),
            ("({ run: { go: (", None),
            (")(", None),
        ] {
            assert_eq!(closure_parameter(text), expected, "{text}");
        }
    }

    #[test]
    fn a_chain_keeps_its_names_and_loses_its_arguments() {
        for (text, condensed) in [
            (
                "Command::new(\"a (b\")\n    // The first.\n    .arg('(')\n    .args([1, 2])",
                Some("Command::new().arg().args()"),
            ),
            (
                "z.object({\n  name: z.string(),\n}).optional",
                Some("z.object().optional"),
            ),
            (
                "await open(\n  path,\n).read()",
                Some("await open().read()"),
            ),
            (
                "self.items[0]?.run(|one| { one.go() })",
                Some("self.items[]?.run()"),
            ),
            (
                "(store, log) = open(\n  path,\n)",
                Some("(store, log) = open()"),
            ),
            ("match one {\n  _ => two,\n}.run()", None),
            ("a + b.run(c)", None),
            ("\"text\".repeat(3)", None),
            ("open(", None),
            ("run(1)", Some("run()")),
            ("this.#store.open(1)", Some("this.#store.open()")),
            ("{ size: 1 }", None),
        ] {
            assert_eq!(condense(text).as_deref(), condensed, "{text}");
        }
    }
}
