//! The lists of an impact, by file: each path is written once above its lines, and so is everything that they share.

use super::{Impact, ImpactArea, ImpactDependent, ImpactTest, ImpactUsage};
use crate::answer::graph::text::usage_in;
use crate::answer::symbol::SymbolKind;
use crate::text::tokens::DEFAULT_TOKENS;
use crate::text::{Line, Text};

/// Maximum number of test names shown for one explanation at the default budget.
const NAMES_SHOWN: usize = 12;

/// Adds a folder with its usages by file.
pub fn add_usages(area: &ImpactArea, text: &mut Text) {
    let folder = if area.area.is_empty() {
        "./".to_owned()
    } else {
        format!("{}/", area.area)
    };
    let shown = area.usages.len() as u64;
    let counts = Line::new().number(shown);
    let counts = if shown == area.total {
        counts
    } else {
        counts.text(" of ").number(area.total)
    };
    text.nested(1, Line::new().path(&folder), counts);
    for file in area.usages.chunk_by(|one, other| one.path == other.path) {
        let first = &file[0];
        let name = match first.path.strip_prefix(&folder) {
            Some(below) => below,
            None => &first.path,
        };
        if let [only] = file {
            let place = format!("{name}:{}", only.line);
            let item = Line::new().link(place, &only.path, only.line);
            text.nested(2, item, only.description(&[]));
            continue;
        }
        let mut common = first.qualities();
        common.retain(|quality| file.iter().all(|one| one.qualities().contains(quality)));
        text.nested(2, Line::new().path(name), common.join(", "));
        let is_same =
            |one: &ImpactUsage, other: &ImpactUsage| one.description(&[]) == other.description(&[]);
        for same in file.chunk_by(is_same) {
            text.nested(3, line_numbers(same), same[0].description(&common));
        }
    }
}

/// Returns the lines of the usages in one file, in order: `9 ×2, 12`.
fn line_numbers(usages: &[ImpactUsage]) -> Line {
    let lines = usages.chunk_by(|one, other| one.line == other.line);
    let numbers = lines.map(|usages| {
        let one = &usages[0];
        let line = Line::new().link(one.line.to_string(), &one.path, one.line);
        match usages.len() {
            1 => line,
            times => line.text(format!(" ×{times}")),
        }
    });
    Line::join(numbers, ", ")
}

impl ImpactUsage {
    /// Returns e.g. `call in main, of Engine::run, ambiguous, test`, without the qualities that are shown elsewhere.
    fn description(&self, said: &[&str]) -> Line {
        let mut line = usage_in(&self.usage, self.enclosing.as_deref());
        if let Some(symbol) = &self.of {
            line = line.text(", of ").name(symbol);
        }
        let own = self.qualities();
        let own = own.iter().filter(|quality| !said.contains(quality));
        own.fold(line, |line, quality| line.text(format!(", {quality}")))
    }

    /// Returns `ambiguous` or `name only` for an uncertain usage, and `test` for that of a test.
    fn qualities(&self) -> Vec<&'static str> {
        let doubt = self.resolution.doubt().into_iter();
        doubt.chain(self.is_test.then_some("test")).collect()
    }
}

/// Adds dependents; several of one file are listed below its path.
pub fn add_dependents(dependents: &[ImpactDependent], text: &mut Text) {
    for file in dependents.chunk_by(|one, other| one.path == other.path) {
        if let [only] = file {
            let item = only.symbol().location().text("  ").name(&only.qualified);
            text.nested(1, item, only.description());
            continue;
        }
        text.nested(1, Line::new().path(&file[0].path), "");
        for one in file {
            let lines = if one.start_line == one.end_line {
                one.start_line.to_string()
            } else {
                format!("{}-{}", one.start_line, one.end_line)
            };
            let item = Line::new().link(lines, &one.path, one.start_line);
            let item = item.text("  ").name(&one.qualified);
            text.nested(2, item, one.description());
        }
    }
}

impl ImpactDependent {
    /// Returns e.g. `level 2 through main, ambiguous`. Empty for a certain direct dependent.
    fn description(&self) -> Line {
        let level = (self.depth > 1)
            .then(|| Line::from(format!("level {} through ", self.depth)).name(&self.via));
        let doubt = self.resolution.doubt().map(Line::from);
        Line::join(level.into_iter().chain(doubt), ", ")
    }
}

/// Adds files by folder: `src/  main.rs, run.rs`.
pub fn add_files(paths: &[String], text: &mut Text) {
    let mut folders: Vec<(&str, Vec<Line>)> = vec![];
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let name = Line::new().path(name);
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => folders.push((folder, vec![name])),
        }
    }
    for (folder, names) in folders {
        let folder = Line::new().path(&format!("{folder}/"));
        text.nested(1, folder, Line::join(names, ", "));
    }
}

