//! `list_files`: the files of a root that other tools can be asked about.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::symbol::words;
use crate::answer::{Answer, Format, cut};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::bytes;
use crate::text::{Line, NextCall, Text};

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
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// E.g. `src/**/*.rs`.
    #[cfg_attr(
        feature = "cli",
        arg(help = "Only paths that match this glob; without `/` it matches file names anywhere")
    )]
    pub pattern: Option<String>,
    /// Default glob.
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "regex",
            num_args = 0,
            default_missing_value = "regex",
            requires = "pattern",
            help = "Read the pattern as a regular expression"
        )
    )]
    pub pattern_type: Option<PatternType>,
    #[cfg_attr(
        feature = "cli",
        arg(short, long, help = "Only files of this language")
    )]
    pub language: Option<String>,
    /// Default path.
    #[cfg_attr(
        feature = "cli",
        arg(short, long, default_value = "path", help = "Order of the list")
    )]
    pub sort: Option<FileSort>,
    /// Default 100.
    #[schemars(range(min = 1, max = 10000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short = 'n',
            long,
            help = "Maximum number of files [default: all]; up to 500, with a pattern 10000"
        )
    )]
    pub limit: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
    pub cursor: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

words! {
    #[derive(Default)]
    PatternType {
        #[default]
        Glob = "glob",
        Regex = "regex",
    }
}

words! {
    #[derive(Default)]
    FileSort {
        #[default]
        Path = "path",
        Size = "size": "Largest first",
        Recent = "recent": "Newest first",
    }
}

impl ListFiles {
    pub const DEFAULT_LIMIT: u32 = 100;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }

    /// Returns the maximum number of files in one answer.
    pub fn most(pattern: Option<&str>) -> u32 {
        if pattern.is_some() { 10_000 } else { 500 }
    }
}

impl Tool for ListFiles {
    type Answer = FileList;

