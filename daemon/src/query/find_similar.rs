//! `find_similar`: chunks whose meaning is near that of some code, the code itself left out.

use std::time::Instant;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::hits::SearchCursor;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_similar::{FindSimilar, SimilarBy, SimilarCode};
use claudevil_protocol::{ErrorCode, ToolError};

use super::indexed::{self, Indexed};
use super::search::{Showing, cursor, describe};
use super::{Context, several};
use crate::index::meaning::Meaning;
use crate::lang::Language;
use crate::search::keyword::text_index_error;
use crate::search::question::Question;
use crate::search::rank::{Evidence, RankRequest, RankedChunk, rank};
use crate::search::snippet;
use crate::search::text_cache::TextCache;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::text::words;

/// What is less alike than this is not like it at all.
const LEAST: f32 = 0.25;
const MOST: usize = 200;
/// Words of the code that are compared where there are no vectors.
const MOST_WORDS: usize = 40;

/// What is looked for: a meaning, or words where there is none.
struct Sought {
    meaning: Option<Meaning>,
    words: String,
    /// The chunk that it is, which is not like itself.
    own: Option<(u64, usize, usize)>,
}

/// A root that is there.
struct Asked {
    indexed: Indexed,
    dir: RootDir,
}

struct Found {
    score: f32,
    /// Which root.
    of: usize,
    ranked: RankedChunk,
}

