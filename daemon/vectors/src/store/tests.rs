//! The vector store over real files, sound and damaged.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use claudevil_child::vectors::samples::spread_like_a_model;
use claudevil_child::vectors::{Contents, table_ledger};

use super::*;

fn space(dimensions: usize) -> Space {
    Space {
        model: "hashing@1".to_owned(),
        dimensions,
    }
}

fn hash(number: u64) -> ChunkHash {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(&number.to_le_bytes()).as_bytes()[..16]);
    hash
}

fn vectors(numbers: std::ops::Range<u64>, dimensions: usize) -> Vec<ChunkVector> {
    let one = |number| {
        ChunkVector::quantise(hash(number), &spread_like_a_model(number, dimensions))
            .expect("finite")
    };
    numbers.map(one).collect()
}

async fn everything(
    store: &VectorStore,
    space: &Space,
) -> Result<HashMap<ChunkHash, ChunkVector>, VectorError> {
    let hashes: Vec<ChunkHash> = store
        .reading(space)
        .await?
        .known()
        .iter()
        .copied()
        .collect();
    Ok(store.load(space, &hashes).await?.vectors)
}

/// Counts the vectors as the status does.
fn contents(scratch: &tempfile::TempDir, store: &VectorStore) -> Contents {
    let mut contents = table_ledger::count_stored(scratch.path()).expect("counted");
    contents.troubles.extend(store.troubles());
    contents
}

fn by_hash(vectors: &[ChunkVector]) -> HashMap<ChunkHash, ChunkVector> {
    vectors
        .iter()
        .map(|vector| (vector.hash, vector.clone()))
        .collect()
}

#[tokio::test]
async fn vectors_come_back_as_they_were_stored() {
    let scratch = tempfile::tempdir().expect("a directory");
    let store = VectorStore::new(scratch.path());
    assert_eq!(contents(&scratch, &store), Contents::default());
    let space = space(64);
    let mut made = vectors(0..4, 64);
    made[2] = ChunkVector::quantise(hash(2), &[0.0; 64]).expect("finite");
    assert_eq!(
        store.open(&space).await.expect("opened").condition,
        Condition::New
    );

    let twice: Vec<_> = made.iter().chain(&made).cloned().collect();
    let appended = store.append(&space, &twice).await.expect("appended");
    assert_eq!((appended.added, appended.readable.len()), (4, 4));
    assert_eq!(
        store.append(&space, &made).await.expect("appended").added,
        0
    );

    for _ in ["as it is", "opened again"] {
        let loaded = store
            .load(&space, &[hash(1), hash(2), hash(77)])
            .await
            .expect("loaded");
        assert_eq!(loaded.vectors, by_hash(&made[1..3]));
        assert_eq!(
            everything(&store, &space).await.expect("loaded"),
            by_hash(&made)
        );
        assert_eq!(
            store
                .load(&space, &[hash(3), hash(4)])
                .await
                .expect("loaded")
                .vectors
                .into_keys()
                .collect::<Vec<_>>(),
            [hash(3)]
        );
        assert_eq!(store.count(&space).await.expect("counted"), 4);
        assert_eq!(
            contents(&scratch, &store),
            Contents {
                tables: 1,
                vectors: 4,
                troubles: vec![]
            }
        );
        store.close().await;
    }
    assert_eq!(
        store.open(&space).await.expect("opened").condition,
        Condition::Sound
    );
    let other = Space {
        model: "another@1".to_owned(),
        ..space.clone()
    };
    assert_eq!(store.count(&other).await.expect("counted"), 0);

    // The same model with another length is another model: the table is created again.
    let longer = Space {
        dimensions: 128,
        ..space
    };
    let opened = store.open(&longer).await.expect("opened");
    assert!(
        matches!(opened.condition, Condition::Rebuilt { .. }) && opened.vectors == 0,
        "{opened:?}"
    );
    assert!(
        store
            .append(&longer, &made)
            .await
            .is_err_and(|error| error.kind == VectorErrorKind::Other)
    );
    let appended = store
        .append(&longer, &vectors(0..3, 128))
        .await
        .expect("appended");
    assert_eq!(appended.added, 3);
    assert_eq!(contents(&scratch, &store).troubles.len(), 1);
}

