//! A tree as one list, in the order of the text, so that a query goes through memory instead of through calls.
//!
//! A node stands right before what is in it. Only what a query can tell apart is kept.

use tree_sitter::Tree;
use tree_sitter::ffi::TSNode;

use super::Span;

/// No node.
pub const NOWHERE: u32 = u32::MAX;
/// The kind that the parser gives to a part which it could not make sense of.
pub const ERROR: u16 = u16::MAX;

/// As in `flat.c`, which makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FlatNode {
    pub start: u32,
    pub end: u32,
    /// The place behind the last node in this one.
    pub next: u32,
    pub parent: u32,
    pub kind: u16,
    /// 0 where it has none, or where nobody asks.
    pub field: u16,
    pub is_named: bool,
}

/// The nodes of a tree that are kept, by the numbers of their kinds.
#[derive(Debug, Default)]
pub struct NodeFilter {
    pub kinds: Vec<KindFilter>,
    /// The fields of what is in any node are wanted.
    pub all_fields: bool,
}

/// As in `flat.c`, which reads them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct KindFilter {
    pub is_named: bool,
    /// A node of this kind can make a difference.
    pub is_wanted: bool,
    /// The fields of what is in it are wanted.
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
        // The kind of an error is none of the grammar's.
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

    /// Returns the children of a node as a range: the place of the first, and the place behind the last.
    pub fn inside(&self, at: u32) -> (u32, u32) {
        (at + 1, self.node(at).next)
    }

    /// Returns the siblings that follow a node, as a range.
    pub fn behind(&self, at: u32) -> (u32, u32) {
        let node = self.node(at);
        let end = if node.parent == NOWHERE {
            node.next
        } else {
            self.node(node.parent).next
        };
        (node.next, end)
    }

    pub fn has_named_behind(&self, at: u32) -> bool {
        let (mut next, end) = self.behind(at);
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
        let (mut next, end) = self.inside(at);
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

/// A place in a text or a list. No parser takes a text of four gigabytes.
fn offset(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
