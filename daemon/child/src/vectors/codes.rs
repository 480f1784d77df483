//! Quantised vectors: one byte per coordinate.
//!
//! Only directions matter, so a vector is stretched until its largest coordinate is ±127 and then rounded. The scale is not
//! stored: normalising the codes gives back the unit vector, `codes × scale`.
//!
//! **The error.** Let `peak` be the largest coordinate of the unit vector. Rounding moves each of `d` coordinates by at
//! most `peak / 254`, which turns the vector by at most `asin(√d × peak / 254)`. A cosine between two coded vectors is
//! off by at most the sum of both turns ([`turn_bound`]). For 256 dimensions that is 0.13 if a single coordinate
//! carries each vector, and 0.04 for a peak of 0.3; on vectors spread like a model's it stays below 0.005.

use std::fmt;

/// The hash of a chunk's text and of everything else that its vector depends on.
pub type ChunkHash = [u8; 16];

const LARGEST: f32 = 127.0;

#[derive(Clone, PartialEq)]
pub struct ChunkVector {
    pub hash: ChunkHash,
    pub codes: Box<[i8]>,
    /// Scales the codes to a unit vector. Derived from them; 0 if all are 0.
    pub scale: f32,
}

/// A vector with a coordinate that is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a vector has a coordinate that is not a finite number")]
pub struct NotFinite;

impl ChunkVector {
    /// Quantises a vector of any length. A zero vector stays zero, and is similar to nothing.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "clamped to ±127 before it is cast"
    )]
    pub fn quantise(hash: ChunkHash, vector: &[f32]) -> Result<Self, NotFinite> {
        if vector.iter().any(|value| !value.is_finite()) {
            return Err(NotFinite);
        }
        let peak = vector
            .iter()
            .fold(0.0_f32, |peak, value| peak.max(value.abs()));
        // Divided first: stretching by 127 / peak would overflow for a tiny peak.
        let code = |value: &f32| (value / peak * LARGEST).round().clamp(-LARGEST, LARGEST) as i8;
        let codes = if peak == 0.0 {
            vec![0; vector.len()]
        } else {
            vector.iter().map(code).collect()
        };
        Ok(Self::from_codes(hash, codes.into()))
    }

    pub fn from_codes(hash: ChunkHash, codes: Box<[i8]>) -> Self {
        let scale = unit_scale(&codes);
        Self { hash, codes, scale }
    }

    /// Returns the cosine, from −1 to 1; 0 with a zero vector.
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact up to a thousand dimensions, and near enough beyond"
    )]
    pub fn cosine(&self, other: &Self) -> f32 {
        let products = self
            .codes
            .iter()
            .zip(&other.codes)
            .map(|(one, two)| i32::from(*one) * i32::from(*two));
        products.sum::<i32>() as f32 * self.scale * other.scale
    }
}

impl fmt::Debug for ChunkVector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:032x} in {} codes",
            u128::from_be_bytes(self.hash),
            self.codes.len()
        )
    }
}

/// Returns the largest angle in radians by which quantising turns a unit vector whose largest coordinate is `peak`.
#[expect(
    clippy::cast_precision_loss,
    reason = "dimensions are thousands at most"
)]
pub fn turn_bound(dimensions: usize, peak: f32) -> f32 {
    ((dimensions as f32).sqrt() * peak / (2.0 * LARGEST))
        .min(1.0)
        .asin()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to a thousand dimensions, and near enough beyond"
)]
fn unit_scale(codes: &[i8]) -> f32 {
    let square: i64 = codes
        .iter()
        .map(|code| i64::from(i32::from(*code) * i32::from(*code)))
        .sum();
    if square == 0 {
        0.0
    } else {
        (square as f32).sqrt().recip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::samples::spread_like_a_model;

    fn unit(vector: &[f32]) -> Vec<f32> {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter().map(|value| value / length).collect()
    }

    fn dot(one: &[f32], two: &[f32]) -> f32 {
        one.iter().zip(two).map(|(one, two)| one * two).sum()
    }

    fn peak(unit: &[f32]) -> f32 {
        unit.iter()
            .fold(0.0_f32, |peak, value| peak.max(value.abs()))
    }

    #[test]
    fn a_cosine_is_off_by_no_more_than_the_bound() {
        let mut vectors: Vec<Vec<f32>> =
            (0..60).map(|seed| spread_like_a_model(seed, 256)).collect();
        // The worst case: one coordinate takes the whole range, all others lie halfway between two codes.
        for sign in [1.0, -1.0] {
            let mut worst = vec![sign * 0.5 / 127.0; 256];
            worst[0] = 1.0;
            vectors.push(worst);
        }
        vectors.push(
            (0_u8..=255)
                .map(|place| if place == 7 { -3.0e30 } else { 1.0e28 })
                .collect(),
        );
        vectors.push(
            (0_u8..=255)
                .map(|place| f32::from(place) * 1.0e-40)
                .collect(),
        );
        // Divided by the peak first, so that the squares stay in the range of f32; scaling a vector does not change its codes.
        let units: Vec<_> = vectors
            .iter()
            .map(|one| unit(&one.iter().map(|x| x / peak(one)).collect::<Vec<_>>()))
            .collect();
        let coded: Vec<_> = vectors
            .iter()
            .map(|one| ChunkVector::quantise([0; 16], one).expect("finite"))
            .collect();
        let (mut worst_of_model, mut worst_of_all) = (0.0_f32, 0.0_f32);
        for one in 0..vectors.len() {
            for two in 0..vectors.len() {
                let off = (dot(&units[one], &units[two]) - coded[one].cosine(&coded[two])).abs();
                let bound = turn_bound(256, peak(&units[one])) + turn_bound(256, peak(&units[two]));
                assert!(
                    off <= bound + 1.0e-5,
                    "{one} and {two}: off by {off}, promised {bound}"
                );
                worst_of_all = worst_of_all.max(off);
                if one < 60 && two < 60 {
                    worst_of_model = worst_of_model.max(off);
                }
            }
        }
        println!("off by at most {worst_of_model} spread like a model's, {worst_of_all} at worst");
        assert!(worst_of_model < 0.005, "{worst_of_model}");
        assert!(
            worst_of_all > 0.05,
            "the worst case was not met: {worst_of_all}"
        );
    }

    #[test]
    fn vectors_without_direction_are_recognised() {
        assert_eq!(
            ChunkVector::quantise([0; 16], &[1.0, f32::NAN]),
            Err(NotFinite)
        );
        assert_eq!(
            ChunkVector::quantise([0; 16], &[f32::INFINITY]),
            Err(NotFinite)
        );
        let nothing = ChunkVector::quantise([0; 16], &[0.0; 8]).expect("finite");
        assert!(nothing.scale == 0.0 && nothing.cosine(&nothing) == 0.0);
    }
}
