//! Shared vectors over a folder: several members of a team, damage, and other people's rows.

#![expect(
    clippy::disallowed_methods,
    reason = "the files of a store, which are no project's"
)]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use claudevil_child::vectors::samples::spread_like_a_model;

use super::*;

const WIDTH: usize = 32;

fn space() -> Space {
    Space {
        model: "onnx:tiny@1-abc".to_owned(),
        dimensions: WIDTH,
    }
}

fn store(folder: &Path, secret: &str, access: Access) -> SharedStore {
    SharedStore {
        location: folder.display().to_string(),
        secret: secret.repeat(32),
        access,
        endpoint: None,
        region: None,
        account: None,
    }
}

fn member(folder: &Path) -> SharedVectors {
    SharedVectors::new(store(folder, "s", Access::ReadAndWrite))
}

fn vectors(numbers: std::ops::Range<u64>) -> Vec<ChunkVector> {
    let one = |number: u64| {
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&number.to_le_bytes()).as_bytes()[..16]);
        ChunkVector::quantise(hash, &spread_like_a_model(number, WIDTH)).expect("finite")
    };
    numbers.map(one).collect()
}

fn hashes(vectors: &[ChunkVector]) -> Vec<ChunkHash> {
    vectors.iter().map(|vector| vector.hash).collect()
}

fn sorted(mut vectors: Vec<ChunkVector>) -> Vec<ChunkVector> {
    vectors.sort_by_key(|vector| vector.hash);
    vectors
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn a_second_member_reads_what_the_first_has_shared() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..500);
    let mut first = member(scratch.path());
    assert_eq!(
        first.fetch(&space(), &hashes(&made)).await,
        Ok(FetchOutcome::default()),
        "nobody has shared anything"
    );
    assert_eq!(first.append(&space(), &made[..300]).await, Ok(300));
    assert_eq!(
        first.append(&space(), &made).await,
        Ok(200),
        "only what is new is written"
    );
    assert_eq!(first.append(&space(), &made).await, Ok(0));
    let mut second = member(scratch.path());
    let more = vectors(400..600);
    let found = second.fetch(&space(), &hashes(&more)).await.expect("read");
    assert_eq!(sorted(found.vectors), sorted(made[400..].to_vec()));
    assert_eq!(found.refused, 0);
    let mut asked = hashes(&vectors(0..600));
    asked.reverse();
    let located = second.locate(&space(), &asked).await;
    assert_eq!(located, Ok(hashes(&made)), "in the order of the table");
    let state = second.describe(&space()).await.expect("described");
    assert_eq!(
        (state.vectors, state.files, state.unreadable_files),
        (500, 2, 0)
    );
}

#[tokio::test]
async fn neither_keys_nor_names_tell_chunks_and_another_secret_finds_nothing() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..50);
    member(scratch.path())
        .append(&space(), &made)
        .await
        .expect("shared");
    for path in files(scratch.path()) {
        let bytes = fs::read(&path).expect("read");
        let is_there = |hash: &ChunkHash| bytes.windows(16).any(|window| window == hash);
        assert!(
            !hashes(&made).iter().any(is_there),
            "{} has the hash of a chunk",
            path.display()
        );
    }
    let mut stranger = SharedVectors::new(store(scratch.path(), "t", Access::ReadAndWrite));
    let found = stranger.fetch(&space(), &hashes(&made)).await;
    assert_eq!(found, Ok(FetchOutcome::default()));
    let other_model = Space {
        model: "onnx:tiny@2-abc".to_owned(),
        ..space()
    };
    let found = member(scratch.path())
        .fetch(&other_model, &hashes(&made))
        .await;
    assert_eq!(found, Ok(FetchOutcome::default()));
}

