//! `find_implementations`: what implements, extends or overrides a symbol.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::{Counts, confidence, next_page, next_page_call, same_symbol_call};
use crate::answer::graph::{ListCursor, Resolution, SymbolInfo, symbol_params, with_symbol};
use crate::answer::symbol::words;
use crate::answer::{Answer, cut, one_root};
use crate::check::{check_length, check_range};
use crate::error::ToolError;
use crate::text::{Line, Text};

const EXAMPLES: &str = "\
Examples:
  claudevil impls Store            what implements a trait or an interface, or extends a class
  claudevil impls Store::get       what overrides a method";

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(true))))]
    FindImplementations {
        /// Default 20.
        #[schemars(range(min = 1, max = 200))]
        #[cfg_attr(feature = "cli", arg(
            short = 'n', long, default_value = "100",
            help = "Maximum number of symbols, up to 200"
        ))]
        limit: u32,
        #[cfg_attr(feature = "cli", arg(long, help = "Continue from this cursor"))]
        cursor: String,
    }
}

words! {
    /// The relation of an implementation to what it implements.
    #[derive(Default)]
    ImplRelation {
        #[default]
        Implements = "implements",
        Extends = "extends",
        // A method of a subtype that overrides a method of a supertype.
        Overrides = "overrides",
        // Has all methods of the interface without declaring it, as in Go.
        MethodSet = "method_set",
    }
}

impl FindImplementations {
    pub const DEFAULT_LIMIT: u32 = 20;
    pub const MAX_IMPLEMENTATIONS: u32 = 200;

    pub fn limit(&self) -> u32 {
        self.limit.unwrap_or(Self::DEFAULT_LIMIT)
    }
}

impl Tool for FindImplementations {
    type Answer = Implementations;

    const INFO: ToolInfo = ToolInfo {
        name: "find_implementations",
        title: "Find implementations",
        description: "To see what implements an interface or trait, extends a class, or overrides a method.",
        toolset: Toolset::Graph,
        availability: Availability::Core,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "impls",
            alias: Some("find-implementations"),
            about: "Show what implements, extends or overrides a symbol",
            examples: EXAMPLES,
            fails_when_empty: true,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!();

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()?;
        check_length("cursor", self.cursor.as_deref(), ListCursor::LONGEST)?;
        check_range("limit", self.limit, 1..=Self::MAX_IMPLEMENTATIONS)
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
    }
}

with_symbol! {
    Implementation {
        relation: ImplRelation,
        resolution: Resolution,
        reason: String,
        /// Number of symbols that the name of the implemented type may mean, if it is ambiguous.
        candidates: Option<u32>,
        /// 1 for a direct implementation of the symbol, 2 for one of such an implementation.
        depth: u32,
        /// The supertype that it directly implements, where that is not the symbol itself.
        via: Option<String>,
    }
}

/// By depth, then by path and line. May be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Implementations {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub symbol: SymbolInfo,
    pub implementations: Vec<Implementation>,
    pub total: u64,
    /// Number of implementations after the last of `implementations`.
    pub remaining: u64,
    pub truncated: bool,
    pub cursor: Option<String>,
    /// The limit in force.
    pub limit: u32,
}

impl Implementation {
    /// Returns the position that a cursor names.
    pub fn place(&self) -> (&str, u32) {
        (&self.path, self.line)
    }

    /// Returns e.g. `extends Base, test, resolved: imported`.
    pub fn relation(&self) -> Line {
        let line = Line::from(match self.relation {
            ImplRelation::Implements => "implements",
            ImplRelation::Extends => "extends",
            ImplRelation::Overrides => "overrides",
            ImplRelation::MethodSet => "has its methods",
        });
        let line = match &self.via {
            Some(via) => line.text(" ").name(via),
            None => line,
        };
        let line = line.text(if self.is_test { ", test" } else { "" });
        let confidence = confidence(self.resolution, self.candidates, &self.reason);
        line.text(format!(", {confidence}"))
    }
}

impl Implementations {
    /// Sets the cursor after the last implementation.
    pub fn set_cursor(&mut self) {
        self.truncated = self.remaining > 0;
        let last = self.implementations.last().map(Implementation::place);
        self.cursor = ListCursor::behind(last, self.total, self.remaining);
    }

