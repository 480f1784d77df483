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
pub struct Splices {
    all: Vec<Splice>,
    /// The number of bytes by which the text behind each splice moves.
    shifts: Vec<isize>,
}

impl Splices {
    /// Sorts splices. The error contains two that overlap.
    pub fn new(mut splices: Vec<Splice>) -> Result<Self, (Splice, Splice)> {
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let overlapping = splices
            .windows(2)
            .find(|pair| pair[1].range.start < pair[0].range.end);
        match overlapping {
            Some(pair) => Err((pair[0].clone(), pair[1].clone())),
            None => Ok(Self::from_sorted(splices)),
        }
    }

    fn from_sorted(all: Vec<Splice>) -> Self {
        let mut shift = 0_isize;
        let shifts = all.iter().map(|splice| {
            shift += splice.text.len().cast_signed() - splice.range.len().cast_signed();
            shift
        });
        Self {
            shifts: shifts.collect(),
            all,
        }
    }

    pub fn apply(&self, text: &str) -> String {
        let mut applied = String::with_capacity(text.len());
        let mut copied = 0;
        for splice in &self.all {
            applied.push_str(&text[copied..splice.range.start]);
            applied.push_str(&splice.text);
            copied = splice.range.end;
        }
        applied.push_str(&text[copied..]);
        applied
    }

    /// Returns the splices in a range of the old text.
    pub fn within(&self, range: Range<usize>) -> impl Iterator<Item = &Splice> {
        let first = self
            .all
            .partition_point(|splice| splice.range.start < range.start);
        let behind = self.all[first..].iter();
        behind.take_while(move |splice| splice.range.end <= range.end)
    }

    /// Returns the splices, each with the range of its new text.
    pub fn with_ranges(&self) -> impl Iterator<Item = (&Splice, Range<usize>)> {
        self.all.iter().zip(self.new_ranges())
    }

    /// Returns whether a byte of the old text is replaced.
    pub fn replaces(&self, at: usize) -> bool {
        let next = self.all.get(self.count_before(at));
        next.is_some_and(|splice| splice.range.start <= at)
    }

    /// Returns the ranges of the new texts, in the text after the splices.
    pub fn new_ranges(&self) -> Vec<Range<usize>> {
        let ranges = self.all.iter().enumerate().map(|(at, splice)| {
            let start = splice.range.start.saturating_add_signed(self.shift(at));
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
            .all
            .iter()
            .filter(|splice| splice.range == (before..before));
        let inserted: usize = inserted.map(|splice| splice.text.len()).sum();
        let mapped = self.map(before);
        after == mapped || after + inserted == mapped || self.all.iter().any(is_replaced)
    }

    /// Returns the new position of a byte that is not replaced. The end of a range maps to the end of its new text.
    pub fn map(&self, at: usize) -> usize {
        at.saturating_add_signed(self.shift(self.count_before(at)))
    }

    /// Returns the new place of a range that is not empty; none if a part of it is replaced, or if a text is inserted into it.
    pub fn map_range(&self, range: Range<usize>) -> Option<Range<usize>> {
        let before = self.count_before(range.start);
        let next = self.all.get(before);
        if next.is_some_and(|splice| splice.range.start < range.end) {
            return None;
        }
        let start = range.start.saturating_add_signed(self.shift(before));
        Some(start..start + range.len())
    }

    /// Returns the new place of what is left of a range.
    pub fn map_rest(&self, range: Range<usize>) -> Range<usize> {
        let replacing = |at: usize| {
            let next = self.all.get(self.count_before(at));
            next.filter(|splice| splice.range.start < at)
        };
        let start = replacing(range.start).map_or(range.start, |splice| splice.range.end);
        let end = replacing(range.end).map_or(range.end, |splice| splice.range.start);
        self.map(start)..self.map(end.max(start))
    }

    /// Returns the number of splices that end at a byte or before it.
    fn count_before(&self, at: usize) -> usize {
        self.all.partition_point(|splice| splice.range.end <= at)
    }

    /// Returns how far the text behind some splices moves.
    fn shift(&self, count: usize) -> isize {
        count.checked_sub(1).map_or(0, |last| self.shifts[last])
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
        assert_eq!(splices.within(1..3).count(), 1);
        assert_eq!(
            (splices.within(0..8).count(), splices.within(4..7).count()),
            (3, 0)
        );
        assert_eq!(splices.map_range(1..3), Some(2..4));
        assert_eq!(splices.map_range(3..6), Some(5..8));
        assert_eq!(splices.map_range(2..4), None, "a text is inserted");
        assert_eq!(splices.map_range(5..7), None, "a part is replaced");
        assert_eq!(
            (splices.map_rest(4..7), splices.map_rest(2..4)),
            (6..8, 3..6)
        );
    }

    #[test]
    fn splices_that_overlap_are_refused() {
        assert!(Splices::new(vec![splice(0..4, ""), splice(3..5, "")]).is_err());
        assert!(Splices::new(vec![splice(0..4, ""), splice(4..5, "")]).is_ok());
    }
}
