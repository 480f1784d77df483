//! The score of one query's results.
//!
//! A target's rank is the place of the first result in its file that, where the target has lines, overlaps them. Gain is
//! binary, the same for every grade; a result that answers two targets gains once.

use super::truth::{Grade, Query, Target};

/// Number of results that count.
pub const COUNTED: usize = 10;

/// A place that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultRange {
    pub path: String,
    pub start: u64,
    pub end: u64,
}

/// Each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Gain by rank over that of the best order.
    pub ndcg: f64,
    /// One over the rank of the first relevant target.
    pub mrr: f64,
    /// 1 if a relevant target is the first result, or among the first five.
    pub hit1: f64,
    pub hit5: f64,
    /// The share of targets that were found.
    pub recall: f64,
}

pub fn score(query: &Query, results: &[ResultRange]) -> Score {
    let ranks: Vec<Option<usize>> = query
        .targets
        .iter()
        .map(|target| rank(results, target))
        .collect();
    let counted = |rank: &&Option<usize>| rank.is_some_and(|rank| rank <= COUNTED);
    let relevant = ranks
        .iter()
        .zip(&query.targets)
        .filter(|(_, target)| target.grade == Grade::Relevant);
    let best = relevant.filter_map(|(rank, _)| *rank).min();
    let found = ranks.iter().filter(counted).count();
    Score {
        ndcg: gain(&ranks),
        mrr: best
            .filter(|best| *best <= COUNTED)
            .map_or(0.0, |best| 1.0 / number(best)),
        hit1: flag(best == Some(1)),
        hit5: flag(best.is_some_and(|best| best <= 5)),
        recall: number(found) / number(ranks.len().max(1)),
    }
}

/// Returns the rank of a target, from 1; None if no result is in it.
pub fn rank(results: &[ResultRange], target: &Target) -> Option<usize> {
    let is_in = |found: &ResultRange| {
        is_same(&found.path, &target.path)
            && target
                .span
                .is_none_or(|(start, end)| found.end >= start && found.start <= end)
    };
    results.iter().position(is_in).map(|place| place + 1)
}

/// Returns whether two paths name the same file. They may be relative to different folders of one repository.
fn is_same(found: &str, target: &str) -> bool {
    let ends = |longer: &str, shorter: &str| {
        longer
            .strip_suffix(shorter)
            .is_some_and(|rest| rest.ends_with('/'))
    };
    found == target || ends(found, target) || ends(target, found)
}

fn gain(ranks: &[Option<usize>]) -> f64 {
    let mut counted: Vec<usize> = ranks
        .iter()
        .flatten()
        .copied()
        .filter(|rank| *rank <= COUNTED)
        .collect();
    counted.sort_unstable();
    counted.dedup();
    let discounted = |rank: usize| 1.0 / number(rank + 1).log2();
    let best: f64 = (1..=COUNTED.min(ranks.len())).map(discounted).sum();
    // The sum of no floats is −0.
    (0.0 + counted.into_iter().map(discounted).sum::<f64>()) / best.max(f64::MIN_POSITIVE)
}

fn flag(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
pub(super) fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str, grade: Grade, span: Option<(u64, u64)>) -> Target {
        Target {
            path: path.to_owned(),
            grade,
            span,
        }
    }

    fn found(places: &[(&str, u64, u64)]) -> Vec<ResultRange> {
        places
            .iter()
            .map(|(path, start, end)| ResultRange {
                path: (*path).to_owned(),
                start: *start,
                end: *end,
            })
            .collect()
    }

    fn asked(targets: Vec<Target>) -> Query {
        let text = String::new;
        Query {
            id: text(),
            repo: text(),
            language: text(),
            category: text(),
            text: text(),
            targets,
        }
    }

    #[test]
    fn a_rank_needs_the_path_and_the_lines() {
        let results = found(&[("src/a.rs", 1, 9), ("b.rs", 1, 40), ("src/a.rs", 10, 20)]);
        for (path, span, rank_of) in [
            ("src/a.rs", None, Some(1)),
            ("src/a.rs", Some((10, 12)), Some(3)),
            ("src/a.rs", Some((9, 10)), Some(1)),
            ("src/a.rs", Some((21, 30)), None),
            // The target is relative to the repository and the results to a folder in it, and the other way round.
            ("lib/b.rs", None, Some(2)),
            ("a.rs", None, Some(1)),
            // A suffix of the text is not one of the path.
            ("src/bb.rs", None, None),
            (".rs", None, None),
        ] {
            assert_eq!(
                rank(&results, &target(path, Grade::Relevant, span)),
                rank_of,
                "{path} {span:?}"
            );
        }
    }

    #[test]
    fn figures_are_those_that_were_computed_by_hand() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        let two = asked(vec![
            target("a", Grade::Relevant, None),
            target("b", Grade::Secondary, None),
        ]);
        // Ranks 2 and 1: the best order has both of them too.
        let both = score(&two, &found(&[("b", 1, 1), ("a", 1, 1)]));
        assert_eq!(
            both,
            Score {
                ndcg: 1.0,
                mrr: 0.5,
                hit1: 0.0,
                hit5: 1.0,
                recall: 1.0
            }
        );
        // Rank 3 alone: (1/log2 4) / (1/log2 2 + 1/log2 3) = 0.5 / 1.6309297535714573.
        let third = score(&two, &found(&[("x", 1, 1), ("y", 1, 1), ("a", 1, 1)]));
        assert!(
            close(third.ndcg, 0.306_573_596_381_735_9) && close(third.mrr, 1.0 / 3.0),
            "{third:?}"
        );
        assert_eq!((third.hit1, third.hit5, third.recall), (0.0, 1.0, 0.5));
        // Only the secondary target: gain and recall, no hit.
        let secondary = score(&two, &found(&[("b", 1, 1)]));
        assert!(
            close(secondary.ndcg, 0.613_147_192_763_471_8),
            "{secondary:?}"
        );
        assert_eq!(
            (
                secondary.mrr,
                secondary.hit1,
                secondary.hit5,
                secondary.recall
            ),
            (0.0, 0.0, 0.0, 0.5)
        );
        assert_eq!(score(&two, &[]), Score::default());
    }

    #[test]
    fn a_result_gains_once_and_the_eleventh_not_at_all() {
        let spans = |spans: &[(u64, u64)]| {
            asked(
                spans
                    .iter()
                    .map(|span| target("a", Grade::Relevant, Some(*span)))
                    .collect(),
            )
        };
        // One result in both targets: 1 / (1 + 1/log2 3).
        let shared = score(&spans(&[(1, 5), (4, 9)]), &found(&[("a", 4, 5)]));
        assert!(
            (shared.ndcg - 0.613_147_192_763_471_8).abs() < 1e-9
                && (shared.recall - 1.0).abs() < 1e-9,
            "{shared:?}"
        );
        let mut late = vec![("x", 1, 1); 10];
        late.push(("a", 1, 1));
        assert_eq!(score(&spans(&[(1, 1)]), &found(&late)), Score::default());
        // Twelve targets: the best order has room for ten.
        let many: Vec<(u64, u64)> = (1..=12).map(|line| (line, line)).collect();
        let results: Vec<(&str, u64, u64)> = (1..=10).map(|line| ("a", line, line)).collect();
        let full = score(&spans(&many), &found(&results));
        assert!(
            (full.ndcg - 1.0).abs() < 1e-9 && (full.recall - 10.0 / 12.0).abs() < 1e-9,
            "{full:?}"
        );
    }
}
