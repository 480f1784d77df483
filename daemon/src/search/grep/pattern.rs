//! A search pattern: a literal, or a regular expression that is matched line by line, as grep does.
//!
//! An expression matches across line ends only if it names one. `^` and `$` match at the ends of lines, `\r\n` included. The
//! cost of compiling a pattern is bounded here; the cost of running it follows from [`Pattern::width`].

use claudevil_protocol::text::Line;
use memchr::memmem;
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, Span};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::newlines;
use super::required_trigrams::RequiredTrigrams;

/// The longest pattern, in bytes.
const LONGEST: usize = 4096;
/// The most memory of a compiled expression; a larger one would take longer to compile than most searches take.
const LARGEST: usize = 1 << 20;
/// The most memory for the states that a thread caches while it searches.
const LARGEST_CACHE: usize = 2 << 20;
const DEEPEST: u32 = 100;

#[derive(Debug)]
pub struct Pattern {
    matcher: Matcher,
    pub(super) required: RequiredTrigrams,
    pub(super) reach: MatchExtent,
    /// Roughly the number of states of the expression that may be tried at each byte, at worst.
    pub(super) width: usize,
}

/// The lines that one match may span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchExtent {
    OneLine,
    SeveralLines,
}

#[derive(Debug)]
enum Matcher {
    Bytes(memmem::Finder<'static>),
    /// The bytes as a whole word: with no letter, digit or underscore on either side.
    Word(memmem::Finder<'static>),
    Regex(Box<meta::Regex>),
}

/// The reason why a pattern cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty")]
    Empty,
    #[error("the pattern is {0} bytes long; the limit is {LONGEST}")]
    TooLong(usize),
    /// `at` counts characters from 1.
    #[error("the expression is not valid at character {at}: {why}")]
    Syntax { at: usize, why: String },
    #[error("the expression is too large once its repetitions are written out")]
    TooLarge,
}

impl PatternError {
    pub fn hint(&self) -> Line {
        let words = match self {
            Self::Empty => "give a text or an expression",
            Self::TooLong(_) => "search for a part of it",
            Self::Syntax { .. } => {
                return Line::from(
                    "escape special characters with `\\`, or search for the pattern literally with ",
                )
                .mode("literal");
            }
            Self::TooLarge => {
                "use fewer repetitions, use `*` and `+` instead of counts, or `(?-u:\\w)` for ASCII alone"
            }
        };
        words.into()
    }
}

impl Pattern {
    /// Matches exactly these bytes; `\n` also matches `\r\n`.
    pub fn literal(text: &str) -> Result<Self, PatternError> {
        check_length(text)?;
        if !text.contains('\n') {
            let finder = memmem::Finder::new(text).into_owned();
            return Ok(Self::fixed(
                Matcher::Bytes(finder),
                &Hir::literal(text.as_bytes()),
            ));
        }
        let line_end = Hir::concat(vec![
            Hir::repetition(Repetition {
                min: 0,
                max: Some(1),
                greedy: true,
                sub: Box::new(Hir::literal(*b"\r")),
            }),
            Hir::literal(*b"\n"),
        ]);
        let mut parts = vec![];
        for line in text
            .split('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
        {
            if !parts.is_empty() {
                parts.push(line_end.clone());
            }
            parts.push(Hir::literal(line.as_bytes()));
        }
        Self::compile(&Hir::concat(parts), MatchExtent::SeveralLines)
    }

    pub fn regex(expression: &str) -> Result<Self, PatternError> {
        check_length(expression)?;
        let parse = |crlf| {
            let mut parser = ParserBuilder::new()
                .utf8(false)
                .multi_line(true)
                .crlf(crlf)
                .nest_limit(DEEPEST)
                .build();
            parser
                .parse(expression)
                .map_err(|error| invalid(expression, &error))
        };
        let hir = parse(true)?;
        if newlines::are_named(&hir) {
            return Self::compile(&parse(false)?, MatchExtent::SeveralLines);
        }
        let hir = newlines::within_lines(hir);
        if let Some(word) = word(&hir) {
            return Ok(Self::fixed(Matcher::Word(word), &hir));
        }
        if let HirKind::Literal(literal) = hir.kind() {
            let finder = memmem::Finder::new(&literal.0).into_owned();
            return Ok(Self::fixed(Matcher::Bytes(finder), &hir));
        }
        Self::compile(&hir, MatchExtent::OneLine)
    }

    /// Returns a pattern of fixed bytes on one line; `hir` is the same pattern as an expression.
    fn fixed(matcher: Matcher, hir: &Hir) -> Self {
        Self {
            matcher,
            required: RequiredTrigrams::new(hir),
            reach: MatchExtent::OneLine,
            width: 1,
        }
    }

    fn compile(hir: &Hir, reach: MatchExtent) -> Result<Self, PatternError> {
        let config = meta::Config::new()
            .nfa_size_limit(Some(LARGEST))
            .onepass_size_limit(Some(LARGEST))
            .hybrid_cache_capacity(LARGEST_CACHE)
            .which_captures(WhichCaptures::Implicit);
        let syntax = syntax::Config::new().utf8(false);
        let regex = meta::Regex::builder()
            .configure(config)
            .syntax(syntax)
            .build_from_hir(hir);
        let regex = regex.map_err(|_| PatternError::TooLarge)?;
        Ok(Self {
            matcher: Matcher::Regex(Box::new(regex)),
            required: RequiredTrigrams::new(hir),
            reach,
            width: width(hir),
        })
    }

    pub(super) fn is_regex(&self) -> bool {
        matches!(self.matcher, Matcher::Regex(_))
    }
}

/// A pattern with the memory that one thread needs to look for it.
pub struct Finder<'p> {
    matcher: &'p Matcher,
    cache: Option<meta::Cache>,
}

impl<'p> Finder<'p> {
    pub fn new(pattern: &'p Pattern) -> Self {
        let cache = match &pattern.matcher {
            Matcher::Regex(regex) => Some(regex.create_cache()),
            Matcher::Bytes(_) | Matcher::Word(_) => None,
        };
        Self {
            matcher: &pattern.matcher,
            cache,
        }
    }

