//! Figures of the tools that follow the graph of one project: how long each takes, and what its answers cost.
//!
//! The symbols are drawn at random, with a fixed seed, from the names in the project's own files: symbols with many uses are
//! asked about more often, as people do. Others are drawn one per file, with many uses or few. The project is only read.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::service::RemoteTool;
use claudevil_protocol::tools::calls::{FindCallees, FindCallers};
use claudevil_protocol::tools::deep_dive::DeepDive;
use claudevil_protocol::tools::explore::Explore;
use claudevil_protocol::tools::find_implementations::FindImplementations;
use claudevil_protocol::tools::find_references::FindReferences;
use claudevil_protocol::tools::find_symbol::{FindSymbol, FoundSymbol, SymbolMatch};
use claudevil_protocol::tools::get_call_graph::GetCallGraph;
use claudevil_protocol::tools::impact_analysis::ImpactAnalysis;
use claudevil_protocol::tools::map_code::MapCode;
use claudevil_protocol::tools::search::SearchMode;
use claudevil_tests::chance::Chance;
use claudevil_tests::home::Home;
use claudevil_tests::relevance::asking::{Ranking, Root};

use crate::arguments;
use crate::figures::{Amount, Figures, Format};
use crate::index::project::listed;
use crate::machine::Machine;
use crate::percentile;
use crate::rest::at_rest;
use crate::search::sampled::Questions;
use crate::search::{say, seconds, show};

/// Number of names that are looked up for each symbol needed: most names of a file are defined elsewhere or nowhere.
const NAMES_PER_SYMBOL: usize = 20;
/// Likewise of files: many have no symbol that is used.
const FILES_PER_SYMBOL: usize = 20;
/// A budget that fits the symbols of most files.
const WHOLE_FILE: u32 = 10_000;

pub struct Options {
    folder: PathBuf,
    format: Format,
    symbols: usize,
    home: Option<PathBuf>,
}

pub fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        format: Format::Markdown,
        symbols: 100,
        home: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.format = Format::Json,
            "--symbols" => options.symbols = arguments::positive(words.next())?,
            "--home" => options.home = Some(words.next()?.into()),
            other if other.starts_with('-') || options.folder.is_absolute() => return None,
            folder => options.folder = arguments::folder(folder)?,
        }
    }
    options.folder.is_absolute().then_some(options)
}

