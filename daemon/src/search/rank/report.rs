//! Collects the evidence of a report: the code locations that it names, and the words of its whole text.

use std::collections::{BTreeMap, HashMap, HashSet};

use claudevil_protocol::answer::symbol::SymbolKind;
use tantivy::TantivyError;

use super::{Ranking, chunk_at, locate};
use crate::extract::facts::Symbol;
use crate::index::number_map::NumberMap;
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::search::lexical::LexicalSearcher;
use crate::search::lexical::files::FileSizes;
use crate::search::morphology;
use crate::search::question::Question;
use crate::search::report::provenance::path_parts;
use crate::search::report::{self, MentionPlace, Report, Term};
use crate::store::text::{parts, words};

/// The most words of a report by which files are ranked.
const MAX_TERMS: usize = 80;
/// The number of files that become candidates by the words of the whole report, and of each of its parts.
const MAX_FILES: usize = 60;
/// A name that more symbols than this share is not evidence.
const MAX_NAMESAKES: usize = 40;
/// The factor of a qualified name whose containers do not match.
const UNQUALIFIED: f32 = 0.4;
/// The factor of a container of a qualified name: `Parser` of `Parser.next`.
const CONTAINER: f32 = 0.5;

/// An error message of the report that was found in a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocatedMessage {
    pub file: usize,
    pub chunk: usize,
    /// The share of the message's words that the chunk contains.
    pub share: f32,
}

/// A report, and its messages that were found in texts.
pub struct ReportRequest<'a> {
    pub report: &'a Report,
    pub messages: &'a [LocatedMessage],
}

/// The evidence of a report for a file, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReportEvidence {
    /// The words of the whole report, relative to the best file.
    pub whole: f32,
    /// The words of the title, of the prose and of the code, each relative to the best file.
    pub title: f32,
    pub prose: f32,
    pub code: f32,
    /// The share of the file's name that occurs in the title, and in the prose.
    pub title_stem: f32,
    pub prose_stem: f32,
    /// The best chunk by the words of the whole report.
    pub chunk: f32,
    /// The report names the file by its path or module.
    pub mentioned: f32,
    /// A trace goes through the file.
    pub traced: f32,
    /// The file defines names of the title, the prose and the code, each relative to the best file.
    pub title_names: f32,
    pub prose_names: f32,
    pub code_names: f32,
    /// The file contains an error message of the report.
    pub message: f32,
}

