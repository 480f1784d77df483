//! `analyze_complexity`: lines, symbols, calls and cyclomatic complexity of a file, a folder or the root, summed from facts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::analyze_complexity::{
    AnalyzeComplexity, Complexity, Cyclomatic, FunctionComplexity, KindCount, LanguageComplexity,
    LineCounts, Scope,
};

use super::Context;
use super::shared::loaded_root::LoadedRoot;
use crate::extract::facts;
use crate::index::snapshot::IndexedFile;

pub fn analyze_complexity(
    context: &Context,
    params: &AnalyzeComplexity,
) -> Result<Complexity, ToolError> {
    let indexed = LoadedRoot::open(context)?.wait_until_complete(context)?;
    let path = indexed.path(params.path.as_deref())?;
    let (scope, files) = match indexed.snapshot.file(&path) {
        Some(file) => (Scope::File, std::slice::from_ref(file)),
        None if path.is_empty() => (Scope::Root, indexed.snapshot.beneath("")),
        None => (Scope::Folder, indexed.snapshot.beneath(&path)),
    };
    if files.is_empty() && !path.is_empty() {
        return Err(indexed.not_indexed(&path));
    }
    let files: Vec<&IndexedFile> = files
        .iter()
        .map(|file| &**file)
        .filter(|file| file.skip().is_none())
        .collect();
    context.cancel.check()?;
    let mut functions: Vec<FunctionComplexity> =
        files.iter().flat_map(|file| functions(file)).collect();
    functions.sort_by(|one, other| {
        (Reverse(one.cyclomatic), &one.path, one.start_line).cmp(&(
            Reverse(other.cyclomatic),
            &other.path,
            other.start_line,
        ))
    });
    let cyclomatic =
        Cyclomatic::from_functions(functions.iter().map(|function| function.cyclomatic));
    let shown = functions.len().min(params.limit() as usize);
    let remaining = (functions.len() - shown) as u64;
    functions.truncate(shown);
    Ok(Complexity {
        root: indexed.root.path,
        root_name: indexed.root.name,
        max_tokens: params.common().max_tokens,
        freshness: indexed.freshness,
        path,
        scope,
        files: files.len() as u64,
        lines: lines(&files),
        symbols: kinds(&files),
        calls: calls(&files),
        cyclomatic,
        languages: languages(&files),
        functions,
        remaining,
        truncated: remaining > 0,
        limit: params.limit(),
    })
}

fn functions(file: &IndexedFile) -> impl Iterator<Item = FunctionComplexity> {
    file.outline
        .symbols
        .iter()
        .filter(|symbol| symbol.complexity > 0)
        .map(|symbol| FunctionComplexity {
            name: file.qualified(symbol),
            kind: symbol.kind,
            path: file.path.clone(),
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            cyclomatic: symbol.complexity,
            calls: symbol.calls,
        })
}

fn lines(files: &[&IndexedFile]) -> LineCounts {
    let count = |lines: facts::LineCounts| {
        LineCounts::new(
            u64::from(lines.code()),
            u64::from(lines.comment),
            u64::from(lines.blank),
        )
    };
    files
        .iter()
        .map(|file| count(file.outline.lines))
        .fold(LineCounts::default(), LineCounts::plus)
}

fn calls(files: &[&IndexedFile]) -> u64 {
    files.iter().map(|file| u64::from(file.outline.calls)).sum()
}

fn kinds(files: &[&IndexedFile]) -> Vec<KindCount> {
    let mut counts = BTreeMap::new();
    for symbol in files.iter().flat_map(|file| &file.outline.symbols) {
        *counts.entry(symbol.kind).or_insert(0) += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .map(|(kind, count)| KindCount { kind, count })
        .collect();
    counts.sort_by_key(|one| Reverse(one.count));
    counts
}

fn languages(files: &[&IndexedFile]) -> Vec<LanguageComplexity> {
    let mut by_language = BTreeMap::<&str, Vec<&IndexedFile>>::new();
    for file in files {
        by_language
            .entry(file.language.map_or("", |language| language.id))
            .or_default()
            .push(file);
    }
    let mut languages: Vec<_> = by_language
        .into_iter()
        .filter(|(language, _)| !language.is_empty())
        .map(|(language, files)| LanguageComplexity {
            language: language.to_owned(),
            files: files.len() as u64,
            lines: lines(&files),
            calls: calls(&files),
            cyclomatic: Cyclomatic::from_functions(
                files
                    .iter()
                    .flat_map(|file| &file.outline.symbols)
                    .map(|one| one.complexity)
                    .filter(|one| *one > 0),
            ),
        })
        .collect();
    languages.sort_by_key(|one| Reverse(one.lines.code));
    languages
}
