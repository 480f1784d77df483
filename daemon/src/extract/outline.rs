//! Outlines of languages without a grammar: lines that open something, found by regular expressions.
//!
//! Headings, sections, keys, targets and the like are recognised by their first line; the rule names one of a few ways in which
//! they end. Everything about a language is in its `lang.toml`. For any text, the time is linear in its length.

mod ends;
mod lexer;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use claudevil_protocol::answer::symbol::SymbolKind;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use self::ends::Lines;
use self::lexer::{FencePatterns, LOOK};
use super::captures::{Definition, FileCaptures, Span};
use super::embedded;
use super::text::{Text, offset};
use crate::lang::{self, FenceClose, Language};

/// The most symbols of a file: data may have a key on every line.
const MAX_SYMBOLS: usize = 2000;
/// The capture group whose length is the depth of a match: `##`.
const LEVEL: &str = "level";
/// The most matches of one rule on one line, which bounds the cost of a long line.
const MAX_ON_A_LINE: usize = 16;

/// Adds the definitions that the language's outline rules find.
pub fn capture<'a>(language: &Language, text: &Text<'a>, captured: &mut FileCaptures<'a>) {
    let Some(patterns) = patterns(language) else {
        return;
    };
    let embedded = embedded::spans(language, text);
    let hidden: Vec<Span> = embedded.iter().map(|(_, span)| *span).collect();
    capture_region(
        language,
        patterns,
        text,
        Span {
            start: 0,
            end: text.len(),
        },
        &hidden,
        captured,
    );
    for (inner, region) in embedded {
        // Languages with a grammar have been parsed already.
        if inner.facts.is_none()
            && let Some(patterns) = self::patterns(inner)
        {
            capture_region(inner, patterns, text, region, &[], captured);
        }
    }
}

/// Finds the comments and strings of a text by the lexical rules of its language: precise enough to classify words that are
/// not uses of a name.
pub fn find_non_code(language: &Language, source: &str) -> NonCodeSpans {
    let text = Text::new(source);
    let lexed = lexer::lex(
        &language.lexis,
        &[],
        &text,
        Span {
            start: 0,
            end: text.len(),
        },
    );
    let plain = |spans: Vec<Span>| spans.into_iter().map(|span| span.start..span.end);
    let mut strings: Vec<Range<u32>> = plain(lexed.strings).chain(plain(lexed.texts)).collect();
    strings.sort_by_key(|span| span.start);
    NonCodeSpans {
        comments: plain(lexed.comments).collect(),
        strings,
    }
}

/// Byte ranges of a text that are not code, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NonCodeSpans {
    pub comments: Vec<Range<u32>>,
    pub strings: Vec<Range<u32>>,
}

impl NonCodeSpans {
    pub fn is_comment(&self, at: u32) -> bool {
        is_within(&self.comments, at)
    }

    pub fn is_string(&self, at: u32) -> bool {
        is_within(&self.strings, at)
    }
}

fn is_within(spans: &[Range<u32>], at: u32) -> bool {
    let after = spans.partition_point(|span| span.start <= at);
    after
        .checked_sub(1)
        .is_some_and(|place| spans[place].contains(&at))
}

/// The patterns of a language, compiled once per process.
struct Patterns {
    /// All rules in one set: most lines match none.
    any: RegexSet,
    rules: Vec<RulePatterns>,
    fences: Vec<FencePatterns>,
}

/// The patterns of one rule.
struct RulePatterns {
    line: Regex,
    /// The pattern of the line below.
    under: Option<Regex>,
    /// The pattern has the group [`LEVEL`].
    has_level: bool,
}

impl RulePatterns {
    fn new(line: Regex, under: Option<Regex>) -> Self {
        let has_level = line.capture_names().flatten().any(|name| name == LEVEL);
        Self {
            line,
            under,
            has_level,
        }
    }
}

