//! The parts of a query: steps, each of which matches one node at a depth below the root of its pattern, and may name
//! another step to go on with instead.

use super::flat::NodeFilter;
use super::predicates::Predicate;

/// No step.
pub const NONE: u16 = u16::MAX;
/// The depth of the step behind the last.
pub const DONE: u16 = u16::MAX;
/// Matches every kind.
pub const ANY: u16 = 0;

/// The conditions of a step.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Step {
    pub kind: u16,
    pub depth: u16,
    /// 0 for any.
    pub field: u16,
    /// A step for any kind takes only nodes with a name.
    pub named: bool,
    /// Nothing named may stand between the node before and this.
    pub immediate: bool,
    /// Nothing named may follow.
    pub last: bool,
    /// Only leads to its alternative.
    pub dead_end: bool,
    /// Leads to its alternative as well as to the next step.
    pub pass_through: bool,
    /// The alternative leaves this step out.
    pub skip: bool,
    pub in_alternation: bool,
    pub alternative: u16,
    pub captures: Vec<u16>,
    pub negated: Vec<u16>,
    /// Something is captured here or deeper.
    pub captures_within: bool,
    /// The steps that follow may fail because of the node that was taken here.
    pub fallible: bool,
    /// Once the rest has matched with one node here, another one can give nothing new.
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

/// A pattern's beginning.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub step: u16,
    pub pattern: u16,
}

#[derive(Debug)]
pub struct Pattern {
    pub predicates: Vec<Predicate>,
    /// Something in it may be repeated.
    pub repeats: bool,
}

/// All steps of a query.
#[derive(Debug, Default)]
pub struct Steps {
    pub steps: Vec<Step>,
    pub patterns: Vec<Pattern>,
    pub captures: Vec<String>,
    /// Patterns of one node with what is in it, by the kind of that node.
    pub rooted: Vec<Vec<Entry>>,
    /// Those that begin with any node.
    pub anywhere: Vec<Entry>,
    /// Patterns of nodes beside each other, or inside any node.
    pub beside: Vec<Entry>,
    pub kept: NodeFilter,
}
