//! Damage to what is stored: the next start answers right, whatever was done to whichever file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use claudevil_tests::home::Home;
use claudevil_tests::questions::{Questions, dump};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("13_damaged_stores_answer_right", Needs::Nothing, || {
            damaged_stores(FEW, 1, |_| true)
        }),
        proof(
            "13_every_file_of_ledger_and_registry_damaged_in_every_way",
            Needs::Patience,
            || damaged_stores(MANY, MANY.len(), |file| !is_text(file) && !is_vectors(file)),
        ),
        proof(
            "13_every_file_of_the_text_index_damaged_in_every_way",
            Needs::Patience,
            || damaged_stores(MANY, MANY.len(), is_text),
        ),
        proof(
            "13_every_file_of_the_vectors_damaged_in_every_way",
            Needs::Patience,
            || damaged_stores(MANY, MANY.len(), is_vectors),
        ),
        proof(
            "13_what_is_deleted_under_the_daemon_is_made_again",
            Needs::Nothing,
            deleted_while_running,
        ),
        proof(
            "16_an_index_of_another_format_is_rebuilt",
            Needs::Nothing,
            another_format,
        ),
        proof(
            "16_a_text_index_of_another_shape_is_rebuilt",
            Needs::Nothing,
            another_shape,
        ),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Zeroed,
    Emptied,
    Halved,
    /// Extended by bytes that do not belong there.
    Extended,
    /// One bit is flipped, at this many thousandths of the file.
    Flipped(usize),
    /// A page is zeroed, at this many thousandths of the file.
    LostPage(usize),
    Deleted,
}

const FEW: &[Damage] = &[Damage::Zeroed, Damage::Halved, Damage::Flipped(500)];
const MANY: &[Damage] = &[
    Damage::Zeroed,
    Damage::Emptied,
    Damage::Halved,
    Damage::Extended,
    Damage::Deleted,
    Damage::Flipped(0),
    Damage::Flipped(3),
    Damage::Flipped(100),
    Damage::Flipped(250),
    Damage::Flipped(500),
    Damage::Flipped(750),
    Damage::Flipped(999),
    Damage::LostPage(0),
    Damage::LostPage(10),
    Damage::LostPage(50),
    Damage::LostPage(300),
    Damage::LostPage(700),
    Damage::LostPage(999),
];

impl Damage {
    fn inflict(self, file: &Path) {
        let mut bytes = fs::read(file).expect("readable");
        let length = bytes.len();
        let at = |thousandths: usize| (length * thousandths / 1000).min(length.saturating_sub(1));
        match self {
            Self::Zeroed => bytes.fill(0),
            Self::Emptied => bytes.clear(),
            Self::Halved => bytes.truncate(length / 2),
            Self::Extended => bytes.extend([0xa5; 5000]),
            Self::Flipped(_) | Self::LostPage(_) if length == 0 => {}
            Self::Flipped(thousandths) => bytes[at(thousandths)] ^= 0x10,
            Self::LostPage(thousandths) => {
                let from = at(thousandths) / 4096 * 4096;
                let to = length.min(from + 4096);
                bytes[from..to].fill(0);
            }
            Self::Deleted => return fs::remove_file(file).expect("deleted"),
        }
        fs::write(file, bytes).expect("written");
    }
}

fn is_text(file: &Path) -> bool {
    file.starts_with("roots")
}

fn is_vectors(file: &Path) -> bool {
    file.starts_with("vectors")
}

