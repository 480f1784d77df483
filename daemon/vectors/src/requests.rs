//! The common part of the processes that store and share vectors: a runtime for LanceDB, and a thread that reads requests.
//!
//! The thread sees the end of the pipe while a request runs, and ends the process: the daemon is gone, so no caller waits for the
//! answer. A write that is cut off does not become a version of a table.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};

use tokio::runtime::{Builder, Runtime};

pub(crate) fn start_runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
}

/// Reads requests on a thread, one ahead, and ends the process when the pipe ends.
pub(crate) fn read_ahead<T: Send + 'static>(
    mut read: impl FnMut() -> io::Result<T> + Send + 'static,
) -> io::Result<Receiver<T>> {
    let (sender, requests) = sync_channel(1);
    let work = move || {
        while let Ok(request) = read() {
            let _ = sender.send(request);
        }
        exit();
    };
    std::thread::Builder::new()
        .name("vectors-ask".to_owned())
        .spawn(work)?;
    Ok(requests)
}

#[expect(
    clippy::disallowed_methods,
    reason = "nothing would be saved by a clean exit"
)]
fn exit() -> ! {
    std::process::exit(0)
}
