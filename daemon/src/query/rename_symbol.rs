//! `rename_symbol`: renames a symbol, in all files or in none.
//!
//! Occurrences that the graph resolves to the symbol get the new name. Doubtful ones stop an apply until the caller says
//! whether to change them (`occurrences.rs`, `classify.rs`). A name that its language, or code outside the project, does not
//! allow is refused at once (`identifier.rs`, `conflicts.rs`). A file that is named after the symbol is renamed too
//! (`file_move.rs`).

mod classify;
mod conflicts;
mod edits;
mod file_context;
mod file_move;
mod identifier;
mod local;
mod name_search;
mod occurrences;
mod plan;
mod preview;
mod rename_set;
mod source_cache;
mod syntax;

use std::collections::BTreeMap;

use claudevil_protocol::answer::accounting::Accounting;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::rename_symbol::{LeftOut, RenameSymbol, Renaming};
use claudevil_protocol::{ErrorCode, ToolError};

use self::classify::{Classifier, Rewrite, Verdict};
use self::conflicts::ConflictCheck;
use self::edits::{describe_edits, rewrite_names};
use self::file_move::{FileMove, find_file_move};
use self::identifier::check_identifier;
pub use self::local::{LocalName, plan_local_rename};
use self::name_search::WordMatch;
use self::occurrences::{Occurrence, find_occurrences};
pub use self::plan::{PlannedEdit, RenamePlan, plan_rename};
use self::preview::{check_preview, preview};
use self::rename_set::RenameSet;
use self::source_cache::SourceCache;
use super::Context;
use super::shared::applied_change::note_applied;
use super::shared::confidence::round;
use super::shared::graph_root::GraphRoot;
use super::shared::symbol_info::describe_symbol;
use super::shared::symbol_name::last_part;
use super::shared::unindexed_files::search_unindexed_files;
use crate::change::{FileChange, LARGEST_FILE};
use crate::graph::{Graph, SymbolId};

const CANDIDATES: usize = 10;

pub fn rename_symbol(context: &Context, params: &RenameSymbol) -> Result<Renaming, ToolError> {
    let linked = GraphRoot::open_to_change(context)?;
    let indexed = &linked.indexed;
    indexed.refuse_incomplete()?;
    let graph = linked.graph();
    let target = named_symbol(
        &graph,
        linked.find_to_change(&graph, params.symbol_query())?,
    )?;
    let name = last_part(&graph.symbol(target).name).to_owned();
    let new_name = params.new_name();
    let texts = linked.texts();
    let sources = &SourceCache::new(&graph, &texts);
    let set = &RenameSet::new(&graph, target, context)?;
    let graph = &graph;
    let (file_move, occurrences) = find_changes(context, graph, sources, set, new_name)?;
    let preview = preview(graph, sources, new_name, &occurrences);
    check_preview(params, &preview, &occurrences)?;
    let mut left_out: Vec<LeftOut> = vec![];
    let mut words: BTreeMap<u32, Vec<(WordMatch, Rewrite)>> = BTreeMap::new();
    let mut numbers = 1..;
    for occurrence in occurrences {
        let is_doubtful = matches!(occurrence.verdict, Verdict::Doubt { .. });
        let number = is_doubtful.then(|| numbers.next()).flatten();
        let is_changed = match number {
            Some(number) => params.decision(number) == Some(true),
            None => occurrence.verdict == Verdict::Change,
        };
        if is_changed {
            let words = words.entry(occurrence.file).or_default();
            words.push((occurrence.word, occurrence.rewrite));
        } else {
            left_out.extend(describe_left_out(graph, sources, &occurrence, number));
        }
    }
    // Doubtful places come first, because code may break if they are left out.
    left_out.sort_by_key(|place| !place.is_doubtful);
    let is_undecided = |place: &&LeftOut| {
        let number = place.number;
        number.is_some_and(|number| params.decision(number).is_none())
    };
    let undecided: Vec<&LeftOut> = left_out.iter().filter(is_undecided).collect();
    if !undecided.is_empty() && !params.dry_run() {
        return Err(refuse_doubtful(&name, &undecided));
    }
    if let Some(file_move) = &file_move {
        let file = graph.file_number(&file_move.from);
        let file = file.ok_or_else(|| unreadable(&file_move.from))?;
        words.entry(file).or_default();
    }
    let mut files = vec![];
    let mut changes = vec![];
    for (file, words) in words {
        let path = graph.file(file).path.clone();
        let file_move = file_move.as_ref().filter(|moved| moved.from == path);
        let before = linked
            .dir()
            .read(&path, LARGEST_FILE)
            .ok_or_else(|| unreadable(&path))?;
        let after = rewrite_names(&before, &path, &words, &name, new_name)?;
        files.push(describe_edits(
            &path,
            file_move,
            &before,
            &after,
            words.len(),
        ));
        let new_name = file_move
            .and_then(|file_move| file_move.to.rsplit('/').next())
            .map(str::to_owned);
        changes.push(FileChange {
            path,
            before,
            after,
            new_name,
        });
    }
    let account = set.account(&linked, context)?;
    let freshness = linked.freshness(graph, &[target]);
    let mut freshness = freshness.with_changed(account.changed);
    let unindexed = search_unindexed_files(&linked, &[&name]);
    if let Some(files) = unindexed.list(0) {
        freshness.add_note(format!(
            "not indexed, has the name, and stays as it is: {files}"
        ));
    }
    if !params.dry_run() {
        linked.read_errors.check()?;
        let applied = context.changes.apply_undoable(
            linked.dir(),
            RenameSymbol::NAME,
            &changes,
            context.cancel,
        )?;
        note_applied(&mut freshness, &applied);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Renaming {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol: describe_symbol(graph, target),
        new_name: new_name.to_owned(),
        include_low_confidence: params.include_low_confidence,
        include: params.include.clone(),
        exclude: params.exclude.clone(),
        preview,
        applied: !params.dry_run(),
        total_files: files.len() as u64,
        total_edits: files.iter().map(|file| file.edits).sum(),
        files,
        total_doubtful: left_out.iter().filter(|place| place.is_doubtful).count() as u64,
        total_undecided: undecided.len() as u64,
        accounting: account.accounting.map(|accounting| Accounting {
            unindexed_files: unindexed.unread,
            ..accounting
        }),
        total_left_out: left_out.len() as u64,
        left_out,
        truncated: false,
    })
}

