//! Contents of a tool's result: text for the model, and on request typed data for programs.
//!
//! Clients that hand both to a model pay twice, so that data is sent only where the command line asks for it. The data is cut
//! to the same budget as the text, separately: its items may be fewer.

use std::sync::Arc;

use claudevil_protocol::answer::render::render;
use claudevil_protocol::answer::{Answer, Format};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    Text,
    /// Text, and the same answer as `structuredContent`.
    TextAndData,
}

pub struct Reply {
    pub text: String,
    data: Option<Value>,
}

impl Contents {
    pub fn render<A: Answer>(self, answer: &A, format: Format, budget: u32) -> Reply {
        let text = render(answer, format, budget);
        let data = match self {
            Self::Text => None,
            Self::TextAndData if format == Format::Json => serde_json::from_str(&text).ok(),
            Self::TextAndData => serde_json::from_str(&render(answer, Format::Json, budget)).ok(),
        };
        Reply { text, data }
    }

    /// Returns the schema of the data, the fields of which are those of `format` json.
    pub fn output_schema(self) -> Option<Arc<JsonObject>> {
        let Value::Object(object) = json!({ "type": "object" }) else {
            return None;
        };
        (self == Self::TextAndData).then(|| Arc::new(object))
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut result = Self::success(vec![ContentBlock::text(reply.text)]);
        result.structured_content = reply.data;
        result
    }
}
