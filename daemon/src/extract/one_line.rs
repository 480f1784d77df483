//! Bodies of types on one line: `interface S { fun a(): T }`. The grammar expects a line break or `;` after each member, does
//! not accept a closing brace instead, and fails to parse the whole file. So the parser gets a `;` in place of the space
//! before the brace.

use std::borrow::Cow;

use memchr::memmem;

/// Returns the text with a `;` at the end of each one-line body, every other byte at its position. `words` are the keywords
/// that open such bodies.
pub fn insert_semicolons<'a>(bytes: Cow<'a, [u8]>, words: &[&str]) -> Cow<'a, [u8]> {
    if words.is_empty() {
        return bytes;
    }
    let places = places(&bytes, words);
    if places.is_empty() {
        return bytes;
    }
    let mut bytes = bytes.into_owned();
    for place in places {
        bytes[place] = b';';
    }
    Cow::Owned(bytes)
}

/// Returns the positions of the blanks before closing braces, on lines that open a body.
fn places(bytes: &[u8], words: &[&str]) -> Vec<usize> {
    let closed = memmem::Finder::new(b" }");
    let mut found = vec![];
    let mut from = 0;
    while let Some(first) = closed.find(&bytes[from..]).map(|place| from + place) {
        let start = memchr::memrchr(b'\n', &bytes[..first]).map_or(0, |end| end + 1);
        let end =
            memchr::memchr(b'\n', &bytes[first..]).map_or(bytes.len(), |length| first + length);
        let line = &bytes[start..end];
        if words.iter().any(|word| opens(line, word)) {
            found.extend(closed.find_iter(line).map(|place| start + place));
        }
        from = end;
    }
    found
}

/// Returns whether a line contains a keyword as a whole word, with a brace somewhere after it.
fn opens(line: &[u8], word: &str) -> bool {
    memmem::find_iter(line, word).any(|at| {
        let is_part = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let behind = at + word.len();
        !is_part(at.checked_sub(1).and_then(|before| line.get(before)))
            && !is_part(line.get(behind))
            && line[behind..].contains(&b'{')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bodies_on_one_line_are_ended() {
        for (source, expected) in [
            ("interface S { fun a(): T }", "interface S { fun a(): T;}"),
            (
                "class A { object B { val c = 1 } }\n",
                "class A { object B { val c = 1;};}\n",
            ),
            (
                "class A {\n  fun b() { c() }\n}\n",
                "class A {\n  fun b() { c() }\n}\n",
            ),
            ("all.map { it.classes }", "all.map { it.classes }"),
            ("x {\n} class\n", "x {\n} class\n"),
        ] {
            let ended = insert_semicolons(
                Cow::Borrowed(source.as_bytes()),
                &["class", "interface", "object"],
            );
            assert_eq!(std::str::from_utf8(&ended), Ok(expected), "{source}");
        }
    }
}
