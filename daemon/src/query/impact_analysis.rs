//! `impact_analysis`: what a change of a symbol, or of all that a diff touches, may break.

mod before;
mod changes;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_implementations::Implementation;
use claudevil_protocol::tools::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactArea, ImpactDependent, ImpactTest,
    ImpactUsage, Risk, TestFile,
};

use self::before::{Before, BeforeSource};
use self::changes::Changes;
use super::Context;
use super::calls::overloads;
use super::find_implementations::implementations;
use super::find_references::{role, usage};
use super::linked::{Linked, TESTS_CUT, info, test_info};
use crate::graph::references::Reference;
use crate::graph::{At, Graph, Outcome};

/// How many steps away a test may be.
const FARTHEST_TEST: u32 = 6;
/// So many symbols of a diff are followed however long it takes, and more of them as long as it takes less than this. What uses
/// the users of a symbol is followed no longer either.
const ALWAYS_FOLLOWED: usize = 60;
const LONGEST_FOLLOWED: Duration = Duration::from_secs(2);
const MOST_DEPENDENTS: usize = 1_000;
/// Lists are counted whole, and hold so many items at most: no budget has room for more, and a message has a limit.
const MOST_LISTED: usize = 2_000;

pub fn impact_analysis(context: &Context, params: &ImpactAnalysis) -> Result<Impact, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let (changes, before) = match &params.diff {
        Some(spec) => Changes::read(&linked, &graph, spec, context)?,
        None => (
            Changes::asked(linked.find_all(&graph, params.symbol_query())?),
            None,
        ),
    };
    let removed = before
        .as_ref()
        .map_or_else(Vec::new, |before| before.removed(&graph));
    let removed: Vec<(At, ChangeKind)> = removed
        .into_iter()
        .map(|at| (at, ChangeKind::Removed))
        .collect();
    // What is gone is asked about in what was.
    let before = before.filter(|_| !removed.is_empty());
    let source = before.as_ref().map(|before| BeforeSource {
        before,
        now: &linked,
    });
    let was = before
        .as_ref()
        .zip(source.as_ref())
        .map(|(before, source)| Graph::new(&before.snapshot, source));
    let several = params.diff.is_some() && changes.symbols.len() + removed.len() > 1;
    let began = Instant::now();
    let mut weighed = Weighed::default();
    let now = Weighing {
        graph: &graph,
        context,
        began,
        changed: &changes.symbols,
        several,
        gone: None,
    };
    now.weigh(params.depth(), &mut weighed)?;
    if let (Some(was), Some(before)) = (&was, &before) {
        let gone = Gone {
            now: &graph,
            before,
        };
        Weighing {
            graph: was,
            context,
            began,
            changed: &removed,
            several,
            gone: Some(gone),
        }
        .weigh(params.depth(), &mut weighed)?;
    }
    context.cancel.check()?;
    let total_changed = match params.diff {
        Some(_) => changes.symbols.len() + removed.len(),
        None => 1,
    };
    let listed_symbols = changed_symbols(
        &graph,
        &changes,
        was.as_ref(),
        &removed,
        total_changed.min(MOST_LISTED),
    );
    // A file that is gone with all that was in it differs by that.
    let removed_from: HashSet<&str> = before
        .as_ref()
        .map(|before| {
            removed
                .iter()
                .map(|(at, _)| &*before.snapshot.files[at.file as usize].path)
                .collect()
        })
        .unwrap_or_default();
    let mut other_files = changes.other_files;
    other_files.retain(|path| !removed_from.contains(path.as_str()));
    let (risk, risk_reasons) = risk(
        &graph,
        &changes.symbols,
        &Counts {
            removed: removed.len(),
            signatures: changes.old_signatures.len(),
        },
        &weighed,
    );
    let (areas, total_usages) = weighed.areas();
    let Weighed {
        files,
        dependents,
        tests,
        overrides,
        name_only,
        followed,
        is_least,
        is_cut,
        not_followed,
        ..
    } = weighed;
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
    let about: Vec<At> = changes.symbols.iter().map(|(at, _)| *at).collect();
    let indexed = &linked.indexed;
    let mut freshness = linked.freshness(&graph, &about);
    if is_cut {
        freshness.add_note(TESTS_CUT);
    }
    let Reached {
        tests,
        total_tests,
        test_files,
    } = Reached::new(tests);
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
        overrides: overrides.into_iter().take(MOST_LISTED).collect(),
        areas,
        total_usages,
        total_name_only: name_only,
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
        risk,
        risk_reasons,
        truncated: false,
        overloads: if params.diff.is_none() {
            overloads(&about)
        } else {
            0
        },
    })
}

