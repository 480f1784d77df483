//! The call to make next, as a value: rendered as a tool call for agents and as a command for people.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::escape::escape_json;
use super::tokens::DEFAULT_TOKENS;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextCall {
    pub tool: String,
    pub arguments: Vec<(String, ArgumentValue)>,
}

/// The value of an argument. `serde_json::Value` cannot cross the socket: bincode does not describe its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentValue {
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<String>),
    Numbers(Vec<u32>),
}

impl NextCall {
    pub fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments: vec![],
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<ArgumentValue>) -> Self {
        let value = value.into();
        match self.arguments.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.arguments.push((name.to_owned(), value)),
        }
        self
    }

    /// Adds an argument, unless there is no value for it.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<ArgumentValue>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds the budget, unless it is the default.
    #[must_use]
    pub fn with_budget(self, max_tokens: u32) -> Self {
        self.with_some(
            "max_tokens",
            (max_tokens != DEFAULT_TOKENS).then_some(max_tokens),
        )
    }
}

/// A tool call as an agent makes it: `find_symbol {"name":"run"}`.
impl fmt::Display for NextCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.tool)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        let arguments: Map<String, Value> = self
            .arguments
            .iter()
            .map(|(name, value)| (name.clone(), value.to_json()))
            .collect();
        let arguments = Value::Object(arguments).to_string();
        write!(formatter, " {}", escape_json(&arguments))
    }
}

impl ArgumentValue {
    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::List(items) => items.clone().into(),
            Self::Numbers(numbers) => numbers.clone().into(),
        }
    }
}

impl From<&str> for ArgumentValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&[u32]> for ArgumentValue {
    fn from(numbers: &[u32]) -> Self {
        Self::Numbers(numbers.to_vec())
    }
}

impl From<&String> for ArgumentValue {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for ArgumentValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for ArgumentValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for ArgumentValue {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for ArgumentValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Vec<String>> for ArgumentValue {
    fn from(items: Vec<String>) -> Self {
        Self::List(items)
    }
}
