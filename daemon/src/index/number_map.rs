//! Hash maps with a fast hasher, for keys that are positions in lists or hashes themselves.
//!
//! The standard hasher resists keys that are chosen to collide. These keys are numbers of our own, and a ranking looks up
//! tens of thousands of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Multiplies by an irregular constant, and mixes the high half into the low one, by which tables choose the bucket.
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
    fn neighbouring_keys_get_different_buckets() {
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
    fn a_map_returns_the_inserted_values() {
        let map: NumberMap<(usize, usize), usize> =
            (0..1000).map(|at| ((at / 7, at % 7), at)).collect();
        assert_eq!(
            (map.len(), map.get(&(3, 2)), map.get(&(3, 7))),
            (1000, Some(&23), None)
        );
    }
}
