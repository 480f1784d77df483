//! The bytes of each symbol, for edits: with its documentation and attributes, without them, and its body.
//!
//! Computed by a worker from the same parses as the facts, and never stored: only edits need them.

mod head;
mod indentation;
mod strings;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;

use claudevil_protocol::answer::symbol::SymbolKind;
use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::annotations::Annotations;
use super::captures::{FileCaptures, Span};
use super::facts::Symbol;
use super::text::Text;
use super::{Capturing, capture, redact, symbols};
use crate::lang::Language;
use crate::lang::directives::{self, Directive};
use crate::secrets;

/// A range of bytes, the end exclusive.
pub type ByteSpan = (u32, u32);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpans {
    /// Sorted by start; a parent comes before its children.
    pub symbols: Vec<SymbolSpan>,
    /// Multi-line strings, in order; documentation is excluded. Every line inside them is content.
    pub strings: Vec<ByteSpan>,
    /// Syntax errors, and statements that are not indented like their block.
    pub errors: Vec<ByteSpan>,
    /// The tokens of code, in order, without white space and those inside comments.
    pub tokens: Vec<TokenSpan>,
    /// Comments, in order.
    pub comments: Vec<ByteSpan>,
    /// A parse was given up, so symbols are missing.
    pub is_unparsed: bool,
}

/// A token of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenSpan {
    pub span: ByteSpan,
    /// The kind of its node.
    pub kind: u16,
    /// A hash of the kinds of the nodes around it; zero if errors in them may change them.
    pub path: u32,
    /// The number of nodes around it that begin with it.
    pub begins: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolSpan {
    pub name: Box<str>,
    pub kind: SymbolKind,
    /// The index of the enclosing symbol in the list.
    pub parent: Option<u32>,
    /// Its container, if that is not the enclosing symbol: the type of an `impl`.
    pub scope: Option<Box<str>>,
    pub name_at: u32,
    /// The definition as in the facts.
    pub definition: ByteSpan,
    /// The whole statement: with the comments and attributes above it, and with words around it such as `export`.
    pub whole: ByteSpan,
    /// The first byte of `whole`, or of comments and attributes that only preprocessor lines separate from it: a comment above
    /// `#pragma`.
    pub above: u32,
    /// The end of the separator and the comment after it on its last line: `a: u8, // bits`.
    pub line_end: u32,
    /// The first byte after its leading comments and attributes.
    pub code_start: u32,
    /// Attributes before `code_start`: `#[test]`, `@property`.
    pub attributes: Vec<ByteSpan>,
    /// Comments before `code_start`.
    pub comments: Vec<ByteSpan>,
    pub body: Option<ByteSpan>,
    /// The start of the comments above the first statement of the body, or of the body.
    pub body_comments: u32,
    /// The documentation inside the body.
    pub docstring: Option<ByteSpan>,
    /// The names that one value is assigned to, if this is one of them: `self.a, self.b` of `self.a, self.b = a, b`.
    pub pattern: Option<ByteSpan>,
    /// It is an argument of a call: `items.forEach(function each() {})`.
    pub is_argument: bool,
    /// Other names that the type signature at its start declares too: `f, g :: Int`.
    pub also_declared: Vec<Box<str>>,
}

/// Returns the spans of all symbols that [`extract`](super::extract) finds in a text.
pub fn spans(language: &'static Language, source: &str) -> FileSpans {
    let redacted = redact(source, &secrets::find(source));
    let text = Text::new(&redacted);
    let Capturing {
        captured,
        trees,
        unparsed,
    } = capture(language, &text);
    let annotations = Annotations::new(&captured, &text);
    let bodies = body_starts(&captured);
    let sorted = |spans: &[Span]| {
        let mut spans = spans.to_vec();
        spans.sort_by_key(|span| span.start);
        spans
    };
    let mut finder = SpanFinder {
        text: &text,
        trees: &trees,
        attributes: sorted(&captured.attributes),
        comments: sorted(&captured.comments),
        docs: sorted(&captured.docs),
        annotations,
        bodies,
        head_end: 0,
        strings: vec![],
        declared: (captured.declared.iter())
            .map(|one| (one.span, one.name.into()))
            .collect(),
    };
    finder.strings = finder.find_strings(language);
    finder.head_end = finder.find_head_end(language);
    let mut errors: Vec<ByteSpan> = trees.iter().flat_map(errors).collect();
    let facts = language.facts.as_ref();
    let facts = facts.filter(|facts| facts.names.family.block_opener().is_some());
    if let Some((facts, tree)) = facts.zip(trees.first()) {
        errors.extend(indentation::unexpected(tree, &text, facts));
    }
    let facts = language.facts.as_ref();
    let strings = facts.map_or(&[][..], |facts| &facts.string_nodes);
    let (tokens, comments) = tokens::find(&trees, source, strings);
    let (outline, _) = symbols::assemble(language, captured, &text);
    let symbols = outline.symbols.into_iter();
    let symbols = symbols.map(|symbol| finder.find(symbol)).collect();
    FileSpans {
        symbols,
        strings: finder.strings,
        errors,
        tokens,
        comments,
        is_unparsed: unparsed,
    }
}

