//! The order of results: what is found by words, by names, by paths and by meaning, weighed together.
//!
//! Candidates come from each kind of evidence; then every candidate is scored by all kinds. The unit is the chunk, with
//! what speaks for its file added to it. Nothing here knows of filters other than as a question about a file, nor of
//! how results are shown.

mod located;
mod score;

use std::hash::BuildHasherDefault;

use claudevil_protocol::answer::symbol::SymbolKind;
use tantivy::TantivyError;

use self::located::SymbolAt;
use self::score::{OfFile, Score, keep_in_front, saturate};
use super::chunk_set::ChunkSet;
use super::lexical::{Doc, Found, Lexical, Scored};
use super::paths::{PathFit, PathFits, factor};
use super::question::{Kind, Name, Question};
use super::snippet::is_same;
use super::weights::{self, Weights};
use crate::extract::facts::{Chunk, Symbol};
use crate::index::names::Names;
use crate::index::number_map::NumberMap;
use crate::index::similarity::{ChunkCosines, Comparison, QueryVectors};
use crate::index::snapshot::{IndexedFile, Size, Snapshot};
use crate::index::vectors::NearChunk;
use crate::source::cancel::Cancel;
use crate::store::text::{is_indexed, words};
use crate::threads;

/// A chunk of the answer.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Place in the snapshot's files.
    pub file: usize,
    pub chunk: usize,
    /// The symbol that speaks most for it, if any does.
    pub symbol: Option<usize>,
    /// The symbol has exactly a name that was asked for, and nothing else can be meant.
    pub is_definition: bool,
    pub score: f32,
    pub evidence: Evidence,
}

/// What speaks for a chunk, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    pub body: f32,
    pub coverage: f32,
    pub doc: f32,
    pub name: f32,
    pub exact: f32,
    pub meaning: f32,
    /// Of the file's path. It counts for the file, not for the chunk.
    pub path: f32,
}

/// What speaks for a file as a whole.
#[derive(Clone, Copy, Debug, Default)]
struct FileEvidence {
    together: f32,
    path: PathFit,
    name: f32,
    exact: f32,
    meaning: f32,
    overall: f32,
    about: f32,
    central: f32,
}

/// How many chunks by meaning, and files by their paths, are looked at.
const NEAREST: usize = 100;
const MOST_PATHS: usize = 80;
/// Chunks of one file that speak for each other, and how much each further one does.
const TOGETHER: [f32; 5] = [1.0, 0.7, 0.49, 0.343, 0.24];
/// Symbols with a word in their name that are looked at one by one for those that are nothing but the word.
const FEW_NAMED: usize = 300;
/// Chunks that are put in order: many more than anybody asks for.
const MOST_RANKED: usize = 400;
/// Files whose names are looked up elsewhere, after all else is known.
const MOST_CENTRAL: usize = 20;
const CENTRAL_NAMES: usize = 4;
/// Chunks that most questions find: room for them is made at once.
const USUAL: usize = 1000;

/// What is asked of the ranking.
pub struct Request<'a> {
    pub question: &'a Question,
    /// What the question means, where there are vectors.
    pub meaning: Option<&'a QueryVectors>,
    /// Without words: by meaning alone.
    pub is_semantic: bool,
    /// By place in the snapshot's files; none for all.
    pub is_wanted: Option<&'a [bool]>,
    /// Exactly these, whatever speaks for them.
    pub only: Option<&'a ChunkSet>,
    /// When it is cancelled the rest is not done, and nothing is found.
    pub cancel: &'a Cancel,
}

struct Candidate {
    evidence: Evidence,
    symbol: Option<(usize, f32)>,
    /// Symbols in it that are exactly what was asked for.
    definitions: Vec<usize>,
}

