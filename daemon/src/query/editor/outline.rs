//! Questions about one file: its symbols, its ranges to fold and to select, and the files that it imports.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{
    EditorAnswer, FileLink, FoldingKind, FoldingRange, OutlineSymbol, TextPosition, TextRange,
};

use super::view::EditorView;
use crate::extract::facts::Import;
use crate::graph::SymbolId;

pub fn document_symbols(view: &EditorView<'_>, path: &str) -> Result<EditorAnswer, ToolError> {
    let file = view.file(path)?;
    let symbols = &view.graph.file(file).outline.symbols;
    let outline = (0..).zip(symbols).map(|(place, symbol)| {
        let at = SymbolId {
            file,
            symbol: place,
        };
        let (range, name_range) = view.ranges(at);
        OutlineSymbol {
            name: symbol.name.to_string(),
            kind: symbol.kind,
            signature: symbol.signature.to_string(),
            range,
            name_range,
            parent: symbol.parent,
        }
    });
    Ok(EditorAnswer::Outline(outline.collect()))
}

/// Returns a fold for each symbol of several lines and each block of imports.
pub fn folding_ranges(view: &EditorView<'_>, path: &str) -> Result<EditorAnswer, ToolError> {
    let file = view.file(path)?;
    let outline = &view.graph.file(file).outline;
    let symbols = outline.symbols.iter();
    let mut folds: Vec<FoldingRange> = symbols
        .filter(|symbol| symbol.end_line > symbol.start_line)
        .map(|symbol| FoldingRange {
            first_line: symbol.name_line.max(symbol.start_line) - 1,
            last_line: symbol.end_line - 1,
            kind: FoldingKind::Code,
        })
        .filter(|fold| fold.last_line > fold.first_line)
        .collect();
    let lines = view.lines(file);
    let mut block: Option<(u32, u32)> = None;
    for line in outline
        .imports
        .iter()
        .map(|import| import.line.saturating_sub(1))
    {
        let is_next = |last: u32| {
            (last + 1..line).all(|line| lines.line(line).is_some_and(|text| text.trim().is_empty()))
        };
        block = match block {
            Some((first, last)) if line >= last && is_next(last) => Some((first, line)),
            earlier => {
                folds.extend(earlier.and_then(import_fold));
                Some((line, line))
            }
        };
    }
    folds.extend(block.and_then(import_fold));
    folds.sort_by_key(|fold| (fold.first_line, fold.last_line));
    folds.dedup();
    Ok(EditorAnswer::Folds(folds))
}

fn import_fold((first_line, last_line): (u32, u32)) -> Option<FoldingRange> {
    (last_line > first_line).then_some(FoldingRange {
        first_line,
        last_line,
        kind: FoldingKind::Imports,
    })
}

/// Returns the nested ranges around each position: the word, its line, the enclosing symbols, and the whole file.
pub fn selection_ranges(
    view: &EditorView<'_>,
    path: &str,
    positions: &[TextPosition],
) -> Result<EditorAnswer, ToolError> {
    let file = view.file(path)?;
    let lines = view.lines(file);
    let whole = TextRange {
        start: TextPosition::default(),
        end: lines.end(view.unit),
    };
    let symbols = &view.graph.file(file).outline.symbols;
    let around = |position: TextPosition| {
        let word = word_range(view, file, position);
        let line = line_range(view, file, position.line);
        let symbols = (0..u32::try_from(symbols.len()).unwrap_or(u32::MAX))
            .map(|symbol| view.ranges(SymbolId { file, symbol }).0);
        let mut all: Vec<TextRange> = [word, line].into_iter().flatten().collect();
        all.extend(symbols);
        all.push(whole);
        let point = TextRange {
            start: position,
            end: position,
        };
        all.retain(|range| contains(*range, point));
        all.sort_by_key(|range| (std::cmp::Reverse(range.start), range.end));
        // Each range has to contain the one before it.
        let mut nested: Vec<TextRange> = vec![];
        for range in all {
            if nested
                .last()
                .is_none_or(|inner| *inner != range && contains(range, *inner))
            {
                nested.push(range);
            }
        }
        nested
    };
    let selections = positions.iter().map(|position| around(*position));
    Ok(EditorAnswer::Selections(selections.collect()))
}

fn contains(outer: TextRange, inner: TextRange) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the word at a position.
fn word_range(view: &EditorView<'_>, file: u32, position: TextPosition) -> Option<TextRange> {
    let lines = view.lines(file);
    let text = lines.line(position.line)?;
    let byte = view.unit.byte(text, position.column);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text[..byte].trim_end_matches(is_word).len();
    let after = text.len() - text[byte..].trim_start_matches(is_word).len();
    let column = |byte| TextPosition {
        line: position.line,
        column: view.unit.column(text, byte),
    };
    (before < after).then(|| TextRange {
        start: column(before),
        end: column(after),
    })
}

/// Returns the range of a line, counted from 0, without its indentation.
pub fn line_range(view: &EditorView<'_>, file: u32, line: u32) -> Option<TextRange> {
    let lines = view.lines(file);
    let text = lines.line(line)?;
    let indentation = text.len() - text.trim_start().len();
    Some(TextRange {
        start: TextPosition {
            line,
            column: view.unit.column(text, indentation),
        },
        end: lines.line_end(view.unit, line),
    })
}

/// Links the module paths of imports that lead to exactly one file.
pub fn links(view: &EditorView<'_>, path: &str) -> Result<EditorAnswer, ToolError> {
    let file = view.file(path)?;
    let mut links: Vec<FileLink> = vec![];
    for import in &view.graph.file(file).outline.imports {
        view.context.cancel.check()?;
        let targets = view.graph.dependencies().files_imported_by(file, import);
        let ([target], Some(range)) = (&targets[..], module_range(view, file, import)) else {
            continue;
        };
        // An import of several names has its module path once.
        if *target != file && !links.iter().any(|link| link.range == range) {
            links.push(FileLink {
                range,
                target: view.path(*target),
            });
        }
    }
    Ok(EditorAnswer::Links(links))
}

/// Returns the range of a module path on the line of its import: `./store` in `import { a } from "./store"`.
fn module_range(view: &EditorView<'_>, file: u32, import: &Import) -> Option<TextRange> {
    let line = import.line.checked_sub(1)?;
    let lines = view.lines(file);
    let start = lines.line(line)?.find(&*import.module)?;
    let position = |byte: usize| {
        let column = u32::try_from(byte).ok()?;
        Some(lines.position_in_text(view.unit, import.line, column))
    };
    let end = start + import.module.len();
    let is_written = !import.module.is_empty();
    is_written.then_some(TextRange {
        start: position(start)?,
        end: position(end)?,
    })
}