/// Returns definitions, each with the number of its pattern and the start of its body, by the position of the name. The pattern
/// with the lowest number wins.
fn body_starts(captured: &FileCaptures<'_>) -> HashMap<u32, (usize, Span, Option<u32>)> {
    let mut starts = HashMap::new();
    for one in &captured.definitions {
        let found = (one.pattern, one.span, one.body);
        let known = starts.entry(one.name_at).or_insert(found);
        if one.pattern < known.0 {
            *known = found;
        }
    }
    starts
}

struct SpanFinder<'a> {
    text: &'a Text<'a>,
    trees: &'a [Tree],
    attributes: Vec<Span>,
    comments: Vec<Span>,
    docs: Vec<Span>,
    annotations: Annotations,
    bodies: HashMap<u32, (usize, Span, Option<u32>)>,
    /// The end of the comments at the top that are about the whole file.
    head_end: u32,
    strings: Vec<ByteSpan>,
    /// The names in type signatures.
    declared: Vec<(Span, Box<str>)>,
}

impl SpanFinder<'_> {
    fn find(&self, symbol: Symbol) -> SymbolSpan {
        let name_at = self.text.line_start(symbol.name_line) + symbol.name_column;
        let definition = Span {
            start: symbol.start_byte,
            end: symbol.end_byte,
        };
        let body = self.body(name_at, definition);
        let (mut statement, node) = self.statement(definition, self.code_end(definition, body));
        let pattern = node.and_then(|node| self.pattern(&node));
        let is_part = |node: &Node<'_>| self.is_argument(node, name_at);
        let is_argument = (symbol.kind.is_callable() || symbol.kind.is_type())
            && node.as_ref().is_some_and(is_part);
        let declared = self.declared.iter();
        let also_declared = declared
            .filter(|(span, name)| {
                span.start == definition.start && span.end < definition.end && *name != symbol.name
            })
            .map(|(_, name)| name.clone())
            .collect();
        statement.end = self.heredoc_end(statement.end);
        let start = self.annotated_start(statement.start);
        let code_start = self.code_start(start, statement.end);
        let is_before_code = |span: &&Span| start <= span.start && span.end <= code_start;
        let listed = |spans: &[Span]| -> Vec<ByteSpan> {
            let before = spans.iter().filter(is_before_code);
            before.map(|span| (span.start, span.end)).collect()
        };
        SymbolSpan {
            name: symbol.name,
            kind: symbol.kind,
            parent: symbol.parent,
            scope: symbol.scope,
            name_at,
            definition: (definition.start, definition.end),
            whole: (start, statement.end),
            above: self.above(start),
            line_end: self.line_end(statement.end),
            code_start,
            attributes: listed(&self.attributes),
            comments: listed(&self.comments),
            docstring: body.and_then(|body| self.docstring(body)),
            body: body.map(|body| (body.start, body.end)),
            body_comments: body.map_or(code_start, |body| self.body_comments(body, code_start)),
            pattern: pattern.map(|span| (span.start, span.end)),
            is_argument,
            also_declared,
        }
    }

    /// Returns the definition with the words around it that make it a statement: `export default`, a final `;`. The node is the
    /// outermost one with nothing else in it. `code_end` is the end of the definition without the comment behind it.
    fn statement(&self, definition: Span, code_end: u32) -> (Span, Option<Node<'_>>) {
        let mut span = Span {
            end: code_end,
            ..definition
        };
        let Some(mut node) = self.node(definition) else {
            return (span, None);
        };
        while let Some(parent) = node.parent() {
            let mut around = to_span(&parent);
            around.end = self.without_comment(span.end, around.end);
            let is_root = parent.parent().is_none();
            let before = self
                .annotations
                .without(around.start, span.start, self.text);
            let behind = self.text.slice(span.end, around.end).trim();
            // The head of a block with one member is not part of that member: `instance Show A where`.
            let is_word = |letter: char| {
                letter.is_alphanumeric() && !letter.is_uppercase()
                    || matches!(letter, ' ' | '\t' | '_')
            };
            // A field that is defined by its first assignment: `self.size = 0`.
            let is_assigned = before.is_empty() && is_assignment(behind);
            let is_whole = matches!(behind, "" | ";") || is_assigned;
            if is_root {
                span = self.flat_statement(&node).unwrap_or(span);
                break;
            }
            let is_head = before.trim_start().chars().all(is_word) || is_repeated(&parent, &node);
            if !is_head || !is_whole {
                break;
            }
            (span, node) = (around, parent);
        }
        // Some grammars include the space before a definition in its block.
        let whole = self.text.slice(span.start, span.end);
        span.end = self.text.code_end(span.start, span.end);
        span.start += super::text::offset(whole.len() - whole.trim_start().len());
        (span, Some(node))
    }

    /// Returns the end of a definition without the comment behind it. That behind the last statement of a block belongs to the
    /// definition, unless braces are around the block.
    fn code_end(&self, definition: Span, body: Option<Span>) -> u32 {
        let Some(body) = body else {
            return self.without_comment(definition.start, definition.end);
        };
        let ends_with_body = is_in_braces(self.text.slice(body.start, body.end))
            && self.without_comment(body.end, definition.end) == body.end;
        if ends_with_body {
            body.end
        } else {
            definition.end
        }
    }

    /// Returns the end of some code without the comment behind it on the same line, which is a part of a statement that has no
    /// semicolon in JavaScript: `a = 1 // one`.
    fn without_comment(&self, start: u32, end: u32) -> u32 {
        let trimmed = |end: u32| {
            let length = self.text.slice(start, end).trim_end().len();
            start + super::text::offset(length)
        };
        let code_end = trimmed(end);
        let before = self.comments.partition_point(|span| span.start < code_end);
        let comment = before.checked_sub(1).map(|at| self.comments[at]);
        let comment = comment.filter(|span| start <= span.start && code_end <= span.end);
        let Some(comment) = comment else { return end };
        let code_end = trimmed(comment.start);
        let gap = self.text.slice(code_end, comment.start);
        if gap.contains('\n') { end } else { code_end }
    }

    /// Returns the statement around a node, if the grammar has no node for it: `const int a = 1;` in Dart is four nodes at the top
    /// of the file.
    fn flat_statement(&self, node: &Node<'_>) -> Option<Span> {
        let end = node.next_sibling().map(|next| to_span(&next));
        let end = end.filter(|end| self.text.slice(end.start, end.end) == ";")?;
        let line = node.start_position().row;
        let mut first = *node;
        while let Some(before) = first
            .prev_sibling()
            .filter(|before| before.start_position().row == line)
        {
            let words = to_span(&before);
            let is_word = |sign: char| sign.is_alphanumeric() || "_<>,?. ".contains(sign);
            if !self.text.slice(words.start, words.end).chars().all(is_word) {
                break;
            }
            first = before;
        }
        (first != *node).then(|| Span {
            start: to_span(&first).start,
            end: end.end,
        })
    }

    /// Returns the names that one value is assigned to, if a node is one of several: `a, b = 1, 2`.
    fn pattern(&self, node: &Node<'_>) -> Option<Span> {
        let list = node.parent()?;
        let (own, names) = (to_span(node), to_span(&list));
        let around = to_span(&list.parent()?);
        let is_several = self
            .text
            .slice(names.start, own.start)
            .trim_end()
            .ends_with(',')
            || self
                .text
                .slice(own.end, names.end)
                .trim_start()
                .starts_with(',');
        // A name can be removed from `const { a, b } = c`.
        let is_by_name = self.text.slice(names.start, names.end).starts_with('{');
        let is_assigned = is_assignment(self.text.slice(names.end, around.end).trim_start());
        (is_several && is_assigned && !is_by_name).then_some(names)
    }

    /// Returns whether a node is an argument without a name: not `size = function() 1` in R.
    fn is_argument(&self, node: &Node<'_>, name_at: u32) -> bool {
        let Some(list) = node.parent() else {
            return false;
        };
        let (own, list) = (to_span(node), to_span(&list));
        let begins_with_bracket =
            |span: Span| self.text.slice(span.start, span.end).starts_with('(');
        begins_with_bracket(list) && !begins_with_bracket(own) && own.start < name_at
    }

    /// Returns the end of the heredocs that begin below the last line of a statement: `A = <<~TEXT`.
    fn heredoc_end(&self, mut end: u32) -> u32 {
        loop {
            let next = self.strings.partition_point(|string| string.0 < end);
            let heredoc = self.strings.get(next).filter(|string| {
                let gap = self.text.slice(end, string.0);
                gap.chars().all(|sign| matches!(sign, ' ' | '\t'))
            });
            match heredoc {
                Some(heredoc) => end = heredoc.1,
                None => return end,
            }
        }
    }

    /// Returns the node that covers exactly these bytes.
    fn node(&self, span: Span) -> Option<Node<'_>> {
        let (start, end) = (span.start as usize, span.end as usize);
        self.trees.iter().rev().find_map(|tree| {
            let node = tree.root_node().descendant_for_byte_range(start, end)?;
            let is_exact = node.start_byte() == start && node.end_byte() == end;
            is_exact.then_some(node)
        })
    }

    /// Returns the start of the first comment or attribute right above a definition.
    fn annotated_start(&self, start: u32) -> u32 {
        let mut first = start;
        loop {
            if !self.text.begins_line(first) {
                let before = self.attributes.partition_point(|span| span.start < first);
                let attribute = before.checked_sub(1).map(|at| self.attributes[at]);
                let Some(attribute) = attribute.filter(|span| {
                    span.end <= first && self.text.slice(span.end, first).trim().is_empty()
                }) else {
                    return first;
                };
                first = attribute.start;
                continue;
            }
            match self.annotation_on(self.text.line_at(first) - 1) {
                Some(span) if span.start < first => first = span.start,
                _ => return first,
            }
        }
    }

    /// Returns the comment or the attribute that ends on a line.
    fn annotation_on(&self, line: u32) -> Option<Span> {
        let annotations = &self.annotations;
        let comment = annotations.comment_ends.get(&line);
        let comment = comment.filter(|span| span.start >= self.head_end);
        let attribute = || annotations.attribute_ends.get(&line);
        comment.or_else(attribute).copied()
    }

    /// Returns the start of the comments and attributes that only preprocessor lines separate from a symbol: `[Serializable]`
    /// between `#if` and `#endif`.
    fn above(&self, start: u32) -> u32 {
        let (mut first, mut at) = (start, start);
        let mut depth = 0_u32;
        while self.text.begins_line(at) {
            let line = self.text.line_at(at) - 1;
            let annotation = self.annotation_on(line).filter(|span| span.start < at);
            let is_accepted = if let Some(span) = annotation {
                at = span.start;
                true
            } else {
                let closes_group = depth > 0;
                let is_accepted = match directives::on_line(self.text.line(line).as_bytes()) {
                    Some(Directive::If { .. }) => {
                        depth = depth.saturating_sub(1);
                        closes_group
                    }
                    Some(Directive::EndIf) => {
                        depth += 1;
                        false
                    }
                    Some(Directive::Setting) => false,
                    Some(Directive::ElseIf { .. } | Directive::Else) | None => break,
                };
                at = self.text.line_start(line);
                is_accepted
            };
            if is_accepted && depth == 0 {
                first = at;
            }
        }
        first
    }

    /// Returns the start of the comments above the first statement of a body, each on lines of its own.
    fn body_comments(&self, body: Span, code_start: u32) -> u32 {
        let mut first = body.start;
        while self.text.begins_line(first) {
            let before = self.comments.partition_point(|span| span.start < first);
            let comment = before.checked_sub(1).map(|at| self.comments[at]);
            let comment = comment.filter(|span| {
                let gap = self.text.slice(span.end.min(first), first);
                span.start > code_start
                    && self.text.begins_line(span.start)
                    && gap.trim().is_empty()
            });
            let Some(comment) = comment else { break };
            first = comment.start;
        }
        first
    }

    fn code_start(&self, start: u32, end: u32) -> u32 {
        let mut at = start;
        loop {
            let rest = self.text.slice(at, end);
            at += super::text::offset(rest.len() - rest.trim_start().len());
            let covering = [&self.attributes, &self.comments]
                .into_iter()
                .find_map(|spans| {
                    let place = spans.partition_point(|span| span.start < at);
                    // Of attributes that begin at the same position, the longest contains the others.
                    let same = spans[place..].iter().take_while(|span| span.start == at);
                    same.map(|span| span.end).max()
                });
            match covering {
                Some(behind) if behind > at && behind < end => at = behind,
                _ => return at,
            }
        }
    }

    /// Returns the end of the separator and the comment after a symbol on its last line, if nothing else follows there.
    fn line_end(&self, end: u32) -> u32 {
        let line = self.text.line_at(end.saturating_sub(1));
        let rest = self.text.slice(end, self.text.line_start(line + 1));
        let separator = rest.trim_start_matches([' ', '\t', ',', ';']);
        let at = end + super::text::offset(rest.len() - separator.len());
        if separator.trim().is_empty() {
            let kept = rest.trim_end().len();
            return end + super::text::offset(kept);
        }
        let comment = self.comments.iter().find(|span| span.start == at);
        match comment.filter(|span| self.text.ends_line(span.end)) {
            Some(comment) => {
                let length = self.text.slice(comment.start, comment.end).trim_end().len();
                comment.start + super::text::offset(length)
            }
            None => end,
        }
    }

    fn body(&self, name_at: u32, definition: Span) -> Option<Span> {
        let (_, span, start) = *self.bodies.get(&name_at)?;
        // A definition of several clauses has several bodies.
        let start = start.filter(|_| span.end == definition.end)?;
        let at = start as usize;
        let is_inside =
            |node: &Node<'_>| node.start_byte() == at && node.end_byte() <= definition.end as usize;
        let mut node = self.trees.iter().rev().find_map(|tree| {
            let leaf = tree.root_node().descendant_for_byte_range(at, at + 1)?;
            is_inside(&leaf).then_some(leaf)
        })?;
        while let Some(parent) = node.parent().filter(is_inside) {
            node = parent;
        }
        // The initialiser list of a constructor is not its body: `: a(1) {}`.
        if let Some(body) = node
            .parent()
            .and_then(|parent| parent.child_by_field_name("body"))
            && body.start_byte() > at
            && body.end_byte() <= definition.end as usize
        {
            node = body;
        }
        let mut span = to_span(&node);
        let length = self.text.slice(span.start, span.end).trim_end().len();
        let code_end = self.without_comment(span.start, span.end);
        span.end = if is_in_braces(self.text.slice(span.start, code_end)) {
            code_end
        } else {
            span.start + super::text::offset(length)
        };
        // A declaration ends where a body would begin: `int f();`.
        let is_empty = matches!(self.text.slice(span.start, span.end), "" | ";");
        (!is_empty).then_some(span)
    }

    fn docstring(&self, body: Span) -> Option<ByteSpan> {
        let first = self.docs.partition_point(|span| span.start < body.start);
        // Queries capture the text between the quotes.
        let string = to_span(&self.node(*self.docs.get(first)?)?.parent()?);
        let begins_body = string.start == body.start && string.end <= body.end;
        begins_body.then_some((string.start, string.end))
    }
}

