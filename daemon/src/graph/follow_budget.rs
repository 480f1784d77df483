//! A limit on the work of following users transitively.

use std::cell::Cell;

use super::{Graph, SymbolId};

/// The number of files that may still be searched for users.
///
/// Files are counted instead of time, so that the same question has the same answer on a busy machine.
pub struct FollowBudget {
    files: Cell<usize>,
}

impl FollowBudget {
    pub fn new(files: usize) -> Self {
        Self {
            files: Cell::new(files),
        }
    }

    /// Takes the cost of finding a symbol's users; returns false, and takes nothing, if it exceeds the limit.
    ///
    /// A symbol never takes more than a quarter of what is left: a name that half of the files contain would leave nothing for
    /// other symbols, and its users are the least informative.
    pub fn take_users(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        let cost = graph.files_with(&graph.symbol(at).name).len();
        self.take(cost, self.files.get() / 4)
    }

    /// Takes the cost of finding a symbol's callees: its own file.
    pub fn take_callees(&self) -> bool {
        self.take(1, self.files.get())
    }

    fn take(&self, cost: usize, most: usize) -> bool {
        let is_enough = cost <= most;
        if is_enough {
            self.files.set(self.files.get() - cost);
        }
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn a_symbol_takes_at_most_a_quarter_of_the_rest() {
        let text = "def rare(): pass\n\ndef common(): rare()\n";
        let other = "from lib import common\n\ncommon()\n";
        let files = Files::new(
            "python",
            &[("a.py", other), ("b.py", other), ("lib.py", text)],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let [rare, common] = [0, 1].map(|symbol| SymbolId { file: 2, symbol });
        let budget = FollowBudget::new(8);
        assert!(!budget.take_users(&graph, common), "3 files of 8");
        assert!(budget.take_users(&graph, rare));
        assert!(FollowBudget::new(12).take_users(&graph, common));
        assert!((0..7).all(|_| budget.take_callees()));
        assert!(!budget.take_callees());
    }
}
