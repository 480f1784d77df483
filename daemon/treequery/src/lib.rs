//! Queries over trees, in tree-sitter's language for them.
//!
//! tree-sitter's own engine compares every pattern with the whole grammar before its first use, which takes up to a
//! second per language and process, and then asks each node for everything that any query could want. This one reads
//! the same patterns in a millisecond and looks at a tree only where one of them may begin. A test compares the two.
//!
//! Facts that only the grammar has are not known here: hidden kinds (`(_expression/identifier)`) are refused, and of nodes that
//! share a field each counts, also where the grammar would give the field to all of them as one.

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

/// A stretch of a text, in bytes.
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
    /// The place of its pattern in the query.
    pub pattern: usize,
    tree: &'a FlatTree,
    taken: &'a [Capture],
}

impl Match<'_> {
    /// The number of each capture, and where it is.
    pub fn captures(&self) -> impl Iterator<Item = (usize, Span)> {
        self.taken
            .iter()
            .map(|(node, capture)| (*capture as usize, self.tree.span(*node)))
    }

    /// The one that there is, if there is no other.
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

    /// The nodes of a tree that the query looks at.
    pub fn kept(&self) -> &NodeFilter {
        &self.steps.kept
    }

    pub fn capture_names(&self) -> &[String] {
        &self.steps.captures
    }

    /// Hands over every match in a tree of a text.
    pub fn run(&self, tree: Tree, text: &str, mut hand_over: impl FnMut(&Match<'_>)) {
        let flat = FlatTree::new(&tree, &self.steps.kept);
        // The larger of the two.
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
