//! Statements that are not indented like their block, in languages whose blocks are indentation: grammars accept them, and
//! compilers do not.

use tree_sitter::{Node, Tree};

use super::{ByteSpan, to_span};
use crate::extract::text::Text;
use crate::lang::Facts;

/// Returns the beginnings of lines that are indented differently from the statements before them in the same block.
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
        let goes_on = node.start_position().row < node.end_position().row;
        let is_string = facts.string_nodes.contains(&node.kind());
        if goes_on && !is_bracket && !is_string && !node.is_error() {
            check_block(&node, text, &mut found);
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