    fn summary(&self) -> Line {
        let line = match self.total {
            0 => Line::from("no implementations"),
            total => Line::new().count(total, "implementation"),
        };
        let counts = Counts {
            total: self.total,
            remaining: self.remaining,
            shown: self.implementations.len() as u64,
        };
        line.text(" of ")
            .line(self.symbol.title_and_location())
            .text(" in ")
            .name(&self.root_name)
            .text(counts.page_suffix())
    }

    /// Returns the call for the next page.
    fn next(&self) -> Option<Line> {
        let limit = (self.limit != FindImplementations::DEFAULT_LIMIT).then_some(self.limit);
        let call =
            same_symbol_call(FindImplementations::NAME, &self.symbol).with_some("limit", limit);
        let cursor = self.cursor.as_deref();
        let call = next_page_call(call, self.max_tokens, &self.root_name, cursor);
        next_page(self.remaining, call)
    }
}

impl Answer for Implementations {
    fn items(&self) -> usize {
        self.implementations.len()
    }

    fn keep(&mut self, items: usize) {
        if cut(&mut self.implementations, items, &mut self.remaining) {
            self.set_cursor();
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::new(self.summary());
        text.warnings(self.freshness.warnings());
        for item in &self.implementations {
            item.symbol().list(&mut text, item.relation());
        }
        text.next(self.next());
        text
    }

    fn is_empty(&self) -> bool {
        self.total == 0
    }

    one_root!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Format;
    use crate::answer::graph::text::samples::symbol;
    use crate::answer::render::render;
    use crate::answer::symbol::SymbolKind;
    use crate::text::tokens::{self, DEFAULT_TOKENS};

    fn list(implementations: Vec<Implementation>) -> Implementations {
        Implementations {
            root: "/home/ada/engine".to_owned(),
            root_name: "engine".to_owned(),
            max_tokens: DEFAULT_TOKENS,
            freshness: Freshness::default(),
            symbol: symbol("Store", SymbolKind::Trait, "src/store.rs", (5, 20)),
            total: implementations.len() as u64,
            implementations,
            remaining: 0,
            truncated: false,
            cursor: None,
            limit: 20,
        }
    }

    fn item(name: &str, path: &str) -> Implementation {
        let reason = "impl Store for".to_owned();
        let resolution = Resolution::Resolved;
        Implementation {
            resolution,
            reason,
            depth: 1,
            ..Implementation::from_symbol(symbol(name, SymbolKind::Struct, path, (3, 9)))
        }
    }

    #[test]
    fn each_has_its_relation() {
        let below = Implementation {
            relation: ImplRelation::Extends,
            resolution: Resolution::Ambiguous,
            candidates: Some(2),
            reason: String::new(),
            via: Some("Disk".to_owned()),
            depth: 2,
            is_test: true,
            ..item("FakeDisk", "tests/fake.rs")
        };
        let shaped = Implementation {
            relation: ImplRelation::MethodSet,
            reason: "3 of 3 methods".to_owned(),
            ..item("Memory", "src/memory.go")
        };
        insta::assert_snapshot!(list(vec![item("Disk", "src/disk.rs"), below, shaped]).text().to_string(), @r"
        3 implementations of trait Store (src/store.rs:5-20) in engine
        src/disk.rs:3-9  public struct Disk  implements, resolved: impl Store for
        tests/fake.rs:3-9  public struct FakeDisk  extends Disk, test, ambiguous among 2
        src/memory.go:3-9  public struct Memory  has its methods, resolved: 3 of 3 methods
        ");
        insta::assert_snapshot!(list(vec![]).text().to_string(), @"no implementations of trait Store (src/store.rs:5-20) in engine");
    }

    #[test]
    fn many_are_cut_between_them() {
        let many = list(
            (0..200)
                .map(|index| item("Disk", &format!("src/disk_{index}.rs")))
                .collect(),
        );
        let text = render(&many, Format::Text, 500);
        assert!(tokens::estimate(&text) <= 500);
        insta::assert_snapshot!(text.lines().last().expect("a line"), @r#"183 more: find_implementations {"path":"src/store.rs","line":5,"root":"engine","cursor":"17:3:src/disk_16.rs"}"#);
    }
}
