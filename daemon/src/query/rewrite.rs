//! `rewrite`: replaces every match of a pattern, in all files or in none.
//!
//! Matches are found as `search_structure` finds them; of two that overlap the outer one is replaced. `plan.rs` leaves out those
//! that would lose code or be read as something else. Each file passes the same checks as an edit of a symbol. Generated files
//! are not indexed, so they are never touched.

mod plan;
mod template;

use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::diff::FileEdits;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::rewrite::{KeptMatch, Rewrite, RewriteReport};

use self::plan::{FilePlan, TextReader, plan};
use self::template::SourceFile;
use super::Context;
use super::shared::applied_change::note_applied;
use super::shared::diff::describe_changes;
use super::shared::edited_file::{
    EditedFile, ParseSpans, changed_since_indexed, check_preview, preview_name, span_parser,
};
use super::shared::graph_root::GraphRoot;
use super::shared::splice::Splices;
use super::shared::structure::{Candidates, FileChoice};
use crate::change::FileChange;
use crate::extract::code_pattern::{
    PatternSpec, PatternSyntax, ReadBack, RewrittenText, StructureMatch, hole_names, unnamed_hole,
};
use crate::extract::spans::ByteSpan;
use crate::index::worker::{Job, Outcome, Task};
use crate::lang::Language;
use crate::store::ledger::record;

/// Files whose texts are in memory at once.
const FILES_AT_ONCE: usize = 128;
const MAX_PER_FILE: u32 = 10_000;

pub fn rewrite(context: &Context, params: &Rewrite) -> Result<RewriteReport, ToolError> {
    let root = GraphRoot::open_to_change(context)?;
    root.indexed.refuse_incomplete()?;
    check_holes(params)?;
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
    let languages = matching.iter().filter_map(|(place, _)| {
        let file = &root.indexed.snapshot.files[*place];
        file.language
    });
    if let Some(hole) = unnamed_in(languages, &params.replacement) {
        return Err(unnamed_error(hole));
    }
    let mut changed = ChangedFiles::default();
    for (place, matches) in matching {
        context.cancel.check()?;
        let indexed = &root.indexed.snapshot.files[place];
        let parse = span_parser(context);
        let file = EditedFile::open(&root, &indexed.path, &parse)?;
        let reader = WorkerReader {
            context,
            file: &file,
            parse: &parse,
        };
        let secrets = &indexed.outline.redactions;
        changed.add(reader, &matches, secrets, &params.replacement)?;
    }
    let ChangedFiles {
        files,
        changes,
        total_edits,
        left_alone,
        nested,
        not_rewritten,
        total_not_rewritten,
        syntax_error,
    } = changed;
    if let Some(error) = syntax_error.filter(|_| total_edits == 0) {
        return Err(error);
    }
    let preview = preview_name(&changes);
    check_preview(params.preview.as_deref(), &preview)?;
    let mut freshness = root.indexed.freshness.clone();
    if !params.dry_run() {
        let applied =
            context
                .changes
                .apply_undoable(root.dir(), Rewrite::NAME, &changes, context.cancel)?;
        note_applied(&mut freshness, &applied);
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
        not_rewritten,
        total_not_rewritten,
        nested,
        skipped: candidates.skipped,
        truncated: false,
    })
}

/// Checks that each hole of the replacement is one of the pattern.
fn check_holes(params: &Rewrite) -> Result<(), ToolError> {
    // A `$` variable, which is no hole, has a name.
    let nameless = unnamed_hole(None, &params.replacement);
    if let Some(hole) = nameless.filter(|hole| hole.trim_matches('$').len() < 2) {
        return Err(unnamed_error(hole));
    }
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
    Ok(())
}

/// The changes so far, and the matches that stay as they are.
#[derive(Default)]
struct ChangedFiles {
    files: Vec<FileEdits>,
    changes: Vec<FileChange>,
    total_edits: u64,
    left_alone: u64,
    nested: u64,
    not_rewritten: Vec<KeptMatch>,
    total_not_rewritten: u64,
    /// The first syntax error of a file in which nothing could be rewritten.
    syntax_error: Option<ToolError>,
}

