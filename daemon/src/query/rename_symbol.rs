//! `rename_symbol`: another name for a symbol, in all files or in none.

use std::collections::BTreeMap;

use claudevil_protocol::model::Params;
use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::rename_symbol::{DiffHunk, FileEdits, LeftOut, RenameSymbol, Renaming};
use claudevil_protocol::model::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::find_references::confidence;
use super::linked::{Linked, info, rounded};
use crate::change::diff::unified;
use crate::change::{Changes, Edit, Expected, FileChange, LARGEST_FILE};
use crate::extract::facts::Role;
use crate::graph::references::Reference;
use crate::graph::{At, Graph, Here, signature};
use crate::lang::grammars;

const CANDIDATES: usize = 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub fn rename_symbol(context: &Context, params: &RenameSymbol, changes: &Changes) -> Result<Renaming, ToolError> {
    let linked = Linked::of(context)?;
    let indexed = &linked.indexed;
    if let Some(partial) = &indexed.freshness.partial {
        let message = format!("{} of {} files are indexed: not all uses are known yet", partial.done, partial.total);
        return Err(
            ToolError::new(ErrorCode::Indexing, message).with_hint("ask again when index_status says it is done")
        );
    }
    let graph = linked.graph();
    let target = linked.find(&graph, params.asked())?;
    let name = graph.symbol(target).name.to_string();
    let new_name = params.new_name();
    if new_name == name {
        return Err(ToolError::invalid_argument(format!("it is already called `{name}`")));
    }
    refuse_what_is_no_name(&graph, target, new_name)?;
    let include_low = params.include_low_confidence.unwrap_or(false);
    let renaming = Plan::new(&graph, target, context)?;
    renaming.refuse_collisions(new_name)?;
    let mut left_out: Vec<LeftOut> = vec![];
    let mut places: BTreeMap<u32, Vec<Spot>> = BTreeMap::new();
    for at in &renaming.family {
        let symbol = graph.symbol(*at);
        places.entry(at.file).or_default().push(Spot { line: symbol.name_line, column: symbol.name_column });
    }
    let mut doubtful = vec![];
    let texts = linked.texts();
    for found in &renaming.references {
        let sure = found.resolution == Resolution::Resolved || found.by_dispatch;
        if sure || include_low {
            places.entry(found.file).or_default().push(Spot { line: found.row.line, column: found.row.column });
            continue;
        }
        let path = &graph.file(found.file).path;
        if found.resolution == Resolution::Ambiguous {
            doubtful.push(format!("{path}:{}", found.row.line));
        }
        let text = texts.file(found.file as usize);
        let text = text
            .and_then(|text| text.lines(found.row.line, found.row.line).next().map(|(_, line)| line.trim().to_owned()));
        left_out.push(LeftOut {
            path: path.clone(),
            line: found.row.line,
            column: found.row.column + 1,
            confidence: rounded(confidence(found)),
            reason: found.reason.to_owned(),
            text: text.unwrap_or_default(),
        });
    }
    if !doubtful.is_empty() && !params.dry_run() {
        let several = doubtful.len();
        doubtful.truncate(CANDIDATES);
        return Err(ToolError::new(
            ErrorCode::AmbiguousSymbol,
            format!("{several} places may mean `{name}` or something else of that name; nothing was changed"),
        )
        .with_candidates(doubtful)
        .with_hint("look at them; with \"include_low_confidence\": true they are changed too"));
    }
    let mut files = vec![];
    let mut work = vec![];
    for (file, spots) in places {
        let path = graph.file(file).path.clone();
        let bytes = linked.dir().read(&path, LARGEST_FILE).ok_or_else(|| gone(&path))?;
        let edits = edits(&bytes, &path, spots, &name, new_name)?;
        let text = String::from_utf8_lossy(&bytes);
        let diff = unified(&path, &text, &edits).map_err(ToolError::invalid_argument)?;
        let hunks = hunks(&diff);
        files.push(FileEdits { path: path.clone(), edits: edits.len() as u64, total_hunks: hunks.len() as u64, hunks });
        work.push(FileChange { path, expected: Expected::Bytes(bytes), edits });
    }
    if !params.dry_run() {
        changes.apply(linked.dir(), &work, context.cancel)?;
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Renaming {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: linked.freshness(&graph, &[target]),
        symbol: info(&graph, target),
        new_name: new_name.to_owned(),
        include_low_confidence: include_low,
        applied: !params.dry_run(),
        total_files: files.len() as u64,
        total_edits: files.iter().map(|file| file.edits).sum(),
        files,
        total_left_out: left_out.len() as u64,
        left_out,
        truncated: false,
    })
}

