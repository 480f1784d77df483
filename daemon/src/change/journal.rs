//! The journal of a change: its plan, written to disk before the first step.
//!
//! The content is written once. The state of the change is the extension of the file's name, which a rename advances.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{ConflictCopy, Hooks, StagedFile};
use crate::clock;
use crate::source::beneath::RootDir;
use crate::source::file_slot::FileSlot;

/// The folder of copies of texts by others.
const KEPT: &str = "kept";
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The extension of a journal that is still being written.
const INCOMPLETE: &str = "incomplete";
static LAST: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Preparing,
    Ready,
    Undo,
    Done,
}

impl State {
    const ALL: [Self; 4] = [Self::Preparing, Self::Ready, Self::Undo, Self::Done];

    /// Returns the extension of a journal in this state.
    fn extension(self) -> &'static str {
        match self {
            Self::Preparing => "preparing",
            Self::Ready => "ready",
            Self::Undo => "undo",
            Self::Done => "done",
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ChangePlan {
    pub root: String,
    pub files: Vec<PlannedFile>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct PlannedFile {
    pub path: String,
    #[serde(with = "hex")]
    pub before: blake3::Hash,
    #[serde(with = "hex")]
    pub after: blake3::Hash,
    /// Its name after the change, in the same folder.
    #[serde(default)]
    pub new_name: Option<String>,
}

mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(hash: &blake3::Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hash.to_hex())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<blake3::Hash, D::Error> {
        blake3::Hash::from_hex(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    id: String,
    pub state: State,
    pub plan: ChangePlan,
}

impl Journal {
    pub fn begin(folder: &Path, plan: ChangePlan, hooks: Hooks) -> io::Result<Self> {
        let nanos = u64::try_from(clock::nanos(std::time::SystemTime::now())).unwrap_or_default();
        // Increasing even if the clock is set back.
        let next = |last: u64| nanos.max(last + 1);
        let last = LAST
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                Some(next(last))
            })
            .unwrap_or_else(|last| last);
        let id = next(last);
        let journal = Self {
            folder: folder.to_owned(),
            id: format!("{id:x}"),
            state: State::Preparing,
            plan,
        };
        let text = serde_json::to_vec(&journal.plan)?;
        (hooks.before_step)("journal")?;
        fs::create_dir_all(folder)?;
        // A journal with a state in its name is complete.
        let incomplete = folder.join(format!("{}.{INCOMPLETE}", journal.id));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&incomplete)
            .and_then(|mut file| {
                file.write_all(&text)?;
                file.sync_all()?;
                (hooks.before_step)("written")?;
                fs::rename(&incomplete, journal.file())
            });
        if let Err(error) = written.and_then(|()| sync(folder)) {
            let _ = fs::remove_file(&incomplete);
            let _ = fs::remove_file(journal.file());
            return Err(error);
        }
        Ok(journal)
    }

    /// Returns the journals of changes that were cut off, the oldest first, and the paths of damaged ones.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    pub fn all(folder: &Path) -> io::Result<(Vec<Self>, Vec<PathBuf>)> {
        let listed = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((vec![], vec![])),
            listed => listed?,
        };
        let (mut journals, mut damaged) = (vec![], vec![]);
        for path in listed.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let (id, extension) = name.rsplit_once('.').unwrap_or_default();
            let mut states = State::ALL.into_iter();
            let Some(state) = states.find(|state| state.extension() == extension) else {
                continue;
            };
            let plan = match fs::read(&path) {
                // A change of another root has advanced its journal.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => read
                    .ok()
                    .and_then(|text| serde_json::from_slice(&text).ok()),
            };
            match plan {
                Some(plan) => journals.push(Self {
                    folder: folder.to_owned(),
                    id: id.to_owned(),
                    state,
                    plan,
                }),
                None => damaged.push(path),
            }
        }
        // Hexadecimal numbers without leading zeros.
        journals.sort_by_cached_key(|journal| (journal.id.len(), journal.id.clone()));
        Ok((journals, damaged))
    }

    /// Removes the remains of journals that a crash cut off. To be called while no change is under way.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    pub fn remove_incomplete(folder: &Path) {
        let listed = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        for path in
            listed.filter(|path| path.extension().is_some_and(|ending| ending == INCOMPLETE))
        {
            let _ = fs::remove_file(path);
        }
    }

    /// Removes copies that are older than a month.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    pub fn remove_old_copies(folder: &Path) {
        let listed = fs::read_dir(folder.join(KEPT));
        for copy in listed.into_iter().flatten().flatten() {
            let written = copy.metadata().and_then(|found| found.modified());
            let age = written.ok().and_then(|written| written.elapsed().ok());
            if age.is_some_and(|age| age > KEPT_FOR) {
                let _ = fs::remove_file(copy.path());
            }
        }
    }

    fn file(&self) -> PathBuf {
        let extension = self.state.extension();
        self.folder.join(format!("{}.{extension}", self.id))
    }

    pub fn advance(&mut self, state: State, hooks: Hooks) -> io::Result<()> {
        if self.state == state {
            return Ok(());
        }
        (hooks.before_step)("advance")?;
        let from = self.file();
        let before = std::mem::replace(&mut self.state, state);
        fs::rename(from, self.file()).inspect_err(|_| self.state = before)?;
        sync(&self.folder)
    }

    pub fn forget(self, hooks: Hooks) -> io::Result<()> {
        (hooks.before_step)("forget")?;
        fs::remove_file(self.file())?;
        sync(&self.folder)
    }

    /// Returns a file of the plan. None if its folder is gone, and with it the staged content.
    pub fn staged_file<'a>(
        &'a self,
        root: &RootDir,
        at: usize,
    ) -> io::Result<Option<StagedFile<'a>>> {
        let path = self.plan.files[at].path.as_str();
        let slot = match FileSlot::open(root, path) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            slot => slot?,
        };
        Ok(Some(StagedFile {
            path,
            slot,
            staged: format!(".claudevil-{}-{at}.tmp", self.id),
            aside: format!(".claudevil-{}-{at}.third.tmp", self.id),
        }))
    }

    /// Moves the content under a staged name to our own directory, where the person who wrote it can find it.
    pub fn keep(&self, file: &StagedFile, name: &str, hooks: Hooks) -> io::Result<ConflictCopy> {
        let bytes = file.slot.read(name, u64::MAX - 1)?.0;
        let kept = self.folder.join(KEPT);
        let at = kept.join(format!(
            "{}-{}",
            name.trim_start_matches('.').trim_end_matches(".tmp"),
            file.slot.name()
        ));
        (hooks.before_step)("keep")?;
        fs::create_dir_all(&kept)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut copy = options.open(&at)?;
        copy.write_all(&bytes)?;
        copy.sync_all()?;
        sync(&kept)?;
        file.slot.remove(name, hooks.before_step)?;
        Ok(ConflictCopy {
            path: file.path.to_owned(),
            at,
        })
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    // On Windows a folder cannot be opened as a file.
    #[cfg(unix)]
    OpenOptions::new().read(true).open(folder)?.sync_all()?;
    Ok(())
}
