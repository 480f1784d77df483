//! The effects of changed symbols: usages, overrides, dependents and tests.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::find_implementations::Implementation;
use claudevil_protocol::tools::impact_analysis::{
    ChangeKind, ImpactArea, ImpactDependent, ImpactTest, ImpactUsage,
};

use super::MAX_LISTED;
use super::old_revision::OldRevision;
use crate::extract::facts::Role;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::references::Reference;
use crate::graph::{Graph, Outcome, SymbolId, Use};
use crate::query::Context;
use crate::query::shared::implementations::implementations;
use crate::query::shared::symbol_info::{describe_symbol, describe_test};
use crate::query::shared::usage::{describe_usage, use_role};

/// The most steps between a changed symbol and a test.
const FARTHEST_TEST: u32 = 6;
/// The symbols of a diff that are always traced; further ones are traced until `LONGEST_FOLLOWED` has passed.
const ALWAYS_FOLLOWED: usize = 60;
const LONGEST_FOLLOWED: Duration = Duration::from_secs(2);
/// The most files that are read to follow indirect dependents, and likewise to follow tests.
pub const MAX_FILES: usize = 2_000;
const MAX_DEPENDENTS: usize = 1_000;

/// The collected effects of the changes.
#[derive(Default)]
pub struct Effects {
    areas: BTreeMap<String, ImpactArea>,
    /// The number of usages in the lists of areas.
    listed_usages: usize,
    pub total_usages: u64,
    pub files: BTreeSet<String>,
    pub dependents: Vec<ImpactDependent>,
    pub tests: Vec<ImpactTest>,
    /// The paths and lines of `tests`.
    known_tests: HashSet<(String, u32)>,
    pub overrides: Vec<Implementation>,
    /// The paths and lines of `overrides`.
    known_overrides: HashSet<(String, u32)>,
    /// Occurrences of the name that are not resolved.
    pub name_only: u64,
    /// Changed symbols that were traced.
    pub followed: u64,
    /// True if there are more dependents than were counted.
    pub is_least: bool,
    /// Notes about what was not followed.
    pub limits: Vec<Line>,
    /// Uses on the way to tests that were not followed because they are uncertain.
    pub not_followed: u64,
}

impl Effects {
    /// Takes the areas, the folder with most usages first.
    pub fn take_areas(&mut self) -> Vec<ImpactArea> {
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
        areas
    }

    fn add_usage(&mut self, area: &str, usage: impl FnOnce() -> ImpactUsage) {
        self.total_usages += 1;
        let empty = || ImpactArea {
            area: area.to_owned(),
            usages: vec![],
            total: 0,
        };
        let area = self.areas.entry(area.to_owned()).or_insert_with(empty);
        area.total += 1;
        if self.listed_usages < MAX_LISTED * 5 {
            self.listed_usages += 1;
            area.usages.push(usage());
        }
    }

    fn add_test(&mut self, test: ImpactTest) {
        if self.known_tests.insert((test.path.clone(), test.line)) {
            self.tests.push(test);
        }
    }
}

/// The revisions before and after a removal.
#[derive(Clone, Copy)]
pub struct Removal<'a> {
    pub new_graph: &'a Graph<'a>,
    pub old_revision: &'a OldRevision,
}

impl Removal<'_> {
    /// Returns the line and column of a use of the removed symbol if the use still exists: its file is unchanged, or still
    /// contains the name, which no longer resolves to anything. `unresolved` has the uses in changed files that have not been
    /// matched with an old use yet.
    fn remaining_use(
        &self,
        old_graph: &Graph<'_>,
        reference: &Reference,
        unresolved: &mut UnresolvedUses,
    ) -> Option<(u32, u32)> {
        let row = &reference.row;
        let path = &old_graph.file(reference.file).path;
        if !self.old_revision.is_changed(path) {
            return Some((row.line, row.column));
        }
        let file = self.new_graph.file_number(path)?;
        let old_uses = old_graph.uses(reference.file);
        let name = old_uses.name(row);
        let rows = unresolved
            .entry((file, name.to_owned()))
            .or_insert_with(|| {
                let uses = self.new_graph.uses(file);
                let is_lost =
                    |outcome: &Outcome| matches!(outcome, Outcome::Unknown | Outcome::Foreign);
                uses.named(name)
                    .filter(|row| is_lost(&self.new_graph.resolver().resolve(file, &uses, row)))
                    .copied()
                    .collect()
            });
        take_use(rows, row.role).map(|row| (row.line, row.column))
    }
}

