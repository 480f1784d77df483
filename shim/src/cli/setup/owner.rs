//! The programs whose configuration setup changes.

use super::clients::Client;
use super::editors::Editor;

/// The program whose configuration is changed.
#[derive(Clone, Copy)]
pub enum Owner {
    Client(&'static Client),
    Editor(&'static Editor),
}

impl Owner {
    pub fn id(self) -> &'static str {
        match self {
            Self::Client(client) => client.id,
            Self::Editor(editor) => editor.id,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Client(client) => client.name,
            Self::Editor(editor) => editor.name,
        }
    }

    /// Returns the step that a person has to take for a change to take effect.
    pub fn next_step(self) -> &'static str {
        match self {
            Self::Client(client) => client.then,
            Self::Editor(editor) => editor.then,
        }
    }
}
