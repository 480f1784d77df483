//! The old contents of changed files, in our own directory, so that a change can be taken back.
//!
//! They may hold secrets, so they are private to the user, bounded in size, and dropped after a day. A record is written before
//! its change, so that every change that was made has one; if a crash prevented the change, all files are as before, and the
//! record is passed over.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ChangeError, Changes, ConflictCopy, FileChange, Hooks, LARGEST_FILE, NO_HOOKS};
use crate::clock;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;

const EXTENSION: &str = "undo";
/// The most bytes of all records together. A larger change cannot be taken back.
const MAX_BYTES: u64 = 64 << 20;
const MAX_RECORDS: usize = 50;
const LONGEST_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A change that can be taken back.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoRecord {
    pub root: String,
    /// The tool that made the change.
    pub tool: String,
    /// Milliseconds since 1970.
    pub made: i64,
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
    /// Returns whether every file is as it was before the change.
    fn is_as_before(&self, root: &RootDir) -> bool {
        self.files.iter().all(|file| {
            let now = root.read(&file.old_path(), LARGEST_FILE);
            now.is_some_and(|now| now == file.before)
        })
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
    ) -> Result<Vec<ConflictCopy>, ChangeError> {
        self.apply_undoable_with(root, tool, files, cancel, NO_HOOKS)
    }

    pub(super) fn apply_undoable_with(
        &self,
        root: &RootDir,
        tool: &str,
        files: &[FileChange],
        cancel: &CancelToken,
        hooks: Hooks,
    ) -> Result<Vec<ConflictCopy>, ChangeError> {
        let changed: Vec<FileChange> = files
            .iter()
            .filter(|file| file.before != file.after || file.new_name.is_some())
            .cloned()
            .collect();
        if changed.is_empty() {
            return self.apply_with(root, files, cancel, hooks);
        }
        let record = UndoRecord::new(&root.path().to_string_lossy(), tool, &changed);
        let kept = self
            .keep_record(&record, MAX_BYTES, hooks)
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "a change cannot be taken back later");
                None
            });
        let applied = self.apply_with(root, files, cancel, hooks);
        applied.inspect_err(|_| {
            if let Some(path) = kept {
                let _ = fs::remove_file(path);
            }
        })
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

    /// Forgets a change that was taken back.
    pub fn forget_record(path: &Path) {
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "the record of a change cannot be removed");
        }
    }

    /// Removes records that are older than a day.
    pub fn drop_old_records(&self) {
        let oldest = clock::now() - LONGEST_MILLIS;
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
        Changes::forget_record(&path);
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
