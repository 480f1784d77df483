//! Writes the new name into one file, and describes the change for the answer.
//!
//! Bytes are rewritten, so encoding, line ends, a byte order mark and a missing last line end stay as they are.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::diff::FileEdits;

use super::classify::Rewrite;
use super::file_move::FileMove;
use super::name_search::WordMatch;
use crate::extract::type_expr;
use crate::query::shared::diff::describe_same_lines;
use crate::query::shared::edited_file::changed_since_indexed;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the content of a file with the new name; fails if the text is not as indexed.
pub fn rewrite_names(
    bytes: &[u8],
    path: &str,
    words: &[(WordMatch, Rewrite)],
    name: &str,
    new_name: &str,
) -> Result<Vec<u8>, ToolError> {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut line_starts = vec![mark];
    line_starts.extend(
        bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1),
    );
    let stale = || changed_since_indexed(path);
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut rewritten = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for (word, rewrite) in words {
        let line = *line_starts
            .get(word.line.saturating_sub(1) as usize)
            .ok_or_else(stale)?;
        let start = line + word.column as usize;
        let (replaced, replacement) = rewrite.replacement(name, new_name);
        let written = if replaced.is_empty() { name } else { replaced };
        let end = start + written.len();
        let goes_on = written.ends_with(type_expr::is_word) && is_word(bytes.get(end));
        if bytes.get(start..end) != Some(written.as_bytes()) || goes_on {
            return Err(stale());
        }
        let range = match rewrite {
            Rewrite::Field(column) => {
                let before = line + *column as usize;
                before..before
            }
            _ => start..end,
        };
        rewritten.extend_from_slice(bytes.get(copied..range.start).ok_or_else(stale)?);
        rewritten.extend_from_slice(replacement.as_bytes());
        copied = range.end;
    }
    rewritten.extend_from_slice(&bytes[copied..]);
    Ok(rewritten)
}

/// Returns the diff of a file, with marks on lines that hold credentials.
pub fn describe_edits(
    path: &str,
    file_move: Option<&FileMove>,
    before: &[u8],
    after: &[u8],
    edits: usize,
) -> FileEdits {
    FileEdits {
        new_path: file_move.map(|file_move| file_move.to.clone()),
        ..describe_same_lines(path, before, after, edits)
    }
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::ErrorCode;
    use claudevil_protocol::answer::diff::SecretMark;

    use super::*;

    fn word(line: u32, column: u32, rewrite: Rewrite) -> (WordMatch, Rewrite) {
        let word = WordMatch {
            offset: 0,
            line,
            column,
        };
        (word, rewrite)
    }

    #[test]
    fn names_are_found_by_line_and_byte() {
        let name = |line, column| word(line, column, Rewrite::Name);
        let rewrite = |text: &str, words: &[_]| {
            let rewritten = rewrite_names(text.as_bytes(), "a", words, "run", "start")?;
            Ok::<_, ToolError>(String::from_utf8(rewritten).expect("text"))
        };
        assert_eq!(
            rewrite("\u{feff}run();\r\nä run();\r\n", &[name(1, 0), name(2, 3)]),
            Ok("\u{feff}start();\r\nä start();\r\n".to_owned())
        );
        assert_eq!(
            rewrite("run run", &[name(1, 0)]),
            Ok("start run".to_owned())
        );
        let error = rewrite("runs()", &[name(1, 0)]).expect_err("another name");
        assert_eq!(error.code, ErrorCode::Stale);
        assert!(rewrite("", &[name(3, 0)]).is_err(), "no such line");
        assert!(
            rewrite("run run", &[name(1, 4), name(1, 0)]).is_err(),
            "out of order"
        );
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let words = [word(2, 0, Rewrite::Name)];
        let rewritten = rewrite_names(b"\xff\xfe\xe9\nrun \xe9", "a", &words, "run", "start");
        assert_eq!(rewritten.expect("there"), b"\xff\xfe\xe9\nstart \xe9");
    }

    #[test]
    fn one_word_for_a_field_and_its_value_becomes_two() {
        let text = b"Cfg { ref width, height }";
        for (word, name, expected) in [
            (
                word(1, 10, Rewrite::Field(6)),
                "width",
                "Cfg { w: ref width, height }",
            ),
            (
                word(1, 17, Rewrite::Field(17)),
                "height",
                "Cfg { ref width, w: height }",
            ),
            (
                word(1, 17, Rewrite::Value),
                "height",
                "Cfg { ref width, height: w }",
            ),
        ] {
            let rewritten = rewrite_names(text, "a", &[word], name, "w").expect("there");
            assert_eq!(String::from_utf8(rewritten).expect("text"), expected);
        }
    }

    #[test]
    fn an_attribute_keeps_lacking_its_suffix() {
        for (new_name, expected) in [("PathAttribute", "[Path]"), ("Path", "[Path]")] {
            let words = [word(1, 1, Rewrite::WithoutSuffix("Attribute"))];
            let rewritten = rewrite_names(b"[Route]", "a", &words, "RouteAttribute", new_name);
            assert_eq!(rewritten.expect("there"), expected.as_bytes());
        }
    }

    #[test]
    fn credentials_are_marked_where_the_diff_shows_them() {
        let text = "run();\npassword = \"Tangerine-9\"\n\n\n\n\n\n\n\n\ntoken = \"a1b2c3d4e5f6a7b8c9d0\"\n";
        let after = text.replacen("run", "start", 1);
        let described = describe_edits("src/a.py", None, text.as_bytes(), after.as_bytes(), 1);
        assert_eq!(
            described.secrets,
            [SecretMark {
                line: 2,
                kind: "password".to_owned()
            }]
        );
    }
}
