//! The symbols that an exploration shows, and the locations that it names to read next.

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::tools::explore::ReadNext;

use super::candidates::Candidate;
use crate::extract::facts::Symbol;
use crate::graph::{Graph, SymbolId};
use crate::index::path_words::PathConvention;
use crate::search::morphology::forms;
use crate::search::rank::Evidence;

/// The most symbols that are shown with their source.
const MAX_SYMBOLS: usize = 10;
/// The most of them in one file.
const MAX_OF_FILE: usize = 5;
/// The most symbols whose bodies are searched for in other files.
const MAX_FOLLOWED: usize = 4;
const MAX_TO_READ: usize = 8;
/// Callees among the locations to read: how many, after how many hits, and at most how many calls away.
const MAX_CALLEES: usize = 3;
const HITS_BEFORE_CALLEES: usize = 2;
const CALLS_FOLLOWED: usize = 2;
/// The most declarations of a file that are checked to find the file with their bodies.
const MAX_SIBLINGS: usize = 40;
/// Above this share of the question, the reason of a symbol or chunk says that it has most of the words.
const MAX_OF_QUESTION: f32 = 0.5;

/// Symbols that are shown with their source, and locations to read next.
#[derive(Default)]
pub struct Selection {
    /// The words of the question, in lower case.
    words: Vec<String>,
    /// Each with the reason why it is shown.
    pub symbols: Vec<(SymbolId, String)>,
    pub to_read: Vec<ReadNext>,
}

impl Selection {
    pub fn new(question: &str) -> Self {
        let words = question.split(|sign: char| !sign.is_alphanumeric());
        Self {
            words: words
                .filter(|word| word.len() > 1)
                .map(str::to_lowercase)
                .collect(),
            ..Self::default()
        }
    }

    /// Adds the symbol of a hit while there is room, and otherwise its location.
    pub fn add_hit(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        let symbol = self.symbol_of(graph, hit);
        let symbol = symbol.map(|at| graph.entities().definition(at));
        if symbol.is_some_and(|at| self.shows(graph, at)) {
            return;
        }
        match symbol {
            Some(at) if self.symbols.len() < MAX_SYMBOLS => {
                self.symbols.push((at, why.to_owned()));
            }
            _ => self.add_to_read(graph, hit, why),
        }
    }

    /// Adds the function of a stack frame, or the lines of a frame that is in none.
    pub fn add_frame(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        let is_whole = |at: &SymbolId| {
            let symbol = graph.symbol(*at);
            (symbol.start_line, symbol.end_line) == (hit.start_line, hit.end_line)
        };
        if self.symbol_of(graph, hit).as_ref().is_some_and(is_whole) {
            self.add_hit(graph, hit, why);
        } else if self.to_read.len() < MAX_TO_READ {
            self.to_read.push(ReadNext {
                path: hit.path.clone(),
                start_line: hit.start_line,
                end_line: hit.end_line,
                symbol: None,
                why: why.to_owned(),
            });
        }
    }

    /// Adds the location of a hit, without its source.
    pub fn add_to_read(&mut self, graph: &Graph<'_>, hit: &SearchHit, why: &str) {
        if self.to_read.len() < MAX_TO_READ {
            let symbol = self
                .symbol_of(graph, hit)
                .map(|at| graph.file(at.file).qualified(graph.symbol(at)));
            self.to_read.push(ReadNext {
                path: hit.path.clone(),
                start_line: hit.start_line,
                end_line: hit.end_line,
                symbol: symbol.or_else(|| hit.symbol.clone()),
                why: why.to_owned(),
            });
        }
    }

    /// Adds a symbol while there is room, unless enough of its file is shown.
    pub fn add_candidate(&mut self, graph: &Graph<'_>, candidate: &Candidate) {
        // The source of a prototype is that of the function.
        let at = graph.entities().definition(candidate.at);
        let of_file = self.symbols.iter().filter(|(one, _)| one.file == at.file);
        if self.symbols.len() < MAX_SYMBOLS
            && of_file.count() < MAX_OF_FILE
            && !self.shows(graph, at)
            && !self.repeats(graph, at)
        {
            self.symbols.push((at, candidate.reason(graph)));
        }
    }

