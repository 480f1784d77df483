//! `manage_roots`: lists, adds and removes roots.

use claudevil_protocol::ToolError;
use claudevil_protocol::call::Origin;
use claudevil_protocol::tools::manage_roots::{
    ManageRoots, RootAction, RootEntry, RootList, RootOutcome,
};

use super::Context;
use crate::roots::{AddOutcome, RootOptions};
use crate::source::globs::Globs;
use crate::source::walk::unavailable_reason;
use crate::store::roots::RootRecord;

pub fn manage_roots(context: &Context, params: &ManageRoots) -> Result<RootList, ToolError> {
    let (outcome, subject, freed_bytes) = match params.action {
        RootAction::List => (RootOutcome::Listed, None, None),
        RootAction::Add => {
            let (root, added) = add(context, params)?;
            let outcome = match added {
                AddOutcome::New => RootOutcome::Added,
                AddOutcome::Updated => RootOutcome::Updated,
                AddOutcome::Unchanged => RootOutcome::Unchanged,
            };
            (outcome, Some(root), None)
        }
        RootAction::Remove => {
            let root = context.roots.remove(&subject_of(context, params)?.0)?;
            let freed = context.indexes.remove(root.id)?;
            (RootOutcome::Removed, Some(root), Some(freed))
        }
    };
    let roots: Vec<_> = context
        .roots
        .visible(context.call)
        .iter()
        .map(entry)
        .collect();
    Ok(RootList {
        action: params.action,
        subject: subject.as_ref().map(entry),
        outcome,
        freed_bytes,
        total: roots.len() as u64,
        roots,
        truncated: false,
    })
}

fn add(context: &Context, params: &ManageRoots) -> Result<(RootRecord, AddOutcome), ToolError> {
    // Invalid globs are refused now rather than at every walk.
    for globs in [&params.include, &params.exclude].into_iter().flatten() {
        Globs::new(globs)?;
    }
    let options = RootOptions {
        name: params.name.clone(),
        include: params.include.clone(),
        exclude: params.exclude.clone(),
        chunk_size: params.chunk_size,
        overlap: params.overlap,
    };
    let (path, origin) = subject_of(context, params)?;
    let (root, added) = context.roots.add(&path, &options, origin)?;
    // Indexing begins now, not at the first question.
    context.indexes.warm(&root)?;
    Ok((root, added))
}

/// Returns the folder that the call names, or else the session's project.
fn subject_of(context: &Context, params: &ManageRoots) -> Result<(String, Origin), ToolError> {
    let (path, origin) = match (&params.path, &context.call.project) {
        (Some(path), _) => (path.clone(), Origin::Argument),
        (None, Some(project)) => (project.root.clone(), project.origin),
        (None, None) => {
            return Err(ToolError::invalid_argument(
                "no project is known for this session: give `path`",
            ));
        }
    };
    Ok((
        context.roots.manageable(context.call, path, origin)?,
        origin,
    ))
}

fn entry(root: &RootRecord) -> RootEntry {
    RootEntry {
        name: root.name.clone(),
        path: root.path.clone(),
        include: root.include.clone(),
        exclude: root.exclude.clone(),
        chunk_size: root.chunk_size,
        overlap: root.overlap,
        added: root.added,
        unavailable: unavailable_reason(root.path.as_ref()),
    }
}
