//! `impact_analysis`: what a change of a symbol, or of all that a diff touches, may break.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactArea, ImpactDependent, ImpactTest, ImpactUsage, Risk,
};
use claudevil_protocol::model::symbol::Visibility;

use super::Context;
use super::find_references::{role, usage};
use super::linked::{Linked, info, test_info};
use crate::graph::{At, Graph};
use crate::source::git::{Bounds, Repository};
use crate::source::walk::notes::is_note;

/// How many steps away a test may be.
const FARTHEST_TEST: u32 = 6;
/// Of a large diff the first so many symbols are followed.
const MOST_FOLLOWED: usize = 60;
const MOST_DEPENDENTS: usize = 1_000;

pub fn impact_analysis(context: &Context, params: &ImpactAnalysis) -> Result<Impact, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let changes = match &params.diff {
        Some(spec) => changes(&linked, &graph, spec, context)?,
        None => {
            Changes { symbols: vec![(linked.find(&graph, params.asked())?, ChangeKind::Asked)], ..Changes::default() }
        }
    };
    let mut weighing =
        Weighing { graph: &graph, context, changed: &changes.symbols, several: changes.symbols.len() > 1 };
    let (areas, total_usages, mut files) = weighing.usages()?;
    let dependents = weighing.dependents(params.depth())?;
    let tests = weighing.tests()?;
    files.extend(dependents.iter().map(|one| one.path.clone()));
    let functions: HashSet<(&str, u32)> =
        dependents.iter().filter(|one| one.kind.is_callable()).map(|one| (one.path.as_str(), one.line)).collect();
    let total_functions = functions.len() as u64;
    let shown: Vec<ChangedSymbol> = changes
        .symbols
        .iter()
        .map(|(at, change)| ChangedSymbol { change: *change, ..ChangedSymbol::of(info(&graph, *at)) })
        .collect();
    let (risk, risk_reasons) = risk(&graph, &changes.symbols, total_usages, &files, &tests);
    let about: Vec<At> = changes.symbols.iter().map(|(at, _)| *at).collect();
    let indexed = &linked.indexed;
    Ok(Impact {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: linked.freshness(&graph, &about),
        diff: params.diff.clone(),
        depth: params.depth(),
        total_changed: shown.len() as u64,
        changed: shown,
        total_other_files: changes.other_files.len() as u64,
        other_files: changes.other_files,
        areas,
        total_usages,
        total_dependents: dependents.len() as u64,
        dependents,
        total_tests: tests.len() as u64,
        tests,
        total_files: files.len() as u64,
        files: files.into_iter().collect(),
        total_functions,
        risk,
        risk_reasons,
        truncated: false,
    })
}

/// What changes.
#[derive(Default)]
struct Changes {
    symbols: Vec<(At, ChangeKind)>,
    /// Files that differ without a symbol in them doing so.
    other_files: Vec<String>,
}

/// The symbols whose lines a diff touches: the innermost ones, and those that are gone by what is left of them.
fn changes(linked: &Linked<'_>, graph: &Graph<'_>, spec: &str, context: &Context) -> Result<Changes, ToolError> {
    let repository = Repository::of(Path::new(&linked.indexed.root.path))?;
    let spec = (spec != ImpactAnalysis::WORKING).then_some(spec);
    // A note that git does not know is no change of the code.
    let known = linked.indexed.snapshot.files.iter().map(|file| file.path.as_str()).filter(|path| !is_note(path));
    let diff = repository.diff(spec, known, Bounds::default(), context.cancel)?;
    let mut changes = Changes::default();
    for changed in diff.files {
        let before = changes.symbols.len();
        if let Some(file) = graph.number(&changed.path) {
            let symbols = &graph.file(file).outline.symbols;
            for hunk in &changed.hunks {
                // Where lines are gone, what they stood in has changed.
                let (first, last) = (hunk.new.first.min(hunk.new.last.max(1)), hunk.new.last.max(hunk.new.first));
                for (symbol, one) in (0..).zip(symbols) {
                    let touched = one.start_line <= last && first <= one.end_line;
                    let inner = (0..).zip(symbols).any(|(inner, other): (u32, _)| {
                        inner != symbol
                            && other.parent == Some(symbol)
                            && other.start_line <= first
                            && last <= other.end_line
                    });
                    if touched && !inner {
                        let is_new = first <= one.start_line && one.end_line <= last && hunk.old.is_empty();
                        let kind = if is_new { ChangeKind::Added } else { ChangeKind::Modified };
                        let at = At { file, symbol };
                        if !changes.symbols.iter().any(|(known, _)| *known == at) {
                            changes.symbols.push((at, kind));
                        }
                    }
                }
            }
        }
        if changes.symbols.len() == before {
            changes.other_files.push(changed.path);
        }
    }
    Ok(changes)
}

struct Weighing<'a> {
    graph: &'a Graph<'a>,
    context: &'a Context<'a>,
    changed: &'a [(At, ChangeKind)],
    several: bool,
}

type Usages = (Vec<ImpactArea>, u64, BTreeSet<String>);

