//! The text of `search`.

use std::collections::BTreeMap;

use crate::answer::freshness;
use crate::answer::hits::{GAP, numbered, ranked};
use crate::answer::symbol::SymbolKind;
use crate::text::NextCall;
use crate::text::quantity::{count, elapsed, grouped};
use crate::text::{fence, leading, one_line};
use crate::tools::Tool;
use crate::tools::search::{Search, SearchHit, SearchMode, SearchResults, SearchTarget};

/// A longer query is shown by its beginning.
const LONGEST_QUERY: usize = 120;

/// All known projects.
const EVERYWHERE: &str = "*";

pub fn write(list: &SearchResults) -> String {
    let mut lines = vec![head(list)];
    lines.extend(freshness::lines(&list.freshness));
    lines.extend(if list.mode.is_exhaustive() {
        every_line(list)
    } else {
        ranked(&list.results)
    });
    lines.extend(uncovered(list));
    lines.extend(list.advice.as_ref().map(ToString::to_string));
    if list.remaining > 0 {
        lines.push(next(list));
    }
    lines.join("\n")
}

/// What was asked and how much was found.
pub fn head(list: &SearchResults) -> String {
    let query = shortened(&list.query);
    let mut head = if list.mode.is_exhaustive() {
        let how = if list.mode == SearchMode::Regex {
            "matching"
        } else {
            "with"
        };
        let found = if list.total == 0 {
            "no lines".to_owned()
        } else {
            count(list.total, "line")
        };
        let language = list
            .language
            .as_ref()
            .map_or_else(String::new, |language| format!("{language} "));
        let files = list.coverage.as_ref().filter(|coverage| coverage.files > 0);
        match files.map(|coverage| count(coverage.files, &format!("{language}file"))) {
            Some(files) => format!("{found} {how} `{query}` in {files} of {}", scope(list)),
            None if language.is_empty() => format!("{found} {how} `{query}` in {}", scope(list)),
            None => format!(
                "{found} {how} `{query}` in {language}files of {}",
                scope(list)
            ),
        }
    } else {
        let what = list.kind.map_or("result", SymbolKind::as_str);
        let found = if list.total == 0 {
            format!("no {}", &count(0, what)[2..])
        } else {
            count(list.total, what)
        };
        let language = list
            .language
            .as_ref()
            .map_or_else(String::new, |language| format!(" of {language}"));
        format!("{found} for \"{query}\"{language} in {}", scope(list))
    };
    if let Some(glob) = &list.path {
        head = format!("{head} under {}", one_line(glob));
    }
    head = format!("{head} ({})", manner(list));
    let shown = list.results.len() as u64;
    if list.offset > 0 && shown > 0 {
        format!(
            "{head}; {}-{} shown",
            grouped(list.offset + 1),
            grouped(list.offset + shown)
        )
    } else if list.remaining > 0 {
        format!("{head}; {} shown", grouped(shown))
    } else {
        head
    }
}

fn shortened(query: &str) -> String {
    let query = one_line(query);
    match query.char_indices().nth(LONGEST_QUERY) {
        Some((end, _)) => format!("{}…", &query[..end]),
        None => query,
    }
}

fn scope(list: &SearchResults) -> String {
    if list.root == EVERYWHERE {
        return "all projects".to_owned();
    }
    let folder = list
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!("/{}", one_line(folder)));
    format!("{}{folder}", list.root_name)
}

/// `auto, definitions, 3 ms`.
fn manner(list: &SearchResults) -> String {
    let mut parts = vec![list.mode.as_str().to_owned()];
    if list.target != SearchTarget::All {
        parts.push(list.target.as_str().to_owned());
    }
    if let Some(kind) = list.kind.filter(|_| list.mode.is_exhaustive()) {
        parts.push(format!("kind {}", kind.as_str()));
    }
    parts.push(elapsed(list.elapsed_ms));
    parts.join(", ")
}

/// Matching lines by file: the path once, the symbol around a line where it changes.
fn every_line(list: &SearchResults) -> Vec<String> {
    let mut lines = vec![];
    for hits in list
        .results
        .chunk_by(|one, other| one.path == other.path && one.root == other.root)
    {
        let root = hits[0]
            .root
            .as_ref()
            .map_or_else(String::new, |root| format!("[{}] ", one_line(root)));
        lines.push(format!("{root}{}", leading(&hits[0].path)));
        let shown = shown_lines(hits);
        let fence = fence(shown.iter().map(String::as_str));
        lines.push(fence.clone());
        lines.extend(shown);
        lines.push(fence);
    }
    lines
}

fn shown_lines(hits: &[SearchHit]) -> Vec<String> {
    // Lines around one match may be around the next, or match themselves.
    let mut texts = BTreeMap::new();
    let mut symbols = BTreeMap::new();
    for hit in hits {
        texts.extend(numbered(hit));
        symbols.extend((hit.start_line..=hit.end_line).map(|line| (line, hit.symbol.as_deref())));
    }
    let has_context = texts.len() > symbols.len();
    let mut lines = vec![];
    let (mut before, mut around) = (None, None);
    for (number, text) in texts {
        // Numbers tell as much where every line is a match.
        if has_context && before.is_some_and(|before: u32| before.saturating_add(1) != number) {
            lines.push(GAP.to_owned());
        }
        before = Some(number);
        match symbols.get(&number) {
            Some(&Some(symbol)) if around != Some(symbol) => {
                around = Some(symbol);
                lines.push(format!("{number}: {text}  [in {}]", one_line(symbol)));
            }
            Some(symbol) => {
                around = *symbol;
                lines.push(format!("{number}: {text}"));
            }
            None => lines.push(format!("{number}- {text}")),
        }
    }
    lines
}

/// What an exhaustive search did not look at.
pub fn uncovered(list: &SearchResults) -> Vec<String> {
    let Some(coverage) = &list.coverage else {
        return vec![];
    };
    let mut lines = vec![];
    if !coverage.skipped.is_empty() {
        let skipped = coverage.skipped.iter();
        let skipped: Vec<_> = skipped
            .map(|skipped| format!("{} {}", grouped(skipped.files), skipped.reason.as_str()))
            .collect();
        lines.push(format!("not searched: {}", skipped.join(", ")));
    }
    if coverage.unsearched > 0 {
        let files = count(coverage.unsearched, "file");
        lines.push(format!(
            "incomplete: {files} could not be looked at in time; narrow it with path or language"
        ));
    }
    lines
}

fn next(list: &SearchResults) -> String {
    let root = match &list.folder {
        _ if list.root == EVERYWHERE => EVERYWHERE.to_owned(),
        Some(folder) => format!("{}/{folder}", list.root),
        None => list.root_name.clone(),
    };
    let call = NextCall::new(Search::NAME)
        .with("query", list.query.as_str())
        .with_some(
            "mode",
            (list.mode != SearchMode::Auto).then(|| list.mode.as_str()),
        )
        .with_some(
            "target",
            (list.target != SearchTarget::All).then(|| list.target.as_str()),
        )
        .with_some("kind", list.kind.map(SymbolKind::as_str))
        .with_some("language", list.language.as_deref())
        .with_some("path", list.path.as_deref())
        .with_some(
            "limit",
            (list.limit != Search::DEFAULT_LIMIT).then_some(list.limit),
        )
        .with_some("context_lines", list.context_lines)
        .with_some("detailed", list.detailed.then_some(true))
        .with_budget(list.max_tokens)
        .with("root", root)
        .with_some("cursor", list.cursor.as_deref());
    format!("{} more: {call}", grouped(list.remaining))
}

#[cfg(test)]
mod tests;
