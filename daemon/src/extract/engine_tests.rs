//! Compares our query engine with tree-sitter's: nodes and matches are the same. The order of matches may differ where an
//! optional part is missing, because tree-sitter reports such a match later.

#![expect(
    clippy::disallowed_methods,
    reason = "samples are read from the checkout"
)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_treequery::Query;
use claudevil_treequery::flat::{FlatNode, FlatTree, KindFilter, NOWHERE, NodeFilter};
use tree_sitter::{Parser, QueryCursor, StreamingIterator, Tree};

use crate::extract::compiled::{SOURCE_END, compiled};
use crate::lang::{self, Detection};

type QueryMatches = Vec<(usize, Vec<(usize, u32, u32)>)>;

/// Returns the matches of each engine in a text.
fn both(
    language: &'static lang::Language,
    reference: &tree_sitter::Query,
    source: &str,
) -> (QueryMatches, QueryMatches) {
    let ours =
        compiled(language).unwrap_or_else(|| panic!("{}: its queries do not compile", language.id));
    let mut parser = Parser::new();
    parser.set_language(&ours.grammar).expect("a language");
    let tree = parser.parse(source, None).expect("parsed");
    let mut expected = vec![];
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(reference, tree.root_node(), source.as_bytes());
    while let Some(found) = matches.next() {
        let place = |byte: usize| u32::try_from(byte).expect("a small file");
        let captures = found.captures().iter().map(|capture| {
            (
                capture.index as usize,
                place(capture.node.start_byte()),
                place(capture.node.end_byte()),
            )
        });
        expected.push((found.pattern_index, captures.collect()));
    }
    let mut own = vec![];
    drop(matches);
    ours.query.run(tree, source, |found| {
        own.push((
            found.pattern,
            found
                .captures()
                .map(|(capture, span)| (capture, span.start, span.end))
                .collect(),
        ));
    });
    (own, expected)
}

