//! `map_code`: folders, files and signatures, as much as fits; the most connected symbols survive the cut.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::symbol::SymbolKind;
use crate::answer::{Answer, Format};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil map                          this project, its most connected symbols first
  claudevil map src --detail full        a folder, with the first line of docs
  claudevil map src/main.rs              the outline of a file
  claudevil map --detail files --depth 2  names alone, two levels deep";

mod cut;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MapCode {
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Folder or file. Default: all.
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// Of folders. Default: what fits.
    #[schemars(range(min = 1, max = 20))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub depth: Option<u32>,
    /// full: with docs. Default signatures.
    #[cfg_attr(feature = "cli", arg(long))]
    pub detail: Option<MapDetail>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
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
pub enum MapDetail {
    Files,
    #[default]
    Signatures,
    Full,
}

impl MapDetail {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Signatures => "signatures",
            Self::Full => "full",
        }
    }
}

impl Tool for MapCode {
    type Answer = CodeMap;

    const INFO: ToolInfo = ToolInfo {
        name: "map_code",
        title: "Map code",
        description: "Folders, files and signatures, the most connected symbols first. Of a file, its outline.",
        toolset: Toolset::Explore,
        core: true,
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
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeMap {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    /// What is mapped, relative to the root; empty for all of it.
    pub path: String,
    pub detail: MapDetail,
    pub depth: Option<u32>,
    pub language: Option<String>,
    /// How many files and symbols there are in all.
    pub total_files: u64,
    pub total_symbols: u64,
    /// The files shown one by one, by path.
    pub files: Vec<MapFile>,
    /// What is not shown file by file: too deep, or cut.
    pub folders: Vec<FolderCount>,
    /// Whether something was cut to fit the budget.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapFile {
    pub path: String,
    pub language: Option<String>,
    /// None for a file that is not text, or too large to be counted.
    pub lines: Option<u64>,
    /// How many symbols the file has in all.
    pub total_symbols: u64,
    /// In the order of the file, a container before what is in it.
    pub symbols: Vec<MapSymbol>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub start_line: u32,
    pub end_line: u32,
    /// How many of the symbols of this file are around it.
    pub level: u32,
    pub signature: String,
    /// The first line of its documentation.
    pub doc: Option<String>,
    /// How connected it is. Less connected symbols are cut first.
    pub weight: u32,
}

/// Files below a folder that are not shown themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCount {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub files: u64,
    pub symbols: u64,
}

impl CodeMap {
    pub fn shown_symbols(&self) -> u64 {
        self.files
            .iter()
            .map(|file| file.symbols.len() as u64)
            .sum()
    }
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
        crate::tools::map_code::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
