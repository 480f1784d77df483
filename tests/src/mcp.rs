//! An MCP client in plain JSON-RPC, so that what is on the wire is what is tested.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::home::{BOUND, Home};

pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    last_id: u64,
}

impl Session {
    /// Starts a shim in a project, as an editor does, and shakes hands. It offers all tools unless arguments choose.
    pub async fn start(home: &Home, project: &Path, arguments: &[&str]) -> Self {
        let mut session = Self::spawn(home, project, arguments);
        session.shake_hands().await;
        session
    }

    pub fn spawn(home: &Home, project: &Path, arguments: &[&str]) -> Self {
        Self::spawn_with(home, project, arguments, &[])
    }

    pub fn spawn_with(
        home: &Home,
        project: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let are_chosen = arguments.iter().any(|word| word.starts_with("--tool"));
        let all: &[&str] = if are_chosen {
            &[]
        } else {
            &["--toolsets", "all"]
        };
        Self::spawn_as_given(home, project, &[arguments, all].concat(), variables)
    }

    /// Starts a shim with its defaults.
    pub fn spawn_as_given(
        home: &Home,
        project: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let mut child = home
            .command("claudevil-mcp")
            .args(arguments)
            .envs(variables.iter().copied())
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the shim runs");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("standard output")).lines();
        Self {
            child,
            stdin,
            stdout,
            last_id: 0,
        }
    }

    pub async fn shake_hands(&mut self) -> Value {
        let answer = self
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": { "name": "claudevil-tests", "version": "1" }
                }),
            )
            .await;
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Sends a request and does not wait.
    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.write(
            &json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }),
        )
        .await;
        self.last_id
    }

    /// Calls a tool. Returns the text of the answer, and whether it is an error.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let id = self.send_call(tool, arguments).await;
        self.tool_answer(id).await
    }

    /// Calls a tool and does not wait.
    pub async fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send("tools/call", params).await
    }

    /// Gives up a request.
    pub async fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", json!({ "requestId": id }))
            .await;
    }

    pub async fn tool_answer(&mut self, id: u64) -> (String, bool) {
        let answer = self.answer(id).await;
        let result = &answer["result"];
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {answer}"))
            .to_owned();
        (text, result["isError"] == true)
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Returns the answer to a request, and skips notifications and answers to others.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Returns the next message, whatever it is. Panics on anything that is not JSON: standard output is for the protocol.
    pub async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(BOUND, self.stdout.next_line())
            .await
            .expect("in time")
            .expect("readable");
        let line = line.expect("the shim is still there");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not protocol ({error}): {line}"))
    }

    pub async fn write(&mut self, message: &Value) {
        self.write_line(&message.to_string()).await;
    }

    /// Writes a line that need not be a message.
    pub async fn write_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("written");
        stdin.flush().await.expect("written");
    }

    /// Closes standard input and waits for the end.
    pub async fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        tokio::time::timeout(BOUND, self.child.wait())
            .await
            .expect("the shim ends")
            .expect("it ran")
    }

    pub fn pid(&self) -> u32 {
        self.child.id().expect("the shim runs")
    }
}
