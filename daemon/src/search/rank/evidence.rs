//! Collects the evidence for chunks and files: words, names, paths and meaning.

use claudevil_protocol::answer::symbol::SymbolKind;
use tantivy::{DocAddress, TantivyError};

use super::locate::{self, LocatedSymbol};
use super::report::is_value_of_error;
use super::score::select_first;
use super::{Candidate, Evidence, Ranking, chunk_at};
use crate::extract::facts::{Import, Reach, Symbol};
use crate::index::names::Names;
use crate::index::number_map::NumberMap;
use crate::index::similarity::Comparison;
use crate::index::vectors::NearChunk;
use crate::search::lexical::{LexicalMatches, LexicalSearcher, ScoredDoc};
use crate::search::paths::{PathScore, PathScorer};
use crate::search::question::{QueryKind, QueryName};
use crate::search::snippet::equals_lower;
use crate::search::weights;
use crate::store::text::{is_indexed, words};

/// The number of files that become candidates by their paths.
const MAX_PATHS: usize = 80;
/// The factors of the first, second, … chunk of a file in the evidence for the file.
const CHUNK_SHARES: [f32; 5] = [1.0, 0.7, 0.49, 0.343, 0.24];
/// The most symbols with a word in their name that are compared with the word one by one.
const FEW_NAMED: usize = 300;

impl<'a> Ranking<'a> {
    pub(super) fn add_lexical(
        &mut self,
        lexical: &LexicalSearcher<'_>,
    ) -> Result<(), TantivyError> {
        let allows = |number| {
            self.snapshot
                .by_number(number)
                .is_some_and(|file| self.request.allows(file))
        };
        let allows: Option<&dyn Fn(u64) -> bool> = self.request.files.map(|_| &allows as _);
        let matches = lexical.find(self.request.question, allows)?;
        if !self.request.cancel.is_cancelled() {
            self.add_words(lexical, &matches)?;
            self.add_paths(&matches.rarity);
        }
        if let Some(report) = &self.request.report
            && !self.request.cancel.is_cancelled()
        {
            self.add_report(lexical, report)?;
        }
        Ok(())
    }

    /// Returns whether the last name of the query may be defined.
    pub(super) fn may_have_definition(
        &self,
        lexical: &LexicalSearcher<'_>,
    ) -> Result<bool, TantivyError> {
        let Some(last) = self.request.question.names.last() else {
            return Ok(false);
        };
        Ok(match self.name_index(last, true) {
            Some(names) => names.symbols_in_any_case(&last.text).next().is_some(),
            None => lexical.count_names_with(&last.text)? > 0,
        })
    }

    /// Returns the index of names if it is loaded or needed; for a word in few names the text index is enough.
    fn name_index(&self, name: &QueryName, are_few: bool) -> Option<&'a Names> {
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

    pub(super) fn has_definition(&self) -> bool {
        self.candidates
            .values()
            .any(|own| !own.definitions.is_empty())
    }

    fn add_words(
        &mut self,
        lexical: &LexicalSearcher<'_>,
        matches: &LexicalMatches,
    ) -> Result<(), TantivyError> {
        let mut counts: NumberMap<usize, usize> = NumberMap::default();
        let chunks = matches
            .chunks
            .iter()
            .map(|&(doc, body, coverage)| (doc, (body, coverage)));
        for (file, chunk, (body, coverage)) in locate::chunks(self.snapshot, lexical, chunks) {
            let evidence = &mut self.candidate(file, chunk).evidence;
            (evidence.body, evidence.coverage) = (body, coverage);
            let count = counts.entry(file).or_default();
            if let Some(share) = CHUNK_SHARES.get(*count) {
                self.files.entry(file).or_default().several_chunks += share * body / 3.0;
            }
            *count += 1;
        }
        let best = matches
            .names
            .iter()
            .map(|(_, score)| *score)
            .fold(0.0, f32::max);
        let named = matches
            .names
            .iter()
            .copied()
            .filter(|(_, score)| *score >= best * 0.2);
        self.add_symbols(lexical, named, |evidence, score, prior| {
            evidence.name = evidence.name.max(score * prior);
        });
        let documented = matches.docs.iter().copied();
        self.add_symbols(lexical, documented, |evidence, score, _| {
            evidence.doc = evidence.doc.max(score);
        });
        for name in &self.request.question.names {
            self.add_exact_name(lexical, name)?;
        }
        self.prefer_exact_case();
        self.add_reexports();
        Ok(())
    }

