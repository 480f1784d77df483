//! Patterns in the syntax of a language, with holes: `$X.unwrap()`, `if ($COND) { return $X; }`, `f($$$ARGS)`.
//!
//! A pattern is parsed as code, with an identifier in place of each hole, and its tree is compared with the nodes of a file.
//! Comments, and tokens of the file that the pattern lacks, such as a trailing comma, are skipped. Runs in workers.

mod matching;
mod operands;
mod read_back;
mod reading;
mod required_text;
mod surroundings;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use tree_sitter::{Query, Tree};

use self::matching::Search;
pub use self::read_back::{
    MatchReading, ReadBack, RewrittenText, WrittenHole, WrittenMatch, read_back,
};
use self::reading::{PatternNode, parse_query};
pub use self::reading::{hole_names, named_holes, unnamed_hole};
use self::required_text::{TextPlaces, longest_token, required_texts};
use super::compiled::compiled;
use super::spans::ByteSpan;
use super::{ParseBudget, parse};
use crate::lang::Language;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSpec {
    pub pattern: String,
    pub syntax: PatternSyntax,
    /// A pattern of code that must be around a match.
    pub inside: Option<String>,
    /// A pattern of code that must not be around a match.
    pub not_inside: Option<String>,
    /// The most matches of one file.
    pub most: u32,
    pub scope: TextScope,
}

/// The part of a file that is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextScope {
    #[default]
    File,
    /// One definition, at the top level or directly in modules. Matches that contain the whole definition are not found in it.
    Definition,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternSyntax {
    #[default]
    Code,
    /// A query of tree-sitter: `(call_expression function: (identifier) @name)`.
    Query,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMatches {
    /// Sorted by start.
    pub matches: Vec<StructureMatch>,
    /// There are more matches than were asked for, or the limit of comparisons was reached.
    pub is_cut: bool,
    /// The whole file has to be searched, because the text is not a single definition, or a match may contain it.
    pub needs_file: bool,
}

impl FileMatches {
    /// Returns the matches of a text that begins at a byte of its file.
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Self {
        let shift = super::text::offset(start);
        for one in &mut self.matches {
            let holes = one.holes.iter_mut().map(|hole| &mut hole.span);
            let passed = one.passed.iter_mut().map(|passed| &mut passed.span);
            for span in holes.chain(passed).chain([&mut one.span]) {
                *span = (span.0 + shift, span.1 + shift);
            }
            one.code_end += shift;
        }
        self
    }

    fn sort(&mut self) {
        self.matches
            .sort_by_key(|one| (one.span.0, std::cmp::Reverse(one.span.1)));
    }

    /// Adds the matches of another text of the same file.
    pub fn append(&mut self, other: Self) {
        self.matches.extend(other.matches);
        self.sort();
        self.is_cut |= other.is_cut;
        self.needs_file |= other.needs_file;
    }
}

/// Regular expressions, for bytes, that every file with a match contains. There are none for a tree-sitter query.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredTexts {
    /// Found inside each match, the longest first.
    pub inside: Vec<String>,
    /// Found in the code around each match.
    pub around: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructureMatch {
    pub span: ByteSpan,
    /// The end without separators that the pattern does not have: `;`.
    pub code_end: u32,
    /// Each hole once, in the order in which they were bound.
    pub holes: Vec<HoleText>,
    /// Text that the pattern does not have, outside the holes: `async` for `def $F($$$): $$$BODY`.
    pub passed: Vec<PassedText>,
    /// It has syntax errors.
    pub has_errors: bool,
}

/// A text that a match passes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedText {
    pub span: ByteSpan,
    pub kind: PassedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PassedKind {
    Token,
    Comment,
    /// A `;`, or a `,` after the last item of a list.
    Separator,
}

/// The text that a hole matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoleText {
    pub name: Box<str>,
    pub span: ByteSpan,
    pub kind: HoleKind,
    /// It ends with a comment, which may go up to the end of its line.
    pub ends_in_comment: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HoleKind {
    /// A node: `$X`.
    One,
    /// Tokens of a node in which the grammar parses no expressions: `$A` in `assert_eq!($A, $B)`.
    Tokens,
    /// Any number of nodes: `$$$X`.
    Many,
}

/// The reason why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternProblem {
    /// The faulty pattern: the main one, `inside` or `not_inside`.
    pub pattern: String,
    pub offset: u32,
    pub message: String,
}

