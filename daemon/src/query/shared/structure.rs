//! Finds the files that match a code pattern: the index selects candidates, workers parse them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use claudevil_protocol::answer::index_summary::SkipCount;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::Line;
use claudevil_protocol::{ErrorCode, ToolError};
use regex::bytes::{Regex, RegexBuilder};

use super::graph_root::GraphRoot;
use super::languages::parse_language;
use super::skip_reasons::skip_counts;
use super::worker_batches::receive_batch;
use crate::extract::code_pattern::{
    FileMatches, PatternProblem, PatternSpec, PatternSyntax, RequiredTexts, TextScope,
};
use crate::extract::trigrams::FilterPosition;
use crate::index::prepare::language_of;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::{Job, Outcome, Priority, Task};
use crate::lang::Language;
use crate::query::Context;
use crate::search::text_cache::{FileText, TextCache};
use crate::source::globs::Globs;
use crate::store::ledger::record::{self, Skip};
use crate::threads::run_on_all_singly;

/// The texts and bytes that a worker receives at a time.
const BATCH_TEXTS: usize = 64;
const BATCH_BYTES: usize = 128 << 10;

/// The files in which a pattern may match.
pub struct Candidates {
    /// Places in the snapshot, in its order.
    pub places: Vec<usize>,
    /// The languages in which the pattern is code.
    pub languages: Vec<&'static Language>,
    /// Files in these languages, whether they have the words of the pattern or not.
    pub total: u64,
    /// Files in these languages that are not indexed.
    pub skipped: Vec<SkipCount>,
    spec: PatternSpec,
    /// The filter of each language, in the order of `languages`.
    filters: Vec<TextFilter>,
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
        let tried: Vec<(&'static Language, u64)> = tried.collect();
        let read = read_pattern(context, spec, tried.iter().map(|(language, _)| *language))?;
        let mut filters = vec![];
        for ((language, files), texts) in tried.into_iter().zip(read) {
            match texts {
                Ok(texts) => {
                    languages.push(language);
                    filters.push(TextFilter::new(spec, &texts));
                    total += files;
                }
                Err(problem) => {
                    first_problem.get_or_insert((language, problem));
                }
            }
        }
        if let Some((language, problem)) = first_problem.filter(|_| languages.is_empty()) {
            return Err(bad_pattern(language, spec, &problem));
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
        let mut skipped = BTreeMap::<Skip, u64>::new();
        for file in &indexed.snapshot.files {
            if let Some(skip) = file.skip()
                && is_chosen(file)
                && let Some(language) = language_of(&file.path, &[])
                && languages.iter().any(|one| one.id == language.id)
            {
                *skipped.entry(skip).or_default() += 1;
            }
        }
        Ok(Self {
            places: places.map(|(place, _)| place).collect(),
            languages,
            total,
            skipped: skip_counts(skipped),
            spec: spec.clone(),
            filters,
        })
    }

    /// Begins to search some of the files: reads them, and submits those with the texts of the pattern to workers.
    pub fn start(
        &self,
        context: &Context,
        root: &GraphRoot<'_>,
        places: &[usize],
    ) -> RunningSearch {
        let (snapshot, texts) = (&*root.indexed.snapshot, root.texts_by_thread());
        let read = run_on_all_singly(places.len(), |queue| {
            let texts = texts();
            let mut read = vec![];
            while let Some(taken) = queue.take() {
                read.extend(
                    (places[taken].iter()).filter_map(|at| self.read(snapshot, &texts, *at)),
                );
            }
            read
        });
        let mut files: Vec<CandidateFile> = read.into_iter().flatten().collect();
        files.sort_unstable_by_key(|file| file.place);
        let parts = self.submit_parts(context, &files);
        RunningSearch { files, parts }
    }

    /// Waits for the end of a search.
    pub fn finish(
        &self,
        context: &Context,
        search: RunningSearch,
    ) -> Result<Vec<SearchedFile>, ToolError> {
        let RunningSearch { files, parts } = search;
        let mut found = parts.receive(context, files.len())?;
        let is_cut = |at: &usize| found[*at].needs_file;
        let again: Vec<usize> = (0..files.len()).filter(is_cut).collect();
        if !again.is_empty() {
            let whole = again.iter().map(|at| CandidateFile {
                parts: SearchScope::Whole,
                text: Arc::clone(&files[*at].text),
                ..files[*at]
            });
            let whole: Vec<CandidateFile> = whole.collect();
            let matches = self.submit_parts(context, &whole);
            let matches = matches.receive(context, whole.len())?;
            for (at, matches) in again.into_iter().zip(matches) {
                found[at] = matches;
            }
        }
        let files = files.into_iter().zip(found);
        let searched = files.map(|(file, matches)| SearchedFile {
            place: file.place,
            start: file.start,
            is_as_indexed: file.is_as_indexed,
            text: file.text,
            matches,
        });
        Ok(searched.collect())
    }

    /// Reads a file; none if it cannot match.
    fn read(
        &self,
        snapshot: &Snapshot,
        texts: &TextCache<'_>,
        place: usize,
    ) -> Option<CandidateFile> {
        let file = &snapshot.files[place];
        let language = file.language?;
        let known = self.languages.iter().position(|one| one.id == language.id);
        let filter = self.filters.get(known?)?;
        let text = texts.read(place)?;
        let parts = filter.parts(file, &text)?;
        Some(CandidateFile {
            place,
            language,
            start: text.start,
            is_as_indexed: text.is_as_indexed,
            text: Arc::from(text.whole()),
            parts,
        })
    }

    /// Submits the parts of files to workers, the largest first, so that none is left alone with a large one at the end.
    fn submit_parts(&self, context: &Context, files: &[CandidateFile]) -> RunningParts {
        let encode = |scope| -> Arc<[u8]> {
            let spec = PatternSpec {
                scope,
                ..self.spec.clone()
            };
            record::compress(&spec).into()
        };
        let (in_file, in_definition) = (encode(TextScope::File), encode(TextScope::Definition));
        let mut jobs = vec![];
        for (at, file) in files.iter().enumerate() {
            let job = |spec: &Arc<[u8]>, text| Job {
                language: Some(file.language),
                task: Task::Match(Arc::clone(spec)),
                text,
            };
            match &file.parts {
                SearchScope::Whole => {
                    jobs.push(((at, 0), job(&in_file, Arc::clone(&file.text))));
                }
                SearchScope::Definitions(ranges) => {
                    for range in ranges {
                        let text = Arc::from(&file.text[range.clone()]);
                        jobs.push(((at, range.start), job(&in_definition, text)));
                    }
                }
            }
        }
        jobs.sort_by_key(|(_, job)| std::cmp::Reverse(job.text.len()));
        let (origins, jobs) = jobs.into_iter().unzip();
        RunningParts {
            origins,
            jobs: RunningJobs::submit(context, jobs),
        }
    }
}

/// A search that workers run.
pub struct RunningSearch {
    files: Vec<CandidateFile>,
    parts: RunningParts,
}

/// The parts of files that workers search.
struct RunningParts {
    /// The place of the file of each part in the list, and the start of the part in its text.
    origins: Vec<(usize, usize)>,
    jobs: RunningJobs,
}

impl RunningParts {
    /// Returns the matches of each of some files.
    fn receive(self, context: &Context, files: usize) -> Result<Vec<FileMatches>, ToolError> {
        let mut found = vec![FileMatches::default(); files];
        let outcomes = self.jobs.receive(context)?;
        for ((at, start), outcome) in self.origins.into_iter().zip(outcomes) {
            let matches: FileMatches = match outcome {
                Some(Outcome::Matches(bytes)) => {
                    record::decompress(&bytes).unwrap_or_else(incomplete_matches)
                }
                _ => incomplete_matches(),
            };
            found[at].append(matches.shifted(start));
        }
        Ok(found)
    }
}

/// A file whose text may match.
struct CandidateFile {
    place: usize,
    language: &'static Language,
    start: usize,
    is_as_indexed: bool,
    text: Arc<str>,
    parts: SearchScope,
}

/// The parts of a file in which a pattern may match.
enum SearchScope {
    Whole,
    /// The bytes of outermost definitions, not counting modules.
    Definitions(Vec<Range<usize>>),
}

/// A file with all of its matches.
pub struct SearchedFile {
    pub place: usize,
    pub text: Arc<str>,
    /// The length of the byte order mark before the text.
    pub start: usize,
    /// The file has the content that is indexed.
    pub is_as_indexed: bool,
    pub matches: FileMatches,
}

/// The texts that a file must contain to have a match.
struct TextFilter {
    inside: Vec<Regex>,
    around: Vec<Regex>,
    /// True if a match depends only on the definition around it, not on code outside that.
    is_local: bool,
}

impl TextFilter {
    fn new(spec: &PatternSpec, texts: &RequiredTexts) -> Self {
        // A text that is too long for a regular expression is not searched for.
        let compile = |texts: &[String]| {
            let compiled = texts.iter().filter_map(|text| {
                let mut builder = RegexBuilder::new(text);
                builder.unicode(false).build().ok()
            });
            compiled.collect()
        };
        Self {
            inside: compile(&texts.inside),
            around: compile(&texts.around),
            is_local: spec.inside.is_none() && spec.not_inside.is_none(),
        }
    }