impl Weighing<'_> {
    fn followed(&self) -> impl Iterator<Item = At> + '_ {
        self.changed.iter().map(|(at, _)| *at).take(MOST_FOLLOWED)
    }

    /// Where the changed symbols are used, by folder.
    fn usages(&mut self) -> Result<Usages, ToolError> {
        let mut areas: BTreeMap<String, Vec<ImpactUsage>> = BTreeMap::new();
        let mut files = BTreeSet::new();
        for at in self.followed() {
            let symbol = self.graph.symbol(at);
            let name = self.graph.file(at.file).qualified(symbol);
            for found in self.graph.references(at, self.context.cancel)?.iter() {
                // Among facts a mere name says nothing; where there are none it is all there is.
                if found.resolution == Resolution::NameOnly && self.graph.has_uses(at.file) {
                    continue;
                }
                let file = self.graph.file(found.file);
                let around = found.row.symbol.map(|symbol| At { file: found.file, symbol });
                let area = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                files.insert(file.path.clone());
                areas.entry(area).or_default().push(ImpactUsage {
                    path: file.path.clone(),
                    line: found.row.line,
                    column: found.row.column + 1,
                    role: role(found.row.role),
                    usage: usage(self.graph, found, &symbol.name).to_owned(),
                    enclosing: around.map(|around| file.qualified(self.graph.symbol(around))),
                    of: self.several.then(|| name.clone()),
                    resolution: found.resolution,
                    is_test: around.map_or_else(|| self.graph.is_test_file(found.file), |at| self.graph.is_test(at)),
                });
            }
        }
        let total = areas.values().map(Vec::len).sum::<usize>() as u64;
        let mut areas: Vec<ImpactArea> =
            areas.into_iter().map(|(area, usages)| ImpactArea { area, total: usages.len() as u64, usages }).collect();
        areas.sort_by(|one, other| (other.total, &one.area).cmp(&(one.total, &other.area)));
        Ok((areas, total, files))
    }

    /// What depends on the changed symbols, level by level.
    fn dependents(&self, depth: u32) -> Result<Vec<ImpactDependent>, ToolError> {
        let mut seen: HashSet<At> = self.changed.iter().map(|(at, _)| *at).collect();
        let mut found: Vec<ImpactDependent> = vec![];
        let mut layer: Vec<(At, Resolution)> = self.followed().map(|at| (at, Resolution::Resolved)).collect();
        for level in 1..=depth {
            let mut further = vec![];
            for (at, so_far) in layer {
                let via = self.graph.file(at.file).qualified(self.graph.symbol(at));
                for (user, resolution) in self.graph.users(at, self.context.cancel)? {
                    let resolution = so_far.max(resolution);
                    if resolution == Resolution::NameOnly || self.graph.is_test(user) || !seen.insert(user) {
                        continue;
                    }
                    found.push(ImpactDependent {
                        depth: level,
                        via: via.clone(),
                        resolution,
                        reason: if level == 1 { "uses it" } else { "uses what uses it" }.to_owned(),
                        ..ImpactDependent::of(info(self.graph, user))
                    });
                    further.push((user, resolution));
                    if found.len() >= MOST_DEPENDENTS {
                        return Ok(found);
                    }
                }
            }
            layer = further;
        }
        Ok(found)
    }

    fn tests(&self) -> Result<Vec<ImpactTest>, ToolError> {
        let mut found: Vec<ImpactTest> = vec![];
        let mut seen: HashSet<(u32, u32)> = HashSet::new();
        for (at, _) in self.changed.iter().take(MOST_FOLLOWED) {
            if self.graph.is_test(*at)
                && self.graph.symbol(*at).kind.is_callable()
                && seen.insert((at.file, self.graph.symbol(*at).name_line))
            {
                found.push(ImpactTest {
                    distance: Some(0),
                    resolution: Resolution::Resolved,
                    reason: "is changed itself".to_owned(),
                    ..ImpactTest::of(info(self.graph, *at))
                });
            }
            for test in self.graph.tests_of(*at, FARTHEST_TEST, self.context.cancel)? {
                if !seen.insert((test.file, test.line)) {
                    continue;
                }
                let via = test.via.map(|via| self.graph.symbol(via).name.to_string()).unwrap_or_default();
                found.push(ImpactTest {
                    distance: test.steps,
                    resolution: test.resolution,
                    reason: match test.steps {
                        None => "named after it".to_owned(),
                        Some(1) => "uses it".to_owned(),
                        Some(_) => format!("uses {via}, which leads to it"),
                    },
                    ..ImpactTest::of(test_info(self.graph, &test))
                });
            }
        }
        found.sort_by_key(|test| (test.distance.unwrap_or(u32::MAX), test.path.clone(), test.line));
        Ok(found)
    }
}

/// How much may go wrong, and what speaks for that.
fn risk(
    graph: &Graph<'_>,
    changed: &[(At, ChangeKind)],
    usages: u64,
    files: &BTreeSet<String>,
    tests: &[ImpactTest],
) -> (Risk, Vec<String>) {
    let mut reasons = vec![];
    let mut points = 0;
    let folders: HashSet<&str> =
        files.iter().map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    let public = changed.iter().filter(|(at, _)| graph.symbol(*at).visibility == Some(Visibility::Public)).count();
    if usages > 20 {
        points += 2;
        reasons.push(format!("{usages} places use it"));
    } else if usages > 5 {
        points += 1;
        reasons.push(format!("{usages} places use it"));
    }
    if folders.len() > 3 {
        points += 1;
        reasons.push(format!("they lie in {} folders", folders.len()));
    }
    if public > 0 && usages > 0 {
        points += 1;
        reasons.push("it is public: others may use it too".to_owned());
    }
    let is_derived = changed.iter().any(|(at, _)| {
        let kind = graph.symbol(*at).kind;
        kind.is_type() && !graph.subtypes(*at).is_empty() || kind.is_callable() && !graph.overriding(*at).is_empty()
    });
    if is_derived {
        points += 1;
        reasons.push("others implement or override it".to_owned());
    }
    if tests.is_empty() {
        points += 1;
        reasons.push("no test reaches it".to_owned());
    } else {
        reasons.push(format!("{} tests reach it", tests.len()));
    }
    let risk = match points {
        0..=1 => Risk::Low,
        2..=3 => Risk::Medium,
        _ => Risk::High,
    };
    (risk, reasons)
}
