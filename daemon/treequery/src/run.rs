//! Finds the matches of a query in a tree.
//!
//! Every pattern is tried at every node that it may begin with, by backtracking over its steps. The matches are those of
//! tree-sitter's own cursor: of several matches of a pattern at one node, a match whose captures are all in another is left
//! out, and matches are ordered by their last nodes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::flat::{ERROR, FlatTree, NOWHERE};
use super::steps::{ANY, DONE, Entry, NONE, Steps};

/// A captured node and the number of the capture.
pub type Capture = (u32, u16);

/// The most steps of one match, which bounds the depth of the recursion.
const MAX_STEPS: u32 = 2000;

/// A state of the search: the next step, and how it may match.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SearchState {
    step: u16,
    /// The next node must match.
    seeking: bool,
    /// The optional part before an anchor was left out, so the anchor has no effect.
    skipped: bool,
}

/// A match of the pattern that is being tried: a range of `found`.
#[derive(Clone, Copy)]
struct Match {
    from: u32,
    to: u32,
    done: u32,
}

/// A match that is not handed over yet. The fields are in the order by which matches are sorted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PendingMatch {
    done: u32,
    depth: u32,
    pattern: u16,
    number: u32,
    from: u32,
    to: u32,
}

pub struct Search<'a> {
    steps: &'a Steps,
    tree: &'a FlatTree,
    /// Captures of the states up to the current one.
    captures: Vec<Capture>,
    /// States that are still to be tried, each after those that led to it.
    pending_states: Vec<SearchState>,
    /// Captures of the matches at the current node.
    found: Vec<Capture>,
    matches: Vec<Match>,
    visited: HashSet<(SearchState, u32, Vec<Capture>)>,
    repeats: bool,
    length: u32,
    waiting: BinaryHeap<Reverse<PendingMatch>>,
    /// Captures of the pending matches.
    kept: Vec<Capture>,
    number: u32,
    /// Matches that consist of the current node alone. Nearly all do, and they are handed over at once.
    here: Vec<Entry>,
}

impl<'a> Search<'a> {
    pub fn new(steps: &'a Steps, tree: &'a FlatTree) -> Self {
        Self {
            steps,
            tree,
            captures: vec![],
            pending_states: vec![],
            found: vec![],
            matches: vec![],
            visited: HashSet::new(),
            repeats: false,
            length: 0,
            waiting: BinaryHeap::new(),
            kept: vec![],
            number: 0,
            here: vec![],
        }
    }

    /// Calls `hand_over` with the pattern and the captures of every match.
    pub fn run(&mut self, mut hand_over: impl FnMut(u16, &[Capture])) {
        let tree = self.tree;
        let kinds = self.steps.rooted.len() - 1;
        let mut ends: Vec<u32> = vec![];
        for (at, node) in (0u32..).zip(&tree.nodes) {
            while ends.last().is_some_and(|end| *end <= at) {
                ends.pop();
            }
            let depth = u32::try_from(ends.len()).unwrap_or(u32::MAX);
            let is_error = node.kind == ERROR;
            for entry in &self.steps.rooted[(node.kind as usize).min(kinds)] {
                self.enter(*entry, at, depth);
            }
            if !is_error {
                for entry in &self.steps.any_kind {
                    self.enter(*entry, at, depth);
                }
            }
            if !self.steps.non_rooted.is_empty() && node.next > at + 1 {
                self.enter_inside(at, depth);
            }
            ends.push(node.next);
            self.hand_over(at, depth, &mut hand_over);
        }
    }

    /// Hands over the matches that are complete with this node.
    fn hand_over(&mut self, at: u32, depth: u32, to: &mut impl FnMut(u16, &[Capture])) {
        let steps = &self.steps.steps;
        self.here.sort_by_key(|entry| entry.pattern);
        let mut here = self.here.drain(..).peekable();
        loop {
            let next = self
                .waiting
                .peek()
                .filter(|Reverse(first)| first.done <= at);
            let next = next.map(|Reverse(first)| (first.depth, first.pattern));
            if let Some(entry) =
                here.next_if(|entry| next.is_none_or(|next| (depth, entry.pattern) < next))
            {
                self.captures.extend(
                    steps[entry.step as usize]
                        .captures
                        .iter()
                        .map(|capture| (at, *capture)),
                );
                to(entry.pattern, &self.captures);
                self.captures.clear();
            } else if next.is_some()
                && let Some(Reverse(first)) = self.waiting.pop()
            {
                to(
                    first.pattern,
                    &self.kept[first.from as usize..first.to as usize],
                );
            } else {
                break;
            }
        }
        drop(here);
        if self.waiting.is_empty() {
            self.kept.clear();
        }
    }