/// The first of the changed symbols: those that are gone or have another signature before others.
fn changed_symbols(
    graph: &Graph<'_>,
    changes: &Changes,
    was: Option<&Graph<'_>>,
    removed: &[(At, ChangeKind)],
    most: usize,
) -> Vec<ChangedSymbol> {
    let old_signature = |at: At| changes.old_signatures.get(&at).cloned();
    let (first, rest): (Vec<_>, Vec<_>) = changes
        .symbols
        .iter()
        .copied()
        .partition(|(at, _)| changes.old_signatures.contains_key(at));
    let now = |(at, change): (At, ChangeKind)| changed_symbol(graph, at, change, old_signature(at));
    let gone = removed.iter().zip(was.into_iter().cycle());
    let gone = gone.map(|((at, change), was)| changed_symbol(was, *at, *change, None));
    first
        .into_iter()
        .map(now)
        .chain(gone)
        .chain(rest.into_iter().map(now))
        .take(most)
        .collect()
}

fn changed_symbol(
    graph: &Graph<'_>,
    at: At,
    change: ChangeKind,
    old_signature: Option<String>,
) -> ChangedSymbol {
    ChangedSymbol {
        change,
        old_signature,
        ..ChangedSymbol::from_symbol(info(graph, at))
    }
}

/// The tests of an answer.
struct Reached {
    tests: Vec<ImpactTest>,
    total_tests: u64,
    test_files: Vec<TestFile>,
}

impl Reached {
    /// Those that only have the name are of interest where none is known to reach the change.
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
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for test in tests.iter().filter(|test| test.distance.is_some()) {
            let place = *places.entry(&test.path).or_insert_with(|| {
                test_files.push(TestFile {
                    path: test.path.clone(),
                    total: 0,
                });
                test_files.len() - 1
            });
            test_files[place].total += 1;
        }
        tests.truncate(MOST_LISTED);
        Self {
            tests,
            total_tests: total_tests as u64,
            test_files,
        }
    }
}

/// What comes of the changes, gathered.
#[derive(Default)]
struct Weighed {
    areas: BTreeMap<String, ImpactArea>,
    /// Usages in the lists of areas.
    listed_usages: usize,
    total_usages: u64,
    files: BTreeSet<String>,
    dependents: Vec<ImpactDependent>,
    tests: Vec<ImpactTest>,
    /// Paths and lines of these.
    known_tests: HashSet<(String, u32)>,
    overrides: Vec<Implementation>,
    /// Paths and lines of these.
    known_overrides: HashSet<(String, u32)>,
    /// Places of which nothing is known but that they have the name.
    name_only: u64,
    /// Changed symbols that were looked at.
    followed: u64,
    /// More depend on them than were counted.
    is_least: bool,
    /// Not all that leads to tests was followed.
    is_cut: bool,
    /// Uses on the way to tests that were not followed because they are not certain.
    not_followed: u64,
}

impl Weighed {
    /// The folder with most usages first.
    fn areas(&mut self) -> (Vec<ImpactArea>, u64) {
        let mut areas: Vec<ImpactArea> = std::mem::take(&mut self.areas).into_values().collect();
        for area in &mut areas {
            area.usages.sort_by(|one, other| {
                (&one.path, one.line, one.column, &one.of).cmp(&(
                    &other.path,
                    other.line,
                    other.column,
                    &other.of,
                ))
            });
        }
        areas.sort_by(|one, other| (other.total, &one.area).cmp(&(one.total, &other.area)));
        (areas, self.total_usages)
    }

    fn add_usage(&mut self, area: &str, usage: impl FnOnce() -> ImpactUsage) {
        self.total_usages += 1;
        let empty = || ImpactArea {
            area: area.to_owned(),
            usages: vec![],
            total: 0,
        };
        let known = self.areas.entry(area.to_owned()).or_insert_with(empty);
        known.total += 1;
        if self.listed_usages < MOST_LISTED * 5 {
            self.listed_usages += 1;
            known.usages.push(usage());
        }
    }

    fn add_test(&mut self, test: ImpactTest) {
        if self.known_tests.insert((test.path.clone(), test.line)) {
            self.tests.push(test);
        }
    }
}

/// What is needed to tell what was from what is.
#[derive(Clone, Copy)]
struct Gone<'a> {
    now: &'a Graph<'a>,
    before: &'a Before,
}

impl Gone<'_> {
    /// Whether a file that has used what is gone still does: it is what it was, or has the name yet, without a meaning.
    fn still_uses(&self, was: &Graph<'_>, found: &Reference) -> Option<u32> {
        let path = &was.file(found.file).path;
        if !self.before.is_changed(path) {
            return Some(found.row.line);
        }
        let file = self.now.file_number(path)?;
        let before = was.uses(found.file);
        let uses = self.now.uses(file);
        let is_lost = |outcome: &Outcome| matches!(outcome, Outcome::Unknown | Outcome::Foreign);
        let mut left = uses
            .named(before.name(&found.row))
            .filter(|row| is_lost(&self.now.resolver().resolve(file, &uses, row)));
        left.next().map(|row| row.line)
    }
}

