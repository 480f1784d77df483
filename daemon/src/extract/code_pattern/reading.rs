//! Reads a pattern: its holes, and the tree of the code around them.

use std::collections::HashMap;

use tree_sitter::{Node, Query, Tree};

use super::{PatternProblem, problem};
use crate::extract::compiled::compiled;
use crate::extract::text::offset;
use crate::extract::{ParseBudget, parse};
use crate::lang::conventions::{begins_clause, closes_block};
use crate::lang::{Language, Words};

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
/// Endings that turn a hole at the end of a block, or on a line of its own, into an item of the block: a statement, an arm of
/// a `match`, a method, a call, a macro.
const ITEM_ENDINGS: &[&str] = &["", ";", " => {}", " -> {}", "() {}", "();", "()", "!{}"];
/// Text around a hole that turns it into a parameter: `a: A`, `$a`, `A a`.
const PARAMETER_FORMS: &[(&str, &str)] = &[("", ""), ("", ": Zc"), ("$", ""), ("Zc ", "")];

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

/// The name of a hole; none for `$_` and `$$$`.
type HoleName = Option<Box<str>>;

/// A node of a pattern.
#[derive(Debug)]
pub(super) enum PatternNode {
    /// Any named node: `$X`.
    One(HoleName),
    /// Any number of nodes: `$$$ARGS`.
    Many(ManyHole),
    /// The tokens up to a separator, where the grammar parses no expressions: `$A` in `assert_eq!($A, $B)`.
    Tokens(HoleName),
    Token {
        kind: u16,
        text: Box<str>,
    },
    Node {
        kind: u16,
        children: Vec<PatternNode>,
    },
}

#[derive(Debug)]
pub(super) struct ManyHole {
    pub name: HoleName,
    pub block: Option<WholeBlock>,
}

/// A block that holds nothing but a `$$$` hole: the body of `def $F\n  $$$BODY\nend`. Neither parameters nor an `else` branch are
/// part of it.
#[derive(Debug)]
pub(super) struct WholeBlock {
    pub field: u16,
    pub kind: u16,
}

impl PatternNode {
    /// Returns whether the last node is a `$$$` hole: `f($$$ARGS)`.
    pub fn ends_with_many(&self) -> bool {
        match self {
            Self::Many(_) => true,
            Self::One(_) | Self::Tokens(_) | Self::Token { .. } => false,
            Self::Node { children, .. } => {
                let mut nodes = children.iter().rev();
                let last = nodes.find(|child| !matches!(child, Self::Token { .. }));
                last.is_some_and(Self::ends_with_many)
            }
        }
    }

    /// Returns whether a node below this one is of a kind.
    pub fn has_part(&self, wanted: u16) -> bool {
        let Self::Node { children, .. } = self else {
            return false;
        };
        children.iter().any(|child| {
            let is_wanted = match child {
                Self::Token { kind, .. } | Self::Node { kind, .. } => *kind == wanted,
                Self::One(_) | Self::Many(_) | Self::Tokens(_) => false,
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

impl WrittenHole<'_> {
    fn is_named(&self) -> bool {
        !self.name.is_empty() && !self.name.starts_with('_')
    }
}

/// Returns the holes of a pattern. Where variables have a `$`, `$_POST` is one of them, and no hole.
fn written_holes<'a>(language: Option<&Language>, pattern: &'a str) -> Vec<WrittenHole<'a>> {
    let facts = language.and_then(|language| language.facts.as_ref());
    let has_variables = facts.is_some_and(|facts| facts.naming.variable_sigil == Some('$'));
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
        let is_variable = has_variables && !is_many && name.len() > 1 && name.starts_with('_');
        if (is_many || is_name) && !is_variable {
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
    let holes = written_holes(None, pattern).into_iter();
    let names = holes.filter(WrittenHole::is_named);
    names.map(|hole| hole.name.to_owned()).collect()
}

/// Returns the first hole without a name, as it is written: `$$$`, `$_`.
pub fn unnamed_hole<'a>(language: Option<&Language>, text: &'a str) -> Option<&'a str> {
    let holes = written_holes(language, text);
    let unnamed = holes.into_iter().find(|hole| !hole.is_named());
    unnamed.map(|hole| &text[hole.range])
}

/// Returns the places and names of the holes of a replacement.
pub fn named_holes<'a>(
    language: &Language,
    text: &'a str,
) -> Vec<(std::ops::Range<usize>, &'a str)> {
    let holes = written_holes(Some(language), text).into_iter();
    let holes = holes.filter(WrittenHole::is_named);
    holes.map(|hole| (hole.range, hole.name)).collect()
}

