//! Mentions: words in comments, strings, prose and unresolved code that equal the name of a symbol and are not known uses.

use std::collections::HashSet;

use claudevil_protocol::answer::graph::{Resolution, UseRole};
use claudevil_protocol::tools::find_references::{ConfidenceLevel, Reference};

use super::enclosing;
use crate::graph::{Graph, SymbolId, references};
use crate::query::shared::occurrences::{ClassifiedFile, NameOccurrences, WordKind};

const MAX_MENTIONS: usize = 500;
/// The confidence of a word in a comment or string of the symbol's language family.
pub const MENTION_IN_FAMILY: f64 = 0.2;
/// The confidence of a word in prose or another language.
const MENTION_ELSEWHERE: f64 = 0.15;
/// The confidence of a word in code that is not resolved.
const UNRESOLVED_CODE: f64 = 0.25;

pub struct Mentions<'a> {
    pub graph: &'a Graph<'a>,
    pub target: SymbolId,
    pub occurrences: &'a NameOccurrences<'a>,
}

impl Mentions<'_> {
    /// Returns the words that are neither uses nor definitions, the first of each line.
    pub fn list(
        &self,
        found: &[references::Reference],
        files: Vec<ClassifiedFile>,
    ) -> Vec<Reference> {
        let known: HashSet<(u32, u32)> = found.iter().map(|one| (one.file, one.row.line)).collect();
        let mut mentions = vec![];
        for ClassifiedFile { file, words } in files {
            if !self.occurrences.may_mention(file) {
                continue;
            }
            let is_in_family = self.graph.same_language_family(self.target.file, file);
            let beside_confidence = if is_in_family {
                MENTION_IN_FAMILY
            } else {
                MENTION_ELSEWHERE
            };
            let mut last = 0;
            for (word, kind) in words {
                let reason = match kind {
                    WordKind::Definition(_) | WordKind::Use(_) => continue,
                    WordKind::Prose => (MENTION_ELSEWHERE, "text match only"),
                    WordKind::Comment => (beside_confidence, "a word in a comment"),
                    WordKind::String => (beside_confidence, "a word in a string"),
                    WordKind::Code if is_in_family => {
                        (UNRESOLVED_CODE, "text match in code that is not resolved")
                    }
                    WordKind::Code => (MENTION_ELSEWHERE, "text match in another language"),
                };
                if word.line != last && !known.contains(&(file, word.line)) {
                    last = word.line;
                    mentions.push(self.describe(file, word.line, word.column, reason));
                }
            }
            if mentions.len() >= MAX_MENTIONS {
                mentions.truncate(MAX_MENTIONS);
                break;
            }
        }
        mentions
    }

    fn describe(
        &self,
        file: u32,
        line: u32,
        column: u32,
        (confidence, reason): (f64, &'static str),
    ) -> Reference {
        let symbols = &self.graph.file(file).outline.symbols;
        let around = symbols
            .iter()
            .rposition(|symbol| (symbol.start_line..=symbol.end_line).contains(&line));
        Reference {
            path: self.graph.file(file).path.clone(),
            line,
            column: column + 1,
            role: UseRole::Mention,
            usage: "mention in".to_owned(),
            confidence,
            level: ConfidenceLevel::Low,
            resolution: Resolution::NameOnly,
            reason: reason.to_owned(),
            candidates: None,
            enclosing: around
                .and_then(|symbol| enclosing(self.graph, file, u32::try_from(symbol).ok())),
            text: String::new(),
            context: None,
            is_test: self.graph.tests().is_test_file(file),
        }
    }
}
