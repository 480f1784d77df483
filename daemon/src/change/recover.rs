//! After a crash: changes that were cut off are finished or taken back.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::journal::{Journal, PlannedFile, State};
use super::{Changes, HANDS, Hands, Kept, LARGEST_FILE, apply, moved, undo};
use crate::source::beneath::RootDir;
use crate::source::file_slot::SlotContent;

/// What has become of a change that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    pub root: PathBuf,
    /// The files that it was about.
    pub paths: Vec<String>,
    pub outcome: Outcome,
    pub kept: Vec<Kept>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Finished,
    TakenBack,
    /// Neither was possible, and why. It is tried again the next time.
    Waiting(String),
}

impl Changes {
    /// To be called before anything is indexed or changed. Only these roots are touched.
    pub fn recover(&self, roots: &[PathBuf]) -> Vec<Recovered> {
        self.recover_with(roots, HANDS)
    }

    pub(super) fn recover_with(&self, roots: &[PathBuf], hands: Hands) -> Vec<Recovered> {
        // All at once, because journals are settled in the order in which they were begun, whatever their root.
        let in_one_order: BTreeSet<&PathBuf> = roots.iter().collect();
        let turns: Vec<_> = in_one_order
            .into_iter()
            .map(|root| self.turn(root))
            .collect();
        let _one_at_a_time: Vec<_> = turns
            .iter()
            .map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        Journal::remove_unborn(&self.folder);
        self.settle(roots, hands)
    }

    pub(super) fn settle(&self, roots: &[PathBuf], hands: Hands) -> Vec<Recovered> {
        let (journals, damaged) = Journal::all(&self.folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journals of changes cannot be listed");
            (vec![], vec![])
        });
        for path in damaged {
            tracing::warn!(path = %path.display(), "a journal of changes cannot be understood; it is left alone");
        }
        journals
            .into_iter()
            .map(|journal| settle_one(journal, roots, hands))
            .collect()
    }
}

fn settle_one(journal: Journal, roots: &[PathBuf], hands: Hands) -> Recovered {
    let root = PathBuf::from(&journal.plan.root);
    let paths = journal
        .plan
        .files
        .iter()
        .map(PlannedFile::path_afterwards)
        .collect();
    let (outcome, kept) = if roots.contains(&root) {
        open_and_settle(journal, &root, hands).unwrap_or_else(|why| (Outcome::Waiting(why), vec![]))
    } else {
        (
            Outcome::Waiting("its folder is not one of the roots".to_owned()),
            vec![],
        )
    };
    Recovered {
        root,
        paths,
        outcome,
        kept,
    }
}

fn open_and_settle(
    mut journal: Journal,
    root: &Path,
    hands: Hands,
) -> Result<(Outcome, Vec<Kept>), String> {
    let text = |error: io::Error| error.to_string();
    let root = RootDir::open(root, "").map_err(|error| error.message.to_string())?;
    if journal.state == State::Ready {
        let is_finished = can_be_finished(&journal, &root, hands).map_err(text)?
            && apply::replace_all(&journal, &root, hands)
                .inspect_err(|error| tracing::warn!(%error, "a change could not be finished and is taken back"))
                .is_ok();
        journal
            .advance(
                if is_finished {
                    State::Done
                } else {
                    State::Undo
                },
                hands,
            )
            .map_err(text)?;
    }
    if journal.state == State::Done {
        return apply::complete(journal, &root, hands)
            .map(|kept| (Outcome::Finished, kept))
            .map_err(text);
    }
    undo::undo(journal, &root, hands)
        .map(|kept| (Outcome::TakenBack, kept))
        .map_err(text)
}

/// Whether every file is replaced, or is what it was and has its new content beside it.
fn can_be_finished(journal: &Journal, root: &RootDir, hands: Hands) -> io::Result<bool> {
    for (at, file) in journal.plan.files.iter().enumerate() {
        let (before, after) = (
            SlotContent::File(file.before),
            SlotContent::File(file.after),
        );
        let Some(beside) = journal.beside(root, at)? else {
            return Ok(false);
        };
        if let Some(name) = &file.new_name {
            if moved::step(&beside, file, name)? == moved::Step::Strange {
                return Ok(false);
            }
            continue;
        }
        beside
            .spot
            .finish_swap(&beside.other, &beside.third, hands.point)?;
        let see = |name: &str| beside.spot.inspect(name, LARGEST_FILE);
        let is_sound = match see(&beside.other)? {
            other if other == after => {
                see(beside.spot.name())? == before && see(&beside.third)? == SlotContent::Nothing
            }
            other => {
                other == before
                    || other == SlotContent::Nothing && see(beside.spot.name())? == after
            }
        };
        if !is_sound {
            return Ok(false);
        }
    }
    Ok(true)
}
