//! Products of one vector with many rows: what a search by meaning spends its time in.
//!
//! The compiler makes vector instructions of the plain loop, for whichever processor it is told of: once for any, once for
//! those with wider registers. Which one is asked when a block of rows is begun. There, rows are asked of memory well before
//! they are needed: by itself the processor fetches ahead only to the end of a page, and waits at the start of each. That
//! halves the time.

/// Appends the product of the query with each row of a block; the query is as long as a row, and not empty.
pub fn of_rows(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor has been asked for these instructions"
        )]
        return unsafe { of_rows_wide(query, rows, into) };
    }
    of_rows_anywhere(query, rows, into);
}

/// The product of the query with one row.
pub fn of_row(query: &[i16], row: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the processor has been asked for these instructions"
        )]
        return unsafe { of_row_wide(query, row) };
    }
    dot(query, row)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn of_row_wide(query: &[i16], row: &[i8]) -> i32 {
    dot(query, row)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn of_rows_wide(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    of_each_row(query, rows, into, |row| ask_for(row, AHEAD));
}

fn of_rows_anywhere(query: &[i16], rows: &[i8], into: &mut Vec<i32>) {
    of_each_row(query, rows, into, |_| ());
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "only then is it compiled for the processor of its caller"
)]
fn of_each_row(query: &[i16], rows: &[i8], into: &mut Vec<i32>, before: impl Fn(&[i8])) {
    into.reserve(rows.len() / query.len());
    // A plain loop: what an adapter of iterators does is a function of its own, and compiled for any processor.
    for row in rows.chunks_exact(query.len()) {
        before(row);
        into.push(dot(query, row));
    }
}

/// How far ahead of what is compared memory is asked for, in bytes: eight rows of the usual length.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2048;

/// Has the processor fetch as much memory as a row takes, so many bytes behind where that begins.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ask_for(row: &[i8], behind: usize) {
    const LINE: usize = 64;
    for line in (0..row.len()).step_by(LINE) {
        let address = row.as_ptr().wrapping_add(behind + line);
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
fn dot(query: &[i16], row: &[i8]) -> i32 {
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
    fn every_way_gives_the_plain_sum() {
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
            of_rows(&query, &rows, &mut found);
            of_rows_anywhere(&query, &rows, &mut anywhere);
            assert_eq!((&found, &anywhere), (&expected, &expected));
            let single: Vec<i32> = rows.chunks(length).map(|row| of_row(&query, row)).collect();
            assert_eq!(single, expected);
        }
    }
}
