//! Compares the engine with tree-sitter's own query cursor, over the files of a folder.
//!
//! `cargo bench -p claudevil-treequery -- GRAMMAR FOLDER EXTENSION QUERY.scm…` prints the processor time of each step: the
//! least of several rounds, because other load on the machine only ever makes it slower.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program that is run by hand over a folder that somebody names"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use claudevil_treequery::Query;
use tree_sitter::{Language, Parser, QueryCursor, StreamingIterator};

const ROUNDS: usize = 5;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [grammar, folder, extension, queries @ ..] = words.as_slice() else {
        println!("nothing measured: GRAMMAR FOLDER EXTENSION QUERY.scm…");
        return;
    };
    let language = claudevil_grammars::by_name(grammar).expect("the name of a grammar");
    let query: String = queries
        .iter()
        .map(|path| fs::read_to_string(path).expect("a query") + "\n")
        .collect();
    let texts = texts(Path::new(folder), extension);
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} files, {} KB of {grammar}", texts.len(), bytes / 1000);

    let began = Instant::now();
    let theirs = tree_sitter::Query::new(&language, &query).expect("tree-sitter reads it");
    show("read the query, tree-sitter", began.elapsed());
    let began = Instant::now();
    let ours = Query::new(&language, &query).expect("the engine reads it");
    show("read the query, engine", began.elapsed());

    show("parse", fastest(|| parse(&language, &texts)));
    show(
        "parse and match, tree-sitter's cursor",
        fastest(|| by_cursor(&language, &theirs, &texts)),
    );
    show(
        "parse and match, engine",
        fastest(|| by_engine(&language, &ours, &texts)),
    );
}

fn parse(language: &Language, texts: &[String]) -> usize {
    texts
        .iter()
        .map(|text| {
            let mut parser = Parser::new();
            parser.set_language(language).expect("a language");
            parser
                .parse(text, None)
                .map_or(0, |tree| tree.root_node().end_byte())
        })
        .sum()
}

fn by_cursor(language: &Language, query: &tree_sitter::Query, texts: &[String]) -> usize {
    let mut found = 0;
    for text in texts {
        let mut parser = Parser::new();
        parser.set_language(language).expect("a language");
        let tree = parser.parse(text, None).expect("a tree");
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        while let Some(one) = matches.next() {
            found += one.captures().len();
        }
    }
    found
}

fn by_engine(language: &Language, query: &Query, texts: &[String]) -> usize {
    let mut found = 0;
    for text in texts {
        let mut parser = Parser::new();
        parser.set_language(language).expect("a language");
        let tree = parser.parse(text, None).expect("a tree");
        query.run(tree, text, |one| found += one.captures().count());
    }
    found
}

fn fastest(work: impl Fn() -> usize) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let began = processor_time();
        std::hint::black_box(work());
        processor_time().saturating_sub(began)
    });
    rounds.min().unwrap_or_default()
}

/// Returns the processor time that this thread has used.
#[cfg(unix)]
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)
        .try_into()
        .unwrap_or_default()
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

fn show(what: &str, took: Duration) {
    println!("{what:<40} {:>8.1} ms", took.as_secs_f64() * 1000.0);
}

fn texts(folder: &Path, extension: &str) -> Vec<String> {
    let mut texts = vec![];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            texts.extend(self::texts(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            texts.extend(fs::read_to_string(&path));
        }
    }
    texts
}
