//! What a change is about to do, on the disk before it does it.
//!
//! The content is written once. How far the change has come is the end of the name, which a rename moves on.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::{Beside, Hands, Kept};
use crate::clock;
use crate::source::beneath::RootDir;
use crate::source::file_slot::FileSlot;

const LARGEST: u64 = 64 << 20;
const UNBORN: &str = "unborn";
static LAST: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Preparing,
    Ready,
    Undo,
    Done,
}

const STATES: [(State, &str); 4] = [
    (State::Preparing, "preparing"),
    (State::Ready, "ready"),
    (State::Undo, "undo"),
    (State::Done, "done"),
];

#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
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
    /// What it is called afterwards, in the same folder.
    #[serde(default)]
    pub new_name: Option<String>,
}

impl PlannedFile {
    pub fn path_afterwards(&self) -> String {
        let folder = self.path.rsplit_once('/').map(|(folder, _)| folder);
        match (&self.new_name, folder) {
            (None, _) => self.path.clone(),
            (Some(name), None) => name.clone(),
            (Some(name), Some(folder)) => format!("{folder}/{name}"),
        }
    }
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
    pub plan: Plan,
}

impl Journal {
    pub fn begin(folder: &Path, plan: Plan, hands: Hands) -> io::Result<Self> {
        let nanos = u64::try_from(clock::nanos(std::time::SystemTime::now())).unwrap_or_default();
        // A clock that is set back must not give a name twice.
        let next = |last: u64| Some(nanos.max(last + 1));
        let last = LAST
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .unwrap_or_else(|last| last);
        let id = nanos.max(last + 1);
        let journal = Self {
            folder: folder.to_owned(),
            id: format!("{id:x}"),
            state: State::Preparing,
            plan,
        };
        let text = serde_json::to_vec(&journal.plan)?;
        (hands.point)("journal")?;
        fs::create_dir_all(folder)?;
        // Written under a name that says nothing, so that one with a state is whole.
        let unborn = folder.join(format!("{}.{UNBORN}", journal.id));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&unborn)
            .and_then(|mut file| {
                file.write_all(&text)?;
                file.sync_all()?;
                (hands.point)("born")?;
                fs::rename(&unborn, journal.file())
            });
        if let Err(error) = written.and_then(|()| sync(folder)) {
            let _ = fs::remove_file(&unborn);
            let _ = fs::remove_file(journal.file());
            return Err(error);
        }
        Ok(journal)
    }

    /// The journals of changes that were cut off, the oldest first, and names of those that cannot be understood.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    pub fn all(folder: &Path) -> io::Result<(Vec<Self>, Vec<PathBuf>)> {
        let listed = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((vec![], vec![])),
            listed => listed?,
        };
        let mut names: Vec<_> = listed
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_file())
            .collect();
        names.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        let (mut journals, mut damaged) = (vec![], vec![]);
        for path in names {
            let ending = path
                .extension()
                .and_then(|ending| ending.to_str())
                .unwrap_or_default();
            let id = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default()
                .to_owned();
            let Some((state, _)) = STATES.iter().find(|(_, name)| *name == ending) else {
                continue;
            };
            let plan = match read(&path) {
                // Another root's change has moved on.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => read
                    .ok()
                    .and_then(|text| serde_json::from_slice(&text).ok()),
            };
            match plan {
                Some(plan) => journals.push(Self {
                    folder: folder.to_owned(),
                    id,
                    state: *state,
                    plan,
                }),
                None => damaged.push(path),
            }
        }
        Ok((journals, damaged))
    }

    /// What a crash left of journals that were never whole. Only while no change is under way.
    #[expect(clippy::disallowed_methods, reason = "our own folder")]
    pub fn remove_unborn(folder: &Path) {
        let listed = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        for path in listed.filter(|path| path.extension().is_some_and(|ending| ending == UNBORN)) {
            let _ = fs::remove_file(path);
        }
    }

    fn file(&self) -> PathBuf {
        let state = STATES
            .iter()
            .find(|(state, _)| *state == self.state)
            .map_or("", |(_, name)| name);
        self.folder.join(format!("{}.{state}", self.id))
    }

    pub fn advance(&mut self, state: State, hands: Hands) -> io::Result<()> {
        if self.state == state {
            return Ok(());
        }
        (hands.point)("advance")?;
        let from = self.file();
        let before = std::mem::replace(&mut self.state, state);
        fs::rename(from, self.file()).inspect_err(|_| self.state = before)?;
        sync(&self.folder)
    }

    pub fn forget(self, hands: Hands) -> io::Result<()> {
        (hands.point)("forget")?;
        fs::remove_file(self.file())?;
        sync(&self.folder)
    }

    /// One of its files. None if its folder is gone, and with it all that was beside the file.
    pub fn beside<'a>(&'a self, root: &RootDir, at: usize) -> io::Result<Option<Beside<'a>>> {
        let path = self.plan.files[at].path.as_str();
        let spot = match FileSlot::open(root, path) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            spot => spot?,
        };
        let other = format!(".claudevil-{}-{at}.tmp", self.id);
        let third = format!(".claudevil-{}-{at}.third.tmp", self.id);
        Ok(Some(Beside {
            path,
            spot,
            other,
            third,
        }))
    }

    /// Moves what lies beside a file to our own directory. Whoever wrote it finds it there.
    pub fn keep(&self, file: &Beside, name: &str, hands: Hands) -> io::Result<Kept> {
        let bytes = file.spot.read(name, u64::MAX - 1)?.0;
        let kept = self.folder.join("kept");
        let at = kept.join(format!(
            "{}-{}",
            name.trim_start_matches('.').trim_end_matches(".tmp"),
            file.spot.name()
        ));
        (hands.point)("keep")?;
        fs::create_dir_all(&kept)?;
        let mut copy = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&at)?;
        copy.write_all(&bytes)?;
        copy.sync_all()?;
        sync(&kept)?;
        file.spot.remove(name, hands.point)?;
        Ok(Kept {
            path: file.path.to_owned(),
            at,
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "our own folder")]
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.len() > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    fs::read(path)
}

fn sync(folder: &Path) -> io::Result<()> {
    // Elsewhere a folder cannot be opened as a file.
    #[cfg(unix)]
    OpenOptions::new().read(true).open(folder)?.sync_all()?;
    Ok(())
}