    /// Returns whether a symbol, a part of it, or a symbol around it is shown.
    fn shows(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        self.symbols
            .iter()
            .any(|(shown, _)| overlaps(graph, *shown, at))
    }

    /// Returns whether a symbol is a line with the name and signature of one that is shown: `value` of each of ten annotations.
    fn repeats(&self, graph: &Graph<'_>, at: SymbolId) -> bool {
        let symbol = graph.symbol(at);
        let is_same =
            |one: &Symbol| (&one.name, &one.signature) == (&symbol.name, &symbol.signature);
        symbol.start_line == symbol.end_line
            && self
                .symbols
                .iter()
                .any(|(one, _)| is_same(graph.symbol(*one)))
    }

    /// Adds the locations of direct and indirect callees that are resolved, and have words of the question in their names or
    /// several callers.
    pub fn add_callees_to_read(&mut self, graph: &Graph<'_>) {
        let forms: Vec<Vec<String>> = self
            .words
            .iter()
            .filter(|word| word.len() > 3)
            .map(|word| long_forms(word))
            .collect();
        let words_in_name = |at: SymbolId| {
            let name = graph.symbol(at).name.to_lowercase();
            forms
                .iter()
                .filter(|forms| forms.iter().any(|form| name.contains(form.as_str())))
                .count()
        };
        let mut called: Vec<Callee> = vec![];
        let mut layer: Vec<SymbolId> = self.symbols.iter().map(|(at, _)| *at).collect();
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
                    if self.shows(graph, at)
                        || graph.tests().is_test(at)
                        || !can_be_shown(graph.symbol(at).kind)
                    {
                        continue;
                    }
                    if let Some(known) = called.iter_mut().find(|known| known.at == at) {
                        known.callers += usize::from(known.by != by);
                        continue;
                    }
                    called.push(Callee {
                        at,
                        by,
                        callers: 1,
                        words_in_name: words_in_name(at),
                    });
                    if words_in_name(at) > 0 {
                        further.push(at);
                    }
                }
            }
            layer = further;
        }
        called.retain(|one| one.words_in_name + one.callers > 1);
        called.sort_by_key(|one| std::cmp::Reverse((one.words_in_name, one.callers)));
        let is_named = |next: &ReadNext, at: SymbolId| {
            let symbol = graph.symbol(at);
            next.path == graph.file(at.file).path
                && next.start_line <= symbol.end_line
                && symbol.start_line <= next.end_line
        };
        called.retain(|one| !self.to_read.iter().any(|next| is_named(next, one.at)));
        let name = |at: SymbolId| graph.file(at.file).qualified(graph.symbol(at));
        let found = called.into_iter().take(MAX_CALLEES).map(|one| ReadNext {
            path: graph.file(one.at.file).path.clone(),
            start_line: graph.symbol(one.at).start_line,
            end_line: graph.symbol(one.at).end_line,
            symbol: Some(name(one.at)),
            why: format!("called by {}", name(one.by)),
        });
        // The callees are inserted after the first hits.
        let behind = self.to_read.len().min(HITS_BEFORE_CALLEES);
        self.to_read
            .splice(behind..behind, found.collect::<Vec<_>>());
    }

    /// Adds the locations of the bodies of symbols that are only declared: `log.cc` for a class in `log.h`.
    pub fn add_definitions_to_read(&mut self, graph: &Graph<'_>) {
        let mut found: Vec<ReadNext> = vec![];
        for (at, _) in self.symbols.iter().take(MAX_FOLLOWED) {
            let Some(body) = find_body(graph, *at) else {
                continue;
            };
            let path = &graph.file(body.file).path;
            let is_named = self
                .symbols
                .iter()
                .any(|(known, _)| known.file == body.file)
                || self
                    .to_read
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
        found.append(&mut self.to_read);
        found.truncate(MAX_TO_READ + MAX_CALLEES);
        self.to_read = found;
    }

    /// Returns the symbol that a hit is about, if it can be shown by itself.
    fn symbol_of(&self, graph: &Graph<'_>, hit: &SearchHit) -> Option<SymbolId> {
        let file = graph.file_number(&hit.path)?;
        let symbols = &graph.file(file).outline.symbols;
        let in_hit = |line: u32| (hit.start_line..=hit.end_line).contains(&line);
        let is_in_hit = |one: &Symbol| in_hit(one.name_line) && can_be_shown(one.kind);
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
                .rposition(|one| is_around(one) && can_be_shown(one.kind))
        };
        // The symbol whose name has most words of the question.
        let inside = || {
            let words_in_name = |place: &usize| {
                let name = symbols[*place].name.to_lowercase();
                self.words
                    .iter()
                    .filter(|word| word.len() > 3 && name.contains(word.as_str()))
                    .count()
            };
            let places = (0..symbols.len()).filter(|place| is_in_hit(&symbols[*place]));
            places.rev().max_by_key(words_in_name)
        };
        let place = named.or_else(around).or_else(inside)?;
        Some(SymbolId {
            file,
            symbol: u32::try_from(place).ok()?,
        })
    }
}

