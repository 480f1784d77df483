//! The best places: by words, names, paths and meaning; of a keyword query exactly those that match.

use std::cell::RefCell;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::hits::{SearchCursor, SearchHit};
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::search::{SearchMode, SearchTarget};

use super::{Answered, Asked, Project, Showing, describe, missing_words, unseen};
use crate::extract::facts::Symbol;
use crate::index::meaning::Meaning;
use crate::index::snapshot::Snapshot;
use crate::query::Context;
use crate::query::indexed::Indexed;
use crate::search::chunk_set::ChunkSet;
use crate::search::keyword::{self, KeywordSearch, chunks_defining, text_index_error};
use crate::search::lexical::LexicalSearcher;
use crate::search::query_coverage::QueryCoverage;
use crate::search::question::{QueryKind, Question};
use crate::search::rank::{Evidence, RankRequest, RankedChunk, rank};
use crate::search::snippet::WordMatcher;
use crate::search::syntax::{Expr, Field};
use crate::search::text_cache::TextCache;
use crate::source::beneath::RootDir;
use crate::threads::{self, Queue};

/// What is far behind the best is not worth a page.
const LEAST: f32 = 0.1;
pub const MOST: usize = 300;
/// What nothing speaks for but that it is nearest.
const MOST_NEAREST: usize = 3;
/// So many results are made ready sooner than another thread has begun.
const FEW: usize = 4;

/// A root's part of the answer.
struct Part {
    found: Found,
    /// What the found stands on.
    coverage: QueryCoverage,
    /// Which project.
    project: usize,
}

enum Found {
    Ranked(Vec<RankedChunk>),
    /// Without an index, as they are shown.
    Seen(Vec<(f32, SearchHit)>),
}

impl Part {
    fn scores(&self) -> Vec<f32> {
        match &self.found {
            Found::Ranked(ranked) => ranked.iter().map(|one| one.score).collect(),
            Found::Seen(seen) => seen.iter().map(|(score, _)| *score).collect(),
        }
    }

    /// The few that are nearest in meaning, scored by how near they are.
    fn keep_nearest(&mut self, snapshot: &Snapshot, meaning: Option<&Meaning>) {
        let Found::Ranked(ranked) = &mut self.found else {
            return;
        };
        ranked.sort_by(|one, other| other.evidence.meaning.total_cmp(&one.evidence.meaning));
        ranked.truncate(MOST_NEAREST);
        let measure = meaning.map(|meaning| meaning.beside(snapshot));
        for one in ranked {
            let cosine = measure
                .as_ref()
                .and_then(|measure| measure.of_chunk(one.file, one.chunk));
            one.score = cosine.unwrap_or_default();
        }
    }

    fn is_definition(&self, at: usize) -> bool {
        matches!(&self.found, Found::Ranked(ranked) if ranked[at].is_definition)
    }

    /// Where a result is: its file and the first of its lines.
    fn place<'a>(&'a self, project: &'a Project, at: usize) -> Option<(&'a str, u32)> {
        match (&self.found, &project.indexed) {
            (Found::Ranked(ranked), Some(indexed)) => {
                let one = &ranked[at];
                Some((
                    &indexed.snapshot.files[one.file].path,
                    start_of(indexed, one),
                ))
            }
            (Found::Seen(seen), _) => Some((&seen[at].1.path, seen[at].1.start_line)),
            (Found::Ranked(_), None) => None,
        }
    }
}

