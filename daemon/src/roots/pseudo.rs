//! Pseudo file systems, whose files the kernel makes up: reading one may change something, or never end.

use std::path::Path;

/// The magic numbers of these file systems.
#[cfg(target_os = "linux")]
const PSEUDO: &[u32] = &[
    0x0000_9fa0, // procfs
    0x6265_6572, // sysfs
    0x0000_1cd1, // devpts
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup 2
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0x6265_6570, // configfs
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x1980_0202, // mqueue
    0x4249_4e4d, // binfmt_misc
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x6e73_6673, // nsfs
    0x6573_5543, // fusectl
    0x6759_6969, // rpc_pipefs
    0x6c6f_6f70, // binderfs
    0x0765_5821, // resctrl
];

/// Checks the path as well, because `/dev` is a tmpfs. `/dev/shm` is allowed, because people put projects there.
#[cfg(target_os = "linux")]
pub fn is_pseudo(path: &Path) -> bool {
    if ["/proc", "/sys", "/dev"]
        .iter()
        .any(|top| path.starts_with(top))
        && !path.starts_with("/dev/shm")
    {
        return true;
    }
    rustix::fs::statfs(path).is_ok_and(|found| {
        // The kernel's numbers have 32 bits; the field is wider, and signed on some systems.
        u32::try_from(i128::from(found.f_type) & 0xffff_ffff)
            .is_ok_and(|kind| PSEUDO.contains(&kind))
    })
}

#[cfg(not(target_os = "linux"))]
pub fn is_pseudo(path: &Path) -> bool {
    cfg!(unix) && path.starts_with("/dev")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn pseudo_file_systems_are_refused() {
        for path in [
            "/proc",
            "/proc/self",
            "/sys",
            "/sys/kernel",
            "/dev",
            "/dev/pts",
            "/dev/null",
        ] {
            assert!(is_pseudo(Path::new(path)), "{path}");
        }
        for path in ["/tmp", "/usr", "/developer", "/dev/shm", "/dev/shm/tree"] {
            assert!(!is_pseudo(Path::new(path)), "{path}");
        }
    }
}
