//! The text of `call_path`: each chain from its first symbol to its last.

use crate::answer::freshness;
use crate::answer::graph::text::{asked, at, sure};
use crate::answer::graph::{Resolution, SymbolInfo};
use crate::text::NextCall;
use crate::text::one_line;
use crate::text::quantity::{count, grouped};
use crate::tools::Tool;
use crate::tools::call_path::{CallChain, CallChains, CallPath, ChainStep, NotFollowed};

pub fn write(answer: &CallChains) -> String {
    let mut lines = vec![head(answer)];
    lines.extend(freshness::lines(&answer.freshness));
    for (index, chain) in answer.chains.iter().enumerate() {
        if answer.total > 1 {
            lines.push(format!("chain {}", index + 1));
        }
        lines.extend(chain.steps.iter().map(step));
    }
    lines.extend(not_followed(answer));
    lines.extend(next(answer));
    lines.join("\n")
}

/// What a chain may have been missed by.
pub fn not_followed(answer: &CallChains) -> Option<String> {
    let NotFollowed { by_name, values } = answer.not_followed;
    let kinds = [
        (by_name, "known by name only"),
        (values, "of what a variable or a field holds"),
    ];
    let kinds = kinds.into_iter().filter(|(calls, _)| *calls > 0);
    let kinds: Vec<String> = kinds
        .map(|(calls, kind)| format!("{} {kind}", count(calls, "call")))
        .collect();
    (!kinds.is_empty()).then(|| format!("not followed: {}", kinds.join(", ")))
}

/// Whether there is a way, and how long it is.
pub fn head(answer: &CallChains) -> String {
    let (from, to, root) = (asked(&answer.from), asked(&answer.to), &answer.root_name);
    let Some(chain) = answer.chains.first() else {
        let seen = count(answer.nodes_seen, "symbol");
        let within = if answer.depth_cut {
            format!(" within {} calls", answer.max_depth)
        } else {
            String::new()
        };
        // What was not followed may lead there.
        let reaches = if answer.not_followed.is_empty() {
            "does not reach"
        } else {
            "was not found to reach"
        };
        return format!("{from} {reaches} {to} in {root}{within} ({seen} looked at)");
    };
    let calls = count(calls(chain), "call");
    let chains = match answer.total {
        1 => String::new(),
        total if total == answer.chains.len() as u64 => format!(", {} ways", grouped(total)),
        total => format!(", {} ways, {} shown", grouped(total), answer.chains.len()),
    };
    // The surest chain comes first: where even that has a step that may lead elsewhere, nothing is sure.
    let reaches = if chain.steps.iter().all(is_sure) {
        "reaches"
    } else {
        "may reach"
    };
    format!("{from} {reaches} {to} in {root} by {calls}{chains}")
}

fn is_sure(step: &ChainStep) -> bool {
    step.resolution
        .is_none_or(|resolution| resolution == Resolution::Resolved)
}

fn calls(chain: &CallChain) -> u64 {
    chain.steps.len().saturating_sub(1) as u64
}

/// A symbol of a chain, and the call that leads on.
pub fn step(step: &ChainStep) -> String {
    let symbol = format!("{}  {}", at(&step.symbol()), one_line(&step.qualified));
    match (step.call_line, step.resolution) {
        (Some(line), resolution) => {
            let sure = sure(
                resolution.unwrap_or_default(),
                step.candidates,
                step.reason.as_deref().unwrap_or_default(),
            );
            format!("{symbol}  calls at {line}, {sure}")
        }
        (None, _) => symbol,
    }
}

