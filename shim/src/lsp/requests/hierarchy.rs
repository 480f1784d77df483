//! Call and type hierarchies. An item is found again by the position of its name, so that an edit elsewhere does no harm.

use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, EditorSymbol, FilePoint};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams, Uri,
};

use super::{ask_at, expect_answer};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

pub async fn prepare_calls(
    session: &Session,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>, RpcError> {
    let at = &params.text_document_position_params;
    let answer = ask_at(session, at, EditorQuestion::Symbol).await?;
    let found = expect_answer!(answer, EditorAnswer::Symbols);
    // Of any kind: an alias is called to convert a value, and a constant may be a function.
    let items = found.symbols.iter();
    Ok(Some(
        items.filter_map(|one| call_item(session, one)).collect(),
    ))
}

pub async fn incoming_calls(
    session: &Session,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>, RpcError> {
    let question = EditorQuestion::IncomingCalls;
    related_calls(session, &params.item, question, |from, from_ranges| {
        CallHierarchyIncomingCall { from, from_ranges }
    })
    .await
}

pub async fn outgoing_calls(
    session: &Session,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, RpcError> {
    let question = EditorQuestion::OutgoingCalls;
    related_calls(session, &params.item, question, |to, from_ranges| {
        CallHierarchyOutgoingCall { to, from_ranges }
    })
    .await
}

async fn related_calls<T>(
    session: &Session,
    item: &CallHierarchyItem,
    question: fn(FilePoint) -> EditorQuestion,
    call: fn(CallHierarchyItem, Vec<Range>) -> T,
) -> Result<Option<Vec<T>>, RpcError> {
    let answer = ask_item(session, &item.uri, item.selection_range, question).await?;
    let found = expect_answer!(answer, EditorAnswer::Calls);
    let calls = found.iter().filter_map(|one| {
        let ranges = one.calls.iter().copied().map(convert::range);
        Some(call(call_item(session, &one.symbol)?, ranges.collect()))
    });
    Ok(Some(calls.collect()))
}

pub async fn prepare_types(
    session: &Session,
    params: TypeHierarchyPrepareParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RpcError> {
    let at = &params.text_document_position_params;
    let answer = ask_at(session, at, EditorQuestion::Symbol).await?;
    let found = expect_answer!(answer, EditorAnswer::Symbols);
    let types = found.symbols.iter().filter(|one| one.kind.is_type());
    Ok(Some(
        types.filter_map(|one| type_item(session, one)).collect(),
    ))
}

pub async fn supertypes(
    session: &Session,
    params: TypeHierarchySupertypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RpcError> {
    related_types(session, &params.item, EditorQuestion::Supertypes).await
}

pub async fn subtypes(
    session: &Session,
    params: TypeHierarchySubtypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, RpcError> {
    related_types(session, &params.item, EditorQuestion::Subtypes).await
}

async fn related_types(
    session: &Session,
    item: &TypeHierarchyItem,
    question: fn(FilePoint) -> EditorQuestion,
) -> Result<Option<Vec<TypeHierarchyItem>>, RpcError> {
    let answer = ask_item(session, &item.uri, item.selection_range, question).await?;
    let found = expect_answer!(answer, EditorAnswer::Symbols);
    let types = found.symbols.iter();
    Ok(Some(
        types.filter_map(|one| type_item(session, one)).collect(),
    ))
}

async fn ask_item(
    session: &Session,
    uri: &Uri,
    name: Range,
    question: fn(FilePoint) -> EditorQuestion,
) -> Result<Option<EditorAnswer>, RpcError> {
    let Some(path) = session.path(uri) else {
        return Ok(None);
    };
    let point = FilePoint {
        path: path.clone(),
        position: convert::text_position(name.start),
    };
    Ok(session.ask_about(&path, question(point)).await?)
}

/// Defines a function that makes an item of a hierarchy. The protocol has two types with the same fields.
macro_rules! item_from_symbol {
    ($function:ident, $item:ident) => {
        fn $function(session: &Session, symbol: &EditorSymbol) -> Option<$item> {
            Some($item {
                name: symbol.name.clone(),
                kind: convert::symbol_kind(symbol.kind),
                tags: None,
                detail: symbol.container.clone(),
                uri: session.uri(&symbol.path)?,
                range: convert::range(symbol.range),
                selection_range: convert::range(symbol.name_range),
                data: None,
            })
        }
    };
}

item_from_symbol!(call_item, CallHierarchyItem);
item_from_symbol!(type_item, TypeHierarchyItem);