#[tokio::test]
async fn a_sweep_removes_dead_vectors_and_frees_their_space() {
    let scratch = tempfile::tempdir().expect("a directory");
    let store = VectorStore::new(scratch.path());
    let space = space(64);
    let all = vectors(0..3000, 64);
    for some in all.chunks(500) {
        assert_eq!(
            store
                .append(&space, some)
                .await
                .expect("appended")
                .readable
                .len(),
            500
        );
    }
    // More than a filter takes, so that both ways of loading are taken.
    let many: Vec<_> = all[..1500].iter().map(|vector| vector.hash).collect();
    assert_eq!(
        store.load(&space, &many).await.expect("loaded").vectors,
        by_hash(&all[..1500])
    );

    let live: HashSet<_> = many.iter().copied().collect();
    assert_eq!(
        store
            .remove_unreferenced(&space, &live)
            .await
            .expect("removed"),
        1500
    );
    assert_eq!(store.count(&space).await.expect("counted"), 1500);
    assert_eq!(
        everything(&store, &space).await.expect("loaded"),
        by_hash(&all[..1500])
    );
    // A hash that has been deleted can come back.
    assert_eq!(
        store
            .append(&space, &all[1400..1600])
            .await
            .expect("appended")
            .added,
        100
    );

    let before = bytes_beneath(scratch.path());
    for _ in ["compaction", "pruning of what it left"] {
        let done = store
            .maintain_with(&space, lancedb::table::Duration::zero())
            .await
            .expect("maintained");
        assert_eq!(done.failures(), Vec::<String>::new());
    }
    let data = files_beneath(scratch.path())
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ext| ext == "lance"));
    assert_eq!(data.count(), 1, "one fragment is left");
    assert!(
        bytes_beneath(scratch.path()) < before * 2 / 3,
        "{before} bytes became {}",
        bytes_beneath(scratch.path())
    );
    store.close().await;
    assert_eq!(
        everything(&store, &space).await.expect("loaded"),
        by_hash(&all[..1600])
    );
}

#[tokio::test]
async fn a_store_that_lost_its_newest_version_keeps_the_others() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (store, space, all) = (
        Arc::new(VectorStore::new(scratch.path())),
        space(64),
        vectors(0..200, 64),
    );
    // From tasks of their own, as the daemon does: one waits for the other.
    let append = |some: &[ChunkVector]| {
        let (store, space, some) = (Arc::clone(&store), space.clone(), some.to_vec());
        tokio::spawn(async move { store.append(&space, &some).await })
    };
    append(&all[..100]).await.expect("ran").expect("appended");
    let (last, loaded) = (
        append(&all[100..]),
        everything(&store, &space).await.expect("loaded"),
    );
    assert!(
        loaded.len() == 100 || loaded.len() == 200,
        "{}",
        loaded.len()
    );
    last.await.expect("ran").expect("appended");
    store.close().await;
    let newest = files_beneath(scratch.path())
        .into_iter()
        .filter(|file| file.extension().is_some_and(|it| it == "manifest"));
    let newest = newest.min().expect("a manifest");
    fs::write(&newest, b"").expect("emptied");
    let opened = store.open(&space).await.expect("opened");
    assert!(
        matches!(opened.condition, Condition::SteppedBack { .. }),
        "{opened:?}"
    );
    assert_eq!(
        everything(&store, &space).await.expect("loaded"),
        by_hash(&all[..100])
    );
    assert_eq!(
        store.append(&space, &all).await.expect("appended").added,
        100
    );
    store.close().await;
    assert_eq!(
        everything(&store, &space).await.expect("loaded"),
        by_hash(&all)
    );
}

