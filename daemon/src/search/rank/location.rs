//! Puts the files and lines that a query names before everything else, and the functions of a pasted stack trace.

use std::cmp::Reverse;

use super::{Evidence, RankedChunk, Ranking, symbol_at_line};
use crate::search::location::PathMatch;
use crate::search::paths::factor;
use crate::search::question::QueryKind;

/// The most files that a path among other words may name. More have a common name, `index.js`, which says little.
const MAX_FILES: usize = 8;
/// The most locations that are put first.
const MAX_LOCATIONS: usize = 12;

/// A chunk, or a symbol in it, that a query or a frame names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedLocation {
    pub file: usize,
    pub chunk: usize,
    pub symbol: Option<usize>,
}

impl Ranking<'_> {
    /// Puts the locations that the query or its trace names first, in their order, each once.
    pub(super) fn put_locations_first(&self, ranked: Vec<RankedChunk>) -> Vec<RankedChunk> {
        if self.request.is_semantic {
            return ranked;
        }
        let is_allowed = |one: &NamedLocation| {
            let only = self.request.only;
            only.is_none_or(|only| only.contains(one.file, one.chunk))
        };
        let mut named: Vec<NamedLocation> = vec![];
        let framed = self.framed_locations(&ranked);
        for one in self.queried_locations(&ranked).into_iter().chain(framed) {
            if is_allowed(&one) && !named.contains(&one) {
                named.push(one);
            }
        }
        named.truncate(MAX_LOCATIONS);
        let score = ranked.iter().map(|one| one.score).fold(0.0, f32::max);
        let mut all: Vec<RankedChunk> = (0_u8..)
            .zip(&named)
            .map(|(place, one)| RankedChunk {
                file: one.file,
                chunk: one.chunk,
                symbol: one.symbol,
                definition: None,
                is_namesake: false,
                is_whole_symbol: one.symbol.is_some(),
                score: if score > 0.0 { score } else { 1.0 },
                evidence: Evidence {
                    location: 1.0 / f32::from(place + 1),
                    ..self.evidence_for(one.file, one.chunk).evidence
                },
                file_evidence: self.files.get(&one.file).copied().unwrap_or_default(),
            })
            .collect();
        let is_shown = |one: &RankedChunk| {
            named.iter().any(|known| {
                (known.file, known.chunk) == (one.file, one.chunk)
                    && (!one.is_definition() || known.symbol == one.symbol)
            })
        };
        all.extend(ranked.into_iter().filter(|one| !is_shown(one)));
        all
    }

    /// Returns the locations that the words of the query name.
    fn queried_locations(&self, ranked: &[RankedChunk]) -> Vec<NamedLocation> {
        let question = self.request.question;
        let mut found = vec![];
        for location in &question.locations {
            let all = self.snapshot.files.iter().enumerate();
            let known = all.filter(|(position, file)| {
                self.request.allows(*position) && !file.outline.chunks.is_empty()
            });
            let mut files: Vec<(usize, PathMatch)> = known
                .filter_map(|(position, file)| Some((position, location.matches(&file.path)?)))
                .collect();
            let best = files.iter().map(|(_, matched)| *matched).max();
            files.retain(|(_, matched)| Some(*matched) == best);
            if question.kind == QueryKind::Words && files.len() > MAX_FILES {
                continue;
            }
            // Ordinary code first, then the files that are less deep.
            files.sort_by_cached_key(|(position, _)| {
                let file = self.file(*position);
                let is_ordinary = factor(file.path_words().conventions, question) >= 1.0;
                (!is_ordinary, file.path.matches('/').count())
            });
            for (file, _) in files {
                found.push(match location.line {
                    Some(line) => self.location_at(file, line),
                    None => NamedLocation {
                        file,
                        chunk: self.best_chunk(ranked, file),
                        symbol: None,
                    },
                });
            }
        }
        // The best matches of one path are before those of the next.
        found.truncate(MAX_LOCATIONS);
        found
    }

    /// Returns the innermost function or type around a line, or else any symbol or the chunk there.
    fn location_at(&self, file: usize, line: u32) -> NamedLocation {
        let outline = &self.file(file).outline;
        let around = outline.symbols.iter().enumerate().filter(|(_, symbol)| {
            let is_whole = symbol.kind.is_callable() || symbol.kind.is_type();
            is_whole && (symbol.start_line..=symbol.end_line).contains(&line)
        });
        let symbol = around
            .max_by_key(|(_, symbol)| (symbol.start_line, Reverse(symbol.end_line)))
            .map(|(position, _)| position)
            .or_else(|| symbol_at_line(&outline.symbols, line));
        let chunk = outline
            .chunks
            .partition_point(|chunk| chunk.end_line < line);
        NamedLocation {
            file,
            chunk: chunk.min(outline.chunks.len() - 1),
            symbol,
        }
    }

    /// Returns the chunk of a file that other words of the query find; the first one if the query is the file alone.
    fn best_chunk(&self, ranked: &[RankedChunk], file: usize) -> usize {
        if self.request.question.kind == QueryKind::Name {
            return 0;
        }
        let best = ranked.iter().find(|one| one.file == file);
        best.map_or(0, |one| one.chunk)
    }
}
