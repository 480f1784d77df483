//! The signs of codes: the first stage of a semantic search, which selects the rows that are worth a comparison.
//!
//! A row has one bit for each dimension, an eighth of its codes, so that a search through all rows takes a fraction of the
//! time. The query keeps four bits for each dimension, one bit of all in each of four planes: the sum of its values where a
//! row is positive is then a matter of counting bits. Of the 176,000 rows of Kubernetes the 8,000 best by this estimate contain
//! the ten nearest to each of 150 queries, and 99.7 of the hundred nearest; the 5,500 best, which are compared, 699 of the first
//! ten results of 70 queries.

/// Bits for each dimension of a query: its values are −8 to 7.
const PLANES: usize = 4;
/// The largest value of a query's dimension.
const LARGEST: i32 = 7;
const WORD: usize = u64::BITS as usize;
/// The number of estimates that are compared with the threshold at once.
const GROUP: usize = 16;

/// Returns the signs of a row, in whole words.
pub fn signs(codes: &[i8]) -> impl Iterator<Item = u64> {
    codes
        .chunks(WORD)
        .map(|codes| word(codes, |code| *code > 0))
}

/// Returns the number of words for a row's signs.
pub fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(WORD)
}

fn word<T>(values: &[T], is_set: impl Fn(&T) -> bool) -> u64 {
    let bits = (0..).zip(values);
    bits.fold(0, |word, (bit, value)| {
        word | u64::from(is_set(value)) << bit
    })
}

/// A query as planes of bits: the highest plane counts negatively, as in two's complement.
pub struct BitPlanes {
    words: Vec<[u64; PLANES]>,
    /// Added to each sum, so that no estimate is negative: the sum of all negative values.
    least: u32,
}

/// The rows with the best estimates so far.
pub struct BestRows {
    most: usize,
    /// The number of rows with each estimate, of those that are at least the threshold.
    counts: Vec<u32>,
    /// The sum of the counts.
    count: usize,
    /// Rows with a lower estimate are not among the best. An estimate of 0 never is.
    threshold: u16,
    /// In their order. Some have become too low since.
    rows: Vec<(u32, u16)>,
    /// The number of rows at which those that are too low are dropped.
    capacity: usize,
}

impl BestRows {
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            counts: vec![],
            count: 0,
            threshold: 1,
            rows: Vec::with_capacity(2 * most),
            capacity: 2 * most,
        }
    }

    /// Adds rows that follow each other by their estimates.
    pub fn add(&mut self, first: usize, estimates: &[u16]) {
        for (first, some) in (first..).step_by(GROUP).zip(estimates.chunks(GROUP)) {
            // Most groups have no such row, and the processor compares a whole group at once.
            let highest = some.iter().fold(0, |one: u16, other| one.max(*other));
            if highest < self.threshold {
                continue;
            }
            for (row, estimate) in (first..).zip(some) {
                if *estimate >= self.threshold {
                    self.insert(row, *estimate);
                }
            }
        }
    }

    fn insert(&mut self, row: usize, estimate: u16) {
        let Ok(position) = u32::try_from(row) else {
            return;
        };
        self.rows.push((position, estimate));
        let index = usize::from(estimate);
        if self.counts.len() <= index {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.count += 1;
        loop {
            let lowest = self.counts[usize::from(self.threshold)] as usize;
            if self.count - lowest < self.most {
                break;
            }
            self.count -= lowest;
            self.threshold += 1;
        }
        if self.rows.len() >= self.capacity {
            self.drop_low();
            self.capacity = self.capacity.max(2 * self.rows.len());
        }
    }

    fn drop_low(&mut self) {
        self.rows
            .retain(|(_, estimate)| *estimate >= self.threshold);
    }

    /// Returns the best rows, in their order: at least as many as asked for, if there are so many, and all of equal estimates.
    pub fn finish(mut self) -> impl Iterator<Item = usize> {
        self.drop_low();
        self.rows.into_iter().map(|(row, _)| row as usize)
    }
}

