//! Ranges of one document: folds, selections and links.

use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, FoldingKind};
use lsp_types::{
    DocumentLink, DocumentLinkParams, FoldingRange, FoldingRangeKind, FoldingRangeParams,
    SelectionRange, SelectionRangeParams,
};

use super::expect_answer;
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

pub async fn folding_ranges(
    session: &Session,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, RpcError> {
    let Some(path) = session.path(&params.text_document.uri) else {
        return Ok(None);
    };
    let question = EditorQuestion::FoldingRanges { path: path.clone() };
    let answer = session.ask_about(&path, question).await?;
    let folds = expect_answer!(answer, EditorAnswer::Folds);
    let folds = folds.iter().map(|fold| FoldingRange {
        start_line: fold.first_line,
        start_character: None,
        end_line: fold.last_line,
        end_character: None,
        kind: (fold.kind == FoldingKind::Imports).then_some(FoldingRangeKind::Imports),
        collapsed_text: None,
    });
    Ok(Some(folds.collect()))
}

pub async fn selection_ranges(
    session: &Session,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, RpcError> {
    let Some(path) = session.path(&params.text_document.uri) else {
        return Ok(None);
    };
    let positions = params.positions.into_iter().map(convert::text_position);
    let question = EditorQuestion::SelectionRanges {
        path: path.clone(),
        positions: positions.collect(),
    };
    let answer = session.ask_about(&path, question).await?;
    let selections = expect_answer!(answer, EditorAnswer::Selections);
    let nested = selections.iter().map(|ranges| {
        let outer = ranges.iter().rev().fold(None, |parent, range| {
            Some(SelectionRange {
                range: convert::range(*range),
                parent: parent.map(Box::new),
            })
        });
        outer.unwrap_or_default()
    });
    Ok(Some(nested.collect()))
}

pub async fn document_links(
    session: &Session,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, RpcError> {
    let Some(path) = session.path(&params.text_document.uri) else {
        return Ok(None);
    };
    let question = EditorQuestion::Links { path: path.clone() };
    let answer = session.ask_about(&path, question).await?;
    let links = expect_answer!(answer, EditorAnswer::Links);
    let links = links.iter().map(|link| DocumentLink {
        range: convert::range(link.range),
        target: session.uri(&link.target),
        tooltip: None,
        data: None,
    });
    Ok(Some(links.collect()))
}
