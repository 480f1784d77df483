//! Notes and plans of a root: Markdown files in it that people can read, edit, version or ignore.
//!
//! Nothing else is stored about them: the files are the truth, and every call reads them. A note is a file of its own with a
//! unique name, so that sessions that write at once do not collide. A plan is changed by one session at a time, and only if the
//! file has not changed since it was read (`change/`), so that an edit by hand is not lost; a copy of the replaced text is kept
//! beside it. Secrets are redacted before anything is written, and before anything is shown.

mod markdown;
mod note_cache;
pub mod notes;
pub mod plans;
mod summary;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use claudevil_protocol::answer::note::SkippedNote;
use claudevil_protocol::error::from_io;
use claudevil_protocol::{ErrorCode, ToolError};

pub use self::note_cache::{NoteCache, Visit};
pub use self::summary::{NoteSummary, TermCounts};
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::own_folder::{OwnFolder, StoredFile};
use crate::source::walk::notes::FOLDERS;

/// The largest note or plan in bytes.
const LARGEST: u64 = 256 << 10;
/// The most files of a folder that are read: the newest, by name.
const MAX_FILES: usize = 5_000;
/// The most names of a folder that are listed.
const MAX_NAMES: usize = 50_000;
const REDACTED: &str = "[redacted]";
const NO_FOLDER: &str = "a link or a file is where a folder is expected";

/// The state of the notes and plans of all roots: summaries of notes, and a lock for the plans of each root.
#[derive(Default)]
pub struct Memory {
    pub notes: NoteCache,
    plan_locks: Mutex<HashMap<u64, Arc<Mutex<()>>>>,
}

impl Memory {
    /// Returns the lock of a root. Each root has its own, so that a file system that does not answer blocks no other root.
    fn plan_lock(&self, root: u64) -> Arc<Mutex<()>> {
        let mut locks = self
            .plan_locks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(locks.entry(root).or_default())
    }
}

/// The text of a Markdown file.
struct MarkdownFile {
    text: String,
    /// The file as it is on the disk, for a rewrite.
    bytes: Vec<u8>,
    modified: i64,
    /// A problem of its encoding.
    remark: Option<String>,
}

/// The Markdown files of a folder.
struct Listing {
    /// None if there is no such folder, or it cannot be read.
    folder: Option<OwnFolder>,
    /// The newest first by name.
    names: Vec<String>,
    /// Files beyond the limit, or the folder if it cannot be read.
    skipped: Vec<SkippedNote>,
}

impl Listing {
    fn new(root: &RootDir, folders: &[&str]) -> Self {
        let path = folders.join("/");
        let listed = OwnFolder::open(root, folders).and_then(|folder| {
            folder
                .map(|folder| folder.names(MAX_NAMES).map(|names| (folder, names)))
                .transpose()
        });
        let (folder, mut names) = match listed {
            Ok(Some(listed)) => listed,
            Ok(None) => {
                return Self {
                    folder: None,
                    names: vec![],
                    skipped: vec![],
                };
            }
            Err(error) => {
                let reason = if error.kind() == io::ErrorKind::NotADirectory {
                    NO_FOLDER.to_owned()
                } else {
                    error.to_string()
                };
                return Self {
                    folder: None,
                    names: vec![],
                    skipped: vec![SkippedNote { path, reason }],
                };
            }
        };
        names.retain(|name| name.to_lowercase().ends_with(".md"));
        names.sort_unstable_by(|one, other| other.cmp(one));
        let beyond = names.split_off(names.len().min(MAX_FILES));
        let reason = format!("beyond the {MAX_FILES} newest files");
        let skip = |name| SkippedNote {
            path: format!("{path}/{name}"),
            reason: reason.clone(),
        };
        Self {
            folder: Some(folder),
            names,
            skipped: beyond.into_iter().map(skip).collect(),
        }
    }
}

#[derive(Debug)]
pub enum ReadError {
    Gone,
    /// The file is skipped, for this reason.
    Skipped(String),
}

fn read_error(error: &io::Error) -> ReadError {
    ReadError::Skipped(match error.kind() {
        io::ErrorKind::NotFound => return ReadError::Gone,
        io::ErrorKind::InvalidInput => "not a regular file".to_owned(),
        io::ErrorKind::FileTooLarge => format!("larger than {} KB", LARGEST >> 10),
        _ => format!("cannot be read: {error}"),
    })
}

fn decode(file: StoredFile) -> Result<MarkdownFile, ReadError> {
    let StoredFile {
        bytes, modified, ..
    } = file;
    if bytes.contains(&0) {
        return Err(ReadError::Skipped("binary".to_owned()));
    }
    let (text, remark) = if let Ok(text) = std::str::from_utf8(&bytes) {
        (text.to_owned(), None)
    } else {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let broken = text.matches(char::REPLACEMENT_CHARACTER).count();
        if broken * 10 > bytes.len() {
            return Err(ReadError::Skipped("binary".to_owned()));
        }
        (
            text,
            Some("it is not UTF-8, so some letters are wrong".to_owned()),
        )
    };
    if text.trim().is_empty() {
        return Err(ReadError::Skipped("empty".to_owned()));
    }
    Ok(MarkdownFile {
        text,
        bytes,
        modified,
        remark,
    })
}

/// Returns a text without its secrets, and their number.
fn redact(text: &str) -> (String, u64) {
    replace(text, &secrets::find(text))
}

