//! `deep_dive`: one symbol with its surroundings, in sections that depend on its kind.

use std::cmp::Reverse;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::{SymbolKind, Visibility};
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::deep_dive::{
    DeepDive, Dive, DiveDepth, DiveItem, DiveSection, SectionTitle,
};

use super::Context;
use super::shared::callers::callers;
use super::shared::commits::recent_commits;
use super::shared::graph_root::GraphRoot;
use super::shared::implementations::implementations;
use super::shared::mention_counts::MentionCounts;
use super::shared::occurrences::NameOccurrences;
use super::shared::symbol_info::{TESTS_CUT, describe_symbol, describe_test, read_source};
use crate::extract::facts::Role;
use crate::graph::follow_budget::FollowBudget;
use crate::graph::reaching_tests::{ReachingTest, ReachingTests};
use crate::graph::{Graph, Outcome, SymbolId};
use crate::index::snapshot::Snapshot;
use crate::search::text_cache::TextCache;

/// The most calls between a test and the symbol.
const FARTHEST_TEST: u32 = 4;
/// Files that are read to follow tests that reach the symbol through other calls.
const MAX_FILES: usize = 1_000;
/// The most symbols of a section that are shown with their source.
const MAX_SOURCES: usize = 2;
/// The most members of a section whose uses are counted, and the most files that are read for that.
const MAX_COUNTED: usize = 20;
const MAX_FILES_COUNTED: usize = 500;

pub fn deep_dive(context: &Context, params: &DeepDive) -> Result<Dive, ToolError> {
    let root = GraphRoot::open(context)?;
    let graph = root.graph();
    let texts = root.texts();
    let query = params.symbol_query();
    let found = root.find(&graph, query)?;
    let at = if query.line.is_none() {
        graph.entities().main_declaration(found)
    } else {
        found
    };
    let depth = params.depth();
    let builder = SectionBuilder {
        graph: &graph,
        snapshot: &root.indexed.snapshot,
        texts: &texts,
        at,
        depth,
        context,
    };
    let occurrences = NameOccurrences {
        graph: &graph,
        target: at,
    };
    // The account is made first, because the sections reuse the references that it caches.
    let account = occurrences.account(&[at], &root, context)?;
    let symbol = graph.symbol(at);
    let mut sections = builder.sections()?;
    let mut is_cut = false;
    if depth == DiveDepth::Full {
        let (section, cut) = builder.tests()?;
        sections.push(section);
        is_cut = cut;
    }
    sections.retain(|section| section.total > 0);
    let freshness = root.freshness(&graph, &[at]);
    let mut freshness = freshness.with_changed(account.changed);
    if is_cut {
        freshness.add_note(TESTS_CUT);
    }
    let indexed = &root.indexed;
    Ok(Dive {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        depth,
        symbol: describe_symbol(&graph, at),
        doc: Some(symbol.doc.to_string()).filter(|doc| !doc.is_empty()),
        body: (depth != DiveDepth::Overview)
            .then(|| read_source(&graph, &texts, at))
            .flatten(),
        sections,
        accounting: account.accounting,
        commits: recent_commits(context, indexed.root.id, &graph, &[at]),
        truncated: false,
    })
}

struct SectionBuilder<'a> {
    graph: &'a Graph<'a>,
    snapshot: &'a Snapshot,
    texts: &'a TextCache<'a>,
    at: SymbolId,
    depth: DiveDepth,
    context: &'a Context<'a>,
}

