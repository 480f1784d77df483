//! The address at which the daemon listens, open to its user alone.
//!
//! The address follows from uid and home alone. On Unix it is a socket file of mode 0600 inside a directory of mode
//! 0700 that is ours and no symlink; on Windows a named pipe whose access list names this user alone. Both sides
//! check who the other is. Nothing here decides whether a daemon may bind: that takes its lock.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};

use crate::paths::Paths;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

#[cfg(unix)]
pub use unix::adopt;

/// The daemon's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    address: PathBuf,
}

impl Endpoint {
    pub fn new(paths: &Paths) -> Self {
        Self {
            address: platform::address(paths.run()),
        }
    }

    /// Returns the path of the socket, or the name of the pipe.
    pub fn address(&self) -> &Path {
        &self.address
    }

    pub async fn connect(&self) -> io::Result<Stream> {
        let stream = Stream::connect(platform::name(&self.address)?).await?;
        if is_same_user(&stream)? {
            Ok(stream)
        } else {
            Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{} is served by another user", self.address.display()),
            ))
        }
    }

    /// Binds the address, in the place of a socket left there. Only the holder of the daemon's lock may do this.
    pub fn bind(&self) -> io::Result<Listener> {
        platform::bind(&self.address)
    }

    /// Removes the address, so that no new client connects. Only the daemon that bound it may do this.
    pub fn withdraw(&self) {
        platform::withdraw(&self.address);
    }
}

/// Returns whether the process at the other end runs as the user of this one.
pub fn is_same_user(stream: &Stream) -> io::Result<bool> {
    platform::is_same_user(stream)
}

/// Makes a directory that only this user can enter, or checks that it already is one.
pub fn ensure_private_directory(dir: &Path) -> io::Result<()> {
    platform::ensure_private_directory(dir)
}

/// Makes a file that only this user can read, or empties it.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Device and inode number of a file: its identity, independent of its name.
pub type FileId = (u64, u64);

/// Returns the identity of the file that is at a path right now; symlinks are not followed.
pub fn file_id(path: &Path) -> Option<FileId> {
    std::fs::symlink_metadata(path)
        .ok()
        .map(|found| platform::file_id(&found))
}

/// Returns the identity of an open file.
pub fn id_of(file: &File) -> Option<FileId> {
    file.metadata().ok().map(|found| platform::file_id(&found))
}

/// Returns a short name for a long path: stable across builds and machines, unlike the standard library's hasher.
fn stable_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_path_never_changes() {
        assert_eq!(stable_hash(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
