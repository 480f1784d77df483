//! Lists the folders of a root with the ignore rules that apply in each.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::DirEntry;
use rayon::{Scope, ThreadPoolBuilder};

use super::admission::{Admission, join};
use super::folder_rules::{FolderRules, Verdict};
use super::{Rules, WalkResult, WalkedFile, is_included};
use crate::source::cancel::CancelToken;
use crate::source::file_stat::FileStat;

/// The most threads of a walk: more do not make a file system faster.
const MAX_THREADS: usize = 4;
/// The number of files after which progress is reported.
const REPORTED: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    FilesAndFolders,
    Folders,
}

pub struct TreeWalk<'a> {
    pub listing: Listing,
    pub admission: &'a Admission,
    pub rules: &'a Rules,
    pub cancel: &'a CancelToken,
    /// Called with the number of files so far.
    pub progress: &'a (dyn Fn(u64) + Sync),
    pub count: AtomicU64,
}

/// A folder that is taken and not listed yet, with the rules of the folder above it.
pub struct PendingFolder {
    pub path: String,
    pub above: Arc<FolderRules>,
}

impl TreeWalk<'_> {
    /// Lists the root on several threads.
    pub fn everything(&self) -> WalkResult {
        let top = PendingFolder {
            path: String::new(),
            above: Arc::clone(&self.admission.rules),
        };
        let threads =
            std::thread::available_parallelism().map_or(2, |cores| cores.get().min(MAX_THREADS));
        let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() else {
            // The system has no threads left.
            let mut walked = WalkResult::default();
            self.below(top, &mut walked);
            return walked;
        };
        let whole = Mutex::<WalkResult>::default();
        pool.scope(|scope| self.visit(scope, &whole, top));
        whole.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn visit<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        whole: &'scope Mutex<WalkResult>,
        folder: PendingFolder,
    ) {
        let mut found = WalkResult::default();
        for folder in self.list(folder, &mut found) {
            scope.spawn(move |scope| self.visit(scope, whole, folder));
        }
        let mut whole = whole.lock().unwrap_or_else(PoisonError::into_inner);
        whole.files.append(&mut found.files);
        whole.folders.append(&mut found.folders);
        whole.unreadable.append(&mut found.unreadable);
    }

    /// Lists a folder and everything beneath it on this thread.
    pub fn below(&self, folder: PendingFolder, walked: &mut WalkResult) {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            pending.extend(self.list(folder, walked));
        }
    }

    /// Lists one folder. Returns the folders in it that are taken.
    fn list(
        &self,
        PendingFolder {
            path: folder,
            above,
        }: PendingFolder,
        walked: &mut WalkResult,
    ) -> Vec<PendingFolder> {
        if self.cancel.is_cancelled() {
            return vec![];
        }
        walked.folders.push(folder.clone());
        let entries: io::Result<Vec<DirEntry>> = self
            .admission
            .dir
            .entries(&folder)
            .and_then(Iterator::collect);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                walked.unreadable.extend(unreadable(&folder, &error));
                return vec![];
            }
        };
        let names: Vec<_> = entries.iter().map(DirEntry::file_name).collect();
        // The ignore files of the root have been read already.
        let rules = if folder.is_empty() {
            above
        } else {
            self.admission.enter(&above, &folder, |kind| {
                names.iter().any(|name| name == kind.file_name())
            })
        };
        let mut folders = vec![];
        let before = walked.files.len();
        for (entry, name) in entries.iter().zip(&names) {
            let kind = EntryKind::from_entry(entry);
            if kind == EntryKind::Other
                || kind == EntryKind::File && self.listing == Listing::Folders
            {
                continue;
            }
            let path = join(&folder, &name.to_string_lossy());
            if self
                .admission
                .verdict(&rules, &path, kind == EntryKind::Folder)
                != Verdict::Taken
            {
                continue;
            }
            if name.to_str().is_none() {
                walked
                    .unreadable
                    .push(format!("{path} (its name is not UTF-8)"));
            } else if kind == EntryKind::Folder {
                folders.push(PendingFolder {
                    path,
                    above: Arc::clone(&rules),
                });
            } else if is_included(self.rules, &path)
                && let Ok(found) = entry.metadata()
            {
                // A file that is gone since it was listed is no error.
                let stat = FileStat::from_metadata(&found);
                walked.files.push(WalkedFile::new(path, stat));
            }
        }
        self.report((walked.files.len() - before) as u64);
        folders
    }

    fn report(&self, more: u64) {
        let before = self.count.fetch_add(more, Ordering::Relaxed);
        if before / REPORTED != (before + more) / REPORTED {
            (self.progress)(before + more);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    File,
    Folder,
    /// A symlink, a pipe or a device.
    Other,
}

impl EntryKind {
    fn from_entry(entry: &DirEntry) -> Self {
        let Ok(kind) = entry.file_type() else {
            return Self::Other;
        };
        // Some file systems do not report the kind in their listings.
        let kind = if kind.is_dir() || kind.is_file() || kind.is_symlink() {
            kind
        } else {
            entry.metadata().map_or(kind, |found| found.file_type())
        };
        match (kind.is_dir(), kind.is_file()) {
            (true, _) => Self::Folder,
            (_, true) => Self::File,
            _ => Self::Other,
        }
    }
}

/// Returns `None` for a folder that is gone since it was listed.
fn unreadable(folder: &str, error: &io::Error) -> Option<String> {
    match error.kind() {
        kind if folder.is_empty() => Some(format!(". ({kind})")),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => None,
        kind => Some(format!("{folder} ({kind})")),
    }
}
