//! `reindex`: look at a root's files again, and index what changed.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index_status::IndexStatus;
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::{IndexProgress, progress};
use crate::answer::index_summary::SkippedFile;
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::check::{check_chunks, check_length};
use crate::error::ToolError;
use crate::text::quantity::duration;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil reindex                start it in the background
  claudevil reindex --wait         show how far it is; Ctrl-C stops waiting, not the job
  claudevil reindex src --force    a folder, unchanged files too

Edits are followed by themselves: this is for files that changed in a way that could not be seen.";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Reindex {
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(help = "Only this file or folder [default: the whole project]")
    )]
    pub path: Option<String>,
    /// Unchanged files too.
    #[cfg_attr(
        feature = "cli",
        arg(short, long, action = clap::ArgAction::SetTrue, help = "Index unchanged files too")
    )]
    pub force: Option<bool>,
    #[cfg_attr(
        feature = "cli",
        arg(short, long, action = clap::ArgAction::SetTrue, help = "Wait until it is done")
    )]
    pub wait: Option<bool>,
    #[schemars(range(min = 100, max = 2000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "100-2000",
            help = "New chunk size of text without symbols"
        )
    )]
    pub chunk_size: Option<u32>,
    #[schemars(range(min = 0, max = 500))]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "0-500", help = "New overlap of these chunks")
    )]
    pub overlap: Option<u32>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Reindex {
    /// The longest wait of `wait`: a little less than a call may last, so that the progress can still be answered.
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
        description: "If index_status shows missing changes: index again.",
        toolset: Toolset::Index,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
        effect: Effect::Refreshes,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "reindex",
            alias: None,
            about: "Scan the files of a project again, and index what changed",
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

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.path = self.path.as_deref().map(locate);
    }
}

/// One run over a root. It continues whether or not a caller waits for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Present while it runs.
    pub progress: Option<IndexProgress>,
    pub files_done: u64,
    /// None until the files have been counted.
    pub files_total: Option<u64>,
    /// Milliseconds since 1970. None while it is queued.
    pub started: Option<i64>,
    /// None until it is done.
    pub took_millis: Option<u64>,
    /// Files that were new or had changed, so far.
    pub changed: u64,
    pub removed: u64,
    pub unchanged: u64,
    pub skipped: u64,
    /// Settings that this call changed.
    pub settings: Vec<SettingChange>,
    /// The first of the files that should have been indexed and could not be.
    pub problems: Vec<SkippedFile>,
    pub total_problems: u64,
    /// Why it failed.
    pub failure: Option<String>,
    pub truncated: bool,
}

words! {
    JobState {
        /// Another job of the same root comes first.
        Queued = "queued",
        Running = "running",
        Done = "done",
        Failed = "failed",
    }
}

impl JobState {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingChange {
    pub key: String,
    pub from: String,
    pub to: String,
}

impl IndexJob {
    /// Returns e.g. `reindex of src in engine: done in 4 s`.
    fn outcome(&self) -> Line {
        let mut line = Line::from("reindex of ");
        if let Some(path) = &self.path {
            line = line.path(path).text(" in ");
        }
        line = line
            .name(&self.root_name)
            .text(format!(": {}", self.state.as_str()));
        match (self.state, &self.failure, self.took_millis) {
            (JobState::Failed, Some(why), _) => line.text(": ").code(why),
            // Short jobs are measured in milliseconds.
            (JobState::Done, _, Some(millis @ ..1000)) => line.text(format!(" in {millis} ms")),
            (JobState::Done, _, Some(millis)) => {
                let millis = i64::try_from(millis).unwrap_or(i64::MAX);
                line.text(format!(" in {}", duration(millis)))
            }
            (JobState::Done, _, None) => line,
            _ => line.text(format!(" (job {})", self.job)),
        }
    }

