//! A change is made in all files or in none, whatever happens at any step.

mod concurrent_edits;
mod killed_process;

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::mpsc::channel;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;

/// The payload of a panic that simulates the end of the process.
struct KillPanic;

struct World {
    scratch: TempDir,
    changes: Changes,
    root: PathBuf,
    files: usize,
    first: First,
}

/// The change of the first file besides its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Stays,
    Moves,
    /// Moves, with its content unchanged.
    OnlyMoves,
}

const METHODS: [SwapMethod; 2] = [SwapMethod::Exchange, SwapMethod::Aside];
/// The number of files of a change, and what becomes of the first.
const SHAPES: [(usize, First); 9] = [
    (1, First::Stays),
    (2, First::Stays),
    (3, First::Stays),
    (4, First::Stays),
    (5, First::Stays),
    (1, First::Moves),
    (3, First::Moves),
    (1, First::OnlyMoves),
    (3, First::OnlyMoves),
];
const MOVED: &str = "moved.txt";

fn name(at: usize) -> String {
    // Several in one folder, some in others.
    ["a.txt", "b.txt", "sub/c.txt", "sub/d.txt", "sub/deep/e.txt"][at].to_owned()
}

fn before(at: usize) -> String {
    format!("\u{feff}old {at}\r\nno end")
}

fn after(at: usize) -> String {
    before(at).replace("old", "brand new")
}

impl World {
    /// Uses a folder in memory if there is one: on a disk the syncs of these tests would take minutes.
    fn new(files: usize) -> Self {
        let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::at(scratch.expect("a directory"), files)
    }

    fn shaped((files, first): (usize, First)) -> Self {
        Self {
            first,
            ..Self::new(files)
        }
    }

    fn at(scratch: TempDir, files: usize) -> Self {
        let root = fs::canonicalize(scratch.path()).expect("real").join("root");
        fs::create_dir_all(root.join("sub/deep")).expect("made");
        (0..files).for_each(|at| fs::write(root.join(name(at)), before(at)).expect("written"));
        let changes = Changes::new(&scratch.path().join("data"));
        Self {
            scratch,
            changes,
            root,
            files,
            first: First::Stays,
        }
    }

    fn file_changes(&self) -> Vec<FileChange> {
        let change = |at| {
            let is_edited = at > 0 || self.first != First::OnlyMoves;
            let new_name = (at == 0 && self.first != First::Stays).then(|| MOVED.to_owned());
            FileChange {
                path: name(at),
                before: before(at).into_bytes(),
                after: if is_edited { after(at) } else { before(at) }.into_bytes(),
                new_name,
            }
        };
        (0..self.files).map(change).collect()
    }

    fn apply(
        &self,
        method: SwapMethod,
        before_step: StepHook,
    ) -> Result<Vec<ConflictCopy>, ChangeError> {
        let root = RootDir::open(&self.root, "root").expect("opened");
        self.changes.apply_with(
            &root,
            &self.file_changes(),
            &CancelToken::default(),
            Hooks {
                method,
                before_step,
            },
        )
    }

    fn recover(&self, method: SwapMethod, before_step: StepHook) -> Vec<Recovery> {
        self.changes.recover_with(
            std::slice::from_ref(&self.root),
            Hooks {
                method,
                before_step,
            },
        )
    }

    fn text(&self, at: usize) -> String {
        fs::read_to_string(self.root.join(name(at))).unwrap_or_else(|_| "gone".to_owned())
    }

    /// Returns the number of files that have their new content; the others have the old one.
    fn changed(&self) -> usize {
        let is_new = |at: &usize| {
            if *at == 0 && self.first != First::Stays {
                return self.is_moved();
            }
            let text = self.text(*at);
            assert!(text == before(*at) || text == after(*at), "{text:?}");
            text == after(*at)
        };
        (0..self.files).filter(is_new).count()
    }

    /// Returns whether the first file has its new name and content; if not, it has both as before.
    fn is_moved(&self) -> bool {
        let read = |name: &str| fs::read_to_string(self.root.join(name)).ok();
        let new = if self.first == First::OnlyMoves {
            before(0)
        } else {
            after(0)
        };
        match (read(&name(0)), read(MOVED)) {
            (None, Some(text)) if text == new => true,
            (Some(text), None) if text == before(0) => false,
            found => panic!("{found:?}"),
        }
    }

