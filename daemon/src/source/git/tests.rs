//! Compares results with those of git itself, if it is installed.

#[cfg(unix)]
mod hostile;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::*;
use crate::source::globs::Globs;
use crate::source::walk::{Rules, Scope, walk};

struct World {
    scratch: TempDir,
    top: PathBuf,
}

fn run(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let home = folder
        .ancestors()
        .last()
        .expect("a root")
        .join("nonexistent");
    Command::new("git")
        .args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(folder)
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let ran = run(folder, arguments).expect("git");
    assert!(
        ran.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).expect("UTF-8")
}

fn put(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, text).expect("written");
}

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

impl World {
    /// Returns `None` on a machine without git.
    fn new() -> Option<Self> {
        let scratch = tempfile::tempdir().expect("a directory");
        let top = fs::canonicalize(scratch.path()).expect("real").join("repo");
        fs::create_dir(&top).expect("made");
        run(&top, &["init", "-q", "-b", "main"])?;
        Some(Self { scratch, top })
    }

    fn commit(&self, message: &str) {
        git(&self.top, &["add", "-A"]);
        git(&self.top, &["commit", "-q", "-m", message]);
    }

    /// A history: `first`, then `second` on main, and `side` that left at `first`.
    fn with_history() -> Option<Self> {
        let world = Self::new()?;
        put(&world.top, "a.txt", lines(20));
        put(&world.top, "sub/b.txt", lines(10));
        put(&world.top, "sub/deep/c.txt", "only\n");
        put(&world.top, "gone.txt", "1\n2\n");
        put(&world.top, "image.bin", b"\0\x01");
        world.commit("first");
        git(&world.top, &["tag", "-a", "v1", "-m", "one"]);
        git(&world.top, &["switch", "-q", "-c", "side"]);
        put(&world.top, "side.txt", "aside\n");
        put(
            &world.top,
            "a.txt",
            lines(20).replace("line 20\n", "last\n"),
        );
        world.commit("aside");
        git(&world.top, &["switch", "-q", "main"]);
        put(
            &world.top,
            "a.txt",
            lines(20)
                .replace("line 3\n", "line three\nand a half\n")
                .replace("line 9\n", ""),
        );
        fs::remove_file(world.top.join("gone.txt")).expect("removed");
        put(&world.top, "image.bin", b"\0\x02");
        put(&world.top, "sub/new.txt", "new\n");
        world.commit("second");
        Some(world)
    }

    fn diff(&self, spec: Option<&str>) -> Diff {
        diff(&self.top, spec)
    }
}

fn known(root: &Path) -> Vec<String> {
    let none = || Globs::new::<&str>(&[]).expect("none");
    let rules = Rules {
        include: none(),
        exclude: none(),
    };
    let walked = walk(
        root,
        &rules,
        Scope::Everything,
        &CancelToken::default(),
        &|_| {},
    );
    walked.files.into_iter().map(|file| file.path).collect()
}

fn diff(root: &Path, spec: Option<&str>) -> Diff {
    let known = known(root);
    let repository = Repository::open(root).expect("a repository");
    repository
        .diff(
            spec,
            known.iter().map(String::as_str),
            Bounds::default(),
            &CancelToken::default(),
        )
        .expect("compared")
}

/// Returns a line for each file, `M a.txt -3,3+3,4 …`, with the first and last lines of each hunk.
fn shown(diff: &Diff) -> Vec<String> {
    let show = |file: &FileDiff| {
        let mut text = format!(
            "{} {}",
            format!("{:?}", file.kind).chars().next().expect("a letter"),
            file.path
        );
        for Hunk { old, new } in &file.hunks {
            text += &format!(" -{},{}+{},{}", old.first, old.last, new.first, new.last);
        }
        text
    };
    diff.files.iter().map(show).collect()
}