impl BitPlanes {
    pub fn new(codes: &[i16]) -> Self {
        let largest = codes.iter().map(|code| i32::from(*code).abs()).max();
        let largest = largest.filter(|largest| *largest > 0).unwrap_or(1);
        let value = |code: &i16| {
            let product = i32::from(*code) * LARGEST;
            // Rounded to the nearest.
            (product + product.signum() * largest / 2) / largest
        };
        let planes = |codes: &[i16]| {
            std::array::from_fn(|plane| word(codes, |code| value(code) >> plane & 1 == 1))
        };
        let negative = codes.iter().map(value).filter(|value| *value < 0);
        Self {
            words: codes.chunks(WORD).map(planes).collect(),
            least: negative.map(i32::unsigned_abs).sum(),
        }
    }

    /// Appends an estimate for each row of signs: greater for a greater cosine, and at least 1.
    pub fn estimate_rows(&self, signs: &[u64], into: &mut Vec<u16>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            #[expect(
                unsafe_code,
                reason = "the processor has been asked for this instruction"
            )]
            return unsafe { self.estimate_rows_popcnt(signs, into) };
        }
        self.estimate_rows_plain(signs, into);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn estimate_rows_popcnt(&self, signs: &[u64], into: &mut Vec<u16>) {
        self.estimate_rows_plain(signs, into);
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "only then is it compiled for the processor of its caller"
    )]
    fn estimate_rows_plain(&self, signs: &[u64], into: &mut Vec<u16>) {
        let words = self.words.len().max(1);
        into.reserve(signs.len() / words);
        for row in signs.chunks_exact(words) {
            let mut counts = [0_u32; PLANES];
            for (word, planes) in row.iter().zip(&self.words) {
                for plane in 0..PLANES {
                    counts[plane] += (word & planes[plane]).count_ones();
                }
            }
            let [ones, twos, fours, negative] = counts;
            let sum = 1 + self.least + ones + 2 * twos + 4 * fours - 8 * negative;
            into.push(u16::try_from(sum).unwrap_or(u16::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_rows_are_those_of_a_plain_sort() {
        let random = |row: u16| row.wrapping_mul(40_503) >> 3 & 255;
        let equal = |_| 7;
        let rising = |row| row;
        for estimate in [&random as &dyn Fn(u16) -> u16, &equal, &rising] {
            let estimates: Vec<u16> = (0..5000).map(estimate).collect();
            for most in [1, 3, 100, 4999, 5000, 9000] {
                let mut best = BestRows::new(most);
                for (part, estimates) in estimates.chunks(70).enumerate() {
                    best.add(part * 70, estimates);
                }
                let mut sorted = estimates.clone();
                sorted.sort_unstable_by(|one, other| other.cmp(one));
                let least = sorted.get(most - 1).copied().unwrap_or(0).max(1);
                let rows = estimates.iter().enumerate();
                let expected: Vec<usize> = rows
                    .filter(|(_, estimate)| **estimate >= least)
                    .map(|(row, _)| row)
                    .collect();
                assert_eq!(best.finish().collect::<Vec<_>>(), expected, "{most}");
            }
        }
        assert_eq!(BestRows::new(5).finish().count(), 0);
    }

    #[test]
    fn an_estimate_is_the_sum_of_the_query_where_the_row_is_positive() {
        for length in [1, 63, 64, 65, 256, 300] {
            let query: Vec<i16> = (0..length).map(|at| (at * 53 % 255) - 127).collect();
            let rows: Vec<Vec<i8>> = (0..5_i16)
                .map(|row| {
                    let code = |at: i16| i8::try_from((at * 37 + row * 11) % 255 - 127);
                    (0..length).map(|at| code(at).expect("small")).collect()
                })
                .collect();
            let all: Vec<u64> = rows.iter().flat_map(|row| signs(row)).collect();
            assert_eq!(
                all.len(),
                5 * words(usize::try_from(length).expect("positive"))
            );
            let planes = BitPlanes::new(&query);
            let (mut found, mut anywhere) = (vec![], vec![]);
            planes.estimate_rows(&all, &mut found);
            planes.estimate_rows_plain(&all, &mut anywhere);
            assert_eq!(found, anywhere);
            let largest = query
                .iter()
                .map(|code| f64::from(*code).abs())
                .fold(1.0, f64::max);
            for (row, estimate) in rows.iter().zip(found) {
                let positive = query.iter().zip(row).filter(|(_, code)| **code > 0);
                let sum: f64 = positive
                    .map(|(value, _)| (f64::from(*value) * 7.0 / largest).round())
                    .sum();
                let expected = 1.0 + f64::from(planes.least) + sum;
                assert!((f64::from(estimate) - expected).abs() < 0.5, "{length}");
            }
        }
    }
}
