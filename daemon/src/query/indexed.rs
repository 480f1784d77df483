//! What the tools that read the index share: the fresh snapshot of a call's root, and its honesty about itself.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::freshness::{Freshness, IndexPhase, IndexProgress};
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::list_files::known_language;
use super::naming::likeness;
use crate::index::progress::{Phase, Progress};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::lang::Language;
use crate::roots::RootFolder;
use crate::store::roots::RootRecord;

/// How long a question waits for a first indexing. Small projects are there by then, and others say how far they are.
const PATIENCE: Duration = Duration::from_secs(5);

/// Paths that are named where another is not there.
const NEAREST_PATHS: usize = 3;
/// A name that is less like another is another.
const LEAST_LIKE: f64 = 0.8;

/// The root of a call as it is now.
pub struct Indexed {
    pub root: RootRecord,
    pub folder: Option<String>,
    pub snapshot: Arc<Snapshot>,
    pub freshness: Freshness,
    /// The snapshot is the tree as it was when the call began.
    pub is_current: bool,
    /// Folders and files that could not be read.
    pub unreadable: Vec<String>,
}

impl Indexed {
    pub fn of(context: &Context) -> Result<Self, ToolError> {
        Self::at(context, context.roots.resolve(context.call)?)
    }

    /// A place as it is now.
    pub fn at(
        context: &Context,
        RootFolder { root, folder }: RootFolder,
    ) -> Result<Self, ToolError> {
        context
            .indexes
            .wait_until_loaded(&root, report_to(context))?;
        let fresh = context.indexes.fresh_snapshot(&root)?;
        context.cancel.check()?;
        let is_current =
            fresh.partial.is_none() && fresh.stale.is_none() && fresh.trouble.is_none();
        let mut freshness = Freshness {
            partial: fresh.partial.map(|progress| shown(&progress)),
            ..Freshness::default()
        };
        if let Some(stale) = fresh.stale {
            if stale.is_empty() {
                freshness.add_note("very recent edits may be missing");
            }
            freshness = freshness.with_stale(stale);
        }
        if let Some(trouble) = fresh.trouble {
            freshness.add_note(format!("the index is behind: {trouble}"));
        }
        if let Some(note) = unused_rules(&fresh.unused_rules) {
            freshness.add_note(note);
        }
        let unreadable = fresh.unreadable;
        Ok(Self {
            root,
            folder,
            snapshot: fresh.snapshot,
            freshness,
            is_current,
            unreadable,
        })
    }

