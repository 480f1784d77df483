//! Compares walks with those of git itself, if it is installed, over random trees and rules.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::*;

const ROUNDS: u64 = 150;

const NAMES: &[&str] = &[
    "a", "b", "ab", "abc", "a b", "a ", "foo", "foobar", "foo.log", "x.o", "[x]", "x-1", "#h",
    "!n", "A", "é", ".hid", "a*b", "9", "{a,b}", "a\\b",
];

/// The pieces that patterns are made of.
const PIECES: &[&str] = &[
    "*",
    "*",
    "**",
    "***",
    "?",
    "/",
    "/",
    "/",
    "**/",
    "/**",
    "/**/",
    "a",
    "b",
    "ab",
    "foo",
    ".log",
    ".o",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-f]",
    "[[:alpha:]]",
    "[[:digit:][:upper:]]",
    "[[:bad:]]",
    "[]x]",
    "[a/b]",
    "\\*",
    "\\!",
    "\\#",
    "\\",
    " ",
    "\\ ",
    "[",
    "]",
    "-",
    "x",
    "é",
    "{a,b}",
    "A",
    "9",
    "c",
];

/// A pseudo-random generator that gives the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    fn pattern(&mut self) -> String {
        let start = ["", "", "", "", "!", "!", "/", "#"][self.below(8)];
        // Names, or two names joined by a piece, match more often than pieces alone.
        let middle: String = match self.below(3) {
            0 => (0..=self.below(2))
                .map(|_| self.pick(NAMES))
                .collect::<Vec<_>>()
                .join("/"),
            1 => format!(
                "{}{}{}",
                self.pick(NAMES),
                self.pick(PIECES),
                self.pick(NAMES)
            ),
            _ => (0..=self.below(5)).map(|_| self.pick(PIECES)).collect(),
        };
        let end = ["", "", "", "", "/", "\r", " ", "\t"][self.below(8)];
        format!("{start}{middle}{end}")
    }

    fn rules(&mut self) -> String {
        (0..=self.below(8)).map(|_| self.pattern() + "\n").collect()
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("HOME", "/nonexistent")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output.stdout)
}

#[cfg(unix)]
#[test]
fn odd_rules_ignore_the_same_files_as_git() {
    let mut random = Random(7);
    let tree = tempfile::tempdir().expect("a directory");
    let top = tree.path();
    if git(top, &["init", "-q"]).is_none() {
        return;
    }
    let mut folders = vec![String::new()];
    for _ in 0..25 {
        let folder = format!(
            "{}{}/",
            folders[random.below(folders.len())],
            random.pick(NAMES)
        );
        fs::create_dir_all(top.join(&folder)).expect("made");
        folders.push(folder);
    }
    for _ in 0..250 {
        let path = top.join(format!(
            "{}{}",
            folders[random.below(folders.len())],
            random.pick(NAMES)
        ));
        if !path.exists() {
            fs::write(path, "").expect("written");
        }
    }
    let tracked = git(top, &["ls-files", "-zo"]).expect("git");
    let tracked: Vec<_> = tracked
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .collect();
    for path in tracked.iter().step_by(9) {
        git(
            top,
            &[
                "add",
                "-f",
                "--",
                &format!(":(literal){}", str::from_utf8(path).expect("UTF-8")),
            ],
        );
    }
    for round in 0..ROUNDS {
        let mut written = vec![
            (".git/info/exclude".to_owned(), random.rules()),
            (".gitignore".to_owned(), random.rules()),
        ];
        for _ in 0..4 {
            written.push((
                format!("{}.gitignore", folders[random.below(folders.len())]),
                random.rules(),
            ));
        }
        for (path, text) in &written {
            fs::write(top.join(path), text).expect("written");
        }
        let shown = git(top, &["ls-files", "-zco", "--exclude-standard"]).expect("git");
        let by_git: BTreeSet<_> = String::from_utf8(shown)
            .expect("UTF-8")
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect();
        let by_us: BTreeSet<_> = listed(top, &rules(&[], &[])).into_iter().collect();
        let differing: Vec<_> = by_git.symmetric_difference(&by_us).collect();
        assert!(
            differing.is_empty(),
            "round {round}: {differing:?} (of git {}) by {written:?}",
            by_git.len()
        );
        for (path, _) in &written[1..] {
            let _ = fs::remove_file(top.join(path));
        }
    }
}
