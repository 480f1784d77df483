//! Strings over several lines.

use tree_sitter::Node;

use super::{ByteSpan, Span, SpanFinder, to_span};
use crate::lang::Language;

impl SpanFinder<'_> {
    /// Returns the multi-line strings.
    pub(super) fn find_strings(&self, language: &Language) -> Vec<ByteSpan> {
        let mut found = vec![];
        let (Some(facts), Some(tree)) = (&language.facts, self.trees.first()) else {
            return found;
        };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let goes_on = node.start_position().row < node.end_position().row;
            let is_string = goes_on && facts.string_nodes.contains(&node.kind());
            if is_string && !self.is_documentation(&node) {
                self.push_strings(&node, &mut found);
            }
            if goes_on && !is_string && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    fn is_documentation(&self, string: &Node<'_>) -> bool {
        let span = to_span(string);
        let first = self.docs.partition_point(|doc| doc.start < span.start);
        self.docs.get(first).is_some_and(|doc| doc.end <= span.end)
    }

    /// Adds a string, or each of several adjacent strings that form one node: `'one '` above `'two'` in Dart.
    fn push_strings(&self, node: &Node<'_>, found: &mut Vec<ByteSpan>) {
        let whole = to_span(node);
        let mut start = whole.start;
        let mut cursor = node.walk();
        let quotes: Vec<Span> = node
            .children(&mut cursor)
            .filter(|child| !child.is_named())
            .map(|child| to_span(&child))
            .filter(|sign| self.text.slice(sign.start, sign.end).contains(['"', '\'']))
            .collect();
        for pair in quotes[quotes.len().min(1)..].chunks_exact(2) {
            let gap = self.text.slice(pair[0].end, pair[1].start);
            if !gap.is_empty() && gap.trim().is_empty() {
                found.push((start, pair[0].end));
                start = pair[1].start;
            }
        }
        found.push((start, whole.end));
    }
}
