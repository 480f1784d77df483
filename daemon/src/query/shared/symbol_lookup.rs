//! The symbols that a call is about, by name or by location.

use std::collections::HashSet;

use claudevil_protocol::answer::graph::SymbolQuery;
use claudevil_protocol::answer::symbol::{self, SymbolKind};
use claudevil_protocol::text::{Line, NextCall, Span};
use claudevil_protocol::tools::find_symbol::SymbolMatch;
use claudevil_protocol::{ErrorCode, ToolError};

use super::containers::is_word;
use super::graph_root::GraphRoot;
use super::symbol_name::SymbolName;
use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::index::snapshot::IndexedFile;
use crate::lang::ModuleSystem;

const CANDIDATES_SHOWN: usize = 10;

/// The kind of access that a call needs to a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// The name may be in another case, and the file another one.
    Read,
    Change,
}

impl GraphRoot<'_> {
    /// Returns the one symbol of a query.
    pub fn find(&self, graph: &Graph<'_>, query: SymbolQuery<'_>) -> Result<SymbolId, ToolError> {
        self.find_one(graph, query, Access::Read)
    }

    /// Returns the one symbol that a call changes: the named one, at the line or in the file that the query gives.
    pub fn find_to_change(
        &self,
        graph: &Graph<'_>,
        query: SymbolQuery<'_>,
    ) -> Result<SymbolId, ToolError> {
        self.find_one(graph, query, Access::Change)
    }

    fn find_one(
        &self,
        graph: &Graph<'_>,
        query: SymbolQuery<'_>,
        access: Access,
    ) -> Result<SymbolId, ToolError> {
        let found = self.find_for(graph, query, access)?;
        match (found.as_slice(), query.symbol) {
            ([only], _) => Ok(*only),
            (several, name) => Err(self.ambiguous(graph, name.unwrap_or_default(), several)),
        }
    }

    /// Returns the symbol of a query, or all overloads of it: callables with one name and one owner in one file.
    pub fn find_all(
        &self,
        graph: &Graph<'_>,
        query: SymbolQuery<'_>,
    ) -> Result<Vec<SymbolId>, ToolError> {
        self.find_for(graph, query, Access::Read)
    }

    fn find_for(
        &self,
        graph: &Graph<'_>,
        query: SymbolQuery<'_>,
        access: Access,
    ) -> Result<Vec<SymbolId>, ToolError> {
        match (query.symbol, query.path, query.line) {
            (name, Some(path), Some(line)) => {
                Ok(vec![self.find_at(graph, path, line, name, access)?])
            }
            (Some(name), Some(path), None) if access == Access::Change => {
                self.find_in_file(graph, name, path)
            }
            (Some(name), path, None) => {
                self.find_named(graph, name, query.context_file.or(path), access)
            }
            _ => Err(ToolError::invalid_argument(
                "give either `symbol`, or `path` and `line`",
            )),
        }
    }

    fn find_at(
        &self,
        graph: &Graph<'_>,
        path: &str,
        line: u32,
        name: Option<&str>,
        access: Access,
    ) -> Result<SymbolId, ToolError> {
        let path = self.indexed.path(Some(path))?;
        self.indexed.file_with_symbols(&path)?;
        let file = graph
            .file_number(&path)
            .ok_or_else(|| self.indexed.not_indexed(&path))?;
        let indexed = graph.file(file);
        let at = |symbol: u32| SymbolId { file, symbol };
        let Some(name) = name else {
            let found = symbol_at_line(&indexed.outline.symbols, line, |_| true);
            return found.map(at).ok_or_else(|| {
                no_symbol_at(&path, &format!("there is no symbol at {path}:{line}"))
            });
        };
        let wanted = NameInFile::parse(name, indexed)?;
        if let Some(symbol) = wanted.at_line(line, access) {
            return Ok(at(symbol));
        }
        let in_file: Vec<SymbolId> = wanted.all().map(at).collect();
        let in_file = graph.entities().distinct(&in_file);
        if let ([only], Access::Read) = (in_file.as_slice(), access) {
            return Ok(*only);
        }
        let message = match symbol_at_line(&indexed.outline.symbols, line, |_| true) {
            Some(other) => format!(
                "`{name}` is not at {path}:{line}, where `{}` is",
                indexed.qualified(graph.symbol(at(other)))
            ),
            None => format!("there is no symbol at {path}:{line}"),
        };
        let named = if in_file.is_empty() {
            let name = SymbolName::parse(name)?;
            self.candidates(graph, &name, |own| self.indexed.is_in_folder(own))
        } else {
            in_file
        };
        if named.is_empty() {
            return Err(no_symbol_at(&path, &message));
        }
        Err(ToolError::new(ErrorCode::SymbolNotFound, message)
            .with_candidates(shown_candidates(graph, &named))
            .with_hint(
                Line::from("give ")
                    .span(Span::PathAndLine)
                    .text(" of one of these"),
            ))
    }

    /// Returns the symbols with a name in one file: one symbol, or all of its overloads.
    fn find_in_file(
        &self,
        graph: &Graph<'_>,
        name: &str,
        path: &str,
    ) -> Result<Vec<SymbolId>, ToolError> {
        let path = self.indexed.path(Some(path))?;
        let file = self.indexed.file_with_symbols(&path)?;
        let wanted = SymbolName::parse(name)?;
        let mut found = self.candidates(graph, &wanted, |own| own == path);
        found.retain(|at| may_change(graph, &wanted, *at));
        if found.is_empty() {
            let elsewhere = self.candidates(graph, &wanted, |own| {
                own != path && self.indexed.is_in_folder(own)
            });
            if elsewhere.is_empty() {
                let all: Vec<_> = file.outline.symbols.iter().map(|one| (file, one)).collect();
                return Err(wanted.not_found(&self.indexed, &all));
            }
            return Err(not_in_file(graph, name, &path, &elsewhere));
        }
        if found.len() > 1 && !are_overloads(graph, &found) {
            return Err(self.ambiguous(graph, name, &found));
        }
        let in_file = |at: SymbolId| {
            let definition = graph.entities().definition(at);
            if definition.file == at.file {
                definition
            } else {
                at
            }
        };
        Ok(found.into_iter().map(in_file).collect())
    }

    fn find_named(
        &self,
        graph: &Graph<'_>,
        name: &str,
        context_file: Option<&str>,
        access: Access,
    ) -> Result<Vec<SymbolId>, ToolError> {
        let wanted = SymbolName::parse(name)?;
        let mut found = self.candidates(graph, &wanted, |own| self.indexed.is_in_folder(own));
        if access == Access::Change {
            found.retain(|at| may_change(graph, &wanted, *at));
        }
        if found.len() > 1
            && let Some(context_file) = context_file
        {
            let path = self.indexed.path(Some(context_file))?;
            found = Self::nearest_to(graph, found, &path);
        }
        if found.is_empty() {
            let all: Vec<_> = self.indexed.snapshot.symbols().collect();
            return Err(wanted.not_found(&self.indexed, &all));
        }
        if found.len() > 1 && !are_overloads(graph, &found) {
            return Err(self.ambiguous(graph, name, &found));
        }
        Ok(found
            .into_iter()
            .map(|at| graph.entities().definition(at))
            .collect())
    }

    fn ambiguous(&self, graph: &Graph<'_>, name: &str, found: &[SymbolId]) -> ToolError {
        let qualified = |at: &SymbolId| graph.file(at.file).qualified(graph.symbol(*at));
        // The qualified name is suggested only if it distinguishes the candidates.
        let names: HashSet<String> = found.iter().map(qualified).collect();
        let by_name = if names.len() == found.len() {
            " its qualified name,"
        } else {
            ""
        };
        let shown = shown_candidates(graph, found);
        // A file distinguishes them only if they are in several.
        let has_files = found.iter().any(|at| at.file != found[0].file);
        let hint = Line::from("give ").span(Span::PathAndLine);
        let hint = match (has_files, by_name) {
            (true, by_name) => hint
                .text(format!(" of one of them,{by_name} or "))
                .parameter("context_file"),
            (false, "") => hint.text(" of one of them"),
            (false, _) => hint.text(" of one of them, or its qualified name"),
        };
        symbol::ambiguous(name, &self.indexed.root.name, shown, found.len()).with_hint(hint)
    }

    /// Returns the entities that a name may mean, each once, in files with a wanted path.
    pub fn candidates(
        &self,
        graph: &Graph<'_>,
        name: &SymbolName,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<SymbolId> {
        let scored = |at: SymbolId| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            if !is_wanted(&file.path) {
                return None;
            }
            Some((name.score(file, symbol, SymbolMatch::Exact)?, at))
        };
        let mut found: Vec<(f64, SymbolId)> = graph.named(name.name()).filter_map(scored).collect();
        if found.is_empty() {
            if name.is_bare() {
                let mut exported = graph.modules().exported_as(name.name());
                exported.retain(|at| is_wanted(&graph.file(at.file).path));
                if !exported.is_empty() {
                    return exported;
                }
            }
            // Without an exact match, names in another case and last parts of longer names count.
            for (file, indexed) in (0..).zip(&self.indexed.snapshot.files) {
                let places = (0..)
                    .zip(&indexed.outline.symbols)
                    .map(|(symbol, _)| SymbolId { file, symbol });
                found.extend(places.filter_map(scored));
            }
        }
        let best = found.iter().map(|(score, _)| *score).fold(0.0, f64::max);
        found.retain(|(score, _)| *score >= best);
        let mut entities: Vec<SymbolId> = graph
            .entities()
            .distinct(&found.iter().map(|(_, at)| *at).collect::<Vec<_>>());
        // A name that a type shares with its constructor means the type.
        if entities.len() > 1 && entities.iter().any(|at| graph.symbol(*at).kind.is_type()) {
            entities.retain(|at| graph.symbol(*at).kind != SymbolKind::Constructor);
        }
        prefer(&mut entities, |at| {
            name.has_all_containers(graph.file(at.file), graph.symbol(at))
        });
        prefer(&mut entities, |at| name.has_arity(graph, at));
        prefer(&mut entities, |at| !graph.tests().is_test(at));
        prefer(&mut entities, |at| !declares_other_file(graph, at));
        entities
    }

    /// Returns the symbol that the name means in a file, or else those nearest to the file.
    fn nearest_to(graph: &Graph<'_>, found: Vec<SymbolId>, path: &str) -> Vec<SymbolId> {
        let common = |at: &SymbolId| {
            let own = &graph.file(at.file).path;
            if own == path {
                return usize::MAX;
            }
            own.split('/')
                .zip(path.split('/'))
                .take_while(|(one, other)| one == other)
                .count()
        };
        if let Some(file) = graph.file_number(path)
            && let Some(visible) = graph
                .scopes()
                .resolve_at_top_level(file, &graph.symbol(found[0]).name)
            && found.contains(&visible)
        {
            return vec![visible];
        }
        let nearest = found.iter().map(common).max().unwrap_or_default();
        found
            .into_iter()
            .filter(|at| common(at) == nearest)
            .collect()
    }
}