    /// Returns the parts of a file in which the pattern may match; none if it cannot match.
    fn parts(&self, file: &IndexedFile, text: &FileText) -> Option<SearchScope> {
        let bytes = text.whole().as_bytes();
        let mut all = self.inside.iter().chain(&self.around);
        if !all.all(|text| text.is_match(bytes)) {
            return None;
        }
        let longest = self.inside.first();
        let longest = longest.filter(|_| self.is_local && text.is_as_indexed);
        let definitions = longest.and_then(|longest| {
            let mut parts: Vec<Range<usize>> = vec![];
            let mut from = 0;
            while let Some(found) = longest.find_at(bytes, from) {
                let part = definition_around(file, text, found.start())?;
                from = part.end;
                parts.push(part);
            }
            let length: usize = parts.iter().map(Range::len).sum();
            (length < bytes.len() / 4 * 3).then_some(parts)
        });
        Some(definitions.map_or(SearchScope::Whole, SearchScope::Definitions))
    }
}

/// Returns the bytes of the outermost definition around a position, modules left out.
fn definition_around(file: &IndexedFile, text: &FileText, at: usize) -> Option<Range<usize>> {
    let mut around = file.outline.symbols.iter().filter_map(|symbol| {
        let start = (symbol.start_byte as usize).checked_sub(text.start)?;
        let range = start..(symbol.end_byte as usize).checked_sub(text.start)?;
        (symbol.kind != SymbolKind::Module && range.contains(&at)).then_some((symbol.kind, range))
    });
    let (kind, range) = around.next()?;
    let definition = text.whole().get(range.clone())?;
    (kind.is_callable() || kind.is_type())
        .then(|| range.start..range.start + definition.trim_end().len())
}

/// Returns the trigrams that a file must have to match: those of the words of a pattern. A tree-sitter query requires no word.
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

type PatternTexts = Result<RequiredTexts, PatternProblem>;

/// Parses a pattern in each of some languages, in workers.
fn read_pattern(
    context: &Context,
    spec: &PatternSpec,
    languages: impl Iterator<Item = &'static Language>,
) -> Result<Vec<PatternTexts>, ToolError> {
    let encoded: Arc<[u8]> = record::compress(spec).into();
    let jobs = languages.map(|language| Job {
        language: Some(language),
        task: Task::ReadPattern(Arc::clone(&encoded)),
        text: Arc::from(""),
    });
    let outcomes = RunningJobs::submit(context, jobs.collect()).receive(context)?;
    let texts = outcomes.into_iter().map(|outcome| match outcome {
        Some(Outcome::Pattern(bytes)) => record::decompress(&bytes),
        _ => None,
    });
    Ok(texts
        .map(|texts| texts.unwrap_or_else(|| Ok(RequiredTexts::default())))
        .collect())
}

/// Jobs that workers run, in batches.
struct RunningJobs(VecDeque<(usize, Receiver<Vec<Outcome>>)>);

impl RunningJobs {
    fn submit(context: &Context, jobs: Vec<Job>) -> Self {
        let pool = &context.indexes.shared().pool;
        let mut running = VecDeque::new();
        let mut batch: Vec<Job> = vec![];
        let mut bytes = 0;
        let mut jobs = jobs.into_iter().peekable();
        while let Some(job) = jobs.next() {
            bytes += job.text.len();
            batch.push(job);
            if jobs.peek().is_none() || batch.len() == BATCH_TEXTS || bytes >= BATCH_BYTES {
                let count = batch.len();
                let submitted = pool.submit(Priority::Interactive, std::mem::take(&mut batch));
                running.push_back((count, submitted));
                bytes = 0;
            }
        }
        Self(running)
    }