impl ChangedFiles {
    fn add(
        &mut self,
        mut reader: WorkerReader<'_>,
        matches: &[StructureMatch],
        secrets: &[ByteSpan],
        replacement: &str,
    ) -> Result<(), ToolError> {
        let (file, parse) = (reader.file, reader.parse);
        let source = SourceFile {
            text: &file.text,
            language: file.language,
            strings: &file.spans.strings,
        };
        let planned = plan(&source, matches, secrets, replacement, &mut reader)?;
        self.left_alone += planned.secret;
        self.nested += planned.nested;
        if let Some(broken) = &planned.broken
            && self.syntax_error.is_none()
        {
            self.syntax_error = file.check(parse, broken).err();
        }
        self.total_not_rewritten += planned.kept.len() as u64;
        let room = RewriteReport::MOST_KEPT.saturating_sub(self.not_rewritten.len());
        let kept = kept_matches(file, matches, &planned);
        self.not_rewritten.extend(kept.take(room));
        if planned.edits == 0 {
            return Ok(());
        }
        let checked = file.check(parse, &planned.splices)?;
        self.total_edits += planned.edits as u64;
        self.files.push(describe_changes(
            &file.path,
            &file.text,
            &checked.text,
            planned.edits,
        ));
        self.changes.push(FileChange {
            path: file.path.clone(),
            before: file.text.clone().into_bytes(),
            after: checked.text.into_bytes(),
            new_name: None,
        });
        Ok(())
    }
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
    let mut batches = candidates.places.chunks(FILES_AT_ONCE);
    let mut start = || {
        let batch = batches.next()?;
        Some(candidates.start(context, root, batch))
    };
    let mut next = start();
    while let Some(running) = next {
        // The next files are read while these are parsed.
        next = start();
        for searched in candidates.finish(context, running)? {
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
            // The file that is rewritten is as indexed: these matches must be those of that text.
            if !matches.is_empty() && !searched.is_as_indexed {
                let path = &files[searched.place].path;
                return Err(changed_since_indexed(path));
            }
            if !matches.is_empty() {
                found.push((searched.place, matches));
            }
        }
    }
    Ok(found)
}

/// Reads new texts of a file in a worker.
struct WorkerReader<'a> {
    context: &'a Context<'a>,
    file: &'a EditedFile,
    parse: &'a ParseSpans<'a>,
}

impl TextReader for WorkerReader<'_> {
    fn read(&mut self, text: &str, rewritten: &RewrittenText) -> Result<ReadBack, ToolError> {
        self.context.cancel.check()?;
        let job = Job {
            language: Some(self.file.language),
            task: Task::ReadBack(record::compress(rewritten).into()),
            text: Arc::from(text),
        };
        let read = match self.context.indexes.shared().pool.process_now(job) {
            Some(Outcome::ReadBack(bytes)) => {
                record::decompress::<Option<ReadBack>>(&bytes).flatten()
            }
            _ => None,
        };
        let is_complete = |read: &ReadBack| read.readings.len() == rewritten.matches.len();
        read.filter(is_complete).ok_or_else(|| {
            let message = format!(
                "{} could not be parsed with the new text; nothing was changed",
                self.file.path
            );
            ToolError::invalid_argument(message)
        })
    }

    fn strings(&mut self, text: &str) -> Result<Vec<ByteSpan>, ToolError> {
        self.context.cancel.check()?;
        Ok(self.file.parse(self.parse, text)?.strings.clone())
    }

    fn accepts(&mut self, splices: &Splices) -> Result<bool, ToolError> {
        self.context.cancel.check()?;
        Ok(self.file.check(self.parse, splices).is_ok())
    }
}

/// Returns a hole without a name in the replacement, in a language of the files that match.
fn unnamed_in(
    mut languages: impl Iterator<Item = &'static Language>,
    replacement: &str,
) -> Option<&str> {
    languages.find_map(|language| unnamed_hole(Some(language), replacement))
}

fn unnamed_error(hole: &str) -> ToolError {
    let message = format!(
        "`{hole}` of the replacement has no name, so it is not known what it stands for; nothing was changed"
    );
    ToolError::invalid_argument(message).with_hint(
        "name the hole in the pattern and in the replacement: `$$$ARGS` for any number of nodes, `$X` for one",
    )
}

fn kept_matches<'a>(
    file: &'a EditedFile,
    matches: &'a [StructureMatch],
    planned: &'a FilePlan,
) -> impl Iterator<Item = KeptMatch> + 'a {
    planned.kept.iter().map(|(at, reason)| {
        let before = &file.text.as_bytes()[..matches[*at].span.0 as usize];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        KeptMatch {
            path: file.path.clone(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            reason: *reason,
        }
    })
}
