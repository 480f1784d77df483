//! Distinguishes a process from an earlier or later one with the same number.
//!
//! A lock file outlives its writer, and process numbers are used again: after a reboot, and at any time in containers and
//! on machines that share the folder. **Invariant:** no process is signalled by a number from a file unless it is shown
//! to be the process that wrote the file.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Properties that tell a process from others that have had, or will have, its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The boot of a machine and the namespace of its process numbers; the machine's name where the system provides neither.
    pub host: String,
    /// Clock ticks from the boot to the start of the process, on Linux.
    pub started: Option<u64>,
    pub executable: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    Kill,
}

impl Fingerprint {
    /// Returns the fingerprint of this process.
    pub fn own() -> Self {
        Self {
            host: system::host(),
            started: system::start_of_own(),
            executable: std::env::current_exe().ok(),
        }
    }
}

/// Signals a process if it has this fingerprint; otherwise it signals nothing and says how the two differ.
pub fn signal(pid: u32, fingerprint: &Fingerprint, signal: Signal) -> io::Result<()> {
    if fingerprint.host != system::host() {
        return Err(io::Error::other(
            "it runs on another machine, in another container, or before a reboot",
        ));
    }
    system::signal(pid, fingerprint, signal)
}

#[cfg(unix)]
mod system {
    use std::io;

    use rustix::process::Pid;

    #[cfg(not(target_os = "linux"))]
    use super::Fingerprint;
    use super::Signal;

    impl From<Signal> for rustix::process::Signal {
        fn from(signal: Signal) -> Self {
            match signal {
                Signal::Terminate => Self::TERM,
                Signal::Kill => Self::KILL,
            }
        }
    }

    fn parse(pid: u32) -> io::Result<Pid> {
        i32::try_from(pid)
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("it is not a process number"))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn host() -> String {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn start_of_own() -> Option<u64> {
        None
    }

    /// Signals a process of this host. The system has no portable way to ask for another process's start: the host and the
    /// permission decide.
    #[cfg(not(target_os = "linux"))]
    pub fn signal(pid: u32, _fingerprint: &Fingerprint, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::kill_process(parse(pid)?, signal.into())?)
    }

    #[cfg(target_os = "linux")]
    pub use linux::{host, signal, start_of_own};

    #[cfg(target_os = "linux")]
    mod linux {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::MetadataExt;
        use std::path::{Path, PathBuf};
        use std::{fs, io};

        use rustix::process::{PidfdFlags, geteuid, kill_process, pidfd_open, pidfd_send_signal};

        use super::super::{Fingerprint, Signal};
        use super::parse;

        /// The kernel appends this to the path of an executable whose file was replaced, for example by an upgrade.
        const REPLACED: &[u8] = b" (deleted)";

        pub fn host() -> String {
            let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
            format!("{} {}", boot.trim(), namespace.display())
        }

        pub fn start_of_own() -> Option<u64> {
            start(Path::new("/proc/self"))
        }

        pub fn signal(pid: u32, fingerprint: &Fingerprint, signal: Signal) -> io::Result<()> {
            let number = parse(pid)?;
            // Opened before the checks, so that the process checked is the process signalled.
            let handle = pidfd_open(number, PidfdFlags::empty());
            check(&PathBuf::from(format!("/proc/{pid}")), fingerprint)?;
            match handle {
                Ok(handle) => pidfd_send_signal(handle, signal.into())?,
                // Kernels before 5.3 have no such handles.
                Err(_) => kill_process(number, signal.into())?,
            }
            Ok(())
        }

        fn check(process: &Path, fingerprint: &Fingerprint) -> io::Result<()> {
            let Ok(found) = fs::metadata(process) else {
                return Err(io::Error::other("it has ended"));
            };
            if found.uid() != geteuid().as_raw() {
                return Err(io::Error::other("it belongs to another user"));
            }
            if fingerprint.started.is_none() || start(process) != fingerprint.started {
                return Err(io::Error::other("another process has its number now"));
            }
            if fingerprint.executable.is_none() || executable(process) != fingerprint.executable {
                return Err(io::Error::other("it runs another program now"));
            }
            Ok(())
        }

        fn executable(process: &Path) -> Option<PathBuf> {
            let path = fs::read_link(process.join("exe")).ok()?;
            let bytes = path.as_os_str().as_bytes();
            Some(
                bytes
                    .strip_suffix(REPLACED)
                    .map_or_else(|| path.clone(), |kept| OsStr::from_bytes(kept).into()),
            )
        }

        /// Reads field 22 of `stat`. The name in field 2 may contain spaces and parentheses, so the fields are counted from its
        /// end.
        fn start(process: &Path) -> Option<u64> {
            let stat = fs::read_to_string(process.join("stat")).ok()?;
            let (_, behind_name) = stat.rsplit_once(')')?;
            behind_name.split_ascii_whitespace().nth(19)?.parse().ok()
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    use super::{Fingerprint, Signal};

    pub fn host() -> String {
        String::new()
    }

    pub fn start_of_own() -> Option<u64> {
        None
    }

    pub fn signal(_pid: u32, _fingerprint: &Fingerprint, _signal: Signal) -> io::Result<()> {
        Err(io::Error::other(
            "this system cannot signal it: end it in the task manager",
        ))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_signalled_only_if_its_whole_fingerprint_fits() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("it runs");
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("a process");
        let started = stat
            .rsplit(") ")
            .next()
            .and_then(|fields| fields.split(' ').nth(19))
            .expect("a start");
        let executable =
            std::fs::read_link(format!("/proc/{}/exe", child.id())).expect("an executable");
        let own = Fingerprint {
            started: started.parse().ok(),
            executable: Some(executable),
            ..Fingerprint::own()
        };
        let others = [
            Fingerprint {
                host: "elsewhere".to_owned(),
                ..own.clone()
            },
            Fingerprint {
                started: own.started.map(|ticks| ticks + 1),
                ..own.clone()
            },
            Fingerprint {
                started: None,
                ..own.clone()
            },
            Fingerprint {
                executable: Some("/bin/claudevild".into()),
                ..own.clone()
            },
        ];
        for other in others {
            assert!(
                signal(child.id(), &other, Signal::Kill).is_err(),
                "{other:?}"
            );
        }
        assert!(
            child.try_wait().expect("a status").is_none(),
            "it still runs"
        );
        signal(child.id(), &own, Signal::Kill).expect("signalled");
        assert!(!child.wait().expect("it ends").success());
        assert!(
            signal(child.id(), &own, Signal::Kill).is_err(),
            "it has ended"
        );
    }
}
