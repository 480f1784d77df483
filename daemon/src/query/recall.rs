//! `recall`: the notes of a root by words and meaning, tags and time.
//!
//! Notes are read from the disk, so that what was kept a moment ago is found also where the index is behind; the index is
//! asked for what it is made for, how near in meaning they are.

mod score;

use std::collections::HashMap;

use claudevil_protocol::ToolError;
use claudevil_protocol::model::Params;
use claudevil_protocol::model::note::Note;
use claudevil_protocol::model::recall::{Recall, Recalled};

use self::score::{Scored, score};
use super::Context;
use crate::clock;
use crate::memory::notes;
use crate::source::beneath::RootDir;
use crate::source::walk::notes::is_note;
use crate::store::roots::RootRecord;

/// So much of a note's text is sent.
const LONGEST: usize = 16 << 10;
/// So many pieces of notes that lie near are looked at.
const NEAREST: usize = 1000;

pub fn recall(context: &Context, params: &Recall) -> Result<Recalled, ToolError> {
    let root = context.roots.resolve(context.call)?.root;
    let dir = RootDir::open(root.path.as_ref(), &root.name)?;
    let found = notes::all(&dir);
    context.cancel.check()?;
    let stored = found.notes.len() as u64;
    let tags: Vec<String> =
        params.tags.iter().flatten().map(|tag| tag.trim().trim_start_matches('#').to_owned()).collect();
    let since = params.since(clock::now());
    let has_tag = |note: &Note, tag: &str| note.tags.iter().any(|own| own.to_lowercase() == tag.to_lowercase());
    let mut notes = found.notes;
    notes.retain(|note| since.is_none_or(|since| note.created >= since) && tags.iter().all(|tag| has_tag(note, tag)));
    let mut by_meaning = params.query.is_some();
    if let Some(query) = params.query.as_deref().filter(|_| !notes.is_empty()) {
        let near = nearness(context, &root, query);
        by_meaning = near.is_some();
        notes = ranked(notes, query, &near.unwrap_or_default());
    } else {
        notes.sort_by(|one, other| (other.created, &other.path).cmp(&(one.created, &one.path)));
    }
    let total = notes.len() as u64;
    notes.truncate(params.limit() as usize);
    for note in &mut notes {
        if note.text.len() > LONGEST {
            note.text.truncate(note.text.floor_char_boundary(LONGEST));
            note.cut = true;
        }
    }
    Ok(Recalled {
        root: root.path,
        root_name: root.name,
        max_tokens: params.shared().max_tokens,
        query: params.query.clone(),
        tags,
        since: params.since.clone(),
        limit: params.limit(),
        remaining: total - notes.len() as u64,
        notes,
        total,
        stored,
        truncated: false,
        by_meaning,
        skipped_total: found.skipped.len() as u64,
        skipped: found.skipped.into_iter().take(Recalled::SKIPPED_SHOWN).collect(),
    })
}

/// The best first, among equals the newest, without those that have nothing to do with it.
fn ranked(notes: Vec<Note>, query: &str, near: &HashMap<String, f32>) -> Vec<Note> {
    let scores = score(&notes, query, near);
    let mut ranked: Vec<Note> = notes
        .into_iter()
        .zip(scores)
        .filter_map(|(note, scored)| match scored {
            Scored::Worth(score) => Some(Note { score: Some(score), ..note }),
            Scored::Unrelated => None,
        })
        .collect();
    ranked.sort_by(|one, other| {
        let score = |note: &Note| note.score.unwrap_or_default();
        score(other).total_cmp(&score(one)).then_with(|| (other.created, &other.path).cmp(&(one.created, &one.path)))
    });
    ranked
}

/// How near to the query notes are, by path. None where nothing is compared by meaning here.
fn nearness(context: &Context, root: &RootRecord, query: &str) -> Option<HashMap<String, f32>> {
    let meaning = context.indexes.shared().models.question(query)?;
    let snapshot = context.indexes.fresh(root).ok()?.snapshot;
    let is_note = |file: usize| is_note(&snapshot.files[file].path);
    let mut near = HashMap::new();
    for one in meaning.beside(&snapshot).of_all().best(NEAREST, is_note) {
        // The nearest piece of a note speaks for it.
        near.entry(snapshot.files[one.file].path.clone()).or_insert(one.cosine);
    }
    (!near.is_empty()).then_some(near)
}
