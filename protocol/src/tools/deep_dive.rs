//! `deep_dive`: what is to be known of one symbol, shaped by its kind.

pub mod text;

use std::time::Duration;

use super::{CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use serde::{Deserialize, Serialize};

use crate::answer::freshness::Freshness;
use crate::answer::graph::{Excerpt, Resolution, SymbolInfo, shares, symbol_params};
use crate::answer::symbol::{SymbolKind, words};
use crate::answer::{Answer, Format};
use crate::error::ToolError;
use crate::text::Text;
use crate::text::tokens::DEFAULT_TOKENS;

const EXAMPLES: &str = "\
Examples:
  claudevil dive Engine::run               where it is, who uses it, and what it uses
  claudevil dive Engine --depth context    with its text and the signatures around it
  claudevil dive src/engine.rs:12 --depth full";

symbol_params! {
    DeepDive, "By depth", {
        /// full: bodies, tests. Default overview
        #[cfg_attr(feature = "cli", arg(long))]
        depth: DiveDepth,
    }
}

words! {
    DiveDepth {
        Overview = "overview",
        Context = "context",
        Full = "full",
    }
}

impl DiveDepth {
    /// How many items a section shows.
    pub fn cap(self) -> Option<usize> {
        match self {
            Self::Overview => Some(10),
            Self::Context => Some(15),
            Self::Full => None,
        }
    }

    /// What it may cost as text. Typical symbols have 200, 600 and 1,500 tokens to tell; what has more is cut.
    pub fn tokens(self) -> u32 {
        match self {
            Self::Overview => 200,
            Self::Context => 720,
            Self::Full => 1_800,
        }
    }

    /// The next one that shows more.
    pub fn deeper(self) -> Option<Self> {
        match self {
            Self::Overview => Some(Self::Context),
            Self::Context => Some(Self::Full),
            Self::Full => None,
        }
    }
}

impl DeepDive {
    pub fn depth(&self) -> DiveDepth {
        self.depth.unwrap_or(DiveDepth::Overview)
    }

    /// What an answer may cost where nobody says so: as text what its depth is for, as JSON what all others may.
    fn default_tokens(&self) -> u32 {
        match self.format.unwrap_or_default() {
            Format::Text => self.depth().tokens(),
            Format::Json => DEFAULT_TOKENS,
        }
    }
}

impl Tool for DeepDive {
    type Answer = Dive;

    const INFO: ToolInfo = ToolInfo {
        name: "deep_dive",
        title: "Deep dive",
        description: "All about a symbol: callers, callees, types, members, implementors, users, body, tests.",
        toolset: Toolset::Graph,
        core: true,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "dive",
            alias: Some("deep-dive"),
            about: "Show all about one symbol",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: false,
        },
        schema: schema_of::<Self>,
    };

    common_params!(Self::default_tokens);

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()
    }
}

words! {
    /// What a section lists. Bincode numbers these by position: new ones go to the end.
    SectionTitle {
        Callers = "callers",
        Callees = "callees",
        // In a signature, or of members.
        Types = "types",
        Fields = "fields",
        Methods = "methods",
        RequiredMethods = "required_methods",
        // Of what has members that are neither.
        Members = "members",
        Implements = "implements",
        Implementors = "implementors",
        Users = "users",
        Exports = "exports",
        Dependencies = "dependencies",
        Dependents = "dependents",
        Tests = "tests",
    }
}

