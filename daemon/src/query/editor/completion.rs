//! Completions at the cursor: names in scope, and members after an operator.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{
    CompletionName, CompletionNames, EditorAnswer, FilePoint, TextRange,
};

use super::view::EditorView;
use crate::extract::find_non_code;
use crate::extract::type_expr::is_word;
use crate::graph::Position;
use crate::graph::completion::VisibleName;

/// The most names of an answer: the client asks again with the next letter.
const MAX_COMPLETIONS: usize = 200;
/// Operators between a value and its member, longer ones before those that they end with: `store->open`, `Store::new`,
/// `store?.open`.
const MEMBER_OPERATORS: [&str; 5] = ["->", "::", "?.", "&.", "."];

pub fn completions(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let file = view.file(&at.path)?;
    let lines = view.lines(file);
    let Some((text, cursor)) = lines.text_and_byte(view.unit, at.position) else {
        return Ok(EditorAnswer::Completions(CompletionNames::default()));
    };
    let before = &text[..cursor];
    let start = before.trim_end_matches(is_word).len();
    let (code, prefix) = before.split_at(start);
    if prefix.starts_with(char::is_numeric) || is_beside_code(view, file, text, cursor) {
        return Ok(EditorAnswer::Completions(CompletionNames::default()));
    }
    let (line, column) = lines.to_facts(view.unit, at.position);
    let here = Position {
        file,
        symbol: innermost_symbol(view, file, cursor),
        line,
        column: column.saturating_sub(u32::try_from(prefix.len()).unwrap_or(0)),
    };
    let found = match receiver(code) {
        Some(expression) => {
            let values = view.graph.values();
            values.visible_members(here, expression, prefix)
        }
        None => Some(view.graph.scopes().visible_names(here, prefix)),
    };
    let mut found = found.unwrap_or_default();
    // Local names first, then those of the same file.
    found.sort_by_key(|one| one.symbol.map(|at| at.file != file));
    let is_incomplete = found.len() > MAX_COMPLETIONS || prefix.is_empty();
    found.truncate(MAX_COMPLETIONS);
    let prefix_start = lines.position(view.unit, here.line, here.column);
    Ok(EditorAnswer::Completions(CompletionNames {
        range: TextRange {
            start: prefix_start,
            end: at.position,
        },
        names: found.iter().map(|one| describe(view, one)).collect(),
        is_incomplete,
    }))
}

fn describe(view: &EditorView<'_>, found: &VisibleName) -> CompletionName {
    let symbol = found.symbol.map(|at| view.graph.symbol(at));
    CompletionName {
        name: found.name.clone(),
        kind: symbol.map(|symbol| symbol.kind),
        signature: symbol.map_or_else(String::new, |symbol| symbol.signature.to_string()),
    }
}

/// Returns whether the character before the cursor is in a comment or a string.
fn is_beside_code(view: &EditorView<'_>, file: u32, text: &str, cursor: usize) -> bool {
    let Some(language) = view.graph.file(file).language else {
        return true;
    };
    let beside = find_non_code(language, text);
    let last = u32::try_from(cursor.saturating_sub(1)).unwrap_or(u32::MAX);
    beside.is_comment(last) || beside.is_string(last)
}

/// Returns the innermost symbol around a byte of the text.
fn innermost_symbol(view: &EditorView<'_>, file: u32, cursor: usize) -> Option<u32> {
    let symbols = &view.graph.file(file).outline.symbols;
    let is_around = |start: u32, end: u32| start as usize <= cursor && cursor <= end as usize;
    let place = symbols
        .iter()
        .rposition(|symbol| is_around(symbol.start_byte, symbol.end_byte))?;
    u32::try_from(place).ok()
}

/// Returns the expression before a member operator at the end of code: `store.open()` of `let a = store.open().`. None if the
/// code does not end with one.
fn receiver(code: &str) -> Option<&str> {
    let mut start = strip_operator(code.trim_end())?.trim_end();
    let end = start.len();
    loop {
        let rest = start.trim_end_matches(['?', '!']);
        let rest = match rest.chars().next_back() {
            Some(')' | ']') => strip_brackets(rest),
            Some(letter) if is_word(letter) => rest.trim_end_matches(is_word),
            _ => break,
        };
        let rest = rest.trim_end_matches(['$', '@']);
        start = rest;
        // The callee or indexed value is directly before its brackets.
        if rest.ends_with(|sign: char| is_word(sign) || matches!(sign, ')' | ']')) {
            continue;
        }
        match strip_operator(rest.trim_end()) {
            Some(before) => start = before.trim_end(),
            None => break,
        }
    }
    Some(code[start.len()..end].trim_start())
}

fn strip_operator(code: &str) -> Option<&str> {
    MEMBER_OPERATORS
        .iter()
        .find_map(|operator| code.strip_suffix(operator))
}

/// Returns the code before the brackets at its end: `open` of `open(a, b)`.
fn strip_brackets(code: &str) -> &str {
    let mut depth = 0_u32;
    for (at, sign) in code.char_indices().rev() {
        match sign {
            ')' | ']' => depth += 1,
            '(' | '[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &code[..at];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_before_a_member_operator_is_found() {
        for (code, expression) in [
            ("let a = store.", Some("store")),
            ("run(store.open(a, b[0])?.", Some("store.open(a, b[0])")),
            ("Store::", Some("Store")),
            ("$this->", Some("$this")),
            ("if (a && b->c[i].", Some("b->c[i]")),
            (
                "  builder()\n    .name(1)\n    .",
                Some("builder()\n    .name(1)"),
            ),
            ("return value", None),
            ("", None),
            (".", Some("")),
        ] {
            assert_eq!(receiver(code), expression, "{code}");
        }
    }
}
