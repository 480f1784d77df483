//! The worker's side: reads texts and writes facts until the pipe ends.

use std::io::{self, Write};
use std::sync::Arc;
#[cfg(debug_assertions)]
use std::time::Duration;

use claudevil_child::frame;

use super::wire::{Job, Outcome, Task};
use super::{Priority, wire};
use crate::extract;
use crate::extract::code_pattern::{
    FileMatches, PatternProblem, PatternSpec, PreparedPattern, ReadBack, RequiredTexts,
    RewrittenText, read_back,
};
use crate::index::memory::{self, Pages};
use crate::lang::Language;
use crate::store::ledger::record::{self, StoredFacts};

/// The processor time for one file in milliseconds. With the start of a worker it is less than two seconds. Debug builds,
/// which only tests run, take several times as long.
#[cfg(unix)]
const FILE_MILLIS: u16 = if cfg!(debug_assertions) { 9000 } else { 1900 };
/// The limit on the data of a worker in bytes. Memory that earlier files left in use counts too, so the first file has the most
/// room, and a file that fails after others is tried again as the first.
#[cfg(unix)]
const MEMORY: u64 = 224 << 20;

pub fn run(priority: Priority) -> io::Result<()> {
    if priority == Priority::Bulk {
        limits::lower_priority();
    }
    limits::leave_no_core();
    memory::use_pages(Pages::SystemDefault);
    let (mut input, mut output) = frame::open_child_pipes()?;
    limits::bound_memory();
    let mut patterns = PatternCache::default();
    #[cfg(debug_assertions)]
    let mut position = FilePosition::First;
    while let Some(jobs) = wire::read_jobs(&mut input)? {
        for job in jobs {
            limits::bound_time();
            #[cfg(debug_assertions)]
            inject(
                &job.text,
                std::mem::replace(&mut position, FilePosition::Later),
            );
            wire::write_outcome(&mut output, &perform(&job, &mut patterns))?;
            // Flushed after each file: outcomes that were sent before a crash need not be computed again.
            output.flush()?;
        }
    }
    Ok(())
}

/// The patterns of one search: one for each language and each scope of its texts.
const MAX_PATTERNS: usize = 8;

/// The last patterns, the latest first. The next text is mostly searched for one of them.
#[derive(Default)]
struct PatternCache {
    last: Vec<CachedPattern>,
}

struct CachedPattern {
    language: &'static Language,
    spec: Arc<[u8]>,
    pattern: Result<PreparedPattern, PatternProblem>,
}

impl PatternCache {
    fn prepare(
        &mut self,
        language: &'static Language,
        spec: &Arc<[u8]>,
    ) -> Result<&PreparedPattern, &PatternProblem> {
        let is_same =
            |one: &CachedPattern| std::ptr::eq(one.language, language) && one.spec == *spec;
        let known = self.last.iter().position(is_same);
        let known = known.map(|at| self.last.remove(at));
        let one = known.unwrap_or_else(|| {
            let decoded: PatternSpec = record::decompress(spec).unwrap_or_default();
            CachedPattern {
                language,
                spec: Arc::clone(spec),
                pattern: PreparedPattern::new(language, &decoded),
            }
        });
        self.last.truncate(MAX_PATTERNS - 1);
        self.last.insert(0, one);
        self.last[0].pattern.as_ref()
    }
}

fn perform(job: &Job, patterns: &mut PatternCache) -> Outcome {
    match &job.task {
        Task::Facts(sizes) => {
            let facts = extract::extract(job.language, &job.text, *sizes);
            Outcome::Facts(StoredFacts {
                outline: record::compress(&facts.outline),
                occurrences: record::compress(&facts.occurrences),
            })
        }
        Task::Spans => {
            let spans = job
                .language
                .map(|language| extract::spans::spans(language, &job.text));
            Outcome::Spans(record::compress(&spans.unwrap_or_default()))
        }
        Task::Match(pattern) => {
            let pattern = job
                .language
                .map(|language| patterns.prepare(language, pattern));
            let matches = match pattern {
                Some(Ok(pattern)) => pattern.find(&job.text),
                _ => FileMatches::default(),
            };
            Outcome::Matches(record::compress(&matches))
        }
        Task::ReadPattern(pattern) => {
            let pattern = job
                .language
                .map(|language| patterns.prepare(language, pattern));
            let texts = pattern.map(|pattern| pattern.map(PreparedPattern::required_texts));
            Outcome::Pattern(record::compress(
                &texts.unwrap_or(Ok(RequiredTexts::default())),
            ))
        }
        Task::ReadBack(written) => {
            let rewritten: RewrittenText = record::decompress(written).unwrap_or_default();
            let read: Option<ReadBack> = job
                .language
                .and_then(|language| read_back(language, &job.text, &rewritten));
            Outcome::ReadBack(record::compress(&read))
        }
    }
}

/// The position of a file among those that its worker has received.
#[cfg(debug_assertions)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilePosition {
    First,
    Later,
}

/// Makes a worker fail or slow down, as a hostile file would, if the text of a test asks for it.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "a slow file takes its time")]
fn inject(text: &str, position: FilePosition) {
    let Some(fault) = text
        .trim_start_matches("// ")
        .strip_prefix("claudevil-test: ")
    else {
        return;
    };
    if fault.contains("beside others") && position == FilePosition::First {
        return;
    }
    if let Some(slow) = fault.strip_prefix("slow ") {
        let millis = slow.lines().next().and_then(|millis| millis.parse().ok());
        std::thread::sleep(Duration::from_millis(millis.unwrap_or_default()));
    }
    if fault.starts_with("abort") {
        std::process::abort();
    }
    if fault.starts_with("spin") {
        loop {
            std::hint::spin_loop();
        }
    }
    if fault.starts_with("hang") {
        loop {
            std::thread::park();
        }
    }
    if fault.starts_with("hoard") {
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

    /// Turns off core dumps: workers are expected to die.
    pub fn leave_no_core() {
        let _ = setrlimit(
            Resource::Core,
            Rlimit {
                current: Some(0),
                maximum: Some(0),
            },
        );
    }

    /// Restarts the time limit of a file: SIGPROF ends the process when the time is over. The timer counts processor time from
    /// now on. `RLIMIT_CPU` counts whole seconds since the process started, so it would depend on earlier files.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn the_patterns_of_a_search_are_kept() {
        let language = lang::by_name("rust").expect("a language");
        let spec = |number: usize| -> Arc<[u8]> {
            let spec = PatternSpec {
                pattern: format!("f{number}($X)"),
                most: 1,
                ..PatternSpec::default()
            };
            record::compress(&spec).into()
        };
        let mut patterns = PatternCache::default();
        let mut find = |number: usize| {
            let pattern = patterns.prepare(language, &spec(number));
            let found = pattern.map(|pattern| pattern.find("fn a() { f1(2); }"));
            (found.expect("a pattern").matches.len(), patterns.last.len())
        };
        assert_eq!(
            [1, 2, 1, 2].map(&mut find),
            [(1, 1), (0, 2), (1, 2), (0, 2)]
        );
        for number in 0..2 * MAX_PATTERNS {
            find(number);
        }
        assert_eq!(find(0), (0, MAX_PATTERNS));
    }
}
