//! The hunks of a unified diff that shows what edits do to a text.
//!
//! The edits are known, so no two texts are compared: the lines that an edit touches are replaced, and the lines that come
//! out equal at the ends of such a piece are left out. A line ends with `\n`, and `\r` is a part of it, so that applying
//! the diff gives exactly what the edits give.

use std::ops::Range;

use claudevil_protocol::answer::hits::{LONGEST_LINE, shortened};
use claudevil_protocol::tools::rename_symbol::DiffHunk;

use crate::change::edit::{self, Edit};

const CONTEXT: usize = 3;
const NO_LINE_END: &str = "\\ No newline at end of file";

/// Consecutive lines and their replacement.
struct Piece {
    old: Range<usize>,
    new: Vec<String>,
}

/// Returns the hunks; none if the edits change nothing. Long lines are shortened.
pub fn hunks(text: &str, edits: &[Edit]) -> Result<Vec<DiffHunk>, String> {
    let pieces = pieces(text, edits)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut hunks = vec![];
    let mut rest = pieces.as_slice();
    // Lines that the new text has gained so far.
    let mut gained = 0_isize;
    while let Some(first) = rest.first() {
        let near = rest
            .windows(2)
            .take_while(|pair| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT)
            .count();
        let (group, after) = rest.split_at(near + 1);
        rest = after;
        let start = first.old.start.saturating_sub(CONTEXT);
        let end = (group[near].old.end + CONTEXT).min(lines.len());
        let added: usize = group.iter().map(|piece| piece.new.len()).sum();
        let removed: usize = group.iter().map(|piece| piece.old.len()).sum();
        let (old_start, old_lines) = span(start, end - start);
        let (new_start, new_lines) = span(
            start.saturating_add_signed(gained),
            end - start + added - removed,
        );
        gained += added.cast_signed() - removed.cast_signed();
        let mut hunk = DiffHunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
            lines: vec![],
        };
        let mut shown = start;
        for piece in group {
            push_lines(&mut hunk, ' ', &lines[shown..piece.old.start]);
            push_lines(&mut hunk, '-', &lines[piece.old.clone()]);
            push_lines(&mut hunk, '+', &piece.new);
            shown = piece.old.end;
        }
        push_lines(&mut hunk, ' ', &lines[shown..end]);
        hunks.push(hunk);
    }
    Ok(hunks)
}

fn push_lines(hunk: &mut DiffHunk, sign: char, lines: &[impl AsRef<str>]) {
    for line in lines.iter().map(AsRef::as_ref) {
        let content = line.strip_suffix('\n');
        let shown = format!("{sign}{}", content.unwrap_or(line));
        hunk.lines.push(if shown.len() > LONGEST_LINE {
            shortened(&shown)
        } else {
            shown
        });
        if content.is_none() {
            hunk.lines.push(NO_LINE_END.to_owned());
        }
    }
}

/// Returns the first line, from 1, and the number of lines. A span without lines has the number of the line before it.
fn span(start: usize, length: usize) -> (u32, u32) {
    let first = start + usize::from(length > 0);
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    (number(first), number(length))
}

fn pieces(text: &str, edits: &[Edit]) -> Result<Vec<Piece>, String> {
    let starts: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    let line_start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    // The position behind the last line end is a line of its own.
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
        // Edits of the next line belong to the group: an edit may have removed the line end between the two.
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
        pieces.extend(trim_piece(
            first..end,
            &text[offset..line_start(end)],
            &edited,
        ));
    }
    Ok(pieces)
}

/// Returns a piece without the lines at both ends that stay the same.
fn trim_piece(old: Range<usize>, before: &str, after: &str) -> Option<Piece> {
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

    /// A patch that git can apply.
    fn patch(path: &str, text: &str, edits: &[Edit]) -> String {
        let mut patch = String::new();
        for hunk in hunks(text, edits).expect("sound") {
            if patch.is_empty() {
                patch = format!("--- a/{path}\n+++ b/{path}\n");
            }
            patch += &format!(
                "@@ -{},{} +{},{} @@\n{}\n",
                hunk.old_start,
                hunk.old_lines,
                hunk.new_start,
                hunk.new_lines,
                hunk.lines.join("\n")
            );
        }
        patch
    }

    #[test]
    fn the_lines_that_edits_touch_are_shown_with_three_around_them() {
        let text = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-five\n+5!\n 6\n 7\n 8\n";
        assert_eq!(
            patch("x", text, &[edit(8, 11, "5"), edit(11, 12, "!")]),
            expected
        );
        assert_eq!(patch("x", text, &[edit(8, 12, "five")]), "");
        assert_eq!(patch("x", text, &[]), "");
        assert!(hunks("ä", &[edit(1, 2, "")]).is_err());
        assert!(hunks("a", &[edit(1, 2, "")]).is_err());
        let expected = "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+new\n\\ No newline at end of file\n";
        assert_eq!(patch("x", "", &[edit(0, 0, "new")]), expected);
    }

    #[test]
    fn a_hunk_has_its_lines_and_their_numbers() {
        let hunks = hunks("one\ntwo\nthree\n", &[edit(4, 7, "2")]).expect("made");
        assert_eq!(hunks.len(), 1);
        assert_eq!(
            (
                hunks[0].old_start,
                hunks[0].old_lines,
                hunks[0].new_start,
                hunks[0].new_lines
            ),
            (1, 3, 1, 3)
        );
        assert_eq!(hunks[0].lines, [" one", "-two", "+2", " three"]);
    }

    /// A diff that git applies gives the same text as the edits.
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
            let diff = patch("file", &text, &edits);
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
