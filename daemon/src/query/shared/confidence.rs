//! The confidence of a reference, by how it was resolved.

use claudevil_protocol::answer::graph::Resolution;

use crate::graph::references::Reference;

/// The most uses by name only that are shown beside more certain ones; further ones are counted, and listed on request.
pub const GUESSES_SHOWN: usize = 10;

pub fn confidence(reference: &Reference) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a handful of candidates")]
    let candidates = reference.candidates.max(1) as f64;
    match reference.resolution {
        _ if reference.by_dispatch => 0.55,
        Resolution::Resolved => 0.95,
        Resolution::Likely => 0.65,
        Resolution::Ambiguous if reference.by_name => 0.45,
        Resolution::Ambiguous => 0.5 + 0.25 / candidates,
        Resolution::NameOnly if reference.candidates == 1 => 0.4,
        Resolution::NameOnly => 0.3,
    }
}

/// Rounds a confidence to two decimals, as answers have it.
pub fn round(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
