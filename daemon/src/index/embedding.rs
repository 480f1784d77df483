//! Makes the missing vectors of files: stored vectors are found by the hashes of chunks, and the model embeds the rest.
//!
//! Only the text of a chunk is embedded, with its secrets blanked, so equal chunks have equal vectors in every file. An
//! instant model makes another vector of each file's path and names. Files are read beneath their root; a file that changed
//! since it was indexed is skipped, because the indexer will queue it again. Nothing here decides when vectors are computed, or
//! publishes them.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::models::ModelTier;
use super::prepare::content_hash;
use super::sharing::Sharing;
use super::snapshot::IndexedFile;
use super::vector_buffer::VectorBuffer;
use super::vectors::FileVectors;
use crate::embed::{EmbedError, EmbedErrorKind, Embedder};
use crate::extract::facts::{Chunk, Outline};
use crate::extract::redact;
use crate::source::beneath::RootDir;
use crate::store::ledger::record::FactsKey;
use claudevil_child::vectors::{ChunkHash, ChunkVector};

/// Chunks whose stored vectors are loaded at once, which takes about 20 MB of memory.
const CHUNKS_AT_ONCE: usize = 50_000;
/// Below this number of chunks, an instant model embeds them faster than the store opens.
const WORTH_LOADING: usize = 5000;

/// The most folders and names of a file that are embedded: with more, the vectors of many files would be alike.
const FOLDERS_OF_A_FILE: usize = 2;
const NAMES_OF_A_FILE: usize = 40;

/// A file without vectors.
#[derive(Clone)]
pub struct MissingVectors {
    pub file: Arc<IndexedFile>,
    /// The last version of the file with vectors, which may share chunks with this one.
    pub before: Option<Arc<IndexedFile>>,
}

/// The vectors of a file, and the key of the facts that they were made from.
pub struct FileEmbedding {
    pub path: String,
    pub key: FactsKey,
    pub vectors: Arc<FileVectors>,
}

/// Embeds files of one root with one model.
pub struct FileEmbedder<'a> {
    pub tier: ModelTier,
    pub embedder: &'a dyn Embedder,
    pub buffer: &'a Arc<VectorBuffer>,
    pub sharing: Option<&'a Arc<Sharing>>,
    pub dir: &'a RootDir,
    pub largest_file: u64,
}

type VectorMap = HashMap<ChunkHash, ChunkVector>;

