//! The code around the symbols of an exploration: connections between them, their dependents and their tests.

use std::collections::HashSet;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::explore::{Connection, ConnectionKind, ExploredDependent};

use super::selection::overlaps;
use crate::extract::facts::Role;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::{Graph, Outcome, SymbolId};
use crate::query::Context;
use crate::query::shared::symbol_info::describe_symbol;

/// The most symbols whose dependents and tests are searched for.
const MAX_FOLLOWED: usize = 4;
const MAX_DEPENDENTS: usize = 12;
const MAX_TESTS: usize = 10;
/// The most calls between a test and a symbol.
const FARTHEST_TEST: u32 = 2;
/// The most files that are read to find users, and further ones to follow users to tests, for all symbols together.
const MAX_FILES: usize = 4_000;
const MAX_TEST_FILES: usize = 500;

/// The symbols that depend on the shown ones, and the tests that reach them: the first of each, and how many there are.
pub struct Surroundings {
    pub dependents: Vec<ExploredDependent>,
    pub total_dependents: u64,
    pub tests: Vec<ExploredDependent>,
    pub total_tests: u64,
    /// Says which symbols were not followed.
    pub not_followed: Option<Line>,
}

impl Surroundings {
    pub fn find(
        graph: &Graph<'_>,
        symbols: &[(SymbolId, String)],
        context: &Context,
    ) -> Result<Self, ToolError> {
        let (mut dependents, mut reaching) = (
            DistinctSymbols::new(MAX_DEPENDENTS),
            DistinctSymbols::new(MAX_TESTS),
        );
        let budget = FollowBudget::new(MAX_FILES);
        let test_budget = FollowBudget::new(MAX_TEST_FILES);
        let is_shown = |at: SymbolId| symbols.iter().any(|(one, _)| overlaps(graph, *one, at));
        for (at, _) in symbols.iter().take(MAX_FOLLOWED) {
            if !budget.take_users(graph, *at) {
                continue;
            }
            let name = graph.file(at.file).qualified(graph.symbol(*at));
            for (user, resolution) in graph.tests().users(&[*at], context.cancel)? {
                if resolution != Resolution::NameOnly
                    && !is_shown(user)
                    && !graph.tests().is_test(user)
                {
                    dependents.add(graph, user, &name, resolution);
                }
            }
            let reaching_within =
                |steps| (graph.tests()).reaching(&[*at], steps, &test_budget, context.cancel);
            let mut found = reaching_within(1)?;
            // Indirect tests are searched for only if there are too few direct ones. A symbol with many direct tests is used by
            // hundreds of symbols, which lead to more tests than are shown.
            if found.tests.len() < MAX_TESTS {
                found = reaching_within(FARTHEST_TEST)?;
            }
            for test in &found.tests {
                if let Some(at) = test.symbol() {
                    reaching.add(graph, at, &name, test.resolution);
                }
            }
        }
        Ok(Self {
            total_dependents: dependents.all.len() as u64,
            dependents: dependents.first,
            total_tests: reaching.all.len() as u64,
            tests: reaching.first,
            not_followed: budget.note().or_else(|| test_budget.note()),
        })
    }
}

/// A set of symbols, and the first of them as they are shown.
struct DistinctSymbols {
    all: HashSet<SymbolId>,
    first: Vec<ExploredDependent>,
    most: usize,
}

impl DistinctSymbols {
    fn new(most: usize) -> Self {
        Self {
            all: HashSet::new(),
            first: vec![],
            most,
        }
    }

    fn add(&mut self, graph: &Graph<'_>, at: SymbolId, of: &str, resolution: Resolution) {
        if self.all.insert(at) && self.first.len() < self.most {
            let shown = ExploredDependent::from_symbol(describe_symbol(graph, at));
            self.first.push(ExploredDependent {
                of: of.to_owned(),
                resolution,
                ..shown
            });
        }
    }
}

/// Returns the calls, supertypes and uses between the shown symbols.
pub fn connections(graph: &Graph<'_>, symbols: &[(SymbolId, String)]) -> Vec<Connection> {
    let mut found: Vec<Connection> = vec![];
    let name = |at: SymbolId| graph.file(at.file).qualified(graph.symbol(at));
    let shown_symbol = |at: SymbolId| {
        symbols
            .iter()
            .map(|(one, _)| *one)
            .find(|one| *one == at || graph.members().owner(at) == Some(*one))
    };
    for (at, _) in symbols {
        let mut add = |to: SymbolId, kind: ConnectionKind, resolution: Resolution| {
            let Some(to) = shown_symbol(to).filter(|to| to != at) else {
                return;
            };
            let connection = Connection {
                from: name(*at),
                to: name(to),
                kind,
                resolution,
            };
            let is_known = found
                .iter()
                .any(|known| known.from == connection.from && known.to == connection.to);
            if !is_known && resolution != Resolution::NameOnly {
                found.push(connection);
            }
        };
        for call in graph.calls().callees(*at).calls {
            if let Some(to) = call.symbol {
                add(to, ConnectionKind::Calls, call.resolution);
            }
        }
        if graph.symbol(*at).kind.is_type() {
            for (supertype, _) in graph.members().supertypes(*at) {
                add(supertype, ConnectionKind::Implements, Resolution::Resolved);
            }
        }
        let uses = graph.uses(at.file);
        for row in uses.rows().iter().filter(|row| row.role == Role::Type) {
            if row.symbol.is_none_or(|symbol| {
                !overlaps(
                    graph,
                    SymbolId {
                        file: at.file,
                        symbol,
                    },
                    *at,
                )
            }) {
                continue;
            }
            if let Outcome::Targets(targets) = graph.resolver().resolve_once(at.file, &uses, row) {
                for &to in targets.symbols.iter() {
                    add(to, ConnectionKind::Uses, targets.resolution);
                }
            }
        }
    }
    found
}
