//! The documents that the client has open, and which of them the daemon has in their present state.

use std::collections::BTreeMap;

use claudevil_protocol::editor::ColumnUnit;
use lsp_types::TextDocumentContentChangeEvent;

use super::buffer::Buffer;
use super::convert;

/// Open documents, by the real path of the file. Documents without one, such as `untitled:1`, are not kept.
#[derive(Default)]
pub struct Documents {
    open: BTreeMap<String, Document>,
    /// Closed since the daemon was told.
    closed: Vec<String>,
}

struct Document {
    buffer: Buffer,
    state: DaemonState,
}

/// The daemon's knowledge of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DaemonState {
    Outdated,
    Current,
}

/// A document that the daemon has to be told about.
#[derive(Debug, PartialEq, Eq)]
pub struct PendingDocument {
    pub path: String,
    /// None once it is closed.
    pub text: Option<String>,
}

impl Documents {
    pub fn open(&mut self, path: String, text: String) {
        self.closed.retain(|closed| *closed != path);
        let document = Document {
            buffer: Buffer::new(text),
            state: DaemonState::Outdated,
        };
        self.open.insert(path, document);
    }

    /// Applies edits in their order. Edits of a document that is not open are ignored.
    pub fn change(
        &mut self,
        path: &str,
        unit: ColumnUnit,
        edits: &[TextDocumentContentChangeEvent],
    ) {
        let Some(document) = self.open.get_mut(path) else {
            return;
        };
        for edit in edits {
            let range = edit.range.map(convert::text_range);
            document.buffer.edit(unit, range, &edit.text);
        }
        document.state = DaemonState::Outdated;
    }

    pub fn close(&mut self, path: &str) {
        if self.open.remove(path).is_some() {
            self.closed.push(path.to_owned());
        }
    }

    /// Takes a document that the daemon does not have in its present state.
    pub fn next_pending(&mut self) -> Option<PendingDocument> {
        if let Some(path) = self.closed.pop() {
            return Some(PendingDocument { path, text: None });
        }
        let mut open = self.open.iter_mut();
        let (path, document) = open.find(|(_, one)| one.state == DaemonState::Outdated)?;
        document.state = DaemonState::Current;
        Some(PendingDocument {
            path: path.clone(),
            text: Some(document.buffer.text().to_owned()),
        })
    }

    /// Marks every open document as one that the daemon does not have.
    pub fn forget_daemon(&mut self) {
        self.closed.clear();
        for document in self.open.values_mut() {
            document.state = DaemonState::Outdated;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_daemon_is_told_of_each_state_once() {
        let pending = |path: &str, text: Option<&str>| {
            Some(PendingDocument {
                path: path.to_owned(),
                text: text.map(str::to_owned),
            })
        };
        let mut documents = Documents::default();
        documents.open("/a".to_owned(), "one".to_owned());
        assert_eq!(documents.next_pending(), pending("/a", Some("one")));
        assert_eq!(documents.next_pending(), None);
        let whole = TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: "two".to_owned(),
        };
        documents.change("/a", ColumnUnit::Utf16, std::slice::from_ref(&whole));
        documents.change("/b", ColumnUnit::Utf16, &[whole]);
        assert_eq!(documents.next_pending(), pending("/a", Some("two")));
        documents.forget_daemon();
        assert_eq!(documents.next_pending(), pending("/a", Some("two")));
        documents.close("/a");
        documents.close("/b");
        assert_eq!(documents.next_pending(), pending("/a", None));
        assert_eq!(documents.next_pending(), None);
    }
}
