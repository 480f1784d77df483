//! What lasts: the registry of roots, and the vectors.
//!
//! The write path and the read path meet here and nowhere else.

pub mod roots;
pub mod vectors;

/// Raised when a store's content would be misread by an older build. A store of another format is rebuilt.
pub const INDEX_FORMAT: u32 = 1;
