//! Asks a daemon about everything that a project's truth defines.

use std::collections::{BTreeMap, BTreeSet};

use claudevil_protocol::answer::graph::Resolution;
use claudevil_protocol::answer::symbol::SymbolKind;
use claudevil_protocol::text::tokens::MAX_TOKENS;
use claudevil_protocol::tools::calls::{CallItem, FindCallees, FindCallers};
use claudevil_protocol::tools::find_implementations::FindImplementations;
use claudevil_protocol::tools::find_references::{ConfidenceLevel, FindReferences};
use claudevil_protocol::tools::find_symbol::{FindSymbol, FoundSymbol, SymbolMatch};

use super::report::{Edges, Figures};
use super::truth::{SourceLine, Truth};
use crate::relevance::asking::Root;

/// Asks about one project and compares.
pub async fn judge(root: &Root<'_>, truth: &Truth, language: &str) -> Figures {
    let mut comparison = Comparison {
        root,
        truth,
        figures: Figures {
            language: language.to_owned(),
            ..Figures::default()
        },
    };
    for (id, place) in &truth.definitions {
        comparison.about(id, place).await;
    }
    comparison.figures
}

struct Comparison<'a> {
    root: &'a Root<'a>,
    truth: &'a Truth,
    figures: Figures,
}

impl Comparison<'_> {
    async fn about(&mut self, id: &str, (path, line): &SourceLine) {
        let kind = self.definition(id, path, *line).await;
        // Making an object is a call of its class, whatever its constructor is called.
        if kind == Some(SymbolKind::Constructor) {
            return;
        }
        if kind.is_none() {
            self.figures
                .references
                .record_missing(self.truth.references.get(id).map_or(0, BTreeSet::len));
            return;
        }
        self.references(id, path, *line).await;
        if self.truth.callers.contains_key(id) {
            self.callers(id, path, *line).await;
        }
        if !self.truth.callees(id).is_empty() {
            self.callees(id, path, *line).await;
        }
        if self.truth.implementors.contains_key(id) {
            self.implementations(id, path, *line).await;
        }
    }

    /// Returns the kind of the symbol that is found at the definition.
    async fn definition(&mut self, id: &str, path: &str, line: u32) -> Option<SymbolKind> {
        let name = self.truth.name(id).to_owned();
        let matching = Some(SymbolMatch::Exact);
        let params = FindSymbol {
            name: name.clone(),
            matching,
            limit: Some(100),
            ..FindSymbol::default()
        };
        let found = self
            .root
            .ask(params)
            .await
            .map(|found| found.symbols)
            .unwrap_or_default();
        // A use that is taken for a definition is found for every thing of that name, and counts once for each.
        let is_use = |one: &&FoundSymbol| {
            one.name == name
                && self
                    .truth
                    .is_use(&name, &one.path, one.start_line..=one.end_line)
        };
        for wrong in found.iter().filter(is_use) {
            self.figures.definitions.wrong += 1;
            let (kind, path, line) = (wrong.kind.as_str(), &wrong.path, wrong.start_line);
            self.figures
                .mistakes
                .push(format!("{kind} {name} at {path}:{line} is a use of {id}"));
        }
        let here = found
            .into_iter()
            .filter(|one| one.path == path && (one.start_line..=one.end_line).contains(&line))
            .min_by_key(|one| one.end_line - one.start_line);
        let Some(symbol) = here else {
            self.figures.definitions.missing += 1;
            self.figures
                .mistakes
                .push(format!("no definition of {id} at {path}:{line}"));
            return None;
        };
        self.figures.definitions.right += 1;
        Some(symbol.kind)
    }

    async fn references(&mut self, id: &str, path: &str, line: u32) {
        let mut found: BTreeMap<SourceLine, Resolution> = BTreeMap::new();
        let mut cursor = None;
        loop {
            let params = FindReferences {
                symbol: Some(self.truth.name(id).to_owned()),
                path: Some(path.to_owned()),
                line: Some(line),
                min_confidence: Some(ConfidenceLevel::Medium),
                limit: Some(FindReferences::MAX_REFERENCES),
                max_tokens: Some(MAX_TOKENS),
                cursor,
                ..FindReferences::default()
            };
            let answer = self
                .root
                .ask(params)
                .await
                .unwrap_or_else(|error| panic!("{id}: {}", error.text()));
            for reference in answer.references {
                let known = found
                    .entry((reference.path, reference.line))
                    .or_insert(reference.resolution);
                *known = reference.resolution.min(*known);
            }
            cursor = answer.cursor;
            if cursor.is_none() {
                break;
            }
        }
        let expected = self.truth.references.get(id).cloned().unwrap_or_default();
        found.retain(|place, _| expected.contains(place) || !self.truth.may(id, place));
        let edges = self.compare(&found, &expected, |place| {
            format!("{id} {}:{}", place.0, place.1)
        });
        self.figures.references.add(edges);
    }

    async fn callers(&mut self, id: &str, path: &str, line: u32) {
        let params = FindCallers {
            symbol: Some(self.truth.name(id).to_owned()),
            path: Some(path.to_owned()),
            line: Some(line),
            limit: Some(200),
            max_tokens: Some(MAX_TOKENS),
            ..FindCallers::default()
        };
        let found = self
            .root
            .ask(params)
            .await
            .unwrap_or_else(|error| panic!("{id}: {}", error.text()))
            .callers;
        let expected = self.truth.callers.get(id).cloned().unwrap_or_default();
        let found = self.ends(&found, &expected, |_, item, line| {
            self.truth.may(id, &(item.path.clone(), line))
        });
        let edges = self.compare(&found, &expected, |caller| format!("{caller} calls {id}"));
        self.figures.callers.add(edges);
    }

    async fn callees(&mut self, id: &str, path: &str, line: u32) {
        let params = FindCallees {
            symbol: Some(self.truth.name(id).to_owned()),
            path: Some(path.to_owned()),
            line: Some(line),
            limit: Some(200),
            max_tokens: Some(MAX_TOKENS),
            ..FindCallees::default()
        };
        let found = self
            .root
            .ask(params)
            .await
            .unwrap_or_else(|error| panic!("{id}: {}", error.text()))
            .callees;
        let expected = self.truth.callees(id);
        let mut found = self.ends(&found, &expected, |callee, _, line| {
            self.truth.may(callee, &(path.to_owned(), line))
        });
        // Symbols without a mark are never asked about, and not counted.
        found.retain(|callee, _| self.truth.definitions.contains_key(callee));
        let edges = self.compare(&found, &expected, |callee| {
            format!("{callee} is called by {id}")
        });
        self.figures.callees.add(edges);
    }

    async fn implementations(&mut self, id: &str, path: &str, line: u32) {
        let params = FindImplementations {
            symbol: Some(self.truth.name(id).to_owned()),
            path: Some(path.to_owned()),
            line: Some(line),
            limit: Some(200),
            max_tokens: Some(MAX_TOKENS),
            ..FindImplementations::default()
        };
        let answer = self
            .root
            .ask(params)
            .await
            .unwrap_or_else(|error| panic!("{id}: {}", error.text()));
        let said = answer.implementations.iter();
        let found = said
            .filter_map(|one| Some((self.id_at(&one.name, &one.path, one.line)?, one.resolution)))
            .collect();
        let expected = self.truth.all_implementors(id);
        let edges = self.compare(&found, &expected, |below| {
            format!("{below} implements {id}")
        });
        self.figures.implementations.add(edges);
    }

    /// Returns the things at the other ends of calls. Calls known by name only claim nothing. An unexpected thing is left out
    /// if each of its calls is marked as possible.
    fn ends(
        &self,
        items: &[CallItem],
        expected: &BTreeSet<String>,
        may: impl Fn(&str, &CallItem, u32) -> bool,
    ) -> BTreeMap<String, Resolution> {
        let mut found = BTreeMap::new();
        for item in items
            .iter()
            .filter(|item| item.resolution != Resolution::NameOnly)
        {
            let is_top = item.kind == SymbolKind::Module && item.signature.is_empty();
            let id = self.id_at(&item.name, &item.path, item.line);
            let id = if is_top {
                "-".to_owned()
            } else {
                id.unwrap_or_else(|| format!("?{}", item.qualified))
            };
            let counts =
                expected.contains(&id) || !item.call_lines.iter().all(|line| may(&id, item, *line));
            if counts {
                let known = found.entry(id).or_insert(item.resolution);
                *known = item.resolution.min(*known);
            }
        }
        found
    }

    /// Returns the thing that is defined on a line; of several, the one with the name.
    fn id_at(&self, name: &str, path: &str, line: u32) -> Option<String> {
        let here = || {
            self.truth
                .definitions
                .iter()
                .filter(|(_, place)| place.0 == path && place.1 == line)
        };
        let named = here().find(|(id, _)| self.truth.name(id) == name);
        named.or_else(|| here().next()).map(|(id, _)| id.clone())
    }

    fn compare<T: Ord>(
        &mut self,
        found: &BTreeMap<T, Resolution>,
        expected: &BTreeSet<T>,
        words: impl Fn(&T) -> String,
    ) -> Edges {
        let mut edges = Edges::default();
        for (one, resolution) in found {
            let is_right = expected.contains(one);
            edges.record_answer(*resolution == Resolution::Resolved, is_right);
            if !is_right {
                self.figures
                    .mistakes
                    .push(format!("+ {} ({})", words(one), resolution.as_str()));
            }
        }
        for one in expected.iter().filter(|one| !found.contains_key(*one)) {
            edges.record_missing(1);
            self.figures.mistakes.push(format!("- {}", words(one)));
        }
        edges
    }
}
