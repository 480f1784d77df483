//! Accounts for every occurrence of a symbol's name, so that an answer shows that none was overlooked.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::accounting::{
    Accounting, NamesakeCount, OccurrenceKind, OccurrencePlace, PackageCount,
};
use claudevil_protocol::tools::find_references::ConfidenceLevel;

use super::packages::{Origin, origin};
use super::{ClassifiedFile, Word, WordKind};
use crate::graph::{Graph, Outcome, SymbolId, references};
use crate::query::Context;
use crate::query::shared::confidence::confidence;

/// The most uses outside the references that are resolved: a common name has tens of thousands.
const MAX_RESOLVED: usize = 20_000;
/// The most other symbols, and the most packages, that an account names.
const MAX_NAMED: usize = 20;
/// The most places that are listed.
const MAX_PLACES: usize = 20_000;

/// The detail in which an account shows places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountDetail {
    Counted,
    Listed,
}

/// Returns all declarations of some symbols.
pub fn defined(graph: &Graph<'_>, targets: &[SymbolId]) -> Vec<SymbolId> {
    let mut defined: Vec<SymbolId> = targets
        .iter()
        .flat_map(|at| graph.entities().declarations(*at))
        .collect();
    defined.sort_unstable_by_key(|at| (at.file, at.symbol));
    defined.dedup();
    defined
}

/// Counts the words by kind. `defined` are the declarations of the symbol, and `found` its references.
pub fn count_occurrences<'a>(
    graph: &'a Graph<'a>,
    defined: &[SymbolId],
    found: &[references::Reference],
    files: &[ClassifiedFile],
    places: AccountDetail,
    context: &Context,
) -> Result<Accounting, ToolError> {
    let uses = found.iter().map(|one| {
        let level = ConfidenceLevel::from_confidence(confidence(one));
        let position = (one.file, one.row.line, one.row.column);
        (position, level == ConfidenceLevel::Low)
    });
    let mut builder = AccountBuilder {
        graph,
        uses: uses.collect(),
        defined: defined.iter().copied().collect(),
        accounting: Accounting {
            places: (places == AccountDetail::Listed).then(Vec::new),
            unindexed_files: count_unindexed_files(graph, defined),
            ..Accounting::default()
        },
        namesakes: HashMap::new(),
        packages: BTreeMap::new(),
        resolved: 0,
    };
    for ClassifiedFile { file, words, .. } in files {
        context.cancel.check()?;
        let mut defined = builder.defined.iter();
        let is_in_family = defined.any(|at| graph.same_language_family(at.file, *file));
        for (word, kind) in words {
            let kind = builder.add(*file, *word, *kind, is_in_family);
            builder.list(*file, *word, kind);
        }
    }
    Ok(builder.finish())
}

/// Counts the files that are not indexed, and in which code may mean a symbol.
fn count_unindexed_files(graph: &Graph<'_>, defined: &[SymbolId]) -> u64 {
    let language = defined.first().and_then(|at| graph.file(at.file).language);
    language.map_or(0, |language| graph.snapshot.unindexed_files(Some(language)))
}

struct AccountBuilder<'a> {
    graph: &'a Graph<'a>,
    /// The positions of references, and whether each is of low confidence.
    uses: HashMap<(u32, u32, u32), bool>,
    defined: HashSet<SymbolId>,
    accounting: Accounting,
    /// Occurrences of other symbols with the name, by any declaration of each.
    namesakes: HashMap<SymbolId, u64>,
    packages: BTreeMap<Origin, u64>,
    resolved: usize,
}

