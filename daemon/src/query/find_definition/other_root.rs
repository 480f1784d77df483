//! The answer about a name that is defined in another indexed root.

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::graph::{Resolution, SymbolInfo};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_definition::{
    Definitions, FilePosition, FindDefinition, NameTarget, OtherRoot,
};

use crate::graph::SymbolId;
use crate::query::shared::all_roots::merge_freshness;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::name_at::NameAt;
use crate::query::shared::symbol_info::describe_symbol;

/// Definitions in another root.
pub struct OtherRootDefinitions {
    root: OtherRoot,
    definitions: Vec<SymbolInfo>,
    freshness: Freshness,
}

impl OtherRootDefinitions {
    pub fn new(other: &GraphRoot<'_>, symbols: &[SymbolId]) -> Self {
        let graph = other.graph();
        let mut definitions: Vec<SymbolInfo> = symbols
            .iter()
            .map(|at| describe_symbol(&graph, *at))
            .collect();
        definitions.dedup();
        let record = &other.indexed.root;
        Self {
            root: OtherRoot {
                name: record.name.clone(),
                path: record.path.clone(),
            },
            definitions,
            freshness: other.freshness(&graph, symbols),
        }
    }

    pub fn into_answer(
        self,
        root: &GraphRoot<'_>,
        params: &FindDefinition,
        path: String,
        found: NameAt,
    ) -> Definitions {
        let indexed = &root.indexed;
        let mut freshness = indexed.freshness.clone();
        merge_freshness(&mut freshness, &self.freshness, Some(&self.root.name));
        let is_one = self.definitions.len() == 1;
        Definitions {
            root: indexed.root.path.clone(),
            root_name: indexed.root.name.clone(),
            max_tokens: params.common().max_tokens,
            freshness,
            path,
            position: FilePosition {
                line: found.start.0,
                column: found.start.1 + 1,
            },
            name: found.name,
            target: NameTarget::OtherRoot,
            resolution: if is_one {
                Resolution::Resolved
            } else {
                Resolution::Ambiguous
            },
            reason: "imported from another root".to_owned(),
            local: None,
            total: self.definitions.len() as u64,
            definitions: self.definitions,
            other_root: Some(self.root),
            truncated: false,
        }
    }
}
