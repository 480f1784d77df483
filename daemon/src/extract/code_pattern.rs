//! Patterns in the syntax of a language, with holes: `$X.unwrap()`, `if ($COND) { return $X; }`, `f($$$ARGS)`.
//!
//! A pattern is parsed as code, with a name in place of each hole, and its tree is compared with the nodes of a file. Tokens
//! of the file that the pattern does not have, such as a trailing comma, are passed over; comments too. Runs in workers.

use std::collections::HashMap;

use claudevil_treequery::Span;
use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::compiled::compiled;
use super::spans::ByteSpan;
use super::text::offset;
use super::{ParseBudget, parse};
use crate::lang::Language;

/// Code around a pattern that cannot stand alone in a file of its language.
const SURROUNDINGS: &[(&str, &str)] = &[
    ("", ""),
    ("<?php ", ""),
    ("<?php ", ";"),
    ("class Zc { void zc() { ", " } }"),
    ("class Zc { void zc() { ", "; } }"),
    ("class Zc { ", " }"),
    ("void zc() { ", " }"),
    ("void zc() { ", "; }"),
    ("func zc() { ", " }"),
    ("fn zc() void { ", " }"),
    ("fn zc() void { ", "; }"),
    ("fn zc() void { _ = ", "; }"),
    ("let zc = ", ""),
    ("zc = ", ""),
];
/// Comparisons of nodes for one file, which bound patterns with many `$$$`.
const MOST_STEPS: u32 = 2_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSpec {
    pub pattern: String,
    pub syntax: PatternSyntax,
    /// A pattern of code that must be around a match.
    pub inside: Option<String>,
    /// A pattern of code that must not be around it.
    pub not_inside: Option<String>,
    /// The most matches of one file.
    pub most: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternSyntax {
    #[default]
    Code,
    /// A query of tree-sitter: `(call_expression function: (identifier) @name)`.
    Query,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMatches {
    /// In the order of their start.
    pub matches: Vec<StructureMatch>,
    /// There are more than were asked for, or than could be compared.
    pub is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureMatch {
    pub span: ByteSpan,
    /// Each once, in the order in which they were bound.
    pub holes: Vec<HoleText>,
}

/// The text that a hole stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoleText {
    pub name: Box<str>,
    pub span: ByteSpan,
}

/// The reason why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternProblem {
    /// The pattern, or one that says what is around it.
    pub pattern: String,
    pub offset: u32,
    pub message: String,
}

/// Finds the matches of a pattern in a text.
pub fn find_matches(
    language: &'static Language,
    spec: &PatternSpec,
    text: &str,
) -> Result<FileMatches, PatternProblem> {
    let surrounding = |pattern: &Option<String>| {
        let pattern = pattern.as_deref();
        pattern
            .map(|pattern| CodePattern::parse(language, pattern))
            .transpose()
    };
    let (inside, not_inside) = (surrounding(&spec.inside)?, surrounding(&spec.not_inside)?);
    let finder = match spec.syntax {
        PatternSyntax::Code => {
            let pattern = CodePattern::parse(language, &spec.pattern)?;
            if matches!(pattern.root, PatternNode::One(_) | PatternNode::Many(_)) {
                return Err(problem(&spec.pattern, 0, "a hole alone matches everything"));
            }
            Finder::Code(pattern)
        }
        PatternSyntax::Query => Finder::Query(parse_query(language, &spec.pattern)?),
    };
    let tree = compiled(language)
        .and_then(|compiled| parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default()));
    let Some(tree) = tree else {
        return Ok(FileMatches {
            is_cut: true,
            ..FileMatches::default()
        });
    };
    let mut search = Search {
        text,
        inside,
        not_inside,
        steps: MOST_STEPS,
        most: spec.most as usize,
        found: FileMatches::default(),
    };
    match finder {
        Finder::Code(pattern) => search.run_pattern(&pattern, &tree),
        Finder::Query(query) => search.run_query(&query, &tree),
    }
    let mut found = search.found;
    found
        .matches
        .sort_by_key(|one| (one.span.0, std::cmp::Reverse(one.span.1)));
    Ok(found)
}

enum Finder {
    Code(CodePattern),
    Query(Query),
}

fn problem(pattern: &str, offset: u32, message: &str) -> PatternProblem {
    PatternProblem {
        pattern: pattern.to_owned(),
        offset,
        message: message.to_owned(),
    }
}

