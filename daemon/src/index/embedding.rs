//! Makes the vectors that files lack: out of what is known by the hashes of chunks, and by the model for the rest.
//!
//! The text of a chunk is what is embedded, with its secrets blanked, and nothing else: the same chunk has the same
//! vector wherever it lies. What a file's path and names say is another vector, made where the model is instant. Files are read beneath their root, and one that is not what was indexed is left to whoever
//! indexes it again. Nothing here decides when vectors are made, or shows them to anybody.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::keeper::Keeper;
use super::models::Stage;
use super::prepare::content_hash;
use super::snapshot::IndexedFile;
use super::vectors::FileVectors;
use crate::embed::{EmbedError, EmbedErrorKind, Embedder};
use crate::extract::facts::{Chunk, Outline};
use crate::extract::redact;
use crate::source::beneath::RootDir;
use crate::store::ledger::record::FactsKey;
use claudevil_child::vectors::{ChunkHash, ChunkVector};

/// Chunks whose known vectors are fetched at once: what this takes in memory is some 20 MB.
const CHUNKS_AT_ONCE: usize = 50_000;
/// Fewer than this are made by a model that is instant in less time than the store takes to open.
const WORTH_ASKING: usize = 5000;

/// Of a file's path and names, what is embedded: more would say the same of many files.
const FOLDERS_OF_A_FILE: usize = 2;
const NAMES_OF_A_FILE: usize = 40;

/// A file without vectors.
#[derive(Clone)]
pub struct Lacking {
    pub file: Arc<IndexedFile>,
    /// What was there before, some of whose chunks it may still have.
    pub before: Option<Arc<IndexedFile>>,
}

/// The vectors of a file whose facts lie under this key.
pub struct Made {
    pub path: String,
    pub key: FactsKey,
    pub vectors: Arc<FileVectors>,
}

/// True if to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    On,
    Stop,
}

pub struct Maker<'a> {
    pub stage: Stage,
    pub embedder: &'a dyn Embedder,
    pub keeper: &'a Arc<Keeper>,
    pub dir: &'a RootDir,
    pub largest_file: u64,
}

type Known = HashMap<ChunkHash, ChunkVector>;

impl Maker<'_> {
    /// Hands over the vectors of files as they are made, some at a time; after an error, what was handed over stands.
    pub fn make(
        &self,
        lacking: &[Lacking],
        mut found: impl FnMut(Vec<Made>) -> Further,
    ) -> Result<(), EmbedError> {
        let mut from = 0;
        while from < lacking.len() {
            let mut chunks = 0;
            let fits = |one: &&Lacking| {
                chunks += one.file.outline.chunks.len();
                chunks <= CHUNKS_AT_ONCE
            };
            let length = lacking[from..].iter().take_while(fits).count().max(1);
            if self.make_some(&lacking[from..from + length], &mut found)? == Further::Stop {
                break;
            }
            from += length;
        }
        Ok(())
    }

    fn make_some(
        &self,
        lacking: &[Lacking],
        found: &mut impl FnMut(Vec<Made>) -> Further,
    ) -> Result<Further, EmbedError> {
        let mut known = self.known(lacking);
        let mut waiting: Vec<&Arc<IndexedFile>> = vec![];
        let mut wanted: Vec<(ChunkHash, String)> = vec![];
        let mut asked: HashSet<ChunkHash> = HashSet::new();
        let mut done = vec![];
        for Lacking { file, .. } in lacking {
            if let Some(made) = assemble(self.embedder, file, &known) {
                done.push(made);
                continue;
            }
            let Some(text) = self.text(file) else {
                continue;
            };
            let is_wanted =
                |chunk: &&Chunk| !known.contains_key(&chunk.hash) && asked.insert(chunk.hash);
            let missing = file.outline.chunks.iter().filter(is_wanted);
            wanted.extend(missing.map(|chunk| (chunk.hash, text_of(&text, chunk).to_owned())));
            waiting.push(file);
            if wanted.len() >= self.embedder.batch_size() {
                self.embed(&mut wanted, &mut known)?;
                asked.clear();
                done.extend(
                    waiting
                        .drain(..)
                        .filter_map(|file| assemble(self.embedder, file, &known)),
                );
                if found(std::mem::take(&mut done)) == Further::Stop {
                    return Ok(Further::Stop);
                }
            }
        }
        self.embed(&mut wanted, &mut known)?;
        done.extend(
            waiting
                .into_iter()
                .filter_map(|file| assemble(self.embedder, file, &known)),
        );
        Ok(found(done))
    }

    /// What is known of these files' chunks: from what they were before, or from the store.
    fn known(&self, lacking: &[Lacking]) -> Known {
        let mut known = Known::new();
        for before in lacking.iter().filter_map(|one| one.before.as_ref()) {
            known.extend(before.vectors_by_hash(self.stage));
        }
        let chunks = lacking.iter().flat_map(|one| &one.file.outline.chunks);
        let missing: HashSet<ChunkHash> = chunks
            .map(|chunk| chunk.hash)
            .filter(|hash| !known.contains_key(hash))
            .collect();
        if !missing.is_empty() {
            let missing: Vec<_> = missing.into_iter().collect();
            let is_cheap = self.embedder.is_instant() && missing.len() < WORTH_ASKING;
            let stored = if is_cheap {
                self.keeper.pending(&missing)
            } else {
                self.keeper.load(&missing)
            };
            let width = self.embedder.dimensions();
            known.extend(
                stored
                    .into_iter()
                    .filter(|(_, vector)| vector.codes.len() == width),
            );
        }
        known
    }

    /// The file's text as it was indexed, blanked. None if it is another by now.
    fn text(&self, file: &IndexedFile) -> Option<String> {
        let bytes = self
            .dir
            .open_file(&file.path)
            .ok()?
            .bytes(self.largest_file)
            .ok()?;
        if content_hash(&bytes) != file.record.hash {
            return None;
        }
        let source = crate::source::judge::judge(&file.path, &bytes).ok()?;
        Some(redact(source, &file.outline.redactions).into_owned())
    }

    fn embed(
        &self,
        wanted: &mut Vec<(ChunkHash, String)>,
        known: &mut Known,
    ) -> Result<(), EmbedError> {
        for some in wanted.chunks(self.embedder.batch_size().max(1)) {
            let texts: Vec<&str> = some.iter().map(|(_, text)| text.as_str()).collect();
            let hashes = some.iter().map(|(hash, _)| *hash);
            let made = embed(self.embedder, hashes, &texts)?;
            self.keeper.record(made.iter().cloned());
            known.extend(made.into_iter().map(|vector| (vector.hash, vector)));
        }
        wanted.clear();
        Ok(())
    }
}

