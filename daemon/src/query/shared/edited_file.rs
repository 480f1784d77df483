//! A file that a call changes: its text as it was indexed, and the checks that the new text must pass.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::graph_root::GraphRoot;
use super::splice::{Splice, Splices};
use crate::change::{FileChange, LARGEST_FILE};
use crate::extract::spans::{ByteSpan, FileSpans, SymbolSpan};
use crate::index::prepare::content_hash;
use crate::index::worker::{Job, Outcome, Task};
use crate::lang::Language;
use crate::query::Context;
use crate::store::ledger::record;

/// Bytes of the hash that names a preview.
const NAME_BYTES: usize = 6;

/// Finds the spans of a text; none if that fails.
pub type ParseSpans<'a> = dyn Fn(&'static Language, &str) -> Option<Arc<FileSpans>> + 'a;

pub struct EditedFile {
    pub path: String,
    pub text: String,
    pub language: &'static Language,
    pub spans: Arc<FileSpans>,
}

impl EditedFile {
    /// Reads a file, which must be as indexed, and parses it.
    pub fn open(
        root: &GraphRoot<'_>,
        path: &str,
        parse: &ParseSpans<'_>,
    ) -> Result<Self, ToolError> {
        let file = root.indexed.file(path)?;
        let Some(language) = file.language.filter(|language| language.facts.is_some()) else {
            let language = file.language.map_or("plain text", |language| language.name);
            return Err(ToolError::invalid_argument(format!(
                "{path} cannot be edited by symbols: {language} is not parsed; nothing was changed"
            )));
        };
        let bytes = root.dir().read(path, LARGEST_FILE).ok_or_else(|| {
            let message = format!("{path} cannot be read any more; nothing was changed");
            ToolError::new(ErrorCode::FileNotFound, message)
        })?;
        if content_hash(&bytes) != file.record.hash {
            return Err(changed_since_indexed(path));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            ToolError::invalid_argument(format!("{path} is not UTF-8; nothing was changed"))
        })?;
        let spans = parse(language, &text)
            .filter(|spans| !spans.is_unparsed)
            .ok_or_else(|| {
                let message = format!("{path} could not be parsed; nothing was changed");
                ToolError::invalid_argument(message)
            })?;
        Ok(Self {
            path: path.to_owned(),
            text,
            language,
            spans,
        })
    }

    /// Applies splices, and parses the result. The error says which symbols outside them would change, or what does not parse.
    pub fn check(
        &self,
        parse: &ParseSpans<'_>,
        splices: &Splices,
    ) -> Result<CheckedText, ToolError> {
        let text = splices.apply(&self.text);
        let spans = self.parse(parse, &text)?;
        let ranges = splices.new_ranges();
        if let Some(error) = self.new_error((&text, &spans), splices) {
            return Err(self.parse_error(&text, error, &ranges));
        }
        let annotated = self.newly_annotated(&spans, splices)?;
        self.compare_outside((&text, &spans), splices, &ranges, &annotated)?;
        self.compare_tokens((&text, &spans), splices, &ranges, &annotated)?;
        Ok(CheckedText {
            text,
            spans,
            ranges,
        })
    }

    /// Finds the spans of a new text of the file.
    pub fn parse(&self, parse: &ParseSpans<'_>, text: &str) -> Result<Arc<FileSpans>, ToolError> {
        let spans = parse(self.language, text).filter(|spans| !spans.is_unparsed);
        spans.ok_or_else(|| {
            let message = format!(
                "{} could not be parsed with the new text; nothing was changed",
                self.path
            );
            ToolError::invalid_argument(message)
        })
    }

    /// Returns the lines of a range that do not begin inside a string.
    pub fn code_lines(&self, range: Range<usize>) -> String {
        let strings: Vec<_> = self
            .spans
            .strings
            .iter()
            .map(|one| to_range(*one))
            .collect();
        let mut at = range.start;
        let lines = self.text[range].split_inclusive('\n').filter(|line| {
            let start = at;
            at += line.len();
            start == 0 || !overlaps(&strings, &(start - 1..start))
        });
        lines.collect()
    }

    /// Returns a parse error that the old text does not have: neither at the same place, nor on a line with the same text.
    fn new_error(
        &self,
        (new_text, after): (&str, &FileSpans),
        splices: &Splices,
    ) -> Option<ByteSpan> {
        let mut old: Vec<Option<ByteSpan>> = self.spans.errors.iter().copied().map(Some).collect();
        let mut by_start: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, error) in self.spans.errors.iter().enumerate() {
            let start = error.0 as usize;
            if !splices.replaces(start) {
                by_start.entry(splices.map(start)).or_default().push(at);
            }
        }
        let mut elsewhere = vec![];
        for error in &after.errors {
            let same_start = by_start.get(&(error.0 as usize)).into_iter().flatten();
            let same = same_start.copied().find(|at| {
                let end = old[*at].map(|error| error.1 as usize);
                end.is_some_and(|end| splices.may_move_end(end, error.1 as usize))
            });
            match same {
                Some(at) => old[at] = None,
                None => elsewhere.push(*error),
            }
        }
        let mut texts: HashMap<&str, usize> = HashMap::new();
        for error in old.into_iter().flatten() {
            *texts.entry(first_line(&self.text, error)).or_default() += 1;
        }
        elsewhere.into_iter().find(|error| {
            let known = texts.get_mut(first_line(new_text, *error));
            known
                .filter(|count| **count > 0)
                .map(|count| *count -= 1)
                .is_none()
        })
    }

    fn parse_error(&self, text: &str, error: ByteSpan, ranges: &[Range<usize>]) -> ToolError {
        let at = (error.0 as usize).min(text.len());
        let line = text[..text.floor_char_boundary(at)].matches('\n').count() + 1;
        let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
        let shown: String = shown.chars().take(100).collect();
        let is_inside = ranges.iter().any(|range| range.contains(&at));
        let place = if is_inside {
            "the new text"
        } else {
            "what follows the new text"
        };
        let message = format!(
            "{}: {place} does not parse at line {line} of the result: `{shown}`; nothing was changed",
            self.path
        );
        ToolError::invalid_argument(message)
    }

    /// Checks that all symbols outside the splices are where they were.
    fn compare_outside(
        &self,
        (new_text, after): (&str, &FileSpans),
        splices: &Splices,
        ranges: &[Range<usize>],
        annotated: &[Range<usize>],
    ) -> Result<(), ToolError> {
        let is_new = |at: usize| ranges.iter().any(|range| range.contains(&at));
        // An annotation may change the kind of a symbol: `@property`.
        let is_annotated = |at: usize| overlaps(annotated, &(at..at + 1));
        let old = self.spans.symbols.iter().filter(|symbol| {
            let at = symbol.name_at as usize;
            has_structure(symbol.kind) && !splices.replaces(at) && !is_annotated(splices.map(at))
        });
        let mut new = after.symbols.iter().filter(|symbol| {
            let at = symbol.name_at as usize;
            has_structure(symbol.kind) && !is_new(at) && !is_annotated(at)
        });
        for symbol in old {
            let found = new.next();
            let is_same = found.is_some_and(|found| {
                let parent = |symbol: &SymbolSpan, all: &[SymbolSpan]| {
                    let parent = all.get(symbol.parent? as usize)?;
                    has_structure(parent.kind).then_some(parent.name_at as usize)
                };
                let old_parent = parent(symbol, &self.spans.symbols);
                found.name == symbol.name
                    && found.kind == symbol.kind
                    && found.scope == symbol.scope
                    && found.name_at as usize == splices.map(symbol.name_at as usize)
                    && old_parent.map(|at| splices.map(at)) == parent(found, &after.symbols)
                    && splices.may_move_end(
                        code_end(&self.text, symbol.definition),
                        code_end(new_text, found.definition),
                    )
            });
            if !is_same {
                return Err(self.symbol_moved_error(symbol));
            }
        }
        match new.next() {
            Some(extra) => Err(self.symbol_moved_error(extra)),
            None => Ok(()),
        }
    }

    /// Checks that all code outside the splices consists of the same tokens in the same nodes, so that no text of the call makes
    /// a comment, a string or a part of a statement of it, and that its comments are still comments. Code that did not parse
    /// before is left out.
    fn compare_tokens(
        &self,
        (new_text, after): (&str, &FileSpans),
        splices: &Splices,
        ranges: &[Range<usize>],
        annotated: &[Range<usize>],
    ) -> Result<(), ToolError> {
        let errors = disjoint(self.spans.errors.iter().map(|error| to_range(*error)));
        let new_errors = errors.iter().cloned().map(|error| splices.map_rest(error));
        let new_errors = disjoint(new_errors);
        let old = self.spans.tokens.iter().filter_map(|token| {
            let place = splices.map_range(to_range(token.span))?;
            let is_error = overlaps(&errors, &to_range(token.span));
            (!is_error).then_some((token, place))
        });
        let mut new = after.tokens.iter().filter_map(|token| {
            let place = to_range(token.span);
            let is_left_out = overlaps(ranges, &place) || overlaps(&new_errors, &place);
            (!is_left_out).then_some((token, place))
        });
        let mut reached = 0;
        for (token, place) in old {
            let gap = reached..token.span.0 as usize;
            reached = token.span.1 as usize;
            let is_same = new.next().is_some_and(|(other, other_place)| {
                let may_begin = || {
                    splices
                        .within(gap)
                        .any(|splice| self.may_move_start(splice))
                };
                let has_same_nodes =
                    || token.path == other.path && (token.begins == other.begins || may_begin());
                // Errors change the nodes around them.
                let is_free = token.path == 0 || other.path == 0 || overlaps(annotated, &place);
                token.kind == other.kind && place == other_place && (is_free || has_same_nodes())
            });
            if !is_same {
                return Err(self.token_error(&self.text, token.span));
            }
        }
        if let Some((token, _)) = new.next() {
            return Err(self.token_error(new_text, token.span));
        }
        let comments = self.spans.comments.iter().copied();
        for comment in comments.filter(|span| !overlaps(&errors, &to_range(*span))) {
            let Some(place) = splices.map_range(to_range(comment)) else {
                continue;
            };
            let behind = |other: &ByteSpan| (other.1 as usize) < place.end;
            let next = after.comments.get(after.comments.partition_point(behind));
            if next.is_none_or(|next| (next.0 as usize) > place.start) {
                return Err(self.token_error(&self.text, comment));
            }
        }
        Ok(())
    }

    /// Returns the places of symbols that get attributes from a new text, or whose new text is below their old attributes: some
    /// grammars have other nodes or another kind for a symbol with attributes. It is an error if a text has attributes for a symbol
    /// outside of it, unless it consists of them and stands above that symbol: `fn a() {} #[test]` above `fn b() {}`.
    fn newly_annotated(
        &self,
        after: &FileSpans,
        splices: &Splices,
    ) -> Result<Vec<Range<usize>>, ToolError> {
        let placed: Vec<_> = splices.with_ranges().collect();
        let around = |at: u32| {
            placed
                .iter()
                .find(|(_, range)| range.contains(&(at as usize)))
        };
        let mut annotated = vec![];
        let with_attributes = after
            .symbols
            .iter()
            .filter(|one| !one.attributes.is_empty());
        for symbol in with_attributes {
            let added = symbol.attributes.iter().find_map(|span| around(span.0));
            match (added, around(symbol.name_at)) {
                (Some((splice, range)), None) => {
                    let first = after
                        .tokens
                        .partition_point(|token| (token.span.0 as usize) < range.start);
                    let attributes = disjoint(symbol.attributes.iter().map(|span| to_range(*span)));
                    let begins_with_attribute = after
                        .tokens
                        .get(first)
                        .is_some_and(|token| overlaps(&attributes, &to_range(token.span)));
                    if !begins_with_attribute || !self.is_before_line(splice) {
                        return Err(self.symbol_moved_error(symbol));
                    }
                }
                (None, Some(_)) => {}
                _ => continue,
            }
            annotated.push(to_range(symbol.whole));
        }
        Ok(disjoint(annotated.into_iter()))
    }

    /// Returns whether a splice inserts text in front of a line.
    fn is_before_line(&self, splice: &Splice) -> bool {
        let before = &self.text[..splice.range.start];
        let begins_line = before.is_empty() || before.ends_with(['\n', '\u{feff}']);
        splice.range.is_empty() && begins_line
    }

    /// Returns whether nodes that begin with the code behind a splice may begin elsewhere: a block whose first statement is
    /// removed, or gets another one before it.
    fn may_move_start(&self, splice: &Splice) -> bool {
        splice.text.trim().is_empty() || self.is_before_line(splice)
    }

    fn token_error(&self, text: &str, span: ByteSpan) -> ToolError {
        let line = line_around(text, span.0 as usize);
        let shown: String = line.trim().chars().take(100).collect();
        let message = format!(
            "{}: the change would affect code outside the edit: `{shown}` would be read differently; nothing was changed",
            self.path
        );
        ToolError::invalid_argument(message)
            .with_hint("check the end of the text: an open comment, string or statement goes on in the code behind it")
    }

    fn symbol_moved_error(&self, symbol: &SymbolSpan) -> ToolError {
        let message = format!(
            "{}: the change would affect code outside the edit: `{}` would begin, end or belong elsewhere; nothing was changed",
            self.path, symbol.name
        );
        ToolError::invalid_argument(message)
            .with_hint("check that brackets and indentation of the text are balanced")
    }
}