fn parse_query(language: &'static Language, text: &str) -> Result<Query, PatternProblem> {
    let compiled =
        compiled(language).ok_or_else(|| problem(text, 0, "the language is not parsed"))?;
    Query::new(&compiled.grammar, text).map_err(|error| {
        let message = format!("the query is wrong: {}", error.message.trim());
        problem(text, offset(error.offset), &message)
    })
}

/// A node of a pattern.
#[derive(Debug)]
enum PatternNode {
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

struct CodePattern {
    root: PatternNode,
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
        // `$total` is a variable of some languages, and no hole.
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

/// Returns a text with its holes filled.
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

/// A pattern with names for its holes, so that it is code.
struct NamedHoles {
    text: String,
    holes: HashMap<String, PatternHole>,
    /// Positions in the text and in the pattern, at the end of each hole.
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

    /// Returns the position in the pattern of one in the text.
    fn in_pattern(&self, at: usize) -> u32 {
        let place = self.positions.partition_point(|(text, _)| *text <= at);
        let (text, pattern) = self.positions[place.saturating_sub(1)];
        offset(pattern + at.saturating_sub(text))
    }
}

impl CodePattern {
    fn parse(language: &'static Language, pattern: &str) -> Result<Self, PatternProblem> {
        let compiled =
            compiled(language).ok_or_else(|| problem(pattern, 0, "the language is not parsed"))?;
        let named = NamedHoles::new(pattern.trim());
        let mut first_error = None;
        let mut is_several = false;
        let written = [named.text.clone(), with_semicolons(&named.text)];
        let tried = written
            .iter()
            .flat_map(|text| SURROUNDINGS.iter().map(move |around| (text, around)));
        for (own, (before, behind)) in tried {
            let text = format!("{before}{own}{behind}");
            let tree = parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default());
            let Some(tree) = tree else { continue };
            if let Some(error) = first_fault(&tree) {
                // An error from the very beginning is one of what is missing at its end: `f(`.
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
                    return Ok(Self {
                        root: reader.read(node),
                    });
                }
                None => is_several = true,
            }
        }
        if is_several {
            let message = "it is more than one statement or expression; put them in a block";
            return Err(problem(pattern, 0, message));
        }
        let at = first_error.unwrap_or_default();
        Err(problem(
            pattern,
            at,
            &format!("it is not {} here", language.name),
        ))
    }
}

/// Ends holes that are the last statement of a block: `{ $$$BODY }` → `{ $$$BODY; }`.
fn with_semicolons(text: &str) -> String {
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
            ended.push(';');
        }
        ended.push_str(&part[statement.len()..]);
        if is_closed {
            ended.push('}');
        }
    }
    ended
}

/// Returns the position of the first error. A semicolon may be missing.
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

/// Returns the innermost node that is a whole pattern; none if it is several.
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

struct PatternReader<'a> {
    text: &'a str,
    holes: &'a HashMap<String, PatternHole>,
}

