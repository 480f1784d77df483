//! `list_files`: which files of a root are there to be asked about.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil files                     every file of this project
  claudevil files '*.rs' -s size      the largest of some names
  claudevil files 'src/**'            all below a folder
  claudevil files -s recent -n 5      those edited last
  claudevil files | xargs wc -l       in a pipe, a path a line

Nothing found by a pattern is exit code 1.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ListFiles {
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// E.g. `src/**/*.rs`; without / names anywhere.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern: Option<String>,
    /// Default glob.
    #[cfg_attr(feature = "cli", arg(long))]
    pub pattern_type: Option<PatternType>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
    /// Default path.
    #[cfg_attr(feature = "cli", arg(long))]
    pub sort: Option<FileSort>,
    /// Default 100.
    #[schemars(range(min = 1, max = 10000))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum PatternType {
    #[default]
    Glob,
    Regex,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum FileSort {
    #[default]
    Path,
    Size,
    Recent,
}

impl FileSort {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Size => "size",
            Self::Recent => "recent",
        }
    }
}

impl ListFiles {
    pub const DEFAULT_LIMIT: u32 = 100;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// How many files one answer lists at most.
    pub fn most(pattern: Option<&str>) -> u32 {
        if pattern.is_some() { 10_000 } else { 500 }
    }
}

impl Tool for ListFiles {
    type Answer = FileList;

    const INFO: ToolInfo = ToolInfo {
        name: "list_files",
        title: "List files",
        description: "Files with language, lines, chunks and size, by glob or regex.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "files",
            alias: None,
            about: "List the files of a project",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("pattern", self.pattern.as_deref(), 500)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_length("cursor", self.cursor.as_deref(), 8192)?;
        check_range("limit", self.limit, 1..=Self::most(self.pattern.as_deref())).map_err(|error| {
            error.with_hint(
                "page with `cursor`; with a `pattern` up to 10000 files are listed at once",
            )
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileList {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    /// Of the chunks; the files themselves are looked at for the answer.
    pub freshness: Freshness,
    pub pattern: Option<String>,
    pub pattern_type: PatternType,
    pub language: Option<String>,
    pub sort: FileSort,
    /// How many files match in all.
    pub total: u64,
    pub files: Vec<FileEntry>,
    /// How many matching files come after the last of `files`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// How many were asked for at most.
    pub limit: u32,
    /// How many folders and files could not be read or named, so that the list may lack some.
    pub unreadable_total: u64,
    /// The first of them.
    pub unreadable: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    pub language: Option<String>,
    /// None for a file that is not text, or too large to be counted.
    pub lines: Option<u64>,
    /// How many chunks of it are indexed. None while it is not.
    pub chunks: Option<u32>,
    pub size: u64,
    /// Milliseconds since 1970.
    pub modified: i64,
}

/// A place in a sorted list that stays valid while files come and go: the sort key of the last file shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub sort: FileSort,
    /// Size or time; zero when sorted by path.
    pub key: i64,
    pub path: String,
}

impl Cursor {
    pub fn after(sort: FileSort, entry: &FileEntry) -> Self {
        Self::at(sort, &entry.path, entry.size, entry.modified)
    }

    /// The place of a file of this path, size and time.
    pub fn at(sort: FileSort, path: &str, size: u64, modified: i64) -> Self {
        let key = match sort {
            FileSort::Path => 0,
            FileSort::Size => i64::try_from(size).unwrap_or(i64::MAX),
            FileSort::Recent => modified,
        };
        Self {
            sort,
            key,
            path: path.to_owned(),
        }
    }

    pub fn encode(&self) -> String {
        match self.sort {
            FileSort::Path => format!("path:{}", self.path),
            sort => format!("{}:{}:{}", sort.as_str(), self.key, self.path),
        }
    }

    pub fn decode(text: &str) -> Option<Self> {
        let (sort, rest) = text.split_once(':')?;
        let sort = [FileSort::Path, FileSort::Size, FileSort::Recent]
            .into_iter()
            .find(|one| one.as_str() == sort)?;
        let (key, path) = match sort {
            FileSort::Path => (0, rest),
            FileSort::Size | FileSort::Recent => {
                let (key, path) = rest.split_once(':')?;
                (key.parse().ok()?, path)
            }
        };
        Some(Self {
            sort,
            key,
            path: path.to_owned(),
        })
    }
}

impl Answer for FileList {
    fn items(&self) -> usize {
        self.files.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.files.len() {
            return;
        }
        self.remaining += (self.files.len() - items) as u64;
        self.files.truncate(items);
        self.truncated = true;
        if let Some(last) = self.files.last() {
            self.cursor = Some(Cursor::after(self.sort, last).encode());
        }
    }

    fn text(&self) -> Text {
        crate::tools::list_files::text::write(self).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_their_text_form() {
        for sort in [FileSort::Path, FileSort::Size, FileSort::Recent] {
            let key = if sort == FileSort::Path { 0 } else { -5 };
            let cursor = Cursor {
                sort,
                key,
                path: "a:b/ü c.rs".to_owned(),
            };
            assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
        }
        for nonsense in ["", "path", "size:x:y", "recent:1", "elsewhere:1:a"] {
            assert_eq!(Cursor::decode(nonsense), None);
        }
    }

    #[test]
    fn a_long_list_needs_a_pattern() {
        let mut params = ListFiles {
            limit: Some(501),
            ..ListFiles::default()
        };
        assert!(params.validate().is_err());
        params.pattern = Some("*.rs".to_owned());
        assert!(params.validate().is_ok());
    }
}
