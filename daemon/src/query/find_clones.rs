//! `find_clones`: groups of functions that are nearly the same.
//!
//! Each function is reduced to a sketch of its token sequences, without names and literals. Only sketches that share one of
//! their smallest hashes are compared, so that the work grows with the number of functions and not with its square.

mod sketch;

use std::cmp::Reverse;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_clones::{CloneFunction, CloneGroup, CloneGroups, FindClones};

use self::sketch::{Grouping, Sketch};
use super::Context;
use super::shared::graph_root::GraphRoot;
use super::shared::languages::{is_in_language, parse_language};
use super::shared::paging::{Page, decode_cursor};
use crate::extract::code_tokens::CodeTokens;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::lang::{Language, conventions};
use crate::threads;

/// The most functions of a group that are listed.
const MAX_LISTED: usize = 12;
/// Shorter functions are ignored, because they are often alike by chance.
const FEWEST_TOKENS: usize = 40;

/// A function and its sketch.
struct SketchedFunction {
    at: SymbolId,
    language: &'static Language,
    sketch: Sketch,
}

/// The functions that one thread has read.
#[derive(Default)]
struct ReadFunctions {
    functions: Vec<SketchedFunction>,
    too_short: u64,
    changed: Vec<String>,
}

pub fn find_clones(context: &Context, params: &FindClones) -> Result<CloneGroups, ToolError> {
    let language = parse_language(params.language.as_deref())?;
    let after = decode_cursor(params.cursor.as_deref(), ListCursor::decode)?;
    let root = GraphRoot::open(context)?;
    let path = root.indexed.path(params.path.as_deref())?;
    let snapshot = &root.indexed.snapshot;
    let single = snapshot.place(&path);
    let chosen = single.map_or_else(|| snapshot.places_beneath(&path), |place| place..place + 1);
    if chosen.is_empty() && !path.is_empty() {
        return Err(root.indexed.not_indexed(&path));
    }
    let files: Vec<usize> = (0..snapshot.files.len())
        .filter(|place| is_in_language(&snapshot.files[*place], language))
        .collect();
    let read = read_functions(context, &root, params, &files);
    context.cancel.check()?;
    let mut functions: Vec<SketchedFunction> = vec![];
    let (mut too_short, mut changed) = (0, vec![]);
    for part in read {
        functions.extend(part.functions);
        too_short += part.too_short;
        changed.extend(part.changed);
    }
    functions.sort_by_key(|one| (Reverse(one.sketch.tokens), one.at));
    let compared = functions.len() as u64;
    let mut grouping = Grouping::default();
    for (place, function) in functions.iter().enumerate() {
        if place.is_multiple_of(64) {
            context.cancel.check()?;
        }
        grouping.add(place, function.language.id, &function.sketch);
    }
    let graph = root.graph();
    let mut groups: Vec<CloneGroup> = vec![];
    for members in grouping.groups() {
        let is_chosen =
            |(place, _): &(usize, f64)| chosen.contains(&(functions[*place].at.file as usize));
        if members.iter().any(is_chosen) {
            groups.extend(describe_group(&graph, &functions, members));
        }
    }
    groups.sort_by(|one, other| {
        let key = |group: &CloneGroup| Reverse(group.repeated_lines);
        (key(one), one.place()).cmp(&(key(other), other.place()))
    });
    let Page {
        items: groups,
        total,
        remaining,
    } = Page::cut(groups, after.as_ref(), params.limit(), CloneGroup::place);
    let indexed = &root.indexed;
    changed.sort();
    let mut answer = CloneGroups {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness: indexed.freshness.clone().with_changed(changed),
        path,
        language: language.map(|language| language.id.to_owned()),
        min_lines: params.min_lines(),
        include_tests: params.include_tests == Some(true),
        groups,
        total,
        remaining,
        compared,
        too_short,
        truncated: false,
        cursor: None,
        limit: params.limit(),
    };
    answer.set_cursor();
    Ok(answer)
}

