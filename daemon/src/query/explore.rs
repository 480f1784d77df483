//! `explore`: for a question, the few symbols that matter, with their source and how they connect.

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::explore::{
    Connection, ConnectionKind, Exploration, Explore, ExploredDependent, ExploredSymbol, ReadNext,
};
use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::search::{Search, SearchHit};
use claudevil_protocol::model::symbol::SymbolKind;

use super::Context;
use super::linked::{Linked, info, source};
use super::search::{self, Judged};
use crate::extract::facts::Role;
use crate::graph::{At, Graph, Outcome};
use crate::search::rank::Evidence;

const HITS: u32 = 24;
/// Symbols that are shown with their source.
const MOST_SYMBOLS: usize = 7;
/// Of those, the ones whose surroundings are looked at.
const LOOKED_AROUND: usize = 4;
const MOST_DEPENDENTS: usize = 12;
const MOST_TESTS: usize = 10;
const MOST_NEXT: usize = 8;
/// A longer symbol is shown by its outline and what counts in it.
const LONGEST_SOURCE: u32 = 120;
const FARTHEST_TEST: u32 = 2;

pub fn explore(context: &Context, params: &Explore) -> Result<Exploration, ToolError> {
    let query = Search {
        query: params.question.clone(),
        path: params.path.clone(),
        language: params.language.clone(),
        limit: Some(HITS),
        ..Search::default()
    };
    let Judged { results: found, evidence, is_groundless } = search::judged(context, &query)?;
    let linked = Linked::of(context)?;
    let graph = linked.graph();
    let texts = linked.texts();
    let mut chosen = Chosen::default();
    for (hit, evidence) in found.results.iter().zip(&evidence) {
        if is_groundless {
            chosen.take_next(&graph, hit, NEAREST);
        } else {
            chosen.take(&graph, hit, reason(hit, evidence));
        }
    }
    chosen.add_connected(&graph, &params.question);
    let connections = connections(&graph, &chosen.symbols);
    let beside = beside(&graph, &chosen.symbols, context)?;
    let symbols = chosen
        .symbols
        .iter()
        .map(|(at, why)| {
            let mut source = source(&graph, &texts, *at);
            if let Some(excerpt) = source.as_mut().filter(|excerpt| excerpt.lines.len() > LONGEST_SOURCE as usize) {
                let words: Vec<String> = params.question.split_whitespace().map(str::to_lowercase).collect();
                excerpt.keep_best(LONGEST_SOURCE as usize, &words);
            }
            ExploredSymbol { why: why.clone(), source, ..ExploredSymbol::of(info(&graph, *at)) }
        })
        .collect();
    let indexed = &linked.indexed;
    Ok(Exploration {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        folder: indexed.folder.clone(),
        max_tokens: params.shared().max_tokens,
        freshness: found.freshness,
        question: params.question.clone(),
        path: params.path.clone(),
        language: params.language.clone(),
        symbols,
        total: if is_groundless { 0 } else { found.total },
        connections,
        dependents: beside.dependents,
        total_dependents: beside.total_dependents,
        tests: beside.tests,
        total_tests: beside.total_tests,
        read_next: chosen.next,
        advice: found.advice,
        truncated: false,
    })
}

#[derive(Default)]
struct Chosen {
    symbols: Vec<(At, String)>,
    next: Vec<ReadNext>,
}

impl Chosen {
    fn take(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        let symbol = worthy(graph, hit);
        let known = symbol.is_some_and(|at| self.symbols.iter().any(|(known, _)| overlaps(graph, *known, at)));
        if known {
            return;
        }
        match symbol {
            Some(at) if self.symbols.len() < MOST_SYMBOLS - 2 => self.symbols.push((at, why.to_owned())),
            _ => self.take_next(graph, hit, why),
        }
    }

    /// A place to read, without its source.
    fn take_next(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        if self.next.len() < MOST_NEXT {
            let symbol = worthy(graph, hit).map(|at| graph.file(at.file).qualified(graph.symbol(at)));
            self.next.push(ReadNext {
                path: hit.path.clone(),
                start_line: hit.start_line,
                end_line: hit.end_line,
                symbol: symbol.or_else(|| hit.symbol.clone()),
                why: why.to_owned(),
            });
        }
    }

