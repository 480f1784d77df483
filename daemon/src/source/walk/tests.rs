//! The walk over real trees.

#[expect(clippy::disallowed_methods, reason = "git itself says what it ignores")]
mod against_git;

use std::fs;

use super::*;
use crate::source::git_index::tests::index;

fn listed(root: &Path, rules: &Rules) -> Vec<String> {
    let mut paths: Vec<_> = walk(
        root,
        rules,
        Scope::Everything,
        &CancelToken::default(),
        &|_| {},
    )
    .files
    .into_iter()
    .map(|file| file.path)
    .collect();
    paths.sort();
    paths
}

fn rules(include: &[&str], exclude: &[&str]) -> Rules {
    Rules {
        include: Globs::new(include).expect("globs"),
        exclude: Globs::new(exclude).expect("globs"),
    }
}

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = scratch.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    scratch
}

#[test]
fn ignore_rules_of_every_level_apply() {
    let tree = tree(&[
        (".gitignore", "*.log\n/out/\n"),
        (".git/config", "[core]\n"),
        (".git/info/exclude", "private.txt\n"),
        (".claudevilignore", "huge/\n"),
        (".github/ci.yml", "on: push\n"),
        ("a.log", ""),
        ("out/a.rs", ""),
        ("private.txt", ""),
        ("huge/a.rs", ""),
        ("src/a.rs", ""),
        ("src/.gitignore", "generated.rs\n!keep.log\n"),
        ("src/generated.rs", ""),
        ("src/keep.log", ""),
        ("nested/.git/HEAD", "ref: refs/heads/main\n"),
        ("nested/b.rs", ""),
        ("target/kept.rs", ""),
    ]);
    assert_eq!(
        listed(tree.path(), &rules(&[], &[])),
        [
            ".claudevilignore",
            ".github/ci.yml",
            ".gitignore",
            "nested/b.rs",
            "src/.gitignore",
            "src/a.rs",
            "src/keep.log",
            "target/kept.rs"
        ]
    );
    let mut alone = folders(tree.path(), &rules(&[], &[]), &CancelToken::default());
    alone.sort();
    assert_eq!(alone, ["", ".github", "nested", "src", "target"]);
}

#[test]
fn build_products_are_ignored_without_an_ignore_file() {
    let tree = tree(&[
        ("src/a.rs", ""),
        ("a.pyc", ""),
        ("target/a.rs", ""),
        ("web/node_modules/b.js", ""),
    ]);
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
}

#[test]
fn temporary_files_of_a_replacement_are_not_listed() {
    let tree = tree(&[
        ("a/.claudevil-1f-0.tmp", ""),
        ("a/.claudevil-1f-0.third.tmp", ""),
        ("a/.claudevil-x", ""),
        ("a/b.tmp", ""),
    ]);
    assert_eq!(
        listed(tree.path(), &rules(&[], &[])),
        ["a/.claudevil-x", "a/b.tmp"]
    );
}

#[test]
fn notes_are_listed_whatever_git_ignores() {
    let notes = [
        (".claudevil/memories/a.md", ""),
        (".claudevil/memories/.claudevil-1-0.tmp", ""),
        (".claudevil/memories/plans/b.md", ""),
        (".claudevil/memories/plans/earlier/b.md", ""),
        (".claudevil/else.md", ""),
    ];
    let kept = [".claudevil/memories/a.md", ".claudevil/memories/plans/b.md"];
    let all = rules(&[], &[]);
    let plain = tree(&notes);
    assert_eq!(
        listed(plain.path(), &all),
        [&[".claudevil/else.md"], &kept[..]].concat()
    );
    let ignored = tree(&notes);
    fs::write(
        ignored.path().join(".gitignore"),
        "/.claudevil\n.gitignore\n",
    )
    .expect("written");
    assert_eq!(listed(ignored.path(), &all), kept);
    let folders = walk(
        ignored.path(),
        &all,
        Scope::Everything,
        &CancelToken::default(),
        &|_| {},
    )
    .folders;
    assert!(
        folders
            .iter()
            .any(|folder| folder == ".claudevil/memories/plans"),
        "watched: {folders:?}"
    );
    assert_eq!(
        listed(ignored.path(), &rules(&[], &["plans"])),
        kept[..1],
        "the root's own globs count"
    );
    fs::write(
        ignored.path().join(".claudevilignore"),
        ".claudevil/\n.claudevilignore\n",
    )
    .expect("written");
    assert!(
        listed(ignored.path(), &all).is_empty(),
        "and so does our own ignore file"
    );
}

