//! `call_path`: how one symbol reaches another by calls.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::confidence;
use crate::answer::graph::{Resolution, SymbolInfo, SymbolQuery, with_symbol};
use crate::answer::{Answer, Format, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::quantity::count;
use crate::text::tokens::MAX_TOKENS;
use crate::text::{Line, NextCall, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil path main Engine::run               the shortest chains of calls from one to the other
  claudevil path src/main.rs:3 src/db.rs:40     between the symbols at two lines";

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CallPath {
    /// Name or `path:line`.
    #[cfg_attr(
        feature = "cli",
        arg(
            value_name = "SYMBOL|FILE:LINE",
            help = "Where the calls begin: a name, plain or qualified, or a line of a file"
        )
    )]
    pub from: String,
    #[cfg_attr(
        feature = "cli",
        arg(value_name = "SYMBOL|FILE:LINE", help = "Target symbol")
    )]
    pub to: String,
    /// Default 8.
    #[schemars(range(min = 1, max = 20))]
    #[cfg_attr(feature = "cli", arg(short = 'd', long, value_name = "1-20"))]
    pub max_depth: Option<u32>,
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR|NAME", help = super::ROOT_HELP))]
    pub root: Option<String>,
    /// Default 4000.
    #[schemars(range(max = 10000))]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub max_tokens: Option<u32>,
    #[cfg_attr(feature = "cli", arg(skip))]
    pub format: Option<Format>,
}

impl CallPath {
    pub const DEFAULT_DEPTH: u32 = 8;
    pub const DEEPEST: u32 = 20;

    pub fn max_depth(&self) -> u32 {
        self.max_depth.unwrap_or(Self::DEFAULT_DEPTH)
    }

    pub fn from(&self) -> SymbolQuery<'_> {
        SymbolQuery::parse(&self.from)
    }

    pub fn to(&self) -> SymbolQuery<'_> {
        SymbolQuery::parse(&self.to)
    }
}

impl Tool for CallPath {
    type Answer = CallChains;

