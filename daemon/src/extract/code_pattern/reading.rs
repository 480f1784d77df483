//! Reads a pattern: its holes, and the tree of the code around them.

use std::collections::HashMap;

use tree_sitter::{Node, Query, Tree};

use super::{PatternProblem, problem};
use crate::extract::compiled::compiled;
use crate::extract::text::offset;
use crate::extract::{ParseBudget, parse};
use crate::lang::Language;

/// Code around a pattern that cannot stand alone in a file of its language.
const SURROUNDINGS: &[(&str, &str)] = &[
    ("", ""),
    ("", ";"),
    ("class Zc { void zc() { ", " } }"),
    ("class Zc { void zc() { ", "; } }"),
    ("class Zc { void zc() { zc = ", "; } }"),
    ("class Zc { ", " }"),
    ("void zc() { ", " }"),
    ("void zc() { ", "; }"),
    ("func zc() { ", " }"),
    ("fn zc() { ", " }"),
    ("fn zc() void { ", " }"),
    ("fn zc() void { ", "; }"),
    ("fn zc() void { _ = ", "; }"),
    ("let zc = ", ""),
    ("zc = ", ""),
];
/// Endings that turn a hole before a `}` into an item of its block: a statement, an arm of a `match`, a method.
const HOLE_ENDINGS: &[&str] = &["", ";", " => {}", "() {}"];

const NO_GRAMMAR: &str = "this language has no grammar, so it cannot be searched by structure";

pub(super) fn parse_query(
    language: &'static Language,
    text: &str,
) -> Result<Query, PatternProblem> {
    let compiled = compiled(language).ok_or_else(|| problem(text, 0, NO_GRAMMAR))?;
    let query = Query::new(&compiled.grammar, text).map_err(|error| {
        // The message repeats the line of the query, with a mark below it.
        let message = error.message.lines().next().unwrap_or_default();
        let message = format!("invalid query at {}", message.trim());
        problem(text, offset(error.offset), &message)
    })?;
    if query.capture_names().is_empty() {
        return Err(problem(
            text,
            offset(text.len()),
            "the query has no captures (`@name`)",
        ));
    }
    Ok(query)
}

/// A node of a pattern.
#[derive(Debug)]
pub(super) enum PatternNode {
    /// Any named node: `$X`.
    One(Option<Box<str>>),
    /// Any number of nodes: `$$$ARGS`.
    Many(Option<Box<str>>),
    Token {
        kind: u16,
        text: Box<str>,
    },
    Node {
        kind: u16,
        children: Vec<PatternNode>,
    },
}

impl PatternNode {
    /// Returns whether a node below this one is of a kind.
    pub fn has_part(&self, wanted: u16) -> bool {
        let Self::Node { children, .. } = self else {
            return false;
        };
        children.iter().any(|child| {
            let is_wanted = match child {
                Self::Token { kind, .. } | Self::Node { kind, .. } => *kind == wanted,
                Self::One(_) | Self::Many(_) => false,
            };
            is_wanted || child.has_part(wanted)
        })
    }
}

/// A hole as it is written: `$X`, `$$$ARGS`, `$$$`.
struct WrittenHole<'a> {
    range: std::ops::Range<usize>,
    name: &'a str,
    is_many: bool,
}

fn written_holes(pattern: &str) -> Vec<WrittenHole<'_>> {
    let mut holes = vec![];
    let mut at = 0;
    while let Some(found) = pattern[at..].find('$') {
        let start = at + found;
        let is_many = pattern[start..].starts_with("$$$");
        let signs = if is_many { 3 } else { 1 };
        let rest = &pattern[start + signs..];
        let is_part =
            |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
        let length = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
        let name = &rest[..length];
        // `$total` is a variable in some languages, and not a hole.
        let goes_on = rest[length..].starts_with(|sign: char| sign.is_alphanumeric());
        let is_name = name.starts_with(|first: char| !first.is_ascii_digit()) && !goes_on;
        at = start + signs + length;
        if is_many || is_name {
            holes.push(WrittenHole {
                range: start..at,
                name,
                is_many,
            });
        }
    }
    holes
}