impl PatternReader<'_> {
    fn read(&self, node: Node<'_>) -> PatternNode {
        let text = &self.text[node.byte_range()];
        // A hole may be a statement of its own: `{ $$$BODY }`.
        if let Some(hole) = self.holes.get(text.trim_end_matches(';').trim()) {
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
        if children.is_empty() {
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

struct Search<'a> {
    text: &'a str,
    inside: Option<CodePattern>,
    not_inside: Option<CodePattern>,
    steps: u32,
    most: usize,
    found: FileMatches,
}

impl Search<'_> {
    fn run_pattern(&mut self, pattern: &CodePattern, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            let mut bound = vec![];
            if self.matches(&pattern.root, cursor.node(), &mut bound) {
                let node = cursor.node();
                self.add(
                    node,
                    (offset(node.start_byte()), offset(node.end_byte())),
                    bound,
                );
            }
            if self.found.is_cut {
                return;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn run_query(&mut self, query: &Query, tree: &Tree) {
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
            });
            self.add(*node, *span, holes.collect());
            if self.found.is_cut {
                return;
            }
        }
    }

    /// Adds a match if what is around it is as asked.
    fn add(&mut self, node: Node<'_>, span: ByteSpan, mut bound: Vec<HoleText>) {
        if let Some(pattern) = self.not_inside.take() {
            let is_inside =
                ancestors(node).any(|outer| self.matches(&pattern.root, outer, &mut bound.clone()));
            self.not_inside = Some(pattern);
            if is_inside {
                return;
            }
        }
        if let Some(pattern) = self.inside.take() {
            let is_inside = ancestors(node).any(|outer| {
                let mut outer_bound = bound.clone();
                let is_match = self.matches(&pattern.root, outer, &mut outer_bound);
                if is_match {
                    bound = outer_bound;
                }
                is_match
            });
            self.inside = Some(pattern);
            if !is_inside {
                return;
            }
        }
        if self.found.matches.len() >= self.most {
            self.found.is_cut = true;
            return;
        }
        self.found
            .matches
            .push(StructureMatch { span, holes: bound });
    }

    fn matches(
        &mut self,
        pattern: &PatternNode,
        node: Node<'_>,
        bound: &mut Vec<HoleText>,
    ) -> bool {
        match pattern {
            PatternNode::One(name) => node.is_named() && self.bind(name.as_deref(), &[node], bound),
            PatternNode::Many(name) => self.bind(name.as_deref(), &[node], bound),
            PatternNode::Token { kind, text } => {
                node.kind_id() == *kind && self.text.get(node.byte_range()) == Some(text)
            }
            PatternNode::Node { kind, children } => {
                if node.kind_id() != *kind {
                    return false;
                }
                let mut cursor = node.walk();
                let nodes: Vec<Node<'_>> = node
                    .children(&mut cursor)
                    .filter(|child| !child.is_extra() && !child.is_missing())
                    .collect();
                self.match_all(children, &nodes, bound)
            }
        }
    }

    fn match_all(
        &mut self,
        patterns: &[PatternNode],
        nodes: &[Node<'_>],
        bound: &mut Vec<HoleText>,
    ) -> bool {
        let Some(left) = self.steps.checked_sub(1) else {
            self.found.is_cut = true;
            return false;
        };
        self.steps = left;
        let Some((first, rest)) = patterns.split_first() else {
            return nodes.iter().all(|node| !node.is_named());
        };
        let known = bound.len();
        if let PatternNode::Many(name) = first {
            let counts = if rest.is_empty() {
                nodes.len()..=nodes.len()
            } else {
                0..=nodes.len()
            };
            for count in counts {
                if self.bind(name.as_deref(), &nodes[..count], bound)
                    && self.match_all(rest, &nodes[count..], bound)
                {
                    return true;
                }
                bound.truncate(known);
            }
            return false;
        }
        for (at, node) in nodes.iter().enumerate() {
            if self.matches(first, *node, bound) && self.match_all(rest, &nodes[at + 1..], bound) {
                return true;
            }
            bound.truncate(known);
            // Only signs and words of the grammar may be passed over.
            if node.is_named() {
                return false;
            }
        }
        // `$$$` at the end may stand for nothing.
        nodes.is_empty()
            && patterns
                .iter()
                .all(|one| matches!(one, PatternNode::Many(_)))
    }

    /// Binds a hole; false if it is bound to another text.
    fn bind(&self, name: Option<&str>, nodes: &[Node<'_>], bound: &mut Vec<HoleText>) -> bool {
        let Some(name) = name else { return true };
        let span = match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) => Span {
                start: offset(first.start_byte()),
                end: offset(last.end_byte()),
            },
            _ => Span { start: 0, end: 0 },
        };
        let text = |(start, end): ByteSpan| self.text.get(start as usize..end as usize);
        let span = (span.start, span.end);
        if let Some(known) = bound.iter().find(|hole| *hole.name == *name) {
            return text(known.span) == text(span);
        }
        bound.push(HoleText {
            name: name.into(),
            span,
        });
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
    use crate::lang;

    fn find(language: &str, pattern: &str, text: &str) -> Vec<String> {
        find_in(language, pattern, (None, None), text)
    }

    fn find_in(
        language: &str,
        pattern: &str,
        (inside, not_inside): (Option<&str>, Option<&str>),
        text: &str,
    ) -> Vec<String> {
        let spec = PatternSpec {
            pattern: pattern.to_owned(),
            inside: inside.map(str::to_owned),
            not_inside: not_inside.map(str::to_owned),
            most: 100,
            ..PatternSpec::default()
        };
        let language = lang::by_name(language).expect("a language");
        let found = find_matches(language, &spec, text).unwrap_or_else(|error| panic!("{error:?}"));
        let slice = |span: ByteSpan| &text[span.0 as usize..span.1 as usize];
        let found = found.matches.iter().map(|one| {
            let holes = one
                .holes
                .iter()
                .map(|hole| format!(" {}={}", hole.name, slice(hole.span)));
            format!("{}{}", slice(one.span), holes.collect::<String>())
        });
        found.collect()
    }

    #[test]
    fn holes_stand_for_nodes() {
        let text = "fn f() { a.unwrap(); b.c().unwrap(); unwrap(); d.expect(\"x\"); }";
        let expected = ["a.unwrap() X=a", "b.c().unwrap() X=b.c()"];
        assert_eq!(find("rust", "$X.unwrap()", text), expected);
        assert_eq!(find("rust", "$X.expect($_)", text), ["d.expect(\"x\") X=d"]);
        let text = "f(1)\nf(1, 2)\ng(1)\nf()\n";
        let expected = ["f(1) ARGS=1", "f(1, 2) ARGS=1, 2", "f() ARGS="];
        assert_eq!(find("python", "f($$$ARGS)", text), expected);
        assert_eq!(find("python", "f($A, $B)", text), ["f(1, 2) A=1 B=2"]);
    }

    #[test]
    fn a_hole_of_one_name_stands_for_one_text() {
        let text = "x = a == a\ny = a == b\n";
        assert_eq!(find("python", "$A == $A", text), ["a == a A=a"]);
    }

    #[test]
    fn statements_match_with_their_bodies() {
        let text = "function f(a) { if (a) { return 1; } if (a) { b(); return 2; } }";
        let found = find("javascript", "if ($C) { return $X; }", text);
        assert_eq!(found, ["if (a) { return 1; } C=a X=1"]);
        let found = find("javascript", "if ($C) { $$$BODY }", text);
        assert_eq!(found.len(), 2, "{found:?}");
        let text = "class A { void f() { if (x == null) { return; } } }";
        assert_eq!(find("java", "if ($X == null) { $$$ }", text).len(), 1);
        let text = "func f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n";
        assert_eq!(find("go", "if err != nil { return $X }", text).len(), 1);
    }

    #[test]
    fn the_code_around_a_match_can_be_asked_for() {
        let text = "fn f() { a.unwrap(); }\n#[test]\nfn g() { loop { a.unwrap(); } }\n";
        let around =
            |inside, not_inside| find_in("rust", "$X.unwrap()", (inside, not_inside), text);
        assert_eq!(around(Some("loop { $$$ }"), None), ["a.unwrap() X=a"]);
        assert_eq!(around(Some("fn f() { $$$ }"), None).len(), 1);
        assert_eq!(around(None, Some("loop { $$$ }")).len(), 1);
    }

    #[test]
    fn a_pattern_that_is_no_code_says_where() {
        let rust = lang::by_name("rust").expect("a language");
        let problem = |pattern: &str| {
            let spec = PatternSpec {
                pattern: pattern.to_owned(),
                most: 1,
                ..PatternSpec::default()
            };
            find_matches(rust, &spec, "fn f() {}").expect_err("no pattern")
        };
        assert!(problem("$X.unwrap(").offset > 0);
        assert!(problem("$X").message.contains("everything"));
        assert!(problem("a(); b();").message.contains("more than one"));
        let spec = PatternSpec {
            pattern: "(function_item name: (nothing) @x)".to_owned(),
            syntax: PatternSyntax::Query,
            most: 1,
            ..PatternSpec::default()
        };
        assert!(find_matches(rust, &spec, "").is_err());
    }

    #[test]
    fn queries_are_found_with_their_captures() {
        let rust = lang::by_name("rust").expect("a language");
        let spec = PatternSpec {
            pattern: "(function_item name: (identifier) @name) @match".to_owned(),
            syntax: PatternSyntax::Query,
            most: 10,
            ..PatternSpec::default()
        };
        let found = find_matches(rust, &spec, "fn f() {}\nfn g() {}\n").expect("a query");
        assert_eq!(found.matches.len(), 2);
        assert_eq!(found.matches[1].span, (10, 19));
        assert_eq!(&*found.matches[1].holes[0].name, "name");
    }
}
