//! `explore`: for a question, the few symbols that matter, with their source and how they connect.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::explore::{
    Connection, ConnectionKind, Exploration, Explore, ExploredDependent, ExploredSymbol, ReadNext,
};
use claudevil_protocol::tools::search::Search;

use super::Context;
use super::linked::{Linked, info, source};
use super::search::{self, Judged};
use crate::extract::facts::{Role, Symbol};
use crate::graph::{At, Graph, Outcome};
use crate::index::path_words::Custom;
use crate::search::morphology::forms;
use crate::search::rank::Evidence;

const HITS: u32 = 24;
/// Symbols that are shown with their source.
const MOST_SYMBOLS: usize = 7;
/// Of those, the ones whose surroundings are looked at.
const LOOKED_AROUND: usize = 4;
const MOST_DEPENDENTS: usize = 12;
const MOST_TESTS: usize = 10;
const MOST_NEXT: usize = 8;
/// What is called by the shown symbols and named with the places to read: how many, behind how many others, and how many
/// calls away.
const MOST_CALLED: usize = 3;
const BEFORE_CALLED: usize = 2;
const CALLS_FOLLOWED: usize = 2;
/// A longer symbol is shown by its outline and what counts in it.
const LONGEST_SOURCE: u32 = 120;
const FARTHEST_TEST: u32 = 2;
/// How long tests are looked for, of each symbol, that do not use it themselves.
const LONGEST_FOLLOWED: Duration = Duration::from_millis(100);
/// After this long no more symbols are looked around.
const LONGEST_AROUND: Duration = Duration::from_secs(1);
/// Declarations of a file that are looked at to find where it is defined.
const MOST_BESIDE: usize = 40;

