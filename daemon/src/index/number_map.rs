//! Maps by numbers of our own making: places in lists, and hashes already made.
//!
//! The standard hasher withstands keys that somebody chose to collide. Nobody chooses these, and a ranking asks for tens of
//! thousands of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Multiplies by a number without pattern, and mixes the high half into the low one, which tables take their places from.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHasher(u64);

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(MULTIPLIER);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    use super::*;

    fn hash(key: impl Hash) -> u64 {
        BuildHasherDefault::<NumberHasher>::default().hash_one(key)
    }

    #[test]
    fn neighbours_lie_apart_where_tables_look() {
        let keys: Vec<(usize, usize)> = (0..256)
            .flat_map(|file| (0..16).map(move |chunk| (file, chunk)))
            .collect();
        for bits in [|hash: u64| hash & 0xFFFF, |hash: u64| hash >> 48] {
            let places: HashSet<u64> = keys.iter().map(|key| bits(hash(*key))).collect();
            assert!(
                places.len() > keys.len() * 9 / 10,
                "only {} of {}",
                places.len(),
                keys.len()
            );
        }
    }

    #[test]
    fn a_map_finds_what_was_put_there() {
        let map: NumberMap<(usize, usize), usize> =
            (0..1000).map(|at| ((at / 7, at % 7), at)).collect();
        assert_eq!(
            (map.len(), map.get(&(3, 2)), map.get(&(3, 7))),
            (1000, Some(&23), None)
        );
    }
}
