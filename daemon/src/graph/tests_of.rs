//! Which tests reach a symbol: by the uses that lead to it, and by how tests are named.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;

use super::{At, Graph, Resolution};
use crate::extract::facts::Role;
use crate::index::path_words::Custom;
use crate::source::cancel::Cancel;

/// A test, how many steps lead from it to the symbol, and how sure the surest way is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub file: u32,
    /// None for what stands at the top of a file of tests.
    pub at: Option<At>,
    /// Where it uses what it tests, or begins.
    pub line: u32,
    /// None where only its name speaks for it.
    pub steps: Option<u32>,
    /// What it uses, one step nearer to the symbol.
    pub via: Option<At>,
    pub resolution: Resolution,
}

/// What was found of those that reach a symbol.
#[derive(Debug, Default)]
pub struct Tests {
    pub found: Vec<Test>,
    /// Not all that uses it was followed.
    pub is_cut: bool,
}

const MOST_SEEN: usize = 400;

impl Graph<'_> {
    pub fn is_test_file(&self, file: u32) -> bool {
        self.file(file).path_words().customs.contains(Custom::Test)
    }

    /// The macro that makes a test of a symbol's body. Nothing can use such a test by its name.
    pub(super) fn test_macro(&self, at: At) -> Option<&'static str> {
        let signature = &*self.symbol(at).signature;
        let is_it = |name: &&str| signature.strip_prefix(*name).is_some_and(|rest| rest.trim_start().starts_with('('));
        self.rules(at.file)?.tests.iter().copied().find(is_it)
    }

    /// Whether a symbol is a test or stands among tests.
    pub fn is_test(&self, at: At) -> bool {
        self.is_test_file(at.file)
            || self.test_macro(at).is_some()
            || self.around(at.file, Some(at.symbol)).any(|around| {
                let name = &*self.symbol(around).name;
                matches!(name, "tests" | "test" | "Tests") && around != at || name.starts_with("test_")
            })
    }

    /// The tests that reach a symbol, the nearest first: in one step all of them, in at most so many steps those that are found
    /// in this time.
    pub fn tests_of(
        &self,
        targets: &[At],
        farthest: u32,
        patience: Duration,
        cancel: &Cancel,
    ) -> Result<Tests, ToolError> {
        let Some(target) = targets.first().copied() else { return Ok(Tests::default()) };
        let began = Instant::now();
        let mut found: Vec<Test> = vec![];
        let mut seen: HashSet<At> = targets.iter().copied().collect();
        let mut layer = vec![(targets.to_vec(), Resolution::Resolved)];
        for steps in 1..=farthest {
            let mut next = vec![];
            for (used, so_far) in layer {
                if seen.len() > MOST_SEEN || steps > 1 && began.elapsed() > patience {
                    found.extend(self.named_after(target, &found));
                    return Ok(Tests { found, is_cut: true });
                }
                let at = used[0];
                for (file, line, resolution) in self.used_at_top(&used, cancel)? {
                    let resolution = so_far.max(resolution);
                    if self.is_test_file(file) && !found.iter().any(|test| test.file == file && test.line == line) {
                        found.push(Test { file, at: None, line, steps: Some(steps), via: Some(at), resolution });
                    }
                }
                for (user, resolution) in self.users(&used, cancel)? {
                    let resolution = so_far.max(resolution);
                    let is_test = self.is_test(user);
                    // By name alone it is worth telling, and not worth following.
                    if resolution == Resolution::NameOnly && !(is_test && steps == 1) || !seen.insert(user) {
                        continue;
                    }
                    if is_test && self.symbol(user).kind.is_callable() {
                        let line = self.symbol(user).name_line;
                        found.push(Test {
                            file: user.file,
                            at: Some(user),
                            line,
                            steps: Some(steps),
                            via: Some(at),
                            resolution,
                        });
                    }
                    if resolution != Resolution::NameOnly {
                        next.push((vec![user], resolution));
                    }
                }
            }
            layer = next;
        }
        found.extend(self.named_after(target, &found));
        Ok(Tests { found, is_cut: false })
    }

    /// The lines outside of every symbol on which a symbol is used.
    fn used_at_top(&self, targets: &[At], cancel: &Cancel) -> Result<Vec<(u32, u32, Resolution)>, ToolError> {
        let all = self.references_of(targets, cancel)?;
        let at_top = |found: &&super::references::Reference| {
            found.row.symbol.is_none() && !matches!(found.row.role, Role::Import | Role::Mention)
        };
        let sure = all.iter().filter(at_top).filter(|found| found.resolution != Resolution::NameOnly);
        Ok(sure.map(|found| (found.file, found.row.line, found.resolution)).collect())
    }

    /// The symbols in which a symbol, or one of several that are asked about as one, is used, with the surest of their uses: functions, or else whatever stands around.
    pub fn users(&self, targets: &[At], cancel: &Cancel) -> Result<Vec<(At, Resolution)>, ToolError> {
        let mut users: Vec<(At, Resolution)> = vec![];
        let mut places: HashMap<At, usize> = HashMap::new();
        for reference in self.references_of(targets, cancel)?.iter() {
            if matches!(reference.row.role, Role::Import | Role::Mention) {
                continue;
            }
            let around = reference.row.symbol.map(|symbol| At { file: reference.file, symbol });
            let Some(user) = self.runs_around(reference.file, reference.row.symbol).or(around) else { continue };
            if let Some(place) = places.get(&user) {
                let (_, resolution) = &mut users[*place];
                *resolution = (*resolution).min(reference.resolution);
            } else {
                places.insert(user, users.len());
                users.push((user, reference.resolution));
            }
        }
        Ok(users)
    }

    /// Tests whose own name has the symbol's.
    fn named_after(&self, target: At, known: &[Test]) -> Vec<Test> {
        let name = self.symbol(target).name.to_lowercase().replace('_', "");
        if name.len() < 4 {
            return vec![];
        }
        let mut found = vec![];
        for file in 0..u32::try_from(self.snapshot.files.len()).unwrap_or(u32::MAX) {
            if !self.is_test_file(file) || !self.are_kin(file, target.file) {
                continue;
            }
            for (symbol, one) in (0..).zip(&self.file(file).outline.symbols) {
                let at = At { file, symbol };
                let fits = one.kind.is_callable() && one.name.to_lowercase().replace('_', "").contains(&name);
                if fits && at != target && !known.iter().any(|test| test.at == Some(at)) {
                    let (at, line) = (Some(at), one.name_line);
                    found.push(Test { file, at, line, steps: None, via: None, resolution: Resolution::NameOnly });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn near_tests_are_always_found_and_far_ones_while_there_is_time() {
        let files = Files::new(
            "python",
            &[
                ("lib.py", "def base(): pass\n\ndef middle(): base()\n"),
                (
                    "test_lib.py",
                    "from lib import base, middle\n\ndef test_near(): base()\n\ndef test_far(): middle()\n",
                ),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let base = At { file: 0, symbol: 0 };
        let within = |patience| {
            let tests = graph.tests_of(&[base], 4, patience, &Cancel::default()).expect("not cancelled");
            let names = tests.found.iter().filter_map(|test| test.at).map(|at| graph.symbol(at).name.to_string());
            (names.collect::<Vec<_>>(), tests.is_cut)
        };
        assert_eq!(within(Duration::MAX), (vec!["test_near".to_owned(), "test_far".to_owned()], false));
        assert_eq!(within(Duration::ZERO), (vec!["test_near".to_owned()], true));
    }
}
