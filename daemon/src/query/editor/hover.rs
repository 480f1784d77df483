//! Describes the symbol that a name refers to: signature, documentation, certainty and location.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{EditorAnswer, FilePoint, HoverInfo, HoverSymbol};

use super::view::EditorView;
use crate::graph::SymbolId;

pub fn hover(view: &EditorView<'_>, at: &FilePoint) -> Result<EditorAnswer, ToolError> {
    let Some(found) = view.name(at)? else {
        return Ok(EditorAnswer::Hover(None));
    };
    let name = found.name;
    let symbol = name.symbols.first().map(|at| describe(view, *at));
    if symbol.is_none() && name.local.is_none() {
        return Ok(EditorAnswer::Hover(None));
    }
    Ok(EditorAnswer::Hover(Some(HoverInfo {
        range: found.range,
        symbol,
        candidates: u32::try_from(name.symbols.len()).unwrap_or(u32::MAX),
        resolution: name.resolution,
        reason: name.reason.to_owned(),
        name: name.name,
    })))
}

fn describe(view: &EditorView<'_>, at: SymbolId) -> HoverSymbol {
    let (file, symbol) = (view.graph.file(at.file), view.graph.symbol(at));
    // The documentation is often at a declaration in a header, not at the definition.
    let declarations = view.graph.entities().declarations(at);
    let documented = declarations.iter().map(|one| &*view.graph.symbol(*one).doc);
    let documentation = [&*symbol.doc]
        .into_iter()
        .chain(documented)
        .find(|text| !text.is_empty());
    HoverSymbol {
        qualified: file.qualified(symbol),
        kind: symbol.kind,
        signature: symbol.signature.to_string(),
        documentation: documentation.unwrap_or_default().to_owned(),
        language: file
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        location: format!("{}:{}", file.path, symbol.name_line),
    }
}