pub fn find_similar(context: &Context, params: &FindSimilar) -> Result<SimilarCode, ToolError> {
    let started = Instant::now();
    let language = indexed::language(params.language.as_deref())?;
    let after = params.cursor.as_deref().map(cursor).transpose()?;
    let is_of_many = several::asks_all(context);
    if is_of_many && params.path.is_some() {
        return Err(ToolError::invalid_argument(
            "`path` lies in one root: name it, or give `code`",
        ));
    }
    let places = context.roots.resolve_all(context.call)?;
    let (roots, away) = several::open(context, places, |place| {
        // First: what is known of a root that is away would still be there.
        let dir = RootDir::open(place.root.path.as_ref(), &place.root.name)?;
        Ok(Asked {
            indexed: Indexed::with_vectors(context, place)?.once_whole(context)?,
            dir,
        })
    })?;
    let sought = match (&params.code, &params.path, params.line) {
        (Some(code), ..) => of_code(context, code),
        (None, Some(path), Some(line)) => of_place(context, &roots, path, line)?,
        _ => {
            return Err(ToolError::invalid_argument(
                "give either `code`, or `path` and `line`",
            ));
        }
    };
    let mut measure = SimilarBy::Meaning;
    let mut found: Vec<Found> = vec![];
    for (of, Asked { indexed, .. }) in roots.iter().enumerate() {
        context.cancel.check()?;
        let (by, near) = like(indexed, &sought, language, context.cancel)?;
        if by == SimilarBy::Words {
            measure = by;
        }
        let own = sought
            .own
            .filter(|(root, ..)| *root == indexed.root.id)
            .map(|(_, file, chunk)| (file, chunk));
        let others = near
            .into_iter()
            .filter(|one| own != Some((one.file, one.chunk)));
        found.extend(others.map(|ranked| Found {
            score: ranked.score,
            of,
            ranked,
        }));
    }
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    found.truncate(MOST);
    let at = |one: &Found| {
        let indexed = &roots[one.of].indexed;
        let file = &indexed.snapshot.files[one.ranked.file];
        let path = if is_of_many {
            format!("{}/{}", indexed.root.name, file.path)
        } else {
            file.path.clone()
        };
        (path, file.outline.chunks[one.ranked.chunk].start_line)
    };
    let is_last =
        |after: &SearchCursor, one: &Found| at(one) == (after.path.clone(), after.start_line);
    let offset = after.map_or(0, |after| {
        let known = found
            .iter()
            .position(|one| is_last(&after, one))
            .map(|last| last + 1);
        known.unwrap_or_else(|| {
            usize::try_from(after.before)
                .unwrap_or(usize::MAX)
                .min(found.len())
        })
    });
    let total = found.len();
    let mut results = vec![];
    for one in found.iter().skip(offset).take(params.limit() as usize) {
        let Asked { indexed, dir } = &roots[one.of];
        let texts = TextCache::new(
            dir,
            &indexed.snapshot,
            context.indexes.shared().settings.largest_file,
        );
        let showing = Showing {
            snapshot: &indexed.snapshot,
            texts: &texts,
            sought: &snippet::WordMatcher::new(vec![]),
            context: None,
            is_detailed: false,
            root: is_of_many.then_some(indexed.root.name.as_str()),
        };
        if let Some((mut hit, _)) = describe(&showing, &one.ranked) {
            hit.score = f64::from((one.score.clamp(0.0, 1.0) * 1000.0).round()) / 1000.0;
            results.push(hit);
        }
    }
    let Asked { indexed: first, .. } = first(&roots)?;
    let mut freshness = Freshness::default();
    for Asked { indexed, .. } in &roots {
        several::merge(
            &mut freshness,
            &indexed.freshness,
            is_of_many.then_some(indexed.root.name.as_str()),
        );
    }
    several::note_away(&mut freshness, &away);
    let mut similar = SimilarCode {
        root: if is_of_many {
            "*".to_owned()
        } else {
            first.root.path.clone()
        },
        root_name: if is_of_many {
            "all roots".to_owned()
        } else {
            first.root.name.clone()
        },
        folder: first.folder.clone().filter(|_| !is_of_many),
        max_tokens: params.common().max_tokens,
        freshness,
        path: params.path.clone(),
        line: params.line,
        code: params.code.clone(),
        language: language.map(|language| language.id.to_owned()),
        measure,
        remaining: total.saturating_sub(offset + results.len()) as u64,
        results,
        total: total as u64,
        offset: offset as u64,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        elapsed_ms: (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
    };
    similar.set_cursor();
    Ok(similar)
}

fn of_code(context: &Context, code: &str) -> Sought {
    Sought {
        meaning: context.indexes.shared().models.code(code),
        words: distinct(code),
        own: None,
    }
}

fn first(roots: &[Asked]) -> Result<&Asked, ToolError> {
    roots
        .first()
        .ok_or_else(|| ToolError::new(ErrorCode::RootNotFound, "no root can be asked"))
}

fn of_place(
    context: &Context,
    roots: &[Asked],
    path: &str,
    line: u32,
) -> Result<Sought, ToolError> {
    let Asked { indexed, dir } = first(roots)?;
    let path = indexed.path(Some(path))?;
    let file = indexed.file(&path)?;
    let total = file.outline.lines.total;
    let chunks = &file.outline.chunks;
    // A blank line belongs to what comes after it.
    let chunk = chunks.partition_point(|chunk| chunk.end_line < line);
    if line > total || chunk >= chunks.len() {
        return Err(ToolError::invalid_argument(format!(
            "line is {line}; {path} has {total} lines"
        )));
    }
    let place = indexed
        .snapshot
        .files
        .partition_point(|other| other.path < file.path);
    let texts = TextCache::new(
        dir,
        &indexed.snapshot,
        context.indexes.shared().settings.largest_file,
    );
    let text = texts.chunk(place, chunk).unwrap_or_default();
    let meaning = Meaning::of_chunk(&indexed.snapshot, place, chunk);
    Ok(Sought {
        meaning,
        words: distinct(&text),
        own: Some((indexed.root.id, place, chunk)),
    })
}

/// The first different words of some code.
fn distinct(code: &str) -> String {
    let mut seen: Vec<&str> = vec![];
    for (_, word) in words(code) {
        if seen.len() < MOST_WORDS && !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen.join(" ")
}

fn like(
    indexed: &Indexed,
    sought: &Sought,
    language: Option<&Language>,
    cancel: &CancelToken,
) -> Result<(SimilarBy, Vec<RankedChunk>), ToolError> {
    let snapshot = &*indexed.snapshot;
    let folder = indexed.folder.as_deref().map(|folder| format!("{folder}/"));
    let wanted: Vec<bool> = snapshot
        .files
        .iter()
        .map(|file| {
            indexed::is_in(file, language)
                && folder
                    .as_ref()
                    .is_none_or(|folder| file.path.starts_with(folder))
        })
        .collect();
    if let Some(meaning) = sought.meaning.as_ref().filter(|_| snapshot.has_vectors()) {
        let near = meaning
            .beside(snapshot)
            .of_all()
            .best(MOST + 1, |file| wanted[file]);
        let near = near
            .into_iter()
            .filter(|near| near.cosine >= LEAST)
            .map(|near| RankedChunk {
                file: near.file,
                chunk: near.chunk,
                symbol: None,
                is_definition: false,
                score: near.cosine,
                evidence: Evidence {
                    meaning: near.cosine,
                    ..Evidence::default()
                },
            });
        return Ok((SimilarBy::Meaning, near.collect()));
    }
    let question = Question::new(&sought.words);
    let request = RankRequest {
        question: &question,
        meaning: None,
        is_semantic: false,
        files: Some(&wanted),
        only: None,
        cancel,
    };
    let mut ranked = rank(snapshot, &request).map_err(|error| text_index_error(&error))?;
    // How much of the code's words it has is how alike it is; paths and names say nothing here.
    for one in &mut ranked {
        one.score = one.evidence.coverage;
    }
    ranked.retain(|one| one.score >= LEAST);
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok((SimilarBy::Words, ranked))
}
