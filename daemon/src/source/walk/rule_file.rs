//! Reads an ignore file, and decides about a path by its lines.
//!
//! The file is opened without blocking, must be a regular file of bounded size, and is read once, so nothing in its place
//! can block a walk. Lookups use tables; only patterns with wildcards are tried one by one.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use super::pattern::{Glob, Pattern, Shape};
use crate::source::beneath::RootDir;

/// The largest ignore file in bytes. A larger one is not used.
const LARGEST: u64 = 1 << 20;

/// The number of patterns that apply to a path, in all ignore files from the outermost folder to its own. It is bounded,
/// because each makes every path of the folder more expensive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternCount {
    pub all: usize,
    pub globs: usize,
}

impl PatternCount {
    const MOST: Self = Self {
        all: 100_000,
        globs: 2048,
    };
}

/// The reason why an ignore file is not used.
#[derive(Debug, PartialEq, Eq)]
pub enum UnusedReason {
    Link,
    NotAFile,
    TooLarge,
    TooManyPatterns,
    TooManyGlobs,
    Unreadable(io::ErrorKind),
}

impl std::fmt::Display for UnusedReason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Link => formatter.write_str("a symbolic link, which is not followed, as in git"),
            Self::NotAFile => formatter.write_str("not a regular file"),
            Self::TooLarge => formatter.write_str("larger than 1 MB"),
            Self::TooManyPatterns => {
                formatter.write_str("with the ignore files above it, more than 100,000 patterns")
            }
            Self::TooManyGlobs => formatter.write_str(
                "with the ignore files above it, more than 2,048 patterns with wildcards",
            ),
            Self::Unreadable(kind) => write!(formatter, "{kind}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Follow,
    Refuse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Ignore,
    /// Not ignored, even if files of lower precedence ignore it.
    Keep,
}

#[derive(Debug, Default)]
pub struct RuleFile {
    names: HashMap<Box<[u8]>, LastLines>,
    suffixes: HashMap<Box<[u8]>, LastLines>,
    /// The lengths of the suffixes, each once.
    suffix_lengths: Vec<usize>,
    paths: HashMap<Box<[u8]>, LastLines>,
    globs: Vec<GlobLine>,
}

/// The last lines with the same text: for files and folders, and for folders alone.
#[derive(Debug, Default)]
struct LastLines {
    any: Option<Line>,
    folders: Option<Line>,
}

/// Later lines have precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    number: u32,
    negated: bool,
}

#[derive(Debug)]
struct GlobLine {
    line: Line,
    only_folders: bool,
    glob: Glob,
}

/// Reads an ignore file beneath a root; `None` if it does not exist.
pub fn read_beneath(root: &RootDir, relative: &str) -> Result<Option<Vec<u8>>, UnusedReason> {
    let mut bytes = vec![];
    let error = match root.read_now(relative, LARGEST, &mut bytes) {
        Ok((_, length)) => {
            bytes.truncate(length);
            return Ok(Some(bytes));
        }
        Err(error) => error,
    };
    match root.metadata(relative) {
        Ok(found) if found.is_symlink() => Err(UnusedReason::Link),
        // Git ignores a folder of that name.
        Ok(found) if found.is_dir() => Ok(None),
        Ok(found) if !found.is_file() => Err(UnusedReason::NotAFile),
        _ => unread(&error),
    }
}

/// Reads an ignore file that is not beneath a root, such as git's `info/exclude`; `None` if it does not exist.
pub fn read_outside(path: &Path, links: Links) -> Result<Option<Vec<u8>>, UnusedReason> {
    let read = || {
        let found = match links {
            Links::Follow => std::fs::metadata(path)?,
            Links::Refuse => std::fs::symlink_metadata(path)?,
        };
        if found.is_dir() {
            return Ok(None);
        }
        if found.is_symlink() {
            return Ok(Some(Err(UnusedReason::Link)));
        }
        // A device is not opened at all, and the kind is checked again on the open file.
        if !found.is_file() {
            return Ok(Some(Err(UnusedReason::NotAFile)));
        }
        let file = open(path, links)?;
        if !file.metadata()?.is_file() {
            return Ok(Some(Err(UnusedReason::NotAFile)));
        }
        let mut bytes = vec![];
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(Some(if bytes.len() as u64 > LARGEST {
            Err(UnusedReason::TooLarge)
        } else {
            Ok(bytes)
        }))
    };
    match read() {
        Ok(found) => found.transpose(),
        Err(error) => unread(&error),
    }
}