/// Returns whether a symbol is in a file of declarations by hand for code in other files: `index.d.ts` beside `lib/store.js`.
/// Headers are not such files: they define types.
fn declares_other_file(graph: &Graph<'_>, at: SymbolId) -> bool {
    let conventions = graph.file(at.file).path_words().conventions;
    let modules = graph.rules(at.file).map(|rules| rules.modules);
    conventions.contains(PathConvention::Declaration) && modules == Some(ModuleSystem::Relative)
}

/// Returns whether a name is exact enough for a change: in its own case, and directly in the container that it names.
fn may_change(graph: &Graph<'_>, name: &SymbolName, at: SymbolId) -> bool {
    let (file, symbol) = (graph.file(at.file), graph.symbol(at));
    symbol.name.ends_with(name.name()) && name.is_directly_in(file, symbol)
}

/// A name that a caller gives for a symbol of one file.
struct NameInFile<'a> {
    given: &'a str,
    parsed: SymbolName,
    file: &'a IndexedFile,
}

impl<'a> NameInFile<'a> {
    fn parse(given: &'a str, file: &'a IndexedFile) -> Result<Self, ToolError> {
        // A method of Ruby may be written `#send`.
        let bare = given.trim_start_matches(['.', ':', '#', '\\']);
        let parsed = SymbolName::parse(if bare.is_empty() { given } else { bare })?;
        Ok(Self {
            given,
            parsed,
            file,
        })
    }

