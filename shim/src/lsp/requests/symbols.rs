//! The symbols of a document, and of all workspace folders.

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, EditorSymbol, OutlineSymbol};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, OneOf, SymbolInformation,
    WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use super::{expect_answer, unexpected};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

#[expect(deprecated, reason = "a field that has to be given")]
pub async fn document_symbols(
    session: &Session,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, RpcError> {
    let uri = params.text_document.uri;
    let Some(path) = session.path(&uri) else {
        return Ok(None);
    };
    let question = EditorQuestion::DocumentSymbols { path: path.clone() };
    let answer = session.ask_about(&path, question).await?;
    let outline = expect_answer!(answer, EditorAnswer::Outline);
    if session.support.nested_symbols {
        return Ok(Some(DocumentSymbolResponse::Nested(nest(outline))));
    }
    let flat = outline.iter().map(|symbol| {
        let parent = symbol.parent.and_then(|at| outline.get(at as usize));
        SymbolInformation {
            name: symbol.name.clone(),
            kind: convert::symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: lsp_types::Location::new(uri.clone(), convert::range(symbol.range)),
            container_name: parent.map(|parent| parent.name.clone()),
        }
    });
    Ok(Some(DocumentSymbolResponse::Flat(flat.collect())))
}

/// Nests symbols in the symbols around them. A parent comes before its children.
#[expect(deprecated, reason = "a field that has to be given")]
fn nest(outline: Vec<OutlineSymbol>) -> Vec<DocumentSymbol> {
    let mut children: Vec<Vec<DocumentSymbol>> = outline.iter().map(|_| vec![]).collect();
    let mut top = vec![];
    for (place, symbol) in outline.into_iter().enumerate().rev() {
        let mut own = std::mem::take(&mut children[place]);
        own.reverse();
        let nested = DocumentSymbol {
            name: symbol.name,
            detail: Some(symbol.signature).filter(|text| !text.is_empty()),
            kind: convert::symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            range: convert::range(symbol.range),
            selection_range: convert::range(symbol.name_range),
            children: Some(own).filter(|own| !own.is_empty()),
        };
        match symbol.parent.map(|parent| parent as usize) {
            Some(parent) if parent < place => children[parent].push(nested),
            _ => top.push(nested),
        }
    }
    top.reverse();
    top
}

/// Finds symbols in every folder. A folder that cannot be asked is left out, unless no folder can. A client that accepts
/// partial results is sent those of a folder before the next one is asked.
pub async fn workspace_symbols(
    session: &Session,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, RpcError> {
    let mut found: Vec<WorkspaceSymbol> = vec![];
    let mut failure: Option<ToolError> = None;
    let mut has_answer = false;
    let token = params.partial_result_params.partial_result_token.as_ref();
    let projects = session.folders().projects();
    for project in projects {
        let query = params.query.clone();
        let answer = session
            .ask(project, EditorQuestion::WorkspaceSymbols { query })
            .await;
        match answer {
            Ok(EditorAnswer::Symbols(answer)) => {
                has_answer = true;
                let symbols = answer.symbols.iter();
                found.extend(symbols.filter_map(|symbol| workspace_symbol(session, symbol)));
                if let Some(token) = token {
                    session.send_part(token, &std::mem::take(&mut found));
                }
            }
            Ok(_) => return Err(unexpected()),
            Err(error) => failure = Some(error),
        }
    }
    if let Some(failure) = failure.filter(|_| !has_answer) {
        return Err(failure.into());
    }
    Ok(Some(WorkspaceSymbolResponse::Nested(found)))
}

fn workspace_symbol(session: &Session, symbol: &EditorSymbol) -> Option<WorkspaceSymbol> {
    Some(WorkspaceSymbol {
        name: symbol.name.clone(),
        kind: convert::symbol_kind(symbol.kind),
        tags: None,
        container_name: symbol.container.clone(),
        location: OneOf::Left(session.location(&symbol.path, symbol.name_range)?),
        data: None,
    })
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::answer::symbol::SymbolKind;
    use claudevil_protocol::editor::TextRange;

    use super::*;

    /// Writes each name with the names inside it: `a(b())`.
    fn names(symbols: &[DocumentSymbol]) -> String {
        let each = symbols.iter().map(|one| {
            let inner = one.children.as_deref().map(names).unwrap_or_default();
            format!("{}({inner})", one.name)
        });
        each.collect()
    }

    #[test]
    fn symbols_are_nested_in_the_order_of_the_text() {
        let symbol = |name: &str, parent: Option<u32>| OutlineSymbol {
            name: name.to_owned(),
            kind: SymbolKind::Function,
            signature: String::new(),
            range: TextRange::default(),
            name_range: TextRange::default(),
            parent,
        };
        let outline = vec![
            symbol("a", None),
            symbol("b", Some(0)),
            symbol("c", Some(1)),
            symbol("d", Some(0)),
            symbol("e", None),
        ];
        assert_eq!(names(&nest(outline)), "a(b(c())d())e()");
    }
}
