//! Counts how often the names of a root are mentioned, as an estimate of how much depends on a symbol.

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::index::snapshot::{ConnectionCounts, IndexedFile, Snapshot};
use crate::search::keyword::text_index_error;
use crate::search::lexical::LexicalSearcher;
use crate::threads;

pub struct MentionCounts<'a> {
    snapshot: &'a Snapshot,
    lexical: Option<LexicalSearcher<'a>>,
    cache: HashMap<&'a str, u32>,
}

impl<'a> MentionCounts<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Result<Self, ToolError> {
        let lexical = snapshot
            .text
            .as_ref()
            .map(|view| LexicalSearcher::new(view, snapshot.size()))
            .transpose();
        Ok(Self {
            snapshot,
            lexical: lexical.map_err(|error| text_index_error(&error))?,
            cache: HashMap::new(),
        })
    }

    /// Returns the number of chunks that have a name without defining it, in sixteenths per symbol of that name: mentions of a
    /// name that many symbols share say little about each of them.
    pub fn count(&mut self, name: &'a str) -> u32 {
        let Self {
            snapshot,
            lexical,
            cache,
        } = self;
        *cache.entry(name).or_insert_with(|| {
            let all = lexical
                .as_ref()
                .and_then(|lexical| lexical.count_chunks_with(name).ok())
                .unwrap_or_default();
            let same = snapshot.names().symbols(snapshot, name).count();
            let same = u32::try_from(same).unwrap_or(u32::MAX).max(1);
            all.saturating_sub(same).saturating_mul(16) / same
        })
    }

    /// Returns a weight for each symbol of a file.
    pub fn weights(&mut self, file: &'a IndexedFile) -> Box<[u32]> {
        file.outline
            .symbols
            .iter()
            .map(|symbol| weight(symbol.kind, self.count(&symbol.name)))
            .collect()
    }
}

/// Returns the weight of a symbol. Members of a type often share common names, so their mentions count less.
fn weight(kind: SymbolKind, mentions: u32) -> u32 {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Key => {
            mentions / 4
        }
        SymbolKind::Method | SymbolKind::Constant | SymbolKind::Variable => mentions / 2,
        _ => mentions,
    }
}

/// Returns the weights of all symbols. A large root has hundreds of thousands: they are computed once per snapshot, on all
/// processors.
pub fn all_weights(snapshot: &Snapshot) -> Result<&ConnectionCounts, ToolError> {
    if let Some(weights) = snapshot.connections() {
        return Ok(weights);
    }
    let parts = threads::run_on_all(snapshot.files.len(), |queue| -> Result<Vec<_>, ToolError> {
        let mut counts = MentionCounts::new(snapshot)?;
        let places = std::iter::from_fn(|| queue.take()).flatten();
        Ok(places
            .map(|place| (place, counts.weights(&snapshot.files[place])))
            .collect())
    });
    let mut all: ConnectionCounts = snapshot.files.iter().map(|_| Box::default()).collect();
    for part in parts {
        for (place, weights) in part? {
            all[place] = weights;
        }
    }
    Ok(snapshot.set_connections(all))
}
