//! JSON-RPC messages: requests, notifications and responses, and the errors of requests.

use claudevil_protocol::{ErrorCode, ToolError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The text of a message or of a result in JSON. Results are written once, without a `Value` in between: the outline of a
/// large file has thousands of them.
pub type JsonText = String;

/// A message of the client.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer to a request of ours. None of them needs its result.
    Response,
}

impl Incoming {
    /// Reads a message. The error comes with the id to answer to.
    pub fn parse(mut message: Value) -> Result<Self, (Value, RpcError)> {
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str);
        let Some(method) = method.map(str::to_owned) else {
            let is_response = message.get("result").is_some() || message.get("error").is_some();
            if is_response {
                return Ok(Self::Response);
            }
            let error = RpcError::invalid_request("this message has no method");
            return Err((id.unwrap_or_default(), error));
        };
        let params = message
            .get_mut("params")
            .map(Value::take)
            .unwrap_or_default();
        match id {
            None => Ok(Self::Notification { method, params }),
            Some(id) if id.is_string() || id.is_number() => {
                Ok(Self::Request { id, method, params })
            }
            Some(_) => {
                let error = RpcError::invalid_request("an id is a number or a string");
                Err((Value::Null, error))
            }
        }
    }
}

/// The error of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
}

impl RpcError {
    pub const PARSE: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    pub const SERVER_NOT_INITIALIZED: i64 = -32002;
    pub const REQUEST_CANCELLED: i64 = -32800;
    pub const REQUEST_FAILED: i64 = -32803;

    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(Self::PARSE, message)
    }

    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_REQUEST, message)
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }
}

impl From<ToolError> for RpcError {
    fn from(error: ToolError) -> Self {
        let code = match error.code {
            ErrorCode::Cancelled => Self::REQUEST_CANCELLED,
            ErrorCode::Internal => Self::INTERNAL,
            ErrorCode::InvalidArgument | ErrorCode::InvalidQuery => Self::INVALID_PARAMS,
            _ => Self::REQUEST_FAILED,
        };
        Self::new(code, error.text())
    }
}

pub fn response(id: &Value, result: Result<JsonText, RpcError>) -> JsonText {
    match result {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(RpcError { code, message }) => {
            let error = json!({ "code": code, "message": message });
            json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
        }
    }
}

pub fn notification(method: &str, params: &Value) -> JsonText {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

pub fn request(id: &str, method: &str, params: &Value) -> JsonText {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Parses the parameters of a request or a notification.
pub fn parse_params<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_path_to_error::deserialize(params)
        .map_err(|error| RpcError::invalid_params(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_json() {
        let parse = |text: JsonText| serde_json::from_str::<Value>(&text).expect("JSON");
        let result = parse(response(&json!("a\"b"), Ok(r#"[{"line":1}]"#.to_owned())));
        let expected = json!({ "jsonrpc": "2.0", "id": "a\"b", "result": [{ "line": 1 }] });
        assert_eq!(result, expected);
        let error = parse(response(&json!(2), Err(RpcError::parse("no \"JSON\""))));
        assert_eq!(error["error"]["message"], "no \"JSON\"");
    }

    #[test]
    fn messages_are_told_apart() {
        let parse = |message| Incoming::parse(message);
        let params = json!({ "a": 1 });
        assert_eq!(
            parse(json!({ "id": 1, "method": "m", "params": params })),
            Ok(Incoming::Request {
                id: json!(1),
                method: "m".to_owned(),
                params: params.clone(),
            })
        );
        assert_eq!(
            parse(json!({ "method": "m" })),
            Ok(Incoming::Notification {
                method: "m".to_owned(),
                params: Value::Null,
            })
        );
        assert_eq!(
            parse(json!({ "id": 1, "result": null })),
            Ok(Incoming::Response)
        );
        for (broken, id) in [
            (json!({ "id": 3 }), json!(3)),
            (json!([]), Value::Null),
            (json!({ "id": {}, "method": "m" }), Value::Null),
        ] {
            let (answered, error) = parse(broken).expect_err("an error");
            assert_eq!((answered, error.code), (id, RpcError::INVALID_REQUEST));
        }
    }
}
