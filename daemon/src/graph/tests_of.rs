//! Which tests reach a symbol: by the calls that lead to it, and by how tests are named.

use claudevil_protocol::ToolError;

use super::{At, Graph, Resolution};
use crate::index::path_words::Custom;
use crate::source::cancel::Cancel;

/// A test, how many calls lead from it to the symbol, and how sure the surest way is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub at: At,
    /// None where only its name speaks for it.
    pub steps: Option<u32>,
    pub resolution: Resolution,
}

const FARTHEST: u32 = 6;
const MOST_SEEN: usize = 2_000;

impl Graph<'_> {
    pub fn is_test_file(&self, file: u32) -> bool {
        self.file(file).path_words().customs.contains(&Custom::Test)
    }

    /// Whether a symbol is a test or stands among tests.
    pub fn is_test(&self, at: At) -> bool {
        self.is_test_file(at.file)
            || self.around(at.file, Some(at.symbol)).any(|around| {
                let symbol = self.symbol(around);
                let name = &*symbol.name;
                matches!(name, "tests" | "test" | "Tests") && around != at || name.starts_with("test_")
            })
    }

    /// The tests that reach a symbol, the nearest first.
    pub fn tests_of(&self, target: At, cancel: &Cancel) -> Result<Vec<Test>, ToolError> {
        let mut found: Vec<Test> = vec![];
        let mut seen = vec![target];
        let mut layer = vec![(target, Resolution::Resolved)];
        for steps in 1..=FARTHEST {
            let mut next = vec![];
            for (at, so_far) in layer {
                for call in self.callers(at, cancel)? {
                    let Some(caller) = call.symbol else { continue };
                    if seen.contains(&caller) || call.resolution == Resolution::NameOnly {
                        continue;
                    }
                    seen.push(caller);
                    let resolution = so_far.max(call.resolution);
                    if self.is_test(caller) {
                        found.push(Test { at: caller, steps: Some(steps), resolution });
                    }
                    next.push((caller, resolution));
                }
                if seen.len() > MOST_SEEN {
                    return Ok(found);
                }
            }
            layer = next;
        }
        found.extend(self.named_after(target, &found));
        Ok(found)
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
                if fits && at != target && !known.iter().any(|test| test.at == at) {
                    found.push(Test { at, steps: None, resolution: Resolution::NameOnly });
                }
            }
        }
        found
    }
}
