//! The facts of a file, from its content alone.
//!
//! Nothing here depends on a path, another file or the time, so facts are stored by the hash of the content and never
//! invalidated. Lines are 1-based, columns are 0-based and in bytes.

use std::collections::HashMap;

use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::columns::{Numbers, roles};
use super::declaration::Declaration;
pub use super::role::Role;
use super::strings::Strings;
use super::trigrams::Trigrams;

/// Raised whenever the same bytes would give other facts; facts of an older version are extracted again.
pub const VERSION: u32 = 27;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    pub outline: Outline,
    pub occurrences: Occurrences,
}

/// The part of the facts that a warm root keeps in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Sorted by start; a parent comes before its children.
    pub symbols: Vec<Symbol>,
    pub imports: Vec<Import>,
    pub relations: Vec<Relation>,
    /// The name of the default export.
    pub default_export: Option<Box<str>>,
    /// The declared package name, in languages where it may differ from the folder's name: `package store`.
    pub package: Option<Box<str>>,
    /// Exports under another name, and exports of imported names.
    pub exports: Vec<Export>,
    /// In the order of the text; only blank lines are in no chunk.
    pub chunks: Vec<Chunk>,
    pub lines: LineCounts,
    /// The number of calls.
    pub calls: u32,
    pub problems: Problems,
    /// Byte ranges of secrets, which are blanked wherever the text is stored.
    pub redactions: Vec<(u32, u32)>,
    /// The trigrams of the text after redaction.
    pub trigrams: Trigrams,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub name: Box<str>,
    pub kind: SymbolKind,
    pub visibility: Option<Visibility>,
    /// The declaration without its body, on one line.
    pub signature: Box<str>,
    /// The signature, parsed.
    pub declaration: Declaration,
    /// The text of the comment above it, or of its docstring.
    pub doc: Box<str>,
    /// The index of the enclosing symbol in `symbols`.
    pub parent: Option<u32>,
    /// Its container, if that is not the enclosing symbol: the type of an `impl`, a receiver.
    pub scope: Option<Box<str>>,
    /// The lines of the closure between it and its parent, to which its scope is limited:
    /// `describe("store", () => { function open() {} })`.
    pub closure: Option<(u32, u32)>,
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    pub start_byte: u32,
    pub end_byte: u32,
    pub name_line: u32,
    pub name_column: u32,
    /// Cyclomatic complexity; 0 for symbols without code that runs.
    pub complexity: u32,
    /// The number of calls in it, excluding those in nested symbols.
    pub calls: u32,
    /// An expression for its initial value, or its type, if the signature has neither.
    pub initializer: Option<Box<str>>,
}

impl Symbol {
    /// Returns whether it is a class without a name, which is called by the words before its body: `new Runnable() { … }`.
    pub fn is_anonymous(&self) -> bool {
        self.kind.is_type() && self.name.contains(char::is_whitespace)
    }
}

/// Every use of a name, stored as columns, which take a third of the space of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrences {
    /// The distinct names, receivers and types of this file.
    pub strings: Strings,
    names: Numbers,
    /// Each line as the difference from the previous one.
    lines: Numbers,
    columns: Numbers,
    #[serde(with = "roles")]
    roles: Vec<Role>,
    /// Index in `strings` plus one; 0 for none.
    qualifiers: Numbers,
    /// Index in `symbols` plus one; 0 for none.
    symbols: Numbers,
    /// The first row of each block in which names are bound, as the difference from the previous one.
    block_starts: Numbers,
    /// The number of rows in each block, doubled; plus one if its names are in scope from its start.
    block_lengths: Numbers,
    /// For each row that binds, the distance of its block from the previous row's, which is mostly the same or the next block
    /// (see [`step`]); 0 if the name is in scope in the whole symbol.
    bound_in: Numbers,
    /// Three numbers for each [`Initializer`]: the row of its binding as the difference from the previous one, its first row
    /// as the difference from that, and the number of its rows.
    initializers: Numbers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence<'a> {
    pub name: &'a str,
    pub line: u32,
    pub column: u32,
    pub role: Role,
    /// The qualifier of a member, or the type or value of a binding.
    pub qualifier: Option<&'a str>,
    /// The innermost enclosing symbol.
    pub symbol: Option<u32>,
}

/// An [`Occurrence`] whose strings are indices into `strings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccurrenceRow {
    pub name: u32,
    pub line: u32,
    pub column: u32,
    pub role: Role,
    pub qualifier: Option<u32>,
    pub symbol: Option<u32>,
}

/// A block in which names are bound, as a range of rows of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub start: u32,
    /// Exclusive.
    pub end: u32,
    /// Its names are in scope before they are bound, too.
    pub from_start: bool,
}

