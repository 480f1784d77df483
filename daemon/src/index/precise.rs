//! Imports SCIP indexes, which compilers have made, into an indexed root.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Indexes;
use super::prepare::content_hash;
use super::snapshot::Snapshot;
use crate::clock;
use crate::precise::{CurrentFile, ImportError, ImportRoot, IndexInfo, ScipFile, SourceStamp};
use crate::source::beneath::{Presence, RootDir};
use crate::store::roots::RootRecord;

/// The largest source file that is read, in bytes. No indexed file is larger.
const LARGEST_FILE: u64 = 64 << 20;
/// A SCIP index with this name in the folder of a root is imported automatically.
const OWN_INDEX: &str = "index.scip";
const OWN_NAME: &str = "index";

/// The files of a root, as an import compares them with an index.
pub struct IndexedRoot<'a> {
    dir: RootDir,
    path: String,
    snapshot: Arc<Snapshot>,
    report: &'a dyn Fn(u64) -> Result<(), ImportError>,
}

impl<'a> IndexedRoot<'a> {
    pub fn new(
        dir: RootDir,
        root: &RootRecord,
        snapshot: &Arc<Snapshot>,
        report: &'a dyn Fn(u64) -> Result<(), ImportError>,
    ) -> Self {
        Self {
            dir,
            path: root.path.clone(),
            snapshot: Arc::clone(snapshot),
            report,
        }
    }
}

impl ImportRoot for IndexedRoot<'_> {
    fn file(&self, path: &str) -> Option<CurrentFile> {
        let record = &self.snapshot.file(path)?.record;
        let bytes = self.dir.read(path, LARGEST_FILE)?;
        let text = String::from_utf8(bytes).ok()?;
        // A file that was written since the snapshot matches neither the snapshot nor the imported index.
        (content_hash(text.as_bytes()) == record.hash).then_some(CurrentFile {
            hash: record.hash,
            modified_nanos: record.modified_nanos,
            text,
        })
    }

    fn folder(&self, project_root: &str) -> String {
        let path = project_root.strip_prefix("file://").unwrap_or(project_root);
        let below = Path::new(path.trim_end_matches('/')).strip_prefix(&self.path);
        let below = below.ok().and_then(Path::to_str);
        below.unwrap_or_default().to_owned()
    }

    fn report(&self, documents: u64) -> Result<(), ImportError> {
        (self.report)(documents)
    }
}

impl Indexes {
    /// Imports a SCIP index into a root under a name.
    #[expect(
        clippy::disallowed_methods,
        reason = "the file that the user named, wherever it lies"
    )]
    pub fn add_precise(
        &self,
        root: &RootRecord,
        name: &str,
        source: &Path,
        files: &IndexedRoot<'_>,
    ) -> Result<IndexInfo, ImportError> {
        let found = std::fs::metadata(source)?;
        let source = ScipFile {
            path: source.display().to_string(),
            stamp: SourceStamp {
                size: found.len(),
                modified_nanos: found.modified().map_or(0, clock::nanos),
            },
            open: &|| Ok(Box::new(std::fs::File::open(source)?)),
        };
        self.shared.precise.add(root.id, name, &source, files)
    }

    /// Imports the index in the folder of a root in the background, unless it is the one that was imported last. Until that is
    /// done, names are resolved without it.
    pub fn add_own_precise(&self, root: &RootRecord, dir: &RootDir, snapshot: &Arc<Snapshot>) {
        let Presence::File(found) = dir.presence(OWN_INDEX) else {
            return;
        };
        let stamp = SourceStamp {
            size: found.size,
            modified_nanos: found.modified_nanos,
        };
        let precise = Arc::clone(&self.shared.precise);
        if !precise.begin_import(root.id, OWN_NAME, stamp) {
            return;
        }
        let dir = match dir.try_clone() {
            Ok(dir) => dir,
            Err(error) => {
                precise.abandon(root.id);
                tracing::warn!(root = root.name, %error, "a precise index was not imported");
                return;
            }
        };
        let (root_id, root, snapshot) = (root.id, root.clone(), Arc::clone(snapshot));
        let import = move || {
            let files = IndexedRoot::new(dir, &root, &snapshot, &|_| Ok(()));
            let source = ScipFile {
                path: format!("{}/{OWN_INDEX}", root.path),
                stamp,
                open: &|| {
                    let opened = files.dir.open_file(OWN_INDEX);
                    let opened = opened.map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
                    Ok(Box::new(opened.file))
                },
            };
            match precise.add(root.id, OWN_NAME, &source, &files) {
                Ok(info) => tracing::info!(
                    root = root.name,
                    tool = info.tool,
                    files = info.documents - info.changed - info.not_indexed,
                    "a precise index was imported"
                ),
                Err(error) => {
                    tracing::warn!(root = root.name, %error, "a precise index was not imported");
                }
            }
        };
        let started = std::thread::Builder::new()
            .name("claudevild-precise".to_owned())
            .spawn(import);
        if let Err(error) = started {
            self.shared.precise.abandon(root_id);
            tracing::warn!(%error, "a precise index was not imported");
        }
    }
}
