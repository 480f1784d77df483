//! The tools: one file each with its parameters, result, text, description and command-line arguments.
//!
//! [`for_each_tool`] is the one list of them. The RPC service, the daemon's dispatch, the MCP server and the command line
//! are generated from it: a new tool is its definition here, its query in the daemon, and one row.

pub mod analyze_complexity;
pub mod call_path;
pub mod calls;
pub mod checkpoint;
pub mod deep_dive;
pub mod edit_symbol;
pub mod explore;
pub mod find_clones;
pub mod find_definition;
pub mod find_implementations;
pub mod find_references;
pub mod find_similar;
pub mod find_symbol;
pub mod find_unused;
pub mod get_call_graph;
pub mod get_dependencies;
pub mod history;
pub mod impact_analysis;
pub mod index_status;
pub mod list_files;
pub mod manage_precise;
pub mod manage_roots;
pub mod map_code;
pub mod plan;
pub mod read_file;
pub mod recall;
pub mod reindex;
pub mod rename_symbol;
pub mod rewrite;
mod schema;
pub mod search;
pub mod search_structure;
pub mod undo;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::{Answer, Format};
use crate::check::check_common;
use crate::error::ToolError;
use schema::{answer_schema_of, schema_of};

/// Calls a macro with one row per tool: its name, and the path of its parameters below this module.
///
/// The order is that in which tools are offered. It is also the numbering on the wire: a change of it, other than a new
/// row at the end, is a new version of the protocol.
#[macro_export]
macro_rules! for_each_tool {
    ($callback:ident) => {
        $callback! {
            explore: explore::Explore;
            search: search::Search;
            find_symbol: find_symbol::FindSymbol;
            find_similar: find_similar::FindSimilar;
            map_code: map_code::MapCode;
            list_files: list_files::ListFiles;
            read_file: read_file::ReadFile;
            find_references: find_references::FindReferences;
            find_callers: calls::FindCallers;
            find_callees: calls::FindCallees;
            get_call_graph: get_call_graph::GetCallGraph;
            call_path: call_path::CallPath;
            find_implementations: find_implementations::FindImplementations;
            deep_dive: deep_dive::DeepDive;
            impact_analysis: impact_analysis::ImpactAnalysis;
            get_dependencies: get_dependencies::GetDependencies;
            analyze_complexity: analyze_complexity::AnalyzeComplexity;
            rename_symbol: rename_symbol::RenameSymbol;
            index_status: index_status::IndexStatus;
            reindex: reindex::Reindex;
            manage_roots: manage_roots::ManageRoots;
            checkpoint: checkpoint::Checkpoint;
            recall: recall::Recall;
            plan: plan::Plan;
            find_definition: find_definition::FindDefinition;
            manage_precise: manage_precise::ManagePrecise;
            history: history::History;
            edit_symbol: edit_symbol::EditSymbol;
            undo: undo::Undo;
            search_structure: search_structure::SearchStructure;
            rewrite: rewrite::Rewrite;
            find_unused: find_unused::FindUnused;
            find_clones: find_clones::FindClones;
        }
    };
}

#[cfg(feature = "cli")]
pub(crate) use crate::check::ROOT_HELP;

/// Returns the option `--all-roots`, which gives `--root` the value [`ALL_ROOTS`](crate::answer::scope::ALL_ROOTS).
#[cfg(feature = "cli")]
pub(crate) fn all_roots_option() -> clap::Arg {
    clap::Arg::new("all_roots")
        .long("all-roots")
        .action(clap::ArgAction::SetTrue)
        .help("Ask all known projects")
}

/// The parameters of a tool, which name the tool.
pub trait Tool: Serialize + DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static {
    type Answer: Answer + Send + 'static;

    const INFO: ToolInfo;

    const NAME: &'static str = Self::INFO.name;

    /// True if the command line shows an answer from an index that is still being built, instead of waiting for the whole
    /// index.
    const ANSWERS_EARLY: bool = false;

    /// Checks that the parameters are in range.
    fn check(&self) -> Result<(), ToolError>;

    fn common(&self) -> Common<'_>;

    /// Takes the project that the caller named out of the parameters.
    fn take_root(&mut self) -> Option<String>;

    /// Returns the budget as the caller gave it.
    fn max_tokens(&self) -> Option<u32>;

    fn max_tokens_mut(&mut self) -> &mut Option<u32>;

    /// Returns the time limit of a call.
    fn deadline(&self) -> Duration {
        Self::INFO.deadline
    }

    fn replay(&self) -> Replay {
        Replay::Safe
    }

