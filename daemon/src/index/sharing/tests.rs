//! Shared vectors through the pipes of their process, over a folder.

use std::io;
use std::path::Path;

use claudevil_child::vectors::sharing::SharedStore;
use claudevil_vectors::shared::{SharedVectors, answer};
use claudevil_vectors::store::Local;

use super::*;
use crate::embed::Embedder;
use crate::embed::hashing::HashingEmbedder;

fn store(folder: &Path, access: Access) -> SharedStore {
    SharedStore {
        location: folder.display().to_string(),
        secret: "s".repeat(32),
        access,
        endpoint: None,
        region: None,
        account: None,
    }
}

fn member(folder: &Path, access: Access) -> Arc<Sharing> {
    let settings = SharingSettings {
        store: store(folder, access),
        environment: vec![],
    };
    let space = Space {
        model: "onnx:tiny@1-abc".to_owned(),
        dimensions: 4,
    };
    let program = VectorsProgram::at("/nonexistent/claudevil-vectors".into());
    Arc::new(Sharing::new(settings, program, space))
}

/// Serves a member behind pipes on a thread: a test has no program to start.
fn connect(member: &Sharing) {
    let (mut requests, input) = io::pipe().expect("a pipe");
    let (output, mut replies) = io::pipe().expect("a pipe");
    let mut shared = SharedVectors::new(member.settings.store.clone());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        while let Ok(request) = frame::receive(&mut requests) {
            let reply = runtime
                .block_on(answer(&mut shared, request))
                .unwrap_or_else(|error| Reply::Failed(error.to_string()));
            frame::send(&mut replies, &reply).expect("answered");
        }
    });
    *lock(&member.running) = Some(ChildProcess::over_pipes(input, output));
}

fn vector(number: u8) -> ChunkVector {
    let codes = [1, -2, 3, i8::try_from(number).expect("small")];
    ChunkVector::from_codes([number; 16], codes.into())
}

#[test]
fn vectors_that_one_member_adds_are_read_by_another() {
    let scratch = tempfile::tempdir().expect("a directory");
    let writer = member(scratch.path(), Access::ReadAndWrite);
    connect(&writer);
    writer.offer([vector(1), vector(2)]);
    assert_eq!(writer.state().pending, 2, "a batch waits for more");
    writer.close(Instant::now() + Duration::from_secs(60));
    let state = writer.state();
    assert_eq!((state.pending, state.counts.added), (0, 2), "{state:?}");
    let reader = member(scratch.path(), Access::Read);
    connect(&reader);
    let wanted = [vector(1).hash, vector(3).hash];
    let found = reader.fetch(&wanted);
    assert_eq!(found, HashMap::from([(vector(1).hash, vector(1))]));
    reader.offer([vector(3)]);
    let state = reader.state();
    let counts = (state.counts.read, state.counts.made);
    assert_eq!((state.pending, counts), (0, (1, 1)));
    let refused = reader.push(&[vector(3)]).expect_err("it may only read");
    assert!(refused.contains("read_only"), "{refused}");
}

#[test]
fn a_store_that_fails_is_left_alone_for_a_while_and_costs_no_vector() {
    let scratch = tempfile::tempdir().expect("a directory");
    let folder = scratch.path().join("share");
    let one = member(&folder, Access::ReadAndWrite);
    connect(&one);
    assert_eq!(one.fetch(&[vector(1).hash]), HashMap::new());
    let trouble = one.state().trouble.expect("the status says so");
    assert!(trouble.contains("is the share mounted"), "{trouble}");
    // The folder now exists, but the pause after the failure is not over.
    std::fs::create_dir(&folder).expect("made");
    assert_eq!(one.fetch(&[vector(1).hash]), HashMap::new());
    assert!(one.state().trouble.is_some());
    // A push is sent all the same, because a user asks for it.
    assert_eq!(one.push(&[vector(1)]), Ok(1));
    assert_eq!(one.state().trouble, None);
    assert_eq!(one.fetch(&[vector(1).hash]).len(), 1);
    // A process that cannot be started is an error like any other.
    *lock(&one.running) = None;
    let missing = one.describe().expect_err("no program");
    assert!(missing.contains("is not installed"), "{missing}");
}

#[test]
fn vectors_that_cannot_be_added_are_kept_a_bounded_number_of_times() {
    let scratch = tempfile::tempdir().expect("a directory");
    let one = member(scratch.path(), Access::ReadAndWrite);
    for attempt in 0..MAX_ATTEMPTS {
        one.lock().failures = attempt;
        one.queue.remove(&[vector(1)]);
        one.keep_for_retry(vec![vector(1)]);
        assert_eq!(one.state().pending, 1, "attempt {attempt}");
    }
    one.queue.remove(&[vector(1)]);
    one.lock().failures = MAX_ATTEMPTS;
    one.keep_for_retry(vec![vector(1)]);
    let state = one.state();
    assert_eq!((state.pending, state.counts.left_out), (0, 1));
    connect(&one);
    assert_eq!(one.push(&[vector(1)]), Ok(1), "a push adds it later");
    one.note_complete_push();
    assert_eq!(one.state().counts.left_out, 0);
}

#[test]
fn a_whole_project_is_read_into_the_buffer_in_the_order_of_the_table() {
    let scratch = tempfile::tempdir().expect("a directory");
    let shared = scratch.path().join("share");
    std::fs::create_dir(&shared).expect("made");
    let writer = member(&shared, Access::ReadAndWrite);
    connect(&writer);
    let all: Vec<_> = (0..100).map(vector).collect();
    assert_eq!(writer.push(&all), Ok(100));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let embedder = HashingEmbedder::new(4);
    let space = Space {
        model: embedder.model().as_str().to_owned(),
        dimensions: 4,
    };
    let local = Local::new(scratch.path().to_owned(), space, runtime.handle().clone());
    let live = Box::new(|| Ok(HashSet::new()));
    let buffer = VectorBuffer::new(Box::new(local), &embedder, live, Box::new(Vec::new));
    let buffer = Arc::new(buffer);
    buffer.record([vector(7)]);
    let reader = member(&shared, Access::Read);
    connect(&reader);
    let asked = (0..120).map(|number| [number; 16]).collect();
    assert_eq!(reader.fill(&buffer, &asked), Ok(99), "one was here");
    let hashes: Vec<_> = all.iter().map(|vector| vector.hash).collect();
    let found = buffer.load(&hashes);
    assert_eq!(found.len(), 100);
    assert!(all.iter().all(|vector| found[&vector.hash] == *vector));
    buffer.close(Instant::now() + Duration::from_secs(60));
}