    /// Returns the outcomes in the order of the jobs; none for a job that every worker failed at.
    fn receive(self, context: &Context) -> Result<Vec<Option<Outcome>>, ToolError> {
        let mut found = vec![];
        for (count, outcomes) in self.0 {
            let outcomes = receive_batch(&outcomes, context.cancel)?;
            let outcomes = outcomes.into_iter().map(Some);
            found.extend(outcomes.chain(std::iter::repeat_with(|| None)).take(count));
        }
        Ok(found)
    }
}

fn incomplete_matches() -> FileMatches {
    FileMatches {
        is_cut: true,
        ..FileMatches::default()
    }
}

fn bad_pattern(language: &Language, spec: &PatternSpec, problem: &PatternProblem) -> ToolError {
    let at = (problem.offset as usize).min(problem.pattern.len());
    let (before, behind) = problem
        .pattern
        .split_at(problem.pattern.floor_char_boundary(at));
    let near: String = behind.chars().take(20).collect();
    let column = before.chars().count() + 1;
    let place = if near.is_empty() {
        "its end".to_owned()
    } else {
        format!("`{near}`")
    };
    let message = format!(
        "the pattern `{}` cannot be used in {}: {} (character {column}, at {place})",
        problem.pattern, language.name, problem.message
    );
    let error = ToolError::new(ErrorCode::InvalidQuery, message);
    if spec.syntax == PatternSyntax::Query && problem.pattern == spec.pattern {
        return error.with_hint(
            "nodes and fields have the names of the tree-sitter grammar, and a capture says what is found: `(call_expression) @match`",
        );
    }
    if let Some(suggestion) = suggest(&problem.pattern) {
        return error.with_hint(suggestion);
    }
    error.with_hint(
        Line::from("write one whole expression, statement or definition; holes are `$X` for one node and `$$$X` for any number, in capitals; ")
            .parameter("language")
            .text(" chooses the language"),
    )
}

/// Names a mistake that is often made in patterns: `$x.unwrap()`, `f($X`.
fn suggest(pattern: &str) -> Option<String> {
    let mut open = vec![];
    for sign in pattern.chars() {
        match sign {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(sign) => {
                return Some(format!("unmatched `{sign}`"));
            }
            _ => {}
        }
    }
    if let Some(missing) = open.pop() {
        return Some(format!("a `{missing}` is missing"));
    }
    let (_, behind) = pattern.split_once('$')?;
    let is_part = |sign: &char| sign.is_alphanumeric() || *sign == '_';
    let name: String = behind.chars().take_while(is_part).collect();
    let capitals = name.to_uppercase();
    (capitals != name).then(|| format!("holes are in capitals: `${capitals}`"))
}
