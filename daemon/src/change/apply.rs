//! Making a change, step by step.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;
use std::sync::PoisonError;

use super::journal::{Journal, Plan, PlannedFile, State};
use super::{
    Applied, ChangeError, Changes, Edit, FileChange, HANDS, Hands, Kept, LARGEST_FILE, MOST_FILES,
    Outcome, edit, moved,
};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::file_slot::{FileSlot, SlotContent};

impl Changes {
    /// Changes all files, or none.
    pub fn apply(
        &self,
        root: &RootDir,
        files: &[FileChange],
        cancel: &CancelToken,
    ) -> Result<Applied, ChangeError> {
        self.apply_with(root, files, cancel, HANDS)
    }

    pub(super) fn apply_with(
        &self,
        root: &RootDir,
        files: &[FileChange],
        cancel: &CancelToken,
        hands: Hands,
    ) -> Result<Applied, ChangeError> {
        let turn = self.turn(root.path());
        let _one_at_a_time = turn.lock().unwrap_or_else(PoisonError::into_inner);
        // What an earlier change has left behind must not be mixed with this one.
        let waiting = self
            .settle(&[root.path().to_owned()], hands)
            .into_iter()
            .find_map(|recovered| {
                let Outcome::Waiting(why) = recovered.outcome else {
                    return None;
                };
                (recovered.root == root.path()).then_some(why)
            });
        if let Some(why) = waiting {
            return Err(ChangeError::Unfinished {
                root: root.path().display().to_string(),
                why,
            });
        }
        let (plan, edits) = plan(root, files, cancel)?;
        let Some(first) = plan.files.first().map(|file| file.path.clone()) else {
            return Ok(Applied::default());
        };
        let changed = plan
            .files
            .iter()
            .map(PlannedFile::path_afterwards)
            .collect();
        let mut journal =
            Journal::begin(&self.folder, plan, hands).map_err(ChangeError::failed(&first))?;
        let made = prepare(&journal, root, &edits, cancel, hands)
            .and_then(|()| {
                journal
                    .advance(State::Ready, hands)
                    .map_err(ChangeError::failed(&first))
            })
            .and_then(|()| replace_all(&journal, root, hands));
        if let Err(why) = made {
            return Err(take_back(journal, root, why, hands));
        }
        // From here on the change stands; what remains to be tidied up is so at the next start as well.
        let kept = complete(journal, root, hands).unwrap_or_else(|error| {
            tracing::warn!(%error, "a change was made, but not tidied up after");
            vec![]
        });
        Ok(Applied { changed, kept })
    }
}