/// Returns the same from git's own diff.
fn run_git(root: &Path, arguments: &[&str]) -> Vec<String> {
    let options = [
        "diff",
        "--no-renames",
        "-U0",
        "--histogram",
        "--relative",
        "--no-ext-diff",
        "--no-color",
    ];
    let text = git(root, &[&options, arguments].concat());
    let mut files: Vec<String> = vec![];
    for section in text.split("diff --git ").skip(1) {
        if section.contains("\nBinary files ")
            || !section.contains("\n@@ ") && !section.contains(" file mode ")
        {
            continue;
        }
        let path = section
            .lines()
            .next()
            .and_then(|line| line.split_once(" b/"))
            .expect("a path")
            .1;
        let kind = match section {
            _ if section.contains("\nnew file mode") => "A",
            _ if section.contains("\ndeleted file mode") => "D",
            _ => "M",
        };
        let mut text = format!("{kind} {path}");
        for line in section.lines().filter_map(|line| line.strip_prefix("@@ ")) {
            let mut spans = line.split(' ').take(2).map(|span| {
                let (start, count) = span[1..].split_once(',').unwrap_or((&span[1..], "1"));
                let (start, count): (u32, u32) = (
                    start.parse().expect("a number"),
                    count.parse().expect("a number"),
                );
                // For an empty range git names the line before it.
                if count == 0 {
                    format!("{},{start}", start + 1)
                } else {
                    format!("{start},{}", start + count - 1)
                }
            });
            text += &format!(
                " -{}+{}",
                spans.next().expect("old"),
                spans.next().expect("new")
            );
        }
        files.push(text);
    }
    files.sort_by_key(|file| file[2..].split(' ').next().map(str::to_owned));
    files
}

#[test]
fn the_working_tree_is_compared_with_head() {
    let Some(world) = World::with_history() else {
        return;
    };
    let top = &world.top;
    put(top, ".gitignore", "*.log\n");
    world.commit("third");
    assert_eq!(world.diff(None).files, []);
    put(top, "noise.log", "ignored\n");
    put(top, "staged.txt", "s\n");
    put(top, "a.txt", lines(20).replace("line 1\n", "first\n"));
    git(top, &["add", "staged.txt", "a.txt"]);
    // Once more, and with as many bytes as were staged.
    put(top, "a.txt", lines(20).replace("line 1\n", "fIrst\n"));
    put(top, "sub/b.txt", lines(10).replace("line 5\n", ""));
    fs::remove_file(top.join("sub/deep/c.txt")).expect("removed");
    git(top, &["rm", "-q", "--cached", "sub/new.txt"]);
    put(top, "image.bin", b"\0\x03");
    let mut expected = run_git(top, &["HEAD"]);
    // Git's diff leaves out files that it does not track, and takes a file that it no longer tracks for deleted.
    expected.retain(|file| !file.contains("sub/new.txt"));
    let found = world.diff(None);
    assert_eq!(shown(&found), expected);
    assert_eq!(
        found.skipped,
        SkippedFiles {
            binary: 1,
            ..SkippedFiles::default()
        }
    );
    assert_eq!(
        found.old,
        Some(git(top, &["rev-parse", "HEAD"]).trim().to_owned())
    );
    assert_eq!(
        expected.iter().filter(|file| file.starts_with('M')).count(),
        2,
        "{expected:?}"
    );

    put(top, "sub/untracked.txt", "1\n2\n");
    put(top, "empty.txt", "");
    put(&top.join("nested"), "theirs.txt", "x\n");
    run(&top.join("nested"), &["init", "-q"]).expect("git");
    let found = shown(&world.diff(None));
    assert!(
        found.contains(&"A sub/untracked.txt -1,0+1,2".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"A empty.txt".to_owned()), "{found:?}");
    assert_eq!(found.len(), expected.len() + 2, "{found:?}");
    // A folder of the repository as a root.
    let found = shown(&diff(&top.join("sub"), None));
    assert_eq!(
        found,
        [
            "M b.txt -5,5+5,4",
            "D deep/c.txt -1,1+1,0",
            "A untracked.txt -1,0+1,2"
        ]
    );
}

