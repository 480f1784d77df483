//! The symbols of the files that a search finds, each scored by its own share of the question.
//!
//! A search ranks the right file first more often than the right chunk of it: the topic of a file shows in many chunks, the
//! answer to a question in one. So every symbol of the first files is scored by its text, its name and its meaning, and then
//! the symbols that the best of them call.

use std::collections::HashMap;
use std::rc::Rc;

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::hits::SearchHit;

use super::selection::can_be_shown;
use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::index::similarity::Comparison;
use crate::search::question::Question;
use crate::search::snippet::WordMatcher;
use crate::search::text_cache::TextCache;
use crate::search::weights::FACTORS;

/// Files whose symbols are scored.
const MAX_FILES: usize = 16;
/// The most lines of a file that are matched with the question.
const MAX_LINES: u32 = 20_000;
/// Symbols whose callees are scored too.
const MAX_FOLLOWED: usize = 10;
/// The share of its caller's file score that a callee gets if it is not a candidate yet.
const CALLEE_SHARE: f32 = 0.6;

/// The weights of the evidence, chosen on questions about eleven public repositories; see docs/benchmarks.md.
mod weight {
    pub const FILE: f32 = 1.0;
    pub const HIT: f32 = 0.15;
    pub const WORDS: f32 = 1.45;
    pub const NAME: f32 = 1.0;
    pub const MEANING: f32 = 2.0;
    pub const COMPLEXITY: f32 = 0.25;
    /// A symbol with executable code.
    pub const BODY: f32 = 0.5;
    pub const TYPE: f32 = -0.5;
    pub const CALLED: f32 = 0.5;
}

/// A symbol with the evidence that it answers a question.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub at: SymbolId,
    pub score: f32,
    /// The words of the question in its text, name and documentation: one bit each.
    pub words: u64,
    pub name: u64,
    /// The total weight of `words`, as a share of that of all words of the question.
    pub coverage: f32,
    /// The best candidate that calls it.
    pub caller: Option<SymbolId>,
    /// The score of its file among the hits.
    file: f32,
    /// The score of the hit that it overlaps.
    hit: f32,
    cosine: f32,
    /// The sum of its callers' scores, as shares of the best score; at most 1.
    called: f32,
}

#[cfg(test)]
impl Candidate {
    /// Returns a candidate without evidence.
    pub fn at(at: SymbolId) -> Self {
        Self {
            at,
            score: 0.0,
            words: 0,
            name: 0,
            coverage: 0.0,
            caller: None,
            file: 0.0,
            hit: 0.0,
            cosine: 0.0,
            called: 0.0,
        }
    }
}

/// Finds candidates for a question.
pub struct CandidateSearch<'a> {
    pub graph: &'a Graph<'a>,
    pub texts: &'a TextCache<'a>,
    pub question: &'a Question,
    pub meaning: Option<Comparison<'a>>,
    pub hits: &'a [SearchHit],
}

