//! The hunks of a unified diff between two texts of as many lines: a rename adds and removes none.

use claudevil_protocol::answer::hits::{LONGEST_LINE, shortened};
use claudevil_protocol::tools::rename_symbol::DiffHunk;

const CONTEXT: usize = 3;
const NO_LINE_END: &str = "\\ No newline at end of file";

/// Returns the hunks, with three lines around the changed ones; none if the texts are equal. Long lines are shortened.
pub fn hunks(old: &str, new: &str) -> Vec<DiffHunk> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changed: Vec<usize> = (0..old.len().min(new.len()))
        .filter(|line| old[*line] != new[*line])
        .collect();
    changed
        .chunk_by(|one, next| next - one <= 2 * CONTEXT + 1)
        .map(|changed| hunk(&old, &new, changed))
        .collect()
}

fn hunk(old: &[&str], new: &[&str], changed: &[usize]) -> DiffHunk {
    let start = changed[0].saturating_sub(CONTEXT);
    let end = (changed[changed.len() - 1] + 1 + CONTEXT).min(old.len());
    let mut lines = vec![];
    let mut next = start;
    for run in changed.chunk_by(|one, next| next - one == 1) {
        let run = run[0]..run[run.len() - 1] + 1;
        push_lines(&mut lines, ' ', &old[next..run.start]);
        push_lines(&mut lines, '-', &old[run.clone()]);
        push_lines(&mut lines, '+', &new[run.clone()]);
        next = run.end;
    }
    push_lines(&mut lines, ' ', &old[next..end]);
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (first, length) = (number(start + 1), number(end - start));
    DiffHunk {
        old_start: first,
        old_lines: length,
        new_start: first,
        new_lines: length,
        lines,
    }
}

fn push_lines(shown: &mut Vec<String>, sign: char, lines: &[&str]) {
    for line in lines {
        let content = line.strip_suffix('\n');
        let signed = format!("{sign}{}", content.unwrap_or(line));
        shown.push(if signed.len() > LONGEST_LINE {
            shortened(&signed)
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

    /// A patch that git can apply.
    fn patch(path: &str, old: &str, new: &str) -> String {
        let mut text = String::new();
        for hunk in hunks(old, new) {
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
        assert!(compared > 100, "{compared}");
    }
}