type Damage = (&'static str, fn(&Path, &[u8]));

const DAMAGES: &[Damage] = &[
    ("emptied", |file, _| fs::write(file, b"").expect("written")),
    ("zeroed", |file, whole| {
        fs::write(file, vec![0; whole.len()]).expect("written");
    }),
    ("cut in half", |file, whole| {
        fs::write(file, &whole[..whole.len() / 2]).expect("written");
    }),
    ("deleted", |file, _| fs::remove_file(file).expect("deleted")),
    ("flipped in the middle", |file, whole| {
        flip(file, whole, whole.len() / 2);
    }),
];

fn flip(file: &Path, whole: &[u8], place: usize) {
    let mut damaged = whole.to_vec();
    damaged[place] ^= 1 << (place % 8);
    fs::write(file, damaged).expect("written");
}

/// A store with several fragments, after a deletion and a compaction.
async fn store_with_a_past(at: &Path) -> (Space, Vec<ChunkVector>) {
    let (store, space, all) = (VectorStore::new(at), space(64), vectors(0..300, 64));
    store.append(&space, &all[..100]).await.expect("appended");
    store
        .append(&space, &all[100..150])
        .await
        .expect("appended");
    store.maintain(&space).await.expect("maintained");
    let live = all[10..].iter().map(|vector| vector.hash).collect();
    store
        .remove_unreferenced(&space, &live)
        .await
        .expect("removed");
    store.append(&space, &all[150..]).await.expect("appended");
    store.close().await;
    (space, all)
}

/// Checks that a store, whatever its state, returns only right vectors, and accepts and keeps new ones.
async fn assert_usable(
    store: &VectorStore,
    space: &Space,
    truth: &HashMap<ChunkHash, ChunkVector>,
    case: &str,
) {
    let opened = store
        .open(space)
        .await
        .unwrap_or_else(|error| panic!("{case}: {error:?}"));
    let known = everything(store, space)
        .await
        .unwrap_or_else(|error| panic!("{case}: {error:?}"));
    assert!(
        known
            .iter()
            .all(|(hash, vector)| truth.get(hash) == Some(vector)),
        "{case}: a wrong vector"
    );
    assert_eq!(known.len(), opened.vectors, "{case}");
    if opened.condition == Condition::Sound {
        assert!(
            opened.vectors + opened.damaged_rows >= 290,
            "{case}: rows went without a word: {opened:?}"
        );
    }
    let hashes: Vec<_> = truth.keys().copied().collect();
    assert_eq!(
        store.load(space, &hashes).await.expect("loaded").vectors,
        known,
        "{case}"
    );
    let vectors: Vec<_> = truth.values().cloned().collect();
    let appended = store
        .append(space, &vectors)
        .await
        .unwrap_or_else(|error| panic!("{case}: {error:?}"));
    assert_eq!(appended.readable.len(), truth.len(), "{case}");
    assert_eq!(appended.added, truth.len() - known.len(), "{case}");
    store.close().await;
    assert_eq!(
        &everything(store, space).await.expect("loaded"),
        truth,
        "{case}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_damage_gets_out_as_a_panic_or_a_wrong_vector() {
    let scratch = tempfile::tempdir().expect("a directory");
    let sound = scratch.path().join("sound");
    let (space, all) = store_with_a_past(&sound).await;
    let truth = by_hash(&all);
    let files = files_beneath(&sound);
    assert!(files.len() > 10, "{files:?}");
    let mut cases = 0;
    for file in &files {
        let inside = file.strip_prefix(&sound).expect("inside");
        let whole = read(file);
        for (what, damage) in DAMAGES {
            let copy = tempfile::tempdir_in(scratch.path()).expect("a directory");
            copy_files(&sound, &files, copy.path());
            damage(&copy.path().join(inside), &whole);
            let case = format!("{} {what}", inside.display());
            assert_usable(&VectorStore::new(copy.path()), &space, &truth, &case).await;
            cases += 1;
        }
    }
    println!("{cases} cases over {} files", files.len());
}

#[tokio::test]
async fn damage_beneath_an_open_store_is_met_on_the_way() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (space, all) = store_with_a_past(scratch.path()).await;
    let truth = by_hash(&all);
    let store = VectorStore::new(scratch.path());
    assert_eq!(store.count(&space).await.expect("counted"), 290);
    for file in files_beneath(scratch.path()) {
        fs::write(&file, b"").expect("emptied");
    }
    let hashes: Vec<_> = truth.keys().copied().collect();
    let loaded = store.load(&space, &hashes).await.expect("loaded");
    assert!(
        loaded
            .vectors
            .iter()
            .all(|(hash, vector)| truth.get(hash) == Some(vector))
    );
    assert_eq!(
        store
            .append(&space, &all)
            .await
            .expect("appended")
            .readable
            .len(),
        300
    );
    store.close().await;
    assert_eq!(everything(&store, &space).await.expect("loaded"), truth);
}

#[tokio::test]
async fn a_row_that_changed_beneath_an_open_store_is_not_handed_out() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (store, space, all) = (
        VectorStore::new(scratch.path()),
        space(64),
        vectors(0..300, 64),
    );
    store.append(&space, &all).await.expect("appended");
    let codes: Vec<u8> = all[7]
        .codes
        .iter()
        .flat_map(|code| code.to_le_bytes())
        .collect();
    let place = |whole: &[u8]| whole.windows(codes.len()).position(|some| some == codes);
    let holding = |file: &PathBuf| Some((file.clone(), place(&read(file))?));
    let (file, place) = files_beneath(scratch.path())
        .iter()
        .find_map(holding)
        .expect("codes lie as they are");
    flip(&file, &read(&file), place);

    let loaded = store
        .load(&space, &[hash(6), hash(7)])
        .await
        .expect("loaded");
    assert_eq!(
        (loaded.vectors, loaded.damaged_rows),
        (by_hash(&all[6..7]), 1)
    );
    assert_eq!(store.count(&space).await.expect("counted"), 299);
    assert_eq!(store.append(&space, &all).await.expect("appended").added, 1);
    assert_eq!(
        everything(&store, &space).await.expect("loaded"),
        by_hash(&all)
    );
    // Both rows go, the damaged and the good one: neither can be deleted alone.
    let live = all.iter().map(|vector| vector.hash).collect();
    assert_eq!(
        store
            .remove_unreferenced(&space, &live)
            .await
            .expect("removed"),
        2
    );
    assert_eq!(store.append(&space, &all).await.expect("appended").added, 1);
    assert_eq!(
        store
            .load(&space, &[hash(7)])
            .await
            .expect("loaded")
            .damaged_rows,
        0
    );
}

