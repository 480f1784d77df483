//! A root to search: by its index, or by its files alone while its first index is incomplete.

use std::sync::Arc;

use claudevil_protocol::{ErrorCode, ToolError};

use super::request::SearchRequest;
use crate::index::ScanPermit;
use crate::index::snapshot::Snapshot;
use crate::query::Context;
use crate::query::shared::loaded_root::LoadedRoot;
use crate::query::shared::progress::report_to_caller;
use crate::roots::RootFolder;
use crate::source::beneath::RootDir;
use crate::store::roots::RootRecord;
use crate::threads::Parallelism;

pub struct SearchRoot {
    pub record: RootRecord,
    pub folder: Option<String>,
    /// Kept open for the whole search, so that a folder that is removed meanwhile yields no results instead of an error.
    pub dir: RootDir,
    /// None for a root whose first index is not complete.
    pub indexed: Option<LoadedRoot>,
    /// Held while files are scanned in parallel with indexing.
    scan: Option<ScanPermit>,
}

impl SearchRoot {
    pub fn open(
        context: &Context,
        place: RootFolder,
        request: &SearchRequest<'_>,
    ) -> Result<Self, ToolError> {
        // Opened before the index, which may still be loaded for a root that is unavailable.
        let dir = RootDir::open(place.root.path.as_ref(), &place.root.name)?;
        if context.indexes.is_new(&place.root) {
            let permit = context
                .indexes
                .wait_for_scan(&place.root, report_to_caller(context))?;
            if context.indexes.is_new(&place.root) {
                return Ok(Self {
                    record: place.root,
                    folder: place.folder,
                    dir,
                    indexed: None,
                    scan: permit,
                });
            }
        }
        let (record, folder) = (place.root.clone(), place.folder.clone());
        let indexed = if request.mode.needs_vectors() {
            LoadedRoot::open_with_vectors(context, place)
        } else {
            LoadedRoot::open_at(context, place)
        };
        let indexed = match indexed {
            // A line search reads the files instead.
            Err(error) if error.code == ErrorCode::Indexing && request.mode.is_exhaustive() => None,
            indexed => Some(indexed?),
        };
        Ok(Self {
            record,
            folder,
            dir,
            indexed,
            scan: None,
        })
    }

    /// Returns the snapshot of the index, or the finished part of a first one.
    pub fn snapshot(&self, context: &Context) -> Arc<Snapshot> {
        match &self.indexed {
            Some(indexed) => Arc::clone(&indexed.snapshot),
            None => context
                .indexes
                .loaded(self.record.id)
                .map(|index| index.snapshot())
                .unwrap_or_default(),
        }
    }

    /// Returns how many processors a search may use: a scan leaves most of them to indexing.
    pub fn share(&self) -> Parallelism {
        if self.scan.is_some() {
            Parallelism::One
        } else {
            Parallelism::All
        }
    }

    /// Returns whether the index matches the tree as it is now.
    pub fn is_current(&self) -> bool {
        self.indexed
            .as_ref()
            .is_some_and(|indexed| indexed.is_current)
    }
}