#[test]
fn ranges_of_commits_match_git_with_loose_and_packed_objects() {
    let Some(world) = World::with_history() else {
        return;
    };
    let top = &world.top;
    put(top, "sub/b.txt", lines(10).replace("line 10\n", "ten"));
    for packed in [false, true] {
        if packed {
            git(top, &["gc", "-q"]);
            assert!(top.join(".git/packed-refs").exists());
        }
        let full = git(top, &["rev-parse", "v1^{commit}"]).trim().to_owned();
        let specs = [
            "v1",
            "HEAD~1",
            "v1..main",
            "main..v1",
            "side..main",
            "side...main",
            "main...side",
            "..side",
            "HEAD^..",
            &full[..8],
        ];
        for spec in specs {
            let found = world.diff(Some(spec));
            let expected = run_git(top, &[spec]);
            assert!(!expected.is_empty(), "{spec}");
            assert_eq!(shown(&found), expected, "{spec}");
            assert_eq!(
                shown(&diff(&top.join("sub"), Some(spec))),
                run_git(&top.join("sub"), &[spec]),
                "{spec} of a folder"
            );
        }
        let found = world.diff(Some("v1..main"));
        assert_eq!(
            (found.old.as_deref(), found.skipped.binary),
            (Some(full.as_str()), 1)
        );
        assert_eq!(
            found.new,
            Some(git(top, &["rev-parse", "main"]).trim().to_owned())
        );
    }
}

#[test]
fn files_that_cannot_be_compared_are_counted_or_refused() {
    let Some(world) = World::with_history() else {
        return;
    };
    let repository = Repository::open(&world.top).expect("a repository");
    let fails = |spec: &str| {
        repository
            .diff(Some(spec), [], Bounds::default(), &CancelToken::default())
            .expect_err(spec)
            .to_string()
    };
    for (spec, named) in [
        ("nosuch", "nosuch"),
        ("main..nosuch", "nosuch"),
        ("nosuch...main", "nosuch"),
        ("", ""),
        (":/first", ":/first"),
        ("HEAD^{/first}", "HEAD^{/first}"),
        ("HEAD~99", "HEAD~99"),
        ("^HEAD", "^HEAD"),
        ("HEAD:a.txt", "HEAD:a.txt"),
        ("--output=x", "--output=x"),
    ] {
        let error = fails(spec);
        assert!(
            error.starts_with(&format!("unknown revision `{named}`: ")),
            "{spec}: {error}"
        );
    }
    git(&world.top, &["switch", "-q", "--orphan", "alone"]);
    put(&world.top, "x", "x\n");
    world.commit("alone");
    assert!(fails("main...alone").contains("no commit in common"));
    let outside = world.scratch.path().join("plain");
    fs::create_dir(&outside).expect("made");
    let error = Repository::open(&outside).err().expect("none").to_string();
    assert!(error.ends_with("is not in a git repository"), "{error}");
}

#[test]
fn a_repository_without_commits_has_only_new_files() {
    let Some(world) = World::new() else { return };
    put(&world.top, "a", "1\n");
    put(&world.top, "b", "2\n");
    git(&world.top, &["add", "a"]);
    let found = world.diff(None);
    assert_eq!(shown(&found), ["A a -1,0+1,1", "A b -1,0+1,1"]);
    assert_eq!(found.old, None);
    let head = Repository::open(&world.top)
        .expect("a repository")
        .head()
        .expect("a head");
    assert_eq!((head.branch.as_deref(), head.commit), (Some("main"), None));
}

