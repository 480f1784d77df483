//! `map_code`: folders, files and signatures, as much as fits; the most connected symbols survive the cut.

mod cut;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::symbol::{SymbolKind, words};
use crate::answer::{Answer, Format, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::grouped;
use crate::text::tokens::{self, MAX_TOKENS};
use crate::text::{Line, NextCall, Text, signature};

const EXAMPLES: &str = "\
Examples:
  claudevil map                          this project, its most connected symbols first
  claudevil map src --detail full        a folder, with the first line of docs
  claudevil map src/main.rs              the outline of a file
  claudevil map --detail files --depth 2  names alone, two levels deep
  claudevil map src --open               a folder, as a page in the browser";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MapCode {
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Folder or file.
    #[cfg_attr(
        feature = "cli",
        arg(help = "Folder to map, or file to outline [default: the whole project]")
    )]
    pub path: Option<String>,
    /// Folder levels.
    #[schemars(range(min = 1, max = 20))]
    #[cfg_attr(
        feature = "cli",
        arg(
            short,
            long,
            value_name = "1-20",
            help = "How many levels of folders to open"
        )
    )]
    pub depth: Option<u32>,
    /// full: with docs. Default signatures.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            default_value = "signatures",
            help = "How much to show of each file"
        )
    )]
    pub detail: Option<MapDetail>,
    #[cfg_attr(feature = "cli", arg(short, long, help = "Only this language"))]
    pub language: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "TOKENS",
            default_value = "10000",
            help = "Maximum number of tokens to show; what is least connected is left out"
        )
    )]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

words! {
    #[derive(Default)]
    MapDetail {
        Files = "files": "Names and lines",
        #[default]
        Signatures = "signatures",
        Full = "full": "With the first line of docs",
    }
}

impl Tool for MapCode {
    type Answer = CodeMap;

    const INFO: ToolInfo = ToolInfo {
        name: "map_code",
        title: "Map code",
        description: "For an overview: folders, files and signatures, the most connected symbols first. Of a file, \
                      its outline.",
        toolset: Toolset::Explore,
        availability: Availability::Core,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "map",
            alias: Some("map-code"),
            about: "Show the folders, files and signatures of a project, or the outline of a file",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_length("language", self.language.as_deref(), 50)?;
        check_range("depth", self.depth, 1..=20)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = self.path.as_deref().map(locate);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeMap {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// The folder or file that is mapped, relative to the root; empty for all of it.
    pub path: String,
    pub detail: MapDetail,
    pub depth: Option<u32>,
    pub language: Option<String>,
    /// Number of files and symbols in all.
    pub total_files: u64,
    pub total_symbols: u64,
    /// The files shown one by one, by path.
    pub files: Vec<MapFile>,
    /// Files that are only counted: too deep, or cut.
    pub folders: Vec<FolderCount>,
    /// Something was cut to fit the budget.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapFile {
    pub path: String,
    pub language: Option<String>,
    /// None for a file that is not text, or too large to be counted.
    pub lines: Option<u64>,
    /// Number of symbols of the file in all.
    pub total_symbols: u64,
    /// In the order of the file, a container before what is in it.
    pub symbols: Vec<MapSymbol>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub start_line: u32,
    pub end_line: u32,
    /// Number of symbols of this file around it.
    pub level: u32,
    pub signature: String,
    /// The first line of its documentation.
    pub doc: Option<String>,
    /// Number of its connections. Less connected symbols are cut first.
    pub weight: u32,
}

/// Files below a folder that are not shown themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderCount {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub files: u64,
    pub symbols: u64,
}

/// A folder of the tree: the files of it that are shown, and those that are only counted.
#[derive(Default)]
struct MapFolder<'a> {
    files: Vec<&'a MapFile>,
    rest: Option<&'a FolderCount>,
}

impl CodeMap {
    pub fn shown_symbols(&self) -> u64 {
        self.files
            .iter()
            .map(|file| file.symbols.len() as u64)
            .sum()
    }

    pub fn summary(&self) -> Line {
        let mut line = Line::from("map of ");
        if !self.path.is_empty() {
            line = line.path(&self.path).text(" in ");
        }
        line = line.name(&self.root_name);
        match &self.language {
            Some(language) => line.text(", ").code(language).text(" only"),
            None => line,
        }
    }

