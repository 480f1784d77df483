//! Finds where a name is defined and used.

use claudevil_protocol::answer::graph::UseRole;
use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, FilePoint};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, ReferenceParams,
};

use super::{ask_at, expect_answer};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

/// Maximum number of references in one message, for a client that accepts partial results.
const LARGEST_PART: usize = 1000;

pub async fn definition(
    session: &Session,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RpcError> {
    go_to(session, &params, EditorQuestion::Definition).await
}

pub async fn declaration(
    session: &Session,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RpcError> {
    go_to(session, &params, EditorQuestion::Declaration).await
}

pub async fn type_definition(
    session: &Session,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RpcError> {
    go_to(session, &params, EditorQuestion::TypeDefinition).await
}

pub async fn implementation(
    session: &Session,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, RpcError> {
    go_to(session, &params, EditorQuestion::Implementations).await
}

async fn go_to(
    session: &Session,
    params: &GotoDefinitionParams,
    question: fn(FilePoint) -> EditorQuestion,
) -> Result<Option<GotoDefinitionResponse>, RpcError> {
    let answer = ask_at(session, &params.text_document_position_params, question).await?;
    let found = expect_answer!(answer, EditorAnswer::Symbols);
    if found.symbols.is_empty() {
        return Ok(None);
    }
    let symbols = found.symbols.iter();
    Ok(Some(if session.support.links {
        let links = symbols.filter_map(|symbol| session.link(found.origin, symbol));
        GotoDefinitionResponse::Link(links.collect())
    } else {
        let locations =
            symbols.filter_map(|symbol| session.location(&symbol.path, symbol.name_range));
        GotoDefinitionResponse::Array(locations.collect())
    }))
}

pub async fn references(
    session: &Session,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, RpcError> {
    let at = &params.text_document_position;
    let answer = ask_at(session, at, EditorQuestion::References).await?;
    let uses = expect_answer!(answer, EditorAnswer::Uses);
    let has_declarations = params.context.include_declaration;
    let listed = uses
        .iter()
        .filter(|one| has_declarations || one.role.is_some())
        .filter_map(|one| session.location(&one.path, one.range));
    let listed: Vec<Location> = listed.collect();
    let token = params.partial_result_params.partial_result_token.as_ref();
    let Some(token) = token.filter(|_| listed.len() > LARGEST_PART) else {
        return Ok(Some(listed));
    };
    for part in listed.chunks(LARGEST_PART) {
        session.send_part(token, part);
    }
    Ok(Some(vec![]))
}

pub async fn highlights(
    session: &Session,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, RpcError> {
    let at = &params.text_document_position_params;
    let answer = ask_at(session, at, EditorQuestion::Highlights).await?;
    let uses = expect_answer!(answer, EditorAnswer::Uses);
    let highlights = uses.iter().map(|one| DocumentHighlight {
        range: convert::range(one.range),
        kind: Some(match one.role {
            None | Some(UseRole::Write) => DocumentHighlightKind::WRITE,
            Some(UseRole::Mention) => DocumentHighlightKind::TEXT,
            Some(_) => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(highlights.collect()))
}
