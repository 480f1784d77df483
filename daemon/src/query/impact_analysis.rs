//! `impact_analysis`: what a change of a symbol, or of all that a diff touches, may break.

mod before;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactArea, ImpactDependent, ImpactTest, ImpactUsage, Risk,
};
use claudevil_protocol::model::symbol::{SymbolKind, Visibility};

use self::before::{Before, BeforeSource};
use super::Context;
use super::calls::overloads;
use super::find_references::{role, usage};
use super::linked::{Linked, TESTS_CUT, info, test_info};
use crate::graph::references::Reference;
use crate::graph::{At, Graph, Outcome};
use crate::lang::Shares;
use crate::source::git::{Bounds, FileDiff, Kind, Repository};
use crate::source::walk::notes::is_note;

/// How many steps away a test may be.
const FARTHEST_TEST: u32 = 6;
/// So many symbols of a diff are followed however long it takes, and more of them as long as it takes less than this. What uses
/// the users of a symbol is followed no longer either.
const ALWAYS_FOLLOWED: usize = 60;
const LONGEST_FOLLOWED: Duration = Duration::from_secs(2);
const MOST_DEPENDENTS: usize = 1_000;

pub fn impact_analysis(context: &Context, params: &ImpactAnalysis) -> Result<Impact, ToolError> {
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let (changes, before) = if let Some(spec) = &params.diff {
        changes(&linked, &graph, spec, context)?
    } else {
        let asked = linked.find_all(&graph, params.asked())?;
        let symbols = asked.into_iter().map(|at| (at, ChangeKind::Asked)).collect();
        (Changes { symbols, ..Changes::default() }, None)
    };
    // What is gone is asked about in what was.
    let source = before.as_ref().map(|before| BeforeSource { before, now: &linked });
    let was = before.as_ref().zip(source.as_ref()).map(|(before, source)| Graph::new(&before.snapshot, source));
    let removed = before.as_ref().zip(was.as_ref()).map_or_else(Vec::new, |(before, was)| before.removed(was, &graph));
    let removed: Vec<(At, ChangeKind)> = removed.into_iter().map(|at| (at, ChangeKind::Removed)).collect();
    let several = params.diff.is_some() && changes.symbols.len() + removed.len() > 1;
    let began = Instant::now();
    let mut weighed = Weighed::default();
    let now = Weighing { graph: &graph, context, began, changed: &changes.symbols, several, gone: None };
    now.weigh(params.depth(), &mut weighed)?;
    if let (Some(was), Some(before)) = (&was, &before) {
        let gone = Gone { now: &graph, before };
        Weighing { graph: was, context, began, changed: &removed, several, gone: Some(gone) }
            .weigh(params.depth(), &mut weighed)?;
    }
    let shown = |graph: &Graph<'_>, all: &[(At, ChangeKind)]| -> Vec<ChangedSymbol> {
        let one =
            |(at, change): &(At, ChangeKind)| ChangedSymbol { change: *change, ..ChangedSymbol::of(info(graph, *at)) };
        all.iter().map(one).collect()
    };
    let mut all = shown(&graph, &changes.symbols);
    let is_of_overloads = params.diff.is_none() && all.len() > 1;
    if params.diff.is_none() {
        all.truncate(1);
    }
    all.extend(was.as_ref().map_or_else(Vec::new, |was| shown(was, &removed)));
    // A file that is gone with all that was in it differs by that.
    let mut other_files = changes.other_files;
    other_files.retain(|path| !all.iter().any(|symbol| symbol.path == *path));
    let (areas, total_usages) = weighed.areas();
    let Weighed { files, dependents, mut tests, name_only, followed, is_least, is_cut, .. } = weighed;
    tests.sort_by_key(|test| (test.distance.unwrap_or(u32::MAX), test.resolution, test.path.clone(), test.line));
    let files: BTreeSet<String> = files.into_iter().chain(dependents.iter().map(|one| one.path.clone())).collect();
    let functions: HashSet<(&str, u32)> =
        dependents.iter().filter(|one| one.kind.is_callable()).map(|one| (one.path.as_str(), one.line)).collect();
    let total_functions = functions.len() as u64;
    let (risk, risk_reasons) = risk(&graph, &changes.symbols, removed.len(), total_usages, &files, &tests);
    let about: Vec<At> = changes.symbols.iter().map(|(at, _)| *at).collect();
    let indexed = &linked.indexed;
    let mut freshness = linked.freshness(&graph, &about);
    if is_cut {
        freshness.add_note(TESTS_CUT);
    }
    Ok(Impact {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness,
        diff: params.diff.clone(),
        depth: params.depth(),
        total_changed: all.len() as u64,
        changed: all,
        total_followed: followed,
        total_other_files: other_files.len() as u64,
        other_files,
        areas,
        total_usages,
        total_name_only: name_only,
        total_dependents: dependents.len() as u64,
        dependents,
        is_least,
        total_tests: tests.len() as u64,
        tests,
        total_files: files.len() as u64,
        files: files.into_iter().collect(),
        total_functions,
        risk,
        risk_reasons,
        truncated: false,
        overloads: if is_of_overloads { overloads(&about) } else { 0 },
    })
}

