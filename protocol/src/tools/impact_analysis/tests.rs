//! The parameters and text of `impact_analysis`.

use super::*;
use crate::answer::Format;
use crate::answer::graph::text::samples::{run, symbol};
use crate::answer::render::render;
use crate::answer::symbol::SymbolKind;
use crate::text::tokens::{self, DEFAULT_TOKENS};
use crate::tools::find_implementations::ImplRelation;

#[test]
fn impact_is_of_a_symbol_or_of_a_diff() {
    let diff = |text: &str| ImpactAnalysis {
        diff: Some(text.to_owned()),
        ..ImpactAnalysis::default()
    };
    let symbol = ImpactAnalysis {
        symbol: Some("run".to_owned()),
        ..ImpactAnalysis::default()
    };
    for right in [
        diff("working"),
        diff("main..HEAD"),
        diff("v1...v2"),
        symbol.clone(),
    ] {
        assert!(right.validate().is_ok(), "{right:?}");
    }
    let both = ImpactAnalysis {
        diff: Some("working".to_owned()),
        ..symbol.clone()
    };
    let deep = ImpactAnalysis {
        depth: Some(6),
        ..symbol
    };
    for wrong in [
        ImpactAnalysis::default(),
        both,
        deep,
        diff(""),
        diff("HEAD~3"),
    ] {
        assert!(wrong.validate().is_err(), "{wrong:?}");
    }
}

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
        changed: vec![ChangedSymbol::from_symbol(run())],
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
        accounting: None,
        is_least: false,
        dependents: vec![ImpactDependent {
            depth: 2,
            via: "main".to_owned(),
            resolution: Resolution::Ambiguous,
            ..ImpactDependent::from_symbol(far)
        }],
        total_dependents: 1,
        tests: vec![ImpactTest {
            distance: Some(1),
            resolution: Resolution::Resolved,
            ..ImpactTest::from_symbol(test)
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
        together: vec![],
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
        ..ImpactTest::from_symbol(symbol(name, SymbolKind::Function, path, (line, line + 2)))
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
        ..ImpactDependent::from_symbol(symbol(
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
        max_tokens: MAX_TOKENS,
        ..impact
    };
    assert!(
        all.text().to_string().contains("may_13:66") && !all.text().to_string().contains("more:"),
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
    let mut changed = ChangedSymbol::from_symbol(run());
    changed.change = ChangeKind::Modified;
    changed.old_signature = Some("pub fn run()".to_owned());
    let overriding = Implementation {
        relation: ImplRelation::Overrides,
        resolution: Resolution::Resolved,
        reason: "a method of the same name".to_owned(),
        ..Implementation::from_symbol(symbol(
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
      2 more places matched by name alone: find_references shows them
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
        max_tokens: MAX_TOKENS,
        truncated: true,
        ..many
    };
    insta::assert_snapshot!(widest.text().to_string().lines().last().expect("a line"), @r#"cut to fit; all usages of one symbol: find_references {"path":"src/engine.rs","line":12,"root":"engine"}"#);
}
