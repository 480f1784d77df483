//! The walk over real trees.

use std::fs;

use super::*;
use crate::source::tracked::tests::index;

fn listed(root: &Path, rules: &Rules) -> Vec<String> {
    let mut paths: Vec<_> = walk(root, rules, Scope::Everything, &Cancel::default(), &|_| {})
        .files
        .into_iter()
        .map(|file| file.path)
        .collect();
    paths.sort();
    paths
}

fn rules(include: &[&str], exclude: &[&str]) -> Rules {
    Rules { include: Globs::new(include).expect("globs"), exclude: Globs::new(exclude).expect("globs") }
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
    let mut alone = folders(tree.path(), &rules(&[], &[]), &Cancel::default());
    alone.sort();
    assert_eq!(alone, ["", ".github", "nested", "src", "target"]);
}

#[test]
fn products_are_left_out_where_no_ignore_file_speaks() {
    let tree = tree(&[("src/a.rs", ""), ("a.pyc", ""), ("target/a.rs", ""), ("web/node_modules/b.js", "")]);
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
}

#[test]
fn what_stands_beside_a_file_while_it_is_replaced_is_left_out() {
    let tree = tree(&[
        ("a/.claudevil-1f-0.tmp", ""),
        ("a/.claudevil-1f-0.third.tmp", ""),
        ("a/.claudevil-x", ""),
        ("a/b.tmp", ""),
    ]);
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["a/.claudevil-x", "a/b.tmp"]);
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
    assert_eq!(listed(plain.path(), &all), [&[".claudevil/else.md"], &kept[..]].concat());
    let ignored = tree(&notes);
    fs::write(ignored.path().join(".gitignore"), "/.claudevil\n.gitignore\n").expect("written");
    assert_eq!(listed(ignored.path(), &all), kept);
    let folders = walk(ignored.path(), &all, Scope::Everything, &Cancel::default(), &|_| {}).folders;
    assert!(folders.iter().any(|folder| folder == ".claudevil/memories/plans"), "watched: {folders:?}");
    assert_eq!(listed(ignored.path(), &rules(&[], &["plans"])), kept[..1], "the root's own globs count");
    fs::write(ignored.path().join(".claudevilignore"), ".claudevil/\n.claudevilignore\n").expect("written");
    assert!(listed(ignored.path(), &all).is_empty(), "and so does our own ignore file");
}

#[test]
fn a_root_can_be_narrowed() {
    let tree = tree(&[("src/a.rs", ""), ("src/a.gen.rs", ""), ("docs/a.md", ""), ("other/x.rs", "")]);
    assert_eq!(listed(tree.path(), &rules(&["src", "*.md"], &["*.gen.rs"])), ["docs/a.md", "src/a.rs"]);
}

#[cfg(unix)]
#[test]
fn ignore_files_that_are_not_files_do_not_hang_the_walk() {
    let tree = tree(&[("a.rs", ""), ("sub/b.rs", ""), ("sub2/c.rs", "")]);
    let pipe = tree.path().join("sub/.gitignore");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).expect("a pipe");
    std::os::unix::fs::symlink("/dev/zero", tree.path().join("sub2/.ignore")).expect("linked");
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["a.rs"]);
    fs::rename(&pipe, tree.path().join(".gitignore")).expect("moved");
    let walked = walk(tree.path(), &rules(&[], &[]), Scope::Everything, &Cancel::default(), &|_| {});
    assert!(walked.files.is_empty() && walked.unreadable[0].contains(".gitignore"), "{walked:?}");
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed() {
    let tree = tree(&[("src/a.rs", "")]);
    std::os::unix::fs::symlink("..", tree.path().join("src/loop")).expect("linked");
    std::os::unix::fs::symlink("/etc/hostname", tree.path().join("outside")).expect("linked");
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
}

/// Every path of a tree, what is ignored and what is git's too.
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
fn a_part_is_judged_like_the_whole() {
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
        ("src/.gitignore", "generated.rs\n!keep.log\n/only/*\n!/only/this\n"),
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
    let tracked = [("huge/tracked.rs", 0o100_644), ("out/deep/tracked.rs", 0o100_644), ("src/a.rs", 0o100_644)];
    fs::write(top.join(".git/index"), index(&tracked, 2)).expect("written");
    std::os::unix::fs::symlink("/dev/zero", top.join("hostile/.ignore")).expect("linked");
    std::os::unix::fs::symlink("src", top.join("link")).expect("linked");
    let bare = tree(&[("src/a.rs", ""), ("a.pyc", ""), ("target/a.rs", ""), ("web/node_modules/b/c.js", "")]);
    let (everything, narrowed) = (rules(&[], &[]), rules(&["src", "*.rs"], &["*.gen.rs", "deep"]));

    for (top, rules) in [(top, &everything), (top, &narrowed), (bare.path(), &everything)] {
        let walked = |scope: Scope| {
            let walked = walk(top, rules, scope, &Cancel::default(), &|_| {});
            let files: BTreeSet<String> = walked.files.into_iter().map(|file| file.path).collect();
            (files, walked.folders.into_iter().collect::<BTreeSet<_>>())
        };
        let (files, folders) = walked(Scope::Everything);
        assert!(!files.is_empty() && folders.contains(""));
        let mut paths: Vec<_> = ["gone", "src/gone/a.rs", "link/a.rs", "../x", "/etc"].map(str::to_owned).into();
        everything_in(top, top, &mut paths);
        for path in &paths {
            let is_in = |other: &&String| *other == path || other.starts_with(&format!("{path}/"));
            let (found, entered) = walked(Scope::Only(&BTreeSet::from([path.clone()])));
            assert_eq!(found, files.iter().filter(is_in).cloned().collect(), "{path}");
            let expected: BTreeSet<_> = folders.iter().filter(is_in).cloned().collect();
            assert!(entered.is_superset(&expected) && entered.is_subset(&folders), "{path}: {entered:?}");
        }
        assert_eq!(walked(Scope::Only(&paths.into_iter().collect())).0, files);
        assert_eq!(walked(Scope::Only(&BTreeSet::from([String::new()]))), (files, folders));
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
    let (top, git) = (tree.path().join("topic"), tree.path().join("main/.git/worktrees/topic"));
    fs::write(git.join("index"), index(&[("a.log", 0o100_644)], 2)).expect("written");
    // Without the way back it is anybody's.
    assert_eq!(listed(&top, &rules(&[], &[])), [".gitignore", "c.rs", "private.rs"]);
    fs::write(git.join("gitdir"), top.join(".git").to_str().expect("UTF-8")).expect("written");
    assert_eq!(listed(&top, &rules(&[], &[])), [".gitignore", "a.log", "c.rs"]);
}
