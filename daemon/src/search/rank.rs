//! Ranks chunks by the evidence of words, names, paths and meaning.
//!
//! Each kind of evidence proposes candidates; then every candidate is scored by all kinds, plus the evidence for its file.
//! Nothing here knows how results are shown.

mod evidence;
mod frames;
mod locate;
mod location;
mod namesake;
mod report;
mod score;

use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use tantivy::TantivyError;

use self::frames::FramedLocation;
pub use self::namesake::DefinitionRank;
pub use self::report::{LocatedMessage, ReportEvidence, ReportRequest};
use self::score::{ChunkScore, FileScore, lower_further_chunks, select_first};
use super::chunk_set::ChunkSet;
use super::lexical::LexicalSearcher;
use super::paths::{PathScore, factor};
use super::question::{QueryKind, Question};
use super::weights::{self, Weights};
use crate::extract::facts::{Chunk, Symbol};
use crate::index::number_map::NumberMap;
use crate::index::similarity::{Comparison, QueryVectors};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::source::cancel::CancelToken;
use crate::threads::{self, Queue};

#[derive(Clone, Debug)]
pub struct RankedChunk {
    /// The position in the snapshot's files.
    pub file: usize,
    pub chunk: usize,
    /// The symbol of the chunk with the most evidence.
    pub symbol: Option<usize>,
    /// Set if the query is a name and the symbol has exactly that name.
    pub definition: Option<DefinitionRank>,
    /// Set if the query is a name, the file has that name, and this is the file's best chunk: `SqlMapper.cs` for `SqlMapper`.
    pub is_namesake: bool,
    /// The result is the whole symbol rather than the chunk.
    pub is_whole_symbol: bool,
    pub score: f32,
    pub evidence: Evidence,
    /// The evidence for its file.
    pub file_evidence: FileEvidence,
}

/// The evidence for a chunk, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    pub body: f32,
    pub coverage: f32,
    pub doc: f32,
    pub name: f32,
    pub exact: f32,
    pub meaning: f32,
    /// The evidence of the file's path, which counts for the file and not for the chunk.
    pub path: f32,
    /// The words of a whole report, whose title is the question.
    pub report: f32,
    /// Code locations of a report in the chunk: frames, names and error messages.
    pub mentioned_location: f32,
    /// The query or a pasted stack trace names the file or the line; the first that is named has 1. Such a chunk comes first,
    /// whatever its score.
    pub location: f32,
}

/// The evidence for a file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileEvidence {
    pub several_chunks: f32,
    pub path: PathScore,
    pub name: f32,
    pub exact: f32,
    pub meaning: f32,
    pub overall: f32,
    pub names_meaning: f32,
    pub centrality: f32,
    pub report: ReportEvidence,
}

/// The number of chunks that become candidates by meaning.
const NEAREST: usize = 100;
/// The most chunks of a ranking, many more than any call asks for.
const MAX_RANKED: usize = 400;
/// The number of files whose centrality is computed, after all other evidence is known.
const MAX_CENTRAL: usize = 20;
const CENTRAL_NAMES: usize = 4;
/// The number of candidates of most questions, for which memory is reserved.
const USUAL: usize = 1000;

pub struct RankRequest<'a> {
    pub question: &'a Question,
    /// The report whose title is the question.
    pub report: Option<ReportRequest<'a>>,
    /// The vectors of the question, if the root has vectors.
    pub meaning: Option<&'a QueryVectors>,
    /// Ranks by meaning alone, without words.
    pub is_semantic: bool,
    /// The files that may be results, by their position in the snapshot; `None` allows all.
    pub files: Option<&'a [bool]>,
    /// The name of the root, which is in so many paths that it says nothing about any of them.
    pub root_name: &'a str,
    /// Ranks exactly these chunks, whatever their evidence.
    pub only: Option<&'a ChunkSet>,
    /// A cancelled ranking is empty.
    pub cancel: &'a CancelToken,
}

impl RankRequest<'_> {
    pub fn allows(&self, file: usize) -> bool {
        self.files
            .is_none_or(|allowed| allowed.get(file) == Some(&true))
    }
}

#[derive(Default)]
struct Candidate {
    evidence: Evidence,
    /// The symbol with the most evidence, and that amount.
    symbol: Option<(usize, f32)>,
    /// The symbols in the chunk that have exactly the name of the query.
    definitions: Vec<usize>,
}

/// The evidence for a chunk without any.
static NO_EVIDENCE: LazyLock<Candidate> = LazyLock::new(Candidate::default);

