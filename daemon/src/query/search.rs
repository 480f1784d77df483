//! `search`: one question, asked of one root or of all, in the way that its mode says.

mod exhaustive;
mod filter;
mod ranked;
mod shown;
mod unseen;

use std::time::Instant;

use claudevil_protocol::model::Params;
use claudevil_protocol::model::freshness::Freshness;
use claudevil_protocol::model::search::{Search, SearchHit, SearchMode, SearchPlace, SearchResults};
use claudevil_protocol::{ErrorCode, ToolError};

use self::filter::Filter;
use super::Context;
use super::indexed::{self, Indexed};
use crate::roots::Place;
use crate::search::syntax;
use crate::store::roots::RootRecord;

pub use self::shown::{Showing, describe};

/// A question with everything in it understood.
pub struct Asked<'a> {
    pub params: &'a Search,
    pub mode: SearchMode,
    pub filter: Filter,
    after: Option<SearchPlace>,
    /// Several roots are asked: each result says which it is of.
    pub is_of_many: bool,
}

/// Where to look.
pub struct Project {
    pub root: RootRecord,
    pub folder: Option<String>,
    /// None for a root that has never been indexed to its end.
    pub indexed: Option<Indexed>,
}

/// What one or all roots have: a page of hits, and how many there are.
#[derive(Default)]
pub struct Answered {
    pub hits: Vec<SearchHit>,
    pub total: u64,
    /// How many come before the page.
    pub offset: u64,
    pub coverage: Option<claudevil_protocol::model::search::Coverage>,
    /// Files of the page that went while it was made.
    pub gone: u64,
    /// What to know of the answer.
    pub notes: Vec<String>,
    /// Files that changed while they were looked at.
    pub stale: Vec<String>,
}

