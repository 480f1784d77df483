//! The uses, references and definitions of the old name in one file, by the position of the word.

use std::collections::HashMap;

use super::last_part;
use super::name_search::WordMatch;
use super::rename_set::RenameSet;
use super::source_cache::SourceText;
use super::syntax::{FieldSyntax, is_markup_text};
use crate::graph::references::Reference;
use crate::graph::{Graph, SymbolId, Use, Uses};
use crate::lang::Naming;

/// The most bytes before a word that a language may count as part of its name: `$size`, `@@size`.
const LONGEST_SIGIL: usize = 3;

/// A line and a column in bytes.
pub type LineColumn = (u32, u32);

pub struct FileContext<'a> {
    pub file: u32,
    pub source: &'a SourceText,
    pub uses: &'a Uses,
    pub naming: Option<&'static Naming>,
    pub name_length: usize,
    pub uses_of_name: HashMap<LineColumn, Use>,
    pub references: HashMap<LineColumn, &'a Reference>,
    pub definitions: HashMap<LineColumn, SymbolId>,
}

impl<'a> FileContext<'a> {
    pub fn new(
        graph: &Graph<'_>,
        set: &'a RenameSet<'_>,
        file: u32,
        source: &'a SourceText,
        uses: &'a Uses,
    ) -> Self {
        let whole = &graph.symbol(set.target).name;
        let name = last_part(whole);
        let naming = graph
            .file(file)
            .language
            .and_then(|language| language.facts.as_ref())
            .map(|facts| &facts.naming);
        // A use may begin before the word: with a sigil, or with the path of a qualified name.
        let word_at = |line: u32, column: u32| {
            let at = source.offset(line, column)?;
            let shift = (0..=LONGEST_SIGIL)
                .chain([whole.len() - name.len()])
                .find(|shift| {
                    let rest = source.text().get(at + shift..);
                    rest.is_some_and(|rest| rest.starts_with(name))
                })?;
            Some((line, source.column_of(at + shift)))
        };
        let mut uses_of_name = HashMap::new();
        let sigil = naming.and_then(|naming| naming.instance_variable_sigil);
        let instance_variable = sigil.map(|sigil| format!("{sigil}{name}"));
        for used in [name, whole]
            .into_iter()
            .chain(instance_variable.as_deref())
            .flat_map(|name| uses.named(name))
        {
            if let Some(position) = word_at(used.line, used.column) {
                uses_of_name.entry(position).or_insert(*used);
            }
        }
        let references = set
            .references
            .iter()
            .filter(|reference| reference.file == file)
            .filter_map(|reference| {
                let position = word_at(reference.row.line, reference.row.column)?;
                Some((position, reference))
            })
            .collect();
        let symbols = &graph.file(file).outline.symbols;
        let definitions = (0..)
            .zip(symbols)
            .filter(|(_, symbol)| last_part(&symbol.name) == name || symbol.name == *whole)
            .filter_map(|(at, symbol)| {
                let shift = symbol.name.len() - last_part(&symbol.name).len();
                let column = symbol.name_column + u32::try_from(shift).unwrap_or(0);
                let position = word_at(symbol.name_line, column)
                    .or_else(|| word_at(symbol.name_line, symbol.name_column))?;
                Some((position, SymbolId { file, symbol: at }))
            })
            .collect();
        Self {
            file,
            source,
            uses,
            naming,
            name_length: name.len(),
            uses_of_name,
            references,
            definitions,
        }
    }

    pub fn field_syntax(&self, word: WordMatch) -> FieldSyntax {
        let naming = self.naming.filter(|naming| naming.shorthand_fields);
        naming.map_or(FieldSyntax::None, |naming| {
            FieldSyntax::read(self.source.code(), word.offset, self.name_length, naming)
        })
    }

    pub fn has_receiver(&self, word: WordMatch) -> bool {
        self.source.has_receiver(word.offset, self.naming)
    }

    /// Returns whether a use is of an instance variable: `@size`.
    pub fn is_instance_variable(&self, used: &Use) -> bool {
        let sigil = self
            .naming
            .and_then(|naming| naming.instance_variable_sigil);
        sigil.is_some_and(|sigil| self.uses.name(used).starts_with(sigil))
    }

    /// Returns whether the word is a part of a longer name that the file uses.
    pub fn is_part_of_use(&self, word: WordMatch) -> bool {
        let rows = self.uses.rows();
        let from = rows.partition_point(|used| used.line < word.line);
        rows[from..]
            .iter()
            .take_while(|used| used.line == word.line)
            .any(|used| {
                let length = u32::try_from(self.uses.name(used).len()).unwrap_or(u32::MAX);
                used.column <= word.column && word.column < used.column.saturating_add(length)
            })
    }

    /// Returns the reason if a word that is no use is not code: it is in a comment, a string or the text of an element.
    pub fn reason_beside_code(&self, word: WordMatch) -> Option<&'static str> {
        let at = u32::try_from(word.offset).unwrap_or(u32::MAX);
        let non_code = self.source.non_code();
        if non_code.is_comment(at) {
            return Some("a word in a comment");
        }
        if non_code.is_string(at) {
            return Some("a word in a string");
        }
        let has_markup = self.naming.is_some_and(|naming| naming.markup);
        let is_text =
            has_markup && is_markup_text(self.source.code(), word.offset, self.name_length);
        is_text.then_some("a word in the text of an element")
    }
}