pub async fn run(options: &Options) -> ExitCode {
    let machine = Machine::this();
    let home = options.home.as_deref().map_or_else(Home::new, Home::kept);
    let home = home.with("CLAUDEVIL_EMBEDDER", "none");
    let files = listed(&options.folder, home.scratch()).await;
    let questions =
        Questions::from_files(&options.folder, &files, options.symbols * NAMES_PER_SYMBOL);
    say("indexing");
    let started = home.claudevil(&["daemon", "start"]).await;
    assert!(started.status.success(), "{started:?}");
    let client = home.client();
    let root = Root::new(&client, &options.folder);
    root.add().await;
    let status = root.ready(Ranking::Lexical).await;
    say("waiting for the index to rest");
    at_rest(&home).await;
    let index = status.index.as_ref().expect("an index");
    let symbols = symbols(&root, questions.names(), options.symbols).await;
    let any = any_symbols(
        &root,
        &files.into_iter().collect::<Vec<_>>(),
        options.symbols,
    )
    .await;
    if symbols.is_empty() {
        say("there is nothing in this folder to ask about");
        return ExitCode::FAILURE;
    }
    let mut figures = Figures::default();
    figures
        .add("project", "files", Amount::Count(index.files))
        .beside("symbols", Amount::Count(index.symbols))
        .beside("asked about", Amount::Count(symbols.len() as u64));

    let mut asked = GraphBench {
        root: &root,
        figures: &mut figures,
        failed: 0,
    };
    let bound = |milliseconds: u64| Some(Duration::from_millis(milliseconds));
    let symbol = |found: &FoundSymbol| Some(found.name.clone());
    let path = |found: &FoundSymbol| Some(found.path.clone());
    let line = |found: &FoundSymbol| Some(found.start_line);
    /// The parameters of a tool that is asked about one symbol.
    macro_rules! about {
        ($tool:ident $(, $field:ident: $value:expr)*) => {
            symbols.iter().map(|found| $tool {
                symbol: symbol(found), path: path(found), line: line(found), $($field: Some($value),)* ..$tool::default()
            })
        };
    }
    asked
        .times("find_references", about!(FindReferences), bound(10))
        .await;
    let about_any = any.into_iter().map(|(symbol, path, line)| FindReferences {
        symbol: Some(symbol),
        path: Some(path),
        line: Some(line),
        ..FindReferences::default()
    });
    asked
        .times("find_references of any symbol", about_any, bound(10))
        .await;
    asked.times("find_callers", about!(FindCallers), None).await;
    asked
        .times(
            "find_callers, depth 3",
            about!(FindCallers, depth: 3),
            bound(50),
        )
        .await;
    asked.times("find_callees", about!(FindCallees), None).await;
    asked
        .times("find_implementations", about!(FindImplementations), None)
        .await;
    asked
        .times("get_call_graph", about!(GetCallGraph), None)
        .await;
    asked.times("deep_dive", about!(DeepDive), None).await;
    asked
        .times("impact_analysis", about!(ImpactAnalysis), bound(200))
        .await;
    asked
        .times(
            "impact_analysis, depth 3",
            about!(ImpactAnalysis, depth: 3),
            None,
        )
        .await;
    asked
        .times("map_code", (0..10).map(|_| MapCode::default()), bound(100))
        .await;
    let of_file = |found: &FoundSymbol| MapCode {
        path: path(found),
        ..MapCode::default()
    };
    asked
        .times(
            "map_code of a file",
            symbols.iter().map(of_file),
            bound(100),
        )
        .await;
    let question = |asked: &String| Explore {
        question: asked.clone(),
        ..Explore::default()
    };
    let some = questions
        .for_mode(SearchMode::Auto)
        .iter()
        .take(options.symbols);
    asked.times("explore", some.map(question), None).await;
    // Asked again, unchanged.
    let some = questions
        .for_mode(SearchMode::Auto)
        .iter()
        .take(options.symbols);
    asked
        .times("explore, again", some.map(question), None)
        .await;
    let failed = asked.failed;
    figures
        .add("failed", "questions that failed", Amount::Count(failed))
        .at_most(Amount::Count(0));
    home.claudevil(&["daemon", "stop"]).await;
    show(&options.folder, options.format, &machine, &figures);
    if figures.all_hold() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns functions, methods and types with these names.
async fn symbols(root: &Root<'_>, names: &[String], most: usize) -> Vec<FoundSymbol> {
    let mut found = vec![];
    for name in names {
        if found.len() == most {
            break;
        }
        let find = FindSymbol {
            name: name.clone(),
            matching: Some(SymbolMatch::Exact),
            ..FindSymbol::default()
        };
        let Ok(list) = root.ask(find).await else {
            continue;
        };
        let is_asked =
            |found: &FoundSymbol| !matches!(found.kind, SymbolKind::Field | SymbolKind::Variable);
        found.extend(list.symbols.into_iter().find(is_asked));
    }
    found
}

/// Returns name, path and line of functions, methods and types: one from each of some files drawn at random.
async fn any_symbols(
    root: &Root<'_>,
    files: &[PathBuf],
    most: usize,
) -> Vec<(String, String, u32)> {
    let mut chance = Chance::new(1);
    let mut found = vec![];
    for _ in 0..most * FILES_PER_SYMBOL {
        if found.len() == most {
            break;
        }
        let path = Some(chance.one_of(files).to_string_lossy().into_owned());
        let map = MapCode {
            path,
            max_tokens: Some(WHOLE_FILE),
            ..MapCode::default()
        };
        let Ok(map) = root.ask(map).await else {
            continue;
        };
        let Some(file) = map.files.into_iter().next() else {
            continue;
        };
        let is_asked = |kind: SymbolKind| kind.is_callable() || kind.is_type();
        let symbols: Vec<_> = file
            .symbols
            .iter()
            .filter(|one| is_asked(one.kind))
            .collect();
        if !symbols.is_empty() {
            let symbol = chance.one_of(&symbols);
            found.push((symbol.name.clone(), file.path.clone(), symbol.start_line));
        }
    }
    found
}

struct GraphBench<'a> {
    root: &'a Root<'a>,
    figures: &'a mut Figures,
    failed: u64,
}

impl GraphBench<'_> {
    /// Measures the answers to some questions. The bound is for the median.
    async fn times<T: RemoteTool>(
        &mut self,
        what: &str,
        questions: impl Iterator<Item = T>,
        bound: Option<Duration>,
    ) {
        say(what);
        let mut took = vec![];
        for question in questions {
            let began = Instant::now();
            match self.root.ask(question.clone()).await {
                Ok(_) => took.push(began.elapsed()),
                Err(error) => {
                    say(&format!("{what}: {error:?}"));
                    self.failed += 1;
                }
            }
        }
        if took.is_empty() {
            return;
        }
        let [p50, p95, worst] =
            [50, 95, 100].map(|percent| seconds(percentile(&mut took, percent)));
        let key = what.replace(", ", "_").replace(' ', "_");
        let figure = self.figures.add(key, format!("{what}, p50"), p50);
        if let Some(bound) = bound {
            figure.at_most(seconds(bound));
        }
        figure
            .beside("p95", p95)
            .beside("worst", worst)
            .beside("answers", Amount::Count(took.len() as u64));
    }
}
