//! Taking a change back: every file that was replaced gets its place back, the last one first.

use std::io;

use super::apply::sync_folders;
use super::journal::{Journal, State};
use super::{Beside, Hands, Kept, LARGEST_FILE, moved};
use crate::source::beneath::RootDir;
use crate::source::file_slot::SlotContent;

/// What was kept belongs to files that somebody has changed since: those stay as they are.
pub fn undo(mut journal: Journal, root: &RootDir, hands: Hands) -> io::Result<Vec<Kept>> {
    let mut kept = vec![];
    let is_begun = journal.state != State::Preparing;
    if is_begun {
        journal.advance(State::Undo, hands)?;
    }
    for at in (0..journal.plan.files.len()).rev() {
        let Some(beside) = journal.beside(root, at)? else {
            continue;
        };
        if is_begun {
            undo_one(&journal, at, &beside, hands, &mut kept)?;
        } else {
            beside.spot.remove(&beside.other, hands.point)?;
        }
    }
    sync_folders(&journal, root).map_err(|(_, error)| error)?;
    journal.forget(hands)?;
    Ok(kept)
}

fn undo_one(
    journal: &Journal,
    at: usize,
    beside: &Beside,
    hands: Hands,
    kept: &mut Vec<Kept>,
) -> io::Result<()> {
    let file = &journal.plan.files[at];
    if let Some(name) = &file.new_name {
        if let Some(left) = moved::take_back(beside, file, name, hands)? {
            kept.push(journal.keep(beside, &left, hands)?);
        }
        return Ok(());
    }
    let after = SlotContent::File(file.after);
    let Beside {
        spot, other, third, ..
    } = beside;
    let see = |name: &str| spot.inspect(name, LARGEST_FILE);
    spot.finish_swap(other, third, hands.point)?;
    if see(other)? != SlotContent::Nothing && see(other)? != after && see(spot.name())? == after {
        spot.swap(other, third, hands.way, hands.point)?;
        if see(other)? != after {
            // Somebody has edited the new content in this very moment: it is theirs now.
            spot.swap(other, third, hands.way, hands.point)?;
        }
    }
    for name in [other, third] {
        match see(name)? {
            SlotContent::Nothing => {}
            seen if seen == after => spot.remove(name, hands.point)?,
            _ => kept.push(journal.keep(beside, name, hands)?),
        }
    }
    Ok(())
}
