//! `rewrite`: replaces every match of a pattern, in all files or in none.
//!
//! Matches are found as `search_structure` finds them; of two that overlap the outer one is replaced. Each file passes the
//! same checks as an edit of a symbol. Generated files are not indexed, so they are never touched.

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::rewrite::{Rewrite, RewriteReport};

use super::Context;
use super::shared::conflict_copies::note_conflict_copies;
use super::shared::diff::describe_changes;
use super::shared::edited_file::{EditedFile, check_preview, preview_name};
use super::shared::graph_root::GraphRoot;
use super::shared::splice::{Splice, Splices};
use super::shared::structure::{Candidates, FileChoice};
use crate::change::FileChange;
use crate::extract::code_pattern::{
    PatternSpec, PatternSyntax, StructureMatch, fill_holes, hole_names,
};

/// Files whose texts are in memory at once.
const FILES_AT_ONCE: usize = 128;
const MAX_PER_FILE: u32 = 10_000;

pub fn rewrite(context: &Context, params: &Rewrite) -> Result<RewriteReport, ToolError> {
    let root = GraphRoot::open_to_change(context)?;
    root.indexed.refuse_incomplete()?;
    let mut known = hole_names(&params.pattern);
    known.extend(params.inside.iter().flat_map(|pattern| hole_names(pattern)));
    let unknown = hole_names(&params.replacement)
        .into_iter()
        .find(|name| !known.contains(name));
    if let Some(name) = unknown {
        let message =
            format!("`${name}` of the replacement is not in the pattern; nothing was changed");
        return Err(ToolError::invalid_argument(message));
    }
    let spec = PatternSpec {
        pattern: params.pattern.clone(),
        syntax: PatternSyntax::Code,
        inside: params.inside.clone(),
        not_inside: params.not_inside.clone(),
        most: MAX_PER_FILE,
        ..PatternSpec::default()
    };
    let choice = FileChoice {
        language: params.language.as_deref(),
        path: params.path.as_deref(),
    };
    let candidates = Candidates::choose(context, &root, &spec, &choice)?;
    let matching = find_files(context, &root, &candidates)?;
    let most = params.max_files() as usize;
    if matching.len() > most {
        let message = format!(
            "{} files match, and at most {most} may change; nothing was changed",
            matching.len()
        );
        return Err(ToolError::invalid_argument(message)
            .with_hint("narrow `path` or the pattern, or raise `max_files`"));
    }
    let (mut files, mut changes) = (vec![], vec![]);
    let (mut total_edits, mut left_alone) = (0, 0);
    for (place, matches) in matching {
        context.cancel.check()?;
        let indexed = &root.indexed.snapshot.files[place];
        let file = EditedFile::open(context, &root, &indexed.path)?;
        let secrets = &indexed.outline.redactions;
        let (splices, skipped) = replace_matches(&file, &matches, secrets, &params.replacement);
        left_alone += skipped;
        if splices.is_empty() {
            continue;
        }
        let edits = splices.len();
        // The splices do not overlap: only outermost matches are replaced.
        let splices = Splices::new(splices).unwrap_or_default();
        let checked = file.check(context, &splices)?;
        total_edits += edits as u64;
        files.push(describe_changes(
            &file.path,
            &file.text,
            &checked.text,
            edits,
        ));
        changes.push(FileChange {
            path: file.path.clone(),
            before: file.text.clone().into_bytes(),
            after: checked.text.into_bytes(),
            new_name: None,
        });
    }
    let preview = preview_name(&changes);
    check_preview(params.preview.as_deref(), &preview)?;
    let mut freshness = root.indexed.freshness.clone();
    if !params.dry_run() {
        let copies =
            context
                .changes
                .apply_undoable(root.dir(), Rewrite::NAME, &changes, context.cancel)?;
        note_conflict_copies(&mut freshness, &copies);
    }
    Ok(RewriteReport {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        pattern: params.pattern.clone(),
        replacement: params.replacement.clone(),
        preview,
        applied: !params.dry_run() && !files.is_empty(),
        total_files: files.len() as u64,
        files,
        total_edits,
        left_alone,
        skipped: candidates.skipped,
        truncated: false,
    })
}

type FileWithMatches = (usize, Vec<StructureMatch>);

/// Returns the files that match, with positions that count a byte order mark. A file that could not be searched to its end is
/// an error.
fn find_files(
    context: &Context,
    root: &GraphRoot<'_>,
    candidates: &Candidates,
) -> Result<Vec<FileWithMatches>, ToolError> {
    let files = &root.indexed.snapshot.files;
    let mut found = vec![];
    for places in candidates.places.chunks(FILES_AT_ONCE) {
        for searched in candidates.search(context, root, places)? {
            if searched.matches.is_cut {
                let message = format!(
                    "{} could not be searched to its end; nothing was changed",
                    files[searched.place].path
                );
                return Err(
                    ToolError::invalid_argument(message).with_hint("leave it out by `path`")
                );
            }
            let matches = searched.matches.shifted(searched.start).matches;
            if !matches.is_empty() {
                found.push((searched.place, matches));
            }
        }
    }
    Ok(found)
}

/// Returns the splices of the outermost matches, and the number of those that hold secrets.
fn replace_matches(
    file: &EditedFile,
    matches: &[StructureMatch],
    secrets: &[(u32, u32)],
    replacement: &str,
) -> (Vec<Splice>, u64) {
    let mut splices = vec![];
    let (mut reached, mut skipped) = (0, 0);
    let line_end = if file.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    for one in matches {
        let (start, end) = one.span;
        if start < reached {
            continue;
        }
        reached = end;
        if secrets
            .iter()
            .any(|secret| secret.0 < end && start < secret.1)
        {
            skipped += 1;
            continue;
        }
        let line = file.text[..start as usize]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let rest = &file.text[line..];
        let indent = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
        let template = replacement
            .replace("\r\n", "\n")
            .replace('\n', &format!("{line_end}{indent}"));
        let text = fill_holes(&template, |name| {
            let hole = one.holes.iter().find(|hole| *hole.name == *name);
            hole.and_then(|hole| file.text.get(hole.span.0 as usize..hole.span.1 as usize))
        });
        splices.push(Splice {
            range: start as usize..end as usize,
            text,
        });
    }
    (splices, skipped)
}
