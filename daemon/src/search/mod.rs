//! Finding code: what a query asks for, where it is found, and in which order it is shown.
//!
//! [`rank`] weighs what the words and the meaning of a question find, and [`query_coverage`] says whether that is anything;
//! [`grep`] finds every line of the files as they are now; [`scan`] answers for a root that has no index yet. Nothing here
//! is kept, changes anything, or knows how a result is shown.

pub mod chunk_set;
pub mod grep;
pub mod keyword;
pub mod lexical;
pub mod morphology;
pub mod path_term;
pub mod paths;
pub mod query_coverage;
pub mod question;
pub mod rank;
pub mod scan;
pub mod snippet;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod text_cache;
pub mod weights;
