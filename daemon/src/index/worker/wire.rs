//! The messages between the daemon and a worker.
//!
//! Both ends are of one build, so a language is sent as its position in the table.

use std::io::{self, Read, Write};
use std::sync::Arc;

use claudevil_child::frame::{read_block, read_number, write_block, write_number};

use crate::extract::ChunkSizes;
use crate::lang::{self, Language};
use crate::store::ledger::record::{Skip, StoredFacts};

const FACTS: usize = 0;
const SPANS: usize = 1;
const MATCH: usize = 2;
const READ_PATTERN: usize = 3;
const READ_BACK: usize = 4;

/// A text, and the task to perform on it.
#[derive(Clone, Debug)]
pub struct Job {
    pub language: Option<&'static Language>,
    pub task: Task,
    pub text: Arc<str>,
}

#[derive(Clone, Debug)]
pub enum Task {
    /// Facts, with chunks of these sizes.
    Facts(ChunkSizes),
    /// The [spans](crate::extract::spans) of its symbols.
    Spans,
    /// The matches of a pattern, whose [specification](crate::extract::code_pattern::PatternSpec) is compressed.
    Match(Arc<[u8]>),
    /// The texts that every match of such a pattern contains, or the problem of the pattern. The job has no text.
    ReadPattern(Arc<[u8]>),
    /// The reading of [rewritten matches](crate::extract::code_pattern::WrittenMatch), which are compressed.
    ReadBack(Arc<[u8]>),
}

/// The result of a job.
#[derive(Debug)]
pub enum Outcome {
    Facts(StoredFacts),
    /// Compressed.
    Spans(Vec<u8>),
    /// Compressed.
    Matches(Vec<u8>),
    /// Compressed.
    Pattern(Vec<u8>),
    /// Compressed.
    ReadBack(Vec<u8>),
    Skipped(Skip),
}

pub fn write_jobs(to: &mut (impl Write + ?Sized), jobs: &[Job]) -> io::Result<()> {
    write_number(to, jobs.len())?;
    for job in jobs {
        let language = job.language.and_then(|language| {
            lang::all()
                .iter()
                .position(|one| std::ptr::eq(one, language))
        });
        write_number(to, language.map_or(0, |place| place + 1))?;
        match &job.task {
            Task::Facts(sizes) => {
                write_number(to, FACTS)?;
                for size in [sizes.target, sizes.most, sizes.overlap] {
                    write_number(to, size as usize)?;
                }
            }
            Task::Spans => write_number(to, SPANS)?,
            Task::Match(pattern) => {
                write_number(to, MATCH)?;
                write_block(to, pattern)?;
            }
            Task::ReadPattern(pattern) => {
                write_number(to, READ_PATTERN)?;
                write_block(to, pattern)?;
            }
            Task::ReadBack(written) => {
                write_number(to, READ_BACK)?;
                write_block(to, written)?;
            }
        }
        write_block(to, job.text.as_bytes())?;
    }
    to.flush()
}

/// Reads a message. None at the end of the stream.
pub fn read_jobs(from: &mut (impl Read + ?Sized)) -> io::Result<Option<Vec<Job>>> {
    let count = match read_number(from) {
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut jobs = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        let language = read_number(from)?
            .checked_sub(1)
            .and_then(|place| lang::all().get(place));
        let task = match read_number(from)? {
            FACTS => {
                let mut size =
                    || read_number(from).map(|size| u32::try_from(size).unwrap_or(u32::MAX));
                Task::Facts(ChunkSizes {
                    target: size()?,
                    most: size()?,
                    overlap: size()?,
                })
            }
            SPANS => Task::Spans,
            MATCH => Task::Match(read_block(from)?.into()),
            READ_PATTERN => Task::ReadPattern(read_block(from)?.into()),
            READ_BACK => Task::ReadBack(read_block(from)?.into()),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        let block = read_block(from)?;
        let text =
            str::from_utf8(&block).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        jobs.push(Job {
            language,
            task,
            text: text.into(),
        });
    }
    Ok(Some(jobs))
}

pub fn write_outcome(to: &mut (impl Write + ?Sized), outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Facts(facts) => {
            write_block(to, &facts.outline)?;
            write_block(to, &facts.occurrences)
        }
        Outcome::Spans(bytes)
        | Outcome::Matches(bytes)
        | Outcome::Pattern(bytes)
        | Outcome::ReadBack(bytes) => write_block(to, bytes),
        Outcome::Skipped(_) => Ok(()),
    }
}

/// Reads the result of a task.
pub fn read_outcome(from: &mut (impl Read + ?Sized), task: &Task) -> io::Result<Outcome> {
    Ok(match task {
        Task::Facts(_) => Outcome::Facts(StoredFacts {
            outline: read_block(from)?,
            occurrences: read_block(from)?,
        }),
        Task::Spans => Outcome::Spans(read_block(from)?),
        Task::Match(_) => Outcome::Matches(read_block(from)?),
        Task::ReadPattern(_) => Outcome::Pattern(read_block(from)?),
        Task::ReadBack(_) => Outcome::ReadBack(read_block(from)?),
    })
}
