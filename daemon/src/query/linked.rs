//! What the tools about the graph share: the graph of a call's root, the symbol that is meant, and what is shown of one.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::graph::{Excerpt, SymbolInfo, SymbolQuery};
use claudevil_protocol::answer::symbol::{self, SymbolKind};
use claudevil_protocol::text::{Line, NextCall, Span};
use claudevil_protocol::tools::find_symbol::SymbolMatch;

use super::Context;
use super::indexed::Indexed;
use super::lack::Lack;
use super::naming::Asked;
use crate::extract::facts::Symbol;
use crate::extract::redact;
use crate::graph::precise::{self, PreciseNames};
use crate::graph::reaching_tests::{ReachingTest, TestBody};
use crate::graph::{At, Graph, Source, Uses};
use crate::index::Indexes;
use crate::precise::{ContentHash, RootIndexes};
use crate::search::text_cache::{FileText, TextCache};
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::store::ledger::record::FactsKey;

const CANDIDATES: usize = 10;
/// Larger files neither say how a package is called nor are read for the arguments of a call.
const LARGEST_READ: u64 = 1 << 20;

/// The root of a call with what is needed to follow its names.
pub struct Linked<'a> {
    pub indexed: Indexed,
    indexes: &'a Indexes,
    dir: RootDir,
    largest: u64,
    /// Files that were read as a whole.
    read: RefCell<HashMap<String, Option<Rc<str>>>>,
    pub lack: Lack,
    precise: RootIndexes,
}

