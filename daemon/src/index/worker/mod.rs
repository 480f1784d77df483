//! Worker processes: extraction where a crash, a hang or a flood of memory costs one file.
//!
//! A worker is `claudevild worker`: a pure function behind a pipe. It gets texts and gives facts, opens nothing, and
//! runs at low priority under limits that it sets on itself and the system enforces.

mod child;
mod pool;
pub(super) mod wire;

pub use self::child::run;
pub use self::pool::{Pool, PoolSettings};
pub use self::wire::{Job, Outcome};
