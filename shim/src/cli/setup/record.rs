//! The record of all that setup wrote, so that it can be undone exactly: a small file of ours, and the texts before and
//! after.
//!
//! Without it everything still works: an entry is then taken out of the text as it is.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use claudevil_protocol::endpoint::ensure_private_directory;
use claudevil_protocol::paths::Paths;
use serde::{Deserialize, Serialize};

use super::config_text::{Section, Target};
use super::file::{self, Readers};

pub struct Record {
    folder: PathBuf,
    pub written: Vec<WrittenFile>,
}

/// One file that we wrote into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    pub client: String,
    pub file: PathBuf,
    #[serde(default)]
    pub target: Target,
    /// The project, where it is the configuration of one.
    pub project: Option<PathBuf>,
    /// Folders that we made for it, outermost first.
    pub folders: Vec<PathBuf>,
    /// True if setup added the key that holds servers.
    pub made_section: bool,
    /// The copy of the text as it would be without us; none where there was no file.
    pub before: Option<String>,
    /// The copy of what we wrote.
    pub after: String,
}

impl WrittenFile {
    pub fn covers(&self, file: &Path, target: Target) -> bool {
        self.file == file && self.target == target
    }

    pub fn section(&self) -> Section {
        if self.made_section {
            Section::Made
        } else {
            Section::There
        }
    }
}

impl Record {
    pub fn folder(paths: &Paths) -> PathBuf {
        paths.state().join("setup")
    }

    /// Reads the record; one that cannot be read counts as empty.
    pub fn open(paths: &Paths) -> Self {
        let folder = Self::folder(paths);
        let written = fs::read(folder.join("record.json")).ok();
        let written = written
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self { folder, written }
    }

    /// Returns the record of one part of a file: clients that are editors too may have several in one file.
    pub fn find(&self, file: &Path, target: Target) -> Option<&WrittenFile> {
        self.written
            .iter()
            .find(|written| written.covers(file, target))
    }

    pub fn copy(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// Stores a text. Returns the name by which it is found again.
    pub fn keep(&self, client: &str, text: &str) -> io::Result<String> {
        ensure_private_directory(&self.folder)?;
        let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let mut copy = tempfile::Builder::new()
            .prefix(&format!("{client}-{stamp}-"))
            .suffix(".backup")
            .tempfile_in(&self.folder)?;
        copy.write_all(text.as_bytes())?;
        let (_, path) = copy.keep().map_err(|error| error.error)?;
        path.file_name()
            .and_then(|name| name.to_str())
            .map(str::to_owned)
            .ok_or_else(|| io::Error::other("no name"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Records a file, in place of its former record.
    pub fn note(&mut self, written: WrittenFile) -> io::Result<()> {
        self.written
            .retain(|other| !other.covers(&written.file, written.target));
        self.written.push(written);
        self.save()
    }

    /// Removes a file that is as it was before from the record. A folder with other files of ours stays recorded with one of
    /// them.
    pub fn forget(&mut self, file: &Path, target: Target) -> io::Result<()> {
        let (forgotten, kept) = self
            .written
            .drain(..)
            .partition(|written| written.covers(file, target));
        self.written = kept;
        let forgotten: Vec<WrittenFile> = forgotten;
        for folder in forgotten
            .iter()
            .flat_map(|written| &written.folders)
            .filter(|folder| folder.exists())
        {
            if let Some(heir) = self
                .written
                .iter_mut()
                .find(|other| other.file.starts_with(folder))
            {
                heir.folders.push(folder.clone());
                heir.folders = file::outermost_first(std::mem::take(&mut heir.folders));
            }
        }
        for name in forgotten
            .iter()
            .flat_map(|written| written.before.iter().chain([&written.after]))
        {
            // A copy that is already gone needs no removal.
            let _ = fs::remove_file(self.folder.join(name));
        }
        self.save()
    }

    fn save(&self) -> io::Result<()> {
        ensure_private_directory(&self.folder)?;
        let path = self.folder.join("record.json");
        let text = serde_json::to_string_pretty(&self.written).map_err(io::Error::other)?;
        let before = file::read(&path)?;
        file::replace(&path, before.as_deref(), &text, Readers::Owner)
    }
}