    fn add_exact_name(
        &mut self,
        lexical: &LexicalSearcher<'_>,
        name: &QueryName,
    ) -> Result<(), TantivyError> {
        let certainty = if name.is_certain {
            1.0
        } else {
            weights::UNCERTAIN_NAME
        };
        let lower = name.text.to_lowercase();
        for (file, position) in self.symbols_named(lexical, name)? {
            let symbol = &self.file(file).outline.symbols[position];
            let case = if *symbol.name == *name.text {
                1.0
            } else if equals_lower(&symbol.name, &lower) {
                weights::OTHER_CASE
            } else {
                continue;
            };
            if self.request.report.is_some() && is_value_of_error(symbol) {
                continue;
            }
            let exact = certainty * case * prior(symbol.kind) * self.code_factor(symbol);
            let is_definition = self.request.question.kind == QueryKind::Name
                && self.is_queried_definition(file, position);
            let Some(chunk) = chunk_at(&self.file(file).outline.chunks, symbol.start_byte) else {
                continue;
            };
            let candidate = self.candidate(file, chunk);
            if is_definition && !candidate.definitions.contains(&position) {
                candidate.definitions.push(position);
            }
            if exact > candidate.evidence.exact {
                candidate.evidence.exact = exact;
                candidate.symbol = Some((position, 1.0 + exact));
            }
            let evidence = self.files.entry(file).or_default();
            evidence.exact = evidence.exact.max(exact);
        }
        Ok(())
    }

