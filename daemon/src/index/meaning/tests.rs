//! Two models of one root, one of which finds everything near everything.

use super::*;
use crate::index::snapshot::IndexedFile;
use crate::store::ledger::record::{FileRecord, FileState, Skip};
use claudevil_child::vectors::ChunkVector;
use claudevil_child::vectors::samples::spread_like_a_model;

const WIDTH: usize = 64;
/// The better model's is another length.
const WIDE: usize = 96;
const FILES: usize = 200;

/// As the first model sees what has this seed.
fn first(seed: u64) -> Vec<f32> {
    unit(spread_like_a_model(seed, WIDTH))
}

/// As the better one does: the same, and much that all have in common.
fn better(seed: u64) -> Vec<f32> {
    let common = unit(spread_like_a_model(9_999_999, WIDE));
    let own = first(seed).into_iter().chain(std::iter::repeat(0.0));
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

/// Files of two chunks with the seeds `2 × place` and the next; some have been seen by the better model.
fn snapshot(is_better: impl Fn(usize) -> bool) -> Snapshot {
    let files = (0..FILES).map(|place| {
        let state = FileState::Skipped(Skip::Binary);
        let record = FileRecord {
            size: 0,
            modified_nanos: 0,
            stamp: 0,
            hash: [0; 16],
            language: None,
            state,
        };
        let file = IndexedFile::new(format!("{place:04}"), record, None, Arc::default());
        let seeds = [place as u64 * 2, place as u64 * 2 + 1];
        let file = file.with_vectors(Stage::First, Some(block(&seeds.map(first))));
        let seen = is_better(place).then(|| block(&seeds.map(better)));
        Arc::new(file.with_vectors(Stage::Better, seen))
    });
    Snapshot::new(files.collect(), 0, None)
}

fn meaning(seed: u64) -> Meaning {
    let probe = |vector: &[f32]| Probe::new(vector).expect("a direction");
    Meaning::new(probe(&first(seed)), Some(probe(&better(seed))))
}

#[test]
fn chunks_that_a_model_has_not_seen_are_not_crowded_out() {
    let snapshot = snapshot(|place| place % 2 == 0);
    let mut of_better = 0;
    for seed in 5000..5050 {
        let meaning = meaning(seed);
        let near = meaning.beside(&snapshot).of_all().best(20, |_| true);
        assert_eq!(near.len(), 20);
        of_better += near.iter().filter(|near| near.file % 2 == 0).count();
    }
    // By bare cosines it would be all thousand.
    assert!((350..650).contains(&of_better), "{of_better} of 1000");
}

#[test]
fn what_is_the_same_is_nearest_by_either_model() {
    let half = snapshot(|place| place % 2 == 0);
    for seed in 0..FILES as u64 * 2 {
        let meaning = meaning(seed);
        let near = meaning.beside(&half).of_all().best(1, |_| true);
        assert_eq!((near[0].file as u64 * 2 + near[0].chunk as u64), seed);
        assert!(near[0].cosine > 0.8, "{near:?}");
    }
}

#[test]
fn scores_keep_the_scale_of_the_first_model() {
    let (none, all) = (snapshot(|_| false), snapshot(|_| true));
    for seed in 7000..7010 {
        let meaning = meaning(seed);
        let (one, two) = (meaning.beside(&none), meaning.beside(&all));
        for file in 0..FILES {
            let (one, two) = (
                one.of_chunk(file, 1).expect("a vector"),
                two.of_chunk(file, 1).expect("a vector"),
            );
            assert!((one - two).abs() < 0.15, "{one} {two}");
        }
        let of_files = two.of_files(&[3, FILES]);
        assert!(of_files[0].0.is_some() && of_files[1].0.is_none() && two.of_chunk(0, 2).is_none());
    }
}

#[test]
fn with_few_in_common_the_first_model_is_asked_alone() {
    let (few, none) = (snapshot(|place| place < LEAST / 2 - 1), snapshot(|_| false));
    let meaning = meaning(6000);
    assert_eq!(
        meaning.beside(&few).of_all().best(50, |_| true),
        meaning.beside(&none).of_all().best(50, |_| true)
    );
    let alone = Meaning::new(Probe::new(&first(6000)).expect("a direction"), None);
    let all = snapshot(|_| true);
    assert_eq!(
        alone.beside(&all).of_all().best(50, |_| true),
        meaning.beside(&none).of_all().best(50, |_| true)
    );
}
