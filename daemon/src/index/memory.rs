//! Gives memory that is free back to the system, and takes it in pages small enough to be given back.

// The allocator, which is otherwise linked where it is used: in the program.
use mimalloc as _;

#[expect(
    unsafe_code,
    reason = "the allocator's crate has no safe way to say this"
)]
mod allocator {
    use std::ffi::{c_int, c_long};

    /// `mi_option_purge_delay`, in milliseconds.
    pub const PURGE_DELAY: c_int = 15;

    unsafe extern "C" {
        /// Returns what this thread and threads that have ended have freed.
        pub safe fn mi_collect(force: bool);
        pub safe fn mi_option_set(option: c_int, value: c_long);
        #[cfg(test)]
        pub safe fn mi_option_get(option: c_int) -> c_long;
    }
}

/// Has pages that are free given back to the system at once, from now on.
///
/// By default they wait for a second, and for a thread that allocates much. Meanwhile another thread makes a page of 4 MB
/// out of them, of which it needs one block of 100 KB, and the rest of that page stays resident as long as the block
/// lives. Over 2,000 questions and 500 edits of 3,000 files, 237 MB were resident where 62 were in use; 140 are with this.
/// It costs 6 % of processor time under such a load.
pub fn give_back_at_once() {
    allocator::mi_option_set(allocator::PURGE_DELAY, 0);
}

/// The allocator keeps what was freed for the next allocation. After a large index has been dropped there may be none.
pub fn give_back() {
    allocator::mi_collect(true);
}

/// What is read where the program is mapped, and may not be for a while: the system reads it again when it is.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "no crate that is linked anyway has a safe way to say this; what is mapped stays mapped"
)]
pub fn let_go(mapped: &'static [u8]) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_DONTNEED: c_int = 4;
    // Whole pages of it alone, of any size that a system has.
    const PAGE: usize = 1 << 16;
    let start = mapped.as_ptr().addr().next_multiple_of(PAGE);
    let end = mapped.as_ptr_range().end.addr() / PAGE * PAGE;
    if let Some(length) = end.checked_sub(start) {
        unsafe {
            madvise(
                mapped.as_ptr().with_addr(start).cast_mut().cast(),
                length,
                MADV_DONTNEED,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
pub fn let_go(_: &'static [u8]) {}

/// The settings by which the system hands out memory to this process and to those that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// A large one stays as long as anything in it does: after a root is unloaded that was four fifths of what was left.
    Small,
    /// Fewer faults, for who takes much and ends soon.
    AsAsked,
}

/// From now on. Where the kernel knows no large pages there is nothing to turn off.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "no crate that is linked anyway has a safe way to say this; all arguments are numbers"
)]
pub fn use_pages(pages: Pages) {
    use std::ffi::{c_int, c_ulong};

    unsafe extern "C" {
        fn prctl(option: c_int, ...) -> c_int;
    }
    const PR_SET_THP_DISABLE: c_int = 41;
    let (is_disabled, unused) = (c_ulong::from(pages == Pages::Small), c_ulong::from(0_u8));
    unsafe { prctl(PR_SET_THP_DISABLE, is_disabled, unused, unused, unused) };
}

#[cfg(not(target_os = "linux"))]
pub fn use_pages(_: Pages) {}

#[cfg(test)]
mod tests {
    use super::allocator::{PURGE_DELAY, mi_option_get};
    use super::*;

    #[test]
    fn the_purge_delay_is_the_option_that_is_set() {
        // Its default; no other option has it. The numbers of options may change with the allocator's version.
        assert_eq!(mi_option_get(PURGE_DELAY), 1000);
        give_back_at_once();
        assert_eq!(mi_option_get(PURGE_DELAY), 0);
    }
}
