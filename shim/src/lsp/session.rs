//! The parts that all requests of a session share: the daemon, the documents, the folders, and the way to the client.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use claudevil_protocol::call::Project;
use claudevil_protocol::client::{CallOptions, Client};
use claudevil_protocol::editor::{
    BufferAction, BufferChange, BufferState, ColumnUnit, EditorAnswer, EditorQuestion,
    EditorRequest, EditorSymbol, FilePoint, LARGEST_PART, TextRange,
};
use claudevil_protocol::{ErrorCode, ToolError};
use lsp_types::{
    Location, LocationLink, MessageType, ProgressToken, TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::capabilities::ClientSupport;
use super::convert;
use super::documents::{Documents, PendingDocument};
use super::folders::Folders;
use super::message::{self, JsonText};

/// The number of attempts at a question whose texts the daemon does not have: it may be restarted meanwhile.
const ATTEMPTS: usize = 3;

pub struct Session {
    pub client: Client,
    pub support: ClientSupport,
    documents: Mutex<Documents>,
    folders: Mutex<Folders>,
    /// The state of the texts that the daemon has. Held while they are sent, so that they are sent in order.
    revision: tokio::sync::Mutex<TextRevision>,
    outgoing: UnboundedSender<JsonText>,
    requests: AtomicU64,
}

/// The daemon's state of the session's texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextRevision {
    /// Nothing has been sent, or the daemon is another one.
    Unknown {
        last: u64,
    },
    Sent(u64),
}

impl TextRevision {
    fn last(self) -> u64 {
        match self {
            Self::Unknown { last } | Self::Sent(last) => last,
        }
    }
}

impl Session {
    pub fn new(
        client: Client,
        support: ClientSupport,
        folders: Folders,
        outgoing: UnboundedSender<JsonText>,
    ) -> Self {
        Self {
            client,
            support,
            documents: Mutex::default(),
            folders: Mutex::new(folders),
            revision: tokio::sync::Mutex::new(TextRevision::Unknown { last: 0 }),
            outgoing,
            requests: AtomicU64::new(0),
        }
    }

    pub fn unit(&self) -> ColumnUnit {
        self.support.unit
    }

    pub fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the real path of a document. None for one that is no file.
    pub fn path(&self, uri: &Uri) -> Option<String> {
        self.folders().real_path(uri.as_str())
    }

    pub fn uri(&self, path: &str) -> Option<Uri> {
        Uri::from_str(&self.folders().uri(path)).ok()
    }

    /// Returns the file and position of a request. None for a document that is no file.
    pub fn point(&self, at: &TextDocumentPositionParams) -> Option<FilePoint> {
        Some(FilePoint {
            path: self.path(&at.text_document.uri)?,
            position: convert::text_position(at.position),
        })
    }

    pub fn location(&self, path: &str, at: TextRange) -> Option<Location> {
        Some(Location::new(self.uri(path)?, convert::range(at)))
    }

    pub fn link(&self, origin: Option<TextRange>, symbol: &EditorSymbol) -> Option<LocationLink> {
        Some(LocationLink {
            origin_selection_range: origin.map(convert::range),
            target_uri: self.uri(&symbol.path)?,
            target_range: convert::range(symbol.range),
            target_selection_range: convert::range(symbol.name_range),
        })
    }

