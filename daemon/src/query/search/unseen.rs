//! Answers about a root whose index is not there yet, out of its files alone.

use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::model::search::SearchHit;

use super::{Answered, Asked, Project};
use crate::query::Context;
use crate::search::grep::{Outcome, Request};
use crate::search::scan;
use crate::source::beneath::RootDir;
use crate::source::globs::Globs;
use crate::source::walk::{Rules, WalkedFile};

/// For the walk and the search together.
const TIME: Duration = Duration::from_millis(250);

pub fn words(
    context: &Context,
    asked: &Asked<'_>,
    project: &Project,
    answered: &mut Answered,
) -> Result<(), ToolError> {
    let started = Instant::now();
    answered.notes.push("this project is new: ranked by words alone, without symbols, until its index is there".into());
    let Some(question) = scan::Question::new(&asked.params.query) else { return Ok(()) };
    let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
    let seen = scan::files(project.root.path.as_ref(), &rules(project)?, TIME, context.cancel)?;
    let folder = project.folder.as_deref();
    let wanted = |file: &WalkedFile| asked.filter.takes_path(&file.path, folder);
    let scanning = scan::Asked {
        question: &question,
        limit: asked.params.limit() as usize,
        largest_file: context.indexes.shared().settings.largest_file,
        within: TIME.saturating_sub(started.elapsed()),
        cancel: context.cancel,
    };
    let found = scan::words(&dir, &seen.files, &wanted, &scanning)?;
    if !found.complete || !seen.is_whole {
        answered.notes.push(format!("{} of {} files could be looked at in time", found.searched, seen.files.len()));
    }
    let most = found.windows.iter().map(|window| window.score).fold(f32::MIN_POSITIVE, f32::max);
    answered.total += found.windows.len() as u64;
    for window in found.windows {
        let (snippet_lines, lines): (Vec<u32>, Vec<String>) = window.lines.into_iter().unzip();
        answered.hits.push(SearchHit {
            root: asked.is_of_many.then(|| project.root.name.clone()),
            path: window.path,
            start_line: window.start_line,
            end_line: window.end_line,
            score: f64::from((window.score / most * 1000.0).round()) / 1000.0,
            snippet: lines.join("\n"),
            snippet_lines,
            ..SearchHit::default()
        });
    }
    Ok(())
}

pub fn lines(asked: &Asked<'_>, project: &Project, request: &Request<'_>) -> Result<Outcome<WalkedFile>, ToolError> {
    let dir = RootDir::open(project.root.path.as_ref(), &project.root.name)?;
    let seen = scan::files(project.root.path.as_ref(), &rules(project)?, TIME, request.cancel)?;
    let folder = project.folder.as_deref();
    let wanted = |file: &WalkedFile| asked.filter.takes_path(&file.path, folder);
    scan::lines(&dir, &seen, &wanted, request)
}

fn rules(project: &Project) -> Result<Rules, ToolError> {
    Ok(Rules { include: Globs::new(&project.root.include)?, exclude: Globs::new(&project.root.exclude)? })
}
