//! Ranks chunks by words, names, paths and meaning. A keyword query yields exactly the chunks that match it.

use std::cell::RefCell;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::tools::search::{SearchMode, SearchTarget};

use super::hit::HitBuilder;
use super::request::SearchRequest;
use super::root::SearchRoot;
use super::root_ranking::{MAX_NEAREST, RankedResults, RootRanking, align_scores};
use super::{
    HitPage, advice, constants, functions, messages, missing_words, near_names, unindexed,
};
use crate::index::models::ModelTier;
use crate::index::similarity::QueryVectors;
use crate::index::snapshot::Snapshot;
use crate::query::Context;
use crate::query::shared::loaded_root::LoadedRoot;
use crate::search::chunk_set::ChunkSet;
use crate::search::keyword::{
    self, KeywordSearch, chunks_defining, demanded_kind, ranking_words, text_index_error,
};
use crate::search::lexical::LexicalSearcher;
use crate::search::query_coverage::QueryCoverage;
use crate::search::question::{QueryKind, Question};
use crate::search::rank::{Evidence, RankRequest, RankedChunk, ReportRequest, rank};
use crate::search::report::{MentionPlace, Report};
use crate::search::snippet::WordMatcher;
use crate::search::syntax::Expr;
use crate::search::text_cache::TextCache;
use crate::source::beneath::RootDir;
use crate::threads::{self, Queue};

/// Results below this share of the best score are left out.
const LEAST_SHARE: f32 = 0.1;
pub const MAX_RESULTS: usize = 300;
/// Below this number of hits, building them takes less time than starting another thread.
const WORTH_THREADS: usize = 4;

