//! Statements that are not indented like their block, and blocks without a statement, in languages whose blocks are indentation:
//! grammars accept them, and compilers do not.

use tree_sitter::{Node, Tree};

use super::{ByteSpan, to_span};
use crate::extract::text::Text;
use crate::lang::Facts;

/// Returns the beginnings of lines that are indented differently from the statements before them in the same block, and the signs
/// behind which a block is empty: `if a:`.
///
/// A block is a node that consists of named nodes alone. Brackets and strings hold no blocks.
pub fn unexpected(tree: &Tree, text: &Text<'_>, facts: &Facts) -> Vec<ByteSpan> {
    let mut found = vec![];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_bracket = node.child(0).is_some_and(|first| {
            let span = to_span(&first);
            !first.is_named()
                && text
                    .slice(span.start, span.end)
                    .starts_with(['(', '[', '{'])
        });
        let is_string = facts.string_nodes.contains(&node.kind());
        if !is_bracket && !is_string && !node.is_error() {
            check_openers(&node, text, facts, &mut found);
            if node.start_position().row < node.end_position().row {
                check_block(&node, text, &mut found);
            }
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn check_block(node: &Node<'_>, text: &Text<'_>, found: &mut Vec<ByteSpan>) {
    let mut cursor = node.walk();
    let mut column = None;
    let mut unexpected = vec![];
    for child in node.children(&mut cursor).filter(|child| !child.is_extra()) {
        let start = to_span(&child).start;
        if !child.is_named() && text.slice(start, to_span(&child).end).trim() != ";" {
            return;
        }
        if !text.begins_line(start) || child.is_error() {
            continue;
        }
        let own = child.start_position().column;
        if *column.get_or_insert(own) != own {
            unexpected.push((start, start + 1));
        }
    }
    found.extend(unexpected);
}

/// Adds the signs directly in a node that open a block, if that has no statement. Its node has no text then.
fn check_openers(node: &Node<'_>, text: &Text<'_>, facts: &Facts, found: &mut Vec<ByteSpan>) {
    let opener = facts.names.family.block_opener();
    let mut cursor = node.walk();
    let mut sign = None;
    for child in node.children(&mut cursor).filter(|child| !child.is_extra()) {
        let span = to_span(&child);
        if child.is_named()
            && span.start == span.end
            && let Some(sign) = sign
        {
            found.push(sign);
        }
        let is_opener = text.slice(span.start, span.end).chars().eq(opener);
        sign = is_opener.then_some((span.start, span.end));
    }
}
