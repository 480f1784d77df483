//! The symbols that a call is about, by name or by location.

use std::collections::HashSet;

use claudevil_protocol::answer::graph::SymbolQuery;
use claudevil_protocol::answer::symbol::{self, SymbolKind};
use claudevil_protocol::text::{Line, NextCall, Span};
use claudevil_protocol::tools::find_symbol::SymbolMatch;
use claudevil_protocol::{ErrorCode, ToolError};

use super::graph_root::GraphRoot;
use super::symbol_name::SymbolName;
use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};

const CANDIDATES_SHOWN: usize = 10;

impl GraphRoot<'_> {
    /// Returns the one symbol of a query.
    pub fn find(&self, graph: &Graph<'_>, query: SymbolQuery<'_>) -> Result<SymbolId, ToolError> {
        let found = self.find_all(graph, query)?;
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
        match (query.symbol, query.path, query.line) {
            (name, Some(path), Some(line)) => Ok(vec![self.find_at(graph, path, line, name)?]),
            (Some(name), path, None) => self.find_named(graph, name, query.context_file.or(path)),
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
    ) -> Result<SymbolId, ToolError> {
        let path = self.indexed.path(Some(path))?;
        self.indexed.file(&path)?;
        let file = graph
            .file_number(&path)
            .ok_or_else(|| self.indexed.not_indexed(&path))?;
        let symbols = &graph.file(file).outline.symbols;
        let has_line = |symbol: &Symbol| (symbol.start_line..=symbol.end_line).contains(&line);
        // Prefers the symbol whose name is on the line, then one that begins there, then the innermost around it.
        let name = name.map(|name| name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name));
        let is_called = |symbol: &Symbol| {
            name.is_none_or(|name| *symbol.name == *name || symbol.name.ends_with(name))
        };
        let named = symbols
            .iter()
            .position(|symbol| symbol.name_line == line && is_called(symbol));
        let starting = || symbols.iter().position(|symbol| symbol.start_line == line);
        let around = || symbols.iter().rposition(has_line);
        let place = named
            .or_else(starting)
            .or_else(around)
            .and_then(|place| u32::try_from(place).ok());
        place
            .map(|symbol| SymbolId { file, symbol })
            .ok_or_else(|| {
                ToolError::new(
                    ErrorCode::SymbolNotFound,
                    format!("no symbol stands at {path}:{line}"),
                )
                .with_hint(
                    Line::from(NextCall::new("map_code").with("path", path))
                        .text(" lists the symbols of the file"),
                )
            })
    }

    fn find_named(
        &self,
        graph: &Graph<'_>,
        name: &str,
        context_file: Option<&str>,
    ) -> Result<Vec<SymbolId>, ToolError> {
        let wanted = SymbolName::parse(name)?;
        let mut found = self.candidates(graph, &wanted, |_| true);
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
        let shown = found.iter().take(CANDIDATES_SHOWN).map(|at| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
            format!("{} ({}:{})", qualified(at), file.path, symbol.name_line)
        });
        // Suggested only if it tells the candidates apart.
        let names: HashSet<String> = found.iter().map(qualified).collect();
        let by_name = if names.len() == found.len() {
            " its qualified name,"
        } else {
            ""
        };
        symbol::ambiguous(name, &self.indexed.root.name, shown.collect()).with_hint(
            Line::from("give ")
                .span(Span::PathAndLine)
                .text(format!(" of one of them,{by_name} or "))
                .parameter("context_file"),
        )
    }

    /// Returns the entities that a name may mean, each once, in files with a wanted path.
    pub fn candidates(
        &self,
        graph: &Graph<'_>,
        name: &SymbolName,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<SymbolId> {
        let folder = self.indexed.folder.as_deref().unwrap_or_default();
        let scored = |at: SymbolId| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            let is_inside = folder.is_empty() || file.path.starts_with(&format!("{folder}/"));
            if !is_inside || !is_wanted(&file.path) {
                return None;
            }
            Some((name.score(file, symbol, SymbolMatch::Exact)?, at))
        };
        let mut found: Vec<(f64, SymbolId)> = graph.named(name.name()).filter_map(scored).collect();
        if found.is_empty() {
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
        prefer(&mut entities, |at| !graph.tests().is_test(at));
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

/// Returns whether symbols are callables of one name and one owner, in one file.
fn are_overloads(graph: &Graph<'_>, all: &[SymbolId]) -> bool {
    let [first, others @ ..] = all else {
        return false;
    };
    let (file, symbol) = (graph.file(first.file), graph.symbol(*first));
    let (kind, qualified) = (symbol.kind, file.qualified(symbol));
    kind.is_callable()
        && others.iter().all(|at| {
            let other = graph.symbol(*at);
            at.file == first.file && other.kind == kind && file.qualified(other) == qualified
        })
}
