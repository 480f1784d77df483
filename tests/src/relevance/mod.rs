//! Quality of the order of search results: queries with the places that answer them, a run over the real daemon, and
//! the usual figures of retrieval.
//!
//! `truth.rs` has the queries and their right answers, `asking.rs` asks the queries, `score.rs` judges one of them, and
//! `report.rs` adds up. Nothing here knows how results are ranked.

pub mod asking;
pub mod report;
pub mod score;
pub mod truth;
