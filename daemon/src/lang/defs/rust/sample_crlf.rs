//! Line ends of two signs.

use std::fmt;

/// Holds.
/// Two lines.
#[derive(Debug)]
pub struct Box2 {
    /** Inside. */
    pub inside: u8,
}

impl Box2 {
    /*
     * Opens.
     */
    fn open(&self) -> u8 {
        if self.inside > 0 { 1 } else { 0 }
    }
}
