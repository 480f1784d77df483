//! `find_references`: every use of a symbol, with its confidence.

mod mentions;
mod text_matches;

use std::collections::BTreeMap;

use claudevil_protocol::answer::accounting::Accounting;
use claudevil_protocol::answer::graph::{Excerpt, Resolution, UseRole};
use claudevil_protocol::text::cut_line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::{
    ConfidenceCounts, ConfidenceLevel, FileReferences, FindReferences, Reference, ReferenceCursor,
    References,
};
use claudevil_protocol::{ErrorCode, ToolError};

use self::mentions::{MENTION_IN_FAMILY, Mentions};
use super::Context;
use super::shared::confidence::{GUESSES_SHOWN, confidence, round};
use super::shared::graph_root::GraphRoot;
use super::shared::occurrences::{
    AccountDetail, FilesWithWord, NameOccurrences, count_occurrences, defined, recent_accounts,
};
use super::shared::paging::decode_cursor;
use super::shared::symbol_info::describe_symbol;
use super::shared::symbol_lookup::count_overloads;
use super::shared::usage::{called_with, describe_usage, use_role};
use crate::graph::{Graph, SymbolId, references};
use crate::search::grep::lines::cut_around;
use crate::search::text_cache::TextCache;

/// The most words in prose, comments and strings that are shown if mentions are not asked for.
const MENTIONS_SHOWN: usize = 5;

pub fn find_references(
    context: &Context,
    params: &FindReferences,
) -> Result<References, ToolError> {
    let after = decode_cursor(params.cursor.as_deref(), ReferenceCursor::decode)?;
    let root = GraphRoot::open(context)?;
    let defined_in = params
        .defined_in
        .as_deref()
        .map(|path| root.indexed.path(Some(path)))
        .transpose()?;
    let graph = root.graph();
    let targets = match root.find_all(&graph, params.symbol_query()) {
        Ok(targets) => targets,
        Err(error) if error.code == ErrorCode::SymbolNotFound && params.line.is_none() => {
            let filter = text_matches::LineFilter {
                params,
                after,
                defined_in,
            };
            return text_matches::find_references(context, &filter, &root, error);
        }
        Err(error) => return Err(error),
    };
    let target = targets[0];
    let texts = root.texts();
    let listing = Listing {
        graph: &graph,
        texts: &texts,
        target,
        params,
    };
    let occurrences = NameOccurrences {
        graph: &graph,
        target,
    };
    let mentions = Mentions {
        graph: &graph,
        target,
        occurrences: &occurrences,
    };
    let wants_mentions = params.min_confidence() == ConfidenceLevel::Low
        && params.role().is_none_or(|role| role == UseRole::Mention);
    // The next page, or another question about the symbol, needs the same references.
    let known = recent_accounts::get(&graph, &root, &targets);
    let (found, files_with_word) = if wants_mentions {
        occurrences.resolve_and_classify(&targets, &root, context)?
    } else {
        let found = graph.references().to_any(&targets, context.cancel)?;
        (found, FilesWithWord::default())
    };
    let mut references: Vec<Reference> =
        found.iter().map(|one| listing.describe_use(one)).collect();
    let defined = defined(&graph, &targets);
    let unread_files = files_with_word.unread;
    let changed = files_with_word.changed_paths(&graph);
    let words = files_with_word.classified;
    let places = if params.wants_places() {
        AccountDetail::Listed
    } else {
        AccountDetail::Counted
    };
    let known = known.filter(|_| places == AccountDetail::Counted && changed.is_empty());
    let accounting = match known.and_then(|known| known.accounting) {
        Some(accounting) => wants_mentions.then_some(accounting),
        None => wants_mentions
            .then(|| count_occurrences(&graph, &defined, &found, &words, places, context))
            .transpose()?
            .map(|accounting| Accounting {
                unread_files,
                ..accounting
            }),
    };
    if let Some(accounting) = &accounting {
        occurrences.keep_account(&targets, &root, accounting, &changed);
    }
    references.extend(mentions.list(&found, words));
    let mut definitions = vec![];
    if params.include_definition.unwrap_or(false) {
        definitions.extend(defined.iter().map(|at| listing.describe_definition(*at)));
    }
    for list in [&mut references, &mut definitions] {
        list.retain(|one| {
            params.role().is_none_or(|role| one.role == role)
                && one.level <= params.min_confidence()
                && defined_in.as_ref().is_none_or(|path| one.path != *path)
        });
    }
    let (more_mentions, more_by_name) = if params.wants_mentions() {
        (0, 0)
    } else {
        drop_least_certain(&mut references)
    };
    references.extend(definitions);
    references.sort_by_cached_key(ReferenceCursor::new);
    let mut counts = ConfidenceCounts::default();
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for one in &references {
        match one.level {
            ConfidenceLevel::High => counts.high += 1,
            ConfidenceLevel::Medium => counts.medium += 1,
            ConfidenceLevel::Low => counts.low += 1,
        }
        if one.level != ConfidenceLevel::Low {
            *files.entry(&one.path).or_default() += 1;
        }
    }
    let mut files: Vec<FileReferences> = files
        .into_iter()
        .map(|(path, references)| FileReferences {
            path: path.to_owned(),
            references,
        })
        .collect();
    References::sort_files(&mut files);
    let total_files = files.len() as u64;
    files.truncate(params.limit() as usize);
    let total = references.len() as u64;
    if let Some(after) = after {
        references.retain(|one| ReferenceCursor::new(one) > after);
    }
    let shown = references.len().min(params.limit() as usize);
    let remaining = (references.len() - shown) as u64;
    references.truncate(shown);
    for one in &mut references {
        listing.add_lines(one);
    }
    let definitions = defined
        .into_iter()
        .map(|at| describe_symbol(&graph, at))
        .collect();
    let symbol = describe_symbol(&graph, target);
    let indexed = &root.indexed;
    let freshness = root
        .freshness_of_uses(&graph, &targets)
        .with_changed(changed);
    let mut answer = References {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol,
        definitions,
        role: params.role(),
        include_definition: params.include_definition.unwrap_or(false),
        defined_in,
        context_lines: params.context_lines.unwrap_or(0),
        min_confidence: params.min_confidence(),
        references,
        counts,
        total,
        more_mentions,
        more_by_name,
        accounting,
        files,
        total_files,
        remaining,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        overloads: count_overloads(&targets),
    };
    answer.set_cursor();
    Ok(answer)
}

