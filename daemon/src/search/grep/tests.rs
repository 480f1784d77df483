//! Searches of real files, compared with a plain search line by line.

use std::collections::BTreeMap;
use std::time::Duration;

use claudevil_protocol::answer::hits::MAX_COLUMNS;
use regex::Regex;

use super::*;
use crate::extract::facts::{Outline, Symbol};
use crate::index::snapshot::Snapshot;
use crate::search::testing::{LARGEST, Random, Tree, in_time};

const ALL: usize = 1 << 20;

fn search(
    tree: &Tree,
    files: &[Arc<IndexedFile>],
    pattern: &Pattern,
) -> GrepResult<Arc<IndexedFile>> {
    page(tree, files, pattern, 0, ALL)
}

fn page(
    tree: &Tree,
    files: &[Arc<IndexedFile>],
    pattern: &Pattern,
    skip: u64,
    limit: usize,
) -> GrepResult<Arc<IndexedFile>> {
    let cancel = CancelToken::default();
    let request = GrepRequest {
        from: PageStart::AfterMatches(skip),
        limit,
        ..request(pattern, &cancel)
    };
    grep(&tree.dir, files, &|_| true, &request).expect("searched")
}

fn request<'a>(pattern: &'a Pattern, cancel: &'a CancelToken) -> GrepRequest<'a> {
    GrepRequest {
        pattern,
        from: PageStart::AfterMatches(0),
        limit: ALL,
        largest_file: LARGEST,
        until: in_time(),
        cancel,
        only: None,
        share: Parallelism::All,
    }
}

fn regex(expression: &str) -> Pattern {
    Pattern::regex(expression).expect(expression)
}

fn literal(text: &str) -> Pattern {
    Pattern::literal(text).expect(text)
}

/// The path, line and matches of a hit.
type Location = (String, u32, Vec<(u32, u32)>);

fn places(outcome: &GrepResult<Arc<IndexedFile>>) -> Vec<Location> {
    outcome
        .hits
        .iter()
        .map(|hit| (hit.file.path.clone(), hit.line, hit.matches.clone()))
        .collect()
}

/// Cuts the matches of each line to as many as a hit shows.
fn as_shown(mut lines: Vec<Location>) -> Vec<Location> {
    for (.., matches) in &mut lines {
        matches.truncate(MAX_COLUMNS);
    }
    lines
}

fn count_matches(lines: &[Location]) -> u64 {
    lines.iter().map(|(.., matches)| matches.len() as u64).sum()
}

/// A plain search, line by line.
fn plainly(files: &[(String, String)], expression: &str) -> Vec<Location> {
    let regex = Regex::new(expression).expect("valid");
    let mut found = vec![];
    for (path, text) in files {
        for (line, number) in text.split_terminator('\n').zip(1..) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let place = |at: usize| u32::try_from(at).expect("short");
            let matches: Vec<_> = regex
                .find_iter(line)
                .map(|one| (place(one.start()), place(one.end())))
                .collect();
            if !matches.is_empty() {
                found.push((path.clone(), number, matches));
            }
        }
    }
    found
}

#[test]
fn expressions_match_as_they_do_line_by_line() {
    let mut random = Random(2);
    let texts: Vec<(String, String)> = (0..40)
        .map(|at| (format!("{at:02}.txt"), random.text(at * 7)))
        .collect();
    let named: Vec<(&str, &String)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text))
        .collect();
    let tree = Tree::new(&named);
    let files = tree.indexed();
    let mut some = 0;
    for round in 0..150 {
        let expression = random.pattern(1 + round % 3);
        let outcome = search(&tree, &files, &regex(&expression));
        let expected = plainly(&texts, &expression);
        assert_eq!(outcome.lines, expected.len() as u64);
        assert_eq!(outcome.matches, count_matches(&expected));
        let expected = as_shown(expected);
        assert_eq!(places(&outcome), expected, "{expression:?}");
        let by_file: Vec<&str> = outcome
            .files
            .iter()
            .map(|count| count.file.path.as_str())
            .collect();
        let mut paths: Vec<&str> = expected.iter().map(|(path, ..)| path.as_str()).collect();
        paths.dedup();
        assert_eq!(by_file, paths);
        assert!(
            outcome.complete && outcome.left == 0 && outcome.searched == 40,
            "{outcome:?}"
        );
        some += usize::from(outcome.lines > 0);
    }
    assert!(some > 75, "{some}");
}

