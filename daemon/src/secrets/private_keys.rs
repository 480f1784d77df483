//! Private keys as blocks of text: PEM of every kind, PGP, SSH and `PuTTY`, even inside a string literal.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

const KIND: &str = "private key";

/// The longest key; a block that seems longer is no key, or two.
const LONGEST: usize = 32 * 1024;
/// The body of a key has a run of at least this many base64 characters.
const SHORTEST_RUN: usize = 30;

static BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|(?m:^Private-Lines: \d+\r?$)").ok()
});
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|(?m:^Private-MAC:)").ok()
});

pub fn find(text: &str) -> Vec<Secret> {
    let (Some(begin), Some(end)) = (BEGIN.as_ref(), END.as_ref()) else {
        return vec![];
    };
    let mut keys = vec![];
    let mut from = 0;
    while let Some(opened) = begin.find_at(text, from) {
        from = opened.end();
        let limit = text.floor_char_boundary((from + LONGEST).min(text.len()));
        let next = begin
            .find(&text[from..limit])
            .map_or(limit, |next| from + next.start());
        let body = match end.find(&text[from..next]) {
            Some(closed) => Some(opened.start()..from + closed.end()),
            None => unclosed(text, opened.range(), next),
        };
        if let Some(range) =
            body.filter(|range| longest_run(&text[from..range.end]) >= SHORTEST_RUN)
        {
            from = range.end;
            keys.push(Secret { range, kind: KIND });
        } else {
            from = next.max(from);
        }
    }
    keys
}

/// Returns a key without an end marker, which extends as far as its lines are base64.
fn unclosed(text: &str, opened: Range<usize>, limit: usize) -> Option<Range<usize>> {
    let mut end = opened.end;
    for line in text[opened.end..limit].split_inclusive('\n') {
        let inner = line.trim();
        if !inner.is_empty() && !inner.bytes().all(is_base64) {
            break;
        }
        end += line.len();
    }
    (end > opened.end).then_some(opened.start..end)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Returns the length of the longest run of base64: an ellipsis or words between the markers are no key.
fn longest_run(body: &str) -> usize {
    body.as_bytes()
        .split(|byte| !is_base64(*byte))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0)
}
