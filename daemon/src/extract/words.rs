//! Names in text that the grammar does not parse: the bodies and arguments of macros.

use std::borrow::Cow;

use super::captures::{Reference, Span};
use super::facts::Role;
use super::text::{Text, offset};

/// Returns every name in a text, with its qualifier. Strings and comments are skipped.
pub fn uses<'a>(
    span: Span,
    text: &Text<'a>,
    is_keyword: impl Fn(&str) -> bool,
) -> Vec<Reference<'a>> {
    let (source, end) = (text.source, span.end as usize);
    let bytes = &source.as_bytes()[..end];
    let mut found = vec![];
    let mut at = span.start as usize;
    while at < end {
        match bytes[at] {
            b'"' | b'\'' => at = quoted_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"//") => break,
            b'/' if bytes[at..].starts_with(b"/*") => {
                at = source[at..end]
                    .find("*/")
                    .map_or(end, |length| at + length + 2);
            }
            byte if is_word(byte) => {
                let mut stop = word_end(bytes, at);
                // The digits of a number may be separated: `1'000`.
                while byte.is_ascii_digit()
                    && bytes.get(stop) == Some(&b'\'')
                    && bytes.get(stop + 1).is_some_and(|byte| is_word(*byte))
                {
                    stop = word_end(bytes, stop + 1);
                }
                let name = &source[at..stop];
                if !byte.is_ascii_digit() && !is_keyword(name) {
                    let follows = bytes[stop..]
                        .iter()
                        .find(|byte| !byte.is_ascii_whitespace());
                    let role = if follows == Some(&b'(') {
                        Role::Call
                    } else {
                        Role::Read
                    };
                    let qualifier = ["->", "::", "."].iter().find_map(|sign| {
                        let before = source[..at].strip_suffix(sign)?;
                        let start =
                            chain_start(source, offset(last_start(before.as_bytes()))) as usize;
                        (start >= span.start as usize).then(|| &source[start..before.len()])
                    });
                    let qualifier = qualifier.filter(|text| !text.is_empty());
                    found.push(Reference {
                        at: offset(at),
                        name,
                        role,
                        qualifier: qualifier.map(Cow::Borrowed),
                    });
                }
                at = stop;
            }
            _ => at += 1,
        }
    }
    found
}

/// Returns the variables in the placeholders of a format string: `name` and `width` in `"{name:>width$} {{not}}"`. A placeholder
/// that the macro names an argument for is no variable: `println!("{name}", name = 1)`.
pub fn placeholders<'a>(span: Span, text: &Text<'a>) -> Vec<Reference<'a>> {
    let (source, end) = (text.source, span.end as usize);
    let bytes = &source.as_bytes()[..end];
    let mut found = vec![];
    let mut add = |start: usize, stop: usize| {
        if start < stop && !bytes[start].is_ascii_digit() {
            found.push(Reference {
                at: offset(start),
                name: &source[start..stop],
                role: Role::Read,
                qualifier: None,
            });
        }
    };
    let mut at = span.start as usize;
    while let Some(open) = memchr::memchr(b'{', &bytes[at..]).map(|length| at + length) {
        if bytes.get(open + 1) == Some(&b'{') {
            at = open + 2;
            continue;
        }
        let Some(close) = memchr::memchr(b'}', &bytes[open..]).map(|length| open + length) else {
            break;
        };
        let stop = word_end(bytes, open + 1);
        if matches!(bytes[stop], b'}' | b':') {
            add(open + 1, stop);
        }
        // In what follows the colon, a name before `$` is a variable: `{:width$.precision$}`.
        for (dollar, _) in source[stop..close].match_indices('$') {
            let name = &bytes[stop..stop + dollar];
            let length = name.iter().rev().take_while(|byte| is_word(**byte)).count();
            add(stop + dollar - length, stop + dollar);
        }
        at = close + 1;
    }
    if !found.is_empty() {
        let arguments = named_arguments(source, end);
        found.retain(|one| !arguments.contains(&one.name));
    }
    found
}

