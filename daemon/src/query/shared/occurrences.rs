//! Finds every occurrence of a symbol's name as a whole word, and classifies it.

mod accounting;
mod packages;
mod prefetch;
pub mod recent_accounts;

use std::collections::HashMap;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::accounting::Accounting;

pub use self::accounting::{AccountDetail, count_occurrences, defined};
pub use self::packages::import_of;
use self::prefetch::Prefetch;
use super::graph_root::GraphRoot;
use crate::extract::find_non_code;
use crate::extract::type_expr::is_word;
use crate::graph::{Graph, SymbolId, Use, Uses, references};
use crate::index::snapshot::IndexedFile;
use crate::query::Context;
use crate::search::grep::reader::RedactedText;
use crate::threads::{self, Queue};

/// Shorter names are in too many texts to be searched for.
const SHORTEST_NAME: usize = 3;
/// The most files that are read.
const MAX_READ: usize = 600;
/// Files that a thread takes at once to read.
const READ_AT_ONCE: usize = 4;
/// Below this number of files, reading them takes less time than starting another thread, above all on a busy machine.
const FEWEST_SHARED: usize = 8;

/// The occurrences of the name that symbols share.
pub struct NameOccurrences<'a> {
    pub graph: &'a Graph<'a>,
    pub target: SymbolId,
}

/// The files with the name, as far as they were read.
#[derive(Default)]
pub struct FilesWithWord {
    pub classified: Vec<ClassifiedFile>,
    /// Files whose text has changed since it was indexed: the positions of the facts do not hold for it.
    pub changed: Vec<u32>,
    /// The number of files that were not read as they were indexed: changed ones, those that are gone or cannot be read any
    /// more, and those beyond the limit.
    pub unread: u64,
}

impl FilesWithWord {
    pub fn changed_paths(&self, graph: &Graph<'_>) -> Vec<String> {
        let changed = self.changed.iter();
        changed.map(|file| graph.file(*file).path.clone()).collect()
    }
}

/// The words of a file that equal the name, and the kind of each.
pub struct ClassifiedFile {
    pub file: u32,
    pub words: Vec<(Word, WordKind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// The name of a symbol, where it is defined.
    Definition(SymbolId),
    /// A use, as extraction found it.
    Use(Use),
    Comment,
    String,
    /// A text without facts.
    Prose,
    /// Code in which extraction found no use, such as the arguments of a macro.
    Code,
}

/// The place of a word, in bytes from the beginning of the text and of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub at: u32,
    pub line: u32,
    pub column: u32,
    /// The word is next to a `$`: part of a longer name in JavaScript, a name in a template in Kotlin (`"$cart"`).
    pub beside_dollar: bool,
}

/// An account of the name of some symbols, and the files that it could not include.
#[derive(Clone, Default)]
pub struct NameAccount {
    /// None for a name that is too short to be searched for.
    pub accounting: Option<Accounting>,
    /// Files that have changed since they were indexed.
    pub changed: Vec<String>,
}