fn reference(language: &lang::Language) -> Option<tree_sitter::Query> {
    let facts = language.facts.as_ref()?;
    let grammar = claudevil_grammars::by_name(facts.grammar).expect("a grammar");
    Some(
        tree_sitter::Query::new(&grammar, &format!("{}{SOURCE_END}", language.queries()))
            .expect("a query"),
    )
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

/// Returns the files of a folder whose language has queries.
pub fn samples(folder: &Path) -> Vec<(&'static lang::Language, PathBuf, String)> {
    let mut samples = vec![];
    for file in files_below(folder) {
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let Detection::Known(language) = lang::by_path(&name) else {
            continue;
        };
        let Ok(source) = fs::read_to_string(&file) else {
            continue;
        };
        if language.facts.is_some() {
            samples.push((language, file, source));
        }
    }
    samples
}

/// Returns the differences in the files of a folder, and the number of files.
fn differences(folder: &Path) -> (usize, Vec<String>) {
    let samples = samples(folder);
    let mut references = HashMap::new();
    let mut wrong = vec![];
    for (language, file, source) in &samples {
        let Some(query) = references
            .entry(language.id)
            .or_insert_with(|| reference(language))
        else {
            continue;
        };
        let (mut own, mut expected) = both(language, query, source);
        own.sort();
        expected.sort();
        if own != expected {
            let at = own
                .iter()
                .zip(&expected)
                .position(|(own, expected)| own != expected);
            let at = at.unwrap_or(own.len().min(expected.len()));
            let show = |found: &QueryMatches| format!("{:?}", &found[at..found.len().min(at + 3)]);
            let counts = (own.len(), expected.len());
            wrong.push(format!(
                "{} {counts:?}\n  {}\n  {}",
                file.display(),
                show(&own),
                show(&expected)
            ));
        }
    }
    (samples.len(), wrong)
}

/// Lists a tree's nodes through tree-sitter's own interface.
fn by_cursor(tree: &Tree, kept: &NodeFilter) -> Vec<FlatNode> {
    let place = |at: usize| u32::try_from(at).expect("a small file");
    let mut nodes: Vec<FlatNode> = vec![];
    let mut around = vec![];
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        let unknown = KindFilter {
            is_named: true,
            is_wanted: true,
            has_fields: kept.all_fields,
        };
        let known = kept.kinds.get(kind as usize).copied().unwrap_or(unknown);
        if known.is_wanted {
            let (parent, wants_fields) = around.last().copied().unwrap_or((NOWHERE, false));
            let field = cursor
                .field_id()
                .filter(|_| wants_fields)
                .map_or(0, std::num::NonZero::get);
            let own = place(nodes.len());
            let (start, end) = (place(node.start_byte()), place(node.end_byte()));
            nodes.push(FlatNode {
                start,
                end,
                next: own + 1,
                parent,
                kind,
                field,
                is_named: known.is_named,
            });
            if cursor.goto_first_child() {
                around.push((own, known.has_fields));
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
            let (own, _) = around.pop().expect("a node around");
            nodes[own as usize].next = place(nodes.len());
        }
    }
}

/// Returns the differences of the two lists of nodes, for the samples and for parts of them, which have syntax errors.
fn differences_of_lists(folder: &Path) -> (usize, Vec<String>) {
    let mut nodes = 0;
    let mut wrong = vec![];
    for (language, file, source) in samples(folder) {
        let ours = compiled(language)
            .unwrap_or_else(|| panic!("{}: its queries do not compile", language.id));
        let everything = KindFilter {
            is_named: true,
            is_wanted: true,
            has_fields: true,
        };
        let everything = NodeFilter {
            kinds: vec![everything; ours.grammar.node_kind_count()],
            all_fields: true,
        };
        let half = source.floor_char_boundary(source.len() / 2);
        for text in [&source, &source[..half], &source[half..]] {
            let mut parser = Parser::new();
            parser.set_language(&ours.grammar).expect("a language");
            let tree = parser.parse(text, None).expect("parsed");
            for kept in [ours.query.kept(), &everything] {
                let (own, expected) = (FlatTree::new(&tree, kept).nodes, by_cursor(&tree, kept));
                nodes += expected.len();
                if own != expected {
                    let at = own
                        .iter()
                        .zip(&expected)
                        .position(|(own, expected)| own != expected);
                    let at = at.unwrap_or(own.len().min(expected.len()));
                    wrong.push(format!(
                        "{}: {:?} {:?}",
                        file.display(),
                        own.get(at),
                        expected.get(at)
                    ));
                }
            }
        }
    }
    (nodes, wrong)
}

#[test]
fn matches_are_those_of_tree_sitter() {
    let samples = Path::new("src/lang/defs");
    let (compared, wrong) = differences(samples);
    assert!(compared > 40, "{compared} samples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nodes_are_those_of_tree_sitter() {
    let samples = Path::new("src/lang/defs");
    let (nodes, wrong) = differences_of_lists(samples);
    assert!(nodes > 10_000, "{nodes} nodes");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tree is deeper than any call stack.
#[test]
fn nodes_of_a_deep_tree_are_listed() {
    let grammar = claudevil_grammars::by_name("go").expect("a grammar");
    let mut parser = Parser::new();
    parser.set_language(&grammar).expect("a language");
    let depth = 20_000;
    let source = format!(
        "package p\nvar x = {}1{}\n",
        "(".repeat(depth),
        ")".repeat(depth)
    );
    let tree = parser.parse(&source, None).expect("parsed");
    let kept = NodeFilter {
        all_fields: true,
        ..NodeFilter::default()
    };
    let own = FlatTree::new(&tree, &kept).nodes;
    assert!(own.len() > depth, "{} nodes", own.len());
    assert_eq!(own, by_cursor(&tree, &kept));
}

#[test]
#[ignore = "compares the files of a folder that CLAUDEVIL_TEST_FOLDER names"]
fn matches_are_those_of_tree_sitter_in_a_folder() {
    let folder = std::env::var_os("CLAUDEVIL_TEST_FOLDER").expect("a folder");
    let (_, wrong) = differences_of_lists(Path::new(&folder));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (compared, wrong) = differences(Path::new(&folder));
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn invalid_queries_are_refused() {
    let grammar = claudevil_grammars::by_name("go").expect("a grammar");
    for query in [
        "(",
        "(comment",
        "(comment) @",
        "(no_such_node)",
        "(comment nothing: (comment))",
        "[]",
        "\"",
        "(comment .)",
    ] {
        assert!(Query::new(&grammar, query).is_err(), "{query}");
    }
}
