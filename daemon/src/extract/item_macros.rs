//! Items in the braces of a macro: `cfg_server! { impl Store { … } }`.
//!
//! A grammar does not parse the arguments of a macro. Where they are items like any others, the parser gets a text in which the
//! macro around them is blanked.

use tree_sitter::{Node, Tree};

use super::captures::{FileCaptures, RawRelation, Reference, Span};
use super::facts::{RelationKind, Role};
use super::text::{Text, offset};
use crate::lang::families::ItemMacros;

/// An invocation whose arguments are parsed as items.
#[derive(Clone, Copy, Debug)]
pub struct ItemMacro {
    pub name: Span,
    /// The items, without the braces around them.
    pub items: Span,
    whole: Span,
}

/// Returns the invocations in braces that take the place of items.
pub fn find(tree: &Tree, rules: &ItemMacros) -> Vec<ItemMacro> {
    let mut found = vec![];
    let mut blocks = vec![tree.root_node()];
    while let Some(block) = blocks.pop() {
        let mut cursor = block.walk();
        for node in block.named_children(&mut cursor) {
            if node.kind() == rules.invocation {
                found.extend(item_macro(node, rules));
            } else if rules.blocks.contains(&node.kind()) {
                blocks.push(node);
            }
        }
    }
    found
}

fn item_macro(node: Node<'_>, rules: &ItemMacros) -> Option<ItemMacro> {
    let name = node.named_child(0)?;
    let mut cursor = node.walk();
    let arguments = node
        .named_children(&mut cursor)
        .find(|one| one.kind() == rules.arguments)?;
    let in_braces = arguments.child(0)?.kind() == "{";
    let span = |start: usize, end: usize| Span {
        start: offset(start),
        end: offset(end),
    };
    in_braces.then(|| ItemMacro {
        name: span(name.start_byte(), name.end_byte()),
        items: span(arguments.start_byte() + 1, arguments.end_byte() - 1),
        whole: span(node.start_byte(), arguments.end_byte()),
    })
}

/// Returns whether the tree of a macro's arguments has items alone, and code among them.
pub fn has_items(tree: &Tree, rules: &ItemMacros) -> bool {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let kinds: Vec<&str> = root
        .named_children(&mut cursor)
        .map(|node| node.kind())
        .collect();
    let is_code = |kind: &&str| rules.code.contains(kind);
    !root.has_error()
        && kinds.iter().any(is_code)
        && (kinds.iter()).all(|kind| is_code(kind) || rules.others.contains(kind))
}

/// Returns the text without these macros around their items.
pub fn unwrapped(bytes: &[u8], macros: &[ItemMacro]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for one in macros {
        for (start, end) in [
            (one.whole.start, one.items.start),
            (one.items.end, one.whole.end),
        ] {
            for byte in &mut bytes[start as usize..end as usize] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
    }
    bytes
}

impl<'a> FileCaptures<'a> {
    /// Adds the uses of macros that were hidden from the parser. A macro may give a type members that are not in its text, so it
    /// counts as a supertype, as it does around a type alone.
    pub fn take_item_macros(&mut self, macros: &[ItemMacro], text: &Text<'a>) {
        for one in macros {
            let path = text.slice(one.name.start, one.name.end);
            let (qualifier, name) = match path.rsplit_once("::") {
                Some((qualifier, name)) => (Some(qualifier), name),
                None => (None, path),
            };
            self.references.push(Reference {
                at: one.name.end - offset(name.len()),
                name,
                role: Role::Call,
                qualifier: qualifier.map(Into::into),
            });
            let is_inside = |span: Span| one.items.contains(span);
            let types = (self.definitions.iter())
                .filter(|definition| definition.kind.is_type() && is_inside(definition.span));
            self.relations.extend(types.map(|definition| RawRelation {
                kind: RelationKind::Implements,
                subject: Some(definition.name),
                target: name,
                path: None,
                at: one.name.start,
            }));
        }
    }
}
