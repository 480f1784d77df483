//! Renames: the client applies the edits, and its user confirms places that may mean something else.

use std::collections::HashMap;

use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, RenameEdit, RenameEdits};
use lsp_types::{
    AnnotatedTextEdit, ChangeAnnotation, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse, RenameFile, RenameParams,
    ResourceOp, TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};

use super::{ask_at, expect_answer};
use crate::lsp::convert;
use crate::lsp::message::RpcError;
use crate::lsp::session::Session;

/// The doubtful places that an error names at most.
const PLACES_SHOWN: usize = 10;

pub async fn prepare_rename(
    session: &Session,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, RpcError> {
    let answer = ask_at(session, &params, EditorQuestion::RenameRange).await?;
    let found = expect_answer!(answer, EditorAnswer::RenameRange);
    Ok(
        found.map(|found| PrepareRenameResponse::RangeWithPlaceholder {
            range: convert::range(found.range),
            placeholder: found.name,
        }),
    )
}

pub async fn rename(
    session: &Session,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, RpcError> {
    let Some(at) = session.point(&params.text_document_position) else {
        return Ok(None);
    };
    let path = at.path.clone();
    let question = EditorQuestion::Rename {
        at,
        new_name: params.new_name,
    };
    let answer = session.ask_about(&path, question).await?;
    let edits = expect_answer!(answer, EditorAnswer::Rename);
    refuse(session, &edits)?;
    Ok(Some(if session.support.document_changes {
        annotated(session, &edits)
    } else {
        plain(session, &edits)
    }))
}

/// Refuses edits that this client cannot apply: doubtful places that it cannot ask about, files that it cannot move.
fn refuse(session: &Session, edits: &RenameEdits) -> Result<(), RpcError> {
    let doubtful = edits.edits.iter().filter_map(|edit| {
        let doubt = edit.doubt.as_ref()?;
        Some(format!(
            "{}:{} ({doubt})",
            edit.path,
            edit.range.start.line + 1
        ))
    });
    let doubtful: Vec<String> = doubtful.collect();
    let can_ask = session.support.document_changes && session.support.change_annotations;
    if !doubtful.is_empty() && !can_ask {
        let shown = &doubtful[..doubtful.len().min(PLACES_SHOWN)];
        let message = format!(
            "{} places may mean something else, and this editor cannot ask about them: {}. \
             `claudevil rename` does",
            doubtful.len(),
            shown.join(", ")
        );
        return Err(RpcError::new(RpcError::REQUEST_FAILED, message));
    }
    let can_move = session.support.document_changes && session.support.renames_files;
    if let Some((from, _)) = edits.file_move.as_ref().filter(|_| !can_move) {
        let message = format!(
            "{from} has to be renamed too, which this editor cannot do. `claudevil rename` does"
        );
        return Err(RpcError::new(RpcError::REQUEST_FAILED, message));
    }
    Ok(())
}

/// Makes the edits of each file, for a client without annotations.
#[expect(
    clippy::mutable_key_type,
    reason = "the type of the protocol's crate; addresses are not changed"
)]
fn plain(session: &Session, edits: &RenameEdits) -> WorkspaceEdit {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in &edits.edits {
        if let Some(uri) = session.uri(&edit.path) {
            changes.entry(uri).or_default().push(text_edit(edit));
        }
    }
    WorkspaceEdit::new(changes)
}

fn text_edit(edit: &RenameEdit) -> TextEdit {
    TextEdit::new(convert::range(edit.range), edit.new_text.clone())
}

/// Makes the edits of each file, with an annotation for each reason to doubt.
fn annotated(session: &Session, edits: &RenameEdits) -> WorkspaceEdit {
    let mut annotations: HashMap<String, ChangeAnnotation> = HashMap::new();
    let mut operations: Vec<DocumentChangeOperation> = vec![];
    for of_file in edits.edits.chunk_by(|one, other| one.path == other.path) {
        let Some(uri) = session.uri(&of_file[0].path) else {
            continue;
        };
        let edits = of_file.iter().map(|edit| match &edit.doubt {
            None => OneOf::Left(text_edit(edit)),
            Some(doubt) => {
                let annotation = ChangeAnnotation {
                    label: format!("May mean something else: {doubt}"),
                    needs_confirmation: Some(true),
                    description: None,
                };
                annotations.insert(doubt.clone(), annotation);
                OneOf::Right(AnnotatedTextEdit {
                    text_edit: text_edit(edit),
                    annotation_id: doubt.clone(),
                })
            }
        });
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
            edits: edits.collect(),
        }));
    }
    let moved = edits.file_move.as_ref();
    let moved = moved.and_then(|(from, to)| {
        Some(RenameFile {
            old_uri: session.uri(from)?,
            new_uri: session.uri(to)?,
            options: None,
            annotation_id: None,
        })
    });
    operations.extend(moved.map(|moved| DocumentChangeOperation::Op(ResourceOp::Rename(moved))));
    WorkspaceEdit {
        changes: None,
        document_changes: Some(DocumentChanges::Operations(operations)),
        change_annotations: (!annotations.is_empty()).then_some(annotations),
    }
}
