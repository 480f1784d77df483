//! `manage_roots`: the registry of projects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Answer, DEFAULT_TOKENS, Format, Params, Shared, check_chunks, check_length, check_range,
    check_shared,
};
use crate::error::ToolError;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManageRoots {
    pub action: RootAction,
    /// Absolute; remove also takes a name. Default: this project.
    #[serde(default)]
    pub path: Option<String>,
    /// 1-64 letters, digits, - or _. Default: the folder's.
    #[serde(default)]
    pub name: Option<String>,
    /// Globs to take; empty takes all.
    #[serde(default)]
    pub include: Option<Vec<String>>,
    /// Globs to leave out besides git's rules.
    #[serde(default)]
    pub exclude: Option<Vec<String>>,
    /// Bytes, for text without symbols.
    #[serde(default)]
    #[schemars(range(min = 100, max = 2000))]
    pub chunk_size: Option<u32>,
    /// Bytes, below `chunk_size`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    pub overlap: Option<u32>,
    /// True to remove.
    #[serde(default)]
    pub confirm: Option<bool>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootAction {
    #[default]
    List,
    Add,
    Remove,
}

impl Params for ManageRoots {
    const TOOL: &'static str = "manage_roots";

    fn validate(&self) -> Result<(), ToolError> {
        check_shared(self.path.as_deref(), self.max_tokens)?;
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

    fn shared(&self) -> Shared<'_> {
        // The folder is looked at by the tool itself, which may well be about to learn of it.
        let root = None;
        let max_tokens = self.max_tokens.unwrap_or(DEFAULT_TOKENS);
        Shared {
            root,
            format: self.format.unwrap_or_default(),
            max_tokens,
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

    fn text(&self) -> String {
        crate::text::manage_roots::write(self)
    }
}
