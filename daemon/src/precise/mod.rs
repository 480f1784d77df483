//! Precise indexes: names with their definitions as compilers know them, imported from SCIP indexes that the user made.
//!
//! An index is valid for the file contents that it was made from, and for no others. The graph asks it first, file by file, and
//! resolves the remaining names itself.

mod import;
mod scip;
mod stored;

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

pub use self::import::{CurrentFile, ImportRoot};
pub use self::stored::{
    ContentHash, DefinitionPosition, IndexInfo, PreciseFile, PreciseIndex, PreciseTarget,
};
use crate::clock;

const EXTENSION: &str = "precise";

#[derive(Debug, Error)]
pub enum ImportError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is not a SCIP index: {0}")]
    NotScip(String),
    #[error("cancelled")]
    Cancelled,
}

impl From<protobuf::Error> for ImportError {
    fn from(error: protobuf::Error) -> Self {
        Self::NotScip(error.to_string())
    }
}

/// The size and the time of a SCIP file, by which its changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceStamp {
    pub size: u64,
    pub modified_nanos: i64,
}

/// A SCIP file, which is read twice.
pub struct ScipFile<'a> {
    pub path: String,
    pub stamp: SourceStamp,
    pub open: &'a dyn Fn() -> io::Result<Box<dyn Read>>,
}

/// The precise indexes of a root, the latest first.
pub type RootIndexes = Arc<[Arc<PreciseIndex>]>;

/// The precise indexes of all roots.
pub struct PreciseIndexes {
    roots: PathBuf,
    open: Mutex<HashMap<u64, RootIndexes>>,
    /// The last file of each root that was imported automatically, or whose import failed.
    begun: Mutex<HashMap<u64, SourceStamp>>,
}

impl PreciseIndexes {
    /// Creates an empty set. `roots` is the folder that has a folder for each root, named by its number.
    pub fn new(roots: PathBuf) -> Self {
        Self {
            roots,
            open: Mutex::default(),
            begun: Mutex::default(),
        }
    }

    /// Returns the indexes of a root. A damaged one is left out.
    pub fn get(&self, root: u64) -> RootIndexes {
        let mut open = self.lock();
        Arc::clone(open.entry(root).or_insert_with(|| self.read(root)))
    }

    /// Begins the automatic import of a file, unless it has been imported or tried already. Returns whether it began.
    pub fn begin_import(&self, root: u64, name: &str, stamp: SourceStamp) -> bool {
        let all = self.get(root);
        let imported = all
            .iter()
            .map(|index| index.info())
            .find(|info| info.name == name);
        let is_imported = imported.is_some_and(|info| {
            (info.source_size, info.source_modified_nanos) == (stamp.size, stamp.modified_nanos)
        });
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        !is_imported && begun.insert(root, stamp) != Some(stamp)
    }

    /// Undoes [`Self::begin_import`] for a file whose import could not be started, so that it is tried again.
    pub fn abandon(&self, root: u64) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.remove(&root);
    }

    /// Imports a SCIP index under a name, replacing any index with that name.
    pub fn add(
        &self,
        root: u64,
        name: &str,
        source: &ScipFile<'_>,
        files: &dyn ImportRoot,
    ) -> Result<IndexInfo, ImportError> {
        let folder = self.folder(root);
        fs::create_dir_all(&folder)?;
        let mut writer = stored::Writer::create(&folder.join(name).with_extension(EXTENSION))?;
        let open = || (source.open)().map(BufReader::new);
        let SourceStamp {
            size,
            modified_nanos,
        } = source.stamp;
        let (summary, users) = import::import(open, modified_nanos, files, &mut writer)?;
        if summary.documents == 0 {
            return Err(ImportError::NotScip("it has no documents".to_owned()));
        }
        let info = IndexInfo {
            name: name.to_owned(),
            tool: summary.tool,
            source: source.path.clone(),
            source_size: size,
            source_modified_nanos: modified_nanos,
            added: clock::now(),
            documents: summary.documents,
            changed: summary.changed,
            not_indexed: summary.not_indexed,
            occurrences: summary.occurrences,
        };
        writer.finish(info.clone(), users)?;
        self.lock().remove(&root);
        Ok(info)
    }

    /// Removes an index. Returns none if there is no index with this name.
    pub fn remove(&self, root: u64, name: &str) -> io::Result<Option<IndexInfo>> {
        let all = self.get(root);
        let found = all.iter().find(|index| index.info().name == name);
        let info = found.map(|index| index.info().clone());
        match fs::remove_file(self.folder(root).join(name).with_extension(EXTENSION)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.lock().remove(&root);
        Ok(info)
    }

    /// Forgets a root's indexes, whose files are removed with the root.
    pub fn forget(&self, root: u64) {
        self.lock().remove(&root);
        self.abandon(root);
    }

    #[expect(clippy::disallowed_methods, reason = "a directory of our own")]
    fn read(&self, root: u64) -> RootIndexes {
        let Ok(entries) = fs::read_dir(self.folder(root)) else {
            return Arc::new([]);
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut indexes: Vec<Arc<PreciseIndex>> = paths
            .filter(|path| path.extension().is_some_and(|found| found == EXTENSION))
            .filter_map(|path| match PreciseIndex::open(&path) {
                Ok(index) => Some(Arc::new(index)),
                Err(error) => {
                    tracing::warn!(%error, path = %path.display(), "a precise index cannot be read");
                    None
                }
            })
            .collect();
        indexes.sort_by_key(|index| std::cmp::Reverse(index.info().added));
        indexes.into()
    }

    fn folder(&self, root: u64) -> PathBuf {
        self.roots.join(root.to_string()).join("precise")
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, RootIndexes>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_that_could_not_be_started_is_tried_again() {
        let scratch = tempfile::tempdir().expect("a directory");
        let precise = PreciseIndexes::new(scratch.path().to_owned());
        let stamp = SourceStamp {
            size: 1,
            modified_nanos: 2,
        };
        assert!(precise.begin_import(7, "index", stamp));
        assert!(
            !precise.begin_import(7, "index", stamp),
            "it is being imported"
        );
        precise.abandon(7);
        assert!(precise.begin_import(7, "index", stamp));
    }
}
