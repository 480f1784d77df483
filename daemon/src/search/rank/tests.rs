//! The ranking of a small tree of files.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::extract::{ChunkSizes, extract};
use crate::index::prepare::language_of;
use crate::search::report::Report;
use crate::source::cancel::CancelToken;
use crate::store::ledger::record::{FactsKey, FileRecord, FileState};
use crate::store::text::{TextIndex, WriterSize};

/// Indexes some files, without vectors.
pub fn snapshot(folder: &Path, files: &[(&str, &str)]) -> Snapshot {
    let mut index = TextIndex::open(folder).expect("opened");
    let mut writer = index.writer(WriterSize::Small).expect("a writer");
    let mut indexed = vec![];
    for (path, text) in files {
        let language = language_of(path, text.as_bytes());
        let outline = Arc::new(extract(language, text, ChunkSizes::default()).outline);
        writer.put(path, &outline, text).expect("put");
        let state = FileState::Indexed(FactsKey([0; 16]));
        let record = FileRecord {
            size: 0,
            modified_nanos: 0,
            stamp: 1,
            hash: [0; 16],
            language: None,
            state,
        };
        indexed.push(Arc::new(IndexedFile::new(
            (*path).to_owned(),
            record,
            language,
            outline,
        )));
    }
    writer.commit(1).expect("committed");
    index.reload(1).expect("reloaded");
    indexed.sort_by(|one, other| one.path.cmp(&other.path));
    Snapshot::new(indexed, 1, Some(index.view()))
}

pub const FILES: &[(&str, &str)] = &[
    (
        "src/session.py",
        "class Session:\n    \"\"\"Keeps cookies between requests.\"\"\"\n    def send(self, request):\n        return self.adapter.send(request)\n",
    ),
    (
        "src/adapters.py",
        "class HTTPAdapter:\n    def send(self, request):\n        pool = self.pool\n        return pool.urlopen(request)\n",
    ),
    (
        "src/retry.py",
        "class Retry:\n    \"\"\"How often a failed request is made again.\"\"\"\n    def backoff(self):\n        return 2 ** self.count\n",
    ),
    (
        "tests/test_session.py",
        "from session import Session\n\ndef test_session_sends_cookies():\n    session = Session()\n    assert session.send(request)\n",
    ),
    (
        "docs/session.md",
        "# Session\n\nA session keeps cookies between requests. A session sends requests.\n",
    ),
    (
        "src/util.py",
        "def session_for(request):\n    return request.session\n",
    ),
];

fn paths(query: &str, wanted: Option<&[bool]>) -> Vec<(String, bool)> {
    let scratch = tempfile::tempdir().expect("a directory");
    let snapshot = snapshot(scratch.path(), FILES);
    let question = Question::new(query);
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: wanted,
        only: None,
        cancel: &CancelToken::default(),
    };
    let ranked = rank(&snapshot, &request).expect("ranked");
    ranked
        .into_iter()
        .map(|one| (snapshot.files[one.file].path.clone(), one.is_definition()))
        .collect()
}

/// Returns the path and the symbol of the first chunk for a report.
fn first_of_report(text: &str) -> (String, Option<String>) {
    let scratch = tempfile::tempdir().expect("a directory");
    let snapshot = snapshot(scratch.path(), FILES);
    named(&snapshot, reported(&snapshot, text)).swap_remove(0)
}

#[test]
fn a_report_finds_the_innermost_frame_the_named_method_and_the_module() {
    let first = |text: &str| {
        let (path, symbol) = first_of_report(text);
        (path, symbol.unwrap_or_default())
    };
    let traced = "It fails\n  File \"/app/src/session.py\", line 4, in send\n  \
                  File \"/app/src/retry.py\", line 4, in backoff\n  File \"/usr/lib/json.py\", line 9, in loads";
    assert_eq!(
        first(traced),
        ("src/retry.py".to_owned(), "backoff".to_owned())
    );
    let named = "Wrong pool\n\nIt is `HTTPAdapter.send` that takes the wrong one.";
    assert_eq!(first(named).0, "src/adapters.py");
    let module = "Wrong count\n\nSince the last version src.retry is wrong.";
    assert_eq!(first(module).0, "src/retry.py");
}

#[test]
fn the_file_of_a_name_is_marked_unless_it_is_a_test() {
    let scratch = tempfile::tempdir().expect("a directory");
    let snapshot = snapshot(scratch.path(), FILES);
    let question = Question::new("adapters");
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: None,
        only: None,
        cancel: &CancelToken::default(),
    };
    let ranked = rank(&snapshot, &request).expect("ranked");
    let marked: Vec<&str> = ranked
        .iter()
        .filter(|one| one.is_namesake)
        .map(|one| snapshot.files[one.file].path.as_str())
        .collect();
    assert_eq!(marked, ["src/adapters.py"]);
}

