//! The texts that a rename reads, each read and lexed once.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::syntax::has_receiver;
use crate::extract::{NonCodeSpans, find_non_code};
use crate::graph::Graph;
use crate::lang::{Language, Naming};
use crate::search::grep::lines::cut_around;
use crate::search::text_cache::{FileText, TextCache};

pub struct SourceCache<'a> {
    graph: &'a Graph<'a>,
    texts: &'a TextCache<'a>,
    open: RefCell<HashMap<u32, Option<Rc<SourceText>>>>,
}

impl<'a> SourceCache<'a> {
    pub fn new(graph: &'a Graph<'a>, texts: &'a TextCache<'a>) -> Self {
        Self {
            graph,
            texts,
            open: RefCell::default(),
        }
    }

    pub fn naming(&self, file: u32) -> Option<&'static Naming> {
        Some(&self.graph.file(file).language?.facts.as_ref()?.naming)
    }

    /// Returns the text of a file; none if the file is gone.
    pub fn open(&self, file: u32) -> Option<Rc<SourceText>> {
        if let Some(cached) = self.open.borrow().get(&file) {
            return cached.clone();
        }
        let language = self.graph.file(file).language;
        let source = self
            .texts
            .read(file as usize)
            .map(|text| Rc::new(SourceText::new(text, language)));
        self.open.borrow_mut().insert(file, source.clone());
        source
    }

    /// Drops the text of a file that is not needed again.
    pub fn close(&self, file: u32) {
        self.open.borrow_mut().remove(&file);
    }

    /// Returns whether the name at a position is a member of an expression before it.
    pub fn has_receiver(&self, file: u32, line: u32, column: u32) -> bool {
        let Some(source) = self.open(file) else {
            return false;
        };
        let at = source.offset(line, column);
        at.is_some_and(|at| source.has_receiver(at, self.naming(file)))
    }
}

pub struct SourceText {
    file: FileText,
    language: Option<&'static Language>,
    line_starts: Vec<usize>,
    non_code: OnceCell<NonCodeSpans>,
    code: OnceCell<String>,
}

impl SourceText {
    fn new(file: FileText, language: Option<&'static Language>) -> Self {
        let ends = file
            .whole()
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self {
            file,
            language,
            line_starts,
            non_code: OnceCell::new(),
            code: OnceCell::new(),
        }
    }

    pub fn text(&self) -> &str {
        self.file.whole()
    }

    /// Returns the comments and strings of the text.
    pub fn non_code(&self) -> &NonCodeSpans {
        self.non_code.get_or_init(|| {
            self.language
                .map(|language| find_non_code(language, self.text()))
                .unwrap_or_default()
        })
    }

    /// Returns the text with comments blanked and strings filled with `_`, so that only code is left.
    pub fn code(&self) -> &str {
        self.code
            .get_or_init(|| blank_non_code(self.text(), self.non_code()))
    }

    pub fn has_receiver(&self, at: usize, naming: Option<&Naming>) -> bool {
        let operators = naming.map_or(&["."][..], |naming| naming.member_operators.as_slice());
        has_receiver(self.code(), at, operators)
    }

    /// Returns the offset of a line and a column in bytes, in which facts include a byte order mark.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let mark = if line == 1 { self.file.start } else { 0 };
        let at = self.line_starts.get(line.checked_sub(1)? as usize)?
            + (column as usize).saturating_sub(mark);
        self.text().is_char_boundary(at).then_some(at)
    }

    pub fn line_of(&self, at: usize) -> u32 {
        u32::try_from(self.line_starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    pub fn column_of(&self, at: usize) -> u32 {
        let line = self.line_of(at) as usize;
        u32::try_from(at - self.line_starts[line.saturating_sub(1)]).unwrap_or(u32::MAX)
    }

    /// Returns a line for display, trimmed; a long line is cut to the part around the column.
    pub fn excerpt(&self, line: u32, column: u32) -> String {
        let start = self
            .line_starts
            .get(line.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(self.text().len());
        let whole = self.text()[start..].lines().next().unwrap_or_default();
        let indent = whole.len() - whole.trim_start().len();
        cut_around(whole.trim(), (column as usize).saturating_sub(indent))
    }
}

fn blank_non_code(text: &str, beside: &NonCodeSpans) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut fill = |spans: &[Range<u32>], with: u8| {
        for span in spans {
            if let Some(hidden) = bytes.get_mut(span.start as usize..span.end as usize) {
                hidden
                    .iter_mut()
                    .filter(|byte| **byte != b'\n')
                    .for_each(|byte| *byte = with);
            }
        }
    };
    fill(&beside.comments, b' ');
    fill(&beside.strings, b'_');
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;

    #[test]
    fn comments_and_strings_are_told_from_code() {
        for (language, text) in [
            (
                "rust",
                "code // note\n code \"text\" '\"' code r#\"text \" text\"# code /* note\nnote */ code \"text\ntext\" code",
            ),
            (
                "python",
                "code # note\ncode 'text' \"\"\"text\n'text\n\"\"\" code",
            ),
            (
                "javascript",
                "code `text\ntext` 'text' code /* note */ code",
            ),
            ("bash", "code $#code # note\necho 'text\ntext' code"),
            ("c", "code '\"' code \"text // text\" code // note"),
            ("haskell", "code {- note\nnote -} code -- note"),
        ] {
            let beside = find_non_code(lang::by_name(language).expect(language), text);
            for word in ["code", "note", "text"] {
                for (at, _) in text.match_indices(word) {
                    let at = u32::try_from(at).expect("small");
                    let found = (beside.is_comment(at), beside.is_string(at));
                    assert_eq!(
                        found,
                        (word == "note", word == "text"),
                        "{language}: {word} at {at}"
                    );
                }
            }
        }
    }
}
