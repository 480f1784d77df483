//! Symbols, tests and lines as results describe them.

use std::rc::Rc;

use claudevil_protocol::answer::graph::{Excerpt, SymbolInfo};
use claudevil_protocol::answer::symbol::SymbolKind;

use crate::extract::redact;
use crate::graph::reaching_tests::{ReachingTest, TestBody};
use crate::graph::{Graph, SymbolId};
use crate::search::text_cache::{FileText, TextCache};
use crate::secrets;

/// The note of an answer whose search for tests was cut short.
pub const TESTS_CUT: &str = "the search for tests was cut short; some may be missing";

pub fn describe_symbol(graph: &Graph<'_>, at: SymbolId) -> SymbolInfo {
    let (file, symbol) = (graph.file(at.file), graph.symbol(at));
    SymbolInfo {
        name: symbol.name.to_string(),
        qualified: file.qualified(symbol),
        kind: symbol.kind,
        path: file.path.clone(),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        line: symbol.name_line,
        signature: symbol.signature.to_string(),
        visibility: symbol.visibility,
        language: file
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        is_test: graph.tests().is_test(at),
    }
}

/// Describes a test by its symbol, its title, or the first line at the top level of its file. Titles come from the text
/// itself, so secrets are blanked.
pub fn describe_test(graph: &Graph<'_>, test: &ReachingTest) -> SymbolInfo {
    match &test.body {
        TestBody::Symbol(at) => describe_symbol(graph, *at),
        TestBody::TopLevel(line) => describe_line(graph, test.file, *line),
        TestBody::Block(block) => {
            let title = redact(&block.title, &secrets::find(&block.title)).into_owned();
            SymbolInfo {
                name: title.clone(),
                qualified: title,
                kind: SymbolKind::Function,
                ..describe_line(graph, test.file, block.line)
            }
        }
    }
}

/// Describes a line outside all symbols by its file.
pub fn describe_line(graph: &Graph<'_>, file: u32, line: u32) -> SymbolInfo {
    let indexed = graph.file(file);
    let name = indexed
        .path
        .rsplit('/')
        .next()
        .unwrap_or(&indexed.path)
        .to_owned();
    SymbolInfo {
        qualified: name.clone(),
        name,
        kind: SymbolKind::Module,
        path: indexed.path.clone(),
        start_line: line,
        end_line: line,
        line,
        signature: String::new(),
        visibility: None,
        language: indexed
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        is_test: graph.tests().is_test_file(file),
    }
}

/// Reads the whole text of a symbol, if its file still has it.
pub fn read_source(graph: &Graph<'_>, texts: &TextCache<'_>, at: SymbolId) -> Option<Excerpt> {
    let symbol = graph.symbol(at);
    let text: Rc<FileText> = texts.file(at.file as usize)?;
    let lines: Vec<&str> = text
        .lines(symbol.start_line, symbol.end_line)
        .map(|(_, line)| line)
        .collect();
    (!lines.is_empty()).then(|| Excerpt::whole(symbol.start_line, lines))
}