/// Returns the names of holes that are bound.
pub fn hole_names(pattern: &str) -> Vec<String> {
    let holes = written_holes(pattern).into_iter();
    let names = holes.filter(|hole| !hole.name.is_empty() && !hole.name.starts_with('_'));
    names.map(|hole| hole.name.to_owned()).collect()
}

/// Returns a text with its holes replaced by their values.
pub fn fill_holes<'a>(text: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut filled = String::new();
    let mut at = 0;
    for hole in written_holes(text) {
        filled.push_str(&text[at..hole.range.start]);
        filled.push_str(value(hole.name).unwrap_or_default());
        at = hole.range.end;
    }
    filled.push_str(&text[at..]);
    filled
}

/// A pattern whose holes are replaced by identifiers, so that it parses as code.
struct NamedHoles {
    text: String,
    holes: HashMap<String, PatternHole>,
    /// Corresponding positions in the text and in the pattern, at the end of each hole.
    positions: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct PatternHole {
    name: Option<Box<str>>,
    is_many: bool,
}

impl NamedHoles {
    fn new(pattern: &str) -> Self {
        let mut named = Self {
            text: String::with_capacity(pattern.len()),
            holes: HashMap::new(),
            positions: vec![(0, 0)],
        };
        let mut at = 0;
        for hole in written_holes(pattern) {
            named.text.push_str(&pattern[at..hole.range.start]);
            at = hole.range.end;
            let kind = if hole.is_many { "many" } else { "hole" };
            let word = format!("z{kind}{}z", named.holes.len());
            named.text.push_str(&word);
            named.positions.push((named.text.len(), at));
            let is_bound = !hole.name.is_empty() && !hole.name.starts_with('_');
            named.holes.insert(
                word,
                PatternHole {
                    name: is_bound.then(|| hole.name.into()),
                    is_many: hole.is_many,
                },
            );
        }
        named.text.push_str(&pattern[at..]);
        named
    }

    /// Returns the position in the pattern that corresponds to a position in the text.
    fn in_pattern(&self, at: usize) -> u32 {
        let place = self.positions.partition_point(|(text, _)| *text <= at);
        let (text, pattern) = self.positions[place.saturating_sub(1)];
        offset(pattern + at.saturating_sub(text))
    }
}

impl PatternNode {
    pub fn parse(language: &'static Language, pattern: &str) -> Result<Self, PatternProblem> {
        let compiled = compiled(language).ok_or_else(|| problem(pattern, 0, NO_GRAMMAR))?;
        let named = NamedHoles::new(pattern.trim());
        let mut first_error = None;
        let mut is_several = false;
        let facts = language.facts.as_ref();
        let prefix = facts.map_or("", |facts| facts.code_prefix.as_str());
        let context = facts.and_then(|facts| facts.statement_context.as_ref());
        let context = context.map(|(before, behind)| (before.as_str(), behind.as_str()));
        let written = HOLE_ENDINGS
            .iter()
            .map(|ending| with_hole_ending(&named.text, ending));
        let tried = written.flat_map(|text| {
            let surroundings = context.into_iter().chain(SURROUNDINGS.iter().copied());
            surroundings.map(move |around| (text.clone(), around))
        });
        for (own, (before, behind)) in tried {
            let before = format!("{prefix}{before}");
            let text = format!("{before}{own}{behind}");
            let tree = parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default());
            let Some(tree) = tree else { continue };
            if let Some(error) = first_fault(&tree) {
                // An error that spans everything is caused by a missing end: `f(`.
                let error = if error.start <= before.len() {
                    error.end.min(before.len() + own.len())
                } else {
                    error.start
                };
                let at = named.in_pattern(error.saturating_sub(before.len()));
                first_error.get_or_insert(at);
                continue;
            }
            let span = before.len()..before.len() + own.len();
            match whole_node(&tree, span) {
                Some(node) => {
                    let reader = PatternReader {
                        text: &text,
                        holes: &named.holes,
                    };
                    return Ok(reader.read(node));
                }
                None => is_several = true,
            }
        }
        if is_several {
            let message = "the pattern has several statements or expressions; wrap them in a block";
            return Err(problem(pattern, 0, message));
        }
        let at = first_error.unwrap_or_default();
        Err(problem(
            pattern,
            at,
            &format!("not valid {} at this position", language.name),
        ))
    }
}

