//! Searching: what a query says, before anything is looked up.

pub mod syntax;