/// Drops all but the first words and the first uses by name only. Returns how many of each it drops. Definitions must not be
/// among the references, because they would count as more certain uses.
fn drop_least_certain(references: &mut Vec<Reference>) -> (u64, u64) {
    references.sort_by_cached_key(ReferenceCursor::new);
    (drop_words(references), drop_guesses(references))
}

/// Drops all but the first words in prose, comments and strings, and returns how many it drops.
fn drop_words(references: &mut Vec<Reference>) -> u64 {
    let before = references.len();
    let mut words = 0;
    references.retain(|one| {
        let is_word = one.role == UseRole::Mention && one.confidence <= MENTION_IN_FAMILY;
        words += usize::from(is_word);
        !is_word || words <= MENTIONS_SHOWN
    });
    (before - references.len()) as u64
}

/// Drops all but the first uses by name only if there are more certain ones, and returns how many it drops.
fn drop_guesses(references: &mut Vec<Reference>) -> u64 {
    let is_guess = |one: &Reference| {
        one.level == ConfidenceLevel::Low && one.resolution == Resolution::NameOnly
    };
    if references.iter().all(is_guess) {
        return 0;
    }
    let before = references.len();
    let mut guesses = 0;
    references.retain(|one| {
        let is_use = is_guess(one) && one.role != UseRole::Mention;
        guesses += usize::from(is_use);
        !is_use || guesses <= GUESSES_SHOWN
    });
    (before - references.len()) as u64
}

struct Listing<'a> {
    graph: &'a Graph<'a>,
    texts: &'a TextCache<'a>,
    target: SymbolId,
    params: &'a FindReferences,
}

impl Listing<'_> {
    fn describe_use(&self, found: &references::Reference) -> Reference {
        let confidence = round(confidence(found));
        let name = &self.graph.symbol(self.target).name;
        Reference {
            path: self.graph.file(found.file).path.clone(),
            line: found.row.line,
            column: found.row.column + 1,
            role: use_role(found.row.role),
            usage: describe_usage(self.graph, found, name).to_owned(),
            confidence,
            level: ConfidenceLevel::from_confidence(confidence),
            resolution: found.resolution,
            reason: found.reason.to_owned(),
            candidates: (found.candidates > 1)
                .then(|| u32::try_from(found.candidates).unwrap_or(u32::MAX)),
            enclosing: enclosing(self.graph, found.file, found.row.symbol),
            text: String::new(),
            context: None,
            is_test: found.row.symbol.map_or_else(
                || self.graph.tests().is_test_file(found.file),
                |symbol| {
                    self.graph.tests().is_test(SymbolId {
                        file: found.file,
                        symbol,
                    })
                },
            ),
        }
    }

    fn describe_definition(&self, at: SymbolId) -> Reference {
        let symbol = self.graph.symbol(at);
        Reference {
            path: self.graph.file(at.file).path.clone(),
            line: symbol.name_line,
            column: symbol.name_column + 1,
            role: UseRole::Write,
            usage: "definition of".to_owned(),
            confidence: 1.0,
            level: ConfidenceLevel::High,
            resolution: Resolution::Resolved,
            reason: "its definition".to_owned(),
            candidates: None,
            enclosing: Some(self.graph.file(at.file).qualified(symbol)),
            text: String::new(),
            context: None,
            is_test: self.graph.tests().is_test(at),
        }
    }

    /// Adds the text of a reference; only those on the page need it.
    fn add_lines(&self, reference: &mut Reference) {
        let Some(text) = self
            .graph
            .file_number(&reference.path)
            .and_then(|file| self.texts.file(file as usize))
        else {
            return;
        };
        let line = reference.line;
        if let Some((_, content)) = text.lines(line, line).next() {
            let indent = content.len() - content.trim_start().len();
            let column = (reference.column as usize).saturating_sub(1 + indent);
            reference.text = cut_around(content.trim(), column);
        }
        if reference.role == UseRole::Read {
            let name = &self.graph.symbol(self.target).name;
            let place = text.line_start(line) + reference.column as usize - 1;
            if let Some(called) = called_with(text.whole(), place, name.len()) {
                reference.usage = format!("argument of {called} in");
            }
        }
        if let Some(around) = self.params.context_lines.filter(|lines| *lines > 0) {
            let (from, to) = (
                line.saturating_sub(around).max(1),
                line.saturating_add(around),
            );
            let lines: Vec<String> = text
                .lines(from, to)
                .map(|(_, content)| cut_line(content))
                .collect();
            reference.context = Some(Excerpt::whole(from, lines.iter().map(String::as_str)));
        }
    }
}

/// Returns the qualified name of the symbol around a use.
fn enclosing(graph: &Graph<'_>, file: u32, symbol: Option<u32>) -> Option<String> {
    let at = SymbolId {
        file,
        symbol: symbol?,
    };
    Some(graph.file(file).qualified(graph.symbol(at)))
}
