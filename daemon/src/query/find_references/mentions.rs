//! Words in comments, strings, prose and code without facts that are the name of a symbol, and no use of it that is known.

use std::collections::HashSet;
use std::rc::Rc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::{Resolution, UseRole};
use claudevil_protocol::tools::find_references::{ConfidenceLevel, Reference};

use super::enclosing;
use super::prefetch::Prefetch;
use crate::extract::type_expr::is_word;
use crate::extract::{BesideCode, beside_code};
use crate::graph::{Graph, SymbolId, references};
use crate::lang::Language;
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::search::text_cache::{FileText, TextCache};
use crate::threads::{self, Queue};

/// Shorter names are words of too many texts.
const SHORTEST_MENTION: usize = 3;
/// Files that are read at most.
const MOST_READ: usize = 600;
/// Files that a thread takes at once to read.
const READ_AT_ONCE: usize = 4;
/// Bytes of code that take longer to parse than a thread takes to start.
const WORTH_A_THREAD: usize = 100_000;
const MOST_MENTIONS: usize = 500;
/// The confidence of a word in a comment or string of the symbol's language family.
pub const MENTION_IN_FAMILY: f64 = 0.2;
/// The confidence of a word in prose or another language.
const MENTION_ELSEWHERE: f64 = 0.15;
/// The confidence of a word in code of which the use is not known.
const UNRESOLVED_CODE: f64 = 0.25;

pub struct Mentions<'a> {
    pub graph: &'a Graph<'a>,
    pub texts: &'a TextCache<'a>,
    pub target: SymbolId,
}

/// A file that has the name as a word.
pub struct FileWithWord {
    file: u32,
    text: FileText,
    words: Vec<Word>,
}

/// The place of a word, in bytes from the beginning of the text and of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub at: u32,
    pub line: u32,
    pub column: u32,
}

impl Mentions<'_> {
    /// Resolves the references, and meanwhile reads files for the name as a word.
    pub fn resolve_and_read(
        &self,
        targets: &[SymbolId],
        root: &GraphRoot,
        context: &Context,
    ) -> Result<(Rc<[references::Reference]>, Vec<FileWithWord>), ToolError> {
        let name = &*self.graph.symbol(self.target).name;
        let resolve = || self.graph.references().to_any(targets, context.cancel);
        if name.len() < SHORTEST_MENTION {
            return Ok((resolve()?, vec![]));
        }
        let mut files = self.graph.files_with(name);
        // Code that cannot use the symbol means something else by the word.
        files.retain(|file| {
            self.graph.scopes().can_use(self.target, *file)
                || !self.graph.same_language_family(self.target.file, *file)
        });
        files.truncate(MOST_READ);
        let texts = root.texts_by_thread();
        let queue = Queue::new(files.len(), READ_AT_ONCE);
        let prefetch = Prefetch::new(self.graph, self.target, &files);
        let prefetch_uses = root.prefetch_uses();
        let read = || {
            prefetch.run(|key| prefetch_uses(key, name));
            let texts = texts();
            let places = std::iter::from_fn(|| queue.take())
                .take_while(|_| !context.cancel.is_cancelled())
                .flatten();
            let found = places.filter_map(|place| {
                let (file, text) = (files[place], texts.read(files[place] as usize)?);
                let words: Vec<Word> = words_at(text.whole(), name).collect();
                (!words.is_empty()).then_some(FileWithWord { file, text, words })
            });
            found.collect::<Vec<_>>()
        };
        let (references, files) = threads::run_with_helper(read, || {
            let references = resolve();
            prefetch.stop();
            references
        });
        let mut files: Vec<FileWithWord> = files.into_iter().flatten().collect();
        context.cancel.check()?;
        files.sort_by_key(|one| one.file);
        Ok((references?, files))
    }

    /// Returns the words that are no references.
    pub fn list(
        &self,
        found: &[references::Reference],
        mut files: Vec<FileWithWord>,
        context: &Context,
    ) -> Result<Vec<Reference>, ToolError> {
        let known: HashSet<(u32, u32)> = found.iter().map(|one| (one.file, one.row.line)).collect();
        for file in &mut files {
            context.cancel.check()?;
            self.drop_known_names(file, &known);
        }
        // Most files have the word only as a name: the others alone are parsed for comments and strings.
        files.retain(|one| !one.words.is_empty());
        let with_facts = |file: u32| {
            self.graph
                .file(file)
                .language
                .filter(|language| language.facts.is_some())
        };
        let languages: Vec<_> = files.iter().map(|one| with_facts(one.file)).collect();
        let beside = beside_code_of_each(&files, &languages);
        let mut mentions = vec![];
        for (FileWithWord { file, text, words }, beside) in files.into_iter().zip(beside) {
            let is_in_family = self.graph.same_language_family(self.target.file, file);
            let reason = |at: u32| {
                let Some(beside) = &beside else {
                    return (MENTION_ELSEWHERE, "text match only");
                };
                let beside_confidence = if is_in_family {
                    MENTION_IN_FAMILY
                } else {
                    MENTION_ELSEWHERE
                };
                match (beside.is_comment(at), beside.is_string(at)) {
                    (true, _) => (beside_confidence, "a word in a comment"),
                    (false, true) => (beside_confidence, "a word in a string"),
                    _ if is_in_family => {
                        (UNRESOLVED_CODE, "text match in code that is not resolved")
                    }
                    _ => (MENTION_ELSEWHERE, "text match in another language"),
                }
            };
            mentions.extend(
                words
                    .iter()
                    .map(|word| self.describe(file, word.line, word.column, reason(word.at))),
            );
            self.texts.insert(file as usize, text);
            if mentions.len() >= MOST_MENTIONS {
                mentions.truncate(MOST_MENTIONS);
                break;
            }
        }
        Ok(mentions)
    }

    /// Keeps of the words of a file the first on each line that is neither a use nor the name of a symbol.
    fn drop_known_names(&self, found: &mut FileWithWord, known: &HashSet<(u32, u32)>) {
        let name = &*self.graph.symbol(self.target).name;
        let uses = self.graph.uses_with(found.file, &[name]);
        let rows = uses.iter().flat_map(|uses| uses.named(name));
        let symbols = self
            .graph
            .file(found.file)
            .outline
            .symbols
            .iter()
            .filter(|symbol| *symbol.name == *name);
        let symbols = symbols.map(|symbol| (symbol.name_line, symbol.name_column));
        let named: HashSet<(u32, u32)> = rows
            .map(|row| (row.line, row.column))
            .chain(symbols)
            .collect();
        let mut last = 0;
        found.words.retain(|Word { line, column, .. }| {
            let is_kept = *line != last
                && !known.contains(&(found.file, *line))
                && !named.contains(&(*line, *column));
            if is_kept {
                last = *line;
            }
            is_kept
        });
    }

    fn describe(
        &self,
        file: u32,
        line: u32,
        column: u32,
        (confidence, reason): (f64, &'static str),
    ) -> Reference {
        let symbols = &self.graph.file(file).outline.symbols;
        let around = symbols
            .iter()
            .rposition(|symbol| (symbol.start_line..=symbol.end_line).contains(&line));
        Reference {
            path: self.graph.file(file).path.clone(),
            line,
            column: column + 1,
            role: UseRole::Mention,
            usage: "mention in".to_owned(),
            confidence,
            level: ConfidenceLevel::Low,
            resolution: Resolution::NameOnly,
            reason: reason.to_owned(),
            candidates: None,
            enclosing: around
                .and_then(|symbol| enclosing(self.graph, file, u32::try_from(symbol).ok())),
            text: String::new(),
            context: None,
            is_test: self.graph.tests().is_test_file(file),
        }
    }
}