impl SectionTitle {
    /// Parts of the symbol, not what it has to do with.
    pub fn is_of_members(self) -> bool {
        matches!(
            self,
            Self::Fields | Self::Methods | Self::RequiredMethods | Self::Members | Self::Exports
        )
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dive {
    /// The root's absolute path.
    pub root: String,
    pub root_name: String,
    /// The budget in force.
    pub max_tokens: u32,
    pub freshness: Freshness,
    pub depth: DiveDepth,
    pub symbol: SymbolInfo,
    /// Its documentation.
    pub doc: Option<String>,
    /// Its whole text, from depth `context` on.
    pub body: Option<Excerpt>,
    /// In the order that fits its kind, without empty ones.
    pub sections: Vec<DiveSection>,
    /// Whether something was cut to fit the budget; the caps of a depth are no cut.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiveSection {
    pub title: SectionTitle,
    /// At most as many as the depth's cap; of members, those that are used most come first.
    pub items: Vec<DiveItem>,
    /// How many there are in all.
    pub total: u64,
}

/// A symbol, a file, or something outside of the root of which only the name is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiveItem {
    /// With its containers.
    pub name: String,
    pub kind: Option<SymbolKind>,
    pub path: Option<String>,
    pub start_line: Option<u32>,
    pub end_line: Option<u32>,
    pub signature: Option<String>,
    /// What else to know: `3 calls`, `returned`, `from overview`.
    pub note: Option<String>,
    /// Where it is a relation and not a part.
    pub resolution: Option<Resolution>,
    pub is_test: bool,
    /// Its text, at depth `full`.
    pub source: Option<Excerpt>,
}

impl DiveItem {
    pub fn of(symbol: SymbolInfo) -> Self {
        Self {
            name: symbol.qualified,
            kind: Some(symbol.kind),
            path: Some(symbol.path),
            start_line: Some(symbol.start_line),
            end_line: Some(symbol.end_line),
            signature: Some(symbol.signature).filter(|signature| !signature.is_empty()),
            is_test: symbol.is_test,
            ..Self::default()
        }
    }
}

/// Members that are shown for one of anything else.
const MEMBERS_AT_ONCE: usize = 3;

impl Dive {
    /// How so many items are divided among the sections of an overview: each gets some, and those of members more, since
    /// they take no line of their own.
    fn overview(&self, items: usize) -> Vec<usize> {
        let lengths = self.lengths();
        let turns = |section: &DiveSection| {
            if section.title.is_of_members() {
                MEMBERS_AT_ONCE
            } else {
                1
            }
        };
        let turns: Vec<usize> = self.sections.iter().map(turns).collect();
        let mut kept = vec![0; lengths.len()];
        for _ in 0..items {
            // Who has had the fewest turns is next.
            let open = (0..lengths.len()).filter(|section| kept[*section] < lengths[*section]);
            let Some(next) = open.min_by_key(|section| kept[*section] / turns[*section]) else {
                return kept;
            };
            kept[next] += 1;
        }
        kept
    }

    fn lengths(&self) -> Vec<usize> {
        self.sections
            .iter()
            .map(|section| section.items.len())
            .collect()
    }

    fn sources(&mut self) -> impl Iterator<Item = &mut Option<Excerpt>> {
        let items = self
            .sections
            .iter_mut()
            .flat_map(|section| &mut section.items);
        std::iter::once(&mut self.body).chain(items.map(|item| &mut item.source))
    }
}

/// An item counts one, and so does each line of a text. Names are worth most, then the symbol's own text.
impl Answer for Dive {
    fn items(&self) -> usize {
        let items = self.sections.iter().flat_map(|section| &section.items);
        let sources = items
            .filter_map(|item| item.source.as_ref())
            .chain(&self.body);
        self.lengths().iter().sum::<usize>()
            + sources.map(|source| source.lines.len()).sum::<usize>()
    }

    fn keep(&mut self, items: usize) {
        if items >= self.items() {
            return;
        }
        let kept = match self.depth {
            DiveDepth::Overview => self.overview(items),
            DiveDepth::Context | DiveDepth::Full => shares(items, &self.lengths()),
        };
        let mut lines = items - kept.iter().sum::<usize>();
        for (section, kept) in self.sections.iter_mut().zip(kept) {
            section.items.truncate(kept);
        }
        for source in self.sources() {
            if let Some(excerpt) = source {
                excerpt.keep(lines);
                lines -= excerpt.lines.len();
            }
            *source = source.take().filter(|excerpt| !excerpt.lines.is_empty());
        }
        self.truncated = true;
    }

    fn shorten(&mut self) -> bool {
        self.doc.take().is_some()
    }

    fn text(&self) -> Text {
        crate::tools::deep_dive::text::write(self).into()
    }

    fn freshness(&self) -> Option<&Freshness> {
        Some(&self.freshness)
    }
}