fn unread(error: &io::Error) -> Result<Option<Vec<u8>>, UnusedReason> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
        io::ErrorKind::FileTooLarge => Err(UnusedReason::TooLarge),
        kind => Err(UnusedReason::Unreadable(kind)),
    }
}

#[cfg(unix)]
fn open(path: &Path, links: Links) -> io::Result<std::fs::File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = match links {
        Links::Follow => OFlags::NONBLOCK,
        Links::Refuse => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _links: Links) -> io::Result<std::fs::File> {
    std::fs::OpenOptions::new().read(true).open(path)
}

impl RuleFile {
    /// Parses the lines, and adds their number to that of the files above.
    pub fn parse(bytes: &[u8], above: &mut PatternCount) -> Result<Self, UnusedReason> {
        let mut file = Self::default();
        let mut count = *above;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (number, line) in (0..).zip(bytes.split(|byte| *byte == b'\n')) {
            let Some(pattern) = Pattern::parse(line) else {
                continue;
            };
            count.all += 1;
            count.globs += usize::from(matches!(pattern.shape, Shape::Glob(_)));
            if count.all > PatternCount::MOST.all {
                return Err(UnusedReason::TooManyPatterns);
            }
            if count.globs > PatternCount::MOST.globs {
                return Err(UnusedReason::TooManyGlobs);
            }
            file.add(pattern, number);
        }
        file.suffix_lengths.sort_unstable();
        file.suffix_lengths.dedup();
        *above = count;
        Ok(file)
    }

    fn add(
        &mut self,
        Pattern {
            negated,
            only_folders,
            shape,
        }: Pattern,
        number: u32,
    ) {
        let line = Line { number, negated };
        let last = match shape {
            Shape::Name(name) => self.names.entry(name).or_default(),
            Shape::Suffix(suffix) => {
                if !self.suffixes.contains_key(&suffix) {
                    self.suffix_lengths.push(suffix.len());
                }
                self.suffixes.entry(suffix).or_default()
            }
            Shape::Path(path) => self.paths.entry(path).or_default(),
            Shape::Glob(glob) => {
                return self.globs.push(GlobLine {
                    line,
                    only_folders,
                    glob,
                });
            }
        };
        *if only_folders {
            &mut last.folders
        } else {
            &mut last.any
        } = Some(line);
    }

    /// Returns the decision of the last line that matches. `path` is relative to the folder of this file.
    pub fn decide(&self, path: &[u8], is_folder: bool) -> Option<Decision> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let mut last: Option<Line> = None;
        let mut consider = |table: &HashMap<Box<[u8]>, LastLines>, key: &[u8]| {
            if let Some(lines) = table.get(key) {
                last = last.max(lines.any).max(lines.folders.filter(|_| is_folder));
            }
        };
        consider(&self.names, name);
        consider(&self.paths, path);
        for length in self
            .suffix_lengths
            .iter()
            .take_while(|length| **length <= name.len())
        {
            consider(&self.suffixes, &name[name.len() - length..]);
        }
        let later = self
            .globs
            .iter()
            .rev()
            .take_while(|glob| last.is_none_or(|last| glob.line > last));
        let glob = later
            .filter(|glob| is_folder || !glob.only_folders)
            .find(|glob| glob.glob.matches(path, name));
        let line = glob.map(|glob| glob.line).or(last)?;
        Some(if line.negated {
            Decision::Keep
        } else {
            Decision::Ignore
        })
    }
}
