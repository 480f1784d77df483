//! What edits will do to a text, as a unified diff.
//!
//! The edits are known, so no two texts have to be compared: the lines that an edit touches are replaced, and the lines
//! that come out equal at the ends of such a piece are left out. A line ends with `\n`, and `\r` is a part of it, so that
//! applying the diff gives exactly what the edits give.

use std::ops::Range;

use claudevil_protocol::text::escape::is_deceptive;

use super::edit::{self, Edit};

const CONTEXT: usize = 3;
const NO_LINE_END: &str = "\\ No newline at end of file\n";

/// Lines that others take the place of.
struct Piece {
    old: Range<usize>,
    new: Vec<String>,
}

/// Empty if the edits change nothing.
pub fn unified(path: &str, text: &str, edits: &[Edit]) -> Result<String, String> {
    let pieces = pieces(text, edits)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut diff = String::new();
    let mut rest = pieces.as_slice();
    // How many lines the new text has more than the old one so far.
    let mut more = 0_isize;
    while let Some(first) = rest.first() {
        let near = rest
            .windows(2)
            .take_while(|pair| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT)
            .count();
        let (hunk, after) = rest.split_at(near + 1);
        rest = after;
        if diff.is_empty() {
            diff = format!("--- {}\n+++ {}\n", quoted("a/", path), quoted("b/", path));
        }
        let start = first.old.start.saturating_sub(CONTEXT);
        let end = (hunk[near].old.end + CONTEXT).min(lines.len());
        let added: usize = hunk.iter().map(|piece| piece.new.len()).sum();
        let removed: usize = hunk.iter().map(|piece| piece.old.len()).sum();
        let old_length = end - start;
        let new_length = old_length + added - removed;
        let new_start = start.saturating_add_signed(more);
        diff += &format!(
            "@@ -{} +{} @@\n",
            span(start, old_length),
            span(new_start, new_length)
        );
        more += added.cast_signed() - removed.cast_signed();
        let mut shown = start;
        for piece in hunk {
            lines[shown..piece.old.start]
                .iter()
                .for_each(|line| push(&mut diff, ' ', line));
            lines[piece.old.clone()]
                .iter()
                .for_each(|line| push(&mut diff, '-', line));
            piece.new.iter().for_each(|line| push(&mut diff, '+', line));
            shown = piece.old.end;
        }
        lines[shown..end]
            .iter()
            .for_each(|line| push(&mut diff, ' ', line));
    }
    Ok(diff)
}

fn push(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push('\n');
        diff.push_str(NO_LINE_END);
    }
}

/// Of no lines the one before is named.
fn span(start: usize, length: usize) -> String {
    match length {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{length}", start + 1),
    }
}