/// A symbol that is called, with its first caller.
struct Callee {
    at: SymbolId,
    by: SymbolId,
    callers: usize,
    /// The number of words of the question in its name.
    words_in_name: usize,
}

/// Returns the forms of a word that are long enough to be searched for inside names.
fn long_forms(word: &str) -> Vec<String> {
    forms(word)
        .into_iter()
        .map(|(form, _)| form)
        .filter(|form| form.len() > 3)
        .collect()
}

/// Returns the body of a declared symbol in another file. For a type, this is a body in the file that has most bodies of its
/// members, or else of the functions that are declared in the same file.
fn find_body(graph: &Graph<'_>, at: SymbolId) -> Option<SymbolId> {
    if !graph
        .file(at.file)
        .path_words()
        .conventions
        .contains(PathConvention::Declaration)
    {
        return None;
    }
    if !graph.symbol(at).kind.is_type() {
        return Some(graph.entities().definition(at)).filter(|body| body.file != at.file);
    }
    let mut bodies: Vec<SymbolId> = graph
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
            .take(MAX_SIBLINGS)
            .map(|(symbol, _)| graph.entities().definition(SymbolId { symbol, ..at }));
        bodies = beside.filter(|one| one.file != at.file).collect();
    }
    let count = |file: u32| bodies.iter().filter(|one| one.file == file).count();
    bodies
        .iter()
        .copied()
        .rev()
        .max_by_key(|one| count(one.file))
}

/// The least `place` evidence of a location that a report names: a frame, a method or a message.
const NAMED_PLACE: f32 = 0.5;

impl Candidate {
    /// Describes the strongest evidence for a symbol.
    fn reason(&self, graph: &Graph<'_>) -> String {
        let reason = if self.coverage > MAX_OF_QUESTION {
            "has most of the question's words"
        } else if self.name != 0 {
            "has words of the question in its name"
        } else if let Some(caller) = self.caller {
            let caller = graph.file(caller.file).qualified(graph.symbol(caller));
            return format!("called by {caller}");
        } else if self.words != 0 {
            "has words of the question"
        } else {
            "near in meaning"
        };
        reason.to_owned()
    }
}

