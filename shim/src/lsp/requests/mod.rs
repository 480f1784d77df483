//! One function per request: it turns parameters into a question, and the answer into a result.
//!
//! A request about a document that belongs to no project is answered `null`, which is a valid result of every request.

mod completion;
mod hierarchy;
mod hover;
mod navigation;
mod ranges;
mod rename;
mod symbols;
mod tools;

use claudevil_protocol::ToolError;
use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, FilePoint};
use claudevil_protocol::tools::explore::Explore;
use claudevil_protocol::tools::impact_analysis::ImpactAnalysis;
use lsp_types::TextDocumentPositionParams;
use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, Completion,
    DocumentHighlightRequest, DocumentLinkRequest, DocumentSymbolRequest, FoldingRangeRequest,
    GotoDeclaration, GotoDefinition, GotoImplementation, GotoTypeDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request, SelectionRangeRequest, TypeHierarchyPrepare,
    TypeHierarchySubtypes, TypeHierarchySupertypes, WorkspaceSymbolRequest,
};
use serde::Serialize;
use serde_json::Value;

use super::message::parse_params;
use super::message::{JsonText, RpcError};
use super::session::Session;

/// Requests of our own: tools with their parameters, answered as text.
const EXPLORE: &str = "claudevil/explore";
const IMPACT: &str = "claudevil/impact";

/// Answers a request of the client.
pub async fn answer(session: &Session, method: &str, params: Value) -> Result<JsonText, RpcError> {
    macro_rules! answer_by {
        ($($request:ident => $handler:path,)*) => {
            match method {
                $($request::METHOD => {
                    let params = parse_params::<<$request as Request>::Params>(params)?;
                    let result: <$request as Request>::Result = $handler(session, params).await?;
                    to_json(&result)
                })*
                EXPLORE => tools::answer::<Explore>(session, params).await,
                IMPACT => tools::answer::<ImpactAnalysis>(session, params).await,
                other => Err(RpcError::new(
                    RpcError::METHOD_NOT_FOUND,
                    format!("{other} is not supported"),
                )),
            }
        };
    }
    answer_by! {
        GotoDefinition => navigation::definition,
        GotoDeclaration => navigation::declaration,
        GotoTypeDefinition => navigation::type_definition,
        GotoImplementation => navigation::implementation,
        References => navigation::references,
        DocumentHighlightRequest => navigation::highlights,
        HoverRequest => hover::hover,
        Completion => completion::completions,
        DocumentSymbolRequest => symbols::document_symbols,
        WorkspaceSymbolRequest => symbols::workspace_symbols,
        FoldingRangeRequest => ranges::folding_ranges,
        SelectionRangeRequest => ranges::selection_ranges,
        DocumentLinkRequest => ranges::document_links,
        CallHierarchyPrepare => hierarchy::prepare_calls,
        CallHierarchyIncomingCalls => hierarchy::incoming_calls,
        CallHierarchyOutgoingCalls => hierarchy::outgoing_calls,
        TypeHierarchyPrepare => hierarchy::prepare_types,
        TypeHierarchySupertypes => hierarchy::supertypes,
        TypeHierarchySubtypes => hierarchy::subtypes,
        PrepareRenameRequest => rename::prepare_rename,
        Rename => rename::rename,
    }
}

fn to_json(result: &impl Serialize) -> Result<JsonText, RpcError> {
    serde_json::to_string(result)
        .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()))
}

/// Asks about a position. None for a document that belongs to no project.
async fn ask_at(
    session: &Session,
    at: &TextDocumentPositionParams,
    question: fn(FilePoint) -> EditorQuestion,
) -> Result<Option<EditorAnswer>, ToolError> {
    let Some(point) = session.point(at) else {
        return Ok(None);
    };
    let path = point.path.clone();
    session.ask_about(&path, question(point)).await
}

/// Returns the error for an answer that does not fit its question.
fn unexpected() -> RpcError {
    RpcError::new(
        RpcError::INTERNAL,
        "the daemon sent an unexpected kind of answer",
    )
}

/// Takes the expected kind out of an answer, or returns from the function: with `null` where there is none.
macro_rules! expect_answer {
    ($answer:expr, $kind:path) => {
        match $answer {
            None => return Ok(None),
            Some($kind(answer)) => answer,
            Some(_) => return Err($crate::lsp::requests::unexpected()),
        }
    };
}
use expect_answer;
