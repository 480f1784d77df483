//! The diff of files that a call changes or would change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Line, Text, one_line};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileEdits {
    pub path: String,
    /// The path afterwards, where that changes.
    pub new_path: Option<String>,
    /// Places that change.
    pub edits: u64,
    /// The number of all hunks, those left out included.
    pub total_hunks: u64,
    pub hunks: Vec<DiffHunk>,
    /// Lines of the hunks that look as if they held credentials, by their numbers before the change. They are shown as they are
    /// on disk.
    pub secrets: Vec<SecretMark>,
}

/// One hunk of a unified diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffHunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// Each begins with ` `, `-`, `+` or, of a last line without an end, `\`. Without the `\n`; a `\r` before it stays.
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretMark {
    pub line: u64,
    /// The kind of secret, e.g. `private key`.
    pub kind: String,
}

/// Introduces the list of lines that look as if they held credentials.
pub const CREDENTIALS: &str = "looks like credentials, shown as on disk";

/// Returns e.g. `line 3 (AWS access key), line 9 (password)`.
pub fn marked_lines(marks: &[SecretMark]) -> String {
    let marks: Vec<_> = marks
        .iter()
        .map(|mark| format!("line {} ({})", mark.line, mark.kind))
        .collect();
    marks.join(", ")
}

impl FileEdits {
    /// Returns the lines of a unified diff.
    pub fn diff(&self) -> Vec<String> {
        let path = one_line(&self.path);
        let new_path = self
            .new_path
            .as_deref()
            .map_or_else(|| path.clone(), one_line);
        let mut lines = vec![];
        if self.new_path.is_some() {
            // In git's own format, so that git can apply it.
            lines.push(format!("diff --git a/{path} b/{new_path}"));
            lines.push(format!("rename from {path}"));
            lines.push(format!("rename to {new_path}"));
        }
        if !self.hunks.is_empty() {
            lines.extend([format!("--- a/{path}"), format!("+++ b/{new_path}")]);
        }
        for hunk in &self.hunks {
            lines.push(hunk.header());
            lines.extend(hunk.lines.iter().cloned());
        }
        lines
    }
}

impl DiffHunk {
    /// Returns e.g. `@@ -11,3 +11,3 @@`.
    fn header(&self) -> String {
        format!(
            "@@ -{},{} +{},{} @@",
            self.old_start, self.old_lines, self.new_start, self.new_lines
        )
    }
}

/// Names the lines of a diff that look as if they held credentials.
pub fn credentials(files: &[FileEdits]) -> Option<Line> {
    let files = files.iter().filter(|file| !file.secrets.is_empty());
    let files = files.map(|file| {
        let marks = marked_lines(&file.secrets);
        Line::new().path(&file.path).text(format!(" {marks}"))
    });
    let files = Line::join(files, "; ");
    (!files.is_empty()).then(|| Line::from(format!("{CREDENTIALS}: ")).line(files))
}

/// Returns the number of hunks that are shown.
pub fn hunk_count(files: &[FileEdits]) -> usize {
    files.iter().map(|file| file.hunks.len()).sum()
}

/// Adds the diff of all files, and a remark if it is cut.
pub fn add_diff(text: &mut Text, files: &[FileEdits], is_cut: bool) {
    text.diff(files.iter().flat_map(FileEdits::diff).collect());
    if is_cut {
        text.note("the diff is cut to fit the budget");
    }
}

/// Leaves out all hunks but the first `hunks`.
pub fn keep_hunks(files: &mut Vec<FileEdits>, mut hunks: usize) {
    for file in &mut *files {
        file.hunks.truncate(hunks);
        hunks -= file.hunks.len();
        let end = file
            .hunks
            .last()
            .map_or(0, |hunk| u64::from(hunk.old_start + hunk.old_lines));
        file.secrets.retain(|mark| mark.line < end);
    }
    files.retain(|file| !file.hunks.is_empty() || file.total_hunks == 0);
}
