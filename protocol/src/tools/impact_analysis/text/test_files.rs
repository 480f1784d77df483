//! The tests of an impact by file: a file with its number of tests, then their names, those with one explanation on one
//! line.

use super::doubt;
use crate::answer::symbol::SymbolKind;
use crate::text::quantity::{count, grouped};
use crate::text::{leading, one_line};
use crate::tools::impact_analysis::{Impact, ImpactTest};

/// Names of one explanation that are shown at the default budget.
pub const NAMES_SHOWN: usize = 12;

pub struct TestLines {
    pub heading: String,
    pub lines: Vec<String>,
    /// Some names were left out because of `most_names`.
    pub has_hidden: bool,
}

/// Lists at most `most_names` tests of a file with one explanation.
pub fn by_file(impact: &Impact, most_names: usize) -> TestLines {
    let mut lines = vec![];
    let mut has_hidden = false;
    for file in &impact.test_files {
        lines.push(format!("{} ({})", leading(&file.path), grouped(file.total)));
        let tests: Vec<_> = impact
            .tests
            .iter()
            .filter(|test| test.path == file.path && test.distance.is_some())
            .collect();
        for (explanation, tests) in by_explanation(&tests) {
            let prefix = if explanation.is_empty() {
                String::new()
            } else {
                format!("{explanation}: ")
            };
            has_hidden |= tests.len() > most_names;
            lines.push(format!("  {prefix}{}", names(&tests, most_names, name)));
        }
    }
    let more_files = impact
        .total_test_files
        .saturating_sub(impact.test_files.len() as u64);
    if more_files > 0 {
        lines.push(format!("and {}", count(more_files, "more file")));
    }
    if impact.total_uncertain > 0 {
        let uses = count(impact.total_uncertain, "use");
        lines.push(format!(
            "not followed: {uses} that may mean something else, or that a macro makes"
        ));
    }
    let namesakes: Vec<_> = impact
        .tests
        .iter()
        .filter(|test| test.distance.is_none())
        .collect();
    if !namesakes.is_empty() {
        has_hidden |= namesakes.len() > most_names;
        let names = names(&namesakes, most_names, |test| {
            format!("{} ({})", one_line(&test.qualified), place(test))
        });
        lines.push(format!(
            "named after it, but not known to reach it: {names}"
        ));
    }
    TestLines {
        heading: heading(impact),
        lines,
        has_hidden,
    }
}

fn heading(impact: &Impact) -> String {
    if impact.total_tests == 0 {
        return "tests that reach it: none".to_owned();
    }
    let files = count(impact.total_test_files, "file");
    format!(
        "tests that reach it ({} in {files})",
        grouped(impact.total_tests)
    )
}

/// Groups tests by how they reach the change, the most certain group first.
fn by_explanation<'a>(tests: &[&'a ImpactTest]) -> Vec<(String, Vec<&'a ImpactTest>)> {
    let mut sorted = tests.to_vec();
    sorted.sort_by_key(|test| (test.resolution, test.distance));
    let mut groups: Vec<(String, Vec<&ImpactTest>)> = vec![];
    for test in sorted {
        let explanation = explanation(test);
        match groups.iter_mut().find(|(known, _)| *known == explanation) {
            Some((_, group)) => group.push(test),
            None => groups.push((explanation, vec![test])),
        }
    }
    groups
}

/// `via Engine::start, ambiguous`; empty for a test that certainly uses what changes.
fn explanation(test: &ImpactTest) -> String {
    let changed = (test.distance == Some(0)).then(|| "changed".to_owned());
    let via = test
        .via
        .as_ref()
        .map(|via| format!("via {}", one_line(via)));
    changed
        .into_iter()
        .chain(via)
        .chain(doubt(test.resolution))
        .collect::<Vec<_>>()
        .join(", ")
}

fn names(tests: &[&ImpactTest], most: usize, name: fn(&ImpactTest) -> String) -> String {
    let shown: Vec<_> = tests.iter().take(most).map(|test| name(test)).collect();
    let more = tests.len().saturating_sub(most) as u64;
    let more = if more > 0 {
        format!(" and {} more", grouped(more))
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

/// `runs_once:4`, `"a room is closed":12`, or `line 3` for code outside of all functions.
fn name(test: &ImpactTest) -> String {
    let line = test.start_line;
    match test.kind {
        SymbolKind::Module => format!("line {line}"),
        _ if test.qualified.contains(char::is_whitespace) => {
            format!("\"{}\":{line}", one_line(&test.qualified))
        }
        _ => format!("{}:{line}", one_line(&test.qualified)),
    }
}

fn place(test: &ImpactTest) -> String {
    crate::text::place(&test.path, test.start_line, test.start_line)
}