/// Rows in which a binding before them is not in scope yet: `store.open()` in `let store = store.open()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initializer {
    /// The row of the binding.
    pub binding: u32,
    pub start: u32,
    /// Exclusive.
    pub end: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written, without quotes.
    pub module: Box<str>,
    /// The imported name; none for the module as a whole.
    pub name: Option<Box<str>>,
    pub alias: Option<Box<str>>,
    pub reach: Reach,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    #[default]
    Named,
    /// All names of the module: `use store::*`.
    Wildcard,
    /// A re-export: `pub use store::Text`.
    Reexport,
    /// The module itself under a name, but not its default export: `import * as store`.
    Whole,
}

impl Import {
    /// Returns whether it re-exports a whole module.
    pub fn reexports_all(&self) -> bool {
        self.reach == Reach::Reexport && self.name.is_none() && self.alias.is_none()
    }

    /// Returns whether it binds a module itself to a name.
    pub fn is_whole(&self) -> bool {
        self.reach == Reach::Whole
            || self.reach == Reach::Reexport && self.name.is_none() && self.alias.is_some()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    pub name: Box<str>,
    /// The name by which others import it.
    pub outside: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    pub kind: RelationKind,
    pub subject: Box<str>,
    /// The name of the supertype, without what qualifies it: `B` of `class A extends ns.B`.
    pub target: Box<str>,
    /// The target as it is written, if it is qualified: `ns.B`.
    pub path: Option<Box<str>>,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RelationKind {
    Extends,
    Implements,
}

/// A piece of the text that is searched and embedded as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    pub start_byte: u32,
    pub end_byte: u32,
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// The hash of the text, after redaction.
    pub hash: [u8; 16],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    pub total: u32,
    pub blank: u32,
    pub comment: u32,
}

impl LineCounts {
    pub fn code(&self) -> u32 {
        self.total - self.blank - self.comment
    }
}

/// Problems of the extraction; all other facts are valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problems {
    pub syntax_errors: u32,
    /// The parser was stopped by its limits, so the text was only cut into chunks.
    pub unparsed: bool,
}

/// Encodes the difference of two numbers, in either direction, as a small number above 0.
fn step(from: u32, to: u32) -> u32 {
    let far = to.abs_diff(from).saturating_mul(2);
    if to >= from {
        far.saturating_add(1)
    } else {
        far
    }
}

/// Decodes a [`step`]; returns none for the code 0.
fn stepped(from: u32, code: u32) -> Option<u32> {
    match code {
        0 => None,
        code if code % 2 == 1 => Some(from.saturating_add(code / 2)),
        code => Some(from.saturating_sub(code / 2)),
    }
}

impl Occurrences {
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the uses in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = Occurrence<'_>> {
        self.rows().map(|row| Occurrence {
            name: self.strings.get(row.name),
            line: row.line,
            column: row.column,
            role: row.role,
            qualifier: row.qualifier.map(|string| self.strings.get(string)),
            symbol: row.symbol,
        })
    }

    /// Returns the rows in the order of the text.
    pub fn rows(&self) -> impl Iterator<Item = OccurrenceRow> {
        let mut line = 0;
        (0..self.len()).map(move |at| {
            line += self.lines[at];
            OccurrenceRow {
                name: self.names[at],
                line,
                column: self.columns[at],
                role: self.roles[at],
                qualifier: self.qualifiers[at].checked_sub(1),
                symbol: self.symbols[at].checked_sub(1),
            }
        })
    }

    /// Returns the blocks in which names are bound, sorted by start.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        let mut start = 0_u32;
        self.block_starts
            .iter()
            .zip(self.block_lengths.iter())
            .map(move |(step, length)| {
                start = start.saturating_add(*step);
                Block {
                    start,
                    end: start.saturating_add(length >> 1),
                    from_start: length & 1 == 1,
                }
            })
    }

    /// Returns the rows that bind a name in a block, each with the index of its block, in the order of the text.
    pub fn bound_in_blocks(&self) -> impl Iterator<Item = (u32, u32)> {
        let binds = (0..).zip(&self.roles).filter(|(_, role)| role.binds());
        let mut block = 0;
        binds
            .zip(self.bound_in.iter())
            .filter_map(move |((row, _), code)| {
                block = stepped(block, *code)?;
                Some((row, block))
            })
    }

    /// Returns the initializers that use the name that they initialize, sorted by binding.
    pub fn initializers(&self) -> impl Iterator<Item = Initializer> {
        let mut binding = 0_u32;
        self.initializers.chunks_exact(3).map(move |numbers| {
            binding = binding.saturating_add(numbers[0]);
            let start = binding.saturating_add(numbers[1]);
            Initializer {
                binding,
                start,
                end: start.saturating_add(numbers[2]),
            }
        })
    }

    /// Returns whether every column has a value for every row and every string exists, which damaged bytes may violate.
    pub fn is_sound(&self) -> bool {
        let rows = self.names.len();
        let strings = self.strings.count();
        let binds = self.roles.iter().filter(|role| role.binds()).count();
        let blocks_are_sound = self.block_starts.len() == self.block_lengths.len()
            && self.blocks().all(|block| block.end as usize <= rows)
            && self.bound_in.len() == binds
            && self
                .bound_in_blocks()
                .all(|(_, block)| (block as usize) < self.block_starts.len());
        let initializers_are_sound = self.initializers.len().is_multiple_of(3)
            && self
                .initializers()
                .all(|one| one.start < one.end && one.end as usize <= rows);
        blocks_are_sound
            && initializers_are_sound
            && [
                self.lines.len(),
                self.columns.len(),
                self.roles.len(),
                self.qualifiers.len(),
                self.symbols.len(),
            ]
            .iter()
            .all(|column| *column == rows)
            && self.strings.is_sound()
            && self.names.iter().all(|name| (*name as usize) < strings)
            && self
                .qualifiers
                .iter()
                .all(|qualifier| *qualifier as usize <= strings)
    }
}