/// A parsed pattern, to be matched against many texts of one language.
pub struct PreparedPattern {
    language: &'static Language,
    finder: Finder,
    inside: Option<PatternNode>,
    not_inside: Option<PatternNode>,
    most: usize,
    scope: TextScope,
}

enum Finder {
    Code(PatternNode),
    Query(Query),
}

impl PreparedPattern {
    pub fn new(language: &'static Language, spec: &PatternSpec) -> Result<Self, PatternProblem> {
        let surrounding = |pattern: &Option<String>| {
            let pattern = pattern.as_deref();
            pattern
                .map(|pattern| PatternNode::parse(language, pattern))
                .transpose()
        };
        let (inside, not_inside) = (surrounding(&spec.inside)?, surrounding(&spec.not_inside)?);
        let finder = match spec.syntax {
            PatternSyntax::Code => {
                let pattern = PatternNode::parse(language, &spec.pattern)?;
                if matches!(pattern, PatternNode::One(_) | PatternNode::Many(_)) {
                    return Err(problem(
                        &spec.pattern,
                        0,
                        "the pattern is only a hole, which would match everything",
                    ));
                }
                Finder::Code(pattern)
            }
            PatternSyntax::Query => Finder::Query(parse_query(language, &spec.pattern)?),
        };
        Ok(Self {
            language,
            finder,
            inside,
            not_inside,
            most: spec.most as usize,
            scope: spec.scope,
        })
    }

    pub fn required_texts(&self) -> RequiredTexts {
        let texts = |pattern: &PatternNode| required_texts(self.language, pattern);
        RequiredTexts {
            inside: match &self.finder {
                Finder::Code(pattern) => texts(pattern),
                Finder::Query(_) => vec![],
            },
            around: self.inside.as_ref().map(texts).unwrap_or_default(),
        }
    }

    pub fn find(&self, text: &str) -> FileMatches {
        let tree = compiled(self.language).and_then(|compiled| {
            parse(compiled, text.as_bytes(), &[], &mut ParseBudget::default())
        });
        let Some(tree) = tree else {
            return FileMatches {
                is_cut: true,
                ..FileMatches::default()
            };
        };
        if self.scope == TextScope::Definition && !self.is_self_contained(&tree, text) {
            return FileMatches {
                needs_file: true,
                ..FileMatches::default()
            };
        }
        let surroundings = (self.inside.as_ref(), self.not_inside.as_ref());
        let mut search = Search::new(text, self.most, surroundings);
        match &self.finder {
            Finder::Code(pattern) => {
                let required = longest_token(pattern);
                let places = required.map(|required| TextPlaces::find(text, required));
                search.run_pattern(pattern, places.as_ref(), &tree);
            }
            Finder::Query(query) => search.run_query(query, &tree),
        }
        let mut found = search.found;
        found.sort();
        found
    }

    /// Returns whether a text is exactly one definition, and no match can contain it as a part.
    fn is_self_contained(&self, tree: &Tree, text: &str) -> bool {
        let Finder::Code(pattern) = &self.finder else {
            return false;
        };
        let root = tree.root_node();
        let mut cursor = root.walk();
        let mut children = root.named_children(&mut cursor);
        let (Some(only), None) = (children.next(), children.next()) else {
            return false;
        };
        let is_named = ["name", "declarator"]
            .iter()
            .any(|field| only.child_by_field_name(field).is_some());
        !root.has_error()
            && only.byte_range() == (0..text.trim_end().len())
            && is_named
            && !pattern.has_part(only.kind_id())
    }
}

fn problem(pattern: &str, offset: u32, message: &str) -> PatternProblem {
    PatternProblem {
        pattern: pattern.to_owned(),
        offset,
        message: message.to_owned(),
    }
}
