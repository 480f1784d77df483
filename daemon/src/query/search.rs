//! `search`: one question, asked of one root or of all, in the way that its mode says.

mod exhaustive;
mod filter;
mod missing_words;
mod ranked;
mod shown;
mod unseen;

use std::sync::Arc;
use std::time::{Duration, Instant};

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::{SearchCursor, SearchHit};
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::text::{Line, NextCall};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::search::{Search, SearchMode, SearchResults};
use claudevil_protocol::{ErrorCode, ToolError};

use self::filter::Filter;
use super::indexed::{self, Indexed, report_to};
use super::{Context, several};
use crate::index::ScanPermit;
use crate::index::snapshot::Snapshot;
use crate::roots::Place;
use crate::search::rank::Evidence;
use crate::search::syntax;
use crate::source::beneath::RootDir;
use crate::source::globs::relative;
use crate::store::roots::RootRecord;
use crate::threads::Share;

pub use self::shown::{Showing, describe};

/// How long a search may go through files, for the walk and the search together. Less than the deadline of the call, so
/// that what was found by then is still answered.
const TIME: Duration = Duration::from_secs(20);

/// A question with everything in it understood.
pub struct Asked<'a> {
    pub params: &'a Search,
    pub mode: SearchMode,
    pub filter: Filter,
    after: Option<SearchCursor>,
    /// Several roots are asked: each result says which it is of.
    pub is_of_many: bool,
}

/// Where to look.
pub struct Project {
    pub root: RootRecord,
    pub folder: Option<String>,
    /// Open as long as it is asked: a folder that goes meanwhile has nothing left to show, which is no error.
    pub dir: RootDir,
    /// None for a root that has never been indexed to its end.
    pub indexed: Option<Indexed>,
    /// Held while the files are scanned instead of an index that is being made.
    scan: Option<ScanPermit>,
}

impl Project {
    /// What is indexed: everything, or what a first index has so far.
    fn snapshot(&self, context: &Context) -> Arc<Snapshot> {
        match &self.indexed {
            Some(indexed) => Arc::clone(&indexed.snapshot),
            None => context
                .indexes
                .loaded(self.root.id)
                .map(|index| index.snapshot())
                .unwrap_or_default(),
        }
    }

    /// A scan leaves processors to the indexing that runs beside it.
    fn share(&self) -> Share {
        if self.scan.is_some() {
            Share::One
        } else {
            Share::All
        }
    }

    /// The index is the tree as it is now.
    fn is_current(&self) -> bool {
        self.indexed
            .as_ref()
            .is_some_and(|indexed| indexed.is_current)
    }
}

/// What one or all roots have: a page of hits, and how many there are.
#[derive(Default)]
pub struct Answered {
    pub hits: Vec<SearchHit>,
    /// What speaks for each hit of a ranking.
    pub evidence: Vec<Evidence>,
    /// Nothing speaks for the hits but that they are nearest.
    pub has_no_match: bool,
    pub total: u64,
    /// How many come before the page.
    pub offset: u64,
    pub coverage: Option<claudevil_protocol::tools::search::Coverage>,
    /// Files of the page that went while it was made.
    pub gone: u64,
    /// What to know of the answer.
    pub notes: Vec<String>,
    /// What to try instead, where it is better than what is said of all.
    pub advice: Option<Line>,
    /// Files that changed while they were looked at.
    pub stale: Vec<String>,
    /// Not every file could be searched.
    pub is_incomplete: bool,
}

impl Answered {
    fn note_unreadable(&mut self, paths: &[String]) {
        if let Some((first, more)) = paths.split_first() {
            let more = if more.is_empty() {
                String::new()
            } else {
                format!(" and {} more", more.len())
            };
            self.notes.push(format!(
                "not searched, because it cannot be read: {first}{more}"
            ));
        }
    }
}

/// The results, and what those who build on them need to know besides.
pub struct Judged {
    pub results: SearchResults,
    /// What speaks for each.
    pub evidence: Vec<Evidence>,
    /// Nothing speaks for them but that they are nearest.
    pub has_no_match: bool,
}

pub fn search(context: &Context, params: &Search) -> Result<SearchResults, ToolError> {
    Ok(judged(context, params)?.results)
}

