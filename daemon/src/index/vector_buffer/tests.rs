//! The buffer over a real store: writes, sweeps, and failures of the store.

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

fn buffer(scratch: &TempDir, runtime: &Runtime, live: std::ops::Range<u64>) -> Arc<VectorBuffer> {
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
    Arc::new(VectorBuffer::new(
        store,
        &embedder,
        live,
        Box::new(Vec::new),
    ))
}

fn close(buffer: &VectorBuffer) {
    buffer.close(Instant::now() + Duration::from_secs(60));
    assert!(!buffer.queue.is_running());
}

#[test]
fn vectors_are_found_before_and_after_they_are_stored() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let first = buffer(&scratch, &runtime, 0..0);
    first.record(vectors(0..20));
    assert_eq!(first.load(&hashes(0..25)).len(), 20);
    close(&first);
    let second = buffer(&scratch, &runtime, 0..0);
    let found = second.load(&hashes(10..25));
    assert_eq!(found.len(), 10);
    assert_eq!(found[&vector(12).hash], vector(12));
    close(&second);
}

#[test]
fn a_full_batch_is_stored_at_once() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let buffer = buffer(&scratch, &runtime, 0..0);
    buffer.record(vectors(0..BATCH_ROWS as u64));
    let until = Instant::now() + Duration::from_secs(60);
    let stored = || buffer.contents().expect("counted").vectors;
    while stored() < BATCH_ROWS && Instant::now() < until {
        std::thread::yield_now();
    }
    assert_eq!(stored(), BATCH_ROWS);
    close(&buffer);
}

#[test]
fn many_unused_vectors_are_removed() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let all = SWEEP_GROWTH as u64 + 100;
    for (live, left) in [(all - 10, all), (100, 100)] {
        let buffer = buffer(&scratch, &runtime, 0..live);
        assert_eq!(
            buffer.store.append(&vectors(0..all)),
            Ok(vectors(0..all).len())
        );
        buffer.maintain(&mut MaintenanceState::default());
        assert_eq!(buffer.trouble(), None);
        let count = buffer.store.count().expect("counted");
        assert_eq!(count as u64, left);
    }
}

#[test]
fn a_failing_store_is_reported_and_loses_no_pending_vector() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    // A file where its folder should be.
    fs::write(scratch.path().join("vectors"), "in the way").expect("written");
    let buffer = buffer(&scratch, &runtime, 0..0);
    buffer.record(vectors(0..5));
    assert_eq!(buffer.load(&hashes(0..10)).len(), 5);
    assert!(
        buffer
            .trouble()
            .expect("reported")
            .contains("cannot be loaded")
    );
    close(&buffer);
    assert!(
        buffer
            .trouble()
            .expect("reported")
            .contains("cannot be stored")
    );
}

#[test]
fn vectors_that_could_not_be_stored_are_stored_with_the_next_batch_unless_they_are_too_many() {
    let scratch = tempfile::tempdir().expect("a directory");
    let runtime = runtime();
    let first = buffer(&scratch, &runtime, 0..0);
    let add_again = |vectors| first.queue.add_again(vectors, BATCH_ROWS);
    assert!(!add_again(vectors(0..BATCH_ROWS as u64)), "too many");
    assert!(add_again(vectors(0..5)));
    first.record(vectors(5..6));
    close(&first);
    assert!(!add_again(vectors(6..7)), "closed");
    let second = buffer(&scratch, &runtime, 0..0);
    assert_eq!(second.load(&hashes(0..10)).len(), 6);
    close(&second);
}
