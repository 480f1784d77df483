//! Undoes a change: every replaced file is restored, the last one first.

use std::io;

use super::apply::sync_folders;
use super::journal::{Journal, State};
use super::{ConflictCopy, Hooks, LARGEST_FILE, StagedFile, moves};
use crate::source::beneath::RootDir;
use crate::source::file_slot::SlotContent;

/// Returns copies of the old contents of files that somebody has edited since: those files stay as they are.
pub fn undo(mut journal: Journal, root: &RootDir, hooks: Hooks) -> io::Result<Vec<ConflictCopy>> {
    let mut copies = vec![];
    let is_begun = journal.state != State::Preparing;
    if is_begun {
        journal.advance(State::Undo, hooks)?;
    }
    for at in (0..journal.plan.files.len()).rev() {
        let Some(file) = journal.staged_file(root, at)? else {
            continue;
        };
        if is_begun {
            restore(&journal, at, &file, hooks, &mut copies)?;
        } else {
            file.slot.remove(&file.staged, hooks.before_step)?;
        }
    }
    sync_folders(&journal, root).map_err(|(_, error)| error)?;
    journal.forget(hooks)?;
    Ok(copies)
}

fn restore(
    journal: &Journal,
    at: usize,
    file: &StagedFile,
    hooks: Hooks,
    copies: &mut Vec<ConflictCopy>,
) -> io::Result<()> {
    let planned = &journal.plan.files[at];
    if let Some(new_name) = &planned.new_name {
        if !moves::undo(file, planned, new_name, hooks)? {
            copies.push(journal.keep(file, &file.staged, hooks)?);
        }
        return Ok(());
    }
    let after = SlotContent::File(planned.after);
    let StagedFile {
        slot,
        staged,
        aside,
        ..
    } = file;
    let inspect = |name: &str| slot.inspect(name, LARGEST_FILE);
    slot.finish_swap(staged, aside, hooks.before_step)?;
    if inspect(staged)? != SlotContent::Nothing
        && inspect(staged)? != after
        && inspect(slot.name())? == after
    {
        slot.swap(staged, aside, hooks.method, hooks.before_step)?;
        if inspect(staged)? != after {
            // Somebody has edited the new content at this very moment: it is theirs now.
            slot.swap(staged, aside, hooks.method, hooks.before_step)?;
        }
    }
    for name in [staged, aside] {
        match inspect(name)? {
            SlotContent::Nothing => {}
            found if found == after => slot.remove(name, hooks.before_step)?,
            _ => copies.push(journal.keep(file, name, hooks)?),
        }
    }
    Ok(())
}
