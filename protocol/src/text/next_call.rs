//! The call that shows more, written so that it can be made as it stands.

use serde_json::{Map, Value, json};

use super::escape::escape_json;
use crate::model::DEFAULT_TOKENS;

pub struct NextCall {
    tool: &'static str,
    arguments: Map<String, Value>,
}

impl NextCall {
    pub fn new(tool: &'static str) -> Self {
        Self {
            tool,
            arguments: Map::new(),
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Leaves out what was not said.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same budget again, unless it is the usual one.
    #[must_use]
    pub fn with_budget(self, max_tokens: u32) -> Self {
        self.with_some(
            "max_tokens",
            (max_tokens != DEFAULT_TOKENS).then(|| json!(max_tokens)),
        )
    }
}

impl std::fmt::Display for NextCall {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} {}",
            self.tool,
            escape_json(&json!(self.arguments).to_string())
        )
    }
}