    /// Returns whether nothing is left but the files themselves: no staged file and no journal.
    fn is_tidy(&self) -> bool {
        let mut folders = vec![self.root.clone()];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("listed").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    found += 1;
                }
            }
        }
        let data = self.scratch.path().join("data/changes");
        found == self.files && fs::read_dir(data).map_or(0, Iterator::count) == 0
    }
}

/// Returns a hook that counts steps and calls `what` at step `wanted`.
fn at_step<'a>(
    wanted: usize,
    what: impl Fn(&'static str) -> io::Result<()> + 'a,
) -> impl Fn(&'static str) -> io::Result<()> {
    let count = Cell::new(0);
    move |step| {
        count.set(count.get() + 1);
        if count.get() == wanted {
            what(step)
        } else {
            Ok(())
        }
    }
}

/// Returns whether the work was killed.
fn killed_at(step: usize, work: impl FnOnce(StepHook)) -> bool {
    let before_step = at_step(step, |_| panic_any(KillPanic));
    match catch_unwind(AssertUnwindSafe(|| work(&before_step))) {
        Ok(()) => false,
        Err(panic) if panic.is::<KillPanic>() => true,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn quietly(work: impl FnOnce()) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.payload().is::<KillPanic>() {
            hook(info);
        }
    }));
    work();
}

#[test]
fn a_change_keeps_everything_but_what_is_edited() {
    for method in METHODS {
        let world = World::at(tempfile::tempdir().expect("a directory"), 5);
        let file = world.root.join(name(1));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).expect("set");
        let copies = world.apply(method, &|_| Ok(())).expect("applied");
        assert_eq!(copies, []);
        assert_eq!(world.changed(), 5);
        assert!(world.is_tidy());
        assert_eq!(fs::metadata(&file).expect("there").mode() & 0o7777, 0o751);
        assert_eq!(world.recover(method, &|_| Ok(())), []);
    }
}

#[test]
fn a_kill_at_any_step_leaves_all_or_none() {
    quietly(|| {
        for (method, shape) in METHODS
            .into_iter()
            .flat_map(|method| SHAPES.map(move |shape| (method, shape)))
        {
            let files = shape.0;
            let mut outcomes = [0; 2];
            for step in 1.. {
                let world = World::shaped(shape);
                let is_killed =
                    killed_at(step, |before_step| drop(world.apply(method, before_step)));
                world.recover(method, &|_| Ok(()));
                let changed = world.changed();
                assert!(
                    changed == 0 || changed == files,
                    "{shape:?}, killed at {step}: {changed} changed"
                );
                assert!(world.is_tidy(), "{shape:?}, killed at {step}");
                if !is_killed {
                    assert_eq!(changed, files);
                    break;
                }
                outcomes[usize::from(changed > 0)] += 1;
            }
            assert!(
                outcomes.into_iter().all(|count| count > files),
                "{outcomes:?}"
            );
        }
    });
}

#[test]
fn recovery_may_be_killed_too() {
    quietly(|| {
        let few = SHAPES.into_iter().filter(|(files, _)| *files <= 3);
        for (method, shape) in few.flat_map(|shape| METHODS.map(|method| (method, shape))) {
            let files = shape.0;
            for step in 1.. {
                let mut is_killed = false;
                for again in 1.. {
                    let world = World::shaped(shape);
                    is_killed =
                        killed_at(step, |before_step| drop(world.apply(method, before_step)));
                    let is_killed_again = killed_at(again, |before_step| {
                        drop(world.recover(method, before_step));
                    });
                    world.recover(method, &|_| Ok(()));
                    let changed = world.changed();
                    assert!(
                        changed == 0 || changed == files,
                        "{shape:?}, killed at {step} and {again}: {changed}"
                    );
                    assert!(world.is_tidy(), "{shape:?}, killed at {step} and {again}");
                    if !is_killed_again {
                        break;
                    }
                }
                if !is_killed {
                    break;
                }
            }
        }
    });
}

