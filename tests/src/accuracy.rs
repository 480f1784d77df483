//! How right the tools about the graph are: small projects with the truth in their own lines, and what is answered of
//! them. `tests/accuracy/README.md` says how the truth is written.

pub mod asking;
pub mod report;
pub mod truth;
