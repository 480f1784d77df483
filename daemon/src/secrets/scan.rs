//! Scans the text after a name: literals, words and their prefixes.

use std::ops::Range;

/// The longest literal that may be a credential; longer ones are data.
pub const LONGEST_LITERAL: usize = 16 * 1024;
/// The number of bytes after a name within which its value must begin.
pub const REACH: usize = 80;

/// Returns the content of the string literal at a position, which may be wrapped in a conversion: `String::from("…")`.
pub fn literal(text: &str, mut at: usize) -> Option<Range<usize>> {
    #[rustfmt::skip]
    const CONVERSIONS: [&str; 22] = [
        "String::from(", "SecretString::from(", "SecretString::new(", "Secret::new(", "SecretStr(", "Some(", "Buffer.from(",
        "new String(", "[]byte(", "bytes(", "bcrypt(", "crypt(", "Hash::make(", "md5(", "sha1(", "make_password(", "PASSWORD(",
        "SHA1(", "MD5(", "SHA2(", "sha256(", "ENCRYPT(",
    ];
    for _ in 0..2 {
        let rest = window(text, at, 40);
        let Some(conversion) = CONVERSIONS
            .iter()
            .find(|conversion| rest.starts_with(**conversion))
        else {
            break;
        };
        at += conversion.len();
    }
    // Skips prefixes of literals, and the backslash of quotes that are escaped in JSON within a string.
    let head = window(text, at, 4);
    let prefix = head.find(['"', '\'', '`']).filter(|prefix| *prefix <= 2)?;
    if !head[..prefix].bytes().all(|byte| {
        matches!(
            byte,
            b'b' | b'r' | b'f' | b'u' | b'@' | b'\\' | b'L' | b'#' | b'N'
        )
    }) {
        return None;
    }
    let rest = &window(text, at, LONGEST_LITERAL)[prefix..];
    let quote = rest.chars().next()?;
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let open = if rest.starts_with(&triple) { 3 } else { 1 };
    let inner = &rest[open..];
    // A backslash is itself in a raw literal, and part of the quotes where those are escaped.
    let is_raw = quote == '`' || head[..prefix].contains(['r', '@', '#', '\\']);
    let end = literal_end(inner, quote, !is_raw)?;
    let value = inner[..end].trim_end_matches('\\');
    let start = at + prefix + open;
    Some(start..start + value.len())
}

/// Returns the end of a literal: the first quote on its line that is not escaped, or else the first one.
fn literal_end(inner: &str, quote: char, has_escapes: bool) -> Option<usize> {
    let mut first = None;
    let mut is_escaped = false;
    for (at, sign) in inner.char_indices() {
        if sign == '\n' {
            break;
        }
        if sign == quote {
            first = first.or(Some(at));
            if !is_escaped || !has_escapes {
                return Some(at);
            }
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    first
}

/// Returns the part of a literal before its first escaped quote, which may be a credential by itself.
pub fn before_escaped_quote(value: &str) -> Option<&str> {
    let escaped = ["\\\"", "\\'"].iter().filter_map(|quote| value.find(quote));
    escaped.min().map(|end| &value[..end])
}

/// Returns the text up to the end of a word in a shell or a URL.
pub fn word(text: &str) -> &str {
    let is_end = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '"' | '\'' | '`' | ';' | '&' | '|' | ')' | '<' | '>' | '\\' | ','
            )
    };
    &text[..text.find(is_end).unwrap_or(text.len())]
}

pub fn skip_space(text: &str, at: usize) -> usize {
    let spaces = text.as_bytes()[at.min(text.len())..]
        .iter()
        .take(20)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    at + spaces
}

/// Skips `&anchor ` and `!!str ` before a YAML value.
pub fn skip_yaml_properties(text: &str, mut at: usize) -> usize {
    for _ in 0..2 {
        let rest = window(text, at, 40);
        if !rest.starts_with(['&', '!']) {
            break;
        }
        let length = rest
            .bytes()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'&' | b'!' | b'_' | b'-')
            })
            .count();
        if !rest[length..].starts_with(' ') {
            break;
        }
        at = skip_space(text, at + length);
    }
    at
}

/// Skips a line break before a string literal on the next line.
pub fn skip_line_end(text: &str, at: usize) -> usize {
    let rest = window(text, at, REACH);
    let behind = rest.trim_start();
    let gap = &rest[..rest.len() - behind.len()];
    if gap.matches('\n').count() == 1 && behind.starts_with(['"', '\'']) {
        at + gap.len()
    } else {
        at
    }
}

/// Returns at most `length` bytes from a position onwards.
pub fn window(text: &str, at: usize, length: usize) -> &str {
    let at = text.ceil_char_boundary(at.min(text.len()));
    &text[at..text.floor_char_boundary((at + length).min(text.len()))]
}

/// Returns at most `length` bytes before a position.
pub fn window_before(text: &str, at: usize, length: usize) -> &str {
    &text[text.floor_char_boundary(at.saturating_sub(length))..at]
}

pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
