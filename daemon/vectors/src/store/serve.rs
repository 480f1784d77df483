//! The process of the vector store: answers requests until the pipe ends.
//!
//! LanceDB needs hundreds of megabytes while it works and leaves much of them fragmented; the end of the process frees them.
//! One process at a time opens the files: a successor waits for the lock. A request that is cut off because the daemon is gone
//! is like a crash, which the store survives.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claudevil_child::vectors::Store;
use claudevil_child::vectors::wire::{self, Reply, Request};
use claudevil_child::{frame, lower_priority};
use claudevil_protocol::lock;

use super::{Local, VectorStore};
use crate::requests::{read_ahead, start_runtime};

/// A predecessor that the daemon no longer waits for ends within moments.
const LOCK_PATIENCE: Duration = Duration::from_secs(60);

pub fn serve(data: &Path) -> io::Result<()> {
    lower_priority();
    let runtime = start_runtime()?;
    let (mut input, mut output) = frame::open_child_pipes()?;
    let requests = read_ahead(move || wire::read_request(&mut input))?;
    let held = runtime.block_on(lock::lock(&data.join("vectors.lock"), LOCK_PATIENCE))?;
    let _held = held.ok_or_else(|| io::Error::other("another process has the vectors"))?;
    let store = Arc::new(VectorStore::new(data));
    for (space, request) in requests {
        let store = Local::over(
            Arc::clone(&store),
            data.to_owned(),
            space,
            runtime.handle().clone(),
        );
        answer(&store, request, &mut output)?;
    }
    Ok(())
}

pub fn answer(store: &Local, request: Request, output: &mut impl Write) -> io::Result<()> {
    let number = |number: usize| Reply::Number(number as u64);
    let done = match request {
        Request::Append(vectors) => store.append(&vectors).map(number),
        Request::Load(hashes) => store
            .load(&hashes)
            .map(|found| Reply::Vectors(found.into_values().collect())),
        Request::Count => store.count().map(number),
        Request::KeepOnly(live) => store
            .keep_only(&live.into_iter().collect::<HashSet<_>>())
            .map(Reply::Number),
        Request::Maintain(retained) => store.maintain(&retained).map(|()| Reply::Number(0)),
    };
    let reply = done.unwrap_or_else(Reply::Failed);
    wire::write_reply(output, &reply, &store.troubles())
}