    /// Returns the factor of a function among those of a queried name: the ones with code come before abstract ones.
    fn code_factor(&self, symbol: &Symbol) -> f32 {
        if self.request.question.kind != QueryKind::Name || !symbol.kind.is_callable() {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of calls")]
        let calls = symbol.calls as f32;
        1.0 - (1.0 - weights::WITHOUT_CODE) / (1.0 + calls)
    }

    /// Returns the symbols that may have exactly this name, in any case.
    fn symbols_named(
        &self,
        lexical: &LexicalSearcher<'_>,
        name: &QueryName,
    ) -> Result<Vec<(usize, usize)>, TantivyError> {
        let are_few = lexical.count_names_with(&name.text)? as usize <= FEW_NAMED;
        let Some(names) = self.name_index(name, are_few) else {
            let docs = lexical.symbols_named(&name.text)?;
            return Ok(self
                .locate_symbols(lexical, docs.into_iter().map(|doc| (doc, ())))
                .into_iter()
                .map(|(located, ())| (located.file, located.position))
                .collect());
        };
        // If many names contain a plain word, fields with that name are not evidence: `name`, `value`.
        let least = if name.is_certain || are_few {
            0.0
        } else {
            prior(SymbolKind::Function)
        };
        let kind =
            |(file, position): &(usize, usize)| self.file(*file).outline.symbols[*position].kind;
        let all = names
            .symbols_in_any_case(&name.text)
            .map(|at| (at.file as usize, at.symbol as usize));
        Ok(all
            .filter(|(file, _)| self.request.allows(*file))
            .filter(|one| prior(kind(one)) >= least)
            .collect())
    }

    /// Drops the definitions whose name differs in case, if one matches exactly.
    fn prefer_exact_case(&mut self) {
        let Some(last) = self.request.question.names.last() else {
            return;
        };
        let snapshot = self.snapshot;
        let has_case = |file: usize, symbol: usize| {
            *snapshot.files[file].outline.symbols[symbol].name == *last.text
        };
        let mut all = self
            .candidates
            .iter()
            .flat_map(|((file, _), own)| own.definitions.iter().map(|one| (*file, *one)));
        if all.any(|(file, symbol)| has_case(file, symbol)) {
            for ((file, _), own) in &mut self.candidates {
                own.definitions.retain(|symbol| has_case(*file, *symbol));
            }
        }
    }

    /// Adds the re-exports of a name that is defined in no file: `pub use axum_core::extract::FromRequest`.
    fn add_reexports(&mut self) {
        let question = self.request.question;
        let (QueryKind::Name, [name]) = (question.kind, &question.names[..]) else {
            return;
        };
        if self.has_definition() {
            return;
        }
        let files: Vec<usize> = self.files.keys().copied().collect();
        for file in files {
            let outline = &self.file(file).outline;
            let is_reexport = |import: &&Import| {
                let own = import.alias.as_deref().or(import.name.as_deref());
                import.reach == Reach::Reexport && own == Some(&name.text)
            };
            let Some(line) = outline.imports.iter().find(is_reexport).map(|one| one.line) else {
                continue;
            };
            let mut chunks = outline.chunks.iter();
            if let Some(chunk) = chunks.position(|chunk| chunk.end_line >= line) {
                let evidence = &mut self.candidate(file, chunk).evidence;
                evidence.exact = evidence.exact.max(weights::REEXPORTED_NAME);
                let evidence = self.files.entry(file).or_default();
                evidence.exact = evidence.exact.max(weights::REEXPORTED_NAME);
            }
        }
    }

    /// Returns whether a symbol has the last name of the query and is inside the others: `next` in `Parser` for
    /// `Parser::next`.
    fn is_queried_definition(&self, file: usize, position: usize) -> bool {
        let file = self.file(file);
        let Some(symbol) = file.outline.symbols.get(position) else {
            return false;
        };
        let mut names = self
            .request
            .question
            .names
            .iter()
            .rev()
            .map(|name| name.text.as_str());
        if !names
            .next()
            .is_some_and(|last| symbol.name.eq_ignore_ascii_case(last))
        {
            return false;
        }
        let containers: Vec<&str> = file.containers(symbol).collect();
        let is_in_path = |name: &str| {
            file.path
                .split(['/', '.'])
                .any(|part| part.eq_ignore_ascii_case(name))
        };
        let is_container = |name: &str| {
            containers
                .iter()
                .any(|container| container.eq_ignore_ascii_case(name))
        };
        // Only a symbol without a container is directly in a file or folder of that name.
        names
            .next()
            .is_none_or(|name| is_container(name) || containers.is_empty() && is_in_path(name))
            && names.all(|name| is_container(name) || is_in_path(name))
    }

    fn add_symbols(
        &mut self,
        lexical: &LexicalSearcher<'_>,
        docs: impl Iterator<Item = ScoredDoc>,
        add: impl Fn(&mut Evidence, f32, f32),
    ) {
        for (located, score) in self.locate_symbols(lexical, docs) {
            let candidate = self.candidate(located.file, located.chunk);
            let before = candidate.evidence.name;
            add(&mut candidate.evidence, score, prior(located.symbol.kind));
            let name = candidate.evidence.name;
            if name > before && candidate.symbol.is_none_or(|(_, best)| name > best) {
                candidate.symbol = Some((located.position, name));
            }
            let evidence = self.files.entry(located.file).or_default();
            evidence.name = evidence.name.max(name);
        }
    }

    fn locate_symbols<T>(
        &self,
        lexical: &LexicalSearcher<'_>,
        docs: impl Iterator<Item = (DocAddress, T)>,
    ) -> Vec<(LocatedSymbol<'a>, T)> {
        locate::symbols(self.snapshot, lexical, docs, |file| {
            self.request.allows(file)
        })
    }

    fn add_paths(&mut self, rarity: &[f32]) {
        let scorer = PathScorer::new(
            self.snapshot.path_lexicon(),
            self.request.question,
            rarity,
            self.request.root_name,
        );
        let files = scorer.files().filter(|file| {
            !self.file(*file).outline.chunks.is_empty() && self.request.allows(*file)
        });
        let score = |file: usize| scorer.stem_score(file, self.file(file).path_words());
        let mut named: Vec<(usize, PathScore)> = files.map(|file| (file, score(file))).collect();
        let stem = |score: &PathScore| score.stem + score.whole_stem;
        let best = select_first(&mut named, MAX_PATHS, |one, other| {
            stem(&other.1)
                .total_cmp(&stem(&one.1))
                .then(one.0.cmp(&other.0))
        });
        for (file, _) in &named[..best] {
            self.candidate(*file, 0);
            self.files.entry(*file).or_default();
        }
        if let Some(path) = &self.request.question.path {
            self.add_queried_path(path);
        }
        let snapshot = self.snapshot;
        for (file, evidence) in &mut self.files {
            evidence.path = scorer.score(*file, snapshot.files[*file].path_words());
        }
    }

    /// Adds the files at or beneath a queried path: `src/main.rs`, `cli/doctor`.
    fn add_queried_path(&mut self, path: &str) {
        for (position, file) in self.snapshot.files.iter().enumerate() {
            let rest = match file.path.find(path) {
                Some(0) => &file.path[path.len()..],
                Some(at) if file.path.as_bytes()[at - 1] == b'/' => &file.path[at + path.len()..],
                _ => continue,
            };
            let exact = match rest.chars().next() {
                None => 1.0,
                Some('/') => weights::BENEATH_PATH,
                Some(_) => continue,
            };
            if self.request.allows(position) && !file.outline.chunks.is_empty() {
                let evidence = &mut self.candidate(position, 0).evidence;
                evidence.exact = evidence.exact.max(exact);
                let evidence = self.files.entry(position).or_default();
                evidence.exact = evidence.exact.max(exact);
            }
        }
    }

    /// Adds the nearest chunks as candidates, and compares all candidates.
    pub(super) fn add_meaning(&mut self, comparison: &Comparison<'_>, near: &[NearChunk]) {
        for NearChunk { file, chunk, .. } in near {
            self.candidate(*file, *chunk);
        }
        let mut most = f32::MIN_POSITIVE;
        let cosines = comparison.chunk_cosines(self.candidates.keys().copied());
        for (cosine, Candidate { evidence, .. }) in
            cosines.into_iter().zip(self.candidates.values_mut())
        {
            evidence.meaning = cosine.unwrap_or_default().max(0.0);
            most = most.max(evidence.meaning);
        }
        for (&(file, _), Candidate { evidence, .. }) in &mut self.candidates {
            evidence.meaning /= most;
            let of_file = self.files.entry(file).or_default();
            of_file.meaning = of_file.meaning.max(evidence.meaning);
        }
        if self.request.question.kind == QueryKind::Name {
            // A query for a name is not about the topic of a file.
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
            evidence.names_meaning = about.unwrap_or_default().max(0.0);
            most = most.max(evidence.overall);
            most_about = most_about.max(evidence.names_meaning);
        }
        for evidence in self.files.values_mut() {
            evidence.overall /= most;
            evidence.names_meaning /= most_about;
        }
    }
}

/// Returns the weight of a symbol by its kind: types and functions before their members.
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
