//! Parts that several tools need: the root of a call, the symbol that it names, parts of results. They know no tool.

pub mod all_roots;
pub mod callers;
pub mod commits;
pub mod confidence;
mod containers;
pub mod diff;
pub mod edited_file;
pub mod file_check;
pub mod graph_root;
pub mod implementations;
pub mod languages;
pub mod loaded_root;
pub mod mention_counts;
pub mod occurrences;
pub mod paging;
pub mod paths;
pub mod precise_coverage;
pub mod progress;
pub mod read_errors;
mod similarity;
pub mod skip_reasons;
pub mod splice;
pub mod structure;
pub mod symbol_info;
pub mod symbol_lookup;
pub mod symbol_name;
pub mod usage;
