//! Returns free memory to the system, and chooses a page size that makes it possible.

// Links the allocator, which the program sets.
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
        /// Returns the memory that this thread and ended threads have freed.
        pub safe fn mi_collect(force: bool);
        pub safe fn mi_option_set(option: c_int, value: c_long);
        #[cfg(test)]
        pub safe fn mi_option_get(option: c_int) -> c_long;
    }
}

/// Makes the allocator return free pages to the system at once.
///
/// By default they wait for a second, and for a thread that allocates much. Meanwhile another thread may turn them into a page
/// of 4 MB for one block of 100 KB, and the whole page stays resident as long as the block lives. After 2,000 queries and 500
/// edits of 3,000 files, 237 MB were resident where 62 were in use; with this setting 140 are. It costs 6 % of processor time
/// under such a load.
pub fn release_immediately() {
    allocator::mi_option_set(allocator::PURGE_DELAY, 0);
}

/// Returns freed memory to the system, after a large index has been dropped.
pub fn release_free() {
    allocator::mi_collect(true);
}

/// Releases the pages of a mapped part of the program. The system reads them again at their next use.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "no crate that is linked anyway has a safe way to say this; what is mapped stays mapped"
)]
pub fn release_mapped(mapped: &'static [u8]) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_DONTNEED: c_int = 4;
    // Whole pages only, for the largest page size of any system.
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
pub fn release_mapped(_: &'static [u8]) {}

/// The page size of this process and of those that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// No huge pages, which stay resident as long as anything in them is in use: after a root was unloaded they were four
    /// fifths of the remaining memory.
    Small,
    /// Fewer page faults, for processes that need much memory and end soon.
    SystemDefault,
}

/// Sets the page size. Without effect where the kernel has no huge pages.
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
        // Its default, which no other option has. The numbers of options may change with the allocator's version.
        assert_eq!(mi_option_get(PURGE_DELAY), 1000);
        release_immediately();
        assert_eq!(mi_option_get(PURGE_DELAY), 0);
    }
}