impl NameOccurrences<'_> {
    /// Accounts for every occurrence of the name of some symbols that are one thing, such as overloads.
    pub fn account(
        &self,
        targets: &[SymbolId],
        root: &GraphRoot<'_>,
        context: &Context<'_>,
    ) -> Result<NameAccount, ToolError> {
        if let Some(known) = recent_accounts::get(self.graph, root, targets) {
            return Ok(known);
        }
        let (found, files) = self.resolve_and_classify(targets, root, context)?;
        let account = self.account_for(&defined(self.graph, targets), &found, &files, context)?;
        recent_accounts::put(self.graph, root, targets, &account);
        Ok(account)
    }

    /// Caches an account for the next question about the same symbols.
    pub fn keep_account(
        &self,
        targets: &[SymbolId],
        root: &GraphRoot<'_>,
        accounting: &Accounting,
        changed: &[String],
    ) {
        if self.graph.symbol(self.target).name.len() < SHORTEST_NAME {
            return;
        }
        let account = NameAccount {
            accounting: Some(Accounting {
                places: None,
                ..accounting.clone()
            }),
            changed: changed.to_vec(),
        };
        recent_accounts::put(self.graph, root, targets, &account);
    }

    /// Accounts for the name of symbols whose declarations and references are known.
    pub fn account_for(
        &self,
        defined: &[SymbolId],
        found: &[references::Reference],
        files: &FilesWithWord,
        context: &Context<'_>,
    ) -> Result<NameAccount, ToolError> {
        let changed = files.changed_paths(self.graph);
        let unread_files = files.unread;
        if self.graph.symbol(self.target).name.len() < SHORTEST_NAME {
            return Ok(NameAccount {
                accounting: None,
                changed,
            });
        }
        let accounting = count_occurrences(
            self.graph,
            defined,
            found,
            &files.classified,
            AccountDetail::Counted,
            context,
        )?;
        Ok(NameAccount {
            accounting: Some(Accounting {
                unread_files,
                ..accounting
            }),
            changed,
        })
    }

    /// Resolves the references, and meanwhile classifies every occurrence of the name as a word.
    pub fn resolve_and_classify(
        &self,
        targets: &[SymbolId],
        root: &GraphRoot,
        context: &Context,
    ) -> Result<(Arc<[references::Reference]>, FilesWithWord), ToolError> {
        let name = &*self.graph.symbol(self.target).name;
        let resolve = || self.graph.references().to_any(targets, context.cancel);
        if name.len() < SHORTEST_NAME {
            return Ok((resolve()?, FilesWithWord::default()));
        }
        let with_word = self.graph.files_with(name);
        let prefetch = Prefetch::new(self.graph, self.target, &with_word);
        let mut files = with_word.to_vec();
        // Files that can use the symbol come first, because not all of them may be read.
        files.sort_by_key(|file| !self.may_mention(*file));
        let unread = files.len().saturating_sub(MAX_READ) as u64;
        files.truncate(MAX_READ);
        let texts = root.texts_by_thread();
        let queue = Queue::new(files.len(), READ_AT_ONCE);
        let (snapshot, uses) = (self.graph.snapshot, root.uses_by_thread());
        let read = || {
            // Errors are ignored here: the other thread reads the same uses and reports them.
            prefetch.run(|key| drop(uses(key, name)));
            let texts = texts();
            let places = std::iter::from_fn(|| queue.take())
                .take_while(|_| !context.cancel.is_cancelled())
                .flatten();
            let (mut read, mut changed) = (vec![], vec![]);
            for file in places.map(|place| files[place]) {
                let indexed = &snapshot.files[file as usize];
                let read_one = |text: &RedactedText<'_>| {
                    if !text.is_as_indexed {
                        changed.push(file);
                        return None;
                    }
                    let text = text.to_str();
                    let words: Vec<Word> = words_at(&text, name).collect();
                    let key = indexed.facts_key().filter(|_| has_facts(indexed));
                    let stored = key.filter(|_| !words.is_empty());
                    let stored = stored.map(|key| (key, uses(key, name)));
                    let known = stored.as_ref().and_then(|(_, uses)| uses.as_ref().ok());
                    let known = known.and_then(Option::as_deref);
                    let words = classify(words, &names(file, indexed, known, name), indexed, &text);
                    Some((ClassifiedFile { file, words }, stored))
                };
                match texts.view(file as usize, read_one) {
                    Some(one) => read.extend(one.filter(|(one, _)| !one.words.is_empty())),
                    // It is gone or cannot be read, unlike when it was indexed.
                    None => changed.push(file),
                }
            }
            (read, changed)
        };
        let resolve_first = || {
            let references = resolve();
            prefetch.stop();
            references
        };
        let (references, files) = if files.len() < FEWEST_SHARED {
            (resolve_first(), vec![read()])
        } else {
            threads::run_with_helper(read, resolve_first)
        };
        let (read, changed): (Vec<_>, Vec<Vec<u32>>) = files.into_iter().unzip();
        let read = read.into_iter().flatten();
        let classified = read.map(|(one, stored)| {
            let uses = stored.and_then(|(key, uses)| root.record_uses(key, uses));
            if let Some(uses) = uses {
                self.graph.keep_uses(one.file, &uses);
            }
            one
        });
        let mut classified: Vec<ClassifiedFile> = classified.collect();
        let mut changed: Vec<u32> = changed.into_iter().flatten().collect();
        context.cancel.check()?;
        classified.sort_by_key(|one| one.file);
        changed.sort_unstable();
        let files = FilesWithWord {
            classified,
            unread: unread + changed.len() as u64,
            changed,
        };
        Ok((references?, files))
    }

    /// Returns whether words of a file can mean the symbol: the file can use it, or is of another language family.
    pub fn may_mention(&self, file: u32) -> bool {
        self.graph.scopes().can_use(self.target, file)
            || !self.graph.same_language_family(self.target.file, file)
    }
}

