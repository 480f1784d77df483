//! Standard input and output as an MCP transport: one JSON-RPC message a line.
//!
//! The protocol library drops a line that is not JSON, and its sender waits forever; here every line that is neither a
//! message nor a notification gets JSON-RPC's error, and the session goes on. It also tells when the input has ended: the
//! library then waits some seconds for calls that are still under way, but an editor that has closed us wants us gone.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::sync::Notify;

/// A byte order mark, which some clients on Windows begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub struct StdioTransport<R, W: AsyncWrite> {
    input: BufReader<R>,
    /// The part of the current line that has been read.
    line: Vec<u8>,
    /// The current line is longer than a message may be; the rest of it is skipped.
    is_too_long: bool,
    /// Only sends: a message that is cut off midway is finished with the next.
    output: AsyncRwTransport<RoleServer, Empty, W>,
    ended: Arc<Notify>,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> StdioTransport<R, W> {
    /// Returns the transport, and what is notified at the end of its input.
    pub fn new(input: R, output: W) -> (Self, Arc<Notify>) {
        let ended = Arc::new(Notify::new());
        let transport = Self {
            input: BufReader::new(input),
            line: vec![],
            is_too_long: false,
            output: AsyncRwTransport::new(tokio::io::empty(), output),
            ended: Arc::clone(&ended),
        };
        (transport, ended)
    }

    /// Reads the next line, or nothing at the end. The future may be dropped at any time: what was read stays in `self.line`.
    async fn read_line(&mut self) -> io::Result<Option<Result<Vec<u8>, ErrorData>>> {
        loop {
            let read = self.input.fill_buf().await?;
            let is_at_end = read.is_empty();
            if is_at_end && self.line.is_empty() && !self.is_too_long {
                return Ok(None);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            self.is_too_long =
                self.is_too_long || self.line.len() + part.len() > DEFAULT_MAX_LINE_LENGTH;
            if self.is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            let taken = end.map_or(read.len(), |end| end + 1);
            self.input.consume(taken);
            // The last line may end with the input.
            if end.is_some() || is_at_end {
                let line = std::mem::take(&mut self.line);
                if std::mem::take(&mut self.is_too_long) {
                    let message = format!(
                        "a message may be at most {} MiB long",
                        DEFAULT_MAX_LINE_LENGTH >> 20
                    );
                    return Ok(Some(Err(ErrorData::invalid_request(message, None))));
                }
                return Ok(Some(Ok(line)));
            }
        }
    }

    /// Sends an error in the background: the receiving future may be dropped in the middle of a write.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        let sent = self
            .output
            .send(TxJsonRpcMessage::<RoleServer>::error(error, id));
        tokio::spawn(async move {
            // If the client no longer reads, the error is dropped.
            let _ = sent.await;
        });
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for StdioTransport<R, W>
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.read_line().await {
                Ok(Some(Ok(line))) => line,
                Ok(Some(Err(error))) => {
                    self.refuse(error, None);
                    continue;
                }
                Ok(None) | Err(_) => {
                    self.ended.notify_one();
                    return None;
                }
            };
            match parse(&line) {
                Line::Message(message) => return Some(*message),
                Line::Refused(error, id) => self.refuse(error, id),
                Line::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
}

#[derive(Debug)]
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Refused(ErrorData, Option<RequestId>),
    /// Nothing, a notification that is none of MCP's, or a malformed response: JSON-RPC answers to none of them.
    Ignored,
}

fn parse(line: &[u8]) -> Line {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Line::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Line::Message(Box::new(message));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            return Line::Refused(
                ErrorData::parse_error(format!("this line is not JSON: {error}"), None),
                None,
            );
        }
    };
    let is_notification = value["method"].is_string() && value.get("id").is_none();
    let is_response = value.get("method").is_none()
        && (value.get("result").is_some() || value.get("error").is_some());
    if is_notification || is_response {
        return Line::Ignored;
    }
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value(id.clone()).ok());
    Line::Refused(
        ErrorData::invalid_request("this line is JSON, but not a JSON-RPC 2.0 request", None),
        id,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> Option<(i32, Option<RequestId>)> {
        match parse(line.as_bytes()) {
            Line::Refused(error, id) => Some((error.code.0, id)),
            Line::Message(_) | Line::Ignored => None,
        }
    }

    #[test]
    fn lines_that_are_no_message_are_refused_with_the_code_of_json_rpc() {
        let seven = Some(RequestId::Number(7));
        for (line, code, id) in [
            ("nonsense", -32700, None),
            ("{\"jsonrpc\":\"2.0\",\"id\":7,", -32700, None),
            ("{\"jsonrpc\":\"2.0\",\"id\":7}", -32600, seven.clone()),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}",
                -32600,
                seven.clone(),
            ),
            ("{\"id\":7,\"method\":\"ping\"}", -32600, seven),
            ("[]", -32600, None),
            ("5", -32600, None),
        ] {
            assert_eq!(refusal(line), Some((code, id)), "{line}");
        }
        assert!(matches!(parse(b"\xff\xfe"), Line::Refused(..)));
    }

    #[tokio::test]
    async fn the_last_line_needs_no_line_break() {
        for (input, expected) in [
            ("one\ntwo", "one|two"),
            ("one\ntwo\n", "one|two"),
            ("one", "one"),
            ("", ""),
        ] {
            let (mut transport, _) = StdioTransport::new(input.as_bytes(), tokio::io::sink());
            let mut lines = vec![];
            while let Some(line) = transport.read_line().await.expect("readable") {
                lines.push(String::from_utf8(line.expect("short")).expect("UTF-8"));
            }
            assert_eq!(lines.join("|"), expected, "{input:?}");
        }
    }

    #[test]
    fn notifications_and_responses_are_never_answered() {
        for line in [
            "",
            "  \r",
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/setTrace\",\"params\":{}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/none\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":5}",
        ] {
            assert_eq!(refusal(line), None, "{line}");
        }
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(parse(ping.as_bytes()), Line::Message(_)));
    }
}
