//! Which chunks a keyword query matches: all of them, by sets. Their order is another matter.
//!
//! A chunk has the words of its text, of its file's path, and the names of what it defines. Words are looked up in the
//! index; what is more than a word, a phrase or `foo->bar()`, is looked up by its words first and then in the text itself.

use std::cell::RefCell;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::symbol::SymbolKind;
use tantivy::TantivyError;

use super::chunk_set::ChunkSet;
use super::grep::text::innermost;
use super::lexical::{Lexical, Place};
use super::rank::chunk_at;
use super::syntax::{Expr, Field, Term};
use super::texts::Texts;
use crate::index::snapshot::Snapshot;
use crate::lang;
use crate::source::cancel::Cancel;
use crate::store::text::words;

/// Texts that are read for one term at most. What is beyond is taken as matching, and said to be unverified.
const MOST_TEXTS: usize = 4000;

pub struct Keyword<'a, 't> {
    pub snapshot: &'a Snapshot,
    pub lexical: &'a Lexical<'a>,
    pub texts: &'a Texts<'t>,
    pub cancel: &'a Cancel,
    /// Whether some texts were not read because there were too many.
    pub unverified: RefCell<bool>,
}

impl Keyword<'_, '_> {
    pub fn find(&self, expression: &Expr) -> Result<ChunkSet, ToolError> {
        self.cancel.check()?;
        match expression {
            Expr::Term(term) => self.term(term),
            Expr::Words(words) => self.any(words.iter().map(|word| self.term(word))),
            Expr::Optional(_) => Ok(ChunkSet::all(self.snapshot)),
            Expr::All(parts) => {
                let mut all = ChunkSet::all(self.snapshot);
                for part in parts {
                    all = all.and(&self.find(part)?);
                }
                Ok(all)
            }
            Expr::Any(parts) => self.any(parts.iter().map(|part| self.find(part))),
            Expr::Not(part) => Ok(ChunkSet::all(self.snapshot).without(&self.find(part)?)),
        }
    }

    fn any(&self, sets: impl Iterator<Item = Result<ChunkSet, ToolError>>) -> Result<ChunkSet, ToolError> {
        let mut any = ChunkSet::empty(self.snapshot);
        for set in sets {
            any = any.or(&set?);
        }
        Ok(any)
    }

    fn term(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        match term.field {
            Field::Any => Ok(self.content(term)?.or(&self.path(term)).or(&self.symbol(term)?)),
            Field::Content => self.content(term),
            Field::Path => Ok(self.path(term)),
            Field::Symbol => self.symbol(term),
            Field::Language => self.language(term),
            Field::Kind => self.kind(term),
        }
    }

    fn content(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let asked: Vec<&str> = words(&term.text).map(|(_, word)| word).collect();
        let mut found: Option<ChunkSet> = None;
        for word in &asked {
            let mut having = ChunkSet::empty(self.snapshot);
            let docs = self.lexical.having(word).map_err(|error| internal(&error))?;
            for doc in docs {
                let located = self.lexical.locate(doc);
                if let (Some(file), Place::Chunk(chunk)) = (self.snapshot.by_number(located.file), located.place) {
                    having.insert(file, chunk);
                }
            }
            found = Some(match found {
                Some(found) => found.and(&having),
                None => having,
            });
        }
        let found = found.unwrap_or_else(|| ChunkSet::empty(self.snapshot));
        // One plain word is in the index as it is.
        if asked.len() == 1 && asked[0].len() == term.text.trim().len() {
            return Ok(found);
        }
        self.verified(&found, &term.text)
    }

    /// Those whose text really has this, whatever the letters' case and the space between words.
    fn verified(&self, candidates: &ChunkSet, text: &str) -> Result<ChunkSet, ToolError> {
        let asked = squeezed(text);
        let mut verified = ChunkSet::empty(self.snapshot);
        for (number, (file, chunk)) in candidates.iter().enumerate() {
            if number % 64 == 0 {
                self.cancel.check()?;
            }
            if number >= MOST_TEXTS {
                *self.unverified.borrow_mut() = true;
                verified.insert(file, chunk);
            } else if self.texts.chunk(file, chunk).is_some_and(|text| holds(&squeezed(&text), &asked)) {
                verified.insert(file, chunk);
            }
        }
        Ok(verified)
    }