    /// Returns the symbol with the name on or around a line. For reading, the last part of the name is enough, in any case.
    fn at_line(&self, line: u32, access: Access) -> Option<u32> {
        let symbols = &self.file.outline.symbols;
        let found = symbol_at_line(symbols, line, |symbol| self.is_name_of(symbol));
        found.or_else(|| {
            let last = self.parsed.name();
            let is_similar = |symbol: &Symbol| {
                let split = symbol.name.len().checked_sub(last.len());
                let parts = split.and_then(|at| symbol.name.split_at_checked(at));
                parts.is_some_and(|(before, own)| {
                    own.eq_ignore_ascii_case(last) && !before.ends_with(is_word)
                })
            };
            let lenient = || symbol_at_line(symbols, line, is_similar);
            (access == Access::Read).then(lenient).flatten()
        })
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        let symbols = (0..).zip(&self.file.outline.symbols);
        symbols
            .filter(|(_, symbol)| self.is_name_of(symbol))
            .map(|(at, _)| at)
    }

    fn is_name_of(&self, symbol: &Symbol) -> bool {
        let matches = || {
            self.parsed
                .score(self.file, symbol, SymbolMatch::Exact)
                .is_some()
        };
        *symbol.name == *self.given
            || self.file.qualified(symbol) == self.given
            || symbol.name.ends_with(self.parsed.name()) && matches()
    }
}

