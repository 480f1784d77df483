//! `manage_precise`: adds, lists and removes precise indexes, which compilers made.

use std::path::Path;
use std::sync::Arc;

use claudevil_protocol::tools::manage_precise::{
    ManagePrecise, PreciseAction, PreciseIndexInfo, PreciseIndexes,
};
use claudevil_protocol::tools::manage_roots::is_root_name;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::shared::loaded_root::LoadedRoot;
use super::shared::precise_coverage::coverage;
use crate::index::precise::IndexedRoot;
use crate::index::snapshot::Snapshot;
use crate::precise::{self, ImportError, PreciseIndex};
use crate::source::beneath::RootDir;

pub fn manage_precise(
    context: &Context,
    params: &ManagePrecise,
) -> Result<PreciseIndexes, ToolError> {
    let indexed = LoadedRoot::open(context)?.wait_until_complete(context)?;
    let precise = &context.indexes.shared().precise;
    let root = &indexed.root;
    let subject = match (params.action, &params.file, &params.name) {
        (PreciseAction::Add, Some(file), name) => {
            let source = Path::new(file);
            check_source(context, &indexed, source)?;
            let name = match name {
                Some(name) => name.clone(),
                None => name_of(source)?,
            };
            let report = |done: u64| {
                (context.progress)(done, None, "files compared");
                context.cancel.check().map_err(|_| ImportError::Cancelled)
            };
            let dir = RootDir::open(Path::new(&root.path), &root.name)?;
            let files = IndexedRoot::new(dir, root, &indexed.snapshot, &report);
            let info = context.indexes.add_precise(root, &name, source, &files).map_err(|error| {
                let message = format!("{file} cannot be imported: {error}");
                match error {
                    ImportError::Cancelled => context.cancel.check().err().unwrap_or_else(|| {
                        ToolError::new(ErrorCode::Cancelled, "the call was cancelled")
                    }),
                    ImportError::Io(_) | ImportError::NotScip(_) => {
                        ToolError::invalid_argument(message).with_hint(
                            "give the file that an indexer wrote, such as `index.scip` of scip-typescript",
                        )
                    }
                }
            })?;
            Some(info.name)
        }
        (PreciseAction::Remove, _, Some(name)) => {
            let removed = precise
                .remove(root.id, name)
                .map_err(|error| claudevil_protocol::error::from_io(name, &error))?;
            let removed = removed.ok_or_else(|| {
                let known = precise.get(root.id);
                let names = known.iter().map(|index| index.info().name.clone());
                ToolError::invalid_argument(format!(
                    "{} has no precise index called `{name}`",
                    root.name
                ))
                .with_candidates(names.collect())
            })?;
            return Ok(answer(
                &indexed,
                params.action,
                Some(describe(&removed, 0)),
                &[],
            ));
        }
        _ => None,
    };
    let all = precise.get(root.id);
    let subject = subject.and_then(|name| all.iter().find(|index| index.info().name == name));
    let subject = subject.map(|index| info(index, &indexed.snapshot));
    Ok(answer(&indexed, params.action, subject, &all))
}

/// Checks that a source is the absolute path of a file. A session that is confined to its root may read nothing outside it.
fn check_source(context: &Context, indexed: &LoadedRoot, source: &Path) -> Result<(), ToolError> {
    let shown = source.display();
    if !source.is_absolute() {
        return Err(ToolError::invalid_argument(format!(
            "{shown} is not an absolute path"
        )));
    }
    let real = source.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            ToolError::new(ErrorCode::FileNotFound, format!("{shown} does not exist"))
        }
        _ => claudevil_protocol::error::from_io(&shown.to_string(), &error),
    })?;
    if !real.is_file() {
        return Err(ToolError::invalid_argument(format!(
            "{shown} is not a file"
        )));
    }
    if context.call.only_root.is_some() && !real.starts_with(&indexed.root.path) {
        return Err(ToolError::invalid_argument(format!(
            "{shown} is outside {}, and this session may read nothing else",
            indexed.root.name
        )));
    }
    Ok(())
}

/// Returns the name of an index from that of its file: `web` for `web.scip`.
fn name_of(source: &Path) -> Result<String, ToolError> {
    let stem = source.file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| is_root_name(stem))
        .map(str::to_owned)
        .ok_or_else(|| {
            ToolError::invalid_argument(
                "the file's name is not 1 to 64 letters, digits, `-` or `_`",
            )
            .with_hint("give the index a `name`")
        })
}

fn answer(
    indexed: &LoadedRoot,
    action: PreciseAction,
    subject: Option<PreciseIndexInfo>,
    all: &[Arc<PreciseIndex>],
) -> PreciseIndexes {
    let listed: Vec<_> = all
        .iter()
        .map(|index| info(index, &indexed.snapshot))
        .collect();
    let coverage = if action == PreciseAction::Status {
        coverage(all, &indexed.snapshot)
    } else {
        vec![]
    };
    PreciseIndexes {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        action,
        subject,
        total: listed.len() as u64,
        indexes: listed,
        coverage,
        truncated: false,
    }
}

fn info(index: &PreciseIndex, snapshot: &Snapshot) -> PreciseIndexInfo {
    let is_current = |(path, hash): &(&str, &precise::ContentHash)| {
        let file = snapshot.file(path);
        file.is_some_and(|file| file.record.hash == **hash)
    };
    describe(
        index.info(),
        index.files().filter(is_current).count() as u64,
    )
}

fn describe(info: &precise::IndexInfo, current: u64) -> PreciseIndexInfo {
    PreciseIndexInfo {
        name: info.name.clone(),
        tool: info.tool.clone(),
        source: info.source.clone(),
        added: info.added,
        documents: info.documents,
        current,
        not_indexed: info.not_indexed,
        occurrences: info.occurrences,
    }
}
