//! `checkpoint`: saves a note in the root.

use std::path::Path;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::checkpoint::{Checkpoint, SavedNote};

use super::{Context, indexed};
use crate::clock;
use crate::memory::notes::{self, Draft};
use crate::source::beneath::RootDir;
use crate::source::git::Repository;
use crate::source::git_dir::{GitDir, Head};

pub fn checkpoint(context: &Context, params: &Checkpoint) -> Result<SavedNote, ToolError> {
    let root = context.roots.resolve(context.call)?.root;
    let files = params
        .files
        .iter()
        .flatten()
        .map(|file| indexed::inside(&root.path, file.trim()));
    let files: Vec<String> = files.collect::<Result<_, _>>()?;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    context.cancel.check()?;
    let draft = Draft {
        text: &params.text,
        tags: params.tags.as_deref().unwrap_or_default(),
        symbols: params.symbols.as_deref().unwrap_or_default(),
        files: &files,
        head: head(root.path.as_ref()),
    };
    let (note, redacted) = notes::save(&dir, &draft, clock::now())?;
    Ok(SavedNote {
        root: root.path,
        root_name: root.name,
        max_tokens: params.common().max_tokens,
        note,
        redacted,
    })
}

/// Returns the commit and branch that are checked out in the repository of a root.
pub fn head(root: &Path) -> Option<Head> {
    let own = GitDir::find(root).and_then(|git| git.head());
    own.or_else(|| Repository::open(root).ok()?.head().ok())
}
