//! Search: parses queries, finds chunks and lines, and ranks them.
//!
//! [`rank`] orders chunks by their evidence, and [`query_coverage`] measures how much of the question they cover; [`grep`]
//! finds every line of the files as they are now; [`scan`] searches a root without an index. Nothing here stores or changes
//! anything, or knows how a result is shown.

pub mod chunk_set;
pub mod chunk_symbol;
pub mod grep;
pub mod keyword;
pub mod lexical;
pub mod location;
pub mod message_template;
pub mod morphology;
pub mod path_term;
pub mod paths;
pub mod printed_message;
pub mod query_coverage;
pub mod question;
pub mod rank;
pub mod report;
pub mod scan;
pub mod snippet;
pub mod stop_words;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod text_cache;
pub mod weights;