#[test]
fn literals_match_as_they_do_line_by_line() {
    let mut random = Random(3);
    let texts: Vec<(String, String)> = (0..40)
        .map(|at| (format!("{at:02}.txt"), random.text(at * 7)))
        .collect();
    let named: Vec<(&str, &String)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text))
        .collect();
    let tree = Tree::new(&named);
    let files = tree.indexed();
    for text in [
        "foo",
        "Foo",
        "a",
        "xx",
        "(",
        ".",
        "ü",
        "foo_bar",
        "\u{212a}",
        "barfoo",
        " ",
        "Ü",
        "no such thing",
        "123f",
    ] {
        let expected = plainly(&texts, &regex::escape(text));
        assert_eq!(
            places(&search(&tree, &files, &literal(text))),
            expected,
            "{text:?}"
        );
        let word = format!(r"\b{}\b", regex::escape(text));
        assert_eq!(
            places(&search(&tree, &files, &regex(&word))),
            plainly(&texts, &word),
            "{word}"
        );
    }
}

/// Expensive expressions are run on a few lines at a time.
#[test]
fn searching_a_text_in_parts_finds_the_same_matches() {
    let mut random = Random(4);
    let texts = vec![("a.txt".to_owned(), random.text(20_000))];
    let tree = Tree::new(&[("a.txt", &texts[0].1)]);
    let files = tree.indexed();
    for expression in [
        "(?:foo|bar|x){1,1300}",
        "^(?:a{1,4000})?",
        "(?:[a-z]{3}){1,1000}$",
        "(?:b{4000})?",
    ] {
        let outcome = search(&tree, &files, &regex(expression));
        let expected = plainly(&texts, expression);
        assert_eq!(outcome.matches, count_matches(&expected), "{expression}");
        assert_eq!(places(&outcome), as_shown(expected), "{expression}");
        assert!(outcome.complete);
    }
}

#[test]
fn patterns_match_at_all_kinds_of_line_ends() {
    let tree = Tree::new(&[
        ("bom.txt", "\u{feff}foo\nfoo".as_bytes()),
        ("crlf.txt", b"foo\r\n\r\nxfoo\r\n"),
        ("empty.txt", b""),
        ("lf.txt", b"foo\n\nxfoo\n"),
        ("newline.txt", b"\n"),
    ]);
    let files = tree.indexed();
    let all = [
        "bom.txt:1 bom.txt:2",
        "crlf.txt:1 crlf.txt:3",
        "lf.txt:1 lf.txt:3",
    ]
    .join(" ");
    let whole = "bom.txt:1 bom.txt:2 crlf.txt:1 lf.txt:1";
    for (pattern, expected) in [
        (literal("foo"), all.as_str()),
        (regex("foo$"), &all),
        (regex(r"foo\z"), &all),
        (regex("^foo"), whole),
        (regex(r"^foo$"), whole),
        (regex(r"\Afoo"), whole),
        (regex("^$"), "crlf.txt:2 lf.txt:2 newline.txt:1"),
        (
            regex("x*$"),
            &format!(
                "{} newline.txt:1",
                all.replace(":1 crlf.txt:3", ":1 crlf.txt:2 crlf.txt:3")
                    .replace(":1 lf.txt:3", ":1 lf.txt:2 lf.txt:3")
            ),
        ),
        (regex(r"foo\s"), ""),
        (regex(r"foo[^z]"), ""),
        (regex(r"o\r\n"), "crlf.txt:1 crlf.txt:3"),
        (regex(r"foo\n"), "bom.txt:1 lf.txt:1 lf.txt:3"),
        (regex(r"foo\r?\n\r?\nxfoo"), "crlf.txt:1 lf.txt:1"),
        (literal("foo\n\nxfoo"), "crlf.txt:1 lf.txt:1"),
        (literal("foo\r\n\r\nxfoo"), "crlf.txt:1 lf.txt:1"),
        (literal("foo\nfoo"), "bom.txt:1"),
    ] {
        let outcome = search(&tree, &files, &pattern);
        let found: Vec<String> = outcome
            .hits
            .iter()
            .map(|hit| format!("{}:{}", hit.file.path, hit.line))
            .collect();
        assert_eq!(found.join(" "), expected, "{pattern:?}");
        assert!(
            outcome
                .hits
                .iter()
                .all(|hit| !hit.text.contains(['\r', '\n', '\u{feff}'])),
            "{:?}",
            outcome.hits
        );
        assert!(
            outcome
                .hits
                .iter()
                .flat_map(|hit| &hit.matches)
                .all(|(start, end)| start <= end)
        );
    }
}

