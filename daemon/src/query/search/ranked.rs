//! The best places: by words, names, paths and meaning; of a keyword query exactly those that match.

use std::cell::RefCell;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::search::{SearchHit, SearchMode, SearchPlace, SearchTarget};

use super::{Answered, Asked, Project, Showing, describe, unseen};
use crate::index::vectors::Probe;
use crate::query::Context;
use crate::query::indexed::Indexed;
use crate::search::chunk_set::ChunkSet;
use crate::search::keyword::{Keyword, defining, internal};
use crate::search::lexical::Lexical;
use crate::search::question::Question;
use crate::search::rank::{Ranked, Request, rank};
use crate::search::syntax::{self, Field};
use crate::search::texts::Texts;
use crate::source::beneath::RootDir;

/// What is far behind the best is not worth a page.
const LEAST: f32 = 0.1;
const MOST: usize = 300;

/// A root's part of the answer.
struct Part {
    ranked: Vec<Ranked>,
    /// Which project.
    project: usize,
}

pub fn search(context: &Context, asked: &Asked<'_>, projects: &[Project]) -> Result<Answered, ToolError> {
    let mut answered = Answered::default();
    let expression = match asked.mode {
        SearchMode::Keyword => Some(syntax::parse(&asked.params.query)?),
        _ => None,
    };
    let words = match &expression {
        Some(expression) => {
            let terms = expression.terms();
            let of_text = terms.iter().filter(|term| !matches!(term.field, Field::Language | Field::Kind));
            of_text.map(|term| term.text.as_str()).collect::<Vec<_>>().join(" ")
        }
        None => asked.params.query.clone(),
    };
    let question = Question::new(&words);
    let probe = probe(context, asked, &words);
    let mut parts: Vec<Part> = vec![];
    for (number, project) in projects.iter().enumerate() {
        context.cancel.check()?;
        let Some(indexed) = &project.indexed else {
            unseen::words(context, asked, project, &mut answered)?;
            continue;
        };
        let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
        let texts = Texts::new(&dir, &indexed.snapshot, context.indexes.shared().settings.largest_file);
        let only = only(context, asked, indexed, &texts, expression.as_ref(), &mut answered.notes)?;
        let wanted = asked.filter.wanted(&indexed.snapshot, indexed.folder.as_deref());
        let request = Request {
            question: &question,
            probe: probe.as_ref(),
            is_semantic: asked.mode == SearchMode::Semantic && indexed.snapshot.coverage().vectors > 0,
            is_wanted: wanted.as_deref(),
            only: only.as_ref(),
        };
        if asked.mode == SearchMode::Semantic && !request.is_semantic {
            let why = match context.indexes.shared().vectors {
                Some(_) => "there are no vectors yet",
                None => "no vectors are made (`embedder` is none)",
            };
            answered.notes.push(format!("{why}, so this is by words"));
        }
        let mut ranked = rank(&indexed.snapshot, &request).map_err(internal)?;
        if asked.filter.target == SearchTarget::Definitions {
            ranked.retain(|one| one.symbol.is_some());
        }
        if asked.filter.target == SearchTarget::Docs {
            let is_prose =
                |one: &Ranked| indexed.snapshot.files[one.file].language.is_some_and(|language| language.prose);
            ranked.retain(|one| one.evidence.doc > 0.0 || is_prose(one));
        }
        parts.push(Part { ranked, project: number });
    }
    let mut order: Vec<(f32, usize, usize)> = vec![];
    for (number, part) in parts.iter().enumerate() {
        order.extend(part.ranked.iter().enumerate().map(|(at, one)| (one.score, number, at)));
    }
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    // What is asked for by its name comes before all else.
    order.sort_by_key(|(_, part, at)| !parts[*part].ranked[*at].is_definition);
    let most = order.iter().map(|(score, ..)| *score).fold(f32::MIN_POSITIVE, f32::max);
    if expression.is_none() {
        order.retain(|(score, ..)| *score >= LEAST * most);
        order.truncate(MOST);
    }
    let found = answered.hits.len();
    answered.total += order.len() as u64;
    let is_last = |place: &SearchPlace, at: usize| {
        let (_, part, at) = order[at];
        let one = &parts[part].ranked[at];
        let project = &projects[parts[part].project];
        let Some(indexed) = &project.indexed else { return false };
        let file = &indexed.snapshot.files[one.file];
        let path = if asked.is_of_many { format!("{}/{}", project.root.name, file.path) } else { file.path.clone() };
        path == place.path && start_of(indexed, one) == place.start_line
    };
    let offset = asked.offset(is_last, order.len());
    answered.offset = offset as u64;
    let limit = (asked.params.limit() as usize).saturating_sub(found);
    let page: Vec<(f32, usize, usize)> = order.into_iter().skip(offset).take(limit).collect();
    let mut shown: Vec<Option<SearchHit>> = vec![None; page.len()];
    for (number, part) in parts.iter().enumerate() {
        let project = &projects[part.project];
        let Some(indexed) = &project.indexed else { continue };
        let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
        let texts = Texts::new(&dir, &indexed.snapshot, context.indexes.shared().settings.largest_file);
        let showing = Showing {
            snapshot: &indexed.snapshot,
            texts: &texts,
            sought: question.sought().collect(),
            context: asked.params.context_lines,
            is_detailed: asked.params.detailed.unwrap_or(false),
            root: asked.is_of_many.then_some(project.root.name.as_str()),
        };
        for (place, (score, of, at)) in page.iter().enumerate().filter(|(_, (_, of, _))| *of == number) {
            let _ = of;
            if let Some((mut hit, is_fresh)) = describe(&showing, &part.ranked[*at]) {
                hit.score = f64::from((score / most * 1000.0).round()) / 1000.0;
                if !is_fresh {
                    answered.stale.push(hit.path.clone());
                }
                shown[place] = Some(hit);
            }
        }
    }
    answered.hits.extend(shown.into_iter().flatten());
    Ok(answered)
}

