//! Tools as requests: `claudevil/explore` and `claudevil/impact` take the parameters of their tools.

use claudevil_protocol::answer::render::render;
use claudevil_protocol::call::{Origin, Project};
use claudevil_protocol::client::CallOptions;
use claudevil_protocol::service::RemoteTool;
use serde_json::{Value, json};

use crate::lsp::message::parse_params;
use crate::lsp::message::{JsonText, RpcError};
use crate::lsp::session::Session;

/// Answers with `{"text": …}`. Without `root`, the first workspace folder is asked about.
pub async fn answer<P: RemoteTool>(session: &Session, params: Value) -> Result<JsonText, RpcError> {
    let params: P = parse_params(params)?;
    let common = params.common();
    let (format, budget) = (common.format, common.max_tokens);
    let named = common.root.map(|root| Project {
        root: root.to_owned(),
        origin: Origin::Argument,
    });
    let first = || session.folders().projects().into_iter().next();
    let options = CallOptions {
        project: named.or_else(first),
        progress: None,
    };
    let answer = session.client.ask(options, params).await?;
    Ok(json!({ "text": render(&answer, format, budget) }).to_string())
}
