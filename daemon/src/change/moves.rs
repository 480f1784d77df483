//! Changes the content of a file and renames it within its folder.
//!
//! The new content is staged beside the file. First the staged content is moved to the new name, then the file itself is moved
//! to the staged name, which is free by then. The names that exist show the progress, even if the content stays the same.

use std::io;

use super::journal::PlannedFile;
use super::{Hooks, LARGEST_FILE, StagedFile};
use crate::source::file_slot::{FileSlot, SlotContent};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveState {
    /// The file is as it was, and its new content is staged.
    Staged,
    /// The new content has the new name, and the file still has the old one.
    Created,
    /// The old content has the staged name.
    Done,
    /// Somebody else has changed one of the files.
    Disturbed,
}

/// Checks that a name is valid and free in the folder of `slot`. The error says why not.
pub fn check_name(slot: &FileSlot, name: &str) -> Result<(), String> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !is_plain {
        return Err(format!("cannot be called `{name}`"));
    }
    match slot.inspect(name, LARGEST_FILE) {
        Ok(SlotContent::Nothing) => Ok(()),
        Ok(_) => Err(format!("would be called {name}, which already exists")),
        Err(error) => Err(error.to_string()),
    }
}

pub fn state(file: &StagedFile, planned: &PlannedFile, new_name: &str) -> io::Result<MoveState> {
    let (before, after) = (
        SlotContent::File(planned.before),
        SlotContent::File(planned.after),
    );
    let inspect = |name: &str| file.slot.inspect(name, LARGEST_FILE);
    let (old, new, staged) = (
        inspect(file.slot.name())?,
        inspect(new_name)?,
        inspect(&file.staged)?,
    );
    Ok(match staged {
        SlotContent::Nothing if old == before && new == after => MoveState::Created,
        // If the content stays the same, only the other two names distinguish this from `Done`.
        staged if staged == after && old == before && new == SlotContent::Nothing => {
            MoveState::Staged
        }
        staged if staged == before => MoveState::Done,
        _ => MoveState::Disturbed,
    })
}

/// Carries out the remaining steps. Returns false if somebody has changed one of the files.
pub fn complete(
    file: &StagedFile,
    planned: &PlannedFile,
    new_name: &str,
    hooks: Hooks,
) -> io::Result<bool> {
    let StagedFile { slot, staged, .. } = file;
    if state(file, planned, new_name)? == MoveState::Staged {
        slot.rename(staged, new_name, hooks.before_step)?;
    }
    match state(file, planned, new_name)? {
        MoveState::Created => slot.rename(slot.name(), staged, hooks.before_step)?,
        MoveState::Done => return Ok(true),
        MoveState::Staged | MoveState::Disturbed => return Ok(false),
    }
    // Somebody may have written into the file before it was moved.
    Ok(slot.inspect(staged, LARGEST_FILE)? == SlotContent::File(planned.before))
}

/// Restores the file, then removes the new one. Returns false if the staged name has content that exists nowhere else.
pub fn undo(
    file: &StagedFile,
    planned: &PlannedFile,
    new_name: &str,
    hooks: Hooks,
) -> io::Result<bool> {
    let StagedFile { slot, staged, .. } = file;
    let (before, after) = (
        SlotContent::File(planned.before),
        SlotContent::File(planned.after),
    );
    let inspect = |name: &str| slot.inspect(name, LARGEST_FILE);
    let (new, beside) = (inspect(new_name)?, inspect(staged)?);
    let is_old = beside != SlotContent::Nothing && (beside != after || before == after);
    // A new file that somebody has edited is theirs: the old file is not restored beside it.
    if is_old
        && inspect(slot.name())? == SlotContent::Nothing
        && (new == after || new == SlotContent::Nothing)
    {
        slot.rename(staged, slot.name(), hooks.before_step)?;
    }
    // The new file stays if it is the only one.
    if new == after && inspect(slot.name())? != SlotContent::Nothing {
        slot.remove(new_name, hooks.before_step)?;
    }
    match inspect(staged)? {
        SlotContent::Nothing => Ok(true),
        found if found == after && (before != after || inspect(slot.name())? == before) => {
            slot.remove(staged, hooks.before_step)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
