//! Unsaved texts over the files of a snapshot.
//!
//! Facts belong to one file each, and relations between files are computed per query, so an unsaved text needs no more than a
//! snapshot with other facts for its file. The shared snapshot does not change: an overlay belongs to one session.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::loaded_root::LoadedRoot;
use super::paths::relative_path;
use crate::extract::facts::Outline;
use crate::graph::Uses;
use crate::index::prepare::{content_hash, facts_key, language_of};
use crate::index::snapshot::{IndexedFile, Snapshot};
use crate::index::worker::{Job, Outcome, Task};
use crate::query::Context;
use crate::source::judge;
use crate::store::ledger::record::{self, FactsKey, FileRecord, FileState};

/// A text that an editor has open.
pub struct BufferText {
    text: Arc<str>,
    hash: [u8; 16],
    /// Extracted when a query first needs them; none if the text has no facts, for example because it looks binary.
    facts: OnceLock<Option<BufferFacts>>,
}

struct BufferFacts {
    file: FileRecord,
    outline: Arc<Outline>,
    uses: Arc<Uses>,
}

/// A snapshot of a root with the texts of a session.
pub struct Overlay {
    pub revision: u64,
    /// The snapshot without the texts.
    pub base: Arc<Snapshot>,
    pub snapshot: Arc<Snapshot>,
    uses: HashMap<FactsKey, Arc<Uses>>,
    /// By path in the root.
    texts: HashMap<String, Arc<str>>,
}

impl BufferText {
    pub fn new(text: String) -> Self {
        Self {
            hash: content_hash(text.as_bytes()),
            text: text.into(),
            facts: OnceLock::new(),
        }
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Extracts the facts in a worker, so that a text that crashes a parser costs only its own facts.
    fn facts(&self, context: &Context, indexed: &LoadedRoot, path: &str) -> Option<&BufferFacts> {
        let extract = || {
            let text = judge::judge(path, self.text.as_bytes()).ok()?;
            let language = language_of(path, text.as_bytes());
            let sizes = context
                .indexes
                .loaded(indexed.root.id)
                .map(|index| index.sizes)
                .unwrap_or_default();
            let job = Job {
                language,
                task: Task::Facts(sizes),
                text: Arc::clone(&self.text),
            };
            let pool = &context.indexes.shared().pool;
            let Some(Outcome::Facts(facts)) = pool.process_now(job) else {
                return None;
            };
            Some(BufferFacts {
                file: FileRecord {
                    size: self.text.len() as u64,
                    modified_nanos: 0,
                    // The text index does not contain this text. A stamp of 0 marks the file as doubtful, so that every lookup
                    // of a name tries it.
                    stamp: 0,
                    hash: self.hash,
                    language: language.map(|language| language.id.to_owned()),
                    state: FileState::Indexed(facts_key(self.hash, language, sizes)),
                },
                outline: Arc::new(record::outline(&facts.outline)?),
                uses: Arc::new(Uses::new(record::occurrences(&facts.occurrences)?)),
            })
        };
        self.facts.get_or_init(extract).as_ref()
    }
}

impl Overlay {
    /// Overlays the snapshot of a root with texts, which are given by absolute path. Texts of other roots and texts that equal
    /// the indexed content are left out. If no text remains, the snapshot is the shared one.
    pub fn new<'t>(
        context: &Context,
        indexed: &LoadedRoot,
        revision: u64,
        texts: impl Iterator<Item = (&'t str, &'t BufferText)>,
    ) -> Self {
        let base = Arc::clone(&indexed.snapshot);
        let mut overlay = Self {
            revision,
            snapshot: Arc::clone(&base),
            base,
            uses: HashMap::new(),
            texts: HashMap::new(),
        };
        let mut files: Option<Vec<Arc<IndexedFile>>> = None;
        let mut changed = vec![];
        // A new file shifts the positions of all files after it.
        let mut is_longer = false;
        for (path, buffer) in texts {
            let Ok(path) = relative_path(&indexed.root.path, path) else {
                continue;
            };
            let is_as_indexed = |file: &Arc<IndexedFile>| file.record.hash == buffer.hash;
            if overlay.base.file(&path).is_some_and(is_as_indexed) {
                continue;
            }
            let Some(facts) = buffer.facts(context, indexed, &path) else {
                continue;
            };
            let files = files.get_or_insert_with(|| overlay.base.files.clone());
            let language = language_of(&path, buffer.text.as_bytes());
            let (record, outline) = (facts.file.clone(), Arc::clone(&facts.outline));
            if let Some(key) = record.facts_key() {
                overlay.uses.insert(key, Arc::clone(&facts.uses));
            }
            let file = Arc::new(IndexedFile::new(path.clone(), record, language, outline));
            match files.binary_search_by(|file| file.path.cmp(&path)) {
                Ok(place) => {
                    files[place] = file;
                    changed.extend(u32::try_from(place));
                }
                Err(place) => {
                    files.insert(place, file);
                    is_longer = true;
                }
            }
            overlay.texts.insert(path, Arc::clone(&buffer.text));
        }
        if let Some(files) = files {
            let (generation, text) = (overlay.base.generation, overlay.base.text.clone());
            let mut snapshot = Snapshot::new(files, generation, text).reusing_paths(&overlay.base);
            if !is_longer {
                snapshot = snapshot.reusing_names(&overlay.base, &changed);
            }
            overlay.snapshot = Arc::new(snapshot);
        }
        overlay
    }

    pub fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.uses.get(&key).cloned()
    }

    /// Returns the unsaved text of a file.
    pub fn text(&self, path: &str) -> Option<&Arc<str>> {
        self.texts.get(path)
    }

    /// Returns the unsaved texts with their positions in the snapshot.
    pub fn texts(&self) -> impl Iterator<Item = (usize, Arc<str>)> {
        self.texts
            .iter()
            .filter_map(|(path, text)| Some((self.snapshot.place(path)?, Arc::clone(text))))
    }
}