/// With TMPDIR on a file system of a few megabytes: `cargo test -- --ignored a_full_disk`.
#[tokio::test]
#[ignore = "needs a small file system"]
async fn a_full_disk_is_an_error_and_costs_nothing_that_was_stored() {
    let scratch = tempfile::tempdir().expect("a directory");
    let ballast = scratch.path().join("ballast");
    fs::write(&ballast, vec![1; 1 << 20]).expect("written");
    let (store, space) = (VectorStore::new(scratch.path()), space(256));
    let mut stored = HashSet::new();
    let mut refused = None;
    for batch in 0..200 {
        match store
            .append(&space, &vectors(batch * 1000..(batch + 1) * 1000, 256))
            .await
        {
            Ok(appended) => stored.extend(appended.readable),
            Err(error) => {
                refused = Some((batch, error));
                break;
            }
        }
    }
    let (batch, error) = refused.expect("the file system is small");
    assert_eq!(error.kind, VectorErrorKind::Full, "{error}");
    assert!(batch > 0 && stored.len() as u64 == batch * 1000, "{batch}");
    for _ in ["as it is", "opened again"] {
        let all = everything(&store, &space).await.expect("loaded");
        assert!(stored.iter().all(|hash| all.contains_key(hash)));
        store.close().await;
    }
    fs::remove_file(&ballast).expect("removed");
    let appended = store
        .append(&space, &vectors(batch * 1000..(batch + 1) * 1000, 256))
        .await
        .expect("there is room");
    assert_eq!(appended.readable.len(), 1000);
}

