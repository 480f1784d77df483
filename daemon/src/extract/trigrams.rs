//! A Bloom filter of the trigrams of a text: it rejects most files that cannot contain a string, without opening them.
//!
//! One bit per trigram, at a hashed position, with a little less than four bits per distinct trigram. It errs only towards "may
//! contain". Trigrams with ASCII capitals are also added in lower case, so one filter serves case-sensitive and
//! case-insensitive searches. The filter is built from the text after redaction, so it reveals nothing about secrets.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::columns::Bytes;

/// The number of hash values, as a power of two: more would not fit the processor's L1 cache, and few files have that many
/// distinct trigrams.
const PLACES_LOG2: u32 = 16;
/// Bytes of the filter per distinct trigram, as a fraction: 3.75 bits.
const SHARE: (usize, usize) = (15, 32);

/// The filter of a text. An empty filter rules nothing out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Trigrams(Box<[u8]>);

/// The position of a trigram, in a filter of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilterPosition(u32);

impl FilterPosition {
    pub fn new(bytes: [u8; 3]) -> Self {
        let [first, second, third] = bytes;
        let run = u32::from_le_bytes([0, first, second, third]);
        Self(run.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PLACES_LOG2))
    }

    /// Returns its bit in a filter of `bits` bits.
    fn bit(self, bits: usize) -> usize {
        (self.0 as usize * bits) >> PLACES_LOG2
    }
}

/// Converts the ASCII capitals among eight bytes to lower case, all at once.
fn in_small_letters(eight: u64) -> u64 {
    const EACH: u64 = u64::MAX / 0xff;
    let without_top = eight & (0x7f * EACH);
    // The top bit of each byte says whether it is at least `A`, and whether it is beyond `Z`.
    let from_a = without_top + (0x80 - u64::from(b'A')) * EACH;
    let behind_z = without_top + (0x7f - u64::from(b'Z')) * EACH;
    let is_capital = (from_a ^ behind_z) & !eight & (0x80 * EACH);
    eight | (is_capital >> 2)
}

type PositionBits = [u8; 1 << (PLACES_LOG2 - 3)];

fn note(places: &mut PositionBits, bytes: [u8; 3]) {
    let FilterPosition(place) = FilterPosition::new(bytes);
    places[(place >> 3) as usize] |= 1 << (place & 7);
}

/// Adds the six trigrams of eight bytes.
fn note_six(places: &mut PositionBits, eight: u64) {
    for at in 0..6 {
        let [first, second, third, ..] = (eight >> (8 * at)).to_le_bytes();
        note(places, [first, second, third]);
    }
}

impl Trigrams {
    pub fn new(text: &str) -> Self {
        let mut places: PositionBits = [0; _];
        // Eight bytes at a time contain six trigrams.
        let mut rest = text.as_bytes();
        while let Some(eight) = rest.first_chunk() {
            let eight = u64::from_le_bytes(*eight);
            let small = in_small_letters(eight);
            note_six(&mut places, eight);
            if small != eight {
                note_six(&mut places, small);
            }
            rest = &rest[6..];
        }
        for three in rest.windows(3) {
            let three = [three[0], three[1], three[2]];
            note(&mut places, three);
            note(&mut places, three.map(|byte| byte.to_ascii_lowercase()));
        }
        let words = places
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word));
        let distinct: usize = words.clone().map(|word| word.count_ones() as usize).sum();
        let bytes = (distinct * SHARE.0)
            .div_ceil(SHARE.1)
            .clamp(1, (1 << PLACES_LOG2) / 8);
        let mut filter = vec![0; bytes];
        for (word, first) in words.zip((0..).step_by(64)) {
            let mut left = word;
            while left != 0 {
                let bit = FilterPosition(first + left.trailing_zeros()).bit(bytes * 8);
                filter[bit / 8] |= 1 << (bit % 8);
                left &= left - 1;
            }
        }
        Self(filter.into())
    }

    /// Returns whether the text may have a trigram; false is certain.
    pub fn may_have(&self, place: FilterPosition) -> bool {
        let bit = place.bit(self.0.len() * 8);
        self.0
            .get(bit / 8)
            .is_none_or(|byte| byte & 1 << (bit % 8) != 0)
    }

    /// Returns its size in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for Trigrams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Trigrams({} bytes)", self.0.len())
    }
}

/// Serialized as one block, because sequences are written item by item.
impl Serialize for Trigrams {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Trigrams {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Bytes::deserialize(from).map(|Bytes(bytes)| Self(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> impl Iterator<Item = [u8; 3]> {
        text.as_bytes()
            .windows(3)
            .map(|run| [run[0], run[1], run[2]])
    }

    #[test]
    fn every_run_of_a_text_is_found_as_it_is_and_in_small_letters() {
        let long: String = (0..30_000_u32)
            .map(|at| char::from(b' ' + (at * at % 89) as u8))
            .collect();
        for text in [
            "abc",
            "Some Text\r\nof two lines ü€🦀",
            &long,
            &"x".repeat(5000),
        ] {
            let filter = Trigrams::new(text);
            for other in [text.to_owned(), text.to_ascii_lowercase()] {
                assert!(
                    runs(&other).all(|run| filter.may_have(FilterPosition::new(run))),
                    "{text:.20}"
                );
            }
        }
    }

    #[test]
    fn capitals_become_small_and_nothing_else_changes() {
        let bytes: Vec<u8> = (0..=255).collect();
        for eight in bytes.windows(8).filter_map(<[u8]>::first_chunk::<8>) {
            let small = in_small_letters(u64::from_le_bytes(*eight));
            assert_eq!(
                small.to_le_bytes(),
                eight.map(|byte| byte.to_ascii_lowercase())
            );
        }
    }

    #[test]
    fn most_other_runs_are_not_found() {
        let text: String = (0..4000_u32)
            .map(|at| char::from(b'a' + (at * 7919 / 13 % 26) as u8))
            .collect();
        let filter = Trigrams::new(&text);
        let absent: Vec<[u8; 3]> = (0..=255).map(|byte| [byte, 1, byte]).collect();
        let found = absent
            .iter()
            .filter(|run| filter.may_have(FilterPosition::new(**run)))
            .count();
        assert!(
            found * 100 < absent.len() * 30,
            "{found} of {}",
            absent.len()
        );
        assert!(!Trigrams::new("ab").may_have(FilterPosition::new(*b"abc")));
        assert!(!Trigrams::new("").may_have(FilterPosition::new(*b"abc")));
    }

    #[test]
    fn an_unknown_file_may_have_every_trigram_and_filters_round_trip() {
        assert!(Trigrams::default().may_have(FilterPosition::new(*b"abc")));
        for filter in [Trigrams::default(), Trigrams::new("some words")] {
            let bytes = bincode::serialize(&filter).expect("written");
            assert_eq!(
                bincode::deserialize::<Trigrams>(&bytes).expect("read"),
                filter
            );
        }
        assert_eq!(format!("{:?}", Trigrams::new("abcd")), "Trigrams(1 bytes)");
    }
}
