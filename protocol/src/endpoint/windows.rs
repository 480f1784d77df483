//! The endpoint on Windows: a named pipe that lists this user alone as allowed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};
use interprocess::os::windows::local_socket::ListenerOptionsExt;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use widestring::U16CString;

use super::stable_hash;

pub(super) fn address(run: &Path) -> PathBuf {
    let hash = stable_hash(run.as_os_str().as_encoded_bytes());
    PathBuf::from(format!(r"\\.\pipe\claudevil-{hash:016x}"))
}

pub(super) fn name(address: &Path) -> io::Result<Name<'_>> {
    address.to_fs_name::<GenericFilePath>()
}

pub(super) fn bind(address: &Path) -> io::Result<Listener> {
    let only_owner = format!("D:P(A;;GA;;;{})", user::own_sid()?);
    let only_owner = U16CString::from_str(only_owner).map_err(io::Error::other)?;
    let descriptor = SecurityDescriptor::deserialize(&only_owner)?;
    ListenerOptions::new()
        .name(name(address)?)
        .security_descriptor(descriptor)
        .create_tokio()
}

pub(super) fn file_id(_found: &fs::Metadata) -> super::FileId {
    // Neither a pipe nor an open file can be removed from under its owner.
    (0, 0)
}

pub(super) fn withdraw(_address: &Path) {
    // A pipe's name disappears with its last handle.
}

pub(super) fn is_same_user(stream: &Stream) -> io::Result<bool> {
    use interprocess::local_socket::traits::StreamCommon;
    let Some(pid) = stream.peer_creds()?.pid() else {
        return Ok(false);
    };
    Ok(user::sid_of(pid)? == user::own_sid()?)
}

pub(super) fn ensure_private_directory(dir: &Path) -> io::Result<()> {
    // Directories below the user's profile inherit an access list of the user, administrators and the system.
    fs::create_dir_all(dir).map_err(|error| crate::error::at(dir, &error))
}

#[expect(
    unsafe_code,
    reason = "the security identifier of a process is only to be had from the system's C interface"
)]
mod user {
    //! The security identifier (SID) of a process's user, as text.

    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::ptr::null_mut;

    use windows_sys::Win32::Foundation::LocalFree;
    use windows_sys::Win32::Security::Authorization::ConvertSidToStringSidW;
    use windows_sys::Win32::Security::{GetTokenInformation, TOKEN_QUERY, TOKEN_USER, TokenUser};
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcessId, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
    };

    pub(super) fn own_sid() -> io::Result<String> {
        // SAFETY: takes no argument and cannot fail.
        sid_of(unsafe { GetCurrentProcessId() })
    }

    pub(super) fn sid_of(pid: u32) -> io::Result<String> {
        // SAFETY: a fresh handle is owned at once; null is an error.
        let process = unsafe {
            let handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(handle.cast())
        };
        let mut token = null_mut();
        // SAFETY: the process handle is live and `token` is a valid place for a handle.
        let token = unsafe {
            if OpenProcessToken(process.as_raw_handle().cast(), TOKEN_QUERY, &raw mut token) == 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(token.cast())
        };
        // Room for a TOKEN_USER followed by the longest SID; u64 gives the alignment.
        let mut buffer = [0_u64; 32];
        let mut length = 0;
        // SAFETY: the buffer's true size is passed.
        let filled = unsafe {
            GetTokenInformation(
                token.as_raw_handle().cast(),
                TokenUser,
                buffer.as_mut_ptr().cast(),
                u32::try_from(size_of_val(&buffer)).unwrap_or(0),
                &raw mut length,
            )
        };
        if filled == 0 {
            return Err(io::Error::last_os_error());
        }
        let mut text = null_mut();
        // SAFETY: the call above has put a TOKEN_USER at the start of the buffer; the text is freed once, below.
        unsafe {
            let user = &*buffer.as_ptr().cast::<TOKEN_USER>();
            if ConvertSidToStringSidW(user.User.Sid, &raw mut text) == 0 {
                return Err(io::Error::last_os_error());
            }
            let sid = widestring::U16CStr::from_ptr_str(text).to_string_lossy();
            LocalFree(text.cast());
            Ok(sid)
        }
    }
}
