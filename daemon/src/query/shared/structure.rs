//! Files that match a pattern of code: chosen by the index, parsed by workers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};

use super::graph_root::GraphRoot;
use super::languages::parse_language;
use crate::extract::code_pattern::{FileMatches, PatternProblem, PatternSpec, PatternSyntax};
use crate::extract::trigrams::FilterPosition;
use crate::index::snapshot::IndexedFile;
use crate::index::worker::{Job, Outcome, Priority, Task};
use crate::lang::Language;
use crate::query::Context;
use crate::source::globs::Globs;
use crate::store::ledger::record;

/// Files that are parsed by one worker at a time.
const BATCH: usize = 16;

/// The files in which a pattern may match.
pub struct Candidates {
    /// Places in the snapshot, in its order.
    pub places: Vec<usize>,
    /// The languages in which the pattern is code.
    pub languages: Vec<&'static Language>,
    /// Files in these languages, whether they have the words of the pattern or not.
    pub total: u64,
}

/// The files that a search is about.
pub struct FileChoice<'a> {
    pub language: Option<&'a str>,
    pub path: Option<&'a str>,
}

impl Candidates {
    /// Chooses files by language, path and the words of the pattern. The error says what is wrong with the pattern.
    pub fn choose(
        context: &Context,
        root: &GraphRoot<'_>,
        spec: &PatternSpec,
        choice: &FileChoice<'_>,
    ) -> Result<Self, ToolError> {
        let wanted = parse_language(choice.language)?;
        let indexed = &root.indexed;
        let globs = choice
            .path
            .map(|path| Globs::within(&indexed.root.path, &[path]))
            .transpose()?;
        let folder = indexed.folder.as_ref().map(|folder| format!("{folder}/"));
        let is_chosen = |file: &IndexedFile| {
            folder
                .as_ref()
                .is_none_or(|folder| file.path.starts_with(folder))
                && globs.as_ref().is_none_or(|globs| globs.matches(&file.path))
        };
        let mut by_language: BTreeMap<&str, (&'static Language, u64)> = BTreeMap::new();
        for file in indexed.snapshot.files.iter().filter(|file| is_chosen(file)) {
            let Some(language) = file.language.filter(|one| one.facts.is_some()) else {
                continue;
            };
            if wanted.is_none_or(|wanted| wanted.id == language.id) {
                by_language.entry(language.id).or_insert((language, 0)).1 += 1;
            }
        }
        let mut present: Vec<(&'static Language, u64)> = by_language.into_values().collect();
        present.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
        let (mut languages, mut total) = (vec![], 0);
        let mut first_problem = None;
        let tried = present
            .iter()
            .copied()
            .chain(wanted.filter(|_| present.is_empty()).map(|one| (one, 0)));
        for (language, files) in tried {
            match match_texts(context, spec, &[(language, Arc::from(""))])?.pop() {
                Some(Ok(_)) => {
                    languages.push(language);
                    total += files;
                }
                Some(Err(problem)) => {
                    first_problem.get_or_insert((language, problem));
                }
                None => {}
            }
        }
        if let Some((language, problem)) = first_problem.filter(|_| languages.is_empty()) {
            return Err(bad_pattern(language, &problem));
        }
        let trigrams = required_trigrams(spec);
        let places = indexed
            .snapshot
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| {
                let language = file.language;
                language.is_some_and(|own| languages.iter().any(|one| one.id == own.id))
                    && is_chosen(file)
                    && trigrams
                        .iter()
                        .all(|one| file.outline.trigrams.may_have(*one))
            });
        Ok(Self {
            places: places.map(|(place, _)| place).collect(),
            languages,
            total,
        })
    }
}

/// Returns the trigrams of the words of a pattern, which a file must have to match. A query may do without any word.
fn required_trigrams(spec: &PatternSpec) -> Vec<FilterPosition> {
    let has_comment = ["//", "#", "--", "/*"]
        .iter()
        .any(|sign| spec.pattern.contains(sign));
    if spec.syntax == PatternSyntax::Query || has_comment {
        return vec![];
    }
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '$';
    let words = spec.pattern.split(|sign| !is_part(sign));
    let words = words.filter(|word| !word.contains('$') && word.is_ascii());
    words
        .flat_map(|word| word.as_bytes().windows(3))
        .map(|bytes| FilterPosition::new([bytes[0], bytes[1], bytes[2]]))
        .collect()
}

type TextMatches = Result<FileMatches, PatternProblem>;

/// Has workers match texts. A text that a worker dies of matches nothing, and is cut.
pub fn match_texts(
    context: &Context,
    spec: &PatternSpec,
    texts: &[(&'static Language, Arc<str>)],
) -> Result<Vec<TextMatches>, ToolError> {
    let encoded: Arc<[u8]> = record::compress(spec).into();
    let pool = &context.indexes.shared().pool;
    let mut waiting = VecDeque::new();
    let mut found = vec![];
    for batch in texts.chunks(BATCH) {
        let jobs = batch.iter().map(|(language, text)| Job {
            language: Some(language),
            task: Task::Match(Arc::clone(&encoded)),
            text: Arc::clone(text),
        });
        waiting.push_back((
            batch.len(),
            pool.submit(Priority::Interactive, jobs.collect()),
        ));
    }
    while let Some((count, outcomes)) = waiting.pop_front() {
        context.cancel.check()?;
        let outcomes = outcomes.recv().unwrap_or_default();
        let matches = outcomes
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat_with(|| None));
        found.extend(matches.take(count).map(|outcome| match outcome {
            Some(Outcome::Matches(bytes)) => {
                record::decompress(&bytes).unwrap_or_else(|| Ok(cut()))
            }
            _ => Ok(cut()),
        }));
    }
    Ok(found)
}

fn cut() -> FileMatches {
    FileMatches {
        is_cut: true,
        ..FileMatches::default()
    }
}

fn bad_pattern(language: &Language, problem: &PatternProblem) -> ToolError {
    let at = (problem.offset as usize).min(problem.pattern.len());
    let (before, behind) = problem
        .pattern
        .split_at(problem.pattern.floor_char_boundary(at));
    let near: String = behind.chars().take(20).collect();
    let column = before.chars().count() + 1;
    let message = format!(
        "the pattern `{}` cannot be used in {}: {} (character {column}, at `{near}`)",
        problem.pattern, language.name, problem.message
    );
    ToolError::new(ErrorCode::InvalidQuery, message).with_hint(
        Line::from("write one whole expression, statement or definition; holes are `$X` for one node and `$$$X` for any number, in capitals; ")
            .parameter("language")
            .text(" chooses the language"),
    )
}
