//! Finds the set of chunks that a keyword query matches. Their order is up to the ranking.
//!
//! A term matches the text of a chunk, the path of its file, and the names that the chunk defines. Words are looked up in
//! the index; a phrase or `foo->bar()` is looked up by its words first and then in the text itself.

mod phrase;

use std::cell::RefCell;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::{ErrorCode, ToolError};
use tantivy::TantivyError;

use self::phrase::Phrase;
use super::chunk_set::ChunkSet;
use super::grep::lines::symbol_at_byte;
use super::grep::reader::Reader;
use super::lexical::{DocItem, LexicalSearcher};
use super::path_term::PathTerm;
use super::rank::chunk_at;
use super::syntax::{self, Expr, Field, Term};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::lang::{self, Language};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::text::words;
use crate::threads::run_on_all;

/// The most chunks that are read for one term. Further ones are taken as matches, and the answer says so.
const MAX_TEXTS: usize = 4000;

pub struct KeywordSearch<'a> {
    pub snapshot: &'a Snapshot,
    pub lexical: &'a LexicalSearcher<'a>,
    pub dir: &'a RootDir,
    /// Larger files are not read.
    pub largest_file: u64,
    pub cancel: &'a CancelToken,
    /// Says whether some chunks were not read because there were too many.
    pub unverified: RefCell<bool>,
}