impl SectionBuilder<'_> {
    fn sections(&self) -> Result<Vec<DiveSection>, ToolError> {
        let kind = self.graph.symbol(self.at).kind;
        Ok(match kind {
            kind if kind.is_callable() || kind == SymbolKind::Macro => {
                vec![self.callers()?, self.callees(), self.types()]
            }
            SymbolKind::Trait | SymbolKind::Interface => vec![
                self.members(SectionTitle::RequiredMethods, SymbolKind::is_callable)?,
                self.members(SectionTitle::Fields, is_value)?,
                self.supertypes(),
                self.implementors(),
                self.users()?,
            ],
            kind if kind.is_type() => vec![
                self.members(SectionTitle::Fields, is_value)?,
                self.members(SectionTitle::Methods, SymbolKind::is_callable)?,
                self.members(SectionTitle::Members, |kind| {
                    !is_value(kind) && !kind.is_callable()
                })?,
                self.supertypes(),
                self.implementors(),
                self.users()?,
            ],
            SymbolKind::Module => vec![
                self.exports()?,
                self.dependencies(),
                self.dependents(),
                self.users()?,
            ],
            _ => vec![self.types(), self.users()?],
        })
    }

    fn section(&self, title: SectionTitle, mut items: Vec<DiveItem>) -> DiveSection {
        let total = items.len() as u64;
        if let Some(cap) = self.depth.cap() {
            items.truncate(cap);
        }
        DiveSection {
            title,
            items,
            total,
        }
    }

    fn callers(&self) -> Result<DiveSection, ToolError> {
        let calls = callers(self.graph, &[self.at], self.context.cancel)?;
        let mut items = vec![];
        for call in calls
            .iter()
            .filter(|call| call.resolution != Resolution::NameOnly)
        {
            let mut item = match call.symbol {
                Some(at) => DiveItem::from_symbol(describe_symbol(self.graph, at)),
                None => self.describe_file(call.file),
            };
            item.note = Some(format_call_count(call.lines.len()));
            item.resolution = Some(call.resolution);
            items.push(item);
        }
        // Production code comes before tests.
        items.sort_by_key(|item| item.is_test);
        Ok(self.section(SectionTitle::Callers, items))
    }

    fn callees(&self) -> DiveSection {
        let found = self.graph.calls().callees(self.at);
        let mut items = vec![];
        for call in found
            .calls
            .iter()
            .filter(|call| call.resolution != Resolution::NameOnly)
        {
            let Some(at) = call.symbol else { continue };
            let mut item = DiveItem::from_symbol(describe_symbol(self.graph, at));
            item.note = Some(format_call_count(call.lines.len()));
            item.resolution = Some(call.resolution);
            if self.depth == DiveDepth::Full && items.len() < MAX_SOURCES {
                item.source = read_source(self.graph, self.texts, at);
            }
            items.push(item);
        }
        self.section(SectionTitle::Callees, items)
    }

    /// Returns the section with the types that the symbol mentions.
    fn types(&self) -> DiveSection {
        let uses = self.graph.uses(self.at.file);
        let mut items: Vec<DiveItem> = vec![];
        let mut seen: Vec<SymbolId> = vec![];
        for row in uses
            .rows()
            .iter()
            .filter(|row| row.role == Role::Type && row.symbol == Some(self.at.symbol))
        {
            let Outcome::Targets(targets) = self.graph.resolver().resolve(self.at.file, &uses, row)
            else {
                continue;
            };
            for &at in targets.symbols.iter() {
                if targets.resolution == Resolution::NameOnly || seen.contains(&at) || at == self.at
                {
                    continue;
                }
                seen.push(at);
                let mut item = DiveItem::from_symbol(describe_symbol(self.graph, at));
                item.resolution = Some(targets.resolution);
                items.push(item);
            }
        }
        self.section(SectionTitle::Types, items)
    }

    fn members(
        &self,
        title: SectionTitle,
        is_wanted: impl Fn(SymbolKind) -> bool,
    ) -> Result<DiveSection, ToolError> {
        let mut all = self.graph.members().all(self.at);
        all.retain(|at| is_wanted(self.graph.symbol(*at).kind));
        self.sort_by_use(&mut all)?;
        let mut items = vec![];
        for at in all {
            let mut item = DiveItem::from_symbol(describe_symbol(self.graph, at));
            item.name = self.graph.symbol(at).name.to_string();
            if self.depth == DiveDepth::Full
                && self.graph.symbol(at).kind.is_callable()
                && items.len() < MAX_SOURCES
            {
                item.source = read_source(self.graph, self.texts, at);
            }
            items.push(item);
        }
        Ok(self.section(title, items))
    }

    /// Sorts symbols by use, because lists are cut at the end: all by mentions of their names, then the first ones by resolved
    /// references.
    fn sort_by_use(&self, all: &mut [SymbolId]) -> Result<(), ToolError> {
        let mut counts = MentionCounts::new(self.snapshot)?;
        // A constructor often has the name of its type, so mentions of the name are no measure of its use. It is sorted last.
        let is_constructor = |at: &SymbolId| self.graph.symbol(*at).kind == SymbolKind::Constructor;
        all.sort_by_cached_key(|at| {
            (
                is_constructor(at),
                Reverse(counts.count(&self.graph.symbol(*at).name)),
            )
        });
        let budget = FollowBudget::new(MAX_FILES_COUNTED);
        let mut counted = vec![];
        for at in all
            .iter()
            .take(MAX_COUNTED)
            .take_while(|at| budget.take_users(self.graph, **at))
        {
            let uses = self.graph.references().to(*at, self.context.cancel)?;
            counted.push((
                uses.iter()
                    .filter(|one| one.resolution == Resolution::Resolved)
                    .count(),
                *at,
            ));
        }
        counted.sort_by_key(|(uses, at)| (is_constructor(at), Reverse(*uses)));
        for (place, (_, at)) in all.iter_mut().zip(counted) {
            *place = at;
        }
        Ok(())
    }

    fn supertypes(&self) -> DiveSection {
        let supertypes = self.graph.members().supertypes(self.at);
        let known: Vec<String> = supertypes
            .iter()
            .map(|(at, _)| self.graph.symbol(*at).name.to_string())
            .collect();
        let mut items: Vec<DiveItem> = supertypes
            .into_iter()
            .map(|(at, _)| DiveItem {
                resolution: Some(Resolution::Resolved),
                ..DiveItem::from_symbol(describe_symbol(self.graph, at))
            })
            .collect();
        for name in self.graph.members().supertype_names(self.at) {
            if !known.contains(&name) {
                items.push(DiveItem {
                    name,
                    note: Some("not of this root".to_owned()),
                    ..DiveItem::default()
                });
            }
        }
        self.section(SectionTitle::Implements, items)
    }

    fn implementors(&self) -> DiveSection {
        let items = implementations(self.graph, self.at)
            .into_iter()
            .map(|one| DiveItem {
                resolution: Some(one.resolution),
                ..DiveItem::from_symbol(one.symbol())
            })
            .collect();
        self.section(SectionTitle::Implementors, items)
    }

    fn users(&self) -> Result<DiveSection, ToolError> {
        let mut items = vec![];
        for (at, resolution) in self.graph.tests().users(&[self.at], self.context.cancel)? {
            if resolution == Resolution::NameOnly || self.is_inside(at) {
                continue;
            }
            items.push(DiveItem {
                resolution: Some(resolution),
                ..DiveItem::from_symbol(describe_symbol(self.graph, at))
            });
        }
        items.sort_by_key(|item| item.is_test);
        Ok(self.section(SectionTitle::Users, items))
    }

    /// Returns whether a symbol is a part of this one.
    fn is_inside(&self, at: SymbolId) -> bool {
        let (inner, outer) = (self.graph.symbol(at), self.graph.symbol(self.at));
        at.file == self.at.file
            && outer.start_byte <= inner.start_byte
            && inner.end_byte <= outer.end_byte
            || self.graph.members().owner(at) == Some(self.at)
    }

    fn exports(&self) -> Result<DiveSection, ToolError> {
        let mut all = self.graph.members().all(self.at);
        all.retain(|at| self.graph.symbol(*at).visibility != Some(Visibility::Private));
        self.sort_by_use(&mut all)?;
        let items = all
            .into_iter()
            .map(|at| DiveItem::from_symbol(describe_symbol(self.graph, at)))
            .collect();
        Ok(self.section(SectionTitle::Exports, items))
    }

    fn dependencies(&self) -> DiveSection {
        let mut items: Vec<DiveItem> = vec![];
        for import in &self.graph.file(self.at.file).outline.imports {
            let files = self
                .graph
                .dependencies()
                .files_imported_by(self.at.file, import);
            let name = import.module.to_string();
            if items.iter().any(|item| item.name == name) {
                continue;
            }
            let path = files
                .first()
                .map(|file| self.graph.file(*file).path.clone());
            let note = path.is_none().then(|| "not of this root".to_owned());
            items.push(DiveItem {
                name,
                path,
                note,
                ..DiveItem::default()
            });
        }
        self.section(SectionTitle::Dependencies, items)
    }

    fn dependents(&self) -> DiveSection {
        let mut items: Vec<DiveItem> = vec![];
        for (file, place) in self.graph.dependencies().dependents(self.at.file) {
            let mut item = self.describe_file(file);
            item.start_line = self
                .graph
                .file(file)
                .outline
                .imports
                .get(place)
                .map(|import| import.line);
            if !items.iter().any(|known| known.path == item.path) {
                items.push(item);
            }
        }
        self.section(SectionTitle::Dependents, items)
    }

    /// Returns the tests, and whether there may be more.
    fn tests(&self) -> Result<(DiveSection, bool), ToolError> {
        let all = self.graph.tests();
        let (budget, cancel) = (FollowBudget::new(MAX_FILES), self.context.cancel);
        let ReachingTests {
            mut tests, is_cut, ..
        } = all.reaching(&[self.at], FARTHEST_TEST, &budget, cancel)?;
        if tests.is_empty() {
            tests = all.named_after(self.at, cancel)?;
        }
        let items = tests.iter().map(|test| {
            let item = DiveItem::from_symbol(describe_test(self.graph, test));
            DiveItem {
                note: Some(self.test_note(test)),
                resolution: Some(test.resolution),
                ..item
            }
        });
        Ok((self.section(SectionTitle::Tests, items.collect()), is_cut))
    }

    fn test_note(&self, test: &ReachingTest) -> String {
        match (test.steps, test.via) {
            (None, _) => "named after it".to_owned(),
            (_, Some(via)) => format!(
                "via {}",
                self.graph.file(via.file).qualified(self.graph.symbol(via))
            ),
            (Some(_), None) => "uses it".to_owned(),
        }
    }

    fn describe_file(&self, file: u32) -> DiveItem {
        let path = self.graph.file(file).path.clone();
        DiveItem {
            name: path.clone(),
            path: Some(path),
            is_test: self.graph.tests().is_test_file(file),
            ..DiveItem::default()
        }
    }
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::Variable
            | SymbolKind::Constant
            | SymbolKind::Variant
    )
}

fn format_call_count(calls: usize) -> String {
    if calls == 1 {
        "1 call".to_owned()
    } else {
        format!("{calls} calls")
    }
}
