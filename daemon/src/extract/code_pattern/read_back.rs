//! Checks that code which was put in place of matches is read as it was written: as whole nodes.
//!
//! `h(1, c) ** 2` must not become `1 + c ** 2`, where the parser reads another sum than the one that was written.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::HoleKind;
use crate::extract::compiled::compiled;
use crate::extract::spans::ByteSpan;
use crate::extract::{ParseBudget, parse};
use crate::lang::Language;

/// A match as it is in the new text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenMatch {
    pub span: ByteSpan,
    /// The end without separators that were kept.
    pub code_end: u32,
    pub holes: Vec<WrittenHole>,
    /// The kind of the node around the match in the old text, if it is known.
    pub around: Option<u16>,
    /// The match had syntax errors before.
    pub had_errors: bool,
}

/// A hole as it is in the new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenHole {
    pub span: ByteSpan,
    pub kind: HoleKind,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// One for each match.
    pub readings: Vec<MatchReading>,
    /// The text has syntax errors.
    pub has_errors: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchReading {
    /// The code is a node, or several whole statements.
    pub is_whole: bool,
    /// The indices of holes whose text is not a node of its own.
    pub split: Vec<usize>,
}

impl MatchReading {
    #[must_use]
    pub fn is_as_written(&self) -> bool {
        self.is_whole && self.split.is_empty()
    }
}

/// Reads a text into which matches were written; none if it cannot be parsed.
pub fn read_back(
    language: &'static Language,
    text: &str,
    written: &[WrittenMatch],
) -> Option<ReadBack> {
    let compiled = compiled(language)?;
    let tree = parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default())?;
    let reader = Reader { text, tree: &tree };
    Some(ReadBack {
        readings: written.iter().map(|one| reader.read(one)).collect(),
        has_errors: tree.root_node().has_error(),
    })
}

struct Reader<'a> {
    text: &'a str,
    tree: &'a Tree,
}

/// The nodes of a range.
enum Nodes<'t> {
    One(Node<'t>),
    /// Some siblings, and those directly before and behind them.
    Several {
        all: Vec<Node<'t>>,
        beside: [Option<Node<'t>>; 2],
    },
    /// A part of the text of a string or a name.
    PartOfToken,
    /// Parts of several nodes.
    Split,
}

impl Reader<'_> {
    fn read(&self, written: &WrittenMatch) -> MatchReading {
        let ends = [
            Some(written.code_end as usize),
            Some(written.span.1 as usize),
            semicolon_after(self.text, written.span.1 as usize),
        ];
        let start = written.span.0 as usize;
        let mut ends = ends.into_iter().flatten();
        let holes = written.holes.iter().enumerate();
        let split = holes.filter(|(_, hole)| !self.is_own(**hole));
        let around = kind_around(self.tree, self.text, written.span);
        let is_moved = written.around.is_some() && around != written.around;
        MatchReading {
            is_whole: !is_moved && ends.any(|end| self.is_whole(start..end, written.had_errors)),
            split: split.map(|(at, _)| at).collect(),
        }
    }

    /// Returns whether a range is a node, or several statements or items, without new errors.
    fn is_whole(&self, range: Range<usize>, had_errors: bool) -> bool {
        match self.nodes(range) {
            None => true,
            Some(Nodes::One(node)) => had_errors || !node.has_error(),
            Some(Nodes::Several { all, .. }) => {
                let is_valid = |node: &Node<'_>| {
                    let is_separator = || matches!(node.kind().trim(), "" | "," | ";");
                    (had_errors || !node.has_error()) && (node.is_named() || is_separator())
                };
                let are_apart = |pair: &[Node<'_>]| {
                    let text = |range| -> &str { self.text.get(range).unwrap_or_default() };
                    let between = text(pair[0].end_byte()..pair[1].start_byte());
                    between.contains('\n')
                        || pair.iter().any(|node| !node.is_named() || node.is_extra())
                        || text(pair[0].byte_range()).ends_with([';', '}', '\n'])
                };
                all.iter().all(is_valid) && all.windows(2).all(are_apart)
            }
            Some(Nodes::PartOfToken | Nodes::Split) => false,
        }
    }

    /// Returns whether the text of a hole is read on its own.
    fn is_own(&self, hole: WrittenHole) -> bool {
        match self.nodes(hole.span.0 as usize..hole.span.1 as usize) {
            None | Some(Nodes::One(_) | Nodes::PartOfToken) => true,
            Some(Nodes::Several { beside, .. }) => {
                // An operator beside tokens may bind stronger than one of them.
                let separates = |node: &Node<'_>| {
                    let signs = ["", "(", ")", "[", "]", "{", "}", ",", ";", "=>"];
                    !node.is_named() && signs.contains(&node.kind().trim())
                };
                hole.kind == HoleKind::Many || beside.iter().flatten().all(separates)
            }
            Some(Nodes::Split) => false,
        }
    }

    /// Returns the nodes of a range; none if it is blank.
    fn nodes(&self, range: Range<usize>) -> Option<Nodes<'_>> {
        let range = self.trimmed(range);
        if range.is_empty() {
            return None;
        }
        let root = self.tree.root_node();
        let around = root.descendant_for_byte_range(range.start, range.end)?;
        if self.trimmed(around.byte_range()) == range {
            return Some(Nodes::One(around));
        }
        let mut cursor = around.walk();
        let children = around.children(&mut cursor).collect::<Vec<_>>();
        let is_touched = |node: &Node<'_>| {
            let own = self.trimmed(node.byte_range());
            !own.is_empty() && own.start < range.end && own.end > range.start
        };
        let Some(first) = children.iter().position(is_touched) else {
            return Some(Nodes::PartOfToken);
        };
        let last = children.iter().rposition(is_touched).unwrap_or(first);
        if first == last && children[first].child_count() == 0 {
            return Some(Nodes::PartOfToken);
        }
        let start = self.trimmed(children[first].byte_range()).start;
        let end = self.trimmed(children[last].byte_range()).end;
        if (start..end) != range {
            return Some(Nodes::Split);
        }
        let before = first.checked_sub(1).map(|at| children[at]);
        Some(Nodes::Several {
            all: children[first..=last].to_vec(),
            beside: [before, children.get(last + 1).copied()],
        })
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let end = range.start + text.trim_end().len();
        end - text.trim().len()..end
    }
}

/// Returns the kind of the smallest node around a range that is more than the range and a `;` behind it.
pub(super) fn kind_around(tree: &Tree, text: &str, (start, end): ByteSpan) -> Option<u16> {
    let (start, end) = (start as usize, end as usize);
    let end = semicolon_after(text, end).unwrap_or(end);
    let is_more = |node: &Node<'_>| {
        let range = node.byte_range();
        let own = text.get(range.clone()).unwrap_or_default();
        let own_end = range.start + own.trim_end().len();
        own_end - own.trim().len() < start || own_end > end
    };
    let root = tree.root_node();
    let mut node = root.descendant_for_byte_range(start, end)?;
    while !is_more(&node) {
        node = node.parent()?;
    }
    Some(node.kind_id())
}

/// Returns the end of a `;` that follows on the same line.
fn semicolon_after(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(';').then_some(at + blank + 1)
}