/// The vectors of a file whose blanked text is at hand.
pub fn embed_file(
    embedder: &dyn Embedder,
    path: &str,
    outline: &Outline,
    text: &str,
) -> Result<(FileVectors, Vec<ChunkVector>), EmbedError> {
    let texts: Vec<&str> = outline
        .chunks
        .iter()
        .map(|chunk| text_of(text, chunk))
        .collect();
    let made = embed(
        embedder,
        outline.chunks.iter().map(|chunk| chunk.hash),
        &texts,
    )?;
    let rows: Vec<_> = made.iter().collect();
    Ok((
        FileVectors::new(
            embedder.dimensions(),
            &rows,
            about(embedder, path, outline).as_ref(),
        ),
        made,
    ))
}

fn embed(
    embedder: &dyn Embedder,
    hashes: impl Iterator<Item = ChunkHash>,
    texts: &[&str],
) -> Result<Vec<ChunkVector>, EmbedError> {
    let unusable = |message: &str| EmbedError {
        kind: EmbedErrorKind::Unusable,
        message: message.to_owned(),
    };
    let made = embedder.documents(texts)?;
    if made.len() != texts.len()
        || made
            .iter()
            .any(|vector| vector.len() != embedder.dimensions())
    {
        return Err(unusable(
            "the model gave other vectors than it was asked for",
        ));
    }
    hashes
        .zip(&made)
        .map(|(hash, vector)| {
            ChunkVector::quantise(hash, vector).map_err(|error| unusable(&error.to_string()))
        })
        .collect()
}

/// What a file's path and the names in it say.
fn about(embedder: &dyn Embedder, path: &str, outline: &Outline) -> Option<ChunkVector> {
    if !embedder.is_instant() {
        return None;
    }
    let names = outline
        .symbols
        .iter()
        .filter(|symbol| symbol.parent.is_none())
        .map(|symbol| &*symbol.name);
    let words: Vec<&str> = ends_of(path)
        .into_iter()
        .chain(names.take(NAMES_OF_A_FILE))
        .collect();
    embed(
        embedder,
        [ChunkHash::default()].into_iter(),
        &[&words.join(" ")],
    )
    .ok()?
    .pop()
}

/// The last parts of a path, in their order, without what comes after the name's first dot.
fn ends_of(path: &str) -> Vec<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut ends: Vec<&str> = folders.rsplit('/').take(FOLDERS_OF_A_FILE).collect();
    ends.reverse();
    ends.push(name.split('.').next().unwrap_or(name));
    ends
}

fn text_of<'a>(text: &'a str, chunk: &Chunk) -> &'a str {
    text.get(chunk.start_byte as usize..chunk.end_byte as usize)
        .unwrap_or_default()
}

/// None while a chunk's vector is missing.
fn assemble(embedder: &dyn Embedder, file: &IndexedFile, known: &Known) -> Option<Made> {
    let key = file.facts_key()?;
    let rows = file
        .outline
        .chunks
        .iter()
        .map(|chunk| known.get(&chunk.hash));
    let rows = rows.collect::<Option<Vec<_>>>()?;
    let about = about(embedder, &file.path, &file.outline);
    let vectors = Arc::new(FileVectors::new(
        embedder.dimensions(),
        &rows,
        about.as_ref(),
    ));
    Some(Made {
        path: file.path.clone(),
        key,
        vectors,
    })
}

#[cfg(test)]
pub(super) mod tests;