struct Weighing<'a> {
    graph: &'a Graph<'a>,
    context: &'a Context<'a>,
    began: Instant,
    changed: &'a [(At, ChangeKind)],
    several: bool,
    /// Of what is gone, the graph is that of what was.
    gone: Option<Gone<'a>>,
}

impl Weighing<'_> {
    fn weigh(&self, depth: u32, weighed: &mut Weighed) -> Result<(), ToolError> {
        let mut followed = vec![];
        for group in self.groups() {
            if followed.len() >= ALWAYS_FOLLOWED && self.began.elapsed() > LONGEST_FOLLOWED {
                break;
            }
            self.context.cancel.check()?;
            self.usages(&group, weighed)?;
            self.tests(&group, weighed)?;
            self.overrides(&group, weighed);
            followed.push(group);
        }
        weighed.followed += followed.len() as u64;
        self.dependents(depth, followed, weighed)
    }

    /// What is looked at together: what was asked about is one thing, and each change of a diff its own.
    fn groups(&self) -> Vec<Vec<At>> {
        let all = || self.changed.iter().map(|(at, _)| *at);
        match self.changed.first() {
            Some((_, ChangeKind::Asked)) => vec![all().collect()],
            _ => all().map(|at| vec![at]).collect(),
        }
    }

    /// Whether what a symbol says of itself still holds.
    fn is_current(&self, at: At) -> bool {
        self.gone
            .is_none_or(|gone| !gone.before.is_changed(&self.graph.file(at.file).path))
    }

    /// Where a changed symbol is used, by folder.
    fn usages(&self, of: &[At], weighed: &mut Weighed) -> Result<(), ToolError> {
        let at = of[0];
        let symbol = self.graph.symbol(at);
        let name = self.graph.file(at.file).qualified(symbol);
        for found in self
            .graph
            .references()
            .to_any(of, self.context.cancel)?
            .iter()
        {
            // Among facts a mere name says nothing, and of data it says as little; elsewhere it is all there is.
            let is_data = matches!(symbol.kind, SymbolKind::Key | SymbolKind::Section);
            if found.resolution == Resolution::NameOnly && (is_data || self.graph.has_uses(at.file))
            {
                weighed.name_only += 1;
                continue;
            }
            let line = self.gone.map_or(Some(found.row.line), |gone| {
                gone.still_uses(self.graph, found)
            });
            let Some(line) = line else { continue };
            let file = self.graph.file(found.file);
            let around = found.row.symbol.map(|symbol| At {
                file: found.file,
                symbol,
            });
            let area = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            weighed.files.insert(file.path.clone());
            weighed.add_usage(area, || ImpactUsage {
                path: file.path.clone(),
                line,
                column: found.row.column + 1,
                role: role(found.row.role),
                usage: usage(self.graph, found, &symbol.name).to_owned(),
                enclosing: around.map(|around| file.qualified(self.graph.symbol(around))),
                of: self.several.then(|| name.clone()),
                resolution: found.resolution,
                is_test: around.map_or_else(
                    || self.graph.tests().is_test_file(found.file),
                    |at| self.graph.tests().is_test(at),
                ),
            });
        }
        Ok(())
    }

    /// Methods that override the changed one, and types that implement or extend it.
    fn overrides(&self, of: &[At], weighed: &mut Weighed) {
        let is_asked = |at: &At| {
            let kind = self.graph.symbol(*at).kind;
            kind.is_callable() || kind.is_type()
        };
        for one in of
            .iter()
            .filter(|at| is_asked(at))
            .flat_map(|at| implementations(self.graph, *at))
        {
            if weighed.known_overrides.insert((one.path.clone(), one.line)) {
                weighed.overrides.push(one);
            }
        }
    }

    /// What depends on the changed symbols, level by level.
    fn dependents(
        &self,
        depth: u32,
        followed: Vec<Vec<At>>,
        weighed: &mut Weighed,
    ) -> Result<(), ToolError> {
        let mut seen: HashSet<At> = self.changed.iter().map(|(at, _)| *at).collect();
        let known: HashSet<(String, u32)> = weighed
            .dependents
            .iter()
            .map(|one| (one.path.clone(), one.line))
            .collect();
        let mut layer: Vec<(Vec<At>, Resolution)> = followed
            .into_iter()
            .map(|at| (at, Resolution::Resolved))
            .collect();
        for level in 1..=depth {
            let mut further = vec![];
            for (used, so_far) in layer {
                if level > 1 && self.began.elapsed() > LONGEST_FOLLOWED {
                    weighed.is_least = true;
                    return Ok(());
                }
                self.context.cancel.check()?;
                let via = self
                    .graph
                    .file(used[0].file)
                    .qualified(self.graph.symbol(used[0]));
                for (user, resolution) in self.graph.tests().users(&used, self.context.cancel)? {
                    let resolution = so_far.max(resolution);
                    if resolution == Resolution::NameOnly
                        || self.graph.tests().is_test(user)
                        || !seen.insert(user)
                    {
                        continue;
                    }
                    let shown = info(self.graph, user);
                    if self.is_current(user) && !known.contains(&(shown.path.clone(), shown.line)) {
                        weighed.dependents.push(ImpactDependent {
                            depth: level,
                            via: via.clone(),
                            resolution,
                            reason: if level == 1 {
                                "uses it"
                            } else {
                                "uses what uses it"
                            }
                            .to_owned(),
                            ..ImpactDependent::from_symbol(shown)
                        });
                    }
                    further.push((vec![user], resolution));
                    if weighed.dependents.len() >= MOST_DEPENDENTS {
                        weighed.is_least = true;
                        return Ok(());
                    }
                }
            }
            layer = further;
        }
        Ok(())
    }

    /// The tests that reach a changed symbol.
    fn tests(&self, of: &[At], weighed: &mut Weighed) -> Result<(), ToolError> {
        let at = of[0];
        let is_test = self.gone.is_none()
            && self.graph.tests().is_test(at)
            && self.graph.symbol(at).kind.is_callable();
        if is_test {
            let resolution = Resolution::Resolved;
            weighed.add_test(ImpactTest {
                distance: Some(0),
                resolution,
                ..ImpactTest::from_symbol(info(self.graph, at))
            });
        }
        let patience = LONGEST_FOLLOWED.saturating_sub(self.began.elapsed());
        let found =
            self.graph
                .tests()
                .reaching(of, FARTHEST_TEST, patience, self.context.cancel)?;
        weighed.is_cut |= found.is_cut;
        weighed.not_followed += found.not_followed as u64;
        for test in found.tests {
            let path = &self.graph.file(test.file).path;
            if self.gone.is_some_and(|gone| gone.before.is_changed(path)) {
                continue;
            }
            weighed.add_test(ImpactTest {
                distance: test.steps,
                via: test
                    .via
                    .map(|via| self.graph.file(via.file).qualified(self.graph.symbol(via))),
                resolution: test.resolution,
                ..ImpactTest::from_symbol(test_info(self.graph, &test))
            });
        }
        Ok(())
    }
}

