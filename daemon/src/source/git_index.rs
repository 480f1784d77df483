//! Reads the paths of tracked files from git's index.
//!
//! Git never ignores a file that it tracks, so an ignore rule alone does not exclude a file. The index may be a stranger's,
//! and is parsed at each walk: no input makes the parser panic, and only the wanted paths are copied. It understands
//! versions 2 to 4 with SHA-1 names.

const HEADER: usize = 12;
/// Times, device, inode, mode, owner, size.
const STAT: usize = 40;
const NAME_HASH: usize = 20;
const EXTENDED: u16 = 0x4000;
const REGULAR: u32 = 0o100_000;
const KIND: u32 = 0o170_000;

/// Returns the wanted paths of regular files, or `None` for an index that is not understood.
pub fn tracked_files(index: &[u8], mut wanted: impl FnMut(&str) -> bool) -> Option<Vec<String>> {
    let (header, mut rest) = index.split_at_checked(HEADER)?;
    let version = number(header.get(4..8)?)?;
    let count = number(header.get(8..12)?)?;
    if !header.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut files = vec![];
    let mut previous: Vec<u8> = vec![];
    for _ in 0..count {
        let entry = rest;
        let mode = number(entry.get(24..28)?)?;
        let flags = u16::from_be_bytes(*entry.get(STAT + NAME_HASH..)?.first_chunk()?);
        let fixed = STAT + NAME_HASH + if flags & EXTENDED == 0 { 2 } else { 4 };
        rest = entry.get(fixed..)?;
        if version == 4 {
            let (dropped, after) = distance(rest)?;
            previous.truncate(previous.len().checked_sub(dropped)?);
            rest = after;
        } else {
            previous.clear();
        }
        let end = rest.iter().position(|byte| *byte == 0)?;
        previous.extend_from_slice(&rest[..end]);
        let length = if version == 4 {
            fixed + end + 1
        } else {
            (fixed + end) / 8 * 8 + 8
        };
        rest = if version == 4 {
            rest.get(end + 1..)?
        } else {
            entry.get(length..)?
        };
        if mode & KIND == REGULAR
            && let Ok(path) = std::str::from_utf8(&previous)
            // A conflict has up to three entries in a row.
            && files.last().is_none_or(|last| last != path)
            && wanted(path)
        {
            files.push(path.to_owned());
        }
    }
    Some(files)
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.first_chunk()?))
}

/// Decodes the number of bytes to drop from the previous path: seven bits a byte, with one added at each step.
fn distance(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(8) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn all(index: &[u8]) -> Option<Vec<String>> {
        tracked_files(index, |_| true)
    }

    /// Returns an index of version 2 or 3 as git writes it.
    pub fn index(entries: &[(&str, u32)], version: u32) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).expect("few").to_be_bytes());
        for (path, mode) in entries {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 12 + NAME_HASH]);
            bytes.extend(u16::try_from(path.len()).expect("short").to_be_bytes());
            bytes.extend(path.as_bytes());
            let length = (bytes.len() - start) / 8 * 8 + 8;
            bytes.resize(start + length, 0);
        }
        bytes
    }

    #[test]
    fn regular_files_are_listed() {
        let entries = [
            ("a", 0o100_644),
            ("link", 0o120_000),
            ("src/längeres.rs", 0o100_755),
            ("sub", 0o160_000),
        ];
        assert_eq!(
            all(&index(&entries, 2)).expect("understood"),
            ["a", "src/längeres.rs"]
        );
        assert_eq!(
            tracked_files(&index(&entries, 2), |path| path == "a").expect("understood"),
            ["a"]
        );
        assert_eq!(
            all(&index(&[], 3)).expect("understood"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn paths_of_version_4_build_on_each_other() {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(4_u32.to_be_bytes());
        bytes.extend(2_u32.to_be_bytes());
        for (dropped, suffix) in [(0, "src/main.rs"), (7, "lib.rs")] {
            bytes.extend([0; 24]);
            bytes.extend(0o100_644_u32.to_be_bytes());
            bytes.extend([0; 12 + NAME_HASH + 2]);
            bytes.push(dropped);
            bytes.extend(suffix.as_bytes());
            bytes.push(0);
        }
        assert_eq!(
            all(&bytes).expect("understood"),
            ["src/main.rs", "src/lib.rs"]
        );
    }

    #[test]
    fn invalid_indexes_are_not_understood() {
        let valid = index(&[("src/main.rs", 0o100_644), ("src/lib.rs", 0o100_644)], 2);
        for end in 0..valid.len() {
            assert!(all(&valid[..end]).is_none_or(|files| files.len() <= 2));
        }
        assert_eq!(all(b"DIRC\0\0\0\x09\0\0\0\x01"), None);
        assert_eq!(all(b"not an index"), None);
    }
}
