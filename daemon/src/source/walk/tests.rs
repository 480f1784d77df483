//! The walk over real trees.

use std::fs;

use super::*;

fn listed(root: &Path, rules: &Rules) -> Vec<String> {
    let mut paths: Vec<_> =
        walk(root, rules, Scope::Everything, &Cancel::default(), &|_| {}).files.into_iter().map(|file| file.path).collect();
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
}

#[test]
fn products_are_left_out_where_no_ignore_file_speaks() {
    let tree = tree(&[("src/a.rs", ""), ("a.pyc", ""), ("target/a.rs", ""), ("web/node_modules/b.js", "")]);
    assert_eq!(listed(tree.path(), &rules(&[], &[])), ["src/a.rs"]);
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
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .expect("a pipe");
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