/// Returns the positions at which facts know the name, as in `Word`, each with its kind.
fn names(
    file: u32,
    indexed: &IndexedFile,
    uses: Option<&Uses>,
    name: &str,
) -> HashMap<(u32, u32), WordKind> {
    let rows = uses.into_iter().flat_map(|uses| uses.named(name));
    let rows = rows.map(|row| ((row.line, row.column), WordKind::Use(*row)));
    let symbols = (0..).zip(&indexed.outline.symbols);
    let symbols = symbols.filter(|(_, symbol)| *symbol.name == *name);
    let symbols = symbols.map(|(symbol, found)| {
        let position = (found.name_line, found.name_column);
        (position, WordKind::Definition(SymbolId { file, symbol }))
    });
    // At a position that is both a use and a definition, the definition counts: `size` in `const { size } = box`.
    rows.chain(symbols).collect()
}

/// Classifies the words of a text.
fn classify(
    words: Vec<Word>,
    names: &HashMap<(u32, u32), WordKind>,
    indexed: &IndexedFile,
    text: &str,
) -> Vec<(Word, WordKind)> {
    let known = |word: &Word| names.get(&(word.line, word.column)).copied();
    let is_other = |word: &&Word| known(word).is_none() && !word.beside_dollar;
    let language = indexed.language.filter(|_| has_facts(indexed));
    // In most files, facts know every such word. In the others, the text is searched for comments and strings, but only up to
    // the last unknown word.
    let last = words.iter().rfind(is_other);
    let beside = language
        .zip(last)
        .map(|(language, last)| find_non_code(language, up_to_line_end(text, last.at as usize)));
    let kind = |word: &Word| match (known(word), &beside) {
        (Some(kind), _) => kind,
        (None, None) => WordKind::Prose,
        (None, Some(beside)) if beside.is_comment(word.at) => WordKind::Comment,
        (None, Some(beside)) if beside.is_string(word.at) => WordKind::String,
        (None, Some(_)) => WordKind::Code,
    };
    let words = words.into_iter();
    let words = words.filter(|word| known(word).is_some() || !word.beside_dollar);
    words.map(|word| (word, kind(&word))).collect()
}

fn up_to_line_end(text: &str, at: usize) -> &str {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]);
    &text[..end.map_or(text.len(), |end| at + end)]
}

fn has_facts(file: &IndexedFile) -> bool {
    file.language
        .is_some_and(|language| language.facts.is_some())
}

/// Returns all places of a word, in order.
pub fn words_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = Word> + 'a {
    let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let (mut line, mut start, mut counted) = (1, 0, 0);
    memchr::memmem::find_iter(text.as_bytes(), word).filter_map(move |at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let mut around = [before, after].into_iter().flatten();
        if around.clone().any(|sign| is_word(sign) && sign != '$') {
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
            beside_dollar: around.any(|sign| sign == '$'),
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
                column: 2,
                beside_dollar: false,
            })
        );
    }
}