#[test]
fn a_failure_at_any_step_changes_nothing_or_all_and_says_which() {
    for (method, shape) in METHODS
        .into_iter()
        .flat_map(|method| SHAPES.map(move |shape| (method, shape)))
    {
        let files = shape.0;
        let mut failures = 0;
        for step in 1.. {
            let world = World::shaped(shape);
            let inodes = || -> Vec<u64> {
                (0..files)
                    .map(|at| {
                        fs::metadata(world.root.join(name(at)))
                            .expect("there")
                            .ino()
                    })
                    .collect()
            };
            let before = inodes();
            let is_met = Cell::new(false);
            let full = |_: &'static str| {
                is_met.set(true);
                Err(io::ErrorKind::StorageFull.into())
            };
            let result = world.apply(method, &at_step(step, full));
            match &result {
                Ok(_) => assert_eq!(world.changed(), files),
                Err(error) => {
                    assert_eq!(world.changed(), 0, "{error}");
                    assert_eq!(inodes(), before, "the files themselves are back");
                    assert!(
                        matches!(error, ChangeError::Failed { .. })
                            && error.to_string().contains(".txt"),
                        "{error}"
                    );
                    failures += 1;
                }
            }
            world.recover(method, &|_| Ok(()));
            assert!(world.is_tidy(), "{shape:?}, failed at {step}: {result:?}");
            if !is_met.get() {
                break;
            }
        }
        assert!(failures > 3 * files, "{failures}");
    }
}

#[test]
fn a_failure_that_lasts_is_taken_back_later() {
    quietly(|| {
        for method in METHODS {
            for step in 1..60 {
                let world = World::new(3);
                let count = Cell::new(0);
                let broken = |_: &'static str| {
                    count.set(count.get() + 1);
                    if count.get() >= step {
                        Err(io::ErrorKind::PermissionDenied.into())
                    } else {
                        Ok(())
                    }
                };
                let result = world.apply(method, &broken);
                world.recover(method, &|_| Ok(()));
                let expected = if result.is_ok() { 3 } else { 0 };
                // If the undo fails at its first step, the journal is still `ready`, so recovery finishes the change.
                let changed = world.changed();
                let goes_on = matches!(result, Err(ChangeError::Unfinished { .. })) && changed == 3;
                assert!(
                    changed == expected || goes_on,
                    "{step}: {changed} {result:?}"
                );
                assert!(world.is_tidy(), "{step}");
            }
        }
    });
}

#[test]
fn changes_through_links_and_of_protected_files_are_refused() {
    let world = World::new(2);
    fs::write(world.scratch.path().join("outside"), "x").expect("written");
    symlink("../outside", world.root.join("out")).expect("linked");
    symlink("..", world.root.join("up")).expect("linked");
    symlink("a.txt", world.root.join("link")).expect("linked");
    fs::create_dir(world.root.join(".git")).expect("made");
    fs::write(world.root.join(".git/config"), "x").expect("written");
    let root = RootDir::open(&world.root, "root").expect("opened");
    let try_with = |path: &str, expected: &str| {
        let bad = FileChange {
            path: path.to_owned(),
            before: expected.into(),
            after: b"y".to_vec(),
            new_name: None,
        };
        let files = [world.file_changes(), vec![bad]].concat();
        world
            .changes
            .apply(&root, &files, &CancelToken::default())
            .expect_err(path)
            .to_string()
    };
    for path in [
        "out",
        "up/outside",
        "link",
        "../outside",
        "/etc/hostname",
        ".git/config",
        "missing",
        "sub",
        "",
        "a.txt/",
        "nul\0",
    ] {
        let error = try_with(path, "x");
        assert!(
            error.starts_with(path) && error.ends_with("nothing was changed"),
            "{path}: {error}"
        );
        assert_eq!(world.changed(), 0, "{path}");
    }
    assert!(try_with("a.txt", "x").contains("twice"));
    fs::write(world.root.join("c"), "xx").expect("written");
    assert!(try_with("c", "other").contains("has changed since it was read"));
    // A file is never moved over another.
    for new_name in ["b.txt", "sub", "link", "", "x/y", "..", ".hidden"] {
        let mut files = world.file_changes();
        files[0].new_name = Some(new_name.to_owned());
        let error = world
            .changes
            .apply(&root, &files, &CancelToken::default())
            .expect_err(new_name)
            .to_string();
        assert!(
            error.starts_with("a.txt: ") && error.ends_with("nothing was changed"),
            "{error}"
        );
        assert_eq!(world.changed(), 0, "{new_name}");
    }
    let cancel = CancelToken::default();
    drop(cancel.on_drop());
    assert!(matches!(
        world.changes.apply(&root, &world.file_changes(), &cancel),
        Err(ChangeError::Cancelled)
    ));
    assert_eq!(world.changed(), 0);
}

