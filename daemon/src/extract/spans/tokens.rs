//! The tokens and the comments of a text, to compare them with those of an edited text.

use tree_sitter::{Node, Tree};

use super::{ByteSpan, TokenSpan};
use crate::extract::text::offset;

/// Returns the tokens of code and the comments of a text, each in order. Nodes without a text, such as the end of a statement at
/// a line break, are left out. `strings` has the kinds of nodes of strings.
pub fn find(trees: &[Tree], text: &str, strings: &[&str]) -> (Vec<TokenSpan>, Vec<ByteSpan>) {
    let (mut tokens, mut comments) = (vec![], vec![]);
    for tree in trees {
        collect(tree, text, strings, &mut tokens, &mut comments);
    }
    if trees.len() > 1 {
        tokens.sort_by_key(|token| token.span);
        comments.sort_unstable();
    }
    (tokens, comments)
}

fn collect(
    tree: &Tree,
    text: &str,
    strings: &[&str],
    tokens: &mut Vec<TokenSpan>,
    comments: &mut Vec<ByteSpan>,
) {
    let mut cursor = tree.walk();
    let mut paths = vec![];
    // The nodes around the current one that have no token yet.
    let mut begun = 0_u16;
    loop {
        let node = cursor.node();
        // The text of a heredoc is in any node that its lines are in, and belongs to none.
        let is_string = node.is_extra() && strings.contains(&node.kind());
        let around = if is_string {
            Some(ROOT)
        } else {
            paths.last().copied()
        };
        // A comment may have parts, and skipped text that is no code is an error.
        let is_comment = node.is_extra() && !node.is_error() && !is_string;
        if is_comment {
            comments.extend(trimmed(node, text));
        } else if cursor.goto_first_child() {
            paths.push(path(node, around));
            begun = begun.saturating_add(1);
            continue;
        } else if let Some(span) = trimmed(node, text) {
            tokens.push(TokenSpan {
                span,
                kind: node.kind_id(),
                path: around.unwrap_or(ROOT),
                begins: std::mem::take(&mut begun),
            });
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            paths.pop();
            // The node had a token, or else it is the last one that has begun.
            begun = begun.saturating_sub(1);
        }
    }
}

/// The path of the root, whose kind may change with an error anywhere.
const ROOT: u32 = 1;

/// Returns a hash of the kinds of a node and of the nodes around it; zero if one of them, other than the root, has an error.
fn path(node: Node<'_>, around: Option<u32>) -> u32 {
    match around {
        None => ROOT,
        Some(0) => 0,
        Some(_) if node.has_error() => 0,
        Some(around) => {
            (around.rotate_left(5) ^ u32::from(node.kind_id())).wrapping_mul(0x9E37_79B1) | 1
        }
    }
}

/// Returns the bytes of a node without white space at its ends; none if there are no others.
fn trimmed(node: Node<'_>, text: &str) -> Option<ByteSpan> {
    let own = text.get(node.byte_range())?;
    let end = node.start_byte() + own.trim_end().len();
    let start = end - own.trim().len();
    (start < end).then(|| (offset(start), offset(end)))
}
