//! Finishes or undoes changes that a crash cut off.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::journal::{Journal, State};
use super::moves::MoveState;
use super::{Changes, ConflictCopy, Hooks, LARGEST_FILE, NO_HOOKS, apply, moves, undo};
use crate::source::beneath::RootDir;
use crate::source::file_slot::SlotContent;

/// The outcome of a change that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    pub root: PathBuf,
    /// The files of the change, by their old names.
    pub paths: Vec<String>,
    pub outcome: RecoveryOutcome,
    pub copies: Vec<ConflictCopy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    Finished,
    Undone,
    /// Neither was possible, for this reason. It is tried again the next time.
    Waiting(String),
}

impl Changes {
    /// Recovers the changes of these roots only. Must be called before anything is indexed or changed.
    pub fn recover(&self, roots: &[PathBuf]) -> Vec<Recovery> {
        self.recover_with(roots, NO_HOOKS)
    }

    pub(super) fn recover_with(&self, roots: &[PathBuf], hooks: Hooks) -> Vec<Recovery> {
        // All locks are taken first, because journals are settled in the order in which they were begun, whatever their root.
        // They are taken in sorted order, so that two recoveries cannot deadlock.
        let ordered: BTreeSet<&PathBuf> = roots.iter().collect();
        let locks: Vec<_> = ordered
            .into_iter()
            .map(|root| self.root_lock(root))
            .collect();
        let _guards: Vec<_> = locks
            .iter()
            .map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        Journal::remove_incomplete(&self.folder);
        self.settle(roots, hooks)
    }

    pub(super) fn settle(&self, roots: &[PathBuf], hooks: Hooks) -> Vec<Recovery> {
        let (journals, damaged) = Journal::all(&self.folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journals of changes cannot be listed");
            (vec![], vec![])
        });
        for path in damaged {
            tracing::warn!(path = %path.display(), "a journal of changes is damaged and is left alone");
        }
        journals
            .into_iter()
            .map(|journal| settle_one(journal, roots, hooks))
            .collect()
    }
}

fn settle_one(journal: Journal, roots: &[PathBuf], hooks: Hooks) -> Recovery {
    let root = PathBuf::from(&journal.plan.root);
    let files = journal.plan.files.iter();
    let paths = files.map(|file| file.path.clone()).collect();
    let (outcome, copies) = if roots.contains(&root) {
        open_and_settle(journal, &root, hooks)
            .unwrap_or_else(|why| (RecoveryOutcome::Waiting(why), vec![]))
    } else {
        (
            RecoveryOutcome::Waiting("its folder is not one of the roots".to_owned()),
            vec![],
        )
    };
    Recovery {
        root,
        paths,
        outcome,
        copies,
    }
}

fn open_and_settle(
    journal: Journal,
    root: &Path,
    hooks: Hooks,
) -> Result<(RecoveryOutcome, Vec<ConflictCopy>), String> {
    let text = |error: io::Error| error.to_string();
    let root = RootDir::open(root, "").map_err(|error| error.message.to_string())?;
    let is_finished = match journal.state {
        State::Done => true,
        State::Preparing | State::Undo => false,
        State::Ready => {
            let finish = || apply::replace_all(&journal, &root, hooks);
            can_be_finished(&journal, &root, hooks).map_err(text)?
                && finish()
                    .inspect_err(|error| tracing::warn!(%error, "a change could not be finished and is undone"))
                    .is_ok()
        }
    };
    if is_finished {
        let copies = apply::complete(journal, &root, hooks).map_err(text)?;
        Ok((RecoveryOutcome::Finished, copies))
    } else {
        let copies = undo::undo(journal, &root, hooks).map_err(text)?;
        Ok((RecoveryOutcome::Undone, copies))
    }
}

/// Returns whether every file is replaced, or is as it was and has its new content beside it.
fn can_be_finished(journal: &Journal, root: &RootDir, hooks: Hooks) -> io::Result<bool> {
    for (at, planned) in journal.plan.files.iter().enumerate() {
        let (before, after) = (
            SlotContent::File(planned.before),
            SlotContent::File(planned.after),
        );
        let Some(file) = journal.staged_file(root, at)? else {
            return Ok(false);
        };
        if let Some(new_name) = &planned.new_name {
            if moves::state(&file, planned, new_name)? == MoveState::Disturbed {
                return Ok(false);
            }
            continue;
        }
        file.slot
            .finish_swap(&file.staged, &file.aside, hooks.before_step)?;
        let inspect = |name: &str| file.slot.inspect(name, LARGEST_FILE);
        let is_sound = match inspect(&file.staged)? {
            staged if staged == after => {
                inspect(file.slot.name())? == before
                    && inspect(&file.aside)? == SlotContent::Nothing
            }
            staged => {
                staged == before
                    || staged == SlotContent::Nothing && inspect(file.slot.name())? == after
            }
        };
        if !is_sound {
            return Ok(false);
        }
    }
    Ok(true)
}
