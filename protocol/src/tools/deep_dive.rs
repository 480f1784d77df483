//! `deep_dive`: one symbol in detail, in sections that depend on its kind.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::calls::{FindCallees, FindCallers, MAX_CALLS};
use super::find_implementations::FindImplementations;
use super::find_references::FindReferences;
use super::{Availability, CommandInfo, Effect, Tool, ToolInfo, Toolset, common_params, schema_of};
use crate::answer::accounting::Accounting;
use crate::answer::commit::{CommitSummary, add_commits};
use crate::answer::freshness::Freshness;
use crate::answer::graph::text::same_symbol_call;
use crate::answer::graph::{Excerpt, Resolution, SymbolInfo, shares, symbol_params};
use crate::answer::symbol::{SymbolKind, words};
use crate::answer::{Answer, Format, one_root};
use crate::error::ToolError;
use crate::text::tokens::{DEFAULT_TOKENS, MAX_TOKENS};
use crate::text::{Line, Text, one_line, signature};

const EXAMPLES: &str = "\
Examples:
  claudevil dive Engine::run               where it is, who uses it, and what it uses
  claudevil dive Engine --depth context    with its text and the signatures around it
  claudevil dive src/engine.rs:12 --depth full";

/// The number of lines of documentation that are shown, except in an overview.
const DOC_LINES: usize = 12;
/// The longest signature, and the longest first sentence of a documentation, in an overview.
const LONGEST_IN_OVERVIEW: usize = 120;

symbol_params! {
    #[cfg_attr(feature = "cli", command(mut_arg("symbol", |symbol| symbol.required(true))))]
    DeepDive, "By depth", {
        /// Default overview
        #[cfg_attr(feature = "cli", arg(
            short, long, default_value = "overview",
            help = "overview: names and locations; context: also code and signatures; full: also surrounding code and tests"
        ))]
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
    /// Returns the maximum number of items of a section.
    pub fn cap(self) -> Option<usize> {
        match self {
            Self::Overview => Some(10),
            Self::Context => Some(15),
            Self::Full => None,
        }
    }

    /// Returns the budget of an answer as text. Typical symbols take 200, 600 and 1,500 tokens; longer answers are cut.
    pub fn tokens(self) -> u32 {
        match self {
            Self::Overview => 200,
            Self::Context => 600,
            Self::Full => 1_800,
        }
    }

    /// Returns the next depth, which shows more.
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

    /// Returns the budget of an answer whose caller gives none: as text that of its depth, as JSON that of all tools.
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
        description: "To understand one symbol: callers, callees, types, members, implementors, users, body, tests.",
        toolset: Toolset::Graph,
        availability: Availability::Core,
        replaces_reading: true,
        long_answers: false,
        effect: Effect::Reads,
        deadline: Duration::from_secs(30),
        command: CommandInfo {
            verb: "dive",
            alias: Some("deep-dive"),
            about: "Show everything about a symbol",
            examples: EXAMPLES,
            fails_when_empty: false,
            is_plain: true,
        },
        schema: schema_of::<Self>,
    };

    common_params!(Self::default_tokens);

    fn check(&self) -> Result<(), ToolError> {
        self.symbol_query().check()
    }

    fn read_command_line(&mut self, locate: &dyn Fn(&str) -> String) {
        self.read_symbol(locate);
    }
}