/// The best chunks, the best first; at most some hundreds.
pub fn rank(snapshot: &Snapshot, request: &Request<'_>) -> Result<Vec<Ranked>, TantivyError> {
    let mut ranking = Ranking {
        snapshot,
        request,
        candidates: NumberMap::with_capacity_and_hasher(USUAL, BuildHasherDefault::default()),
        files: NumberMap::with_capacity_and_hasher(USUAL / 2, BuildHasherDefault::default()),
    };
    let Size { chunks, symbols } = snapshot.size();
    let lexical = match &snapshot.text {
        Some(view) if !request.is_semantic => Some(Lexical::new(view, chunks, symbols)?),
        _ => None,
    };
    let comparison = request
        .meaning
        .map(|meaning| meaning.compare_with(snapshot));
    let near = match &lexical {
        None => comparison
            .as_ref()
            .map(|comparison| nearest(comparison, request.is_wanted, || ()).0),
        Some(lexical)
            if request.question.kind == Kind::Name && ranking.may_have_definition(lexical)? =>
        {
            ranking.take_lexical(lexical)?;
            // What is near the name matters where nothing has it.
            let lost = comparison.as_ref().filter(|_| !ranking.has_definition());
            lost.map(|comparison| nearest(comparison, request.is_wanted, || ()).0)
        }
        // The two halves know nothing of each other, and each takes a core.
        Some(lexical) => {
            if let Some(comparison) = &comparison {
                let (near, words) = nearest(comparison, request.is_wanted, || {
                    ranking.take_lexical(lexical)
                });
                words?;
                Some(near)
            } else {
                ranking.take_lexical(lexical)?;
                None
            }
        }
    };
    if request.cancel.is_cancelled() {
        return Ok(vec![]);
    }
    if let Some(comparison) = &comparison {
        ranking.take_meaning(comparison, near);
    }
    if let Some(only) = request.only {
        ranking
            .candidates
            .retain(|(file, chunk), _| only.contains(*file, *chunk));
        for (file, chunk) in only
            .iter()
            .filter(|(file, _)| ranking.wants(*file))
            .collect::<Vec<_>>()
        {
            ranking.candidate(file, chunk);
        }
    }
    if request.cancel.is_cancelled() {
        return Ok(vec![]);
    }
    ranking.order(lexical.as_ref())
}

/// How near every chunk is, and which are nearest of those that are wanted. Another thread compares while this one does
/// something first.
fn nearest<'a, T>(
    comparison: &'a Comparison<'_>,
    is_wanted: Option<&[bool]>,
    first: impl FnOnce() -> T,
) -> ((ChunkCosines<'a>, Vec<NearChunk>), T) {
    let scan = comparison.scan();
    let (all, done) = if scan.is_large() {
        let (done, shares) = threads::run_with_helper(|| scan.run(), first);
        (scan.merge(shares), done)
    } else {
        let done = first();
        (scan.merge([scan.run()]), done)
    };
    let best = all.nearest(NEAREST, |file| {
        is_wanted.is_none_or(|wanted| wanted.get(file).copied().unwrap_or(false))
    });
    ((all, best), done)
}

struct Ranking<'a> {
    snapshot: &'a Snapshot,
    request: &'a Request<'a>,
    /// By file and chunk.
    candidates: NumberMap<(usize, usize), Candidate>,
    files: NumberMap<usize, FileEvidence>,
}

impl<'a> Ranking<'a> {
    fn wants(&self, file: usize) -> bool {
        self.request
            .is_wanted
            .is_none_or(|wanted| wanted.get(file).copied().unwrap_or(false))
    }

    fn file(&self, place: usize) -> &IndexedFile {
        &self.snapshot.files[place]
    }

    fn candidate(&mut self, file: usize, chunk: usize) -> &mut Candidate {
        self.candidates
            .entry((file, chunk))
            .or_insert_with(|| Candidate {
                evidence: Evidence::default(),
                symbol: None,
                definitions: vec![],
            })
    }

    /// What speaks for chunks by words, names and paths.
    fn take_lexical(&mut self, lexical: &Lexical<'_>) -> Result<(), TantivyError> {
        let wanted = |number| {
            self.snapshot
                .by_number(number)
                .is_some_and(|file| self.wants(file))
        };
        let wanted: Option<&dyn Fn(u64) -> bool> = self.request.is_wanted.map(|_| &wanted as _);
        let found = lexical.find(self.request.question, wanted)?;
        if !self.request.cancel.is_cancelled() {
            self.take_words(lexical, &found)?;
            self.take_paths(&found.rarity);
        }
        Ok(())
    }

    /// Whether a name that is asked for may be defined at all.
    fn may_have_definition(&self, lexical: &Lexical<'_>) -> Result<bool, TantivyError> {
        let Some(last) = self.request.question.names.last() else {
            return Ok(false);
        };
        Ok(match self.names_for(last, true) {
            Some(names) => names.symbols_in_any_case(&last.text).next().is_some(),
            None => lexical.names_with(&last.text)? > 0,
        })
    }

