//! The dot product of a vector with a row of codes.

/// Returns the dot product. The compiler vectorises the plain loop twice: for any processor, and for those with AVX2.
pub fn dot(query: &[i16], row: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor was checked for these instructions"
        )]
        return unsafe { dot_avx2(query, row) };
    }
    dot_plain(query, row)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(query: &[i16], row: &[i8]) -> i32 {
    dot_plain(query, row)
}

// Only then is it compiled for the processor of its caller.
#[inline(always)]
fn dot_plain(query: &[i16], row: &[i8]) -> i32 {
    const LANES: usize = 32;
    let (queries, rows) = (query.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    let mut sum = 0_i32;
    for (one, two) in queries.0.iter().zip(rows.0) {
        for lane in 0..LANES {
            sum += i32::from(one[lane]) * i32::from(two[lane]);
        }
    }
    for (one, two) in queries.1.iter().zip(rows.1) {
        sum += i32::from(*one) * i32::from(*two);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_give_the_plain_sum() {
        for length in [1, 31, 32, 33, 256, 300] {
            let code = |at: usize| i8::try_from(at * 37 % 255).unwrap_or(-127);
            let query: Vec<i16> = (0..length).map(|at| code(at * 3 + 1).into()).collect();
            let row: Vec<i8> = (0..length).map(code).collect();
            let products = query.iter().zip(&row);
            let expected: i32 = products.map(|(q, r)| i32::from(*q) * i32::from(*r)).sum();
            assert_eq!(dot(&query, &row), expected);
            assert_eq!(dot_plain(&query, &row), expected);
        }
    }
}
