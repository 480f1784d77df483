//! Notes: one file each, written once and never changed by the daemon.

use std::sync::atomic::{AtomicU64, Ordering};

use claudevil_protocol::answer::note::{Note, SkippedNote, title_of};
use claudevil_protocol::text::moment;
use claudevil_protocol::{ErrorCode, ToolError};

use super::markdown::{self, Document};
use super::{
    LARGEST, Listing, MarkdownFile, ReadError, decode, folder_path, read_error, redact, redact_all,
    redact_beginning, save_error, slug,
};
use crate::source::beneath::RootDir;
use crate::source::file_stat::FileStat;
use crate::source::git_dir::Head;
use crate::source::own_folder::{OwnFolder, PutOutcome};
use crate::source::walk::notes::FOLDERS;

/// The number of names that are tried for a note.
const ATTEMPTS: usize = 16;
/// The most bytes of a note's text that are read: more than `checkpoint` writes. The rest of a longer one is found by `search`
/// and shown by `read_file`.
pub const MAX_TEXT: usize = 32 << 10;
/// The most tags of a note that are read; the same holds for its symbols and files.
const MAX_LABELS: usize = 256;

/// A note that is not written yet.
pub struct Draft<'a> {
    pub text: &'a str,
    pub tags: &'a [String],
    pub symbols: &'a [String],
    /// Relative to the root.
    pub files: &'a [String],
    pub head: Option<Head>,
}

/// The listed notes of a root, which are read one by one.
pub struct NoteFolder {
    listing: Listing,
    path: String,
}

/// Writes a note. Returns it, and the number of secrets that were redacted.
pub fn save(root: &RootDir, draft: &Draft, now: i64) -> Result<(Note, u64), ToolError> {
    let (text, mut redacted) = redact(draft.text.trim());
    let Head { commit, branch } = draft.head.clone().unwrap_or_default();
    let tags: Vec<String> = draft
        .tags
        .iter()
        .map(|tag| tag.trim().trim_start_matches('#').to_owned())
        .collect();
    let mut note = Note {
        created: now - now.rem_euclid(1000),
        commit,
        branch,
        tags: redact_all(&tags, &mut redacted),
        symbols: redact_all(draft.symbols, &mut redacted),
        files: redact_all(draft.files, &mut redacted),
        text,
        ..Note::default()
    };
    let bytes = render(&note);
    let folder =
        OwnFolder::create(root, &FOLDERS).map_err(|error| save_error(&folder_path(), &error))?;
    for _ in 0..ATTEMPTS {
        let name = file_name(&note);
        if folder
            .put(&name, bytes.as_bytes())
            .map_err(|error| save_error(&folder_path(), &error))?
            == PutOutcome::Done
        {
            note.path = format!("{}/{name}", folder_path());
            return Ok((note, redacted));
        }
    }
    Err(ToolError::new(
        ErrorCode::Internal,
        format!(
            "no free name was found in {}; nothing was saved",
            folder_path()
        ),
    ))
}

impl NoteFolder {
    pub fn list(root: &RootDir) -> Self {
        Self {
            listing: Listing::new(root, &FOLDERS),
            path: folder_path(),
        }
    }

    /// Returns the names of the files, the newest first.
    pub fn names(&self) -> &[String] {
        &self.listing.names
    }

    /// Returns the path of a note relative to the root.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// Returns files beyond the limit, or the folder if it cannot be read.
    pub fn skipped(&self) -> &[SkippedNote] {
        &self.listing.skipped
    }

    pub fn stat(&self, name: &str) -> Result<FileStat, ReadError> {
        self.open()?.stat(name).map_err(|error| read_error(&error))
    }

    /// Returns a note, with [`MAX_TEXT`] of its text, and the state of its file.
    pub fn read(&self, name: &str) -> Result<(Note, FileStat), ReadError> {
        let file = self
            .open()?
            .read(name, LARGEST)
            .map_err(|error| read_error(&error))?;
        let stat = file.stat;
        Ok((read(&self.path, name, &decode(file)?), stat))
    }

    fn open(&self) -> Result<&OwnFolder, ReadError> {
        self.listing.folder.as_ref().ok_or(ReadError::Gone)
    }
}

fn render(note: &Note) -> String {
    let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
    markdown::write(
        &[
            ("created", vec![moment::written(note.created)]),
            ("branch", one(&note.branch)),
            ("commit", one(&note.commit)),
            ("tags", note.tags.clone()),
            ("symbols", note.symbols.clone()),
            ("files", note.files.clone()),
        ],
        &note.text,
    )
}

