//! Real changes and the events that the system reports for them. Tests wait by `sync` alone.

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc;
use std::time::Instant;

use notify::event::{CreateKind, DataChange, Flag, ModifyKind, RemoveKind, RenameMode};
use notify::{Event, EventKind};

use super::dirty_set::WatchedFolder;
use super::*;
use crate::source::git_index::tests::index;
use crate::source::globs::Globs;

const ROOT: RootId = 7;
const BOUND: Duration = Duration::from_secs(20);

struct WatchedRoot {
    _scratch: tempfile::TempDir,
    cookies: PathBuf,
    root: PathBuf,
    watcher: Watcher,
    woken: mpsc::Receiver<RootId>,
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

impl WatchedRoot {
    fn new(files: &[&str]) -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let top = fs::canonicalize(scratch.path()).expect("real");
        let (cookies, root) = (top.join("cookies"), top.join("root"));
        fs::create_dir(&root).expect("made");
        for path in files {
            put(&root.join(path), "old\n");
        }
        let (wake, woken) = mpsc::channel();
        let on_change = move |root| wake.send(root).unwrap_or_default();
        let watcher = Watcher::new(&cookies, on_change).expect("a watcher");
        let it = Self {
            _scratch: scratch,
            cookies,
            root,
            watcher,
            woken,
        };
        assert_eq!(it.watcher.watch(ROOT, &it.root, &[]), WatchMethod::Events);
        it.walk(Scope::Everything);
        it.dirty();
        it
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn walk(&self, scope: Scope) -> WalkResult {
        let rules = Rules {
            include: Globs::default(),
            exclude: Globs::default(),
        };
        let (walked, watching) = self.watcher.walk(
            ROOT,
            &self.root,
            &rules,
            scope,
            &CancelToken::default(),
            &|_| {},
        );
        assert_eq!(watching, WatchMethod::Events);
        walked
    }

    fn dirty(&self) -> DirtySet {
        assert_eq!(self.watcher.sync(ROOT, BOUND), SyncOutcome::Synced);
        self.watcher.take_dirty(ROOT)
    }

