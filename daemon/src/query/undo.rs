//! `undo`: reverts the last change that a tool made, if the files are still as it left them.

use std::path::Path;

use claudevil_protocol::answer::diff::FileEdits;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::text::moment;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::undo::{Undo, UndoReport};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::shared::applied_change::note_conflict_copies;
use super::shared::diff::describe_changes;
use crate::change::{FileChange, LARGEST_FILE};
use crate::source::beneath::RootDir;

pub fn undo(context: &Context, params: &Undo) -> Result<UndoReport, ToolError> {
    let root = context.roots.resolve(context.call)?.root;
    let dir = RootDir::open(Path::new(&root.path), &root.name)?;
    let Some((record_path, record)) = context.changes.last_record(&dir) else {
        let message = format!("there is no change to undo in {}", root.name);
        return Err(ToolError::invalid_argument(message).with_hint(
            "changes that these tools made within a day can be undone; for others, use git",
        ));
    };
    if record.is_lost() {
        let message = format!(
            "the last change, by {} at {}, cannot be taken back, because the texts before it were not kept; nothing was changed",
            record.tool,
            moment::minute(record.made)
        );
        return Err(ToolError::invalid_argument(message).with_hint(
            "its earlier texts are in git, if they were committed; older changes cannot be taken back before it",
        ));
    }
    let mut files = vec![];
    let mut changes = vec![];
    for file in record.files {
        let now = dir.read(&file.path, LARGEST_FILE).unwrap_or_default();
        if *blake3::hash(&now).as_bytes() != file.after {
            let message = format!(
                "{} has changed since {} left it; nothing was changed",
                file.path, record.tool
            );
            return Err(ToolError::new(ErrorCode::Stale, message)
                .with_hint("its earlier text is in git, if it was committed"));
        }
        let old_path = file.old_name.is_some().then(|| file.old_path());
        files.push(FileEdits {
            new_path: old_path,
            ..describe_changes(
                &file.path,
                &String::from_utf8_lossy(&now),
                &String::from_utf8_lossy(&file.before),
                1,
            )
        });
        changes.push(FileChange {
            path: file.path,
            before: now,
            after: file.before,
            new_name: file.old_name,
        });
    }
    let mut freshness = Freshness::default();
    if !params.dry_run() {
        let copies = context.changes.apply(&dir, &changes, context.cancel)?;
        note_conflict_copies(&mut freshness, &copies);
        context.changes.forget_record(&record_path);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(UndoReport {
        root: root.path.clone(),
        root_name: root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        tool: record.tool,
        made: record.made,
        applied: !params.dry_run(),
        total_files: files.len() as u64,
        files,
        truncated: false,
    })
}
