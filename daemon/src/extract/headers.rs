//! Headers of nested classes whose constructor is on a line of its own: `class Builder⏎ private constructor(…)`. The grammar
//! ends the class before that line, and fails to parse the whole file. So a text with errors is parsed once more with a blank in
//! place of each such line break, and the better tree is taken.

use crate::lang::vocabulary::{CLASS, CONSTRUCTOR, CONSTRUCTOR_MODIFIERS};

/// Returns the text with these line breaks blanked, every other byte at its position. None if there are none.
pub fn join_constructors(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut joined: Option<Vec<u8>> = None;
    let mut previous: &[u8] = &[];
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if begins_constructor(line.trim_ascii()) && is_open_header(previous.trim_ascii()) {
            let text = joined.get_or_insert_with(|| bytes.to_vec());
            let end = previous.trim_ascii_end().len();
            text[start - (previous.len() - end)..start].fill(b' ');
        }
        previous = line;
        start += line.len();
    }
    joined
}

fn begins_constructor(code: &[u8]) -> bool {
    let rest = CONSTRUCTOR_MODIFIERS
        .iter()
        .find_map(|modifier| code.strip_prefix(modifier.as_bytes()))
        .map_or(code, <[u8]>::trim_ascii_start);
    rest.strip_prefix(CONSTRUCTOR.as_bytes())
        .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"("))
}

/// Returns whether a line ends with the name of a class, or with its type parameters.
fn is_open_header(code: &[u8]) -> bool {
    let mut words = code.split(|byte| !byte.is_ascii_alphanumeric());
    code.last()
        .is_some_and(|last| last.is_ascii_alphanumeric() || b"_>".contains(last))
        && words.any(|word| word == CLASS.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_joined_with_the_constructor_on_the_next_line() {
        for (source, expected) in [
            (
                "class A {\n  class B<T>\n  private constructor(val c: T)\n}\n",
                Some("class A {\n  class B<T>   private constructor(val c: T)\n}\n"),
            ),
            (
                "class B\r\nconstructor (c: C)",
                Some("class B  constructor (c: C)"),
            ),
            ("class B {\n  constructor(c: C)\n}", None),
            ("val b = C()\nconstructor(c)", None),
        ] {
            let joined = join_constructors(source.as_bytes())
                .map(|text| String::from_utf8(text).expect("ASCII"));
            assert_eq!(joined.as_deref(), expected, "{source}");
        }
    }
}
