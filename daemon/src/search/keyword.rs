//! Which chunks a keyword query matches: all of them, by sets. Their order is another matter.
//!
//! A chunk has the words of its text, of its file's path, and the names of what it defines. Words are looked up in the
//! index; what is more than a word, a phrase or `foo->bar()`, is looked up by its words first and then in the text itself.

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
use crate::index::snapshot::Snapshot;
use crate::lang::{self, Language};
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::text::words;
use crate::threads::on_all;

/// Texts that are read for one term at most. What is beyond is taken as matching, and said to be unverified.
const MOST_TEXTS: usize = 4000;

pub struct KeywordSearch<'a> {
    pub snapshot: &'a Snapshot,
    pub lexical: &'a LexicalSearcher<'a>,
    pub dir: &'a RootDir,
    /// Files beyond this many bytes are not read.
    pub largest_file: u64,
    pub cancel: &'a CancelToken,
    /// Whether some texts were not read because there were too many.
    pub unverified: RefCell<bool>,
}

impl KeywordSearch<'_> {
    pub fn find(&self, expression: &Expr) -> Result<ChunkSet, ToolError> {
        self.find_within(expression, &ChunkSet::all(self.snapshot))
    }

    /// What of these matches: texts are read for no others.
    fn find_within(&self, expression: &Expr, within: &ChunkSet) -> Result<ChunkSet, ToolError> {
        self.cancel.check()?;
        match expression {
            Expr::Term(term) => self.term(term, within),
            Expr::Words(words) => self.any(words.iter().map(|word| self.term(word, within))),
            Expr::Optional(_) => Ok(within.clone()),
            Expr::All(parts) => {
                let mut all = within.clone();
                let (costly, cheap): (Vec<&Expr>, Vec<&Expr>) =
                    parts.iter().partition(|part| has_phrase(part));
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
                // What matches by its names need not be read.
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
        let asked: Vec<&str> = words(&term.text).map(|(_, word)| word).collect();
        let mut found: Option<ChunkSet> = None;
        for word in &asked {
            let mut having = ChunkSet::empty(self.snapshot);
            let docs = self
                .lexical
                .chunks_with(word)
                .map_err(|error| text_index_error(&error))?;
            for doc in docs {
                let located = self.lexical.locate(doc);
                if let (Some(file), DocItem::Chunk(chunk)) =
                    (self.snapshot.by_number(located.file), located.item)
                {
                    having.insert(file, chunk);
                }
            }
            found = Some(match found {
                Some(found) => found.and(&having),
                None => having,
            });
        }
        let found = found
            .unwrap_or_else(|| ChunkSet::empty(self.snapshot))
            .and(within);
        if is_phrase(term) {
            self.verified(&found, &term.text)
        } else {
            Ok(found)
        }
    }

    /// Those whose text really has this, whatever the letters' case and the space between words.
    fn verified(&self, candidates: &ChunkSet, text: &str) -> Result<ChunkSet, ToolError> {
        let phrase = Phrase::new(text);
        let mut verified = ChunkSet::empty(self.snapshot);
        let mut files: Vec<(usize, Vec<usize>)> = vec![];
        for (number, (file, chunk)) in candidates.iter().enumerate() {
            if number >= MOST_TEXTS {
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
        let read = on_all(files.len(), |queue| {
            let mut reader = Reader::new(dir, largest);
            let mut having = vec![];
            while let Some(some) = queue.take().filter(|_| !cancel.is_cancelled()) {
                for (place, chunks) in &files[some] {
                    having.extend(
                        phrase
                            .chunks(&mut reader, &snapshot.files[*place], chunks)
                            .map(|at| (*place, at)),
                    );
                }
            }
            having
        });
        self.cancel.check()?;
        read.into_iter()
            .flatten()
            .for_each(|(file, chunk)| verified.insert(file, chunk));
        Ok(verified)
    }

    /// Files whose path has the text, or is as a glob says.
    fn path(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let asked = path_term(term)?;
        let mut found = ChunkSet::empty(self.snapshot);
        for (place, file) in self.snapshot.files.iter().enumerate() {
            if asked.matches(&file.path) {
                found.insert_file(place);
            }
        }
        Ok(found)
    }

    /// Chunks that define something of this name, whole or a part of it, or are in it.
    fn symbol(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let mut found = ChunkSet::empty(self.snapshot);
        let asked: Vec<&str> = words(&term.text).map(|(_, word)| word).collect();
        let Some((last, around)) = asked.split_last() else {
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
            let is_within = around.iter().all(|name| {
                file.containers(symbol)
                    .any(|container| container.eq_ignore_ascii_case(name))
            });
            if is_within {
                // All of a long one, which is more than a chunk.
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
        let mut found = ChunkSet::empty(self.snapshot);
        for (place, file) in self.snapshot.files.iter().enumerate() {
            if file.language.is_some_and(|own| own.id == language.id) {
                found.insert_file(place);
            }
        }
        Ok(found)
    }

    fn kind(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        Ok(chunks_defining(self.snapshot, kind(term)?))
    }
}

/// A query whose every word can be looked for where it says.
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
        // They have no fields.
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
            format!("near it: {}", near.join(", "))
        };
        invalid(term, &format!("there is no language `{}`", term.text)).with_hint(hint)
    })
}

fn kind(term: &Term) -> Result<SymbolKind, ToolError> {
    SymbolKind::from_word(&term.text.to_lowercase()).ok_or_else(|| {
        let kinds: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        invalid(term, &format!("there is no kind `{}`", term.text))
            .with_hint(format!("kinds are {}", kinds.join(", ")))
    })
}

/// Outside of the field, signs of globs are text.
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

/// Chunks that define something of a kind, or are a further part of one that runs.
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
            // What does not run is made of other things, and those are what its further chunks define.
            if around.is_some_and(|symbol| symbol.kind == kind && symbol.complexity > 0) {
                found.insert(place, number);
            }
        }
    }
    found
}

/// Whether a term is more than a word, which the index has as it is.
fn is_phrase(term: &Term) -> bool {
    let mut asked = words(&term.text).map(|(_, word)| word);
    !asked
        .next()
        .is_some_and(|only| asked.next().is_none() && only.len() == term.text.trim().len())
}

/// Whether texts have to be read for it.
fn has_phrase(expression: &Expr) -> bool {
    match expression {
        Expr::Term(term) => matches!(term.field, Field::Any | Field::Content) && is_phrase(term),
        Expr::Words(words) => words.iter().any(is_phrase),
        Expr::Optional(_) => false,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(has_phrase),
        Expr::Not(part) => has_phrase(part),
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
