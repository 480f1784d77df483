//! The signs of the codes of rows, a bit each, by which rows that may be near a query are found.
//!
//! Two vectors with a small angle between them agree in most signs. The signs of a row take an eighth of its codes, and
//! comparing them takes a few instructions, so a large root is scanned by signs first, and only the rows that agree most are
//! compared by their codes.

/// Bits of one word.
const WIDTH: usize = 64;

/// Returns the number of words for rows of this length.
pub fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(WIDTH)
}

/// Appends the signs of a row.
pub fn push_signs(codes: impl Iterator<Item = bool>, into: &mut Vec<u64>) {
    let mut word = 0;
    let mut bit = 0;
    for is_negative in codes {
        word |= u64::from(is_negative) << bit;
        bit += 1;
        if bit == WIDTH {
            into.push(word);
            (word, bit) = (0, 0);
        }
    }
    if bit > 0 {
        into.push(word);
    }
}

/// Appends the number of signs in which each row of a block differs from the query, which is as long as a row.
pub fn distances(query: &[u64], rows: &[u64], into: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(
            unsafe_code,
            reason = "the processor has been asked for this instruction"
        )]
        return unsafe { distances_popcnt(query, rows, into) };
    }
    distances_plain(query, rows, into);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_popcnt(query: &[u64], rows: &[u64], into: &mut Vec<u16>) {
    distances_plain(query, rows, into);
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only then is it compiled for the processor of its caller"
)]
fn distances_plain(query: &[u64], rows: &[u64], into: &mut Vec<u16>) {
    into.reserve(rows.len() / query.len());
    if let Ok(query) = <&[u64; 4]>::try_from(query) {
        // The length of the built-in model's vectors, without a loop for each row.
        for row in rows.as_chunks::<4>().0 {
            let mut distance = 0;
            for word in 0..4 {
                distance += (query[word] ^ row[word]).count_ones();
            }
            into.push(u16::try_from(distance).unwrap_or(u16::MAX));
        }
        return;
    }
    for row in rows.chunks_exact(query.len()) {
        let mut distance = 0;
        for (one, other) in query.iter().zip(row) {
            distance += (one ^ other).count_ones();
        }
        into.push(u16::try_from(distance).unwrap_or(u16::MAX));
    }
}

/// Returns the positions of the `most` smallest distances, and of those that equal the last of them, in order.
pub fn smallest(distances: &[u16], most: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = vec![];
    for distance in distances.iter().map(|distance| usize::from(*distance)) {
        if distance >= counts.len() {
            counts.resize(distance + 1, 0);
        }
        counts[distance] += 1;
    }
    let mut total = 0;
    let mut limit = 0;
    for (distance, count) in counts.iter().enumerate() {
        limit = distance;
        total += count;
        if total >= most {
            break;
        }
    }
    let is_small = |(at, distance): (usize, &u16)| (usize::from(*distance) <= limit).then_some(at);
    distances.iter().enumerate().filter_map(is_small).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_numbers_of_different_signs() {
        for length in [1_usize, 63, 64, 65, 256, 300] {
            let sign = |row: usize, at: usize| (row * 131 + at * at * 7) % 5 < 2;
            let row = |row: usize| (0..length).map(move |at| sign(row, at));
            let mut rows = vec![];
            (0..9).for_each(|number| push_signs(row(number), &mut rows));
            assert_eq!(rows.len(), 9 * words(length));
            let mut query = vec![];
            push_signs(row(4), &mut query);
            let expected: Vec<u16> = (0..9)
                .map(|number| {
                    let different = row(number).zip(row(4)).filter(|(one, other)| one != other);
                    u16::try_from(different.count()).expect("few")
                })
                .collect();
            let (mut found, mut anywhere) = (vec![], vec![]);
            distances(&query, &rows, &mut found);
            distances_plain(&query, &rows, &mut anywhere);
            assert_eq!((&found, &anywhere), (&expected, &expected), "{length}");
        }
    }

    #[test]
    fn the_smallest_distances_are_found_with_their_equals() {
        let distances = [5, 2, 9, 2, 7, 0, 5];
        assert_eq!(smallest(&distances, 1), [5]);
        assert_eq!(smallest(&distances, 2), [1, 3, 5]);
        assert_eq!(smallest(&distances, 4), [0, 1, 3, 5, 6]);
        assert_eq!(smallest(&distances, 100).len(), distances.len());
        assert!(smallest(&[], 3).is_empty());
    }
}
