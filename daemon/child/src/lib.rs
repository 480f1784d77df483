//! The daemon's child processes: how they are started, greeted, called, limited and ended, and what goes through their
//! pipes.
//!
//! Parser workers are `claudevild` itself; stored vectors and transformers are `claudevil-vectors`, a program of its own
//! because of what it links. Both ends of a pipe use this crate, which therefore links no engine. **Invariant:** both ends come
//! from the same build, which a child's first block proves, so the formats need no versions.

pub mod frame;
pub mod process;
pub mod program;
pub mod restart;
pub mod transformer;
pub mod vectors;

/// Lowers the priority of this thread, and of the threads that it starts from now on.
pub fn lower_priority() {
    // On other systems this would lower the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}