/// Appends an ending to holes that are last in a block: `{ $$$BODY }` → `{ $$$BODY; }`.
fn with_hole_ending(text: &str, ending: &str) -> String {
    let mut ended = String::with_capacity(text.len());
    let mut parts = text.split('}').peekable();
    while let Some(part) = parts.next() {
        let is_closed = parts.peek().is_some();
        let statement = part.trim_end();
        let last = statement
            .rsplit(|sign: char| !sign.is_ascii_alphanumeric())
            .next();
        let is_hole = last.is_some_and(|word| word.starts_with('z') && word.ends_with('z'));
        ended.push_str(statement);
        if is_closed && is_hole {
            ended.push_str(ending);
        }
        ended.push_str(&part[statement.len()..]);
        if is_closed {
            ended.push('}');
        }
    }
    ended
}

/// Returns the range of the first syntax error. A missing semicolon is not an error.
fn first_fault(tree: &Tree) -> Option<std::ops::Range<usize>> {
    if !tree.root_node().has_error() {
        return None;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_end =
            node.is_missing() && matches!(node.kind(), ";" | "\n" | "_automatic_semicolon");
        if node.is_error() || node.is_missing() && !is_end {
            return Some(node.byte_range());
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// Returns the innermost node that covers the whole pattern; none if the pattern is several nodes.
fn whole_node(tree: &Tree, span: std::ops::Range<usize>) -> Option<Node<'_>> {
    let mut node = tree
        .root_node()
        .descendant_for_byte_range(span.start, span.end)?;
    loop {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node
            .children(&mut cursor)
            .filter(|child| !child.is_extra() && !child.is_missing())
            .filter(|child| child.start_byte() < span.end && child.end_byte() > span.start)
            .collect();
        match children.as_slice() {
            [only] if only.is_named() => node = *only,
            _ => break,
        }
    }
    let is_inside = span.start <= node.start_byte() && node.end_byte() <= span.end;
    (is_inside && node.parent().is_some()).then_some(node)
}

/// Returns whether a node has text that none of its children cover: a string, in some grammars.
fn has_hidden_text(node: Node<'_>, text: &str) -> bool {
    let mut cursor = node.walk();
    let mut at = node.start_byte();
    let mut is_blank = true;
    for child in node.children(&mut cursor) {
        is_blank &= text[at..child.start_byte().max(at)].trim().is_empty();
        at = child.end_byte().max(at);
    }
    !is_blank || !text[at..node.end_byte().max(at)].trim().is_empty()
}

struct PatternReader<'a> {
    text: &'a str,
    holes: &'a HashMap<String, PatternHole>,
}

impl PatternReader<'_> {
    fn read(&self, node: Node<'_>) -> PatternNode {
        let text = &self.text[node.byte_range()];
        // A hole may be a statement of its own: `{ $$$BODY }`.
        let mut endings = HOLE_ENDINGS.iter().rev();
        let word = endings.find_map(|ending| text.trim().strip_suffix(ending));
        if let Some(hole) = word.and_then(|word| self.holes.get(word.trim())) {
            let name = hole.name.clone();
            return if hole.is_many {
                PatternNode::Many(name)
            } else {
                PatternNode::One(name)
            };
        }
        let mut cursor = node.walk();
        let children: Vec<PatternNode> = node
            .children(&mut cursor)
            .filter(|child| !child.is_extra() && !child.is_missing())
            .map(|child| self.read(child))
            .collect();
        if children.is_empty() || has_hidden_text(node, self.text) {
            PatternNode::Token {
                kind: node.kind_id(),
                text: text.into(),
            }
        } else {
            PatternNode::Node {
                kind: node.kind_id(),
                children,
            }
        }
    }
}