/// As git writes the paths that a line of a diff cannot have.
fn quoted(side: &str, path: &str) -> String {
    if !path.contains(|sign: char| is_deceptive(sign) || sign == '"' || sign == '\\') {
        // A tab ends a path that has a space in it.
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{side}{path}{end}");
    }
    let mut quoted = format!("\"{side}");
    for sign in path.chars() {
        match sign {
            '"' | '\\' => quoted.extend(['\\', sign]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            sign if is_deceptive(sign) => {
                let mut bytes = [0; 4];
                sign.encode_utf8(&mut bytes)
                    .bytes()
                    .for_each(|byte| quoted.push_str(&format!("\\{byte:03o}")));
            }
            sign => quoted.push(sign),
        }
    }
    quoted + "\""
}

fn pieces(text: &str, edits: &[Edit]) -> Result<Vec<Piece>, String> {
    // Where each line begins, and the end of the text.
    let starts: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    let line_start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    // The line of a place; the place behind the last line end is a line of its own.
    let line_of = |at: usize| match starts.binary_search(&at) {
        Ok(line) => line,
        Err(line) if at == text.len() && (line == 0 || text.ends_with('\n')) => line,
        Err(line) => line - 1,
    };
    let mut pieces: Vec<Piece> = vec![];
    let mut ordered = edit::in_order(edits, text.len())?.into_iter().peekable();
    while let Some(edit) = ordered.next() {
        let is_sound = |edit: &Edit| {
            text.is_char_boundary(edit.range.start) && text.is_char_boundary(edit.range.end)
        };
        let first = line_of(edit.range.start);
        let end_of = |edit: &Edit| (line_of(edit.range.end) + 1).min(starts.len());
        let mut end = end_of(edit);
        let mut group = vec![edit];
        // Also those of the next line: an edit may have taken the line end away that divides the two.
        while let Some(next) = ordered.next_if(|next| line_of(next.range.start) <= end) {
            end = end.max(end_of(next));
            group.push(next);
        }
        if !group.iter().all(|edit| is_sound(edit)) {
            return Err("an edit begins or ends within a character".to_owned());
        }
        let offset = line_start(first);
        let inner: Vec<Edit> = group
            .iter()
            .map(|edit| Edit {
                range: edit.range.start - offset..edit.range.end - offset,
                replacement: edit.replacement.clone(),
            })
            .collect();
        let edited = edit::apply(&text.as_bytes()[offset..line_start(end)], &inner)?;
        let edited = String::from_utf8(edited).map_err(|_| "not UTF-8".to_owned())?;
        pieces.extend(trimmed(first..end, &text[offset..line_start(end)], &edited));
    }
    Ok(pieces)
}

/// Without the lines at both ends that stay the same.
fn trimmed(old: Range<usize>, before: &str, after: &str) -> Option<Piece> {
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let same = before
        .iter()
        .zip(&after)
        .take_while(|(one, other)| one == other)
        .count();
    let shorter = before.len().min(after.len());
    let same_end = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(shorter - same)
        .take_while(|(one, other)| one == other)
        .count();
    let new: Vec<String> = after[same..after.len() - same_end]
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    let old = old.start + same..old.end - same_end;
    (!old.is_empty() || !new.is_empty()).then_some(Piece { old, new })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn edit(start: usize, end: usize, replacement: &str) -> Edit {
        Edit {
            range: start..end,
            replacement: replacement.to_owned(),
        }
    }

    #[test]
    fn the_lines_that_edits_touch_are_shown_with_three_around_them() {
        let text = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected =
            "--- a/x y\t\n+++ b/x y\t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-five\n+5!\n 6\n 7\n 8\n";
        assert_eq!(
            unified("x y", text, &[edit(8, 11, "5"), edit(11, 12, "!")]).expect("sound"),
            expected
        );
        assert_eq!(
            unified("x", text, &[edit(8, 12, "five")]).expect("sound"),
            ""
        );
        assert_eq!(unified("x", text, &[]).expect("sound"), "");
        assert!(unified("x", "ä", &[edit(1, 2, "")]).is_err());
        assert!(unified("x", "a", &[edit(1, 2, "")]).is_err());
        let expected = "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n";
        assert_eq!(
            unified("x", "", &[edit(0, 0, "new")]).expect("sound"),
            expected
        );
        assert_eq!(quoted("a/", "\"\u{1}\n"), "\"a/\\\"\\001\\n\"");
    }

    /// Every diff, applied by git, gives what the edits give.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "git checks what we write")]
    fn git_applies_what_is_shown() {
        let scratch = tempfile::tempdir().expect("a directory");
        let git = |arguments: &[&str]| {
            let run = Command::new("git")
                .args(arguments)
                .current_dir(scratch.path())
                .output();
            run.map(|run| {
                (
                    run.status.success(),
                    String::from_utf8_lossy(&run.stderr).into_owned(),
                )
            })
        };
        if git(&["init", "-q"]).is_err() {
            return;
        }
        // A generator of our own, so that a failure can be seen again.
        let mut seed = 7_u64;
        let mut below = |most: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % most.max(1)
        };
        let mut compared = 0;
        for round in 0..150 {
            let end = ["\n", "\r\n"][round % 2];
            let mut text: String = (0..below(40))
                .map(|line| format!("{}{end}", ["a", "b", ""][line % 3]))
                .collect();
            if below(2) == 0 {
                text.push_str("last");
            }
            let mut edits = vec![];
            let mut at = below(text.len() / 2 + 1);
            while at <= text.len() && edits.len() < 6 {
                let until = (at + below(6)).min(text.len());
                let replacement = ["", "x", "\n", "new\r\n", "p\nq", "a"][below(6)];
                edits.push(edit(at, until, replacement));
                at = until + below(25);
            }
            let after = edit::apply(text.as_bytes(), &edits).expect("sound");
            let diff = unified("file", &text, &edits).expect("sound");
            assert_eq!(
                diff.is_empty(),
                after == text.as_bytes(),
                "{text:?} {edits:?}"
            );
            // Git would take a file that becomes empty, or was, for one that is deleted or made.
            if diff.is_empty() || after.is_empty() || text.is_empty() {
                continue;
            }
            fs::write(scratch.path().join("file"), &text).expect("written");
            fs::write(scratch.path().join("diff"), &diff).expect("written");
            let (is_applied, said) = git(&[
                "-c",
                "core.autocrlf=false",
                "apply",
                "--whitespace=nowarn",
                "diff",
            ])
            .expect("git");
            assert!(is_applied, "{said}\n{text:?}\n{edits:?}\n{diff}");
            assert_eq!(
                fs::read(scratch.path().join("file")).expect("read"),
                after,
                "{text:?} {edits:?}\n{diff}"
            );
            compared += 1;
        }
        assert!(compared > 100, "{compared}");
    }
}
