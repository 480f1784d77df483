//! The text of `find_callers` and `find_callees`: level by level, each with where the calls are.

use crate::answer::freshness;
use crate::answer::graph::text::{
    Counts, again_all, asked_all, confidence, going_on, listed, numbers, signature_line,
};
use crate::text::one_line;
use crate::text::quantity::{count, grouped};
use crate::tools::Tool;
use crate::tools::calls::{CallItem, CalleeList, CallerList, FindCallees, FindCallers};
use crate::tools::find_references::FindReferences;

pub fn callers(list: &CallerList) -> String {
    let mut lines = vec![callers_head(list)];
    lines.extend(freshness::lines(&list.freshness));
    lines.extend(levels(&list.callers, list.depth));
    if list.total == 0 {
        let call = again_all(FindReferences::NAME, &list.symbol, list.overloads)
            .with("root", list.root_name.as_str());
        lines.push(format!("other uses than calls: {call}"));
    }
    if list.remaining > 0 {
        let limit = (list.limit != FindCallers::DEFAULT_LIMIT).then_some(list.limit);
        let call = again_all(FindCallers::NAME, &list.symbol, list.overloads);
        let call = call.with_some("depth", (list.depth > 1).then_some(list.depth));
        let call = going_on(
            call.with_some("limit", limit),
            list.max_tokens,
            &list.root_name,
            list.cursor.as_deref(),
        );
        lines.push(format!("{} more: {call}", grouped(list.remaining)));
    }
    lines.join("\n")
}

pub fn callees(list: &CalleeList) -> String {
    let mut lines = vec![callees_head(list)];
    lines.extend(freshness::lines(&list.freshness));
    lines.extend(levels(&list.callees, list.depth));
    lines.extend(external(list));
    if list.remaining > 0 {
        let limit = (list.limit != FindCallees::DEFAULT_LIMIT).then_some(list.limit);
        let call = again_all(FindCallees::NAME, &list.symbol, list.overloads);
        let call = call.with_some("depth", (list.depth > 1).then_some(list.depth));
        let call = going_on(
            call.with_some("limit", limit),
            list.max_tokens,
            &list.root_name,
            list.cursor.as_deref(),
        );
        lines.push(format!("{} more: {call}", grouped(list.remaining)));
    }
    lines.join("\n")
}

pub fn callers_head(list: &CallerList) -> String {
    let counts = Counts {
        total: list.total,
        remaining: list.remaining,
        shown: list.callers.len() as u64,
    };
    head(
        "caller",
        &asked_all(&list.symbol, list.overloads),
        &list.root_name,
        (list.depth, list.is_least),
        counts,
    )
}

pub fn callees_head(list: &CalleeList) -> String {
    let counts = Counts {
        total: list.total,
        remaining: list.remaining,
        shown: list.callees.len() as u64,
    };
    head(
        "callee",
        &asked_all(&list.symbol, list.overloads),
        &list.root_name,
        (list.depth, list.is_least),
        counts,
    )
}

fn head(
    noun: &str,
    asked: &str,
    root: &str,
    (depth, is_least): (u32, bool),
    counts: Counts,
) -> String {
    let least = if is_least { "at least " } else { "" };
    let found = if counts.total == 0 {
        format!("no {noun}s")
    } else {
        count(counts.total, noun)
    };
    let depth = if depth > 1 {
        format!(", {depth} levels")
    } else {
        String::new()
    };
    format!(
        "{least}{found} of {asked} in {root}{depth}{}",
        counts.written()
    )
}

fn levels(items: &[CallItem], depth: u32) -> Vec<String> {
    let mut lines = vec![];
    for level in items.chunk_by(|one, other| one.depth == other.depth) {
        if depth > 1 {
            lines.push(format!("level {}", level[0].depth));
        }
        for item in level {
            lines.push(item_line(item));
            lines.extend(signature_line(&item.signature));
        }
    }
    lines
}

/// Where a symbol is, what calls what on which lines, and how sure that is.
pub fn item_line(item: &CallItem) -> String {
    format!("{}  {}", listed(&item.symbol()), relation(item))
}

/// `calls at 12, 15 through Engine::step, test, resolved: imported`.
pub fn relation(item: &CallItem) -> String {
    let calls = match item.call_lines.as_slice() {
        [] => None,
        [line] => Some(format!("call at {line}")),
        lines => Some(format!("calls at {}", numbers(lines))),
    };
    let via = (item.depth > 1).then(|| format!("through {}", one_line(&item.via)));
    let way: Vec<_> = calls.into_iter().chain(via).collect();
    let mut parts: Vec<_> = (!way.is_empty())
        .then(|| way.join(" "))
        .into_iter()
        .collect();
    if item.is_test {
        parts.push("test".to_owned());
    }
    if item.is_cycle {
        parts.push("cycle".to_owned());
    }
    parts.push(confidence(item.resolution, item.candidates, &item.reason));
    parts.join(", ")
}

/// What is called and lies outside, by name.
pub fn external(list: &CalleeList) -> Option<String> {
    if list.total_external == 0 {
        return None;
    }
    let times = |calls: u64| {
        if calls > 1 {
            format!(" ({})", grouped(calls))
        } else {
            String::new()
        }
    };
    let named: Vec<_> = list
        .external
        .iter()
        .map(|call| format!("{}{}", one_line(&call.name), times(call.calls)))
        .collect();
    let more = list.total_external.saturating_sub(named.len() as u64);
    let more = if more > 0 {
        format!(" and {} more", grouped(more))
    } else {
        String::new()
    };
    Some(format!(
        "not defined in this project: {}{more}",
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::Resolution;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;
    use crate::tools::calls::ExternalCall;

    fn item(qualified: &str, path: &str, depth: u32) -> CallItem {
        CallItem {
            depth,
            via: "Engine::run".to_owned(),
            call_lines: vec![14],
            resolution: Resolution::Resolved,
            reason: "same file".to_owned(),
            ..CallItem::of(symbol(qualified, SymbolKind::Function, path, (10, 20)))
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
            callers_head(page)
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
        assert!(callers_head(&least).starts_with("at least 200 callers of "));
    }
}
