//! Worker processes: extraction where a crash, a hang or a flood of memory costs one file.
//!
//! A worker is `claudevild worker`: a pure function behind a pipe. It gets texts and gives facts, opens nothing, and
//! runs under limits that it sets on itself and the system enforces; at low priority, unless somebody waits for it.

mod child;
mod pool;
mod wire;

pub use self::child::run;
pub use self::pool::{Pool, PoolSettings};
pub use self::wire::{Job, Outcome};

/// How soon facts are wanted. A process cannot take back that its priority is low, so each pace has its own workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A few files, of which somebody may ask at once: on a busy machine what is at low priority hardly moves.
    Prompt,
    Bulk,
}

impl From<bool> for Pace {
    fn from(is_prompt: bool) -> Self {
        if is_prompt { Self::Prompt } else { Self::Bulk }
    }
}