    /// The index of names, if it is at hand or has to be: the text index knows words, and few names that have one.
    fn names_for(&self, name: &Name, are_few: bool) -> Option<&'a Names> {
        let is_word = is_indexed(&name.text)
            && words(&name.text)
                .next()
                .is_some_and(|(_, word)| *word == *name.text);
        if are_few && is_word {
            self.snapshot.cached_names()
        } else {
            Some(self.snapshot.names())
        }
    }

    fn has_definition(&self) -> bool {
        self.candidates
            .values()
            .any(|own| !own.definitions.is_empty())
    }

    fn take_words(&mut self, lexical: &Lexical<'_>, found: &Found) -> Result<(), TantivyError> {
        let mut chunks_of: NumberMap<usize, usize> = NumberMap::default();
        let chunks = found
            .chunks
            .iter()
            .map(|&(doc, body, coverage)| (doc, (body, coverage)));
        for (file, chunk, (body, coverage)) in located::chunks(self.snapshot, lexical, chunks) {
            let evidence = &mut self.candidate(file, chunk).evidence;
            (evidence.body, evidence.coverage) = (body, coverage);
            let before = chunks_of.entry(file).or_default();
            if let Some(share) = TOGETHER.get(*before) {
                self.files.entry(file).or_default().together += share * body / 3.0;
            }
            *before += 1;
        }
        let least = found
            .names
            .iter()
            .map(|(_, score)| *score)
            .fold(0.0, f32::max)
            * 0.2;
        let named = found
            .names
            .iter()
            .copied()
            .filter(|(_, score)| *score >= least);
        self.take_symbols(lexical, named, |evidence, score, prior| {
            evidence.name = evidence.name.max(score * prior);
        });
        let documented = found.docs.iter().copied();
        self.take_symbols(lexical, documented, |evidence, score, _| {
            evidence.doc = evidence.doc.max(score);
        });
        for name in &self.request.question.names {
            let certain = if name.is_certain {
                1.0
            } else {
                weights::UNCERTAIN_NAME
            };
            let lower = name.text.to_lowercase();
            for (file, symbol) in self.named(lexical, name)? {
                let found = &self.file(file).outline.symbols[symbol];
                let same = if *found.name == *name.text {
                    1.0
                } else if is_same(&found.name, &lower) {
                    weights::OTHER_CASE
                } else {
                    continue;
                };
                let exact = certain * same * prior(found.kind);
                let is_definition =
                    self.request.question.kind == Kind::Name && self.is_meant(file, symbol);
                let Some(chunk) = chunk_at(&self.file(file).outline.chunks, found.start_byte)
                else {
                    continue;
                };
                let candidate = self.candidate(file, chunk);
                if is_definition && !candidate.definitions.contains(&symbol) {
                    candidate.definitions.push(symbol);
                }
                if exact > candidate.evidence.exact {
                    candidate.evidence.exact = exact;
                    candidate.symbol = Some((symbol, 1.0 + exact));
                }
                let evidence = self.files.entry(file).or_default();
                evidence.exact = evidence.exact.max(exact);
            }
        }
        self.take_case();
        Ok(())
    }

    /// Symbols that may have exactly this name, large and small letters alike.
    fn named(
        &self,
        lexical: &Lexical<'_>,
        name: &Name,
    ) -> Result<Vec<(usize, usize)>, TantivyError> {
        let are_few = lexical.names_with(&name.text)? as usize <= FEW_NAMED;
        let Some(names) = self.names_for(name, are_few) else {
            let docs = lexical.named(&name.text)?.into_iter().map(|doc| (doc, ()));
            return Ok(self
                .symbols(lexical, docs)
                .into_iter()
                .map(|(at, ())| (at.file, at.place))
                .collect());
        };
        // Of a word that many names have as a part, and that may be meant as a plain word, fields of that name say nothing.
        let least = if name.is_certain || are_few {
            0.0
        } else {
            prior(SymbolKind::Function)
        };
        let kind = |(file, symbol): &(usize, usize)| self.file(*file).outline.symbols[*symbol].kind;
        let all = names
            .symbols_in_any_case(&name.text)
            .map(|at| (at.file as usize, at.symbol as usize));
        Ok(all
            .filter(|(file, _)| self.wants(*file))
            .filter(|one| prior(kind(one)) >= least)
            .collect())
    }

    /// Where something has the name letter for letter, what has it in another case is not what was asked for.
    fn take_case(&mut self) {
        let Some(last) = self
            .request
            .question
            .names
            .last()
            .map(|name| name.text.as_str())
        else {
            return;
        };
        let snapshot = self.snapshot;
        let is_same = |file: usize, symbol: usize| {
            *snapshot.files[file].outline.symbols[symbol].name == *last
        };
        let mut all = self
            .candidates
            .iter()
            .flat_map(|((file, _), own)| own.definitions.iter().map(|one| (*file, *one)));
        if all.any(|(file, symbol)| is_same(file, symbol)) {
            for ((file, _), own) in &mut self.candidates {
                own.definitions.retain(|symbol| is_same(*file, *symbol));
            }
        }
    }

    /// Whether a symbol is what a query that is one name asks for: the last of its names, within the others.
    fn is_meant(&self, file: usize, symbol: usize) -> bool {
        let file = self.file(file);
        let Some(symbol) = file.outline.symbols.get(symbol) else {
            return false;
        };
        let mut asked = self
            .request
            .question
            .names
            .iter()
            .rev()
            .map(|name| name.text.as_str());
        if !asked
            .next()
            .is_some_and(|last| symbol.name.eq_ignore_ascii_case(last))
        {
            return false;
        }
        let around: Vec<&str> = file.containers(symbol).collect();
        let folders = |name: &str| {
            file.path
                .split(['/', '.'])
                .any(|part| part.eq_ignore_ascii_case(name))
        };
        let is_around = |name: &str| {
            around
                .iter()
                .any(|around| around.eq_ignore_ascii_case(name))
        };
        // Only what stands by itself in a file is in nothing but the file.
        asked
            .next()
            .is_none_or(|name| is_around(name) || around.is_empty() && folders(name))
            && asked.all(|name| is_around(name) || folders(name))
    }

    fn take_symbols(
        &mut self,
        lexical: &Lexical<'_>,
        docs: impl Iterator<Item = Scored>,
        note: impl Fn(&mut Evidence, f32, f32),
    ) {
        for (
            SymbolAt {
                file,
                place,
                symbol,
                chunk,
            },
            score,
        ) in self.symbols(lexical, docs)
        {
            let candidate = self.candidate(file, chunk);
            let before = candidate.evidence.name;
            note(&mut candidate.evidence, score, prior(symbol.kind));
            let name = candidate.evidence.name;
            if name > before && candidate.symbol.is_none_or(|(_, best)| name > best) {
                candidate.symbol = Some((place, name));
            }
            let evidence = self.files.entry(file).or_default();
            evidence.name = evidence.name.max(name);
        }
    }

    fn symbols<T>(
        &self,
        lexical: &Lexical<'_>,
        docs: impl Iterator<Item = (Doc, T)>,
    ) -> Vec<(SymbolAt<'a>, T)> {
        located::symbols(self.snapshot, lexical, docs, |file| self.wants(file))
    }

    fn take_paths(&mut self, rarity: &[f32]) {
        let fits = PathFits::new(self.snapshot.path_lexicon(), self.request.question, rarity);
        let fit = |place: usize| fits.fit(place, self.file(place).path_words());
        let named = fits
            .files()
            .filter(|place| !self.file(*place).outline.chunks.is_empty() && self.wants(*place));
        let mut named: Vec<(usize, PathFit)> = named.map(|place| (place, fit(place))).collect();
        let worth = |fit: &PathFit| fit.stem + fit.whole_stem;
        named.sort_unstable_by(|one, other| {
            worth(&other.1)
                .total_cmp(&worth(&one.1))
                .then(one.0.cmp(&other.0))
        });
        for (file, _) in named.into_iter().take(MOST_PATHS) {
            self.candidate(file, 0);
            self.files.entry(file).or_default();
        }
        if let Some(asked) = &self.request.question.path {
            self.take_asked_path(asked);
        }
        let places: Vec<usize> = self.files.keys().copied().collect();
        for place in places {
            let fit = fits.fit(place, self.file(place).path_words());
            self.files.entry(place).or_default().path = fit;
        }
    }

    /// Files at a path, or beneath it, that was asked for as such.
    fn take_asked_path(&mut self, asked: &str) {
        for (place, file) in self.snapshot.files.iter().enumerate() {
            let rest = match file.path.find(asked) {
                Some(0) => &file.path[asked.len()..],
                Some(at) if file.path.as_bytes()[at - 1] == b'/' => &file.path[at + asked.len()..],
                _ => continue,
            };
            let exact = match rest.chars().next() {
                None => 1.0,
                Some('/') => weights::BENEATH_PATH,
                Some(_) => continue,
            };
            if self.wants(place) && !file.outline.chunks.is_empty() {
                let evidence = &mut self.candidate(place, 0).evidence;
                evidence.exact = evidence.exact.max(exact);
                let evidence = self.files.entry(place).or_default();
                evidence.exact = evidence.exact.max(exact);
            }
        }
    }

    /// `near` is how near every chunk is, and the nearest; without it, only what was found is compared.
    fn take_meaning(
        &mut self,
        comparison: &Comparison<'_>,
        near: Option<(ChunkCosines<'_>, Vec<NearChunk>)>,
    ) {
        let (all, best) = near.map_or((None, vec![]), |(all, best)| (Some(all), best));
        for NearChunk { file, chunk, .. } in best {
            self.candidate(file, chunk);
        }
        let mut most = f32::MIN_POSITIVE;
        for (&(file, chunk), Candidate { evidence, .. }) in &mut self.candidates {
            let cosine = all.as_ref().map_or_else(
                || comparison.chunk_cosine(file, chunk),
                |all| all.get(file, chunk),
            );
            evidence.meaning = cosine.unwrap_or_default().max(0.0);
            most = most.max(evidence.meaning);
        }
        for (&(file, _), Candidate { evidence, .. }) in &mut self.candidates {
            evidence.meaning /= most;
            let of_file = self.files.entry(file).or_default();
            of_file.meaning = of_file.meaning.max(evidence.meaning);
        }
        if self.request.question.kind == Kind::Name {
            // Whatever the whole file is about: it has the name or not.
            return;
        }
        let (mut most, mut most_about) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
        let files: Vec<usize> = self.files.keys().copied().collect();
        for ((overall, about), evidence) in comparison
            .file_cosines(&files)
            .into_iter()
            .zip(self.files.values_mut())
        {
            evidence.overall = overall.unwrap_or_default().max(0.0);
            evidence.about = about.unwrap_or_default().max(0.0);
            most = most.max(evidence.overall);
            most_about = most_about.max(evidence.about);
        }
        for evidence in self.files.values_mut() {
            evidence.overall /= most;
            evidence.about /= most_about;
        }
    }

    fn order(mut self, lexical: Option<&Lexical<'_>>) -> Result<Vec<Ranked>, TantivyError> {
        let weights = match self.request.question.kind {
            Kind::Name => &weights::NAME,
            Kind::Words if self.files.values().any(|file| file.meaning > 0.0) => {
                &weights::WORDS_AND_MEANING
            }
            Kind::Words => &weights::WORDS,
        };
        let mut of_files = self.of_files(weights);
        if let Some(lexical) = lexical {
            // Costly, so only of those that may come to stand on top.
            for file in self.best_files(&of_files) {
                if self.request.cancel.is_cancelled() {
                    return Ok(vec![]);
                }
                let centrality = self.centrality(lexical, file)?;
                let own = self.files.entry(file).or_default();
                own.central = centrality;
                if let Some(of_file) = of_files.get_mut(&file) {
                    of_file.evidence = weights.file(own);
                }
            }
        }
        let mut ranked = self.scored(&of_files);
        saturate(&mut ranked);
        Ok(self.each_definition(ranked))
    }

    /// A chunk that has several of the definitions stands for each of them.
    fn each_definition(&self, ranked: Vec<Ranked>) -> Vec<Ranked> {
        let mut all = Vec::with_capacity(ranked.len());
        for one in ranked {
            let further = self
                .candidates
                .get(&(one.file, one.chunk))
                .map_or(&[][..], |own| &own.definitions);
            let further = further.iter().skip(1).map(|symbol| Ranked {
                symbol: Some(*symbol),
                ..one.clone()
            });
            let further: Vec<Ranked> = further.collect();
            all.push(one);
            all.extend(further);
        }
        all
    }

    /// The files of the best chunks, each once, the best first.
    fn best_files(&self, of_files: &NumberMap<usize, OfFile<'_>>) -> Vec<usize> {
        let mut scores = self.scores(of_files);
        let mut files: Vec<usize> = vec![];
        // A few of the best chunks are of files enough, nearly always.
        let mut from = 0;
        while files.len() < MOST_CENTRAL && from < scores.len() {
            let some = keep_in_front(&mut scores[from..], MOST_CENTRAL * 8, Score::before);
            scores[from..from + some].sort_unstable_by(Score::before);
            for Score { file, .. } in &scores[from..from + some] {
                if files.len() < MOST_CENTRAL && !files.contains(file) {
                    files.push(*file);
                }
            }
            from += some;
        }
        files
    }

    fn scores(&self, of_files: &NumberMap<usize, OfFile<'_>>) -> Vec<Score> {
        let all = self.candidates.iter().map(|(&(file, chunk), own)| Score {
            is_definition: !own.definitions.is_empty(),
            score: of_files[&file].score(own, || &self.file(file).outline.chunks[chunk]),
            file,
            chunk,
        });
        all.filter(|one| one.score > 0.0 || self.request.only.is_some())
            .collect()
    }

    fn scored(&self, of_files: &NumberMap<usize, OfFile<'_>>) -> Vec<Ranked> {
        let mut scores = self.scores(of_files);
        if self.request.only.is_none() {
            // Whatever is asked for by its name comes before all else.
            let definitions_first = |one: &Score, other: &Score| {
                other
                    .is_definition
                    .cmp(&one.is_definition)
                    .then_with(|| one.before(other))
            };
            let some = keep_in_front(&mut scores, MOST_RANKED, definitions_first);
            scores.truncate(some);
        }
        scores.sort_unstable_by(Score::before);
        let ranked = scores.into_iter().map(
            |Score {
                 file,
                 chunk,
                 score,
                 is_definition,
             }| {
                let own = &self.candidates[&(file, chunk)];
                Ranked {
                    file,
                    chunk,
                    symbol: own
                        .definitions
                        .first()
                        .copied()
                        .or(own.symbol.map(|(symbol, _)| symbol)),
                    is_definition,
                    score,
                    evidence: Evidence {
                        path: self.path_of(file),
                        ..own.evidence
                    },
                }
            },
        );
        ranked.collect()
    }

    fn path_of(&self, file: usize) -> f32 {
        self.files
            .get(&file)
            .map_or(0.0, |own| own.path.stem.max(own.path.path))
    }

    /// What a file gives to each of its candidates.
    fn of_files(&self, weights: &'a Weights) -> NumberMap<usize, OfFile<'a>> {
        let mut of_files =
            NumberMap::with_capacity_and_hasher(self.files.len(), BuildHasherDefault::default());
        let snapshot = self.snapshot;
        for (file, _) in self.candidates.keys() {
            of_files.entry(*file).or_insert_with(|| {
                let (indexed, question) = (&snapshot.files[*file], self.request.question);
                OfFile {
                    weights,
                    by: factor(indexed.path_words().conventions, question),
                    tests: if question.about_tests {
                        &[]
                    } else {
                        indexed.test_modules()
                    },
                    evidence: weights.file(&self.files.get(file).copied().unwrap_or_default()),
                }
            });
        }
        of_files
    }

    /// How often the names that a file defines are met, against the number of chunks.
    fn centrality(&self, lexical: &Lexical<'_>, file: usize) -> Result<f32, TantivyError> {
        if let Some(known) = self.snapshot.centrality(file) {
            return Ok(known);
        }
        let own = self
            .file(file)
            .outline
            .symbols
            .iter()
            .filter(|symbol| symbol.parent.is_none());
        let mut most = 0;
        for symbol in own
            .filter(|symbol| symbol.name.len() > 3)
            .take(CENTRAL_NAMES)
        {
            most = most.max(lexical.mentions(&symbol.name)?);
        }
        let central = lexical.share(most);
        self.snapshot.set_centrality(file, central);
        Ok(central)
    }
}

/// The chunk that holds a byte.
pub fn chunk_at(chunks: &[Chunk], byte: u32) -> Option<usize> {
    let at = chunks.partition_point(|chunk| chunk.end_byte <= byte);
    (!chunks.is_empty()).then(|| at.min(chunks.len() - 1))
}

/// Types and functions before what is in them.
fn prior(kind: SymbolKind) -> f32 {
    match kind {
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Enum => 1.0,
        SymbolKind::Module
        | SymbolKind::Function
        | SymbolKind::Alias
        | SymbolKind::Union
        | SymbolKind::Macro => 0.9,
        SymbolKind::Method => 0.8,
        SymbolKind::Constant => 0.7,
        SymbolKind::Constructor | SymbolKind::Variable => 0.6,
        SymbolKind::Table | SymbolKind::Resource | SymbolKind::Rule | SymbolKind::Section => 0.5,
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Key => 0.4,
    }
}

/// The innermost symbol around a line.
pub fn enclosing(symbols: &[Symbol], line: u32) -> Option<usize> {
    let until = symbols.partition_point(|symbol| symbol.start_line <= line);
    symbols[..until]
        .iter()
        .rposition(|symbol| symbol.end_line >= line)
}

#[cfg(test)]
pub mod tests;