/// `cargo test -- --ignored --nocapture reports_size_and_speed_of_a_large_table`; sizes hold in any build, times in release only.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn reports_size_and_speed_of_a_large_table() {
    const ROWS: usize = 50_000;
    let scratch = tempfile::tempdir().expect("a directory");
    let (store, space) = (VectorStore::new(scratch.path()), space(256));
    let all = vectors(0..ROWS as u64, 256);
    let started = Instant::now();
    for some in all.chunks(5000) {
        store.append(&space, some).await.expect("appended");
    }
    let per_vector = |bytes: u64| bytes / ROWS as u64;
    println!(
        "append, verified: {:?}, {} bytes each",
        started.elapsed(),
        per_vector(bytes_beneath(scratch.path()))
    );
    let started = Instant::now();
    for _ in 0..2 {
        let done = store
            .maintain_with(&space, lancedb::table::Duration::zero())
            .await
            .expect("maintained");
        assert_eq!(done.failures(), Vec::<String>::new());
    }
    println!(
        "maintain, twice: {:?}, {} bytes each",
        started.elapsed(),
        per_vector(bytes_beneath(scratch.path()))
    );
    store.close().await;
    let started = Instant::now();
    store.open(&space).await.expect("opened");
    println!("open and survey: {:?}", started.elapsed());
    let started = Instant::now();
    let loaded = everything(&store, &space).await.expect("loaded");
    println!("load of all: {:?}", started.elapsed());
    assert_eq!(loaded.len(), ROWS);
    let some: Vec<_> = (0..1000).map(|number| hash(number * 50)).collect();
    let started = Instant::now();
    assert_eq!(
        store
            .load(&space, &some)
            .await
            .expect("loaded")
            .vectors
            .len(),
        1000
    );
    println!("load of 1000: {:?}", started.elapsed());
}

#[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
fn read(file: &Path) -> Vec<u8> {
    fs::read(file).expect("readable")
}

fn files_beneath(directory: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    #[expect(clippy::disallowed_methods, reason = "a directory of the test's own")]
    for entry in fs::read_dir(directory).expect("readable").flatten() {
        if entry.path().is_dir() {
            files.extend(files_beneath(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

fn bytes_beneath(directory: &Path) -> u64 {
    files_beneath(directory)
        .iter()
        .map(|file| fs::metadata(file).expect("there").len())
        .sum()
}

fn copy_files(from: &Path, files: &[PathBuf], to: &Path) {
    for file in files {
        let target = to.join(file.strip_prefix(from).expect("inside"));
        fs::create_dir_all(target.parent().expect("a directory")).expect("made");
        fs::copy(file, target).expect("copied");
    }
}

#[tokio::test]
async fn other_models_are_forgotten_when_asked() {
    let scratch = tempfile::tempdir().expect("a directory");
    let store = VectorStore::new(scratch.path());
    let (kept, other) = (
        space(16),
        Space {
            model: "another".to_owned(),
            dimensions: 16,
        },
    );
    store
        .append(&kept, &vectors(0..4, 16))
        .await
        .expect("appended");
    store
        .append(&other, &vectors(0..9, 16))
        .await
        .expect("appended");
    assert_eq!(contents(&scratch, &store).vectors, 13);
    assert_eq!(
        store
            .drop_other_models(std::slice::from_ref(&kept.model))
            .await
            .expect("forgotten"),
        1
    );
    let left = contents(&scratch, &store);
    assert_eq!((left.tables, left.vectors, left.troubles), (1, 4, vec![]));
    assert_eq!(store.count(&kept).await.expect("counted"), 4);
    // It may come back.
    assert_eq!(
        store
            .append(&other, &vectors(0..2, 16))
            .await
            .expect("appended")
            .added,
        2
    );
}
