//! The worker's side: read texts, write facts, until the pipe ends.

use std::io::{self, BufReader, BufWriter, Write};

use claudevil_child::frame;

use super::{Pace, wire};
use crate::extract;
use crate::index::memory::{self, Pages};
use crate::store::ledger::record::{self, StoredFacts};

/// Processor time for one file, from its text to its facts, in milliseconds. With the start of a worker it comes to
/// less than two seconds.
#[cfg(unix)]
const FILE_MILLIS: u16 = 1900;
/// Bytes of data that a worker may have. What the files before have left counts too, so the first file of a worker has the
/// most room, and what does not fit beside others is tried again as the first.
#[cfg(unix)]
const MEMORY: u64 = 224 << 20;

pub fn run(pace: Pace) -> io::Result<()> {
    if pace == Pace::Bulk {
        limits::lower_priority();
    }
    limits::leave_no_core();
    memory::use_pages(Pages::AsAsked);
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, standard_output()?);
    frame::greet(&mut output)?;
    limits::bound_memory();
    #[cfg(debug_assertions)]
    let mut company = Company::Alone;
    while let Some(jobs) = wire::read_jobs(&mut input)? {
        for job in jobs {
            limits::bound_time();
            #[cfg(debug_assertions)]
            inject(
                &job.text,
                std::mem::replace(&mut company, Company::BesideOthers),
            );
            let facts = extract::extract(job.language, &job.text, job.sizes);
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
    io::stdout()
        .as_handle()
        .try_clone_to_owned()
        .map(Into::into)
}

/// The position of a file in its worker: the first, or after others.
#[cfg(debug_assertions)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    BesideOthers,
}

/// Texts by which tests make a worker fail as hostile files do.
#[cfg(debug_assertions)]
fn inject(text: &str, company: Company) {
    if text.contains("beside others") && company == Company::Alone {
        return;
    }
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
    use std::ffi::{c_int, c_long};

    use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};

    #[cfg(target_os = "macos")]
    type Micros = c_int;
    #[cfg(not(target_os = "macos"))]
    type Micros = c_long;

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct TimeValue {
        seconds: c_long,
        micros: Micros,
    }

    #[repr(C)]
    struct Timer {
        interval: TimeValue,
        value: TimeValue,
    }

    pub fn lower_priority() {
        let _ = nice(10);
    }

    /// A worker that dies is expected: its memory is nobody's business.
    pub fn leave_no_core() {
        let _ = setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                maximum: Some(0),
            },
        );
    }

    /// Starts the time of a file anew: SIGPROF ends the process when it is over. A timer counts what the process itself has
    /// used since, to the tick. `RLIMIT_CPU` counts whole seconds, so that it would depend on the files before.
    #[expect(
        unsafe_code,
        reason = "no crate that is linked anyway has a safe way to say this; the timer is read at once"
    )]
    pub fn bound_time() {
        unsafe extern "C" {
            fn setitimer(which: c_int, new: *const Timer, old: *mut Timer) -> c_int;
        }
        const ITIMER_PROF: c_int = 2;
        let (seconds, millis) = (super::FILE_MILLIS / 1000, super::FILE_MILLIS % 1000);
        let value = TimeValue {
            seconds: seconds.into(),
            micros: Micros::from(millis) * 1000,
        };
        let timer = Timer {
            interval: TimeValue {
                seconds: 0,
                micros: 0,
            },
            value,
        };
        unsafe { setitimer(ITIMER_PROF, &raw const timer, std::ptr::null_mut()) };
    }

    pub fn bound_memory() {
        let maximum = getrlimit(Resource::Data).maximum;
        let _ = setrlimit(
            Resource::Data,
            Rlimit {
                current: Some(super::MEMORY),
                maximum,
            },
        );
    }
}

#[cfg(not(unix))]
mod limits {
    pub fn lower_priority() {}
    pub fn leave_no_core() {}
    pub fn bound_time() {}
    pub fn bound_memory() {}
}
