//! Comments and attributes above definitions, and signatures without either.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::captures::{Definition, FileCaptures, Span};
use super::declaration;
use super::text::{CUT, Text, squeezed};
use crate::lang::TypePosition;

const LONGEST_SIGNATURE: usize = 240;
const LONGEST_DOC: usize = 400;

/// Comments and attributes in the order of the text, and by the line on which they end.
pub struct Annotations {
    all: Vec<Span>,
    pub comment_ends: HashMap<u32, Span, RandomState>,
    pub attribute_ends: HashMap<u32, Span, RandomState>,
}

impl Annotations {
    pub fn new(captured: &FileCaptures<'_>, text: &Text<'_>) -> Self {
        // Some grammars include the line break in a comment.
        let last_line =
            |span: Span| text.line_at(span.start + trimmed(text, span).saturating_sub(1));
        let alone = |span: &&Span| text.begins_line(span.start);
        let about_next = |span: &&Span| !captured.inner_comments.contains(&span.start);
        let mut all: Vec<Span> = captured
            .attributes
            .iter()
            .chain(&captured.comments)
            .copied()
            .collect();
        all.sort_by_key(|span| span.start);
        // Nothing but attributes is before it on its line: `@A() @B()`.
        let begins_line = |span: &Span| {
            let mut first = span.start;
            while !text.begins_line(first) {
                let before = &all[..all.partition_point(|one| one.start < first)];
                let is_adjacent =
                    |one: &&Span| one.end <= first && text.slice(one.end, first).trim().is_empty();
                let Some(before) = before.last().filter(is_adjacent) else {
                    return false;
                };
                first = before.start;
            }
            true
        };
        let attribute_ends = captured
            .attributes
            .iter()
            .filter(|span| text.ends_line(span.end) && begins_line(span))
            .map(|span| (last_line(*span), *span))
            .collect();
        Self {
            all,
            comment_ends: captured
                .comments
                .iter()
                .filter(alone)
                .filter(about_next)
                .map(|span| (last_line(*span), *span))
                .collect(),
            // An attribute that is followed by code on its line belongs to that code: `#[inline] fn open()`.
            attribute_ends,
        }
    }

    /// Returns the text of the comments right above a definition.
    pub fn doc_above(&self, start: u32, text: &Text<'_>) -> String {
        self.comments_above(start, text)
            .map(|span| cleaned(text.slice(span.start, span.end)))
            .unwrap_or_default()
    }

    /// Returns the block of comments right above a definition, without attributes.
    pub fn comments_above(&self, start: u32, text: &Text<'_>) -> Option<Span> {
        let mut line = text.line_at(start);
        let mut first = None;
        let mut last = None;
        while line > 1 {
            if let Some(comment) = self.comment_ends.get(&(line - 1)) {
                last = last.or(Some(comment.end));
                first = Some(comment.start);
                line = text.line_at(comment.start);
            } else if let Some(attribute) = self.attribute_ends.get(&(line - 1)) {
                line = text.line_at(attribute.start);
            } else {
                break;
            }
        }
        let (start, end) = first.zip(last)?;
        (start < end).then_some(Span { start, end })
    }

    /// Returns the text from the start of a definition to its body, or the separate declaration above it, on one line. A long
    /// signature lacks its last parameters, or its end.
    pub fn signature(&self, definition: &Definition<'_>, text: &Text<'_>) -> String {
        let head = self.head(definition, text);
        let longest = if definition.kind.is_callable() {
            usize::MAX
        } else {
            LONGEST_SIGNATURE
        };
        let whole = squeezed(&head, longest);
        let whole = whole.trim_end_matches(['{', ':', '=', ' ', ';', ',']);
        if whole.len() <= LONGEST_SIGNATURE || whole.ends_with(CUT) {
            return whole.to_owned();
        }
        declaration::shortened(whole, definition.name, LONGEST_SIGNATURE)
            .unwrap_or_else(|| squeezed(whole, LONGEST_SIGNATURE))
    }

    /// Returns the result type of a function whose stored signature is truncated before the result type.
    pub fn long_result(
        &self,
        definition: &Definition<'_>,
        signature: &str,
        position: TypePosition,
        text: &Text<'_>,
    ) -> Option<Box<str>> {
        if !definition.kind.is_callable() || !signature.ends_with(CUT) {
            return None;
        }
        let whole = squeezed(&self.head(definition, text), usize::MAX);
        let whole = whole.trim_end_matches(['{', ':', '=', ' ', ';', ',']);
        declaration::result(whole, definition.name, position).map(Into::into)
    }

    fn head(&self, definition: &Definition<'_>, text: &Text<'_>) -> String {
        let Span { start, end } = definition.declared.unwrap_or(definition.span);
        let end = match definition.body {
            _ if definition.declared.is_some() => end,
            Some(body) if body > start => body,
            _ => text
                .line_start(text.line_at(definition.name_at.max(start)) + 1)
                .min(end),
        };
        self.without(start, end, text)
    }

    /// Returns the text between two positions, without comments and attributes.
    pub fn without(&self, start: u32, end: u32, text: &Text<'_>) -> String {
        let mut kept = String::new();
        let mut from = start;
        let within = self.all.partition_point(|span| span.start < start);
        for left_out in self.all[within..]
            .iter()
            .take_while(|span| span.start < end)
        {
            kept.push_str(text.slice(from, left_out.start));
            kept.push(' ');
            from = from.max(left_out.end);
        }
        kept.push_str(text.slice(from, end));
        kept
    }
}

fn trimmed(text: &Text<'_>, span: Span) -> u32 {
    super::text::offset(text.slice(span.start, span.end).trim_end().len())
}

/// Returns the text of a comment, without its delimiters.
pub fn cleaned(comment: &str) -> String {
    let signs = [
        '/', '*', '#', '!', '-', ';', '%', '"', '\'', '|', '{', '}', '(', ')', '<', '>', '=',
    ];
    let words: Vec<&str> = comment
        .lines()
        .map(|line| {
            let line = line.trim();
            // An attribute that holds documentation: `@doc "…"`.
            let line = line
                .strip_prefix('@')
                .and_then(|rest| rest.split_once('"'))
                .map_or(line, |(_, text)| text);
            let inner = line.trim_start_matches(signs);
            // A line such as `(a) first` keeps its opening parenthesis.
            let inner = if inner.len() + 4 < line.len() && line.starts_with('(') {
                line
            } else {
                inner
            };
            inner
                .trim()
                .trim_end_matches("*/")
                .trim_end_matches("-->")
                .trim_end_matches("-}")
                .trim_end_matches("*)")
        })
        .map(|line| {
            line.trim_end_matches(['"', '\''])
                .trim_start_matches(['^', '|', ' '])
        })
        .collect();
    squeezed(&words.join(" "), LONGEST_DOC)
}
