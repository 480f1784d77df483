//! The distribution of the costs of answers, in buckets: small enough to be stored for every tool of every root.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number of buckets for each power of two, as a power of two: the width of a bucket is at most an eighth of its lower
/// bound.
const SUBDIVISION: u32 = 3;

/// The number of answers in each bucket of costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostHistogram(BTreeMap<u32, u64>);

impl CostHistogram {
    pub fn from_cost(tokens: u64) -> Self {
        Self(BTreeMap::from([(bucket(tokens), 1)]))
    }

    pub fn add(&mut self, other: &Self) {
        for (bucket, answers) in &other.0 {
            let total = self.0.entry(*bucket).or_default();
            *total = total.saturating_add(*answers);
        }
    }

    pub fn answers(&self) -> u64 {
        self.0
            .values()
            .fold(0, |sum, answers| sum.saturating_add(*answers))
    }

    /// Returns the tokens that this percentage of the answers cost at most; 0 without answers.
    pub fn percentile(&self, percent: u64) -> u64 {
        let rank = self.answers().saturating_mul(percent).div_ceil(100);
        let mut passed = 0_u64;
        for (bucket, answers) in &self.0 {
            passed = passed.saturating_add(*answers);
            if passed >= rank {
                return u64::midpoint(lower_bound(*bucket), lower_bound(bucket + 1) - 1);
            }
        }
        0
    }
}

fn bucket(tokens: u64) -> u32 {
    // Larger costs do not occur; the bound keeps the arithmetic below in range.
    let tokens = tokens.clamp(1, u64::from(u32::MAX));
    let octave = tokens.ilog2();
    let part = ((tokens << SUBDIVISION) >> octave) - (1 << SUBDIVISION);
    (octave << SUBDIVISION) + u32::try_from(part).unwrap_or_default()
}

fn lower_bound(bucket: u32) -> u64 {
    let (octave, part) = (bucket >> SUBDIVISION, bucket & ((1 << SUBDIVISION) - 1));
    (u64::from((1 << SUBDIVISION) + part) << octave).div_ceil(1 << SUBDIVISION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_in_the_bucket_between_its_bounds() {
        for tokens in (1..2_000).chain([9_999, 65_535, 65_536, 1_000_000]) {
            let bucket = bucket(tokens);
            let bounds = lower_bound(bucket)..lower_bound(bucket + 1);
            assert!(bounds.contains(&tokens), "{tokens} in {bounds:?}");
        }
        assert!(bucket(u64::MAX) >= bucket(1_000_000) && bucket(0) == bucket(1));
    }

    #[test]
    fn percentiles_are_right_to_within_an_eighth() {
        let mut costs = CostHistogram::default();
        assert_eq!((costs.answers(), costs.percentile(50)), (0, 0));
        for tokens in 1..=1000 {
            costs.add(&CostHistogram::from_cost(tokens));
        }
        assert_eq!(costs.answers(), 1000);
        for (percent, expected) in [(50, 500_u64), (95, 950), (1, 10), (100, 1000)] {
            let found = costs.percentile(percent);
            assert!(
                found.abs_diff(expected) * 8 <= expected + 8,
                "{percent} %: {found}"
            );
        }
    }
}