pub fn judged(context: &Context, params: &Search) -> Result<Judged, ToolError> {
    let started = Instant::now();
    let mut places = context.roots.resolve_all(context.call)?;
    let is_of_many = several::asks_all(context);
    if places.is_empty() {
        return Err(
            ToolError::new(ErrorCode::RootNotFound, "no roots are known yet").with_hint(
                Line::from(
                    NextCall::new("manage_roots")
                        .with("action", "add")
                        .with("path", "…"),
                )
                .text(" adds one"),
            ),
        );
    }
    let owner = params.path.as_deref().and_then(|glob| owner(&places, glob));
    if let Some(owner) = &owner {
        places.retain(|place| place.root.path == *owner);
    }
    let asked = Asked {
        params,
        mode: mode(params),
        filter: Filter::new(params, owner.as_deref())?,
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
    if answered.is_incomplete && answered.total == 0 && !is_of_many {
        return Err(out_of_time(&answered));
    }
    for note in answered.notes {
        freshness.add_note(note);
    }
    let freshness = freshness.with_stale(answered.stale);
    let is_behind = freshness.is_unfinished() || freshness.stale_total > 0;
    let (root, root_name, folder) = match &projects[..] {
        [only] if !is_of_many => (
            only.root.path.clone(),
            only.root.name.clone(),
            only.folder.clone(),
        ),
        _ => ("*".to_owned(), "all roots".to_owned(), None),
    };
    let shown = answered.offset + answered.hits.len() as u64 + answered.gone;
    let mut results = SearchResults {
        root,
        root_name,
        folder,
        max_tokens: params.common().max_tokens,
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
        advice: answered.hits.is_empty().then(|| {
            let is_unfinished = answered.is_incomplete || is_behind;
            let advised = || {
                answered.advice.unwrap_or_else(|| {
                    if is_unfinished {
                        NOT_YET.into()
                    } else {
                        advice(&asked)
                    }
                })
            };
            no_such_files(&asked, &projects).unwrap_or_else(advised)
        }),
        results: answered.hits,
        elapsed_ms: (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
    };
    results.set_cursor();
    Ok(Judged {
        results,
        evidence: answered.evidence,
        has_no_match: answered.has_no_match,
    })
}

/// The advice of a search over several roots, of which one could not be searched to its end.
const NOT_YET: &str =
    "nothing found so far: not every file has been searched; ask again in a few seconds";

/// Nothing was found, but not every file was searched.
fn out_of_time(answered: &Answered) -> ToolError {
    let searched = answered
        .coverage
        .as_ref()
        .map_or(0, |coverage| coverage.searched);
    let message = format!(
        "nothing found in the {} that could be searched in time",
        count(searched, "file")
    );
    ToolError::new(ErrorCode::Cancelled, message).with_hint(
        Line::new().words("narrow the search with `path` or `language`, or use a simpler pattern"),
    )
}

/// The root in which an absolute glob lies: the innermost, where one has another in it.
fn owner(places: &[Place], glob: &str) -> Option<String> {
    let owners = places
        .iter()
        .map(|place| &place.root.path)
        .filter(|root| relative(root, glob).is_some());
    owners.max_by_key(|root| root.len()).cloned()
}

fn mode(params: &Search) -> SearchMode {
    match params.mode.unwrap_or_default() {
        SearchMode::Auto if syntax::has_operators(&params.query) => SearchMode::Keyword,
        mode => mode,
    }
}

/// The roots that can be asked, and how far what they say can be trusted. Of many, those that are away are left out.
fn projects(
    context: &Context,
    places: Vec<Place>,
    asked: &Asked<'_>,
) -> Result<(Vec<Project>, Freshness), ToolError> {
    let (projects, away) = several::open(context, places, |place| project(context, place, asked))?;
    let mut freshness = Freshness::default();
    for project in &projects {
        if asked.mode.is_exhaustive() && !project.is_current() {
            // Searched in the tree itself, so it does not matter what the index lacks.
            continue;
        }
        if let Some(indexed) = &project.indexed {
            let name = asked.is_of_many.then_some(project.root.name.as_str());
            several::merge(&mut freshness, &indexed.freshness, name);
        } else {
            let progress = context
                .indexes
                .loaded(project.root.id)
                .map(|index| index.progress());
            freshness.partial = Some(indexed::shown(&progress.unwrap_or_default()));
        }
    }
    several::note_away(&mut freshness, &away);
    Ok((projects, freshness))
}

fn project(context: &Context, place: Place, asked: &Asked<'_>) -> Result<Project, ToolError> {
    // First: what is known of a root that is away would still be there.
    let dir = RootDir::open(place.root.path.as_ref(), &place.root.name)?;
    if context.indexes.is_new(&place.root) {
        let permit = context
            .indexes
            .wait_for_scan(&place.root, report_to(context))?;
        if context.indexes.is_new(&place.root) {
            return Ok(Project {
                root: place.root,
                folder: place.folder,
                dir,
                indexed: None,
                scan: permit,
            });
        }
    }
    let (root, folder) = (place.root.clone(), place.folder.clone());
    let indexed = if asked.mode.needs_vectors() {
        Indexed::with_vectors(context, place)
    } else {
        Indexed::at(context, place)
    };
    let indexed = match indexed {
        // Without an index the files are searched.
        Err(error) if error.code == ErrorCode::Indexing && asked.mode.is_exhaustive() => None,
        indexed => Some(indexed?),
    };
    Ok(Project {
        root,
        folder,
        dir,
        indexed,
        scan: None,
    })
}

impl Asked<'_> {
    /// How many of a list come before the page: behind the last of the page before, wherever it is now.
    pub fn offset(&self, is_last: impl Fn(&SearchCursor, usize) -> bool, length: usize) -> usize {
        let Some(after) = &self.after else { return 0 };
        let before = usize::try_from(after.before)
            .unwrap_or(usize::MAX)
            .min(length);
        if before > 0 && is_last(after, before - 1) {
            return before;
        }
        (0..length)
            .find(|at| is_last(after, *at))
            .map_or(before, |at| at + 1)
    }

    /// The path of a file, with its root where several are asked.
    pub fn shown_path(&self, project: &Project, path: &str) -> String {
        if self.is_of_many {
            format!("{}/{path}", project.root.name)
        } else {
            path.to_owned()
        }
    }

    pub fn before(&self) -> u64 {
        self.after.as_ref().map_or(0, |after| after.before)
    }
}

/// Where a page of results ended.
pub fn cursor(text: &str) -> Result<SearchCursor, ToolError> {
    SearchCursor::decode(text).ok_or_else(|| {
        ToolError::invalid_argument(format!("cursor `{text}` is not one of this tool")).with_hint(
            Line::new().words("pass the `cursor` of the last answer, or none to start over"),
        )
    })
}

/// That the glob matches no file, and so nothing could be found whatever the words are.
fn no_such_files(asked: &Asked<'_>, projects: &[Project]) -> Option<Line> {
    let glob = asked.params.path.as_deref()?;
    let mut indexed = projects
        .iter()
        .map(|project| Some((project, project.indexed.as_ref()?)));
    let has_none = |(project, indexed): (&Project, &Indexed)| {
        let is_whole = indexed.freshness.partial.is_none();
        let folder = project.folder.as_deref();
        is_whole
            && !indexed
                .snapshot
                .files
                .iter()
                .any(|file| asked.filter.is_at(&file.path, folder))
    };
    indexed
        .all(|project| project.is_some_and(has_none))
        .then(|| {
            Line::from("nothing found: no file matches ")
                .either("`path` ", "")
                .name(glob)
                .text("; ")
                .call(NextCall::new("list_files"))
                .text(" shows which files there are")
        })
}

fn advice(asked: &Asked<'_>) -> Line {
    let line = Line::from("nothing found: ");
    let line = if asked.filter.is_narrow() {
        line.words("drop `path`, `language`, `kind` or `target`; ")
    } else {
        line
    };
    match asked.mode {
        SearchMode::Literal => line
            .mode("auto")
            .text(" finds words in any order and case; ")
            .mode("regex")
            .text(" takes (?i)"),
        SearchMode::Regex => line
            .mode("literal")
            .text(" takes the text as it is; ")
            .mode("auto")
            .text(" finds words in any order and case"),
        SearchMode::Keyword => line
            .text("fewer words, or OR between them, find more; ")
            .mode("auto")
            .text(" ranks what comes nearest"),
        SearchMode::Auto | SearchMode::Semantic => line
            .text("try other words, or ")
            .call(NextCall::new("find_symbol"))
            .text(" with a part of the name"),
    }
}
