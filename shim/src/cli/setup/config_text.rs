//! The parts of a configuration's text, whatever its format.

use serde::{Deserialize, Serialize};

/// The reason why a text is left alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// The origin of the key that holds the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    There,
    Made,
}

/// A text without our entry.
#[derive(Debug, PartialEq, Eq)]
pub struct StrippedText {
    pub text: String,
    /// True if nothing is left in it but brackets.
    pub is_bare: bool,
}

/// The part of a configuration that setup writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The list of its MCP servers.
    #[default]
    Servers,
    /// The instructions for its model.
    Instructions,
    /// The language servers of an editor.
    LanguageServer,
}
