//! Finds every occurrence of the old name, with the verdict on it.
//!
//! The references of the graph are not enough for a rename: every other word that equals the name is classified too, and one
//! that may or may not mean the symbol is doubtful.

use std::collections::BTreeSet;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::graph::Resolution;

use super::classify::{Classifier, Rewrite, Verdict};
use super::file_context::FileContext;
use super::name_search::{NamePattern, WordMatch};
use super::source_cache::SourceText;
use super::{last_part, unreadable};
use crate::graph::{Graph, Uses};
use crate::lang;
use crate::query::Context;
use crate::query::shared::confidence::confidence;

/// The most files of other languages that are read.
const MAX_OTHER_FILES: usize = 600;
const MAX_MENTIONS: usize = 500;
/// Shorter names are in too many texts to be searched for in other languages.
const SHORTEST_MENTION: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    pub file: u32,
    pub word: WordMatch,
    pub rewrite: Rewrite,
    pub verdict: Verdict,
}

/// Returns the occurrences in the order of the files and their lines.
pub fn find_occurrences(
    context: &Context,
    classifier: &Classifier<'_>,
) -> Result<Vec<Occurrence>, ToolError> {
    let Classifier {
        graph,
        sources,
        set,
    } = *classifier;
    let name = last_part(&graph.symbol(set.target).name);
    let pattern = NamePattern::new(name, sources.naming(set.target.file));
    let mut files: BTreeSet<u32> = set.references.iter().map(|found| found.file).collect();
    files.extend(set.members.iter().map(|at| at.file));
    files.extend(graph.files_with(name).iter());
    let (mut occurrences, mut other_files, mut mentions) = (vec![], 0, 0);
    for file in files {
        let is_code = may_use_symbol(graph, set.target.file, file);
        other_files += usize::from(!is_code);
        if !is_code && (other_files > MAX_OTHER_FILES || name.len() < SHORTEST_MENTION) {
            continue;
        }
        context.cancel.check()?;
        let Some(source) = sources.open(file) else {
            // The file may contain a use, so the rename would be incomplete.
            if is_code {
                return Err(unreadable(&graph.file(file).path));
            }
            continue;
        };
        let uses = graph.uses(file);
        let file_context = FileContext::new(graph, set, file, &source, &uses);
        let first = occurrences.len();
        for word in pattern.find_all(source.text()) {
            let verdict = if is_code {
                classifier.classify(&file_context, word)
            } else {
                classifier.classify_in_other_language(file)
            };
            let Some((rewrite, verdict)) = verdict else {
                continue;
            };
            let is_mention = matches!(verdict, Verdict::Mention { .. });
            mentions += usize::from(is_mention);
            if !is_mention || mentions <= MAX_MENTIONS {
                occurrences.push(Occurrence {
                    file,
                    word,
                    rewrite,
                    verdict,
                });
            }
        }
        occurrences.extend(classifier.attributes(file, &source, &uses));
        occurrences[first..].sort_by_key(|one| (one.word.line, one.word.column));
        sources.close(file);
    }
    Ok(occurrences)
}

impl Classifier<'_> {
    /// Returns the attributes of a file that name the symbol without its suffix: `[Route]` for `RouteAttribute`.
    fn attributes(&self, file: u32, source: &SourceText, uses: &Uses) -> Vec<Occurrence> {
        let Self { graph, set, .. } = *self;
        let (Some(short), Some(rules)) = (
            graph.references().name_as_attribute(set.target),
            graph.rules(set.target.file),
        ) else {
            return vec![];
        };
        let references = set
            .references
            .iter()
            .filter(|one| one.file == file && graph.has_uses(file) && uses.name(&one.row) == short);
        references
            .filter_map(|one| {
                let (line, column) = (one.row.line, one.row.column);
                let offset = source.offset(line, column)?;
                let verdict = match one.resolution {
                    Resolution::Resolved => Verdict::Change,
                    _ => Verdict::Doubt {
                        confidence: confidence(one),
                        reason: one.reason,
                    },
                };
                Some(Occurrence {
                    file,
                    word: WordMatch {
                        offset,
                        line,
                        column,
                    },
                    rewrite: Rewrite::WithoutSuffix(rules.family.attribute_suffix()?),
                    verdict,
                })
            })
            .collect()
    }
}

/// Returns whether names of a file can mean a symbol of another: both are in one family of languages, or the file embeds
/// code of that family. Code that prose shows is not embedded.
fn may_use_symbol(graph: &Graph<'_>, symbol_file: u32, file: u32) -> bool {
    let (Some(own), Some(language)) = (graph.file(symbol_file).language, graph.file(file).language)
    else {
        return false;
    };
    let embedded = language
        .embed
        .iter()
        .filter(|_| !language.prose)
        .filter_map(|embed| lang::by_name(embed.language));
    std::iter::once(language)
        .chain(embedded)
        .any(|one| lang::same_language_family(one, own))
}
