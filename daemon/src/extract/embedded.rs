//! Texts in another language inside a text: the scripts and styles of a page.
//!
//! Only their boundaries are found here. They are parsed in place, so that positions refer to the whole file.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;
use tree_sitter::{Point, Range};

use super::captures::Span;
use super::text::{Text, offset};
use crate::lang::{self, Embed, Language};

/// Returns the parts in other languages, in order.
pub fn spans(language: &Language, text: &Text<'_>) -> Vec<(&'static Language, Span)> {
    let mut found: Vec<_> = language
        .embed
        .iter()
        .flat_map(|embed| spans_of(embed, text))
        .collect();
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// Returns the non-empty parts by language, as ranges for a parser.
pub fn regions(language: &Language, text: &Text<'_>) -> Vec<(&'static Language, Vec<Range>)> {
    let mut found: Vec<(&'static Language, Vec<Range>)> = vec![];
    for (inner, span) in spans(language, text)
        .into_iter()
        .filter(|(_, span)| span.start < span.end)
    {
        match found
            .iter_mut()
            .find(|(known, _)| std::ptr::eq(*known, inner))
        {
            Some((_, ranges)) => ranges.push(range(text, span)),
            None => found.push((inner, vec![range(text, span)])),
        }
    }
    found
}

fn spans_of(embed: &Embed, text: &Text<'_>) -> Vec<(&'static Language, Span)> {
    let (Some(open), Some(close)) = (pattern(embed.open), pattern(embed.close)) else {
        return vec![];
    };
    let mut found = vec![];
    let mut from = 0;
    while let Some(opened) = open.captures_at(text.source, from) {
        let start = opened.get(0).map_or(from, |whole| whole.end());
        let end = close
            .find_at(text.source, start)
            .map_or(text.source.len(), |closed| closed.start());
        let named = opened
            .name("language")
            .and_then(|name| lang::by_name(name.as_str()));
        if let Some(inner) = named.or_else(|| lang::by_name(embed.language)) {
            found.push((
                inner,
                Span {
                    start: offset(start),
                    end: offset(end),
                },
            ));
        }
        from = end;
        if from >= text.source.len() {
            break;
        }
    }
    found
}

/// Returns a part of a text as a range for a parser.
pub fn range(text: &Text<'_>, span: Span) -> Range {
    let point = |byte: u32| {
        let line = text.line_at(byte);
        Point {
            row: line as usize - 1,
            column: (byte - text.line_start(line)) as usize,
        }
    };
    Range {
        start_byte: span.start as usize,
        end_byte: span.end as usize,
        start_point: point(span.start),
        end_point: point(span.end),
    }
}

/// Returns the compiled pattern, which is cached per thread.
fn pattern(source: &'static str) -> Option<Regex> {
    thread_local! {
        static COMPILED: RefCell<HashMap<&'static str, Option<Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        compiled
            .entry(source)
            .or_insert_with(|| Regex::new(source).ok())
            .clone()
    })
}
