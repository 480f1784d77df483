//! The results of one root in a ranking over several.

use claudevil_protocol::answer::hits::SearchHit;

use super::root::SearchRoot;
use crate::index::similarity::QueryVectors;
use crate::search::query_coverage::QueryCoverage;
use crate::search::rank::{DefinitionRank, RankedChunk};

/// The number of results that are shown if none has a word of the query or is near in meaning.
pub const MAX_NEAREST: usize = 3;

/// The ranking of one root.
pub struct RootRanking<'a> {
    pub root: &'a SearchRoot,
    pub results: RankedResults,
    pub coverage: QueryCoverage,
}

pub enum RankedResults {
    Indexed(Vec<RankedChunk>),
    /// Scored hits of files that are not indexed.
    Unindexed(Vec<(f32, SearchHit)>),
}

impl RootRanking<'_> {
    pub fn scores(&self) -> Vec<f32> {
        match &self.results {
            RankedResults::Indexed(ranked) => ranked.iter().map(|one| one.score).collect(),
            RankedResults::Unindexed(hits) => hits.iter().map(|(score, _)| *score).collect(),
        }
    }

    /// Keeps the few results that are nearest in meaning, scored by their cosine.
    pub fn keep_nearest(&mut self, meaning: Option<&QueryVectors>) {
        let (RankedResults::Indexed(ranked), Some(indexed)) =
            (&mut self.results, &self.root.indexed)
        else {
            return;
        };
        ranked.sort_by(|one, other| other.evidence.meaning.total_cmp(&one.evidence.meaning));
        ranked.truncate(MAX_NEAREST);
        let measure = meaning.map(|meaning| meaning.compare_with(&indexed.snapshot));
        for one in ranked {
            let cosine = measure
                .as_ref()
                .and_then(|measure| measure.chunk_cosine(one.file, one.chunk));
            one.score = cosine.unwrap_or_default();
        }
    }

    pub fn is_definition(&self, at: usize) -> bool {
        matches!(&self.results, RankedResults::Indexed(ranked) if ranked[at].is_definition())
    }

    /// Returns whether the result is a main definition, which ranks before a file of its name.
    pub fn is_main_definition(&self, at: usize) -> bool {
        matches!(&self.results, RankedResults::Indexed(ranked) if ranked[at].definition == Some(DefinitionRank::Main))
    }

    /// Returns how early the query names the file or the line of the result; 0 if it names neither.
    pub fn named_location(&self, at: usize) -> f32 {
        match &self.results {
            RankedResults::Indexed(ranked) => ranked[at].evidence.location,
            RankedResults::Unindexed(_) => 0.0,
        }
    }

    /// Returns whether the query is a name, and the result is the file of that name.
    pub fn is_namesake(&self, at: usize) -> bool {
        matches!(&self.results, RankedResults::Indexed(ranked) if ranked[at].is_namesake)
    }

    /// Returns the path and the first line of a result.
    pub fn location(&self, at: usize) -> Option<(&str, u32)> {
        match (&self.results, &self.root.indexed) {
            (RankedResults::Indexed(ranked), Some(indexed)) => {
                let path = &indexed.snapshot.files[ranked[at].file].path;
                Some((path, ranked[at].start_line(&indexed.snapshot)))
            }
            (RankedResults::Unindexed(hits), _) => Some((&hits[at].1.path, hits[at].1.start_line)),
            (RankedResults::Indexed(_), None) => None,
        }
    }
}

/// Scales the scores of unindexed roots, so that their best equals the best of the others: the two have no common scale.
pub fn align_scores(rankings: &mut [RootRanking<'_>]) {
    let best = |ranking: &RootRanking<'_>| ranking.scores().into_iter().fold(0.0, f32::max);
    let indexed = rankings
        .iter()
        .filter(|ranking| matches!(ranking.results, RankedResults::Indexed(_)))
        .map(best)
        .fold(0.0, f32::max);
    for ranking in rankings {
        let own = best(ranking);
        if let RankedResults::Unindexed(hits) = &mut ranking.results
            && own > 0.0
        {
            let factor = if indexed > 0.0 { indexed } else { 1.0 } / own;
            for (score, _) in hits {
                *score *= factor;
            }
        }
    }
}
