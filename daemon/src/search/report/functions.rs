//! Ranks the functions of one file by a report.
//!
//! A word that is common in the project may be rare in the right file, so rarity is measured among the functions of the file.

use std::collections::{BTreeMap, HashMap};

use super::{MentionPlace, Report};
use crate::extract::facts::Symbol;
use crate::search::morphology;
use crate::store::text::{parts, words};

const K1: f32 = 1.2;
const B: f32 = 0.5;
/// The score that the innermost frame of a trace adds; the best function by words has 1.
const TRACED: f32 = 0.8;
/// The score that a name in a sentence adds, and one in code.
const NAMED: f32 = 0.3;
const NAMED_IN_CODE: f32 = 0.15;

pub struct FunctionRanker<'a> {
    report: &'a Report,
    /// The index of the term that a word is a form of.
    terms: HashMap<String, usize>,
    weights: Vec<f32>,
    /// The score that each mentioned name adds.
    names: HashMap<&'a str, f32>,
}

/// The terms of a function, in an order that does not change, so that the same report has the same scores; and its length in
/// words.
struct FunctionWords {
    counts: BTreeMap<usize, f32>,
    length: f32,
}

impl<'a> FunctionRanker<'a> {
    pub fn new(report: &'a Report) -> Self {
        let mut terms = HashMap::new();
        let mut weights = vec![];
        for term in report.terms() {
            for (form, _) in morphology::forms(&term.word) {
                terms.entry(form).or_insert(weights.len());
            }
            weights.push(term.weight);
        }
        let mut names = HashMap::new();
        for mention in &report.mentions {
            let worth = match mention.place {
                MentionPlace::Title | MentionPlace::Prose => NAMED,
                MentionPlace::Code => NAMED_IN_CODE,
            };
            if let Some(last) = mention.parts.last() {
                names.entry(last.as_str()).or_insert(worth);
            }
        }
        Self {
            report,
            terms,
            weights,
            names,
        }
    }

    /// Returns the positions of functions among the symbols of a file, the best first. `text` gives the text of a symbol.
    pub fn rank<'t>(
        &self,
        path: &str,
        symbols: &[Symbol],
        text: impl Fn(&Symbol) -> Option<&'t str>,
    ) -> Vec<usize> {
        let functions: Vec<(usize, FunctionWords)> = symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.kind.is_callable())
            .filter_map(|(at, symbol)| Some((at, self.count(text(symbol)?))))
            .collect();
        let scores = self.word_scores(functions.iter().map(|(_, words)| words));
        let best = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut ranked: Vec<(usize, f32)> = functions
            .iter()
            .zip(scores)
            .map(|((at, _), score)| {
                let name = &*symbols[*at].name;
                let named = self.names.get(name).copied().unwrap_or_default();
                let traced = TRACED * self.traced(path, name);
                (*at, score / best + named + traced)
            })
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked.into_iter().map(|(at, _)| at).collect()
    }

    fn count(&self, text: &str) -> FunctionWords {
        let mut found = FunctionWords {
            counts: BTreeMap::new(),
            length: 0.0,
        };
        let mut add = |word: &str| {
            found.length += 1.0;
            if let Some(term) = self.terms.get(&word.to_lowercase()) {
                *found.counts.entry(*term).or_default() += 1.0;
            }
        };
        for (_, word) in words(text) {
            add(word);
            let inner: Vec<_> = parts(word).collect();
            if inner.len() > 1 {
                for part in inner {
                    add(&word[part]);
                }
            }
        }
        found
    }

    fn word_scores<'w>(
        &self,
        functions: impl ExactSizeIterator<Item = &'w FunctionWords> + Clone,
    ) -> Vec<f32> {
        let mut having = vec![0.0_f32; self.weights.len()];
        for words in functions.clone() {
            for term in words.counts.keys() {
                having[*term] += 1.0;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let all = functions.len() as f32;
        let length: f32 = functions.clone().map(|words| words.length).sum();
        let average = (length / all.max(1.0)).max(1.0);
        let score = |words: &FunctionWords| {
            let norm = K1 * (1.0 - B + B * words.length / average);
            let terms = words.counts.iter().map(|(term, times)| {
                let idf = (1.0 + (all - having[*term] + 0.5) / (having[*term] + 0.5)).ln();
                self.weights[*term] * idf * times * (K1 + 1.0) / (times + norm)
            });
            terms.sum::<f32>()
        };
        functions.map(score).collect()
    }

    /// Returns the weight of a function by its depth in the traces: 1 for the innermost frame.
    fn traced(&self, path: &str, name: &str) -> f32 {
        let file = |path: &str| path.rsplit('/').next().map(str::to_owned);
        let frames = self
            .report
            .frames
            .iter()
            .filter(|frame| frame.name() == Some(name) && file(&frame.path) == file(path));
        #[expect(clippy::cast_precision_loss, reason = "a few frames")]
        let shares = frames.map(|frame| 1.0 / (1.0 + frame.depth as f32));
        shares.fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{ChunkSizes, extract};
    use crate::lang;

    #[test]
    fn the_function_with_the_rare_words_of_the_report_is_first() {
        let text = "def load(path):\n    return parse(path)\n\n\ndef parse(path):\n    unit = path.unit\n    return unit\n\n\n\
                    def save(path):\n    path.write()\n";
        let outline = extract(lang::by_name("python"), text, ChunkSizes::default()).outline;
        let first = |report: &str| {
            let report = Report::parse(report).expect("a report");
            let ranked =
                FunctionRanker::new(&report).rank("app/io.py", &outline.symbols, |symbol| {
                    text.get(symbol.start_byte as usize..symbol.end_byte as usize)
                });
            outline.symbols[ranked[0]].name.to_string()
        };
        assert_eq!(
            first("Wrong path\n\nThe unit of the path is wrong."),
            "parse"
        );
        assert_eq!(
            first("Wrong path\n\nWriting the path: `save` fails."),
            "save"
        );
        let traced = "Fails\n  File \"/lib/app/io.py\", line 2, in load\n    return parse(path)";
        assert_eq!(first(traced), "load");
    }
}