#[test]
fn a_file_comes_before_members_tests_and_other_cases_of_its_name() {
    let scratch = tempfile::tempdir().expect("a directory");
    let files = [
        (
            "src/lib.rs",
            "mod parser;\n\npub struct Conn {\n    parser: u8,\n}\n",
        ),
        ("src/parser.rs", "pub fn next() -> u8 {\n    1\n}\n"),
        ("tests/next.rs", "fn next() -> u8 {\n    2\n}\n"),
    ];
    let snapshot = snapshot(scratch.path(), &files);
    let definitions = |query: &str| {
        let ranked = ranked(&snapshot, query).into_iter();
        let mut found: Vec<(String, DefinitionRank)> = ranked
            .filter_map(|one| Some((snapshot.files[one.file].path.clone(), one.definition?)))
            .collect();
        found.dedup();
        found
    };
    let own = |path: &str, rank| (path.to_owned(), rank);
    for (query, expected) in [
        ("parser", vec![own("src/lib.rs", DefinitionRank::Minor)]),
        ("Conn", vec![own("src/lib.rs", DefinitionRank::Main)]),
        ("conn", vec![own("src/lib.rs", DefinitionRank::Minor)]),
        (
            "next",
            vec![
                own("src/parser.rs", DefinitionRank::Main),
                own("tests/next.rs", DefinitionRank::Minor),
            ],
        ),
    ] {
        assert_eq!(definitions(query), expected, "{query}");
    }
}

#[test]
fn a_name_finds_its_definition_first() {
    assert_eq!(
        paths("Session", None)[0],
        ("src/session.py".to_owned(), true)
    );
    assert_eq!(
        paths("HTTPAdapter.send", None)[0],
        ("src/adapters.py".to_owned(), true)
    );
    assert_eq!(paths("backoff", None)[0], ("src/retry.py".to_owned(), true));
}

#[test]
fn code_ranks_before_its_tests_unless_the_query_is_about_tests() {
    let places = |query: &str| {
        paths(query, None)
            .into_iter()
            .map(|(path, _)| path)
            .collect::<Vec<_>>()
    };
    let cookies = places("how does a session keep cookies");
    let place = |path: &str| {
        cookies
            .iter()
            .position(|one| one == path)
            .unwrap_or(usize::MAX)
    };
    assert_eq!(cookies[0], "src/session.py");
    assert!(
        place("src/session.py") < place("tests/test_session.py"),
        "{cookies:?}"
    );
    assert_eq!(
        places("test that a session sends cookies")[0],
        "tests/test_session.py"
    );
    assert_eq!(places("making failed requests again")[0], "src/retry.py");
    assert!(places("nothing_like_it").is_empty());
}

#[test]
fn only_allowed_files_are_ranked() {
    // Sorted: docs/session.md, src/adapters.py, …
    let wanted = [true, false, false, false, false, false];
    let found = paths("session", Some(&wanted));
    assert_eq!(
        found
            .iter()
            .map(|(path, _)| path.as_str())
            .collect::<Vec<_>>(),
        ["docs/session.md"]
    );
}

#[test]
fn a_given_set_of_chunks_is_ranked_whole() {
    let scratch = tempfile::tempdir().expect("a directory");
    let snapshot = snapshot(scratch.path(), FILES);
    let mut only = ChunkSet::empty(&snapshot);
    only.insert(0, 0);
    only.insert(1, 0);
    let question = Question::new("backoff");
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: None,
        only: Some(&only),
        cancel: &CancelToken::default(),
    };
    let ranked = rank(&snapshot, &request).expect("ranked");
    let mut files: Vec<usize> = ranked.iter().map(|one| one.file).collect();
    files.sort_unstable();
    assert_eq!(files, [0, 1]);
}

#[test]
fn the_innermost_symbol_around_a_line_is_found() {
    let text = "class A:\n    def one(self):\n        pass\n    def two(self):\n        pass\n";
    let outline = extract(language_of("a.py", b""), text, ChunkSizes::default()).outline;
    let name = |line| symbol_at_line(&outline.symbols, line).map(|at| &*outline.symbols[at].name);
    assert_eq!(
        [name(1), name(3), name(5), name(9)],
        [Some("A"), Some("one"), Some("two"), None]
    );
}

/// Ranks by words alone.
fn ranked(snapshot: &Snapshot, query: &str) -> Vec<RankedChunk> {
    let (question, cancel) = (Question::new(query), CancelToken::default());
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: None,
        only: None,
        cancel: &cancel,
    };
    rank(snapshot, &request).expect("ranked")
}

