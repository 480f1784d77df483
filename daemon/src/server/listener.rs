//! The listening socket: bound by us under the lock, or inherited from systemd.

use std::io;

use claudevil_protocol::endpoint::{Endpoint, FileId, file_id};
use claudevil_protocol::text::CliCommand;
use interprocess::local_socket::tokio::Listener;

/// A socket that accepts connections.
pub struct BoundSocket {
    pub listener: Listener,
    origin: Origin,
    /// The id of the socket's file.
    file: Option<FileId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Bound,
    /// The file belongs to the service manager: it is never unlinked, and queues clients for the next daemon.
    Inherited,
}

pub fn listen(endpoint: &Endpoint) -> io::Result<BoundSocket> {
    if let Some(listener) = inherited(endpoint)? {
        return Ok(BoundSocket {
            listener,
            origin: Origin::Inherited,
            file: None,
        });
    }
    let listener = endpoint.bind()?;
    Ok(BoundSocket {
        listener,
        origin: Origin::Bound,
        file: file_id(endpoint.address()),
    })
}

impl BoundSocket {
    /// Returns whether clients that look for the socket find this one.
    pub fn is_in_place(&self, endpoint: &Endpoint) -> bool {
        self.origin == Origin::Inherited || file_id(endpoint.address()) == self.file
    }

    /// Stops listening. A socket that another process has bound at the same path stays.
    pub fn withdraw(self, endpoint: &Endpoint) {
        if self.origin == Origin::Bound && self.is_in_place(endpoint) {
            endpoint.withdraw();
        }
    }
}

#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "descriptors passed by number have to be taken over somewhere"
)]
fn inherited(endpoint: &Endpoint) -> io::Result<Option<Listener>> {
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::os::unix::net::UnixListener;

    let Some(descriptor) = sd_notify::listen_fds()?.next() else {
        return Ok(None);
    };
    // SAFETY: systemd passes this descriptor to this process alone, and it is taken over once, here.
    let socket = UnixListener::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let address = socket.local_addr()?;
    if address.as_pathname() != Some(endpoint.address()) {
        return Err(io::Error::new(
            io::ErrorKind::AddrNotAvailable,
            format!(
                "the inherited socket {address:?} is not the one that clients look for: run {} again",
                CliCommand::ServiceInstall
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
