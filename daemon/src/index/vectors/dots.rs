//! Dot products of one vector with many rows: a semantic search spends most of its time here.
//!
//! The compiler vectorises the plain loop twice: for any processor, and for those with AVX2, chosen at run time for each block
//! of rows. With AVX2, rows are prefetched: by itself the processor fetches ahead only to the end of a page, and waits at the
//! start of each. That halves the time.

/// Appends the dot product of the query with each row of a block; the query is as long as a row, and not empty.
pub fn dot_rows(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor has been asked for these instructions"
        )]
        return unsafe { dot_rows_avx2(query, rows, into) };
    }
    dot_rows_plain(query, rows, into);
}

/// Returns the dot product of the query with one row.
pub fn dot(query: &[i16], row: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor has been asked for these instructions"
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_rows_avx2(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    dot_each_row(query, rows, into, |row| prefetch(row, DISTANCE));
}

fn dot_rows_plain(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    dot_each_row(query, rows, into, |_| ());
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only then is it compiled for the processor of its caller"
)]
fn dot_each_row(query: &[i16], rows: &[i8], into: &mut Vec<i32>, before: impl Fn(&[i8])) {
    into.reserve(rows.len() / query.len());
    // A plain loop: an iterator adapter would be a function of its own, compiled for any processor.
    for row in rows.chunks_exact(query.len()) {
        before(row);
        into.push(dot_plain(query, row));
    }
}

/// The distance of the prefetch in bytes: eight rows of the usual length.
#[cfg(target_arch = "x86_64")]
const DISTANCE: usize = 2048;

/// Prefetches the length of a row, at a distance from its start.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(row: &[i8], distance: usize) {
    const LINE: usize = 64;
    for line in (0..row.len()).step_by(LINE) {
        let address = row.as_ptr().wrapping_add(distance + line);
        #[expect(
            unsafe_code,
            reason = "an address is only a hint here, whatever lies there"
        )]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address);
        }
    }
}

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
            let rows: Vec<i8> = (0..length * 7).map(code).collect();
            let plain = |row: &[i8]| -> i32 {
                query
                    .iter()
                    .zip(row)
                    .map(|(q, r)| i32::from(*q) * i32::from(*r))
                    .sum()
            };
            let expected: Vec<i32> = rows.chunks(length).map(plain).collect();
            let (mut found, mut anywhere) = (vec![], vec![]);
            dot_rows(&query, &rows, &mut found);
            dot_rows_plain(&query, &rows, &mut anywhere);
            assert_eq!((&found, &anywhere), (&expected, &expected));
            let single: Vec<i32> = rows.chunks(length).map(|row| dot(&query, row)).collect();
            assert_eq!(single, expected);
        }
    }
}