    const INFO: ToolInfo = ToolInfo {
        name: "list_files",
        title: "List files",
        description: "To list files by glob or regex: language, lines, chunks and size.",
        toolset: Toolset::Explore,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
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
            error.with_hint(Line::new().words(
                "page with `cursor`; with a `pattern` up to 10,000 files are listed at once",
            ))
        })
    }

    fn glob_mut(&mut self) -> Option<&mut String> {
        let is_glob = self.pattern_type.unwrap_or_default() == PatternType::Glob;
        self.pattern.as_mut().filter(|_| is_glob)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileList {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The folder that the list is limited to, relative to the root.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    /// Freshness of the chunks; the files themselves are looked at for the answer.
    pub freshness: Freshness,
    pub pattern: Option<String>,
    pub pattern_type: PatternType,
    pub language: Option<String>,
    pub sort: FileSort,
    /// Number of files that match.
    pub total: u64,
    pub files: Vec<FileEntry>,
    /// Number of matching files after the last of `files`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
    /// Number of folders and files that could not be read or named: files may be missing from the list.
    pub unreadable_total: u64,
    /// The first of them.
    pub unreadable: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileEntry {
    pub path: String,
    pub language: Option<String>,
    /// None for a file that is not text, or too large to be counted.
    pub lines: Option<u64>,
    /// Number of indexed chunks. None while it is not indexed.
    pub chunks: Option<u32>,
    pub size: u64,
    /// Milliseconds since 1970.
    pub modified: i64,
}

/// A position in a sorted list that stays valid while files come and go: the sort key of the last file shown.
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

    /// Returns the position of a file of this path, size and time.
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
        let sort = FileSort::from_word(sort)?;
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

impl FileList {
    pub fn summary(&self) -> Line {
        let mut line = match self.total {
            0 => Line::from("no files"),
            total => Line::new().count(total, "file"),
        };
        if let Some(language) = &self.language {
            line = line.text(" of ").code(language);
        }
        if let Some(pattern) = &self.pattern {
            let verb = if self.total == 1 { "matches" } else { "match" };
            line = line.text(format!(" {verb} ")).code(pattern);
        }
        line = line.text(" in ").name(&self.root_name);
        if let Some(folder) = &self.folder {
            line = line.text("/").path(folder);
        }
        if self.total == 0 {
            let line = line.text(" (ignored files are not listed)");
            return match self.other_pattern() {
                Some(call) => line.text("; perhaps ").call(call),
                None => line,
            };
        }
        let shown = self.files.len() as u64;
        let before = self.total.saturating_sub(self.remaining + shown);
        let line = line.page(before, shown, self.remaining);
        line.text(match self.sort {
            FileSort::Path => "",
            FileSort::Size => ", largest first",
            FileSort::Recent => ", newest first",
        })
    }

    /// Returns the pattern that may have been meant by one that matches nothing: `*lexer*` for `lexer`, and a regular
    /// expression for `^src/`.
    fn other_pattern(&self) -> Option<NextCall> {
        let pattern = self.pattern.as_ref()?;
        if self.pattern_type == PatternType::Regex {
            return None;
        }
        let call = NextCall::new(ListFiles::NAME);
        if pattern.contains(['^', '$', '\\']) {
            return Some(call.with("pattern", pattern).with("pattern_type", "regex"));
        }
        (!pattern.contains(['*', '?', '[', '{']))
            .then(|| call.with("pattern", format!("*{pattern}*")))
    }

    /// Names what could not be read, so that files may be missing.
    pub fn unreadable_warning(&self) -> Option<Line> {
        let names = self.unreadable.iter().map(|name| Line::new().path(name));
        (self.unreadable_total > 0).then(|| {
            Line::new()
                .number(self.unreadable_total)
                .text(" not readable, so files may be missing: ")
                .line(Line::join(names, ", "))
        })
    }

    /// Returns the call for the next page.
    pub fn next(&self) -> Option<Line> {
        // A folder of a root is named by its path.
        let root = match &self.folder {
            Some(folder) => format!("{}/{folder}", self.root),
            None => self.root_name.clone(),
        };
        let is_regex = self.pattern_type == PatternType::Regex;
        let call = NextCall::new(ListFiles::NAME)
            .with_some("pattern", self.pattern.as_deref())
            .with_some("pattern_type", is_regex.then_some("regex"))
            .with_some("language", self.language.as_deref())
            .with_some(
                "sort",
                (self.sort != FileSort::Path).then(|| self.sort.as_str()),
            )
            .with_some(
                "limit",
                (self.limit != ListFiles::DEFAULT_LIMIT).then_some(self.limit),
            )
            .with_budget(self.max_tokens)
            .with("root", root)
            .with_some("cursor", self.cursor.as_deref());
        (self.remaining > 0).then(|| {
            Line::new()
                .number(self.remaining)
                .text(" more: ")
                .call(call)
        })
    }
}

impl FileEntry {
    /// Returns e.g. `rust  120 lines  5 chunks  4.1 KB`.
    fn facts(&self) -> Line {
        let language = self
            .language
            .as_ref()
            .map(|language| Line::new().code(language));
        let lines = self.lines.map(|lines| Line::new().count(lines, "line"));
        let chunks = self
            .chunks
            .map(|chunks| Line::new().count(u64::from(chunks), "chunk"));
        let facts = [language, lines, chunks, Some(bytes(self.size).into())];
        Line::join(facts.into_iter().flatten(), "  ")
    }
}

impl Answer for FileList {
    fn items(&self) -> usize {
        self.files.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.files, items, &mut self.remaining) {
            self.truncated = true;
            if let Some(last) = self.files.last() {
                self.cursor = Some(Cursor::after(self.sort, last).encode());
            }
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for file in &self.files {
            text.described_item(Line::new().path(&file.path), file.facts());
        }
        text.warnings(self.unreadable_warning());
        text.next(self.next());
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

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

    fn list(files: usize) -> FileList {
        let entry = |index: usize| FileEntry {
            path: format!("src/module_{index:03}.rs"),
            language: Some("rust".to_owned()),
            lines: Some(120),
            chunks: None,
            size: 4123,
            modified: 0,
        };
        FileList {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            folder: None,
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            pattern: Some("*.rs".to_owned()),
            pattern_type: PatternType::Glob,
            language: None,
            sort: FileSort::Path,
            total: files as u64,
            files: (0..files).map(entry).collect(),
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 100,
            unreadable_total: 0,
            unreadable: vec![],
        }
    }

    #[test]
    fn a_short_list_is_shown_whole() {
        let mut short = list(2);
        short.files[0].chunks = Some(5);
        short.freshness = Freshness::default().with_stale(["src/module_001.rs".to_owned()]);
        insta::assert_snapshot!(short.text().to_string(), @r"
        2 files match *.rs in engine
        stale: src/module_001.rs
        src/module_000.rs  rust  120 lines  5 chunks  4.1 KB
        src/module_001.rs  rust  120 lines  4.1 KB
        ");
    }

    #[test]
    fn a_long_list_is_cut_between_files_and_says_how_to_go_on() {
        let text = render(&list(300), Format::Text, 120);
        assert!(tokens::estimate(&text) <= 120);
        insta::assert_snapshot!(text, @r#"
        300 files match *.rs in engine; 4 shown
        src/module_000.rs  rust  120 lines  4.1 KB
        src/module_001.rs  rust  120 lines  4.1 KB
        src/module_002.rs  rust  120 lines  4.1 KB
        src/module_003.rs  rust  120 lines  4.1 KB
        296 more: list_files {"pattern":"*.rs","root":"engine","cursor":"path:src/module_003.rs"}
        "#);
    }

    #[test]
    fn json_obeys_the_budget_too() {
        let text = render(&list(300), Format::Json, 400);
        assert!(tokens::estimate(&text) <= 400);
        let value: serde_json::Value = serde_json::from_str(&text).expect("json");
        let shown = value["files"].as_array().expect("files").len() as u64;
        assert!(shown > 2);
        assert_eq!(value["remaining"], 300 - shown);
        assert_eq!(value["truncated"], true);
    }

    #[test]
    fn a_page_behind_the_last_file_claims_to_show_nothing() {
        let mut behind = list(10);
        behind.files.clear();
        assert_eq!(behind.text().to_string(), "10 files match *.rs in engine");
    }

    #[test]
    fn an_empty_list_says_so() {
        insta::assert_snapshot!(list(0).text().to_string(), @"no files match *.rs in engine (ignored files are not listed)");
    }
}
