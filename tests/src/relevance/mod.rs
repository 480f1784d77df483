//! Quality of the order of search results: queries with the places that answer them, a run over the real daemon, and
//! the usual figures of retrieval.
//!
//! `truth.rs` is what is asked and what is right, `asking.rs` asks it, `score.rs` judges one query, `report.rs` adds up.
//! Nothing here knows how results are ranked.

pub mod asking;
pub mod report;
pub mod score;
pub mod truth;
