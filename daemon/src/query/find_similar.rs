//! `find_similar`: chunks that are near to some code in meaning, without the code itself.

use std::time::Instant;

use claudevil_protocol::answer::freshness::Freshness;
use claudevil_protocol::answer::graph::ListCursor;
use claudevil_protocol::answer::scope::ALL_ROOTS;
use claudevil_protocol::tools::Tool;
use claudevil_protocol::tools::find_similar::{FindSimilar, SimilarBy, SimilarCode};
use claudevil_protocol::{ErrorCode, ToolError};

use super::Context;
use super::code_search::hit::HitBuilder;
use super::shared::all_roots;
use super::shared::languages::{is_in_language, parse_language};
use super::shared::loaded_root::LoadedRoot;
use super::shared::paging::decode_cursor;
use crate::index::similarity::QueryVectors;
use crate::lang::Language;
use crate::search::keyword::text_index_error;
use crate::search::question::Question;
use crate::search::rank::{Evidence, FileEvidence, RankRequest, RankedChunk, rank};
use crate::search::snippet;
use crate::search::text_cache::TextCache;
use crate::source::beneath::RootDir;
use crate::source::cancel::CancelToken;
use crate::store::text::words;

/// Chunks less similar than this are left out.
const LEAST_SIMILARITY: f32 = 0.25;
const MAX_RESULTS: usize = FindSimilar::MOST as usize;
/// The most words of the code that are compared if there are no vectors.
const MAX_WORDS: usize = 40;

/// The code that others are compared with: by meaning, or by words where there are no vectors.
struct Sample {
    meaning: Option<QueryVectors>,
    words: String,
    /// The root, file and chunk of the code itself, which is left out.
    own: Option<(u64, usize, usize)>,
}

struct OpenRoot {
    indexed: LoadedRoot,
    dir: RootDir,
}

struct SimilarChunk<'a> {
    root: &'a OpenRoot,
    ranked: RankedChunk,
}

pub fn find_similar(context: &Context, params: &FindSimilar) -> Result<SimilarCode, ToolError> {
    let started = Instant::now();
    let language = parse_language(params.language.as_deref())?;
    let after = decode_cursor(params.cursor.as_deref(), ListCursor::decode)?;
    let asks_all_roots = all_roots::asks_all(context);
    if asks_all_roots && params.path.is_some() {
        return Err(ToolError::invalid_argument(
            "`path` lies in one root: name it, or give `code`",
        ));
    }
    let places = context.roots.resolve_all(context.call)?;
    let (roots, unavailable) = all_roots::open_each(context, places, |place| {
        // Opened before the index, which may still be loaded for a root that is unavailable.
        let dir = RootDir::open(place.root.path.as_ref(), &place.root.name)?;
        Ok(OpenRoot {
            indexed: LoadedRoot::open_with_vectors(context, place)?.wait_until_complete(context)?,
            dir,
        })
    })?;
    let sample = match (&params.code, &params.path, params.line) {
        (Some(code), ..) => sample_of_code(context, code),
        (None, Some(path), Some(line)) => sample_at(context, &roots, path, line)?,
        _ => {
            return Err(ToolError::invalid_argument(
                "give either `code`, or `path` and `line`",
            ));
        }
    };
    let mut measure = SimilarBy::Meaning;
    let mut found: Vec<SimilarChunk<'_>> = vec![];
    for root in &roots {
        context.cancel.check()?;
        let indexed = &root.indexed;
        let (by, near) = similar_chunks(indexed, &sample, language, context.cancel)?;
        if by == SimilarBy::Words {
            measure = by;
        }
        let own = sample
            .own
            .filter(|(id, ..)| *id == indexed.root.id)
            .map(|(_, file, chunk)| (file, chunk));
        let others = near
            .into_iter()
            .filter(|one| own != Some((one.file, one.chunk)));
        found.extend(others.map(|ranked| SimilarChunk { root, ranked }));
    }
    found.sort_by(|one, other| other.ranked.score.total_cmp(&one.ranked.score));
    found.truncate(MAX_RESULTS);
    let location = |one: &SimilarChunk<'_>| {
        let indexed = &one.root.indexed;
        let file = &indexed.snapshot.files[one.ranked.file];
        let path = if asks_all_roots {
            format!("{}/{}", indexed.root.name, file.path)
        } else {
            file.path.clone()
        };
        (path, file.outline.chunks[one.ranked.chunk].start_line)
    };
    let offset = after.map_or(0, |after| {
        let last = (after.path, after.line);
        let known = found
            .iter()
            .position(|one| location(one) == last)
            .map(|last| last + 1);
        known.unwrap_or_else(|| {
            usize::try_from(after.shown)
                .unwrap_or(usize::MAX)
                .min(found.len())
        })
    });
    let (mut results, mut stale) = (vec![], vec![]);
    // The chunks up to the end of the page, and those of them whose files are gone.
    let (mut passed, mut gone) = (offset, 0);
    for one in found.iter().skip(offset) {
        if results.len() == params.limit() as usize {
            break;
        }
        passed += 1;
        let OpenRoot { indexed, dir } = one.root;
        let texts = TextCache::new(
            dir,
            &indexed.snapshot,
            context.indexes.shared().settings.largest_file,
        );
        let builder = HitBuilder {
            snapshot: &indexed.snapshot,
            texts: &texts,
            sought: &snippet::WordMatcher::new(vec![]),
            context_lines: None,
            is_detailed: false,
            root: asks_all_roots.then_some(indexed.root.name.as_str()),
        };
        let Some((mut hit, is_as_indexed)) = builder.build(&one.ranked) else {
            gone += 1;
            continue;
        };
        hit.score = f64::from((one.ranked.score.clamp(0.0, 1.0) * 1000.0).round()) / 1000.0;
        results.push(hit);
        let (path, _) = location(one);
        if !is_as_indexed && !stale.contains(&path) {
            stale.push(path);
        }
    }
    let OpenRoot { indexed: first, .. } = first(&roots)?;
    let mut freshness = Freshness::default();
    for OpenRoot { indexed, .. } in &roots {
        all_roots::merge_freshness(
            &mut freshness,
            &indexed.freshness,
            asks_all_roots.then_some(indexed.root.name.as_str()),
        );
    }
    all_roots::note_unavailable(&mut freshness, &unavailable);
    let mut similar = SimilarCode {
        root: if asks_all_roots {
            ALL_ROOTS.to_owned()
        } else {
            first.root.path.clone()
        },
        root_name: if asks_all_roots {
            "all roots".to_owned()
        } else {
            first.root.name.clone()
        },
        folder: first.folder.clone().filter(|_| !asks_all_roots),
        max_tokens: params.common().max_tokens,
        freshness: freshness.with_changed(stale),
        path: params.path.clone(),
        line: params.line,
        code: params.code.clone(),
        language: language.map(|language| language.id.to_owned()),
        measure,
        remaining: found.len().saturating_sub(passed) as u64,
        results,
        total: (found.len() - gone) as u64,
        offset: offset as u64,
        truncated: false,
        cursor: None,
        limit: params.limit(),
        elapsed_ms: (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0,
    };
    similar.set_cursor();
    Ok(similar)
}