/// Returns a unique file name made of a time, words of the title and random digits: `2026-11-15-154512-the-lexer-1a2b3c.md`.
fn file_name(note: &Note) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut unique = blake3::Hasher::new();
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    unique.update(&nanos.to_le_bytes());
    unique.update(&std::process::id().to_le_bytes());
    unique.update(&NUMBER.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let unique = &unique.finalize().to_hex()[..6];
    let stamp: String = moment::written(note.created)
        .replace('T', "-")
        .replace([':', 'Z'], "");
    match slug(title_of(&note.text)) {
        slug if slug.is_empty() => format!("{stamp}-{unique}.md"),
        slug => format!("{stamp}-{slug}-{unique}.md"),
    }
}

fn read(folder: &str, name: &str, file: &MarkdownFile) -> Note {
    let document = Document::read(&file.text);
    let mut remarks: Vec<String> = file
        .remark
        .iter()
        .chain(&document.remark)
        .cloned()
        .collect();
    let written = document.one("created").or_else(|| document.one("date"));
    let created = written.and_then(moment::read);
    if let (Some(written), None) = (written, created) {
        let written: String = written.chars().take(40).collect();
        remarks.push(format!(
            "`{written}` is not a valid date; using the file's modification time"
        ));
    }
    let text = document.body.trim();
    // A file of front matter alone is shown as it is.
    let text = if text.is_empty() {
        file.text.trim()
    } else {
        text
    };
    let clean = |word: &String| redact(word.trim_start_matches('#')).0;
    let mut list = |key: &str| {
        let labels = document.many(key);
        if labels.len() > MAX_LABELS {
            remarks.push(format!(
                "it has {} {key}, of which {MAX_LABELS} are used",
                labels.len()
            ));
        }
        labels
            .iter()
            .take(MAX_LABELS)
            .map(clean)
            .filter(|word| !word.is_empty())
            .collect()
    };
    let (tags, symbols, files) = (list("tags"), list("symbols"), list("files"));
    let (text, cut) = redact_beginning(text, MAX_TEXT);
    Note {
        path: format!("{folder}/{name}"),
        created: created
            .or_else(|| moment_in_name(name))
            .unwrap_or(file.modified),
        commit: document.one("commit").map(str::to_owned),
        branch: document.one("branch").map(str::to_owned),
        tags,
        symbols,
        files,
        text,
        cut,
        remark: (!remarks.is_empty()).then(|| remarks.join("; ")),
        ..Note::default()
    }
}

/// Returns the time that a file name begins with: `2026-11-15-154512-the-lexer.md`.
fn moment_in_name(name: &str) -> Option<i64> {
    let date = moment::read(name.get(..10)?)?;
    let time = name
        .get(11..17)
        .filter(|time| time.bytes().all(|byte| byte.is_ascii_digit()));
    let time = time.and_then(|time| {
        moment::read(&format!(
            "{} {}:{}:{}",
            &name[..10],
            &time[..2],
            &time[2..4],
            &time[4..]
        ))
    });
    Some(time.unwrap_or(date))
}

