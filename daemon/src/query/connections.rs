//! How often a name is written in a root: what is mentioned most is what most hangs on, as far as names can tell.

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::index::snapshot::{IndexedFile, Snapshot, Weights};
use crate::search::keyword::text_index_error;
use crate::search::lexical::LexicalSearcher;
use crate::threads;

pub struct Connections<'a> {
    snapshot: &'a Snapshot,
    lexical: Option<LexicalSearcher<'a>>,
    known: HashMap<&'a str, u32>,
}

impl<'a> Connections<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Result<Self, ToolError> {
        let lexical = snapshot
            .text
            .as_ref()
            .map(|view| LexicalSearcher::new(view, snapshot.size()))
            .transpose();
        Ok(Self {
            snapshot,
            lexical: lexical.map_err(|error| text_index_error(&error))?,
            known: HashMap::new(),
        })
    }

    /// Chunks that have a name without defining it, for each thing that has the name, in sixteenths: that a name is
    /// written often says little of one of many.
    pub fn mentions(&mut self, name: &'a str) -> u32 {
        let Self {
            snapshot,
            lexical,
            known,
        } = self;
        *known.entry(name).or_insert_with(|| {
            let all = lexical
                .as_ref()
                .and_then(|lexical| lexical.count_chunks_with(name).ok())
                .unwrap_or_default();
            let same = snapshot.names().symbols(snapshot, name).count();
            let same = u32::try_from(same).unwrap_or(u32::MAX).max(1);
            all.saturating_sub(same).saturating_mul(16) / same
        })
    }

    /// How connected each symbol of a file is.
    pub fn weights(&mut self, file: &'a IndexedFile) -> Box<[u32]> {
        file.outline
            .symbols
            .iter()
            .map(|symbol| weight(symbol.kind, self.mentions(&symbol.name)))
            .collect()
    }
}

/// Parts of a type share common names; the type itself says more.
fn weight(kind: SymbolKind, mentions: u32) -> u32 {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant | SymbolKind::Key => {
            mentions / 4
        }
        SymbolKind::Method | SymbolKind::Constant | SymbolKind::Variable => mentions / 2,
        _ => mentions,
    }
}

/// Of every file. A large root has hundreds of thousands of symbols: they are weighed once, on all processors.
pub fn weights_of_all(snapshot: &Snapshot) -> Result<&Weights, ToolError> {
    if let Some(known) = snapshot.weights() {
        return Ok(known);
    }
    let parts = threads::on_all(snapshot.files.len(), |queue| -> Result<Vec<_>, ToolError> {
        let mut connections = Connections::new(snapshot)?;
        let places = std::iter::from_fn(|| queue.take()).flatten();
        Ok(places
            .map(|place| (place, connections.weights(&snapshot.files[place])))
            .collect())
    });
    let mut all: Weights = snapshot.files.iter().map(|_| Box::default()).collect();
    for part in parts {
        for (place, weights) in part? {
            all[place] = weights;
        }
    }
    Ok(snapshot.note_weights(all))
}
