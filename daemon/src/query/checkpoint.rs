//! `checkpoint`: saves a note in the root.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::checkpoint::{Checkpoint, SavedNote};

use super::Context;
use super::shared::paths::relative_path;
use crate::clock;
use crate::memory::notes::{self, Draft};
use crate::source::beneath::RootDir;
use crate::source::git;

pub fn checkpoint(context: &Context, params: &Checkpoint) -> Result<SavedNote, ToolError> {
    let root = context.roots.resolve(context.call)?.root;
    let files = params
        .files
        .iter()
        .flatten()
        .map(|file| relative_path(&root.path, file.trim()));
    let files: Vec<String> = files.collect::<Result<_, _>>()?;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    context.cancel.check()?;
    let draft = Draft {
        text: &params.text,
        tags: params.tags.as_deref().unwrap_or_default(),
        symbols: params.symbols.as_deref().unwrap_or_default(),
        files: &files,
        head: git::head(root.path.as_ref()),
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
