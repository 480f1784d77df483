//! The roles of uses.

use serde::{Deserialize, Serialize};

/// The role of a use. Of two roles at one position, the earlier variant wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    Import,
    /// Looks like a call, but only names a function or a constructor: `&name/1` in Elixir, or a pattern.
    Named,
    Call,
    /// Introduces a local name: a parameter, a variable of a function.
    Bind,
    /// Narrows the type of a local name. Its position is where the narrowing begins, not a use of the name.
    Narrow,
    Write,
    Type,
    Read,
    Mention,
    /// Runs code that no name refers to: `handlers[key]()`, `for item in store`. The recorded name is the punctuation or the
    /// keyword.
    Implicit,
}

impl Role {
    /// Returns whether the use binds or narrows a local name, up to the end of a block.
    pub fn binds(self) -> bool {
        matches!(self, Self::Bind | Self::Narrow)
    }
}