/// The new text of a file that has passed the checks.
pub struct CheckedText {
    pub text: String,
    pub spans: Arc<FileSpans>,
    /// The ranges of the inserted texts.
    pub ranges: Vec<Range<usize>>,
}

fn to_range((start, end): ByteSpan) -> Range<usize> {
    start as usize..end as usize
}

/// Returns whether a range has bytes of one of some others, which are sorted and disjoint.
fn overlaps(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = ranges.get(ranges.partition_point(|one| one.end <= range.start));
    next.is_some_and(|next| next.start < range.end)
}

/// Returns the union of ranges, sorted.
fn disjoint(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut union: Vec<Range<usize>> = vec![];
    for range in ranges {
        match union.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => union.push(range),
        }
    }
    union
}

/// Returns the line on which a parse error begins. Where it ends depends on the code behind it.
fn first_line(text: &str, error: ByteSpan) -> &str {
    line_around(text, error.0 as usize).trim()
}

fn line_around(text: &str, at: usize) -> &str {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// Returns the end of a definition without its line end, which some grammars include: `#define A 1`.
fn code_end(text: &str, (start, end): ByteSpan) -> usize {
    let (start, end) = (start as usize, end as usize);
    start + text[start..end].trim_end().len()
}

/// Returns whether symbols of a kind contain other symbols or executable code. Values are not compared, because assignments
/// define them: `self.size = 0`.
fn has_structure(kind: SymbolKind) -> bool {
    kind.is_callable()
        || kind.is_type()
        || matches!(
            kind,
            SymbolKind::Module | SymbolKind::Macro | SymbolKind::Alias
        )
}

/// Returns the error for a file that is not as it was indexed.
pub fn changed_since_indexed(path: &str) -> ToolError {
    let message = format!("{path} has changed since it was indexed; nothing was changed");
    ToolError::new(ErrorCode::Stale, message).with_hint("read the code again, then repeat the call")
}

/// Returns a function that finds the spans of texts in workers, of each text once.
pub fn span_parser<'a>(
    context: &'a Context<'_>,
) -> impl Fn(&'static Language, &str) -> Option<Arc<FileSpans>> + 'a {
    let known = RefCell::new(HashMap::new());
    move |language, text| {
        let key = (language.id, content_hash(text.as_bytes()));
        if let Some(spans) = known.borrow().get(&key) {
            return Some(Arc::clone(spans));
        }
        let spans = Arc::new(parse_spans(context, language, text)?);
        known.borrow_mut().insert(key, Arc::clone(&spans));
        Some(spans)
    }
}

fn parse_spans(context: &Context, language: &'static Language, text: &str) -> Option<FileSpans> {
    let job = Job {
        language: Some(language),
        task: Task::Spans,
        text: Arc::from(text),
    };
    match context.indexes.shared().pool.process_now(job)? {
        Outcome::Spans(bytes) => record::decompress(&bytes),
        _ => None,
    }
}

/// Returns the name of a preview. Two calls have the same name only if they make the same changes.
pub fn preview_name(changes: &[FileChange]) -> String {
    let mut hasher = blake3::Hasher::new();
    for change in changes {
        hasher.update(change.path.as_bytes());
        hasher.update(b"\0");
        hasher.update(blake3::hash(&change.before).as_bytes());
        hasher.update(blake3::hash(&change.after).as_bytes());
        if let Some(name) = &change.new_name {
            hasher.update(name.as_bytes());
            hasher.update(b"\0");
        }
    }
    let hash = hasher.finalize();
    let bytes = hash.as_bytes().iter().take(NAME_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Fails if a call names another preview than its own.
pub fn check_preview(asked: Option<&str>, preview: &str) -> Result<(), ToolError> {
    match asked {
        Some(asked) if asked != preview => {
            let message = "that preview is outdated: a file or the call has changed since; nothing was changed";
            Err(ToolError::new(ErrorCode::Stale, message)
                .with_hint("ask for a preview again, and apply that"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_names_the_changes_and_not_only_the_files() {
        let preview = |before: &str, after: &str| {
            preview_name(&[FileChange {
                path: "a.rs".to_owned(),
                before: before.into(),
                after: after.into(),
                new_name: None,
            }])
        };
        let first = preview("a()", "b()");
        assert_eq!(first, preview("a()", "b()"));
        assert_ne!(first, preview("a()", "c()"), "another replacement");
        assert_ne!(first, preview("a();", "b()"), "the file has changed");
    }
}
