//! Lists the lines that have a name as a word, if no symbol of that name is known because its files have no facts.

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::{Resolution, UseRole};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::{
    ConfidenceCounts, ConfidenceLevel, FileReferences, FindReferences, Reference, References,
};

use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::occurrences::{Word, words_at};
use crate::query::shared::symbol_info::describe_line;
use crate::search::grep::lines::cut_around;

const MOST_LINES: usize = 200;

/// Returns the lines, or `error` if no file without facts has the word.
pub fn find_references(
    context: &Context,
    params: &FindReferences,
    root: &GraphRoot<'_>,
    error: ToolError,
) -> Result<References, ToolError> {
    let name = params.symbol.as_deref().unwrap_or_default();
    let (graph, texts) = (root.graph(), root.texts());
    let mut references = vec![];
    for file in graph.files_with(name).iter().copied() {
        context.cancel.check()?;
        let prose = graph
            .file(file)
            .language
            .is_some_and(|language| language.prose);
        let Some(text) = texts
            .file(file as usize)
            .filter(|_| graph.rules(file).is_none() && !prose)
        else {
            continue;
        };
        let mut last = 0;
        let words = words_at(text.whole(), name).filter(|word| !word.beside_dollar);
        for Word { line, column, .. } in words {
            if line == last || references.len() >= MOST_LINES {
                continue;
            }
            last = line;
            let line_text = text.lines(line, line).next().map_or("", |(_, text)| text);
            references.push(Reference {
                path: graph.file(file).path.clone(),
                line,
                column: column + 1,
                role: UseRole::Mention,
                usage: "text in".to_owned(),
                confidence: 0.3,
                level: ConfidenceLevel::Low,
                resolution: Resolution::NameOnly,
                reason: "text match only".to_owned(),
                candidates: None,
                enclosing: None,
                text: cut_around(
                    line_text.trim(),
                    (column as usize)
                        .saturating_sub(line_text.len() - line_text.trim_start().len()),
                ),
                context: None,
                is_test: graph.tests().is_test_file(file),
            });
        }
    }
    let Some(first) = references.first() else {
        return Err(error);
    };
    let place = graph
        .file_number(&first.path)
        .map(|file| describe_line(&graph, file, first.line));
    let Some(mut symbol) = place else {
        return Err(error);
    };
    name.clone_into(&mut symbol.name);
    name.clone_into(&mut symbol.qualified);
    let mut freshness = root.indexed.freshness.clone();
    freshness.add_note(format!(
        "no symbol `{name}` is known here: these are lines of text that have the word"
    ));
    let mut files: Vec<FileReferences> = vec![];
    for one in &references {
        match files.iter_mut().find(|file| file.path == one.path) {
            Some(file) => file.references += 1,
            None => files.push(FileReferences {
                path: one.path.clone(),
                references: 1,
            }),
        }
    }
    References::sort_files(&mut files);
    let total_files = files.len() as u64;
    files.truncate(params.limit() as usize);
    let total = references.len() as u64;
    references.truncate(params.limit() as usize);
    let remaining = total - references.len() as u64;
    Ok(References {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol,
        definitions: vec![],
        role: params.role(),
        include_definition: false,
        defined_in: None,
        context_lines: 0,
        min_confidence: params.min_confidence(),
        references,
        counts: ConfidenceCounts {
            low: total,
            ..ConfidenceCounts::default()
        },
        total,
        more_mentions: 0,
        more_by_name: 0,
        accounting: None,
        files,
        total_files,
        remaining,
        truncated: remaining > 0,
        cursor: None,
        limit: params.limit(),
        overloads: 0,
    })
}
