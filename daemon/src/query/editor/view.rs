//! The root that an editor's question is about: its graph, including unsaved texts, and positions in the client's column unit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{ColumnUnit, EditorSymbol, FilePoint, TextRange};

use super::source_lines::SourceLines;
use crate::graph::{Graph, SymbolId};
use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::name_at::{NameAt, name_at};
use crate::search::text_cache::TextCache;

pub struct EditorView<'a> {
    pub context: &'a Context<'a>,
    pub root: &'a GraphRoot<'a>,
    pub graph: &'a Graph<'a>,
    pub unit: ColumnUnit,
    texts: TextCache<'a>,
    /// By file number.
    lines: RefCell<HashMap<u32, Rc<SourceLines>>>,
}

/// A name at a position of a file.
pub struct NameInFile {
    pub file: u32,
    pub range: TextRange,
    pub name: NameAt,
}

impl<'a> EditorView<'a> {
    pub fn new(
        context: &'a Context<'a>,
        root: &'a GraphRoot<'a>,
        graph: &'a Graph<'a>,
        unit: ColumnUnit,
    ) -> Self {
        Self {
            context,
            root,
            graph,
            unit,
            texts: root.texts(),
            lines: RefCell::default(),
        }
    }

    /// Returns the number of a file by its absolute path.
    pub fn file(&self, path: &str) -> Result<u32, ToolError> {
        let path = self.root.indexed.path(Some(path))?;
        self.graph
            .file_number(&path)
            .ok_or_else(|| self.root.indexed.not_indexed(&path))
    }

    /// Returns the absolute path of a file.
    pub fn path(&self, file: u32) -> String {
        format!(
            "{}/{}",
            self.root.indexed.root.path,
            self.graph.file(file).path
        )
    }

    pub fn lines(&self, file: u32) -> Rc<SourceLines> {
        let mut lines = self.lines.borrow_mut();
        let known = lines
            .entry(file)
            .or_insert_with(|| Rc::new(SourceLines::new(self.texts.file(file as usize))));
        Rc::clone(known)
    }

    /// Returns the name at a position, if there is one.
    pub fn name(&self, at: &FilePoint) -> Result<Option<NameInFile>, ToolError> {
        let file = self.file(&at.path)?;
        let position = self.lines(file).to_facts(self.unit, at.position);
        Ok(name_at(self.graph, file, position).map(|name| NameInFile {
            file,
            range: self.word(file, name.start, &name.name),
            name,
        }))
    }

    /// Returns the range of a word at a line and column of facts.
    pub fn word(&self, file: u32, (line, column): (u32, u32), word: &str) -> TextRange {
        let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
        let lines = self.lines(file);
        TextRange {
            start: lines.position(self.unit, line, column),
            end: lines.position(self.unit, line, column.saturating_add(length)),
        }
    }

    /// Returns the range of a symbol's name.
    pub fn name_range(&self, at: SymbolId) -> TextRange {
        let symbol = self.graph.symbol(at);
        self.word(
            at.file,
            (symbol.name_line, symbol.name_column),
            &symbol.name,
        )
    }

    /// Returns the range of a whole symbol, and that of its name.
    pub fn ranges(&self, at: SymbolId) -> (TextRange, TextRange) {
        let symbol = self.graph.symbol(at);
        let lines = self.lines(at.file);
        let name = self.name_range(at);
        let range = TextRange {
            start: lines.position_of_byte(self.unit, symbol.start_byte),
            end: lines.position_of_byte(self.unit, symbol.end_byte),
        };
        // Clients reject a name range outside the range of its symbol.
        let range = TextRange {
            start: range.start.min(name.start),
            end: range.end.max(name.end),
        };
        (range, name)
    }

    pub fn symbol(&self, at: SymbolId) -> EditorSymbol {
        let (file, symbol) = (self.graph.file(at.file), self.graph.symbol(at));
        let (range, name_range) = self.ranges(at);
        EditorSymbol {
            name: symbol.name.to_string(),
            container: file.containers(symbol).next().map(str::to_owned),
            kind: symbol.kind,
            signature: symbol.signature.to_string(),
            path: self.path(at.file),
            range,
            name_range,
        }
    }
}