    /// Returns e.g. `12 changed, 6,598 unchanged, 1 removed, 40 skipped`.
    fn counts(&self) -> Line {
        let counts = [
            (self.changed, " changed"),
            (self.unchanged, " unchanged"),
            (self.removed, " removed"),
            (self.skipped, " skipped"),
        ];
        let counts = counts.map(|(files, fate)| Line::new().number(files).text(fate));
        Line::join(counts, ", ")
    }
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
        let mut text = Text::with_outcome(self.outcome());
        for change in &self.settings {
            text.item(format!("{}: {} -> {}", change.key, change.from, change.to));
        }
        if self.state.is_over() {
            text.item(self.counts());
        } else if let Some(now) = &self.progress {
            text.item(progress(now));
        }
        for problem in &self.problems {
            let reason = problem.reason.as_str();
            text.below(Line::new().path(&problem.path).text(format!(": {reason}")));
        }
        let status = NextCall::new(IndexStatus::NAME).with("root", &self.root_name);
        let unnamed = self
            .total_problems
            .saturating_sub(self.problems.len() as u64);
        if unnamed > 0 {
            let line = Line::new().count(unnamed, "more problem").text(": ");
            text.next(line.call(status.clone()));
        }
        if !self.state.is_over() {
            text.next(
                Line::from("indexing continues in the background: ")
                    .call(status)
                    .text(" shows its progress"),
            );
        }
        text
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::IndexPhase;
    use crate::answer::index_summary::SkipReason;
    use crate::answer::render::render;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

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

    fn job(state: JobState) -> IndexJob {
        IndexJob {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            path: None,
            job: 7,
            state,
            progress: None,
            files_done: 120,
            files_total: Some(6611),
            started: Some(0),
            took_millis: None,
            changed: 12,
            removed: 1,
            unchanged: 6598,
            skipped: 40,
            settings: vec![],
            problems: vec![],
            total_problems: 0,
            failure: None,
            truncated: false,
        }
    }

    #[test]
    fn a_job_says_how_far_it_is_and_what_it_did() {
        let mut running = job(JobState::Running);
        let (phase, rate, eta_seconds) = (IndexPhase::Extracting, 8.25, Some(800));
        running.progress = Some(IndexProgress {
            phase,
            done: 120,
            total: 6611,
            rate,
            eta_seconds,
        });
        let (key, from, to) = ("chunk_size".to_owned(), "800".to_owned(), "400".to_owned());
        running.settings.push(SettingChange { key, from, to });
        insta::assert_snapshot!(running.text().to_string(), @r#"
        reindex of engine: running (job 7)
        chunk_size: 800 -> 400
        extracting 120 of 6,611 files, 8.2 a second, about 13 min left
        indexing continues in the background: index_status {"root":"engine"} shows its progress
        "#);
        let mut done = IndexJob {
            took_millis: Some(4200),
            path: Some("src".to_owned()),
            ..job(JobState::Done)
        };
        done.problems.push(SkippedFile {
            path: "src/deep.c".to_owned(),
            reason: SkipReason::ParserCrashed,
        });
        done.total_problems = 3;
        insta::assert_snapshot!(done.text().to_string(), @r#"
        reindex of src in engine: done in 4 s
        12 changed, 6,598 unchanged, 1 removed, 40 skipped
          src/deep.c: parser crashed
        2 more problems: index_status {"root":"engine"}
        "#);
        let failed = IndexJob {
            failure: Some("the disk is full".to_owned()),
            ..job(JobState::Failed)
        };
        assert!(
            failed
                .text()
                .to_string()
                .starts_with("reindex of engine: failed: the disk is full\n")
        );
    }

    #[test]
    fn many_problems_are_cut_and_counted() {
        let mut done = IndexJob {
            took_millis: Some(42),
            total_problems: 400,
            ..job(JobState::Done)
        };
        let problem = |number| SkippedFile {
            path: format!("src/{number}.c"),
            reason: SkipReason::ParserTooSlow,
        };
        done.problems = (0..400).map(problem).collect();
        let text = render(&done, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500 && text.contains("done in 42 ms"));
        let shown = text
            .lines()
            .filter(|line| line.ends_with("parser too slow"))
            .count();
        assert!(
            text.contains(&format!("\n{} more problems: ", 400 - shown)),
            "{text}"
        );
    }
}