#[test]
fn pages_together_are_the_whole() {
    let lines = |count: usize| "foo foo\nbar\n".repeat(count);
    let tree = Tree::new(&[
        ("a", lines(7)),
        ("b", lines(0)),
        ("c", lines(1)),
        ("d", lines(23)),
        ("e", lines(4)),
    ]);
    let files = tree.indexed();
    let pattern = literal("foo");
    let whole = search(&tree, &files, &pattern);
    assert_eq!(
        (
            whole.lines,
            whole.matches,
            whole.hits.len(),
            whole.files.len()
        ),
        (35, 70, 35, 4)
    );
    for limit in [1, 2, 5, 7, 34, 35, 36] {
        let mut hits = vec![];
        for skip in (0..36_u64).step_by(limit) {
            let page = page(&tree, &files, &pattern, skip, limit);
            assert_eq!((page.lines, page.matches, page.complete), (35, 70, true));
            assert!(page.hits.len() <= limit);
            hits.extend(places(&page));
        }
        assert_eq!(hits, places(&whole), "{limit}");
    }
    assert!(page(&tree, &files, &pattern, 35, 10).hits.is_empty());
    assert_eq!(page(&tree, &files, &pattern, 0, 0).lines, 35);
}

fn check_secrets<F: SearchableFile>(tree: &Tree, files: &[F], paths: &[&str]) {
    let found = |pattern: Pattern| {
        let outcome = grep(
            &tree.dir,
            files,
            &|_| true,
            &request(&pattern, &CancelToken::default()),
        )
        .expect("searched");
        assert!(outcome.hits.iter().all(|hit| !hit.text.contains("kL1mN2")));
        assert_eq!(outcome.skipped, BTreeMap::from([(Skip::Secret, 1)]));
        outcome
            .hits
            .iter()
            .map(|hit| (hit.file.path().to_owned(), hit.line))
            .collect::<Vec<_>>()
    };
    let at = |lines: &[u32]| -> Vec<(String, u32)> {
        paths
            .iter()
            .flat_map(|path| lines.iter().map(|line| ((*path).to_owned(), *line)))
            .collect()
    };
    assert_eq!(found(literal("kL1m")), at(&[3]));
    assert_eq!(found(literal("kL1mN2pQ")), at(&[]));
    assert_eq!(found(literal("key = \"ghp_")), at(&[]));
    assert_eq!(found(literal("***")), at(&[4]));
    assert_eq!(found(regex("[a-z]+_[a-zA-Z0-9]{9}")), at(&[]));
    assert_eq!(found(literal("let key")), at(&[2]));
    assert_eq!(found(regex("key = \"[^\"]+\"")), at(&[2]));
}

#[test]
fn secrets_are_neither_shown_nor_found() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b");
    let text = format!("before\nlet key = \"{token}\"; // token\nkL1m elsewhere\n*** stars\n");
    let tree = Tree::new(&[("a.txt", text.as_str()), (".env", "kL1m=1")]);
    let files = tree.indexed();
    check_secrets(&tree, &files, &["a.txt"]);
    // A file that the index does not know is searched with its secrets blanked, too.
    tree.write("changed.txt", &text);
    check_secrets(
        &tree,
        &tree.listing().join(&Snapshot::new(files.clone(), 1, None)),
        &["a.txt", "changed.txt"],
    );
    let shown = search(&tree, &files, &literal("let key"));
    assert_eq!(
        shown.hits[0].text,
        format!("let key = \"{}\"; // token", "*".repeat(token.len()))
    );
}

