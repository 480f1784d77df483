//! Gives memory that is free back to the system, and takes it in pages small enough to be given back.

// The allocator, which is otherwise linked where it is used: in the program.
use mimalloc as _;

#[expect(
    unsafe_code,
    reason = "the allocator's crate has no safe way to say this"
)]
mod allocator {
    unsafe extern "C" {
        /// Returns what this thread and threads that have ended have freed.
        pub safe fn mi_collect(force: bool);
    }
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
