//! A limit on the work of following users transitively.

use std::cell::{Cell, RefCell};

use claudevil_protocol::text::Line;

use super::{Graph, SymbolId};

/// The most symbols that were not followed and are named.
const MAX_NAMED: usize = 5;

/// The number of files that may still be searched for users.
///
/// Files are counted instead of time, so that the same question has the same answer on a busy machine.
pub struct FollowBudget {
    files: Cell<usize>,
    /// The names of the first symbols that were not followed, and the number of those with other names.
    refused: RefCell<(Vec<String>, u64)>,
}

impl FollowBudget {
    pub fn new(files: usize) -> Self {
        Self {
            files: Cell::new(files),
            refused: RefCell::default(),
        }
    }

    /// Returns a note that names the first symbols that were not followed; none if all were.
    pub fn note(&self) -> Option<Line> {
        let (names, others) = &*self.refused.borrow();
        if names.is_empty() {
            return None;
        }
        let names = names.iter().map(|name| Line::new().name(name));
        let note = Line::from("too many files to follow ").line(Line::join(names, ", "));
        Some(match *others {
            0 => note,
            others => note.text(", … ").count(others, "more symbol"),
        })
    }

    /// Takes the cost of finding a symbol's users; returns false, and takes nothing, if it exceeds the limit.
    ///
    /// A symbol never takes more than a quarter of what is left: a name that half of the files contain would leave nothing for
    /// other symbols, and its users are the least informative.
    pub fn take_users(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        let cost = graph.files_with(&graph.symbol(at).name).len();
        self.take(graph, at, cost, self.files.get() / 4)
    }

    /// Takes the cost of finding a symbol's callees: its own file.
    pub fn take_callees(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        self.take(graph, at, 1, self.files.get())
    }

    fn take(&self, graph: &Graph<'_>, at: SymbolId, cost: usize, most: usize) -> bool {
        let is_enough = cost <= most;
        if is_enough {
            self.files.set(self.files.get() - cost);
        } else {
            let (names, others) = &mut *self.refused.borrow_mut();
            let name = graph.file(at.file).qualified(graph.symbol(at));
            if !names.contains(&name) {
                if names.len() < MAX_NAMED {
                    names.push(name);
                } else {
                    *others += 1;
                }
            }
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
        let note = |budget: &FollowBudget| budget.note().map(|line| line.to_string());
        assert_eq!(
            note(&budget).as_deref(),
            Some("too many files to follow common")
        );
        assert!((0..7).all(|_| budget.take_callees(&graph, rare)));
        assert!(!budget.take_callees(&graph, rare));
        budget.take_callees(&graph, common);
        assert_eq!(
            note(&budget).as_deref(),
            Some("too many files to follow common, rare")
        );
        assert_eq!(note(&FollowBudget::new(0)), None);
    }
}
