//! A syntax tree as a flat list of nodes, in the order of the text, so that a query reads memory instead of making calls.
//!
//! A node is directly followed by its descendants. Only nodes that can make a difference to a query are kept.

use tree_sitter::Tree;
use tree_sitter::ffi::TSNode;

use super::Span;

/// No node.
pub const NOWHERE: u32 = u32::MAX;
/// The kind of a node for text that could not be parsed.
pub const ERROR: u16 = u16::MAX;

/// A node. It has the same layout in `flat.c`, which makes the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FlatNode {
    pub start: u32,
    pub end: u32,
    /// The index after the last descendant.
    pub next: u32,
    pub parent: u32,
    pub kind: u16,
    /// 0 if the node has none, or if no query needs it.
    pub field: u16,
    pub is_named: bool,
}

/// The nodes of a tree that are kept, by the ids of their kinds.
#[derive(Debug, Default)]
pub struct NodeFilter {
    pub kinds: Vec<KindFilter>,
    /// True if the fields of the children of every node are wanted.
    pub all_fields: bool,
}

/// The filter for one kind of node. It has the same layout in `flat.c`, which reads it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct KindFilter {
    pub is_named: bool,
    /// True if a node of this kind can make a difference to a query.
    pub is_wanted: bool,
    /// True if the fields of its children are wanted.
    pub has_fields: bool,
}

pub struct FlatTree {
    pub nodes: Vec<FlatNode>,
}

#[expect(unsafe_code, reason = "trees are the parser's, which is written in C")]
unsafe extern "C" {
    /// In `flat.c`.
    fn claudevil_flatten(
        root: TSNode,
        kinds: *const KindFilter,
        kind_count: u32,
        unknown: KindFilter,
        nodes: *mut FlatNode,
        most: u32,
    ) -> u32;
}

impl FlatTree {
    pub fn new(tree: &Tree, kept: &NodeFilter) -> Self {
        let root = tree.root_node();
        let mut nodes: Vec<FlatNode> = Vec::with_capacity(root.descendant_count());
        // The kind of an error is not among those of the grammar.
        let unknown = KindFilter {
            is_named: true,
            is_wanted: true,
            has_fields: kept.all_fields,
        };
        let (kinds, kind_count) = (kept.kinds.as_ptr(), offset(kept.kinds.len()));
        let (into, most) = (nodes.as_mut_ptr(), offset(nodes.capacity()));
        #[expect(
            unsafe_code,
            reason = "the tree outlives the call, which writes as many nodes as there is room for"
        )]
        unsafe {
            let count = claudevil_flatten(root.into_raw(), kinds, kind_count, unknown, into, most);
            nodes.set_len(count as usize);
        }
        Self { nodes }
    }

    pub fn node(&self, at: u32) -> &FlatNode {
        &self.nodes[at as usize]
    }

    pub fn span(&self, at: u32) -> Span {
        let node = self.node(at);
        Span {
            start: node.start,
            end: node.end,
        }
    }

    /// Returns the range of a node's descendants: the index of the first child, and the index after the last descendant.
    pub fn descendants(&self, at: u32) -> (u32, u32) {
        (at + 1, self.node(at).next)
    }

    /// Returns the siblings that follow a node, as a range.
    pub fn following_siblings(&self, at: u32) -> (u32, u32) {
        let node = self.node(at);
        let end = if node.parent == NOWHERE {
            node.next
        } else {
            self.node(node.parent).next
        };
        (node.next, end)
    }

    pub fn has_named_following(&self, at: u32) -> bool {
        let (mut next, end) = self.following_siblings(at);
        while next < end {
            let node = self.node(next);
            if node.is_named {
                return true;
            }
            next = node.next;
        }
        false
    }

    pub fn has_field(&self, at: u32, field: u16) -> bool {
        let (mut next, end) = self.descendants(at);
        while next < end {
            let node = self.node(next);
            if node.field == field {
                return true;
            }
            next = node.next;
        }
        false
    }
}

/// Converts an offset in a text or a list. No parser takes a text of four gigabytes.
fn offset(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
