//! The guarantees of the ledger: batches are atomic, and damage is noticed.

#![expect(clippy::disallowed_methods, reason = "the ledger's own file")]

use super::record::Skip;
use super::*;
use crate::extract::facts::{FileFacts, Occurrence, OccurrenceBuilder, Role};

fn record(number: u8) -> FileRecord {
    let state = if number == 0 {
        FileState::Skipped(Skip::Binary)
    } else {
        FileState::Indexed(FactsKey([number; 16]))
    };
    FileRecord {
        size: 3,
        modified_nanos: 4,
        stamp: 5,
        hash: [number; 16],
        language: None,
        state,
    }
}

fn facts() -> StoredFacts {
    let facts = FileFacts::default();
    StoredFacts {
        outline: record::compress(&facts.outline),
        occurrences: record::compress(&facts.occurrences),
    }
}

fn batch(paths: &[(&str, u8)]) -> Batch {
    Batch {
        facts: paths
            .iter()
            .filter(|(_, number)| *number > 0)
            .map(|(_, n)| (FactsKey([*n; 16]), facts()))
            .collect(),
        put: paths
            .iter()
            .map(|(path, number)| ((*path).to_owned(), record(*number)))
            .collect(),
        removed: vec![],
    }
}

#[test]
fn a_batch_is_unfinished_until_it_is_finished() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, rebuilt) = Ledger::open(scratch.path()).expect("opened");
    assert_eq!(rebuilt, None);
    let batch = batch(&[("a.rs", 1), ("b.png", 0)]);
    ledger.begin(7, &batch).expect("begun");
    drop(ledger);
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened again");
    let loaded = ledger.load(7).expect("loaded");
    assert_eq!((loaded.files.len(), loaded.unfinished.len()), (0, 2));
    let state = RootState {
        generation: 9,
        complete: true,
        ..RootState::default()
    };
    ledger.finish(7, &batch, &state).expect("finished");
    let loaded = ledger.load(7).expect("loaded");
    assert_eq!(
        (loaded.state, loaded.files, loaded.unfinished),
        (state, batch.put.clone(), vec![])
    );
    assert!(
        ledger.load(8).expect("loaded").files.is_empty(),
        "another root has its own files"
    );
    assert!(ledger.outlines(&[FactsKey([1; 16])]).expect("read")[0].is_some());
}

#[test]
fn the_time_since_which_a_root_is_away_is_noted_once_and_changes_nothing_else() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened");
    ledger.note_unavailable(7, 100).expect("nothing to note");
    assert_eq!(ledger.state(7).expect("read"), None);
    let state = RootState {
        generation: 9,
        complete: true,
        ..RootState::default()
    };
    let batch = batch(&[("a.rs", 1)]);
    ledger.finish(7, &Batch::default(), &state).expect("stored");
    ledger.begin(7, &batch).expect("begun");
    for since in [100, 200] {
        ledger.note_unavailable(7, since).expect("noted");
    }
    let noted = RootState {
        unavailable_since: Some(100),
        ..state
    };
    assert_eq!(ledger.state(7).expect("read"), Some(noted));
    assert_eq!(ledger.load(7).expect("loaded").unfinished, ["a.rs"]);
    assert_eq!(ledger.unfinished_facts().len(), 1, "a sweep keeps them");
}

#[test]
fn uses_are_unpacked_where_a_name_is_among_them() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened");
    let mut builder = OccurrenceBuilder::default();
    for name in ["parse", "Parser", "größe"] {
        builder.push(Occurrence {
            name,
            line: 1,
            column: 0,
            role: Role::Call,
            qualifier: None,
            symbol: None,
        });
    }
    let all = builder.finish();
    let mut batch = batch(&[("a.rs", 1)]);
    batch.facts[0].1.occurrences = record::compress(&all);
    ledger.begin(1, &batch).expect("begun");
    let key = FactsKey([1; 16]);
    assert_eq!(ledger.occurrences(key).expect("read"), all);
    for (names, are_there) in [
        (&["parse"][..], true),
        (&["none", "größe"], true),
        (&["Parse"], false),
        (&["pars", "arse", "parserParser"], false),
        (&[], false),
    ] {
        let found = ledger.occurrences_with(key, names).expect("read");
        assert_eq!(found, are_there.then(|| all.clone()), "{names:?}");
    }
    let missing = FactsKey([2; 16]);
    assert!(
        ledger.occurrences(missing).is_err()
            && ledger.occurrences_with(missing, &["parse"]).is_err()
    );
}

