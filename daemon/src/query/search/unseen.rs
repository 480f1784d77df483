//! Answers about a root whose index is not there yet, out of its files alone.

use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::model::search::{SearchHit, SearchTarget};

use super::{Answered, Asked, Project};
use crate::lang::{self, Detection};
use crate::query::Context;
use crate::query::list_files::rules_of;
use crate::search::grep::opened::{Opened, Reader};
use crate::search::grep::{Outcome, Request};
use crate::search::path_term::PathTerm;
use crate::search::scan;
use crate::search::syntax::{Expr, Field, Probe};
use crate::source::walk::WalkedFile;
use crate::store::text::{parts, words as words_of};

/// For the walk and the search together.
const TIME: Duration = Duration::from_millis(250);
/// Files that are looked at for a keyword query, of which it may leave out most.
const MOST: usize = 100;

pub const NO_SYMBOLS: &str = "without an index symbols are not known: kinds and definitions are not told apart yet";

/// The best places by words; of a keyword query those of files that it matches as a whole.
pub fn words(
    context: &Context,
    asked: &Asked<'_>,
    project: &Project,
    expression: Option<&Expr>,
    words: &str,
    answered: &mut Answered,
) -> Result<Vec<(f32, SearchHit)>, ToolError> {
    let started = Instant::now();
    answered.notes.push("this project is new: ranked by words alone, without symbols, until its index is there".into());
    if asked.filter.kind.is_some() || asked.filter.target == SearchTarget::Definitions {
        answered.notes.push(NO_SYMBOLS.to_owned());
    }
    let Some(question) = scan::Question::new(words) else { return Ok(vec![]) };
    let seen = scan::files(project.root.path.as_ref(), &rules_of(&project.root)?, TIME, context.cancel)?;
    let folder = project.folder.as_deref();
    let wanted = |file: &WalkedFile| asked.filter.takes_path(&file.path, folder);
    let largest_file = context.indexes.shared().settings.largest_file;
    // One more than is shown tells whether there is more.
    let shown = usize::try_from(asked.before()).unwrap_or(MOST).saturating_add(asked.params.limit() as usize + 1);
    let scanning = scan::Asked {
        question: &question,
        limit: if expression.is_some() { MOST.max(shown) } else { shown }.min(super::ranked::MOST),
        largest_file,
        within: TIME.saturating_sub(started.elapsed()),
        cancel: context.cancel,
    };
    let mut found = scan::words(&project.dir, &seen.files, &wanted, &scanning)?;
    if !found.complete || !seen.is_whole {
        answered.notes.push(format!("{} of {} files could be looked at in time", found.searched, seen.files.len()));
    }
    if let Some(expression) = expression {
        let mut reader = Reader::new(&project.dir, largest_file);
        found.windows.retain(|window| {
            let file = seen.files.binary_search_by(|file| file.path.cmp(&window.path));
            file.is_ok_and(|at| match reader.open(&seen.files[at]) {
                Opened::Text(text) => expression.matches(&Whole::new(&window.path, text.bytes)),
                Opened::Gone | Opened::Skipped(_) => false,
            })
        });
    }
    let hits = found.windows.into_iter().map(|window| {
        let (snippet_lines, lines): (Vec<u32>, Vec<String>) = window.lines.into_iter().take(LINES).unzip();
        let hit = SearchHit {
            root: asked.is_of_many.then(|| project.root.name.clone()),
            path: window.path,
            start_line: window.start_line,
            end_line: window.end_line,
            snippet: lines.join("\n"),
            snippet_lines,
            ..SearchHit::default()
        };
        (window.score, hit)
    });
    Ok(hits.collect())
}

/// Lines of a place that are shown.
const LINES: usize = 6;

/// A file as a keyword query sees it, when nothing but its text is known.
struct Whole<'a> {
    path: &'a str,
    /// In lower case, with one space wherever there was any.
    text: String,
    /// In lower case, with the parts of names.
    words: Vec<String>,
}

impl<'a> Whole<'a> {
    fn new(path: &'a str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut words: Vec<String> = vec![];
        for (_, word) in words_of(&text) {
            words.extend(parts(word).map(|part| word[part].to_lowercase()));
            words.push(word.to_lowercase());
        }
        words.sort_unstable();
        words.dedup();
        Self { path, text: squeezed(&text), words }
    }

    fn has(&self, text: &str) -> bool {
        let lower = squeezed(text);
        let is_word = self.words.binary_search(&lower).is_ok();
        is_word || words_of(&lower).nth(1).is_some() && self.text.contains(&lower)
    }
}

impl Probe for Whole<'_> {
    fn word(&self, field: Field, word: &str) -> bool {
        match field {
            Field::Any => self.has(word) || self.path.to_lowercase().contains(&word.to_lowercase()),
            // Which names are defined is not known, but those that are stand in the text.
            Field::Content | Field::Symbol => self.has(word),
            Field::Path => PathTerm::new(word).is_ok_and(|term| term.matches(self.path)),
            Field::Language => match lang::by_path(self.path.rsplit('/').next().unwrap_or(self.path)) {
                Detection::Known(own) => lang::by_name(word).is_some_and(|asked| asked.id == own.id),
                Detection::NeedsShebang | Detection::Unknown => false,
            },
            Field::Kind => true,
        }
    }

    fn phrase(&self, field: Field, words: &str) -> bool {
        self.word(field, words)
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

pub fn lines(asked: &Asked<'_>, project: &Project, request: &Request<'_>) -> Result<Outcome<WalkedFile>, ToolError> {
    let started = Instant::now();
    let seen = scan::files(project.root.path.as_ref(), &rules_of(&project.root)?, TIME, request.cancel)?;
    let folder = project.folder.as_deref();
    let wanted = |file: &WalkedFile| asked.filter.takes_path(&file.path, folder);
    // The page takes as long again, at most.
    let within = (TIME.saturating_sub(started.elapsed()) / 2).min(request.within);
    scan::lines(&project.dir, &seen, &wanted, &Request { within, ..*request })
}