    fn enter(&mut self, entry: Entry, at: u32, depth: u32) {
        let step = &self.steps.steps[entry.step as usize];
        if step.field != 0 && step.field != self.tree.node(at).field {
            return;
        }
        // The most common pattern: a single node.
        if step.alternative == NONE
            && step.negated.is_empty()
            && !step.last
            && self.steps.steps[entry.step as usize + 1].depth == DONE
        {
            self.here.push(entry);
            return;
        }
        self.repeats = self.steps.patterns[entry.pattern as usize].repeats;
        self.begin(entry, at);
        self.settle(entry.pattern, depth);
    }

    /// Tries the patterns that depend on the node around them, at each child of a node.
    fn enter_inside(&mut self, around: u32, depth: u32) {
        let steps = self.steps;
        let is_error = self.tree.node(around).kind == ERROR;
        let mut entries = steps.non_rooted.iter().peekable();
        while let Some(first) = entries.peek().copied().copied() {
            self.repeats = steps.patterns[first.pattern as usize].repeats;
            let mut depth_below = 0;
            while let Some(entry) = entries.next_if(|entry| entry.pattern == first.pattern) {
                let step = &steps.steps[entry.step as usize];
                depth_below = u32::from(step.depth == 0);
                let (mut at, end) = self.tree.descendants(around);
                while at < end {
                    let node = self.tree.node(at);
                    let is_kind = step.kind == node.kind || step.kind == ANY && node.kind != ERROR;
                    let is_field = step.field == 0 || step.field == node.field;
                    if is_kind && is_field && !is_error {
                        self.begin(*entry, at);
                    }
                    at = node.next;
                }
            }
            self.settle(first.pattern, depth + depth_below);
        }
    }

    fn begin(&mut self, entry: Entry, at: u32) {
        let state = SearchState {
            step: entry.step,
            seeking: true,
            skipped: false,
        };
        self.length = 0;
        let step = &self.steps.steps[entry.step as usize];
        if step.depth == 1 {
            // The pattern begins with a node of any kind, which is the parent of this one.
            let around = &self.steps.steps[..entry.step as usize];
            let around = around
                .iter()
                .rfind(|step| !step.dead_end && !step.pass_through && step.depth == 0);
            let parent = self.tree.node(at).parent;
            self.captures.extend(
                around
                    .iter()
                    .flat_map(|step| &step.captures)
                    .map(|capture| (parent, *capture)),
            );
        }
        let next = self.tree.node(at).next;
        self.seek(state, at, next);
        self.captures.clear();
    }

    /// Matches a step with the siblings from `at` to `end`.
    fn seek(&mut self, state: SearchState, mut at: u32, end: u32) {
        let steps = self.steps;
        let step = &steps.steps[state.step as usize];
        while at < end {
            let node = self.tree.node(at);
            let mut matches = if step.kind == ANY {
                node.kind != ERROR && (node.is_named || !step.named)
            } else {
                node.kind == step.kind
            };
            let others = !(state.seeking || step.immediate && node.is_named && !state.skipped);
            matches = matches
                && (step.field == 0 || step.field == node.field)
                && !(step.last && self.tree.has_named_following(at))
                && !step
                    .negated
                    .iter()
                    .any(|field| self.tree.has_field(at, *field));
            if matches {
                let before = self.matches.len();
                self.advance(state.step, at);
                let is_final = !step.captures_within && !step.fallible;
                let is_settled = step.settled && self.matches.len() > before;
                if is_final || is_settled {
                    return;
                }
            }
            if !others {
                return;
            }
            at = node.next;
        }
    }

    /// Continues after a step that a node has matched.
    fn advance(&mut self, step: u16, at: u32) {
        let steps = self.steps;
        let own = &steps.steps[step as usize];
        let before = self.captures.len();
        self.captures
            .extend(own.captures.iter().map(|capture| (at, *capture)));
        let next = &steps.steps[step as usize + 1];
        let seeking = own.kind == ANY && !own.named && next.immediate;
        let state = SearchState {
            step: step + 1,
            seeking,
            skipped: false,
        };
        self.length += 1;
        if self.length < MAX_STEPS {
            if next.alternative == NONE {
                self.follow(state, own.depth, at);
            } else {
                let first = self.pending_states.len();
                self.add_alternatives(state, at);
                for place in first..self.pending_states.len() {
                    self.follow(self.pending_states[place], own.depth, at);
                }
                self.pending_states.truncate(first);
            }
        }
        self.length -= 1;
        self.captures.truncate(before);
    }