/// What a language could not read as a name would break every file.
fn refuse_what_is_no_name(graph: &Graph<'_>, target: At, new_name: &str) -> Result<(), ToolError> {
    let old = &graph.symbol(target).name;
    let bare = new_name.strip_prefix('#').filter(|_| old.starts_with('#')).unwrap_or(new_name);
    let bare = bare.strip_suffix(['?', '!', '=']).filter(|_| old.ends_with(['?', '!', '='])).unwrap_or(bare);
    let is_fit = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$' && old.contains('$');
    let is_name = bare.chars().all(is_fit) && bare.chars().next().is_some_and(|first| !first.is_numeric());
    let language = graph.file(target.file).language;
    let grammar = language.and_then(|language| language.facts).and_then(|facts| grammars::by_name(facts.grammar));
    // What a grammar has as a word of its own is no name.
    let is_word = grammar.is_some_and(|grammar| grammar.id_for_node_kind(new_name, false) != 0);
    let path = &graph.file(target.file).path;
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next());
    let names_file = graph.rules(target.file).is_some_and(|rules| rules.types_name_files)
        && graph.symbol(target).kind.is_type()
        && stem == Some(old);
    if names_file {
        return Err(ToolError::invalid_argument(format!(
            "{path} is called like `{old}` and would have to be renamed too, which is not done; nothing was changed"
        ))
        .with_hint("apply the diff of a search for it by hand, with the file's new name"));
    }
    if is_name && !is_word {
        return Ok(());
    }
    let language = language.map_or("its language", |language| language.name);
    Err(ToolError::invalid_argument(format!("`{new_name}` is no name in {language}; nothing was changed")))
}

fn gone(path: &str) -> ToolError {
    ToolError::new(ErrorCode::FileNotFound, format!("{path} cannot be read any more; nothing was changed"))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    line: u32,
    column: u32,
}

/// Everything that has to get the new name together.
struct Plan<'a> {
    graph: &'a Graph<'a>,
    target: At,
    /// The symbol, its declarations, and methods that override each other.
    family: Vec<At>,
    references: Vec<Reference>,
}

impl<'a> Plan<'a> {
    fn new(graph: &'a Graph<'a>, target: At, context: &Context) -> Result<Self, ToolError> {
        let mut family = graph.entity(target);
        let mut next = 0;
        while next < family.len() {
            let at = family[next];
            next += 1;
            let mut more: Vec<At> = vec![];
            if graph.symbol(at).kind.is_callable() && graph.owner(at).is_some() {
                more.extend(graph.overridden(at));
                more.extend(graph.overriding(at));
            }
            if graph.symbol(at).kind.is_type() {
                // A constructor that is called like its type.
                let own = graph.members_in(at);
                more.extend(own.into_iter().filter(|one| {
                    graph.symbol(*one).kind == SymbolKind::Constructor
                        && graph.symbol(*one).name == graph.symbol(at).name
                }));
            }
            for one in more.into_iter().flat_map(|one| graph.entity(one)) {
                if !family.contains(&one) {
                    family.push(one);
                }
            }
        }
        let name = &graph.symbol(target).name;
        let mut references: Vec<Reference> = vec![];
        let mut asked: Vec<At> = vec![];
        for at in &family {
            if graph.symbol(*at).kind == SymbolKind::Constructor || asked.contains(at) {
                continue;
            }
            asked.extend(graph.entity(*at));
            references.extend(graph.references(*at, context.cancel)?.iter().cloned());
        }
        // Where another name is used for it, only the import says this one.
        references.retain(|found| graph.uses(found.file).name(&found.row) == &**name);
        references.sort_by_key(|found| (found.file, found.row.line, found.row.column, found.resolution));
        references.dedup_by_key(|found| (found.file, found.row.line, found.row.column));
        Ok(Self { graph, target, family, references })
    }