pub fn search(
    context: &Context,
    asked: &Asked<'_>,
    projects: &[Project],
) -> Result<Answered, ToolError> {
    let expression = match asked.mode {
        SearchMode::Keyword => Some(keyword::parse(&asked.params.query)?),
        _ => None,
    };
    let words = expression
        .as_ref()
        .map_or_else(|| asked.params.query.clone(), words_of);
    let search = Search {
        context,
        asked,
        question: Question::new(&words),
        meaning: meaning(context, asked, &words),
        expression,
        words,
    };
    let mut answered = Answered::default();
    let mut parts: Vec<Part> = vec![];
    for (number, project) in projects.iter().enumerate() {
        context.cancel.check()?;
        let (found, coverage) = search.of(project, &mut answered)?;
        parts.push(Part {
            found,
            coverage,
            project: number,
        });
    }
    let coverage = parts
        .iter()
        .map(|part| part.coverage.clone())
        .reduce(QueryCoverage::and)
        .unwrap_or_default();
    // Who asks by meaning alone gets all that is near.
    answered.has_no_match =
        asked.mode == SearchMode::Auto && matches!(coverage, QueryCoverage::Absent(_));
    if answered.has_no_match {
        search.keep_nearest(projects, &mut parts);
    }
    alike(&mut parts);
    let mut order: Vec<(f32, usize, usize)> = vec![];
    for (number, part) in parts.iter().enumerate() {
        order.extend(
            part.scores()
                .into_iter()
                .enumerate()
                .map(|(at, score)| (score, number, at)),
        );
    }
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    // What is asked for by its name comes before all else.
    order.sort_by_key(|(_, part, at)| !parts[*part].is_definition(*at));
    let most = order
        .iter()
        .map(|(score, ..)| *score)
        .fold(f32::MIN_POSITIVE, f32::max);
    // The best of nothing is not the measure of anything.
    let most = if answered.has_no_match { 1.0 } else { most };
    let worth = if answered.has_no_match {
        1.0
    } else {
        search.worth_of_best(projects, &parts)
    };
    if search.expression.is_none() {
        order.retain(|(score, ..)| *score >= LEAST * most);
        order.truncate(if answered.has_no_match {
            MOST_NEAREST
        } else {
            MOST
        });
    }
    answered
        .notes
        .extend(missing_words::note(&coverage, order.is_empty()));
    if answered.has_no_match && search.question.is_symbol() && !asked.filter.is_narrow() {
        answered.advice = missing_words::nearest_names(asked, projects);
    }
    answered.total = order.len() as u64;
    let is_last = |place: &SearchCursor, at: usize| {
        let (_, part, at) = order[at];
        let project = &projects[parts[part].project];
        let Some((path, start_line)) = parts[part].place(project, at) else {
            return false;
        };
        asked.shown_path(project, path) == place.path && start_line == place.start_line
    };
    let offset = asked.offset(is_last, order.len());
    answered.offset = offset as u64;
    let page = &order[offset..order.len().min(offset + asked.params.limit() as usize)];
    let mut shown: Vec<Option<(SearchHit, Evidence)>> = vec![None; page.len()];
    for (number, part) in parts.iter().enumerate() {
        let own = page
            .iter()
            .enumerate()
            .filter(|(_, (_, of, _))| *of == number);
        let own: Vec<(usize, usize)> = own.map(|(place, (_, _, at))| (place, *at)).collect();
        search.show(
            &projects[part.project],
            part,
            &own,
            &mut shown,
            &mut answered.stale,
        )?;
    }
    for ((score, ..), hit) in page.iter().zip(&mut shown) {
        if let Some((hit, _)) = hit {
            hit.score = f64::from((score / most * worth * 1000.0).round()) / 1000.0;
        }
    }
    // Those that went a moment ago are counted as shown, so that the next page begins behind them.
    answered.gone = shown.iter().filter(|hit| hit.is_none()).count() as u64;
    (answered.hits, answered.evidence) = shown.into_iter().flatten().unzip();
    Ok(answered)
}

/// What is asked of every project alike.
struct Search<'a> {
    context: &'a Context<'a>,
    asked: &'a Asked<'a>,
    question: Question,
    meaning: Option<Meaning>,
    expression: Option<Expr>,
    words: String,
}

