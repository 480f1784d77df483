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

/// Compares many names with one.
pub struct NameComparison<'a> {
    name: &'a str,
    /// The count of each byte in it.
    counts: [u8; 256],
}

impl<'a> NameComparison<'a> {
    pub fn new(name: &'a str) -> Self {
        let mut counts = [0_u8; 256];
        for byte in name.bytes() {
            let count = &mut counts[usize::from(byte)];
            *count = count.saturating_add(1);
        }
        Self { name, counts }
    }

    /// Returns how similar a name is, if it is more similar than `least`. Comparing the letters without their order rules out
    /// most names cheaply.
    pub fn similarity_above(&self, other: &str, least: f64) -> Option<f64> {
        (self.most_similar(other) > least)
            .then(|| name_similarity(self.name, other))
            .filter(|similarity| *similarity > least)
    }

    /// Returns an upper bound of the similarity, from the letters that both names have in common.
    fn most_similar(&self, other: &str) -> f64 {
        if !self.name.is_ascii() || !other.is_ascii() || other.is_empty() {
            return 1.0;
        }
        let mut left = self.counts;
        let mut common = 0_u32;
        for byte in other.bytes() {
            let count = &mut left[usize::from(byte)];
            if *count > 0 {
                *count -= 1;
                common += 1;
            }
        }
        let longer = self.name.len().max(other.len());
        let longer = f64::from(u32::try_from(longer).unwrap_or(u32::MAX)).max(1.0);
        f64::from(common) / longer + 0.15
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_passed_over_only_if_they_are_less_similar() {
        let names = [
            "parse",
            "parser",
            "parse_url",
            "prase",
            "url_parse",
            "esrap",
            "größe",
            "grosse",
            "x",
            "",
            "aaaaaa",
            "reconcile_pods",
            "pods_reconcile",
        ];
        for one in names {
            let comparison = NameComparison::new(one);
            for other in names {
                let similarity = name_similarity(one, other);
                for least in [0.0, 0.5, 0.72, 0.9] {
                    assert_eq!(
                        comparison.similarity_above(other, least),
                        Some(similarity).filter(|similarity| *similarity > least),
                        "{one} and {other}"
                    );
                }
            }
        }
    }
}