fn next(answer: &CallChains) -> Option<String> {
    let of = |symbol: &SymbolInfo| format!("{}:{}", symbol.path, symbol.line);
    let call = NextCall::new(CallPath::NAME)
        .with("from", of(&answer.from))
        .with("to", of(&answer.to))
        .with("root", answer.root_name.as_str());
    if answer.chains.is_empty() && answer.depth_cut && answer.max_depth < CallPath::DEEPEST {
        return Some(format!(
            "longer chains: {}",
            call.with("max_depth", CallPath::DEEPEST)
        ));
    }
    let left_out = answer.total.saturating_sub(answer.chains.len() as u64);
    let budget = crate::text::tokens::MOST_TOKENS;
    (answer.truncated && answer.max_tokens < budget)
        .then(|| format!("{} more: {}", grouped(left_out), call.with_budget(budget)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::freshness::Freshness;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::answer::{Answer, Format};
    use crate::text::tokens;
    use crate::text::tokens::DEFAULT_TOKENS;

    fn answer(chains: Vec<CallChain>) -> CallChains {
        CallChains {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            from: symbol("main", SymbolKind::Function, "src/main.rs", (3, 9)),
            to: run(),
            max_depth: 8,
            total: chains.len() as u64,
            chains,
            nodes_seen: 120,
            depth_cut: false,
            not_followed: NotFollowed::default(),
            truncated: false,
        }
    }

    fn chain(middle: &str) -> CallChain {
        let called = |symbol: SymbolInfo, line| ChainStep {
            call_line: Some(line),
            resolution: Some(Resolution::Resolved),
            reason: Some("imported".to_owned()),
            ..ChainStep::of(symbol)
        };
        let middle = ChainStep {
            resolution: Some(Resolution::Ambiguous),
            candidates: Some(2),
            reason: None,
            ..called(
                symbol(middle, SymbolKind::Function, "src/app.rs", (20, 30)),
                22,
            )
        };
        let main = symbol("main", SymbolKind::Function, "src/main.rs", (3, 9));
        CallChain {
            steps: vec![called(main, 5), middle, ChainStep::of(run())],
        }
    }

    #[test]
    fn a_chain_is_told_from_its_beginning() {
        insta::assert_snapshot!(answer(vec![chain("start")]).text().to_string(), @r"
        function main (src/main.rs:3-9) may reach method Engine::run (src/engine.rs:12-40) in engine by 2 calls
        src/main.rs:3-9  main  calls at 5, resolved: imported
        src/app.rs:20-30  start  calls at 22, ambiguous among 2
        src/engine.rs:12-40  Engine::run
        ");
        insta::assert_snapshot!(answer(vec![chain("start"), chain("restart")]).text().to_string(), @r"
        function main (src/main.rs:3-9) may reach method Engine::run (src/engine.rs:12-40) in engine by 2 calls, 2 ways
        chain 1
        src/main.rs:3-9  main  calls at 5, resolved: imported
        src/app.rs:20-30  start  calls at 22, ambiguous among 2
        src/engine.rs:12-40  Engine::run
        chain 2
        src/main.rs:3-9  main  calls at 5, resolved: imported
        src/app.rs:20-30  restart  calls at 22, ambiguous among 2
        src/engine.rs:12-40  Engine::run
        ");
    }

    #[test]
    fn only_a_chain_without_doubt_is_said_to_reach() {
        let mut sure = chain("start");
        sure.steps[1].resolution = Some(Resolution::Resolved);
        for (chains, word) in [
            (vec![sure.clone(), chain("restart")], " reaches "),
            (vec![chain("restart")], " may reach "),
            (vec![sure], " reaches "),
        ] {
            assert!(head(&answer(chains)).contains(word), "{word}");
        }
    }

    #[test]
    fn that_there_is_none_is_said_with_what_was_searched() {
        insta::assert_snapshot!(answer(vec![]).text().to_string(), @"function main (src/main.rs:3-9) does not reach method Engine::run (src/engine.rs:12-40) in engine (120 symbols looked at)");
        insta::assert_snapshot!(CallChains { depth_cut: true, ..answer(vec![]) }.text().to_string(), @r#"
        function main (src/main.rs:3-9) does not reach method Engine::run (src/engine.rs:12-40) in engine within 8 calls (120 symbols looked at)
        longer chains: call_path {"from":"src/main.rs:3","to":"src/engine.rs:12","root":"engine","max_depth":20}
        "#);
    }

    #[test]
    fn what_was_not_followed_leaves_it_open() {
        let lost = |by_name, values| {
            let text = CallChains {
                not_followed: NotFollowed { by_name, values },
                ..answer(vec![])
            }
            .text()
            .to_string();
            text.lines().skip(1).map(str::to_owned).collect::<String>()
        };
        insta::assert_snapshot!(CallChains { not_followed: NotFollowed { by_name: 1, values: 0 }, ..answer(vec![]) }.text().to_string(), @r"
        function main (src/main.rs:3-9) was not found to reach method Engine::run (src/engine.rs:12-40) in engine (120 symbols looked at)
        not followed: 1 call known by name only
        ");
        assert_eq!(
            lost(0, 2),
            "not followed: 2 calls of what a variable or a field holds"
        );
        assert_eq!(
            lost(3, 1),
            "not followed: 3 calls known by name only, 1 call of what a variable or a field holds"
        );
    }

    #[test]
    fn many_chains_are_cut_between_chains() {
        let many = answer(
            (0..20)
                .map(|index| chain(&format!("way_{index}")))
                .collect(),
        );
        let text = render(&many, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        assert!(
            text.contains("20 ways, ")
                && text
                    .lines()
                    .last()
                    .is_some_and(|line| line.contains("more: call_path")),
            "{text}"
        );
    }
}
