//! Scans of real files.

use super::*;
use crate::search::grep::{self, GrepRequest, PageStart, Pattern};
use crate::search::testing::{LARGEST, Tree, in_time};
use crate::source::globs::Globs;
use crate::threads::Parallelism;

fn asked<'a>(question: &'a WordQuery, cancel: &'a CancelToken) -> ScanRequest<'a> {
    ScanRequest {
        question,
        limit: 5,
        largest_file: LARGEST,
        until: in_time(),
        share: Parallelism::All,
        cancel,
    }
}

fn ask(tree: &Tree, question: &str) -> ScanResult {
    let question = WordQuery::new(question).expect("words");
    scan_words(
        &tree.dir,
        &tree.listing().files,
        &|_| true,
        &asked(&question, &CancelToken::default()),
    )
    .expect("scanned")
}

#[test]
fn a_scan_finds_the_same_lines_as_an_index() {
    let tree = Tree::new(&[
        (".gitignore", "ignored\n"),
        ("a.rs", "fn foo() {}\n"),
        ("b/c.rs", "\n// foo\n"),
        ("ignored", "foo\n"),
        ("x.min.js", "foo\n"),
    ]);
    let cancel = CancelToken::default();
    let pattern = Pattern::literal("foo").expect("a pattern");
    let request = GrepRequest {
        pattern: &pattern,
        from: PageStart::AfterMatches(0),
        limit: 10,
        largest_file: LARGEST,
        until: in_time(),
        cancel: &cancel,
        only: None,
        share: Parallelism::All,
    };
    let files = tree.listing().join(&Snapshot::default());
    let scanned = grep::grep(&tree.dir, &files, &|_| true, &request).expect("scanned");
    let indexed = grep::grep(&tree.dir, &tree.indexed(), &|_| true, &request).expect("searched");
    let found: Vec<(&str, u32, &str)> = scanned
        .hits
        .iter()
        .map(|hit| (hit.file.path(), hit.line, hit.text.as_str()))
        .collect();
    assert_eq!(found, [("a.rs", 1, "fn foo() {}"), ("b/c.rs", 2, "// foo")]);
    assert_eq!(found.len(), indexed.hits.len());
    assert_eq!(
        (scanned.lines, scanned.matches, scanned.skipped),
        (indexed.lines, indexed.matches, indexed.skipped)
    );
    assert!(scanned.complete);
}

#[test]
fn rare_words_close_together_rank_first() {
    let filler = "let value = config;\n".repeat(50);
    let tree = Tree::new(&[
        ("common.rs", filler.clone()),
        ("far.rs", format!("rotate\n{filler}certificate\n")),
        (
            "near.rs",
            format!("{filler}fn rotateCertificate() {{\n    // value of the config\n}}\n{filler}"),
        ),
        ("other.rs", filler.clone()),
        ("plural.rs", "CERTIFICATES\n".to_owned()),
        ("within.rs", "overrotated certificatexyz\n".to_owned()),
    ]);
    let found = ask(&tree, "how does the config rotate a certificate?");
    assert_eq!((found.searched, found.left, found.complete), (6, 0, true));
    let first = &found.windows[0];
    assert_eq!((first.path.as_str(), first.start_line), ("near.rs", 22));
    assert!(
        first
            .lines
            .iter()
            .any(|(line, text)| *line == 51 && text.contains("rotateCertificate")),
        "{first:?}"
    );
    let paths: Vec<&str> = found
        .windows
        .iter()
        .map(|window| window.path.as_str())
        .collect();
    assert!(
        paths.contains(&"far.rs") && paths.contains(&"plural.rs") && !paths.contains(&"within.rs"),
        "{paths:?}"
    );
    assert!(
        found
            .windows
            .iter()
            .all(|window| window.end_line - window.start_line < 30)
    );
}

#[test]
fn words_in_the_path_count() {
    let tree = Tree::new(&[
        ("src/cache/mod.rs", "evict\n"),
        ("src/a.rs", "evict cache\n"),
        ("src/b.rs", "nothing\n"),
    ]);
    let found = ask(&tree, "cache evict");
    assert_eq!(found.windows[0].path, "src/cache/mod.rs");
    assert_eq!(found.windows.len(), 2);
}

#[test]
fn words_are_found_as_parts_of_names() {
    let words = |text: &str| WordQuery::new(text).map(|question| question.words().to_vec());
    assert_eq!(
        words("Where is parseHttpRequest?"),
        Some(vec!["parse".into(), "http".into(), "request".into()])
    );
    assert_eq!(
        words("what is it"),
        Some(vec!["what".into(), "is".into(), "it".into()])
    );
    assert_eq!(words("?! -"), None);
    for (text, word, is_found) in [
        ("parseHTTPRequest", "http", true),
        ("parseHTTPRequest", "request", true),
        ("HTTPServer", "server", true),
        ("http_server", "server", true),
        ("observer", "server", false),
        ("servers", "server", true),
        ("serverless", "server", false),
        ("Server2", "server", true),
        ("2server", "server", true),
        ("utf8", "8", false),
        ("SERVER", "server", true),
        ("SERVERS", "server", true),
        ("Größe", "größe", true),
        ("xgröße", "größe", false),
    ] {
        let tree = Tree::new(&[("a.txt", text)]);
        let found = WordQuery::new(word).is_some() && !ask(&tree, word).windows.is_empty();
        assert_eq!(found, is_found, "{word} in {text}");
    }
}

#[test]
fn secrets_of_a_scan_are_blanked() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b");
    let tree = Tree::new(&[("a.txt", format!("token = \"{token}\"\n"))]);
    let found = ask(&tree, "token");
    assert_eq!(
        found.windows[0].lines,
        [(1, format!("token = \"{}\"", "*".repeat(token.len())))]
    );
}

#[test]
fn a_scan_ends_at_its_time_limit_or_when_cancelled() {
    let tree = Tree::new(&[("a.txt", "foo"), ("b.txt", "foo")]);
    let question = WordQuery::new("foo").expect("a word");
    let cancel = CancelToken::default();
    let none = ScanRequest {
        until: Instant::now(),
        ..asked(&question, &cancel)
    };
    let found = scan_words(&tree.dir, &tree.listing().files, &|_| true, &none).expect("ended");
    assert_eq!((found.left, found.searched, found.complete), (2, 0, false));
    let rules = Rules {
        include: Globs::new::<String>(&[]).expect("no globs"),
        exclude: Globs::new::<String>(&[]).expect("no globs"),
    };
    assert!(
        !FileListing::new(&tree.path, &rules, Instant::now(), &cancel)
            .expect("ended")
            .is_whole
    );
    drop(cancel.on_drop());
    assert!(
        scan_words(
            &tree.dir,
            &tree.listing().files,
            &|_| true,
            &asked(&question, &cancel)
        )
        .is_err()
    );
    assert!(FileListing::new(&tree.path, &rules, in_time(), &cancel).is_err());
}