    const INFO: ToolInfo = ToolInfo {
        name: "call_path",
        title: "Call path",
        description: "To see how one symbol reaches another: the shortest chains of calls.",
        toolset: Toolset::Graph,
        availability: Availability::OnRequest,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "path",
            alias: Some("call-path"),
            about: "Show how one symbol reaches another by calls",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        for (name, given) in [("from", &self.from), ("to", &self.to)] {
            let asked = SymbolQuery::parse(given);
            let longest = if asked.symbol.is_some() {
                SymbolQuery::LONGEST_NAME
            } else {
                4096
            };
            check_length(name, Some(given), longest)?;
            asked.check()?;
        }
        check_range("max_depth", self.max_depth, 1..=Self::DEEPEST)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        for end in [&mut self.from, &mut self.to] {
            if let SymbolQuery {
                path: Some(path),
                line: Some(line),
                ..
            } = SymbolQuery::parse(end)
            {
                *end = format!("{}:{line}", locate(path));
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallChains {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub from: SymbolInfo,
    pub to: SymbolInfo,
    pub max_depth: u32,
    /// The shortest ones, the surest first. Empty when there is none.
    pub chains: Vec<CallChain>,
    /// Number of the shortest chains.
    pub total: u64,
    /// Number of symbols that were visited.
    pub nodes_seen: u64,
    /// Some calls were not followed, because they are more than `max_depth` away: there may be a longer chain.
    pub depth_cut: bool,
    /// The search gave up because it visited too many symbols: there may be a chain.
    #[serde(default)]
    pub is_cut: bool,
    /// Calls of the symbols that were looked at which lead nowhere here. Nothing is counted where there is a chain.
    #[serde(default)]
    pub not_followed: NotFollowed,
    pub truncated: bool,
}

/// Calls whose target is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotFollowed {
    /// Only their name speaks for what they mean.
    pub by_name: u64,
    /// Calls of a value that a variable, a parameter or a field holds.
    pub values: u64,
}

impl NotFollowed {
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Says why a chain may have been missed.
    fn text(self) -> Option<String> {
        let kinds = [
            (self.by_name, "known by name only"),
            (self.values, "of a variable's or field's value"),
        ];
        let kinds = kinds.into_iter().filter(|(calls, _)| *calls > 0);
        let kinds: Vec<String> = kinds
            .map(|(calls, kind)| format!("{} {kind}", count(calls, "call")))
            .collect();
        (!kinds.is_empty()).then(|| format!("not followed: {}", kinds.join(", ")))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallChain {
    /// From the first symbol to the last.
    pub steps: Vec<ChainStep>,
}

with_symbol! {
    ChainStep {
        /// The line, in this symbol's file, where it calls the next. None of the last.
        call_line: Option<u32>,
        /// The certainty of that call.
        resolution: Option<Resolution>,
        reason: Option<String>,
        /// Number of symbols that the call may mean, if it is ambiguous.
        candidates: Option<u32>,
    }
}

impl CallChains {
    /// Maximum number of chains: the first of many equally short ones are enough.
    pub const MAX_CHAINS: usize = 20;

    /// Says whether there is a chain, and how long it is.
    fn summary(&self) -> Line {
        let (from, to) = (self.from.title_and_location(), self.to.title_and_location());
        let Some(chain) = self.chains.first() else {
            let within = if self.depth_cut {
                format!(" within {} calls", self.max_depth)
            } else {
                String::new()
            };
            // A call that was not followed may lead there.
            let reaches = if self.not_followed.is_empty() && !self.is_cut {
                " does not reach "
            } else {
                " was not found to reach "
            };
            return from
                .text(reaches)
                .line(to)
                .text(" in ")
                .name(&self.root_name)
                .text(format!("{within} ("))
                .count(self.nodes_seen, "symbol")
                .text(if self.is_cut {
                    " visited before the search gave up)"
                } else {
                    " visited)"
                });
        };
        // The surest chain comes first: if even that has a step that may lead elsewhere, no chain is certain.
        let is_sure = |step: &ChainStep| {
            step.resolution
                .is_none_or(|resolution| resolution == Resolution::Resolved)
        };
        let reaches = if chain.steps.iter().all(is_sure) {
            " reaches "
        } else {
            " may reach "
        };
        let line = from
            .text(reaches)
            .line(to)
            .text(" in ")
            .name(&self.root_name)
            .text(" by ")
            .count(chain.steps.len().saturating_sub(1) as u64, "call");
        match self.total {
            1 => line,
            total if total == self.chains.len() as u64 => {
                line.text(", ").number(total).text(" ways")
            }
            total => line
                .text(", ")
                .number(total)
                .text(format!(" ways, {} shown", self.chains.len())),
        }
    }

    fn next(&self) -> Option<Line> {
        let end = |symbol: &SymbolInfo| format!("{}:{}", symbol.path, symbol.line);
        let call = NextCall::new(CallPath::NAME)
            .with("from", end(&self.from))
            .with("to", end(&self.to))
            .with("root", &self.root_name);
        if self.chains.is_empty() && self.depth_cut && self.max_depth < CallPath::DEEPEST {
            let call = call.with("max_depth", CallPath::DEEPEST);
            return Some(Line::from("longer chains: ").call(call));
        }
        let left_out = self.total.saturating_sub(self.chains.len() as u64);
        (self.truncated && self.max_tokens < MAX_TOKENS).then(|| {
            Line::new()
                .number(left_out)
                .text(" more: ")
                .call(call.with_budget(MAX_TOKENS))
        })
    }
}

impl ChainStep {
    fn item(&self) -> Line {
        self.symbol().location().text("  ").name(&self.qualified)
    }

    /// Returns the call to the next step. Empty for the last step.
    fn call(&self) -> Line {
        let Some(line) = self.call_line else {
            return Line::new();
        };
        let confidence = confidence(
            self.resolution.unwrap_or_default(),
            self.candidates,
            self.reason.as_deref().unwrap_or_default(),
        );
        format!("calls at {line}, {confidence}").into()
    }
}

impl Answer for CallChains {
    fn items(&self) -> usize {
        self.chains.len()
    }

    fn keep(&mut self, items: usize) {
        if items < self.chains.len() {
            self.chains.truncate(items);
            self.truncated = true;
        }
    }

    fn shorten(&mut self) -> bool {
        let mut steps = self.chains.iter_mut().flat_map(|chain| &mut chain.steps);
        // Names and places are enough to follow the chain.
        let shorter = |step: &mut ChainStep| {
            !std::mem::take(&mut step.signature).is_empty() | step.reason.take().is_some()
        };
        steps
            .by_ref()
            .map(shorter)
            .filter(|is_shorter| *is_shorter)
            .count()
            > 0
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for (index, chain) in self.chains.iter().enumerate() {
            if self.total > 1 {
                text.heading(format!("chain {}", index + 1));
            }
            for step in &chain.steps {
                text.described_item(step.item(), step.call());
            }
        }
        if let Some(line) = self.not_followed.text() {
            text.note(line);
        }
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::graph::text::samples::{run, symbol};
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    #[test]
    fn both_ends_are_names_or_places() {
        let path = |from: &str, to: &str| CallPath {
            from: from.to_owned(),
            to: to.to_owned(),
            ..CallPath::default()
        };
        assert!(path("main", "src/a.rs:12").validate().is_ok());
        assert_eq!(path("main", "src/a.rs:12").to().line, Some(12));
        let deep = CallPath {
            max_depth: Some(21),
            ..path("a", "b")
        };
        for wrong in [
            path("", "b"),
            path("a", ""),
            path("a", "b.rs:0"),
            path(&"x".repeat(201), "b"),
            deep,
        ] {
            assert!(wrong.validate().is_err(), "{wrong:?}");
        }
    }

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
            is_cut: false,
            not_followed: NotFollowed::default(),
            truncated: false,
        }
    }

    fn chain(middle: &str) -> CallChain {
        let called = |symbol: SymbolInfo, line| ChainStep {
            call_line: Some(line),
            resolution: Some(Resolution::Resolved),
            reason: Some("imported".to_owned()),
            ..ChainStep::from_symbol(symbol)
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
            steps: vec![called(main, 5), middle, ChainStep::from_symbol(run())],
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
            assert!(
                answer(chains).summary().to_string().contains(word),
                "{word}"
            );
        }
    }

    #[test]
    fn that_there_is_none_is_said_with_what_was_searched() {
        insta::assert_snapshot!(answer(vec![]).text().to_string(), @"function main (src/main.rs:3-9) does not reach method Engine::run (src/engine.rs:12-40) in engine (120 symbols visited)");
        insta::assert_snapshot!(CallChains { depth_cut: true, ..answer(vec![]) }.text().to_string(), @r#"
        function main (src/main.rs:3-9) does not reach method Engine::run (src/engine.rs:12-40) in engine within 8 calls (120 symbols visited)
        longer chains: call_path {"from":"src/main.rs:3","to":"src/engine.rs:12","root":"engine","max_depth":20}
        "#);
    }

    #[test]
    fn a_search_that_gave_up_leaves_it_open() {
        insta::assert_snapshot!(CallChains { is_cut: true, ..answer(vec![]) }.text().to_string(), @"function main (src/main.rs:3-9) was not found to reach method Engine::run (src/engine.rs:12-40) in engine (120 symbols visited before the search gave up)");
    }

    #[test]
    fn calls_that_were_not_followed_leave_the_answer_open() {
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
        function main (src/main.rs:3-9) was not found to reach method Engine::run (src/engine.rs:12-40) in engine (120 symbols visited)
        not followed: 1 call known by name only
        ");
        assert_eq!(
            lost(0, 2),
            "not followed: 2 calls of a variable's or field's value"
        );
        assert_eq!(
            lost(3, 1),
            "not followed: 3 calls known by name only, 1 call of a variable's or field's value"
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
