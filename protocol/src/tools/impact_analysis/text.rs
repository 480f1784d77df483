//! The text of `impact_analysis`: the risk, then usages by area, dependents, tests and files.

mod test_files;

pub use self::test_files::by_file as tests_by_file;
use self::test_files::{NAMES_SHOWN, TestLines};
use crate::answer::freshness;
use crate::answer::graph::Resolution;
use crate::answer::graph::text::{again_all, asked_all, at, listed, usage_in};
use crate::text::NextCall;
use crate::text::quantity::{count, grouped};
use crate::text::tokens::{DEFAULT_TOKENS, MOST_TOKENS};
use crate::text::{leading, one_line, place, signature};
use crate::tools::Tool;
use crate::tools::find_implementations::{FindImplementations, Implementation};
use crate::tools::find_references::FindReferences;
use crate::tools::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactArea, ImpactDependent, ImpactUsage,
    NotCompared,
};

pub fn write(impact: &Impact) -> String {
    let mut lines = vec![head(impact)];
    lines.extend(freshness::lines(&impact.freshness));
    if !impact.risk_reasons.is_empty() {
        lines.push(format!(
            "because {}",
            one_line(&impact.risk_reasons.join("; "))
        ));
    }
    if impact.diff.is_some() {
        lines.push(titled(
            "changed",
            impact.changed.len(),
            impact.total_changed,
        ));
        lines.extend(
            impact
                .changed
                .iter()
                .flat_map(changed_lines)
                .map(|line| format!("  {line}")),
        );
        lines.extend(other_files(impact));
        lines.extend(not_followed(impact).map(|line| format!("  {line}")));
        lines.extend(not_compared(&impact.not_compared).map(|line| format!("  {line}")));
    }
    if impact.total_overrides > 0 {
        lines.push(titled(
            "overridden or implemented by",
            impact.overrides.len(),
            impact.total_overrides,
        ));
        lines.extend(
            impact
                .overrides
                .iter()
                .map(|one| format!("  {}", override_line(one))),
        );
        lines.extend(more_overrides(impact));
    }
    let shown = impact.areas.iter().map(|area| area.usages.len()).sum();
    lines.push(titled("direct usages", shown, impact.total_usages));
    for area in &impact.areas {
        lines.push(format!("  {}", area_line(area)));
        lines.extend(usages(area));
    }
    lines.extend(name_only(impact));
    lines.push(titled(
        "dependents",
        impact.dependents.len(),
        impact.total_dependents,
    ));
    if impact.is_least {
        lines.push("  and more, which were not counted".to_owned());
    }
    lines.extend(dependents(&impact.dependents));
    let most_names = if impact.max_tokens > DEFAULT_TOKENS {
        usize::MAX
    } else {
        NAMES_SHOWN
    };
    let TestLines {
        heading,
        lines: tests,
        has_hidden,
    } = tests_by_file(impact, most_names);
    lines.push(heading);
    lines.extend(tests.into_iter().map(|line| format!("  {line}")));
    lines.push(titled(
        "files affected",
        impact.files.len(),
        impact.total_files,
    ));
    lines.extend(files(&impact.files));
    lines.extend(next(impact, has_hidden));
    lines.join("\n")
}

/// What changes, how far that reaches, and how risky it is.
pub fn head(impact: &Impact) -> String {
    let what = match (&impact.diff, impact.changed.first()) {
        (Some(diff), _) if diff == ImpactAnalysis::WORKING => {
            format!(
                "the changes in the working tree ({})",
                count(impact.total_changed, "symbol")
            )
        }
        (Some(diff), _) => format!(
            "{} ({})",
            one_line(diff),
            count(impact.total_changed, "symbol")
        ),
        (None, Some(symbol)) => {
            format!("changing {}", asked_all(&symbol.symbol(), impact.overloads))
        }
        (None, None) => "changing nothing".to_owned(),
    };
    let usages = count(impact.total_usages, "direct usage");
    let functions = count(impact.total_functions, "function");
    let (files, tests) = (
        count(impact.total_files, "file"),
        count(impact.total_tests, "test"),
    );
    let risk = impact.risk.as_str();
    format!(
        "impact of {what} in {}: risk {risk}; {usages}, {functions} in {files}, {tests}",
        impact.root_name
    )
}