/// Returns the patterns of a language; none if it has no outline. A pattern that does not compile is a bug that a test
/// catches; at run time, only the outline of that language is missing.
fn patterns(language: &Language) -> Option<&'static Patterns> {
    static ALL: OnceLock<Vec<OnceLock<Option<Patterns>>>> = OnceLock::new();
    let all = ALL.get_or_init(|| lang::all().iter().map(|_| OnceLock::new()).collect());
    let place = lang::all()
        .binary_search_by(|one| one.id.cmp(language.id))
        .ok()?;
    all[place]
        .get_or_init(|| compile(language).ok().flatten())
        .as_ref()
}

fn compile(language: &Language) -> Result<Option<Patterns>, regex::Error> {
    let lexis = &language.lexis;
    let comments = lexis.line_comments.len() + lexis.block_comments.len();
    if language.facts.is_some()
        || language.outline.is_empty() && comments == 0 && language.embed.is_empty()
    {
        return Ok(None);
    }
    let regex = |pattern: &str| RegexBuilder::new(pattern).multi_line(true).build();
    Ok(Some(Patterns {
        any: RegexSetBuilder::new(language.outline.iter().map(|rule| rule.pattern))
            .multi_line(true)
            .build()?,
        rules: language
            .outline
            .iter()
            .map(|rule| {
                Ok(RulePatterns::new(
                    regex(rule.pattern)?,
                    rule.under.as_deref().map(regex).transpose()?,
                ))
            })
            .collect::<Result<_, regex::Error>>()?,
        fences: lexis
            .fence
            .iter()
            .map(|fence| {
                let pattern = match &fence.close {
                    FenceClose::Pattern(pattern) => Some(regex(pattern)?),
                    FenceClose::Mark | FenceClose::Indent => None,
                };
                Ok(FencePatterns {
                    open: regex(fence.open)?,
                    close: fence.close.clone(),
                    pattern,
                })
            })
            .collect::<Result<_, regex::Error>>()?,
    }))
}

/// A match of a rule.
struct RuleMatch {
    rule: usize,
    start: u32,
    /// The end of the match.
    end: u32,
    line: u32,
    level: u32,
    /// The range that was searched. Capture groups are only computed for matches that are kept.
    looked: (usize, usize),
}

fn capture_region<'a>(
    language: &Language,
    patterns: &Patterns,
    text: &Text<'a>,
    region: Span,
    elsewhere: &[Span],
    captured: &mut FileCaptures<'a>,
) {
    let lexed = lexer::lex(&language.lexis, &patterns.fences, text, region);
    let mut hidden: Vec<Span> = lexed
        .comments
        .iter()
        .chain(&lexed.texts)
        .chain(elsewhere)
        .copied()
        .collect();
    hidden.sort_by_key(|span| span.start);
    let found = matches(language, patterns, text, region, &hidden);
    let lines = Lines::new(text, region, &lexed.comments);
    let ends = ends::ends(&found, &language.outline, &lines, &lexed, text);
    keep(language, patterns, text, found, &ends, captured);
    let elsewhere = |span: &Span| {
        let before = elsewhere.partition_point(|other| other.start <= span.start);
        before
            .checked_sub(1)
            .is_some_and(|other| elsewhere[other].contains(*span))
    };
    captured
        .comments
        .extend(lexed.comments.into_iter().filter(|span| !elsewhere(span)));
}