    /// The same for a ranking, which says if it cannot compare every file by meaning.
    pub fn with_vectors(context: &Context, place: RootFolder) -> Result<Self, ToolError> {
        context
            .indexes
            .wait_until_loaded(&place.root, report_to(context))?;
        context
            .indexes
            .wait_for_vectors(&place.root, report_to(context))?;
        let mut indexed = Self::at(context, place)?;
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

    /// The same once a first indexing is done, if that is soon: half of the names would make half of an answer look like
    /// the whole.
    pub fn once_whole(self, context: &Context) -> Result<Self, ToolError> {
        if !self.freshness.is_unfinished() {
            return Ok(self);
        }
        context
            .indexes
            .wait_until_whole(&self.root, PATIENCE, report_to(context))?;
        Self::at(
            context,
            RootFolder {
                root: self.root,
                folder: self.folder,
            },
        )
    }

    /// That something is not there can be said of a whole index alone.
    pub fn unless_partial(&self, error: ToolError) -> ToolError {
        match error.code {
            ErrorCode::SymbolNotFound if self.freshness.is_unfinished() => ToolError {
                code: ErrorCode::Indexing,
                ..error
            }
            .with_hint(
                Line::from("ask again in a moment; ")
                    .call(NextCall::new("index_status"))
                    .text(" shows the progress"),
            ),
            _ => error,
        }
    }

    /// A path that the caller gave, relative to the root: as it is, absolute inside the root, or in the session's folder.
    pub fn path(&self, asked: Option<&str>) -> Result<String, ToolError> {
        let Some(asked) = asked else {
            return Ok(self.folder.clone().unwrap_or_default());
        };
        inside(&self.root.path, asked)
    }

    /// The file at a path, or the error that says what is there instead.
    pub fn file(&self, path: &str) -> Result<&Arc<IndexedFile>, ToolError> {
        self.snapshot
            .file(path)
            .ok_or_else(|| self.not_indexed(path))
    }

    pub fn not_indexed(&self, path: &str) -> ToolError {
        if self.freshness.is_unfinished() {
            return ToolError::new(
                ErrorCode::Indexing,
                format!("{path} has not been indexed yet"),
            )
            .with_hint(
                Line::from("ask again in a moment; ")
                    .call(NextCall::new("index_status"))
                    .text(" shows the progress"),
            );
        }
        let message = format!(
            "{path} is not among the indexed files of {}",
            self.root.name
        );
        self.with_nearest(ToolError::new(ErrorCode::FileNotFound, message), path)
    }

    /// An error about a path that is not there, with those that may have been meant, or how to look for it.
    pub fn with_nearest(&self, error: ToolError, path: &str) -> ToolError {
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
        let call = NextCall::new("list_files")
            .with("pattern", name)
            .with("root", &self.root.name);
        error.with_hint(Line::from(call).text(" looks for the name"))
    }
}

/// Reports the progress of an index that a call waits for, and ends the wait when the call is cancelled.
pub fn report_to(context: &Context) -> impl Fn(Progress) -> Result<(), ToolError> {
    |progress| {
        (context.progress)(
            progress.reached(),
            (progress.total > 0).then_some(progress.total),
            "files indexed",
        );
        context.cancel.check()
    }
}

/// The paths of files, or the folders of some, that are written most like one, the most alike first.
fn nearest_paths<'a>(files: impl Iterator<Item = &'a str>, asked: &str) -> Vec<String> {
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (name, whole) = (name_of(asked), asked.to_lowercase());
    let mut near: Vec<(f64, &str)> = vec![];
    let mut seen: HashSet<&str> = HashSet::new();
    for file in files {
        // A name without a dot may be that of a folder.
        let folders = file
            .match_indices('/')
            .map(|(at, _)| &file[..at])
            .filter(|_| !name.contains('.'));
        for path in folders.chain([file]) {
            let by_name = likeness(&name, &name_of(path));
            if by_name < LEAST_LIKE || !seen.insert(path) {
                continue;
            }
            let by_path = strsim::normalized_damerau_levenshtein(&whole, &path.to_lowercase());
            near.push((by_name + by_path, path));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.into_iter()
        .take(NEAREST_PATHS)
        .map(|(_, path)| path.to_owned())
        .collect()
}

/// A path relative to a root, of one that is so already, or absolute inside it.
pub fn inside(root: &str, asked: &str) -> Result<String, ToolError> {
    let inside = match asked.strip_prefix(root) {
        Some(inside) if inside.is_empty() || inside.starts_with('/') => inside,
        _ if asked.starts_with('/') => {
            return Err(ToolError::new(
                ErrorCode::PathOutsideRoot,
                format!("{asked} is outside of the root {root}"),
            )
            .with_hint(
                Line::new().words("give a path inside the root, or `root` for another project"),
            ));
        }
        _ => asked,
    };
    let mut parts: Vec<&str> = vec![];
    for part in inside.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_some() => {}
            ".." => {
                return Err(ToolError::new(
                    ErrorCode::PathOutsideRoot,
                    format!("{asked} is outside of the root"),
                ));
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

pub fn language(asked: Option<&str>) -> Result<Option<&'static Language>, ToolError> {
    asked.map(known_language).transpose()
}

pub fn is_in(file: &IndexedFile, language: Option<&Language>) -> bool {
    language.is_none_or(|wanted| file.language.is_some_and(|own| own.id == wanted.id))
}

pub fn shown(progress: &Progress) -> IndexProgress {
    IndexProgress {
        phase: match progress.phase {
            Phase::Loading | Phase::Walking => IndexPhase::Scanning,
            Phase::Indexing if progress.is_read() => IndexPhase::Committing,
            Phase::Indexing | Phase::Ready => IndexPhase::Extracting,
            Phase::Embedding => IndexPhase::Embedding,
        },
        done: progress.done,
        total: progress.total,
        rate: progress.rate().unwrap_or_default(),
        eta_seconds: progress.seconds_left(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_not_stored_is_being_committed() {
        let phase = |phase, done, ready| {
            shown(&Progress {
                done,
                ready,
                ..Progress::begin(phase, 500)
            })
            .phase
        };
        assert_eq!(phase(Phase::Walking, 500, 0), IndexPhase::Scanning);
        assert_eq!(phase(Phase::Indexing, 0, 499), IndexPhase::Extracting);
        assert_eq!(phase(Phase::Indexing, 128, 500), IndexPhase::Committing);
        assert_eq!(phase(Phase::Embedding, 0, 500), IndexPhase::Embedding);
    }

    #[test]
    fn a_path_with_a_slip_leads_to_the_one_that_was_meant() {
        let files = [
            "README.md",
            "src/requests/api.py",
            "src/requests/sessions.py",
            "tests/test_sessions.py",
        ];
        let nearest = |asked: &str| nearest_paths(files.into_iter(), asked);
        assert_eq!(
            nearest("src/requests/sesions.py")[0],
            "src/requests/sessions.py"
        );
        assert_eq!(
            nearest("src/reqests/sessions.py")[0],
            "src/requests/sessions.py"
        );
        assert_eq!(nearest("src/request")[0], "src/requests");
        assert_eq!(nearest("sessions.py")[0], "src/requests/sessions.py");
        assert!(nearest("Makefile").is_empty());
    }
}
