//! Lists the lines that have a name as a word, if no symbol of that name is known because its files have no facts.

use std::collections::BTreeMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::{Resolution, UseRole};
use claudevil_protocol::text::quantity::count;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_references::{
    ConfidenceCounts, ConfidenceLevel, FileReferences, FindReferences, Reference, ReferenceCursor,
    References,
};

use crate::query::Context;
use crate::query::shared::graph_root::GraphRoot;
use crate::query::shared::occurrences::{Word, words_at};
use crate::query::shared::symbol_info::describe_line;
use crate::search::grep::lines::cut_around;

/// The lines that are wanted.
pub struct LineFilter<'a> {
    pub params: &'a FindReferences,
    /// The end of the page before.
    pub after: Option<ReferenceCursor>,
    /// A file that is left out.
    pub defined_in: Option<String>,
}

impl LineFilter<'_> {
    /// Returns whether matches of text can be wanted: all of them are mentions of low confidence.
    fn accepts_text_matches(&self) -> bool {
        let role = self.params.role();
        role.is_none_or(|role| role == UseRole::Mention)
            && self.params.min_confidence() == ConfidenceLevel::Low
    }
}

/// A page of references that come in the order of the cursor, and the numbers of all.
struct Page {
    references: Vec<Reference>,
    total: u64,
    remaining: u64,
    files: BTreeMap<String, u64>,
}

impl Page {
    fn add(
        &mut self,
        filter: &LineFilter<'_>,
        (path, line, column): (&str, u32, u32),
        describe: impl FnOnce() -> Reference,
    ) {
        self.total += 1;
        if let Some(lines) = self.files.get_mut(path) {
            *lines += 1;
        } else {
            self.files.insert(path.to_owned(), 1);
        }
        if self.references.len() >= filter.params.limit() as usize {
            self.remaining += 1;
            return;
        }
        let after = filter.after.as_ref();
        if after.is_none_or(|after| after.is_before(path, line, column)) {
            self.references.push(describe());
        }
    }
}

/// Returns the lines, or `error` if no file without facts has the word.
pub fn find_references(
    context: &Context,
    filter: &LineFilter<'_>,
    root: &GraphRoot<'_>,
    error: ToolError,
) -> Result<References, ToolError> {
    let params = filter.params;
    if !filter.accepts_text_matches() {
        return Err(error);
    }
    let name = params.symbol.as_deref().unwrap_or_default();
    let (graph, texts) = (root.graph(), root.texts());
    let mut page = Page {
        references: vec![],
        total: 0,
        remaining: 0,
        files: BTreeMap::new(),
    };
    let (mut first, mut unread) = (None, 0);
    for file in graph.files_with(name).iter().copied() {
        context.cancel.check()?;
        let indexed = graph.file(file);
        let prose = indexed.language.is_some_and(|language| language.prose);
        let is_left_out = filter.defined_in.as_deref() == Some(&*indexed.path);
        if graph.rules(file).is_some() || prose || is_left_out {
            continue;
        }
        let Some(text) = texts.file(file as usize) else {
            unread += 1;
            continue;
        };
        let mut last = 0;
        let words = words_at(text.whole(), name).filter(|word| !word.beside_dollar);
        for Word { line, column, .. } in words {
            if line == last {
                continue;
            }
            last = line;
            first = first.or(Some((file, line)));
            let describe = || {
                let line_text = text.lines(line, line).next().map_or("", |(_, text)| text);
                Reference {
                    path: indexed.path.clone(),
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
                }
            };
            page.add(filter, (&indexed.path, line, column + 1), describe);
        }
    }
    let Some((file, line)) = first else {
        if unread == 0 {
            return Err(error);
        }
        let files = count(unread, "file");
        let gap = format!("; {files} that may have the word could not be read");
        return Err(ToolError {
            message: error.message.text(gap),
            ..error
        });
    };
    let mut symbol = describe_line(&graph, file, line);
    name.clone_into(&mut symbol.name);
    name.clone_into(&mut symbol.qualified);
    let mut freshness = root.indexed.freshness.clone();
    freshness.add_note(format!(
        "no symbol `{name}` is known here: these are lines of text that have the word"
    ));
    if unread > 0 {
        let files = count(unread, "file");
        freshness.add_note(format!("{files} that may have the word could not be read"));
    }
    let Page {
        references,
        total,
        remaining,
        files,
    } = page;
    let mut files: Vec<FileReferences> = files
        .into_iter()
        .map(|(path, references)| FileReferences { path, references })
        .collect();
    References::sort_files(&mut files);
    let total_files = files.len() as u64;
    files.truncate(params.limit() as usize);
    let mut answer = References {
        root: root.indexed.root.path.clone(),
        root_name: root.indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        symbol,
        definitions: vec![],
        role: params.role(),
        include_definition: false,
        defined_in: filter.defined_in.clone(),
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
        truncated: false,
        cursor: None,
        limit: params.limit(),
        overloads: 0,
    };
    answer.set_cursor();
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use claudevil_protocol::tools::find_references::RoleFilter;

    use super::*;

    fn reference(path: &str, line: u32) -> Reference {
        Reference {
            path: path.to_owned(),
            line,
            column: 1,
            role: UseRole::Mention,
            usage: "text in".to_owned(),
            confidence: 0.3,
            level: ConfidenceLevel::Low,
            resolution: Resolution::NameOnly,
            reason: "text match only".to_owned(),
            candidates: None,
            enclosing: None,
            text: String::new(),
            context: None,
            is_test: false,
        }
    }

    #[test]
    fn pages_follow_each_other_and_count_all_lines() {
        let params = FindReferences {
            limit: Some(2),
            ..FindReferences::default()
        };
        let lines = [
            ("a.pl", 1),
            ("a.pl", 7),
            ("b.pl", 2),
            ("b.pl", 3),
            ("c.pl", 1),
        ];
        let (mut after, mut shown) = (None, vec![]);
        for remaining in [3, 1, 0] {
            let filter = LineFilter {
                params: &params,
                after: after.take(),
                defined_in: None,
            };
            let mut page = Page {
                references: vec![],
                total: 0,
                remaining: 0,
                files: BTreeMap::new(),
            };
            for (path, line) in lines {
                page.add(&filter, (path, line, 1), || reference(path, line));
            }
            assert_eq!((page.total, page.remaining), (5, remaining));
            assert_eq!(page.files["b.pl"], 2);
            after = page.references.last().map(ReferenceCursor::new);
            shown.extend(page.references.into_iter().map(|one| one.line));
        }
        assert_eq!(shown, [1, 7, 2, 3, 1]);
    }

    #[test]
    fn text_is_no_use_of_a_role_and_never_certain() {
        let takes = |role: Option<RoleFilter>, min_confidence: Option<ConfidenceLevel>| {
            let params = FindReferences {
                role,
                min_confidence,
                ..FindReferences::default()
            };
            let filter = LineFilter {
                params: &params,
                after: None,
                defined_in: None,
            };
            filter.accepts_text_matches()
        };
        assert!(takes(None, None) && takes(Some(RoleFilter::Any), None));
        assert!(takes(Some(RoleFilter::Mention), Some(ConfidenceLevel::Low)));
        assert!(!takes(Some(RoleFilter::Call), None));
        assert!(!takes(None, Some(ConfidenceLevel::Medium)));
    }
}
