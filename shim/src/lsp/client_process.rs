//! Watches the process of the client: when it is killed, its pipes stay open if another process holds them.

/// The client's process. If it is unknown, not visible from here (a client outside a container) or cannot be watched, it
/// never ends: then the end of standard input is the only sign.
#[derive(Default)]
pub struct ClientProcess {
    #[cfg(target_os = "linux")]
    watched: Option<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>>,
}

#[cfg(target_os = "linux")]
impl ClientProcess {
    #[expect(
        unsafe_code,
        reason = "the descriptor has to stay open while it is watched, which its owner sees to"
    )]
    pub fn new(process: Option<u32>) -> Self {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        use tokio::io::Interest;
        use tokio::io::unix::AsyncFd;

        let pid = process.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let descriptor = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let watched = descriptor.and_then(|descriptor| {
            // SAFETY: the descriptor is owned by what is computed here, and is closed with it.
            unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }.ok()
        });
        Self { watched }
    }

    /// Returns once the process has ended.
    pub async fn gone(&self) {
        if let Some(watched) = &self.watched
            && watched.readable().await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(not(target_os = "linux"))]
impl ClientProcess {
    pub fn new(_process: Option<u32>) -> Self {
        Self::default()
    }

    pub async fn gone(&self) {
        std::future::pending::<()>().await;
    }
}