    fn paths(&self) -> Vec<String> {
        let dirty = self.dirty();
        assert_eq!(dirty.rescan, None);
        dirty.paths.into_iter().collect()
    }
}

#[test]
fn every_kind_of_change_is_recorded_before_sync_returns() {
    type Change = fn(&WatchedRoot);
    let changes: &[(&str, Change, &[&str])] = &[
        (
            "create",
            |it| put(&it.at("src/new.rs"), ""),
            &["src/new.rs"],
        ),
        (
            "modify",
            |it| put(&it.at("src/a.rs"), "new\n"),
            &["src/a.rs"],
        ),
        (
            "rename",
            |it| fs::rename(it.at("src/a.rs"), it.at("b.rs")).unwrap(),
            &["b.rs", "src/a.rs"],
        ),
        (
            "atomic save",
            |it| {
                put(&it.at("src/.a.rs.tmp"), "new\n");
                fs::rename(it.at("src/.a.rs.tmp"), it.at("src/a.rs")).unwrap();
            },
            &["src/.a.rs.tmp", "src/a.rs"],
        ),
        (
            "delete",
            |it| fs::remove_file(it.at("src/a.rs")).unwrap(),
            &["src/a.rs"],
        ),
        (
            "times alone",
            |it| {
                let file = fs::File::options()
                    .write(true)
                    .open(it.at("src/a.rs"))
                    .unwrap();
                file.set_modified(std::time::UNIX_EPOCH).unwrap();
            },
            &["src/a.rs"],
        ),
        (
            "folder renamed",
            |it| fs::rename(it.at("src"), it.at("lib")).unwrap(),
            &["lib", "src"],
        ),
        (
            "a read is no change",
            |it| assert!(fs::copy(it.at("src/a.rs"), it.cookies.join("copy")).is_ok()),
            &[],
        ),
        (
            "git's objects are no change",
            |it| put(&it.at(".git/objects/ab"), ""),
            &[],
        ),
        (
            "a nested repository's neither",
            |it| put(&it.at("src/nested/.git"), ""),
            &["src/nested"],
        ),
    ];
    for (what, change, expected) in changes {
        let watched = WatchedRoot::new(&["src/a.rs", ".git/HEAD", ".git/info/exclude"]);
        change(&watched);
        assert_eq!(watched.paths(), *expected, "{what}");
        assert_eq!(watched.paths(), Vec::<String>::new(), "{what}: taken once");
    }
}

#[test]
fn on_change_is_called_after_a_change() {
    let watched = WatchedRoot::new(&["a.rs"]);
    put(&watched.at("a.rs"), "new\n");
    assert_eq!(watched.woken.recv_timeout(BOUND), Ok(ROOT));
}

#[test]
fn files_created_in_new_folders_are_not_missed() {
    let watched = WatchedRoot::new(&["a.rs"]);
    let (folders, files_each) = (500, 4);
    let maker = std::thread::spawn({
        let root = watched.root.clone();
        move || {
            for folder in 0..folders {
                for file in 0..files_each {
                    put(
                        &root.join(format!(
                            "new{}/deep{}/deeper{folder}/{file}.rs",
                            folder % 5,
                            folder % 50
                        )),
                        "",
                    );
                }
            }
        }
    });
    // The state of an index: each round looks only at dirty paths.
    let mut known = BTreeSet::new();
    loop {
        let over = maker.is_finished();
        let dirty = watched.dirty();
        assert_eq!(dirty.rescan, None);
        known.extend(
            watched
                .walk(Scope::Only(&dirty.paths))
                .files
                .into_iter()
                .map(|file| file.path),
        );
        if over && dirty.paths.is_empty() {
            break;
        }
    }
    maker.join().expect("made");
    assert_eq!(known.len(), folders * files_each);
    // And every one of them is watched.
    put(&watched.at("new4/deep49/deeper499/3.rs"), "new\n");
    assert_eq!(watched.paths(), ["new4/deep49/deeper499/3.rs"]);
}

#[test]
fn a_folder_that_comes_back_is_watched_again() {
    let watched = WatchedRoot::new(&["src/sub/a.rs"]);
    for how in ["renamed", "removed"] {
        match how {
            "renamed" => fs::rename(watched.at("src"), watched.at("lib")).unwrap(),
            _ => fs::remove_dir_all(watched.at("src")).unwrap(),
        }
        put(&watched.at("src/sub/a.rs"), "");
        watched.walk(Scope::Only(&watched.dirty().paths));
        watched.dirty();
        put(&watched.at("src/sub/a.rs"), "new\n");
        assert_eq!(watched.paths(), ["src/sub/a.rs"], "{how}");
    }
    put(&watched.at("lib/sub/a.rs"), "new\n");
    assert_eq!(watched.paths(), ["lib/sub/a.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn ignored_and_linked_folders_are_not_watched() {
    let watched = WatchedRoot::new(&["a.rs", "target/debug/out"]);
    fs::write(watched.at(".gitignore"), "/target\n").unwrap();
    let outside = watched.root.with_file_name("outside");
    put(&outside.join("b.rs"), "");
    std::os::unix::fs::symlink(&outside, watched.at("link")).unwrap();
    assert_eq!(watched.dirty().rescan, Some(RescanReason::IgnoreRules));
    // The folder was not ignored so far; after this walk its watch is gone.
    watched.walk(Scope::Everything);
    put(&watched.at("target/debug/out"), "new\n");
    put(&watched.at("target/more"), "new\n");
    put(&outside.join("b.rs"), "new\n");
    assert_eq!(watched.paths(), Vec::<String>::new());
}

#[test]
fn tracked_files_in_ignored_folders_are_watched() {
    let watched = WatchedRoot::new(&[".git/HEAD", "target/kept.rs"]);
    fs::write(
        watched.at(".git/index"),
        index(&[("target/kept.rs", 0o100_644)], 2),
    )
    .unwrap();
    fs::write(watched.at(".gitignore"), "/target\n").unwrap();
    assert!(watched.dirty().git_changed);
    assert!(
        watched
            .walk(Scope::Everything)
            .files
            .iter()
            .any(|file| file.path == "target/kept.rs")
    );
    put(&watched.at("target/kept.rs"), "new\n");
    let paths = watched.paths();
    assert_eq!(paths, ["target/kept.rs"]);
    let walked = watched.walk(Scope::Only(&paths.into_iter().collect()));
    assert_eq!(
        (walked.files[0].path.as_str(), walked.files[0].size),
        ("target/kept.rs", 4)
    );
}

#[test]
fn a_running_git_is_detected() {
    let watched = WatchedRoot::new(&["a.rs", ".git/HEAD", ".git/index", ".git/info/exclude"]);
    put(&watched.at(".git/index.lock"), "");
    put(&watched.at("a.rs"), "new\n");
    let dirty = watched.dirty();
    assert_eq!(
        (dirty.git_busy, dirty.git_changed, dirty.paths.len()),
        (true, false, 1)
    );
    fs::rename(watched.at(".git/index.lock"), watched.at(".git/index")).unwrap();
    let dirty = watched.dirty();
    assert_eq!(
        (dirty.git_busy, dirty.git_changed, dirty.rescan),
        (false, true, None)
    );
    put(&watched.at(".git/info/exclude"), "*.log\n");
    assert_eq!(watched.dirty().rescan, Some(RescanReason::IgnoreRules));
}

#[test]
fn a_removed_root_requires_a_rescan() {
    let watched = WatchedRoot::new(&["a.rs"]);
    fs::rename(&watched.root, watched.root.with_file_name("elsewhere")).unwrap();
    assert_eq!(watched.dirty().rescan, Some(RescanReason::RootGone));
}

#[test]
fn roots_in_each_other_keep_their_watches() {
    let watched = WatchedRoot::new(&["inner/a.rs"]);
    let inner = watched.at("inner");
    assert_eq!(watched.watcher.watch(8, &inner, &[]), WatchMethod::Events);
    put(&inner.join("a.rs"), "new\n");
    assert_eq!(watched.paths(), ["inner/a.rs"]);
    assert_eq!(
        watched.watcher.take_dirty(8).paths,
        BTreeSet::from(["a.rs".to_owned()])
    );
    watched.watcher.unwatch(8);
    put(&inner.join("a.rs"), "newer\n");
    assert_eq!(watched.paths(), ["inner/a.rs"]);
    assert_eq!(watched.watcher.sync(8, BOUND), SyncOutcome::TimedOut);
}

#[test]
fn each_event_changes_the_dirty_set() {
    let modify = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    let create = EventKind::Create(CreateKind::File);
    let remove = EventKind::Remove(RemoveKind::Folder);
    let from = EventKind::Modify(ModifyKind::Name(RenameMode::From));
    for (place, path, kind, matters, rescan, paths) in [
        (WatchedFolder::Root, "src/a.rs", modify, true, None, 1),
        (
            WatchedFolder::Root,
            "src/.gitignore",
            modify,
            true,
            Some(RescanReason::IgnoreRules),
            1,
        ),
        (
            WatchedFolder::Root,
            ".claudevilignore",
            remove,
            true,
            Some(RescanReason::IgnoreRules),
            1,
        ),
        (
            WatchedFolder::Root,
            ".git",
            create,
            true,
            Some(RescanReason::IgnoreRules),
            0,
        ),
        (
            WatchedFolder::Root,
            "",
            remove,
            true,
            Some(RescanReason::RootGone),
            0,
        ),
        (
            WatchedFolder::Root,
            "",
            from,
            true,
            Some(RescanReason::RootGone),
            0,
        ),
        (WatchedFolder::Root, ".git/HEAD", modify, false, None, 0),
        (
            WatchedFolder::Root,
            "third/lib/.git/HEAD",
            modify,
            false,
            None,
            0,
        ),
        (WatchedFolder::Git, "HEAD", modify, true, None, 0),
        (WatchedFolder::Git, "refs/heads/main", modify, true, None, 0),
        (WatchedFolder::Git, "index.lock", remove, true, None, 0),
        (
            WatchedFolder::Git,
            "FETCH_HEAD.lock",
            create,
            false,
            None,
            0,
        ),
        (
            WatchedFolder::GitInfo,
            "exclude",
            from,
            true,
            Some(RescanReason::IgnoreRules),
            0,
        ),
        (WatchedFolder::GitInfo, "attributes", modify, false, None, 0),
    ] {
        let mut dirty = DirtySet::default();
        assert_eq!(
            dirty.record(place, Path::new(path), kind),
            matters,
            "{place:?} {path}"
        );
        assert_eq!(
            (dirty.rescan, dirty.paths.len()),
            (rescan, paths),
            "{place:?} {path}"
        );
    }
}

#[test]
fn an_overflow_requires_rescans_and_wakes_all_callers() {
    let watched = WatchedRoot::new(&["a.rs"]);
    watched
        .watcher
        .watch(8, watched.root.parent().expect("above"), &[]);
    let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    assert_eq!(watched.watcher.log.record(&overflow).len(), 2);
    assert_eq!(watched.dirty().rescan, Some(RescanReason::Overflow));
    assert_eq!(
        watched.watcher.take_dirty(8).rescan,
        Some(RescanReason::Overflow)
    );
}

#[test]
fn many_callers_share_cookies() {
    let watched = WatchedRoot::new(&["a.rs"]);
    let started = Instant::now();
    let (shared, root) = (&watched.watcher, &watched.root);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for round in 0..50 {
                    // Each sees its own change, whoever takes it first.
                    put(&root.join(format!("{thread}-{round}")), "");
                    assert_eq!(shared.sync(ROOT, BOUND), SyncOutcome::Synced);
                }
            });
        }
    });
    assert_eq!(watched.watcher.take_dirty(ROOT).paths.len(), 400);
    assert!(
        started.elapsed() < BOUND,
        "400 waits took {:?}",
        started.elapsed()
    );
    assert!(
        fs::remove_dir(&watched.cookies).is_ok(),
        "cookies were left behind"
    );
}