/// Reads the functions of files on all processors.
fn read_functions(
    context: &Context,
    root: &GraphRoot<'_>,
    params: &FindClones,
    files: &[usize],
) -> Vec<ReadFunctions> {
    let snapshot = &*root.indexed.snapshot;
    let texts = root.texts_by_thread();
    let include_tests = params.include_tests == Some(true);
    let min_lines = params.min_lines();
    let cancel = context.cancel;
    threads::run_on_all(files.len(), |queue| {
        let texts = texts();
        let mut read = ReadFunctions::default();
        let mut tokens = vec![];
        let mut reader: Option<(&str, CodeTokens)> = None;
        let places = std::iter::from_fn(|| queue.take())
            .take_while(|_| !cancel.is_cancelled())
            .flatten();
        for place in places.map(|at| files[at]) {
            let file = &snapshot.files[place];
            let path = file.path_words().conventions;
            let is_test = [PathConvention::Test, PathConvention::Example]
                .iter()
                .any(|one| path.contains(*one));
            let Some(language) = file.language.filter(|language| language.facts.is_some()) else {
                continue;
            };
            let has_functions = file
                .outline
                .symbols
                .iter()
                .any(|one| one.kind.is_callable());
            if !has_functions || path.contains(PathConvention::Copy) || is_test && !include_tests {
                continue;
            }
            let Some(text) = texts.read(place) else {
                continue;
            };
            if !text.is_as_indexed {
                read.changed.push(file.path.clone());
                continue;
            }
            if reader.as_ref().is_none_or(|(id, _)| *id != language.id) {
                reader = Some((language.id, CodeTokens::new(language)));
            }
            let Some((_, reader)) = &reader else { continue };
            for (number, symbol) in (0..).zip(&file.outline.symbols) {
                let is_in_tests = || {
                    let mut modules = file.test_modules().iter();
                    conventions::is_test_function(&symbol.name)
                        || modules.any(|(from, to)| (*from..*to).contains(&symbol.start_byte))
                };
                if !symbol.kind.is_callable() || !include_tests && is_in_tests() {
                    continue;
                }
                let offset = |byte: u32| (byte as usize).saturating_sub(text.start);
                let range = offset(symbol.start_byte)..offset(symbol.end_byte);
                let code = text.whole().get(range).unwrap_or_default();
                tokens.clear();
                let lines = symbol.end_line - symbol.start_line + 1;
                if lines >= min_lines {
                    reader.read(code, &mut tokens);
                }
                if tokens.len() < FEWEST_TOKENS {
                    read.too_short += 1;
                    continue;
                }
                read.functions.push(SketchedFunction {
                    at: SymbolId {
                        file: u32::try_from(place).unwrap_or(u32::MAX),
                        symbol: number,
                    },
                    language,
                    sketch: Sketch::new(&tokens),
                });
            }
        }
        read
    })
}

/// Describes a group. None if all but one of its functions are inside others: `const handler = () => { … }` in a function
/// that does nothing else.
fn describe_group(
    graph: &Graph<'_>,
    functions: &[SketchedFunction],
    members: &[(usize, f64)],
) -> Option<CloneGroup> {
    let id = |place: usize| functions[place].at;
    let is_inside = |at: SymbolId| {
        let symbol = graph.symbol(at);
        members.iter().any(|(other, _)| {
            let other = id(*other);
            let around = graph.symbol(other);
            other != at
                && other.file == at.file
                && around.start_byte <= symbol.start_byte
                && symbol.end_byte <= around.end_byte
        })
    };
    let mut described: Vec<CloneFunction> = vec![];
    for (place, similarity) in members {
        let at = id(*place);
        if is_inside(at) {
            continue;
        }
        let (file, symbol) = (graph.file(at.file), graph.symbol(at));
        described.push(CloneFunction {
            name: file.qualified(symbol),
            kind: symbol.kind,
            path: file.path.clone(),
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            similarity: (similarity * 100.0).round() / 100.0,
        });
    }
    if described.len() < 2 {
        return None;
    }
    let lines = |one: &CloneFunction| u64::from(one.end_line - one.start_line + 1);
    let total = described.len() as u64;
    let longest = described.iter().map(lines).max().unwrap_or_default();
    let repeated_lines = described.iter().map(lines).sum::<u64>() - longest;
    described
        .sort_by(|one, other| (&one.path, one.start_line).cmp(&(&other.path, other.start_line)));
    described.truncate(MAX_LISTED);
    let language = members
        .first()
        .map(|(place, _)| functions[*place].language.id);
    Some(CloneGroup {
        language: language.unwrap_or_default().to_owned(),
        repeated_lines,
        functions: described,
        total,
    })
}