#[test]
fn includes_and_excludes_restrict_a_root() {
    let tree = tree(&[
        ("src/a.rs", ""),
        ("src/a.gen.rs", ""),
        ("docs/a.md", ""),
        ("other/x.rs", ""),
    ]);
    assert_eq!(
        listed(tree.path(), &rules(&["src", "*.md"], &["*.gen.rs"])),
        ["docs/a.md", "src/a.rs"]
    );
}

fn everything(root: &Path) -> WalkResult {
    walk(
        root,
        &rules(&[], &[]),
        Scope::Everything,
        &CancelToken::default(),
        &|_| {},
    )
}

#[cfg(unix)]
#[test]
fn an_unusable_ignore_file_is_reported_and_the_others_apply() {
    let tree = tree(&[
        ("rules", "*.rs\n"),
        ("a.rs", ""),
        ("a.log", ""),
        (".ignore", "*.log\n"),
        ("pipe/b.rs", ""),
        ("pipe/b.log", ""),
        ("zero/c.rs", ""),
        ("large/d.rs", ""),
        ("globs/e.rs", ""),
        ("folder/.gitignore/f.rs", ""),
        ("target/g.rs", ""),
    ]);
    let top = tree.path();
    std::os::unix::fs::symlink("rules", top.join(".gitignore")).expect("linked");
    let pipe = top.join("pipe/.gitignore");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    std::os::unix::fs::symlink("/dev/zero", top.join("zero/.ignore")).expect("linked");
    fs::write(top.join("large/.gitignore"), "*.rs\n".repeat(300_000)).expect("written");
    fs::write(top.join("globs/.claudevilignore"), "*.r?\n".repeat(5000)).expect("written");
    let expected = [
        ".ignore",
        "a.rs",
        "folder/.gitignore/f.rs",
        "globs/.claudevilignore",
        "globs/e.rs",
        "large/.gitignore",
        "large/d.rs",
        "pipe/b.rs",
        "rules",
        "target/g.rs",
        "zero/c.rs",
    ];
    assert_eq!(listed(top, &rules(&[], &[])), expected);
    let walked = everything(top);
    assert!(walked.unreadable.is_empty(), "{walked:?}");
    assert_eq!(
        walked.unused_rules,
        [
            ".gitignore (a symbolic link, which is not followed, as in git)",
            "globs/.claudevilignore (with the ignore files above it, more than 2,048 patterns with wildcards)",
            "large/.gitignore (larger than 1 MB)",
            "pipe/.gitignore (not a regular file)",
            "zero/.ignore (a symbolic link, which is not followed, as in git)",
        ]
    );
    // The root's own rules are not used, so the root counts as one without an ignore file.
    fs::remove_file(top.join(".ignore")).expect("removed");
    assert!(!listed(top, &rules(&[], &[])).contains(&"target/g.rs".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_linked_exclude_file_is_followed_and_cannot_hang_the_walk() {
    let tree = tree(&[
        ("project/a.rs", ""),
        ("project/b.log", ""),
        ("rules", "*.log\n"),
    ]);
    let (top, info) = (
        tree.path().join("project"),
        tree.path().join("project/.git/info"),
    );
    fs::create_dir_all(&info).expect("made");
    std::os::unix::fs::symlink("../../../rules", info.join("exclude")).expect("linked");
    assert_eq!(listed(&top, &rules(&[], &[])), ["a.rs"]);
    for (target, why) in [
        ("/dev/zero", "not a regular file"),
        ("../../../pipe", "not a regular file"),
    ] {
        let _ = fs::remove_file(tree.path().join("pipe"));
        let pipe = tree.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        fs::remove_file(info.join("exclude")).expect("removed");
        std::os::unix::fs::symlink(target, info.join("exclude")).expect("linked");
        assert_eq!(listed(&top, &rules(&[], &[])), ["a.rs", "b.log"]);
        assert_eq!(
            everything(&top).unused_rules,
            [format!(".git/info/exclude ({why})")]
        );
    }
}

#[test]
fn tracked_files_are_exempt_from_git_rules_alone() {
    let tree = tree(&[
        (".gitignore", "*.log\nout/\n"),
        ("a.log", ""),
        ("sub/.ignore", "b.log\nleft/\n"),
        ("sub/b.log", ""),
        ("sub/c.log", ""),
        ("sub/left/d.rs", ""),
        ("out/.claudevilignore", "e.rs\n"),
        ("out/e.rs", ""),
        ("out/f.rs", ""),
        ("deep/er/.claudevilignore", "*\n!kept.rs\n"),
        ("deep/er/g.rs", ""),
        ("deep/er/kept.rs", ""),
    ]);
    let tracked = [
        "a.log",
        "deep/er/g.rs",
        "deep/er/kept.rs",
        "out/e.rs",
        "out/f.rs",
        "sub/b.log",
        "sub/c.log",
    ];
    let entries: Vec<_> = tracked
        .into_iter()
        .chain(["sub/left/d.rs"])
        .map(|path| (path, 0o100_644))
        .collect();
    fs::create_dir(tree.path().join(".git")).expect("made");
    fs::write(tree.path().join(".git/index"), index(&entries, 2)).expect("written");
    let expected = [
        ".gitignore",
        "a.log",
        "deep/er/kept.rs",
        "out/f.rs",
        "sub/.ignore",
        "sub/c.log",
    ];
    assert_eq!(listed(tree.path(), &rules(&[], &[])), expected);
    assert_eq!(
        tracked_files_except(tree.path(), &rules(&[], &[]), |_| false),
        ["a.log", "deep/er/kept.rs", "out/f.rs", "sub/c.log"]
    );
}

#[test]
fn rules_above_the_root_apply_within_the_repository() {
    let tree = tree(&[
        (".gitignore", "*.log\n"),
        (".ignore", "*.tmp\n"),
        ("repo/.git/HEAD", ""),
        ("repo/.gitignore", "/sub/gen/\n*.o\n"),
        ("repo/sub/a.log", ""),
        ("repo/sub/a.o", ""),
        ("repo/sub/a.tmp", ""),
        ("repo/sub/a.rs", ""),
        ("repo/sub/gen/b.rs", ""),
    ]);
    let names = listed(&tree.path().join("repo/sub"), &rules(&[], &[]));
    assert_eq!(
        names,
        ["a.log", "a.rs"],
        "those of the repository, and no `.gitignore` above it"
    );
}

#[test]
fn many_rules_cost_little() {
    let path = |number: usize| format!("dir{number}/*/gen[0-9]_{number}?.rs\n");
    let large: String = (0..32_000).map(path).collect();
    let each: String = (0..2600)
        .map(|number| format!("name{number}/of/a/thing\n"))
        .collect();
    let mut files = vec![
        (".gitignore".to_owned(), large),
        ("a.rs".to_owned(), String::new()),
    ];
    let mut folder = String::new();
    for number in 0..200 {
        folder = if number % 20 == 0 {
            format!("n{number}")
        } else {
            format!("{folder}/n{number}")
        };
        files.push((format!("{folder}/.gitignore"), each.clone()));
        files.push((format!("{folder}/a.rs"), String::new()));
    }
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    assert!(
        files[0].1.len() > 900_000 && files[2].1.len() > 50_000,
        "{} {}",
        files[0].1.len(),
        files[2].1.len()
    );
    let tree = tree(&files);
    let started = std::time::Instant::now();
    let walked = everything(tree.path());
    let took = started.elapsed();
    assert_eq!(walked.files.len(), 402, "{:?}", walked.unused_rules);
    assert_eq!(walked.unused_rules.len(), 1, "{:?}", walked.unused_rules);
    // An optimised build takes a second; an unoptimised one on a busy machine takes many times as long.
    assert!(took < std::time::Duration::from_secs(15), "{took:?}");
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed() {
    let tree = tree(&[("src/a.rs", "")]);
    std::os::unix::fs::symlink("..", tree.path().join("src/loop")).expect("linked");
    std::os::unix::fs::symlink("/etc/hostname", tree.path().join("outside")).expect("linked");
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
}

/// Lists every path of a tree, including ignored paths and those of git.
#[expect(clippy::disallowed_methods, reason = "to compare with a walk")]
fn everything_in(folder: &Path, top: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        paths.push(relative(&entry.path(), top).expect("UTF-8"));
        if entry.file_type().expect("a kind").is_dir() {
            everything_in(&entry.path(), top, paths);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_partial_walk_uses_the_rules_of_the_whole() {
    let ruled = tree(&[
        (".gitignore", "*.log\n/out/\n!/out/kept\n/.claudevil/\n"),
        (".claudevil/memories/a.md", ""),
        (".claudevil/memories/a.txt", ""),
        (".claudevil/memories/plans/b.md", ""),
        (".claudevil/memories/plans/earlier/b.md", ""),
        (".claudevil/else/c.md", ""),
        (".git/info/exclude", "private*\n"),
        (".claudevilignore", "huge/\n"),
        ("a.log", ""),
        ("out/a.rs", ""),
        ("out/deep/tracked.rs", ""),
        ("out/deep/untracked.rs", ""),
        ("private.txt", ""),
        ("private/a.rs", ""),
        ("huge/a.rs", ""),
        ("huge/tracked.rs", ""),
        ("src/a.rs", ""),
        ("src/a.gen.rs", ""),
        (
            "src/.gitignore",
            "generated.rs\n!keep.log\n/only/*\n!/only/this\n",
        ),
        ("src/generated.rs", ""),
        ("src/keep.log", ""),
        ("src/only/this", ""),
        ("src/only/that", ""),
        ("src/deep/er/a.rs", ""),
        ("src/deep-er/a.rs", ""),
        ("nested/.git/HEAD", ""),
        ("nested/b.rs", ""),
        ("hostile/b.rs", ""),
        ("target/kept.rs", ""),
    ]);
    let top = ruled.path();
    let tracked = [
        ("huge/tracked.rs", 0o100_644),
        ("out/deep/tracked.rs", 0o100_644),
        ("src/a.rs", 0o100_644),
    ];
    fs::write(top.join(".git/index"), index(&tracked, 2)).expect("written");
    std::os::unix::fs::symlink("/dev/zero", top.join("hostile/.ignore")).expect("linked");
    std::os::unix::fs::symlink("src", top.join("link")).expect("linked");
    let bare = tree(&[
        ("src/a.rs", ""),
        ("a.pyc", ""),
        ("target/a.rs", ""),
        ("web/node_modules/b/c.js", ""),
    ]);
    let (everything, narrowed) = (
        rules(&[], &[]),
        rules(&["src", "*.rs"], &["*.gen.rs", "deep"]),
    );

    for (top, rules) in [
        (top, &everything),
        (top, &narrowed),
        (bare.path(), &everything),
    ] {
        let walked = |scope: Scope| {
            let walked = walk(top, rules, scope, &CancelToken::default(), &|_| {});
            let files: BTreeSet<String> = walked.files.into_iter().map(|file| file.path).collect();
            (files, walked.folders.into_iter().collect::<BTreeSet<_>>())
        };
        let (files, folders) = walked(Scope::Everything);
        assert!(!files.is_empty() && folders.contains(""));
        let mut paths: Vec<_> = ["gone", "src/gone/a.rs", "link/a.rs", "../x", "/etc"]
            .map(str::to_owned)
            .into();
        everything_in(top, top, &mut paths);
        for path in &paths {
            let is_in = |other: &&String| *other == path || other.starts_with(&format!("{path}/"));
            let (found, entered) = walked(Scope::Only(&BTreeSet::from([path.clone()])));
            assert_eq!(
                found,
                files.iter().filter(is_in).cloned().collect(),
                "{path}"
            );
            let expected: BTreeSet<_> = folders.iter().filter(is_in).cloned().collect();
            assert!(
                entered.is_superset(&expected) && entered.is_subset(&folders),
                "{path}: {entered:?}"
            );
        }
        assert_eq!(walked(Scope::Only(&paths.into_iter().collect())).0, files);
        assert_eq!(
            walked(Scope::Only(&BTreeSet::from([String::new()]))),
            (files, folders)
        );
    }
}

#[test]
fn a_worktree_has_its_own_index_and_the_common_excludes() {
    let tree = tree(&[
        ("main/.git/info/exclude", "private*\n"),
        ("main/.git/worktrees/topic/commondir", "../..\n"),
        ("topic/.git", "gitdir: ../main/.git/worktrees/topic\n"),
        ("topic/.gitignore", "*.log\n"),
        ("topic/a.log", ""),
        ("topic/b.log", ""),
        ("topic/private.rs", ""),
        ("topic/c.rs", ""),
    ]);
    let (top, git) = (
        tree.path().join("topic"),
        tree.path().join("main/.git/worktrees/topic"),
    );
    fs::write(git.join("index"), index(&[("a.log", 0o100_644)], 2)).expect("written");
    // Without the `gitdir` that names the worktree in turn, the git folder is not trusted.
    assert_eq!(
        listed(&top, &rules(&[], &[])),
        [".gitignore", "c.rs", "private.rs"]
    );
    fs::write(
        git.join("gitdir"),
        top.join(".git").to_str().expect("UTF-8"),
    )
    .expect("written");
    assert_eq!(
        listed(&top, &rules(&[], &[])),
        [".gitignore", "a.log", "c.rs"]
    );
}