#[test]
fn a_lost_cookie_folder_is_restored_after_one_timeout() {
    let watched = WatchedRoot::new(&["a.rs"]);
    fs::remove_dir_all(&watched.cookies).unwrap();
    let started = Instant::now();
    assert_eq!(
        watched.watcher.sync(ROOT, Duration::from_millis(500)),
        SyncOutcome::TimedOut
    );
    assert!(started.elapsed() < BOUND);
    assert!(matches!(
        watched.watcher.state(),
        WatcherState::NoCookies(_)
    ));
    assert_eq!(watched.watcher.sync(ROOT, BOUND), SyncOutcome::Synced);
    assert_eq!(watched.watcher.state(), WatcherState::Working);
}

#[test]
fn a_dead_watcher_answers_at_once() {
    let mut watched = WatchedRoot::new(&["a.rs"]);
    let log = Arc::clone(&watched.watcher.log);
    let other = Watcher::new(&watched.cookies.with_file_name("others"), |_| {}).expect("a watcher");
    // The thread of the watcher ends when the watcher is dropped.
    drop(std::mem::replace(&mut watched.watcher, other));
    assert_eq!(log.cookies.sync(BOUND), SyncOutcome::TimedOut);
    assert_eq!(log.cookies.state(), WatcherState::Dead);
    assert_eq!(log.take(ROOT).rescan, Some(RescanReason::WatcherDied));
}

