//! A client of the language server in plain JSON-RPC, so that what is on the wire is what is tested.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::home::{BOUND, Home};

pub struct LspSession {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
    version: i32,
    /// Notifications and requests of the server that came while an answer was waited for.
    pub others: Vec<Value>,
}

impl LspSession {
    /// Starts the server for one folder, as an editor with all capabilities that matter does, and shakes hands.
    pub async fn start(home: &Home, folder: &Path) -> Self {
        Self::start_with(home, folder, "utf-16").await.0
    }

    /// Starts it with one position encoding. Returns the answer to `initialize` too.
    pub async fn start_with(home: &Home, folder: &Path, encoding: &str) -> (Self, Value) {
        Self::start_with_options(home, folder, encoding, Value::Null).await
    }

    /// Starts it with initialization options too.
    pub async fn start_with_options(
        home: &Home,
        folder: &Path,
        encoding: &str,
        options: Value,
    ) -> (Self, Value) {
        let mut session = Self::spawn(home, folder);
        let params = json!({
            "initializationOptions": options,
            "processId": std::process::id(),
            "workspaceFolders": [{ "uri": uri(folder), "name": "folder" }],
            "rootUri": uri(folder),
            "capabilities": {
                "general": { "positionEncodings": [encoding] },
                "window": { "workDoneProgress": true },
                "workspace": { "workspaceEdit": {
                    "documentChanges": true,
                    "resourceOperations": ["rename"],
                    "changeAnnotationSupport": {},
                } },
                "textDocument": {
                    "hover": { "contentFormat": ["markdown"] },
                    "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                },
            },
        });
        let answer = session.request("initialize", params).await;
        session.notify("initialized", json!({})).await;
        (session, answer)
    }

    pub fn spawn(home: &Home, folder: &Path) -> Self {
        let mut child = home
            .command("claudevil-lsp")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server runs");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("standard output"));
        Self {
            child,
            stdin,
            stdout,
            last_id: 0,
            version: 0,
            others: vec![],
        }
    }

    /// Sends a request and returns its result. Panics if that is an error.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and returns the whole answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Sends a request and does not wait.
    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Returns the answer to a request; other messages that arrive meanwhile are kept.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Returns the next message, whatever it is.
    pub async fn next(&mut self) -> Value {
        tokio::time::timeout(BOUND, self.read())
            .await
            .expect("in time")
    }

    async fn read(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).await.expect("readable");
            assert!(!line.is_empty(), "the server is still there");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse::<usize>().ok(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.stdout.read_exact(&mut body).await.expect("readable");
        serde_json::from_slice(&body).expect("JSON")
    }

    pub async fn write(&mut self, message: &Value) {
        let body = message.to_string();
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        self.write_bytes(format!("{head}{body}").as_bytes()).await;
    }

    /// Writes bytes that need not be a message.
    pub async fn write_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        stdin.write_all(bytes).await.expect("written");
        stdin.flush().await.expect("written");
    }

    pub async fn open(&mut self, path: &Path, text: &str) {
        self.version += 1;
        let document = json!({
            "uri": uri(path), "languageId": "plain", "version": self.version, "text": text
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    /// Replaces a range: start line and column, end line and column.
    pub async fn edit(&mut self, path: &Path, range: [u32; 4], text: &str) {
        self.version += 1;
        let document = json!({ "uri": uri(path), "version": self.version });
        let changes = json!([{ "range": span(range), "text": text }]);
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        )
        .await;
    }

    pub async fn close_document(&mut self, path: &Path) {
        let params = json!({ "textDocument": { "uri": uri(path) } });
        self.notify("textDocument/didClose", params).await;
    }

    /// Ends the session as the protocol says.
    pub async fn shut_down(mut self) -> ExitStatus {
        self.ask("shutdown", Value::Null).await;
        self.notify("exit", Value::Null).await;
        self.ended().await
    }

    /// Closes standard input and waits for the end.
    pub async fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.ended().await
    }

    /// Waits for the end.
    pub async fn ended(&mut self) -> ExitStatus {
        tokio::time::timeout(BOUND, self.child.wait())
            .await
            .expect("the server ends")
            .expect("it ran")
    }

    pub fn pid(&self) -> u32 {
        self.child.id().expect("the server runs")
    }
}

/// Returns the address of a file.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Returns the parameters of a request about a position, counted from 0.
pub fn at(path: &Path, line: u32, column: u32) -> Value {
    json!({
        "textDocument": { "uri": uri(path) },
        "position": { "line": line, "character": column },
    })
}

/// Returns a range: start line and column, end line and column.
pub fn span([line, column, end_line, end_column]: [u32; 4]) -> Value {
    json!({
        "start": { "line": line, "character": column },
        "end": { "line": end_line, "character": end_column },
    })
}
