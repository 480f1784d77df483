//! The root of a call, loaded and current: its snapshot, and the freshness of answers from it.

use std::sync::Arc;
use std::time::Duration;

use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::freshness::{Freshness, IndexPhase, IndexProgress};
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use super::paths::{nearest_paths, relative_path};
use super::progress::{report_to_caller, to_answer};
use super::skip_reasons::skip_reason;
use crate::index::FreshSnapshot;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::query::Context;
use crate::roots::RootFolder;
use crate::store::ledger::record::Skip;
use crate::store::roots::RootRecord;

/// The longest wait for a first index. Small projects are done by then; for larger ones the answer shows the progress.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The most files of one name that an answer lists.
const FILES_SHOWN: usize = 5;

pub struct LoadedRoot {
    pub root: RootRecord,
    pub folder: Option<String>,
    pub snapshot: Arc<Snapshot>,
    pub freshness: Freshness,
    /// True if the snapshot matches the tree as it was when the call began.
    pub is_current: bool,
    /// Folders and files that could not be read.
    pub unreadable: Vec<String>,
}

impl LoadedRoot {
    /// Opens the root of a call.
    pub fn open(context: &Context) -> Result<Self, ToolError> {
        Self::open_at(context, context.roots.resolve(context.call)?)
    }

    pub fn open_at(
        context: &Context,
        RootFolder { root, folder }: RootFolder,
    ) -> Result<Self, ToolError> {
        context
            .indexes
            .wait_until_loaded(&root, report_to_caller(context))?;
        let fresh = context.indexes.fresh_snapshot(&root)?;
        context.cancel.check()?;
        Ok(Self::with_snapshot(root, folder, fresh))
    }

    fn with_snapshot(root: RootRecord, folder: Option<String>, fresh: FreshSnapshot) -> Self {
        let is_current =
            fresh.partial.is_none() && fresh.stale.is_none() && fresh.trouble.is_none();
        let mut freshness = Freshness {
            partial: fresh.partial.map(|progress| to_answer(&progress)),
            ..Freshness::default()
        };
        if let Some(stale) = fresh.stale {
            if stale.is_empty() {
                freshness.add_note("very recent edits may be missing");
            }
            freshness = freshness.with_stale(stale);
        }
        if let Some(trouble) = fresh.trouble {
            freshness.add_note(format!("the index is out of date: {trouble}"));
        }
        if let Some(note) = unused_rules(&fresh.unused_rules) {
            freshness.add_note(note);
        }
        Self {
            root,
            folder,
            snapshot: fresh.snapshot,
            freshness,
            is_current,
            unreadable: fresh.unreadable,
        }
    }

    /// Opens a root for a ranking by meaning, which is partial until every file has vectors.
    pub fn open_with_vectors(context: &Context, place: RootFolder) -> Result<Self, ToolError> {
        context
            .indexes
            .wait_until_loaded(&place.root, report_to_caller(context))?;
        context
            .indexes
            .wait_for_vectors(&place.root, report_to_caller(context))?;
        let mut indexed = Self::open_at(context, place)?;
        let missing = context
            .indexes
            .loaded(indexed.root.id)
            .map_or(0, |index| index.files_without_vectors());
        if missing > 0 && indexed.freshness.partial.is_none() {
            let total = indexed
                .snapshot
                .files
                .iter()
                .filter(|file| !file.outline.chunks.is_empty())
                .count() as u64;
            indexed.freshness.partial = Some(IndexProgress {
                phase: IndexPhase::Embedding,
                done: total.saturating_sub(missing),
                total,
                rate: 0.0,
                eta_seconds: None,
            });
        }
        Ok(indexed)
    }

    /// Waits a while for a first index to be complete: an answer from half of the files looks like a whole one.
    pub fn wait_until_complete(self, context: &Context) -> Result<Self, ToolError> {
        if !self.freshness.is_unfinished() {
            return Ok(self);
        }
        context
            .indexes
            .wait_until_whole(&self.root, LONGEST_WAIT, report_to_caller(context))?;
        Self::open_at(
            context,
            RootFolder {
                root: self.root,
                folder: self.folder,
            },
        )
    }

    /// Waits a while for the edits made before the call to be indexed: a change of every use needs them all.
    pub fn wait_until_current(self, context: &Context) -> Result<Self, ToolError> {
        if self.is_current || self.freshness.is_unfinished() {
            return Ok(self);
        }
        let fresh = context
            .indexes
            .fresh_snapshot_to_change(&self.root, report_to_caller(context))?;
        context.cancel.check()?;
        Ok(Self::with_snapshot(self.root, self.folder, fresh))
    }

    /// Refuses a change of every use or match while not all of them are known: during the first indexing, and while edits are not
    /// indexed.
    pub fn refuse_incomplete(&self) -> Result<(), ToolError> {
        let Some(partial) = &self.freshness.partial else {
            if self.is_current {
                return Ok(());
            }
            let message = Line::from("not every place to change is known (")
                .line(Line::join(self.freshness.warnings(), "; "))
                .text("); nothing was changed");
            return Err(ToolError::new(ErrorCode::Stale, message).with_hint(ask_again()));
        };
        let message = format!(
            "not every place to change is known (only {} of {} files are indexed); nothing was changed",
            partial.done, partial.total
        );
        Err(ToolError::new(ErrorCode::Indexing, message).with_hint(
            Line::from("ask again when ")
                .call(NextCall::new("index_status"))
                .text(" says it is done"),
        ))
    }

