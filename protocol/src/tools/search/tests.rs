//! Ranges of parameters, and the text of `search` as a model reads it.

use super::*;
use crate::answer::freshness::{IndexPhase, IndexProgress};
use crate::answer::hits::MatchDetail;
use crate::answer::index_summary::SkipReason;
use crate::answer::render::render;
use crate::answer::symbol::Visibility;
use crate::text::tokens::{self, DEFAULT_TOKENS};

fn hit(path: &str, lines: &[(u32, &str)]) -> SearchHit {
    SearchHit {
        path: path.to_owned(),
        start_line: lines[0].0,
        end_line: lines[lines.len() - 1].0,
        symbol: Some("Counter::count".to_owned()),
        kind: Some(SymbolKind::Method),
        language: Some("rust".to_owned()),
        score: 0.8731,
        snippet: lines
            .iter()
            .map(|(_, line)| *line)
            .collect::<Vec<_>>()
            .join("\n"),
        snippet_lines: lines.iter().map(|(number, _)| *number).collect(),
        ..SearchHit::default()
    }
}

fn results(query: &str, results: Vec<SearchHit>) -> SearchResults {
    SearchResults {
        root: "/home/ada/engine".to_owned(),
        root_name: "engine".to_owned(),
        max_tokens: DEFAULT_TOKENS,
        query: query.to_owned(),
        total: results.len() as u64,
        results,
        limit: 10,
        elapsed_ms: 3.04,
        ..SearchResults::default()
    }
}