impl Search<'_> {
    fn of(
        &self,
        project: &Project,
        answered: &mut Answered,
    ) -> Result<(Found, QueryCoverage), ToolError> {
        let Self { context, asked, .. } = self;
        let expression = self.expression.as_ref();
        let Some(indexed) = &project.indexed else {
            let seen = unseen::words(context, asked, project, expression, &self.words, answered)?;
            return Ok((Found::Seen(seen), QueryCoverage::Sufficient));
        };
        let only = only(
            context,
            asked,
            indexed,
            &project.dir,
            expression,
            &mut answered.notes,
        )?;
        let wanted = asked
            .filter
            .wanted(&indexed.snapshot, indexed.folder.as_deref());
        let request = RankRequest {
            question: &self.question,
            meaning: self.meaning.as_ref(),
            is_semantic: asked.mode == SearchMode::Semantic && indexed.snapshot.has_vectors(),
            files: wanted.as_deref(),
            only: only.as_ref(),
            cancel: context.cancel,
        };
        if asked.mode == SearchMode::Semantic && !request.is_semantic {
            let any = context.indexes.shared().models.any();
            let why = if any {
                "there are no vectors yet"
            } else {
                "no vectors are made (`embedder` is none)"
            };
            answered.notes.push(format!("{why}, so this is by words"));
        }
        let mut ranked =
            rank(&indexed.snapshot, &request).map_err(|error| text_index_error(&error))?;
        context.cancel.check()?;
        let coverage = match asked.mode {
            // Who asks for exactly some words gets what was asked for.
            SearchMode::Keyword => QueryCoverage::Sufficient,
            _ => QueryCoverage::measure(&indexed.snapshot, &request, &self.words, &ranked)
                .map_err(|error| text_index_error(&error))?,
        };
        // Whoever asks by meaning asks for no word, but is told where nothing is near.
        let coverage = match coverage {
            QueryCoverage::Partial(_) | QueryCoverage::MeaningOnly(_) if request.is_semantic => {
                QueryCoverage::Sufficient
            }
            coverage => coverage,
        };
        if let Some(kind) = asked
            .filter
            .kind
            .or_else(|| expression.and_then(demanded_kind))
        {
            for one in &mut ranked {
                take_kind(&indexed.snapshot, one, kind);
            }
        }
        if asked.filter.target == SearchTarget::Definitions {
            ranked.retain(|one| one.symbol.is_some());
        }
        if asked.filter.target == SearchTarget::Docs {
            let is_prose = |one: &RankedChunk| {
                indexed.snapshot.files[one.file]
                    .language
                    .is_some_and(|language| language.prose)
            };
            ranked.retain(|one| one.evidence.doc > 0.0 || is_prose(one));
        }
        Ok((Found::Ranked(ranked), coverage))
    }

    /// Leaves what is to be shown where nothing has anything of the question: of a name nothing, since it was asked for.
    fn keep_nearest(&self, projects: &[Project], parts: &mut [Part]) {
        for part in parts {
            match (&projects[part.project].indexed, self.question.kind) {
                (Some(indexed), QueryKind::Words) => {
                    part.keep_nearest(&indexed.snapshot, self.meaning.as_ref());
                }
                _ => part.found = Found::Ranked(vec![]),
            }
        }
    }

    /// What the best result is worth. Where a word speaks for any, it is the measure of the others; where nothing does but
    /// meaning, it is worth as much as it is near.
    fn worth_of_best(&self, projects: &[Project], parts: &[Part]) -> f32 {
        let mut best: Option<(&Snapshot, &RankedChunk)> = None;
        for part in parts {
            let (Found::Ranked(ranked), Some(indexed)) =
                (&part.found, &projects[part.project].indexed)
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
        let near = best.and_then(|(snapshot, one)| {
            self.meaning
                .as_ref()?
                .beside(snapshot)
                .of_chunk(one.file, one.chunk)
        });
        near.map_or(1.0, |near| near.clamp(0.0, 1.0))
    }

    /// Makes some of a part's results ready: `own` has their places on the page and in the part.
    fn show(
        &self,
        project: &Project,
        part: &Part,
        own: &[(usize, usize)],
        shown: &mut [Option<(SearchHit, Evidence)>],
        stale: &mut Vec<String>,
    ) -> Result<(), ToolError> {
        let (indexed, ranked) = match (&project.indexed, &part.found) {
            (Some(indexed), Found::Ranked(ranked)) => (indexed, ranked),
            (_, Found::Seen(seen)) => {
                // Nothing is found there but by its words.
                let evidence = Evidence {
                    body: 1.0,
                    ..Evidence::default()
                };
                for (place, at) in own {
                    shown[*place] = Some((seen[*at].1.clone(), evidence));
                }
                return Ok(());
            }
            (None, Found::Ranked(_)) => return Ok(()),
        };
        let sought = WordMatcher::new(sought(&self.question));
        let queue = Queue::new(own.len(), 1);
        let some = || {
            let largest = self.context.indexes.shared().settings.largest_file;
            let texts = TextCache::new(&project.dir, &indexed.snapshot, largest);
            let showing = Showing {
                snapshot: &indexed.snapshot,
                texts: &texts,
                sought: &sought,
                context: self.asked.params.context_lines,
                is_detailed: self.asked.params.detailed.unwrap_or(false),
                root: self.asked.is_of_many.then_some(project.root.name.as_str()),
            };
            let next = || queue.take().filter(|_| !self.context.cancel.is_cancelled());
            let described = std::iter::from_fn(next).flatten().filter_map(|nth| {
                let (place, at) = own[nth];
                Some((place, at, describe(&showing, &ranked[at])?))
            });
            described.collect::<Vec<_>>()
        };
        let parts = if own.len() < FEW {
            vec![some()]
        } else {
            threads::meanwhile(some, || ()).1
        };
        self.context.cancel.check()?;
        let mut described: Vec<_> = parts.into_iter().flatten().collect();
        described.sort_unstable_by_key(|(place, ..)| *place);
        let index = self.context.indexes.loaded(project.root.id);
        for (place, at, (hit, is_fresh)) in described {
            if let Some(index) = &index {
                index.note_shown(&indexed.snapshot.files[ranked[at].file].path);
            }
            let path = self.asked.shown_path(project, &hit.path);
            if !is_fresh && !stale.contains(&path) {
                stale.push(path);
            }
            shown[place] = Some((hit, ranked[at].evidence));
        }
        Ok(())
    }
}

