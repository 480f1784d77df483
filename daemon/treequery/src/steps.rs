//! The compiled form of a query: steps, each of which matches one node at a depth below the root of its pattern, and may have
//! an alternative step.

use super::flat::NodeFilter;
use super::predicates::Predicate;

/// No step.
pub const NONE: u16 = u16::MAX;
/// The depth of the step after the last.
pub const DONE: u16 = u16::MAX;
/// Matches every kind.
pub const ANY: u16 = 0;

/// A step of a pattern: the conditions on a node, and the steps that may follow.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Step {
    pub kind: u16,
    pub depth: u16,
    /// The field that the node must have; 0 for any.
    pub field: u16,
    /// Matches named nodes only, if the kind is [`ANY`]: `(_)`, but not `_`.
    pub named: bool,
    /// No named node may be between the previous node and this one.
    pub immediate: bool,
    /// No named sibling may follow.
    pub last: bool,
    /// Matches no node; only leads to its alternative.
    pub dead_end: bool,
    /// Leads to its alternative as well as to the next step.
    pub pass_through: bool,
    /// The alternative skips this step.
    pub skip: bool,
    pub in_alternation: bool,
    pub alternative: u16,
    pub captures: Vec<u16>,
    pub negated: Vec<u16>,
    /// This step or a deeper one has a capture.
    pub captures_within: bool,
    /// The steps that follow may fail because of the node that was matched here.
    pub fallible: bool,
    /// Once the rest has matched with one node here, another node can give no new match.
    pub settled: bool,
}

impl Step {
    pub fn new(kind: u16, depth: u16, immediate: bool) -> Self {
        Self {
            kind,
            depth,
            field: 0,
            named: false,
            immediate,
            last: false,
            dead_end: false,
            pass_through: false,
            skip: false,
            in_alternation: false,
            alternative: NONE,
            captures: vec![],
            negated: vec![],
            captures_within: false,
            fallible: false,
            settled: false,
        }
    }
}

/// A step with which a pattern may begin.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub step: u16,
    pub pattern: u16,
}

#[derive(Debug)]
pub struct Pattern {
    pub predicates: Vec<Predicate>,
    /// Part of it is repeated: `+` or `*`.
    pub repeats: bool,
}

/// All steps of a query.
#[derive(Debug, Default)]
pub struct Steps {
    pub steps: Vec<Step>,
    pub patterns: Vec<Pattern>,
    pub captures: Vec<String>,
    /// Patterns of one node and its descendants, by the kind of that node.
    pub rooted: Vec<Vec<Entry>>,
    /// Patterns of one node and its descendants that begin with a node of any kind.
    pub any_kind: Vec<Entry>,
    /// Patterns of siblings, or of nodes inside a node of any kind.
    pub non_rooted: Vec<Entry>,
    pub kept: NodeFilter,
}