    /// What several of them call is part of the answer, and so is what they call that has the question's words.
    fn add_connected(&mut self, graph: &Graph<'_>, question: &str) {
        let words: Vec<String> = question
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| word.len() > 3)
            .map(str::to_lowercase)
            .collect();
        let mut called: Vec<(At, usize, String)> = vec![];
        for (at, _) in self.symbols.iter().take(LOOKED_AROUND) {
            let name = graph.symbol(*at).name.to_string();
            for call in graph.callees(*at).calls {
                let Some(symbol) = call.symbol.filter(|_| call.resolution == Resolution::Resolved) else { continue };
                if self.symbols.iter().any(|(known, _)| overlaps(graph, *known, symbol)) {
                    continue;
                }
                match called.iter_mut().find(|(known, ..)| *known == symbol) {
                    Some((_, callers, _)) => *callers += 1,
                    None => called.push((symbol, 1, name.clone())),
                }
            }
        }
        let worth = |(at, callers, _): &(At, usize, String)| {
            let name = graph.symbol(*at).name.to_lowercase();
            callers - 1 + words.iter().filter(|word| name.contains(word.as_str())).count()
        };
        called.retain(|one| worth(one) > 0 && is_worth(graph.symbol(one.0).kind));
        called.sort_by_key(|one| std::cmp::Reverse(worth(one)));
        for (at, callers, by) in called.into_iter().take(MOST_SYMBOLS.saturating_sub(self.symbols.len())) {
            let why = if callers > 1 { format!("called by {callers} of these") } else { format!("called by {by}") };
            self.symbols.push((at, why));
        }
    }
}

/// Of a question of which nothing is found.
const NEAREST: &str = "nearest in meaning, and not near";
/// Chunks with more of the question than this have most of it.
const MOST_WORDS: f32 = 0.5;

/// What speaks most for a hit.
fn reason(hit: &SearchHit, evidence: &Evidence) -> &'static str {
    let Evidence { body, coverage, doc, name, exact, meaning: _, path } = *evidence;
    if hit.definition || exact > 0.0 {
        "named in the question"
    } else if coverage > MOST_WORDS {
        "has most of the question's words"
    } else if name > 0.0 {
        "has words of the question in its name"
    } else if coverage > 0.0 || body > 0.0 || doc > 0.0 {
        "has words of the question"
    } else if path > 0.0 {
        "has words of the question in its path"
    } else {
        "near in meaning"
    }
}

/// The symbol that a hit is about, if it is one that can be shown by itself.
fn worthy(graph: &Graph<'_>, hit: &SearchHit) -> Option<At> {
    symbol_of(graph, hit).filter(|at| is_worth(graph.symbol(*at).kind))
}

/// The symbol that a hit is about.
fn symbol_of(graph: &Graph<'_>, hit: &SearchHit) -> Option<At> {
    let file = graph.number(&hit.path)?;
    let symbols = &graph.file(file).outline.symbols;
    let in_hit = |line: u32| (hit.start_line..=hit.end_line).contains(&line);
    let name = hit.symbol.as_deref().map(|name| name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name));
    let named = symbols.iter().position(|one| Some(&*one.name) == name && in_hit(one.name_line));
    let around = || {
        symbols
            .iter()
            .rposition(|one| one.start_line <= hit.start_line && hit.start_line <= one.end_line && is_worth(one.kind))
    };
    let inside = || symbols.iter().position(|one| in_hit(one.name_line) && is_worth(one.kind));
    let place = named.or_else(around).or_else(inside)?;
    Some(At { file, symbol: u32::try_from(place).ok()? })
}

fn is_worth(kind: SymbolKind) -> bool {
    kind.is_callable()
        || kind.is_type()
        || matches!(kind, SymbolKind::Macro | SymbolKind::Alias | SymbolKind::Constant | SymbolKind::Property)
}

