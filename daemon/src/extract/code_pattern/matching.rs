//! Compares the nodes of a file with a pattern.

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::reading::{ManyHole, PatternNode};
use super::required_text::TextPlaces;
use super::{FileMatches, HoleKind, HoleText, PassedKind, PassedText, StructureMatch};
use crate::extract::spans::ByteSpan;
use crate::extract::text::offset;
use crate::lang::conventions::begins_clause;

/// The most comparisons of nodes for one file, which bounds patterns with many `$$$`.
const MAX_STEPS: u32 = 2_000_000;

/// The holes that a match has bound so far, and the text that it has passed over.
#[derive(Clone, Default)]
struct Bindings {
    holes: Vec<HoleText>,
    /// The spans of all holes, also of those without a name.
    covered: Vec<ByteSpan>,
    /// Tokens and comments that the pattern does not have.
    passed: Vec<PassedText>,
}

/// A length of each list of the bindings.
type Mark = (usize, usize, usize);

impl Bindings {
    fn mark(&self) -> Mark {
        (self.holes.len(), self.covered.len(), self.passed.len())
    }

    fn reset(&mut self, mark: Mark) {
        self.holes.truncate(mark.0);
        self.covered.truncate(mark.1);
        self.passed.truncate(mark.2);
    }

    fn pass(&mut self, span: ByteSpan, kind: PassedKind) {
        self.passed.push(PassedText { span, kind });
    }
}

/// A node that is compared with one of the pattern.
struct Child<'t> {
    node: Node<'t>,
    field: Option<u16>,
    /// With the comments before it on lines of their own, and all comments behind it.
    commented: std::ops::Range<usize>,
}

/// The nodes that a hole stands for.
struct BoundNodes {
    kind: HoleKind,
    /// Empty, and not a place in the text, if there are none.
    range: std::ops::Range<usize>,
    ends_in_comment: bool,
}

impl BoundNodes {
    fn one(kind: HoleKind, node: Node<'_>) -> Self {
        Self {
            kind,
            range: node.byte_range(),
            ends_in_comment: false,
        }
    }

    fn several(kind: HoleKind, nodes: &[Child<'_>]) -> Self {
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            return Self {
                kind,
                range: 0..0,
                ends_in_comment: false,
            };
        };
        if kind != HoleKind::Many {
            return Self {
                kind,
                range: first.node.start_byte()..last.node.end_byte(),
                ends_in_comment: false,
            };
        }
        Self {
            kind,
            range: first.commented.start..last.commented.end,
            ends_in_comment: last.commented.end > last.node.end_byte()
                || ends_in_comment(last.node),
        }
    }
}