/// A heading, or that there is nothing below it.
fn titled(title: &str, shown: usize, total: u64) -> String {
    if total == 0 {
        return format!("{title}: none");
    }
    let shown = shown as u64;
    let counts = if shown == total {
        grouped(total)
    } else {
        format!("{} of {}", grouped(shown), grouped(total))
    };
    format!("{title} ({counts})")
}

/// The symbol and what happened to it, then its signature before and after if that differs.
pub fn changed_lines(symbol: &ChangedSymbol) -> Vec<String> {
    let change = if symbol.change == ChangeKind::Asked {
        ""
    } else {
        symbol.change.as_str()
    };
    let Some(old) = &symbol.old_signature else {
        return vec![
            format!("{}  {change}", listed(&symbol.symbol()))
                .trim_end()
                .to_owned(),
        ];
    };
    vec![
        format!("{}  {change}, signature changed", listed(&symbol.symbol())),
        format!("  - {}", signature(old)),
        format!("  + {}", signature(&symbol.signature)),
    ]
}

/// `src/disk.rs:12-20  method Disk::open  overrides`.
pub fn override_line(one: &Implementation) -> String {
    format!("{}  {}", listed(&one.symbol()), one.relation())
}

fn more_overrides(impact: &Impact) -> Option<String> {
    let symbol = impact.changed.first().filter(|_| impact.diff.is_none())?;
    (impact.total_overrides > impact.overrides.len() as u64).then(|| {
        let call = again_all(FindImplementations::NAME, &symbol.symbol(), 0)
            .with("root", impact.root_name.as_str());
        format!("  all: {call}")
    })
}

fn other_files(impact: &Impact) -> Option<String> {
    if impact.total_other_files == 0 {
        return None;
    }
    let named: Vec<_> = impact
        .other_files
        .iter()
        .map(|file| one_line(file))
        .collect();
    let more = impact.total_other_files.saturating_sub(named.len() as u64);
    let more = if more > 0 {
        format!(" and {} more", grouped(more))
    } else {
        String::new()
    };
    Some(format!(
        "  and files without changed symbols: {}{more}",
        named.join(", ")
    ))
}

/// Says that some symbols of a large diff were not followed, and what to do about it.
pub fn not_followed(impact: &Impact) -> Option<String> {
    let left = impact.total_changed.saturating_sub(impact.total_followed);
    (left > 0).then(|| {
        let (left, followed) = (count(left, "symbol"), grouped(impact.total_followed));
        format!(
            "of these only {followed} were followed, and {left} not: ask about a smaller range, or about one symbol"
        )
    })
}

