//! The messages between the daemon and a worker.
//!
//! Both ends are of one build, so a language is sent as its position in the table.

use std::io::{self, Read, Write};
use std::sync::Arc;

use claudevil_child::frame::{read_block, read_number, write_block, write_number};

use crate::extract::ChunkSizes;
use crate::lang::{self, Language};
use crate::store::ledger::record::{Skip, StoredFacts};

/// One text to extract facts from.
#[derive(Clone, Debug)]
pub struct Job {
    pub language: Option<&'static Language>,
    pub sizes: ChunkSizes,
    pub text: Arc<str>,
}

/// The result of a job.
#[derive(Debug)]
pub enum Outcome {
    Facts(StoredFacts),
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
        for size in [job.sizes.target, job.sizes.most, job.sizes.overlap] {
            write_number(to, size as usize)?;
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
        let mut size = || read_number(from).map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        let sizes = ChunkSizes {
            target: size()?,
            most: size()?,
            overlap: size()?,
        };
        let block = read_block(from)?;
        let text =
            str::from_utf8(&block).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        jobs.push(Job {
            language,
            sizes,
            text: text.into(),
        });
    }
    Ok(Some(jobs))
}

pub fn write_facts(to: &mut (impl Write + ?Sized), facts: &StoredFacts) -> io::Result<()> {
    write_block(to, &facts.outline)?;
    write_block(to, &facts.occurrences)
}

pub fn read_facts(from: &mut (impl Read + ?Sized)) -> io::Result<StoredFacts> {
    Ok(StoredFacts {
        outline: read_block(from)?,
        occurrences: read_block(from)?,
    })
}
