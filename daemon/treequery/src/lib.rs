//! Runs tree-sitter queries over syntax trees.
//!
//! tree-sitter's own engine analyses every pattern against the whole grammar before its first use, which takes up to a second
//! per language and process, and then computes for each node everything that any query could need. This engine compiles the
//! same patterns in a millisecond and visits only the nodes at which one of them may begin. A test compares the two.
//!
//! It knows nothing that only the grammar states: hidden kinds (`(_expression/identifier)`) are refused, and if the grammar
//! gives one field to several nodes as a whole, each of them has the field.

pub mod flat;
mod predicates;
mod read;
mod run;
mod scan;
mod steps;

use tree_sitter::{Language, Tree};

use self::flat::{FlatTree, NodeFilter};
use self::run::{Capture, Search};
use self::steps::Steps;

/// A byte range of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

pub struct Query {
    steps: Steps,
}

/// One match of a pattern.
pub struct Match<'a> {
    /// The index of its pattern in the query.
    pub pattern: usize,
    tree: &'a FlatTree,
    taken: &'a [Capture],
}

impl Match<'_> {
    /// Returns the number and the span of each capture.
    pub fn captures(&self) -> impl Iterator<Item = (usize, Span)> {
        self.taken
            .iter()
            .map(|(node, capture)| (*capture as usize, self.tree.span(*node)))
    }

    /// Returns the capture, if there is exactly one.
    pub fn only_capture(&self) -> Option<(usize, Span)> {
        self.captures().next().filter(|_| self.taken.len() == 1)
    }
}

impl Query {
    pub fn new(grammar: &Language, source: &str) -> Result<Self, String> {
        Ok(Self {
            steps: read::compile(grammar, source)?,
        })
    }

    /// Returns the filter for the nodes that the query examines.
    pub fn kept(&self) -> &NodeFilter {
        &self.steps.kept
    }

    pub fn capture_names(&self) -> &[String] {
        &self.steps.captures
    }

    /// Calls `hand_over` with every match in the tree of a text.
    pub fn run(&self, tree: Tree, text: &str, mut hand_over: impl FnMut(&Match<'_>)) {
        let flat = FlatTree::new(&tree, &self.steps.kept);
        // Freed early, because it is larger than the flat tree.
        drop(tree);
        Search::new(&self.steps, &flat).run(|pattern, taken| {
            let texts = |capture: u16| {
                let nodes = taken.iter().filter(move |(_, own)| *own == capture);
                nodes.map(|(node, _)| {
                    let span = flat.span(*node);
                    text.get(span.start as usize..span.end as usize)
                        .unwrap_or_default()
                })
            };
            let pattern = pattern as usize;
            if self.steps.patterns[pattern]
                .predicates
                .iter()
                .all(|predicate| predicate.holds(texts))
            {
                hand_over(&Match {
                    pattern,
                    tree: &flat,
                    taken,
                });
            }
        });
    }
}