    /// Returns the first match in a part of a text. The text around the part is context for `^`, `$` and `\b`.
    pub fn find(&mut self, text: &[u8], part: Span) -> Option<Span> {
        match (self.matcher, &mut self.cache) {
            (Matcher::Bytes(bytes), _) => {
                let start = part.start + bytes.find(&text[part.range()])?;
                Some(Span {
                    start,
                    end: start + bytes.needle().len(),
                })
            }
            (Matcher::Word(bytes), _) => {
                let mut from = part.start;
                loop {
                    let start = from + bytes.find(&text[from..part.end])?;
                    let end = start + bytes.needle().len();
                    if !ends_in_word(&text[..start]) && !begins_with_word(&text[end..]) {
                        return Some(Span { start, end });
                    }
                    from = start + 1;
                }
            }
            (Matcher::Regex(regex), Some(cache)) => regex
                .search_with(cache, &Input::new(text).span(part))
                .map(|found| found.span()),
            (Matcher::Regex(_), None) => None,
        }
    }
}

fn check_length(pattern: &str) -> Result<(), PatternError> {
    match pattern.len() {
        0 => Err(PatternError::Empty),
        1..=LONGEST => Ok(()),
        long => Err(PatternError::TooLong(long)),
    }
}

fn invalid(expression: &str, error: &regex_syntax::Error) -> PatternError {
    let (offset, why) = match error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        other => (0, other.to_string()),
    };
    let at = expression
        .char_indices()
        .take_while(|(byte, _)| *byte < offset)
        .count()
        + 1;
    PatternError::Syntax { at, why }
}

/// Returns the bytes of an expression for one word, `\bname\b`: the most common one, and the slowest for an automaton.
fn word(hir: &Hir) -> Option<memmem::Finder<'static>> {
    let HirKind::Concat(parts) = hir.kind() else {
        return None;
    };
    let [before, literal, after] = parts.as_slice() else {
        return None;
    };
    let is_border = |part: &Hir| matches!(part.kind(), HirKind::Look(Look::WordUnicode));
    let HirKind::Literal(literal) = literal.kind() else {
        return None;
    };
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_ascii_word(*byte));
    let whole = is_border(before)
        && is_border(after)
        && is_word(literal.0.first())
        && is_word(literal.0.last());
    whole.then(|| memmem::Finder::new(&literal.0).into_owned())
}

fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn ends_in_word(text: &[u8]) -> bool {
    match text.last() {
        None => false,
        Some(byte) if byte.is_ascii() => is_ascii_word(*byte),
        Some(_) => {
            let from = text.len().saturating_sub(4);
            let start = (from..text.len())
                .rev()
                .find(|at| text[*at] & 0xc0 != 0x80)
                .unwrap_or(from);
            begins_with_word(&text[start..])
        }
    }
}

fn begins_with_word(text: &[u8]) -> bool {
    match text.first() {
        None => false,
        Some(byte) if byte.is_ascii() => is_ascii_word(*byte),
        Some(_) => {
            let few = &text[..text.len().min(4)];
            let valid = few.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            valid
                .chars()
                .next()
                .is_some_and(|sign| regex_syntax::try_is_word_character(sign).unwrap_or(true))
        }
    }
}

/// Returns the [`Pattern::width`] of an expression.
fn width(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            width(&repetition.sub)
                .saturating_mul(times)
                .saturating_add(1)
        }
        HirKind::Capture(capture) => width(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts
            .iter()
            .fold(0, |sum: usize, part| sum.saturating_add(width(part))),
    }
}