/// Describes the strongest evidence for a hit.
pub fn reason(hit: &SearchHit, evidence: &Evidence, is_report: bool) -> &'static str {
    let Evidence {
        body,
        coverage,
        doc,
        name,
        exact,
        meaning: _,
        path,
        report,
        mentioned_location,
        location,
    } = *evidence;
    if location > 0.0 && is_report {
        "in the stack trace"
    } else if location > 0.0 {
        "named in the question"
    } else if mentioned_location >= NAMED_PLACE {
        "named in the report"
    } else if hit.definition || exact > 0.0 {
        "named in the question"
    } else if coverage > MAX_OF_QUESTION {
        "has most of the question's words"
    } else if name > 0.0 {
        "has words of the question in its name"
    } else if coverage > 0.0 || body > 0.0 || doc > 0.0 || report > 0.0 {
        "has words of the question"
    } else if path > 0.0 {
        "has words of the question in its path"
    } else {
        "near in meaning"
    }
}

pub fn can_be_shown(kind: SymbolKind) -> bool {
    kind.is_callable()
        || kind.is_type()
        || matches!(
            kind,
            SymbolKind::Macro | SymbolKind::Alias | SymbolKind::Constant | SymbolKind::Property
        )
}

/// Returns whether one symbol is the other, or a part of it.
pub fn overlaps(graph: &Graph<'_>, one: SymbolId, other: SymbolId) -> bool {
    let (first, second) = (graph.symbol(one), graph.symbol(other));
    one.file == other.file
        && (first.start_byte <= second.start_byte && second.end_byte <= first.end_byte
            || second.start_byte <= first.start_byte && first.end_byte <= second.end_byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::Files;

    #[test]
    fn a_hit_in_a_module_shows_the_symbol_with_most_words() {
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
            let at = Selection::new(question)
                .symbol_of(&graph, &hit)
                .expect("one");
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
            let mut selection = Selection::new("");
            selection.symbols.push((at, String::new()));
            selection.add_definitions_to_read(&graph);
            let next: Vec<&str> = selection
                .to_read
                .iter()
                .map(|next| next.path.as_str())
                .collect();
            assert_eq!(next, ["log.cc"], "{name}");
            // Once is enough.
            selection.add_definitions_to_read(&graph);
            assert_eq!(selection.to_read.len(), 1);
        }
    }

    #[test]
    fn a_function_is_shown_for_its_prototype_and_equal_lines_once() {
        let files = Files::new(
            "cpp",
            &[
                (
                    "pool.cc",
                    "#include \"pool.h\"\nvoid Pool::post(int x) {\n  queue(x);\n}\n",
                ),
                (
                    "pool.h",
                    "class Pool {\n  void post(int x);\n};\nclass One {\n  int value();\n};\nclass Two {\n  int value();\n};\n",
                ),
            ],
        );
        let graph = Graph::new(&files.snapshot, &files);
        let mut selection = Selection::new("");
        let mut all: Vec<SymbolId> = graph.named("post").chain(graph.named("value")).collect();
        all.sort_by_key(|at| std::cmp::Reverse(at.file));
        for at in all {
            selection.add_candidate(&graph, &Candidate::at(at));
        }
        let shown = selection.symbols.iter().map(|(at, _)| {
            let file = graph.file(at.file);
            format!("{} {}", file.path, file.qualified(graph.symbol(*at)))
        });
        let shown: Vec<String> = shown.collect();
        assert_eq!(shown, ["pool.cc Pool::post", "pool.h One::value"]);
    }

    #[test]
    fn resolved_callees_with_words_of_the_question_are_read_next() {
        let text = "pub fn serve() {\n    find_route();\n    log();\n}\n\nfn log() {}\n\n\
                    fn find_route() {\n    route_of_node();\n}\n\nfn route_of_node() {}\n";
        let files = Files::new("rust", &[("mux.rs", text)]);
        let graph = Graph::new(&files.snapshot, &files);
        let mut selection = Selection::new("how does the routing work");
        selection
            .symbols
            .push((graph.named("serve").next().expect("one"), String::new()));
        selection.add_callees_to_read(&graph);
        let next: Vec<_> = selection
            .to_read
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
}
