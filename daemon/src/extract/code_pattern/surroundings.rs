//! The code around the matches of a file: it must be read as before, whatever stands in their place.
//!
//! `if (a) log(1);` in front of `b();` must not become `if (a) b();`. Positions are counted in bytes that are neither white space
//! nor a part of a match, so they are the same in the old text and in the new one.

use std::ops::Range;

use tree_sitter::{Node, Tree};

/// A range in bytes of code outside the matches.
type OutsideRange = (u32, u32);

/// A node around a match, and its parts directly beside the match or beside the node around it.
#[derive(Debug, PartialEq, Eq)]
pub struct Level {
    part: Part,
    beside: [Option<Part>; 2],
}

impl Level {
    /// Returns whether the match is the last part of the node.
    pub fn ends_with_match(&self) -> bool {
        self.beside[1].is_none()
    }
}

type Part = (u16, OutsideRange);

/// A text with matches in it.
pub struct Surroundings<'a> {
    text: &'a str,
    tree: &'a Tree,
    /// The number of bytes outside the matches before each byte of the text.
    outside: Vec<u32>,
}

impl<'a> Surroundings<'a> {
    /// `matches` are in the order of the text and do not overlap.
    pub fn new(text: &'a str, tree: &'a Tree, matches: &[Range<usize>]) -> Self {
        let mut outside = Vec::with_capacity(text.len() + 1);
        let mut matches = matches.iter().peekable();
        let mut count = 0;
        for (at, byte) in text.bytes().enumerate() {
            while matches.next_if(|one| one.end <= at).is_some() {}
            outside.push(count);
            let is_inside = matches.peek().is_some_and(|one| one.start <= at);
            count += u32::from(!is_inside && !byte.is_ascii_whitespace());
        }
        outside.push(count);
        Self {
            text,
            tree,
            outside,
        }
    }

    /// Returns the nodes around a match, the innermost first. Code that is removed was directly in `innermost`.
    pub fn around(&self, range: Range<usize>, innermost: Option<&Level>) -> Vec<Level> {
        let range = trimmed(self.text, range);
        let place = self.range(&range);
        let root = self.tree.root_node();
        let mut node = match innermost.filter(|_| range.is_empty()) {
            Some(level) => self.find(level.part),
            None => root.descendant_for_byte_range(range.start, range.end),
        };
        let is_replaced = |node: &Node<'_>| {
            let own = self.range(&node.byte_range());
            own.0 == own.1
        };
        while let Some(inner) = node.filter(is_replaced) {
            node = inner.parent();
        }
        let mut levels = vec![];
        let mut inside = place;
        while let Some(around) = node {
            let own = self.range(&around.byte_range());
            levels.push(Level {
                part: (around.kind_id(), own),
                beside: self.beside(around, inside),
            });
            inside = own;
            node = around.parent();
        }
        levels
    }

    /// Returns the outermost node that is a part.
    fn find(&self, part: Part) -> Option<Node<'_>> {
        let mut node = self.tree.root_node();
        loop {
            if (node.kind_id(), self.range(&node.byte_range())) == part {
                return Some(node);
            }
            let mut cursor = node.walk();
            let inner = node.children(&mut cursor).find(|child| {
                let own = self.range(&child.byte_range());
                own.0 <= part.1.0 && part.1.1 <= own.1
            });
            node = inner?;
        }
    }

    /// Returns the parts of a node directly before and behind a range.
    fn beside(&self, node: Node<'_>, inside: OutsideRange) -> [Option<Part>; 2] {
        let mut beside = [None, None];
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            let own = self.range(&child.byte_range());
            if own.0 == own.1 {
                continue;
            }
            let part = (child.kind_id(), own);
            if own.1 <= inside.0 {
                beside[0] = Some(part);
            } else if own.0 >= inside.1 {
                beside[1] = Some(part);
                break;
            }
        }
        beside
    }

    fn range(&self, range: &Range<usize>) -> OutsideRange {
        let at = |at: usize| self.outside[at.min(self.outside.len() - 1)];
        (at(range.start), at(range.end))
    }
}

/// Returns a range without white space at its ends.
pub fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let own = text.get(range.clone()).unwrap_or_default();
    let end = range.start + own.trim_end().len();
    end - own.trim().len()..end
}