/// The uses of a name in a file that resolve to nothing.
type UnresolvedUses = HashMap<(u32, String), Vec<Use>>;

/// Takes the first use, or the first one of a role if there is any.
fn take_use(uses: &mut Vec<Use>, role: Role) -> Option<Use> {
    let place = uses.iter().position(|one| one.role == role).unwrap_or(0);
    (place < uses.len()).then(|| uses.remove(place))
}

/// Traces the effects of changed symbols through a graph.
pub struct EffectTracer<'a> {
    /// The graph that has the symbols: for removed ones, the old graph.
    pub graph: &'a Graph<'a>,
    pub context: &'a Context<'a>,
    pub began: Instant,
    pub changed: &'a [(SymbolId, ChangeKind)],
    /// True if several symbols changed; each usage is then listed with the symbol that it uses.
    pub has_several_subjects: bool,
    pub removal: Option<Removal<'a>>,
    /// The budget that the tests of all changed symbols share.
    pub test_budget: &'a FollowBudget,
}

impl EffectTracer<'_> {
    pub fn trace(&self, depth: u32, effects: &mut Effects) -> Result<(), ToolError> {
        let mut followed = vec![];
        let mut unresolved = UnresolvedUses::new();
        for group in self.groups() {
            if followed.len() >= ALWAYS_FOLLOWED && self.began.elapsed() > LONGEST_FOLLOWED {
                break;
            }
            self.context.cancel.check()?;
            self.add_usages(&group, &mut unresolved, effects)?;
            self.add_tests(&group, effects)?;
            self.add_overrides(&group, effects);
            followed.push(group);
        }
        effects.followed += followed.len() as u64;
        self.add_dependents(depth, followed, effects)
    }

    /// Returns the symbols that are traced together: all that were asked about, or each change of a diff alone.
    fn groups(&self) -> Vec<Vec<SymbolId>> {
        let all = || self.changed.iter().map(|(at, _)| *at);
        match self.changed.first() {
            Some((_, ChangeKind::Asked)) => vec![all().collect()],
            _ => all().map(|at| vec![at]).collect(),
        }
    }

    /// Returns whether line numbers of a file are valid in the new revision.
    fn is_current(&self, file: u32) -> bool {
        let path = &self.graph.file(file).path;
        self.removal
            .is_none_or(|removal| !removal.old_revision.is_changed(path))
    }

    fn add_usages(
        &self,
        symbols: &[SymbolId],
        unresolved: &mut UnresolvedUses,
        effects: &mut Effects,
    ) -> Result<(), ToolError> {
        let at = symbols[0];
        let symbol = self.graph.symbol(at);
        let name = self.graph.file(at.file).qualified(symbol);
        for found in self
            .graph
            .references()
            .to_any(symbols, self.context.cancel)?
            .iter()
        {
            // A use by name only counts only if the language has no facts about uses, and never for keys of data.
            let is_data = matches!(symbol.kind, SymbolKind::Key | SymbolKind::Section);
            if found.resolution == Resolution::NameOnly && (is_data || self.graph.has_uses(at.file))
            {
                effects.name_only += 1;
                continue;
            }
            let position = match self.removal {
                None => Some((found.row.line, found.row.column)),
                Some(removal) => removal.remaining_use(self.graph, found, unresolved),
            };
            let Some((line, column)) = position else {
                continue;
            };
            let file = self.graph.file(found.file);
            let around = found.row.symbol.map(|symbol| SymbolId {
                file: found.file,
                symbol,
            });
            let area = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            effects.files.insert(file.path.clone());
            effects.add_usage(area, || ImpactUsage {
                path: file.path.clone(),
                line,
                column: column + 1,
                role: use_role(found.row.role),
                usage: describe_usage(self.graph, found, &symbol.name).to_owned(),
                enclosing: around.map(|around| file.qualified(self.graph.symbol(around))),
                of: self.has_several_subjects.then(|| name.clone()),
                resolution: found.resolution,
                is_test: around.map_or_else(
                    || self.graph.tests().is_test_file(found.file),
                    |at| self.graph.tests().is_test(at),
                ),
            });
        }
        Ok(())
    }

    /// Adds methods that override the changed one, and types that implement or extend it.
    fn add_overrides(&self, symbols: &[SymbolId], effects: &mut Effects) {
        let can_be_overridden = |at: &&SymbolId| {
            let kind = self.graph.symbol(**at).kind;
            kind.is_callable() || kind.is_type()
        };
        for one in symbols
            .iter()
            .filter(can_be_overridden)
            .flat_map(|at| implementations(self.graph, *at))
        {
            if effects.known_overrides.insert((one.path.clone(), one.line)) {
                effects.overrides.push(one);
            }
        }
    }

    /// Adds the symbols that depend on the changed ones, level by level.
    fn add_dependents(
        &self,
        depth: u32,
        followed: Vec<Vec<SymbolId>>,
        effects: &mut Effects,
    ) -> Result<(), ToolError> {
        let mut seen: HashSet<SymbolId> = self.changed.iter().map(|(at, _)| *at).collect();
        let known: HashSet<(String, u32)> = effects
            .dependents
            .iter()
            .map(|one| (one.path.clone(), one.line))
            .collect();
        let mut layer: Vec<(Vec<SymbolId>, Resolution)> = followed
            .into_iter()
            .map(|at| (at, Resolution::Resolved))
            .collect();
        let budget = FollowBudget::new(MAX_FILES);
        for level in 1..=depth {
            let mut further = vec![];
            for (used, so_far) in layer {
                if level > 1 && !budget.take_users(self.graph, used[0]) {
                    effects.is_least = true;
                    continue;
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
                    let shown = describe_symbol(self.graph, user);
                    if self.is_current(user.file)
                        && !known.contains(&(shown.path.clone(), shown.line))
                    {
                        effects.dependents.push(ImpactDependent {
                            depth: level,
                            via: via.clone(),
                            resolution,
                            reason: if level == 1 {
                                "uses it"
                            } else {
                                "uses it indirectly"
                            }
                            .to_owned(),
                            ..ImpactDependent::from_symbol(shown)
                        });
                    }
                    further.push((vec![user], resolution));
                    if effects.dependents.len() >= MAX_DEPENDENTS {
                        effects.is_least = true;
                        return Ok(());
                    }
                }
            }
            layer = further;
        }
        let note = |note| Line::from("dependents may be missing: ").line(note);
        effects.limits.extend(budget.note().map(note));
        Ok(())
    }

    /// Adds the tests that reach a changed symbol.
    fn add_tests(&self, symbols: &[SymbolId], effects: &mut Effects) -> Result<(), ToolError> {
        let at = symbols[0];
        let is_test = self.removal.is_none()
            && self.graph.tests().is_test(at)
            && self.graph.symbol(at).kind.is_callable();
        if is_test {
            let resolution = Resolution::Resolved;
            effects.add_test(ImpactTest {
                distance: Some(0),
                resolution,
                ..ImpactTest::from_symbol(describe_symbol(self.graph, at))
            });
        }
        let tests = self.graph.tests();
        let cancel = self.context.cancel;
        let mut found = tests.reaching(symbols, FARTHEST_TEST, self.test_budget, cancel)?;
        if found.tests.is_empty() {
            found.tests = tests.named_after(at, cancel)?;
        }
        effects.not_followed += found.not_followed as u64;
        for test in found.tests {
            if !self.is_current(test.file) {
                continue;
            }
            effects.add_test(ImpactTest {
                distance: test.steps,
                via: test
                    .via
                    .map(|via| self.graph.file(via.file).qualified(self.graph.symbol(via))),
                resolution: test.resolution,
                ..ImpactTest::from_symbol(describe_test(self.graph, &test))
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_remaining_use_stands_for_one_old_use() {
        let use_at = |line, role| Use {
            name: 0,
            line,
            column: 4,
            role,
            qualifier: None,
            symbol: None,
        };
        let mut uses = vec![use_at(1, Role::Import), use_at(9, Role::Call)];
        let mut take = |role| take_use(&mut uses, role).map(|one| one.line);
        assert_eq!(take(Role::Call), Some(9), "of the same role first");
        assert_eq!(take(Role::Call), Some(1));
        assert_eq!([take(Role::Call), take(Role::Import)], [None, None]);
    }
}
