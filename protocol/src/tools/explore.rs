//! `explore`: for a question, the few symbols that matter, with their source and how they connect.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::Search;
use crate::answer::freshness::Freshness;
use crate::answer::graph::{Excerpt, Resolution, shares, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, Format};
use crate::check::check_length;
use crate::error::ToolError;
use crate::text::Text;

const EXAMPLES: &str = "\
Examples:
  claudevil explore how are answers cut to a budget   the code that matters, and what hangs on it
  claudevil explore retry -p 'src/**' -l rust         in some files only";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Explore {
    #[cfg_attr(feature = "cli", arg(long))]
    pub question: String,
    /// Glob.
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub path: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub language: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long))]
    pub root: Option<String>,
    /// Default 4000.
    #[serde(default)]
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl Tool for Explore {
    type Answer = Exploration;

    const INFO: ToolInfo = ToolInfo {
        name: "explore",
        title: "Explore",
        description: "For a question or a task: the symbols that matter with source, connections, dependents, tests, \
                      and what to read next. Ask this first.",
        toolset: Toolset::Explore,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(60),
        command: CommandInfo {
            verb: "explore",
            alias: None,
            about: "Answer a question with the code that matters, and what hangs on it",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        check_length("question", Some(&self.question), Search::LONGEST_QUERY)?;
        check_length("path", self.path.as_deref(), 500)?;
        check_length("language", self.language.as_deref(), 50)
    }
}

words! {
    /// How one symbol hangs on another.
    ConnectionKind {
        Calls = "calls",
        Uses = "uses",
        Implements = "implements",
    }
}

/// May be empty, with `advice`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The folder of the root that was asked about, when it was not the whole.
    pub folder: Option<String>,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub question: String,
    /// The glob in force.
    pub path: Option<String>,
    pub language: Option<String>,
    /// What matters, most first. Their sources may be given whole: what does not fit is cut by lines.
    pub symbols: Vec<ExploredSymbol>,
    /// How many were worth considering.
    pub total: u64,
    /// Among `symbols`.
    pub connections: Vec<Connection>,
    /// Who depends on them, without tests and without each other.
    pub dependents: Vec<ExploredDependent>,
    pub total_dependents: u64,
    /// Tests that reach them.
    pub tests: Vec<ExploredDependent>,
    pub total_tests: u64,
    /// Places that come next.
    pub read_next: Vec<ReadNext>,
    /// What to try instead, when nothing or little was found.
    pub advice: Option<String>,
    pub truncated: bool,
}

with_symbol! {
    ExploredSymbol {
        /// For what it is here: `named in the question`, `calls count`.
        why: String,
        /// Whole where it fits, else the lines that count.
        source: Option<Excerpt>,
    }
}

/// By qualified names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    pub from: String,
    pub to: String,
    pub kind: ConnectionKind,
    pub resolution: Resolution,
}

with_symbol! {
    ExploredDependent {
        /// What it depends on, with its containers.
        of: String,
        resolution: Resolution,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadNext {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The symbol there, with its containers.
    pub symbol: Option<String>,
    pub why: String,
}

/// A symbol that is cut is still shown with this many lines: what it is and how it begins.
const FEWEST_LINES: usize = 3;

impl Exploration {
    fn sides(&self) -> [usize; 4] {
        [
            self.connections.len(),
            self.dependents.len(),
            self.tests.len(),
            self.read_next.len(),
        ]
    }
}

impl ExploredSymbol {
    /// Itself, and each of its lines.
    fn size(&self) -> usize {
        1 + self.source.as_ref().map_or(0, |source| source.lines.len())
    }
}

/// A symbol counts one, and so does each line of its source. Two fifths at most go to what is beside the symbols; of those
/// the first is whole before the next is, but each begins.
impl Answer for Exploration {
    fn items(&self) -> usize {
        self.symbols.iter().map(ExploredSymbol::size).sum::<usize>()
            + self.sides().iter().sum::<usize>()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let beside = self.sides().iter().sum::<usize>().min(items * 2 / 5);
        let kept = shares(beside, &self.sides());
        let mut lines = items - kept.iter().sum::<usize>();
        let mut sizes = vec![];
        for symbol in &self.symbols {
            let size = symbol.size().min(1 + FEWEST_LINES).min(lines);
            lines -= size;
            sizes.push(size);
        }
        let words: Vec<_> = self
            .question
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        for (symbol, size) in self.symbols.iter_mut().zip(&mut sizes) {
            let more = (symbol.size() - *size).min(lines);
            lines -= more;
            *size += more;
            if let Some(source) = &mut symbol.source {
                source.keep_best(size.saturating_sub(1), &words);
            }
        }
        let shown = sizes.iter().take_while(|size| **size > 0).count();
        self.symbols.truncate(shown);
        self.connections.truncate(kept[0]);
        self.dependents.truncate(kept[1]);
        self.tests.truncate(kept[2]);
        self.read_next.truncate(kept[3]);
        let is_shown = |name: &String| self.symbols.iter().any(|symbol| symbol.qualified == *name);
        let connections = std::mem::take(&mut self.connections);
        self.connections = connections
            .into_iter()
            .filter(|one| is_shown(&one.from) && is_shown(&one.to))
            .collect();
        self.truncated = true;
    }

    fn text(&self) -> Text {
        crate::tools::explore::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
