//! `manage_roots`: the registry of projects.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Common, Effect, Replay, Tool, ToolInfo, Toolset, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Format};
use crate::check::{check_chunks, check_length, check_range};
use crate::error::ToolError;
use crate::text::Text;
use crate::text::tokens::DEFAULT_TOKENS;

const EXAMPLES: &str = "\
Examples:
  claudevil roots list                           the projects that are known
  claudevil roots add ~/src/engine --name core   under a name of your own
  claudevil roots add . --exclude 'vendor/**'    without some of its files
  claudevil roots remove core                    forget it, and delete its index

Projects are added by themselves when they are first asked about.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ManageRoots {
    #[cfg_attr(feature = "cli", arg(long))]
    pub action: RootAction,
    /// Absolute; remove also takes a name. Default: this project.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// 1-64 letters, digits, - or _. Default: the folder's.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub name: Option<String>,
    /// Globs to take; empty takes all.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub include: Option<Vec<String>>,
    /// Globs to leave out besides git's rules.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub exclude: Option<Vec<String>>,
    /// Bytes, for text without symbols.
    #[serde(default)]
    #[schemars(range(min = 100, max = 2000))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub chunk_size: Option<u32>,
    /// Bytes, below `chunk_size`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub overlap: Option<u32>,
    /// True to remove.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub confirm: Option<bool>,
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
pub enum RootAction {
    #[default]
    List,
    Add,
    Remove,
}

impl Tool for ManageRoots {
    type Answer = RootList;

    const INFO: ToolInfo = ToolInfo {
        name: "manage_roots",
        title: "Manage roots",
        description: "List, add or remove projects. They are added when first asked about; add names or narrows one. \
                      Files are never touched.",
        toolset: Toolset::Index,
        core: false,
        effect: Effect::Manages,
        deadline: Duration::from_secs(15),
        command: CommandInfo {
            verb: "roots",
            alias: None,
            about: "List, add and remove projects",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    fn common(&self) -> Common<'_> {
        Common {
            // The folder is looked at by the tool itself, which may well be about to learn of it.
            root: None,
            format: self.format.unwrap_or_default(),
            max_tokens: self.max_tokens.unwrap_or(DEFAULT_TOKENS),
            given_max_tokens: self.max_tokens,
        }
    }

    fn take_root(&mut self) -> Option<String> {
        None
    }

    fn set_max_tokens(&mut self, max_tokens: u32) {
        self.max_tokens = Some(max_tokens);
    }

    fn check(&self) -> Result<(), ToolError> {
        if let Some(name) = &self.name
            && !is_root_name(name)
        {
            return Err(ToolError::invalid_argument(format!(
                "name `{name}` is not 1 to 64 letters, digits, `-` or `_`"
            )));
        }
        for globs in [&self.include, &self.exclude].into_iter().flatten() {
            check_range("include/exclude", Some(globs.len()), 0..=200)?;
            for glob in globs {
                check_length("include/exclude glob", Some(glob), 500)?;
            }
        }
        check_chunks(self.chunk_size, self.overlap)?;
        if self.action == RootAction::Remove && self.confirm != Some(true) {
            return Err(ToolError::invalid_argument(
                "remove deletes the root's index and needs confirm: true",
            )
            .with_hint(
                "the files themselves are never touched; call again with `\"confirm\": true`",
            ));
        }
        Ok(())
    }

    fn replay(&self) -> Replay {
        match self.action {
            RootAction::List => Replay::Safe,
            RootAction::Add | RootAction::Remove => Replay::Never,
        }
    }
}

/// Whether a text can name a root.
pub fn is_root_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootList {
    pub action: RootAction,
    /// The root that was added, changed or removed.
    pub subject: Option<RootEntry>,
    pub outcome: RootOutcome,
    /// What a removal freed on disk.
    pub freed_bytes: Option<u64>,
    pub total: u64,
    pub roots: Vec<RootEntry>,
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootOutcome {
    Listed,
    Added,
    /// It was known; its settings changed.
    Updated,
    /// It was known, and nothing changed.
    Unchanged,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootEntry {
    pub name: String,
    pub path: String,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub chunk_size: Option<u32>,
    pub overlap: Option<u32>,
    /// Milliseconds since 1970.
    pub added: i64,
    /// Why the folder cannot be used right now.
    pub unavailable: Option<String>,
}

impl Answer for RootList {
    fn items(&self) -> usize {
        self.roots.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.roots.len() {
            self.roots.truncate(items);
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        crate::tools::manage_roots::text::write(self).into()
    }
}
