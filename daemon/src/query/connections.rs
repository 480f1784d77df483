//! How often a name is written in a root: what is mentioned most is what most hangs on, as far as names can tell.

use std::collections::HashMap;

use claudevil_protocol::ToolError;

use crate::index::snapshot::{Size, Snapshot};
use crate::search::keyword::internal;
use crate::search::lexical::Lexical;

pub struct Connections<'a> {
    lexical: Option<Lexical<'a>>,
    known: HashMap<&'a str, u32>,
}

impl<'a> Connections<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Result<Self, ToolError> {
        let Size { chunks, symbols } = snapshot.size();
        let lexical = snapshot.text.as_ref().map(|view| Lexical::new(view, chunks, symbols)).transpose();
        Ok(Self { lexical: lexical.map_err(|error| internal(&error))?, known: HashMap::new() })
    }

    /// Chunks that have a name.
    pub fn mentions(&mut self, name: &'a str) -> u32 {
        let mentions = || self.lexical.as_ref().and_then(|lexical| lexical.mentions(name).ok()).unwrap_or_default();
        *self.known.entry(name).or_insert_with(mentions)
    }
}
