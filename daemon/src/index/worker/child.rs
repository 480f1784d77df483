//! The worker's side: read texts, write facts, until the pipe ends.

use std::io::{self, BufReader, BufWriter, Write};

use claudevil_protocol::version::Identity;

use super::{Pace, trees, wire};
use crate::extract;
use crate::index::memory::{self, Pages};
use crate::store::ledger::record::{self, StoredFacts};

/// Seconds of processor time for one file. The system counts whole seconds, so a file gets one to two.
#[cfg(unix)]
const FILE_SECONDS: u64 = 2;
/// Bytes that a worker may have beyond what it started with.
#[cfg(unix)]
const MEMORY: u64 = 224 << 20;

pub fn run(pace: Pace) -> io::Result<()> {
    if pace == Pace::Bulk {
        limits::lower_priority();
    }
    limits::leave_no_core();
    memory::use_pages(Pages::AsAsked);
    trees::keep_here();
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, standard_output()?);
    wire::write_block(&mut output, Identity::own().build.as_bytes())?;
    output.flush()?;
    limits::bound_memory();
    while let Some(jobs) = wire::read_jobs(&mut input)? {
        for job in jobs {
            limits::bound_time();
            #[cfg(debug_assertions)]
            inject(&job.text);
            let extracted = || extract::extract(job.language, &job.text, job.sizes);
            #[expect(unsafe_code, reason = "facts are made of numbers and texts, and parsers end with the call")]
            let facts = unsafe { trees::made_of(extracted) };
            let facts = StoredFacts {
                outline: record::compress(&facts.outline),
                occurrences: record::compress(&facts.occurrences),
            };
            wire::write_facts(&mut output, &facts)?;
            // Each at once: what was answered before a crash need not be done again.
            output.flush()?;
        }
    }
    Ok(())
}

/// The pipe itself: what the library has for it looks for ends of lines, and writes up to each.
#[cfg(unix)]
fn standard_output() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(Into::into)
}

#[cfg(windows)]
fn standard_output() -> io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(Into::into)
}

/// Texts by which tests make a worker fail as hostile files do.
#[cfg(debug_assertions)]
fn inject(text: &str) {
    if text.starts_with("claudevil-test: abort") {
        std::process::abort();
    }
    if text.starts_with("claudevil-test: spin") {
        loop {
            std::hint::spin_loop();
        }
    }
    if text.starts_with("claudevil-test: hang") {
        loop {
            std::thread::park();
        }
    }
    if text.starts_with("claudevil-test: hoard") {
        let mut hoard: Vec<Vec<u8>> = vec![];
        loop {
            hoard.push(vec![1; 1 << 20]);
        }
    }
}

#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};

    pub fn lower_priority() {
        let _ = nice(10);
    }

    /// A worker that dies is expected: its memory is nobody's business.
    pub fn leave_no_core() {
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }

    /// A file that takes longer ends the process by SIGXCPU.
    pub fn bound_time() {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
        let used = u64::try_from(used).unwrap_or_default();
        let maximum = getrlimit(Resource::Cpu).maximum;
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(used + super::FILE_SECONDS), maximum });
    }

    pub fn bound_memory() {
        let maximum = getrlimit(Resource::Data).maximum;
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(super::MEMORY), maximum });
    }
}

#[cfg(not(unix))]
mod limits {
    pub fn lower_priority() {}
    pub fn leave_no_core() {}
    pub fn bound_time() {}
    pub fn bound_memory() {}
}
