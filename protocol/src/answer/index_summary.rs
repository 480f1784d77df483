//! Contents of the index of a root, and the files that are not in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::symbol::words;
use crate::text::Line;
use crate::text::quantity::{bytes, duration};

/// Contents of the index of a root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexSummary {
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    pub vectors: u64,
    /// Size of the index.
    pub bytes_on_disk: u64,
    /// Size of the indexed files.
    pub source_bytes: u64,
    /// With one decimal; zero without files.
    pub chunks_per_file: f64,
    /// The mean size of a chunk in bytes; zero without chunks.
    pub bytes_per_chunk: u64,
    /// Most files first.
    pub languages: Vec<LanguageCount>,
    /// The checked-out commit when it was last indexed. None outside git.
    pub commit: Option<IndexedCommit>,
    /// When the index was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was last brought up to date.
    pub last_indexed: i64,
    /// When a file last changed.
    pub last_change: Option<i64>,
    pub skipped: SkippedFiles,
    /// Secrets that were left out of the index.
    pub redacted_secrets: u64,
    /// Files that were parsed with errors and are indexed as far as they were understood.
    pub parse_errors: u64,
}

impl IndexSummary {
    /// Returns a line each for sizes, languages, times, skipped files, and secrets or parse errors.
    pub fn facts(&self, now: i64) -> Vec<Line> {
        let mut lines = vec![self.sizes()];
        lines.extend(self.main_languages());
        lines.push(self.times(now));
        lines.extend(self.skipped.line());
        let secrets = (self.redacted_secrets > 0).then(|| {
            Line::new()
                .count(self.redacted_secrets, "secret")
                .text(" left out")
        });
        let errors = (self.parse_errors > 0).then(|| {
            Line::new()
                .count(self.parse_errors, "file")
                .text(" parsed with errors")
        });
        let marks = Line::join([secrets, errors].into_iter().flatten(), ", ");
        lines.extend((!marks.is_empty()).then_some(marks));
        lines
    }

    fn sizes(&self) -> Line {
        let mut line = Line::new()
            .count(self.chunks, "chunk")
            .text(", ")
            .count(self.vectors, "vector");
        if self.chunks > 0 {
            let (per_file, size) = (self.chunks_per_file, bytes(self.bytes_per_chunk));
            line = line.text(format!("; {per_file:.1} chunks a file, {size} a chunk"));
        }
        let (source, disk) = (bytes(self.source_bytes), bytes(self.bytes_on_disk));
        line.text(format!("; {source} of source, {disk} on disk"))
    }

    /// Returns e.g. `rust 900, python 12 and 3 more languages`.
    fn main_languages(&self) -> Option<Line> {
        const SHOWN: usize = 8;
        let named = self
            .languages
            .iter()
            .take(SHOWN)
            .map(|one| Line::new().code(&one.language).text(" ").number(one.files));
        let line = Line::join(named, ", ");
        let unnamed = self.languages.len().saturating_sub(SHOWN) as u64;
        if unnamed > 0 {
            return Some(line.text(" and ").count(unnamed, "more language"));
        }
        (!line.is_empty()).then_some(line)
    }

    /// Returns e.g. `commit 1a2b3c4d5e (main), indexed 3 s ago, created 5 days ago`.
    fn times(&self, now: i64) -> Line {
        let ago = |event: &str, at: i64| Line::from(format!("{event} {} ago", duration(now - at)));
        let times = [
            self.commit.as_ref().map(IndexedCommit::line),
            Some(ago("indexed", self.last_indexed)),
            self.last_change.map(|at| ago("changed", at)),
            Some(ago("created", self.created)),
        ];
        Line::join(times.into_iter().flatten(), ", ")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexedCommit {
    pub hash: String,
    /// None when no branch is checked out.
    pub branch: Option<String>,
}

impl IndexedCommit {
    fn line(&self) -> Line {
        let hash: String = self.hash.chars().take(10).collect();
        let line = Line::from("commit ").code(&hash);
        match &self.branch {
            Some(branch) => line.text(" (").code(branch).text(")"),
            None => line,
        }
    }
}

/// Files that are not in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedFiles {
    pub total: u64,
    /// Most first.
    pub reasons: Vec<SkipCount>,
    /// Some of them.
    pub examples: Vec<SkippedFile>,
}

impl SkippedFiles {
    /// Returns e.g. `skipped 40: binary 30, too large 10; e.g. a.bin (binary)`.
    fn line(&self) -> Option<Line> {
        const SHOWN: usize = 5;
        if self.total == 0 {
            return None;
        }
        let reasons = self
            .reasons
            .iter()
            .map(|one| Line::from(format!("{} ", one.reason.as_str())).number(one.files));
        let examples = self.examples.iter().take(SHOWN).map(|one| {
            Line::new()
                .path(&one.path)
                .text(format!(" ({})", one.reason.as_str()))
        });
        let examples = Line::join(examples, ", ");
        let line = Line::from("skipped ")
            .number(self.total)
            .text(": ")
            .line(Line::join(reasons, ", "));
        Some(if examples.is_empty() {
            line
        } else {
            line.text("; e.g. ").line(examples)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkipCount {
    pub reason: SkipReason,
    pub files: u64,
}

impl SkipCount {
    /// Returns e.g. `not searched: 30 binary, 10 too large`; None without such files.
    pub fn not_searched(counts: &[Self]) -> Option<Line> {
        let reasons = counts.iter().map(|one| {
            let files = Line::new().number(one.files);
            files.text(format!(" {}", one.reason.as_str()))
        });
        let reasons = Line::join(reasons, ", ");
        (!reasons.is_empty()).then(|| Line::from("not searched: ").line(reasons))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedFile {
    pub path: String,
    pub reason: SkipReason,
}

words! {
    /// The reason why a file is not in the index. Bincode numbers these by position: new ones go to the end.
    SkipReason {
        Binary = "binary",
        NotUtf8 = "not UTF-8",
        TooLarge = "too large",
        Generated = "generated",
        Minified = "minified",
        /// A file that is a credential as a whole, e.g. a private key.
        Secret = "secret",
        Unreadable = "unreadable",
        ParserCrashed = "parser crashed",
        ParserTooSlow = "parser too slow",
        ParserMemory = "parser out of memory",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageCount {
    pub language: String,
    pub files: u64,
}

/// Files of a language that precise indexes describe as they are now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageCoverage {
    pub language: String,
    pub precise: u64,
    pub files: u64,
}

impl LanguageCoverage {
    /// Returns e.g. `TypeScript: 528 of 611 files resolved by an index`.
    pub fn line(&self) -> Line {
        Line::from(self.language.as_str())
            .text(": ")
            .number(self.precise)
            .text(" of ")
            .count(self.files, "file")
            .text(" resolved by an index")
    }
}