impl CandidateSearch<'_> {
    /// Returns the candidates, the best first.
    pub fn run(&self) -> Vec<Candidate> {
        let mut words = FileWords {
            texts: self.texts,
            matcher: WordMatcher::new(self.question.word_forms()),
            lines: HashMap::new(),
        };
        let mut found = vec![];
        for (file, score) in self.files() {
            for symbol in 0..self.graph.file(file).outline.symbols.len() {
                let at = SymbolId {
                    file,
                    symbol: u32::try_from(symbol).unwrap_or(u32::MAX),
                };
                found.extend(self.candidate(at, score, &mut words));
            }
        }
        self.score(&mut found);
        self.add_callees(&mut found, &mut words);
        self.score(&mut found);
        found
    }

    /// Returns the first files of the hits, with the scores of their best hits. Built and third-party files come last.
    fn files(&self) -> Vec<(u32, f32)> {
        let mut files: Vec<(u32, f32)> = vec![];
        for hit in self.hits {
            let Some(file) = self.graph.file_number(&hit.path) else {
                continue;
            };
            if !files.iter().any(|(known, _)| *known == file) {
                files.push((file, share(hit.score)));
            }
        }
        files.sort_by_key(|(file, _)| self.is_copy(*file));
        files.truncate(MAX_FILES);
        files
    }

    fn is_copy(&self, file: u32) -> bool {
        let conventions = self.graph.file(file).path_words().conventions;
        conventions.contains(PathConvention::Copy)
    }

    fn candidate(&self, at: SymbolId, file: f32, words: &mut FileWords<'_>) -> Option<Candidate> {
        let graph = self.graph;
        let symbol = graph.symbol(at);
        if !can_be_shown(symbol.kind) || !self.question.about_tests && graph.tests().is_test(at) {
            return None;
        }
        let indexed = graph.file(at.file);
        let hits = self.hits.iter().filter(|hit| hit.path == indexed.path);
        let hit = hits
            .filter(|hit| overlaps(symbol, hit.start_line, hit.end_line))
            .map(|hit| hit.score)
            .fold(0.0, f64::max);
        let cosine = self.meaning.as_ref().map_or(0.0, |meaning| {
            let chunks = indexed.outline.chunks.iter().enumerate();
            chunks
                .filter(|(_, chunk)| overlaps(symbol, chunk.start_line, chunk.end_line))
                .filter_map(|(chunk, _)| meaning.chunk_cosine(at.file as usize, chunk))
                .fold(0.0, f32::max)
        });
        let name = words.matcher.found_in(&symbol.name);
        let doc = symbol
            .doc
            .lines()
            .fold(0, |found, line| found | words.matcher.found_in(line));
        Some(Candidate {
            at,
            score: 0.0,
            words: words.between(at.file, symbol) | name | doc,
            name,
            coverage: 0.0,
            caller: None,
            file,
            hit: share(hit),
            cosine,
            called: 0.0,
        })
    }

    /// Adds the callees of the best candidates.
    fn add_callees(&self, found: &mut Vec<Candidate>, words: &mut FileWords<'_>) {
        let best = found
            .first()
            .map_or(1.0, |best| best.score.max(f32::EPSILON));
        let has_body = |one: &&Candidate| self.graph.symbol(one.at).complexity > 0;
        let callers: Vec<Candidate> = found
            .iter()
            .filter(has_body)
            .take(MAX_FOLLOWED)
            .copied()
            .collect();
        for caller in callers {
            for call in self.graph.calls().callees(caller.at).calls {
                let Some(at) = call
                    .symbol
                    .filter(|at| call.resolution == Resolution::Resolved && *at != caller.at)
                else {
                    continue;
                };
                let place = found.iter().position(|one| one.at == at).or_else(|| {
                    found.push(self.candidate(at, CALLEE_SHARE * caller.file, words)?);
                    Some(found.len() - 1)
                });
                if let Some(place) = place {
                    found[place].called = (found[place].called + caller.score / best).min(1.0);
                    found[place].caller.get_or_insert(caller.at);
                }
            }
        }
    }

    /// Scores the candidates by all evidence, and sorts them.
    fn score(&self, found: &mut [Candidate]) {
        let rarity = self.rarity(found);
        let total: f32 = rarity.iter().sum::<f32>().max(f32::EPSILON);
        let share_of = |words: u64| {
            let own = (0..).zip(&rarity).filter(|(bit, _)| words >> bit & 1 == 1);
            own.map(|(_, weight)| weight).sum::<f32>() / total
        };
        let nearest = found
            .iter()
            .map(|one| one.cosine)
            .fold(f32::EPSILON, f32::max);
        for one in found.iter_mut() {
            let symbol = self.graph.symbol(one.at);
            let kind = if symbol.complexity > 0 {
                weight::BODY
            } else if symbol.kind.is_type() {
                weight::TYPE
            } else {
                0.0
            };
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let complexity = (1.0 + symbol.complexity as f32).ln();
            one.coverage = share_of(one.words);
            one.score = weight::FILE * one.file
                + weight::HIT * one.hit
                + weight::WORDS * one.coverage
                + weight::NAME * share_of(one.name)
                + weight::MEANING * one.cosine / nearest
                + weight::COMPLEXITY * complexity
                + weight::CALLED * one.called
                + kind;
            if self.is_copy(one.at.file) {
                one.score *= FACTORS.copy;
            }
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
    }

    /// Returns the weight of each word; words that few candidates have weigh more.
    fn rarity(&self, found: &[Candidate]) -> Vec<f32> {
        let concepts = (0..64).zip(&self.question.concepts);
        concepts
            .map(|(bit, concept)| {
                let having = found.iter().filter(|one| one.words >> bit & 1 == 1).count();
                if having == 0 {
                    return 0.0;
                }
                #[expect(clippy::cast_precision_loss, reason = "a share")]
                let all = found.len() as f32 / (1 + having) as f32;
                concept.weight * (1.0 + all).ln()
            })
            .collect()
    }
}

/// The words of the question in the lines of files: one bit each.
struct FileWords<'a> {
    texts: &'a TextCache<'a>,
    matcher: WordMatcher<'a>,
    lines: HashMap<u32, Rc<[u64]>>,
}

