//! Finding texts in a root: everything that matches, read from the files as they are now.
//!
//! [`grep`] goes through the files of an index, most of which it need not open; [`scan`] goes through the files of a root
//! that has no index yet. Nothing here is kept, and nothing decides what a caller is shown of it.

pub mod grep;
pub mod scan;
#[cfg(test)]
mod testing;
mod threads;