    /// Adds a state, and all states that it leads to without another node.
    fn add_alternatives(&mut self, state: SearchState, at: u32) {
        let steps = &self.steps.steps;
        let mut place = self.pending_states.len();
        self.pending_states.push(state);
        while place < self.pending_states.len() {
            let state = self.pending_states[place];
            let step = &steps[state.step as usize];
            if step.alternative == NONE {
                place += 1;
                continue;
            }
            if step.dead_end {
                self.pending_states[place].step = step.alternative;
                continue;
            }
            if step.pass_through {
                self.pending_states[place].step += 1;
            }
            if !(step.skip && step.last && self.tree.has_named_following(at)) {
                let mut other = SearchState {
                    step: step.alternative,
                    ..state
                };
                other.seeking |= step.pass_through;
                if step.skip && !step.immediate {
                    other.skipped = steps[step.alternative as usize].depth == step.depth;
                } else if step.skip
                    && state.step > 0
                    && steps[state.step as usize - 1].depth < step.depth
                {
                    other.seeking = true;
                }
                self.pending_states.insert(place + 1, other);
            }
            place += usize::from(!step.pass_through);
        }
    }

    fn follow(&mut self, state: SearchState, depth: u16, at: u32) {
        let step = &self.steps.steps[state.step as usize];
        if step.depth == DONE {
            let from = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
            self.found.extend_from_slice(&self.captures);
            let to = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
            self.matches.push(Match { from, to, done: at });
            return;
        }
        // A repetition can reach the same state many times: it is tried once.
        if self.repeats && !self.visited.insert((state, at, self.captures.clone())) {
            return;
        }
        if step.depth > depth {
            let (first, end) = self.tree.descendants(at);
            return self.seek(state, first, end);
        }
        let mut place = at;
        for _ in step.depth..depth {
            place = self.tree.node(place).parent;
            if place == NOWHERE {
                return;
            }
        }
        let (first, end) = self.tree.following_siblings(place);
        self.seek(state, first, end);
    }

    /// Queues the matches whose captures are not all in another match.
    fn settle(&mut self, pattern: u16, depth: u32) {
        if self.repeats {
            self.visited.clear();
        }
        if self.matches.len() > 1 {
            self.drop_contained();
        }
        let mut matches = std::mem::take(&mut self.matches);
        for one in matches.drain(..) {
            let from = self.kept.len();
            self.kept
                .extend_from_slice(&self.found[one.from as usize..one.to as usize]);
            self.wait(pattern, one.done, depth, from);
        }
        self.matches = matches;
        self.found.clear();
    }

    fn wait(&mut self, pattern: u16, done: u32, depth: u32, from: usize) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.number += 1;
        let (from, to, number) = (place(from), place(self.kept.len()), self.number);
        self.waiting.push(Reverse(PendingMatch {
            done,
            depth,
            pattern,
            number,
            from,
            to,
        }));
    }

    fn drop_contained(&mut self) {
        let (tree, found) = (self.tree, &self.found);
        let of = |one: &Match| &found[one.from as usize..one.to as usize];
        let begins = |one: &Match| {
            of(one)
                .first()
                .map_or(0, |(node, _)| tree.node(*node).start + 1)
        };
        let ends = |one: &Match| {
            of(one)
                .last()
                .map_or(u32::MAX, |(node, _)| tree.node(*node).end)
        };
        self.matches.sort_by_key(begins);
        let mut dropped = vec![false; self.matches.len()];
        for one in 0..self.matches.len() {
            for other in one + 1..self.matches.len() {
                let (left, right) = (&self.matches[one], &self.matches[other]);
                if dropped[one] || begins(right) > ends(left) {
                    break;
                }
                if dropped[other] {
                    continue;
                }
                if contains(of(left), of(right)) {
                    dropped[other] = true;
                } else if contains(of(right), of(left)) {
                    dropped[one] = true;
                }
            }
        }
        let mut dropped = dropped.into_iter();
        self.matches.retain(|_| dropped.next() != Some(true));
    }
}

/// Returns whether one match captured everything that the other did.
fn contains(one: &[Capture], other: &[Capture]) -> bool {
    if other.len() > one.len() {
        return false;
    }
    let mut rest = one.iter();
    other.iter().all(|capture| rest.any(|own| own == capture))
}
