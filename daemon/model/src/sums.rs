//! Weighted sums of rows: embedding a text spends most of its time here.
//!
//! The compiler vectorises the plain loops twice: for any processor, and for those with AVX2. **Invariant:** both do the same
//! operations on each number in the same order, so vectors are equal to the bit on all processors.

/// Adds four rows of one byte per number, each times its weight. Four at once, so that the sum is read and written a quarter
/// as often.
pub fn add_codes(sum: &mut [f32], rows: [&[u8]; 4], weights: [f32; 4]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor was checked for these instructions"
        )]
        return unsafe { add_codes_avx2(sum, rows, weights) };
    }
    add_plain(sum, rows, weights, |code| f32::from(code.cast_signed()));
}

/// Adds four rows, each times its weight.
pub fn add_rows(sum: &mut [f32], rows: [&[f32]; 4], weights: [f32; 4]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor was checked for these instructions"
        )]
        return unsafe { add_rows_avx2(sum, rows, weights) };
    }
    add_plain(sum, rows, weights, |number| number);
}

/// Adds a row times a number.
pub fn add_times(sum: &mut [f32], times: f32, row: &[f32]) {
    for (value, one) in sum.iter_mut().zip(row) {
        *value += times * one;
    }
}

/// Scales a vector to length one, unless it is zero. Returns its length before.
pub fn normalise(vector: &mut [f32]) -> f32 {
    const LANES: usize = 16;
    let (lanes, rest) = vector.as_chunks::<LANES>();
    // One sum per lane: a single sum would be a chain of dependent additions.
    let mut squares = [0.0; LANES];
    for numbers in lanes {
        for (square, number) in squares.iter_mut().zip(numbers) {
            *square += number * number;
        }
    }
    let sum = squares.iter().sum::<f32>() + rest.iter().map(|number| number * number).sum::<f32>();
    let length = sum.sqrt().max(1e-9);
    for value in vector {
        *value /= length;
    }
    length
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_codes_avx2(sum: &mut [f32], rows: [&[u8]; 4], weights: [f32; 4]) {
    add_plain(sum, rows, weights, |code| f32::from(code.cast_signed()));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_rows_avx2(sum: &mut [f32], rows: [&[f32]; 4], weights: [f32; 4]) {
    add_plain(sum, rows, weights, |number| number);
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only then is it compiled for the processor of its caller"
)]
fn add_plain<T: Copy>(
    sum: &mut [f32],
    rows: [&[T]; 4],
    weights: [f32; 4],
    number: impl Fn(T) -> f32,
) {
    let [one, two, three, four] = rows;
    for ((((value, one), two), three), four) in
        sum.iter_mut().zip(one).zip(two).zip(three).zip(four)
    {
        *value += weights[0] * number(*one)
            + weights[1] * number(*two)
            + weights[2] * number(*three)
            + weights[3] * number(*four);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_give_the_same_bytes() {
        for length in [0, 1, 7, 8, 33, 320] {
            let codes: Vec<u8> = (0..length * 4)
                .map(|at| u8::try_from(at * 37 % 256).unwrap_or_default())
                .collect();
            let rows = [0, 1, 2, 3].map(|row| &codes[row * length..][..length]);
            let floats: Vec<f32> = codes
                .iter()
                .map(|code| f32::from(*code) / 7.0 - 11.0)
                .collect();
            let float_rows = [0, 1, 2, 3].map(|row| &floats[row * length..][..length]);
            let weights = [0.3, -1.7, 0.01, 23.0];
            let (mut wide, mut anywhere) = (vec![0.5; length], vec![0.5; length]);
            add_codes(&mut wide, rows, weights);
            add_rows(&mut wide, float_rows, weights);
            add_plain(&mut anywhere, rows, weights, |code: u8| {
                f32::from(code.cast_signed())
            });
            add_plain(&mut anywhere, float_rows, weights, |number| number);
            let bits = |sum: &[f32]| sum.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&wide), bits(&anywhere), "{length}");
        }
    }

    #[test]
    fn a_vector_is_brought_to_length_one() {
        let mut vector: Vec<f32> = (0_u8..35).map(|at| f32::from(at) - 17.0).collect();
        let length = normalise(&mut vector);
        assert!((length - 3570.0_f32.sqrt()).abs() < 1e-4, "{length}");
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-6);
        let mut nought = [0.0; 20];
        normalise(&mut nought);
        assert!(nought.iter().all(|value| value.to_bits() == 0));
    }
}