impl KeywordSearch<'_> {
    pub fn find(&self, expression: &Expr) -> Result<ChunkSet, ToolError> {
        self.find_within(expression, &ChunkSet::all(self.snapshot))
    }

    /// Returns the chunks of a set that match; no other texts are read.
    fn find_within(&self, expression: &Expr, within: &ChunkSet) -> Result<ChunkSet, ToolError> {
        self.cancel.check()?;
        match expression {
            Expr::Term(term) => self.term(term, within),
            Expr::Words(words) => self.any(words.iter().map(|word| self.term(word, within))),
            Expr::Optional(_) => Ok(within.clone()),
            Expr::All(parts) => {
                let mut all = within.clone();
                let (costly, cheap): (Vec<&Expr>, Vec<&Expr>) =
                    parts.iter().partition(|part| needs_texts(part));
                for part in cheap.into_iter().chain(costly) {
                    all = self.find_within(part, &all)?;
                }
                Ok(all)
            }
            Expr::Any(parts) => self.any(parts.iter().map(|part| self.find_within(part, within))),
            Expr::Not(part) => Ok(within.clone().without(&self.find_within(part, within)?)),
        }
    }

    fn any(
        &self,
        sets: impl Iterator<Item = Result<ChunkSet, ToolError>>,
    ) -> Result<ChunkSet, ToolError> {
        let mut any = ChunkSet::empty(self.snapshot);
        for set in sets {
            any = any.or(&set?);
        }
        Ok(any)
    }

    fn term(&self, term: &Term, within: &ChunkSet) -> Result<ChunkSet, ToolError> {
        match term.field {
            Field::Any => {
                let named = self.path(term)?.or(&self.symbol(term)?).and(within);
                // Chunks that match by a name or path need not be read.
                Ok(self
                    .content(term, &within.clone().without(&named))?
                    .or(&named))
            }
            Field::Content => self.content(term, within),
            Field::Path => Ok(self.path(term)?.and(within)),
            Field::Symbol => Ok(self.symbol(term)?.and(within)),
            Field::Language => Ok(self.language(term)?.and(within)),
            Field::Kind => Ok(self.kind(term)?.and(within)),
        }
    }

    fn content(&self, term: &Term, within: &ChunkSet) -> Result<ChunkSet, ToolError> {
        let mut found = if words(&term.text).next().is_some() {
            within.clone()
        } else {
            ChunkSet::empty(self.snapshot)
        };
        for (_, word) in words(&term.text) {
            let mut matching = ChunkSet::empty(self.snapshot);
            let docs = self
                .lexical
                .chunks_with(word)
                .map_err(|error| text_index_error(&error))?;
            // The chunks of a file follow each other.
            let mut last = None;
            for doc in docs {
                let located = self.lexical.locate(doc);
                let file = match last {
                    Some((number, file)) if number == located.file => file,
                    _ => self.snapshot.by_number(located.file),
                };
                last = Some((located.file, file));
                if let (Some(file), DocItem::Chunk(chunk)) = (file, located.item) {
                    matching.insert(file, chunk);
                }
            }
            found = found.and(&matching);
        }
        if is_phrase(term) {
            self.verify(&found, &term.text)
        } else {
            Ok(found)
        }
    }

    /// Returns the candidates whose text has a phrase, in any case and with any space between its words.
    fn verify(&self, candidates: &ChunkSet, text: &str) -> Result<ChunkSet, ToolError> {
        let phrase = Phrase::new(text);
        let mut verified = ChunkSet::empty(self.snapshot);
        let mut files: Vec<(usize, Vec<usize>)> = vec![];
        for (number, (file, chunk)) in candidates.iter().enumerate() {
            if number >= MAX_TEXTS {
                *self.unverified.borrow_mut() = true;
                verified.insert(file, chunk);
            } else if let Some((_, chunks)) = files.last_mut().filter(|(last, _)| *last == file) {
                chunks.push(chunk);
            } else {
                files.push((file, vec![chunk]));
            }
        }
        let (snapshot, cancel, dir, largest) =
            (self.snapshot, self.cancel, self.dir, self.largest_file);
        let read = run_on_all(files.len(), |queue| {
            let mut reader = Reader::new(dir, largest);
            let mut matching = vec![];
            while let Some(some) = queue.take().filter(|_| !cancel.is_cancelled()) {
                for (place, chunks) in &files[some] {
                    let chunks = phrase.chunks(&mut reader, &snapshot.files[*place], chunks);
                    matching.extend(chunks.into_iter().map(|chunk| (*place, chunk)));
                }
            }
            matching
        });
        self.cancel.check()?;
        read.into_iter()
            .flatten()
            .for_each(|(file, chunk)| verified.insert(file, chunk));
        Ok(verified)
    }

    /// Returns the files whose path contains the text or matches the glob.
    fn path(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let path = path_term(term)?;
        let PathTerm::Part(part) = &path else {
            return Ok(self.files(|file| path.matches(&file.path)));
        };
        let mut found = ChunkSet::empty(self.snapshot);
        for file in self.snapshot.path_lexicon().files_containing(part) {
            found.insert_file(file);
        }
        Ok(found)
    }

    fn files(&self, matches: impl Fn(&IndexedFile) -> bool) -> ChunkSet {
        let mut found = ChunkSet::empty(self.snapshot);
        for (position, file) in self.snapshot.files.iter().enumerate() {
            if matches(file) {
                found.insert_file(position);
            }
        }
        found
    }

    /// Returns the chunks of symbols whose name has a word: of `Parser` and `parse_url` for `symbol:parse`.
    fn symbol(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let mut found = ChunkSet::empty(self.snapshot);
        let names: Vec<&str> = words(&term.text).map(|(_, word)| word).collect();
        let Some((last, containers)) = names.split_last() else {
            return Ok(found);
        };
        for doc in self
            .lexical
            .symbols_named(last)
            .map_err(|error| text_index_error(&error))?
        {
            let located = self.lexical.locate(doc);
            let (Some(place), DocItem::Symbol(symbol)) =
                (self.snapshot.by_number(located.file), located.item)
            else {
                continue;
            };
            let file = &self.snapshot.files[place];
            let Some(symbol) = file.outline.symbols.get(symbol) else {
                continue;
            };
            let is_within = containers.iter().all(|name| {
                file.containers(symbol)
                    .any(|container| container.eq_ignore_ascii_case(name))
            });
            if is_within {
                // A long symbol has several chunks.
                let chunks = &file.outline.chunks;
                let from = chunk_at(chunks, symbol.start_byte).unwrap_or(0);
                let until = chunks.partition_point(|chunk| chunk.start_byte < symbol.end_byte);
                (from..until.max(from + 1)).for_each(|chunk| found.insert(place, chunk));
            }
        }
        Ok(found)
    }

    fn language(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let language = language(term)?;
        Ok(self.files(|file| file.language.is_some_and(|own| own.id == language.id)))
    }

    fn kind(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        Ok(chunks_defining(self.snapshot, kind(term)?))
    }
}

/// Parses a query and checks the values of its fields.
pub fn parse(query: &str) -> Result<Expr, ToolError> {
    let expression = syntax::parse(query)?;
    check(&expression)?;
    Ok(expression)
}