impl Ranking<'_> {
    pub(super) fn add_report(
        &mut self,
        lexical: &LexicalSearcher<'_>,
        request: &ReportRequest<'_>,
    ) -> Result<(), TantivyError> {
        let report = request.report;
        let terms = rarest(lexical, report.terms(), MAX_TERMS)?;
        let whole = Question::from_terms(&terms);
        let sizes = SnapshotSizes::new(self.snapshot);
        let by_whole = lexical.score_files(&whole, &sizes)?;
        let score_part = |text: &str| {
            let terms = rarest(lexical, report::terms_of(text), MAX_TERMS)?;
            lexical.score_files(&Question::from_terms(&terms), &sizes)
        };
        let by_title = score_part(&report.title)?;
        let by_prose = score_part(&report.prose)?;
        let by_code = score_part(&report.code)?;
        for scores in [&by_whole, &by_title, &by_prose, &by_code] {
            let mut best: Vec<(usize, f32)> =
                scores.iter().map(|(file, score)| (*file, *score)).collect();
            best.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            best.retain(|(file, _)| self.request.allows(*file));
            for (file, _) in best.into_iter().take(MAX_FILES) {
                self.add_file(file);
            }
        }
        self.add_report_chunks(lexical, &whole)?;
        self.add_mentions(report);
        self.add_places(report);
        for message in request.messages {
            self.add_place(message.file, message.chunk, message.share);
            let evidence = self.report_evidence(message.file);
            evidence.message = evidence.message.max(message.share);
        }
        let (title, prose) = (WordSet::new(&report.title), WordSet::new(&report.prose));
        let snapshot = self.snapshot;
        for (file, evidence) in &mut self.files {
            let own = &mut evidence.report;
            let score = |scores: &NumberMap<usize, f32>| scores.get(file).copied();
            own.whole = score(&by_whole).unwrap_or_default();
            own.title = score(&by_title).unwrap_or_default();
            own.prose = score(&by_prose).unwrap_or_default();
            own.code = score(&by_code).unwrap_or_default();
            let name = own_name(&snapshot.files[*file].path);
            own.title_stem = title.share_of(name);
            own.prose_stem = prose.share_of(name);
        }
        Ok(())
    }

    /// Makes a file a candidate, by its first chunk.
    pub(super) fn add_file(&mut self, file: usize) {
        if !self.file(file).outline.chunks.is_empty() {
            self.candidate(file, 0);
            self.files.entry(file).or_default();
        }
    }

    pub(super) fn report_evidence(&mut self, file: usize) -> &mut ReportEvidence {
        &mut self.files.entry(file).or_default().report
    }

    pub(super) fn add_place(&mut self, file: usize, chunk: usize, place: f32) {
        let evidence = &mut self.candidate(file, chunk).evidence;
        evidence.mentioned_location = evidence.mentioned_location.max(place);
    }

    fn add_report_chunks(
        &mut self,
        lexical: &LexicalSearcher<'_>,
        whole: &Question,
    ) -> Result<(), TantivyError> {
        let allows = |number| {
            let file = self.snapshot.by_number(number);
            file.is_some_and(|file| self.request.allows(file))
        };
        let allows: Option<&dyn Fn(u64) -> bool> = self.request.files.map(|_| &allows as _);
        let matches = lexical.find(whole, allows)?;
        let chunks = matches.chunks.iter().map(|&(doc, body, _)| (doc, body));
        for (file, chunk, body) in locate::chunks(self.snapshot, lexical, chunks) {
            self.candidate(file, chunk).evidence.report = body;
            let evidence = self.report_evidence(file);
            evidence.chunk = evidence.chunk.max(body);
        }
        Ok(())
    }

    /// Adds the definitions of names that the report mentions.
    fn add_mentions(&mut self, report: &Report) {
        for place in [MentionPlace::Title, MentionPlace::Prose, MentionPlace::Code] {
            let mut sums: BTreeMap<usize, f32> = BTreeMap::new();
            for parts in report.mentions_at(place) {
                let containers = (1..parts.len()).flat_map(|end| {
                    let all = self.definitions_of(&parts[..end]).into_iter();
                    all.map(|(file, position, share)| (file, position, share * CONTAINER))
                });
                let all: Vec<_> = self
                    .definitions_of(parts)
                    .into_iter()
                    .chain(containers)
                    .collect();
                for (file, position, share) in all {
                    let own = sums.entry(file).or_default();
                    *own += share;
                    let symbols = &self.file(file).outline.symbols;
                    let start = symbols[position].start_byte;
                    if place != MentionPlace::Code
                        && let Some(chunk) = chunk_at(&self.file(file).outline.chunks, start)
                    {
                        self.add_place(file, chunk, share);
                        let candidate = self.candidate(file, chunk);
                        if candidate.symbol.is_none_or(|(_, best)| share > best) {
                            candidate.symbol = Some((position, share));
                        }
                    }
                }
            }
            let best = sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
            for (file, sum) in sums {
                self.add_file(file);
                let evidence = self.report_evidence(file);
                let own = match place {
                    MentionPlace::Title => &mut evidence.title_names,
                    MentionPlace::Prose => &mut evidence.prose_names,
                    MentionPlace::Code => &mut evidence.code_names,
                };
                *own = sum / best;
            }
        }
    }

    /// Returns the symbols that a name may refer to, each with its share: the more there are, the less each counts.
    fn definitions_of(&self, parts: &[String]) -> Vec<(usize, usize, f32)> {
        let names = self.snapshot.names();
        let Some((last, containers)) = parts.split_last() else {
            return vec![];
        };
        let all = names
            .symbols_in_any_case(last)
            .map(|at| (at.file as usize, at.symbol as usize))
            .filter(|(file, position)| {
                let symbol = &self.file(*file).outline.symbols[*position];
                self.request.allows(*file) && *symbol.name == **last && !is_value_of_error(symbol)
            });
        let mut all: Vec<(usize, usize)> = all.take(MAX_NAMESAKES + 1).collect();
        if all.len() > MAX_NAMESAKES {
            return vec![];
        }
        let mut factor = 1.0;
        if let Some(container) = containers.last() {
            let is_inside = |(file, position): &(usize, usize)| {
                let file = self.file(*file);
                let symbol = &file.outline.symbols[*position];
                file.containers(symbol).any(|own| own == container)
                    || module_parts(&file.path)
                        .next_back()
                        .is_some_and(|own| own == container)
            };
            if all.iter().any(is_inside) {
                all.retain(is_inside);
            } else {
                factor = UNQUALIFIED;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a few symbols")]
        let share = factor / (all.len() as f32).sqrt();
        all.into_iter()
            .map(|(file, position)| (file, position, share))
            .collect()
    }

    /// Adds the files that are named by paths, modules and stack frames.
    fn add_places(&mut self, report: &Report) {
        let paths = PathEnds::new(self.snapshot, report);
        for mention in &report.paths {
            let files = paths.files(&mention.path);
            for (file, share) in files {
                if !self.request.allows(file) {
                    continue;
                }
                self.add_file(file);
                let evidence = self.report_evidence(file);
                evidence.mentioned = evidence.mentioned.max(share);
                if let Some(line) = mention.line {
                    self.add_line(file, line, None, share);
                }
            }
        }
        for mention in &report.mentions {
            for (file, share) in paths.modules(&mention.parts) {
                if self.request.allows(file) {
                    self.add_file(file);
                    let evidence = self.report_evidence(file);
                    evidence.mentioned = evidence.mentioned.max(share);
                }
            }
        }
        self.add_frames(report, &paths);
    }
}

/// Files by the last part of their paths and modules, for the paths and names that a report contains.
pub(super) struct PathEnds<'a> {
    snapshot: &'a Snapshot,
    /// By the last part of the path, in lower case.
    by_name: HashMap<String, Vec<usize>>,
    /// By the last part of the module, in lower case: `models` for `app/models.py` and `app/models/__init__.py`.
    by_module: HashMap<String, Vec<usize>>,
}