#[test]
fn files_are_searched_as_they_are_now() {
    let tree = Tree::new(&[
        ("a.txt", "foo\n"),
        ("b.txt", "foo\n"),
        ("c.txt", "foo\n"),
        ("d.txt", "foo\n"),
    ]);
    let files = tree.indexed();
    tree.write("a.txt", "more\nfoo\n");
    tree.remove("b.txt");
    tree.write("c.txt", b"foo\0");
    tree.write("d.txt", "foo\n");
    let outcome = search(&tree, &files, &literal("foo"));
    let found: Vec<(&str, u32)> = outcome
        .hits
        .iter()
        .map(|hit| (hit.file.path.as_str(), hit.line))
        .collect();
    assert_eq!(found, [("a.txt", 2), ("d.txt", 1)]);
    assert_eq!(outcome.skipped, BTreeMap::from([(Skip::Binary, 1)]));
    assert_eq!((outcome.searched, outcome.complete), (2, true));
}

#[test]
fn skipped_files_are_counted_by_reason() {
    let tree = Tree::new(&[
        ("a.bin", b"foo\0".to_vec()),
        ("a.min.js", b"foo".to_vec()),
        ("b.pb.go", b"foo".to_vec()),
        (
            "big.txt",
            vec![b'f'; usize::try_from(LARGEST).expect("small") + 1],
        ),
        ("c.txt", b"foo".to_vec()),
        ("d.txt", b"foo".to_vec()),
    ]);
    let files = tree.indexed();
    let pattern = literal("foo");
    let outcome = search(&tree, &files, &pattern);
    let skips = [
        (Skip::Binary, 1),
        (Skip::TooLarge, 1),
        (Skip::Generated, 1),
        (Skip::Minified, 1),
    ];
    assert_eq!(outcome.skipped, BTreeMap::from(skips));
    assert_eq!(
        (outcome.searched, outcome.files.len(), outcome.complete),
        (2, 2, true)
    );
    let cancel = CancelToken::default();
    let only = |file: &Arc<IndexedFile>| file.path.ends_with("d.txt");
    let outcome = grep(&tree.dir, &files, &only, &request(&pattern, &cancel)).expect("searched");
    assert_eq!(
        (outcome.searched, outcome.lines, outcome.skipped.len()),
        (1, 1, 0)
    );
}

#[test]
fn most_files_need_not_be_read() {
    let texts: Vec<(String, String)> = (0..200)
        .map(|at| {
            (
                format!("{at}.txt"),
                format!("fn handler_{at}() {{}}\n// some text\n"),
            )
        })
        .collect();
    let named: Vec<(&str, &String)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text))
        .collect();
    let tree = Tree::new(&named);
    let outcome = search(&tree, &tree.indexed(), &literal("handler_137"));
    assert_eq!((outcome.lines, outcome.searched), (1, 200));
    assert!(outcome.read < 20, "{}", outcome.read);
}

#[test]
fn a_search_ends_at_its_time_limit_or_when_cancelled() {
    let files: Vec<(String, String)> = (0..100)
        .map(|at| (format!("{at:02}"), "foo\n".repeat(10)))
        .collect();
    let named: Vec<(&str, &String)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text))
        .collect();
    let tree = Tree::new(&named);
    let files = tree.indexed();
    let pattern = literal("foo");
    let cancel = CancelToken::default();
    let none = GrepRequest {
        until: Instant::now(),
        ..request(&pattern, &cancel)
    };
    let outcome = grep(&tree.dir, &files, &|_| true, &none).expect("ended");
    assert_eq!(
        (outcome.left, outcome.lines, outcome.complete),
        (100, 0, false)
    );
    drop(cancel.on_drop());
    let gone =
        grep(&tree.dir, &files, &|_| true, &request(&pattern, &cancel)).expect_err("cancelled");
    assert_eq!(gone.code, ErrorCode::Cancelled);
}

