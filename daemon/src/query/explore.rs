//! `explore`: answers a question with the few symbols that matter most, their source and their connections.

mod candidates;
mod selection;
mod surroundings;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::hits::SearchHit;
use claudevil_protocol::text::Line;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::explore::{Exploration, Explore, ExploredSymbol};
use claudevil_protocol::tools::search::Search;

use self::candidates::CandidateSearch;
use self::selection::{Selection, reason};
use self::surroundings::{Surroundings, connections};
use super::Context;
use super::code_search::{self, CodeSearch};
use super::shared::commits::recent_commits;
use super::shared::graph_root::{GraphRoot, add_note_of_values};
use super::shared::recent_answers;
use super::shared::symbol_info::{describe_symbol, read_source};
use crate::search::question::Question;
use crate::search::rank::Evidence;

const HITS: u32 = 24;
/// Longer symbols are shown by their outline and the lines that have words of the question.
const LONGEST_SOURCE: usize = 120;
/// Symbols whose last commits are shown.
const MAX_FOLLOWED: usize = 3;
/// The reason of a hit if nothing has a word of the question.
const NEAREST: &str = "closest in meaning, but not a close match";

pub fn explore(context: &Context, params: &Explore) -> Result<Exploration, ToolError> {
    // Opened before the search, because it waits for a nearly complete first index, in which the search then finds symbols.
    let root = GraphRoot::open(context)?;
    // The pages of a report refer to it by an id.
    let is_kept = |answer: &Exploration| !answer.is_report;
    recent_answers::get_or_make(&root, context, params, is_kept, || {
        answer(context, params, &root)
    })
}

fn answer(
    context: &Context,
    params: &Explore,
    root: &GraphRoot<'_>,
) -> Result<Exploration, ToolError> {
    let query = Search {
        query: params.question.clone(),
        path: params.path.clone(),
        language: params.language.clone(),
        limit: Some(HITS),
        ..Search::default()
    };
    let CodeSearch {
        results: found,
        evidence,
        has_no_match,
        meaning,
    } = code_search::search(context, &query)?;
    let graph = root.graph();
    let texts = root.texts();
    // For a report, this is its title, and the hits are functions selected by its whole text.
    let asked = &found.query;
    let question = Question::new(asked);
    let question = question.within(&root.indexed.root.name);
    let mut selection = Selection::new(asked);
    if has_no_match {
        for hit in &found.results {
            selection.add_to_read(&graph, hit, NEAREST);
        }
    } else {
        let hits = || found.results.iter().zip(&evidence);
        let is_report = found.report.is_some();
        let is_named =
            |(hit, evidence): &(&SearchHit, &Evidence)| hit.definition || evidence.location > 0.0;
        for (hit, evidence) in hits().filter(is_named) {
            let why = reason(hit, evidence, is_report);
            if is_report {
                selection.add_frame(&graph, hit, why);
            } else {
                selection.add_hit(&graph, hit, why);
            }
        }
        if found.report.is_none() {
            let search = CandidateSearch {
                graph: &graph,
                texts: &texts,
                question: &question,
                meaning: meaning
                    .as_ref()
                    .map(|meaning| meaning.compare_with(&root.indexed.snapshot)),
                hits: &found.results,
            };
            for candidate in search.run() {
                selection.add_candidate(&graph, &candidate);
            }
        }
        let is_shown = |one: &(&SearchHit, &Evidence)| is_report && is_named(one);
        for (hit, evidence) in hits().filter(|one| !is_shown(one)) {
            selection.add_hit(&graph, hit, reason(hit, evidence, is_report));
        }
    }
    selection.add_callees_to_read(&graph);
    selection.add_definitions_to_read(&graph);
    let connections = connections(&graph, &selection.symbols);
    let surroundings = Surroundings::find(&graph, &selection.symbols, context)?;
    let symbols = selection
        .symbols
        .iter()
        .map(|(at, why)| {
            let mut source = read_source(&graph, &texts, *at);
            if let Some(excerpt) = source
                .as_mut()
                .filter(|excerpt| excerpt.lines.len() > LONGEST_SOURCE)
            {
                let words: Vec<String> = asked.split_whitespace().map(str::to_lowercase).collect();
                excerpt.keep_best(LONGEST_SOURCE, &words);
            }
            ExploredSymbol {
                why: why.clone(),
                source,
                ..ExploredSymbol::from_symbol(describe_symbol(&graph, *at))
            }
        })
        .collect();
    let indexed = &root.indexed;
    let main: Vec<_> = selection.symbols.iter().map(|(at, _)| *at).collect();
    let main = &main[..main.len().min(MAX_FOLLOWED)];
    let commits = recent_commits(context, indexed.root.id, &graph, main);
    let mut freshness = found.freshness;
    root.read_errors.add_to(&mut freshness);
    if let Some(note) = surroundings.not_followed {
        freshness.add_note(Line::from("dependents and tests may be missing: ").line(note));
    }
    add_note_of_values(&graph, &mut freshness);
    Ok(Exploration {
        root: indexed.root.path.clone(),
        root_name: indexed.root.name.clone(),
        folder: indexed.folder.clone(),
        max_tokens: params.common().max_tokens,
        freshness,
        question: found.query,
        is_report: found.report.is_some(),
        path: params.path.clone(),
        language: params.language.clone(),
        symbols,
        total: if has_no_match { 0 } else { found.total },
        connections,
        dependents: surroundings.dependents,
        total_dependents: surroundings.total_dependents,
        tests: surroundings.tests,
        total_tests: surroundings.total_tests,
        commits,
        read_next: selection.to_read,
        advice: found.advice,
        truncated: false,
    })
}
