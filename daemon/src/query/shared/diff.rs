//! The unified diff of one file, with marks on lines that hold credentials.

use std::ops::Range;

use claudevil_protocol::answer::diff::{DiffHunk, FileEdits, SecretMark};
use claudevil_protocol::text::{LONGEST_LINE, cut_line};
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::secrets;

const CONTEXT: usize = 3;
const NO_LINE_END: &str = "\\ No newline at end of file";

/// Lines of the old text, and the lines of the new one that replace them.
type Replacement = (Range<usize>, Range<usize>);

/// Returns the diff of a file whose number of lines stays the same, as in a rename.
pub fn describe_same_lines(path: &str, before: &[u8], after: &[u8], edits: usize) -> FileEdits {
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    describe(path, &before, hunks(&before, &after), edits)
}

/// Returns the diff of a file that may change in any way.
pub fn describe_changes(path: &str, before: &str, after: &str, edits: usize) -> FileEdits {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let replacements: Vec<Replacement> = diff
        .hunks()
        .map(|hunk| {
            let lines = |lines: Range<u32>| lines.start as usize..lines.end as usize;
            (lines(hunk.before), lines(hunk.after))
        })
        .collect();
    describe(path, before, to_hunks(before, after, &replacements), edits)
}

fn describe(path: &str, before: &str, hunks: Vec<DiffHunk>, edits: usize) -> FileEdits {
    FileEdits {
        secrets: secret_marks(path, before, &hunks),
        path: path.to_owned(),
        new_path: None,
        edits: edits as u64,
        total_hunks: hunks.len() as u64,
        hunks,
    }
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

/// Returns the hunks between two texts with equal numbers of lines; none if they are equal.
fn hunks(old: &str, new: &str) -> Vec<DiffHunk> {
    let replacements: Vec<Replacement> = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .enumerate()
        .filter(|(_, (old, new))| old != new)
        .map(|(line, _)| (line..line + 1, line..line + 1))
        .collect();
    to_hunks(old, new, &replacements)
}

/// Returns the hunks, with three lines around the changed ones. Long lines are shortened.
fn to_hunks(old: &str, new: &str, replacements: &[Replacement]) -> Vec<DiffHunk> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    replacements
        .chunk_by(|(one, _), (next, _)| next.start <= one.end + 2 * CONTEXT)
        .map(|near| hunk(&old, &new, near))
        .collect()
}

fn hunk(old: &[&str], new: &[&str], replacements: &[Replacement]) -> DiffHunk {
    let (first, last) = (&replacements[0], &replacements[replacements.len() - 1]);
    let start = first.0.start.saturating_sub(CONTEXT);
    let before = first.0.start - start;
    let end = (last.0.end + CONTEXT).min(old.len());
    let behind = end - last.0.end;
    let new_range = first.1.start - before..last.1.end + behind;
    let mut lines = vec![];
    let mut next = start;
    // Lines that follow each other are shown as one replacement.
    for run in replacements.chunk_by(|(one, _), (next, _)| one.end == next.start) {
        let (opening, closing) = (&run[0], &run[run.len() - 1]);
        push_lines(&mut lines, ' ', &old[next..opening.0.start]);
        push_lines(&mut lines, '-', &old[opening.0.start..closing.0.end]);
        push_lines(&mut lines, '+', &new[opening.1.start..closing.1.end]);
        next = closing.0.end;
    }
    push_lines(&mut lines, ' ', &old[next..end]);
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    // An empty range is numbered by the line before it, as in git.
    let first_line = |range: &Range<usize>| number(range.start + usize::from(!range.is_empty()));
    DiffHunk {
        old_start: first_line(&(start..end)),
        old_lines: number(end - start),
        new_start: first_line(&new_range),
        new_lines: number(new_range.len()),
        lines,
    }
}

