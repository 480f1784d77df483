//! The pieces of words that were met a moment ago: code says the same few words again and again.
//!
//! A word's place follows from its letters, and the last word that had the place stays there. What is remembered is what
//! `Pieces` said, so it changes how long a text takes and nothing else.

use super::pieces::Pieces;
use super::words::{SIGNS, Sign};

const PLACES: usize = 1 << 11;
/// Bits that a sign takes.
const BITS: u32 = 6;
const _: () = assert!(SIGNS <= 1 << BITS);
/// Longer words, and those of more pieces, are taken apart each time.
const LONGEST: usize = (u128::BITS / BITS) as usize;
const MOST_PIECES: usize = 4;

/// A word by its signs; no word is nought.
#[derive(Clone, Copy, Default)]
struct Word {
    key: u128,
    pieces: [u32; MOST_PIECES],
    length: usize,
}

pub struct Covered(Box<[Word]>);

impl Default for Covered {
    fn default() -> Self {
        Self(vec![Word::default(); PLACES].into())
    }
}

impl Covered {
    /// The pieces of a word; none if they do not cover it. `found` is room.
    pub fn pieces<'a>(
        &'a mut self,
        pieces: &Pieces,
        word: &[Sign],
        found: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        if word.len() > LONGEST {
            pieces.cover(word, found);
            return found;
        }
        let key = word
            .iter()
            .fold(0, |key, sign| key << BITS | u128::from(*sign));
        let known = &mut self.0[place(key)];
        if known.key != key {
            pieces.cover(word, found);
            if found.len() > MOST_PIECES {
                return found;
            }
            known.key = key;
            known.length = found.len();
            known.pieces[..found.len()].copy_from_slice(found);
        }
        &known.pieces[..known.length]
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of it, and then a few bits"
)]
fn place(key: u128) -> usize {
    let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - PLACES.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::super::words::sign;
    use super::*;

    #[test]
    fn what_is_remembered_is_what_was_found() {
        let names: Vec<String> = ('a'..='z')
            .flat_map(|letter| [letter.to_string(), format!("##{letter}")])
            .collect();
        let mut sorted: Vec<&[u8]> = names
            .iter()
            .map(String::as_bytes)
            .chain([&b"read"[..], b"##ing"])
            .collect();
        sorted.sort_unstable();
        let pieces = Pieces::new(sorted.into_iter());
        let mut covered = Covered::default();
        // More words than there are places, some too long, some of too many pieces, some that cannot be covered.
        let letter = |number: usize| char::from(b"abcdefghij"[number % 10]);
        let spelt = |number: usize| {
            [number / 1000, number / 100, number / 10, number]
                .map(letter)
                .iter()
                .collect::<String>()
        };
        let words = (0..5000).map(|number| match number % 5 {
            0 => "read".to_owned(),
            1 => format!("read{}", spelt(number)),
            2 => format!("{}9", spelt(number)),
            3 => spelt(number).repeat(6),
            _ => spelt(number)[..=number % 4].to_owned(),
        });
        for word in words {
            let signs: Vec<Sign> = word.bytes().filter_map(sign).collect();
            let (mut plain, mut room) = (vec![], vec![]);
            pieces.cover(&signs, &mut plain);
            assert_eq!(covered.pieces(&pieces, &signs, &mut room), plain, "{word}");
        }
    }
}