    /// Returns the folders by their path, a folder before those in it.
    fn folders(&self) -> BTreeMap<Vec<&str>, MapFolder<'_>> {
        let mut folders = BTreeMap::<_, MapFolder<'_>>::new();
        for file in &self.files {
            let folder = folders.entry(path_parts(cut::folder_of(&file.path)));
            folder.or_default().files.push(file);
        }
        for count in &self.folders {
            folders.entry(path_parts(&count.path)).or_default().rest = Some(count);
        }
        folders
    }

    /// Adds the tree: a folder before what is in it, its files before its folders.
    fn write_tree(&self, text: &mut Text) {
        for (parts, mut folder) in self.folders() {
            let path = parts.join("/");
            // An outline of one file is headed by the file.
            let is_outline = folder.files.iter().any(|file| file.path == self.path);
            let is_headed = !is_outline && (!path.is_empty() || folder.rest.is_some());
            if is_headed {
                text.described_item(folder_item(&path), folder.rest_of_files());
            }
            let indent = if is_headed && !path.is_empty() { 2 } else { 0 };
            folder.files.sort_by(|one, other| one.path.cmp(&other.path));
            for file in folder.files {
                text.described_item(file.item(indent), file.sizes());
                for symbol in &file.symbols {
                    text.item(symbol.item(indent + 2));
                }
            }
        }
    }

    /// Returns e.g. `2 of 5 files, 3 of 7 symbols`.
    pub fn totals(&self) -> Line {
        let shown = match self.detail {
            MapDetail::Files => self.total_symbols,
            MapDetail::Signatures | MapDetail::Full => self.shown_symbols(),
        };
        Line::new()
            .count_shown(self.files.len() as u64, self.total_files, "file")
            .text(", ")
            .count_shown(shown, self.total_symbols, "symbol")
    }

    /// Returns the call for the same map with the largest budget or, if that is in force, for the folder or file with most left
    /// out.
    fn next(&self) -> NextCall {
        let path = if self.max_tokens < MAX_TOKENS {
            &self.path
        } else {
            self.most_missing().unwrap_or(&self.path)
        };
        let detail = (self.detail != MapDetail::default()).then(|| self.detail.as_str());
        NextCall::new(MapCode::NAME)
            .with_some("path", (!path.is_empty()).then_some(path))
            .with_some("detail", detail)
            .with_some("depth", self.depth)
            .with_some("language", self.language.as_deref())
            .with("root", &self.root_name)
            .with_budget(MAX_TOKENS)
    }

    /// Returns the folder or file with most left out, other than the one that is mapped.
    fn most_missing(&self) -> Option<&String> {
        let folders = self.folders.iter();
        let folders = folders.map(|count| (count.symbols + count.files, &count.path));
        let files = self.files.iter();
        let files = files.map(|file| (file.total_symbols - file.symbols.len() as u64, &file.path));
        let narrower = folders
            .chain(files)
            .filter(|(missing, path)| *missing > 0 && **path != self.path);
        narrower
            .max_by_key(|(missing, _)| *missing)
            .map(|(_, path)| path)
    }
}

impl MapFolder<'_> {
    /// Returns e.g. `and 3 more files, 20 symbols`. Empty if all files are shown.
    fn rest_of_files(&self) -> Line {
        let Some(rest) = self.rest else {
            return Line::new();
        };
        let files = if self.files.is_empty() {
            Line::new().count(rest.files, "file")
        } else {
            Line::from("and ").count(rest.files, "more file")
        };
        files.text(", ").count(rest.symbols, "symbol")
    }
}

impl MapFile {
    /// Returns the name alone below a folder, else the path.
    fn item(&self, indent: usize) -> Line {
        let path = if indent > 0 {
            self.path.rsplit('/').next().unwrap_or(&self.path)
        } else {
            &self.path
        };
        indented(indent).path(path)
    }

    /// Returns e.g. `80 lines  3 of 4 symbols`.
    fn sizes(&self) -> Line {
        let lines = self.lines.map(|lines| Line::new().count(lines, "line"));
        let symbols = Line::new();
        let symbols = match self.symbols.len() as u64 {
            shown if shown == self.total_symbols => None,
            0 => Some(symbols.count(self.total_symbols, "symbol")),
            shown => Some(symbols.count_shown(shown, self.total_symbols, "symbol")),
        };
        Line::join(lines.into_iter().chain(symbols), "  ")
    }
}

impl MapSymbol {
    /// Returns the line, the symbol as its own language writes it, and the first line of its documentation.
    fn item(&self, indent: usize) -> Line {
        let line = indented(indent + 2 * self.level as usize)
            .detail(self.start_line.to_string())
            .text("  ");
        let line = match self.signature.as_str() {
            "" => line
                .text(format!("{} ", self.kind.as_str()))
                .code(&self.name),
            written => line.code(&signature(written)),
        };
        match &self.doc {
            Some(doc) => line.text("  // ").code(&signature(doc)),
            None => line,
        }
    }
}

fn folder_item(path: &str) -> Line {
    if path.is_empty() {
        return "./".into();
    }
    Line::new().path(path).text("/")
}

fn indented(columns: usize) -> Line {
    Line::new().text(" ".repeat(columns))
}

fn path_parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

impl Answer for CodeMap {
    fn items(&self) -> usize {
        cut::items(self)
    }

    fn keep(&mut self, items: usize) {
        if items < self.items() {
            cut::keep(self, items);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        self.write_tree(&mut text);
        let totals = self.totals();
        // The last lines cost tokens too; 4 stand for the number itself.
        let tokens =
            tokens::estimate(&text.to_string()) + tokens::estimate(&totals.to_string()) + 4;
        let tokens = format!(", {} tokens", grouped(tokens as u64));
        text.note(totals.either(&tokens, ""));
        if self.truncated {
            text.next(Line::from("more: ").call(self.next()));
        }
        text
    }

    one_root!();
}
