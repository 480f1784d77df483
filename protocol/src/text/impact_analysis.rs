//! The text of `impact_analysis`: the risk, then usages by area, dependents, tests and files.

use super::find_references::usage;
use super::graph::{asked, at, listed};
use super::next_call::NextCall;
use super::quantity::{count, grouped};
use super::{freshness, one_line};
use crate::model::graph::Resolution;
use crate::model::impact_analysis::{
    ChangeKind, ChangedSymbol, Impact, ImpactAnalysis, ImpactArea, ImpactDependent, ImpactTest, ImpactUsage,
};
use crate::model::{MOST_TOKENS, Params};

pub fn write(impact: &Impact) -> String {
    let mut lines = vec![head(impact)];
    lines.extend(freshness::lines(&impact.freshness));
    if !impact.risk_reasons.is_empty() {
        lines.push(format!("because {}", one_line(&impact.risk_reasons.join("; "))));
    }
    if impact.diff.is_some() {
        lines.push(titled("changed", impact.changed.len(), impact.total_changed));
        lines.extend(impact.changed.iter().map(|symbol| format!("  {}", changed_line(symbol))));
        lines.extend(other_files(impact));
        lines.extend(not_followed(impact));
    }
    let shown = impact.areas.iter().map(|area| area.usages.len()).sum();
    lines.push(titled("direct usages", shown, impact.total_usages));
    for area in &impact.areas {
        lines.push(format!("  {}", area_line(area)));
        lines.extend(area.usages.iter().map(|usage| format!("    {}", usage_line(usage, &area.area))));
    }
    lines.extend(name_only(impact));
    lines.push(titled("dependents", impact.dependents.len(), impact.total_dependents));
    if impact.is_least {
        lines.push("  and more, which were not counted".to_owned());
    }
    lines.extend(impact.dependents.iter().map(|dependent| format!("  {}", dependent_line(dependent))));
    lines.push(titled("tests that reach it", impact.tests.len(), impact.total_tests));
    lines.extend(impact.tests.iter().map(|test| format!("  {}", test_line(test))));
    lines.push(titled("files affected", impact.files.len(), impact.total_files));
    lines.extend(impact.files.iter().map(|file| format!("  {}", one_line(file))));
    lines.extend(next(impact));
    lines.join("\n")
}

/// What changes, how far that reaches, and how risky it is.
pub fn head(impact: &Impact) -> String {
    let what = match (&impact.diff, impact.changed.first()) {
        (Some(diff), _) if diff == ImpactAnalysis::WORKING => {
            format!("the changes in the working tree ({})", count(impact.total_changed, "symbol"))
        }
        (Some(diff), _) => format!("{} ({})", one_line(diff), count(impact.total_changed, "symbol")),
        (None, Some(symbol)) => format!("changing {}", asked(&symbol.symbol())),
        (None, None) => "changing nothing".to_owned(),
    };
    let usages = count(impact.total_usages, "direct usage");
    let functions = count(impact.total_functions, "function");
    let (files, tests) = (count(impact.total_files, "file"), count(impact.total_tests, "test"));
    let risk = impact.risk.as_str();
    format!("impact of {what} in {}: risk {risk}; {usages}, {functions} in {files}, {tests}", impact.root_name)
}

/// A heading, or that there is nothing below it.
fn titled(title: &str, shown: usize, total: u64) -> String {
    if total == 0 {
        return format!("{title}: none");
    }
    let shown = shown as u64;
    let counts = if shown == total { grouped(total) } else { format!("{} of {}", grouped(shown), grouped(total)) };
    format!("{title} ({counts})")
}

pub fn changed_line(symbol: &ChangedSymbol) -> String {
    let change = if symbol.change == ChangeKind::Asked { "" } else { symbol.change.as_str() };
    format!("{}  {change}", listed(&symbol.symbol())).trim_end().to_owned()
}

fn other_files(impact: &Impact) -> Option<String> {
    if impact.total_other_files == 0 {
        return None;
    }
    let named: Vec<_> = impact.other_files.iter().map(|file| one_line(file)).collect();
    let more = impact.total_other_files.saturating_sub(named.len() as u64);
    let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
    Some(format!("  and files without changed symbols: {}{more}", named.join(", ")))
}