/// Builds the columns from occurrences in the order of the text.
#[derive(Default)]
pub struct OccurrenceBuilder<'a> {
    built: Occurrences,
    places: HashMap<&'a str, u32, RandomState>,
    line: u32,
}

impl<'a> OccurrenceBuilder<'a> {
    pub fn push(&mut self, occurrence: Occurrence<'a>) {
        let name = self.place(occurrence.name);
        let qualifier = occurrence
            .qualifier
            .map_or(0, |qualifier| self.place(qualifier) + 1);
        self.built.names.push(name);
        self.built.lines.push(occurrence.line - self.line);
        self.line = occurrence.line;
        self.built.columns.push(occurrence.column);
        self.built.roles.push(occurrence.role);
        self.built.qualifiers.push(qualifier);
        self.built
            .symbols
            .push(occurrence.symbol.map_or(0, |symbol| symbol + 1));
    }

    /// Sets the blocks in which names are bound, sorted by start, and the index of the block of each binding.
    pub fn bound(&mut self, blocks: &[Block], bindings: impl Iterator<Item = Option<u32>>) {
        let mut before = 0;
        for block in blocks {
            self.built.block_starts.push(block.start - before);
            self.built
                .block_lengths
                .push(((block.end - block.start) << 1) | u32::from(block.from_start));
            before = block.start;
        }
        let mut before = 0;
        self.built.bound_in.extend(bindings.map(|block| {
            let code = block.map_or(0, |block| step(before, block));
            before = block.unwrap_or(before);
            code
        }));
    }

    /// Sets the initializers that use the name that they initialize, sorted by binding.
    pub fn initializers(&mut self, all: &[Initializer]) {
        let mut before = 0;
        for one in all {
            let numbers = [
                one.binding - before,
                one.start - one.binding,
                one.end - one.start,
            ];
            self.built.initializers.extend(numbers);
            before = one.binding;
        }
    }

    pub fn finish(mut self) -> Occurrences {
        let binds = self.built.roles.iter().filter(|role| role.binds()).count();
        self.built.bound_in.resize(binds, 0);
        self.built
    }

    fn place(&mut self, string: &'a str) -> u32 {
        let strings = &mut self.built.strings;
        *self
            .places
            .entry(string)
            .or_insert_with(|| strings.push(string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_back_and_forth() {
        for (from, to) in [
            (0, 0),
            (0, 1),
            (1, 0),
            (7, 7),
            (7, 900),
            (900, 7),
            (0, u32::MAX / 4),
        ] {
            assert_eq!(stepped(from, step(from, to)), Some(to));
        }
        assert_eq!((step(4, 4), step(4, 5), step(4, 3)), (1, 3, 2));
        assert_eq!(stepped(3, 0), None);
    }

    #[test]
    fn occurrences_of_missing_blocks_are_not_sound() {
        let bind = |line| Occurrence {
            name: "a",
            line,
            column: 0,
            role: Role::Bind,
            qualifier: None,
            symbol: None,
        };
        let mut builder = OccurrenceBuilder::default();
        (1..=3).for_each(|line| builder.push(bind(line)));
        let blocks = [(0, 2), (1, 2)].map(|(start, end)| Block {
            start,
            end,
            from_start: false,
        });
        builder.bound(&blocks, [Some(1), None, Some(0)].into_iter());
        let initializers =
            [(0, 1, 3), (0, 2, 3), (1, 2, 3)].map(|(binding, start, end)| Initializer {
                binding,
                start,
                end,
            });
        builder.initializers(&initializers);
        let sound = builder.finish();
        assert!(sound.is_sound());
        assert!(sound.initializers().eq(initializers));
        assert!(sound.blocks().eq(blocks));
        assert!(sound.bound_in_blocks().eq([(0, 1), (2, 0)]));
        for change in [
            |damaged: &mut Occurrences| damaged.bound_in[0] = 9,
            |damaged: &mut Occurrences| damaged.block_lengths[1] = 99,
            |damaged: &mut Occurrences| damaged.block_lengths.truncate(1),
            |damaged: &mut Occurrences| damaged.bound_in.truncate(1),
            |damaged: &mut Occurrences| damaged.initializers[2] = 99,
            |damaged: &mut Occurrences| damaged.initializers.truncate(1),
        ] {
            let mut damaged = sound.clone();
            change(&mut damaged);
            assert!(!damaged.is_sound(), "{damaged:?}");
        }
    }
}