fn start_of(indexed: &Indexed, one: &Ranked) -> u32 {
    let outline = &indexed.snapshot.files[one.file].outline;
    let symbol = one.symbol.filter(|_| one.is_definition).and_then(|symbol| outline.symbols.get(symbol));
    symbol.map_or_else(|| outline.chunks[one.chunk].start_line, |symbol| symbol.start_line)
}

/// The question as a vector; none where it is not to be asked by meaning, or no model answers.
fn probe(context: &Context, asked: &Asked<'_>, words: &str) -> Option<Probe> {
    if asked.mode == SearchMode::Keyword {
        return None;
    }
    let vectors = context.indexes.shared().vectors.as_ref()?;
    match vectors.embedder.query(words) {
        Ok(vector) => Probe::new(&vector),
        Err(error) => {
            tracing::warn!(%error, "a question could not be embedded");
            None
        }
    }
}

/// Exactly these chunks, where a keyword query or a kind says so.
fn only(
    context: &Context,
    asked: &Asked<'_>,
    indexed: &Indexed,
    texts: &Texts<'_>,
    expression: Option<&syntax::Expr>,
    notes: &mut Vec<String>,
) -> Result<Option<ChunkSet>, ToolError> {
    let snapshot = &*indexed.snapshot;
    let of_kind = asked.filter.kind.map(|kind| defining(snapshot, kind));
    let (Some(expression), Some(view)) = (expression, &snapshot.text) else { return Ok(of_kind) };
    let chunks = snapshot.files.iter().map(|file| file.outline.chunks.len()).sum();
    let lexical = Lexical::new(view, chunks, 0).map_err(internal)?;
    let keyword =
        Keyword { snapshot, lexical: &lexical, texts, cancel: context.cancel, unverified: RefCell::new(false) };
    let found = keyword.find(expression)?;
    if *keyword.unverified.borrow() {
        notes.push("some matches were not read again for the phrase: narrow the query".to_owned());
    }
    Ok(Some(match of_kind {
        Some(of_kind) => found.and(&of_kind),
        None => found,
    }))
}
