//! Measures each step of indexing by itself, as the baseline of the benchmark.
//!
//! Runs in one process, without stores and workers, over the files and with the grammars and settings that the daemon would
//! use. Nothing here is part of indexing, and nothing is kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::IndexSettings;
use super::prepare::{content_hash, language_of};
use crate::embed::Embedder;
use crate::extract::{self, ChunkSizes};
use crate::lang::{self, Language};
use crate::secrets;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::source::judge;
use crate::source::walk::{self, Rules, Scope, WalkResult};
use crate::store::ledger::record::{self, StoredFacts};

/// The steps to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Bare parsing, on all threads.
    Parse,
    /// Also every step on one thread, by language.
    Steps,
}

struct Source {
    language: Option<&'static Language>,
    text: String,
}

/// The times of the files of one language on one thread.
#[derive(Clone, Copy, Default)]
struct Timings {
    files: usize,
    bytes: usize,
    parse: Duration,
    extract: Duration,
    compress: Duration,
}

/// Measures a folder.
pub fn measure(
    folder: &Path,
    threads: usize,
    detail: Detail,
    settings: &IndexSettings,
) -> Result<Value, String> {
    let began = Instant::now();
    let walked = walk_all(folder)?;
    let walk = began.elapsed();

    let began = Instant::now();
    let dir = RootDir::open(folder, "measured").map_err(|error| error.to_string())?;
    let seen = walked.files.len();
    let paths = walked
        .files
        .into_iter()
        .filter(|file| file.size <= settings.largest_file)
        .map(|file| file.path);
    let mut sources: Vec<Source> = paths
        .filter_map(|path| read(&dir, &path, settings.largest_file))
        .collect();
    let read = began.elapsed();
    // The largest first, so that no thread ends long after the others.
    sources.sort_by_key(|source| std::cmp::Reverse(source.text.len()));

    let compile = compile_queries(&sources);
    let parsed = || sources.iter().filter(|source| has_grammar(source.language));
    let parse_wall = on_threads(threads, &sources, parse);
    let mut measured = json!({
        "threads": threads,
        "files": sources.len(),
        "bytes": sources.iter().map(|source| source.text.len()).sum::<usize>(),
        "skipped": seen - sources.len(),
        "parsed_files": parsed().count(),
        "parsed_bytes": parsed().map(|source| source.text.len()).sum::<usize>(),
        "walk_seconds": walk.as_secs_f64(),
        "read_seconds": read.as_secs_f64(),
        "compile_seconds": compile.as_secs_f64(),
        "parse_wall_seconds": parse_wall.as_secs_f64(),
    });
    if detail == Detail::Steps {
        let facts_wall = on_threads(threads, &sources, |source| drop(compressed(source)));
        measured["facts_wall_seconds"] = json!(facts_wall.as_secs_f64());
        measured["one_thread"] = one_thread(&sources);
    }
    Ok(measured)
}

/// Returns the texts of a folder's chunks, as models see them.
pub fn chunks(folder: &Path, settings: &IndexSettings) -> Result<Vec<String>, String> {
    let walked = walk_all(folder)?;
    let dir = RootDir::open(folder, "measured").map_err(|error| error.to_string())?;
    let sources = walked
        .files
        .iter()
        .filter_map(|file| read(&dir, &file.path, settings.largest_file));
    let mut chunks: Vec<String> = vec![];
    for source in sources {
        let outline =
            extract::extract(source.language, &source.text, ChunkSizes::default()).outline;
        let text = extract::redact(&source.text, &outline.redactions);
        let spans = outline
            .chunks
            .iter()
            .map(|chunk| chunk.start_byte as usize..chunk.end_byte as usize);
        chunks.extend(spans.filter_map(|span| text.get(span)).map(str::to_owned));
    }
    Ok(chunks)
}

/// Measures a model on the chunks of a folder, on one thread.
pub fn measure_model(
    folder: &Path,
    model: &dyn Embedder,
    settings: &IndexSettings,
) -> Result<Value, String> {
    let chunks = chunks(folder, settings)?;
    // The initialisation at the first use is measured separately.
    let began = Instant::now();
    model.query("first").map_err(|error| error.to_string())?;
    let first = began.elapsed();
    let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let began = Instant::now();
    for some in texts.chunks(model.batch_size().max(1)) {
        std::hint::black_box(model.documents(some).map_err(|error| error.to_string())?);
    }
    Ok(json!({
        "model": model.model().as_str(),
        "chunks": texts.len(),
        "bytes": texts.iter().map(|text| text.len()).sum::<usize>(),
        "first_seconds": first.as_secs_f64(),
        "embed_seconds": began.elapsed().as_secs_f64(),
    }))
}

