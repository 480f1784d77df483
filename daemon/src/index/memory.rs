//! Gives memory that is free back to the system.

// The allocator, which is otherwise linked where it is used: in the program.
use mimalloc as _;

#[expect(unsafe_code, reason = "the allocator's crate has no safe way to say this")]
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