/// How many changes there are of a kind that breaks callers.
struct Counts {
    removed: usize,
    signatures: usize,
}

/// How much may go wrong, and what speaks for that.
fn risk(
    graph: &Graph<'_>,
    changed: &[(At, ChangeKind)],
    counts: &Counts,
    weighed: &Weighed,
) -> (Risk, Vec<String>) {
    let usages = weighed.total_usages;
    let mut reasons = vec![];
    let mut points = 0_u32;
    let paths = weighed
        .files
        .iter()
        .chain(weighed.dependents.iter().map(|one| &one.path));
    let folders: HashSet<&str> = paths
        .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder))
        .collect();
    let public = changed
        .iter()
        .filter(|(at, _)| graph.symbol(*at).visibility == Some(Visibility::Public))
        .count();
    if usages > 20 {
        points += 2;
        reasons.push(format!("{usages} places use it"));
    } else if usages > 5 {
        points += 1;
        reasons.push(format!("{usages} places use it"));
    }
    if counts.removed > 0 && usages > 0 {
        points += 1;
        reasons.push("what is gone may still be used".to_owned());
    }
    if counts.signatures > 0 {
        points += u32::from(usages > 0);
        let plural = if counts.signatures == 1 {
            "signature"
        } else {
            "signatures"
        };
        reasons.push(format!("{} {plural} changed", counts.signatures));
    }
    if folders.len() > 3 {
        points += 1;
        reasons.push(format!("they lie in {} folders", folders.len()));
    }
    if public > 0 && usages > 0 {
        points += 1;
        reasons.push("it is public: others may use it too".to_owned());
    }
    if !weighed.overrides.is_empty() {
        points += 1;
        reasons.push(format!(
            "{} implement or override it",
            weighed.overrides.len()
        ));
    }
    let tests = weighed
        .tests
        .iter()
        .filter(|test| test.distance.is_some())
        .count();
    if tests == 0 {
        points += 1;
        reasons.push("no test is known to reach it".to_owned());
    } else {
        let (tests, verb) = if tests == 1 {
            ("1 test".to_owned(), "reaches")
        } else {
            (format!("{tests} tests"), "reach")
        };
        reasons.push(format!("{tests} {verb} it"));
    }
    let risk = match points {
        0..=1 => Risk::Low,
        2..=3 => Risk::Medium,
        _ => Risk::High,
    };
    (risk, reasons)
}
