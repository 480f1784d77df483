//! Applies a change, step by step.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;
use std::sync::PoisonError;

use cap_std::fs::Metadata;

use super::journal::{ChangePlan, Journal, PlannedFile, State};
use super::{
    ChangeError, Changes, ConflictCopy, FileChange, Hooks, LARGEST_FILE, MAX_FILES, NO_HOOKS,
    RecoveryOutcome, StagedFile, moves, undo,
};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::file_slot::{FileSlot, SlotContent};

/// The contents of a planned file, and the metadata of the old one: permissions and owner.
struct Contents<'a> {
    before: &'a [u8],
    after: &'a [u8],
    metadata: Metadata,
}

impl Changes {
    /// Changes all files, or none. Returns copies of edits that somebody made at the same time.
    pub fn apply(
        &self,
        root: &RootDir,
        files: &[FileChange],
        cancel: &CancelToken,
    ) -> Result<Vec<ConflictCopy>, ChangeError> {
        self.apply_with(root, files, cancel, NO_HOOKS)
    }

    pub(super) fn apply_with(
        &self,
        root: &RootDir,
        files: &[FileChange],
        cancel: &CancelToken,
        hooks: Hooks,
    ) -> Result<Vec<ConflictCopy>, ChangeError> {
        let lock = self.root_lock(root.path());
        let _guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        // A change that was cut off is settled before the next one begins.
        for recovery in self.settle(&[root.path().to_owned()], hooks) {
            if let RecoveryOutcome::Waiting(why) = recovery.outcome
                && recovery.root == root.path()
            {
                return Err(unfinished(root, why));
            }
        }
        let (plan, contents) = plan(root, files, cancel)?;
        let Some(first) = plan.files.first().map(|file| file.path.clone()) else {
            return Ok(vec![]);
        };
        let mut journal =
            Journal::begin(&self.folder, plan, hooks).map_err(ChangeError::failed(&first))?;
        let replaced = stage(&journal, root, &contents, cancel, hooks)
            .and_then(|()| {
                journal
                    .advance(State::Ready, hooks)
                    .map_err(ChangeError::failed(&first))
            })
            .and_then(|()| replace_all(&journal, root, hooks));
        if let Err(error) = replaced {
            return Err(undo_after(error, journal, root, &contents, hooks));
        }
        // From here on the change stands. If tidying up fails, the next recovery does it.
        Ok(complete(journal, root, hooks).unwrap_or_else(|error| {
            tracing::warn!(%error, "a change was made, but not tidied up after");
            vec![]
        }))
    }
}

/// Checks every file before anything is written. The contents are in the order of the plan's files.
fn plan<'a>(
    root: &RootDir,
    files: &'a [FileChange],
    cancel: &CancelToken,
) -> Result<(ChangePlan, Vec<Contents<'a>>), ChangeError> {
    let invalid = |path: &str, why: &str| ChangeError::Invalid {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    let Some(root_path) = root.path().to_str() else {
        return Err(invalid(
            &root.path().display().to_string(),
            "its name is not UTF-8",
        ));
    };
    if files.len() > MAX_FILES {
        return Err(invalid(
            root_path,
            &format!(
                "{} files in one change; the limit is {MAX_FILES}",
                files.len()
            ),
        ));
    }
    let mut paths = HashSet::new();
    let mut plan = ChangePlan {
        root: root_path.to_owned(),
        files: vec![],
    };
    let mut contents = vec![];
    for change in files {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        let path = change.path.as_str();
        if !paths.insert(path) {
            return Err(invalid(path, "is named twice"));
        }
        let slot = FileSlot::open(root, path).map_err(ChangeError::failed(path))?;
        let (before, metadata) = slot
            .read(slot.name(), LARGEST_FILE)
            .map_err(ChangeError::failed(path))?;
        if change.before != before {
            return Err(ChangeError::Changed {
                path: path.to_owned(),
            });
        }
        if change.after.len() as u64 > LARGEST_FILE {
            return Err(invalid(path, "would become too large"));
        }
        if let Some(name) = &change.new_name {
            moves::check_name(&slot, name).map_err(|why| invalid(path, &why))?;
        } else if change.after == before {
            continue;
        }
        slot.check_writable().map_err(ChangeError::failed(path))?;
        plan.files.push(PlannedFile {
            path: path.to_owned(),
            before: blake3::hash(&before),
            after: blake3::hash(&change.after),
            new_name: change.new_name.clone(),
        });
        contents.push(Contents {
            before: &change.before,
            after: &change.after,
            metadata,
        });
    }
    Ok((plan, contents))
}

/// Writes the new contents beside the files.
fn stage(
    journal: &Journal,
    root: &RootDir,
    contents: &[Contents<'_>],
    cancel: &CancelToken,
    hooks: Hooks,
) -> Result<(), ChangeError> {
    for (at, content) in contents.iter().enumerate() {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        let file = open_staged(journal, root, at)?;
        file.slot
            .create(
                &file.staged,
                content.after,
                &content.metadata,
                hooks.before_step,
            )
            .map_err(ChangeError::failed(file.path))?;
    }
    sync_folders(journal, root).map_err(|(path, error)| ChangeError::Failed { path, error })
}

pub(super) fn replace_all(
    journal: &Journal,
    root: &RootDir,
    hooks: Hooks,
) -> Result<(), ChangeError> {
    for (at, planned) in journal.plan.files.iter().enumerate() {
        let file = open_staged(journal, root, at)?;
        if !replace(&file, planned, hooks).map_err(ChangeError::failed(file.path))? {
            return Err(ChangeError::Changed {
                path: planned.path.clone(),
            });
        }
    }
    sync_folders(journal, root).map_err(|(path, error)| ChangeError::Failed { path, error })
}

fn open_staged<'a>(
    journal: &'a Journal,
    root: &RootDir,
    at: usize,
) -> Result<StagedFile<'a>, ChangeError> {
    let path = &journal.plan.files[at].path;
    let file = journal.staged_file(root, at);
    file.map_err(ChangeError::failed(path))?
        .ok_or_else(|| ChangeError::Changed { path: path.clone() })
}

