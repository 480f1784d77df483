//! Capabilities of the client, and of this server.

use claudevil_protocol::editor::ColumnUnit;
use claudevil_protocol::version;
use lsp_types::{InitializeParams, PositionEncodingKind};
use serde_json::{Value, json};

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of the client"
)]
pub struct ClientSupport {
    pub unit: ColumnUnit,
    /// Definitions may come with the range of the whole symbol.
    pub links: bool,
    /// The symbols of a document may be nested.
    pub nested_symbols: bool,
    pub markdown_hover: bool,
    /// Progress may be shown without a request.
    pub progress: bool,
    /// Edits of a workspace may be in versions of documents, and have annotations.
    pub document_changes: bool,
    pub change_annotations: bool,
    pub renames_files: bool,
    /// The user wants names to be completed: `{"completion": true}` in the initialization options.
    pub completion: bool,
}

impl ClientSupport {
    pub fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let options = params.initialization_options.as_ref();
        let document = capabilities.text_document.as_ref();
        let edit = capabilities
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.workspace_edit.as_ref());
        let encodings = capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_deref());
        let hover = document.and_then(|document| document.hover.as_ref());
        let formats = hover.and_then(|hover| hover.content_format.as_ref());
        Self {
            unit: choose_unit(encodings.unwrap_or_default()),
            links: document
                .and_then(|document| document.definition.as_ref()?.link_support)
                .unwrap_or(false),
            nested_symbols: document
                .and_then(|document| {
                    document
                        .document_symbol
                        .as_ref()?
                        .hierarchical_document_symbol_support
                })
                .unwrap_or(false),
            markdown_hover: formats
                .is_some_and(|formats| formats.contains(&lsp_types::MarkupKind::Markdown)),
            progress: capabilities
                .window
                .as_ref()
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            document_changes: edit.and_then(|edit| edit.document_changes).unwrap_or(false),
            change_annotations: edit.is_some_and(|edit| edit.change_annotation_support.is_some()),
            renames_files: edit
                .and_then(|edit| edit.resource_operations.as_ref())
                .is_some_and(|kinds| kinds.contains(&lsp_types::ResourceOperationKind::Rename)),
            completion: options.is_some_and(|options| options["completion"] == true),
        }
    }
}

/// Chooses UTF-8 if the client has it, or else its first encoding that is known. UTF-16, which every client has, is the
/// default.
fn choose_unit(encodings: &[PositionEncodingKind]) -> ColumnUnit {
    let unit = |kind: &PositionEncodingKind| {
        [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32]
            .into_iter()
            .find(|unit| encoding_name(*unit) == kind.as_str())
    };
    // UTF-8 needs no conversion.
    let utf8 = encodings
        .iter()
        .filter_map(unit)
        .find(|unit| *unit == ColumnUnit::Utf8);
    utf8.or_else(|| encodings.iter().find_map(unit))
        .unwrap_or_default()
}

fn encoding_name(unit: ColumnUnit) -> &'static str {
    match unit {
        ColumnUnit::Utf8 => "utf-8",
        ColumnUnit::Utf16 => "utf-16",
        ColumnUnit::Utf32 => "utf-32",
    }
}

/// Returns the answer to `initialize`.
pub fn initialize_result(support: &ClientSupport) -> Value {
    const INCREMENTAL: u32 = 2;
    let completion = json!({ "triggerCharacters": [".", ":", ">"], "resolveProvider": false });
    json!({
        "serverInfo": { "name": "claudevil", "version": version::BUILD },
        "capabilities": {
            "positionEncoding": encoding_name(support.unit),
            "textDocumentSync": { "openClose": true, "change": INCREMENTAL, "save": false },
            "definitionProvider": true,
            "declarationProvider": true,
            "typeDefinitionProvider": true,
            "implementationProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "hoverProvider": true,
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "documentLinkProvider": { "resolveProvider": false },
            "callHierarchyProvider": true,
            "typeHierarchyProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": support.completion.then_some(completion),
            "workspace": {
                "workspaceFolders": { "supported": true, "changeNotifications": true },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_one_of_the_clients() {
        let kind = |name: &str| PositionEncodingKind::from(name.to_owned());
        let chosen =
            |names: &[&str]| choose_unit(&names.iter().map(|name| kind(name)).collect::<Vec<_>>());
        assert_eq!(chosen(&[]), ColumnUnit::Utf16);
        assert_eq!(chosen(&["utf-16", "utf-8"]), ColumnUnit::Utf8);
        assert_eq!(chosen(&["utf-7", "utf-32", "utf-16"]), ColumnUnit::Utf32);
        assert_eq!(chosen(&["utf-7"]), ColumnUnit::Utf16);
    }
}
