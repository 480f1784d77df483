//! The process of the shared vectors: answers requests until the pipe ends.
//!
//! It is separate from the process of the stored vectors: a store that is slow or unreachable must not block the vectors on
//! this machine, and files that others wrote are not verified before LanceDB reads them, so one of them may end the process.
//! Only this process has the credentials.

use std::io;

use claudevil_child::vectors::sharing::{Reply, Request, SharedStore, from_rows, to_rows};
use claudevil_child::{frame, lower_priority};

use super::{SharedError, SharedVectors};
use crate::requests::{read_ahead, start_runtime};

pub fn serve() -> io::Result<()> {
    lower_priority();
    let runtime = start_runtime()?;
    let (mut input, mut output) = frame::open_child_pipes()?;
    let store: SharedStore = frame::receive(&mut input)?;
    let requests = read_ahead(move || frame::receive::<Request>(&mut input))?;
    let mut shared = SharedVectors::new(store);
    for request in requests {
        let reply = runtime
            .block_on(answer(&mut shared, request))
            .unwrap_or_else(|error| Reply::Failed(error.to_string()));
        frame::send(&mut output, &reply)?;
    }
    Ok(())
}

/// Answers one request.
pub async fn answer(shared: &mut SharedVectors, request: Request) -> Result<Reply, SharedError> {
    Ok(match request {
        Request::Fetch(space, chunks) => {
            let found = shared.fetch(&space, &chunks).await?;
            Reply::Fetched {
                vectors: to_rows(&found.vectors),
                refused: found.refused as u64,
            }
        }
        Request::Append(space, rows) => {
            let vectors: Vec<_> = from_rows(rows).collect();
            let added = shared.append(&space, &vectors).await? as u64;
            Reply::Appended { added }
        }
        Request::Describe(space) => Reply::Described(shared.describe(&space).await?),
        Request::Collect { space, live, days } => {
            Reply::Collected(shared.collect(&space, &live, days).await?)
        }
        Request::Locate(space, chunks) => Reply::Located(shared.locate(&space, &chunks).await?),
    })
}
