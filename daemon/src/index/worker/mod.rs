//! Worker processes, which extract facts: a crash, a hang or exhausted memory in one costs a single file.
//!
//! A worker is `claudevild worker`: a pure function behind a pipe. It receives texts and returns facts, opens nothing, and runs
//! under limits that it sets on itself and the system enforces. Its priority is low, unless a caller waits for it.

mod child;
mod pool;
mod wire;

pub use self::child::run;
pub use self::pool::{Pool, PoolSettings};
pub use self::wire::{Job, Outcome, Task};

/// The priority of a worker process. A process cannot raise it again, so each priority has its own workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// For files that may be queried at once: on a busy machine a process of low priority hardly advances.
    Interactive,
    Bulk,
}