    /// Turns words of a command line into arguments: `src/a.rs:12` given as a symbol is a path and a line, and `locate`
    /// makes paths that are relative to the working directory absolute.
    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        let _ = locate;
    }

    /// Returns the glob of files, which a command line may give relative to the working directory.
    fn glob_mut(&mut self) -> Option<&mut String> {
        None
    }

    /// Takes the name of the file that has the question, where a command line names one; `-` is standard input.
    fn take_text_file(&mut self) -> Option<String> {
        None
    }

    /// Returns the most characters of the text in a file. Of a longer one, the middle may be left out; `None` for a text that
    /// is taken whole, byte for byte.
    fn longest_text(&self) -> Option<usize> {
        None
    }

    /// Sets the question that was read from a file.
    fn set_text(&mut self, text: String) {
        let _ = text;
    }

    /// Checks all parameters: clients do so before they send a call, and the daemon before it runs one.
    fn validate(&self) -> Result<(), ToolError> {
        check_common(self.common().root, self.max_tokens())?;
        self.check()
    }
}

/// The parameters that all tools have.
#[derive(Clone, Copy, Debug)]
pub struct Common<'a> {
    /// The project that the caller named, if any.
    pub root: Option<&'a str>,
    pub format: Format,
    /// The budget of the answer: the caller's, or the tool's default.
    pub max_tokens: u32,
}

/// Implements access to the fields `root`, `max_tokens` and `format`, with the budget of an answer whose caller gives
/// none.
macro_rules! common_params {
    () => {
        common_params!(|_| $crate::text::tokens::DEFAULT_TOKENS);
    };
    ($default_tokens:expr) => {
        fn common(&self) -> $crate::tools::Common<'_> {
            let default_tokens: fn(&Self) -> u32 = $default_tokens;
            $crate::tools::Common {
                root: self.root.as_deref(),
                format: self.format.unwrap_or_default(),
                max_tokens: self.max_tokens.unwrap_or_else(|| default_tokens(self)),
            }
        }

        fn take_root(&mut self) -> Option<String> {
            self.root.take()
        }

        fn max_tokens(&self) -> Option<u32> {
            self.max_tokens
        }

        fn max_tokens_mut(&mut self) -> &mut Option<u32> {
            &mut self.max_tokens
        }
    };
}
use common_params;

/// The definition of a tool for those who may call it.
pub struct ToolInfo {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub toolset: Toolset,
    pub availability: Availability,
    /// True if an agent would otherwise read the files that an answer shows parts of.
    pub replaces_reading: bool,
    /// True if an answer may take most of the largest budget.
    pub long_answers: bool,
    pub effect: Effect,
    pub deadline: Duration,
    pub command: CommandInfo,
    schema: fn() -> Map<String, Value>,
}

impl ToolInfo {
    /// Returns the JSON schema of the tool's parameters: a flat object without references.
    pub fn schema(&self) -> Map<String, Value> {
        (self.schema)()
    }
}

/// The tool on the command line.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// `refs`, `notes add`.
    pub verb: &'static str,
    /// Another name of the verb, as agents know the tool.
    pub alias: Option<&'static str>,
    pub about: &'static str,
    pub examples: &'static str,
    /// True if an answer without items exits with code 1.
    pub fails_when_empty: bool,
    /// True if the arguments are those of the tool and the output is its text. Other verbs have code of their own.
    pub is_plain: bool,
}

/// The sessions to which a tool is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// To sessions that ask for no toolset; clients that load tools on demand load it at once.
    AlwaysLoaded,
    /// To sessions that ask for no toolset.
    Core,
    /// To sessions that ask for its toolset.
    OnRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    Explore,
    Graph,
    Change,
    Index,
    Memory,
}

/// The effect of a call on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Brings claudevil's own records up to date. Nothing is lost that could not be rebuilt.
    Refreshes,
    /// Changes claudevil's own records, and may drop some of them.
    Manages,
    /// Changes files of the project.
    Edits,
    /// Stores something beside the project's files. Nothing is lost by it.
    Keeps,
}

/// The treatment of a call whose connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// A second call has no further effect.
    Safe,
    /// It may have had its effect: report the break.
    Never,
}

impl Replay {
    /// Returns the treatment of a call that changes files unless it is a dry run.
    pub fn for_edit(is_dry_run: bool) -> Self {
        if is_dry_run { Self::Safe } else { Self::Never }
    }
}

macro_rules! table {
    ($($name:ident: $module:ident::$params:ident;)*) => {
        pub const TOOLS: &[ToolInfo] = &[$($module::$params::INFO,)*];
    };
}
for_each_tool!(table);

pub fn find(name: &str) -> Option<&'static ToolInfo> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the JSON schema of the answers of a tool.
pub fn answer_schema(tool: &str) -> Option<Map<String, Value>> {
    macro_rules! schema {
        ($($name:ident: $module:ident::$params:ident;)*) => {
            match tool {
                $(stringify!($name) => Some(answer_schema_of::<<$module::$params as Tool>::Answer>()),)*
                _ => None,
            }
        };
    }
    for_each_tool!(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_definitions_have_the_same_names() {
        macro_rules! names {
            ($($name:ident: $module:ident::$params:ident;)*) => {
                [$(stringify!($name),)*]
            };
        }
        let rows = for_each_tool!(names);
        let defined: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(defined, rows);
    }
}