#[test]
fn facts_outlive_their_last_file_until_there_are_too_many() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened");
    let big = StoredFacts {
        outline: vec![7; 256 << 10],
        occurrences: vec![],
    };
    for number in 1..=9 {
        let mut batch = batch(&[("a.rs", number)]);
        batch.facts = vec![(FactsKey([number; 16]), big.clone())];
        ledger.begin(1, &batch).expect("begun");
        ledger
            .finish(1, &batch, &RootState::default())
            .expect("finished");
    }
    let freed = ledger.sweep().expect("swept");
    assert_eq!(
        freed / (256 << 10),
        7,
        "eight are unused, and a quarter of a megabyte is kept"
    );
    assert_eq!(ledger.sweep().expect("swept"), 0);
    // The facts of an unfinished batch are kept.
    let mut unfinished = batch(&[
        ("b.rs", 20),
        ("c.rs", 21),
        ("d.rs", 22),
        ("e.rs", 23),
        ("f.rs", 24),
        ("g.rs", 25),
    ]);
    unfinished.facts = (20..26)
        .map(|number| (FactsKey([number; 16]), big.clone()))
        .collect();
    ledger.begin(2, &unfinished).expect("begun");
    assert_eq!(ledger.sweep().expect("swept"), 0);
    let again = Batch {
        facts: vec![],
        put: unfinished.put.clone(),
        removed: vec![],
    };
    ledger.begin(2, &again).expect("all of them are there");
}

#[test]
fn a_batch_of_facts_that_were_swept_away_is_not_begun() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened");
    let first = batch(&[("a.rs", 1)]);
    let again = Batch {
        facts: vec![],
        put: first.put.clone(),
        removed: vec![],
    };
    assert!(
        ledger.begin(1, &again).is_err(),
        "nobody has made these facts"
    );
    ledger.begin(1, &first).expect("begun");
    ledger.begin(1, &again).expect("they are there by now");
}

#[test]
fn no_damage_keeps_the_ledger_from_opening_or_gives_wrong_records() {
    let scratch = tempfile::tempdir().expect("a directory");
    let (ledger, _) = Ledger::open(scratch.path()).expect("opened");
    let names: Vec<String> = (0..200)
        .map(|number| format!("src/file-{number}.rs"))
        .collect();
    let truth = batch(
        &names
            .iter()
            .zip(1..)
            .map(|(name, number)| (name.as_str(), number))
            .collect::<Vec<_>>(),
    );
    ledger.begin(1, &truth).expect("begun");
    ledger
        .finish(
            1,
            &truth,
            &RootState {
                generation: 3,
                ..RootState::default()
            },
        )
        .expect("finished");
    drop(ledger);
    let file = scratch.path().join("index.redb");
    let whole = fs::read(&file).expect("readable");
    for page in (0..whole.len()).step_by(4096 * 3) {
        for damage in [Damage::Zero, Damage::Flip, Damage::Cut] {
            let mut bytes = whole.clone();
            match damage {
                Damage::Zero => bytes[page..(page + 4096).min(whole.len())].fill(0),
                Damage::Flip => bytes[page + 77] ^= 0x10,
                Damage::Cut => bytes.truncate(page),
            }
            fs::write(&file, &bytes).expect("written");
            let (ledger, _) = Ledger::open(scratch.path())
                .unwrap_or_else(|error| panic!("{damage:?} {page}: {error}"));
            let loaded = match ledger.load(1) {
                Ok(loaded) => loaded,
                Err(error) => {
                    ledger.recreate(&error.to_string()).expect("rebuilt");
                    ledger.load(1).expect("empty")
                }
            };
            assert!(
                loaded.files.iter().all(|file| truth.put.contains(file)),
                "{damage:?} at {page}"
            );
            ledger
                .begin(1, &truth)
                .or_else(|_| ledger.recreate("a test"))
                .expect("written, or rebuilt");
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Zero,
    Flip,
    Cut,
}

#[test]
fn a_ledger_of_another_format_is_rebuilt() {
    let scratch = tempfile::tempdir().expect("a directory");
    let database = Database::create(scratch.path().join("index.redb")).expect("created");
    let transaction = database.begin_write().expect("begun");
    transaction
        .open_table(META)
        .expect("a table")
        .insert(FORMAT, 999)
        .expect("stored");
    transaction.commit().expect("committed");
    drop(database);
    let (ledger, rebuilt) = Ledger::open(scratch.path()).expect("opened");
    assert!(rebuilt.is_some_and(|why| why.contains("format 999")));
    assert!(ledger.load(1).expect("empty").files.is_empty());
}