/// Returns a symbol at a line: one whose name is on it, else one that begins there, else the innermost around it.
fn symbol_at_line(
    symbols: &[Symbol],
    line: u32,
    is_wanted: impl Fn(&Symbol) -> bool,
) -> Option<u32> {
    let has_line = |symbol: &Symbol| (symbol.start_line..=symbol.end_line).contains(&line);
    let named = symbols
        .iter()
        .position(|symbol| symbol.name_line == line && is_wanted(symbol));
    let starting = || {
        symbols
            .iter()
            .position(|symbol| symbol.start_line == line && is_wanted(symbol))
    };
    let around = || {
        symbols
            .iter()
            .rposition(|symbol| has_line(symbol) && is_wanted(symbol))
    };
    named
        .or_else(starting)
        .or_else(around)
        .and_then(|place| u32::try_from(place).ok())
}

fn no_symbol_at(path: &str, message: &str) -> ToolError {
    ToolError::new(ErrorCode::SymbolNotFound, message.to_owned()).with_hint(
        Line::from(NextCall::new("map_code").with("path", path))
            .text(" lists the symbols of the file"),
    )
}

/// The error for a name that symbols of other files have, but none of the file that a caller gives.
pub fn not_in_file(graph: &Graph<'_>, name: &str, path: &str, elsewhere: &[SymbolId]) -> ToolError {
    ToolError::new(
        ErrorCode::SymbolNotFound,
        format!("no symbol `{name}` in {path}"),
    )
    .with_candidates(shown_candidates(graph, elsewhere))
    .with_hint(Line::new().either(
        "omit `path`, or use the path of one of these",
        "leave its file out, or name one of these",
    ))
}

/// Describes the first of several symbols: `Parser::next (src/parser.rs:12)`.
pub fn shown_candidates(graph: &Graph<'_>, found: &[SymbolId]) -> Vec<String> {
    let described = found.iter().take(CANDIDATES_SHOWN).map(|at| {
        let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
        let qualified = file.qualified(symbol);
        format!("{qualified} ({}:{})", file.path, symbol.name_line)
    });
    described.collect()
}

/// Keeps the symbols with a property, unless none has it.
fn prefer(symbols: &mut Vec<SymbolId>, has_property: impl Fn(SymbolId) -> bool) {
    if symbols.len() > 1 && symbols.iter().any(|at| has_property(*at)) {
        symbols.retain(|at| has_property(*at));
    }
}

/// Returns the number of overloads that a query is about; 0 for a single symbol.
pub fn count_overloads(symbols: &[SymbolId]) -> u32 {
    u32::try_from(symbols.len())
        .ok()
        .filter(|overloads| *overloads > 1)
        .unwrap_or(0)
}

/// Returns whether symbols are callables or macros with the same name and owner, in one file.
fn are_overloads(graph: &Graph<'_>, all: &[SymbolId]) -> bool {
    let [first, others @ ..] = all else {
        return false;
    };
    let (file, symbol) = (graph.file(first.file), graph.symbol(*first));
    let (kind, qualified) = (symbol.kind, file.qualified(symbol));
    (kind.is_callable() || kind == SymbolKind::Macro)
        && others.iter().all(|at| {
            let other = graph.symbol(*at);
            at.file == first.file && other.kind == kind && file.qualified(other) == qualified
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    const TEXT: &str = "struct Lexer;

impl Lexer {
    fn next(&self) {
        let prenext = 1;
    }
}

fn run() {}

struct Parser;

impl Parser {
    fn next(&self) {}
}
";

    #[test]
    fn a_name_is_not_ignored_when_a_line_is_given() {
        let files = Files::new("rust", &[("a.rs", TEXT)]);
        let file = &files.snapshot.files[0];
        let find = |name: &str, line: u32, access: Access| {
            let wanted = NameInFile::parse(name, file).expect(name);
            let found = wanted.at_line(line, access)?;
            let symbol = &file.outline.symbols[found as usize];
            Some((file.qualified(symbol), symbol.name_line))
        };
        for (name, line, read, change) in [
            ("run", 9, Some(9), Some(9)),
            ("#run", 9, Some(9), Some(9)),
            ("next", 4, Some(4), Some(4)),
            ("next", 5, Some(4), Some(4)),
            ("Lexer::next", 6, Some(4), Some(4)),
            ("Parser::next", 14, Some(14), Some(14)),
            // The symbol at the line has another name, or its container has.
            ("run", 4, None, None),
            ("next", 9, None, None),
            ("ext", 4, None, None),
            ("Run", 9, Some(9), None),
            ("Parser::next", 4, Some(4), None),
            ("run", 10, None, None),
        ] {
            let lines = [Access::Read, Access::Change]
                .map(|access| find(name, line, access).map(|(_, line)| line));
            assert_eq!(lines, [read, change], "{name} at {line}");
        }
        let all = |name: &str| NameInFile::parse(name, file).expect(name).all().count();
        assert_eq!(
            [all("run"), all("next"), all("Parser::next"), all("walk")],
            [1, 2, 1, 0]
        );
    }
}
