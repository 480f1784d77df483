//! `reindex`: look at a root's files again, and index what changed.

pub mod text;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::freshness::IndexProgress;
use crate::answer::index_summary::SkippedFile;
use crate::answer::{Answer, Format};
use crate::check::{check_chunks, check_length};
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil reindex                start it, and go on
  claudevil reindex --wait         show how far it is; Ctrl-C stops waiting, not the job
  claudevil reindex src --force    a folder, unchanged files too

Edits are followed by themselves: this is for files that changed in a way that could not be seen.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Reindex {
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    /// Unchanged files too.
    #[cfg_attr(feature = "cli", arg(long))]
    pub force: Option<bool>,
    /// Until it is done.
    #[cfg_attr(feature = "cli", arg(long))]
    pub wait: Option<bool>,
    /// For text without symbols.
    #[schemars(range(min = 100, max = 2000))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub chunk_size: Option<u32>,
    #[schemars(range(min = 0, max = 500))]
    #[cfg_attr(feature = "cli", arg(long))]
    pub overlap: Option<u32>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Reindex {
    /// How long `wait` waits: a little less than a call may last, so that how far it is can still be answered.
    pub const LONGEST_WAIT: Duration = Duration::from_secs(590);

    pub fn waits(&self) -> bool {
        self.wait == Some(true)
    }
}

impl Tool for Reindex {
    type Answer = IndexJob;

    const INFO: ToolInfo = ToolInfo {
        name: "reindex",
        title: "Reindex",
        description: "Index again what changed, in the background. Seldom needed: edits are followed.",
        toolset: Toolset::Index,
        core: true,
        effect: Effect::Refreshes,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "reindex",
            alias: None,
            about: "Look at the files of a project again, and index what changed",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("path", self.path.as_deref(), 4096)?;
        check_chunks(self.chunk_size, self.overlap)
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(if self.waits() { 600 } else { 30 })
    }
}

/// One run over a root. It goes on whether or not somebody waits for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexJob {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    /// The file or folder it is limited to, relative to the root.
    pub path: Option<String>,
    /// Unique as long as the daemon lives.
    pub job: u64,
    pub state: JobState,
    /// There while it runs.
    pub progress: Option<IndexProgress>,
    pub files_done: u64,
    /// None until the files have been counted.
    pub files_total: Option<u64>,
    /// Milliseconds since 1970. None while it is queued.
    pub started: Option<i64>,
    /// None until it is done.
    pub took_millis: Option<u64>,
    /// Files that were new or had changed, as far as it is.
    pub changed: u64,
    pub removed: u64,
    pub unchanged: u64,
    pub skipped: u64,
    /// Settings that this call changed.
    pub settings: Vec<SettingChange>,
    /// Files that could not be indexed although they should have been, as far as they are named.
    pub problems: Vec<SkippedFile>,
    pub total_problems: u64,
    /// Why it failed.
    pub failure: Option<String>,
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Another job of the same root comes first.
    Queued,
    Running,
    Done,
    Failed,
}

impl JobState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    pub key: String,
    pub from: String,
    pub to: String,
}

impl Answer for IndexJob {
    fn items(&self) -> usize {
        1 + self.problems.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.items() {
            self.problems.truncate(items.saturating_sub(1));
            self.truncated = true;
        }
    }

    fn text(&self) -> Text {
        crate::tools::reindex::text::write(self).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_their_ranges() {
        let chunks = |chunk_size, overlap| {
            Reindex {
                chunk_size,
                overlap,
                ..Reindex::default()
            }
            .validate()
            .is_ok()
        };
        assert!(chunks(None, None) && chunks(Some(100), Some(0)) && chunks(Some(2000), Some(500)));
        assert!(
            !chunks(Some(99), None) && !chunks(None, Some(501)) && !chunks(Some(200), Some(200))
        );
    }
}