/// Returns the matches on each line that is not hidden. On one line, an earlier rule comes before a later one.
fn matches(
    language: &Language,
    patterns: &Patterns,
    text: &Text<'_>,
    region: Span,
    hidden: &[Span],
) -> Vec<RuleMatch> {
    let mut found = vec![];
    let mut hidden = hidden.iter().peekable();
    let first = text.line_at(region.start);
    let last = text
        .line_at(region.end.saturating_sub(1).max(region.start))
        .min(text.line_count());
    for number in first..=last {
        let start = text.line_start(number).max(region.start);
        let whole = text.slice(start, text.line_start(number + 1).min(region.end));
        let line = whole[..whole.floor_char_boundary(LOOK)].trim_end();
        let begins = start + offset(line.len() - line.trim_start().len());
        while hidden.next_if(|span| span.end <= begins).is_some() {}
        if hidden.peek().is_some_and(|span| span.start <= begins) {
            continue;
        }
        let place = found.len();
        // Includes the text before the line, so that `\A` only matches the first line.
        let haystack = &text.source[..start as usize + line.len()];
        for rule in &patterns.any.matches(line) {
            let pattern = &patterns.rules[rule];
            if pattern
                .under
                .as_ref()
                .is_some_and(|under| !under.is_match(clipped(text.line(number + 1))))
            {
                continue;
            }
            let mut from = start as usize;
            for _ in 0..MAX_ON_A_LINE {
                let Some(one) = read(language, rule, pattern, (haystack, from), number) else {
                    break;
                };
                from = (one.end as usize).max(from + 1);
                let within = |rule: usize| language.outline[rule].within;
                let taken = found[place..].iter().any(|other: &RuleMatch| {
                    let rivals = within(other.rule).is_none_or(|kind| within(rule) == Some(kind));
                    rivals && other.start < one.end && one.start < other.end
                });
                if !taken {
                    found.push(one);
                }
                if from >= haystack.len() || !haystack.is_char_boundary(from) {
                    break;
                }
            }
        }
        found[place..].sort_by_key(|one| one.start);
    }
    found
}

fn clipped(line: &str) -> &str {
    line[..line.floor_char_boundary(LOOK)].trim_end()
}

fn read(
    language: &Language,
    rule: usize,
    pattern: &RulePatterns,
    (haystack, from): (&str, usize),
    line: u32,
) -> Option<RuleMatch> {
    let whole = pattern.line.find_at(haystack, from)?;
    let groups = if pattern.has_level {
        pattern.line.captures_at(haystack, from)
    } else {
        None
    };
    let level = groups.and_then(|groups| groups.name(LEVEL).map(|level| offset(level.len())));
    let level = level.or(language.outline[rule].level).unwrap_or(0);
    let start = whole.start() + (whole.len() - whole.as_str().trim_start().len());
    Some(RuleMatch {
        rule,
        start: offset(start),
        end: offset(whole.end()),
        line,
        level,
        looked: (from, haystack.len()),
    })
}

/// The name of a match with its position, and its container.
type OutlineName<'a> = ((u32, &'a str), Option<&'a str>);

fn named<'a>(one: &RuleMatch, pattern: &Regex, text: &Text<'a>) -> Option<OutlineName<'a>> {
    let (from, end) = one.looked;
    let groups = pattern.captures_at(&text.source[..end], from)?;
    let name = groups.name("name")?;
    let at = offset(name.start() + (name.len() - name.as_str().trim_start().len()));
    Some((
        (at, name.as_str().trim()),
        groups.name("container").map(|container| container.as_str()),
    ))
}

/// Turns matches into definitions, except those that are too deep, in the wrong container or beyond the limit.
fn keep<'a>(
    language: &Language,
    patterns: &Patterns,
    text: &Text<'a>,
    found: Vec<RuleMatch>,
    ends: &[(u32, Option<u32>)],
    captured: &mut FileCaptures<'a>,
) {
    let mut around: Vec<(u32, Option<SymbolKind>)> = vec![];
    let mut kept = 0;
    for (one, (end, body)) in found.into_iter().zip(ends) {
        let rule = &language.outline[one.rule];
        while around.last().is_some_and(|(end, _)| *end <= one.start) {
            around.pop();
        }
        let outer = around.iter().rev().find_map(|(_, kind)| *kind);
        let deep = language
            .lexis
            .depth
            .is_some_and(|depth| around.len() >= depth as usize);
        if deep || rule.within.is_some_and(|kind| outer != Some(kind)) {
            continue;
        }
        let span = Span {
            start: one.start,
            end: (*end).max(one.start),
        };
        around.push((span.end, rule.kind));
        if let Some(kind) = rule.kind
            && kept < MAX_SYMBOLS
            && let Some(((name_at, name), container)) =
                named(&one, &patterns.rules[one.rule].line, text)
        {
            kept += 1;
            captured.definitions.push(Definition {
                span,
                kind,
                name,
                name_at,
                body: *body,
                modifiers: None,
                container: container.map(Into::into),
                initializer: None,
                is_open: false,
                declared: None,
                is_clause: false,
                pattern: one.rule,
            });
        }
    }
}
