//! The daemon's side of the vector store's process.
//!
//! The process is started by the first request and ends when the store is closed, which frees its memory. If it dies, hangs or
//! is stopped, the request fails and the process is killed. After several failures in a row the next start is delayed.
//! **Invariant:** one request at a time, and none waits forever.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claudevil_child::process::{ChildProcess, Clock, Limit};
use claudevil_child::program::VectorsProgram;
use claudevil_child::restart::Restarts;
use claudevil_child::vectors::wire::{self, Reply, Request};
use claudevil_child::vectors::{ChunkHash, ChunkVector, Contents, Space, Store, table_ledger};

use crate::threads::lock;

/// The most bytes of rows in one message: a fraction of the largest block.
const MESSAGE_BYTES: usize = 16 << 20;

/// The limit of a message with rows, which usually takes less than a second. The first also waits for the lock of a
/// predecessor.
const ROWS_PATIENCE: Duration = Duration::from_secs(120);
/// The limit of maintenance: on a slow disk, compacting a store that has grown for months takes minutes.
const MAINTENANCE_PATIENCE: Duration = Duration::from_secs(1800);

/// One space of the store, behind a process that all spaces share.
pub struct StoreProcess {
    store: Arc<SharedProcess>,
    space: Space,
}

/// The process that the spaces of a store share.
struct SharedProcess {
    data: PathBuf,
    program: VectorsProgram,
    /// Locked during a request, which may take long.
    running: Mutex<Slot>,
    troubles: Mutex<Vec<String>>,
    /// The latest failure of the process, until it answers again.
    failure: Mutex<Option<String>>,
}

/// The process, if it runs, and the failures of its predecessors.
#[derive(Default)]
struct Slot {
    process: Option<ChildProcess>,
    restarts: Restarts,
}

impl StoreProcess {
    pub fn new(data: PathBuf, program: VectorsProgram, space: Space) -> Self {
        let store = SharedProcess {
            data,
            program,
            running: Mutex::default(),
            troubles: Mutex::default(),
            failure: Mutex::default(),
        };
        Self {
            store: Arc::new(store),
            space,
        }
    }

    /// Returns another space of the same store, behind the same process.
    #[must_use]
    pub fn with_space(&self, space: Space) -> Self {
        Self {
            store: Arc::clone(&self.store),
            space,
        }
    }

    fn ask(&self, request: &Request) -> Result<Reply, String> {
        let mut slot = lock(&self.store.running);
        if slot.process.is_none() {
            slot.restarts.check()?;
        }
        match self.exchange(&mut slot, request) {
            Ok((reply, troubles)) => {
                slot.restarts.note_answer();
                *lock(&self.store.failure) = None;
                // A new process does not know the errors that its predecessor found.
                if !troubles.is_empty() || matches!(request, Request::Maintain(_)) {
                    *lock(&self.store.troubles) = troubles;
                }
                if let Reply::Failed(why) = reply {
                    Err(why)
                } else {
                    Ok(reply)
                }
            }
            Err(failure) => {
                slot.process = None;
                slot.restarts.note_failure(failure.clone());
                *lock(&self.store.failure) = Some(failure.clone());
                Err(failure)
            }
        }
    }

    /// Sends a request and waits for its answer. Starts a process if none runs.
    fn exchange(&self, slot: &mut Slot, request: &Request) -> Result<(Reply, Vec<String>), String> {
        let process = match &mut slot.process {
            Some(process) => process,
            none => none.insert(self.start()?),
        };
        let limit = Limit {
            time: patience(request),
            clock: Clock::Wall,
        };
        process
            .call(limit, |pipes| {
                wire::write_request(&mut pipes.input, &self.space, request)?;
                wire::read_reply(&mut pipes.output, self.space.dimensions)
            })
            .map_err(|error| format!("their process {error}"))
    }

    fn start(&self) -> Result<ChildProcess, String> {
        let program = &self.store.program;
        let mut command = program
            .command("store")
            .map_err(|error| error.to_string())?;
        command
            .arg(&self.store.data)
            .stderr(std::process::Stdio::null());
        ChildProcess::start(command)
            .map_err(|error| format!("their process cannot be started: {error}"))
    }

    fn ask_number(&self, request: &Request) -> Result<u64, String> {
        match self.ask(request)? {
            Reply::Number(number) => Ok(number),
            _ => Err("their process gave no number".to_owned()),
        }
    }

    /// Returns the number of rows that fit a message.
    fn rows_per_message(&self) -> usize {
        (MESSAGE_BYTES / (size_of::<ChunkHash>() + self.space.dimensions)).max(1)
    }
}

/// Returns the limit of a request, for a slow and busy disk.
fn patience(request: &Request) -> Duration {
    match request {
        Request::Append(_) | Request::Load(_) | Request::Count => ROWS_PATIENCE,
        Request::KeepOnly(_) | Request::Maintain(_) => MAINTENANCE_PATIENCE,
    }
}

impl Store for StoreProcess {
    fn missing_program(&self) -> Option<String> {
        self.store.program.find().err().map(|missing| {
            format!(
                "nothing is stored, because {missing}: vectors of the built-in model are recomputed when a project is \
                 loaded"
            )
        })
    }

    fn append(&self, vectors: &[ChunkVector]) -> Result<usize, String> {
        if vectors
            .iter()
            .any(|vector| vector.codes.len() != self.space.dimensions)
        {
            return Err(format!(
                "a vector has other than {} dimensions",
                self.space.dimensions
            ));
        }
        let mut readable = 0;
        for some in vectors.chunks(self.rows_per_message()) {
            readable += self.ask_number(&Request::Append(some.to_vec()))?;
        }
        Ok(usize::try_from(readable).unwrap_or(usize::MAX))
    }