#[test]
fn worktrees_and_submodules_are_repositories() {
    let Some(world) = World::with_history() else {
        return;
    };
    let tree = world.scratch.path().join("tree");
    let tree = fs::canonicalize(world.scratch.path())
        .expect("real")
        .join(tree.file_name().expect("a name"));
    git(
        &world.top,
        &[
            "worktree",
            "add",
            "-q",
            tree.to_str().expect("UTF-8"),
            "side",
        ],
    );
    put(&tree, "side.txt", "changed\n");
    assert_eq!(shown(&diff(&tree, None)), ["M side.txt -1,1+1,1"]);
    assert_eq!(
        shown(&diff(&tree, Some("main...side"))),
        run_git(&tree, &["main...side"])
    );
    let head = Repository::open(&tree)
        .expect("a repository")
        .head()
        .expect("a head");
    assert_eq!(head.branch.as_deref(), Some("side"));
    assert_eq!(
        head.commit,
        Some(git(&tree, &["rev-parse", "HEAD"]).trim().to_owned())
    );

    git(
        &world.top,
        &[
            "submodule",
            "--quiet",
            "add",
            tree.to_str().expect("UTF-8"),
            "lib",
        ],
    );
    world.commit("with a submodule");
    let lib = world.top.join("lib");
    put(&lib, "side.txt", "in the submodule\n");
    put(&lib, "more.txt", "1\n");
    assert_eq!(
        shown(&diff(&lib, None)),
        ["A more.txt -1,0+1,1", "M side.txt -1,1+1,1"]
    );
    // Nothing in the submodule is a change of the repository around it.
    assert_eq!(world.diff(None).files, []);
    // A folder that claims the git folder of another.
    let thief = world.scratch.path().join("thief");
    put(
        &thief,
        ".git",
        format!(
            "gitdir: {}\n",
            world.top.join(".git/worktrees/tree").display()
        ),
    );
    let error = Repository::open(&fs::canonicalize(thief).expect("real"))
        .err()
        .expect("refused")
        .to_string();
    assert!(error.contains("git would not use"), "{error}");
}

#[test]
fn work_is_bounded() {
    let Some(world) = World::with_history() else {
        return;
    };
    let repository = Repository::open(&world.top).expect("a repository");
    let all = world.diff(Some("v1..main"));
    let with = |bounds| {
        repository
            .diff(Some("v1..main"), [], bounds, &CancelToken::default())
            .expect("compared")
    };
    let few = with(Bounds {
        files: 1,
        ..Bounds::default()
    });
    assert_eq!(
        (few.files.len(), few.skipped.beyond + few.skipped.binary),
        (1, all.files.len())
    );
    let little = with(Bounds {
        bytes: 1,
        ..Bounds::default()
    });
    assert_eq!(little.files.len() + little.skipped.binary, 1);
    let small = with(Bounds {
        largest_file: 10,
        ..Bounds::default()
    });
    assert_eq!(
        (small.skipped.large, small.files.len()),
        (1, all.files.len() - 1)
    );
    let cancel = CancelToken::default();
    drop(cancel.on_drop());
    for spec in [None, Some("v1..main")] {
        assert!(matches!(
            repository.diff(spec, [], Bounds::default(), &cancel),
            Err(GitError::Cancelled)
        ));
    }
}

#[test]
fn sparse_and_converted_files_are_no_change() {
    let Some(world) = World::with_history() else {
        return;
    };
    put(&world.top, ".gitattributes", "sub/b.txt text eol=crlf\n");
    world.commit("line ends");
    fs::remove_file(world.top.join("sub/b.txt")).expect("removed");
    git(&world.top, &["checkout", "-q", "sub/b.txt"]);
    assert!(
        fs::read_to_string(world.top.join("sub/b.txt"))
            .expect("read")
            .contains("\r\n")
    );
    let text = lines(10).replace("line 2", "two").replace('\n', "\r\n");
    put(&world.top, "sub/b.txt", text);
    assert_eq!(shown(&world.diff(None)), ["M sub/b.txt -2,2+2,2"]);
    git(&world.top, &["checkout", "-q", "sub/b.txt"]);
    for sparse in ["--no-sparse-index", "--sparse-index"] {
        git(
            &world.top,
            &["sparse-checkout", "set", "--cone", sparse, "elsewhere"],
        );
        assert!(!world.top.join("sub/b.txt").exists());
        assert_eq!(world.diff(None).files, [], "{sparse}");
    }
    git(&world.top, &["sparse-checkout", "disable"]);
    git(&world.top, &["update-index", "--split-index"]);
    put(&world.top, "a.txt", "changed\n");
    assert_eq!(shown(&world.diff(None)), run_git(&world.top, &["HEAD"]));
    git(&world.top, &["checkout", "-q", "a.txt"]);
    // In a conflict the file is compared as it is.
    let merged = run(&world.top, &["merge", "-q", "side"]).expect("git");
    if !merged.status.success() {
        assert!(
            shown(&world.diff(None))
                .iter()
                .any(|file| file.starts_with("M a.txt"))
        );
    }
}