/// Returns the beginning of a text without its secrets, and whether the text was cut. The rest is not searched.
fn redact_beginning(text: &str, most: usize) -> (String, bool) {
    /// Longer than any complete secret, so that one across the cut is found.
    const MARGIN: usize = 16 << 10;
    if text.len() <= most {
        return (redact(text).0, false);
    }
    let secrets = secrets::find(&text[..text.floor_char_boundary(most + MARGIN)]);
    let cut = text.floor_char_boundary(most);
    let cut = text[..cut]
        .rfind('\n')
        .filter(|end| *end >= cut / 2)
        .unwrap_or(cut);
    let is_across = |(start, stop): &&(u32, u32)| (*start as usize) < cut && cut < *stop as usize;
    let cut = secrets
        .iter()
        .find(is_across)
        .map_or(cut, |(start, _)| *start as usize);
    let before = secrets.partition_point(|(_, stop)| *stop as usize <= cut);
    (replace(&text[..cut], &secrets[..before]).0, true)
}

fn replace(text: &str, secrets: &[(u32, u32)]) -> (String, u64) {
    let mut clean = String::with_capacity(text.len());
    let (mut end, mut count) = (0, 0);
    for (start, stop) in secrets {
        let (start, stop) = (*start as usize, *stop as usize);
        // The lines of one key are one secret.
        let is_next_line = count > 0 && text[end..start].trim().is_empty();
        if is_next_line {
            end = stop;
            continue;
        }
        clean.push_str(&text[end..start]);
        clean.push_str(REDACTED);
        end = stop;
        count += 1;
    }
    clean.push_str(&text[end..]);
    (clean, count)
}

/// Returns words without their secrets, each once, and adds the number of secrets to `redacted`.
fn redact_all(words: &[String], redacted: &mut u64) -> Vec<String> {
    let mut clean: Vec<String> = vec![];
    for word in words {
        let (word, secrets) = redact(word.trim());
        *redacted += secrets;
        if !word.is_empty() && !clean.contains(&word) {
            clean.push(word);
        }
    }
    clean
}

/// Returns the first words of a text as a part of a file name: `the-lexer-keeps-its-place`.
fn slug(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut slug = String::new();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    for word in text
        .split(|letter| !is_letter(letter))
        .filter(|word| !word.is_empty())
    {
        if slug.len() + word.len() > LONGEST && !slug.is_empty() {
            break;
        }
        let dash = if slug.is_empty() { "" } else { "-" };
        slug = format!(
            "{slug}{dash}{}",
            word[..word.len().min(LONGEST)].to_ascii_lowercase()
        );
    }
    slug
}

/// Returns the folder of notes relative to the root.
fn folder_path() -> String {
    FOLDERS.join("/")
}

/// Returns the error of a note or plan that could not be saved, with a hint to act on.
fn save_error(path: &str, error: &io::Error) -> ToolError {
    match error.kind() {
        // An escape from the root is reported without an error number; a denial by the system has one.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => ToolError::new(
            ErrorCode::PathOutsideRoot,
            format!("{path} leads out of the root; nothing was saved"),
        ),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ToolError::invalid_argument(format!(
                "{path} cannot be used: {error}; nothing was saved"
            ))
            .with_hint("make the project's folder writable: notes are kept in it")
        }
        io::ErrorKind::NotADirectory => ToolError::invalid_argument(format!(
            "{path}: {NO_FOLDER}; nothing was saved"
        ))
        .with_hint(
            "notes need a real folder in the project; remove or rename what is at that path",
        ),
        _ => from_io(path, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let (clean, count) = redact(&format!("the token {token} works,\nand {token} too"));
        assert_eq!(
            (clean.as_str(), count),
            ("the token [redacted] works,\nand [redacted] too", 2)
        );
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n{}\n-----END PRIVATE KEY-----",
            "Ab1/".repeat(16),
            "x9Z+".repeat(16)
        );
        let (clean, count) = redact(&format!("before\n{key}\nafter"));
        assert!(
            !clean.contains("Ab1/")
                && !clean.contains("x9Z+")
                && clean.starts_with("before\n")
                && clean.ends_with("\nafter"),
            "{clean}"
        );
        assert_eq!(count, 1);
        assert_eq!(redact("nothing here"), ("nothing here".to_owned(), 0));
    }

    #[test]
    fn a_secret_across_the_cut_is_left_out() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let text = format!("{} {token} and more", "word ".repeat(20));
        for most in 0..text.len() {
            let (clean, is_cut) = redact_beginning(&text, most);
            assert!(
                is_cut && !clean.contains("ghp_") && clean.len() <= most.max(100) + REDACTED.len(),
                "{most}: {clean}"
            );
        }
        assert_eq!(
            redact_beginning("one\ntwo\nthree", 9),
            ("one\ntwo".to_owned(), true)
        );
        assert_eq!(redact_beginning("größe", 3), ("gr".to_owned(), true));
        assert_eq!(
            redact_beginning("all of it", 9),
            ("all of it".to_owned(), false)
        );
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(
            slug("# The lexer: keeps its place!"),
            "the-lexer-keeps-its-place"
        );
        assert_eq!(slug("../../etc/passwd\0"), "etc-passwd");
        assert_eq!(slug("größe"), "gr-e");
        assert_eq!(slug("日本"), "");
        assert!(slug(&"x".repeat(100)).len() == 40 && slug(&"word ".repeat(100)).len() <= 40);
    }
}
