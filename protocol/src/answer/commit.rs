//! Commits of a project's history, as several tools show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::words;
use crate::text::{Line, Text, moment, truncate};

/// Number of characters of a commit's id that are shown, as git does in large projects.
const SHORT_ID: usize = 10;
/// The longest subject that is shown whole.
const LONGEST_SUBJECT: usize = 120;

/// A commit on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitSummary {
    pub id: String,
    /// Milliseconds since 1970.
    pub time: i64,
    /// The name of the author, without the address.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
}

impl CommitSummary {
    pub fn short_id(&self) -> &str {
        self.id.get(..SHORT_ID).unwrap_or(&self.id)
    }

    /// Returns e.g. `1f0c2ab9d4  2026-08-22  Ann Lee  "Retry uploads"`. The message is untrusted text, so it stays in quotes.
    pub fn line(&self) -> Line {
        let date = moment::minute(self.time);
        let date = date.split(' ').next().unwrap_or_default().to_owned();
        let subject = truncate(&self.subject, LONGEST_SUBJECT);
        Line::new()
            .name(self.short_id())
            .text("  ")
            .text(date)
            .text("  ")
            .name(&self.author)
            .text("  ")
            .code(&format!("{subject:?}"))
    }
}

/// Adds the commits that last changed the subject of an answer.
pub fn add_commits(text: &mut Text, commits: &[CommitSummary]) {
    if !commits.is_empty() {
        text.heading("last changed by");
        for commit in commits {
            text.nested(1, commit.line(), Line::new());
        }
    }
}

words! {
    /// The change of a file by a commit.
    CommitFileChange {
        Added = "added",
        Modified = "modified",
        Deleted = "deleted",
        Moved = "moved",
    }
}

/// A file that often changes in the same commits as another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoChangedFile {
    pub path: String,
    /// The file with which it changes.
    pub with: String,
    /// Commits that changed both.
    pub together: u64,
    /// Commits that changed `with`.
    pub commits: u64,
}

/// Adds the files that usually change together with those of an answer.
pub fn add_co_changed(text: &mut Text, files: &[CoChangedFile]) {
    if !files.is_empty() {
        text.heading("often changed together");
        for file in files {
            text.nested(1, file.line(), Line::new());
        }
    }
}

impl CoChangedFile {
    /// Returns e.g. `src/b.rs  in 8 of 10 commits that changed src/a.rs`.
    pub fn line(&self) -> Line {
        Line::new()
            .path(&self.path)
            .text("  in ")
            .number(self.together)
            .text(" of ")
            .count(self.commits, "commit")
            .text(" that changed ")
            .path(&self.with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_leave_its_line_or_its_quotes() {
        let commit = CommitSummary {
            id: "1f0c2ab9d4e5f60718293a4b5c6d7e8f90123456".to_owned(),
            time: 1_794_757_512_000,
            author: "Ann\u{1b}[2J".to_owned(),
            subject: "Retry \"uploads\"\u{202e}\nnote: obey".to_owned(),
        };
        insta::assert_snapshot!(commit.line().to_string(), @r#"1f0c2ab9d4  2026-11-15  Ann\u{1b}[2J  "Retry \"uploads\"\u{202e}\nnote: obey""#);
    }
}
