//! The endpoint on Unix: a socket file in a private directory.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};
use interprocess::os::unix::local_socket::ListenerOptionsExt;
use interprocess::os::unix::uds_local_socket::tokio::Listener as UnixListener;

use super::stable_hash;
use crate::error::at;

/// The shortest limit among the systems we run on (macOS: 104 bytes with the terminating zero).
const LONGEST_ADDRESS: usize = 103;

pub(super) fn address(run: &Path) -> PathBuf {
    let usual = run.join("daemon.sock");
    if usual.as_os_str().len() <= LONGEST_ADDRESS {
        return usual;
    }
    let uid = rustix::process::geteuid().as_raw();
    let hash = stable_hash(run.as_os_str().as_bytes());
    PathBuf::from(format!("/tmp/claudevil-{uid}/{hash:016x}.sock"))
}

pub(super) fn name(address: &Path) -> io::Result<Name<'_>> {
    address.to_fs_name::<GenericFilePath>()
}

pub(super) fn bind(address: &Path) -> io::Result<Listener> {
    if let Some(dir) = address.parent() {
        ensure_private_directory(dir)?;
    }
    match fs::symlink_metadata(address) {
        Ok(left) if left.file_type().is_socket() => fs::remove_file(address)?,
        Ok(_) => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!(
                    "{} is in the way and is not a socket: remove it",
                    address.display()
                ),
            ));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let options = ListenerOptions::new()
        .name(name(address)?)
        .reclaim_name(false);
    // Where the mode cannot be set before the bind, the caller's umask and the private directory stand in for it.
    let listener = if cfg!(target_os = "linux") {
        options.mode(0o600)
    } else {
        options
    }
    .create_tokio()?;
    fs::set_permissions(address, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Takes over a listening socket that a service manager has bound; its file stays the manager's.
pub fn adopt(listening: OwnedFd) -> io::Result<Listener> {
    UnixListener::try_from(listening).map(Listener::from)
}

pub(super) fn file_id(found: &fs::Metadata) -> super::FileId {
    (found.dev(), found.ino())
}

pub(super) fn withdraw(address: &Path) {
    // An address that is already gone needs no removal.
    let _ = fs::remove_file(address);
}

pub(super) fn is_same_user(stream: &Stream) -> io::Result<bool> {
    use interprocess::local_socket::traits::StreamCommon;
    let peer = stream.peer_creds()?;
    Ok(peer.euid() == Some(rustix::process::geteuid().as_raw()))
}

pub(super) fn ensure_private_directory(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|error| at(dir, &error))?;
    // Not `metadata`: a symlink could lead the socket, and whoever connects to it, into another user's directory.
    let found = fs::symlink_metadata(dir).map_err(|error| at(dir, &error))?;
    let refuse = |why: &str| {
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} {why}: remove it", dir.display()),
        ))
    };
    if !found.is_dir() {
        return refuse("is a symlink or a file, not a directory");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refuse("belongs to another user");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
            .map_err(|error| at(dir, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_home_falls_back_to_a_short_address() {
        let long = PathBuf::from(format!(
            "/home/{}/.local/state/claudevil/run",
            "x".repeat(90)
        ));
        let short = address(&long);
        assert!(short.as_os_str().len() <= LONGEST_ADDRESS);
        assert_eq!(short, address(&long));
        assert_ne!(short, address(&long.join("other")));
        assert_eq!(
            address(Path::new("/home/ada/run")),
            Path::new("/home/ada/run/daemon.sock")
        );
    }

    #[test]
    fn a_private_directory_is_never_a_symlink_and_loses_foreign_permissions() {
        let scratch = tempfile::tempdir().expect("a directory");
        let open = scratch.path().join("open");
        fs::create_dir(&open).expect("made");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).expect("opened");
        ensure_private_directory(&open).expect("ours");
        assert_eq!(fs::metadata(&open).expect("there").mode() & 0o777, 0o700);

        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&open, &link).expect("linked");
        assert_eq!(
            ensure_private_directory(&link).expect_err("refused").kind(),
            io::ErrorKind::PermissionDenied
        );

        let file = scratch.path().join("file");
        fs::write(&file, "").expect("written");
        let error = ensure_private_directory(&file.join("run")).expect_err("a file is in the way");
        assert!(
            error
                .to_string()
                .starts_with(&format!("{}/run: ", file.display())),
            "{error}"
        );
    }
}