fn sample_of_code(context: &Context, code: &str) -> Sample {
    Sample {
        meaning: context.indexes.shared().models.embed_code(code),
        words: distinct_words(code),
        own: None,
    }
}

fn first(roots: &[OpenRoot]) -> Result<&OpenRoot, ToolError> {
    roots
        .first()
        .ok_or_else(|| ToolError::new(ErrorCode::RootNotFound, "no project is available"))
}

fn sample_at(
    context: &Context,
    roots: &[OpenRoot],
    path: &str,
    line: u32,
) -> Result<Sample, ToolError> {
    let OpenRoot { indexed, dir } = first(roots)?;
    let path = indexed.path(Some(path))?;
    let file = indexed.file(&path)?;
    let total = file.outline.lines.total;
    let chunks = &file.outline.chunks;
    // A blank line belongs to the chunk after it.
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
    let meaning = QueryVectors::from_chunk(&indexed.snapshot, place, chunk);
    Ok(Sample {
        meaning,
        words: distinct_words(&text),
        own: Some((indexed.root.id, place, chunk)),
    })
}

/// Returns the first distinct words of some code.
fn distinct_words(code: &str) -> String {
    let mut distinct: Vec<&str> = vec![];
    for (_, word) in words(code) {
        if distinct.len() < MAX_WORDS && !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct.join(" ")
}

fn similar_chunks(
    indexed: &LoadedRoot,
    sample: &Sample,
    language: Option<&Language>,
    cancel: &CancelToken,
) -> Result<(SimilarBy, Vec<RankedChunk>), ToolError> {
    let snapshot = &*indexed.snapshot;
    let folder = indexed.folder.as_deref().map(|folder| format!("{folder}/"));
    let wanted: Vec<bool> = snapshot
        .files
        .iter()
        .map(|file| {
            is_in_language(file, language)
                && folder
                    .as_ref()
                    .is_none_or(|folder| file.path.starts_with(folder))
        })
        .collect();
    if let Some(meaning) = sample.meaning.as_ref().filter(|_| snapshot.has_vectors()) {
        let near = meaning
            .compare_with(snapshot)
            .nearest(MAX_RESULTS + 1, |file| wanted[file]);
        let near = near
            .into_iter()
            .filter(|near| near.cosine >= LEAST_SIMILARITY)
            .map(|near| RankedChunk {
                file: near.file,
                chunk: near.chunk,
                symbol: None,
                definition: None,
                is_namesake: false,
                is_whole_symbol: false,
                score: near.cosine,
                evidence: Evidence {
                    meaning: near.cosine,
                    ..Evidence::default()
                },
                file_evidence: FileEvidence::default(),
            });
        return Ok((SimilarBy::Meaning, near.collect()));
    }
    let question = Question::new(&sample.words);
    let request = RankRequest {
        question: &question,
        report: None,
        meaning: None,
        is_semantic: false,
        root_name: "",
        files: Some(&wanted),
        only: None,
        cancel,
    };
    let mut ranked = rank(snapshot, &request).map_err(|error| text_index_error(&error))?;
    // The similarity is the share of the code's words that a chunk has; paths and names do not count.
    for one in &mut ranked {
        one.score = one.evidence.coverage;
    }
    ranked.retain(|one| one.score >= LEAST_SIMILARITY);
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok((SimilarBy::Words, ranked))
}