/// A pattern whose holes are replaced by identifiers, so that it parses as code.
struct NamedHoles {
    text: String,
    holes: Vec<PatternHole>,
    /// Corresponding positions in the text and in the pattern, at the end of each hole.
    positions: Vec<(usize, usize)>,
}

struct PatternHole {
    name: HoleName,
    is_many: bool,
    range: std::ops::Range<usize>,
}

/// Text beside the names of holes that makes the pattern parse.
#[derive(Clone, Copy)]
struct HoleForms {
    item: &'static str,
    parameter: (&'static str, &'static str),
    /// A hole at the end of the pattern is a string: `import { $$$A } from $B`.
    is_string_last: bool,
}

/// A pattern in one of its forms, with the text of each hole.
struct SpelledPattern<'a> {
    text: String,
    holes: HashMap<String, &'a PatternHole>,
}

impl NamedHoles {
    fn new(language: &Language, pattern: &str) -> Self {
        let mut named = Self {
            text: String::with_capacity(pattern.len()),
            holes: vec![],
            positions: vec![(0, 0)],
        };
        let mut at = 0;
        for hole in written_holes(Some(language), pattern) {
            named.text.push_str(&pattern[at..hole.range.start]);
            at = hole.range.end;
            let kind = if hole.is_many { "many" } else { "hole" };
            let start = named.text.len();
            named
                .text
                .push_str(&format!("z{kind}{}z", named.holes.len()));
            named.positions.push((named.text.len(), at));
            named.holes.push(PatternHole {
                name: hole.is_named().then(|| hole.name.into()),
                is_many: hole.is_many,
                range: start..named.text.len(),
            });
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

    /// Returns the different spellings of the pattern, the plainest first.
    fn spellings(&self) -> Vec<SpelledPattern<'_>> {
        let mut spellings: Vec<SpelledPattern<'_>> = vec![];
        for is_string_last in [false, true] {
            for parameter in PARAMETER_FORMS {
                for item in ITEM_ENDINGS {
                    let spelled = self.spell(HoleForms {
                        item,
                        parameter: *parameter,
                        is_string_last,
                    });
                    if spellings.iter().all(|other| other.text != spelled.text) {
                        spellings.push(spelled);
                    }
                }
            }
        }
        spellings
    }

    fn spell(&self, forms: HoleForms) -> SpelledPattern<'_> {
        let mut spelled = SpelledPattern {
            text: String::new(),
            holes: HashMap::new(),
        };
        let mut at = 0;
        for hole in &self.holes {
            let (before, behind) = (&self.text[..hole.range.start], &self.text[hole.range.end..]);
            let word = &self.text[hole.range.clone()];
            let own = if is_item(before, behind, hole.is_many) {
                let ended = format!("{word}{}", forms.item);
                spelled
                    .holes
                    .insert(ended.trim_end_matches(';').to_owned(), hole);
                ended
            } else if hole.is_many && is_parameter(before, behind) {
                format!("{}{word}{}", forms.parameter.0, forms.parameter.1)
            } else if forms.is_string_last && !hole.is_many && matches!(behind.trim(), "" | ";") {
                format!("\"{word}\"")
            } else {
                word.to_owned()
            };
            spelled.text.push_str(&self.text[at..hole.range.start]);
            spelled.text.push_str(&own);
            at = hole.range.end;
            // A hole may be a statement of its own: `{ $X; }`.
            for text in [format!("{word};"), word.to_owned(), own] {
                spelled.holes.insert(text, hole);
            }
        }
        spelled.text.push_str(&self.text[at..]);
        spelled
    }
}

/// Returns whether a hole is the last item of a block, or on a line of its own.
fn is_item(before: &str, behind: &str, is_many: bool) -> bool {
    let next = behind.trim_start();
    let is_last = next.starts_with('}') || closes_block(next) || begins_clause(next);
    let line = (before.rsplit('\n').next(), behind.split('\n').next());
    let is_alone = before.contains('\n')
        && line.0.is_some_and(|text| text.trim().is_empty())
        && line.1.is_some_and(|text| text.trim().is_empty());
    is_last || is_many && is_alone
}

fn is_parameter(before: &str, behind: &str) -> bool {
    before.trim_end().ends_with(['(', ',']) && behind.trim_start().starts_with([')', ','])
}