/// Says which files of a diff were not compared, and why.
pub fn not_compared(files: &NotCompared) -> Option<String> {
    let reasons = [
        (files.binary, "binary"),
        (files.large, "too large"),
        (files.unreadable, "not readable"),
        (files.unnamed, "with names that are not UTF-8"),
        (files.beyond, "beyond the limit of one diff"),
    ];
    let skipped: u64 = reasons.iter().map(|(files, _)| files).sum();
    let listed = reasons
        .iter()
        .filter(|(files, _)| *files > 0)
        .map(|(files, why)| format!("{} {why}", grouped(*files)));
    let skipped = (skipped > 0).then(|| {
        format!(
            "not compared: {} ({})",
            count(skipped, "file"),
            listed.collect::<Vec<_>>().join(", ")
        )
    });
    let without = (files.without_old_symbols > 0).then(|| {
        let files = count(files.without_old_symbols, "file");
        format!("removed symbols and old signatures were not looked for in {files}")
    });
    let all: Vec<String> = skipped.into_iter().chain(without).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// That there are places of which nothing is known but the name, and how to see them.
pub fn name_only(impact: &Impact) -> Option<String> {
    let root = impact.root_name.as_str();
    (impact.total_name_only > 0).then(|| {
        let call = impact
            .changed
            .first()
            .filter(|_| impact.total_changed == 1)
            .map(|symbol| {
                let call = again_all(FindReferences::NAME, &symbol.symbol(), impact.overloads);
                format!(": {}", call.with("root", root))
            });
        let places = count(impact.total_name_only, "more place");
        format!(
            "  {places} only with the name{}",
            call.unwrap_or_else(|| ": find_references shows them".to_owned())
        )
    })
}

pub fn area_line(area: &ImpactArea) -> String {
    let folder = if area.area.is_empty() {
        "./".to_owned()
    } else {
        format!("{}/", one_line(&area.area))
    };
    let shown = area.usages.len() as u64;
    if shown == area.total {
        format!("{folder}  {}", grouped(shown))
    } else {
        format!("{folder}  {} of {}", grouped(shown), grouped(area.total))
    }
}

/// A place below its area, and what it is there.
pub fn usage_line(one: &ImpactUsage, area: &str) -> String {
    let parts = [used_as(one)]
        .into_iter()
        .chain(qualities(one))
        .collect::<Vec<_>>();
    format!(
        "{}:{}  {}",
        below(&one.path, area),
        one.line,
        parts.join(", ")
    )
}

fn below(path: &str, area: &str) -> String {
    let path = path
        .strip_prefix(area)
        .filter(|_| !area.is_empty())
        .map_or(path, |path| path.trim_start_matches('/'));
    one_line(path)
}

/// `call in main, of Engine::run`.
fn used_as(one: &ImpactUsage) -> String {
    let used = usage_in(&one.usage, one.enclosing.as_deref()).to_string();
    match &one.of {
        Some(of) => format!("{used}, of {}", one_line(of)),
        None => used,
    }
}

/// How sure a usage is, and whether it is a test's.
fn qualities(one: &ImpactUsage) -> Vec<String> {
    doubt(one.resolution)
        .into_iter()
        .chain(one.is_test.then(|| "test".to_owned()))
        .collect()
}

/// The usages of an area by file: what holds for all of a file is said at its head, and what is the same in several
/// lines once.
fn usages(area: &ImpactArea) -> Vec<String> {
    let mut lines = vec![];
    for file in area.usages.chunk_by(|one, other| one.path == other.path) {
        let [first, _, ..] = file else {
            lines.extend(
                file.iter()
                    .map(|usage| format!("    {}", usage_line(usage, &area.area))),
            );
            continue;
        };
        let common: Vec<String> = qualities(first)
            .into_iter()
            .filter(|said| file.iter().all(|one| qualities(one).contains(said)))
            .collect();
        let head = format!(
            "    {}  {}",
            below(&first.path, &area.area),
            common.join(", ")
        );
        lines.push(head.trim_end().to_owned());
        let said = |one: &ImpactUsage| {
            let own = qualities(one)
                .into_iter()
                .filter(|said| !common.contains(said));
            [used_as(one)]
                .into_iter()
                .chain(own)
                .collect::<Vec<_>>()
                .join(", ")
        };
        for same in file.chunk_by(|one, other| said(one) == said(other)) {
            let numbers = same
                .chunk_by(|one, other| one.line == other.line)
                .map(|line| match line.len() {
                    1 => line[0].line.to_string(),
                    times => format!("{} ×{times}", line[0].line),
                });
            lines.push(format!(
                "      {}  {}",
                numbers.collect::<Vec<_>>().join(", "),
                said(&same[0])
            ));
        }
    }
    lines
}

/// One line of a list whose file is said above it, or with its file where that has no other.
struct Row<'a> {
    path: &'a str,
    lines: (u32, u32),
    said: String,
}

/// Rows by file, where several of one follow each other.
fn by_file(rows: &[Row<'_>], indent: &str) -> Vec<String> {
    let mut lines = vec![];
    for file in rows.chunk_by(|one, other| one.path == other.path) {
        if let [only] = file {
            lines.push(format!(
                "{indent}{}  {}",
                place(only.path, only.lines.0, only.lines.1),
                only.said
            ));
            continue;
        }
        lines.push(format!("{indent}{}", leading(file[0].path)));
        for row in file {
            let (first, last) = row.lines;
            let numbers = if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            };
            lines.push(format!("{indent}  {numbers}  {}", row.said));
        }
    }
    lines
}

fn dependents(all: &[ImpactDependent]) -> Vec<String> {
    let rows: Vec<_> = all
        .iter()
        .map(|one| Row {
            path: &one.path,
            lines: (one.start_line, one.end_line),
            said: dependent_said(one),
        })
        .collect();
    by_file(&rows, "  ")
}

/// Files by folder: `src/  main.rs, run.rs`.
fn files(all: &[String]) -> Vec<String> {
    let mut folders: Vec<(&str, Vec<String>)> = vec![];
    for path in all {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(one_line(name)),
            None => folders.push((folder, vec![one_line(name)])),
        }
    }
    folders
        .into_iter()
        .map(|(folder, names)| format!("  {}/  {}", one_line(folder), names.join(", ")))
        .collect()
}

