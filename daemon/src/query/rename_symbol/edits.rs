//! The edits that write the new name into one file, and the answer's view of them.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::read_file::SecretMark;
use claudevil_protocol::tools::rename_symbol::{DiffHunk, FileEdits};

use super::classify::Rewrite;
use super::diff::hunks;
use super::file_move::FileMove;
use super::name_search::WordMatch;
use crate::change::Edit;
use crate::extract::type_expr;
use crate::secrets;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the edits of a file; an error if its text is not what the index has.
pub fn name_edits(
    bytes: &[u8],
    path: &str,
    mut words: Vec<(WordMatch, Rewrite)>,
    name: &str,
    new_name: &str,
) -> Result<Vec<Edit>, ToolError> {
    words.sort_by_key(|(word, _)| (word.line, word.column));
    words.dedup_by_key(|(word, _)| (word.line, word.column));
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
    let stale = || {
        ToolError::invalid_argument(format!(
            "{path} is not what it was when it was indexed; nothing was changed"
        ))
        .with_hint("ask again in a moment")
    };
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut edits = vec![];
    for (word, rewrite) in words {
        let line = *line_starts
            .get(word.line.saturating_sub(1) as usize)
            .ok_or_else(stale)?;
        let start = line + word.column as usize;
        let end = start + name.len();
        let goes_on = name.ends_with(type_expr::is_word) && is_word(bytes.get(end));
        if bytes.get(start..end) != Some(name.as_bytes()) || goes_on {
            return Err(stale());
        }
        let (range, replacement) = match rewrite {
            Rewrite::Name => (start..end, new_name.to_owned()),
            Rewrite::Value => (start..end, format!("{name}: {new_name}")),
            Rewrite::Field(column) => {
                let before = line + column as usize;
                (before..before, format!("{new_name}: "))
            }
        };
        edits.push(Edit { range, replacement });
    }
    Ok(edits)
}

/// Returns the diff of a file, with marks on lines that hold credentials.
pub fn describe_edits(
    path: &str,
    file_move: Option<&FileMove>,
    bytes: &[u8],
    edits: &[Edit],
) -> Result<FileEdits, ToolError> {
    let text = String::from_utf8_lossy(bytes);
    let hunks = hunks(&text, edits).map_err(ToolError::invalid_argument)?;
    Ok(FileEdits {
        secrets: secret_marks(path, &text, &hunks),
        path: path.to_owned(),
        new_path: file_move.map(|file_move| file_move.to.clone()),
        edits: edits.len() as u64,
        total_hunks: hunks.len() as u64,
        hunks,
    })
}

/// Marks the lines of the hunks that hold credentials, by their numbers before the change.
fn secret_marks(path: &str, text: &str, hunks: &[DiffHunk]) -> Vec<SecretMark> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_shown = |first: u64, last: u64| {
        hunks.iter().any(|hunk| {
            let start = u64::from(hunk.old_start);
            first < start + u64::from(hunk.old_lines) && start <= last
        })
    };
    secrets::mark(name, text)
        .into_iter()
        .filter(|mark| is_shown(mark.line as u64 + 1, mark.last_line as u64 + 1))
        .map(|mark| SecretMark {
            line: mark.line as u64 + 1,
            kind: mark.kind.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::edit;

    fn word(line: u32, column: u32, rewrite: Rewrite) -> (WordMatch, Rewrite) {
        let offset = 0;
        (
            WordMatch {
                offset,
                line,
                column,
            },
            rewrite,
        )
    }

    #[test]
    fn names_are_found_by_line_and_byte() {
        let words = |all: &[(u32, u32)]| {
            let name = |(line, column): &(u32, u32)| word(*line, *column, Rewrite::Name);
            all.iter().map(name).collect()
        };
        let text = "\u{feff}run();\r\nä run();\r\n".as_bytes();
        let edits =
            name_edits(text, "a", words(&[(1, 0), (2, 3), (2, 3)]), "run", "start").expect("there");
        let changed = edit::apply(text, &edits).expect("applied");
        assert_eq!(
            String::from_utf8(changed).expect("text"),
            "\u{feff}start();\r\nä start();\r\n"
        );
        assert!(
            name_edits(b"runs()", "a", words(&[(1, 0)]), "run", "start").is_err(),
            "another name"
        );
        assert!(
            name_edits(b"", "a", words(&[(3, 0)]), "run", "start").is_err(),
            "no such line"
        );
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
            let edits = name_edits(text, "a", vec![word], name, "w").expect("there");
            let changed = edit::apply(text, &edits).expect("applied");
            assert_eq!(String::from_utf8(changed).expect("text"), expected);
        }
    }

    #[test]
    fn credentials_are_marked_where_the_diff_shows_them() {
        let text = "run();\npassword = \"Tangerine-9\"\n\n\n\n\n\n\n\n\ntoken = \"a1b2c3d4e5f6a7b8c9d0\"\n";
        let edits = [Edit {
            range: 0..3,
            replacement: "start".to_owned(),
        }];
        let described = describe_edits("src/a.py", None, text.as_bytes(), &edits).expect("a diff");
        assert_eq!(
            described.secrets,
            [SecretMark {
                line: 2,
                kind: "password".to_owned()
            }]
        );
    }
}
