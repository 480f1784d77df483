//! Checks that code which was put in place of matches is read as it was written: as whole nodes.
//!
//! `h(1, c) ** 2` must not become `1 + c ** 2`, where the parser reads another sum than the one that was written.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::HoleKind;
use super::operands::{Shape, Tokens};
use super::surroundings::{Level, Surroundings, trimmed};
use crate::extract::compiled::compiled;
use crate::extract::spans::ByteSpan;
use crate::extract::{ParseBudget, parse};
use crate::lang::Language;

/// The most texts that are parsed to learn what may stand in the places of a file.
const MOST_PROBES: usize = 64;

/// A file before its matches were rewritten, and the matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewrittenText {
    pub before: String,
    /// In the order of the text.
    pub matches: Vec<WrittenMatch>,
}

/// A match as it is in the new text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenMatch {
    /// The range that it replaces in the old text.
    pub old: ByteSpan,
    /// Empty if the match is removed.
    pub span: ByteSpan,
    /// The end without separators that were kept.
    pub code_end: u32,
    pub holes: Vec<WrittenHole>,
    /// The match had syntax errors before.
    pub had_errors: bool,
}

/// A hole as it is in the new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenHole {
    /// Its range in the old text.
    pub old: ByteSpan,
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
    /// The code is a node, or several whole statements, and the code around it is read as before.
    pub is_whole: bool,
    /// Code beside it may bind a part of it.
    pub is_operand: bool,
    /// The indices of holes whose text is not a node of its own, or that may be bound in part.
    pub split: Vec<usize>,
}

impl MatchReading {
    #[must_use]
    pub fn is_as_written(&self) -> bool {
        self.is_whole && !self.is_operand && self.split.is_empty()
    }
}

/// Reads a text into which matches were written; none if it cannot be parsed.
pub fn read_back(
    language: &'static Language,
    text: &str,
    rewritten: &RewrittenText,
) -> Option<ReadBack> {
    let before = rewritten.before.as_str();
    let (old_tree, tree) = (parse_text(language, before)?, parse_text(language, text)?);
    let ranges = |text: &str, span: fn(&WrittenMatch) -> ByteSpan| -> Vec<Range<usize>> {
        let matches = rewritten.matches.iter();
        matches.map(|one| with_semicolon(text, span(one))).collect()
    };
    let (old_ranges, new_ranges) = (ranges(before, |one| one.old), ranges(text, |one| one.span));
    let mut comparison = Comparison {
        language,
        old: Reader::new(before, &old_tree, &old_ranges),
        new: Reader::new(text, &tree, &new_ranges),
        probes: HashMap::new(),
    };
    let matches = rewritten
        .matches
        .iter()
        .zip(old_ranges.iter().zip(&new_ranges));
    let readings = matches.map(|(one, (old, new))| comparison.read(one, old, new));
    Some(ReadBack {
        readings: readings.collect(),
        has_errors: tree.root_node().has_error(),
    })
}

fn parse_text(language: &'static Language, text: &str) -> Option<Tree> {
    let compiled = compiled(language)?;
    parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default())
}

/// The old text and the new one.
struct Comparison<'a> {
    language: &'static Language,
    old: Reader<'a>,
    new: Reader<'a>,
    probes: HashMap<Probe<'a>, bool>,
}

