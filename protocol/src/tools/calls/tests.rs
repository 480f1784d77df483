//! The texts of `find_callers` and `find_callees`, and where a list is cut.

use super::*;
use crate::answer::Format;
use crate::answer::graph::text::samples::{run, symbol};
use crate::answer::render::render;
use crate::answer::symbol::SymbolKind;
use crate::text::tokens::{self, DEFAULT_TOKENS};

fn item(qualified: &str, path: &str, depth: u32) -> CallItem {
    CallItem {
        depth,
        via: "Engine::run".to_owned(),
        call_lines: vec![14],
        resolution: Resolution::Resolved,
        reason: "same file".to_owned(),
        ..CallItem::from_symbol(symbol(qualified, SymbolKind::Function, path, (10, 20)))
    }
}

fn list(callers: Vec<CallItem>) -> CallerList {
    CallerList {
        root: "/home/ada/engine".to_owned(),
        root_name: "engine".to_owned(),
        max_tokens: DEFAULT_TOKENS,
        freshness: Freshness::default(),
        symbol: run(),
        depth: 1,
        total: callers.len() as u64,
        callers,
        more_by_name: 0,
        accounting: None,
        remaining: 0,
        truncated: false,
        cursor: None,
        is_least: false,
        limit: FindCallers::DEFAULT_LIMIT,
        overloads: 0,
    }
}

#[test]
fn callers_come_level_by_level() {
    let doubtful = CallItem {
        call_lines: vec![3, 9],
        resolution: Resolution::Ambiguous,
        candidates: Some(2),
        reason: "the receiver's type is not known".to_owned(),
        is_test: true,
        ..item("runs", "tests/run.rs", 1)
    };
    let round = CallItem {
        via: "main".to_owned(),
        is_cycle: true,
        ..item("Engine::run", "src/engine.rs", 2)
    };
    let callers = CallerList {
        depth: 2,
        ..list(vec![item("main", "src/main.rs", 1), doubtful, round])
    };
    insta::assert_snapshot!(callers.text().to_string(), @r"
    3 callers of method Engine::run (src/engine.rs:12-40) in engine, 2 levels
    level 1
    src/main.rs:10-20  public function main  call at 14, resolved: same file
      pub fn main(&self) -> u32
    tests/run.rs:10-20  public function runs  calls at 3, 9, test, ambiguous among 2: the receiver's type is not known
      pub fn runs(&self) -> u32
    level 2
    src/engine.rs:10-20  public function Engine::run  call at 14 through main, cycle, resolved: same file
      pub fn run(&self) -> u32
    ");
    insta::assert_snapshot!(list(vec![]).text().to_string(), @r#"
    no callers of method Engine::run (src/engine.rs:12-40) in engine
    other uses than calls: find_references {"path":"src/engine.rs","line":12,"root":"engine"}
    "#);
}

#[test]
fn callees_end_with_what_lies_outside() {
    let external = |name: &str, calls| ExternalCall {
        name: name.to_owned(),
        calls,
    };
    let callees = CalleeList {
        root: "/home/ada/engine".to_owned(),
        root_name: "engine".to_owned(),
        max_tokens: DEFAULT_TOKENS,
        freshness: Freshness::default(),
        symbol: run(),
        depth: 1,
        callees: vec![item("Engine::step", "src/engine.rs", 1)],
        total: 1,
        external: vec![external("println", 3), external("drop", 1)],
        total_external: 9,
        remaining: 0,
        truncated: false,
        cursor: None,
        is_least: false,
        limit: 30,
        overloads: 0,
    };
    insta::assert_snapshot!(callees.text().to_string(), @r"
    1 callee of method Engine::run (src/engine.rs:12-40) in engine
    src/engine.rs:10-20  public function Engine::step  call at 14, resolved: same file
      pub fn step(&self) -> u32
    not defined in this project: println (3), drop and 7 more
    ");
}

#[test]
fn a_long_list_is_cut_and_goes_on_behind_the_last() {
    let many = list(
        (0..200)
            .map(|index| item("main", &format!("src/bin/{index}.rs"), 1))
            .collect(),
    );
    let text = render(&many, Format::Text, 500);
    assert!(tokens::estimate(&text) <= 500);
    insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"188 more: find_callers {"path":"src/engine.rs","line":12,"root":"engine","cursor":"12:10:src/bin/11.rs"}"#);
    let mut page = CallerList {
        limit: 50,
        depth: 3,
        max_tokens: 2000,
        remaining: 40,
        ..many
    };
    page.callers.truncate(50);
    page.set_cursor();
    insta::assert_snapshot!(page.text().to_string().lines().last().expect("a line"), @r#"40 more: find_callers {"path":"src/engine.rs","line":12,"depth":3,"limit":50,"max_tokens":2000,"root":"engine","cursor":"160:10:src/bin/49.rs"}"#);
    let head = |page: &CallerList| {
        page.page()
            .summary()
            .to_string()
            .split_once(" in ")
            .expect("a root")
            .1
            .to_owned()
    };
    assert_eq!(head(&page), "engine, 3 levels; 111-160 shown");
    let least = CallerList {
        is_least: true,
        ..page
    };
    assert!(
        least
            .page()
            .summary()
            .to_string()
            .starts_with("at least 200 callers of ")
    );
}

#[test]
fn callers_known_by_name_alone_are_said_to_be_guesses() {
    let guess = |name: &str| CallItem {
        resolution: Resolution::NameOnly,
        reason: "the only member of that name".to_owned(),
        ..item(name, "src/main.rs", 1)
    };
    let first_line = |list: &CallerList| {
        let text = list.text().to_string();
        text.lines().next().expect("a line").to_owned()
    };
    let guesses = list(vec![guess("main"), guess("start")]);
    assert_eq!(
        first_line(&guesses),
        "2 callers of method Engine::run (src/engine.rs:12-40) in engine; all are guesses, by the name alone"
    );
    let some = CallerList {
        more_by_name: 30,
        ..list(vec![item("main", "src/main.rs", 1), guess("start")])
    };
    assert!(!first_line(&some).contains("guess"));
    let text = some.text().to_string();
    insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"… and 30 more callers known by name only: find_references {"path":"src/engine.rs","line":12,"role":"call","min_confidence":"low","root":"engine"}"#);
}