impl<'a> PathEnds<'a> {
    fn new(snapshot: &'a Snapshot, report: &Report) -> Self {
        let paths = report.paths.iter().map(|one| one.path.as_str());
        let frames = report.frames.iter().map(|one| one.path.as_str());
        let mut by_name: HashMap<String, Vec<usize>> = paths
            .chain(frames)
            .map(|path| (last_part(path).to_lowercase(), vec![]))
            .collect();
        let qualified = report.mentions.iter().filter(|one| one.parts.len() > 1);
        let mut by_module: HashMap<String, Vec<usize>> = qualified
            .flat_map(|one| one.parts.iter().map(|part| (part.to_lowercase(), vec![])))
            .collect();
        for (place, file) in snapshot.files.iter().enumerate() {
            if let Some(own) = by_name.get_mut(&last_part(&file.path).to_lowercase()) {
                own.push(place);
            }
            if let Some(module) = module_parts(&file.path).next_back()
                && let Some(own) = by_module.get_mut(&module.to_lowercase())
            {
                own.push(place);
            }
        }
        Self {
            snapshot,
            by_name,
            by_module,
        }
    }

    /// Returns the files that share the longest end with a path; the share is 1 if all of either path is common.
    pub(super) fn files(&self, path: &str) -> Vec<(usize, f32)> {
        let parts: Vec<&str> = path_parts(path).collect();
        let all = self.by_name.get(&last_part(path).to_lowercase());
        let common = |file: usize| {
            let own = self.snapshot.files[file].path.rsplit('/');
            own.zip(parts.iter().rev())
                .take_while(|(own, part)| own.eq_ignore_ascii_case(part))
                .count()
        };
        let longest = best_of(all, common);
        let share = |file: usize, common: usize| {
            let own = self.snapshot.files[file].path.split('/').count();
            if common == parts.len() || common == own {
                1.0
            } else if common > 1 {
                0.8
            } else {
                0.2
            }
        };
        spread(longest, share)
    }

    /// Returns the files that are the module of a qualified name: `app/db/models.py` for `app.db.models.Field`.
    fn modules(&self, parts: &[String]) -> Vec<(usize, f32)> {
        if parts.len() < 2 {
            return vec![];
        }
        let common = |file: usize| {
            let own: Vec<&str> = module_parts(&self.snapshot.files[file].path).collect();
            (1..=parts.len())
                .map(|end| {
                    let pairs = own.iter().rev().zip(parts[..end].iter().rev());
                    pairs
                        .take_while(|(own, part)| own.eq_ignore_ascii_case(part))
                        .count()
                })
                .max()
                .unwrap_or_default()
        };
        let all: Vec<usize> = parts
            .iter()
            .filter_map(|part| self.by_module.get(&part.to_lowercase()))
            .flatten()
            .copied()
            .collect();
        spread(best_of(Some(&all), common), |_, common| match common {
            0 | 1 => 0.3,
            2 => 0.7,
            _ => 1.0,
        })
    }
}