#[tokio::test]
async fn who_may_only_read_writes_nothing() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..10);
    let mut reader = SharedVectors::new(store(scratch.path(), "s", Access::Read));
    let refused = reader.append(&space(), &made).await.expect_err("refused");
    assert!(refused.message.contains("read_only"), "{refused}");
    assert!(reader.collect(&space(), &[], 0).await.is_err());
    let found = reader.fetch(&space(), &hashes(&made)).await;
    assert_eq!(found, Ok(FetchOutcome::default()));
    assert_eq!(files(scratch.path()), [""; 0].map(PathBuf::from));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_writers_at_once_lose_nothing() {
    let scratch = tempfile::tempdir().expect("a directory");
    let writers = (0..10_u64).map(|number| {
        let folder = scratch.path().to_owned();
        tokio::spawn(async move {
            let mut writer = member(&folder);
            // Neighbours share half of their vectors.
            for round in 0..3 {
                let from = number * 40 + round * 1000;
                let made = vectors(from..from + 80);
                writer.append(&space(), &made).await.expect("shared");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    let all: Vec<_> = (0..3)
        .flat_map(|round| vectors(round * 1000..round * 1000 + 440))
        .collect();
    let mut reader = member(scratch.path());
    let found = reader.fetch(&space(), &hashes(&all)).await.expect("read");
    assert_eq!(sorted(found.vectors), sorted(all.clone()));
    let collected = reader
        .collect(&space(), &hashes(&all), 30)
        .await
        .expect("collected");
    assert!(
        collected.files_after < collected.files_before,
        "{collected:?}"
    );
    let found = member(scratch.path())
        .fetch(&space(), &hashes(&all))
        .await
        .expect("read");
    assert_eq!(sorted(found.vectors), sorted(all));
}

#[tokio::test]
async fn a_collection_removes_what_is_old_and_not_live_and_second_copies() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..100);
    let (mut first, mut second) = (member(scratch.path()), member(scratch.path()));
    first.append(&space(), &made[..1]).await.expect("shared");
    second.describe(&space()).await.expect("opened");
    first.append(&space(), &made).await.expect("shared");
    // The second member's list of keys is out of date.
    second.append(&space(), &made).await.expect("shared");
    let state = first.describe(&space()).await.expect("described");
    assert_eq!((state.vectors, state.files), (100, 3));
    let kept = first.collect(&space(), &[], 1).await.expect("collected");
    assert_eq!(
        (kept.removed, kept.files_before, kept.files_after),
        (99, 3, 1),
        "today's vectors stay"
    );
    // The other member still has the version before, and reads on.
    let found = second.fetch(&space(), &hashes(&made)).await.expect("read");
    assert_eq!(sorted(found.vectors), sorted(made.clone()));
    let live = hashes(&made[..30]);
    let gone = first.collect(&space(), &live, 0).await.expect("collected");
    assert_eq!(gone.removed, 70);
    let mut third = member(scratch.path());
    let found = third.fetch(&space(), &hashes(&made)).await.expect("read");
    assert_eq!(sorted(found.vectors), sorted(made[..30].to_vec()));
    assert_eq!(third.append(&space(), &made).await, Ok(70), "made again");
}

#[tokio::test]
async fn damaged_files_cost_their_own_vectors_and_give_no_wrong_ones() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..400);
    let mut writer = member(scratch.path());
    writer.append(&space(), &made[..200]).await.expect("shared");
    writer.append(&space(), &made[200..]).await.expect("shared");
    let data: Vec<_> = files(scratch.path())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "lance"))
        .collect();
    assert_eq!(data.len(), 2);
    let sound = fs::read(&data[0]).expect("read");
    let all: HashSet<_> = made
        .iter()
        .map(|vector| (vector.hash, vector.codes.clone()))
        .collect();
    let mut truncated = sound.clone();
    truncated.truncate(sound.len() / 2);
    let mut flipped = sound.clone();
    // In the middle of the codes, which are most of the file.
    let middle = sound.len() / 2;
    flipped[middle] ^= 0x55;
    for damaged in [truncated, flipped, vec![]] {
        fs::write(&data[0], &damaged).expect("written");
        let mut reader = member(scratch.path());
        let found = reader.fetch(&space(), &hashes(&made)).await.expect("read");
        assert!(
            (200..400).contains(&found.vectors.len()),
            "{} were read",
            found.vectors.len()
        );
        for vector in found.vectors {
            assert!(all.contains(&(vector.hash, vector.codes)), "a wrong vector");
        }
        fs::write(&data[0], &sound).expect("written");
    }
    // A vector that cannot be read is shared again by whoever makes it again.
    fs::write(&data[0], b"").expect("written");
    let mut reader = member(scratch.path());
    reader.fetch(&space(), &hashes(&made)).await.expect("read");
    assert_eq!(reader.append(&space(), &made).await, Ok(200));
    let found = member(scratch.path())
        .fetch(&space(), &hashes(&made))
        .await
        .expect("read");
    assert_eq!(sorted(found.vectors), sorted(made));
}

#[tokio::test]
async fn a_row_that_somebody_forged_is_refused() {
    let scratch = tempfile::tempdir().expect("a directory");
    let made = vectors(0..20);
    let mut writer = member(scratch.path());
    writer.append(&space(), &made[..10]).await.expect("shared");
    // Whoever may write and does not have the secret can copy keys, and add rows under them.
    let keys = SpaceKeys::new(&"s".repeat(32), &space());
    let other_secret = crate::store::rows::Rows::shared(&space(), [7; 32]).expect("rows");
    let forged: Vec<_> = made[10..]
        .iter()
        .map(|vector| ChunkVector {
            hash: keys.key(&vector.hash),
            ..vector.clone()
        })
        .collect();
    let batch = other_secret
        .encode(&forged.iter().collect::<Vec<_>>(), 0)
        .expect("encoded");
    let connection = lancedb::connect(&scratch.path().display().to_string())
        .execute()
        .await
        .expect("connected");
    let names = connection.table_names().execute().await.expect("listed");
    assert!(names[0].starts_with(&keys.table), "{names:?}");
    let table = connection.open_table(&names[0]).execute().await;
    table
        .expect("opened")
        .add(batch)
        .execute()
        .await
        .expect("added");
    let mut reader = member(scratch.path());
    let found = reader.fetch(&space(), &hashes(&made)).await.expect("read");
    assert_eq!(found.refused, 10);
    assert_eq!(sorted(found.vectors), sorted(made[..10].to_vec()));
}