#[test]
fn only_known_roots_are_recovered() {
    quietly(|| {
        let half_done = |step| {
            let world = World::new(2);
            assert!(
                killed_at(step, |before_step| drop(
                    world.apply(SwapMethod::Exchange, before_step)
                )),
                "never half done"
            );
            (world.changed() == 1).then_some(world)
        };
        let world = (1..).find_map(half_done).expect("half done");
        let waiting = world.changes.recover(&[]);
        assert!(matches!(waiting[0].outcome, RecoveryOutcome::Waiting(_)) && world.changed() == 1);
        let moved = world.scratch.path().join("moved");
        fs::rename(&world.root, &moved).expect("moved");
        assert!(matches!(
            world.recover(SwapMethod::Exchange, &|_| Ok(()))[0].outcome,
            RecoveryOutcome::Waiting(_)
        ));
        fs::rename(&moved, &world.root).expect("back");
        // The next change of the root settles the waiting one first, and then finds that the files have changed.
        let error = world
            .apply(SwapMethod::Exchange, &|_| Ok(()))
            .expect_err("changed");
        assert!(matches!(error, ChangeError::Changed { .. }), "{error}");
        assert_eq!(world.changed(), 2);
        assert!(world.is_tidy());
    });
}

#[test]
fn a_change_waits_for_no_other_root() {
    let world = Arc::new(World::new(3));
    let other = world.root.with_file_name("other");
    fs::create_dir_all(&other).expect("made");
    let steps = Cell::new(0);
    // At every step of the one, the other is changed from beginning to end.
    let change_other = |_: &str| {
        steps.set(steps.get() + 1);
        fs::write(other.join(name(0)), before(0)).expect("written");
        let (done, changed) = channel();
        let (world, other) = (Arc::clone(&world), other.clone());
        std::thread::spawn(move || {
            let root = RootDir::open(&other, "other").expect("opened");
            let _ = done.send(world.changes.apply(
                &root,
                &world.file_changes()[..1],
                &CancelToken::default(),
            ));
        });
        let copies = changed
            .recv_timeout(Duration::from_secs(10))
            .expect("it waits for the other root")
            .expect("made");
        assert_eq!(copies, []);
        Ok(())
    };
    world
        .apply(SwapMethod::Exchange, &change_other)
        .expect("applied");
    assert_eq!(world.changed(), 3);
    assert!(steps.get() > 10, "{} steps", steps.get());
    assert_eq!(
        fs::read_to_string(other.join(name(0))).expect("there"),
        after(0)
    );
    assert!(world.is_tidy());
}

/// Their names are longer than any buffer that one would guess.
#[cfg(target_os = "linux")]
#[test]
fn all_attributes_of_a_file_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let world = World::new(1);
    let path = world.root.join(name(0));
    let attribute = |at: usize| format!("user.{}{at}", "n".repeat(100));
    for at in 0..300 {
        // Some file systems have too little room for attributes.
        if setxattr(&path, attribute(at), b"v", XattrFlags::empty()).is_err() {
            return;
        }
    }
    let changed = world.apply(SwapMethod::Exchange, &|_| Ok(()));
    changed.expect("changed");
    let kept = |at: usize| getxattr(&path, attribute(at), &mut [0_u8; 8]).is_ok();
    assert!((0..300).all(kept));
}
