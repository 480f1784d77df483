//! The texts that are looked at for a rename, each read and taken apart once.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::words::{code_of, is_member_of_something};
use crate::extract::{BesideCode, beside_code};
use crate::graph::Graph;
use crate::lang::{Language, Naming};
use crate::search::grep::lines::cut_around;
use crate::search::text_cache::{FileText, TextCache};

pub struct Reading<'a> {
    graph: &'a Graph<'a>,
    texts: &'a TextCache<'a>,
    opened: RefCell<HashMap<u32, Option<Rc<Opened>>>>,
}

impl<'a> Reading<'a> {
    pub fn new(graph: &'a Graph<'a>, texts: &'a TextCache<'a>) -> Self {
        Self {
            graph,
            texts,
            opened: RefCell::default(),
        }
    }

    pub fn naming(&self, file: u32) -> Option<&'static Naming> {
        Some(&self.graph.file(file).language?.facts.as_ref()?.naming)
    }

    /// None for a file that is gone.
    pub fn open(&self, file: u32) -> Option<Rc<Opened>> {
        if let Some(known) = self.opened.borrow().get(&file) {
            return known.clone();
        }
        let language = self.graph.file(file).language;
        let opened = self
            .texts
            .once(file as usize)
            .map(|text| Rc::new(Opened::new(text, language)));
        self.opened.borrow_mut().insert(file, opened.clone());
        opened
    }

    /// Lets a text go that has been looked at.
    pub fn close(&self, file: u32) {
        self.opened.borrow_mut().remove(&file);
    }

    /// Whether what stands at a place is a member of what stands before it.
    pub fn is_member(&self, file: u32, line: u32, column: u32) -> bool {
        let signs = self
            .naming(file)
            .map_or(&["."][..], |naming| naming.member_operators.as_slice());
        let Some(opened) = self.open(file) else {
            return false;
        };
        let at = opened.offset(line, column);
        at.is_some_and(|at| is_member_of_something(opened.code(), at, signs))
    }
}

pub struct Opened {
    file: FileText,
    language: Option<&'static Language>,
    /// Where each line begins.
    starts: Vec<usize>,
    beside: OnceCell<BesideCode>,
    code: OnceCell<String>,
}

impl Opened {
    fn new(file: FileText, language: Option<&'static Language>) -> Self {
        let ends = file
            .whole()
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self {
            file,
            language,
            starts,
            beside: OnceCell::new(),
            code: OnceCell::new(),
        }
    }

    pub fn text(&self) -> &str {
        self.file.whole()
    }

    pub fn beside(&self) -> &BesideCode {
        self.beside.get_or_init(|| {
            self.language
                .map(|language| beside_code(language, self.text()))
                .unwrap_or_default()
        })
    }

    /// The text with comments blanked, and what strings say.
    pub fn code(&self) -> &str {
        self.code
            .get_or_init(|| code_of(self.text(), self.beside()))
    }

    /// A place in the text of a line and a column in bytes, to which facts count a mark of the encoding.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let mark = if line == 1 { self.file.mark() } else { 0 };
        let at = self.starts.get(line.checked_sub(1)? as usize)?
            + (column as usize).saturating_sub(mark);
        self.text().is_char_boundary(at).then_some(at)
    }

    pub fn line_of(&self, at: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    pub fn column_of(&self, at: usize) -> u32 {
        let line = self.line_of(at) as usize;
        u32::try_from(at - self.starts[line.saturating_sub(1)]).unwrap_or(u32::MAX)
    }

    /// What is shown of a line for a word in it, without the space around it: of a long one the part around the word.
    pub fn shown(&self, line: u32, column: u32) -> String {
        let start = self
            .starts
            .get(line.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(self.text().len());
        let whole = self.text()[start..].lines().next().unwrap_or_default();
        let indent = whole.len() - whole.trim_start().len();
        cut_around(whole.trim(), (column as usize).saturating_sub(indent))
    }
}