/// The words that answers to a keyword query may have.
fn words_of(expression: &Expr) -> String {
    let terms = expression.terms();
    let of_text = terms
        .iter()
        .filter(|term| !matches!(term.field, Field::Language | Field::Kind));
    of_text
        .map(|term| term.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Scores of roots with and without an index are not on one scale: the best of each are taken as equal.
fn alike(parts: &mut [Part]) {
    let best = |part: &Part| part.scores().into_iter().fold(0.0, f32::max);
    let ranked = parts
        .iter()
        .filter(|part| matches!(part.found, Found::Ranked(_)))
        .map(best)
        .fold(0.0, f32::max);
    for part in parts {
        let own = best(part);
        if let Found::Seen(seen) = &mut part.found
            && own > 0.0
        {
            let by = if ranked > 0.0 { ranked } else { 1.0 } / own;
            for (score, _) in seen {
                *score *= by;
            }
        }
    }
}

/// The words of a question, those together that are forms of one.
fn sought(question: &Question) -> Vec<Vec<&str>> {
    let concepts = question.concepts.iter();
    concepts
        .map(|concept| {
            concept
                .forms
                .iter()
                .map(|(form, _)| form.as_str())
                .collect()
        })
        .collect()
}

/// The kind that all answers to a keyword query are of.
fn demanded_kind(expression: &Expr) -> Option<SymbolKind> {
    match expression {
        Expr::Term(term) if term.field == Field::Kind => {
            SymbolKind::from_word(&term.text.to_lowercase())
        }
        Expr::All(parts) => parts.iter().find_map(demanded_kind),
        _ => None,
    }
}

/// Shows the symbol of a kind that a chunk was taken for, not another that it has as well.
fn take_kind(snapshot: &Snapshot, one: &mut RankedChunk, kind: SymbolKind) {
    let outline = &snapshot.files[one.file].outline;
    let (symbols, chunk) = (&outline.symbols, &outline.chunks[one.chunk]);
    if one
        .symbol
        .is_some_and(|symbol| symbols[symbol].kind == kind)
    {
        return;
    }
    let is_in = |symbol: &Symbol| {
        chunk.start_byte <= symbol.start_byte && symbol.start_byte < chunk.end_byte
    };
    let inside = symbols
        .iter()
        .position(|symbol| symbol.kind == kind && is_in(symbol));
    let around = || {
        let until = symbols.partition_point(|symbol| symbol.start_byte <= chunk.start_byte);
        symbols[..until]
            .iter()
            .rposition(|symbol| symbol.kind == kind && symbol.end_byte > chunk.start_byte)
    };
    one.is_definition = false;
    one.symbol = inside.or_else(around);
}

fn start_of(indexed: &Indexed, one: &RankedChunk) -> u32 {
    let outline = &indexed.snapshot.files[one.file].outline;
    let symbol = one
        .symbol
        .filter(|_| one.is_definition)
        .and_then(|symbol| outline.symbols.get(symbol));
    symbol.map_or_else(
        || outline.chunks[one.chunk].start_line,
        |symbol| symbol.start_line,
    )
}

/// What the question means; none where it is not to be asked by meaning, or no model answers.
fn meaning(context: &Context, asked: &Asked<'_>, words: &str) -> Option<Meaning> {
    (asked.mode != SearchMode::Keyword).then(|| context.indexes.shared().models.question(words))?
}

/// Exactly these chunks, where a keyword query or a kind says so.
fn only(
    context: &Context,
    asked: &Asked<'_>,
    indexed: &Indexed,
    dir: &RootDir,
    expression: Option<&Expr>,
    notes: &mut Vec<String>,
) -> Result<Option<ChunkSet>, ToolError> {
    let snapshot = &*indexed.snapshot;
    let of_kind = asked
        .filter
        .kind
        .map(|kind| chunks_defining(snapshot, kind));
    let (Some(expression), Some(view)) = (expression, &snapshot.text) else {
        return Ok(of_kind);
    };
    let lexical =
        LexicalSearcher::new(view, snapshot.size()).map_err(|error| text_index_error(&error))?;
    let keyword = KeywordSearch {
        snapshot,
        lexical: &lexical,
        dir,
        largest_file: context.indexes.shared().settings.largest_file,
        cancel: context.cancel,
        unverified: RefCell::new(false),
    };
    let found = keyword.find(expression)?;
    if *keyword.unverified.borrow() {
        notes.push("some matches were not read again for the phrase: narrow the query".to_owned());
    }
    Ok(Some(match of_kind {
        Some(of_kind) => found.and(&of_kind),
        None => found,
    }))
}