    /// Turns "not found" into "still indexing" while the index is incomplete.
    pub fn unless_partial(&self, error: ToolError) -> ToolError {
        match error.code {
            ErrorCode::SymbolNotFound if self.freshness.is_unfinished() => ToolError {
                code: ErrorCode::Indexing,
                ..error
            }
            .with_hint(ask_again()),
            _ => error,
        }
    }

    /// Returns a path of the caller relative to the root; without one, the folder of the session.
    pub fn path(&self, path: Option<&str>) -> Result<String, ToolError> {
        let Some(path) = path else {
            return Ok(self.folder.clone().unwrap_or_default());
        };
        relative_path(&self.root.path, path)
    }

    /// Returns whether a file is in the folder of the session.
    pub fn is_in_folder(&self, path: &str) -> bool {
        let folder = self.folder.as_deref().unwrap_or_default();
        folder.is_empty() || path.starts_with(&format!("{folder}/"))
    }

    pub fn file(&self, path: &str) -> Result<&Arc<IndexedFile>, ToolError> {
        self.snapshot
            .file(path)
            .ok_or_else(|| self.not_indexed(path))
    }

    /// Returns a file whose symbols are indexed, or else the reason why they are not.
    pub fn file_with_symbols(&self, path: &str) -> Result<&Arc<IndexedFile>, ToolError> {
        let file = self.file(path)?;
        let Some(skip) = file.skip() else {
            return Ok(file);
        };
        let reason = skip_reason(skip);
        let message = format!(
            "{path} is not indexed ({}), so its symbols are not known",
            reason.as_str()
        );
        let error = ToolError::new(ErrorCode::SymbolNotFound, message);
        Err(match skip {
            Skip::Binary | Skip::NotUtf8 | Skip::Secret | Skip::Unreadable => error,
            _ => error.with_hint(
                Line::from(NextCall::new("read_file").with("path", path)).text(" shows its text"),
            ),
        })
    }

    /// Returns the first files with a path, or else with a name: `src/main.rs`, `main.rs`.
    pub fn files_called(&self, name: &str) -> Vec<String> {
        let Ok(path) = self.path(Some(name)) else {
            return vec![];
        };
        if self.snapshot.file(&path).is_some() {
            return vec![path];
        }
        let suffix = format!("/{path}");
        let files = self.snapshot.files.iter().map(|file| &file.path);
        let named = files.filter(|file| path.contains('.') && file.ends_with(&suffix));
        named.take(FILES_SHOWN).cloned().collect()
    }

    pub fn not_indexed(&self, path: &str) -> ToolError {
        if !path.is_empty() && !self.snapshot.beneath(path).is_empty() {
            let call = NextCall::new("map_code")
                .with("path", path)
                .with("root", &self.root.name);
            return ToolError::new(ErrorCode::FileNotFound, format!("{path} is a folder"))
                .with_hint(Line::from(call).text(" shows what is in it"));
        }
        if self.freshness.is_unfinished() {
            return ToolError::new(
                ErrorCode::Indexing,
                format!("{path} has not been indexed yet"),
            )
            .with_hint(ask_again());
        }
        if let Some(folder) = folder_of_glob(path) {
            let message = format!("{path} is a glob: expected the path of a file or a folder");
            let error = ToolError::new(ErrorCode::FileNotFound, message);
            if folder.is_empty() || self.snapshot.beneath(folder).is_empty() {
                return error;
            }
            return error.with_hint(format!("give a folder, such as {folder}"));
        }
        let message = format!(
            "{path} is not among the indexed files of {}",
            self.root.name
        );
        self.with_nearest_paths(ToolError::new(ErrorCode::FileNotFound, message), path)
    }

    /// Adds the most similar paths to an error about a missing path, or else a call that searches for its name.
    pub fn with_nearest_paths(&self, error: ToolError, path: &str) -> ToolError {
        let nearest = nearest_paths(
            self.snapshot.files.iter().map(|file| file.path.as_str()),
            path,
        );
        if !nearest.is_empty() {
            return error
                .with_candidates(nearest)
                .with_hint("give the path of one of these");
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let call = NextCall::new("search")
            .with("query", name)
            .with("root", &self.root.name);
        error.with_hint(Line::from(call).text(" looks for the name"))
    }
}

/// Returns the folder in which a glob begins: `src/net` of `src/net/*.rs`. None if the path is no glob.
fn folder_of_glob(path: &str) -> Option<&str> {
    let start = path.find(['*', '?', '{'])?;
    let folder = path[..start].rsplit_once('/');
    Some(folder.map_or("", |(folder, _)| folder))
}

/// Returns the next step while an index is incomplete.
pub fn ask_again() -> Line {
    Line::from("ask again in a moment; ")
        .call(NextCall::new("index_status"))
        .text(" shows the progress")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_begins_in_a_folder() {
        for (path, expected) in [
            ("src/net/*.rs", Some("src/net")),
            ("src/**", Some("src")),
            ("**", Some("")),
            ("src/net", None),
        ] {
            assert_eq!(folder_of_glob(path), expected, "{path}");
        }
    }
}
