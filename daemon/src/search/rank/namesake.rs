//! Finds the file that has the queried name, and separates main definitions of the name from minor ones.

use claudevil_protocol::answer::symbol::SymbolKind;

use super::{Candidate, RankedChunk, Ranking};
use crate::extract::facts::Symbol;
use crate::index::path_words::{PathConvention, is_nameless};
use crate::search::question::plain_letters;

/// The match of a file's name with a queried name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileNameMatch {
    /// The name is the first of several parts: `SqlMapper.Async.cs`, `View+Layout.swift`.
    FirstPart,
    /// The name is that of the folder of a generic file: `parser/mod.rs`.
    Folder,
    /// The name is the whole stem: `SqlMapper.cs`, `user.service.ts` for `UserService`.
    Whole,
}

/// The rank of a definition of the queried name, relative to a file of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionRank {
    /// A type or function in ordinary code, in the case of the query: it comes before the file.
    Main,
    /// A member, a test, or a name in another case: `conn` for `Conn`. It comes after the file.
    Minor,
}

impl RankedChunk {
    pub fn is_definition(&self) -> bool {
        self.definition.is_some()
    }
}

impl Ranking<'_> {
    /// Marks the first chunk of each file with the best match of the queried name. Tests and examples are left out, and so are
    /// declarations if a source file has the name: `static.mli` beside `static.ml`.
    pub(super) fn mark_namesakes(&self, ranked: &mut [RankedChunk]) {
        let Some(name) = &self.request.question.file_name else {
            return;
        };
        let mut marked: Vec<(usize, (FileNameMatch, bool))> = vec![];
        let mut seen: Vec<usize> = vec![];
        for (place, one) in ranked.iter().enumerate() {
            if seen.contains(&one.file) || !self.is_ordinary(one.file) {
                continue;
            }
            if let Some(matched) = match_file_name(&self.file(one.file).path, name) {
                seen.push(one.file);
                let conventions = self.file(one.file).path_words().conventions;
                let is_source = !conventions.contains(PathConvention::Declaration);
                marked.push((place, (matched, is_source)));
            }
        }
        let best = marked.iter().map(|(_, matched)| *matched).max();
        for (place, _) in marked.iter().filter(|(_, matched)| Some(*matched) == best) {
            ranked[*place].is_namesake = true;
        }
    }

    /// Returns the best rank of the definitions in a chunk.
    pub(super) fn definition_rank(&self, file: usize, candidate: &Candidate) -> DefinitionRank {
        if self.has_main_definition(file, candidate) {
            DefinitionRank::Main
        } else {
            DefinitionRank::Minor
        }
    }

    fn has_main_definition(&self, file: usize, candidate: &Candidate) -> bool {
        let question = self.request.question;
        let ([name], Some(file_name)) = (&question.names[..], &question.file_name) else {
            return false;
        };
        // One of several words is not the name: `stream` of `is-stream`.
        if plain_letters(&name.text) != *file_name {
            return false;
        }
        let symbols = &self.file(file).outline.symbols;
        let is_main = |symbol: &usize| {
            let symbol = &symbols[*symbol];
            *symbol.name == *name.text && is_main_symbol(symbol)
        };
        candidate.definitions.iter().any(is_main) && self.is_ordinary(file)
    }

    /// Returns whether a file is neither a test, an example, legacy, data nor a copy.
    fn is_ordinary(&self, file: usize) -> bool {
        let mut conventions = self.file(file).path_words().conventions.iter();
        conventions.all(|convention| match convention {
            PathConvention::Declaration => true,
            PathConvention::Test => self.request.question.about_tests,
            _ => false,
        })
    }
}

/// Returns whether a symbol is neither a member nor the mere declaration of a module's file: `mod parser;`.
fn is_main_symbol(symbol: &Symbol) -> bool {
    match symbol.kind {
        SymbolKind::Module => symbol.start_line < symbol.end_line,
        SymbolKind::Function | SymbolKind::Macro | SymbolKind::Alias => true,
        kind => kind.is_type(),
    }
}

/// Compares a file's name with a name without case and separators.
fn match_file_name(path: &str, name: &str) -> Option<FileNameMatch> {
    let (folder, own) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = own.rsplit_once('.').map_or(own, |(stem, _)| stem);
    let folder = folder.rsplit('/').next().unwrap_or(folder);
    if plain_letters(stem) == name {
        return Some(FileNameMatch::Whole);
    }
    if is_nameless(stem) && plain_letters(folder) == name {
        return Some(FileNameMatch::Folder);
    }
    let (first, _) = stem.split_once(['.', '+'])?;
    (plain_letters(first) == name).then_some(FileNameMatch::FirstPart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_name_in_any_style_by_its_folder_or_first_part() {
        let matched = |path, name| match_file_name(path, &plain_letters(name));
        for (path, name, expected) in [
            ("src/SqlMapper.cs", "SqlMapper", FileNameMatch::Whole),
            ("src/sql_mapper.rb", "SqlMapper", FileNameMatch::Whole),
            ("app/user.service.ts", "UserService", FileNameMatch::Whole),
            ("src/parser/mod.rs", "Parser", FileNameMatch::Folder),
            (
                "src/SqlMapper.Async.cs",
                "SqlMapper",
                FileNameMatch::FirstPart,
            ),
            ("src/View+Layout.swift", "View", FileNameMatch::FirstPart),
        ] {
            assert_eq!(matched(path, name), Some(expected), "{path}");
        }
        assert_eq!(matched("src/SqlMapperTest.cs", "SqlMapper"), None);
        assert_eq!(matched("parser/token.rs", "parser"), None);
    }
}