impl AccountBuilder<'_> {
    fn add(&mut self, file: u32, word: Word, kind: WordKind, is_in_family: bool) -> OccurrenceKind {
        self.accounting.total += 1;
        if let Some(is_doubtful) = self.uses.get(&(file, word.line, word.column)) {
            self.accounting.uses += 1;
            self.accounting.doubtful += u64::from(*is_doubtful);
            return OccurrenceKind::Use;
        }
        let row = match kind {
            WordKind::Definition(at) if self.defined.contains(&at) => {
                self.accounting.definitions += 1;
                return OccurrenceKind::Definition;
            }
            WordKind::Definition(at) => return self.add_namesake(at),
            WordKind::Code if self.is_keyword(file) => {
                return self.add_external(Origin {
                    package: None,
                    reason: "a word of the language",
                });
            }
            WordKind::Code if is_in_family => return self.add_unknown(),
            WordKind::Comment | WordKind::String | WordKind::Prose | WordKind::Code => {
                self.accounting.text += 1;
                return OccurrenceKind::Text;
            }
            WordKind::Use(_) if self.resolved >= MAX_RESOLVED => {
                self.accounting.not_examined += 1;
                return OccurrenceKind::NotExamined;
            }
            WordKind::Use(row) => row,
        };
        self.resolved += 1;
        let uses = self.graph.uses(file);
        match self.graph.resolver().resolve_once(file, &uses, &row) {
            Outcome::Targets(targets) => match targets.symbols.first() {
                Some(at) => self.add_namesake(*at),
                None => self.add_unknown(),
            },
            Outcome::Local => {
                self.accounting.locals += 1;
                OccurrenceKind::Local
            }
            Outcome::Foreign => self.add_external(origin(self.graph, file, &uses, &row)),
            Outcome::Unknown if is_in_family => self.add_unknown(),
            Outcome::Unknown => {
                self.accounting.text += 1;
                OccurrenceKind::Text
            }
        }
    }

    fn add_namesake(&mut self, at: SymbolId) -> OccurrenceKind {
        *self.namesakes.entry(at).or_default() += 1;
        OccurrenceKind::OtherSymbol
    }

    fn add_external(&mut self, origin: Origin) -> OccurrenceKind {
        self.accounting.external += 1;
        *self.packages.entry(origin).or_default() += 1;
        OccurrenceKind::External
    }

    /// Returns whether the name is a keyword or a built-in type in a file's language: `number` in TypeScript.
    fn is_keyword(&self, file: u32) -> bool {
        let facts = self
            .graph
            .file(file)
            .language
            .and_then(|of| of.facts.as_ref());
        let name = self
            .defined
            .iter()
            .next()
            .map(|at| &*self.graph.symbol(*at).name);
        facts.zip(name).is_some_and(|(facts, name)| {
            facts.naming.reserved.contains(&name) || facts.naming.reserved_types.contains(&name)
        })
    }

    fn add_unknown(&mut self) -> OccurrenceKind {
        self.accounting.unknown += 1;
        OccurrenceKind::Unknown
    }

    fn list(&mut self, file: u32, word: Word, kind: OccurrenceKind) {
        let places = self.accounting.places.as_mut();
        if let Some(places) = places.filter(|places| places.len() < MAX_PLACES) {
            places.push(OccurrencePlace {
                path: self.graph.file(file).path.clone(),
                line: word.line,
                column: word.column + 1,
                kind,
            });
        }
    }

    fn finish(self) -> Accounting {
        let other_symbols = self.namesakes.values().sum();
        let mut by_definition: HashMap<SymbolId, u64> = HashMap::new();
        for (at, count) in self.namesakes {
            let definition = self.graph.entities().definition(at);
            *by_definition.entry(definition).or_default() += count;
        }
        let mut namesakes: Vec<(SymbolId, u64)> = by_definition.into_iter().collect();
        namesakes.sort_by_key(|(at, count)| (Reverse(*count), at.file, at.symbol));
        let describe = |(at, occurrences): (SymbolId, u64)| {
            let (file, symbol) = (self.graph.file(at.file), self.graph.symbol(at));
            NamesakeCount {
                qualified: file.qualified(symbol),
                path: file.path.clone(),
                line: symbol.name_line,
                occurrences,
            }
        };
        let mut packages: Vec<(Origin, u64)> = self.packages.into_iter().collect();
        packages.sort_by_key(|(_, count)| Reverse(*count));
        let packages = packages.into_iter().take(MAX_NAMED);
        let packages = packages.map(|(origin, occurrences)| PackageCount {
            package: origin.package,
            reason: origin.reason.to_owned(),
            occurrences,
        });
        Accounting {
            other_symbols,
            symbols: namesakes
                .into_iter()
                .take(MAX_NAMED)
                .map(describe)
                .collect(),
            packages: packages.collect(),
            ..self.accounting
        }
    }
}