/// What changes.
#[derive(Default)]
struct Changes {
    symbols: Vec<(At, ChangeKind)>,
    /// Files that differ without a symbol in them doing so.
    other_files: Vec<String>,
}

/// The symbols whose lines a diff touches, the innermost ones, and what was before, where something is gone.
fn changes(
    linked: &Linked<'_>,
    graph: &Graph<'_>,
    spec: &str,
    context: &Context,
) -> Result<(Changes, Option<Before>), ToolError> {
    let repository = Repository::of(Path::new(&linked.indexed.root.path))?;
    let spec = (spec != ImpactAnalysis::WORKING).then_some(spec);
    // A note that git does not know is no change of the code.
    let known = linked.indexed.snapshot.files.iter().map(|file| file.path.as_str()).filter(|path| !is_note(path));
    let diff = repository.diff(spec, known, Bounds::default(), context.cancel)?;
    let mut changes = Changes::default();
    for changed in &diff.files {
        let touched = graph.number(&changed.path).map_or_else(Vec::new, |file| touched(graph, file, changed));
        if touched.is_empty() {
            changes.other_files.push(changed.path.clone());
        }
        changes.symbols.extend(touched);
    }
    let before = Before::of(linked, &context.indexes.shared().pool, &repository, &diff.files);
    Ok((changes, before))
}

/// The innermost symbols of a file that its hunks touch.
fn touched(graph: &Graph<'_>, file: u32, changed: &FileDiff) -> Vec<(At, ChangeKind)> {
    let symbols = &graph.file(file).outline.symbols;
    let mut found: Vec<(At, ChangeKind)> = vec![];
    for hunk in &changed.hunks {
        // Where lines are gone, what they stood in has changed.
        let (first, last) = (hunk.new.first.min(hunk.new.last.max(1)), hunk.new.last.max(hunk.new.first));
        for (symbol, one) in (0..).zip(symbols) {
            let touched = one.start_line <= last && first <= one.end_line;
            let inner = (0..).zip(symbols).any(|(inner, other): (u32, _)| {
                inner != symbol && other.parent == Some(symbol) && other.start_line <= first && last <= other.end_line
            });
            let at = At { file, symbol };
            if !touched || inner || is_opened_namespace(graph, at) || found.iter().any(|(known, _)| *known == at) {
                continue;
            }
            let is_new = first <= one.start_line && one.end_line <= last && hunk.old.is_empty();
            let is_new = is_new || changed.kind == Kind::Added;
            found.push((at, if is_new { ChangeKind::Added } else { ChangeKind::Modified }));
        }
    }
    found
}

/// The line in which a file says to what namespace it belongs: many files say so, and none of them defines it.
fn is_opened_namespace(graph: &Graph<'_>, at: At) -> bool {
    let has_body = graph.file(at.file).outline.symbols.iter().any(|one| one.parent == Some(at.symbol));
    let shares = graph.rules(at.file).is_some_and(|rules| rules.shares == Shares::Namespace);
    graph.symbol(at).kind == SymbolKind::Module && shares && !has_body
}

/// What comes of the changes, gathered.
#[derive(Default)]
struct Weighed {
    usages: BTreeMap<String, Vec<ImpactUsage>>,
    files: BTreeSet<String>,
    dependents: Vec<ImpactDependent>,
    tests: Vec<ImpactTest>,
    /// Places of which nothing is known but that they have the name.
    name_only: u64,
    /// Changed symbols that were looked at.
    followed: u64,
    /// More depend on them than were counted.
    is_least: bool,
    /// Not all that leads to tests was followed.
    is_cut: bool,
}

impl Weighed {
    /// Usages by folder, the folder with most first.
    fn areas(&mut self) -> (Vec<ImpactArea>, u64) {
        let areas = std::mem::take(&mut self.usages).into_iter();
        let mut areas: Vec<ImpactArea> =
            areas.map(|(area, usages)| ImpactArea { area, total: usages.len() as u64, usages }).collect();
        for area in &mut areas {
            area.usages.sort_by(|one, other| {
                (&one.path, one.line, one.column, &one.of).cmp(&(&other.path, other.line, other.column, &other.of))
            });
        }
        areas.sort_by(|one, other| (other.total, &one.area).cmp(&(one.total, &other.area)));
        let total = areas.iter().map(|area| area.total).sum();
        (areas, total)
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
        let file = self.now.number(path)?;
        let before = was.uses(found.file);
        let uses = self.now.uses(file);
        let is_lost = |outcome: &Outcome| matches!(outcome, Outcome::Unknown | Outcome::Foreign);
        let mut left = uses.of(before.name(&found.row)).filter(|row| is_lost(&self.now.resolve(file, &uses, row)));
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
            self.usages(&group, weighed)?;
            self.tests(&group, weighed)?;
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
        self.gone.is_none_or(|gone| !gone.before.is_changed(&self.graph.file(at.file).path))
    }