/// Adds the tests by file: each file with its number of tests, then their names, those with one explanation on one line.
/// Returns whether names were left out to keep lines short.
pub fn add_tests(impact: &Impact, text: &mut Text) -> bool {
    let most_names = if impact.max_tokens > DEFAULT_TOKENS {
        usize::MAX
    } else {
        NAMES_SHOWN
    };
    let mut has_hidden = false;
    let heading = Line::from("tests that reach it");
    text.heading(match impact.total_tests {
        0 => heading.text(": none"),
        total => heading
            .text(" (")
            .number(total)
            .text(" in ")
            .count(impact.total_test_files, "file")
            .text(")"),
    });
    for file in &impact.test_files {
        let item = Line::new().path(&file.path).text(" (");
        text.nested(1, item.number(file.total).text(")"), "");
        let tests = impact.tests.iter();
        let tests = tests.filter(|test| test.path == file.path && test.distance.is_some());
        for (explanation, tests) in by_explanation(tests.collect()) {
            has_hidden |= tests.len() > most_names;
            let names = first_names(&tests, most_names, ImpactTest::name_and_line);
            let line = if explanation.is_empty() {
                names
            } else {
                explanation.text(": ").line(names)
            };
            text.nested(2, line, "");
        }
    }
    let test_files = impact.test_files.len() as u64;
    let more_files = impact.total_test_files.saturating_sub(test_files);
    if more_files > 0 {
        text.nested(1, Line::from("and ").count(more_files, "more file"), "");
    }
    if impact.total_uncertain > 0 {
        let line = Line::from("not followed: ")
            .count(impact.total_uncertain, "use")
            .text(" that may mean something else, or that a macro makes");
        text.nested(1, line, "");
    }
    let tests = impact.tests.iter();
    let namesakes: Vec<_> = tests.filter(|test| test.distance.is_none()).collect();
    if !namesakes.is_empty() {
        has_hidden |= namesakes.len() > most_names;
        let line = Line::from("named after it, but not known to reach it: ");
        let names = first_names(&namesakes, most_names, ImpactTest::name_and_location);
        text.nested(1, line.line(names), "");
    }
    has_hidden
}

/// Groups tests by how they reach the change, the most certain group first.
fn by_explanation(mut tests: Vec<&ImpactTest>) -> Vec<(Line, Vec<&ImpactTest>)> {
    tests.sort_by_key(|test| (test.resolution, test.distance));
    let mut groups: Vec<(Line, Vec<&ImpactTest>)> = vec![];
    for test in tests {
        let explanation = test.explanation();
        match groups.iter_mut().find(|(known, _)| *known == explanation) {
            Some((_, group)) => group.push(test),
            None => groups.push((explanation, vec![test])),
        }
    }
    groups
}

/// Returns e.g. `runs_once:4, runs_twice:9 and 3 more`.
fn first_names(tests: &[&ImpactTest], most: usize, name: fn(&ImpactTest) -> Line) -> Line {
    let names = Line::join(tests.iter().take(most).map(|test| name(test)), ", ");
    match tests.len().saturating_sub(most) {
        0 => names,
        more => names.text(" and ").number(more as u64).text(" more"),
    }
}

impl ImpactTest {
    /// Returns e.g. `via Engine::start, ambiguous`. Empty for a test that certainly uses what changes.
    fn explanation(&self) -> Line {
        let changed = (self.distance == Some(0)).then(|| Line::from("changed"));
        let via = self.via.as_ref().map(|via| Line::from("via ").name(via));
        let doubt = self.resolution.doubt().map(Line::from);
        Line::join(changed.into_iter().chain(via).chain(doubt), ", ")
    }

    /// Returns e.g. `runs_once:4`, `"a room is closed":12`, or `line 3` for code outside all functions.
    fn name_and_line(&self) -> Line {
        let line = self.start_line;
        let linked = |shown: String| Line::new().link(shown, &self.path, line);
        match self.kind {
            SymbolKind::Module => linked(format!("line {line}")),
            _ if self.qualified.contains(char::is_whitespace) => Line::from("\"")
                .line(linked(self.qualified.clone()))
                .text(format!("\":{line}")),
            _ => linked(format!("{}:{line}", self.qualified)),
        }
    }

    /// Returns e.g. `test_run (tests/c.rs:7)`.
    fn name_and_location(&self) -> Line {
        Line::new()
            .name(&self.qualified)
            .text(" (")
            .location(&self.path, self.start_line, self.start_line)
            .text(")")
    }
}
