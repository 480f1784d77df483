//! The report of right, wrong and missing answers, by language and by tool.

use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub right: usize,
    pub wrong: usize,
    pub missing: usize,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
    }

    /// Returns the share of the given answers that are right; 1 without answers.
    pub fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    pub fn recall(self) -> f64 {
        share(self.right, self.right + self.missing)
    }

    pub fn f1(self) -> f64 {
        share(2 * self.right, 2 * self.right + self.wrong + self.missing)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Answers of a tool that states its certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// All answers.
    pub all: Tally,
    /// Only answers that it states as resolved. All other expected ones are missing.
    pub resolved: Tally,
    /// Only answers that it is not sure of. Missing are those that it does not give at all.
    pub ambiguous: Tally,
}

impl Edges {
    pub fn add(&mut self, other: Self) {
        self.all.add(other.all);
        self.resolved.add(other.resolved);
        self.ambiguous.add(other.ambiguous);
    }

    /// Counts an answer that is given, rightly or not.
    pub fn record_answer(&mut self, is_resolved: bool, is_right: bool) {
        let tally = Tally {
            right: usize::from(is_right),
            wrong: usize::from(!is_right),
            missing: 0,
        };
        self.all.add(tally);
        if is_resolved {
            self.resolved.add(tally);
        } else {
            self.ambiguous.add(tally);
            self.resolved.missing += usize::from(is_right);
        }
    }

    /// Counts expected answers that are not given.
    pub fn record_missing(&mut self, count: usize) {
        self.all.missing += count;
        self.resolved.missing += count;
        self.ambiguous.missing += count;
    }
}

/// The figures of one language.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub language: String,
    pub definitions: Tally,
    /// Those of at least medium confidence.
    pub references: Edges,
    pub callers: Edges,
    pub callees: Edges,
    pub implementations: Edges,
    /// Every mistake, in words.
    pub mistakes: Vec<String>,
}

impl Figures {
    /// Returns the tools that state their certainty.
    pub fn edges(&self) -> [(&'static str, Edges); 4] {
        [
            ("references", self.references),
            ("callers", self.callers),
            ("callees", self.callees),
            ("implementations", self.implementations),
        ]
    }
}

/// Returns the tables that are committed: one for each tool.
pub fn tables(all: &[Figures]) -> String {
    let mut text =
        String::from("## definitions\n\n| language | said | P | R | F1 |\n|---|---|---|---|---|\n");
    for one in all {
        let _ = writeln!(text, "| {} | {} |", one.language, columns(one.definitions));
    }
    for (place, (tool, _)) in Figures::default().edges().into_iter().enumerate() {
        let _ = write!(
            text,
            "\n## {tool}\n\n\
             | language | said | P | R | F1 | resolved | P | R | F1 | ambiguous | P | R | F1 |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for one in all {
            let (_, edges) = one.edges()[place];
            let [all, resolved, ambiguous] =
                [edges.all, edges.resolved, edges.ambiguous].map(columns);
            let _ = writeln!(
                text,
                "| {} | {all} | {resolved} | {ambiguous} |",
                one.language
            );
        }
    }
    text
}

/// Formats the number of answers and the share that is right. A share of nothing is a dash.
fn columns(tally: Tally) -> String {
    let said = tally.right + tally.wrong;
    let due = tally.right + tally.missing;
    let figure = |of: usize, share: f64| {
        if of == 0 {
            "–".to_owned()
        } else {
            format!("{share:.3}")
        }
    };
    let (precision, recall) = (figure(said, tally.precision()), figure(due, tally.recall()));
    format!(
        "{said} | {precision} | {recall} | {}",
        figure(said + due, tally.f1())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_textbooks() {
        let tally = Tally {
            right: 8,
            wrong: 2,
            missing: 8,
        };
        assert!((tally.precision() - 0.8).abs() < 1e-9);
        assert!((tally.recall() - 0.5).abs() < 1e-9);
        assert!((tally.f1() - 8.0 / 13.0).abs() < 1e-9);
        assert!((Tally::default().f1() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn uncertain_edges_are_counted_separately() {
        let mut edges = Edges::default();
        edges.record_answer(true, true);
        edges.record_answer(true, false);
        edges.record_answer(false, true);
        edges.record_missing(2);
        assert_eq!(
            edges.all,
            Tally {
                right: 2,
                wrong: 1,
                missing: 2
            }
        );
        assert_eq!(
            edges.resolved,
            Tally {
                right: 1,
                wrong: 1,
                missing: 3
            }
        );
        assert_eq!(
            edges.ambiguous,
            Tally {
                right: 1,
                wrong: 0,
                missing: 2
            }
        );
        assert_eq!(columns(edges.ambiguous), "1 | 1.000 | 0.333 | 0.500");
        assert_eq!(columns(Tally::default()), "0 | – | – | –");
    }
}