impl<'a> Linked<'a> {
    pub fn of(context: &Context<'a>) -> Result<Self, ToolError> {
        let indexed = Indexed::of(context)?.once_whole(context)?;
        let dir = RootDir::open(Path::new(&indexed.root.path), &indexed.root.name)?;
        let shared = context.indexes.shared();
        let largest = shared.settings.largest_file;
        context
            .indexes
            .add_own_precise(&indexed.root, &indexed.snapshot);
        let precise = shared.precise.get(indexed.root.id);
        Ok(Self {
            indexed,
            indexes: context.indexes,
            dir,
            largest,
            read: RefCell::default(),
            lack: Lack::default(),
            precise,
        })
    }

    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.indexed.snapshot, self)
    }

    pub fn texts(&self) -> TextCache<'_> {
        self.texts_by_thread()()
    }

    /// For threads that read at once: each needs its own.
    pub fn texts_by_thread<'s>(&'s self) -> impl Fn() -> TextCache<'s> + Sync {
        let (dir, snapshot, largest) = (&self.dir, &*self.indexed.snapshot, self.largest);
        move || TextCache::new(dir, snapshot, largest)
    }

    /// For threads that have the uses of files at hand before they are asked for. What cannot be read is told to who asks.
    pub fn unpacking(&self) -> impl Fn(FactsKey, &str) + Sync + use<'_, 'a> {
        let indexes = self.indexes;
        move |key, name| drop(indexes.uses_with(key, &[name]))
    }

    /// How far an answer about these can be trusted. Where nothing is known but their names, it says so.
    pub fn freshness(&self, graph: &Graph<'_>, about: &[At]) -> Freshness {
        let mut freshness = self.indexed.freshness.clone();
        self.lack.add_to(&mut freshness);
        let of_text = about.iter().find(|at| !graph.has_uses(at.file));
        if let Some(language) = of_text.and_then(|at| graph.file(at.file).language) {
            let name = language.name;
            freshness.add_note(format!(
                "{name} has no facts about who uses what: uses are lines that have the word"
            ));
        }
        freshness
    }

    pub fn dir(&self) -> &RootDir {
        &self.dir
    }

    /// The one symbol that is asked for.
    pub fn find(&self, graph: &Graph<'_>, asked: SymbolQuery<'_>) -> Result<At, ToolError> {
        let found = self.find_all(graph, asked)?;
        match (found.as_slice(), asked.symbol) {
            ([only], _) => Ok(*only),
            (several, name) => Err(self.ambiguous(graph, name.unwrap_or_default(), several)),
        }
    }

    /// The symbol that is asked for, or all overloads of it: what one owner has of a name in one file is one question.
    pub fn find_all(
        &self,
        graph: &Graph<'_>,
        asked: SymbolQuery<'_>,
    ) -> Result<Vec<At>, ToolError> {
        match (asked.symbol, asked.path, asked.line) {
            (name, Some(path), Some(line)) => Ok(vec![self.by_place(graph, path, line, name)?]),
            (Some(name), path, None) => self.by_name(graph, name, asked.context_file.or(path)),
            _ => Err(ToolError::invalid_argument(
                "give either `symbol`, or `path` and `line`",
            )),
        }
    }

    fn by_place(
        &self,
        graph: &Graph<'_>,
        path: &str,
        line: u32,
        name: Option<&str>,
    ) -> Result<At, ToolError> {
        let path = self.indexed.path(Some(path))?;
        self.indexed.file(&path)?;
        let file = graph
            .file_number(&path)
            .ok_or_else(|| self.indexed.not_indexed(&path))?;
        let symbols = &graph.file(file).outline.symbols;
        let has = |symbol: &&Symbol| (symbol.start_line..=symbol.end_line).contains(&line);
        // The one whose name stands there, or else the innermost around the line.
        let name = name.map(|name| name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name));
        let is_called = |symbol: &Symbol| {
            name.is_none_or(|name| *symbol.name == *name || symbol.name.ends_with(name))
        };
        let named = symbols
            .iter()
            .position(|symbol| symbol.name_line == line && is_called(symbol));
        let begun = || symbols.iter().position(|symbol| symbol.start_line == line);
        let around = || symbols.iter().rposition(|symbol| has(&symbol));
        let place = named
            .or_else(begun)
            .or_else(around)
            .and_then(|place| u32::try_from(place).ok());
        place.map(|symbol| At { file, symbol }).ok_or_else(|| {
            ToolError::new(
                claudevil_protocol::ErrorCode::SymbolNotFound,
                format!("no symbol stands at {path}:{line}"),
            )
            .with_hint(
                Line::from(NextCall::new("map_code").with("path", path))
                    .text(" lists the symbols of the file"),
            )
        })
    }

    fn by_name(
        &self,
        graph: &Graph<'_>,
        name: &str,
        context_file: Option<&str>,
    ) -> Result<Vec<At>, ToolError> {
        let asked = Asked::new(name)?;
        let mut meant = self.meant(graph, &asked, |_| true);
        if meant.len() > 1
            && let Some(context_file) = context_file
        {
            let path = self.indexed.path(Some(context_file))?;
            meant = Self::nearest(graph, meant, &path);
        }
        if meant.is_empty() {
            let all: Vec<_> = self.indexed.snapshot.symbols().collect();
            return Err(asked.not_found(&self.indexed, &all));
        }
        if meant.len() > 1 && !are_overloads(graph, &meant) {
            return Err(self.ambiguous(graph, name, &meant));
        }
        Ok(meant
            .into_iter()
            .map(|at| graph.entities().definition(at))
            .collect())
    }

    fn ambiguous(&self, graph: &Graph<'_>, name: &str, meant: &[At]) -> ToolError {
        let qualified = |at: &At| graph.file(at.file).qualified(graph.symbol(*at));
        let shown = meant.iter().take(CANDIDATES).map(|at| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(*at));
            format!("{} ({}:{})", qualified(at), file.path, symbol.name_line)
        });
        // Only where it tells them apart.
        let names: HashSet<String> = meant.iter().map(qualified).collect();
        let by_name = if names.len() == meant.len() {
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

    /// The things that a name may mean, each once, of files that are wanted.
    pub fn meant(
        &self,
        graph: &Graph<'_>,
        asked: &Asked,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<At> {
        let folder = self.indexed.folder.as_deref().unwrap_or_default();
        let scored = |at: At| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            let is_inside = folder.is_empty() || file.path.starts_with(&format!("{folder}/"));
            let is_asked = is_inside && is_wanted(&file.path);
            let score = is_asked
                .then(|| asked.score(file, symbol, SymbolMatch::Exact))
                .flatten()?;
            Some((score, at))
        };
        let mut found: Vec<(f64, At)> = graph.named(asked.name()).filter_map(scored).collect();
        if found.is_empty() {
            // In another case, or as the last part of a longer name.
            for (file, indexed) in (0..).zip(&self.indexed.snapshot.files) {
                let places = (0..)
                    .zip(&indexed.outline.symbols)
                    .map(|(symbol, _)| At { file, symbol });
                found.extend(places.filter_map(scored));
            }
        }
        let best = found.iter().map(|(score, _)| *score).fold(0.0, f64::max);
        found.retain(|(score, _)| *score >= best);
        let mut meant: Vec<At> = graph
            .entities()
            .distinct(&found.iter().map(|(_, at)| *at).collect::<Vec<_>>());
        // The name of a constructor means the type.
        if meant.len() > 1 && meant.iter().any(|at| graph.symbol(*at).kind.is_type()) {
            meant.retain(|at| graph.symbol(*at).kind != SymbolKind::Constructor);
        }
        // Among equals, what has no more around it than was said, and what is no test.
        prefer(&mut meant, |at| {
            asked.is_all_of(graph.file(at.file), graph.symbol(at))
        });
        prefer(&mut meant, |at| !graph.tests().is_test(at));
        meant
    }

    /// Those in a file, or what that file means by the name, or those nearest to it.
    fn nearest(graph: &Graph<'_>, meant: Vec<At>, path: &str) -> Vec<At> {
        let common = |at: &At| {
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
            && let Some(seen) = graph
                .scopes()
                .resolve_at_top_level(file, &graph.symbol(meant[0]).name)
            && meant.contains(&seen)
        {
            return vec![seen];
        }
        let nearest = meant.iter().map(common).max().unwrap_or_default();
        meant
            .into_iter()
            .filter(|at| common(at) == nearest)
            .collect()
    }
}

/// Only those of which something holds, unless it holds of none.
fn prefer(meant: &mut Vec<At>, holds: impl Fn(At) -> bool) {
    if meant.len() > 1 && meant.iter().any(|at| holds(*at)) {
        meant.retain(|at| holds(*at));
    }
}

/// Whether these are callables of one name and one owner, in one file.
fn are_overloads(graph: &Graph<'_>, all: &[At]) -> bool {
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

impl Source for Linked<'_> {
    fn uses(&self, key: FactsKey) -> Option<Arc<Uses>> {
        self.lack.noted(
            &self.indexed.root.name,
            key,
            self.indexes.uses(key).map(Some),
        )
    }

    fn uses_with(&self, key: FactsKey, names: &[&str]) -> Option<Arc<Uses>> {
        self.lack.noted(
            &self.indexed.root.name,
            key,
            self.indexes.uses_with(key, names),
        )
    }

    fn read(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let text = self
            .dir
            .read(path, LARGEST_READ)
            .map(|bytes| Rc::from(String::from_utf8_lossy(&bytes)));
        self.read.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    fn precise(&self, path: &str, hash: &ContentHash) -> Option<PreciseNames> {
        self.precise.iter().find_map(|index| {
            Some(PreciseNames {
                file: Rc::new(index.file(path, hash)?),
                reason: precise::reason(&index.info().tool),
            })
        })
    }

    fn precise_users(&self, path: &str, hash: &ContentHash) -> Vec<String> {
        let indexes = self
            .precise
            .iter()
            .filter(|index| index.describes(path, hash));
        indexes
            .flat_map(|index| index.users(path).map(str::to_owned))
            .collect()
    }
}

/// Said where tests were looked for no longer than somebody waits.
pub const TESTS_CUT: &str = "more leads to this than was followed: tests may be missing";

/// What is shown of a symbol.
pub fn info(graph: &Graph<'_>, at: At) -> SymbolInfo {
    let (file, symbol) = (graph.file(at.file), graph.symbol(at));
    SymbolInfo {
        name: symbol.name.to_string(),
        qualified: file.qualified(symbol),
        kind: symbol.kind,
        path: file.path.clone(),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        line: symbol.name_line,
        signature: symbol.signature.to_string(),
        visibility: symbol.visibility,
        language: file
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        is_test: graph.tests().is_test(at),
    }
}

/// What is shown of a test: its symbol, its title, or the first line at the top level of its file. Titles come from the
/// text itself, so secrets are blanked.
pub fn test_info(graph: &Graph<'_>, test: &ReachingTest) -> SymbolInfo {
    match &test.body {
        TestBody::Symbol(at) => info(graph, *at),
        TestBody::TopLevel(line) => line_info(graph, test.file, *line),
        TestBody::Block(block) => {
            let title = redact(&block.title, &secrets::find(&block.title)).into_owned();
            SymbolInfo {
                name: title.clone(),
                qualified: title,
                kind: SymbolKind::Function,
                ..line_info(graph, test.file, block.line)
            }
        }
    }
}

/// What is shown of a line that stands in no symbol: its file.
pub fn line_info(graph: &Graph<'_>, file: u32, line: u32) -> SymbolInfo {
    let indexed = graph.file(file);
    let name = indexed
        .path
        .rsplit('/')
        .next()
        .unwrap_or(&indexed.path)
        .to_owned();
    SymbolInfo {
        qualified: name.clone(),
        name,
        kind: SymbolKind::Module,
        path: indexed.path.clone(),
        start_line: line,
        end_line: line,
        line,
        signature: String::new(),
        visibility: None,
        language: indexed
            .language
            .map_or_else(String::new, |language| language.id.to_owned()),
        is_test: graph.tests().is_test_file(file),
    }
}

/// The whole text of a symbol, if its file still has it.
pub fn source(graph: &Graph<'_>, texts: &TextCache<'_>, at: At) -> Option<Excerpt> {
    let symbol = graph.symbol(at);
    let text: Rc<FileText> = texts.file(at.file as usize)?;
    let lines: Vec<&str> = text
        .lines(symbol.start_line, symbol.end_line)
        .map(|(_, line)| line)
        .collect();
    (!lines.is_empty()).then(|| Excerpt::whole(symbol.start_line, lines))
}

/// A share of one, with two decimals.
pub fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}
