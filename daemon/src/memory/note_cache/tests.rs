//! Summaries over real files: an edit is seen, and the summaries of removed files are dropped.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::*;
use crate::source::beneath::RootDir;

struct Notes {
    _scratch: tempfile::TempDir,
    root: RootDir,
    cache: NoteCache,
}

impl Notes {
    fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = fs::canonicalize(scratch.path()).expect("real");
        fs::create_dir_all(path.join(".claudevil/memories")).expect("made");
        let root = RootDir::open(&path, "tree").expect("opened");
        Self {
            _scratch: scratch,
            root,
            cache: NoteCache::default(),
        }
    }

    /// Writes a note with a modification time `age` seconds ago.
    fn put(&self, name: &str, text: &str, age: i64) {
        let path = self.root.path().join(".claudevil/memories").join(name);
        fs::write(&path, text).expect("written");
        let span = Duration::from_secs(age.unsigned_abs());
        let changed = if age < 0 {
            SystemTime::now() + span
        } else {
            SystemTime::now() - span
        };
        fs::File::options()
            .write(true)
            .open(&path)
            .expect("opened")
            .set_modified(changed)
            .expect("set");
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.root.path().join(".claudevil/memories").join(name)).expect("removed");
    }

    /// Returns the number of times that each note has a term, by name.
    fn counts(&self, term: &str) -> Vec<(String, u8)> {
        let folder = NoteFolder::list(&self.root);
        let see =
            |name: &str, summary: &NoteSummary| Some((name.to_owned(), summary.terms.count(term)));
        let mut visit = self
            .cache
            .visit(1, &folder, &CancelToken::default(), see)
            .expect("visited");
        visit.results.sort();
        assert_eq!(visit.notes, visit.results.len() as u64);
        visit.results
    }

    fn cached(&self) -> Vec<String> {
        let state = self.cache.lock();
        let mut names: Vec<_> = state
            .roots
            .get(&1)
            .into_iter()
            .flat_map(|root| root.notes.keys().cloned())
            .collect();
        names.sort();
        let bytes: usize = state
            .roots
            .values()
            .flat_map(|root| root.notes.values())
            .map(|note| note.bytes)
            .sum();
        assert_eq!(bytes, state.bytes);
        names
    }
}

#[test]
fn an_edit_is_seen_and_a_removed_note_is_forgotten() {
    let notes = Notes::new();
    notes.put("a.md", "one lexer", 10);
    notes.put("b.md", "another lexer", 10);
    for _ in 0..2 {
        assert_eq!(
            notes.counts("lexer"),
            [("a.md".to_owned(), 1), ("b.md".to_owned(), 1)]
        );
        assert_eq!(notes.cached(), ["a.md", "b.md"]);
    }
    // As large as before.
    notes.put("a.md", "one zebra", 5);
    notes.remove("b.md");
    assert_eq!(notes.counts("zebra"), [("a.md".to_owned(), 1)]);
    assert_eq!(notes.cached(), ["a.md"]);
}

#[test]
fn a_note_that_may_still_change_unseen_is_not_cached() {
    let notes = Notes::new();
    // The modification time is in the future, as if the file were written after it was read.
    notes.put("a.md", "one lexer", -60);
    notes.put("b.md", "two lexers", 3600);
    assert_eq!(notes.counts("lexer").len(), 2);
    assert_eq!(notes.cached(), ["b.md"]);
}

#[test]
fn a_file_is_settled_once_its_times_would_tell_another_change() {
    let at = |modified_nanos: i64| FileStat {
        size: 1,
        modified_nanos,
        stamp: 1,
    };
    let (fine, coarse) = (at(1_000_000_001), at(1_000_000_000));
    assert_eq!(
        [1_000, 1_100, 1_101].map(|now| is_settled(fine, now)),
        [false, false, true]
    );
    assert_eq!(
        [1_101, 3_100, 3_101].map(|now| is_settled(coarse, now)),
        [false, false, true]
    );
}

#[test]
fn unreadable_notes_are_reported_each_time() {
    let notes = Notes::new();
    notes.put("a.md", "\0", 10);
    notes.put("b.md", " ", 10);
    for _ in 0..2 {
        let folder = NoteFolder::list(&notes.root);
        let visit = notes
            .cache
            .visit(1, &folder, &CancelToken::default(), |_, _| Some(()))
            .expect("visited");
        let reasons: Vec<_> = visit
            .skipped
            .iter()
            .map(|one| (one.path.as_str(), one.reason.as_str()))
            .collect();
        assert_eq!(
            reasons,
            [
                (".claudevil/memories/b.md", "empty"),
                (".claudevil/memories/a.md", "binary")
            ]
        );
        assert_eq!((visit.notes, visit.results.len()), (0, 0));
    }
}

#[test]
fn visits_of_one_root_take_turns_and_a_cancelled_one_does_not_wait() {
    let notes = Notes::new();
    notes.put("a.md", "one lexer", 10);
    let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let folder = NoteFolder::list(&notes.root);
                let see = |_: &str, _: &NoteSummary| {
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    Some(())
                };
                notes
                    .cache
                    .visit(1, &folder, &CancelToken::default(), see)
                    .expect("visited");
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
    let _turn = notes.cache.begin(1, &CancelToken::default()).expect("free");
    let cancel = CancelToken::default();
    drop(cancel.on_drop());
    assert!(notes.cache.begin(1, &cancel).is_err());
    assert!(notes.cache.begin(2, &cancel).is_ok());
}

#[test]
fn roots_that_were_visited_long_ago_make_room() {
    let mut state = State::default();
    for root in 1..=3 {
        let notes = RootNotes {
            bytes: CAPACITY / 4,
            visit: root,
            ..RootNotes::default()
        };
        state.bytes += notes.bytes;
        state.roots.insert(root, notes);
    }
    state.make_room(CAPACITY / 2, 1);
    assert!(
        state.roots.contains_key(&1)
            && state.roots.contains_key(&3)
            && !state.roots.contains_key(&2)
    );
    state.make_room(CAPACITY, 1);
    assert_eq!((state.roots.len(), state.bytes), (1, CAPACITY / 4));
}