/// Returns the files with the most common parts, and that number.
fn best_of(all: Option<&Vec<usize>>, common: impl Fn(usize) -> usize) -> Vec<(usize, usize)> {
    let mut best: Vec<(usize, usize)> = vec![];
    for &file in all.into_iter().flatten() {
        let own = common(file);
        let most = best.first().map_or(1, |(_, most)| *most);
        if own > most {
            best.clear();
        }
        if own >= most && !best.contains(&(file, own)) {
            best.push((file, own));
        }
    }
    best
}

/// Divides the evidence of a path among the files that it may refer to.
fn spread(files: Vec<(usize, usize)>, share: impl Fn(usize, usize) -> f32) -> Vec<(usize, f32)> {
    #[expect(clippy::cast_precision_loss, reason = "a few files")]
    let among = (files.len().max(1) as f32).sqrt();
    files
        .into_iter()
        .map(|(file, common)| (file, share(file, common) / among))
        .collect()
}

/// Returns whether a symbol is a member that has the name of an error type and is none: `IllegalStateException` in a list of
/// the names of classes. Lines of errors are about the type.
pub(super) fn is_value_of_error(symbol: &Symbol) -> bool {
    let is_error = symbol.name.ends_with("Error") || symbol.name.ends_with("Exception");
    let is_value = matches!(
        symbol.kind,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field | SymbolKind::Property
    );
    is_error && is_value && symbol.parent.is_some()
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the parts of a path as a module: `app`, `db` for `app/db.py` and for `app/db/__init__.py`.
fn module_parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let (stem, _) = path.rsplit_once('.').unwrap_or((path, ""));
    let stem = ["/__init__", "/mod", "/index"]
        .into_iter()
        .find_map(|file| stem.strip_suffix(file))
        .unwrap_or(stem);
    stem.split('/')
}

/// The words of a text, in all their forms.
struct WordSet(HashSet<String>);

impl WordSet {
    fn new(text: &str) -> Self {
        let words = report::terms_of(text).into_iter();
        Self(
            words
                .flat_map(|term| morphology::forms(&term.word))
                .map(|(form, _)| form)
                .collect(),
        )
    }

    /// Returns the share of the parts of a name that are in the set.
    fn share_of(&self, name: &str) -> f32 {
        let (mut all, mut here) = (0.0, 0.0);
        for (_, word) in words(name) {
            for part in parts(word) {
                all += 1.0;
                if self.0.contains(&word[part].to_lowercase()) {
                    here += 1.0;
                }
            }
        }
        if all > 0.0 { here / all } else { 0.0 }
    }
}

/// Returns the last part of a file's module; empty for the main file of a top-level folder, `app/__init__.py`, whose name is
/// likely the project's and so in every report.
fn own_name(path: &str) -> &str {
    let mut parts = module_parts(path);
    let last = parts.next_back().unwrap_or_default();
    if parts.next().is_none() && path.contains('/') {
        return "";
    }
    last
}

/// Keeps the terms with the highest product of weight and rarity.
fn rarest(
    lexical: &LexicalSearcher<'_>,
    terms: Vec<Term>,
    most: usize,
) -> Result<Vec<Term>, TantivyError> {
    let mut worth = vec![];
    for term in terms {
        let count = lexical.count_chunks_with(&term.word)?;
        if count > 0 {
            worth.push((
                term.weight * (1.0 - lexical.log_share(count)).max(0.05),
                term,
            ));
        }
    }
    worth.sort_by(|one, other| other.0.total_cmp(&one.0));
    Ok(worth.into_iter().take(most).map(|(_, term)| term).collect())
}

/// The sizes of a snapshot's files in bytes, in place of their numbers of words.
struct SnapshotSizes<'a> {
    snapshot: &'a Snapshot,
    average: f32,
    count: usize,
}

impl<'a> SnapshotSizes<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let indexed = |file: &&std::sync::Arc<IndexedFile>| !file.outline.chunks.is_empty();
        let files = snapshot.files.iter().filter(indexed);
        let count = files.clone().count().max(1);
        let bytes: u64 = files.map(|file| file.record.size).sum();
        #[expect(clippy::cast_precision_loss, reason = "sizes")]
        let average = (bytes as f32 / count as f32).max(1.0);
        Self {
            snapshot,
            average,
            count,
        }
    }
}

impl FileSizes for SnapshotSizes<'_> {
    fn position_and_size(&self, number: u64) -> Option<(usize, f32)> {
        let position = self.snapshot.by_number(number)?;
        #[expect(clippy::cast_precision_loss, reason = "sizes")]
        let size = self.snapshot.files[position].record.size as f32;
        Some((position, size / self.average))
    }

    fn count(&self) -> usize {
        self.count
    }
}