/// Returns the best chunks, the best first; at most some hundreds.
pub fn rank(
    snapshot: &Snapshot,
    request: &RankRequest<'_>,
) -> Result<Vec<RankedChunk>, TantivyError> {
    let mut ranking = Ranking {
        snapshot,
        request,
        candidates: NumberMap::with_capacity_and_hasher(USUAL, BuildHasherDefault::default()),
        files: NumberMap::with_capacity_and_hasher(USUAL / 2, BuildHasherDefault::default()),
        framed: vec![],
    };
    let lexical = match &snapshot.text {
        Some(view) if !request.is_semantic => Some(LexicalSearcher::new(view, snapshot.size())?),
        _ => None,
    };
    let comparison = request
        .meaning
        .map(|meaning| meaning.compare_with(snapshot));
    let nearest =
        |comparison: &Comparison<'_>| comparison.nearest(NEAREST, |file| request.allows(file));
    let may_be_defined = match &lexical {
        Some(lexical) if request.question.kind == QueryKind::Name => {
            ranking.may_have_definition(lexical)?
        }
        _ => false,
    };
    let near = match (&lexical, &comparison) {
        // Words and meaning are independent, so they run on two threads.
        (Some(lexical), Some(comparison)) if comparison.is_large() && !may_be_defined => {
            let queue = Queue::new(1, 1);
            let work = || queue.take().map(|_| nearest(comparison));
            let (added, near) = threads::run_with_helper(work, || ranking.add_lexical(lexical));
            added?;
            near.into_iter().flatten().flatten().collect()
        }
        (lexical, comparison) => {
            if let Some(lexical) = lexical {
                ranking.add_lexical(lexical)?;
            }
            // To a name, meaning matters only if nothing has it.
            let comparison = comparison.as_ref();
            let comparison = comparison.filter(|_| !(may_be_defined && ranking.has_definition()));
            comparison.map_or_else(Vec::new, nearest)
        }
    };
    if request.cancel.is_cancelled() {
        return Ok(vec![]);
    }
    if let Some(comparison) = &comparison {
        ranking.add_meaning(comparison, &near);
    }
    if let Some(only) = request.only {
        ranking
            .candidates
            .retain(|(file, chunk), _| only.contains(*file, *chunk));
    }
    if request.cancel.is_cancelled() {
        return Ok(vec![]);
    }
    ranking.order(lexical.as_ref())
}

struct Ranking<'a> {
    snapshot: &'a Snapshot,
    request: &'a RankRequest<'a>,
    /// By file and chunk.
    candidates: NumberMap<(usize, usize), Candidate>,
    files: NumberMap<usize, FileEvidence>,
    /// The frames of the project in the stack traces of a report.
    framed: Vec<FramedLocation>,
}