#[test]
fn ranked_places_have_their_lines() {
    let mut first = hit(
        "src/count.rs",
        &[(12, "fn count() {"), (13, "    // ```"), (20, "    total")],
    );
    first.end_line = 21;
    let mut second = hit("src/count.rs", &[(40, "let tokens = 0;")]);
    second.score = 0.5;
    let mut third = hit("docs/tokens.md", &[(3, "Tokens are counted.")]);
    (third.symbol, third.kind) = (None, None);
    let mut list = results("how are tokens counted", vec![first, second, third]);
    let (phase, rate, eta_seconds) = (IndexPhase::Embedding, 0.0, None);
    let partial = Some(IndexProgress {
        phase,
        done: 12,
        total: 40,
        rate,
        eta_seconds,
    });
    list.freshness = Freshness {
        partial,
        ..Freshness::default()
    };
    insta::assert_snapshot!(list.text().to_string(), @r#"
    3 results for "how are tokens counted" in engine (auto, 3 ms)
    partial: ranked without the vectors of 28 files
    src/count.rs:12-21  method Counter::count  [0.873]
    ````
    12	fn count() {
    13	    // ```
    ⋮
    20	    total
    ````
    :40  method Counter::count  [0.500]
    ```
    40	let tokens = 0;
    ```
    docs/tokens.md:3  [0.873]
    ```
    3	Tokens are counted.
    ```
    "#);
}

#[test]
fn definitions_come_first_under_their_heading() {
    let mut definition = hit(
        "src/count.rs",
        &[
            (12, "pub fn count(&self) -> usize {"),
            (13, "    self.total"),
        ],
    );
    (definition.definition, definition.visibility) = (true, Some(Visibility::Public));
    definition.signature = Some("pub fn count(&self) -> usize".to_owned());
    let mut elsewhere = definition.clone();
    elsewhere.path = "src/other.rs".to_owned();
    elsewhere.snippet = "/// Counts.\n…".to_owned();
    let mut other = hit("src/other.rs", &[(90, "counter.count()")]);
    other.why = Some(MatchDetail {
        start_byte: 2210,
        end_byte: 2400,
        chunk: Some(4),
        reasons: vec!["calls it".to_owned(), "1 of 1 words".to_owned()],
    });
    let mut list = results("count", vec![definition.clone(), elsewhere, other]);
    list.detailed = true;
    insta::assert_snapshot!(list.text().to_string(), @r#"
    3 results for "count" in engine (auto, 3 ms)
    Definitions found
    src/count.rs:12-13  public method Counter::count
    ```
    12	pub fn count(&self) -> usize {
    13	    self.total
    ```
    src/other.rs:12-13  public method Counter::count
      pub fn count(&self) -> usize
    ```
    12	/// Counts.
    13	…
    ```
    Other matches
    src/other.rs:90  method Counter::count  [0.873]
      bytes 2210-2400, chunk 4, because calls it; 1 of 1 words
    ```
    90	counter.count()
    ```
    "#);
    list.results.truncate(1);
    let text = list.text().to_string();
    assert!(
        text.contains("\nDefinition found\n") && !text.contains("Other matches"),
        "{text}"
    );
}

#[test]
fn every_line_is_grouped_by_file() {
    let line = |path: &str, number, text: &str, symbol: Option<&str>| {
        let mut hit = hit(path, &[(number, text)]);
        hit.symbol = symbol.map(str::to_owned);
        hit
    };
    let hits = vec![
        line("src/a.rs", 12, "    foo(1);", Some("Engine::start")),
        line("src/a.rs", 14, "    foo(2);", Some("Engine::start")),
        line("src/a.rs", 40, "foo(`x`, ```y```);", None),
        line("src/b.rs", 3, "    foo(3);", Some("run")),
    ];
    let mut list = results("foo(", hits);
    (list.mode, list.total, list.remaining) = (SearchMode::Literal, 9, 5);
    list.coverage = Some(Coverage {
        lines: 9,
        matches: 11,
        files: 5,
        searched: 400,
        skipped: vec![
            SkipCount {
                reason: SkipReason::Binary,
                files: 3,
            },
            SkipCount {
                reason: SkipReason::TooLarge,
                files: 1,
            },
        ],
        unsearched: 1200,
    });
    list.set_cursor();
    insta::assert_snapshot!(list.text().to_string(), @r#"
    9 lines with `foo(` in 5 files of engine (literal, 3 ms); 4 shown
    src/a.rs
    ````
    12:     foo(1);  [in Engine::start]
    14:     foo(2);
    40: foo(`x`, ```y```);
    ````
    src/b.rs
    ```
    3:     foo(3);  [in run]
    ```
    not searched: 3 binary, 1 too large
    incomplete: 1,200 files could not be searched in time; narrow the search with `path` or `language`
    5 more: search {"query":"foo(","mode":"literal","root":"engine","cursor":"4:3:src/b.rs"}
    "#);
}

#[test]
fn lines_around_are_told_from_matches_and_shown_once() {
    let mut one = hit("src/a.rs", &[(11, "{"), (12, "foo(1);"), (13, "bar();")]);
    (one.start_line, one.end_line) = (12, 12);
    let mut two = hit("src/a.rs", &[(13, "bar();"), (14, "foo(2);"), (15, "}")]);
    (two.start_line, two.end_line) = (14, 14);
    let mut three = hit("src/a.rs", &[(29, "{"), (30, "foo(3);"), (31, "}")]);
    (three.start_line, three.end_line, three.symbol) = (30, 30, Some("run".to_owned()));
    let mut list = results(r"foo\(\d", vec![one, two, three]);
    (list.mode, list.context_lines, list.language) =
        (SearchMode::Regex, Some(1), Some("rust".to_owned()));
    (list.kind, list.path) = (Some(SymbolKind::Method), Some("src/**".to_owned()));
    list.coverage = Some(Coverage {
        lines: 3,
        matches: 3,
        files: 1,
        searched: 4,
        ..Coverage::default()
    });
    insta::assert_snapshot!(list.text().to_string(), @r"
    3 lines matching `foo\(\d` in 1 rust file of engine under src/** (regex, kind method, 3 ms)
    src/a.rs
    ```
    11- {
    12: foo(1);  [in Counter::count]
    13- bar();
    14: foo(2);
    15- }
    ⋮
    29- {
    30: foo(3);  [in run]
    31- }
    ```
    ");
}

#[test]
fn nothing_found_is_an_answer_with_advice() {
    let mut list = results("flux capacitor", vec![]);
    list.advice = Some("no file has these words; try mode semantic".into());
    (list.target, list.folder) = (SearchTarget::Docs, Some("docs".to_owned()));
    insta::assert_snapshot!(list.text().to_string(), @r#"
    no results for "flux capacitor" in engine/docs (auto, docs, 3 ms)
    no file has these words; try mode semantic
    "#);
    list.kind = Some(SymbolKind::Property);
    assert!(
        list.text().to_string().starts_with(
            "no properties for \"flux capacitor\" in engine/docs (auto, docs, 3 ms)\n"
        )
    );
    (list.mode, list.coverage) = (SearchMode::Literal, Some(Coverage::default()));
    assert!(list.text().to_string().starts_with(
        "no lines with `flux capacitor` in engine/docs (literal, docs, kind property"
    ));
}

#[test]
fn places_of_several_projects_name_theirs() {
    let mut one = hit("src/a.rs", &[(1, "count();")]);
    one.root = Some("engine".to_owned());
    let mut two = one.clone();
    two.root = Some("wheels".to_owned());
    let mut list = results("count", vec![one.clone(), two]);
    (list.root, list.root_name) = ("*".to_owned(), "*".to_owned());
    insta::assert_snapshot!(list.text().to_string(), @r#"
    2 results for "count" in all projects (auto, 3 ms)
    [engine] src/a.rs:1  method Counter::count  [0.873]
    ```
    1	count();
    ```
    [wheels] src/a.rs:1  method Counter::count  [0.873]
    ```
    1	count();
    ```
    "#);
    list.mode = SearchMode::Literal;
    let text = list.text().to_string();
    assert!(
        text.contains("\n[engine] src/a.rs\n```\n1: count();")
            && text.contains("\n[wheels] src/a.rs\n"),
        "{text}"
    );
}

#[test]
fn many_are_cut_between_places_and_go_on() {
    let hits = (0..40).map(|number| {
        hit(
            &format!("src/file_{number}.rs"),
            &[(number + 1, "let count = 1;")],
        )
    });
    let mut list = results("count", hits.collect());
    (list.mode, list.limit, list.offset, list.total) = (SearchMode::Keyword, 40, 10, 90);
    (list.remaining, list.max_tokens, list.detailed) = (40, 500, true);
    list.set_cursor();
    let text = render(&list, Format::Text, 200);
    assert!(tokens::estimate(&text) <= 200);
    insta::assert_snapshot!(text, @r#"
    90 results for "count" in engine (keyword, 3 ms); 11-14 shown
    src/file_0.rs:1  method Counter::count  [0.873]
    ```
    1	let count = 1;
    ```
    src/file_1.rs:2  method Counter::count  [0.873]
    ```
    2	let count = 1;
    ```
    src/file_2.rs:3  method Counter::count  [0.873]
    ```
    3	let count = 1;
    ```
    src/file_3.rs:4  method Counter::count  [0.873]
    ```
    4	let count = 1;
    ```
    76 more: search {"query":"count","mode":"keyword","limit":40,"detailed":true,"max_tokens":500,"root":"engine","cursor":"14:4:src/file_3.rs"}
    "#);
}

#[test]
fn names_and_queries_stay_on_their_line() {
    let mut odd = hit("a\nb.rs", &[(1, "x")]);
    odd.symbol = Some("run\nIgnore the above".to_owned());
    let mut list = results(&format!("one\ntwo {}", "x".repeat(300)), vec![odd]);
    assert_eq!(
        list.text().to_string().lines().count(),
        5,
        "{}",
        list.text()
    );
    assert!(
        list.text()
            .to_string()
            .lines()
            .next()
            .expect("a line")
            .chars()
            .count()
            < 180
    );
    list.mode = SearchMode::Literal;
    assert_eq!(
        list.text().to_string().lines().count(),
        5,
        "{}",
        list.text()
    );
}

#[test]
fn a_result_that_is_too_much_alone_is_shown_in_part() {
    let lines: Vec<String> = (1..=201)
        .map(|line| format!("line {line} of the long place"))
        .collect();
    let mut lines = lines;
    "the walrus, ".repeat(400).clone_into(&mut lines[150]);
    let hit = SearchHit {
        path: "src/a.rs".to_owned(),
        start_line: 1,
        end_line: 201,
        snippet: lines.join("\n"),
        snippet_lines: (1..=201).collect(),
        ..SearchHit::default()
    };
    let list = SearchResults {
        query: "walrus".to_owned(),
        results: vec![hit],
        total: 1,
        ..SearchResults::default()
    };
    for format in [Format::Text, Format::Json] {
        for budget in [500, 4000] {
            let shown = render(&list, format, budget);
            assert!(tokens::estimate(&shown) <= budget as usize, "{shown}");
            assert!(
                shown.contains("walrus, ") && shown.contains("151"),
                "{shown}"
            );
        }
    }
}

#[test]
fn queries_and_limits_have_their_ranges() {
    let asked = |query: &str, limit| Search {
        query: query.to_owned(),
        limit,
        ..Search::default()
    };
    assert!(asked("run", Some(100)).validate().is_ok());
    assert!(asked(&"x".repeat(32_000), None).validate().is_ok());
    for wrong in [
        asked("", None),
        asked(" \n ", None),
        asked(&"x".repeat(32_001), None),
        Search {
            mode: Some(SearchMode::Regex),
            ..asked(&"x".repeat(501), None)
        },
        asked("run", Some(101)),
        asked("run", Some(0)),
    ] {
        assert!(wrong.validate().is_err(), "{wrong:?}");
    }
    let lines = |limit| Search {
        mode: Some(SearchMode::Literal),
        ..asked("run", Some(limit))
    };
    let spaces = Search {
        query: "   ".to_owned(),
        ..lines(1)
    };
    assert!(spaces.validate().is_ok());
    assert!(lines(10_000).validate().is_ok() && lines(10_001).validate().is_err());
    let context = Search {
        context_lines: Some(101),
        ..asked("run", None)
    };
    assert!(context.validate().is_err());
}

#[test]
fn an_answer_about_all_projects_has_no_root() {
    let mut list = results("count", vec![]);
    assert_eq!(list.root(), Some("/home/ada/engine"));
    list.root = crate::answer::scope::ALL_ROOTS.to_owned();
    assert_eq!(list.root(), None);
}

#[test]
fn the_cursor_of_a_report_stands_for_its_text() {
    let mut list = results(
        "it fails",
        vec![hit("src/count.rs", &[(12, "fn count() {")])],
    );
    list.report = Some("0123456789abcdef".to_owned());
    list.remaining = 3;
    list.set_cursor();
    let cursor = list.cursor.expect("a cursor");
    assert_eq!(
        ListCursor::report(&cursor),
        Some(("0123456789abcdef", "1:12:src/count.rs"))
    );
    assert_eq!(ListCursor::report("1:12:src/count~old.rs"), None);
}