pub fn dependent_line(dependent: &ImpactDependent) -> String {
    format!("{}  {}", at(&dependent.symbol()), dependent_said(dependent))
}

fn dependent_said(dependent: &ImpactDependent) -> String {
    let mut parts = vec![];
    if dependent.depth > 1 {
        parts.push(format!(
            "level {} through {}",
            dependent.depth,
            one_line(&dependent.via)
        ));
    }
    parts.extend(doubt(dependent.resolution));
    format!("{}  {}", one_line(&dependent.qualified), parts.join(", "))
        .trim_end()
        .to_owned()
}

fn doubt(resolution: Resolution) -> Option<String> {
    crate::tools::get_call_graph::text::doubt(resolution).map(str::to_owned)
}

fn next(impact: &Impact, has_hidden: bool) -> Option<String> {
    if !impact.truncated && !has_hidden {
        return None;
    }
    let call = NextCall::new(ImpactAnalysis::NAME);
    let call = match (&impact.diff, impact.changed.first()) {
        (Some(diff), _) => call.with("diff", diff.as_str()),
        (None, Some(symbol)) => again_all(ImpactAnalysis::NAME, &symbol.symbol(), impact.overloads),
        (None, None) => return None,
    };
    if impact.max_tokens < MOST_TOKENS {
        let call = call
            .with_some("depth", (impact.depth > 1).then_some(impact.depth))
            .with_budget(MOST_TOKENS);
        let cut = if impact.truncated {
            "cut to fit; more"
        } else {
            "more"
        };
        return Some(format!(
            "{cut}: {}",
            call.with("root", impact.root_name.as_str())
        ));
    }
    // Nothing is larger: each changed symbol can be asked about, and each list is another tool's.
    let call = impact.changed.first().map(|symbol| {
        again_all(FindReferences::NAME, &symbol.symbol(), impact.overloads)
            .with("root", impact.root_name.as_str())
    })?;
    Some(format!("cut to fit; all usages of one symbol: {call}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::UseRole;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::find_implementations::ImplRelation;
    use crate::tools::impact_analysis::{ImpactTest, Risk, TestFile};

    fn found(path: &str, line: u32) -> ImpactUsage {
        ImpactUsage {
            path: path.to_owned(),
            line,
            column: 5,
            role: UseRole::Call,
            usage: "call in".to_owned(),
            enclosing: Some("main".to_owned()),
            of: None,
            resolution: Resolution::Resolved,
            is_test: false,
        }
    }

    fn impact(usages: Vec<ImpactUsage>) -> Impact {
        let test = symbol("runs_once", SymbolKind::Function, "tests/run.rs", (4, 9));
        let far = symbol("start", SymbolKind::Function, "src/bin/a.rs", (1, 5));
        let total_usages = usages.len() as u64;
        Impact {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            diff: None,
            depth: 2,
            changed: vec![ChangedSymbol::of(run())],
            total_changed: 1,
            total_followed: 1,
            total_signatures: 0,
            other_files: vec![],
            total_other_files: 0,
            not_compared: NotCompared::default(),
            overrides: vec![],
            total_overrides: 0,
            areas: vec![ImpactArea {
                area: "src".to_owned(),
                total: total_usages,
                usages,
            }],
            total_usages,
            total_name_only: 0,
            is_least: false,
            dependents: vec![ImpactDependent {
                depth: 2,
                via: "main".to_owned(),
                resolution: Resolution::Ambiguous,
                ..ImpactDependent::of(far)
            }],
            total_dependents: 1,
            tests: vec![ImpactTest {
                distance: Some(1),
                resolution: Resolution::Resolved,
                ..ImpactTest::of(test)
            }],
            total_tests: 1,
            test_files: vec![TestFile {
                path: "tests/run.rs".to_owned(),
                total: 1,
            }],
            total_test_files: 1,
            total_uncertain: 0,
            files: vec!["src/main.rs".to_owned()],
            total_files: 1,
            total_functions: 2,
            risk: Risk::Medium,
            risk_reasons: vec!["public".to_owned(), "used in 2 areas".to_owned()],
            truncated: false,
            overloads: 0,
        }
    }

    #[test]
    fn a_change_of_a_symbol_is_told_by_its_usages_dependents_and_tests() {
        let of_test = ImpactUsage {
            resolution: Resolution::NameOnly,
            is_test: true,
            enclosing: None,
            ..found("src/tests.rs", 9)
        };
        insta::assert_snapshot!(impact(vec![found("src/main.rs", 12), of_test]).text().to_string(), @r"
        impact of changing method Engine::run (src/engine.rs:12-40) in engine: risk medium; 2 direct usages, 2 functions in 1 file, 1 test
        because public; used in 2 areas
        direct usages (2)
          src/  2
            main.rs:12  call in main
            tests.rs:9  call, name only, test
        dependents (1)
          src/bin/a.rs:1-5  start  level 2 through main, ambiguous
        tests that reach it (1 in 1 file)
          tests/run.rs (1)
            runs_once:4
        files affected (1)
          src/  main.rs
        ");
    }

    #[test]
    fn a_path_and_a_reason_are_said_once() {
        let usage = |path: &str, line| ImpactUsage {
            resolution: Resolution::Ambiguous,
            is_test: true,
            ..found(path, line)
        };
        let other = ImpactUsage {
            enclosing: Some("other".to_owned()),
            ..usage("src/tests.rs", 30)
        };
        let usages = vec![
            found("src/main.rs", 3),
            usage("src/tests.rs", 9),
            usage("src/tests.rs", 9),
            usage("src/tests.rs", 12),
            other,
        ];
        let test = |name: &str, path: &str, line, resolution| ImpactTest {
            distance: Some(2),
            via: Some("main".to_owned()),
            resolution,
            ..ImpactTest::of(symbol(name, SymbolKind::Function, path, (line, line + 2)))
        };
        let mut tests: Vec<_> = (0..14)
            .map(|place| {
                test(
                    &format!("may_{place}"),
                    "tests/a.rs",
                    place * 5 + 1,
                    Resolution::Ambiguous,
                )
            })
            .collect();
        tests.push(test("does", "tests/b.rs", 1, Resolution::Resolved));
        tests.push(ImpactTest {
            via: None,
            distance: Some(1),
            ..test("a room opens", "tests/b.rs", 9, Resolution::Resolved)
        });
        let test_file = |path: &str, total| TestFile {
            path: path.to_owned(),
            total,
        };
        let user = |name: &str, line| ImpactDependent {
            depth: 1,
            ..ImpactDependent::of(symbol(
                name,
                SymbolKind::Function,
                "src/main.rs",
                (line, line + 1),
            ))
        };
        let dependents = vec![
            ImpactDependent {
                resolution: Resolution::Resolved,
                ..user("one", 1)
            },
            ImpactDependent {
                resolution: Resolution::Resolved,
                ..user("two", 5)
            },
        ];
        let impact = Impact {
            tests,
            total_tests: 16,
            test_files: vec![test_file("tests/b.rs", 2), test_file("tests/a.rs", 14)],
            total_test_files: 3,
            total_uncertain: 4,
            dependents,
            total_dependents: 2,
            files: ["src/a.rs", "src/b.rs", "top.rs"].map(str::to_owned).into(),
            total_files: 3,
            ..impact(usages)
        };
        insta::assert_snapshot!(impact.text().to_string().lines().skip(2).collect::<Vec<_>>().join("\n"), @r#"
        direct usages (5)
          src/  5
            main.rs:3  call in main
            tests.rs  ambiguous, test
              9 ×2, 12  call in main
              30  call in other
        dependents (2)
          src/main.rs
            1-2  one
            5-6  two
        tests that reach it (16 in 3 files)
          tests/b.rs (2)
            "a room opens":9
            via main: does:1
          tests/a.rs (14)
            via main, ambiguous: may_0:1, may_1:6, may_2:11, may_3:16, may_4:21, may_5:26, may_6:31, may_7:36, may_8:41, may_9:46, may_10:51, may_11:56 and 2 more
          and 1 more file
          not followed: 4 uses that may mean something else, or that a macro makes
        files affected (3)
          src/  a.rs, b.rs
          ./  top.rs
        more: impact_analysis {"path":"src/engine.rs","line":12,"depth":2,"max_tokens":10000,"root":"engine"}
        "#);
        let all = Impact {
            max_tokens: MOST_TOKENS,
            ..impact
        };
        assert!(
            all.text().to_string().contains("may_13:66")
                && !all.text().to_string().contains("more:"),
            "{}",
            all.text().to_string()
        );
        let namesake = ImpactTest {
            distance: None,
            via: None,
            ..test("test_run", "tests/c.rs", 7, Resolution::NameOnly)
        };
        let none = Impact {
            tests: vec![namesake],
            total_tests: 0,
            test_files: vec![],
            total_test_files: 0,
            ..all
        };
        let lines: Vec<_> = none
            .text()
            .to_string()
            .lines()
            .filter(|line| line.contains("it: "))
            .map(str::to_owned)
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        tests that reach it: none
          named after it, but not known to reach it: test_run (tests/c.rs:7)
        ");
    }

    #[test]
    fn a_diff_is_told_by_what_it_changes() {
        let usage = ImpactUsage {
            of: Some("Engine::run".to_owned()),
            ..found("src/main.rs", 12)
        };
        let mut changed = ChangedSymbol::of(run());
        changed.change = ChangeKind::Modified;
        changed.old_signature = Some("pub fn run()".to_owned());
        let overriding = Implementation {
            relation: ImplRelation::Overrides,
            resolution: Resolution::Resolved,
            reason: "a method of the same name".to_owned(),
            ..Implementation::of(symbol(
                "Motor::run",
                SymbolKind::Method,
                "src/motor.rs",
                (3, 5),
            ))
        };
        let diff = Impact {
            diff: Some("main..HEAD".to_owned()),
            changed: vec![changed],
            total_changed: 4,
            total_signatures: 1,
            not_compared: NotCompared {
                large: 1,
                beyond: 2000,
                without_old_symbols: 1,
                ..NotCompared::default()
            },
            overrides: vec![overriding],
            total_overrides: 1,
            total_followed: 3,
            total_name_only: 2,
            other_files: vec!["README.md".to_owned()],
            total_other_files: 3,
            tests: vec![],
            total_tests: 0,
            test_files: vec![],
            total_test_files: 0,
            ..impact(vec![usage])
        };
        insta::assert_snapshot!(diff.text().to_string(), @r"
        impact of main..HEAD (4 symbols) in engine: risk medium; 1 direct usage, 2 functions in 1 file, 0 tests
        because public; used in 2 areas
        changed (1 of 4)
          src/engine.rs:12-40  public method Engine::run  modified, signature changed
            - pub fn run()
            + pub fn run(&self) -> u32
          and files without changed symbols: README.md and 2 more
          of these only 3 were followed, and 1 symbol not: ask about a smaller range, or about one symbol
          not compared: 2,001 files (1 too large, 2,000 beyond the limit of one diff); removed symbols and old signatures were not looked for in 1 file
        overridden or implemented by (1)
          src/motor.rs:3-5  public method Motor::run  overrides, resolved: a method of the same name
        direct usages (1)
          src/  1
            main.rs:12  call in main, of Engine::run
          2 more places only with the name: find_references shows them
        dependents (1)
          src/bin/a.rs:1-5  start  level 2 through main, ambiguous
        tests that reach it: none
        files affected (1)
          src/  main.rs
        ");
    }

    #[test]
    fn all_lists_give_way_and_the_sums_stay() {
        let inside = |line| ImpactUsage {
            enclosing: Some(format!("function_{line}")),
            ..found("src/main.rs", line)
        };
        let mut many = impact((0..300).map(inside).collect());
        many.files = (0..300)
            .map(|file| format!("src/folder_{file}/file.rs"))
            .collect();
        many.total_files = 300;
        for budget in [500, 1000, 4000] {
            let text = render(&many, Format::Text, budget);
            assert!(tokens::estimate(&text) <= budget as usize, "{text}");
            assert!(
                tokens::estimate(&render(&many, Format::Json, budget.max(1000)))
                    <= budget.max(1000) as usize
            );
            assert!(
                text.contains("300 direct usages") && text.contains("runs_once"),
                "{text}"
            );
            assert!(
                text.lines()
                    .last()
                    .is_some_and(|line| line.contains("more: impact_analysis {")),
                "{text}"
            );
        }
        let widest = Impact {
            max_tokens: MOST_TOKENS,
            truncated: true,
            ..many
        };
        insta::assert_snapshot!(widest.text().to_string().lines().last().expect("a line"), @r#"cut to fit; all usages of one symbol: find_references {"path":"src/engine.rs","line":12,"root":"engine"}"#);
    }
}