/// Damages the chosen files one at a time, each in this many of the ways, which are used in turn.
async fn damaged_stores(damages: &[Damage], ways: usize, is_chosen: fn(&Path) -> bool) {
    let home = Home::new();
    let project = tree(&home);
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    let right = answers(&mut questions).await;
    questions.embedded().await;
    stop(&home).await;
    let stored = dump(&home).await;
    assert!(
        stored.contains("complete true unfinished 0 generations equal true"),
        "{stored}"
    );
    let data = home.paths().data().to_owned();
    let whole = home.scratch().join("whole");
    copy(&data, &whole);
    let files: Vec<PathBuf> = files_below(&whole)
        .into_iter()
        .filter(|file| !file.starts_with("cookies"))
        .collect();
    for store in ["index.redb", "roots.redb", "meta.json"] {
        assert!(
            files.iter().any(|file| file.ends_with(store)),
            "{store} is not among {files:?}"
        );
    }
    assert!(
        files.iter().any(|file| file.starts_with("vectors")),
        "no vectors are among {files:?}"
    );
    let chosen: Vec<&PathBuf> = files.iter().filter(|file| is_chosen(file)).collect();
    assert!(!chosen.is_empty(), "none is chosen of {files:?}");
    let started = Instant::now();
    let mut rounds = 0;
    let mut ahead = damages.iter().cycle();
    for file in &chosen {
        for damage in ahead.by_ref().take(ways) {
            let case = format!("{} {damage:?}", file.display());
            fs::remove_dir_all(&data).expect("removed");
            copy(&whole, &data);
            damage.inflict(&data.join(file));
            early_answer_is_honest(&mut questions, &case).await;
            questions.settled().await;
            assert_eq!(answers(&mut questions).await, right, "{case}");
            questions.embedded().await;
            stop(&home).await;
            assert_eq!(dump(&home).await, stored, "{case}");
            rounds += 1;
        }
    }
    crate::measured(&format!(
        "{} files, {rounds} damages in {:?}: {chosen:?}",
        chosen.len(),
        started.elapsed()
    ));
}

/// Checks that the first answer after a start is right, or says that it is not complete.
async fn early_answer_is_honest(questions: &mut Questions, case: &str) {
    match questions
        .ask(
            "find_symbol",
            json!({ "name": "function_7_3", "match": "exact" }),
        )
        .await
    {
        Ok(found) => assert_eq!(
            found["symbols"][0]["path"], "src/part_7.rs",
            "{case}: {found}"
        ),
        Err(words) => {
            let is_marked = ["so far", "may be missing", "is out of date", "indexing"]
                .iter()
                .any(|mark| words.contains(mark));
            assert!(is_marked, "{case}: {words}");
        }
    }
}

async fn deleted_while_running() {
    let home = Home::new();
    let project = tree(&home);
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    let right = answers(&mut questions).await;
    let daemon = home.daemon();
    let data = home.paths().data().to_owned();
    let text = files_below(&data)
        .into_iter()
        .find(|file| file.ends_with("meta.json"))
        .expect("a text index");
    let text = data.join(text.parent().expect("a folder"));
    for (round, deleted) in [data.join("index.redb"), text, data.join("roots.redb")]
        .iter()
        .enumerate()
    {
        if deleted.is_dir() {
            fs::remove_dir_all(deleted).expect("deleted");
        } else {
            fs::remove_file(deleted).expect("deleted");
        }
        // The next edit reveals it.
        let name = format!("later_{round}");
        fs::write(
            project.join("src/later.rs"),
            format!("pub fn {name}() {{}}\n"),
        )
        .expect("written");
        questions.until_found(&name, &["src/later.rs"]).await;
        questions.settled().await;
        fs::remove_file(project.join("src/later.rs")).expect("deleted");
        questions.until_found(&name, &[]).await;
        questions.settled().await;
        assert_eq!(
            answers(&mut questions).await,
            right,
            "without {}",
            deleted.display()
        );
    }
    assert_eq!(home.daemon(), daemon, "it never fell");
    // Deleted files are there again, and complete.
    questions
        .ask("reindex", json!({ "wait": true }))
        .await
        .expect("done");
    stop(&home).await;
    let stored = dump(&home).await;
    let fresh = Home::new();
    Questions::start(&fresh, &project).await.settled().await;
    stop(&fresh).await;
    assert_eq!(stored, dump(&fresh).await);
}