impl PatternNode {
    pub fn parse(language: &'static Language, pattern: &str) -> Result<Self, PatternProblem> {
        let compiled = compiled(language).ok_or_else(|| problem(pattern, 0, NO_GRAMMAR))?;
        let named = NamedHoles::new(language, pattern.trim());
        let mut first_error = None;
        let mut is_several = false;
        let (mut incomplete, mut misread) = (None, None);
        let facts = language.facts.as_ref();
        let prefix = facts.map_or("", |facts| facts.code_prefix.as_str());
        let context = facts.and_then(|facts| facts.statement_context.as_ref());
        let context = context.map(|(before, behind)| (before.as_str(), behind.as_str()));
        let token_trees = facts.map(|facts| facts.token_trees).unwrap_or_default();
        let spellings = named.spellings();
        let tried = spellings.iter().flat_map(|spelled| {
            let surroundings = context.into_iter().chain(SURROUNDINGS.iter().copied());
            surroundings.map(move |around| (spelled, around))
        });
        for (spelled, (before, behind)) in tried {
            let own = &spelled.text;
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
                        holes: &spelled.holes,
                        token_trees,
                    };
                    let read = reader.read(node, Position::default());
                    let reserved = facts.map_or(&[][..], |facts| &facts.naming.reserved);
                    if reader.has_keyword_as_name(node, reserved) {
                        misread.get_or_insert(read);
                        continue;
                    }
                    // A block may have been read as a set, which lacks its `;`. Then another spelling is the same statement.
                    let is_incomplete = tree.root_node().has_error();
                    match &incomplete {
                        None if is_incomplete => incomplete = Some((node.kind_id(), read)),
                        None => return Ok(read),
                        Some((kind, _)) if !is_incomplete && *kind == node.kind_id() => {
                            return Ok(read);
                        }
                        Some(_) => {}
                    }
                }
                None => is_several = true,
            }
        }
        if let Some(read) = incomplete.map(|(_, read)| read).or(misread) {
            return Ok(read);
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
    holes: &'a HashMap<String, &'a PatternHole>,
    /// Nodes in which the grammar parses only tokens.
    token_trees: Words,
}

/// The position of a node in the one around it.
#[derive(Clone, Copy, Default)]
struct Position {
    field: Option<u16>,
    is_token: bool,
}

impl PatternReader<'_> {
    fn read(&self, node: Node<'_>, position: Position) -> PatternNode {
        let text = &self.text[node.byte_range()];
        if let Some(hole) = self.holes.get(text.trim()) {
            let name = hole.name.clone();
            if hole.is_many {
                let field = position.field.filter(|_| node.named_child_count() > 0);
                let kind = node.kind_id();
                let block = field.map(|field| WholeBlock { field, kind });
                return PatternNode::Many(ManyHole { name, block });
            }
            return if position.is_token {
                PatternNode::Tokens(name)
            } else {
                PatternNode::One(name)
            };
        }
        let is_token = self.token_trees.contains(&node.kind());
        let mut children = vec![];
        let mut cursor = node.walk();
        let mut has_more = cursor.goto_first_child();
        while has_more {
            let (child, field) = (cursor.node(), cursor.field_id());
            if !child.is_extra() && !child.is_missing() {
                let field = field.map(std::num::NonZero::get);
                children.push(self.read(child, Position { field, is_token }));
            }
            has_more = cursor.goto_next_sibling();
        }
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

    /// Returns whether a keyword is read as if it were a name: `if (a) { }` as a function in Dart.
    fn has_keyword_as_name(&self, node: Node<'_>, reserved: &[&str]) -> bool {
        let (mut names, mut keywords) = (vec![], vec![]);
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            let text = &self.text[node.byte_range()];
            if node.child_count() == 0 && self.holes.contains_key(text) {
                names.push(node.kind_id());
            } else if node.child_count() == 0 && node.is_named() && reserved.contains(&text) {
                keywords.push(node.kind_id());
            }
            let mut cursor = node.walk();
            nodes.extend(node.children(&mut cursor));
        }
        keywords.iter().any(|kind| names.contains(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn holes_without_a_name_are_found_but_for_variables() {
        let php = lang::by_name("php").expect("a language");
        let python = lang::by_name("python").expect("a language");
        for (text, in_php, in_python) in [
            ("g($$$)", Some("$$$"), Some("$$$")),
            ("g($_)", Some("$_"), Some("$_")),
            ("g($$$_REST)", Some("$$$_REST"), Some("$$$_REST")),
            ("g($_POST[$X])", None, Some("$_POST")),
            ("g($X, $$$ARGS)", None, None),
        ] {
            let found = [php, python].map(|language| unnamed_hole(Some(language), text));
            assert_eq!(found, [in_php, in_python], "{text}");
        }
        assert_eq!(named_holes(php, "g($_POST[$X])"), [(9..11, "X")]);
    }
}
