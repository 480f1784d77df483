//! `impact_analysis`: the code that may break if a symbol, or every symbol that a diff touches, changes.

mod change_set;
mod effects;
mod old_revision;
mod risk;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Instant;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::commit::CoChangedFile;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactTest, TestFile,
};

use self::change_set::ChangeSet;
use self::effects::{EffectTracer, Effects, MAX_FILES, Removal};
use self::old_revision::OldSource;
use self::risk::{BreakingChanges, assess_risk};
use super::Context;
use super::shared::commits::co_changed;
use super::shared::graph_root::GraphRoot;
use super::shared::occurrences::{NameAccount, NameOccurrences};
use super::shared::recent_answers;
use super::shared::symbol_info::describe_symbol;
use super::shared::symbol_lookup::count_overloads;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::{Graph, SymbolId};

/// The most items of a list; totals count all of them. No token budget has room for more, and messages have a size limit.
const MAX_LISTED: usize = 2_000;
/// The most files that are listed as usually changing together with the changed ones.
const MAX_TOGETHER: usize = 5;

pub fn impact_analysis(context: &Context, params: &ImpactAnalysis) -> Result<Impact, ToolError> {
    let root = GraphRoot::open(context)?;
    // A diff depends on the repository too.
    let is_kept = |answer: &Impact| answer.diff.is_none();
    recent_answers::get_or_make(&root, context, params, is_kept, || {
        answer(context, params, &root)
    })
}

fn answer(
    context: &Context,
    params: &ImpactAnalysis,
    root: &GraphRoot<'_>,
) -> Result<Impact, ToolError> {
    let graph = root.graph();
    let (changes, old_revision) = match &params.diff {
        Some(spec) => ChangeSet::read(root, &graph, spec, context)?,
        None => (
            ChangeSet::from_query(root.find_all(&graph, params.symbol_query())?),
            None,
        ),
    };
    let removed: Vec<(SymbolId, ChangeKind)> = old_revision
        .iter()
        .flat_map(|old_revision| old_revision.removed_symbols(&graph))
        .map(|at| (at, ChangeKind::Removed))
        .collect();
    let old_revision = old_revision.filter(|_| !removed.is_empty());
    let old_source = old_revision.as_ref().map(|old_revision| OldSource {
        old_revision,
        current: root,
    });
    let old_graph = old_source.as_ref().map(|source| {
        Graph::new(&source.old_revision.snapshot, source).cancelled_by(context.cancel)
    });
    let has_several_subjects = params.diff.is_some() && changes.symbols.len() + removed.len() > 1;
    let about: Vec<SymbolId> = changes.symbols.iter().map(|(at, _)| *at).collect();
    // The account is made first, because the effects reuse the references that it caches.
    let account = match about.first() {
        Some(target) if params.diff.is_none() => {
            let occurrences = NameOccurrences {
                graph: &graph,
                target: *target,
            };
            occurrences.account(&about, root, context)?
        }
        _ => NameAccount::default(),
    };
    let began = Instant::now();
    let test_budget = &FollowBudget::new(MAX_FILES);
    let mut effects = Effects::default();
    let tracer = EffectTracer {
        graph: &graph,
        context,
        began,
        changed: &changes.symbols,
        has_several_subjects,
        removal: None,
        test_budget,
    };
    tracer.trace(params.depth(), &mut effects)?;
    if let (Some(old_graph), Some(old_revision)) = (&old_graph, &old_revision) {
        // Uses of a removed symbol can only be resolved in the graph that still has it.
        let tracer = EffectTracer {
            graph: old_graph,
            context,
            began,
            changed: &removed,
            has_several_subjects,
            removal: Some(Removal {
                new_graph: &graph,
                old_revision,
            }),
            test_budget,
        };
        tracer.trace(params.depth(), &mut effects)?;
    }
    context.cancel.check()?;
    let total_changed = match params.diff {
        Some(_) => changes.symbols.len() + removed.len(),
        None => 1,
    };
    let listed_symbols = changed_symbols(
        &graph,
        &changes,
        old_graph.as_ref(),
        &removed,
        total_changed.min(MAX_LISTED),
    );
    // A removed file is listed by its symbols.
    let removed_from: HashSet<&str> = old_graph
        .iter()
        .flat_map(|old_graph| removed.iter().map(|(at, _)| &*old_graph.file(at.file).path))
        .collect();
    let mut other_files = changes.other_files;
    other_files.retain(|path| !removed_from.contains(path.as_str()));
    let symbols = changes
        .symbols
        .iter()
        .map(|(at, _)| &*graph.file(at.file).path);
    let changed_files = symbols
        .chain(removed_from.iter().copied())
        .chain(other_files.iter().map(String::as_str));
    let changed_files: BTreeSet<&str> = changed_files.collect();
    let together = usually_together(context, root, &changed_files);
    let breaking = BreakingChanges {
        removed: removed.len(),
        signatures: changes.old_signatures.len(),
    };
    let (risk, risk_reasons) = assess_risk(&graph, &changes.symbols, &breaking, &effects);
    let areas = effects.take_areas();
    let Effects {
        total_usages,
        files,
        dependents,
        tests,
        overrides,
        name_only,
        followed,
        is_least,
        limits,
        not_followed,
        ..
    } = effects;
    let files: BTreeSet<String> = files
        .into_iter()
        .chain(dependents.iter().map(|one| one.path.clone()))
        .collect();
    let functions: HashSet<(&str, u32)> = dependents
        .iter()
        .filter(|one| one.kind.is_callable())
        .map(|one| (one.path.as_str(), one.line))
        .collect();
    let total_functions = functions.len() as u64;
    let indexed = &root.indexed;
    let freshness = root.freshness_of_uses(&graph, &about);
    let mut freshness = freshness.with_changed(account.changed);
    freshness.add_notes(limits);
    let cut_tests = test_budget.note();
    freshness.add_notes(cut_tests.map(|note| Line::from("tests may be missing: ").line(note)));
    let TestSummary {
        tests,
        total_tests,
        test_files,
    } = TestSummary::new(tests);
    Ok(Impact {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        diff: params.diff.clone(),
        depth: params.depth(),
        total_changed: total_changed as u64,
        changed: listed_symbols,
        total_followed: if params.diff.is_some() { followed } else { 1 },
        total_signatures: changes.old_signatures.len() as u64,
        total_other_files: other_files.len() as u64,
        other_files,
        not_compared: changes.not_compared,
        total_overrides: overrides.len() as u64,
        overrides: overrides.into_iter().take(MAX_LISTED).collect(),
        areas,
        total_usages,
        total_name_only: name_only,
        accounting: account.accounting,
        total_dependents: dependents.len() as u64,
        dependents,
        is_least,
        total_tests,
        tests,
        total_test_files: test_files.len() as u64,
        test_files,
        total_uncertain: not_followed,
        total_files: files.len() as u64,
        files: files.into_iter().collect(),
        total_functions,
        together,
        risk,
        risk_reasons,
        truncated: false,
        overloads: if params.diff.is_none() {
            count_overloads(&about)
        } else {
            0
        },
    })
}

