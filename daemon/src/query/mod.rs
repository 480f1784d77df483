//! One file per tool: parameters to result. Queries read snapshots and files of a root, and know nothing of the wire.
//!
//! No tool uses another: [`shared`] has what several of them need, and [`code_search`] leads from parameters to hits.
//! [`editor`] and [`sharing`] are not tools: they answer the questions of editors, and those about a team's vectors.

pub mod analyze_complexity;
pub mod call_path;
pub mod calls;
pub mod checkpoint;
mod code_search;
pub mod deep_dive;
pub mod edit_symbol;
pub mod editor;
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
pub mod search;
pub mod search_structure;
mod shared;
pub mod sharing;
pub mod undo;

use claudevil_protocol::call::Call;
use claudevil_protocol::daemon_info::DaemonInfo;
use claudevil_protocol::tools::index_status::{Details, RootStatus};

use crate::change::Changes;
use crate::index::Indexes;
use crate::memory::Memory;
use crate::roots::Roots;
use crate::source::cancel::CancelToken;

/// Frees the caches that queries keep for later ones.
pub fn release_memory() {
    code_search::release_pages();
    shared::occurrences::recent_accounts::release();
    shared::recent_answers::release();
}

/// The parts of the daemon that a query uses.
pub struct Context<'a> {
    pub roots: &'a Roots,
    pub indexes: &'a Indexes,
    pub changes: &'a Changes,
    pub memory: &'a Memory,
    pub daemon: &'a dyn DaemonState,
    pub call: &'a Call,
    pub cancel: &'a CancelToken,
    /// Reports progress: the number done, the total if it is known, and the unit, such as `files`.
    pub progress: &'a (dyn Fn(u64, Option<u64>, &str) + Sync),
}

/// The daemon's own state, as a status shows it.
pub trait DaemonState: Sync {
    fn info(&self) -> DaemonInfo;

    /// Returns the settings that were given but have no effect, each with its reason.
    fn ignored_settings(&self) -> &[String];

    /// Adds to each root the savings by its answers.
    fn add_savings(&self, roots: &mut [RootStatus]);

    fn details(&self, call: &Call) -> Details;
}
