//! The engine here against tree-sitter's own: the same matches. Their order differs where a part that may be missing is
//! missing: tree-sitter's waits until it is sure of that.

#![expect(clippy::disallowed_methods, reason = "samples are read from the checkout")]

use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::{Parser, QueryCursor, StreamingIterator};

use super::*;
use crate::extract::compiled::{SOURCE_END, compiled};
use crate::lang::{self, Detection};

type Found = Vec<(usize, Vec<(usize, u32, u32)>)>;

/// What each engine finds in a text.
fn both(language: &'static lang::Language, reference: &tree_sitter::Query, source: &str) -> (Found, Found) {
    let ours = compiled(language).unwrap_or_else(|| panic!("{}: its queries do not compile", language.id));
    let mut parser = Parser::new();
    parser.set_language(&ours.grammar).expect("a language");
    let tree = parser.parse(source, None).expect("parsed");
    let mut expected = vec![];
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(reference, tree.root_node(), source.as_bytes());
    while let Some(found) = matches.next() {
        let place = |byte: usize| u32::try_from(byte).expect("a small file");
        let captures = found
            .captures()
            .iter()
            .map(|capture| (capture.index as usize, place(capture.node.start_byte()), place(capture.node.end_byte())));
        expected.push((found.pattern_index, captures.collect()));
    }
    let mut own = vec![];
    drop(matches);
    ours.query.run(tree, &Text::new(source), |found| {
        own.push((found.pattern, found.captures().map(|(capture, span)| (capture, span.start, span.end)).collect()));
    });
    (own, expected)
}

fn reference(language: &lang::Language) -> Option<tree_sitter::Query> {
    let facts = language.facts?;
    let grammar = claudevil_grammars::by_name(facts.grammar).expect("a grammar");
    Some(tree_sitter::Query::new(&grammar, &format!("{}{SOURCE_END}", facts.queries)).expect("a query"))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).map_or(vec![], |entries| entries.flatten().collect());
    let mut files = vec![];
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path())),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files.sort();
    files
}

/// Where the two differ in the files of a folder, and how many were compared.
fn differences(folder: &Path) -> (usize, Vec<String>) {
    let files = files_below(folder);
    let mut compared = 0;
    let mut wrong = vec![];
    for language in lang::all() {
        let mut query = None;
        for file in &files {
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if lang::by_path(&name) != Detection::Known(language) {
                continue;
            }
            let Ok(source) = fs::read_to_string(file) else { continue };
            let Some(query) = query.get_or_insert_with(|| reference(language)) else { break };
            let (mut own, mut expected) = both(language, query, &source);
            own.sort();
            expected.sort();
            compared += 1;
            if own != expected {
                let at = own.iter().zip(&expected).position(|(own, expected)| own != expected);
                let at = at.unwrap_or(own.len().min(expected.len()));
                let show = |found: &Found| format!("{:?}", &found[at..found.len().min(at + 3)]);
                let counts = (own.len(), expected.len());
                wrong.push(format!("{} {counts:?}\n  {}\n  {}", file.display(), show(&own), show(&expected)));
            }
        }
    }
    (compared, wrong)
}

#[test]
fn matches_are_those_of_tree_sitter() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang/defs");
    let (compared, wrong) = differences(&samples);
    assert!(compared > 40, "{compared} samples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "compares the files of a folder that CLAUDEVIL_TEST_FOLDER names"]
fn matches_are_those_of_tree_sitter_in_a_folder() {
    let folder = std::env::var_os("CLAUDEVIL_TEST_FOLDER").expect("a folder");
    let (compared, wrong) = differences(Path::new(&folder));
    assert!(wrong.is_empty(), "{} of {compared} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_not_understood_is_refused() {
    let grammar = claudevil_grammars::by_name("go").expect("a grammar");
    for query in
        ["(", "(comment", "(comment) @", "(no_such_node)", "(comment nothing: (comment))", "[]", "\"", "(comment .)"]
    {
        assert!(Query::new(&grammar, query).is_err(), "{query}");
    }
}
