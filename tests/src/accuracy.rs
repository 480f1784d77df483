//! Accuracy of the tools about the graph: small projects with the truth in their own lines, and the answers about them.
//! `tests/accuracy/README.md` says how the truth is written.

pub mod asking;
pub mod report;
pub mod truth;