    /// Nothing that the new name would mean may be there already.
    fn refuse_collisions(&self, new_name: &str) -> Result<(), ToolError> {
        let mut taken: Vec<String> = vec![];
        let mut note = |at: At| {
            let (file, symbol) = (self.graph.file(at.file), self.graph.symbol(at));
            let place = format!("{} ({}:{})", file.qualified(symbol), file.path, symbol.name_line);
            if !taken.contains(&place) {
                taken.push(place);
            }
        };
        for at in &self.family {
            self.graph.beside(*at, new_name).into_iter().for_each(&mut note);
        }
        let mut hidden = vec![];
        for found in &self.references {
            let uses = self.graph.uses(found.file);
            if uses.qualifier(&found.row).is_some() || found.row.role == Role::Import {
                continue;
            }
            let here =
                Here { file: found.file, symbol: found.row.symbol, line: found.row.line, column: found.row.column };
            if self.graph.is_taken(here, new_name) {
                hidden.push(format!("{}:{}", self.graph.file(found.file).path, found.row.line));
            }
        }
        taken.extend(hidden);
        if taken.is_empty() {
            return Ok(());
        }
        taken.truncate(CANDIDATES);
        let name = &self.graph.symbol(self.target).name;
        Err(ToolError::new(
            ErrorCode::InvalidArgument,
            format!("`{new_name}` already means something where `{name}` is defined or used; nothing was changed"),
        )
        .with_candidates(taken)
        .with_hint("choose another name"))
    }
}

/// The edits of a file; an error where its text is not what the index knows.
fn edits(bytes: &[u8], path: &str, mut spots: Vec<Spot>, name: &str, new_name: &str) -> Result<Vec<Edit>, ToolError> {
    spots.sort_unstable();
    spots.dedup();
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut starts = vec![mark];
    starts.extend(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
    let stale = || {
        ToolError::invalid_argument(format!("{path} is not what it was when it was indexed; nothing was changed"))
            .with_hint("ask again in a moment")
    };
    let mut edits = vec![];
    for spot in spots {
        let start = starts.get(spot.line.saturating_sub(1) as usize).ok_or_else(stale)? + spot.column as usize;
        // A mark at the beginning may be counted to the first line.
        let is_there = |at: usize| bytes.get(at..at + name.len()) == Some(name.as_bytes());
        let start = if spot.line == 1 && !is_there(start) { start.saturating_sub(mark) } else { start };
        // Some languages count a sign to the name.
        let start = if bytes.get(start).is_some_and(|byte| matches!(byte, b':' | b'"' | b'\'' | b'`'))
            && !name.starts_with(['"', ':'])
        {
            start + 1
        } else {
            start
        };
        let end = start + name.len();
        if bytes.get(start..end) != Some(name.as_bytes()) {
            return Err(stale());
        }
        let is_word = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if name.ends_with(signature::is_word) && is_word(bytes.get(end)) {
            return Err(stale());
        }
        edits.push(Edit { range: start..end, replacement: new_name.to_owned() });
    }
    Ok(edits)
}

/// A unified diff taken apart.
fn hunks(diff: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = vec![];
    for line in diff.split_inclusive('\n').skip(2) {
        let line = line.trim_end_matches('\n');
        if let Some(header) = line.strip_prefix("@@ -") {
            let mut spans = header.split(['+', '@']).map(|span| {
                let mut numbers = span.trim().split(',').map(|number| number.parse().unwrap_or(0));
                (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1))
            });
            let (old_start, old_lines) = spans.next().unwrap_or_default();
            let (new_start, new_lines) = spans.next().unwrap_or_default();
            hunks.push(DiffHunk { old_start, old_lines, new_start, new_lines, lines: vec![] });
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push(line.to_owned());
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_line_and_byte() {
        let spots =
            |all: &[(u32, u32)]| all.iter().map(|(line, column)| Spot { line: *line, column: *column }).collect();
        let text = "\u{feff}run();\r\nä run();\r\n".as_bytes();
        let edits = edits(text, "a", spots(&[(1, 0), (2, 3), (2, 3)]), "run", "start").expect("there");
        let changed = crate::change::edit::apply(text, &edits).expect("applied");
        assert_eq!(String::from_utf8(changed).expect("text"), "\u{feff}start();\r\nä start();\r\n");
        assert!(super::edits(b"runs()", "a", spots(&[(1, 0)]), "run", "start").is_err(), "another name");
        assert!(super::edits(b"", "a", spots(&[(3, 0)]), "run", "start").is_err(), "no such line");
    }

    #[test]
    fn a_diff_is_taken_apart_into_hunks() {
        let text = "one\ntwo\nthree\n";
        let diff = unified("a", text, &[Edit { range: 4..7, replacement: "2".to_owned() }]).expect("made");
        let hunks = hunks(&diff);
        assert_eq!(hunks.len(), 1);
        assert_eq!((hunks[0].old_start, hunks[0].old_lines, hunks[0].new_start, hunks[0].new_lines), (1, 3, 1, 3));
        assert_eq!(hunks[0].lines, [" one", "-two", "+2", " three"]);
    }
}