fn push_lines(shown: &mut Vec<String>, sign: char, lines: &[&str]) {
    for line in lines {
        let content = line.strip_suffix('\n');
        let signed = format!("{sign}{}", content.unwrap_or(line));
        shown.push(if signed.len() > LONGEST_LINE {
            cut_line(&signed)
        } else {
            signed
        });
        if content.is_none() {
            shown.push(NO_LINE_END.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// Returns a patch that git can apply.
    fn patch(path: &str, old: &str, new: &str) -> String {
        written(path, hunks(old, new))
    }

    fn written(path: &str, hunks: Vec<DiffHunk>) -> String {
        let mut text = String::new();
        for hunk in hunks {
            if text.is_empty() {
                text = format!("--- a/{path}\n+++ b/{path}\n");
            }
            text += &format!(
                "@@ -{},{} +{},{} @@\n{}\n",
                hunk.old_start,
                hunk.old_lines,
                hunk.new_start,
                hunk.new_lines,
                hunk.lines.join("\n")
            );
        }
        text
    }

    #[test]
    fn changed_lines_are_shown_with_three_around_them() {
        let text = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-five\n+5!\n 6\n 7\n 8\n";
        assert_eq!(patch("x", text, &text.replace("five", "5!")), expected);
        assert_eq!(patch("x", text, text), "");
        assert_eq!(patch("x", "", ""), "");
        let expected = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n";
        assert_eq!(patch("x", "old", "new"), expected);
    }

    #[test]
    fn a_hunk_has_its_lines_and_their_numbers() {
        let hunks = hunks("one\ntwo\nthree\n", "one\n2\nthree\n");
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

    /// A diff that git applies gives the new text.
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
        // A generator with a fixed seed, so that failures can be reproduced.
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
            let (mut old, mut new) = (String::new(), String::new());
            for line in 0..below(40) {
                let content = ["a", "b", ""][line % 3];
                old += &format!("{content}{end}");
                let changed = ["x", "a", "", "longer\t"][below(4)];
                let content = if below(5) == 0 { changed } else { content };
                new += &format!("{content}{end}");
            }
            if below(2) == 0 {
                old.push_str("last");
                new.push_str(["last", "end"][below(2)]);
            }
            let diff = patch("file", &old, &new);
            assert_eq!(diff.is_empty(), old == new, "{old:?} {new:?}");
            if diff.is_empty() {
                continue;
            }
            fs::write(scratch.path().join("file"), &old).expect("written");
            fs::write(scratch.path().join("diff"), &diff).expect("written");
            let (is_applied, said) = git(&[
                "-c",
                "core.autocrlf=false",
                "apply",
                "--whitespace=nowarn",
                "diff",
            ])
            .expect("git");
            assert!(is_applied, "{said}\n{old:?}\n{new:?}\n{diff}");
            assert_eq!(
                fs::read_to_string(scratch.path().join("file")).expect("read"),
                new,
                "{old:?}\n{diff}"
            );
            compared += 1;
        }
        for round in 0..150 {
            let end = ["\n", "\r\n"][round % 2];
            let (mut old, mut new) = (String::new(), String::new());
            for line in 0..below(40) {
                let content = format!("{}{end}", ["a", "b", ""][line % 3]);
                match below(8) {
                    0 => old += &content,
                    1 => new += &format!("new{end}{content}"),
                    _ => {
                        old += &content;
                        new += &content;
                    }
                }
            }
            let diff = written("file", describe_changes("file", &old, &new, 1).hunks);
            assert_eq!(diff.is_empty(), old == new, "{old:?} {new:?}");
            if diff.is_empty() || new.is_empty() {
                continue;
            }
            fs::write(scratch.path().join("file"), &old).expect("written");
            fs::write(scratch.path().join("diff"), &diff).expect("written");
            let arguments = ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"];
            let (is_applied, said) = git(&[&arguments[..], &["diff"]].concat()).expect("git");
            assert!(is_applied, "{said}\n{old:?}\n{new:?}\n{diff}");
            let applied = fs::read_to_string(scratch.path().join("file")).expect("read");
            assert_eq!(applied, new, "{old:?}\n{diff}");
            compared += 1;
        }
        assert!(compared > 200, "{compared}");
    }
}
