//! Freshness: whether an answer from the index is complete and current, in the same words for every tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::words;
use crate::text::quantity::{count, duration, grouped};
use crate::text::{Line, one_line};

/// The gaps of an answer. Empty when it is whole and reflects every change made before the call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Freshness {
    /// Present while the root is still being indexed: the answer covers what is done so far.
    pub partial: Option<IndexProgress>,
    /// The first files that changed and could not be reread in time.
    pub stale: Vec<String>,
    /// Number of stale files.
    pub stale_total: u64,
    /// Another remark, such as that a part of the index is missing and what replaces it.
    pub note: Option<Line>,
}

impl Freshness {
    /// Maximum number of stale files that are named.
    pub const STALE_SHOWN: usize = 10;

    /// Adds files whose changes the answer may not show.
    #[must_use]
    pub fn with_stale(mut self, files: impl IntoIterator<Item = String>) -> Self {
        for file in files {
            self.stale_total += 1;
            if self.stale.len() < Self::STALE_SHOWN {
                self.stale.push(file);
            }
        }
        self
    }

    /// Adds files that have changed since they were indexed, unless they are named as stale already.
    #[must_use]
    pub fn with_changed(self, files: Vec<String>) -> Self {
        let is_new = |file: &String| !self.stale.contains(file);
        let new: Vec<String> = files.into_iter().filter(is_new).collect();
        self.with_stale(new)
    }

    /// Returns whether files are missing from the index. Vectors that are missing change the order of results only.
    pub fn is_unfinished(&self) -> bool {
        self.partial
            .as_ref()
            .is_some_and(|progress| progress.phase != IndexPhase::Embedding)
    }

    /// Appends a note.
    pub fn add_note(&mut self, note: impl Into<Line>) {
        let notes = self.note.take().into_iter().chain([note.into()]);
        self.note = Some(Line::join(notes, "; "));
    }

    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = Line>) {
        for note in notes {
            self.add_note(note);
        }
    }

    /// Returns one line for each gap: missing files, stale files, notes.
    pub fn warnings(&self) -> Vec<Line> {
        let mut lines = vec![];
        if let Some(progress) = &self.partial {
            lines.push(format!("partial: {}", indexed(progress)).into());
        }
        if self.stale_total > 0 {
            let names = self.stale.iter().map(|path| Line::new().path(path));
            let unnamed = self.stale_total.saturating_sub(self.stale.len() as u64);
            let mut line = Line::from("stale: ").line(Line::join(names, ", "));
            if unnamed > 0 {
                line = line.text(" and ").number(unnamed).text(" more");
            }
            lines.push(line);
        }
        if let Some(note) = &self.note {
            lines.push(Line::from("note: ").line(note.clone()));
        }
        lines
    }
}

/// The progress of indexing a root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexProgress {
    pub phase: IndexPhase,
    /// Files.
    pub done: u64,
    pub total: u64,
    /// Files a second, lately.
    pub rate: f64,
    /// None until it can be told.
    pub eta_seconds: Option<u64>,
}

words! {
    IndexPhase {
        /// Finding out which files there are and which have changed.
        Scanning = "scanning",
        /// Reading, parsing and cutting them into chunks.
        Extracting = "extracting",
        /// Making what was found searchable.
        Committing = "committing",
        /// Computing vectors. Text and symbols are already complete.
        Embedding = "embedding",
    }
}

/// Maximum number of unused ignore files that are named.
pub const MAX_UNUSED_RULES: usize = 200;

/// Returns e.g. `1 ignore file is not used, so files that it names are not ignored: .gitignore (a symbolic link)`.
pub fn unused_rules(files: &[String]) -> Option<String> {
    const SHOWN: usize = 5;
    let one = files.len() == 1;
    let (are, they) = if one {
        ("is", "it names")
    } else {
        ("are", "they name")
    };
    let mut named = files
        .iter()
        .take(SHOWN)
        .map(|file| one_line(file))
        .collect::<Vec<_>>()
        .join(", ");
    if files.len() > SHOWN {
        named = format!("{named} and {} more", grouped((files.len() - SHOWN) as u64));
    }
    let or_more = if files.len() < MAX_UNUSED_RULES {
        ""
    } else {
        "at least "
    };
    let files = format!("{or_more}{}", count(files.len() as u64, "ignore file"));
    (!named.is_empty())
        .then(|| format!("{files} {are} not used, so files that {they} are not ignored: {named}"))
}

