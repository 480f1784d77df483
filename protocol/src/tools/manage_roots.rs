//! `manage_roots`: the registry of projects.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Availability, CommandInfo, Common, Effect, Replay, Tool, ToolInfo, Toolset, schema_of,
};
use crate::answer::{Answer, Format};
use crate::check::{check_chunks, check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::bytes;
use crate::text::tokens::{DEFAULT_TOKENS, MAX_TOKENS};
use crate::text::{Line, NextCall, Text};

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
    #[cfg_attr(feature = "cli", arg(skip))]
    pub action: RootAction,
    /// Absolute. Default: this project.
    #[cfg_attr(
        feature = "cli",
        arg(help = "Folder [default: the repository around the working directory]")
    )]
    pub path: Option<String>,
    #[cfg_attr(
        feature = "cli",
        arg(long, help = "Short name: letters, digits, - and _")
    )]
    pub name: Option<String>,
    /// Globs; empty takes all.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "GLOB",
            help = "Include only matching files; may be given several times"
        )
    )]
    pub include: Option<Vec<String>>,
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "GLOB",
            help = "Leave out matching files, in addition to those that git ignores; may be given several times"
        )
    )]
    pub exclude: Option<Vec<String>>,
    #[schemars(range(min = 100, max = 2000))]
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "100-2000",
            help = "Chunk size of text without symbols"
        )
    )]
    pub chunk_size: Option<u32>,
    #[schemars(range(min = 0, max = 500))]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "0-500", help = "Overlap of these chunks")
    )]
    pub overlap: Option<u32>,
    /// True to remove.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub confirm: Option<bool>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
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

impl Tool for ManageRoots {
    type Answer = RootList;

    const INFO: ToolInfo = ToolInfo {
        name: "manage_roots",
        title: "Manage roots",
        description: "To list, add or remove projects; files are never touched.",
        toolset: Toolset::Index,
        availability: Availability::OnRequest,
        replaces_reading: false,
        long_answers: false,
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
            // The tool resolves the folder itself: it may not be a known root yet.
            root: None,
            format: self.format.unwrap_or_default(),
            max_tokens: self.max_tokens.unwrap_or(DEFAULT_TOKENS),
        }
    }

    fn take_root(&mut self) -> Option<String> {
        None
    }

    fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    fn max_tokens_mut(&mut self) -> &mut Option<u32> {
        &mut self.max_tokens
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
            let call = NextCall::new(Self::NAME)
                .with("action", "remove")
                .with_some("path", self.path.as_ref())
                .with_some("name", self.name.as_ref())
                .with("confirm", true);
            return Err(ToolError::invalid_argument(
                Line::new().words("remove deletes the root's index, and needs `confirm`"),
            )
            .with_hint(
                Line::from("the files themselves are never touched; to remove the root: ")
                    .call(call),
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

/// Returns whether a text can name a root.
pub fn is_root_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RootList {
    pub action: RootAction,
    /// The root that was added, changed or removed.
    pub subject: Option<RootEntry>,
    pub outcome: RootOutcome,
    /// Disk space that a removal freed.
    pub freed_bytes: Option<u64>,
    pub total: u64,
    pub roots: Vec<RootEntry>,
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl RootList {
    fn summary(&self) -> Line {
        let subject = || {
            let subject = self.subject.as_ref();
            subject.map_or_else(Line::new, RootEntry::line)
        };
        match self.outcome {
            RootOutcome::Listed if self.total == 0 => {
                let call = NextCall::new(ManageRoots::NAME)
                    .with("action", "add")
                    .with("path", "/absolute/path");
                Line::from(
                    "no roots yet: a project is added when it is first asked about, or with ",
                )
                .call(call)
            }
            RootOutcome::Listed => Line::new().count(self.total, "root"),
            RootOutcome::Added => Line::from("added ").line(subject()),
            RootOutcome::Updated => Line::from("updated ").line(subject()),
            RootOutcome::Unchanged => Line::from("already known: ").line(subject()),
            RootOutcome::Removed => {
                let freed = bytes(self.freed_bytes.unwrap_or(0));
                Line::from("removed ")
                    .line(subject())
                    .text(format!("; freed {freed}; its files are untouched"))
            }
        }
    }
}

impl RootEntry {
    fn title(&self) -> Line {
        Line::new().name(&self.name).text("  ").path(&self.path)
    }

    /// Returns the settings that differ from the defaults, e.g. `include src/**  chunk_size 400`. Often empty.
    fn settings(&self) -> Line {
        let globs = [("include ", &self.include), ("exclude ", &self.exclude)];
        let globs = globs.into_iter().filter(|(_, globs)| !globs.is_empty());
        let globs = globs.map(|(label, globs)| Line::from(label).code(&globs.join(" ")));
        let numbers = [("chunk_size", self.chunk_size), ("overlap", self.overlap)];
        let numbers = numbers
            .into_iter()
            .filter_map(|(label, value)| Some(Line::from(format!("{label} {}", value?))));
        let unavailable = self.unavailable.as_ref();
        let unavailable = unavailable.map(|why| Line::from("unavailable: ").code(why));
        Line::join(globs.chain(numbers).chain(unavailable), "  ")
    }

    fn line(&self) -> Line {
        let settings = self.settings();
        let settings = (!settings.is_empty()).then_some(settings);
        Line::join([self.title()].into_iter().chain(settings), "  ")
    }
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
        if self.outcome != RootOutcome::Listed {
            return Text::with_outcome(self.summary());
        }
        let mut text = Text::new(self.summary());
        for root in &self.roots {
            text.described_item(root.title(), root.settings());
        }
        let left_out = self.total.saturating_sub(self.roots.len() as u64);
        if left_out > 0 {
            let call = NextCall::new(ManageRoots::NAME)
                .with("action", "list")
                .with_budget(MAX_TOKENS);
            text.next(Line::new().number(left_out).text(" more: ").call(call));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str) -> RootEntry {
        RootEntry {
            name: name.to_owned(),
            path: format!("/home/ada/{name}"),
            include: vec![],
            exclude: vec!["*.gen.go".to_owned()],
            chunk_size: None,
            overlap: None,
            added: 0,
            unavailable: None,
        }
    }

    fn list(outcome: RootOutcome, roots: Vec<RootEntry>) -> RootList {
        let (subject, total) = (roots.first().cloned(), roots.len() as u64);
        let action = RootAction::List;
        RootList {
            action,
            subject,
            outcome,
            freed_bytes: Some(4123),
            total,
            roots,
            truncated: false,
        }
    }

    #[test]
    fn roots_read_one_a_line() {
        insta::assert_snapshot!(list(RootOutcome::Listed, vec![root("engine"), root("notes")]).text().to_string(), @r"
        2 roots
        engine  /home/ada/engine  exclude *.gen.go
        notes  /home/ada/notes  exclude *.gen.go
        ");
    }

    #[test]
    fn a_removal_says_what_it_freed() {
        insta::assert_snapshot!(
            list(RootOutcome::Removed, vec![root("engine")]).text().to_string(),
            @"removed engine  /home/ada/engine  exclude *.gen.go; freed 4.1 KB; its files are untouched"
        );
    }
}
