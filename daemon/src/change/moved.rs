//! A file that gets another content and another name in its folder.
//!
//! The new content lies beside (`other`). First that is put under the new name, then the file itself is moved beside, into
//! the place that is free now. Which names are there tells how far it has come, also where the content stays the same.

use std::io;

use super::journal::PlannedFile;
use super::{Beside, Hands, LARGEST_FILE};
use crate::source::file_slot::{FileSlot, SlotContent};

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The file is what it was, and its new content lies beside.
    Begun,
    /// The new content has its name, and the file is still there.
    Put,
    /// What was there lies beside.
    Done,
    /// Somebody else was at work.
    Strange,
}

/// Why a file of a folder cannot be called so.
pub fn check(spot: &FileSlot, name: &str) -> Result<(), String> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !is_plain {
        return Err(format!("cannot be called `{name}`"));
    }
    match spot.inspect(name, LARGEST_FILE) {
        Ok(SlotContent::Nothing) => Ok(()),
        Ok(_) => Err(format!("would be called {name}, which is there already")),
        Err(error) => Err(error.to_string()),
    }
}

pub fn step(beside: &Beside, file: &PlannedFile, name: &str) -> io::Result<Step> {
    let (before, after) = (
        SlotContent::File(file.before),
        SlotContent::File(file.after),
    );
    let see = |name: &str| beside.spot.inspect(name, LARGEST_FILE);
    let (own, new, other) = (see(beside.spot.name())?, see(name)?, see(&beside.other)?);
    Ok(match other {
        SlotContent::Nothing if own == before && new == after => Step::Put,
        // Where the content stays the same, this and the end of it differ by what else is there.
        other if other == after && own == before && new == SlotContent::Nothing => Step::Begun,
        other if other == before => Step::Done,
        _ => Step::Strange,
    })
}

/// Goes on to the end. False if somebody has changed something meanwhile.
pub fn put(beside: &Beside, file: &PlannedFile, name: &str, hands: Hands) -> io::Result<bool> {
    let Beside { spot, other, .. } = beside;
    if step(beside, file, name)? == Step::Begun {
        spot.rename(other, name, hands.point)?;
    }
    match step(beside, file, name)? {
        Step::Put => spot.rename(spot.name(), other, hands.point)?,
        Step::Done => return Ok(true),
        Step::Begun | Step::Strange => return Ok(false),
    }
    // Only now is it known what was there at that moment.
    Ok(spot.inspect(other, LARGEST_FILE)? == SlotContent::File(file.before))
}

/// Gives the file its place back, and then takes the new one away. What is left beside, if anything, is nobody else's copy.
pub fn take_back(
    beside: &Beside,
    file: &PlannedFile,
    name: &str,
    hands: Hands,
) -> io::Result<Option<String>> {
    let Beside { spot, other, .. } = beside;
    let (before, after) = (
        SlotContent::File(file.before),
        SlotContent::File(file.after),
    );
    let see = |name: &str| spot.inspect(name, LARGEST_FILE);
    let (new, lies) = (see(name)?, see(other)?);
    let is_old = lies != SlotContent::Nothing && (lies != after || before == after);
    // What somebody has made of the new file is theirs, and stays alone.
    if is_old
        && see(spot.name())? == SlotContent::Nothing
        && (new == after || new == SlotContent::Nothing)
    {
        spot.rename(other, spot.name(), hands.point)?;
    }
    // Never the last that there is of it.
    if new == after && see(spot.name())? != SlotContent::Nothing {
        spot.remove(name, hands.point)?;
    }
    match see(other)? {
        SlotContent::Nothing => Ok(None),
        seen if seen == after && (before != after || see(spot.name())? == before) => {
            spot.remove(other, hands.point)?;
            Ok(None)
        }
        _ => Ok(Some(other.clone())),
    }
}
