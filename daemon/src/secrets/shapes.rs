//! Finds the credentials of the table in `kinds.rs`: one search for all anchors, then the pattern of each anchor that occurs.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Captures, Regex};

use super::kinds::{Form, KINDS};
use super::values::is_mixed;
use super::{Secret, is_token_byte};

/// The longest text that a pattern is matched against. Longer tokens are followed to their end.
const LONGEST: usize = 4096;
/// The most bytes before an anchor, and after it, that count as its line.
const LINE: usize = 240;
/// The most anchors of one regular expression: with more, the search is not vectorised.
const AT_ONCE: usize = 60;

struct Anchors {
    /// Each anchor with its row in the table.
    literals: Vec<(&'static str, usize)>,
    any: Regex,
}

struct Searcher {
    anchors: Vec<Anchors>,
    /// Patterns by row, compiled when first needed: most texts contain few of the anchors.
    patterns: Vec<OnceLock<Option<Regex>>>,
}

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let rows = KINDS.iter().enumerate();
    let mut literals: Vec<(&str, usize)> = rows
        .flat_map(|(row, kind)| kind.anchors.iter().map(move |anchor| (*anchor, row)))
        .collect();
    // Of two anchors at the same position the longer one wins.
    literals.sort_by_key(|(anchor, _)| std::cmp::Reverse(anchor.len()));
    let anchors = literals.chunks(AT_ONCE).map(|literals| {
        let alternatives: Vec<String> = literals
            .iter()
            .map(|(anchor, _)| regex::escape(anchor))
            .collect();
        Regex::new(&alternatives.join("|")).map(|any| Anchors {
            literals: literals.to_vec(),
            any,
        })
    });
    let patterns = KINDS.iter().map(|_| OnceLock::new()).collect();
    Some(Searcher {
        anchors: anchors.collect::<Result<_, _>>().ok()?,
        patterns,
    })
});

impl Searcher {
    fn pattern(&self, row: usize) -> Option<&Regex> {
        let compile = || match KINDS[row].form {
            Form::Line(pattern) => Regex::new(pattern).ok(),
            Form::Token(pattern)
            | Form::From(pattern)
            | Form::AfterHex(_, pattern)
            | Form::AfterWord(_, pattern) => Regex::new(&format!("^(?:{pattern})")).ok(),
            Form::Block(_) => None,
        };
        self.patterns[row].get_or_init(compile).as_ref()
    }
}

pub fn find(text: &str) -> Vec<Secret> {
    let Some(searcher) = SEARCHER.as_ref() else {
        return vec![];
    };
    let mut secrets = vec![];
    for Anchors { literals, any } in &searcher.anchors {
        let mut from = 0;
        while let Some(anchor) = any.find_at(text, from) {
            from = anchor.end();
            let rows = literals
                .iter()
                .filter(|(literal, _)| *literal == anchor.as_str())
                .map(|(_, row)| *row);
            for row in rows {
                for range in around(text, anchor.range(), row, searcher) {
                    from = range.end.max(from);
                    secrets.push(Secret {
                        range,
                        kind: KINDS[row].name,
                    });
                }
            }
        }
    }
    secrets.extend(discord_bot_tokens(text).map(|range| Secret {
        range,
        kind: "Discord bot token",
    }));
    secrets
}

/// Returns the Discord bot tokens, which have no anchor: 24 to 28 characters, 6, and 27 to 38, joined by dots.
fn discord_bot_tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let run = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes
            .take(40)
            .take_while(|byte| is_token_byte(**byte))
            .count()
    };
    memchr::memchr_iter(b'.', bytes).filter_map(move |dot| {
        (bytes.get(dot + 7) == Some(&b'.')).then_some(())?;
        let (before, middle) = (
            run(&mut bytes[..dot].iter().rev()),
            run(&mut bytes[dot + 1..].iter()),
        );
        let behind = run(&mut bytes[dot + 8..].iter());
        let range = dot.checked_sub(before)?..dot + 8 + behind;
        let is_token = (24..=28).contains(&before)
            && middle == 6
            && (27..=38).contains(&behind)
            && matches!(bytes[range.start], b'M' | b'N' | b'O');
        (is_token && is_mixed(&text[range.clone()])).then_some(range)
    })
}

/// Returns the credentials of a row of the table at an anchor.
fn around(text: &str, anchor: Range<usize>, row: usize, searcher: &Searcher) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let at = anchor.start;
    let back = |is_part: fn(u8) -> bool| {
        bytes[..at]
            .iter()
            .rev()
            .take(64)
            .take_while(|byte| is_part(**byte))
            .count()
    };
    let before = match KINDS[row].form {
        Form::Block(find) => return find(text, at),
        Form::Line(_) => return on_line(text, anchor, row, searcher).into_iter().collect(),
        Form::Token(_) if at > 0 && is_token_byte(bytes[at - 1]) => return vec![],
        Form::Token(_) | Form::From(_) => Some(0),
        Form::AfterHex(least, _) => {
            Some(back(|byte| byte.is_ascii_hexdigit())).filter(|count| *count >= least)
        }
        Form::AfterWord(least, _) => {
            Some(back(|byte| is_token_byte(byte) || byte == b'~')).filter(|count| *count >= least)
        }
    };
    let Some(before) = before else { return vec![] };
    let limit = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let groups = searcher
        .pattern(row)
        .and_then(|pattern| pattern.captures(&text[at..limit]));
    let Some(mut range) = groups.map(|groups| value(&groups, at, before)) else {
        return vec![];
    };
    if !(KINDS[row].accepts)(&text[range.clone()]) {
        return vec![];
    }
    if range.end == limit {
        // A token that is longer than the window is followed to its end.
        let is_part = |byte: &&u8| is_token_byte(**byte) || matches!(**byte, b'+' | b'/' | b'=');
        range.end += bytes[limit..].iter().take_while(is_part).count();
    }
    vec![range]
}

fn on_line(
    text: &str,
    anchor: Range<usize>,
    row: usize,
    searcher: &Searcher,
) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(anchor.start.saturating_sub(LINE));
    let from = text[from..anchor.start]
        .rfind('\n')
        .map_or(from, |end| from + end + 1);
    let to = text.floor_char_boundary((anchor.end + LINE).min(text.len()));
    let to = text[anchor.end..to]
        .find('\n')
        .map_or(to, |end| anchor.end + end);
    let range = value(&searcher.pattern(row)?.captures(&text[from..to])?, from, 0);
    (KINDS[row].accepts)(&text[range.clone()]).then_some(range)
}

/// Returns the first group that participates, or the whole match and the `before` bytes in front of it.
fn value(groups: &Captures<'_>, at: usize, before: usize) -> Range<usize> {
    let whole = groups.get(0).map_or(0..0, |whole| whole.range());
    match groups.iter().skip(1).flatten().next() {
        Some(group) => at + group.start()..at + group.end(),
        None => at + whole.start - before..at + whole.end,
    }
}
