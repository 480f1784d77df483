//! Repositories that are made to do harm.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{World, git, put, shown};
use crate::source::git::{GitError, Repository};

#[test]
fn nothing_is_run_and_nothing_hangs() {
    let Some(world) = World::with_history() else {
        return;
    };
    let proof = world.scratch.path().join("proof");
    let command = format!("touch {}", proof.display());
    for key in [
        "core.fsmonitor",
        "diff.external",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "core.pager",
        "core.sshCommand",
    ] {
        git(&world.top, &["config", key, &command]);
    }
    git(&world.top, &["config", "include.path", "/dev/zero"]);
    put(&world.top, ".git/config.worktree", "[extensions]\n");
    put(
        &world.top,
        ".gitattributes",
        "*.txt filter=evil diff=evil\n",
    );
    put(
        &world.top,
        ".git/hooks/post-index-change",
        format!("#!/bin/sh\n{command}\n"),
    );
    put(&world.top, "a.txt", "changed\n");
    let found = shown(&world.diff(None));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(world.diff(Some("v1..main")).files.len(), 3);
    assert!(!proof.exists(), "something was run");

    let git_dir = world.top.join(".git");
    let pipe = |path: &Path| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
    };
    // A folder that git has not made: the ids of commits, and so the folders of objects, depend on the time.
    let folder = (0..=u8::MAX)
        .map(|first| format!("objects/{first:02x}"))
        .find(|folder| !git_dir.join(folder).exists());
    for bad in [
        "refs/heads/pipe",
        folder.as_deref().expect("few objects"),
        "packed-refs",
        "config.worktree",
        "shallow",
        "logs/HEAD2",
        "objects/pack/x.idx",
    ] {
        let path = git_dir.join(bad);
        let _ = fs::remove_file(&path);
        pipe(&path);
        assert!(
            matches!(Repository::open(&world.top), Err(GitError::Refused { .. })),
            "{bad}"
        );
        fs::remove_file(&path).expect("removed");
        symlink("/etc/hostname", &path).expect("linked");
        assert!(
            matches!(Repository::open(&world.top), Err(GitError::Refused { .. })),
            "{bad}"
        );
        fs::remove_file(&path).expect("removed");
    }
    assert!(Repository::open(&world.top).is_ok());
    fs::create_dir(git_dir.join("reftable")).expect("made");
    assert!(
        matches!(Repository::open(&world.top), Err(GitError::Refused { .. })),
        "another format"
    );
    fs::remove_dir(git_dir.join("reftable")).expect("removed");
    for (alternate, why) in [
        ("/somewhere/objects", "cannot be opened"),
        ("/etc", "is not a repository's folder of objects"),
        ("\"/quoted\"", "quoted path"),
        (&"/long/objects\n".repeat(10_000), "cannot be read"),
    ] {
        put(
            &git_dir,
            "objects/info/alternates",
            format!("{alternate}\n"),
        );
        let error = Repository::open(&world.top)
            .err()
            .expect("refused")
            .to_string();
        assert!(error.contains(why), "{alternate}: {error}");
    }
}