/// Returns whether the last part of a node is a comment.
fn ends_in_comment(node: Node<'_>) -> bool {
    let mut last = node;
    while let Some(child) = last
        .child_count()
        .checked_sub(1)
        .and_then(|at| last.child(at))
    {
        last = child;
    }
    last.is_extra()
}

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

    /// Finds all matches. Nodes without the `required` text, which every match contains, are passed over with all inside them.
    pub fn run_pattern(
        &mut self,
        pattern: &PatternNode,
        required: Option<&TextPlaces>,
        tree: &Tree,
    ) {
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let may_match = required.is_none_or(|text| text.is_in(&node.byte_range()));
            if may_match {
                self.try_node(pattern, node);
                if self.found.is_cut {
                    return;
                }
                if cursor.goto_first_child() {
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn try_node(&mut self, pattern: &PatternNode, node: Node<'_>) {
        let mut bound = Bindings::default();
        if self.matches(pattern, node, &mut bound) && !self.lacks_argument(pattern, node) {
            let span = self.trimmed(node.start_byte(), node.end_byte());
            self.add(node, span, bound);
        }
    }

    /// Returns whether a call has a further argument behind its parentheses, which the pattern lacks: `f(1)` of `f(1) { a }`.
    fn lacks_argument(&self, pattern: &PatternNode, node: Node<'_>) -> bool {
        let text = |range| -> &str { self.text.get(range).unwrap_or_default() };
        if !text(node.byte_range()).ends_with(')') || pattern.ends_with_many() {
            return false;
        }
        let call = node
            .parent()
            .filter(|call| call.start_byte() == node.start_byte() && call.id() != node.id());
        let next = call.and_then(|_| node.next_sibling());
        next.is_some_and(|next| {
            let gap = text(node.end_byte()..next.start_byte());
            next.is_named() && !gap.contains('\n') && text(next.byte_range()).starts_with('{')
        })
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
                kind: HoleKind::One,
                ends_in_comment: false,
            });
            let bound = Bindings {
                holes: holes.collect(),
                ..Bindings::default()
            };
            self.add(*node, *span, bound);
            if self.found.is_cut {
                return;
            }
        }
    }

    /// Adds a match if the code around it satisfies `inside` and `not_inside`.
    fn add(&mut self, node: Node<'_>, span: ByteSpan, mut bound: Bindings) {
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
                    bound.holes = outer_bound.holes;
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
        let mut found = self.describe(span, bound);
        found.has_errors = node.has_error();
        self.found.matches.push(found);
    }

    /// Separates the separators at the end of a match, which a rewrite keeps, from the text that it would lose.
    fn describe(&self, span: ByteSpan, mut bound: Bindings) -> StructureMatch {
        let mut code_end = span.1;
        bound.passed.sort_by_key(|passed| passed.span);
        while let Some(last) = bound.passed.last()
            && last.kind == PassedKind::Separator
            && last.span.1 == code_end
        {
            code_end = self.trimmed(span.0 as usize, last.span.0 as usize).1;
            bound.passed.pop();
        }
        bound.passed.retain(|passed| {
            let is_in = |hole: &ByteSpan| hole.0 <= passed.span.0 && passed.span.1 <= hole.1;
            passed.kind != PassedKind::Separator && !bound.covered.iter().any(is_in)
        });
        StructureMatch {
            span,
            code_end,
            holes: bound.holes,
            passed: bound.passed,
            has_errors: false,
        }
    }

    /// Returns a span without white space at its ends.
    fn trimmed(&self, start: usize, end: usize) -> ByteSpan {
        let text = self.text.get(start..end).unwrap_or_default();
        let end = start + text.trim_end().len();
        let start = (end - text.trim().len()).min(end);
        (offset(start), offset(end))
    }

    fn matches(&mut self, pattern: &PatternNode, node: Node<'_>, bound: &mut Bindings) -> bool {
        match pattern {
            PatternNode::One(name) => {
                let nodes = BoundNodes::one(HoleKind::One, node);
                node.is_named() && self.bind(name.as_deref(), &nodes, bound)
            }
            PatternNode::Tokens(name) => {
                let nodes = BoundNodes::one(HoleKind::Tokens, node);
                self.bind(name.as_deref(), &nodes, bound)
            }
            PatternNode::Many(hole) => {
                let nodes = BoundNodes::one(HoleKind::Many, node);
                self.bind(hole.name.as_deref(), &nodes, bound)
            }
            PatternNode::Token { kind, text } => {
                node.kind_id() == *kind && self.text.get(node.byte_range()) == Some(text)
            }
            PatternNode::Node { kind, children } => {
                if node.kind_id() != *kind {
                    return false;
                }
                let (nodes, passed) = self.children(node);
                if !self.match_all(children, &nodes, node.start_byte(), bound) {
                    return false;
                }
                bound.passed.extend(passed);
                true
            }
        }
    }

    /// Returns the children that a pattern is compared with, and the text that it is not compared with: comments, and tokens
    /// that the grammar hides.
    fn children<'t>(&self, node: Node<'t>) -> (Vec<Child<'t>>, Vec<PassedText>) {
        let (mut children, mut passed) = (Vec::<Child<'t>>::new(), vec![]);
        let mut comments: Vec<std::ops::Range<usize>> = vec![];
        let mut at = node.start_byte();
        let mut before = at;
        let mut cursor = node.walk();
        let mut has_more = cursor.goto_first_child();
        while has_more {
            let child = cursor.node();
            let range = child.byte_range();
            self.pass(at..range.start, PassedKind::Token, &mut passed);
            at = range.end.max(at);
            if child.is_extra() {
                let is_error = child.is_error();
                let kind = if is_error {
                    PassedKind::Token
                } else {
                    PassedKind::Comment
                };
                self.pass(range.clone(), kind, &mut passed);
                if let Some(last) = children.last_mut() {
                    last.commented.end = range.end;
                }
                comments.push(range);
            } else if !child.is_missing() {
                let has_line = |range| -> bool {
                    let text: Option<&str> = self.text.get(range);
                    text.is_some_and(|text| text.contains('\n'))
                };
                let own = comments.drain(..).find(|comment| {
                    has_line(before..comment.start) || !has_line(comment.end..range.start)
                });
                before = range.end;
                children.push(Child {
                    node: child,
                    field: cursor.field_id().map(std::num::NonZero::get),
                    commented: own.map_or(range.start, |own| own.start)..range.end,
                });
            }
            has_more = cursor.goto_next_sibling();
        }
        self.pass(at..node.end_byte(), PassedKind::Token, &mut passed);
        (children, passed)
    }

    /// Adds a text that is more than white space and escaped line ends.
    fn pass(&self, range: std::ops::Range<usize>, kind: PassedKind, to: &mut Vec<PassedText>) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let text = text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\\');
        let kind = match text {
            "" => return,
            ";" => PassedKind::Separator,
            _ => kind,
        };
        let span = self.trimmed(range.start, range.end);
        to.push(PassedText { span, kind });
    }

    /// Compares the children of a node. `after` is the end of what is before them.
    fn match_all(
        &mut self,
        patterns: &[PatternNode],
        nodes: &[Child<'_>],
        after: usize,
        bound: &mut Bindings,
    ) -> bool {
        let Some(left) = self.steps.checked_sub(1) else {
            self.found.is_cut = true;
            return false;
        };
        self.steps = left;
        let start = bound.mark();
        let mut known = start;
        let Some((first, rest)) = patterns.split_first() else {
            for (at, child) in nodes.iter().enumerate() {
                self.pass_over(child, &nodes[at + 1..], bound);
            }
            return nodes.iter().all(|child| !child.node.is_named());
        };
        let run = match first {
            PatternNode::Many(hole) => {
                let most = self.reach(hole, nodes);
                let least = if rest.is_empty() { nodes.len() } else { 0 };
                Some((hole.name.as_deref(), HoleKind::Many, least..most + 1))
            }
            PatternNode::Tokens(name) => {
                let is_end = |child: &Child<'_>| {
                    !child.node.is_named() && matches!(child.node.kind(), "," | ";" | "=>")
                };
                let most = nodes.iter().position(is_end).unwrap_or(nodes.len());
                Some((name.as_deref(), HoleKind::Tokens, 1..most + 1))
            }
            _ => None,
        };
        if let Some((name, kind, counts)) = run {
            // The longest run first, where tokens that are left over might be passed over.
            let is_longest_first = kind == HoleKind::Tokens;
            for count in counts.clone() {
                let count = if is_longest_first {
                    counts.start + counts.end - 1 - count
                } else {
                    count
                };
                let taken = &nodes[..count];
                let after = taken.last().map_or(after, |last| last.node.end_byte());
                if self.bind(name, &BoundNodes::several(kind, taken), bound)
                    && self.match_all(rest, &nodes[count..], after, bound)
                {
                    return true;
                }
                bound.reset(known);
            }
            return false;
        }
        for (at, child) in nodes.iter().enumerate() {
            if self.matches(first, child.node, bound)
                && self.match_all(rest, &nodes[at + 1..], child.node.end_byte(), bound)
            {
                return true;
            }
            bound.reset(known);
            // Only anonymous tokens, such as `,` and keywords, may be passed over.
            if child.node.is_named() {
                break;
            }
            self.pass_over(child, &nodes[at + 1..], bound);
            known = bound.mark();
        }
        // A line break may stand for a `;`.
        bound.reset(start);
        let is_semicolon = matches!(first, PatternNode::Token { text, .. } if &**text == ";");
        is_semicolon && self.ends_line(after) && self.match_all(rest, nodes, after, bound)
    }

    fn pass_over(&self, child: &Child<'_>, behind: &[Child<'_>], bound: &mut Bindings) {
        let range = child.node.byte_range();
        let text = self.text.get(range.clone()).unwrap_or_default().trim();
        let is_trailing = || behind.iter().all(|child| !child.node.is_named());
        let kind = match text {
            "" => return,
            ";" => PassedKind::Separator,
            "," if is_trailing() => PassedKind::Separator,
            _ => PassedKind::Token,
        };
        bound.pass(self.trimmed(range.start, range.end), kind);
    }

    fn ends_line(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        line.trim().is_empty()
    }

    /// Returns how many of some nodes a `$$$` hole may stand for at most: up to a further clause of the statement around it, and
    /// up to the end of its block.
    fn reach(&self, hole: &ManyHole, nodes: &[Child<'_>]) -> usize {
        let is_end = |child: &Child<'_>| {
            let node = child.node;
            if self.is_clause(node) {
                // Arms of one kind: `else -> …` of a `when` in Kotlin.
                let is_arm = |other: &Child<'_>| {
                    other.node.kind_id() == node.kind_id() && !self.is_clause(other.node)
                };
                return !nodes.iter().any(is_arm);
            }
            let Some(block) = &hole.block else {
                return false;
            };
            let has_clause = || {
                let mut cursor = node.walk();
                node.children(&mut cursor).any(|part| self.is_clause(part))
            };
            node.is_named() && child.field != Some(block.field)
                || node.kind_id() == block.kind && has_clause()
        };
        nodes.iter().position(is_end).unwrap_or(nodes.len())
    }

    /// Returns whether a node is a further clause of the statement around it, or the word that begins one: `else { … }`.
    fn is_clause(&self, node: Node<'_>) -> bool {
        let mut first = node;
        if let Some(child) = node.child(0) {
            first = child;
        }
        let text = self.text.get(first.byte_range()).unwrap_or_default().trim();
        first.child_count() == 0
            && begins_clause(text)
            && (!first.is_named() || first.kind().starts_with(text))
    }

    /// Binds a hole; returns false if it is already bound to another text.
    fn bind(&self, name: Option<&str>, nodes: &BoundNodes, bound: &mut Bindings) -> bool {
        let span = self.trimmed(nodes.range.start, nodes.range.end);
        let text = |(start, end): ByteSpan| self.text.get(start as usize..end as usize);
        let Some(name) = name else {
            bound.covered.push(span);
            return true;
        };
        if let Some(known) = bound.holes.iter().find(|hole| *hole.name == *name)
            && text(known.span) != text(span)
        {
            return false;
        }
        if bound.holes.iter().all(|hole| *hole.name != *name) {
            bound.holes.push(HoleText {
                name: name.into(),
                span,
                kind: nodes.kind,
                ends_in_comment: nodes.ends_in_comment,
            });
        }
        bound.covered.push(span);
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
            search.run_pattern(&call, None, &tree);
            assert_eq!(search.found.matches, [], "{steps}");
        }
    }
}