fn check(expression: &Expr) -> Result<(), ToolError> {
    match expression {
        Expr::Term(term) => match term.field {
            Field::Language => language(term).map(drop),
            Field::Kind => kind(term).map(drop),
            Field::Path => path_term(term).map(drop),
            Field::Any | Field::Content | Field::Symbol => Ok(()),
        },
        // Terms in these expressions have no fields.
        Expr::Words(_) | Expr::Optional(_) => Ok(()),
        Expr::All(parts) | Expr::Any(parts) => parts.iter().try_for_each(check),
        Expr::Not(part) => check(part),
    }
}

fn language(term: &Term) -> Result<&'static Language, ToolError> {
    lang::by_name(&term.text).ok_or_else(|| {
        let near = lang::nearest(&term.text);
        let all = || {
            lang::all()
                .iter()
                .map(|language| language.id)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let hint = if near.is_empty() {
            format!("languages are {}", all())
        } else {
            format!("did you mean: {}", near.join(", "))
        };
        invalid(term, &format!("unknown language `{}`", term.text)).with_hint(hint)
    })
}

fn kind(term: &Term) -> Result<SymbolKind, ToolError> {
    SymbolKind::from_word(&term.text.to_lowercase()).ok_or_else(|| {
        let kinds: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        invalid(term, &format!("unknown kind `{}`", term.text))
            .with_hint(format!("kinds are {}", kinds.join(", ")))
    })
}

/// Parses a term as a path; only in the field `path:` are `*` and `?` wildcards.
fn path_term(term: &Term) -> Result<PathTerm, ToolError> {
    if term.field != Field::Path {
        return Ok(PathTerm::Part(term.text.to_lowercase()));
    }
    PathTerm::new(&term.text).map_err(|error| {
        let hint = error.hint;
        ToolError {
            hint,
            ..invalid(term, &error.message.to_string())
        }
    })
}

fn invalid(term: &Term, what: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidQuery,
        format!("character {}: {what}", term.position),
    )
}

/// Returns the chunks that define a symbol of a kind, and the further chunks of functions of that kind.
pub fn chunks_defining(snapshot: &Snapshot, kind: SymbolKind) -> ChunkSet {
    let mut found = ChunkSet::empty(snapshot);
    for (place, file) in snapshot.files.iter().enumerate() {
        for symbol in file
            .outline
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == kind)
        {
            if let Some(chunk) = chunk_at(&file.outline.chunks, symbol.start_byte) {
                found.insert(place, chunk);
            }
        }
        for (number, chunk) in file.outline.chunks.iter().enumerate() {
            let around = symbol_at_byte(&file.outline.symbols, chunk.start_byte);
            let around = around.and_then(|symbol| file.outline.symbols.get(symbol as usize));
            // The further chunks of a class are those of its members.
            if around.is_some_and(|symbol| symbol.kind == kind && symbol.complexity > 0) {
                found.insert(place, number);
            }
        }
    }
    found
}

/// Returns whether a term is more than one word of the index.
fn is_phrase(term: &Term) -> bool {
    let mut found = words(&term.text).map(|(_, word)| word);
    !found
        .next()
        .is_some_and(|only| found.next().is_none() && only.len() == term.text.trim().len())
}

/// Returns the words of a query by which its matches are ranked.
pub fn ranking_words(expression: &Expr) -> String {
    let terms = expression.terms();
    let searched = terms
        .iter()
        .filter(|term| !matches!(term.field, Field::Language | Field::Kind));
    searched
        .map(|term| term.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the kind that every match of a query has: `kind:struct`.
pub fn demanded_kind(expression: &Expr) -> Option<SymbolKind> {
    match expression {
        Expr::Term(term) if term.field == Field::Kind => {
            SymbolKind::from_word(&term.text.to_lowercase())
        }
        Expr::All(parts) => parts.iter().find_map(demanded_kind),
        _ => None,
    }
}

/// Returns whether texts have to be read for an expression.
fn needs_texts(expression: &Expr) -> bool {
    match expression {
        Expr::Term(term) => matches!(term.field, Field::Any | Field::Content) && is_phrase(term),
        Expr::Words(words) => words.iter().any(is_phrase),
        Expr::Optional(_) => false,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(needs_texts),
        Expr::Not(part) => needs_texts(part),
    }
}

pub fn text_index_error(error: &TantivyError) -> ToolError {
    tracing::error!(%error, "the text index cannot be read");
    ToolError::new(
        ErrorCode::Internal,
        format!("the text index cannot be read: {error}"),
    )
    .with_hint(Line::from(NextCall::new("reindex").with("force", true)).text(" rebuilds it"))
}
