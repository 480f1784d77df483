//! The keeper over a real store: what is stored when, what is swept, and what a failing store costs.

use std::fs;

use claudevil_child::vectors::Space;
use claudevil_vectors::store::Local;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::embed::hashing::HashingEmbedder;

const WIDTH: usize = 32;

fn vector(number: u64) -> ChunkVector {
    let mut hash = [0; 16];
    hash[..8].copy_from_slice(&number.to_le_bytes());
    let text = format!("chunk {number} of many");
    let made = HashingEmbedder::new(WIDTH)
        .documents(&[&text])
        .expect("embedded")
        .remove(0);
    ChunkVector::quantise(hash, &made).expect("finite")
}

fn vectors(numbers: std::ops::Range<u64>) -> Vec<ChunkVector> {
    numbers.map(vector).collect()
}

fn hashes(numbers: std::ops::Range<u64>) -> Vec<ChunkHash> {
    numbers.map(|number| vector(number).hash).collect()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
}

fn keeper(scratch: &TempDir, runtime: &Runtime, live: std::ops::Range<u64>) -> Arc<Keeper> {
    let embedder = HashingEmbedder::new(WIDTH);
    let space = Space {
        model: embedder.model().as_str().to_owned(),
        dimensions: WIDTH,
    };
    let store = Box::new(Local::new(
        scratch.path().to_owned(),
        space,
        runtime.handle().clone(),
    ));
    let live: HashSet<_> = hashes(live).into_iter().collect();
    let live = Box::new(move || Ok(live.clone()));
    Arc::new(Keeper::new(store, &embedder, live, Box::new(Vec::new)))
}

fn close(keeper: &Keeper) {
    keeper.close(Instant::now() + Duration::from_secs(60));
    assert!(!keeper.lock().runs);
}

#[test]
fn what_is_recorded_is_found_before_and_after_it_is_stored() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let first = keeper(&scratch, &runtime, 0..0);
    first.record(vectors(0..20));
    assert_eq!(first.load(&hashes(0..25)).len(), 20);
    close(&first);
    let second = keeper(&scratch, &runtime, 0..0);
    let found = second.load(&hashes(10..25));
    assert_eq!(found.len(), 10);
    assert_eq!(found[&vector(12).hash], vector(12));
    close(&second);
}

#[test]
fn many_are_stored_without_waiting() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let keeper = keeper(&scratch, &runtime, 0..0);
    keeper.record(vectors(0..MANY as u64));
    let until = Instant::now() + Duration::from_secs(60);
    let stored = || keeper.contents().expect("counted").vectors;
    while stored() < MANY && Instant::now() < until {
        std::thread::yield_now();
    }
    assert_eq!(stored(), MANY);
    close(&keeper);
}

#[test]
fn what_no_root_has_is_removed_once_it_is_much() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let all = GROWN as u64 + 100;
    for (live, left) in [(all - 10, all), (100, 100)] {
        let keeper = keeper(&scratch, &runtime, 0..live);
        assert_eq!(
            keeper.store.append(&vectors(0..all)),
            Ok(vectors(0..all).len())
        );
        keeper.put_in_order(&mut Order::default());
        assert_eq!(keeper.trouble(), None);
        let count = keeper.store.count().expect("counted");
        assert_eq!(count as u64, left);
    }
}

#[test]
fn a_store_that_fails_is_named_and_costs_nothing_else() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    // A file where its folder should be.
    fs::write(scratch.path().join("vectors"), "in the way").expect("written");
    let keeper = keeper(&scratch, &runtime, 0..0);
    keeper.record(vectors(0..5));
    assert_eq!(keeper.load(&hashes(0..10)).len(), 5);
    assert!(
        keeper
            .trouble()
            .expect("it is named")
            .contains("cannot be loaded")
    );
    close(&keeper);
    assert!(
        keeper
            .trouble()
            .expect("it is named")
            .contains("cannot be stored")
    );
}
