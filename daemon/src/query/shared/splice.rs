//! Replacements of byte ranges of one text, applied together.

use std::ops::Range;

/// A replacement of some bytes. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

/// The splices of one text, in its order.
#[derive(Clone, Debug, Default)]
pub struct Splices(Vec<Splice>);

impl Splices {
    /// Sorts splices. The error contains two that overlap.
    pub fn new(mut splices: Vec<Splice>) -> Result<Self, (Splice, Splice)> {
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let overlapping = splices
            .windows(2)
            .find(|pair| pair[1].range.start < pair[0].range.end);
        match overlapping {
            Some(pair) => Err((pair[0].clone(), pair[1].clone())),
            None => Ok(Self(splices)),
        }
    }

    pub fn apply(&self, text: &str) -> String {
        let mut applied = String::with_capacity(text.len());
        let mut copied = 0;
        for splice in &self.0 {
            applied.push_str(&text[copied..splice.range.start]);
            applied.push_str(&splice.text);
            copied = splice.range.end;
        }
        applied.push_str(&text[copied..]);
        applied
    }

    /// Returns whether a byte of the old text is replaced.
    pub fn replaces(&self, at: usize) -> bool {
        self.0.iter().any(|splice| splice.range.contains(&at))
    }

    /// Returns the ranges of the new texts, in the text after the splices.
    pub fn new_ranges(&self) -> Vec<Range<usize>> {
        let mut shift = 0_isize;
        let ranges = self.0.iter().map(|splice| {
            let start = splice.range.start.saturating_add_signed(shift);
            shift += splice.text.len().cast_signed() - splice.range.len().cast_signed();
            start..start + splice.text.len()
        });
        ranges.collect()
    }

    /// Returns whether something that ends at `before` in the old text may end at `after` in the new one.
    pub fn may_move_end(&self, before: usize, after: usize) -> bool {
        let is_replaced =
            |splice: &Splice| splice.range.start < before && before <= splice.range.end;
        // A text inserted at the end goes either after it or before it.
        let inserted = self
            .0
            .iter()
            .filter(|splice| splice.range == (before..before));
        let inserted: usize = inserted.map(|splice| splice.text.len()).sum();
        let mapped = self.map(before);
        after == mapped || after + inserted == mapped || self.0.iter().any(is_replaced)
    }

    /// Returns the new position of a byte that is not replaced. The end of a range maps to the end of its new text.
    pub fn map(&self, at: usize) -> usize {
        let before = self.0.iter().take_while(|splice| splice.range.end <= at);
        let shift: isize = before
            .map(|splice| splice.text.len().cast_signed() - splice.range.len().cast_signed())
            .sum();
        at.saturating_add_signed(shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(range: Range<usize>, text: &str) -> Splice {
        Splice {
            range,
            text: text.to_owned(),
        }
    }

    #[test]
    fn splices_are_applied_in_the_order_of_the_text() {
        let splices = Splices::new(vec![
            splice(6..8, "!"),
            splice(0..1, "AA"),
            splice(3..3, "+"),
        ]);
        let splices = splices.expect("apart");
        assert_eq!(splices.apply("abcdefgh"), "AAbc+def!");
        assert_eq!(splices.new_ranges(), [0..2, 4..5, 8..9]);
        assert_eq!(
            (
                splices.map(1),
                splices.map(2),
                splices.map(4),
                splices.map(8)
            ),
            (2, 3, 6, 9)
        );
        assert!(
            splices.may_move_end(3, 4) && splices.may_move_end(3, 5) && !splices.may_move_end(3, 6)
        );
        assert!(splices.replaces(6) && splices.replaces(7) && !splices.replaces(3));
    }

    #[test]
    fn splices_that_overlap_are_refused() {
        assert!(Splices::new(vec![splice(0..4, ""), splice(3..5, "")]).is_err());
        assert!(Splices::new(vec![splice(0..4, ""), splice(4..5, "")]).is_ok());
    }
}
