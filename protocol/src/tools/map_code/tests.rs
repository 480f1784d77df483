//! Maps whole and cut.

use super::*;
use crate::answer::render::{fit, render};
use crate::text::tokens::DEFAULT_TOKENS;

fn symbol(line: u32, level: u32, signature: &str, weight: u32) -> MapSymbol {
    MapSymbol {
        name: signature
            .split(' ')
            .next_back()
            .unwrap_or_default()
            .to_owned(),
        kind: SymbolKind::Function,
        start_line: line,
        end_line: line + 5,
        level,
        signature: signature.to_owned(),
        doc: None,
        weight,
    }
}

fn file(path: &str, symbols: Vec<MapSymbol>) -> MapFile {
    let total_symbols = symbols.len() as u64;
    MapFile {
        path: path.to_owned(),
        language: Some("rust".to_owned()),
        lines: Some(80),
        total_symbols,
        symbols,
    }
}

fn map(files: Vec<MapFile>) -> CodeMap {
    CodeMap {
        root: "/home/ada/engine".to_owned(),
        root_name: "engine".to_owned(),
        max_tokens: DEFAULT_TOKENS,
        freshness: Freshness::default(),
        path: String::new(),
        detail: MapDetail::Signatures,
        depth: None,
        language: None,
        total_files: files.len() as u64,
        total_symbols: files.iter().map(|file| file.total_symbols).sum(),
        files,
        folders: vec![],
        truncated: false,
    }
}

fn small() -> CodeMap {
    map(vec![
        file("build.rs", vec![symbol(3, 0, "fn main()", 0)]),
        file(
            "src/engine.rs",
            vec![
                symbol(1, 0, "pub struct Engine", 9),
                symbol(10, 0, "impl Engine", 1),
                symbol(11, 1, "pub fn start(&self)", 40),
                symbol(30, 1, "fn hum(&self)", 2),
            ],
        ),
        file("src/lib.rs", vec![]),
        file("src/query/find.rs", vec![symbol(5, 0, "pub fn find()", 7)]),
        file("src-old/main.rs", vec![symbol(1, 0, "fn main()", 0)]),
    ])
}

#[test]
fn a_small_project_is_shown_whole() {
    insta::assert_snapshot!(small().text().to_string(), @r"
    map of engine
    build.rs  80 lines
      3  fn main()
    src/
      engine.rs  80 lines
        1  pub struct Engine
        10  impl Engine
          11  pub fn start(&self)
          30  fn hum(&self)
      lib.rs  80 lines
    src/query/
      find.rs  80 lines
        5  pub fn find()
    src-old/
      main.rs  80 lines
        1  fn main()
    5 files, 7 symbols, 104 tokens
    ");
}

#[test]
fn the_least_connected_go_first_and_nothing_stands_without_its_container() {
    let whole = small();
    // The map, three folders, and the five best of the rest.
    let mut cut = whole.clone();
    cut.keep(1 + 3 + 5);
    insta::assert_snapshot!(cut.text().to_string(), @r#"
    map of engine
    ./  1 file, 1 symbol
    src/  and 1 more file, 0 symbols
      engine.rs  80 lines  3 of 4 symbols
        1  pub struct Engine
        10  impl Engine
          11  pub fn start(&self)
    src/query/
      find.rs  80 lines  1 symbol
    src-old/  1 file, 1 symbol
    2 of 5 files, 3 of 7 symbols, 92 tokens
    more: map_code {"root":"engine","max_tokens":10000}
    "#);
    let mut names = whole.clone();
    names.keep(1 + 3 + 1);
    assert!(
        names
            .text()
            .to_string()
            .contains("\n  engine.rs  80 lines  4 symbols\n"),
        "{}",
        names.text().to_string()
    );
    let mut folders = whole;
    folders.keep(1 + 2);
    insta::assert_snapshot!(folders.text().to_string(), @r#"
    map of engine
    ./  1 file, 1 symbol
    src/  3 files, 5 symbols
    src-old/  1 file, 1 symbol
    0 of 5 files, 0 of 7 symbols, 43 tokens
    more: map_code {"root":"engine","max_tokens":10000}
    "#);
}

#[test]
fn every_budget_is_kept_and_nothing_is_lost_from_the_counts() {
    let folder = |number: u32| format!("src/part_{}/deep_{number}", number % 7);
    let symbols = |number: u32| {
        (0..10).map(move |line| symbol(line * 9, 0, "fn compute(i: &In)", line * number))
    };
    let files = (0..150).map(|number| {
        file(
            &format!("{}/file.rs", folder(number)),
            symbols(number).collect(),
        )
    });
    let whole = map(files.collect());
    for format in [Format::Text, Format::Json] {
        for budget in [500, 1000, 4000] {
            let cost = tokens::estimate(&render(&whole, format, budget));
            assert!(
                cost <= budget as usize && cost > budget as usize / 3,
                "{format:?}: {cost} of {budget}"
            );
            let kept = fit(&whole, format, budget);
            let counted: u64 = kept.folders.iter().map(|count| count.files).sum();
            assert_eq!(counted + kept.files.len() as u64, 150);
            let shown: usize = kept.files.iter().map(|file| file.symbols.len()).sum();
            assert!(
                budget < 1000 || shown > 2,
                "{format:?}: folders fill {budget}"
            );
        }
    }
}

#[test]
fn the_best_survive_wherever_they_are() {
    let plain = |number: u32| {
        file(
            &format!("src/file_{number:03}.rs"),
            vec![symbol(1, 0, "fn plain()", 1)],
        )
    };
    let mut files: Vec<_> = (0..100).map(plain).collect();
    files.push(file("zoo/last.rs", vec![symbol(7, 0, "pub fn hub()", 500)]));
    let text = render(&map(files), Format::Text, 500);
    assert!(text.contains("  7  pub fn hub()"), "{text}");
    assert!(
        text.matches("fn plain()").count() < 50 && text.contains("src/  and "),
        "{text}"
    );
}

#[test]
fn a_file_gives_its_outline_and_a_deep_folder_its_counts() {
    let mut outline = small();
    outline.files.retain(|file| file.path == "src/engine.rs");
    (outline.path, outline.total_files, outline.total_symbols) = ("src/engine.rs".to_owned(), 1, 4);
    outline.detail = MapDetail::Full;
    outline.files[0].symbols[0].doc = Some("Hums.".to_owned());
    insta::assert_snapshot!(outline.text().to_string(), @r"
    map of src/engine.rs in engine
    src/engine.rs  80 lines
      1  pub struct Engine  // Hums.
      10  impl Engine
        11  pub fn start(&self)
        30  fn hum(&self)
    1 file, 4 symbols, 59 tokens
    ");
    let mut shallow = small();
    shallow.files.truncate(1);
    shallow.folders.push(FolderCount {
        path: "src".to_owned(),
        files: 3,
        symbols: 5,
    });
    shallow.depth = Some(1);
    insta::assert_snapshot!(shallow.text().to_string(), @r"
    map of engine
    build.rs  80 lines
      3  fn main()
    src/  3 files, 5 symbols
    1 of 5 files, 1 of 7 symbols, 38 tokens
    ");
}
