//! Declarations that depend on the bytes of another symbol: `x` and `y` in `int x, y;`. An edit of one symbol must not remove them.

use std::ops::Range;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use super::deletion;
use super::placement::Target;
use super::remaining_uses::has_word;
use crate::extract::spans::SymbolSpan;
use crate::lang::families::Feature;
use crate::query::shared::edited_file::{CheckedText, EditedFile};
use crate::query::shared::splice::Splice;

const BY_LINES: &str = "edit the whole declaration by its lines";

/// Refuses to delete a symbol if code that stays needs its bytes. `deleted` has the symbols that the call deletes.
pub fn check_deletion(
    file: &EditedFile,
    symbol: usize,
    deleted: &[usize],
) -> Result<(), ToolError> {
    let old = &file.spans.symbols[symbol];
    if old.above < old.whole.0 {
        let message = format!(
            "lines of the preprocessor stand between `{}` and the comment or attribute above it; nothing was changed",
            old.name
        );
        let error = ToolError::invalid_argument(message);
        return Err(error.with_hint("delete the lines of all of them"));
    }
    if old.is_argument {
        let message = format!(
            "`{}` is an argument of a call, which would lack it; nothing was changed",
            old.name
        );
        return Err(ToolError::invalid_argument(message).with_hint("edit the call by its lines"));
    }
    let stays = |(at, _): &(usize, &SymbolSpan)| !deleted.contains(at);
    if let Some(pattern) = old.pattern {
        let range = pattern.0 as usize..pattern.1 as usize;
        let names = siblings(file, symbol, range).map(|(_, other)| &*other.name);
        return Err(refuse_shared(&old.name, names.collect()));
    }
    let siblings = siblings(file, symbol, deletion::range(file, old)).filter(stays);
    let mut names: Vec<&str> = siblings.map(|(_, other)| &*other.name).collect();
    let symbols = &file.spans.symbols;
    let is_deleted = |name: &str| deleted.iter().any(|at| *symbols[*at].name == *name);
    let declared = old.also_declared.iter().map(|name| &**name);
    names.extend(declared.filter(|name| !is_deleted(name)));
    if !names.is_empty() {
        return Err(refuse_shared(&old.name, names));
    }
    match repeating_constant(file, symbol, deleted) {
        Some(next) => {
            let message = format!(
                "`{}` has no value of its own, so deleting `{}` would change it; nothing was changed",
                next.name, old.name
            );
            Err(ToolError::invalid_argument(message).with_hint(BY_LINES))
        }
        None => Ok(()),
    }
}

/// Refuses a new text that declares neither the symbol nor another, or that lacks a symbol declared together with it.
pub fn check_declarations(
    target: &Target<'_>,
    splice: &Splice,
    replaced: &CheckedText,
    text: &str,
) -> Result<(), ToolError> {
    let old = target.symbol;
    let is_new = |symbol: &&SymbolSpan| {
        let at = symbol.name_at as usize;
        replaced.ranges.iter().any(|range| range.contains(&at))
    };
    let new: Vec<&str> = replaced
        .spans
        .symbols
        .iter()
        .filter(is_new)
        .map(|symbol| &*symbol.name)
        .collect();
    // A declaration may be no symbol, such as an import: `const store = require("./store")`.
    let begins_with_name = text
        .trim_start()
        .strip_prefix(&*old.name)
        .is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_'));
    if new.is_empty() && (begins_with_name || !has_word(text, &old.name)) {
        let message = format!(
            "the text does not declare `{}`, and nothing else; nothing was changed",
            old.name
        );
        return Err(ToolError::invalid_argument(message)
            .with_hint("give the whole declaration; `delete` removes a symbol"));
    }
    let symbols = &target.file.spans.symbols;
    let Some(index) = symbols.iter().position(|symbol| std::ptr::eq(symbol, old)) else {
        return Ok(());
    };
    let siblings =
        siblings(target.file, index, splice.range.clone()).map(|(_, other)| &*other.name);
    let mut missing: Vec<&str> = siblings.filter(|name| !new.contains(name)).collect();
    let declared = old.also_declared.iter().map(|name| &**name);
    missing.extend(declared.filter(|name| !has_word(text, name)));
    if missing.is_empty() {
        return Ok(());
    }
    Err(refuse_shared(&old.name, missing))
}

/// Returns the symbols that are declared in a range, and are not inside the symbol.
fn siblings(
    file: &EditedFile,
    symbol: usize,
    range: Range<usize>,
) -> impl Iterator<Item = (usize, &SymbolSpan)> {
    let symbols = &file.spans.symbols;
    let old = &symbols[symbol];
    let is_inside = move |other: &SymbolSpan| {
        let (outer, inner) = (old.definition, other.definition);
        outer.0 <= inner.0 && inner.1 <= outer.1 && outer != inner
    };
    symbols.iter().enumerate().filter(move |(at, other)| {
        let is_other = *at != symbol && other.name != old.name;
        is_other && range.contains(&(other.name_at as usize)) && !is_inside(other)
    })
}

/// Returns the constant below a symbol that repeats its expression, or its count: `B` of `const ( A = iota; B )`.
fn repeating_constant<'a>(
    file: &'a EditedFile,
    symbol: usize,
    deleted: &[usize],
) -> Option<&'a SymbolSpan> {
    let facts = file.language.facts.as_ref()?;
    if !facts.names.has(Feature::RepeatedConstants) {
        return None;
    }
    let mut last = &file.spans.symbols[symbol];
    let is_constant = |symbol: &SymbolSpan| symbol.kind == SymbolKind::Constant;
    let below = file.spans.symbols.iter().enumerate().skip(symbol + 1);
    for (at, next) in below {
        let between = file
            .text
            .get(last.line_end as usize..next.whole.0 as usize)?;
        // `_` skips a value.
        let is_adjacent = between
            .chars()
            .all(|sign| sign.is_whitespace() || matches!(sign, '_' | ';'));
        let own = &file.text[next.definition.0 as usize..next.definition.1 as usize];
        if !is_constant(last) || !is_constant(next) || !is_adjacent || own.contains('=') {
            return None;
        }
        if !deleted.contains(&at) {
            return Some(next);
        }
        last = next;
    }
    None
}

fn refuse_shared(name: &str, mut others: Vec<&str>) -> ToolError {
    others.dedup();
    let names: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
    let others = if names.is_empty() {
        "other names".to_owned()
    } else {
        names.join(", ")
    };
    let message = format!("`{name}` is declared together with {others}; nothing was changed");
    ToolError::invalid_argument(message).with_hint(BY_LINES)
}
