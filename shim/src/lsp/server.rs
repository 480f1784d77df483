//! The life of a session: handshake, requests beside each other, cancellation, and the end.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::client::Client;
use lsp_types::InitializeParams;
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWorkspaceFolders, DidCloseTextDocument,
    DidOpenTextDocument, Exit, Initialized, Notification,
};
use lsp_types::request::{Initialize, Request, Shutdown};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::BufReader;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::AbortHandle;

use super::capabilities::{self, ClientSupport};
use super::client_process::ClientProcess;
use super::folders::Folders;
use super::message::{Incoming, JsonText, RpcError, parse_params, response};
use super::session::Session;
use super::{progress, requests, transport};

/// Maximum number of messages that are read ahead.
const READ_AHEAD: usize = 64;

/// Serves until the client says `exit`, closes standard input, or is gone.
pub async fn serve(client: Client, root: Option<PathBuf>) -> ExitCode {
    let (outgoing, written) = mpsc::unbounded_channel();
    let (read, mut incoming) = mpsc::channel(READ_AHEAD);
    let writer = tokio::spawn(write_all(written));
    tokio::spawn(async move {
        let mut input = BufReader::new(tokio::io::stdin());
        loop {
            let (message, is_last) = match transport::read_message(&mut input).await {
                Ok(Some(message)) => (message, false),
                Ok(None) => break,
                Err(error) => (Err(RpcError::invalid_request(error.to_string())), true),
            };
            if read.send((message, is_last)).await.is_err() || is_last {
                break;
            }
        }
    });
    let mut server = Server {
        outgoing,
        running: Arc::default(),
        phase: Phase::Starting(Box::new((client, root))),
        client_process: ClientProcess::default(),
    };
    let mut code = ExitCode::SUCCESS;
    loop {
        let message = tokio::select! {
            message = incoming.recv() => message,
            () = server.client_process.gone() => None,
        };
        let Some((message, is_last)) = message else {
            break;
        };
        if is_last {
            code = ExitCode::FAILURE;
        }
        if server.receive(message) == Flow::Exit {
            let is_expected = matches!(server.phase, Phase::ShutDown);
            code = if is_expected {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
            break;
        }
    }
    server.stop();
    drop(server);
    // Pending answers are written, unless the editor no longer reads them.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(300), writer).await;
    code
}

async fn write_all(mut messages: UnboundedReceiver<JsonText>) {
    let mut output = tokio::io::stdout();
    while let Some(message) = messages.recv().await {
        if transport::write_message(&mut output, &message)
            .await
            .is_err()
        {
            return;
        }
    }
}

struct Server {
    outgoing: UnboundedSender<JsonText>,
    running: Arc<RunningRequests>,
    phase: Phase,
    client_process: ClientProcess,
}

/// The state of a session.
enum Phase {
    /// Before `initialize`, with what a session needs.
    Starting(Box<(Client, Option<PathBuf>)>),
    Running(Arc<Session>),
    /// After `shutdown`.
    ShutDown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Exit,
}

/// The requests without an answer, by id. Whoever removes a request answers it.
#[derive(Default)]
struct RunningRequests(Mutex<HashMap<String, AbortHandle>>);

impl RunningRequests {
    fn insert(&self, id: &Value, request: AbortHandle) {
        self.lock().insert(id.to_string(), request);
    }

    fn take(&self, id: &Value) -> Option<AbortHandle> {
        self.lock().remove(&id.to_string())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    fn receive(&mut self, message: Result<Value, RpcError>) -> Flow {
        let message = message.map_err(|error| (Value::Null, error));
        match message.and_then(Incoming::parse) {
            Ok(Incoming::Request { id, method, params }) => self.request(&id, method, params),
            Ok(Incoming::Notification { method, .. }) if method == Exit::METHOD => {
                return Flow::Exit;
            }
            Ok(Incoming::Notification { method, params }) => self.notification(&method, params),
            Ok(Incoming::Response) => {}
            Err((id, error)) => self.respond(&id, Err(error)),
        }
        Flow::Continue
    }

    fn request(&mut self, id: &Value, method: String, params: Value) {
        match (&self.phase, method.as_str()) {
            (Phase::Starting(_), Initialize::METHOD) => {
                let result = self.initialize(params);
                self.respond(id, result);
            }
            (Phase::Starting(_), _) => {
                let error =
                    RpcError::new(RpcError::SERVER_NOT_INITIALIZED, "`initialize` comes first");
                self.respond(id, Err(error));
            }
            (Phase::Running(_), Initialize::METHOD) => {
                let error = RpcError::invalid_request("`initialize` comes once");
                self.respond(id, Err(error));
            }
            (Phase::Running(_), Shutdown::METHOD) => {
                self.stop();
                self.phase = Phase::ShutDown;
                self.respond(id, Ok(Value::Null.to_string()));
            }
            (Phase::Running(session), _) => {
                let session = Arc::clone(session);
                self.start(session, id, method, params);
            }
            (Phase::ShutDown, _) => {
                let error = RpcError::invalid_request("the server is shut down: `exit` comes next");
                self.respond(id, Err(error));
            }
        }
    }

    /// Answers a request concurrently with the others.
    fn start(&self, session: Arc<Session>, id: &Value, method: String, params: Value) {
        let (running, own_id) = (Arc::clone(&self.running), id.clone());
        // The runtime has one thread: the task begins only once its handle is stored.
        let task = tokio::spawn(async move {
            let result = requests::answer(&session, &method, params).await;
            if running.take(&own_id).is_some() {
                session.send(response(&own_id, result));
            }
        });
        self.running.insert(id, task.abort_handle());
    }

    fn initialize(&mut self, params: Value) -> Result<JsonText, RpcError> {
        let params: InitializeParams = parse_params(params)?;
        let Phase::Starting(parts) = std::mem::replace(&mut self.phase, Phase::ShutDown) else {
            return Err(RpcError::invalid_request("`initialize` comes once"));
        };
        let (client, root) = *parts;
        let home = client.paths().user_home().to_owned();
        let mut folders = Folders::new(root.as_deref(), home);
        for uri in workspace_folders(&params) {
            folders.add(&uri);
        }
        self.client_process = ClientProcess::new(params.process_id);
        let support = ClientSupport::new(&params);
        let result = capabilities::initialize_result(&support).to_string();
        let session = Session::new(client, support, folders, self.outgoing.clone());
        self.phase = Phase::Running(Arc::new(session));
        Ok(result)
    }

    /// Notifications that are not understood are ignored, as the protocol says.
    fn notification(&self, method: &str, params: Value) {
        let Phase::Running(session) = &self.phase else {
            return;
        };
        match method {
            Initialized::METHOD => {
                for project in session.folders().projects() {
                    progress::watch_index(Arc::clone(session), project);
                }
            }
            Cancel::METHOD => {
                if let Some(id) = params.get("id") {
                    self.cancel(id);
                }
            }
            DidOpenTextDocument::METHOD => {
                if let Some(params) = parse_or_log::<DidOpenTextDocument>(session, params) {
                    let document = params.text_document;
                    if let Some(path) = session.path(&document.uri) {
                        session.documents().open(path, document.text);
                    }
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = parse_or_log::<DidChangeTextDocument>(session, params)
                    && let Some(path) = session.path(&params.text_document.uri)
                {
                    let unit = session.unit();
                    session
                        .documents()
                        .change(&path, unit, &params.content_changes);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = parse_or_log::<DidCloseTextDocument>(session, params)
                    && let Some(path) = session.path(&params.text_document.uri)
                {
                    session.documents().close(&path);
                }
            }
            DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = parse_or_log::<DidChangeWorkspaceFolders>(session, params) {
                    let mut folders = session.folders();
                    let before = folders.projects();
                    for removed in &params.event.removed {
                        folders.remove(removed.uri.as_str());
                    }
                    for added in &params.event.added {
                        folders.add(added.uri.as_str());
                    }
                    for project in folders.projects() {
                        if !before.contains(&project) {
                            progress::watch_index(Arc::clone(session), project);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn cancel(&self, id: &Value) {
        if let Some(request) = self.running.take(id) {
            request.abort();
            let error = RpcError::new(RpcError::REQUEST_CANCELLED, "cancelled");
            self.respond(id, Err(error));
        }
    }

    /// Ends the requests that are under way.
    fn stop(&self) {
        for (_, request) in self.running.lock().drain() {
            request.abort();
        }
    }

    fn respond(&self, id: &Value, result: Result<JsonText, RpcError>) {
        // A client that is gone takes no answer.
        let _ = self.outgoing.send(response(id, result));
    }
}

/// Returns the folders of a client: all of them, or the one of older clients.
#[expect(deprecated, reason = "older clients name their folder in no other way")]
fn workspace_folders(params: &InitializeParams) -> Vec<String> {
    if let Some(folders) = &params.workspace_folders {
        return folders
            .iter()
            .map(|one| one.uri.as_str().to_owned())
            .collect();
    }
    let uri = params.root_uri.as_ref().map(|uri| uri.as_str().to_owned());
    let path = params.root_path.as_deref().map(crate::project::to_file_uri);
    uri.or(path).into_iter().collect()
}

/// Reads the parameters of a notification, to which there is no answer.
fn parse_or_log<N: Notification>(session: &Session, params: Value) -> Option<N::Params>
where
    N::Params: DeserializeOwned,
{
    match parse_params(params) {
        Ok(params) => Some(params),
        Err(error) => {
            let message = format!("{}: {}", N::METHOD, error.message);
            session.log(lsp_types::MessageType::ERROR, &message);
            None
        }
    }
}