/// Returns the comments and strings of each text; none for a text without a language.
fn beside_code_of_each(
    files: &[FileWithWord],
    languages: &[Option<&Language>],
) -> Vec<Option<BesideCode>> {
    let beside = |place: usize| {
        languages[place].map(|language| beside_code(language, files[place].text.whole()))
    };
    let bytes: usize = files
        .iter()
        .zip(languages)
        .filter(|(_, has)| has.is_some())
        .map(|(one, _)| one.text.whole().len())
        .sum();
    if bytes < WORTH_A_THREAD {
        return (0..files.len()).map(beside).collect();
    }
    let queue = Queue::new(files.len(), 1);
    let some = || -> Vec<_> {
        std::iter::from_fn(|| queue.take())
            .flatten()
            .map(|place| (place, beside(place)))
            .collect()
    };
    let ((), parts) = threads::run_with_helper(some, || ());
    let mut all: Vec<_> = parts.into_iter().flatten().collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, beside)| beside).collect()
}

/// Returns all places of a word, in order.
pub fn words_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Word> + 'a {
    let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let (mut line, mut start, mut counted) = (1, 0, 0);
    memchr::memmem::find_iter(text.as_bytes(), word).filter_map(move |at| {
        let before = text[..at]
            .chars()
            .next_back()
            .is_none_or(|sign| !is_word(sign));
        let after = text[at + word.len()..]
            .chars()
            .next()
            .is_none_or(|sign| !is_word(sign));
        if !before || !after {
            return None;
        }
        for end in memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]) {
            line += 1;
            start = counted + end + 1;
        }
        counted = at;
        Some(Word {
            at: number(at),
            line,
            column: number(at - start),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_their_lines() {
        let found = |text: &str| {
            words_at(text, "cart")
                .map(|word| (word.line, word.column))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("cart\n carts cart\r\n\nä.cart(cart)"),
            [(1, 0), (2, 7), (4, 3), (4, 8)]
        );
        assert!(found("a_cart cartä").is_empty());
        assert_eq!(
            words_at("\n\nx cart", "cart").next(),
            Some(Word {
                at: 4,
                line: 3,
                column: 2
            })
        );
    }
}
