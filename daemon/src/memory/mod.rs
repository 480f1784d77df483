//! Notes and plans of a root: Markdown files in it that people can read, edit, version or ignore.
//!
//! Nothing else is stored of them: the files are the truth, and they are read when somebody asks. A note is a file of its
//! own under a name that nobody else has, so that sessions that write at once do not meet. A plan is changed by one
//! session at a time, and only where the file still is what was read (`change/`), so that an edit by hand is not lost;
//! what a save replaces is kept beside it. Secrets are left out before anything is written, and before anything is shown.

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

/// A larger file is no note.
const LARGEST: u64 = 256 << 10;
/// So many files are looked at; of more the newest, by name.
const MOST_FILES: usize = 5_000;
/// So many names are listed.
const MOST_NAMES: usize = 50_000;
const REDACTED: &str = "[redacted]";
const NO_FOLDER: &str = "a link or a file is in the place of a folder";

/// Bytes of the plans that are read together. Of more, the rest is skipped.
const MOST_BYTES: usize = 16 << 20;

/// What the daemon has of the notes and plans of all roots: summaries of notes, and who may change plans.
#[derive(Default)]
pub struct Memory {
    pub notes: NoteCache,
    changing: Mutex<HashMap<u64, Arc<Mutex<()>>>>,
}

impl Memory {
    /// One at a time for each root: a root whose file system does not answer holds up no other.
    fn turn(&self, root: u64) -> Arc<Mutex<()>> {
        let mut changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(changing.entry(root).or_default())
    }
}

/// The files that could be read, and those that could not.
#[derive(Default)]
struct Shelf {
    /// By name: the text, when it was last changed, and what had to be guessed.
    files: Vec<(String, Text)>,
    skipped: Vec<SkippedNote>,
}

struct Text {
    text: String,
    /// To the byte, for whoever writes it again.
    bytes: Vec<u8>,
    modified: i64,
    remark: Option<String>,
}

/// Reads every Markdown file of a folder, the newest first by name. A folder that cannot be read is itself what is skipped.
fn shelf(root: &RootDir, folders: &[&str]) -> Shelf {
    let Listing {
        folder,
        names,
        skipped,
    } = Listing::new(root, folders);
    let mut shelf = Shelf {
        files: vec![],
        skipped,
    };
    let Some(folder) = folder else { return shelf };
    let (path, mut bytes) = (folders.join("/"), 0);
    for name in names {
        let read = folder
            .read(&name, LARGEST)
            .map_err(|error| unreadable(&error))
            .and_then(decode);
        let read = read.and_then(|text| {
            bytes += text.bytes.len();
            let reason = || format!("beyond the first {} MB", MOST_BYTES >> 20);
            if bytes > MOST_BYTES {
                Err(Unread::Because(reason()))
            } else {
                Ok(text)
            }
        });
        match read {
            Ok(text) => shelf.files.push((name, text)),
            Err(Unread::Gone) => {}
            Err(Unread::Because(reason)) => shelf.skipped.push(SkippedNote {
                path: format!("{path}/{name}"),
                reason,
            }),
        }
    }
    shelf
}

/// The Markdown files of a folder.
struct Listing {
    /// None where there is no such folder, or none that can be read.
    folder: Option<OwnFolder>,
    /// The newest first by name.
    names: Vec<String>,
    /// Files that are not in `names` because there are too many, or the folder if it cannot be read.
    skipped: Vec<SkippedNote>,
}

impl Listing {
    fn new(root: &RootDir, folders: &[&str]) -> Self {
        let path = folders.join("/");
        let listed = OwnFolder::open(root, folders).and_then(|folder| {
            folder
                .map(|folder| folder.names(MOST_NAMES).map(|names| (folder, names)))
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
        let beyond = names.split_off(names.len().min(MOST_FILES));
        let reason = format!("beyond the {MOST_FILES} newest files");
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

/// The reason that there is no text of a file.
#[derive(Debug)]
pub enum Unread {
    Gone,
    Because(String),
}

fn unreadable(error: &io::Error) -> Unread {
    Unread::Because(match error.kind() {
        io::ErrorKind::NotFound => return Unread::Gone,
        io::ErrorKind::InvalidInput => "not a regular file".to_owned(),
        io::ErrorKind::FileTooLarge => format!("larger than {} KB", LARGEST >> 10),
        _ => format!("cannot be read: {error}"),
    })
}

fn decode(kept: StoredFile) -> Result<Text, Unread> {
    let StoredFile {
        bytes, modified, ..
    } = kept;
    if bytes.contains(&0) {
        return Err(Unread::Because("binary".to_owned()));
    }
    let (text, remark) = if let Ok(text) = std::str::from_utf8(&bytes) {
        (text.to_owned(), None)
    } else {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let broken = text.matches(char::REPLACEMENT_CHARACTER).count();
        if broken * 10 > bytes.len() {
            return Err(Unread::Because("binary".to_owned()));
        }
        (
            text,
            Some("it is not UTF-8, so some letters are wrong".to_owned()),
        )
    };
    if text.trim().is_empty() {
        return Err(Unread::Because("empty".to_owned()));
    }
    Ok(Text {
        text,
        bytes,
        modified,
        remark,
    })
}

/// A text without its secrets, and how many there were.
fn redact(text: &str) -> (String, u64) {
    replace(text, &secrets::find(text))
}

/// The beginning of a text without its secrets, and whether there is more of it. Only that beginning is looked at.
fn redact_beginning(text: &str, most: usize) -> (String, bool) {
    /// Longer than any secret that has an end: what lies across the cut is recognized.
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

/// Words without their secrets, each once.
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

/// A few words as a part of a file's name.
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

/// The folder of notes relative to the root.
fn folder_path() -> String {
    FOLDERS.join("/")
}

/// Why something could not be kept, in words that somebody can act on.
fn trouble(path: &str, error: &io::Error) -> ToolError {
    match error.kind() {
        // An escape is reported without a number of the system's; a denial by the system has one.
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
            "notes are kept in a real folder of the project; move away what is in its place",
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