    /// Asks about a file. None for one that belongs to no project, or is not indexed.
    pub async fn ask_about(
        &self,
        path: &str,
        question: EditorQuestion,
    ) -> Result<Option<EditorAnswer>, ToolError> {
        let Some(project) = self.folders().project(path) else {
            return Ok(None);
        };
        match self.ask(project, question).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if is_not_served(error.code) => {
                self.log(MessageType::LOG, &error.text());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks about a project, over the present state of all open documents.
    pub async fn ask(
        &self,
        project: Project,
        question: EditorQuestion,
    ) -> Result<EditorAnswer, ToolError> {
        let mut request = EditorRequest {
            unit: self.unit(),
            revision: 0,
            question,
        };
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match self.send_documents().await {
                Ok(revision) => request.revision = revision,
                Err(error) if self.forgets(&error).await => {
                    last = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
            }
            let options = CallOptions {
                project: Some(project.clone()),
                progress: None,
            };
            match self.client.ask_editor(options, &request).await {
                Err(error) if self.forgets(&error).await => last = Some(error),
                answer => return answer,
            }
        }
        Err(last.unwrap_or_else(|| ToolError::new(ErrorCode::Stale, "the daemon is restarting")))
    }

    /// Forgets what the daemon has, if an error shows that its texts differ. A daemon that went away has none.
    async fn forgets(&self, error: &ToolError) -> bool {
        let is_lost = matches!(error.code, ErrorCode::Stale | ErrorCode::DaemonUnreachable);
        if is_lost {
            let mut revision = self.revision.lock().await;
            let last = revision.last();
            *revision = TextRevision::Unknown { last };
        }
        is_lost
    }

    /// Sends the documents that have changed. Returns the state of the daemon's texts.
    async fn send_documents(&self) -> Result<u64, ToolError> {
        let mut revision = self.revision.lock().await;
        if matches!(*revision, TextRevision::Unknown { .. }) {
            self.documents().forget_daemon();
            let change = BufferChange {
                base: 0,
                revision: revision.last() + 1,
                action: BufferAction::Reset,
            };
            self.client.change_buffer(&change).await?;
            *revision = TextRevision::Sent(change.revision);
        }
        loop {
            let Some(pending) = self.documents().next_pending() else {
                return Ok(revision.last());
            };
            let base = revision.last();
            // Until the document has arrived, the daemon's texts are unknown.
            *revision = TextRevision::Unknown { last: base + 1 };
            self.send_document(base, pending).await?;
            *revision = TextRevision::Sent(base + 1);
        }
    }

    async fn send_document(&self, base: u64, pending: PendingDocument) -> Result<(), ToolError> {
        let change = |action| BufferChange {
            base,
            revision: base + 1,
            action,
        };
        let PendingDocument { path, text } = pending;
        let Some(text) = text else {
            let change = change(BufferAction::Close { path });
            return self.client.change_buffer(&change).await.map(drop);
        };
        let mut start = 0;
        loop {
            let end = text.floor_char_boundary(start + LARGEST_PART);
            let change = change(BufferAction::Text {
                path: path.clone(),
                start: start as u64,
                part: text[start..end].to_owned(),
                total: text.len() as u64,
            });
            let state = self.client.change_buffer(&change).await?;
            if state == BufferState::TooLarge {
                let message = format!(
                    "{path} is too large to be indexed while it is edited: answers about it come from the saved file"
                );
                self.log(MessageType::WARNING, &message);
                return Ok(());
            }
            if end == text.len() {
                return Ok(());
            }
            start = end;
        }
    }

    /// Writes a line into the client's log.
    pub fn log(&self, kind: MessageType, message: &str) {
        self.notify(
            "window/logMessage",
            &json!({ "type": kind, "message": message }),
        );
    }

    pub fn notify(&self, method: &str, params: &Value) {
        self.send(message::notification(method, params));
    }

    /// Sends a partial result, to a client that accepts these. The final answer does not repeat it.
    pub fn send_part<T: Serialize>(&self, token: &ProgressToken, part: &[T]) {
        self.notify("$/progress", &json!({ "token": token, "value": part }));
    }

    /// Sends a request of ours. Its answer is not waited for.
    pub fn request(&self, method: &str, params: &Value) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        self.send(message::request(
            &format!("claudevil-{number}"),
            method,
            params,
        ));
    }

    /// Sends a message. A client that is gone takes none.
    pub fn send(&self, message: JsonText) {
        let _ = self.outgoing.send(message);
    }
}

/// Returns whether the error means that the daemon does not serve a file or project: an editor then gets no error.
fn is_not_served(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::FileNotFound
            | ErrorCode::PathOutsideRoot
            | ErrorCode::BinaryFile
            | ErrorCode::RootRefused
            | ErrorCode::RootNotFound
    )
}