pub fn search(
    context: &Context,
    request: &SearchRequest<'_>,
    roots: &[SearchRoot],
) -> Result<HitPage, ToolError> {
    let expression = match request.mode {
        SearchMode::Keyword => Some(keyword::parse(&request.params.query)?),
        _ => None,
    };
    let words = match (&expression, &request.report) {
        (Some(expression), _) => ranking_words(expression),
        (None, Some(report)) => report.title.clone(),
        (None, None) => request.params.query.clone(),
    };
    let question = match &request.report {
        Some(_) => Question::from_title(&words),
        None => Question::new(&words),
    };
    let meaning = request.report.as_ref().map(Report::meaning);
    let meaning = meaning.as_ref().unwrap_or(&words);
    let search = RankedSearch {
        context,
        request,
        question,
        meaning: (request.mode != SearchMode::Keyword)
            .then(|| context.indexes.shared().models.embed_query(meaning))
            .flatten(),
        expression,
        words,
    };
    let chosen = context.indexes.shared().models.get(ModelTier::Chosen);
    let mut page = HitPage {
        is_provisional: chosen.is_some()
            && search
                .meaning
                .as_ref()
                .is_some_and(|meaning| !meaning.has_chosen()),
        ..HitPage::default()
    };
    page.notes
        .extend(request.report.as_ref().map(Report::summary));
    let mut rankings = vec![];
    for root in roots {
        context.cancel.check()?;
        let first_note = page.notes.len();
        rankings.push(search.rank(root, &mut page)?);
        page.name_notes(first_note, request.name_of(root));
    }
    let coverage = rankings
        .iter()
        .map(|ranking| ranking.coverage.clone())
        .reduce(QueryCoverage::and)
        .unwrap_or_default();
    // A semantic search always shows the nearest results.
    page.has_no_match =
        request.mode == SearchMode::Auto && matches!(coverage, QueryCoverage::Absent(_));
    if page.has_no_match {
        search.keep_nearest(&mut rankings);
    }
    align_scores(&mut rankings);
    let mut order: Vec<(f32, usize, usize)> = vec![];
    for (number, ranking) in rankings.iter().enumerate() {
        let scores = ranking.scores().into_iter().enumerate();
        order.extend(scores.map(|(at, score)| (score, number, at)));
    }
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Definitions of a name in the query come first, led by the one in a file of the same name. A file of that name without a
    // definition comes second, or first if the first result is not a main definition.
    let is_definition =
        |(_, ranking, at): &(f32, usize, usize)| rankings[*ranking].is_definition(*at);
    let is_namesake = |(_, ranking, at): &(f32, usize, usize)| rankings[*ranking].is_namesake(*at);
    order.sort_by_key(|one| {
        (
            !is_definition(one),
            !(is_definition(one) && is_namesake(one)),
        )
    });
    let is_main =
        |(_, ranking, at): &(f32, usize, usize)| rankings[*ranking].is_main_definition(*at);
    let first = usize::from(order.first().is_some_and(is_main));
    if let Some(at) = order.iter().position(is_namesake).filter(|at| *at > first) {
        order[first..=at].rotate_right(1);
    }
    // Files and lines that the query names come before all else.
    let location = |(_, ranking, at): &(f32, usize, usize)| rankings[*ranking].named_location(*at);
    order.sort_by(|one, other| location(other).total_cmp(&location(one)));
    // Scores are shares of the best one; those of unrelated results are cosines already.
    let (best_score, best_share) = if page.has_no_match {
        (1.0, 1.0)
    } else {
        let scores = order.iter().map(|(score, ..)| *score);
        (
            scores.fold(f32::MIN_POSITIVE, f32::max),
            search.share_of_best(&rankings),
        )
    };
    if search.expression.is_none() {
        order.retain(|(score, ..)| *score >= LEAST_SHARE * best_score);
        order.truncate(if page.has_no_match {
            MAX_NEAREST
        } else {
            MAX_RESULTS
        });
    }
    // Where no file matches the glob, the words are not what is missing.
    if !(order.is_empty() && advice::no_such_files(request, roots).is_some()) {
        page.notes
            .extend(missing_words::note_missing(&coverage, order.is_empty()));
    }
    if page.has_no_match && search.question.is_symbol() && !request.filter.is_narrow() {
        page.advice = missing_words::suggest_names(request, roots);
    }
    page.total = order.len() as u64;
    let is_last = |cursor: &ListCursor, at: usize| {
        let (_, ranking, at) = order[at];
        let ranking = &rankings[ranking];
        let Some((path, start_line)) = ranking.location(at) else {
            return false;
        };
        request.shown_path(ranking.root, path) == cursor.path && start_line == cursor.line
    };
    let offset = request.offset(is_last, order.len());
    page.offset = offset as u64;
    let shown = &order[offset..order.len().min(offset + request.params.limit() as usize)];
    let mut hits: Vec<Option<(SearchHit, Evidence)>> = vec![None; shown.len()];
    for (number, ranking) in rankings.iter().enumerate() {
        let own = shown
            .iter()
            .enumerate()
            .filter(|(_, (_, of, _))| *of == number);
        let own: Vec<(usize, usize)> = own.map(|(place, (_, _, at))| (place, *at)).collect();
        search.build_hits(ranking, &own, &mut hits, &mut page.stale)?;
    }
    for ((score, ..), hit) in shown.iter().zip(&mut hits) {
        if let Some((hit, _)) = hit {
            hit.score = f64::from((score / best_score * best_share * 1000.0).round()) / 1000.0;
        }
    }
    // Hits of removed files count as shown, so that the next page begins after them.
    page.gone = hits.iter().filter(|hit| hit.is_none()).count() as u64;
    (page.hits, page.evidence) = hits.into_iter().flatten().unzip();
    page.meaning = search.meaning;
    Ok(page)
}

/// The parts of a ranked search that all roots share.
struct RankedSearch<'a> {
    context: &'a Context<'a>,
    request: &'a SearchRequest<'a>,
    question: Question,
    meaning: Option<QueryVectors>,
    expression: Option<Expr>,
    words: String,
}