impl FileWords<'_> {
    /// Returns the words in the text of a symbol.
    fn between(&mut self, file: u32, symbol: &Symbol) -> u64 {
        let lines = self.lines.entry(file).or_insert_with(|| {
            let text = self.texts.file(file as usize);
            let lines = text.iter().flat_map(|text| text.lines(1, MAX_LINES));
            lines.map(|(_, line)| self.matcher.found_in(line)).collect()
        });
        let end = lines.len().min(symbol.end_line as usize);
        let own = lines.get(symbol.start_line.saturating_sub(1) as usize..end);
        own.unwrap_or_default()
            .iter()
            .fold(0, |found, line| found | line)
    }
}

/// Returns whether a symbol and a range of lines overlap by at least half of the shorter one.
fn overlaps(symbol: &Symbol, start: u32, end: u32) -> bool {
    let shared = (symbol.end_line.min(end) + 1).saturating_sub(symbol.start_line.max(start));
    let shorter = (symbol.end_line - symbol.start_line).min(end - start) + 1;
    2 * shared >= shorter
}

#[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
fn share(score: f64) -> f32 {
    score as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;
    use crate::search::text_cache::FileText;
    use crate::source::beneath::RootDir;

    /// Returns the names of the candidates for a question whose search finds the first lines of the first file.
    fn names(language: &str, texts: &[(&str, &str)], question: &str) -> Vec<String> {
        let files = Files::new(language, texts);
        let graph = Graph::new(&files.snapshot, &files);
        let folder = tempfile::tempdir().expect("a directory");
        let dir = RootDir::open(folder.path(), "project").expect("a root");
        let cache = TextCache::new(&dir, &files.snapshot, 0);
        for (place, (_, text)) in texts.iter().enumerate() {
            cache.insert(place, FileText::from_text(text));
        }
        let hit = SearchHit {
            path: texts[0].0.to_owned(),
            start_line: 1,
            end_line: 2,
            score: 1.0,
            ..SearchHit::default()
        };
        let search = CandidateSearch {
            graph: &graph,
            texts: &cache,
            question: &Question::new(question),
            meaning: None,
            hits: &[hit],
        };
        let found = search.run();
        let names = found
            .iter()
            .map(|one| graph.symbol(one.at).name.to_string());
        names.collect()
    }

    #[test]
    fn the_function_with_the_words_of_a_question_comes_before_the_hit_of_its_file() {
        let text = "struct Router {\n    routes: u32,\n}\n\nfn describe() {}\n\n\
                    fn walk(route: u32) -> u32 {\n    // A parameter of the route is matched.\n\
                    \x20   if route > 1 {\n        return 2;\n    }\n    3\n}\n";
        let found = names(
            "rust",
            &[("a.rs", text)],
            "how is a route parameter matched",
        );
        assert_eq!(found, ["walk", "describe", "Router"]);
    }

    #[test]
    fn callees_in_other_files_are_candidates() {
        let texts = [
            (
                "serve.cc",
                "int route(int x) {\n  return lookup(x) + 1;\n}\n",
            ),
            (
                "table.cc",
                "int other(int x) {\n  return x;\n}\nint lookup(int x) {\n  return x;\n}\n",
            ),
        ];
        assert_eq!(
            names("cpp", &texts, "how is a route found"),
            ["route", "lookup"]
        );
    }

    #[test]
    fn a_source_file_comes_before_its_built_copy() {
        let text =
            "function matchRoute(route) {\n  return route.parameter ? match(route) : null;\n}\n";
        let files = Files::new("javascript", &[("dist/a.js", text), ("lib/a.js", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let folder = tempfile::tempdir().expect("a directory");
        let dir = RootDir::open(folder.path(), "project").expect("a root");
        let cache = TextCache::new(&dir, &files.snapshot, 0);
        for place in 0..2 {
            cache.insert(place, FileText::from_text(text));
        }
        let hit = |path: &str| SearchHit {
            path: path.to_owned(),
            start_line: 1,
            end_line: 3,
            score: 1.0,
            ..SearchHit::default()
        };
        let search = CandidateSearch {
            graph: &graph,
            texts: &cache,
            question: &Question::new("how is a route parameter matched"),
            meaning: None,
            hits: &[hit("dist/a.js"), hit("lib/a.js")],
        };
        let paths: Vec<&str> = (search.run().iter())
            .map(|one| graph.file(one.at.file).path.as_str())
            .collect();
        assert_eq!(paths, ["lib/a.js", "dist/a.js"]);
    }
}