    fn load(&self, hashes: &[ChunkHash]) -> Result<HashMap<ChunkHash, ChunkVector>, String> {
        let mut found = HashMap::with_capacity(hashes.len());
        for some in hashes.chunks(self.rows_per_message()) {
            match self.ask(&Request::Load(some.to_vec()))? {
                Reply::Vectors(vectors) => {
                    found.extend(vectors.into_iter().map(|vector| (vector.hash, vector)));
                }
                _ => return Err("their process gave no vectors".to_owned()),
            }
        }
        Ok(found)
    }

    fn count(&self) -> Result<usize, String> {
        Ok(usize::try_from(self.ask_number(&Request::Count)?).unwrap_or(usize::MAX))
    }

    fn keep_only(&self, live: &HashSet<ChunkHash>) -> Result<u64, String> {
        self.ask_number(&Request::KeepOnly(live.iter().copied().collect()))
    }

    fn maintain(&self, retained: &[String]) -> Result<(), String> {
        self.ask_number(&Request::Maintain(retained.to_vec()))
            .map(drop)
    }

    fn close(&self) {
        let running = lock(&self.store.running).process.take();
        drop(running);
    }

    fn contents(&self) -> Result<Contents, String> {
        let stored =
            table_ledger::count_stored(&self.store.data).map_err(|error| error.to_string())?;
        let mut troubles = [stored.troubles, lock(&self.store.troubles).clone()].concat();
        troubles.extend(lock(&self.store.failure).clone());
        Ok(Contents { troubles, ..stored })
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use claudevil_vectors::store::{Local, VectorStore, answer};

    use super::*;

    const WIDTH: usize = 4;

    fn vector(number: u8) -> ChunkVector {
        let codes = [1, -2, 3, i8::try_from(number).expect("small")];
        ChunkVector::from_codes([number; 16], codes.into())
    }

    /// Serves a store behind pipes on a thread: a test has no program to start.
    fn over_pipes(process: &StoreProcess) {
        let (mut requests, input) = io::pipe().expect("a pipe");
        let (output, mut replies) = io::pipe().expect("a pipe");
        let data = process.store.data.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            let store = Arc::new(VectorStore::new(&data));
            while let Ok((space, request)) = wire::read_request(&mut requests) {
                let store = Local::over(
                    Arc::clone(&store),
                    data.clone(),
                    space,
                    runtime.handle().clone(),
                );
                answer(&store, request, &mut replies).expect("answered");
            }
        });
        lock(&process.store.running).process = Some(ChildProcess::over_pipes(input, output));
    }

    #[test]
    fn requests_over_a_pipe_reach_the_store() {
        let scratch = tempfile::tempdir().expect("a directory");
        let space = Space {
            model: "a model".to_owned(),
            dimensions: WIDTH,
        };
        let process =
            StoreProcess::new(scratch.path().to_owned(), VectorsProgram::default(), space);
        over_pipes(&process);
        assert_eq!(process.append(&[vector(1), vector(2), vector(3)]), Ok(3));
        assert_eq!(process.count(), Ok(3));
        let found = process
            .load(&[vector(2).hash, vector(9).hash])
            .expect("loaded");
        assert_eq!(found, HashMap::from([(vector(2).hash, vector(2))]));
        assert_eq!(process.keep_only(&HashSet::from([vector(2).hash])), Ok(2));
        let other = process.with_space(Space {
            model: "another".to_owned(),
            dimensions: 2,
        });
        let narrow = ChunkVector::from_codes([7; 16], [1, 2].into());
        assert_eq!(other.append(std::slice::from_ref(&narrow)), Ok(1));
        assert_eq!(
            process.maintain(&[]),
            Ok(()),
            "without known models nothing is dropped"
        );
        assert_eq!(process.contents().expect("counted").vectors, 2);
        assert_eq!(
            other.load(&[narrow.hash]).expect("loaded"),
            HashMap::from([(narrow.hash, narrow.clone())])
        );
        assert_eq!(process.maintain(&["a model".to_owned()]), Ok(()));
        assert_eq!(process.contents().expect("counted").vectors, 1);
        assert!(process.append(&[narrow]).is_err());
        process.close();
        over_pipes(&process);
        assert_eq!(
            process
                .load(&[vector(2).hash, vector(3).hash])
                .expect("loaded")
                .len(),
            1
        );
    }

    #[test]
    fn a_process_that_ends_fails_its_request_and_is_shown_in_the_status() {
        let scratch = tempfile::tempdir().expect("a directory");
        let space = Space {
            model: "a model".to_owned(),
            dimensions: WIDTH,
        };
        let process =
            StoreProcess::new(scratch.path().to_owned(), VectorsProgram::default(), space);
        let (requests, input) = io::pipe().expect("a pipe");
        let (output, _) = io::pipe().expect("a pipe");
        drop(requests);
        lock(&process.store.running).process = Some(ChildProcess::over_pipes(input, output));
        assert!(
            process
                .count()
                .expect_err("nobody answers")
                .contains("ended")
        );
        assert_eq!(
            process.contents().expect("counted").troubles.len(),
            1,
            "the status says so"
        );
        over_pipes(&process);
        assert_eq!(process.count(), Ok(0));
        assert_eq!(process.contents().expect("counted").troubles, [""; 0]);
    }
}
