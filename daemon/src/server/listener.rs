//! The listening socket: bound by us under the lock, or inherited from systemd.

use std::io;

use claudevil_protocol::endpoint::Endpoint;
use interprocess::local_socket::tokio::Listener;

pub struct Listening {
    pub listener: Listener,
    origin: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Bound,
    /// The file is the service manager's: it is never unlinked, and goes on queueing callers for our successor.
    Inherited,
}

pub fn listen(endpoint: &Endpoint) -> io::Result<Listening> {
    match inherited(endpoint)? {
        Some(listener) => Ok(Listening { listener, origin: Origin::Inherited }),
        None => Ok(Listening { listener: endpoint.bind()?, origin: Origin::Bound }),
    }
}

impl Listening {
    /// Stops listening.
    pub fn withdraw(self, endpoint: &Endpoint) {
        if self.origin == Origin::Bound {
            endpoint.withdraw();
        }
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "descriptors passed by number have to be taken over somewhere")]
fn inherited(endpoint: &Endpoint) -> io::Result<Option<Listener>> {
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::os::unix::net::UnixListener;

    let Some(descriptor) = sd_notify::listen_fds()?.next() else { return Ok(None) };
    // SAFETY: systemd passes this descriptor to this process alone, and it is taken over once, here.
    let socket = UnixListener::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let address = socket.local_addr()?;
    if address.as_pathname() != Some(endpoint.address()) {
        return Err(io::Error::new(
            io::ErrorKind::AddrNotAvailable,
            format!(
                "the inherited socket {address:?} is not the one that clients look for: run `claudevil service install` again"
            ),
        ));
    }
    socket.set_nonblocking(true)?;
    claudevil_protocol::endpoint::adopt(OwnedFd::from(socket)).map(Some)
}

#[cfg(not(unix))]
fn inherited(_endpoint: &Endpoint) -> io::Result<Option<Listener>> {
    Ok(None)
}