pub fn search(context: &Context, params: &Search) -> Result<SearchResults, ToolError> {
    let started = Instant::now();
    let places = context.roots.resolve_all(context.call)?;
    let is_of_many = context.call.project.as_ref().is_some_and(|project| project.root == "*");
    if places.is_empty() {
        return Err(ToolError::new(ErrorCode::RootNotFound, "no roots are known yet")
            .with_hint("manage_roots {\"action\":\"add\",\"path\":\"…\"} adds one"));
    }
    let asked = Asked {
        params,
        mode: mode(params),
        filter: Filter::new(params)?,
        after: params.cursor.as_deref().map(cursor).transpose()?,
        is_of_many,
    };
    let (projects, mut freshness) = projects(context, places, &asked)?;
    let answered = match asked.mode {
        SearchMode::Literal | SearchMode::Regex => exhaustive::search(context, &asked, &projects)?,
        _ => ranked::search(context, &asked, &projects)?,
    };
    // Not before: its indexing takes all cores, and somebody waits for this answer.
    for project in projects.iter().filter(|project| project.indexed.is_none()) {
        context.indexes.warm(&project.root)?;
    }
    let mut notes: Vec<String> = freshness.note.take().into_iter().collect();
    notes.extend(answered.notes);
    freshness.note = (!notes.is_empty()).then(|| notes.join("; "));
    let freshness = freshness.with_stale(answered.stale);
    let (root, root_name, folder) = match &projects[..] {
        [only] if !is_of_many => (only.root.path.clone(), only.root.name.clone(), only.folder.clone()),
        _ => ("*".to_owned(), "all roots".to_owned(), None),
    };
    let shown = answered.offset + answered.hits.len() as u64 + answered.gone;
    let mut results = SearchResults {
        root,
        root_name,
        folder,
        max_tokens: params.shared().max_tokens,
        freshness,
        query: params.query.clone(),
        mode: asked.mode,
        target: params.target.unwrap_or_default(),
        language: asked.filter.language.map(|language| language.id.to_owned()),
        path: params.path.clone(),
        kind: params.kind,
        context_lines: params.context_lines,
        detailed: params.detailed.unwrap_or(false),
        remaining: answered.total.saturating_sub(shown),
        total: answered.total,
        coverage: answered.coverage,
        offset: answered.offset,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        advice: answered.hits.is_empty().then(|| advice(&asked)),
        results: answered.hits,
        elapsed_ms: (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
    };
    results.set_cursor();
    Ok(results)
}

fn mode(params: &Search) -> SearchMode {
    match params.mode.unwrap_or_default() {
        SearchMode::Auto if syntax::has_operators(&params.query) => SearchMode::Keyword,
        mode => mode,
    }
}

/// The roots that can be asked, and how far what they say can be trusted. Of many, those that are away are left out.
fn projects(context: &Context, places: Vec<Place>, asked: &Asked<'_>) -> Result<(Vec<Project>, Freshness), ToolError> {
    let mut projects = vec![];
    let mut freshness = Freshness::default();
    let mut away: Vec<String> = vec![];
    for place in places {
        let name = place.root.name.clone();
        match project(context, place) {
            Ok(project) => {
                if let Some(indexed) = &project.indexed {
                    merge(&mut freshness, &indexed.freshness, asked.is_of_many.then_some(&name));
                } else {
                    let progress = context.indexes.loaded(project.root.id).map(|index| index.progress());
                    freshness.partial = Some(indexed::shown(&progress.unwrap_or_default()));
                }
                projects.push(project);
            }
            Err(error) if asked.is_of_many && error.code != ErrorCode::Cancelled => away.push(name),
            Err(error) => return Err(error),
        }
    }
    if !away.is_empty() {
        let note = format!("not searched, because they cannot be opened: {}", away.join(", "));
        freshness.note = Some(freshness.note.map_or_else(|| note.clone(), |before| format!("{before}; {note}")));
    }
    Ok((projects, freshness))
}

fn project(context: &Context, place: Place) -> Result<Project, ToolError> {
    if context.indexes.is_new(&place.root) {
        return Ok(Project { root: place.root, folder: place.folder, indexed: None });
    }
    let indexed = Indexed::at(context, place)?;
    Ok(Project { root: indexed.root.clone(), folder: indexed.folder.clone(), indexed: Some(indexed) })
}

fn merge(all: &mut Freshness, one: &Freshness, name: Option<&String>) {
    let named = |text: &String| name.map_or_else(|| text.clone(), |name| format!("{name}/{text}"));
    if all.partial.is_none() {
        all.partial.clone_from(&one.partial);
    }
    all.stale_total += one.stale_total;
    let room = Freshness::STALE_SHOWN.saturating_sub(all.stale.len());
    all.stale.extend(one.stale.iter().take(room).map(named));
    if let Some(note) = &one.note {
        let note = name.map_or_else(|| note.clone(), |name| format!("{name}: {note}"));
        all.note = Some(all.note.take().map_or_else(|| note.clone(), |before| format!("{before}; {note}")));
    }
}

impl Asked<'_> {
    /// How many of a list come before the page: behind the last of the page before, wherever it is now.
    pub fn offset(&self, is_last: impl Fn(&SearchPlace, usize) -> bool, length: usize) -> usize {
        let Some(after) = &self.after else { return 0 };
        let before = usize::try_from(after.before).unwrap_or(usize::MAX).min(length);
        if before > 0 && is_last(after, before - 1) {
            return before;
        }
        (0..length).find(|at| is_last(after, *at)).map_or(before, |at| at + 1)
    }

    /// The path of a file, with its root where several are asked.
    pub fn shown_path(&self, project: &Project, path: &str) -> String {
        if self.is_of_many { format!("{}/{path}", project.root.name) } else { path.to_owned() }
    }

    pub fn before(&self) -> u64 {
        self.after.as_ref().map_or(0, |after| after.before)
    }
}

/// Where a page of results ended.
pub fn cursor(text: &str) -> Result<SearchPlace, ToolError> {
    SearchPlace::decode(text).ok_or_else(|| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool"))
            .with_hint("pass the cursor of the last answer, or none to begin anew")
    })
}

fn advice(asked: &Asked<'_>) -> String {
    let narrowed = asked.filter.is_narrow();
    let wider = if narrowed { "drop `path`, `language`, `kind` or `target`; " } else { "" };
    let other = match asked.mode {
        SearchMode::Literal => "mode auto finds words in any order and case; mode regex takes (?i)",
        SearchMode::Regex => "mode literal takes the text as it stands; mode auto finds words in any order and case",
        SearchMode::Keyword => "fewer words or OR between them find more; mode auto ranks what comes nearest",
        SearchMode::Auto | SearchMode::Semantic => "other words, or find_symbol with a part of the name",
    };
    format!("nothing found: {wider}{other}")
}
