//! Escapes characters that would make a text look other than it is.
//!
//! A file named `a\u{202e}fdp.rs` is displayed as `asr.pdf`, a control character can move a terminal's cursor, and a character
//! without width is invisible. Names, paths and messages show them escaped wherever a person or a model reads them. JSON keeps
//! the true value, and so do lines of code on their way to a model or a pipe, where they are data.

/// Returns true for controls, line and paragraph separators, bidirectional controls, characters without width, and tags.
pub fn is_deceptive(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns the text with every deceptive character in the form of a Rust escape: `\n`, `\u{1b}`, `\u{202e}`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_deceptive(letter) {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Returns JSON that means the same and has no deceptive character in it: `"\u202e"`.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_deceptive(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_and_bidirectional_characters_are_escaped() {
        for (text, shown) in [
            ("ünï 日本.rs", "ünï 日本.rs"),
            ("a\u{202e}sr.rs", "a\\u{202e}sr.rs"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
            ("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}"),
            ("a\u{200b}\u{feff}b", "a\\u{200b}\\u{feff}b"),
            ("\n\t\u{1b}[2J\u{9b}", "\\n\\t\\u{1b}[2J\\u{9b}"),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn escaped_json_means_what_it_meant() {
        let value = serde_json::json!({ "path": "a\u{202e}b\u{e0041}\n.rs" });
        let escaped = escape_json(&value.to_string());
        assert_eq!(escaped, "{\"path\":\"a\\u202eb\\udb40\\udc41\\n.rs\"}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&escaped).expect("json"),
            value
        );
    }
}
