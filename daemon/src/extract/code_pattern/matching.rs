//! Compares the nodes of a file with a pattern.

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::reading::PatternNode;
use super::{FileMatches, HoleText, StructureMatch};
use crate::extract::spans::ByteSpan;
use crate::extract::text::offset;

/// The most comparisons of nodes for one file, which bounds patterns with many `$$$`.
const MAX_STEPS: u32 = 2_000_000;

/// A search through one file.
pub(super) struct Search<'a> {
    text: &'a str,
    inside: Option<&'a PatternNode>,
    not_inside: Option<&'a PatternNode>,
    steps: u32,
    most: usize,
    pub found: FileMatches,
}

impl<'a> Search<'a> {
    pub fn new(
        text: &'a str,
        most: usize,
        (inside, not_inside): (Option<&'a PatternNode>, Option<&'a PatternNode>),
    ) -> Self {
        Self {
            text,
            inside,
            not_inside,
            steps: MAX_STEPS,
            most,
            found: FileMatches::default(),
        }
    }

    pub fn run_pattern(&mut self, pattern: &PatternNode, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            let mut bound = vec![];
            if self.matches(pattern, cursor.node(), &mut bound) {
                let node = cursor.node();
                self.add(
                    node,
                    (offset(node.start_byte()), offset(node.end_byte())),
                    bound,
                );
            }
            if self.found.is_cut {
                return;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    pub fn run_query(&mut self, query: &Query, tree: &Tree) {
        let mut cursor = QueryCursor::new();
        let names = query.capture_names();
        let mut matches = cursor.matches(query, tree.root_node(), self.text.as_bytes());
        while let Some(one) = matches.next() {
            let captures = one.captures().iter().map(|capture| {
                let span = (
                    offset(capture.node.start_byte()),
                    offset(capture.node.end_byte()),
                );
                (names[capture.index as usize], span, capture.node)
            });
            let captures: Vec<_> = captures.collect();
            let widest = captures.iter().max_by_key(|(_, span, _)| span.1 - span.0);
            let whole = captures
                .iter()
                .find(|(name, ..)| *name == "match")
                .or(widest);
            let Some((_, span, node)) = whole else {
                continue;
            };
            let holes = captures.iter().filter(|(name, ..)| *name != "match");
            let holes = holes.map(|(name, span, _)| HoleText {
                name: (*name).into(),
                span: *span,
            });
            self.add(*node, *span, holes.collect());
            if self.found.is_cut {
                return;
            }
        }
    }

    /// Adds a match if the code around it satisfies `inside` and `not_inside`.
    fn add(&mut self, node: Node<'_>, span: ByteSpan, mut bound: Vec<HoleText>) {
        if let Some(pattern) = self.not_inside {
            let is_inside =
                ancestors(node).any(|outer| self.matches(pattern, outer, &mut bound.clone()));
            // If the limit of comparisons was reached, it is not known whether `not_inside` matches.
            if is_inside || self.found.is_cut {
                return;
            }
        }
        if let Some(pattern) = self.inside {
            let is_inside = ancestors(node).any(|outer| {
                let mut outer_bound = bound.clone();
                let is_match = self.matches(pattern, outer, &mut outer_bound);
                if is_match {
                    bound = outer_bound;
                }
                is_match
            });
            if !is_inside {
                return;
            }
        }
        if self.found.matches.len() >= self.most {
            self.found.is_cut = true;
            return;
        }
        self.found
            .matches
            .push(StructureMatch { span, holes: bound });
    }

    fn matches(
        &mut self,
        pattern: &PatternNode,
        node: Node<'_>,
        bound: &mut Vec<HoleText>,
    ) -> bool {
        match pattern {
            PatternNode::One(name) => node.is_named() && self.bind(name.as_deref(), &[node], bound),
            PatternNode::Many(name) => self.bind(name.as_deref(), &[node], bound),
            PatternNode::Token { kind, text } => {
                node.kind_id() == *kind && self.text.get(node.byte_range()) == Some(text)
            }
            PatternNode::Node { kind, children } => {
                if node.kind_id() != *kind {
                    return false;
                }
                let mut cursor = node.walk();
                let nodes: Vec<Node<'_>> = node
                    .children(&mut cursor)
                    .filter(|child| !child.is_extra() && !child.is_missing())
                    .collect();
                self.match_all(children, &nodes, bound)
            }
        }
    }

    fn match_all(
        &mut self,
        patterns: &[PatternNode],
        nodes: &[Node<'_>],
        bound: &mut Vec<HoleText>,
    ) -> bool {
        let Some(left) = self.steps.checked_sub(1) else {
            self.found.is_cut = true;
            return false;
        };
        self.steps = left;
        let Some((first, rest)) = patterns.split_first() else {
            return nodes.iter().all(|node| !node.is_named());
        };
        let known = bound.len();
        if let PatternNode::Many(name) = first {
            let counts = if rest.is_empty() {
                nodes.len()..=nodes.len()
            } else {
                0..=nodes.len()
            };
            for count in counts {
                if self.bind(name.as_deref(), &nodes[..count], bound)
                    && self.match_all(rest, &nodes[count..], bound)
                {
                    return true;
                }
                bound.truncate(known);
            }
            return false;
        }
        for (at, node) in nodes.iter().enumerate() {
            if self.matches(first, *node, bound) && self.match_all(rest, &nodes[at + 1..], bound) {
                return true;
            }
            bound.truncate(known);
            // Only anonymous tokens, such as `,` and keywords, may be skipped.
            if node.is_named() {
                return false;
            }
        }
        // `$$$` at the end may match nothing.
        nodes.is_empty()
            && patterns
                .iter()
                .all(|one| matches!(one, PatternNode::Many(_)))
    }

    /// Binds a hole; returns false if it is already bound to another text.
    fn bind(&self, name: Option<&str>, nodes: &[Node<'_>], bound: &mut Vec<HoleText>) -> bool {
        let Some(name) = name else { return true };
        let span = match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) => (offset(first.start_byte()), offset(last.end_byte())),
            _ => (0, 0),
        };
        let text = |(start, end): ByteSpan| self.text.get(start as usize..end as usize);
        if let Some(known) = bound.iter().find(|hole| *hole.name == *name) {
            return text(known.span) == text(span);
        }
        bound.push(HoleText {
            name: name.into(),
            span,
        });
        true
    }
}

/// Returns the nodes around a node, the innermost first.
fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::compiled::compiled;
    use crate::extract::{ParseBudget, parse};
    use crate::lang;

    #[test]
    fn a_match_is_left_out_if_the_steps_do_not_suffice_for_the_code_around_it() {
        let language = lang::by_name("rust").expect("a language");
        let pattern = |text| PatternNode::parse(language, text).expect("a pattern");
        let (call, outer) = (pattern("run()"), pattern("fn main() { $$$ }"));
        let text = "fn main() { run(); }";
        let compiled = compiled(language).expect("a grammar");
        let tree = parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default());
        let tree = tree.expect("a tree");
        for steps in 0..100 {
            let mut search = Search::new(text, 10, (None, Some(&outer)));
            search.steps = steps;
            search.run_pattern(&call, &tree);
            assert_eq!(search.found.matches, [], "{steps}");
        }
    }
}