/// That some of a large diff was not looked at, and how to.
pub fn not_followed(impact: &Impact) -> Option<String> {
    let left = impact.total_changed.saturating_sub(impact.total_followed);
    (left > 0).then(|| {
        let (left, followed) = (count(left, "symbol"), grouped(impact.total_followed));
        format!(
            "  of these only {followed} were followed, and {left} not: ask about a smaller range, or about one symbol"
        )
    })
}

/// That there are places of which nothing is known but the name, and how to see them.
pub fn name_only(impact: &Impact) -> Option<String> {
    let root = impact.root_name.as_str();
    (impact.total_name_only > 0).then(|| {
        let call = impact.changed.first().filter(|_| impact.total_changed == 1).map(|symbol| {
            let call = super::graph::again(crate::model::find_references::FindReferences::TOOL, &symbol.symbol());
            format!(": {}", call.with("root", root))
        });
        let places = count(impact.total_name_only, "more place");
        format!("  {places} only with the name{}", call.unwrap_or_else(|| ": find_references shows them".to_owned()))
    })
}

pub fn area_line(area: &ImpactArea) -> String {
    let folder = if area.area.is_empty() { "./".to_owned() } else { format!("{}/", one_line(&area.area)) };
    let shown = area.usages.len() as u64;
    if shown == area.total {
        format!("{folder}  {}", grouped(shown))
    } else {
        format!("{folder}  {} of {}", grouped(shown), grouped(area.total))
    }
}

/// A place below its area, and what it is there.
pub fn usage_line(one: &ImpactUsage, area: &str) -> String {
    let path = one.path.strip_prefix(area).filter(|_| !area.is_empty());
    let path = path.map_or(one.path.as_str(), |path| path.trim_start_matches('/'));
    let mut parts = vec![usage(&one.usage, one.enclosing.as_deref())];
    parts.extend(one.of.as_ref().map(|of| format!("of {}", one_line(of))));
    parts.extend(doubt(one.resolution));
    parts.extend(one.is_test.then(|| "test".to_owned()));
    format!("{}:{}  {}", one_line(path), one.line, parts.join(", "))
}

pub fn dependent_line(dependent: &ImpactDependent) -> String {
    let mut parts = vec![];
    if dependent.depth > 1 {
        parts.push(format!("level {} through {}", dependent.depth, one_line(&dependent.via)));
    }
    parts.extend(doubt(dependent.resolution));
    let place = format!("{}  {}", at(&dependent.symbol()), one_line(&dependent.qualified));
    if parts.is_empty() { place } else { format!("{place}  {}", parts.join(", ")) }
}

pub fn test_line(test: &ImpactTest) -> String {
    let mut parts: Vec<_> = Some(one_line(&test.reason)).filter(|reason| !reason.is_empty()).into_iter().collect();
    parts.extend(doubt(test.resolution));
    let place = format!("{}  {}", at(&test.symbol()), one_line(&test.qualified));
    if parts.is_empty() { place } else { format!("{place}  {}", parts.join(", ")) }
}

fn doubt(resolution: Resolution) -> Option<String> {
    super::get_call_graph::doubt(resolution).map(str::to_owned)
}

