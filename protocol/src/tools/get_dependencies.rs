//! `get_dependencies`: what a file imports, and who imports it.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil deps src/main.rs                        both directions
  claudevil deps src/main.rs --direction imports    what it imports
  claudevil deps src/lexer.rs --direction dependents";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct GetDependencies {
    /// A file.
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: String,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default both.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub direction: Option<DependencyDirection>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
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
pub enum DependencyDirection {
    Imports,
    Dependents,
    #[default]
    Both,
}

impl Tool for GetDependencies {
    type Answer = Dependencies;

    const INFO: ToolInfo = ToolInfo {
        name: "get_dependencies",
        title: "Get dependencies",
        description: "What a file imports, as written and where it leads, and which files import it.",
        toolset: Toolset::Graph,
        core: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "deps",
            alias: Some("get-dependencies"),
            about: "Show what a file imports, and who imports it",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", Some(&self.path), 4096)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dependencies {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub path: String,
    pub language: Option<String>,
    pub direction: DependencyDirection,
    pub total_imports: u64,
    /// As written, by line. Empty when only dependents were asked for.
    pub imports: Vec<Import>,
    pub total_dependents: u64,
    /// By path and line. Empty when only imports were asked for.
    pub dependents: Vec<Dependent>,
    pub dependents_known: DependentsKnown,
    pub truncated: bool,
}

/// One import, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    pub line: u32,
    /// What is imported from: a module, a package, a file.
    pub module: String,
    /// What of it, when only some is.
    pub names: Vec<ImportedName>,
    /// Another name for the whole.
    pub alias: Option<String>,
    /// Everything in it.
    pub wildcard: bool,
    /// Passed on to whoever imports this file.
    pub re_export: bool,
    pub resolution: ImportResolution,
    /// The files of the root that it leads to: one where it is resolved, all files of a package that is several, all that
    /// it may mean where it is ambiguous.
    pub targets: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    pub name: String,
    pub alias: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportResolution {
    /// It has not been found out where it leads.
    Unresolved,
    /// Out of the root: a library.
    External,
    /// To a file of the root.
    Resolved,
    /// To one of several files.
    Ambiguous,
}

impl ImportResolution {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unresolved => "unresolved",
            Self::External => "external",
            Self::Resolved => "resolved",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// A file that imports the one asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependent {
    pub path: String,
    pub line: u32,
    /// As it is written there.
    pub module: String,
    pub names: Vec<ImportedName>,
    /// Resolved, or ambiguous.
    pub resolution: ImportResolution,
}

/// How much of who imports a file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependentsKnown {
    NotAsked,
    /// Imports are not resolved to files, so nobody knows.
    NotResolved,
    /// Only some imports of this language are resolved.
    Some,
    All,
}

impl Answer for Dependencies {
    fn items(&self) -> usize {
        1 + self.imports.len() + self.dependents.len()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        // Both lists give way alike: neither is worth more.
        let (imports, dependents) = (self.imports.len(), self.dependents.len());
        let kept = items.saturating_sub(1);
        let kept_dependents = (kept * dependents / (imports + dependents)).min(dependents);
        self.imports.truncate(kept - kept_dependents);
        self.dependents.truncate(kept_dependents);
        self.truncated = true;
    }

    fn text(&self) -> Text {
        crate::tools::get_dependencies::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
