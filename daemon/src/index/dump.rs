//! Prints the stores as text: for tests, and to debug a store.
//!
//! It opens the stores itself, so the daemon must not be running.

use std::io::{self, Write};
use std::path::Path;

use tantivy::Term;
use tantivy::collector::Count;
use tantivy::query::TermQuery;
use tantivy::schema::IndexRecordOption;

use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::record::FileState;
use crate::store::roots::RootStore;
use crate::store::text::{self, TextIndex};

/// Prints one line per file: path, hash, state, and the numbers of symbols, chunks, occurrences and documents.
pub fn dump(data: &Path, to: &mut impl Write) -> io::Result<()> {
    let roots = RootStore::open(data)?;
    let (ledger, _) = Ledger::open(data).map_err(io::Error::other)?;
    for root in roots.all() {
        let loaded = ledger.load(root.id).map_err(io::Error::other)?;
        let index = TextIndex::open(&text::folder(data, root.id)).map_err(io::Error::other)?;
        let (searcher, fields) = (index.searcher(), index.fields());
        writeln!(
            to,
            "root {} complete {} unfinished {} generations equal {} documents {}",
            root.path,
            loaded.state.complete,
            loaded.unfinished.len(),
            index.generation == Some(loaded.state.generation),
            searcher.num_docs(),
        )?;
        for (path, record) in loaded.files {
            let term = Term::from_field_u64(fields.file, text::file_number(&path));
            let documents =
                searcher.search(&TermQuery::new(term, IndexRecordOption::Basic), &Count);
            let documents = documents.map_err(io::Error::other)?;
            let hash: String = record
                .hash
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let facts = match record.state {
                FileState::Skipped(skip) => format!("skipped {skip:?}"),
                FileState::Indexed(key) => {
                    let outline = ledger
                        .outlines(&[key])
                        .map_err(io::Error::other)?
                        .pop()
                        .flatten();
                    let occurrences = ledger.occurrences(key).ok();
                    match (outline, occurrences) {
                        (Some(outline), Some(occurrences)) => format!(
                            "symbols {} chunks {} occurrences {}",
                            outline.symbols.len(),
                            outline.chunks.len(),
                            occurrences.len()
                        ),
                        _ => "facts missing".to_owned(),
                    }
                }
            };
            writeln!(to, "{path} {hash} {facts} documents {documents}")?;
        }
    }
    Ok(())
}

/// Prints every stored word: the facts, and the terms of the text index.
pub fn words(data: &Path, to: &mut impl Write) -> io::Result<()> {
    let stored = |error: StoreError| io::Error::other(error);
    let roots = RootStore::open(data)?;
    let (ledger, _) = Ledger::open(data).map_err(stored)?;
    for root in roots.all() {
        writeln!(to, "{root:?}")?;
        let loaded = ledger.load(root.id).map_err(stored)?;
        writeln!(to, "{:?}", loaded.state)?;
        for (path, record) in loaded.files {
            writeln!(to, "{path} {record:?}")?;
            if let FileState::Indexed(key) = record.state {
                writeln!(to, "{:?}", ledger.outlines(&[key]).map_err(stored)?)?;
                writeln!(to, "{:?}", ledger.occurrences(key).ok())?;
            }
        }
        let index = TextIndex::open(&text::folder(data, root.id)).map_err(stored)?;
        let fields = index.fields();
        for segment in index.searcher().segment_readers() {
            for field in [fields.body, fields.name, fields.doc] {
                let terms = segment.inverted_index(field).map_err(io::Error::other)?;
                let mut stream = terms.terms().stream()?;
                while stream.advance() {
                    writeln!(to, "{}", String::from_utf8_lossy(stream.key()))?;
                }
            }
        }
    }
    Ok(())
}