fn next(impact: &Impact) -> Option<String> {
    if !impact.truncated {
        return None;
    }
    let call = NextCall::new(ImpactAnalysis::TOOL);
    let call = match (&impact.diff, impact.changed.first()) {
        (Some(diff), _) => call.with("diff", diff.as_str()),
        (None, Some(symbol)) => call.with("path", symbol.path.as_str()).with("line", symbol.line),
        (None, None) => return None,
    };
    if impact.max_tokens < MOST_TOKENS {
        let call = call.with_some("depth", (impact.depth > 1).then_some(impact.depth)).with_budget(MOST_TOKENS);
        return Some(format!("cut to fit; more: {}", call.with("root", impact.root_name.as_str())));
    }
    // Nothing is larger: each changed symbol can be asked about, and each list is another tool's.
    let call = impact.changed.first().map(|symbol| {
        super::graph::again(crate::model::find_references::FindReferences::TOOL, &symbol.symbol())
            .with("root", impact.root_name.as_str())
    })?;
    Some(format!("cut to fit; all usages of one symbol: {call}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::freshness::Freshness;
    use crate::model::graph::UseRole;
    use crate::model::impact_analysis::Risk;
    use crate::model::symbol::SymbolKind;
    use crate::model::{Answer, DEFAULT_TOKENS, Format};
    use crate::text::graph::samples::{run, symbol};
    use crate::text::{render, tokens};

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
            other_files: vec![],
            total_other_files: 0,
            areas: vec![ImpactArea { area: "src".to_owned(), total: total_usages, usages }],
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
                reason: "calls it".to_owned(),
                ..ImpactTest::of(test)
            }],
            total_tests: 1,
            files: vec!["src/main.rs".to_owned()],
            total_files: 1,
            total_functions: 2,
            risk: Risk::Medium,
            risk_reasons: vec!["public".to_owned(), "used in 2 areas".to_owned()],
            truncated: false,
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
        insta::assert_snapshot!(impact(vec![found("src/main.rs", 12), of_test]).text(), @r"
        impact of changing method Engine::run (src/engine.rs:12-40) in engine: risk medium; 2 direct usages, 2 functions in 1 file, 1 test
        because public; used in 2 areas
        direct usages (2)
          src/  2
            main.rs:12  call in main
            tests.rs:9  call, name only, test
        dependents (1)
          src/bin/a.rs:1-5  start  level 2 through main, ambiguous
        tests that reach it (1)
          tests/run.rs:4-9  runs_once  calls it
        files affected (1)
          src/main.rs
        ");
    }

    #[test]
    fn a_diff_is_told_by_what_it_changes() {
        let usage = ImpactUsage { of: Some("Engine::run".to_owned()), ..found("src/main.rs", 12) };
        let mut changed = ChangedSymbol::of(run());
        changed.change = ChangeKind::Modified;
        let diff = Impact {
            diff: Some("main..HEAD".to_owned()),
            changed: vec![changed],
            total_changed: 4,
            total_followed: 3,
            total_name_only: 2,
            other_files: vec!["README.md".to_owned()],
            total_other_files: 3,
            tests: vec![],
            total_tests: 0,
            ..impact(vec![usage])
        };
        insta::assert_snapshot!(diff.text(), @r"
        impact of main..HEAD (4 symbols) in engine: risk medium; 1 direct usage, 2 functions in 1 file, 0 tests
        because public; used in 2 areas
        changed (1 of 4)
          src/engine.rs:12-40  public method Engine::run  modified
          and files without changed symbols: README.md and 2 more
          of these only 3 were followed, and 1 symbol not: ask about a smaller range, or about one symbol
        direct usages (1)
          src/  1
            main.rs:12  call in main, of Engine::run
          2 more places only with the name: find_references shows them
        dependents (1)
          src/bin/a.rs:1-5  start  level 2 through main, ambiguous
        tests that reach it: none
        files affected (1)
          src/main.rs
        ");
    }

    #[test]
    fn all_lists_give_way_and_the_sums_stay() {
        let mut many = impact((0..300).map(|line| found("src/main.rs", line)).collect());
        many.files = (0..300).map(|file| format!("src/file_{file}.rs")).collect();
        many.total_files = 300;
        for budget in [500, 1000, 4000] {
            let text = render(&many, Format::Text, budget);
            assert!(tokens::estimate(&text) <= budget as usize, "{text}");
            assert!(tokens::estimate(&render(&many, Format::Json, budget.max(1000))) <= budget.max(1000) as usize);
            assert!(text.contains("300 direct usages") && text.contains("runs_once"), "{text}");
            assert!(text.lines().last().is_some_and(|line| line.contains("more: impact_analysis {")), "{text}");
        }
        let widest = Impact { max_tokens: MOST_TOKENS, truncated: true, ..many };
        insta::assert_snapshot!(widest.text().lines().last().expect("a line"), @r#"cut to fit; all usages of one symbol: find_references {"path":"src/engine.rs","line":12,"root":"engine"}"#);
    }
}