/// Finds the credentials in the texts of a folder, and measures how long that takes.
pub fn measure_secrets(folder: &Path, settings: &IndexSettings) -> Result<Value, String> {
    let walked = walk_all(folder)?;
    let dir = RootDir::open(folder, "measured").map_err(|error| error.to_string())?;
    let (mut lines, mut bytes, mut duration) = (0, 0, Duration::ZERO);
    let mut found = vec![];
    for file in &walked.files {
        let Some(source) = read(&dir, &file.path, settings.largest_file) else {
            continue;
        };
        let began = Instant::now();
        let secrets = secrets::secrets(&source.text);
        duration += began.elapsed();
        lines += source.text.lines().count();
        bytes += source.text.len();
        found.extend(secrets.into_iter().map(|secret| {
            let line = source.text[..secret.range.start].matches('\n').count() + 1;
            json!({ "path": file.path, "line": line, "start": secret.range.start, "end": secret.range.end, "kind": secret.kind })
        }));
    }
    Ok(json!({
        "files": walked.files.len(),
        "lines": lines,
        "bytes": bytes,
        "seconds": duration.as_secs_f64(),
        "kinds": secrets::kinds().collect::<Vec<_>>(),
        "secrets": found,
    }))
}

fn walk_all(folder: &Path) -> Result<WalkResult, String> {
    let rules = Rules::new(&[], &[]).map_err(|error| error.to_string())?;
    let cancel = CancelToken::default();
    Ok(walk::walk(
        folder,
        &rules,
        Scope::Everything,
        &cancel,
        &|_| {},
    ))
}

/// Reads the text of a file, if it would be indexed, and hashes it as indexing does.
fn read(dir: &RootDir, path: &str, largest: u64) -> Option<Source> {
    if secrets::is_secret_file(path) {
        return None;
    }
    let bytes = dir.open_file(path).ok()?.bytes(largest).ok()?;
    std::hint::black_box(content_hash(&bytes));
    let text = judge::judge(path, &bytes).ok()?.to_owned();
    Some(Source {
        language: language_of(path, &bytes),
        text,
    })
}

/// Compiles the queries of all languages in use, which a process does once.
fn compile_queries(sources: &[Source]) -> Duration {
    let began = Instant::now();
    let mut used: BTreeMap<&str, &'static Language> = BTreeMap::new();
    for language in sources.iter().filter_map(|source| source.language) {
        let inner = language
            .embed
            .iter()
            .filter_map(|embed| lang::by_name(embed.language));
        used.extend(
            inner
                .chain([language])
                .map(|language| (language.id, language)),
        );
    }
    for language in used.values() {
        extract::compiled(language);
    }
    began.elapsed()
}

fn has_grammar(language: Option<&Language>) -> bool {
    language.is_some_and(|language| language.facts.is_some())
}

fn parse(source: &Source) {
    if let Some(language) = source.language {
        extract::parse_alone(language, &source.text);
    }
}

fn compressed(source: &Source) -> StoredFacts {
    let facts = extract::extract(source.language, &source.text, ChunkSizes::default());
    StoredFacts {
        outline: record::compress(&facts.outline),
        occurrences: record::compress(&facts.occurrences),
    }
}

fn on_threads(threads: usize, sources: &[Source], work: impl Fn(&Source) + Sync) -> Duration {
    let next = AtomicUsize::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(source);
                }
            });
        }
    });
    began.elapsed()
}

fn one_thread(sources: &[Source]) -> Value {
    let mut by_language: BTreeMap<&str, Timings> = BTreeMap::new();
    for source in sources {
        let timings = by_language
            .entry(source.language.map_or("", |language| language.id))
            .or_default();
        timings.files += 1;
        timings.bytes += source.text.len();
        let began = Instant::now();
        parse(source);
        timings.parse += began.elapsed();
        let began = Instant::now();
        let facts = extract::extract(source.language, &source.text, ChunkSizes::default());
        timings.extract += began.elapsed();
        let began = Instant::now();
        std::hint::black_box((
            record::compress(&facts.outline),
            record::compress(&facts.occurrences),
        ));
        timings.compress += began.elapsed();
    }
    let all = by_language
        .values()
        .fold(Timings::default(), |sum, timings| Timings {
            files: sum.files + timings.files,
            bytes: sum.bytes + timings.bytes,
            parse: sum.parse + timings.parse,
            extract: sum.extract + timings.extract,
            compress: sum.compress + timings.compress,
        });
    let mut languages: Vec<_> = by_language.into_iter().collect();
    languages.sort_by_key(|(_, timings)| std::cmp::Reverse(timings.extract));
    let languages: serde_json::Map<String, Value> = languages
        .into_iter()
        .map(|(language, timings)| (language.to_owned(), timings.json()))
        .collect();
    let mut measured = all.json();
    measured["languages"] = Value::Object(languages);
    measured
}

impl Timings {
    fn json(&self) -> Value {
        json!({
            "files": self.files,
            "bytes": self.bytes,
            "parse_seconds": self.parse.as_secs_f64(),
            "query_seconds": self.extract.saturating_sub(self.parse).as_secs_f64(),
            "compress_seconds": self.compress.as_secs_f64(),
        })
    }
}
