//! Call signatures of an interface without semicolons. The grammar reads a `<` at the start of the next line as type arguments
//! of the type before it, and fails to parse the whole file. So a text with errors is parsed once more with a semicolon in
//! place of the blank before each such `<`, and the better tree is taken.

/// Returns the text with these semicolons, every other byte at its position. None if no line begins with type parameters.
pub fn insert_semicolons(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut ended: Option<Vec<u8>> = None;
    let mut start = 0;
    let mut previous: &[u8] = &[];
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let code = line.trim_ascii();
        let indentation = line.len() - line.trim_ascii_start().len();
        if indentation > 0 && opens_type_parameters(code) && ends_type(previous) {
            let text = ended.get_or_insert_with(|| bytes.to_vec());
            text[start + indentation - 1] = b';';
        }
        let is_comment = [&b"//"[..], b"/*", b"*"]
            .iter()
            .any(|sign| code.starts_with(sign));
        if !code.is_empty() && !is_comment {
            previous = code;
        }
        start += line.len();
    }
    ended
}

fn opens_type_parameters(code: &[u8]) -> bool {
    match code {
        b"<" => true,
        [b'<', first, ..] => first.is_ascii_alphabetic() || b"_$".contains(first),
        _ => false,
    }
}

fn ends_type(code: &[u8]) -> bool {
    code.last()
        .is_some_and(|last| last.is_ascii_alphanumeric() || b"_$>)]}\"'`".contains(last))
        && !code.ends_with(b"=>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_ends_where_type_parameters_begin_a_line() {
        for (source, expected) in [
            (
                "interface A {\n\t<T>(a: T): T\n\n\t/** B. */\n\t<U>(b: U): U\n}\n",
                Some("interface A {\n\t<T>(a: T): T\n\n\t/** B. */\n;<U>(b: U): U\n}\n"),
            ),
            (
                "interface A {\n  (a: B): C[]\n  // Two.\n  <\n    T,\n  >(a: T): T\n}\n",
                Some("interface A {\n  (a: B): C[]\n  // Two.\n ;<\n    T,\n  >(a: T): T\n}\n"),
            ),
            ("type A =\n  <T>(a: T) => T\n", None),
            ("type A = (b: B) =>\n  <T>(a: T) => T\n", None),
            ("a\n< b", None),
            ("if (a\n  < b)", None),
        ] {
            let ended = insert_semicolons(source.as_bytes())
                .map(|text| String::from_utf8(text).expect("ASCII"));
            assert_eq!(ended.as_deref(), expected, "{source}");
        }
    }
}