/// The most expensive expressions over the longest lines still check for cancellation often enough.
#[test]
fn an_expensive_expression_can_be_cancelled() {
    let text = "ab".repeat(1 << 18) + "\n" + &("ab".repeat(200) + "\n").repeat(1000);
    let tree = Tree::new(&[("a.txt", &text)]);
    let files = tree.indexed();
    for expression in [
        "(?:a|b)*a(?:a|b){900}c",
        "(?:(?:a?){30}(?:b?){30}){40}c",
        r"(?:.*\n){50}c",
    ] {
        let pattern = regex(expression);
        let cancel = CancelToken::default();
        let began = Instant::now();
        let brief = GrepRequest {
            until: Instant::now() + Duration::from_millis(50),
            ..request(&pattern, &cancel)
        };
        let outcome = grep(&tree.dir, &files, &|_| true, &brief).expect("ended");
        // Builds for tests are many times slower than released ones.
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{expression}: {:?}",
            began.elapsed()
        );
        assert_eq!((outcome.left, outcome.complete), (1, false), "{expression}");
    }
}

#[test]
fn long_lines_are_cut_around_their_match() {
    let text = format!(
        "{}foo{}foo\n{}foo{}\n",
        "ü".repeat(300),
        "x".repeat(1000),
        "y".repeat(297),
        "z".repeat(10)
    );
    let tree = Tree::new(&[("a.txt", text.as_str())]);
    let outcome = search(&tree, &tree.indexed(), &literal("foo"));
    assert_eq!((outcome.lines, outcome.matches), (2, 3));
    for hit in &outcome.hits {
        assert!(
            hit.text.len() <= 300 && !hit.text.contains('\u{fffd}'),
            "{}",
            hit.text
        );
        assert_eq!(hit.matches.len(), 1);
        let (start, end) = hit.matches[0];
        assert_eq!(&hit.text[start as usize..end as usize], "foo");
    }
    let cut = |hit: &LineHit<_>| (hit.columns.clone(), hit.is_cut_before, hit.is_cut_after);
    // The place of a match that is not shown is known, too.
    assert_eq!(cut(&outcome.hits[0]), (vec![600, 1603], true, true));
    assert_eq!(cut(&outcome.hits[1]), (vec![297], true, false));
}

#[test]
fn hits_name_the_symbol_around_them() {
    let text = "one\n{ two { three } four }\nfive\n";
    let tree = Tree::new(&[("a.txt", text)]);
    let symbol = |start_byte, end_byte, parent| Symbol {
        name: "x".into(),
        kind: claudevil_protocol::answer::symbol::SymbolKind::Function,
        visibility: None,
        signature: "".into(),
        declaration: crate::extract::declaration::Declaration::default(),
        doc: "".into(),
        parent,
        scope: None,
        closure: None,
        start_line: 1,
        end_line: 1,
        start_byte,
        end_byte,
        name_line: 1,
        name_column: 0,
        complexity: 0,
        calls: 0,
        initializer: None,
    };
    let symbols = vec![symbol(4, 26, None), symbol(10, 19, Some(0))];
    let with = |file: &Arc<IndexedFile>| {
        let outline = Outline {
            symbols: symbols.clone(),
            ..(*file.outline).clone()
        };
        Arc::new(IndexedFile::new(
            file.path.clone(),
            file.record.clone(),
            None,
            Arc::new(outline),
        ))
    };
    let files: Vec<_> = tree.indexed().iter().map(with).collect();
    let around = |word: &str| search(&tree, &files, &literal(word)).hits[0].symbol;
    for (word, symbol) in [
        ("one", None),
        ("two", Some(0)),
        ("three", Some(1)),
        ("four", Some(0)),
        ("five", None),
    ] {
        assert_eq!(around(word), symbol, "{word}");
    }
    tree.write("a.txt", format!("three\n{text}"));
    assert_eq!(around("three"), None);
}

