//! `recall`: the notes of a root by words and meaning, tags and time.
//!
//! Notes are read from disk, so that one that was just saved is found even if the index is not up to date; the index only
//! provides how near they are in meaning. All notes are compared by their summaries (`memory::NoteCache`), and only those that
//! are shown are read again for their text.

mod score;

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::answer::note::Note;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::recall::{Recall, RecalledNotes};

use self::score::{Candidate, concept_matches, score};
use super::Context;
use crate::clock;
use crate::memory::notes::{MAX_TEXT, NoteFolder};
use crate::memory::{NoteSummary, Visit};
use crate::search::question::Question;
use crate::source::beneath::RootDir;
use crate::source::walk::notes::is_note;
use crate::store::roots::RootRecord;

/// The most bytes of a note's text that are sent.
const LONGEST: usize = 16 << 10;
/// Nearest chunks that are compared.
const NEAREST: usize = 1000;

pub fn recall(context: &Context, params: &Recall) -> Result<RecalledNotes, ToolError> {
    let memory = context.memory;
    let root = context.roots.resolve(context.call)?.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let folder = NoteFolder::list(&dir);
    let tags: Vec<String> = params
        .tags
        .iter()
        .flatten()
        .map(|tag| tag.trim().trim_start_matches('#').to_owned())
        .collect();
    let lower_case_tags: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
    let since = params.since(clock::now());
    let question = params.query.as_deref().map(Question::new);
    let see = |name: &str, summary: &NoteSummary| {
        let is_match = since.is_none_or(|since| summary.created >= since)
            && lower_case_tags.iter().all(|tag| summary.tags.contains(tag));
        is_match.then(|| Candidate {
            name: name.to_owned(),
            created: summary.created,
            matches: question.as_ref().map_or_else(Vec::new, |question| {
                concept_matches(&summary.terms, question)
            }),
            is_partial: summary.is_partial,
        })
    };
    let Visit {
        results: candidates,
        skipped,
        notes: stored,
    } = memory.notes.visit(root.id, &folder, context.cancel, see)?;
    let mut by_meaning = question.is_some();
    let mut partly_compared = 0;
    let mut best: Vec<(Candidate, Option<f64>)> = match (&question, &params.query) {
        (Some(question), Some(query)) if !candidates.is_empty() => {
            let near = cosines_by_path(context, &root, query);
            by_meaning = near.is_some();
            partly_compared = candidates.iter().filter(|note| note.is_partial).count() as u64;
            let near = near.unwrap_or_default();
            let cosines = candidates
                .iter()
                .map(|note| near.get(&folder.path(&note.name)).copied());
            let cosines: Vec<_> = cosines.collect();
            rank(candidates, question, &cosines)
        }
        _ => candidates.into_iter().map(|note| (note, None)).collect(),
    };
    // The best first, among equals the newest.
    best.sort_by(|(one, score), (other, other_score)| {
        let by_score = other_score
            .unwrap_or_default()
            .total_cmp(&score.unwrap_or_default());
        by_score.then_with(|| (other.created, &other.name).cmp(&(one.created, &one.name)))
    });
    let total = best.len() as u64;
    best.truncate(params.limit() as usize);
    let shown = best.len() as u64;
    let mut notes = Vec::with_capacity(best.len());
    for (candidate, score) in best {
        context.cancel.check()?;
        // The note may have been removed in the meantime.
        let Ok((note, _)) = folder.read(&candidate.name) else {
            continue;
        };
        notes.push(Note {
            score,
            ..shorten(note)
        });
    }
    Ok(RecalledNotes {
        root: root.path,
        root_name: root.name,
        max_tokens: params.common().max_tokens,
        query: params.query.clone(),
        tags,
        since: params.since.clone(),
        limit: params.limit(),
        remaining: total - shown,
        total: total - shown + notes.len() as u64,
        notes,
        stored,
        truncated: false,
        by_meaning,
        skipped_total: skipped.len() as u64,
        skipped: skipped
            .into_iter()
            .take(RecalledNotes::SKIPPED_SHOWN)
            .collect(),
        partly_compared,
        compared_kb: (MAX_TEXT >> 10) as u64,
    })
}

fn shorten(mut note: Note) -> Note {
    if note.text.len() > LONGEST {
        note.text.truncate(note.text.floor_char_boundary(LONGEST));
        note.cut = true;
    }
    note
}

/// Returns the candidates with their scores, without those that are unrelated to the question.
fn rank(
    candidates: Vec<Candidate>,
    question: &Question,
    cosines: &[Option<f32>],
) -> Vec<(Candidate, Option<f64>)> {
    let scores = score(&candidates, question, cosines);
    let pairs = candidates.into_iter().zip(scores);
    pairs.filter(|(_, score)| score.is_some()).collect()
}

/// Returns the cosines of notes and the query, by path; none if the root has no vectors of notes.
fn cosines_by_path(
    context: &Context,
    root: &RootRecord,
    query: &str,
) -> Option<HashMap<String, f32>> {
    let meaning = context.indexes.shared().models.embed_query(query)?;
    let snapshot = context.indexes.fresh_snapshot(root).ok()?.snapshot;
    let is_note = |file: usize| is_note(&snapshot.files[file].path);
    let mut near = HashMap::new();
    for one in meaning.compare_with(&snapshot).nearest(NEAREST, is_note) {
        // The cosine of a note is that of its nearest chunk.
        near.entry(snapshot.files[one.file].path.clone())
            .or_insert(one.cosine);
    }
    (!near.is_empty()).then_some(near)
}
