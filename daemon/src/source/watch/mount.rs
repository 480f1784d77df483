//! The limits of the system's watcher: the file systems it cannot watch, and the number of watches.

use std::path::Path;

/// The magic numbers of file systems whose files change without events on this machine.
#[cfg(target_os = "linux")]
const REMOTE: &[u32] = &[
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB 2
    0x0102_1997, // 9p
    0x6573_5546, // FUSE, such as sshfs
    0x5346_414f, // AFS
    0x6b41_4653, // AFS of the kernel
    0x7375_7245, // Coda
    0x00c3_6400, // Ceph
    0x0bd0_0bd0, // Lustre
    0x0116_1970, // GFS2
    0x7461_636f, // OCFS2
    0x4750_4653, // GPFS
    0x786f_4256, // folders shared by VirtualBox
    0xbacb_acbc, // folders shared by VMware
];

#[cfg(target_os = "linux")]
pub fn is_remote(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| {
        // The kernel's numbers have 32 bits; the field is wider, and signed on some machines.
        u32::try_from(i128::from(found.f_type) & 0xffff_ffff)
            .is_ok_and(|kind| REMOTE.contains(&kind))
    })
}

#[cfg(not(target_os = "linux"))]
pub fn is_remote(_path: &Path) -> bool {
    false
}

/// Returns the number of watches that this user may have, so that nothing is spent on a tree that is too large. How many of
/// them other programs use is not known.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the kernel's own limits")]
pub fn most_watches() -> usize {
    let limits = [
        "/proc/sys/fs/inotify/max_user_watches",
        "/proc/sys/user/max_inotify_watches",
    ];
    let limit = |file: &str| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    limits
        .into_iter()
        .filter_map(limit)
        .min()
        .unwrap_or(usize::MAX)
}

#[cfg(not(target_os = "linux"))]
pub fn most_watches() -> usize {
    usize::MAX
}
