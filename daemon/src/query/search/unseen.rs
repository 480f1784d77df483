//! Ranked answers about a root whose first index is not complete, from its files alone.

use std::time::Instant;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::unused_rules;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::tools::search::SearchTarget;

use super::{Answered, Asked, Project, TIME};
use crate::lang::{self, Detection};
use crate::query::Context;
use crate::query::list_files::rules_of;
use crate::search::grep::reader::{FileContent, Reader};
use crate::search::path_term::PathTerm;
use crate::search::scan::{self, FileListing};
use crate::search::syntax::{Expr, Field, MatchTarget};
use crate::source::walk::WalkedFile;
use crate::store::text::{parts, words as words_of};

/// Files that are looked at for a keyword query, of which it may leave out most.
const MOST: usize = 100;

pub const NO_SYMBOLS: &str =
    "`kind` and `target` need the index: lines of files that are not indexed yet are all listed";

/// The best places by words; of a keyword query those of files that it matches as a whole.
pub fn words(
    context: &Context,
    asked: &Asked<'_>,
    project: &Project,
    expression: Option<&Expr>,
    words: &str,
    answered: &mut Answered,
) -> Result<Vec<(f32, SearchHit)>, ToolError> {
    let until = Instant::now() + TIME;
    answered
        .notes
        .push("this project is new: ranked by words alone until it is indexed".into());
    if asked.filter.kind.is_some() || asked.filter.target == SearchTarget::Definitions {
        answered.notes.push(NO_SYMBOLS.to_owned());
    }
    let Some(question) = scan::WordQuery::new(words) else {
        return Ok(vec![]);
    };
    let listing = FileListing::new(
        project.root.path.as_ref(),
        &rules_of(&project.root)?,
        until,
        context.cancel,
    )?;
    let folder = project.folder.as_deref();
    let wanted = |file: &WalkedFile| {
        asked
            .filter
            .takes_unindexed(&project.dir, &file.path, folder)
    };
    let largest_file = context.indexes.shared().settings.largest_file;
    // One more than is shown tells whether there is more.
    let shown = usize::try_from(asked.before())
        .unwrap_or(MOST)
        .saturating_add(asked.params.limit() as usize + 1);
    let scanning = scan::ScanRequest {
        question: &question,
        limit: if expression.is_some() {
            MOST.max(shown)
        } else {
            shown
        }
        .min(super::ranked::MOST),
        largest_file,
        until,
        share: project.share(),
        cancel: context.cancel,
    };
    let mut found = scan::scan_words(&project.dir, &listing.files, &wanted, &scanning)?;
    if !found.complete || !listing.is_whole {
        answered.is_incomplete = true;
        answered.notes.push(format!(
            "only {} of {} files were searched in time",
            found.searched,
            listing.files.len()
        ));
    }
    answered.note_unreadable(&listing.unreadable);
    answered.notes.extend(unused_rules(&listing.unused_rules));
    if let Some(expression) = expression {
        let mut reader = Reader::new(&project.dir, largest_file);
        found.windows.retain(|window| {
            let file = listing
                .files
                .binary_search_by(|file| file.path.cmp(&window.path));
            file.is_ok_and(|at| match reader.open(&listing.files[at]) {
                FileContent::Text(text) => {
                    expression.matches(&Whole::new(&window.path, text.bytes))
                }
                FileContent::Gone | FileContent::Skipped(_) => false,
            })
        });
    }
    let hits = found.windows.into_iter().map(|window| {
        let (snippet_lines, lines): (Vec<u32>, Vec<String>) =
            window.lines.into_iter().take(LINES).unzip();
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
        Self {
            path,
            text: squeezed(&text),
            words,
        }
    }

    fn has(&self, text: &str) -> bool {
        let lower = squeezed(text);
        let is_word = self.words.binary_search(&lower).is_ok();
        is_word || words_of(&lower).nth(1).is_some() && self.text.contains(&lower)
    }
}

impl MatchTarget for Whole<'_> {
    fn word(&self, field: Field, word: &str) -> bool {
        match field {
            Field::Any => self.has(word) || self.path.to_lowercase().contains(&word.to_lowercase()),
            // Which names are defined is not known, but those that are stand in the text.
            Field::Content | Field::Symbol => self.has(word),
            Field::Path => PathTerm::new(word).is_ok_and(|term| term.matches(self.path)),
            Field::Language => {
                match lang::by_path(self.path.rsplit('/').next().unwrap_or(self.path)) {
                    Detection::Known(own) => {
                        lang::by_name(word).is_some_and(|asked| asked.id == own.id)
                    }
                    Detection::NeedsShebang | Detection::Unknown => false,
                }
            }
            Field::Kind => true,
        }
    }

    fn phrase(&self, field: Field, words: &str) -> bool {
        self.word(field, words)
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}