/// A question about the place of some code, and what tells places apart.
#[derive(PartialEq, Eq, Hash)]
struct Probe<'a> {
    question: Question,
    kinds: [Option<u16>; 2],
    beside: [Option<&'a str>; 2],
    line_breaks: [bool; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    /// The code may stand there twice, so that it is an item of a list of statements.
    Repeated,
    /// The code may be in parentheses, so that it is an expression.
    Grouped,
}

impl Comparison<'_> {
    fn read(&mut self, one: &WrittenMatch, old: &Range<usize>, new: &Range<usize>) -> MatchReading {
        let before = self.old.surroundings.around(old.clone(), None);
        let behind = self.new.surroundings.around(new.clone(), before.first());
        let code = one.span.0 as usize..one.code_end as usize;
        let is_removed = trimmed(self.new.text, code.clone()).is_empty();
        let mut reading = MatchReading {
            is_whole: before == behind,
            ..MatchReading::default()
        };
        if is_removed {
            let is_last = before.first().is_none_or(Level::ends_with_match);
            reading.is_whole &= self.allows(Question::Repeated, old)
                && !(is_last && self.old.tokens.is_behind_sign(old))
                && !self.old.tokens.is_behind_header(old);
            return reading;
        }
        let is_several = matches!(self.new.nodes(code.clone()), Some(Nodes::Several { .. }));
        reading.is_whole &= !(is_several && self.old.tokens.is_behind_header(old));
        let ends = [code.end, one.span.1 as usize, new.end];
        let mut ends = ends.into_iter();
        reading.is_whole &= ends.any(|end| self.new.is_whole(code.start..end, one.had_errors))
            && !self.old.is_misread_sign(old);
        let groups = self.language.facts.as_ref();
        let groups = groups.is_some_and(|facts| facts.parentheses_group);
        let replaced = self.old.text.get(to_range(one.old)).unwrap_or_default();
        let is_statement = replaced.ends_with(';');
        reading.is_operand = groups && !is_statement && self.is_operand(old, &code);
        let holes = one.holes.iter().enumerate();
        let split = holes
            .filter(|(_, hole)| !self.new.is_own(**hole) || groups && self.is_hole_bound(hole));
        reading.split = split.map(|(at, _)| at).collect();
        reading
    }

    /// Returns whether something beside new code may bind a part of it, and parentheses would help.
    fn is_operand(&mut self, old: &Range<usize>, code: &Range<usize>) -> bool {
        let Some(node) = self.new.node(code) else {
            return false;
        };
        let shape = Shape::new(self.new.text, node);
        let is_same = |before: Node<'_>| {
            before.kind_id() == node.kind_id()
                && self.old.signs(before) == self.new.signs(node)
                && !Shape::new(self.old.text, before).is_atom
        };
        self.new.tokens.is_operand(shape, &node.byte_range())
            && !self.old.code(old).is_some_and(is_same)
            && self.allows(Question::Grouped, old)
    }

    fn is_hole_bound(&mut self, hole: &WrittenHole) -> bool {
        let (old, new) = (to_range(hole.old), to_range(hole.span));
        if hole.kind == HoleKind::Many {
            return false;
        }
        let before = self.old.node(&old).filter(|_| hole.kind == HoleKind::One);
        let Some(node) = self.new.node(&new) else {
            let is_item = |before| Shape::new(self.old.text, before).is_item;
            let is_several = matches!(self.new.nodes(new), Some(Nodes::Several { .. }));
            return is_several && before.is_some_and(is_item);
        };
        let shape = Shape::new(self.new.text, node);
        if shape.is_atom {
            return false;
        }
        let is_another = before.is_some_and(|before| {
            before.kind_id() != node.kind_id() && before.named_child_count() > 0
        });
        let place = |reader: &Reader<'_>, node: Node<'_>| {
            let parent = reader.outermost(node).parent();
            parent.map(|parent| parent.kind_id())
        };
        let is_same_place = || {
            before.is_some_and(|before| {
                place(&self.old, before) == place(&self.new, node)
                    && self.old.tokens.texts_beside(&before.byte_range())
                        == self.new.tokens.texts_beside(&node.byte_range())
            })
        };
        let (range, tokens) = (node.byte_range(), &self.new.tokens);
        let is_operand =
            tokens.is_operand(shape, &range) || tokens.is_read_as_statement(shape, &range);
        let is_bound = is_operand && !is_same_place();
        let is_expression =
            |comparison: &mut Self| before.is_none() || comparison.allows(Question::Grouped, &old);
        is_another || is_bound && is_expression(self)
    }

    /// Returns whether the old text may have the code of a range twice, or in parentheses, and is read as before around it.
    fn allows(&mut self, question: Question, range: &Range<usize>) -> bool {
        let own = trimmed(self.old.text, range.clone());
        let node = self.old.code(&own).map(|node| self.old.outermost(node));
        let parent = node.and_then(|node| node.parent());
        let [line, rest] = [&self.old.text[..own.start], &self.old.text[own.end..]];
        let probe = Probe {
            question,
            kinds: [node, parent].map(|node| node.map(|node| node.kind_id())),
            beside: self.old.tokens.texts_beside(&own),
            line_breaks: [
                line.trim_end_matches([' ', '\t']).ends_with('\n'),
                rest.trim_start_matches([' ', '\t'])
                    .starts_with(['\n', '\r']),
            ],
        };
        if let Some(known) = self.probes.get(&probe) {
            return *known;
        }
        // Where it is not known, the code is not removed, and gets parentheses.
        let is_allowed = if self.probes.len() < MOST_PROBES {
            self.probe(question, &own)
        } else {
            question == Question::Grouped
        };
        self.probes.insert(probe, is_allowed);
        is_allowed
    }

    fn probe(&self, question: Question, own: &Range<usize>) -> bool {
        let text = self.old.text;
        let code = &text[own.clone()];
        let written = match question {
            Question::Grouped => format!("({})", code.trim_end_matches([';', ','])),
            Question::Repeated => {
                let line = text[..own.start].rfind('\n').map_or(0, |end| end + 1);
                let line = &text[line..own.start];
                let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
                format!("{code}\n{indent}{code}")
            }
        };
        let new = format!("{}{written}{}", &text[..own.start], &text[own.end..]);
        let Some(tree) = parse_text(self.language, &new) else {
            return false;
        };
        let range = own.start..own.start + written.len();
        let with_separator = |text: &str, range: &Range<usize>| {
            range.start..semicolon_after(text, range.end).unwrap_or(range.end)
        };
        let old_range = with_separator(text, own);
        let new_range = with_separator(&new, &range);
        let old = Surroundings::new(text, self.old.tree, std::slice::from_ref(&old_range));
        let reader = Reader::new(&new, &tree, std::slice::from_ref(&new_range));
        let is_read = match question {
            Question::Grouped => reader.node(&range).is_some_and(|node| !node.has_error()),
            Question::Repeated => reader.are_siblings(
                &(range.start..range.start + code.len()),
                &(range.end - code.len()..range.end),
            ),
        };
        is_read && old.around(old_range, None) == reader.surroundings.around(new_range, None)
    }
}

