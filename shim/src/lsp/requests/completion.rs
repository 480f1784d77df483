//! Names that may be written at a position. Off unless the user asks for it: a language server of the language knows more.

use claudevil_protocol::editor::{EditorAnswer, EditorQuestion};
use lsp_types::{
    CompletionItem, CompletionList, CompletionParams, CompletionResponse, CompletionTextEdit,
    TextEdit,
};

use super::{ask_at, expect_answer};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

pub async fn completions(
    session: &Session,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, RpcError> {
    if !session.support.completion {
        return Ok(None);
    }
    let at = &params.text_document_position;
    let answer = ask_at(session, at, EditorQuestion::Completions).await?;
    let found = expect_answer!(answer, EditorAnswer::Completions);
    let range = convert::range(found.range);
    let items = (0_u32..)
        .zip(found.names)
        .map(|(place, one)| CompletionItem {
            kind: Some(convert::completion_kind(one.kind)),
            detail: Some(one.signature).filter(|text| !text.is_empty()),
            // Clients sort by this text: the nearest names stay first.
            sort_text: Some(format!("{place:04}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                range,
                one.name.clone(),
            ))),
            label: one.name,
            ..CompletionItem::default()
        });
    Ok(Some(CompletionResponse::List(CompletionList {
        is_incomplete: found.is_incomplete,
        items: items.collect(),
    })))
}