/// One is the other, or a part of it.
fn overlaps(graph: &Graph<'_>, one: At, other: At) -> bool {
    let (first, second) = (graph.symbol(one), graph.symbol(other));
    one.file == other.file
        && (first.start_byte <= second.start_byte && second.end_byte <= first.end_byte
            || second.start_byte <= first.start_byte && first.end_byte <= second.end_byte)
}

fn connections(graph: &Graph<'_>, symbols: &[(At, String)]) -> Vec<Connection> {
    let mut found: Vec<Connection> = vec![];
    let name = |at: At| graph.file(at.file).qualified(graph.symbol(at));
    let place_of = |at: At| symbols.iter().map(|(one, _)| *one).find(|one| *one == at || graph.owner(at) == Some(*one));
    for (at, _) in symbols {
        let mut add = |to: At, kind: ConnectionKind, resolution: Resolution| {
            let Some(to) = place_of(to).filter(|to| to != at) else { return };
            let connection = Connection { from: name(*at), to: name(to), kind, resolution };
            let is_known = found.iter().any(|known| known.from == connection.from && known.to == connection.to);
            if !is_known && resolution != Resolution::NameOnly {
                found.push(connection);
            }
        };
        for call in graph.callees(*at).calls {
            if let Some(to) = call.symbol {
                add(to, ConnectionKind::Calls, call.resolution);
            }
        }
        if graph.symbol(*at).kind.is_type() {
            for (above, _) in graph.supertypes(*at) {
                add(above, ConnectionKind::Implements, Resolution::Resolved);
            }
        }
        let uses = graph.uses(at.file);
        for row in uses.rows().iter().filter(|row| row.role == Role::Type) {
            if row.symbol.is_none_or(|symbol| !overlaps(graph, At { file: at.file, symbol }, *at)) {
                continue;
            }
            if let Outcome::Targets(targets) = graph.resolve(at.file, &uses, row) {
                for to in targets.symbols {
                    add(to, ConnectionKind::Uses, targets.resolution);
                }
            }
        }
    }
    found
}

/// Who depends on the symbols, and which tests reach them; the first of each.
struct Beside {
    dependents: Vec<ExploredDependent>,
    total_dependents: u64,
    tests: Vec<ExploredDependent>,
    total_tests: u64,
}

/// Symbols, each once, as they are shown.
#[derive(Default)]
struct Listed(Vec<(At, ExploredDependent)>);

impl Listed {
    fn add(&mut self, graph: &Graph<'_>, at: At, of: &str, resolution: Resolution) {
        if !self.0.iter().any(|(known, _)| *known == at) {
            let item = ExploredDependent { of: of.to_owned(), resolution, ..ExploredDependent::of(info(graph, at)) };
            self.0.push((at, item));
        }
    }

    fn first(self, most: usize) -> Vec<ExploredDependent> {
        self.0.into_iter().take(most).map(|(_, item)| item).collect()
    }
}

fn beside(graph: &Graph<'_>, symbols: &[(At, String)], context: &Context) -> Result<Beside, ToolError> {
    let (mut dependents, mut reaching) = (Listed::default(), Listed::default());
    let is_shown = |at: At| symbols.iter().any(|(one, _)| overlaps(graph, *one, at));
    for (at, _) in symbols.iter().take(LOOKED_AROUND) {
        let of = graph.file(at.file).qualified(graph.symbol(*at));
        for (user, resolution) in graph.users(*at, context.cancel)? {
            if resolution != Resolution::NameOnly && !is_shown(user) && !graph.is_test(user) {
                dependents.add(graph, user, &of, resolution);
            }
        }
        for test in graph.tests_of(*at, FARTHEST_TEST, context.cancel)? {
            if let Some(at) = test.at {
                reaching.add(graph, at, &of, test.resolution);
            }
        }
    }
    Ok(Beside {
        total_dependents: dependents.0.len() as u64,
        dependents: dependents.first(MOST_DEPENDENTS),
        total_tests: reaching.0.len() as u64,
        tests: reaching.first(MOST_TESTS),
    })
}