/// Returns the file that moves and the occurrences of the name, if the new name is allowed.
fn find_changes<'a>(
    context: &Context,
    graph: &'a Graph<'a>,
    sources: &'a SourceCache<'a>,
    set: &'a RenameSet<'a>,
    new_name: &str,
) -> Result<(Option<FileMove>, Vec<Occurrence>), ToolError> {
    let name = last_part(&graph.symbol(set.target).name);
    if new_name == name {
        return Err(ToolError::invalid_argument(format!(
            "it is already called `{name}`"
        )));
    }
    let kind = graph.symbol(set.target).kind;
    check_identifier(graph, set.target.file, kind, name, new_name)?;
    ConflictCheck {
        graph,
        sources,
        set,
    }
    .run(new_name)?;
    let file_move = find_file_move(graph, set, new_name)?;
    let classifier = Classifier {
        graph,
        sources,
        set,
    };
    Ok((file_move, find_occurrences(context, &classifier)?))
}

/// Returns the symbol whose name changes: for a constructor that has the name of its type, the type.
fn named_symbol(graph: &Graph<'_>, target: SymbolId) -> Result<SymbolId, ToolError> {
    let symbol = graph.symbol(target);
    if symbol.kind != SymbolKind::Constructor {
        return Ok(target);
    }
    let owner = graph
        .members()
        .owner(target)
        .filter(|owner| graph.symbol(*owner).name == symbol.name);
    owner.ok_or_else(|| {
        let message = format!(
            "`{}` is what its language calls a constructor; nothing was changed",
            symbol.name
        );
        ToolError::invalid_argument(message)
    })
}

fn describe_left_out(
    graph: &Graph<'_>,
    sources: &SourceCache<'_>,
    occurrence: &Occurrence,
    number: Option<u32>,
) -> Option<LeftOut> {
    let (is_doubtful, confidence, reason) = match occurrence.verdict {
        Verdict::Change => return None,
        Verdict::Doubt { confidence, reason } => (true, confidence, reason),
        Verdict::Mention { confidence, reason } => (false, confidence, reason),
    };
    let WordMatch { line, column, .. } = occurrence.word;
    let source = sources.open(occurrence.file);
    Some(LeftOut {
        path: graph.file(occurrence.file).path.clone(),
        line,
        column: column + 1,
        confidence: round(confidence),
        reason: reason.to_owned(),
        text: source.map_or_else(String::new, |source| source.excerpt(line, column)),
        is_doubtful,
        number,
    })
}

fn refuse_doubtful(name: &str, doubtful: &[&LeftOut]) -> ToolError {
    let places = doubtful
        .iter()
        .take(CANDIDATES)
        .map(|place| format!("{}:{} ({})", place.path, place.line, place.reason));
    let several = match doubtful.len() {
        1 => "1 place".to_owned(),
        several => format!("{several} places"),
    };
    ToolError::new(
        ErrorCode::AmbiguousSymbol,
        format!("{several} may mean `{name}` or something else of that name; nothing was changed"),
    )
    .with_candidates(places.collect())
    .with_hint(Line::from("look at them; ").either(
        "\"include_low_confidence\": true changes them too, false leaves them as they are; a dry run numbers them for \
         \"include\" and \"exclude\"",
        "`--include-low-confidence` changes them too, `--leave-doubtful` leaves them as they are; without `--apply` they \
         are numbered for `--include` and `--exclude`",
    ))
}

fn unreadable(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::FileNotFound,
        format!("{path} cannot be read any more; nothing was changed"),
    )
}