    /// Where a changed symbol is used, by folder.
    fn usages(&self, of: &[At], weighed: &mut Weighed) -> Result<(), ToolError> {
        let at = of[0];
        let symbol = self.graph.symbol(at);
        let name = self.graph.file(at.file).qualified(symbol);
        for found in self.graph.references_of(of, self.context.cancel)?.iter() {
            // Among facts a mere name says nothing, and of data it says as little; elsewhere it is all there is.
            let is_data = matches!(symbol.kind, SymbolKind::Key | SymbolKind::Section);
            if found.resolution == Resolution::NameOnly && (is_data || self.graph.has_uses(at.file)) {
                weighed.name_only += 1;
                continue;
            }
            let line = self.gone.map_or(Some(found.row.line), |gone| gone.still_uses(self.graph, found));
            let Some(line) = line else { continue };
            let file = self.graph.file(found.file);
            let around = found.row.symbol.map(|symbol| At { file: found.file, symbol });
            let area = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            weighed.files.insert(file.path.clone());
            weighed.usages.entry(area).or_default().push(ImpactUsage {
                path: file.path.clone(),
                line,
                column: found.row.column + 1,
                role: role(found.row.role),
                usage: usage(self.graph, found, &symbol.name).to_owned(),
                enclosing: around.map(|around| file.qualified(self.graph.symbol(around))),
                of: self.several.then(|| name.clone()),
                resolution: found.resolution,
                is_test: around.map_or_else(|| self.graph.is_test_file(found.file), |at| self.graph.is_test(at)),
            });
        }
        Ok(())
    }

    /// What depends on the changed symbols, level by level.
    fn dependents(&self, depth: u32, followed: Vec<Vec<At>>, weighed: &mut Weighed) -> Result<(), ToolError> {
        let mut seen: HashSet<At> = self.changed.iter().map(|(at, _)| *at).collect();
        let known: HashSet<(String, u32)> = weighed.dependents.iter().map(|one| (one.path.clone(), one.line)).collect();
        let mut layer: Vec<(Vec<At>, Resolution)> = followed.into_iter().map(|at| (at, Resolution::Resolved)).collect();
        for level in 1..=depth {
            let mut further = vec![];
            for (used, so_far) in layer {
                if level > 1 && self.began.elapsed() > LONGEST_FOLLOWED {
                    weighed.is_least = true;
                    return Ok(());
                }
                let via = self.graph.file(used[0].file).qualified(self.graph.symbol(used[0]));
                for (user, resolution) in self.graph.users(&used, self.context.cancel)? {
                    let resolution = so_far.max(resolution);
                    if resolution == Resolution::NameOnly || self.graph.is_test(user) || !seen.insert(user) {
                        continue;
                    }
                    let shown = info(self.graph, user);
                    if self.is_current(user) && !known.contains(&(shown.path.clone(), shown.line)) {
                        weighed.dependents.push(ImpactDependent {
                            depth: level,
                            via: via.clone(),
                            resolution,
                            reason: if level == 1 { "uses it" } else { "uses what uses it" }.to_owned(),
                            ..ImpactDependent::of(shown)
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
        let is_known = |weighed: &Weighed, path: &str, line: u32| {
            weighed.tests.iter().any(|test| test.path == path && test.line == line)
        };
        let symbol = self.graph.symbol(at);
        let is_test = self.gone.is_none() && self.graph.is_test(at) && symbol.kind.is_callable();
        if is_test && !is_known(weighed, &self.graph.file(at.file).path, symbol.name_line) {
            weighed.tests.push(ImpactTest {
                distance: Some(0),
                resolution: Resolution::Resolved,
                reason: "is changed itself".to_owned(),
                ..ImpactTest::of(info(self.graph, at))
            });
        }
        let patience = LONGEST_FOLLOWED.saturating_sub(self.began.elapsed());
        let tests = self.graph.tests_of(of, FARTHEST_TEST, patience, self.context.cancel)?;
        weighed.is_cut |= tests.is_cut;
        for test in tests.found {
            let path = &self.graph.file(test.file).path;
            let is_gone = self.gone.is_some_and(|gone| gone.before.is_changed(path));
            if is_gone || is_known(weighed, path, test.line) {
                continue;
            }
            let via = test.via.map(|via| self.graph.symbol(via).name.to_string()).unwrap_or_default();
            weighed.tests.push(ImpactTest {
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
        Ok(())
    }
}

/// How much may go wrong, and what speaks for that.
fn risk(
    graph: &Graph<'_>,
    changed: &[(At, ChangeKind)],
    removed: usize,
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
    if removed > 0 && usages > 0 {
        points += 1;
        reasons.push("what is gone may still be used".to_owned());
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