#[cfg(all(test, unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is looked at as others see it"
)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const NOW: i64 = 1_794_757_512_345;

    fn root() -> (tempfile::TempDir, RootDir) {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = fs::canonicalize(scratch.path()).expect("real");
        let root = RootDir::open(&path, "tree").expect("opened");
        (scratch, root)
    }

    /// Returns the notes that can be read, by path, and the names of the files that cannot, with their reasons.
    fn all(root: &RootDir) -> (Vec<Note>, Vec<(String, String)>) {
        let folder = NoteFolder::list(root);
        let (mut notes, mut skipped) = (vec![], vec![]);
        for name in folder.names() {
            match folder.read(name) {
                Ok((note, stat)) => {
                    assert_eq!(folder.stat(name).expect("there"), stat);
                    notes.push(note);
                }
                Err(ReadError::Skipped(reason)) => skipped.push((name.clone(), reason)),
                Err(ReadError::Gone) => panic!("{name} is gone"),
            }
        }
        notes.sort_by(|one, other| one.path.cmp(&other.path));
        (notes, skipped)
    }

    fn put(root: &RootDir, name: &str, bytes: impl AsRef<[u8]>) {
        let path = root.path().join(folder_path()).join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("made");
        fs::write(path, bytes).expect("written");
    }

    #[test]
    fn a_saved_note_is_read_back() {
        let (_scratch, root) = root();
        assert!(all(&root).0.is_empty());
        let (tags, symbols) = (
            ["#parser".to_owned(), "parser".to_owned()],
            ["Map<K, V>::get".to_owned()],
        );
        let head = Head {
            commit: Some("1a2b".repeat(10)),
            branch: Some("feat/lexer".to_owned()),
        };
        let draft = Draft {
            text: "# The lexer\nkeeps its place\n",
            tags: &tags,
            symbols: &symbols,
            files: &[],
            head: Some(head),
        };
        let (note, redacted) = save(&root, &draft, NOW).expect("kept");
        assert_eq!(redacted, 0);
        assert!(
            note.path
                .starts_with(".claudevil/memories/2026-11-15-154512-the-lexer-"),
            "{}",
            note.path
        );
        assert_eq!(all(&root).0, std::slice::from_ref(&note));
        let (other, _) = save(&root, &draft, NOW).expect("kept");
        assert_ne!(other.path, note.path);
        assert_eq!(all(&root).0.len(), 2);
    }

    #[test]
    fn broken_notes_do_not_break_the_others() {
        let (_scratch, root) = root();
        put(
            &root,
            "a.md",
            "---\ncreated: 2026-11-15T10:00:00Z\ntags: [x]\n---\nsound",
        );
        put(&root, "2026-11-14-100000-by-hand.md", "no front matter");
        put(&root, "b.md", "---\ncreated: last week\n---\ntext");
        put(&root, "c.md", "---\ntags: [x\n\nunfinished");
        put(&root, "d.md", b"caf\xe9 au lait, a whole line of it");
        put(&root, "front.md", "---\ntags: [x]\n---\n");
        put(&root, "empty.md", " \n");
        put(&root, "binary.md", b"\0\x01\x02");
        put(&root, "noise.md", [0xff_u8; 100]);
        put(&root, "huge.md", "x".repeat(300 << 10));
        put(&root, "readme.txt", "not a note");
        fs::create_dir_all(root.path().join(folder_path()).join("folder.md")).expect("made");
        std::os::unix::fs::symlink(
            "/etc/passwd",
            root.path().join(folder_path()).join("link.md"),
        )
        .expect("linked");
        let (notes, skipped) = all(&root);
        let names: Vec<_> = notes
            .iter()
            .filter_map(|note| note.path.rsplit('/').next())
            .collect();
        assert_eq!(
            names,
            [
                "2026-11-14-100000-by-hand.md",
                "a.md",
                "b.md",
                "c.md",
                "d.md",
                "front.md"
            ]
        );
        assert_eq!(moment::written(notes[0].created), "2026-11-14T10:00:00Z");
        let remarked: Vec<_> = notes.iter().map(|note| note.remark.is_some()).collect();
        assert_eq!(remarked, [false, false, true, true, true, false]);
        let reasons: Vec<_> = skipped
            .iter()
            .map(|(name, reason)| (name.as_str(), reason.as_str()))
            .collect();
        assert_eq!(
            reasons,
            [
                ("noise.md", "binary"),
                ("link.md", "not a regular file"),
                ("huge.md", "larger than 256 KB"),
                ("folder.md", "not a regular file"),
                ("empty.md", "empty"),
                ("binary.md", "binary"),
            ]
        );
    }

    #[test]
    fn secrets_are_neither_written_nor_shown() {
        let (_scratch, root) = root();
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let tags = [token.clone()];
        let text = format!("{token} is the token");
        let (note, redacted) = save(
            &root,
            &Draft {
                text: &text,
                tags: &tags,
                symbols: &[],
                files: &[],
                head: None,
            },
            NOW,
        )
        .expect("kept");
        assert_eq!(redacted, 2);
        let bytes = fs::read_to_string(root.path().join(&note.path)).expect("read");
        assert!(
            !bytes.contains(&token)
                && !note.path.contains("a1b2")
                && bytes.contains("[redacted] is the token"),
            "{bytes}"
        );
        put(&root, "by-hand.md", &text);
        assert!(all(&root).0.iter().all(|note| !note.text.contains(&token)));
    }

    #[test]
    fn a_long_note_is_read_up_to_a_limit_with_a_remark() {
        let (_scratch, root) = root();
        let tags: Vec<String> = (0..300).map(|number| format!("tag{number}")).collect();
        let text = "a line of the text\n".repeat(10_000);
        put(
            &root,
            "long.md",
            format!("---\ntags: [{}]\n---\n{text}", tags.join(", ")),
        );
        let (notes, _) = all(&root);
        assert!(
            notes[0].cut && notes[0].text.len() <= MAX_TEXT && notes[0].text.len() > MAX_TEXT - 100
        );
        assert!(notes[0].text.ends_with("a line of the text"));
        assert_eq!(notes[0].tags.len(), MAX_LABELS);
        assert_eq!(
            notes[0].remark.as_deref(),
            Some("it has 300 tags, of which 256 are used")
        );
    }
}