/// Looks at everything before anything is written. The edits are in the order of the plan's files.
fn plan<'f>(
    root: &RootDir,
    files: &'f [FileChange],
    cancel: &CancelToken,
) -> Result<(Plan, Vec<&'f [Edit]>), ChangeError> {
    let invalid = |path: &str, why: &str| ChangeError::Invalid {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    let Some(place) = root.path().to_str() else {
        return Err(invalid(
            &root.path().display().to_string(),
            "its name is not UTF-8",
        ));
    };
    if files.len() > MOST_FILES {
        return Err(invalid(
            place,
            &format!("{} files at once, of at most {MOST_FILES}", files.len()),
        ));
    }
    let mut known = HashSet::new();
    let mut plan = Plan {
        root: place.to_owned(),
        files: vec![],
    };
    let mut edits = vec![];
    for change in files {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        let path = change.path.as_str();
        if !known.insert(path) {
            return Err(invalid(path, "is named twice"));
        }
        let spot = FileSlot::open(root, path).map_err(ChangeError::failed(path))?;
        let (before, _) = spot
            .read(spot.name(), LARGEST_FILE)
            .map_err(ChangeError::failed(path))?;
        if !change.expected.is(&before) {
            return Err(ChangeError::Changed {
                path: path.to_owned(),
            });
        }
        let after = edit::apply(&before, &change.edits).map_err(|why| invalid(path, &why))?;
        if after.len() as u64 > LARGEST_FILE {
            return Err(invalid(path, "would become too large"));
        }
        if let Some(name) = &change.new_name {
            moved::check(&spot, name).map_err(|why| invalid(path, &why))?;
        } else if after == before {
            continue;
        }
        spot.check_writable().map_err(ChangeError::failed(path))?;
        let (before, after) = (blake3::hash(&before), blake3::hash(&after));
        let new_name = change.new_name.clone();
        plan.files.push(PlannedFile {
            path: path.to_owned(),
            before,
            after,
            new_name,
        });
        edits.push(change.edits.as_slice());
    }
    Ok((plan, edits))
}

/// Puts the new contents beside the files. They are made from the files once more, so that only one is in memory.
fn prepare(
    journal: &Journal,
    root: &RootDir,
    edits: &[&[Edit]],
    cancel: &CancelToken,
    hands: Hands,
) -> Result<(), ChangeError> {
    for (at, (file, edits)) in journal.plan.files.iter().zip(edits).enumerate() {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        let changed = || ChangeError::Changed {
            path: file.path.clone(),
        };
        let failed = ChangeError::failed(&file.path);
        let beside = journal
            .beside(root, at)
            .map_err(&failed)?
            .ok_or_else(changed)?;
        let (before, found) = beside
            .spot
            .read(beside.spot.name(), LARGEST_FILE)
            .map_err(&failed)?;
        let after = edit::apply(&before, edits)
            .ok()
            .filter(|after| blake3::hash(after) == file.after);
        let after = after
            .filter(|_| blake3::hash(&before) == file.before)
            .ok_or_else(changed)?;
        beside
            .spot
            .create(&beside.other, &after, &found, hands.point)
            .map_err(&failed)?;
    }
    sync_folders(journal, root).map_err(|(path, error)| ChangeError::Failed { path, error })
}

pub(super) fn replace_all(
    journal: &Journal,
    root: &RootDir,
    hands: Hands,
) -> Result<(), ChangeError> {
    for at in 0..journal.plan.files.len() {
        replace(journal, root, at, hands)?;
    }
    sync_folders(journal, root).map_err(|(path, error)| ChangeError::Failed { path, error })
}

/// Puts one new content into its place, unless that has been done.
fn replace(journal: &Journal, root: &RootDir, at: usize, hands: Hands) -> Result<(), ChangeError> {
    let file = &journal.plan.files[at];
    let changed = || ChangeError::Changed {
        path: file.path.clone(),
    };
    let failed = ChangeError::failed(&file.path);
    let beside = journal
        .beside(root, at)
        .map_err(&failed)?
        .ok_or_else(changed)?;
    if let Some(name) = &file.new_name {
        return if moved::put(&beside, file, name, hands).map_err(&failed)? {
            Ok(())
        } else {
            Err(changed())
        };
    }
    let see = |name: &str| beside.spot.inspect(name, LARGEST_FILE).map_err(&failed);
    if see(&beside.other)? != SlotContent::File(file.after) {
        // Replaced before a crash.
        return Ok(());
    }
    if see(beside.spot.name())? != SlotContent::File(file.before) {
        return Err(changed());
    }
    beside
        .spot
        .swap(&beside.other, &beside.third, hands.way, hands.point)
        .map_err(&failed)?;
    // Only now is it known what was there at that moment.
    if see(&beside.other)? == SlotContent::File(file.before) {
        Ok(())
    } else {
        Err(changed())
    }
}

/// Removes what was there before, unless somebody has written into it since.
pub(super) fn complete(
    mut journal: Journal,
    root: &RootDir,
    hands: Hands,
) -> io::Result<Vec<Kept>> {
    journal.advance(State::Done, hands)?;
    let mut kept = vec![];
    for (at, file) in journal.plan.files.iter().enumerate() {
        let Some(beside) = journal.beside(root, at)? else {
            continue;
        };
        beside
            .spot
            .finish_swap(&beside.other, &beside.third, hands.point)?;
        for name in [&beside.other, &beside.third] {
            match beside.spot.inspect(name, LARGEST_FILE)? {
                SlotContent::Nothing => {}
                SlotContent::File(hash) if hash == file.before || hash == file.after => {
                    beside.spot.remove(name, hands.point)?;
                }
                SlotContent::File(_) | SlotContent::Other => {
                    kept.push(journal.keep(&beside, name, hands)?)
                }
            }
        }
    }
    journal.forget(hands)?;
    Ok(kept)
}

/// After a failure. What it says is why the change was not made, or that files are left half changed.
fn take_back(journal: Journal, root: &RootDir, why: ChangeError, hands: Hands) -> ChangeError {
    match super::undo::undo(journal, root, hands) {
        Ok(kept) => match kept.into_iter().next() {
            Some(kept) => ChangeError::Disturbed {
                why: why.to_string(),
                kept,
            },
            None => why,
        },
        Err(error) => {
            let why = format!("{why}, then it could not be taken back: {error}");
            ChangeError::Unfinished {
                root: root.path().display().to_string(),
                why,
            }
        }
    }
}

pub(super) fn sync_folders(journal: &Journal, root: &RootDir) -> Result<(), (String, io::Error)> {
    let mut synced = BTreeSet::new();
    for (at, file) in journal.plan.files.iter().enumerate() {
        if synced.insert(Path::new(&file.path).parent()) {
            let sync = || {
                journal
                    .beside(root, at)?
                    .map_or(Ok(()), |beside| beside.spot.sync())
            };
            sync().map_err(|error| (file.path.clone(), error))?;
        }
    }
    Ok(())
}
