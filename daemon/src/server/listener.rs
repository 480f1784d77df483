//! The listening socket: bound by us under the lock, or inherited from systemd.

use std::io;

use claudevil_protocol::endpoint::{Endpoint, FileId, file_id};
use interprocess::local_socket::tokio::Listener;

pub struct Listening {
    pub listener: Listener,
    origin: Origin,
    /// Which file the socket is.
    file: Option<FileId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Bound,
    /// The file is the service manager's: it is never unlinked, and goes on queueing callers for our successor.
    Inherited,
}

pub fn listen(endpoint: &Endpoint) -> io::Result<Listening> {
    if let Some(listener) = inherited(endpoint)? {
        return Ok(Listening {
            listener,
            origin: Origin::Inherited,
            file: None,
        });
    }
    let listener = endpoint.bind()?;
    Ok(Listening {
        listener,
        origin: Origin::Bound,
        file: file_id(endpoint.address()),
    })
}

impl Listening {
    /// Whether clients that look for the socket find this one.
    pub fn is_in_place(&self, endpoint: &Endpoint) -> bool {
        self.origin == Origin::Inherited || file_id(endpoint.address()) == self.file
    }

    /// Stops listening. A socket that somebody else has put in our place is theirs.
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
