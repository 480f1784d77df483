//! One client connection: its preamble, then its calls until it disconnects or the daemon exits.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use claudevil_protocol::endpoint::is_same_user;
use claudevil_protocol::preamble::{GREETING_TIMEOUT, Hello, Intent, Verdict, Welcome};
use claudevil_protocol::service::Claudevil as _;
use claudevil_protocol::wire;
use futures::{FutureExt, Stream};
use interprocess::local_socket::tokio::Stream as Socket;
use tarpc::server::{BaseChannel, Channel};
use tokio::sync::OwnedSemaphorePermit;

use super::Server;
use super::service::Session;

/// The most unanswered calls of one client: one that never reads its answers must not fill the memory.
const MAX_UNANSWERED: usize = 256;

pub async fn serve(server: Arc<Server>, mut socket: Socket, greeting: OwnedSemaphorePermit) {
    let greeted = tokio::time::timeout(GREETING_TIMEOUT, greet(&server, &mut socket)).await;
    drop(greeting);
    match greeted {
        Ok(Ok(Some(lease))) => {
            if let Err(error) = pump(&server, socket).await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(lease);
        }
        Ok(Ok(None)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection did not get past its preamble"),
        Err(_) => tracing::debug!("a connection said nothing in time"),
    }
}

/// Exchanges preambles. Returns a lease if the client is accepted.
async fn greet(server: &Arc<Server>, socket: &mut Socket) -> io::Result<Option<Lease>> {
    let foreign = !is_same_user(socket)?;
    let (verdict, lease) = if foreign {
        tracing::warn!("another user tried to connect");
        (Verdict::ForeignUser, None)
    } else {
        let hello = Hello::read(socket).await?;
        judge(server, &hello)
    };
    Welcome {
        daemon: server.identity.clone(),
        verdict,
        pid: std::process::id(),
    }
    .write(socket)
    .await?;
    Ok(lease)
}

fn judge(server: &Arc<Server>, hello: &Hello) -> (Verdict, Option<Lease>) {
    if hello.intent == Intent::Replace && hello.client.is_newer_than(&server.identity) {
        server.leave("a newer build takes over");
    }
    if server.is_leaving() {
        return (Verdict::Draining, None);
    }
    let Some(version) = server.identity.common(&hello.client) else {
        return (Verdict::VersionUnsupported, None);
    };
    match Lease::take(server) {
        Some(lease) => (Verdict::Accepted(version), Some(lease)),
        None => (Verdict::Busy, None),
    }
}

/// One of the allowed connections. While it is held, the daemon does not exit for idleness.
struct Lease(Arc<Server>);

impl Lease {
    fn take(server: &Arc<Server>) -> Option<Self> {
        let taken = server.connections.send_if_modified(|count| {
            let free = *count < server.config.max_connections;
            *count += usize::from(free);
            free
        });
        taken.then(|| Self(Arc::clone(server)))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.connections.send_modify(|count| *count -= 1);
    }
}

/// Serves calls until the client disconnects, or until the daemon exits and every answer has been sent.
async fn pump(server: &Arc<Server>, socket: Socket) -> io::Result<()> {
    let session = Session::new(Arc::clone(server));
    let channel =
        BaseChannel::with_defaults(wire::daemon(socket)).max_concurrent_requests(MAX_UNANSWERED);
    let mut requests = pin!(channel.requests());
    let mut leaving = server.leaving.subscribe();
    let mut leave =
        pin!(async move { leaving.wait_for(|leaving| *leaving).await.map(drop) }.fuse());
    let mut must_leave = false;
    poll_fn(|context| {
        loop {
            match requests.as_mut().poll_next(context) {
                Poll::Ready(Some(Ok(request))) => {
                    // A task of its own, so that a slow call does not hold up the next.
                    let call = session.call(request.get().context.deadline);
                    tokio::spawn(request.execute(call.serve()));
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(io::Error::other(error))),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => break,
            }
        }
        must_leave = must_leave || leave.as_mut().poll(context).is_ready();
        let channel = requests.channel();
        if must_leave && channel.in_flight_requests() == 0 && channel.transport().is_flushed() {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    })
    .await
}