/// A text with matches in it.
struct Reader<'a> {
    text: &'a str,
    tree: &'a Tree,
    tokens: Tokens<'a>,
    surroundings: Surroundings<'a>,
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

impl<'a> Reader<'a> {
    fn new(text: &'a str, tree: &'a Tree, matches: &[Range<usize>]) -> Self {
        Self {
            text,
            tree,
            tokens: Tokens::new(text, tree),
            surroundings: Surroundings::new(text, tree, matches),
        }
    }

    /// Returns the innermost node that is exactly a range.
    fn node(&self, range: &Range<usize>) -> Option<Node<'a>> {
        let range = trimmed(self.text, range.clone());
        let root = self.tree.root_node();
        let node = root.descendant_for_byte_range(range.start, range.end)?;
        let is_exact = trimmed(self.text, node.byte_range()) == range;
        (is_exact && !range.is_empty()).then_some(node)
    }

    /// Returns the node of a range with or without the separator at its end.
    fn code(&self, range: &Range<usize>) -> Option<Node<'a>> {
        let own = trimmed(self.text, range.clone());
        let code = self.text[own.clone()].trim_end_matches([';', ',']);
        self.node(&(own.start..own.start + code.len()))
            .or_else(|| self.node(&own))
    }

    /// Returns the outermost node with the same text.
    fn outermost(&self, node: Node<'a>) -> Node<'a> {
        let own = trimmed(self.text, node.byte_range());
        let around = std::iter::successors(Some(node), Node::parent);
        let same = around.take_while(|node| trimmed(self.text, node.byte_range()) == own);
        same.last().unwrap_or(node)
    }

    /// Returns the signs and words of the language directly in a node.
    fn signs(&self, node: Node<'a>) -> Vec<&'a str> {
        let mut cursor = node.walk();
        let parts = node.children(&mut cursor).filter(|part| !part.is_named());
        let texts = parts.map(|part| self.text.get(part.byte_range()).unwrap_or_default());
        texts.collect()
    }

    fn is_misread_sign(&self, range: &Range<usize>) -> bool {
        self.code(range).is_some_and(|node| {
            let shape = Shape::new(self.text, node);
            self.tokens.is_misread_sign(shape, &node.byte_range())
        })
    }

    /// Returns whether two ranges with the same code are two nodes of one kind side by side.
    fn are_siblings(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        let whole = |range: &Range<usize>| {
            let node = self.code(range).map(|node| self.outermost(node))?;
            // The separator may be a part of the statement around the code.
            let range = trimmed(self.text, range.clone());
            let around = node
                .parent()
                .filter(|parent| trimmed(self.text, parent.byte_range()) == range);
            Some(around.map_or(node, |around| self.outermost(around)))
        };
        let (Some(one), Some(other)) = (whole(one), whole(other)) else {
            return false;
        };
        one.kind_id() == other.kind_id()
            && one.parent().map(|parent| parent.id()) == other.parent().map(|parent| parent.id())
            && !one.has_error()
            && !other.has_error()
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
    fn nodes(&self, range: Range<usize>) -> Option<Nodes<'a>> {
        let range = trimmed(self.text, range);
        if range.is_empty() {
            return None;
        }
        let root = self.tree.root_node();
        let around = root.descendant_for_byte_range(range.start, range.end)?;
        if trimmed(self.text, around.byte_range()) == range {
            return Some(Nodes::One(around));
        }
        let mut cursor = around.walk();
        let children = around.children(&mut cursor).collect::<Vec<_>>();
        let is_touched = |node: &Node<'_>| {
            let own = trimmed(self.text, node.byte_range());
            !own.is_empty() && own.start < range.end && own.end > range.start
        };
        let Some(first) = children.iter().position(is_touched) else {
            return Some(Nodes::PartOfToken);
        };
        let last = children.iter().rposition(is_touched).unwrap_or(first);
        if first == last && children[first].child_count() == 0 {
            return Some(Nodes::PartOfToken);
        }
        let start = trimmed(self.text, children[first].byte_range()).start;
        let end = trimmed(self.text, children[last].byte_range()).end;
        if (start..end) != range {
            return Some(Nodes::Split);
        }
        let before = first.checked_sub(1).map(|at| children[at]);
        Some(Nodes::Several {
            all: children[first..=last].to_vec(),
            beside: [before, children.get(last + 1).copied()],
        })
    }
}

/// Returns a range with a `;` behind it.
fn with_semicolon(text: &str, span: ByteSpan) -> Range<usize> {
    let range = to_range(span);
    range.start..semicolon_after(text, range.end).unwrap_or(range.end)
}

fn to_range((start, end): ByteSpan) -> Range<usize> {
    start as usize..end as usize
}

/// Returns the end of a `;` that follows on the same line.
fn semicolon_after(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(';').then_some(at + blank + 1)
}