/// Returns the names of the named arguments after a format string, up to the bracket that closes the arguments.
fn named_arguments(source: &str, from: usize) -> Vec<&str> {
    let bytes = source.as_bytes();
    let (mut found, mut depth, mut at) = (vec![], 0_u32, from);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = quoted_end(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                let argument = source[at + 1..].trim_start();
                let name = &argument[..word_end(argument.as_bytes(), 0)];
                let value = argument[name.len()..].trim_start().strip_prefix('=');
                if value.is_some_and(|value| !value.starts_with(['=', '>'])) {
                    found.push(name);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the start of the member chain whose last part begins at `last`: for `d` in `a.b(c)::d`, the position of `a`.
pub fn chain_start(source: &str, last: u32) -> u32 {
    let bytes = source.as_bytes();
    let mut at = last as usize;
    loop {
        let before = &bytes[..at];
        let called = matches!(bytes.get(at), Some(b'(' | b'['));
        let before = if called
            && before
                .last()
                .is_some_and(|byte| is_word(*byte) || is_closing(*byte))
        {
            before
        } else if let Some(before) = [&b"->"[..], b"::", b"?.", b"."]
            .iter()
            .find_map(|sign| before.strip_suffix(*sign))
        {
            before
        } else {
            return offset(at);
        };
        // A chain may continue on the next line.
        let before = if called {
            before
        } else {
            before.trim_ascii_end()
        };
        let start = last_start(before.strip_suffix(b"?").unwrap_or(before));
        if start >= at || start == before.len() {
            return offset(at);
        }
        at = start;
    }
}

/// Returns the start of the word or the bracketed text at the end of a text; its end if it ends with neither.
fn last_start(bytes: &[u8]) -> usize {
    if !bytes.last().is_some_and(|byte| is_closing(*byte)) {
        return bytes.len()
            - bytes
                .iter()
                .rev()
                .take_while(|byte| is_word(**byte))
                .count();
    }
    let mut depth = 0_u32;
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' | b']' => depth += 1,
            b'(' | b'[' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn quoted_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != bytes[open] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn is_closing(byte: u8) -> bool {
    matches!(byte, b')' | b']')
}

/// Returns the end of the word that begins at a position.
pub fn word_end(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..]
        .iter()
        .take_while(|byte| is_word(**byte))
        .count()
}

/// Returns whether a byte can be a part of a name.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_what_they_are_reached_through() {
        let source =
            "do { run((p)->x, \"text\", 'c', 3u) /* no */; a.b[1].c(d); } while (0) // end";
        let text = Text::new(source);
        let all = uses(
            Span {
                start: 0,
                end: text.len(),
            },
            &text,
            |word| matches!(word, "do" | "while"),
        );
        let shown: Vec<_> = all
            .iter()
            .map(|one| (one.name, one.role == Role::Call, one.qualifier.as_deref()))
            .collect();
        let expected = [
            ("run", true, None),
            ("p", false, None),
            ("x", false, Some("(p)")),
            ("a", false, None),
            ("b", false, Some("a")),
            ("c", true, Some("a.b[1]")),
            ("d", false, None),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn separated_digits_open_no_string() {
        let source = "run(1'000, 0xff'ff) + after('c')";
        let text = Text::new(source);
        let span = Span {
            start: 0,
            end: text.len(),
        };
        let all = uses(span, &text, |_| false);
        let names: Vec<&str> = all.iter().map(|one| one.name).collect();
        assert_eq!(names, ["run", "after"]);
    }

    #[test]
    fn a_chain_begins_with_its_first_name() {
        for (source, last, start) in [
            ("x = a.b.c", "c", "a.b.c"),
            ("f(a.b(c, (d)).e)", "e", "a.b(c, (d)).e"),
            ("f(a()?.b)", "b", "a()?.b"),
            ("(a::b[0].c)", "c", "a::b[0].c"),
            ("a + c", "c", "c"),
            ("c", "c", "c"),
            ("(a).c", "c", "(a).c"),
            (".c", "c", "c"),
        ] {
            let at = source.rfind(last).expect("there");
            let found = chain_start(source, offset(at)) as usize;
            assert_eq!(
                source[found..].trim_end_matches(')'),
                start.trim_end_matches(')'),
                "{source}"
            );
        }
    }
}