/// Replaces one file by its new content, unless that has been done. Returns false if somebody has changed the file.
fn replace(file: &StagedFile, planned: &PlannedFile, hooks: Hooks) -> io::Result<bool> {
    if let Some(new_name) = &planned.new_name {
        return moves::complete(file, planned, new_name, hooks);
    }
    let (before, after) = (
        SlotContent::File(planned.before),
        SlotContent::File(planned.after),
    );
    let inspect = |name: &str| file.slot.inspect(name, LARGEST_FILE);
    let staged = inspect(&file.staged)?;
    if staged == before {
        // Replaced before a crash.
        return Ok(true);
    }
    if staged != after {
        // Somebody has removed or edited the staged file: `git clean` removes it.
        return if inspect(file.slot.name())? == after {
            Ok(true)
        } else {
            Err(io::Error::other(
                "another program removed its new content before it was in place",
            ))
        };
    }
    if inspect(file.slot.name())? != before {
        return Ok(false);
    }
    file.slot
        .swap(&file.staged, &file.aside, hooks.method, hooks.before_step)?;
    // Somebody may have written into the file before it was exchanged.
    Ok(inspect(&file.staged)? == before)
}

/// Removes the old contents, except those that somebody has edited since: they are returned as copies.
pub(super) fn complete(
    mut journal: Journal,
    root: &RootDir,
    hooks: Hooks,
) -> io::Result<Vec<ConflictCopy>> {
    journal.advance(State::Done, hooks)?;
    let mut copies = vec![];
    for (at, planned) in journal.plan.files.iter().enumerate() {
        let Some(file) = journal.staged_file(root, at)? else {
            continue;
        };
        file.slot
            .finish_swap(&file.staged, &file.aside, hooks.before_step)?;
        for name in [&file.staged, &file.aside] {
            match file.slot.inspect(name, LARGEST_FILE)? {
                SlotContent::Nothing => {}
                SlotContent::File(hash) if hash == planned.before || hash == planned.after => {
                    file.slot.remove(name, hooks.before_step)?;
                }
                SlotContent::File(_) | SlotContent::Other => {
                    copies.push(journal.keep(&file, name, hooks)?);
                }
            }
        }
    }
    journal.forget(hooks)?;
    Ok(copies)
}

/// Stages the old contents of replaced files again where somebody has removed them, so that the files can be restored.
fn restage_old(
    journal: &Journal,
    root: &RootDir,
    contents: &[Contents<'_>],
    hooks: Hooks,
) -> io::Result<()> {
    if journal.state == State::Preparing {
        return Ok(());
    }
    for (at, planned) in journal.plan.files.iter().enumerate() {
        let Some(file) = journal.staged_file(root, at)? else {
            continue;
        };
        let inspect = |name: &str| file.slot.inspect(name, LARGEST_FILE);
        let is_lost = planned.new_name.is_none()
            && inspect(&file.staged)? == SlotContent::Nothing
            && inspect(&file.aside)? == SlotContent::Nothing
            && inspect(file.slot.name())? == SlotContent::File(planned.after);
        if !is_lost {
            continue;
        }
        // A half-written file must not have the staged name: an undo would restore it.
        let half = format!("{}.old.tmp", file.staged.trim_end_matches(".tmp"));
        let Contents {
            before, metadata, ..
        } = &contents[at];
        let staged = file
            .slot
            .create(&half, before, metadata, hooks.before_step)
            .and_then(|()| file.slot.rename(&half, &file.staged, hooks.before_step));
        if let Err(error) = staged {
            let _ = file.slot.remove(&half, hooks.before_step);
            return Err(error);
        }
    }
    Ok(())
}

/// Undoes a change that failed. Returns the error, or a worse one if files could not be restored.
fn undo_after(
    error: ChangeError,
    journal: Journal,
    root: &RootDir,
    contents: &[Contents<'_>],
    hooks: Hooks,
) -> ChangeError {
    let undone = restage_old(&journal, root, contents, hooks)
        .and_then(|()| undo::undo(journal, root, hooks));
    match undone {
        Ok(copies) => match copies.into_iter().next() {
            Some(copy) => ChangeError::Disturbed {
                why: error.to_string(),
                copy,
            },
            None => error,
        },
        Err(failure) => unfinished(
            root,
            format!("{error}, then the rollback failed: {failure}"),
        ),
    }
}

fn unfinished(root: &RootDir, why: String) -> ChangeError {
    ChangeError::Unfinished {
        root: root.path().display().to_string(),
        why,
    }
}

pub(super) fn sync_folders(journal: &Journal, root: &RootDir) -> Result<(), (String, io::Error)> {
    let mut synced = BTreeSet::new();
    for (at, planned) in journal.plan.files.iter().enumerate() {
        if synced.insert(Path::new(&planned.path).parent()) {
            let sync = || {
                journal
                    .staged_file(root, at)?
                    .map_or(Ok(()), |file| file.slot.sync())
            };
            sync().map_err(|error| (planned.path.clone(), error))?;
        }
    }
    Ok(())
}
