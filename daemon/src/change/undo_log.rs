//! The old contents of changed files, in our own directory, so that a change can be taken back.
//!
//! They may hold secrets, so they are private to the user, bounded in size, and dropped after a day. A record is written before
//! its change, so that every change that was made has one; if a crash prevented the change, all files are as before, and the
//! record is passed over. A change whose old contents cannot be kept leaves a record without files, so that the change before it
//! is not taken for the last one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::{AppliedChange, ChangeError, Changes, FileChange, Hooks, LARGEST_FILE, NO_HOOKS};
use crate::clock;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;

const EXTENSION: &str = "undo";
/// The most bytes of all records together. A larger change cannot be taken back.
const MAX_BYTES: u64 = 64 << 20;
const MAX_RECORDS: usize = 50;
const LIFETIME_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A change that can be taken back.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRecord {
    pub root: String,
    /// The tool that made the change.
    pub tool: String,
    /// Milliseconds since 1970.
    pub made: i64,
    /// Empty if the old contents could not be kept.
    pub files: Vec<UndoFile>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoFile {
    /// Its path after the change.
    pub path: String,
    /// Its name before the change, if it was renamed.
    pub old_name: Option<String>,
    pub before: Vec<u8>,
    pub after: [u8; 32],
}

impl UndoFile {
    /// Returns its path before the change.
    pub fn old_path(&self) -> String {
        match (&self.old_name, self.path.rsplit_once('/')) {
            (None, _) => self.path.clone(),
            (Some(name), Some((folder, _))) => format!("{folder}/{name}"),
            (Some(name), None) => name.clone(),
        }
    }
}

impl UndoRecord {
    /// Returns whether the old contents could not be kept, so that the change cannot be taken back.
    pub fn is_lost(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns whether every file is known to be as it was before the change.
    fn is_as_before(&self, root: &RootDir) -> bool {
        let is_same = |file: &UndoFile| {
            let now = root.read(&file.old_path(), LARGEST_FILE);
            now.is_some_and(|now| now == file.before)
        };
        !self.is_lost() && self.files.iter().all(is_same)
    }

    fn shares_files(&self, other: &Self) -> bool {
        let is_same = |one: &UndoFile, other: &UndoFile| {
            let names = [other.path.clone(), other.old_path()];
            names.contains(&one.path) || names.contains(&one.old_path())
        };
        let mut files = self.files.iter();
        files.any(|one| other.files.iter().any(|other| is_same(one, other)))
    }

    fn new(root: &str, tool: &str, changes: &[FileChange]) -> Self {
        let files = changes.iter().map(|change| {
            let (folder, name) = match change.path.rsplit_once('/') {
                Some((folder, name)) => (format!("{folder}/"), name),
                None => (String::new(), change.path.as_str()),
            };
            UndoFile {
                path: match &change.new_name {
                    Some(new_name) => format!("{folder}{new_name}"),
                    None => change.path.clone(),
                },
                old_name: change.new_name.as_ref().map(|_| name.to_owned()),
                before: change.before.clone(),
                after: *blake3::hash(&change.after).as_bytes(),
            }
        });
        Self {
            root: root.to_owned(),
            tool: tool.to_owned(),
            made: clock::now(),
            files: files.collect(),
        }
    }
}

impl Changes {
    /// Changes all files, or none, and records the old contents for a day so that the change can be taken back.
    pub fn apply_undoable(
        &self,
        root: &RootDir,
        tool: &str,
        files: &[FileChange],
        cancel: &CancelToken,
    ) -> Result<AppliedChange, ChangeError> {
        self.apply_undoable_with(root, tool, files, cancel, NO_HOOKS)
    }

    pub(super) fn apply_undoable_with(
        &self,
        root: &RootDir,
        tool: &str,
        files: &[FileChange],
        cancel: &CancelToken,
        hooks: Hooks,
    ) -> Result<AppliedChange, ChangeError> {
        let changed: Vec<FileChange> = files
            .iter()
            .filter(|file| file.before != file.after || file.new_name.is_some())
            .cloned()
            .collect();
        if changed.is_empty() {
            let copies = self.apply_with(root, files, cancel, hooks)?;
            return Ok(AppliedChange {
                copies,
                ..AppliedChange::default()
            });
        }
        let record = UndoRecord::new(&root.path().to_string_lossy(), tool, &changed);
        let kept = self.keep_record(&record, MAX_BYTES, hooks);
        let applied = self.apply_with(root, files, cancel, hooks);
        let copies = applied.inspect_err(|error| {
            // A change that is neither made nor undone may still be finished after a restart.
            let is_open = matches!(error, ChangeError::Unfinished { .. });
            if let Ok(Some(path)) = &kept
                && !is_open
            {
                let _ = fs::remove_file(path);
            }
        })?;
        let not_undoable = match kept {
            Ok(Some(_)) => None,
            Ok(None) => Some(format!("its files have more than {} MB", MAX_BYTES >> 20)),
            Err(error) => Some(format!("its earlier texts could not be written: {error}")),
        };
        if not_undoable.is_some() {
            self.mark_as_lost(record, hooks);
        }
        Ok(AppliedChange {
            copies,
            not_undoable,
        })
    }

    /// Leaves a record without files, or else forgets all older changes of the root.
    fn mark_as_lost(&self, record: UndoRecord, hooks: Hooks) {
        let lost = UndoRecord {
            files: vec![],
            ..record
        };
        if let Ok(Some(_)) = self.keep_record(&lost, MAX_BYTES, hooks) {
            return;
        }
        for path in self.records() {
            if read_record(&path).is_none_or(|record| record.root == lost.root) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Returns the latest change of a root that can be taken back, and the file of its record.
    pub fn last_record(&self, root: &RootDir) -> Option<(PathBuf, UndoRecord)> {
        self.drop_old_records();
        self.records().into_iter().rev().find_map(|path| {
            let record = read_record(&path)?;
            let is_here = Path::new(&record.root) == root.path();
            (is_here && !record.is_as_before(root)).then_some((path, record))
        })
    }

    /// Forgets a change that was taken back, and later ones of the same files: somebody else has reverted them before.
    pub fn forget_record(&self, path: &Path) {
        let undone = read_record(path);
        let is_later = |later: &PathBuf| later.as_path() > path;
        for later in self.records().into_iter().filter(is_later) {
            let record = read_record(&later).zip(undone.as_ref());
            let is_about_same = record.is_some_and(|(record, undone)| {
                record.root == undone.root && record.shares_files(undone)
            });
            if is_about_same {
                let _ = fs::remove_file(later);
            }
        }
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "the record of a change cannot be removed");
        }
    }

    /// Removes records that are older than a day, and copies of texts by others that are older than a month.
    pub fn drop_old_records(&self) {
        Journal::remove_old_copies(&self.folder);
        let oldest = clock::now() - LIFETIME_MILLIS;
        for path in self.records() {
            if made_at(&path).is_none_or(|made| made < oldest) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Writes a record, and removes the oldest ones so that all together stay within `most_bytes`. None if it is too large.
    fn keep_record(
        &self,
        record: &UndoRecord,
        most_bytes: u64,
        hooks: Hooks,
    ) -> io::Result<Option<PathBuf>> {
        let bytes = bincode::serialize(record).map_err(io::Error::other)?;
        let length = bytes.len() as u64;
        if length > most_bytes {
            return Ok(None);
        }
        let mut records = self.records();
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |found| found.len());
        while !records.is_empty()
            && (records.len() >= MAX_RECORDS
                || records.iter().map(size).sum::<u64>() + length > most_bytes)
        {
            let _ = fs::remove_file(records.remove(0));
        }
        fs::create_dir_all(&self.undo_folder)?;
        // Names sort by time, even if two changes are made within a millisecond.
        let last = records.last().and_then(|path| number(path)).unwrap_or(0);
        let mut number = last.max(u64::try_from(record.made).unwrap_or(0) * 1000) + 1;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        (hooks.before_step)("record")?;
        let (path, mut file) = loop {
            let path = self.undo_folder.join(format!("{number:020}.{EXTENSION}"));
            match options.open(&path) {
                Ok(file) => break (path, file),
                // A change of another root has taken the number since the records were listed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        };
        let written = (hooks.before_step)("fill record")
            .and_then(|()| file.write_all(&bytes))
            .and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        Ok(Some(path))
    }

    /// Returns the files of all records, the oldest first.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    fn records(&self) -> Vec<PathBuf> {
        let Ok(listed) = fs::read_dir(&self.undo_folder) else {
            return vec![];
        };
        let paths = listed.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|ending| ending == EXTENSION))
            .collect();
        paths.sort();
        paths
    }
}

#[expect(clippy::disallowed_methods, reason = "our own file")]
fn read_record(path: &Path) -> Option<UndoRecord> {
    bincode::deserialize(&fs::read(path).ok()?).ok()
}

fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Returns the time of a change, from the name of its record.
fn made_at(path: &Path) -> Option<i64> {
    i64::try_from(number(path)? / 1000).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn change(path: &str, before: &str, after: &str) -> FileChange {
        FileChange {
            path: path.to_owned(),
            before: before.into(),
            after: after.into(),
            new_name: None,
        }
    }

    #[test]
    fn the_last_change_of_a_root_is_remembered_privately_until_it_is_forgotten() {
        let scratch = tempfile::tempdir().expect("a directory");
        let (top, data) = (scratch.path().join("root"), scratch.path().join("data"));
        fs::create_dir_all(&top).expect("made");
        fs::write(top.join("a"), "1").expect("written");
        let root = RootDir::open(&top, "root").expect("a root");
        let changes = Changes::new(&data);
        let cancel = CancelToken::default();
        let apply = |before: &str, after: &str| {
            changes.apply_undoable(&root, "edit_symbol", &[change("a", before, after)], &cancel)
        };
        apply("1", "2").expect("changed");
        apply("2", "3").expect("changed");
        assert!(apply("2", "4").is_err(), "it is 3 by now");
        apply("3", "3").expect("nothing to do");
        let (path, record) = changes.last_record(&root).expect("remembered");
        assert_eq!(record.files[0].before, b"2");
        assert_eq!(record.files[0].after, *blake3::hash(b"3").as_bytes());
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        changes.forget_record(&path);
        let (path, record) = changes.last_record(&root).expect("remembered");
        assert_eq!(record.files[0].before, b"1");
        let other = RootDir::open(&data, "data").expect("a root");
        assert_eq!(changes.last_record(&other), None, "another root");
        fs::write(top.join("a"), "1").expect("written");
        assert_eq!(changes.last_record(&root), None, "it is as before");
        fs::write(top.join("a"), "2").expect("written");
        let old = path.with_file_name(format!("{:020}.{EXTENSION}", 1));
        fs::rename(&path, &old).expect("renamed");
        assert_eq!(changes.last_record(&root), None, "a day has passed");
        assert!(!old.exists());
    }

    /// A root with two files, and the changes of it.
    fn world(scratch: &Path) -> (RootDir, Changes, PathBuf) {
        let top = scratch.join("root");
        fs::create_dir_all(&top).expect("made");
        for name in ["a", "b"] {
            fs::write(top.join(name), "1").expect("written");
        }
        let root = RootDir::open(&top, "root").expect("a root");
        (root, Changes::new(&scratch.join("data")), top)
    }

    #[test]
    fn a_change_that_cannot_be_recorded_is_not_passed_over() {
        let scratch = tempfile::tempdir().expect("a directory");
        let (root, changes, _) = world(scratch.path());
        let cancel = CancelToken::default();
        let apply = |change: FileChange, hooks: Hooks| {
            let applied =
                changes.apply_undoable_with(&root, "edit_symbol", &[change], &cancel, hooks);
            applied.expect("changed").not_undoable
        };
        assert_eq!(apply(change("a", "1", "2"), NO_HOOKS), None);
        let failures = std::cell::Cell::new(1_u32);
        let no_space = |step: &'static str| {
            if step != "record" {
                return Ok(());
            }
            let left = failures.get().checked_sub(1);
            failures.set(left.unwrap_or_default());
            left.map_or(Ok(()), |_| Err(io::ErrorKind::StorageFull.into()))
        };
        let hooks = Hooks {
            before_step: &no_space,
            ..NO_HOOKS
        };
        let reason = apply(change("b", "1", "2"), hooks).expect("a reason");
        assert!(reason.contains("could not be written"), "{reason}");
        let (path, record) = changes.last_record(&root).expect("a mark");
        assert!(record.is_lost());
        // Where no mark can be left either, older changes are forgotten.
        changes.forget_record(&path);
        assert!(changes.last_record(&root).is_some());
        failures.set(2);
        assert!(apply(change("b", "2", "3"), hooks).is_some());
        assert_eq!(changes.last_record(&root), None);
    }

    #[test]
    fn a_change_that_somebody_reverted_does_not_keep_older_ones_from_being_undone() {
        let scratch = tempfile::tempdir().expect("a directory");
        let (root, changes, top) = world(scratch.path());
        let cancel = CancelToken::default();
        fs::write(top.join("a"), "W").expect("written");
        for (before, after) in [("W", "X"), ("X", "A"), ("A", "B")] {
            let change = [change("a", before, after)];
            let applied = changes.apply_undoable(&root, "edit_symbol", &change, &cancel);
            applied.expect("changed");
        }
        fs::write(top.join("a"), "A").expect("written");
        for expected in ["X", "W"] {
            let (path, record) = changes.last_record(&root).expect("remembered");
            assert_eq!(record.files[0].before, expected.as_bytes());
            fs::write(top.join("a"), expected).expect("written");
            changes.forget_record(&path);
        }
        assert_eq!(changes.last_record(&root), None);
    }

    #[test]
    fn copies_of_texts_by_others_are_dropped_after_a_month() {
        let scratch = tempfile::tempdir().expect("a directory");
        let changes = Changes::new(scratch.path());
        let kept = changes.folder.join("kept");
        fs::create_dir_all(&kept).expect("made");
        for (name, days) in [("old", 31), ("new", 29)] {
            let file = fs::File::create(kept.join(name)).expect("created");
            let age = std::time::Duration::from_secs(days * 24 * 60 * 60);
            let written = std::time::SystemTime::now() - age;
            file.set_modified(written).expect("set");
        }
        changes.drop_old_records();
        assert!(!kept.join("old").exists() && kept.join("new").exists());
    }

    #[test]
    fn records_are_bounded() {
        const MOST: u64 = 30_000;
        let scratch = tempfile::tempdir().expect("a directory");
        let changes = Changes::new(scratch.path());
        let long = "x".repeat(10_000);
        for _ in 0..4 {
            let record = UndoRecord::new("/r", "edit_symbol", &[change("a", &long, "")]);
            assert!(
                changes
                    .keep_record(&record, MOST, NO_HOOKS)
                    .expect("written")
                    .is_some()
            );
        }
        assert_eq!(changes.records().len(), 2);
        let longer = "x".repeat(30_000);
        let record = UndoRecord::new("/r", "edit_symbol", &[change("a", &longer, "")]);
        assert_eq!(
            changes
                .keep_record(&record, MOST, NO_HOOKS)
                .expect("nothing to write"),
            None
        );
        for _ in 0..MAX_RECORDS + 5 {
            let record = UndoRecord::new("/r", "edit_symbol", &[change("a", "1", "2")]);
            let kept = changes.keep_record(&record, MAX_BYTES, NO_HOOKS);
            kept.expect("written");
        }
        assert_eq!(changes.records().len(), MAX_RECORDS);
    }

    #[test]
    fn changes_at_the_same_moment_have_records_of_their_own() {
        let scratch = tempfile::tempdir().expect("a directory");
        let changes = Changes::new(scratch.path());
        let record = UndoRecord::new("/r", "edit_symbol", &[change("a", "1", "2")]);
        let keep = |hooks: Hooks| changes.keep_record(&record, MAX_BYTES, hooks);
        let other_first = |step: &'static str| {
            if step == "record" {
                keep(NO_HOOKS)?;
            }
            Ok(())
        };
        let hooks = Hooks {
            before_step: &other_first,
            ..NO_HOOKS
        };
        assert!(keep(hooks).expect("written").is_some());
        assert_eq!(changes.records().len(), 2);
    }

    #[test]
    fn a_moved_file_is_remembered_by_both_names() {
        let moved = FileChange {
            new_name: Some("new.rs".to_owned()),
            ..change("src/old.rs", "1", "2")
        };
        let record = UndoRecord::new("/r", "rename_symbol", &[moved]);
        assert_eq!(record.files[0].path, "src/new.rs");
        assert_eq!(record.files[0].old_name.as_deref(), Some("old.rs"));
    }
}
