//! Asks a daemon about everything that a project's truth defines.

use std::collections::{BTreeMap, BTreeSet};

use claudevil_protocol::model::MOST_TOKENS;
use claudevil_protocol::model::calls::{CallItem, FindCallees, FindCallers};
use claudevil_protocol::model::find_implementations::FindImplementations;
use claudevil_protocol::model::find_references::{ConfidenceLevel, FindReferences, Reference};
use claudevil_protocol::model::find_symbol::{FindSymbol, SymbolMatch};
use claudevil_protocol::model::graph::Resolution;
use claudevil_protocol::model::symbol::SymbolKind;

use super::report::{Figures, Tally};
use super::truth::{Place, Truth};
use crate::relevance::asking::Root;

/// Asks about one project and compares.
pub async fn judge(root: &Root<'_>, truth: &Truth, language: &str) -> Figures {
    let mut judging = Judging { root, truth, figures: Figures { language: language.to_owned(), ..Figures::default() } };
    for (id, place) in &truth.definitions {
        judging.about(id, place).await;
    }
    judging.figures
}

struct Judging<'a> {
    root: &'a Root<'a>,
    truth: &'a Truth,
    figures: Figures,
}

impl Judging<'_> {
    async fn about(&mut self, id: &str, (path, line): &Place) {
        let kind = self.definition(id, path, *line).await;
        // Making an object is a call of its class, whatever its constructor is called.
        if kind == Some(SymbolKind::Constructor) {
            return;
        }
        if kind.is_none() {
            self.figures.references.missing += self.truth.references.get(id).map_or(0, BTreeSet::len);
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

    /// The kind of what is found at the definition.
    async fn definition(&mut self, id: &str, path: &str, line: u32) -> Option<SymbolKind> {
        let name = self.truth.name(id).to_owned();
        let params = FindSymbol { name, matching: Some(SymbolMatch::Exact), limit: Some(100), ..FindSymbol::default() };
        let found = self.root.ask(params).await.map(|found| found.symbols).unwrap_or_default();
        let here = found
            .into_iter()
            .filter(|one| one.path == path && (one.start_line..=one.end_line).contains(&line))
            .min_by_key(|one| one.end_line - one.start_line);
        let Some(symbol) = here else {
            self.figures.definitions.missing += 1;
            self.figures.mistakes.push(format!("no definition of {id} at {path}:{line}"));
            return None;
        };
        self.figures.definitions.right += 1;
        Some(symbol.kind)
    }

    async fn references(&mut self, id: &str, path: &str, line: u32) {
        let mut found: BTreeMap<Place, Reference> = BTreeMap::new();
        let mut cursor = None;
        loop {
            let params = FindReferences {
                symbol: Some(self.truth.name(id).to_owned()),
                path: Some(path.to_owned()),
                line: Some(line),
                min_confidence: Some(ConfidenceLevel::Medium),
                limit: Some(FindReferences::MOST_REFERENCES),
                max_tokens: Some(MOST_TOKENS),
                cursor,
                ..FindReferences::default()
            };
            let answer = self.root.ask(params).await.unwrap_or_else(|error| panic!("{id}: {}", error.text()));
            for reference in answer.references {
                let place = (reference.path.clone(), reference.line);
                let surer = found.get(&place).is_none_or(|known| reference.resolution < known.resolution);
                if surer {
                    found.insert(place, reference);
                }
            }
            cursor = answer.cursor;
            if cursor.is_none() {
                break;
            }
        }
        let none = BTreeSet::new();
        let expected = self.truth.references.get(id).unwrap_or(&none);
        let possible = self.truth.possible.get(id).unwrap_or(&none);
        for (place, reference) in &found {
            let right = expected.contains(place);
            if !right && possible.contains(place) {
                continue;
            }
            let tally = Tally { right: usize::from(right), wrong: usize::from(!right), missing: 0 };
            self.figures.references.add(tally);
            match reference.resolution {
                Resolution::Resolved => self.figures.resolved.add(tally),
                Resolution::Ambiguous | Resolution::NameOnly => self.figures.ambiguous.add(tally),
            }
            if !right {
                let how = reference.resolution.as_str();
                self.figures.mistakes.push(format!("+ {id} {}:{} ({how})", place.0, place.1));
            }
        }
        for place in expected.iter().filter(|place| !found.contains_key(*place)) {
            self.figures.references.missing += 1;
            self.figures.mistakes.push(format!("- {id} {}:{}", place.0, place.1));
        }
    }

    async fn callers(&mut self, id: &str, path: &str, line: u32) {
        let (path, line) = (Some(path.to_owned()), Some(line));
        let params = FindCallers {
            symbol: Some(self.truth.name(id).to_owned()),
            path,
            line,
            limit: Some(200),
            ..FindCallers::default()
        };
        let found = self.root.ask(params).await.unwrap_or_else(|error| panic!("{id}: {}", error.text())).callers;
        let found = self.named(&found, |_| !self.truth.possible.contains_key(id));
        let expected = self.truth.callers.get(id).cloned().unwrap_or_default();
        let tally = self.compare("calls", id, &found, &expected);
        self.figures.callers.add(tally);
    }

    async fn callees(&mut self, id: &str, path: &str, line: u32) {
        let (path, line) = (Some(path.to_owned()), Some(line));
        let params = FindCallees {
            symbol: Some(self.truth.name(id).to_owned()),
            path,
            line,
            limit: Some(200),
            ..FindCallees::default()
        };
        let found = self.root.ask(params).await.unwrap_or_else(|error| panic!("{id}: {}", error.text())).callees;
        let found = self.named(&found, |callee| !self.truth.possible.contains_key(callee));
        // What has no mark is never asked about, and not counted.
        let found = found.into_iter().filter(|name| self.truth.definitions.contains_key(name)).collect();
        let expected = self.truth.callees(id);
        let tally = self.compare("is called by", id, &found, &expected);
        self.figures.callees.add(tally);
    }

    async fn implementations(&mut self, id: &str, path: &str, line: u32) {
        let (path, line) = (Some(path.to_owned()), Some(line));
        let params = FindImplementations {
            symbol: Some(self.truth.name(id).to_owned()),
            path,
            line,
            limit: Some(200),
            ..FindImplementations::default()
        };
        let answer = self.root.ask(params).await.unwrap_or_else(|error| panic!("{id}: {}", error.text()));
        let found = answer.implementations.iter().filter_map(|one| self.id_at(&one.path, one.line)).collect();
        let expected = self.truth.all_implementors(id);
        let tally = self.compare("implements", id, &found, &expected);
        self.figures.implementations.add(tally);
    }

    /// The things that are meant by the ends of calls; of those that are not sure only what is `demanded` counts.
    fn named(&self, items: &[CallItem], demanded: impl Fn(&str) -> bool) -> BTreeSet<String> {
        items
            .iter()
            .map(|item| {
                let is_top = item.kind == SymbolKind::Module && item.signature.is_empty();
                let id = self.id_at(&item.path, item.line);
                let id = if is_top { "-".to_owned() } else { id.unwrap_or_else(|| format!("?{}", item.qualified)) };
                (id, item.resolution)
            })
            .filter(|(id, resolution)| match resolution {
                Resolution::Resolved => true,
                Resolution::Ambiguous => demanded(id),
                Resolution::NameOnly => false,
            })
            .map(|(id, _)| id)
            .collect()
    }

    fn id_at(&self, path: &str, line: u32) -> Option<String> {
        let is_here = |place: &Place| place.0 == path && place.1 == line;
        self.truth.definitions.iter().find(|(_, place)| is_here(place)).map(|(id, _)| id.clone())
    }

    fn compare(&mut self, word: &str, id: &str, found: &BTreeSet<String>, expected: &BTreeSet<String>) -> Tally {
        for wrong in found.difference(expected) {
            self.figures.mistakes.push(format!("+ {wrong} {word} {id}"));
        }
        for missing in expected.difference(found) {
            self.figures.mistakes.push(format!("- {missing} {word} {id}"));
        }
        Tally {
            right: found.intersection(expected).count(),
            wrong: found.difference(expected).count(),
            missing: expected.difference(found).count(),
        }
    }
}
