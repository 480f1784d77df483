//! Finding code: what a query asks for, where it is found, and in which order it is shown.
//!
//! Reads snapshots and files, and changes nothing.

pub mod lexical;
pub mod morphology;
pub mod paths;
pub mod question;
pub mod rank;
pub mod syntax;
pub mod weights;
