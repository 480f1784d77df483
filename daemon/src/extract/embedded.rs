//! Texts of another language inside a text: scripts and styles of a page.
//!
//! Only where they begin and end is found here. They are parsed in their place, so that every position is one of the
//! whole file.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;
use tree_sitter::Range;

use super::text::{Text, offset};
use crate::lang::{self, Embed, Language};

/// The parts of a text that are in another language, by that language.
pub fn regions(language: &Language, text: &Text<'_>) -> Vec<(&'static Language, Vec<Range>)> {
    let mut found: Vec<(&'static Language, Vec<Range>)> = vec![];
    for embed in language.embeds {
        for (inner, range) in embed_ranges(embed, text) {
            match found.iter_mut().find(|(known, _)| std::ptr::eq(*known, inner)) {
                Some((_, ranges)) => ranges.push(range),
                None => found.push((inner, vec![range])),
            }
        }
    }
    for (_, ranges) in &mut found {
        ranges.sort_by_key(|range| range.start_byte);
    }
    found
}

fn embed_ranges(embed: &Embed, text: &Text<'_>) -> Vec<(&'static Language, Range)> {
    let (Some(open), Some(close)) = (pattern(embed.open), pattern(embed.close)) else { return vec![] };
    let mut found = vec![];
    let mut from = 0;
    while let Some(opened) = open.captures_at(text.source, from) {
        let start = opened.get(0).map_or(0, |whole| whole.end());
        let end = close.find_at(text.source, start).map_or(text.source.len(), |closed| closed.start());
        let named = opened.name("language").and_then(|name| lang::by_name(name.as_str()));
        if let Some(inner) = named.or_else(|| lang::by_name(embed.language))
            && start < end
        {
            found.push((inner, range(text, start, end)));
        }
        from = end.max(start);
    }
    found
}

fn range(text: &Text<'_>, start_byte: usize, end_byte: usize) -> Range {
    let point = |byte: usize| {
        let byte = offset(byte);
        let line = text.line_at(byte);
        tree_sitter::Point { row: line as usize - 1, column: (byte - text.line_start(line)) as usize }
    };
    Range { start_byte, end_byte, start_point: point(start_byte), end_point: point(end_byte) }
}

/// Compiled once per thread.
fn pattern(source: &'static str) -> Option<Regex> {
    thread_local! {
        static COMPILED: RefCell<HashMap<&'static str, Option<Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| compiled.entry(source).or_insert_with(|| Regex::new(source).ok()).clone())
}