#[test]
fn a_root_that_cannot_be_watched_is_polled() {
    let watched = WatchedRoot::new(&[]);
    let gone = watched.root.with_file_name("gone");
    assert!(matches!(
        watched.watcher.watch(8, &gone, &[]),
        WatchMethod::Polling(PollReason::Refused(_))
    ));
    assert_eq!(watched.watcher.take_dirty(8), DirtySet::default());
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_that_takes_most_of_the_watches_can_be_watched_again() {
    let mut watched = WatchedRoot::new(&["a/x.rs", "b/x.rs", "c/x.rs", "d/x.rs"]);
    // Enough for what is there, and not for twice as many.
    watched.watcher.most_watches = || 8;
    let folders = ["a", "b", "c", "d"].map(str::to_owned);
    assert_eq!(
        watched.watcher.watch(ROOT, &watched.root, &folders),
        WatchMethod::Events
    );
    watched.watcher.most_watches = || 5;
    assert_eq!(
        watched.watcher.watch(ROOT, &watched.root, &folders),
        WatchMethod::Events
    );
    put(&watched.at("c/x.rs"), "new\n");
    assert_eq!(watched.paths(), ["c/x.rs"]);
    // One more is too many.
    fs::create_dir(watched.at("e")).expect("made");
    let more = watched.watcher.add_folders(ROOT, &["e".to_owned()]);
    assert_eq!(more, WatchMethod::Polling(PollReason::WatchLimit));
}