/// Returns e.g. `1,234 of 6,611 files indexed, about 40 s left`.
fn indexed(progress: &IndexProgress) -> String {
    let missing = progress.total.saturating_sub(progress.done);
    match progress.phase {
        IndexPhase::Embedding if progress.done == 0 => return "ranked without vectors".to_owned(),
        IndexPhase::Embedding => {
            return format!("ranked without the vectors of {}", count(missing, "file"));
        }
        // The total is unknown until all files are counted.
        _ if progress.total == 0 => return "scanning files".to_owned(),
        _ => {}
    }
    let indexed = format!(
        "{} of {} files indexed",
        grouped(progress.done),
        grouped(progress.total)
    );
    match eta(progress) {
        Some(left) => format!("{indexed}, {left}"),
        None => indexed,
    }
}

/// Returns e.g. `extracting 1,234 of 6,611 files, 210 a second, about 25 s left`.
pub fn progress(progress: &IndexProgress) -> String {
    if progress.total == 0 {
        return format!("{} files", progress.phase.as_str());
    }
    let (phase, done, total) = (
        progress.phase.as_str(),
        grouped(progress.done),
        grouped(progress.total),
    );
    let mut text = format!("{phase} {done} of {total} files");
    if progress.rate > 0.0 {
        text = format!("{text}, {} a second", rate(progress.rate));
    }
    match eta(progress) {
        Some(left) => format!("{text}, {left}"),
        None => text,
    }
}

/// Formats a number of files per second, with one decimal below 10.
pub fn rate(rate: f64) -> String {
    if rate < 10.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

fn eta(progress: &IndexProgress) -> Option<String> {
    let seconds = i64::try_from(progress.eta_seconds?)
        .unwrap_or(i64::MAX / 1000)
        .min(i64::MAX / 1000);
    Some(format!("about {} left", duration(seconds * 1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(freshness: &Freshness) -> Vec<String> {
        freshness.warnings().iter().map(Line::to_string).collect()
    }

    #[test]
    fn ignore_files_that_are_not_used_are_named() {
        assert_eq!(unused_rules(&[]), None);
        let files: Vec<_> = (0..7)
            .map(|number| format!("{number}/.gitignore (larger than 1 MB)"))
            .collect();
        let one = "1 ignore file is not used, so files that it names are not ignored: 0/.gitignore (larger than 1 MB)";
        assert_eq!(unused_rules(&files[..1]).as_deref(), Some(one));
        let many = unused_rules(&files).expect("some");
        assert!(
            many.starts_with(
                "7 ignore files are not used, so files that they name are not ignored: 0/"
            ),
            "{many}"
        );
        assert!(
            many.ends_with("4/.gitignore (larger than 1 MB) and 2 more"),
            "{many}"
        );
    }

    #[test]
    fn each_missing_part_is_one_line() {
        let partial = IndexProgress {
            phase: IndexPhase::Extracting,
            done: 1234,
            total: 6611,
            rate: 210.4,
            eta_seconds: Some(25),
        };
        insta::assert_snapshot!(progress(&partial), @"extracting 1,234 of 6,611 files, 210 a second, about 25 s left");
        let begun = IndexProgress {
            phase: IndexPhase::Scanning,
            done: 0,
            total: 0,
            rate: 0.0,
            eta_seconds: None,
        };
        assert_eq!(progress(&begun), "scanning files");
        let begun = Freshness {
            partial: Some(begun),
            ..Freshness::default()
        };
        assert_eq!(text(&begun), ["partial: scanning files"]);
        let freshness = Freshness {
            partial: Some(partial),
            ..Freshness::default()
        }
        .with_stale((0..12).map(|number| format!("src/file_{number}.rs")));
        let freshness = Freshness {
            note: Some("text search only".into()),
            ..freshness
        };
        insta::assert_snapshot!(text(&freshness).join("\n"), @r"
        partial: 1,234 of 6,611 files indexed, about 25 s left
        stale: src/file_0.rs, src/file_1.rs, src/file_2.rs, src/file_3.rs, src/file_4.rs, src/file_5.rs, src/file_6.rs, src/file_7.rs, src/file_8.rs, src/file_9.rs and 2 more
        note: text search only
        ");
        assert!(text(&Freshness::default()).is_empty());
        let without = |done| {
            let partial = IndexProgress {
                phase: IndexPhase::Embedding,
                done,
                total: 40,
                rate: 0.0,
                eta_seconds: None,
            };
            text(&Freshness {
                partial: Some(partial),
                ..Freshness::default()
            })
        };
        assert_eq!(without(0), ["partial: ranked without vectors"]);
        assert_eq!(
            without(39),
            ["partial: ranked without the vectors of 1 file"]
        );
        let begun = IndexProgress {
            phase: IndexPhase::Scanning,
            done: 0,
            total: 0,
            rate: 0.0,
            eta_seconds: None,
        };
        let freshness = Freshness {
            partial: Some(begun),
            ..Freshness::default()
        };
        assert_eq!(text(&freshness), ["partial: scanning files"]);
    }
}