impl RankedSearch<'_> {
    fn rank<'r>(
        &self,
        root: &'r SearchRoot,
        page: &mut HitPage,
    ) -> Result<RootRanking<'r>, ToolError> {
        let Self {
            context,
            request:
                SearchRequest {
                    mode,
                    filter,
                    report,
                    ..
                },
            ..
        } = self;
        let expression = self.expression.as_ref();
        let Some(indexed) = &root.indexed else {
            let hits =
                unindexed::rank_files(context, self.request, root, expression, &self.words, page)?;
            return Ok(RootRanking {
                root,
                results: RankedResults::Unindexed(hits),
                coverage: QueryCoverage::Sufficient,
            });
        };
        let only = self.allowed_chunks(indexed, &root.dir, &mut page.notes)?;
        let files = filter.matching_files(&indexed.snapshot, indexed.folder.as_deref());
        let largest = context.indexes.shared().settings.largest_file;
        let texts = TextCache::new(&root.dir, &indexed.snapshot, largest);
        let messages = match report {
            Some(report) => messages::locate(&indexed.snapshot, &texts, &report.messages)
                .map_err(|error| text_index_error(&error))?,
            None => vec![],
        };
        let question = self.question.within(&indexed.root.name);
        let question = question.as_ref();
        let request = RankRequest {
            question,
            report: report.as_ref().map(|report| ReportRequest {
                report,
                messages: &messages,
            }),
            meaning: self.meaning.as_ref(),
            is_semantic: *mode == SearchMode::Semantic && indexed.snapshot.has_vectors(),
            root_name: &indexed.root.name,
            files: files.as_deref(),
            only: only.as_ref(),
            cancel: context.cancel,
        };
        if *mode == SearchMode::Semantic && !request.is_semantic {
            let reason = if context.indexes.shared().models.makes_vectors() {
                "there are no vectors yet"
            } else {
                "no vectors are computed (`embedder` is none)"
            };
            page.notes
                .push(format!("{reason}, so results are ranked by words"));
        }
        let mut ranked =
            rank(&indexed.snapshot, &request).map_err(|error| text_index_error(&error))?;
        context.cancel.check()?;
        let mut has_near_names = false;
        match report {
            Some(report) if filter.kind.is_none() => {
                functions::select(&mut ranked, &indexed.snapshot, &texts, report);
            }
            None if *mode == SearchMode::Auto => {
                let (snapshot, words) = (&indexed.snapshot, &self.words);
                let is_text =
                    constants::prefer_text(&mut ranked, snapshot, &texts, question, words)
                        .map_err(|error| text_index_error(&error))?;
                if !is_text && only.is_none() {
                    let allows = |file| request.allows(file);
                    let note = near_names::prefer(&mut ranked, snapshot, question, words, allows);
                    has_near_names = note.is_some();
                    page.notes.extend(note);
                }
                messages::prefer_message(
                    &mut ranked,
                    &indexed.snapshot,
                    &texts,
                    &self.words,
                    question,
                );
            }
            _ => {}
        }
        let coverage = match mode {
            // A keyword query matches exactly, so no word of it is missing.
            SearchMode::Keyword => QueryCoverage::Sufficient,
            _ => QueryCoverage::measure(&indexed.snapshot, &request, &self.words, &ranked)
                .map_err(|error| text_index_error(&error))?,
        };
        // A semantic search does not require words, but notes if nothing is near.
        let coverage = match coverage {
            QueryCoverage::Partial(_) | QueryCoverage::MeaningOnly(_) if request.is_semantic => {
                QueryCoverage::Sufficient
            }
            // The note about similar names says it already.
            QueryCoverage::Partial(_) if has_near_names => QueryCoverage::Sufficient,
            coverage => coverage,
        };
        if let Some(kind) = filter.kind.or_else(|| expression.and_then(demanded_kind)) {
            for one in &mut ranked {
                one.select_symbol(&indexed.snapshot, kind);
            }
        }
        if filter.target == SearchTarget::Definitions {
            ranked.retain(|one| one.symbol.is_some());
        }
        if filter.target == SearchTarget::Docs {
            let is_prose = |one: &RankedChunk| {
                indexed.snapshot.files[one.file]
                    .language
                    .is_some_and(|language| language.prose)
            };
            ranked.retain(|one| one.evidence.doc > 0.0 || is_prose(one));
        }
        Ok(RootRanking {
            root,
            results: RankedResults::Indexed(ranked),
            coverage,
        })
    }

    /// Returns the chunks to which a keyword query or a kind limits the ranking.
    fn allowed_chunks(
        &self,
        indexed: &LoadedRoot,
        dir: &RootDir,
        notes: &mut Vec<String>,
    ) -> Result<Option<ChunkSet>, ToolError> {
        let snapshot = &*indexed.snapshot;
        let kind = self.request.filter.kind;
        let of_kind = kind.map(|kind| chunks_defining(snapshot, kind));
        let (Some(expression), Some(view)) = (&self.expression, &snapshot.text) else {
            return Ok(of_kind);
        };
        let lexical = LexicalSearcher::new(view, snapshot.size())
            .map_err(|error| text_index_error(&error))?;
        let keyword = KeywordSearch {
            snapshot,
            lexical: &lexical,
            dir,
            largest_file: self.context.indexes.shared().settings.largest_file,
            cancel: self.context.cancel,
            unverified: RefCell::new(false),
        };
        let found = keyword.find(expression)?;
        if *keyword.unverified.borrow() {
            notes.push(
                "some matches were not checked for the exact phrase: narrow the query".to_owned(),
            );
        }
        Ok(Some(match of_kind {
            Some(of_kind) => found.and(&of_kind),
            None => found,
        }))
    }

    /// Reduces rankings without a word of the query to the results nearest in meaning. A query for a name that does not exist
    /// has no results.
    fn keep_nearest(&self, rankings: &mut [RootRanking<'_>]) {
        for ranking in rankings {
            if self.question.kind == QueryKind::Words {
                ranking.keep_nearest(self.meaning.as_ref());
            } else {
                ranking.results = RankedResults::Indexed(vec![]);
            }
        }
    }

    /// Returns the shown score of the best result: 1 if any result has a word of the query, otherwise its cosine.
    fn share_of_best(&self, rankings: &[RootRanking<'_>]) -> f32 {
        let mut best: Option<(&Snapshot, &RankedChunk)> = None;
        for ranking in rankings {
            let (RankedResults::Indexed(ranked), Some(indexed)) =
                (&ranking.results, &ranking.root.indexed)
            else {
                return 1.0;
            };
            if ranked.iter().any(|one| one.evidence.has_words()) {
                return 1.0;
            }
            let own = ranked
                .iter()
                .max_by(|one, other| one.score.total_cmp(&other.score));
            let own = own.map(|one| (&*indexed.snapshot, one));
            best = best
                .into_iter()
                .chain(own)
                .max_by(|one, other| one.1.score.total_cmp(&other.1.score));
        }
        let cosine = best.and_then(|(snapshot, one)| {
            self.meaning
                .as_ref()?
                .compare_with(snapshot)
                .chunk_cosine(one.file, one.chunk)
        });
        cosine.map_or(1.0, |cosine| cosine.clamp(0.0, 1.0))
    }

    /// Builds the hits of a root; `own` has their positions on the page and in the ranking.
    fn build_hits(
        &self,
        ranking: &RootRanking<'_>,
        own: &[(usize, usize)],
        hits: &mut [Option<(SearchHit, Evidence)>],
        stale: &mut Vec<String>,
    ) -> Result<(), ToolError> {
        let root = ranking.root;
        let (indexed, ranked) = match (&root.indexed, &ranking.results) {
            (Some(indexed), RankedResults::Indexed(ranked)) => (indexed, ranked),
            (_, RankedResults::Unindexed(unindexed)) => {
                // Files without an index are found by their words alone.
                let evidence = Evidence {
                    body: 1.0,
                    ..Evidence::default()
                };
                for (place, at) in own {
                    hits[*place] = Some((unindexed[*at].1.clone(), evidence));
                }
                return Ok(());
            }
            (None, RankedResults::Indexed(_)) => return Ok(()),
        };
        // For a report, lines with the names that it mentions count as well.
        let names: Vec<String> = self
            .request
            .report
            .iter()
            .flat_map(|report| &report.mentions)
            .filter(|mention| mention.place != MentionPlace::Code)
            .filter_map(|mention| mention.parts.last())
            .map(|name| name.to_lowercase())
            .collect();
        let mut forms = self.question.line_forms();
        forms.extend(names.iter().map(|name| vec![name.as_str()]));
        let sought = WordMatcher::new(forms);
        let queue = Queue::new(own.len(), 1);
        let build = || {
            let largest = self.context.indexes.shared().settings.largest_file;
            let texts = TextCache::new(&root.dir, &indexed.snapshot, largest);
            let params = self.request.params;
            let builder = HitBuilder {
                snapshot: &indexed.snapshot,
                texts: &texts,
                sought: &sought,
                context_lines: params.context_lines,
                is_detailed: params.detailed.unwrap_or(false),
                root: self
                    .request
                    .asks_all_roots
                    .then_some(root.record.name.as_str()),
            };
            let next = || queue.take().filter(|_| !self.context.cancel.is_cancelled());
            let built = std::iter::from_fn(next).flatten().filter_map(|nth| {
                let (place, at) = own[nth];
                Some((place, at, builder.build(&ranked[at])?))
            });
            built.collect::<Vec<_>>()
        };
        let parts = if own.len() < WORTH_THREADS {
            vec![build()]
        } else {
            threads::run_with_helper(build, || ()).1
        };
        self.context.cancel.check()?;
        let mut shown: Vec<_> = parts.into_iter().flatten().collect();
        shown.sort_unstable_by_key(|(place, ..)| *place);
        let index = self.context.indexes.loaded(root.record.id);
        for (place, at, (hit, is_as_indexed)) in shown {
            if let Some(index) = &index {
                index.count_shown(&indexed.snapshot.files[ranked[at].file].path);
            }
            let path = self.request.shown_path(root, &hit.path);
            if !is_as_indexed && !stale.contains(&path) {
                stale.push(path);
            }
            hits[place] = Some((hit, ranked[at].evidence));
        }
        Ok(())
    }
}
