//! Two models of one root, one of which finds everything near everything.

use super::*;
use crate::index::snapshot::IndexedFile;
use crate::store::ledger::record::{FileRecord, FileState, Skip};
use claudevil_child::vectors::ChunkVector;
use claudevil_child::vectors::samples::spread_like_a_model;

const WIDTH: usize = 64;
/// The length of the chosen model's vectors.
const WIDE: usize = 96;
const FILES: usize = 200;

/// Returns the vector of a seed in the built-in model.
fn built_in(seed: u64) -> Vec<f32> {
    unit(spread_like_a_model(seed, WIDTH))
}

/// Returns the vector of a seed in the chosen model: the same, and a large part that all have in common.
fn chosen(seed: u64) -> Vec<f32> {
    let common = unit(spread_like_a_model(9_999_999, WIDE));
    let own = built_in(seed).into_iter().chain(std::iter::repeat(0.0));
    common
        .into_iter()
        .zip(own)
        .map(|(common, own)| common * 3.0 + own)
        .collect()
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

fn block(vectors: &[Vec<f32>]) -> Arc<FileVectors> {
    let rows: Vec<_> = vectors
        .iter()
        .map(|row| ChunkVector::quantise([0; 16], row).expect("finite"))
        .collect();
    Arc::new(FileVectors::new(
        vectors[0].len(),
        &rows.iter().collect::<Vec<_>>(),
        None,
    ))
}

/// Files of two chunks with the seeds `2 × place` and the next; some have vectors of the chosen model.
fn snapshot(has_chosen: impl Fn(usize) -> bool) -> Snapshot {
    let files = (0..FILES).map(|place| {
        let state = FileState::Skipped(Skip::Binary);
        let record = FileRecord::with_state(state);
        let file = IndexedFile::new(format!("{place:04}"), record, None, Arc::default());
        let seeds = [place as u64 * 2, place as u64 * 2 + 1];
        let file = file.with_vectors(ModelTier::BuiltIn, Some(block(&seeds.map(built_in))));
        let vectors = has_chosen(place).then(|| block(&seeds.map(chosen)));
        Arc::new(file.with_vectors(ModelTier::Chosen, vectors))
    });
    Snapshot::new(files.collect(), 0, None)
}

fn query_vectors(seed: u64) -> QueryVectors {
    let vector = |vector: &[f32]| QueryVector::new(vector).expect("a direction");
    QueryVectors::new(vector(&built_in(seed)), Some(vector(&chosen(seed))))
}

#[test]
fn chunks_without_vectors_of_the_chosen_model_are_not_crowded_out() {
    let snapshot = snapshot(|place| place % 2 == 0);
    let mut of_chosen = 0;
    for seed in 5000..5050 {
        let query = query_vectors(seed);
        let near = query.compare_with(&snapshot).nearest(20, |_| true);
        assert_eq!(near.len(), 20);
        of_chosen += near.iter().filter(|near| near.file % 2 == 0).count();
    }
    // With raw cosines, all thousand would have vectors of the chosen model.
    assert!((350..650).contains(&of_chosen), "{of_chosen} of 1000");
}

#[test]
fn a_chunk_is_nearest_to_its_own_vector_in_either_model() {
    let half = snapshot(|place| place % 2 == 0);
    for seed in 0..FILES as u64 * 2 {
        let query = query_vectors(seed);
        let near = query.compare_with(&half).nearest(1, |_| true);
        assert_eq!((near[0].file as u64 * 2 + near[0].chunk as u64), seed);
        assert!(near[0].cosine > 0.8, "{near:?}");
    }
}

#[test]
fn cosines_keep_the_scale_of_the_built_in_model() {
    let (none, all) = (snapshot(|_| false), snapshot(|_| true));
    for seed in 7000..7010 {
        let query = query_vectors(seed);
        let (one, two) = (query.compare_with(&none), query.compare_with(&all));
        for file in 0..FILES {
            let (one, two) = (
                one.chunk_cosine(file, 1).expect("a vector"),
                two.chunk_cosine(file, 1).expect("a vector"),
            );
            assert!((one - two).abs() < 0.15, "{one} {two}");
        }
        let of_files = two.file_cosines(&[3, FILES]);
        assert!(
            of_files[0].0.is_some() && of_files[1].0.is_none() && two.chunk_cosine(0, 2).is_none()
        );
    }
}

#[test]
fn with_few_chunks_in_common_only_the_built_in_model_is_used() {
    let (few, none) = (
        snapshot(|place| place < SMALLEST_SAMPLE / 2 - 1),
        snapshot(|_| false),
    );
    let query = query_vectors(6000);
    assert_eq!(
        query.compare_with(&few).nearest(50, |_| true),
        query.compare_with(&none).nearest(50, |_| true)
    );
    let alone = QueryVectors::new(
        QueryVector::new(&built_in(6000)).expect("a direction"),
        None,
    );
    let all = snapshot(|_| true);
    assert_eq!(
        alone.compare_with(&all).nearest(50, |_| true),
        query.compare_with(&none).nearest(50, |_| true)
    );
}

#[test]
fn among_many_chunks_the_signs_lead_to_the_nearest() {
    const DIMENSIONS: usize = 256;
    const CHUNKS: usize = 100;
    let vector = |seed| unit(spread_like_a_model(seed, DIMENSIONS));
    let files = (0..150).map(|place| {
        let record = FileRecord::with_state(FileState::Skipped(Skip::Binary));
        let file = IndexedFile::new(format!("{place:04}"), record, None, Arc::default());
        let seeds = (0..CHUNKS).map(|chunk| (place * CHUNKS + chunk) as u64);
        let vectors: Vec<_> = seeds.map(vector).collect();
        Arc::new(file.with_vectors(ModelTier::BuiltIn, Some(block(&vectors))))
    });
    let snapshot = Snapshot::new(files.collect(), 0, None);
    let is_wanted = |file: usize| !file.is_multiple_of(5);
    let wanted = (0..snapshot.files.len()).filter(|file| is_wanted(*file));
    assert!(wanted.count() * CHUNKS > ROWS_TO_COMPARE);
    let mut in_common = 0;
    for seed in 1_000_000..1_000_010 {
        let query = QueryVectors::new(QueryVector::new(&vector(seed)).expect("a direction"), None);
        let comparison = query.compare_with(&snapshot);
        let near = comparison.nearest(100, is_wanted);
        let files = (0..snapshot.files.len()).filter(|file| is_wanted(*file));
        let chunks = files.flat_map(|file| (0..CHUNKS).map(move |chunk| (file, chunk)));
        let mut all: Vec<_> = chunks
            .map(|(file, chunk)| NearChunk {
                file,
                chunk,
                cosine: comparison.chunk_cosine(file, chunk).expect("a vector"),
            })
            .collect();
        all.sort_by(|one, other| other.cmp(one));
        assert_eq!(near[..10], all[..10]);
        in_common += near.iter().filter(|one| all[..100].contains(one)).count();
    }
    assert!(in_common >= 970, "{in_common} of 1000");
}