async fn another_format() {
    let home = Home::new();
    let project = tree(&home);
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    let right = answers(&mut questions).await;
    let file = home.paths().data().join("index.redb");
    for format in [0_u64, 1, 77] {
        stop(&home).await;
        let mut bytes = fs::read(&file).expect("readable");
        let stored = [b"format".as_slice(), &2_u64.to_le_bytes()].concat();
        let places: Vec<usize> = (0..bytes.len() - stored.len())
            .filter(|at| bytes[*at..].starts_with(&stored))
            .collect();
        assert!(
            !places.is_empty(),
            "the number of the format is not where it was"
        );
        for at in places {
            bytes[at + 6..at + 14].copy_from_slice(&format.to_le_bytes());
        }
        fs::write(&file, bytes).expect("written");
        early_answer_is_honest(&mut questions, &format!("format {format}")).await;
        questions.settled().await;
        assert_eq!(answers(&mut questions).await, right, "format {format}");
        assert!(
            home.log()
                .contains(&format!("it is of format {format}, not 2")),
            "it was not met as another format"
        );
    }
}

async fn another_shape() {
    let home = Home::new();
    let project = tree(&home);
    let mut questions = Questions::start(&home, &project).await;
    questions.settled().await;
    let right = answers(&mut questions).await;
    stop(&home).await;
    let stored = dump(&home).await;
    let data = home.paths().data().to_owned();
    let meta = files_below(&data)
        .into_iter()
        .find(|file| file.ends_with("meta.json"))
        .expect("a text index");
    let text = fs::read_to_string(data.join(&meta)).expect("readable");
    let other = text.replace("\"doc\"", "\"comment\"");
    assert_ne!(text, other);
    fs::write(data.join(&meta), other).expect("written");
    questions.settled().await;
    assert_eq!(answers(&mut questions).await, right);
    stop(&home).await;
    assert_eq!(dump(&home).await, stored);
}

/// Makes a project that is large enough that every store has several pages.
fn tree(home: &Home) -> PathBuf {
    let project = home.project("engine");
    for part in 0..40 {
        let functions = (0..12).map(|place| {
            format!("/// What {place} is for in {part}.\npub fn function_{part}_{place}(input: &str) -> usize {{\n    input.len() + {place}\n}}\n")
        });
        fs::write(
            project.join(format!("src/part_{part}.rs")),
            functions.collect::<String>(),
        )
        .expect("written");
    }
    project
}

/// Asks the questions of before and after, and leaves out the freshness of the answers.
async fn answers(questions: &mut Questions) -> Vec<Value> {
    let mut answers = vec![];
    for (tool, arguments) in [
        (
            "find_symbol",
            json!({ "name": "function_7_3", "match": "exact" }),
        ),
        (
            "find_symbol",
            json!({ "name": "function_39", "match": "prefix", "limit": 100 }),
        ),
        ("find_symbol", json!({ "name": "answer", "match": "exact" })),
        (
            "map_code",
            json!({ "detail": "files", "max_tokens": 10000 }),
        ),
        (
            "map_code",
            json!({ "path": "src/part_20.rs", "detail": "full" }),
        ),
    ] {
        let mut answer = questions
            .ask(tool, arguments.clone())
            .await
            .unwrap_or_else(|words| panic!("{arguments}: {words}"));
        answer
            .as_object_mut()
            .expect("an object")
            .remove("freshness");
        forget_weights(&mut answer);
        answers.push(answer);
    }
    answers
}

/// Removes weights: they count replaced symbols until a segment is merged, and affect only the order.
fn forget_weights(answer: &mut Value) {
    match answer {
        Value::Array(values) => values.iter_mut().for_each(forget_weights),
        Value::Object(fields) => {
            fields.remove("weight");
            fields.values_mut().for_each(forget_weights);
        }
        _ => {}
    }
}

async fn stop(home: &Home) {
    let stopped = home.claudevil(&["daemon", "stop"]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    home.gone().await;
}

/// Returns the files below a folder, relative to it and sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("readable").flatten() {
            if entry.file_type().expect("a type").is_dir() {
                folders.push(entry.path());
            } else {
                files.push(
                    entry
                        .path()
                        .strip_prefix(folder)
                        .expect("below it")
                        .to_owned(),
                );
            }
        }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for file in files_below(from) {
        let copy = to.join(&file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        fs::copy(from.join(&file), copy).expect("copied");
    }
}
