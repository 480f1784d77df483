//! Similarity of names, for suggestions where a name does not exist.

/// Returns how similar two names are, from 0 to 1.
pub fn name_similarity(one: &str, other: &str) -> f64 {
    // Most candidates differ too much in length, which is cheap to see.
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if short * 2 < long {
        0.0
    } else {
        strsim::jaro_winkler(one, other)
            .min(strsim::normalized_damerau_levenshtein(one, other) + 0.15)
    }
}
