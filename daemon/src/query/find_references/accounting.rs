//! Accounts for every occurrence of a symbol's name, so that an answer without it is known to be none.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::accounting::{Accounting, NamesakeCount};
use claudevil_protocol::tools::find_references::ConfidenceLevel;

use super::mentions::{ClassifiedFile, WordKind};
use crate::graph::{Graph, Outcome, SymbolId, references};
use crate::query::Context;
use crate::query::shared::confidence::confidence;

/// Uses of other symbols that are resolved at most: a common name has tens of thousands.
const MOST_RESOLVED: usize = 2_000;
/// Other symbols that are named at most.
const MOST_NAMESAKES: usize = 20;

/// Counts what the words are. `defined` are the declarations of the symbol, and `found` its references.
pub fn account(
    graph: &Graph<'_>,
    defined: &[SymbolId],
    found: &[references::Reference],
    files: &[ClassifiedFile],
    context: &Context,
) -> Result<Accounting, ToolError> {
    let uses: HashMap<(u32, u32, u32), bool> = found
        .iter()
        .map(|one| {
            let level = ConfidenceLevel::from_confidence(confidence(one));
            let position = (one.file, one.row.line, one.row.column);
            (position, level == ConfidenceLevel::Low)
        })
        .collect();
    let defined: HashSet<SymbolId> = defined.iter().copied().collect();
    let mut accounting = Accounting::default();
    let mut namesakes: HashMap<SymbolId, u64> = HashMap::new();
    let mut resolved = 0;
    for ClassifiedFile { file, words, .. } in files {
        context.cancel.check()?;
        let is_in_family = defined
            .iter()
            .any(|at| graph.same_language_family(at.file, *file));
        for (word, kind) in words {
            accounting.total += 1;
            if let Some(is_doubtful) = uses.get(&(*file, word.line, word.column)) {
                accounting.uses += 1;
                accounting.doubtful += u64::from(*is_doubtful);
                continue;
            }
            let row = match kind {
                WordKind::Definition(at) if defined.contains(at) => {
                    accounting.definitions += 1;
                    continue;
                }
                WordKind::Definition(at) => {
                    *namesakes
                        .entry(graph.entities().definition(*at))
                        .or_default() += 1;
                    continue;
                }
                WordKind::Code if is_in_family => {
                    accounting.unknown += 1;
                    continue;
                }
                WordKind::Comment | WordKind::String | WordKind::Prose | WordKind::Code => {
                    accounting.text += 1;
                    continue;
                }
                WordKind::Use(_) if resolved >= MOST_RESOLVED => {
                    accounting.not_examined += 1;
                    continue;
                }
                WordKind::Use(row) => row,
            };
            resolved += 1;
            match graph.resolver().resolve(*file, &graph.uses(*file), row) {
                Outcome::Targets(targets) => match targets.symbols.first() {
                    Some(at) => {
                        *namesakes
                            .entry(graph.entities().definition(*at))
                            .or_default() += 1;
                    }
                    None => accounting.unknown += 1,
                },
                Outcome::Local => accounting.locals += 1,
                Outcome::Foreign => accounting.external += 1,
                Outcome::Unknown => accounting.unknown += 1,
            }
        }
    }
    accounting.other_symbols = namesakes.values().sum();
    let mut namesakes: Vec<(SymbolId, u64)> = namesakes.into_iter().collect();
    namesakes.sort_by_key(|(at, count)| (Reverse(*count), at.file, at.symbol));
    let named = namesakes.into_iter().take(MOST_NAMESAKES);
    accounting.symbols = named
        .map(|(at, occurrences)| {
            let (file, symbol) = (graph.file(at.file), graph.symbol(at));
            NamesakeCount {
                qualified: file.qualified(symbol),
                path: file.path.clone(),
                line: symbol.name_line,
                occurrences,
            }
        })
        .collect();
    Ok(accounting)
}