impl FileEmbedder<'_> {
    /// Hands over the vectors of files as they are computed, some at a time, until `hand_over` breaks. Vectors that were handed
    /// over before an error are valid.
    pub fn embed_all(
        &self,
        missing: &[MissingVectors],
        mut hand_over: impl FnMut(Vec<FileEmbedding>) -> ControlFlow<()>,
    ) -> Result<(), EmbedError> {
        let mut from = 0;
        while from < missing.len() {
            let mut chunks = 0;
            let fits = |one: &&MissingVectors| {
                chunks += one.file.outline.chunks.len();
                chunks <= CHUNKS_AT_ONCE
            };
            let length = missing[from..].iter().take_while(fits).count().max(1);
            if self
                .embed_some(&missing[from..from + length], &mut hand_over)?
                .is_break()
            {
                break;
            }
            from += length;
        }
        Ok(())
    }

    fn embed_some(
        &self,
        missing: &[MissingVectors],
        hand_over: &mut impl FnMut(Vec<FileEmbedding>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, EmbedError> {
        let batch = self.embedder.batch_size().max(1);
        let mut known = self.known_vectors(missing);
        let mut waiting: Vec<&Arc<IndexedFile>> = vec![];
        let mut wanted: Vec<(ChunkHash, String)> = vec![];
        let mut asked: HashSet<ChunkHash> = HashSet::new();
        let mut done = vec![];
        for MissingVectors { file, .. } in missing {
            if let Some(made) = assemble(self.embedder, file, &known) {
                done.push(made);
                continue;
            }
            let Some(text) = self.text(file) else {
                continue;
            };
            let is_wanted =
                |chunk: &&Chunk| !known.contains_key(&chunk.hash) && asked.insert(chunk.hash);
            let unknown = file.outline.chunks.iter().filter(is_wanted);
            wanted.extend(unknown.map(|chunk| (chunk.hash, text_of(&text, chunk).to_owned())));
            waiting.push(file);
            let full = wanted.len() - wanted.len() % batch;
            if full > 0 {
                let batches: Vec<_> = wanted.drain(..full).collect();
                self.embed(&batches, &mut known)?;
                // The others have chunks in the next batch.
                waiting.retain(|file| {
                    let made = assemble(self.embedder, file, &known);
                    let is_waiting = made.is_none();
                    done.extend(made);
                    is_waiting
                });
                if hand_over(std::mem::take(&mut done)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.embed(&wanted, &mut known)?;
        done.extend(
            waiting
                .into_iter()
                .filter_map(|file| assemble(self.embedder, file, &known)),
        );
        Ok(hand_over(done))
    }

    /// Returns the known vectors of these files' chunks: from their last versions, from the store, or from the team.
    fn known_vectors(&self, missing: &[MissingVectors]) -> VectorMap {
        let mut known = VectorMap::new();
        for before in missing.iter().filter_map(|one| one.before.as_ref()) {
            known.extend(before.vectors_by_hash(self.tier));
        }
        let chunks = missing.iter().flat_map(|one| &one.file.outline.chunks);
        let unknown: HashSet<ChunkHash> = chunks
            .map(|chunk| chunk.hash)
            .filter(|hash| !known.contains_key(hash))
            .collect();
        if !unknown.is_empty() {
            let unknown: Vec<_> = unknown.into_iter().collect();
            let is_cheap = self.embedder.is_instant() && unknown.len() < WORTH_LOADING;
            let stored = if is_cheap {
                self.buffer.pending(&unknown)
            } else {
                self.buffer.load(&unknown)
            };
            let width = self.embedder.dimensions();
            known.extend(
                stored
                    .into_iter()
                    .filter(|(_, vector)| vector.codes.len() == width),
            );
            if let Some(sharing) = self.sharing {
                let unknown: Vec<_> = unknown
                    .into_iter()
                    .filter(|hash| !known.contains_key(hash))
                    .collect();
                let shared = sharing.fetch(&unknown);
                self.buffer.record(shared.values().cloned());
                known.extend(shared);
            }
        }
        known
    }

    /// Returns the text of a file with secrets blanked. None if it has changed since it was indexed.
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
        wanted: &[(ChunkHash, String)],
        known: &mut VectorMap,
    ) -> Result<(), EmbedError> {
        for some in wanted.chunks(self.embedder.batch_size().max(1)) {
            let made = self.embed_batch(some)?;
            self.buffer.record(made.iter().cloned());
            if let Some(sharing) = self.sharing {
                sharing.offer(made.iter().cloned());
            }
            known.extend(made.into_iter().map(|vector| (vector.hash, vector)));
        }
        Ok(())
    }

    /// Embeds a batch. If some of its texts are refused, the others are still embedded; it is an error if all are refused.
    fn embed_batch(&self, batch: &[(ChunkHash, String)]) -> Result<Vec<ChunkVector>, EmbedError> {
        let embed_some = |some: &[(ChunkHash, String)]| {
            let texts: Vec<&str> = some.iter().map(|(_, text)| text.as_str()).collect();
            embed(self.embedder, some.iter().map(|(hash, _)| *hash), &texts)
        };
        let refused = match embed_some(batch) {
            Err(error) if error.kind == EmbedErrorKind::Refused && batch.len() > 1 => error,
            made => return made,
        };
        let mut all = vec![];
        for one in batch.chunks(1) {
            match embed_some(one) {
                Err(error) if error.kind == EmbedErrorKind::Refused => {}
                made => all.extend(made?),
            }
        }
        if all.is_empty() {
            Err(refused)
        } else {
            Ok(all)
        }
    }
}

/// Embeds a file whose blanked text is in memory. Returns its vectors, and those of its chunks for the store.
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
            embed_names(embedder, path, outline).as_ref(),
        ),
        made,
    ))
}

fn embed(
    embedder: &dyn Embedder,
    hashes: impl Iterator<Item = ChunkHash>,
    texts: &[&str],
) -> Result<Vec<ChunkVector>, EmbedError> {
    let made = embedder.documents(texts)?;
    if made.len() != texts.len()
        || made
            .iter()
            .any(|vector| vector.len() != embedder.dimensions())
    {
        return Err(EmbedError::unusable(
            "the model returned unexpected vectors",
        ));
    }
    hashes
        .zip(&made)
        .map(|(hash, vector)| {
            ChunkVector::quantise(hash, vector)
                .map_err(|error| EmbedError::unusable(error.to_string()))
        })
        .collect()
}

/// Embeds the path and the names of a file, if the model is instant.
fn embed_names(embedder: &dyn Embedder, path: &str, outline: &Outline) -> Option<ChunkVector> {
    if !embedder.is_instant() {
        return None;
    }
    let names = outline
        .symbols
        .iter()
        .filter(|symbol| symbol.parent.is_none())
        .map(|symbol| &*symbol.name);
    let words: Vec<&str> = last_parts(path)
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

/// Returns the last folders of a path and the name up to its first dot: `a/b/c/d.test.ts` → `b`, `c`, `d`.
fn last_parts(path: &str) -> Vec<&str> {
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

/// Returns the vectors of a file. None while the vector of a chunk is missing.
fn assemble(
    embedder: &dyn Embedder,
    file: &IndexedFile,
    known: &VectorMap,
) -> Option<FileEmbedding> {
    let key = file.facts_key()?;
    let rows = file
        .outline
        .chunks
        .iter()
        .map(|chunk| known.get(&chunk.hash));
    let rows = rows.collect::<Option<Vec<_>>>()?;
    let about = embed_names(embedder, &file.path, &file.outline);
    let vectors = Arc::new(FileVectors::new(
        embedder.dimensions(),
        &rows,
        about.as_ref(),
    ));
    Some(FileEmbedding {
        path: file.path.clone(),
        key,
        vectors,
    })
}

#[cfg(test)]
pub(super) mod tests;
