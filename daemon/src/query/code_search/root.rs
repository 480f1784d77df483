//! A root that is searched: its index, or its files alone while there is none.

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
    /// Open for the whole search: a folder that is removed meanwhile has no results, which is no error.
    pub dir: RootDir,
    /// None for a root whose first index is not complete.
    pub indexed: Option<LoadedRoot>,
    /// Held while files are scanned beside an index that is being made.
    scan: Option<ScanPermit>,
}

impl SearchRoot {
    pub fn open(
        context: &Context,
        place: RootFolder,
        request: &SearchRequest<'_>,
    ) -> Result<Self, ToolError> {
        // Before the index, which may still know a root that is away.
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
            // Lines are then searched in the files.
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

    /// Returns the index, or as much of a first one as is done.
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

    /// Returns the share of the processors for a search: a scan leaves most to the indexing beside it.
    pub fn share(&self) -> Parallelism {
        if self.scan.is_some() {
            Parallelism::One
        } else {
            Parallelism::All
        }
    }

    /// Returns whether the index is the tree as it is now.
    pub fn is_current(&self) -> bool {
        self.indexed
            .as_ref()
            .is_some_and(|indexed| indexed.is_current)
    }
}