words! {
    /// The contents of a section. Bincode numbers these by position: new ones go to the end.
    SectionTitle {
        Callers = "callers",
        Callees = "callees",
        // Types in a signature, or of members.
        Types = "types",
        Fields = "fields",
        Methods = "methods",
        RequiredMethods = "required_methods",
        // Members that are neither fields nor methods.
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
    fn words(self) -> String {
        self.as_str().replace('_', " ")
    }

    /// Returns whether the section lists parts of the symbol, and not other symbols that use it or that it uses.
    pub fn is_of_members(self) -> bool {
        matches!(
            self,
            Self::Fields | Self::Methods | Self::RequiredMethods | Self::Members | Self::Exports
        )
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Every occurrence of its name.
    pub accounting: Option<Accounting>,
    /// The last commits that changed it, or else its file; the newest first.
    pub commits: Vec<CommitSummary>,
    /// True if something was cut to fit the budget; the caps of a depth do not count.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiveSection {
    pub title: SectionTitle,
    /// At most as many as the depth's cap; of members, those that are used most come first.
    pub items: Vec<DiveItem>,
    /// Number of items, shown or not.
    pub total: u64,
}

/// A symbol, a file, or something outside the root of which only the name is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiveItem {
    /// With its containers.
    pub name: String,
    pub kind: Option<SymbolKind>,
    pub path: Option<String>,
    pub start_line: Option<u32>,
    pub end_line: Option<u32>,
    pub signature: Option<String>,
    /// A remark: `3 calls`, `returned`, `from overview`.
    pub note: Option<String>,
    /// The certainty of a relation; `None` for a part of the symbol.
    pub resolution: Option<Resolution>,
    pub is_test: bool,
    /// Its text, at depth `full`.
    pub source: Option<Excerpt>,
}

impl DiveItem {
    pub fn from_symbol(symbol: SymbolInfo) -> Self {
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

    /// Returns the name and location: `step  src/engine.rs:10`, except in an overview with the signature:
    /// `fn step(&self)  [Engine::step]  src/engine.rs:10-14`.
    fn item(&self, depth: DiveDepth) -> Line {
        let line = Line::from("  ");
        let written = self
            .signature
            .as_deref()
            .filter(|_| depth != DiveDepth::Overview);
        let line = match written.map(signature) {
            // A signature does not say which type a method belongs to.
            Some(written) if self.name.contains(['.', ':']) && written != self.name => {
                line.code(&written).text("  [").name(&self.name).text("]")
            }
            Some(written) => line.code(&written),
            None => line.name(&self.name),
        };
        match (&self.path, self.start_line) {
            (Some(path), Some(start)) => {
                let end = self.end_line.filter(|_| depth != DiveDepth::Overview);
                line.text("  ").location(path, start, end.unwrap_or(start))
            }
            (Some(path), None) => line.text("  ").path(path),
            (None, _) => line,
        }
    }

    /// Returns e.g. `2 calls, ambiguous, test`.
    fn detail(&self) -> Line {
        let confidence = self
            .resolution
            .and_then(Resolution::doubt)
            .map(str::to_owned);
        let note = self.note.as_deref().map(one_line);
        let parts = [note, confidence, self.is_test.then(|| "test".to_owned())];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join(", ").into()
    }
}

impl DiveSection {
    /// Returns e.g. `callers (10 of 23)`.
    fn heading(&self) -> Line {
        let line = Line::from(format!("{} (", self.title.words()));
        let shown = self.items.len() as u64;
        let line = if shown == self.total {
            line
        } else {
            line.number(shown).text(" of ")
        };
        line.number(self.total).text(")")
    }

    /// Returns members by their position in the file, and other items in the order of the list.
    fn items_in_order(&self) -> Vec<&DiveItem> {
        let mut items: Vec<&DiveItem> = self.items.iter().collect();
        if self.title.is_of_members() {
            items.sort_by_key(|item| (&item.path, item.start_line));
        }
        items
    }

    /// Returns the names of members with their lines, one line of text for each file. The symbol's own file comes first
    /// and is not named: `open:12, close:30`.
    fn member_names(&self, own_path: &str) -> Vec<Line> {
        let mut files: Vec<(Option<&str>, Vec<Line>)> = vec![];
        for item in self.items_in_order() {
            let path = item.path.as_deref().filter(|path| *path != own_path);
            let name = Line::new().name(&item.name);
            let name = match item.start_line {
                Some(line) => name.link(format!(":{line}"), path.unwrap_or(own_path), line),
                None => name,
            };
            match files.iter_mut().find(|(known, _)| *known == path) {
                Some((_, names)) => names.push(name),
                None => files.push((path, vec![name])),
            }
        }
        files.sort_by_key(|(path, _)| path.is_some());
        let line = |(path, names): (Option<&str>, Vec<Line>)| {
            let line = Line::from("  ");
            let line = match path {
                Some(path) => line.path(path).text(": "),
                None => line,
            };
            line.line(Line::join(names, ", "))
        };
        files.into_iter().map(line).collect()
    }

    fn list(&self, text: &mut Text, dive: &Dive) {
        text.heading(self.heading());
        if dive.depth == DiveDepth::Overview && self.title.is_of_members() {
            for line in self.member_names(&dive.symbol.path) {
                text.item(line);
            }
            return;
        }
        for item in self.items_in_order() {
            text.described_item(item.item(dive.depth), item.detail());
            if let Some(source) = &item.source {
                text.source(source.source());
            }
        }
    }
}

/// Number of members shown for each item of another section.
const MEMBERS_AT_ONCE: usize = 3;

impl Dive {
    /// Divides a number of items among the sections of an overview: each gets some, and sections of members more, since
    /// members take no line of their own.
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
            // The section with the fewest turns is next.
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

    /// Returns the signature, unless the body shows it.
    fn signature(&self) -> Option<Line> {
        let is_shown = self.body.is_none() && !self.symbol.signature.is_empty();
        let whole = is_shown.then(|| signature(&self.symbol.signature))?;
        let written = match self.depth {
            DiveDepth::Overview => shortened(&whole),
            DiveDepth::Context | DiveDepth::Full => whole,
        };
        Some(Line::new().code(&written))
    }

    /// Returns the first sentence of the documentation in an overview, else its first lines.
    fn documentation(&self) -> Vec<Line> {
        let doc = self.doc.as_deref().unwrap_or_default();
        let lines = doc.lines().filter(|line| !line.trim().is_empty());
        let comment = |line: String| Line::from("// ").code(&line);
        match self.depth {
            DiveDepth::Overview => lines
                .take(1)
                .map(|line| comment(first_sentence(line)))
                .collect(),
            DiveDepth::Context | DiveDepth::Full => lines
                .take(DOC_LINES)
                .map(|line| comment(signature(line)))
                .collect(),
        }
    }

    /// Returns a note on the sections that had no room at all, or on there being nothing to show.
    fn notes(&self) -> Option<Line> {
        if self.sections.is_empty() {
            let line = Line::from("nothing related to ").line(self.symbol.title_and_location());
            return Some(line.text(" was found"));
        }
        let left_out = self
            .sections
            .iter()
            .filter(|section| section.items.is_empty());
        let left_out = left_out.map(|section| {
            let title = format!("{} (", section.title.words());
            Line::from(title).number(section.total).text(")")
        });
        let left_out = Line::join(left_out, ", ");
        (!left_out.is_empty()).then(|| Line::from("not shown: ").line(left_out))
    }

    /// Returns the call that shows what was cut, or that shows more at the next depth.
    fn next(&self) -> Option<Line> {
        let call = same_symbol_call(DeepDive::NAME, &self.symbol).with("root", &self.root_name);
        // The next depth shows what the budget of this one cuts.
        let is_cut_by_depth =
            self.max_tokens == self.depth.tokens() && self.depth.deeper().is_some();
        if self.truncated && self.max_tokens < MAX_TOKENS && !is_cut_by_depth {
            let depth = (self.depth != DiveDepth::Overview).then(|| self.depth.as_str());
            let call = call.with_some("depth", depth).with_budget(MAX_TOKENS);
            return Some(Line::from("cut to fit; all: ").call(call));
        }
        if let Some(deeper) = self.depth.deeper() {
            return Some(Line::from("more: ").call(call.with("depth", deeper.as_str())));
        }
        // No depth shows more, but a tool shows the whole of one list.
        let mut sections = self.sections.iter();
        let incomplete = sections.find(|section| section.total > section.items.len() as u64)?;
        let tool = match incomplete.title {
            SectionTitle::Callers => FindCallers::NAME,
            SectionTitle::Callees => FindCallees::NAME,
            SectionTitle::Implementors => FindImplementations::NAME,
            _ => FindReferences::NAME,
        };
        let call = same_symbol_call(tool, &self.symbol)
            .with("limit", MAX_CALLS)
            .with_budget(MAX_TOKENS)
            .with("root", &self.root_name);
        Some(Line::from(format!("more {}: ", incomplete.title.words())).call(call))
    }
}

fn first_sentence(line: &str) -> String {
    let sentence = line.trim().split_inclusive(". ").next();
    shortened(sentence.unwrap_or_default().trim_end())
}

/// Cuts a line to the length that an overview has room for.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_IN_OVERVIEW) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
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
        let had_commits = !std::mem::take(&mut self.commits).is_empty();
        had_commits || self.doc.take().is_some()
    }

    /// Writes the symbol itself as the first item, so that the command line shows it above its signature.
    fn text(&self) -> Text {
        let mut text = Text::default();
        text.item(self.symbol.list_item().text(" in ").name(&self.root_name));
        text.warnings(self.freshness.warnings());
        for line in self.signature().into_iter().chain(self.documentation()) {
            text.below(line);
        }
        if let Some(body) = &self.body {
            text.source(body.source());
        }
        for section in self
            .sections
            .iter()
            .filter(|section| !section.items.is_empty())
        {
            section.list(&mut text, self);
        }
        if let Some(accounting) = self.accounting.as_ref().filter(|one| one.total > 0) {
            text.note(match self.depth {
                DiveDepth::Overview => accounting.short_line(),
                DiveDepth::Context | DiveDepth::Full => accounting.line(),
            });
        }
        add_commits(&mut text, &self.commits);
        if let Some(line) = self.notes() {
            text.note(line);
        }
        text.next(self.next());
        text
    }

    one_root!();
}

#[cfg(test)]
mod tests;