pub fn explore(context: &Context, params: &Explore) -> Result<Exploration, ToolError> {
    let query = Search {
        query: params.question.clone(),
        path: params.path.clone(),
        language: params.language.clone(),
        limit: Some(HITS),
        ..Search::default()
    };
    // First: it waits for a first index that is nearly complete, from which the search then has symbols.
    let linked = Linked::of(context)?;
    let Judged {
        results: found,
        evidence,
        has_no_match,
    } = search::judged(context, &query)?;
    let graph = linked.graph();
    let texts = linked.texts();
    let mut chosen = Chosen {
        words: words(&params.question),
        ..Chosen::default()
    };
    for (hit, evidence) in found.results.iter().zip(&evidence) {
        if has_no_match {
            chosen.take_next(&graph, hit, NEAREST);
        } else {
            chosen.take(&graph, hit, reason(hit, evidence));
        }
    }
    chosen.add_connected(&graph);
    chosen.add_called(&graph);
    chosen.add_definitions(&graph);
    let connections = connections(&graph, &chosen.symbols);
    let beside = beside(&graph, &chosen.symbols, context)?;
    let symbols = chosen
        .symbols
        .iter()
        .map(|(at, why)| {
            let mut source = source(&graph, &texts, *at);
            if let Some(excerpt) = source
                .as_mut()
                .filter(|excerpt| excerpt.lines.len() > LONGEST_SOURCE as usize)
            {
                let words: Vec<String> = params
                    .question
                    .split_whitespace()
                    .map(str::to_lowercase)
                    .collect();
                excerpt.keep_best(LONGEST_SOURCE as usize, &words);
            }
            ExploredSymbol {
                why: why.clone(),
                source,
                ..ExploredSymbol::from_symbol(info(&graph, *at))
            }
        })
        .collect();
    let indexed = &linked.indexed;
    let mut freshness = found.freshness;
    linked.lack.add_to(&mut freshness);
    if beside.is_cut {
        freshness.add_note(
            "not all that depends on these symbols was looked for: it takes too long here",
        );
    }
    Ok(Exploration {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        folder: indexed.folder.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        question: params.question.clone(),
        path: params.path.clone(),
        language: params.language.clone(),
        symbols,
        total: if has_no_match { 0 } else { found.total },
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
    /// Of the question, in small letters.
    words: Vec<String>,
    symbols: Vec<(At, String)>,
    next: Vec<ReadNext>,
}

impl Chosen {
    fn take(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        let symbol = self.worthy(graph, hit);
        let known = symbol.is_some_and(|at| {
            self.symbols
                .iter()
                .any(|(known, _)| overlaps(graph, *known, at))
        });
        if known {
            return;
        }
        match symbol {
            Some(at) if self.symbols.len() < MOST_SYMBOLS - 2 => {
                self.symbols.push((at, why.to_owned()));
            }
            _ => self.take_next(graph, hit, why),
        }
    }

    /// A place to read, without its source.
    fn take_next(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        if self.next.len() < MOST_NEXT {
            let symbol = self
                .worthy(graph, hit)
                .map(|at| graph.file(at.file).qualified(graph.symbol(at)));
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
    fn add_connected(&mut self, graph: &Graph<'_>) {
        let mut called: Vec<(At, usize, String)> = vec![];
        for (at, _) in self.symbols.iter().take(LOOKED_AROUND) {
            let name = graph.symbol(*at).name.to_string();
            for call in graph.calls().callees(*at).calls {
                let Some(symbol) = call
                    .symbol
                    .filter(|_| call.resolution == Resolution::Resolved)
                else {
                    continue;
                };
                if self
                    .symbols
                    .iter()
                    .any(|(known, _)| overlaps(graph, *known, symbol))
                {
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
            // A short word is a part of many names, and says something only where a file is called so.
            let long = self.words.iter().filter(|word| word.len() > 3);
            let is_of_file = || self.is_called_so(&graph.file(at.file).path);
            let is_own = self.symbols.iter().any(|(known, _)| known.file == at.file);
            callers - 1
                + long.filter(|word| name.contains(word.as_str())).count()
                + usize::from(!is_own && is_of_file())
        };
        called.retain(|one| worth(one) > 0 && is_worth(graph.symbol(one.0).kind));
        called.sort_by_key(|one| std::cmp::Reverse(worth(one)));
        for (at, callers, by) in called
            .into_iter()
            .take(MOST_SYMBOLS.saturating_sub(self.symbols.len()))
        {
            let why = if callers > 1 {
                format!("called by {callers} of these")
            } else {
                format!("called by {by}")
            };
            self.symbols.push((at, why));
        }
    }

    /// What the shown symbols call for sure, and what that calls in turn, is worth reading where its name has the question's
    /// words or several call it.
    fn add_called(&mut self, graph: &Graph<'_>) {
        let forms: Vec<Vec<String>> = self
            .words
            .iter()
            .filter(|word| word.len() > 3)
            .map(|word| forms_of(word))
            .collect();
        let said = |at: At| {
            let name = graph.symbol(at).name.to_lowercase();
            forms
                .iter()
                .filter(|forms| forms.iter().any(|form| name.contains(form.as_str())))
                .count()
        };
        let mut called: Vec<Called> = vec![];
        let mut layer: Vec<At> = self.symbols.iter().map(|(at, _)| *at).collect();
        for _ in 0..CALLS_FOLLOWED {
            let mut further = vec![];
            for by in layer {
                for call in graph.calls().callees(by).calls {
                    let Some(at) = call
                        .symbol
                        .filter(|_| call.resolution == Resolution::Resolved)
                    else {
                        continue;
                    };
                    let is_shown = self
                        .symbols
                        .iter()
                        .any(|(known, _)| overlaps(graph, *known, at));
                    if is_shown || graph.tests().is_test(at) || !is_worth(graph.symbol(at).kind) {
                        continue;
                    }
                    if let Some(known) = called.iter_mut().find(|known| known.at == at) {
                        known.callers += usize::from(known.by != by);
                        continue;
                    }
                    called.push(Called {
                        at,
                        by,
                        callers: 1,
                        said: said(at),
                    });
                    if said(at) > 0 {
                        further.push(at);
                    }
                }
            }
            layer = further;
        }
        called.retain(|one| one.said + one.callers > 1);
        called.sort_by_key(|one| std::cmp::Reverse((one.said, one.callers)));
        let is_named = |next: &ReadNext, at: At| {
            let symbol = graph.symbol(at);
            next.path == graph.file(at.file).path
                && next.start_line <= symbol.end_line
                && symbol.start_line <= next.end_line
        };
        called.retain(|one| !self.next.iter().any(|next| is_named(next, one.at)));
        let name = |at: At| graph.file(at.file).qualified(graph.symbol(at));
        let found = called.into_iter().take(MOST_CALLED).map(|one| ReadNext {
            path: graph.file(one.at.file).path.clone(),
            start_line: graph.symbol(one.at).start_line,
            end_line: graph.symbol(one.at).end_line,
            symbol: Some(name(one.at)),
            why: format!("called by {}", name(one.by)),
        });
        // Behind the first that were found, which speak for themselves.
        let behind = self.next.len().min(BEFORE_CALLED);
        self.next.splice(behind..behind, found.collect::<Vec<_>>());
    }

    /// Whether a file's name has a word of the question.
    fn is_called_so(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let stem = name.split('.').next().unwrap_or(&name);
        stem.split(|sign: char| !sign.is_alphanumeric())
            .any(|part| self.words.iter().any(|word| word == part))
    }

    /// What is only declared where it is shown has its body in a file that is worth reading.
    fn add_definitions(&mut self, graph: &Graph<'_>) {
        let mut found: Vec<ReadNext> = vec![];
        for (at, _) in self.symbols.iter().take(LOOKED_AROUND) {
            let Some(body) = body_of(graph, *at) else {
                continue;
            };
            let path = &graph.file(body.file).path;
            let is_named = self
                .symbols
                .iter()
                .any(|(known, _)| known.file == body.file)
                || self
                    .next
                    .iter()
                    .chain(&found)
                    .any(|next| next.path == *path);
            if !is_named {
                let symbol = graph.symbol(body);
                found.push(ReadNext {
                    path: path.clone(),
                    start_line: symbol.start_line,
                    end_line: symbol.end_line,
                    symbol: Some(graph.file(body.file).qualified(symbol)),
                    why: format!("defines what {} declares", graph.file(at.file).path),
                });
            }
        }
        found.append(&mut self.next);
        found.truncate(MOST_NEXT + MOST_CALLED);
        self.next = found;
    }

    /// The symbol that a hit is about, if it is one that can be shown by itself.
    fn worthy(&self, graph: &Graph<'_>, hit: &SearchHit) -> Option<At> {
        let file = graph.file_number(&hit.path)?;
        let symbols = &graph.file(file).outline.symbols;
        let in_hit = |line: u32| (hit.start_line..=hit.end_line).contains(&line);
        let is_in_hit = |one: &Symbol| in_hit(one.name_line) && is_worth(one.kind);
        let name = hit
            .symbol
            .as_deref()
            .map(|name| name.rsplit(['.', ':', '#', '\\']).next().unwrap_or(name));
        let named = symbols
            .iter()
            .position(|one| Some(&*one.name) == name && is_in_hit(one));
        let around = || {
            let is_around =
                |one: &Symbol| one.start_line <= hit.start_line && hit.start_line <= one.end_line;
            symbols
                .iter()
                .rposition(|one| is_around(one) && is_worth(one.kind))
        };
        // Of several, the one whose name has most of the question.
        let inside = || {
            let said = |place: &usize| {
                let name = symbols[*place].name.to_lowercase();
                self.words
                    .iter()
                    .filter(|word| word.len() > 3 && name.contains(word.as_str()))
                    .count()
            };
            let places = (0..symbols.len()).filter(|place| is_in_hit(&symbols[*place]));
            places.rev().max_by_key(said)
        };
        let place = named.or_else(around).or_else(inside)?;
        Some(At {
            file,
            symbol: u32::try_from(place).ok()?,
        })
    }
}

/// Something that is called, by the first that does.
struct Called {
    at: At,
    by: At,
    callers: usize,
    /// How many words of the question its name has.
    said: usize,
}

/// The forms of a word that say something inside of a name.
fn forms_of(word: &str) -> Vec<String> {
    forms(word)
        .into_iter()
        .map(|(form, _)| form)
        .filter(|form| form.len() > 3)
        .collect()
}

fn words(question: &str) -> Vec<String> {
    let all = question.split(|sign: char| !sign.is_alphanumeric());
    all.filter(|word| word.len() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// Where another file has the body of what a symbol declares: its own, or for a type those of most of its members, or of
/// what is declared beside it.
fn body_of(graph: &Graph<'_>, at: At) -> Option<At> {
    if !graph
        .file(at.file)
        .path_words()
        .customs
        .contains(Custom::Declaration)
    {
        return None;
    }
    if !graph.symbol(at).kind.is_type() {
        return Some(graph.entities().definition(at)).filter(|body| body.file != at.file);
    }
    let mut bodies: Vec<At> = graph
        .members()
        .all(at)
        .into_iter()
        .filter(|one| one.file != at.file)
        .collect();
    if bodies.is_empty() {
        let beside = (0..)
            .zip(&graph.file(at.file).outline.symbols)
            .filter(|(_, one)| one.kind.is_callable());
        let beside = beside
            .take(MOST_BESIDE)
            .map(|(symbol, _)| graph.entities().definition(At { symbol, ..at }));
        bodies = beside.filter(|one| one.file != at.file).collect();
    }
    let count = |file: u32| bodies.iter().filter(|one| one.file == file).count();
    bodies
        .iter()
        .copied()
        .rev()
        .max_by_key(|one| count(one.file))
}

/// Of a question of which nothing is found.
const NEAREST: &str = "nearest in meaning, and not near";
/// Chunks with more of the question than this have most of it.
const MOST_WORDS: f32 = 0.5;

/// What speaks most for a hit.
fn reason(hit: &SearchHit, evidence: &Evidence) -> &'static str {
    let Evidence {
        body,
        coverage,
        doc,
        name,
        exact,
        meaning: _,
        path,
    } = *evidence;
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

fn is_worth(kind: SymbolKind) -> bool {
    kind.is_callable()
        || kind.is_type()
        || matches!(
            kind,
            SymbolKind::Macro | SymbolKind::Alias | SymbolKind::Constant | SymbolKind::Property
        )
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
    let place_of = |at: At| {
        symbols
            .iter()
            .map(|(one, _)| *one)
            .find(|one| *one == at || graph.members().owner(at) == Some(*one))
    };
    for (at, _) in symbols {
        let mut add = |to: At, kind: ConnectionKind, resolution: Resolution| {
            let Some(to) = place_of(to).filter(|to| to != at) else {
                return;
            };
            let connection = Connection {
                from: name(*at),
                to: name(to),
                kind,
                resolution,
            };
            let is_known = found
                .iter()
                .any(|known| known.from == connection.from && known.to == connection.to);
            if !is_known && resolution != Resolution::NameOnly {
                found.push(connection);
            }
        };
        for call in graph.calls().callees(*at).calls {
            if let Some(to) = call.symbol {
                add(to, ConnectionKind::Calls, call.resolution);
            }
        }
        if graph.symbol(*at).kind.is_type() {
            for (above, _) in graph.members().supertypes(*at) {
                add(above, ConnectionKind::Implements, Resolution::Resolved);
            }
        }
        let uses = graph.uses(at.file);
        for row in uses.rows().iter().filter(|row| row.role == Role::Type) {
            if row.symbol.is_none_or(|symbol| {
                !overlaps(
                    graph,
                    At {
                        file: at.file,
                        symbol,
                    },
                    *at,
                )
            }) {
                continue;
            }
            if let Outcome::Targets(targets) = graph.resolver().resolve(at.file, &uses, row) {
                for &to in targets.symbols.iter() {
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
    /// Not all symbols were looked around.
    is_cut: bool,
}

/// Symbols, each once, and the first of them as they are shown.
struct Listed {
    all: HashSet<At>,
    first: Vec<ExploredDependent>,
    most: usize,
}

impl Listed {
    fn new(most: usize) -> Self {
        Self {
            all: HashSet::new(),
            first: vec![],
            most,
        }
    }

    fn add(&mut self, graph: &Graph<'_>, at: At, of: &str, resolution: Resolution) {
        if self.all.insert(at) && self.first.len() < self.most {
            let shown = ExploredDependent::from_symbol(info(graph, at));
            self.first.push(ExploredDependent {
                of: of.to_owned(),
                resolution,
                ..shown
            });
        }
    }
}

fn beside(
    graph: &Graph<'_>,
    symbols: &[(At, String)],
    context: &Context,
) -> Result<Beside, ToolError> {
    let (mut dependents, mut reaching) = (Listed::new(MOST_DEPENDENTS), Listed::new(MOST_TESTS));
    let began = Instant::now();
    let mut is_cut = false;
    let is_shown = |at: At| symbols.iter().any(|(one, _)| overlaps(graph, *one, at));
    for (at, _) in symbols.iter().take(LOOKED_AROUND) {
        if began.elapsed() > LONGEST_AROUND {
            is_cut = true;
            break;
        }
        let of = graph.file(at.file).qualified(graph.symbol(*at));
        for (user, resolution) in graph.tests().users(&[*at], context.cancel)? {
            if resolution != Resolution::NameOnly && !is_shown(user) && !graph.tests().is_test(user)
            {
                dependents.add(graph, user, &of, resolution);
            }
        }
        let found =
            graph
                .tests()
                .reaching(&[*at], FARTHEST_TEST, LONGEST_FOLLOWED, context.cancel)?;
        is_cut |= found.is_cut;
        for test in found.tests.iter().filter(|test| test.steps.is_some()) {
            if let Some(at) = test.symbol() {
                reaching.add(graph, at, &of, test.resolution);
            }
        }
    }
    Ok(Beside {
        total_dependents: dependents.all.len() as u64,
        dependents: dependents.first,
        total_tests: reaching.all.len() as u64,
        tests: reaching.first,
        is_cut,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    fn chosen(question: &str) -> Chosen {
        Chosen {
            words: words(question),
            ..Chosen::default()
        }
    }

    #[test]
    fn of_a_hit_in_a_module_the_best_symbol_is_shown() {
        let text = "mod store {\n    fn open() {}\n    fn close_file() {}\n}\n";
        let files = Files::new("rust", &[("a.rs", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let hit = SearchHit {
            path: "a.rs".to_owned(),
            start_line: 1,
            end_line: 4,
            symbol: Some("store".to_owned()),
            ..SearchHit::default()
        };
        let name = |question| {
            let at = chosen(question).worthy(&graph, &hit).expect("one");
            graph.symbol(at).name.to_string()
        };
        assert_eq!(name("how is a file closed, close_file"), "close_file");
        assert_eq!(name("where"), "open");
    }

    #[test]
    fn a_declaration_leads_to_its_body() {
        let files = Files::new(
            "cpp",
            &[
                (
                    "log.cc",
                    "#include \"log.h\"\nint Log::add(int x) {\n  return x;\n}\nint run(int x) {\n  return x;\n}\n",
                ),
                (
                    "log.h",
                    "class Log {\n  int add(int x);\n};\nint run(int x);\nstruct Plain {\n  int x;\n};\n",
                ),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        for name in ["Log", "run", "Plain"] {
            let at = graph.named(name).find(|at| at.file == 1).expect("declared");
            let mut chosen = chosen("");
            chosen.symbols.push((at, String::new()));
            chosen.add_definitions(&graph);
            let next: Vec<&str> = chosen.next.iter().map(|next| next.path.as_str()).collect();
            assert_eq!(next, ["log.cc"], "{name}");
            // Once is enough.
            chosen.add_definitions(&graph);
            assert_eq!(chosen.next.len(), 1);
        }
    }

    #[test]
    fn what_is_called_for_sure_and_has_the_words_is_read_next() {
        let text = "pub fn serve() {\n    find_route();\n    log();\n}\n\nfn log() {}\n\n\
                    fn find_route() {\n    route_of_node();\n}\n\nfn route_of_node() {}\n";
        let files = Files::new("rust", &[("mux.rs", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let mut chosen = chosen("how does the routing work");
        chosen
            .symbols
            .push((graph.named("serve").next().expect("one"), String::new()));
        chosen.add_called(&graph);
        let next: Vec<_> = chosen
            .next
            .iter()
            .map(|next| (next.symbol.as_deref(), next.why.as_str()))
            .collect();
        assert_eq!(
            next,
            [
                (Some("find_route"), "called by serve"),
                (Some("route_of_node"), "called by find_route")
            ]
        );
    }

    #[test]
    fn what_is_called_in_a_file_of_that_name_is_taken() {
        let files = Files::new(
            "cpp",
            &[
                ("ssl.cc", "int parse(int x) {\n  return x;\n}\n"),
                (
                    "url.cc",
                    "int open(int x) {\n  return parse(x) + other(x);\n}\n",
                ),
                ("zip.cc", "int other(int x) {\n  return x;\n}\n"),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let mut chosen = chosen("what does SSL do");
        chosen
            .symbols
            .push((graph.named("open").next().expect("one"), String::new()));
        chosen.add_connected(&graph);
        let names: Vec<&str> = chosen
            .symbols
            .iter()
            .map(|(at, _)| &*graph.symbol(*at).name)
            .collect();
        assert_eq!(names, ["open", "parse"]);
    }
}