impl<'a> Ranking<'a> {
    fn file(&self, position: usize) -> &'a IndexedFile {
        &self.snapshot.files[position]
    }

    fn candidate(&mut self, file: usize, chunk: usize) -> &mut Candidate {
        self.candidates.entry((file, chunk)).or_default()
    }

    fn order(
        mut self,
        lexical: Option<&LexicalSearcher<'_>>,
    ) -> Result<Vec<RankedChunk>, TantivyError> {
        let weights = match self.request.question.kind {
            QueryKind::Name => &weights::NAME,
            QueryKind::Words if self.request.report.is_some() => &weights::REPORT,
            QueryKind::Words if self.files.values().any(|file| file.meaning > 0.0) => {
                &weights::WORDS_AND_MEANING
            }
            QueryKind::Words => &weights::WORDS,
        };
        let mut file_scores = self.file_scores(weights);
        if let Some(lexical) = lexical {
            // Centrality is costly, so only the files that may rank first get it.
            for file in self.best_files(&file_scores) {
                if self.request.cancel.is_cancelled() {
                    return Ok(vec![]);
                }
                let centrality = self.centrality(lexical, file)?;
                let own = self.files.entry(file).or_default();
                own.centrality = centrality;
                if let Some(score) = file_scores.get_mut(&file) {
                    score.evidence = weights.file(own);
                }
            }
        }
        let mut ranked = self.ranked(&file_scores);
        self.mark_namesakes(&mut ranked);
        Ok(self.put_locations_first(self.repeat_for_definitions(ranked)))
    }

    /// Repeats a chunk for each of the definitions in it.
    fn repeat_for_definitions(&self, ranked: Vec<RankedChunk>) -> Vec<RankedChunk> {
        let mut all = Vec::with_capacity(ranked.len());
        for one in ranked {
            let definitions = self
                .candidates
                .get(&(one.file, one.chunk))
                .map_or(&[][..], |own| &own.definitions);
            let further = definitions.iter().skip(1).map(|symbol| RankedChunk {
                symbol: Some(*symbol),
                ..one.clone()
            });
            let further: Vec<RankedChunk> = further.collect();
            all.push(one);
            all.extend(further);
        }
        all
    }

    /// Returns the files of the best chunks, each once, the best first.
    fn best_files(&self, file_scores: &NumberMap<usize, FileScore<'_>>) -> Vec<usize> {
        let mut scores = self.chunk_scores(file_scores);
        let mut files: Vec<usize> = vec![];
        // A small number of chunks nearly always covers enough files.
        let mut from = 0;
        while files.len() < MAX_CENTRAL && from < scores.len() {
            let some = select_first(&mut scores[from..], MAX_CENTRAL * 8, ChunkScore::compare);
            scores[from..from + some].sort_unstable_by(ChunkScore::compare);
            for ChunkScore { file, .. } in &scores[from..from + some] {
                if files.len() < MAX_CENTRAL && !files.contains(file) {
                    files.push(*file);
                }
            }
            from += some;
        }
        files
    }

    fn chunk_scores(&self, file_scores: &NumberMap<usize, FileScore<'_>>) -> Vec<ChunkScore> {
        let score = |file: usize, chunk: usize, own: &Candidate| ChunkScore {
            is_definition: !own.definitions.is_empty(),
            score: file_scores[&file].score(own, || &self.file(file).outline.chunks[chunk]),
            file,
            chunk,
        };
        if self.request.only.is_none() {
            let all = self.candidates.iter();
            return all
                .map(|(&(file, chunk), own)| score(file, chunk, own))
                .filter(|one| one.score > 0.0)
                .collect();
        }
        self.only_chunks()
            .map(|(file, chunk)| score(file, chunk, self.evidence_for(file, chunk)))
            .collect()
    }

    /// Returns the chunks that the request is limited to. There may be very many, of which few have evidence.
    fn only_chunks(&self) -> impl Iterator<Item = (usize, usize)> {
        let only = self.request.only.into_iter().flat_map(ChunkSet::iter);
        only.filter(|(file, _)| self.request.allows(*file))
    }

    fn evidence_for(&self, file: usize, chunk: usize) -> &Candidate {
        self.candidates.get(&(file, chunk)).unwrap_or(&NO_EVIDENCE)
    }

    fn ranked(&self, file_scores: &NumberMap<usize, FileScore<'_>>) -> Vec<RankedChunk> {
        let mut scores = self.chunk_scores(file_scores);
        if self.request.only.is_none() {
            let definitions_first = |one: &ChunkScore, other: &ChunkScore| {
                other
                    .is_definition
                    .cmp(&one.is_definition)
                    .then_with(|| one.compare(other))
            };
            let some = select_first(&mut scores, MAX_RANKED, definitions_first);
            scores.truncate(some);
        }
        scores.sort_unstable_by(ChunkScore::compare);
        lower_further_chunks(&mut scores);
        let ranked = scores.into_iter().map(|one| {
            let own = self.evidence_for(one.file, one.chunk);
            let file = self.files.get(&one.file);
            RankedChunk {
                file: one.file,
                chunk: one.chunk,
                symbol: own
                    .definitions
                    .first()
                    .copied()
                    .or(own.symbol.map(|(symbol, _)| symbol)),
                definition: one
                    .is_definition
                    .then(|| self.definition_rank(one.file, own)),
                is_namesake: false,
                is_whole_symbol: one.is_definition,
                score: one.score,
                evidence: Evidence {
                    path: file.map_or(0.0, |file| file.path.stem.max(file.path.path)),
                    ..own.evidence
                },
                file_evidence: file.copied().unwrap_or_default(),
            }
        });
        ranked.collect()
    }

    fn file_scores(&self, weights: &'a Weights) -> NumberMap<usize, FileScore<'a>> {
        let mut scores =
            NumberMap::with_capacity_and_hasher(self.files.len(), BuildHasherDefault::default());
        let mut last = None;
        let limited = self.only_chunks().map(|(file, _)| file);
        for file in self.candidates.keys().map(|(file, _)| *file).chain(limited) {
            // The chunks of a file follow each other.
            if last.replace(file) == Some(file) {
                continue;
            }
            scores.entry(file).or_insert_with(|| {
                let (indexed, question) = (self.file(file), self.request.question);
                FileScore {
                    weights,
                    factor: factor(indexed.path_words().conventions, question),
                    tests: if question.about_tests {
                        &[]
                    } else {
                        indexed.test_modules()
                    },
                    evidence: weights.file(&self.files.get(&file).copied().unwrap_or_default()),
                }
            });
        }
        scores
    }

    /// Returns the logarithmic share of all chunks that contain the most frequent of the names that the file defines.
    fn centrality(&self, lexical: &LexicalSearcher<'_>, file: usize) -> Result<f32, TantivyError> {
        if let Some(known) = self.snapshot.centrality(file) {
            return Ok(known);
        }
        let symbols = self.file(file).outline.symbols.iter();
        let names = symbols
            .filter(|symbol| symbol.parent.is_none() && symbol.name.len() > 3)
            .take(CENTRAL_NAMES);
        let mut most = 0;
        for symbol in names {
            most = most.max(lexical.count_chunks_with(&symbol.name)?);
        }
        let centrality = lexical.log_share(most);
        self.snapshot.set_centrality(file, centrality);
        Ok(centrality)
    }
}

/// Returns the chunk that contains a byte, or else the next one or the last.
pub fn chunk_at(chunks: &[Chunk], byte: u32) -> Option<usize> {
    let at = chunks.partition_point(|chunk| chunk.end_byte <= byte);
    (!chunks.is_empty()).then(|| at.min(chunks.len() - 1))
}

/// Returns the innermost symbol around a line.
pub fn symbol_at_line(symbols: &[Symbol], line: u32) -> Option<usize> {
    let until = symbols.partition_point(|symbol| symbol.start_line <= line);
    symbols[..until]
        .iter()
        .rposition(|symbol| symbol.end_line >= line)
}

#[cfg(test)]
pub mod tests;