#[test]
fn bad_patterns_are_refused_in_plain_words() {
    let syntax = |at, why: &str| PatternError::Syntax {
        at,
        why: why.to_owned(),
    };
    for (expression, expected) in [
        ("foo(", syntax(4, "unclosed group")),
        ("ü[a", syntax(2, "unclosed character class")),
        ("*a", syntax(1, "repetition operator missing expression")),
        (r"a\q", syntax(2, "unrecognized escape sequence")),
        (
            "(?=a)",
            syntax(
                1,
                "look-around, including look-ahead and look-behind, is not supported",
            ),
        ),
        (r"(a)\1", syntax(4, "backreferences are not supported")),
        (r"(?:\w{50}){50}", PatternError::TooLarge),
        ("((((a{99}){99}){99}){99}){99}", PatternError::TooLarge),
        ("", PatternError::Empty),
    ] {
        let error = Pattern::regex(expression).expect_err(expression);
        assert_eq!(error, expected, "{expression}");
        let error = ToolError::from(error);
        assert!(
            error.code == ErrorCode::InvalidQuery && error.hint.is_some(),
            "{error:?}"
        );
    }
    assert_eq!(
        Pattern::literal("").expect_err("empty"),
        PatternError::Empty
    );
    assert!(matches!(
        Pattern::literal(&"x".repeat(10_000)),
        Err(PatternError::TooLong(10_000))
    ));
    assert!(Pattern::regex(&"(".repeat(500)).is_err());
}

#[test]
fn a_page_continues_after_a_line_that_may_be_gone() {
    let tree = Tree::new(&[
        ("a.txt", "foo\nbar\nfoo\n"),
        ("c.txt", "foo\nfoo foo\nfoo\n"),
        ("d.txt", "foo\n"),
    ]);
    let pattern = literal("foo");
    let cancel = CancelToken::default();
    let all: Vec<(String, u32)> = search(&tree, &tree.indexed(), &pattern)
        .hits
        .iter()
        .map(|hit| (hit.file.path.clone(), hit.line))
        .collect();
    for (path, line) in [
        ("", 0),
        ("a.txt", 0),
        ("a.txt", 1),
        ("a.txt", 2),
        ("b.txt", 9),
        ("c.txt", 2),
        ("c.txt", 9),
        ("z", 1),
    ] {
        let request = GrepRequest {
            from: PageStart::AfterLine { path, line },
            limit: 2,
            ..request(&pattern, &cancel)
        };
        let found = grep(&tree.dir, &tree.indexed(), &|_| true, &request).expect("searched");
        let before = all
            .iter()
            .filter(|(of, at)| (of.as_str(), *at) <= (path, line))
            .count();
        let hits: Vec<(String, u32)> = found
            .hits
            .iter()
            .map(|hit| (hit.file.path.clone(), hit.line))
            .collect();
        assert_eq!(
            hits,
            all[before..all.len().min(before + 2)],
            "behind {path}:{line}"
        );
        assert_eq!(
            (found.before, found.lines),
            (before as u64, 6),
            "behind {path}:{line}"
        );
    }
}

#[test]
fn only_matches_that_pass_the_filter_count() {
    let tree = Tree::new(&[("a.txt", "foo\nfoo foo\n"), ("b.txt", "foo\n")]);
    let files = tree.indexed();
    let pattern = literal("foo");
    let cancel = CancelToken::default();
    let only = |file: &IndexedFile, _: &RedactedText<'_>, at: usize| file.path == "a.txt" && at > 4;
    let request = GrepRequest {
        only: Some(&only),
        ..request(&pattern, &cancel)
    };
    let found = grep(&tree.dir, &files, &|_| true, &request).expect("searched");
    assert_eq!(
        (
            found.lines,
            found.matches,
            found.files.len(),
            found.hits[0].line
        ),
        (1, 1, 1, 2)
    );
    // Positions in a file that has changed are not known.
    tree.write("a.txt", "foo\nfoo foo foo\n");
    assert_eq!(
        grep(&tree.dir, &files, &|_| true, &request)
            .expect("searched")
            .lines,
        0
    );
}