#[test]
fn tests_inside_a_file_rank_after_its_code() {
    let scratch = tempfile::tempdir().expect("a directory");
    let code = "pub fn limit(body: &Body) -> bool {\n    // A body that is too large.\n    body.length > LARGEST\n}\n";
    let other = |number: usize| {
        format!("\npub fn other_{number}(one: u32) -> u32 {{\n    one * {number} + other()\n}}\n")
    };
    let others: String = (0..60).map(other).collect();
    let checks = "        assert!(limit(&too_large_body()), \"body too large\");\n".repeat(30);
    let tests = format!(
        "\nmod tests {{\n    fn body_too_large() {{\n        // The body is too large, so it is refused.\n{checks}    }}\n}}\n"
    );
    let text = format!("{code}{others}{tests}");
    let snapshot = snapshot(scratch.path(), &[("src/limit.rs", &text)]);
    let first = |query: &str| {
        let ranked = ranked(&snapshot, query);
        let chunk = |one: &RankedChunk| &snapshot.files[0].outline.chunks[one.chunk];
        let text =
            |one: &RankedChunk| &text[chunk(one).start_byte as usize..chunk(one).end_byte as usize];
        ranked.first().map(|one| text(one).contains("assert!"))
    };
    assert_eq!(first("refuse a body that is too large"), Some(false));
    assert_eq!(first("test that a body is too large"), Some(true));
}

#[test]
fn a_name_is_found_the_same_with_and_without_the_index_of_names() {
    let scratch = tempfile::tempdir().expect("a directory");
    let files = [(
        "queue.rb",
        "class Queue\n  def empty?\n    size.zero?\n  end\n\n  def size\n    3\n  end\nend\n",
    )];
    let snapshot = snapshot(scratch.path(), &files);
    let found = |query: &str| {
        let ranked = ranked(&snapshot, query);
        ranked
            .into_iter()
            .map(|one| (one.file, one.chunk, one.symbol, one.evidence.exact))
            .collect::<Vec<_>>()
    };
    let queries = ["size", "empty?", "Queue"];
    assert!(snapshot.cached_names().is_none());
    let before = queries.map(found);
    snapshot.names();
    assert_eq!(queries.map(found), before);
}

/// Returns the paths and symbols of a ranking.
fn named(snapshot: &Snapshot, ranked: Vec<RankedChunk>) -> Vec<(String, Option<String>)> {
    let describe = |one: RankedChunk| {
        let file = &snapshot.files[one.file];
        let symbol = one
            .symbol
            .map(|at| file.outline.symbols[at].name.to_string());
        (file.path.clone(), symbol)
    };
    ranked.into_iter().map(describe).collect()
}

#[test]
fn a_file_or_line_that_the_query_names_comes_first() {
    let scratch = tempfile::tempdir().expect("a directory");
    let files = [
        (
            "src/http.py",
            "import io\n\n\ndef read():\n    return io\n\n\nclass Reply:\n    def send(self):\n        return 1\n",
        ),
        ("src/net/http.py", "def connect():\n    return 2\n"),
        (
            "tests/server.py",
            "class Server:\n    http = None\n    py = None\n\n\ndef http():\n    return 'http py http py'\n",
        ),
    ];
    let snapshot = snapshot(scratch.path(), &files);
    let first = |query: &str| named(&snapshot, ranked(&snapshot, query)).swap_remove(0);
    let own = |path: &str, symbol: &str| (path.to_owned(), Some(symbol.to_owned()));
    assert_eq!(first("http.py").0, "src/http.py");
    assert_eq!(first("net/http.py").0, "src/net/http.py");
    assert_eq!(
        first("why does the server call src/http.py?").0,
        "src/http.py"
    );
    for query in [
        "src/http.py:10",
        "/home/me/project/src/http.py:9:3",
        "the server fails in src/http.py:10",
    ] {
        assert_eq!(first(query), own("src/http.py", "send"), "{query}");
    }
    // Between two symbols the line itself is shown.
    assert_eq!(first("src/http.py:1"), ("src/http.py".to_owned(), None));
}

/// Ranks by a report.
pub fn reported(snapshot: &Snapshot, text: &str) -> Vec<RankedChunk> {
    let report = Report::parse(text).expect("a report");
    let question = Question::from_title(&report.title);
    let request = RankRequest {
        question: &question,
        report: Some(ReportRequest {
            report: &report,
            messages: &[],
        }),
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: None,
        only: None,
        cancel: &CancelToken::default(),
    };
    rank(snapshot, &request).expect("ranked")
}

/// Returns the paths and symbols of the locations that a report puts first.
pub fn framed(snapshot: &Snapshot, text: &str) -> Vec<(String, Option<String>)> {
    let mut ranked = reported(snapshot, text);
    ranked.retain(|one| one.evidence.location > 0.0);
    named(snapshot, ranked)
}

#[test]
fn a_definition_with_code_comes_before_an_abstract_one() {
    let scratch = tempfile::tempdir().expect("a directory");
    let files = [
        (
            "src/abstract.py",
            "class Callable:\n    def apply_async(self):\n        \"\"\"Apply it.\"\"\"\n",
        ),
        (
            "src/task.py",
            "class Task:\n    def apply_async(self):\n        app = self.app()\n        return app.send(self.name()).apply()\n",
        ),
    ];
    let snapshot = snapshot(scratch.path(), &files);
    let question = Question::new("apply_async");
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "tree",
        files: None,
        only: None,
        cancel: &CancelToken::default(),
    };
    let ranked = rank(&snapshot, &request).expect("ranked");
    let first = &snapshot.files[ranked[0].file].path;
    assert_eq!(first, "src/task.py");
}