/// Returns the files of the root that usually change together with these.
fn usually_together(
    context: &Context,
    root: &GraphRoot<'_>,
    changed: &BTreeSet<&str>,
) -> Vec<CoChangedFile> {
    let histories = &context.indexes.shared().histories;
    let Some(history) = histories.read_so_far(root.indexed.root.id, context.cancel) else {
        return vec![];
    };
    let changed: Vec<&str> = changed.iter().copied().take(MAX_LISTED).collect();
    let is_there = |path: &str| root.indexed.snapshot.file(path).is_some();
    co_changed(&history, &changed, MAX_TOGETHER, is_there)
}

/// Lists changed symbols: those with another signature first, then removed ones, then the rest.
fn changed_symbols(
    graph: &Graph<'_>,
    changes: &ChangeSet,
    old_graph: Option<&Graph<'_>>,
    removed: &[(SymbolId, ChangeKind)],
    most: usize,
) -> Vec<ChangedSymbol> {
    let old_signature = |at: SymbolId| changes.old_signatures.get(&at).cloned();
    let (first, rest): (Vec<_>, Vec<_>) = changes
        .symbols
        .iter()
        .copied()
        .partition(|(at, _)| changes.old_signatures.contains_key(at));
    let current =
        |(at, change): (SymbolId, ChangeKind)| changed_symbol(graph, at, change, old_signature(at));
    let removed = old_graph.into_iter().flat_map(|old_graph| {
        let symbol =
            |(at, change): &(SymbolId, ChangeKind)| changed_symbol(old_graph, *at, *change, None);
        removed.iter().map(symbol)
    });
    first
        .into_iter()
        .map(current)
        .chain(removed)
        .chain(rest.into_iter().map(current))
        .take(most)
        .collect()
}

fn changed_symbol(
    graph: &Graph<'_>,
    at: SymbolId,
    change: ChangeKind,
    old_signature: Option<String>,
) -> ChangedSymbol {
    ChangedSymbol {
        change,
        old_signature,
        ..ChangedSymbol::from_symbol(describe_symbol(graph, at))
    }
}

/// The tests of an answer, the nearest first.
struct TestSummary {
    tests: Vec<ImpactTest>,
    total_tests: u64,
    test_files: Vec<TestFile>,
}

impl TestSummary {
    /// Leaves out tests by name only if any test is known to reach the change.
    fn new(mut tests: Vec<ImpactTest>) -> Self {
        let total_tests = tests.iter().filter(|test| test.distance.is_some()).count();
        if total_tests > 0 {
            tests.retain(|test| test.distance.is_some());
        }
        tests.sort_by_cached_key(|test| {
            (
                test.distance.unwrap_or(u32::MAX),
                test.resolution,
                test.path.clone(),
                test.line,
            )
        });
        let mut test_files: Vec<TestFile> = vec![];
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        for test in tests.iter().filter(|test| test.distance.is_some()) {
            let position = *positions.entry(&test.path).or_insert_with(|| {
                test_files.push(TestFile {
                    path: test.path.clone(),
                    total: 0,
                });
                test_files.len() - 1
            });
            test_files[position].total += 1;
        }
        tests.truncate(MAX_LISTED);
        Self {
            tests,
            total_tests: total_tests as u64,
            test_files,
        }
    }
}
