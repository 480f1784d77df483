//! The figures of many queries: over all, by category, by language, and the headline.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::score::{Score, number};

/// A query that was asked and judged.
#[derive(Clone, Debug)]
pub struct ScoredQuery {
    pub id: String,
    pub repo: String,
    pub language: String,
    pub category: String,
    pub query: String,
    pub score: Score,
    /// The first results, and the targets that are missing among the results that count, to explain the score.
    pub first: Vec<String>,
    pub missed: Vec<String>,
}

pub struct Report(pub Vec<ScoredQuery>);

/// Figures of some of the queries.
pub struct Row {
    pub name: String,
    pub queries: usize,
    pub mean: Score,
}

impl Report {
    /// Returns NDCG@10: the mean over each repository's queries, over each language's repositories, over languages. One large
    /// repository counts no more than a small one.
    pub fn headline(&self) -> f64 {
        let mut languages: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        for one in &self.0 {
            languages
                .entry(&one.language)
                .or_default()
                .entry(&one.repo)
                .or_default()
                .push(one.score.ndcg);
        }
        mean(
            languages
                .values()
                .map(|repos| mean(repos.values().map(|scores| mean(scores.iter().copied())))),
        )
    }

    /// Returns a row for all queries, then one for each category, then one for each language.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = vec![row("all", self.0.iter())];
        let by_category = |one: &ScoredQuery| one.category.clone();
        let by_language = |one: &ScoredQuery| one.language.clone();
        for key in [
            &by_category as &dyn Fn(&ScoredQuery) -> String,
            &by_language,
        ] {
            let names: BTreeSet<String> = self.0.iter().map(key).collect();
            rows.extend(
                names
                    .iter()
                    .map(|name| row(name, self.0.iter().filter(|one| key(one) == *name))),
            );
        }
        rows
    }

    pub fn markdown(&self) -> String {
        let mut text =
            "| queries | number | NDCG@10 | MRR@10 | Hit@1 | Hit@5 | recall@10 |\n".to_owned();
        text += "|---|---|---|---|---|---|---|\n";
        for Row {
            name,
            queries,
            mean,
        } in self.rows()
        {
            let Score {
                ndcg,
                mrr,
                hit1,
                hit5,
                recall,
            } = mean;
            text += &format!(
                "| {name} | {queries} | {ndcg:.3} | {mrr:.3} | {hit1:.3} | {hit5:.3} | {recall:.3} |\n"
            );
        }
        text
    }

    pub fn json(&self) -> Value {
        let rows = self.rows().into_iter().map(|Row { name, queries, mean }| {
            let Score { ndcg, mrr, hit1, hit5, recall } = mean;
            let value =
                json!({ "queries": queries, "ndcg": ndcg, "mrr": mrr, "hit1": hit1, "hit5": hit5, "recall": recall });
            (name, value)
        });
        json!({ "headline": self.headline(), "rows": Value::Object(rows.collect()) })
    }

    /// Returns the queries with the lowest scores, a line each.
    pub fn worst(&self, most: usize) -> String {
        let mut order: Vec<&ScoredQuery> =
            self.0.iter().filter(|one| one.score.ndcg < 1.0).collect();
        order.sort_by(|one, other| {
            one.score
                .ndcg
                .total_cmp(&other.score.ndcg)
                .then_with(|| one.id.cmp(&other.id))
        });
        let line = |one: &&ScoredQuery| {
            let ScoredQuery {
                id,
                category,
                query,
                score,
                first,
                missed,
                ..
            } = one;
            let missed = if missed.is_empty() {
                String::new()
            } else {
                format!(" without {}", missed.join(", "))
            };
            format!(
                "{:.3} {id} {category} \"{query}\": {}{missed}\n",
                score.ndcg,
                first.join(", ")
            )
        };
        order.iter().take(most).map(line).collect()
    }
}

fn row<'a>(name: &str, some: impl Iterator<Item = &'a ScoredQuery>) -> Row {
    let some: Vec<&ScoredQuery> = some.collect();
    let of = |figure: fn(&Score) -> f64| mean(some.iter().map(|one| figure(&one.score)));
    Row {
        name: name.to_owned(),
        queries: some.len(),
        mean: Score {
            ndcg: of(|score| score.ndcg),
            mrr: of(|score| score.mrr),
            hit1: of(|score| score.hit1),
            hit5: of(|score| score.hit5),
            recall: of(|score| score.recall),
        },
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / number(values.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(repo: &str, language: &str, category: &str, ndcg: f64) -> ScoredQuery {
        ScoredQuery {
            id: format!("{repo}/{ndcg}"),
            repo: repo.to_owned(),
            language: language.to_owned(),
            category: category.to_owned(),
            query: "how".to_owned(),
            score: Score {
                ndcg,
                ..Score::default()
            },
            first: vec![],
            missed: vec![],
        }
    }

    #[test]
    fn the_headline_weighs_languages_alike() {
        let report = Report(vec![
            judged("one", "go", "symbol", 1.0),
            judged("one", "go", "symbol", 0.5),
            judged("one", "go", "semantic", 0.0),
            judged("two", "go", "symbol", 1.0),
            judged("three", "java", "semantic", 0.25),
        ]);
        // go: (0.5 + 1.0) / 2, java: 0.25.
        assert!(
            (report.headline() - 0.5).abs() < 1e-9,
            "{}",
            report.headline()
        );
        let rows: Vec<_> = report
            .rows()
            .into_iter()
            .map(|row| (row.name, row.queries, row.mean.ndcg))
            .collect();
        let close = |at: usize, name: &str, queries: usize, ndcg: f64| {
            let (found, count, mean) = &rows[at];
            assert!(
                found == name && *count == queries && (mean - ndcg).abs() < 1e-9,
                "{rows:?}"
            );
        };
        close(0, "all", 5, 0.55);
        close(1, "semantic", 2, 0.125);
        close(2, "symbol", 3, 2.5 / 3.0);
        close(3, "go", 4, 0.625);
        close(4, "java", 1, 0.25);
        assert!(
            report.markdown().contains("| symbol | 3 | 0.833 |"),
            "{}",
            report.markdown()
        );
        assert!(
            report.worst(1).starts_with("0.000 one/0 semantic"),
            "{}",
            report.worst(1)
        );
    }
}