    /// Files whose path has the text.
    fn path(&self, term: &Term) -> ChunkSet {
        let asked = term.text.to_lowercase();
        let mut found = ChunkSet::empty(self.snapshot);
        for (place, file) in self.snapshot.files.iter().enumerate() {
            if contains_ignoring_case(&file.path, &asked) {
                found.insert_file(place);
            }
        }
        found
    }

    /// Chunks that define something of this name, whole or a part of it, or are in it.
    fn symbol(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let mut found = ChunkSet::empty(self.snapshot);
        let asked: Vec<&str> = words(&term.text).map(|(_, word)| word).collect();
        let Some((last, around)) = asked.split_last() else { return Ok(found) };
        for doc in self.lexical.named(last).map_err(|error| internal(&error))? {
            let located = self.lexical.locate(doc);
            let (Some(place), Place::Symbol(symbol)) = (self.snapshot.by_number(located.file), located.place) else {
                continue;
            };
            let file = &self.snapshot.files[place];
            let Some(symbol) = file.outline.symbols.get(symbol) else { continue };
            let is_within =
                around.iter().all(|name| file.containers(symbol).any(|container| container.eq_ignore_ascii_case(name)));
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
        let Some(language) = lang::by_name(&term.text) else {
            let near = lang::nearest(&term.text);
            return Err(ToolError::new(
                claudevil_protocol::ErrorCode::InvalidQuery,
                format!("character {}: there is no language `{}`", term.position, term.text),
            )
            .with_hint(format!("near it: {}", near.join(", "))));
        };
        let mut found = ChunkSet::empty(self.snapshot);
        for (place, file) in self.snapshot.files.iter().enumerate() {
            if file.language.is_some_and(|own| own.id == language.id) {
                found.insert_file(place);
            }
        }
        Ok(found)
    }

    fn kind(&self, term: &Term) -> Result<ChunkSet, ToolError> {
        let Some(kind) = SymbolKind::from_word(&term.text.to_lowercase()) else {
            let kinds: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
            return Err(ToolError::new(
                claudevil_protocol::ErrorCode::InvalidQuery,
                format!("character {}: there is no kind `{}`", term.position, term.text),
            )
            .with_hint(format!("kinds are {}", kinds.join(", "))));
        };
        Ok(defining(self.snapshot, kind))
    }
}

/// Chunks that define something of a kind, or are a further part of one that runs.
pub fn defining(snapshot: &Snapshot, kind: SymbolKind) -> ChunkSet {
    let mut found = ChunkSet::empty(snapshot);
    for (place, file) in snapshot.files.iter().enumerate() {
        for symbol in file.outline.symbols.iter().filter(|symbol| symbol.kind == kind) {
            if let Some(chunk) = chunk_at(&file.outline.chunks, symbol.start_byte) {
                found.insert(place, chunk);
            }
        }
        for (number, chunk) in file.outline.chunks.iter().enumerate() {
            let around = innermost(&file.outline.symbols, chunk.start_byte);
            let around = around.and_then(|symbol| file.outline.symbols.get(symbol as usize));
            // What does not run is made of other things, and those are what its further chunks define.
            if around.is_some_and(|symbol| symbol.kind == kind && symbol.complexity > 0) {
                found.insert(place, number);
            }
        }
    }
    found
}

fn contains_ignoring_case(text: &str, lower: &str) -> bool {
    text.contains(lower) || text.to_lowercase().contains(lower)
}

/// Whether a text has another with no word cut in two.
fn holds(text: &str, asked: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let (first, last) = (asked.starts_with(is_word), asked.ends_with(is_word));
    text.match_indices(asked).any(|(at, found)| {
        !(first && text[..at].ends_with(is_word) || last && text[at + found.len()..].starts_with(is_word))
    })
}

/// In lower case, with one space wherever there was any.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

pub fn internal(error: &TantivyError) -> ToolError {
    tracing::error!(%error, "the text index cannot be read");
    ToolError::new(claudevil_protocol::ErrorCode::Internal, format!("the text index cannot be read: {error}"))
        .with_hint("reindex {\"force\":true} makes it anew")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_made_of_whole_words() {
        for (text, asked, expected) in [
            ("a token counter", "token counter", true),
            ("a token counters", "token counter", false),
            ("a retoken counter", "token counter", false),
            ("token counters, token counter", "token counter", true),
            ("x foo->bar()", "foo->bar(", true),
            ("größer als", "größer", true),
            ("ungrößer als", "größer", false),
            ("a::b", "::b", true),
        ] {
            assert_eq!(holds(text, asked), expected, "{asked} in {text}");
        }
    }
}
