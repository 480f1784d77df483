//! What was right, what was wrong and what was missing, by language and by tool.

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

    /// 1 where nothing was said.
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
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Of one language.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub language: String,
    pub definitions: Tally,
    /// Those of at least medium confidence.
    pub references: Tally,
    /// Only those that are said to be resolved.
    pub resolved: Tally,
    /// Only those that are said to be ambiguous.
    pub ambiguous: Tally,
    pub callers: Tally,
    pub callees: Tally,
    pub implementations: Tally,
    /// Every mistake, in words.
    pub mistakes: Vec<String>,
}

/// The table that is committed.
pub fn table(all: &[Figures]) -> String {
    let mut text = String::from(
        "| language | definitions | references P | R | F1 | resolved P | ambiguous P | callers F1 | callees F1 | implementations F1 |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for one in all {
        let ambiguous = one.ambiguous.right + one.ambiguous.wrong;
        let _ = writeln!(
            text,
            "| {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {:.3} | {:.3} | {:.3} |",
            one.language,
            one.definitions.f1(),
            one.references.precision(),
            one.references.recall(),
            one.references.f1(),
            one.resolved.precision(),
            if ambiguous == 0 { "–".to_owned() } else { format!("{:.2} of {ambiguous}", one.ambiguous.precision()) },
            one.callers.f1(),
            one.callees.f1(),
            one.implementations.f1(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_textbooks() {
        let tally = Tally { right: 8, wrong: 2, missing: 8 };
        assert!((tally.precision() - 0.8).abs() < 1e-9);
        assert!((tally.recall() - 0.5).abs() < 1e-9);
        assert!((tally.f1() - 8.0 / 13.0).abs() < 1e-9);
        assert!((Tally::default().f1() - 1.0).abs() < 1e-9);
    }
}
