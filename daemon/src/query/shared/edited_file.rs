//! A file that a call changes: its text as it was indexed, and the checks that the new text must pass.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::{ErrorCode, ToolError};

use super::graph_root::GraphRoot;
use super::splice::Splices;
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
pub type ParseSpans<'a> = dyn Fn(&'static Language, &str) -> Option<FileSpans> + 'a;

pub struct EditedFile {
    pub path: String,
    pub text: String,
    pub language: &'static Language,
    pub spans: FileSpans,
}

impl EditedFile {
    /// Reads a file, which must be as indexed, and parses it in a worker.
    pub fn open(context: &Context, root: &GraphRoot<'_>, path: &str) -> Result<Self, ToolError> {
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
            let message = format!("{path} has changed since it was indexed; nothing was changed");
            return Err(ToolError::new(ErrorCode::Stale, message)
                .with_hint("read the code again, then repeat the call"));
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            ToolError::invalid_argument(format!("{path} is not UTF-8; nothing was changed"))
        })?;
        let spans = parse_spans(context, language, &text)
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

    /// Applies splices, and parses the result in a worker. The error says which symbols outside them would change, or what does
    /// not parse.
    pub fn check(&self, context: &Context, splices: &Splices) -> Result<CheckedText, ToolError> {
        self.check_with(
            &|language, text| parse_spans(context, language, text),
            splices,
        )
    }

    pub fn check_with(
        &self,
        parse: &ParseSpans<'_>,
        splices: &Splices,
    ) -> Result<CheckedText, ToolError> {
        let text = splices.apply(&self.text);
        let spans = parse(self.language, &text).filter(|spans| !spans.is_unparsed);
        let spans = spans.ok_or_else(|| {
            let message = format!(
                "{} could not be parsed with the new text; nothing was changed",
                self.path
            );
            ToolError::invalid_argument(message)
        })?;
        let ranges = splices.new_ranges();
        if let Some(error) = self.new_error(&spans, splices, &ranges) {
            return Err(self.parse_error(&text, error, &ranges));
        }
        self.compare_outside((&text, &spans), splices, &ranges)?;
        Ok(CheckedText {
            text,
            spans,
            ranges,
        })
    }

    /// Returns a parse error that the old text does not have.
    fn new_error(
        &self,
        after: &FileSpans,
        splices: &Splices,
        ranges: &[Range<usize>],
    ) -> Option<ByteSpan> {
        let is_new = |error: &ByteSpan| {
            let touches = |range: &Range<usize>| {
                range.start <= error.1 as usize && error.0 as usize <= range.end
            };
            ranges.iter().any(touches)
        };
        // The old errors, by their positions in the new text.
        let mut old: HashMap<usize, usize> = HashMap::new();
        for error in &self.spans.errors {
            *old.entry(splices.map(error.0 as usize)).or_default() += 1;
        }
        let unknown = after.errors.iter().find(|error| {
            let known = old.get_mut(&(error.0 as usize)).filter(|count| **count > 0);
            known.map(|count| *count -= 1).is_none()
        });
        let grew = after.errors.len() > self.spans.errors.len();
        let inside = after.errors.iter().find(|error| is_new(error));
        let replaced = |error: &&ByteSpan| splices.replaces(error.0 as usize);
        let old_inside = self.spans.errors.iter().filter(replaced).count();
        let new_inside = after.errors.iter().filter(|error| is_new(error)).count();
        if grew || new_inside > old_inside && unknown.is_some() {
            return inside.or(unknown).or(after.errors.first()).copied();
        }
        None
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
    ) -> Result<(), ToolError> {
        let is_new = |at: u32| ranges.iter().any(|range| range.contains(&(at as usize)));
        let old = self.spans.symbols.iter().filter(|symbol| {
            has_structure(symbol.kind) && !splices.replaces(symbol.name_at as usize)
        });
        let mut new = after
            .symbols
            .iter()
            .filter(|symbol| has_structure(symbol.kind) && !is_new(symbol.name_at));
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
    pub spans: FileSpans,
    /// The ranges of the inserted texts.
    pub ranges: Vec<Range<usize>>,
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

/// Finds the spans of a text in a worker; none if the worker fails.
pub fn parse_spans(
    context: &Context,
    language: &'static Language,
    text: &str,
) -> Option<FileSpans> {
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
