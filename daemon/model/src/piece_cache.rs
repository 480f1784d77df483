//! A direct-mapped cache of the pieces of words, because code repeats the same few words.
//!
//! The hash of a word's letters chooses its slot, which holds the last word with that hash.

use super::word_pieces::WordPieces;
use super::words::{LETTERS, Letter};

const SLOTS: usize = 1 << 11;
/// The bits of a letter.
const BITS: u32 = 6;
const _: () = assert!(LETTERS <= 1 << BITS);
/// The limits of a cached word.
const LONGEST: usize = (u128::BITS / BITS) as usize;
const MAX_PIECES: usize = 4;

/// A cached word, keyed by its letters; no word has the key 0.
#[derive(Clone, Copy, Default)]
struct Word {
    key: u128,
    pieces: [u32; MAX_PIECES],
    length: usize,
}

pub struct PieceCache(Box<[Word]>);

impl Default for PieceCache {
    fn default() -> Self {
        Self(vec![Word::default(); SLOTS].into())
    }
}

impl PieceCache {
    /// Returns the pieces of a word; none if they do not cover it. `found` is a buffer.
    pub fn pieces<'a>(
        &'a mut self,
        pieces: &WordPieces,
        word: &[Letter],
        found: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        if word.len() > LONGEST {
            pieces.split(word, found);
            return found;
        }
        let key = word
            .iter()
            .fold(0, |key, letter| key << BITS | u128::from(*letter));
        let known = &mut self.0[slot(key)];
        if known.key != key {
            pieces.split(word, found);
            if found.len() > MAX_PIECES {
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
fn slot(key: u128) -> usize {
    let mixed = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::super::words::letter_code;
    use super::*;

    #[test]
    fn cached_pieces_are_those_of_the_trie() {
        let names: Vec<String> = ('a'..='z')
            .flat_map(|letter| [letter.to_string(), format!("##{letter}")])
            .collect();
        let mut sorted: Vec<&[u8]> = names
            .iter()
            .map(String::as_bytes)
            .chain([&b"read"[..], b"##ing"])
            .collect();
        sorted.sort_unstable();
        let pieces = WordPieces::new(sorted.into_iter());
        let mut cache = PieceCache::default();
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
            let letters: Vec<Letter> = word.bytes().filter_map(letter_code).collect();
            let (mut plain, mut room) = (vec![], vec![]);
            pieces.split(&letters, &mut plain);
            assert_eq!(cache.pieces(&pieces, &letters, &mut room), plain, "{word}");
        }
    }
}