/// Returns whether the text after a name assigns a value: `= 0`, `: int = 0`.
pub fn is_assignment(behind: &str) -> bool {
    let value = match behind.strip_prefix(':') {
        Some(rest) => rest.split_once('=').map(|(_, value)| value),
        None => behind.strip_prefix('='),
    };
    value.is_some_and(|value| !value.starts_with(['=', '>', '~']))
}

fn is_in_braces(body: &str) -> bool {
    body.starts_with('{') && body.ends_with('}')
}

/// Returns whether a node is a declaration of the same form as the one around it: `template <class U> f()` behind
/// `template <class T>`.
fn is_repeated(around: &Node<'_>, node: &Node<'_>) -> bool {
    let words = around.child(0).zip(node.child(0));
    let words = words.filter(|(one, _)| !one.is_named());
    around.kind_id() == node.kind_id()
        && around.end_byte() == node.end_byte()
        && words.is_some_and(|(one, other)| one.kind_id() == other.kind_id())
}

fn to_span(node: &Node<'_>) -> Span {
    Span {
        start: super::text::offset(node.start_byte()),
        end: super::text::offset(node.end_byte()),
    }
}

/// Returns the errors of a tree, missing tokens included.
pub(super) fn errors(tree: &Tree) -> Vec<ByteSpan> {
    let mut found = vec![];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            let span = to_span(&node);
            found.push((span.start, span.end));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
