//! Making vectors over real files and a real store, with a model that counts what it is asked.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::embed::ModelId;
use crate::embed::hashing::HashingEmbedder;
use crate::extract::{self, ChunkSizes};
use crate::index::models;
use crate::lang::{self, Detection};
use crate::store::ledger::record::{FileRecord, FileState};
use claudevil_child::vectors::Space;
use claudevil_vectors::store::Local;

const WIDTH: usize = 64;

/// A model behind a network, as far as anybody can tell.
pub struct Distant {
    model: ModelId,
    inner: HashingEmbedder,
    asked: Mutex<Vec<String>>,
    fault: Mutex<Option<Fault>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Unreachable,
    TooFew,
    TooShort,
    NotANumber,
}

impl Distant {
    pub fn new(model: &str) -> Self {
        let (asked, fault) = (Mutex::default(), Mutex::default());
        Self {
            model: ModelId::new(model),
            inner: HashingEmbedder::new(WIDTH),
            asked,
            fault,
        }
    }

    /// What it was asked since this was last called.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("unpoisoned"))
    }

    fn fail(&self, fault: Option<Fault>) {
        *self.fault.lock().expect("unpoisoned") = fault;
    }
}

impl Embedder for Distant {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        WIDTH
    }

    fn batch_size(&self) -> usize {
        3
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut made = self.inner.documents(texts)?;
        match *self.fault.lock().expect("unpoisoned") {
            None => {}
            Some(Fault::Unreachable) => {
                return Err(EmbedError {
                    kind: EmbedErrorKind::Unavailable,
                    message: "nobody answers".to_owned(),
                });
            }
            Some(Fault::TooFew) => drop(made.pop()),
            Some(Fault::TooShort) => drop(made[0].pop()),
            Some(Fault::NotANumber) => made[0][0] = f32::NAN,
        }
        self.asked
            .lock()
            .expect("unpoisoned")
            .extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(made)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.inner.query(text)
    }
}

struct Stage {
    scratch: TempDir,
    runtime: Runtime,
}

impl Stage {
    fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(scratch.path().join("project")).expect("made");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            scratch,
            runtime: runtime.expect("a runtime"),
        }
    }

    fn keeper(&self, embedder: &dyn Embedder) -> Arc<Keeper> {
        let space = Space {
            model: embedder.model().as_str().to_owned(),
            dimensions: embedder.dimensions(),
        };
        let store = Local::new(
            self.scratch.path().to_owned(),
            space,
            self.runtime.handle().clone(),
        );
        let live = Box::new(|| Ok(HashSet::new()));
        Arc::new(Keeper::new(
            Box::new(store),
            embedder,
            live,
            Box::new(Vec::new),
        ))
    }

    fn close(keeper: &Keeper) {
        keeper.close(Instant::now() + Duration::from_secs(60));
    }

    fn project(&self) -> std::path::PathBuf {
        self.scratch.path().join("project")
    }

    /// A file of the project, written and indexed.
    fn file(&self, path: &str, text: &str) -> Arc<IndexedFile> {
        fs::write(self.project().join(path), text).expect("written");
        let language = match lang::by_path(path) {
            Detection::Known(language) => Some(language),
            _ => None,
        };
        let outline = extract::extract(
            language,
            text,
            ChunkSizes {
                target: 80,
                most: 160,
                overlap: 0,
            },
        )
        .outline;
        let hash = content_hash(text.as_bytes());
        let state = FileState::Indexed(FactsKey(hash));
        let size = text.len() as u64;
        let record = FileRecord {
            size,
            modified_nanos: 0,
            stamp: 1,
            hash,
            language: None,
            state,
        };
        Arc::new(IndexedFile::new(
            path.to_owned(),
            record,
            language,
            outline.into(),
        ))
    }

    fn make(
        &self,
        embedder: &dyn Embedder,
        keeper: &Arc<Keeper>,
        lacking: &[Lacking],
    ) -> (Vec<Made>, Result<(), EmbedError>) {
        let dir = RootDir::open(&self.project(), "project").expect("opened");
        let maker = Maker {
            stage: models::Stage::First,
            embedder,
            keeper,
            dir: &dir,
            largest_file: 1 << 20,
        };
        let mut all = vec![];
        let done = maker.make(lacking, |made| {
            all.extend(made);
            Further::On
        });
        (all, done)
    }
}

fn lacking(files: &[Arc<IndexedFile>]) -> Vec<Lacking> {
    files
        .iter()
        .map(|file| Lacking {
            file: Arc::clone(file),
            before: None,
        })
        .collect()
}

fn functions(names: &[&str]) -> String {
    let one = |name: &&str| {
        format!(
            "fn {name}(input: &str) -> usize {{\n    let {name}_size = input.len();\n    {name}_size * 2\n}}\n\n"
        )
    };
    names.iter().map(one).collect()
}

#[expect(clippy::disallowed_methods, reason = "a file of the test's")]
fn read(stage: &Stage, path: &str) -> String {
    fs::read_to_string(stage.project().join(path)).expect("read")
}

/// Every row is what the model makes of the chunk's text.
fn assert_right(stage: &Stage, files: &[Arc<IndexedFile>], made: &[Made]) {
    let model = HashingEmbedder::new(WIDTH);
    assert_eq!(made.len(), files.len());
    for made in made {
        let file = files
            .iter()
            .find(|file| file.path == made.path)
            .expect("asked for");
        let text = read(stage, &file.path);
        let text = redact(&text, &file.outline.redactions);
        assert_eq!(made.vectors.len(), file.outline.chunks.len());
        assert_eq!(Some(made.key), file.facts_key());
        for (place, chunk) in file.outline.chunks.iter().enumerate() {
            let vector = model
                .documents(&[text_of(&text, chunk)])
                .expect("embedded")
                .remove(0);
            let expected = ChunkVector::quantise(chunk.hash, &vector).expect("finite");
            assert_eq!(
                made.vectors.row(place).expect("a row").codes,
                &*expected.codes,
                "{} {place}",
                file.path
            );
        }
    }
}

fn chunks(files: &[Arc<IndexedFile>]) -> usize {
    files
        .iter()
        .flat_map(|file| &file.outline.chunks)
        .map(|chunk| chunk.hash)
        .collect::<HashSet<_>>()
        .len()
}

fn three_files(stage: &Stage) -> Vec<Arc<IndexedFile>> {
    vec![
        stage.file("one.rs", &functions(&["open", "close", "read", "write"])),
        stage.file("two.rs", &functions(&["parse", "render", "open", "layout"])),
        stage.file("three.txt", "a few words\n"),
    ]
}

#[test]
fn a_slow_model_is_asked_once_for_each_chunk_and_never_again() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let files = three_files(&stage);
    let keeper = stage.keeper(&model);
    let (made, done) = stage.make(&model, &keeper, &lacking(&files));
    done.expect("made");
    assert_right(&stage, &files, &made);
    let asked = model.asked();
    assert_eq!(asked.len(), chunks(&files), "{asked:#?}");

    // Before they are stored, and afterwards, by another process as it were.
    let (again, done) = stage.make(&model, &keeper, &lacking(&files));
    done.expect("made");
    assert_right(&stage, &files, &again);
    Stage::close(&keeper);
    let keeper = stage.keeper(&model);
    let (reloaded, done) = stage.make(&model, &keeper, &lacking(&files));
    done.expect("made");
    assert_right(&stage, &files, &reloaded);
    assert!(model.asked().is_empty());
    assert_eq!(keeper.trouble(), None);
    Stage::close(&keeper);
}

#[test]
fn an_edit_costs_the_chunks_that_it_changed() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let before = stage.file("one.rs", &functions(&["open", "close", "read", "write"]));
    let keeper = stage.keeper(&model);
    let (made, _) = stage.make(&model, &keeper, &lacking(&[Arc::clone(&before)]));
    let before =
        Arc::new(before.with_vectors(models::Stage::First, Some(Arc::clone(&made[0].vectors))));
    model.asked();
    // A store that knows nothing: what was in memory is enough.
    let nowhere = Stage::new();
    let other = nowhere.keeper(&model);
    let edited = stage.file("one.rs", &functions(&["open", "close", "seek", "write"]));
    let asked_for = [Lacking {
        file: Arc::clone(&edited),
        before: Some(before),
    }];
    let (made, done) = stage.make(&model, &other, &asked_for);
    done.expect("made");
    assert_right(&stage, &[edited], &made);
    let asked = model.asked();
    assert!(
        asked.len() == 1 && asked[0].contains("fn seek"),
        "{asked:#?}"
    );
    Stage::close(&keeper);
    Stage::close(&other);
}

#[test]
fn another_model_has_vectors_of_its_own() {
    let stage = Stage::new();
    let files = three_files(&stage);
    let all = chunks(&files);
    // Both models' vectors are kept, each under its name.
    for (model, asked) in [
        ("distant@1", all),
        ("distant@2", all),
        ("distant@1", 0),
        ("distant@2", 0),
    ] {
        let model = Distant::new(model);
        let keeper = stage.keeper(&model);
        let (made, done) = stage.make(&model, &keeper, &lacking(&files));
        done.expect("made");
        assert_right(&stage, &files, &made);
        assert_eq!(model.asked().len(), asked, "{}", model.model);
        Stage::close(&keeper);
    }
}

#[test]
fn what_is_damaged_is_made_again() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let files = three_files(&stage);
    for spoil in [Spoil::Zero, Spoil::Delete] {
        let keeper = stage.keeper(&model);
        stage
            .make(&model, &keeper, &lacking(&files))
            .1
            .expect("made");
        Stage::close(&keeper);
        model.asked();
        spoil_all(&stage.scratch.path().join("vectors"), spoil);
        let keeper = stage.keeper(&model);
        let (made, done) = stage.make(&model, &keeper, &lacking(&files));
        done.expect("made");
        assert_right(&stage, &files, &made);
        assert_eq!(model.asked().len(), chunks(&files), "{spoil:?}");
        Stage::close(&keeper);
    }
    let keeper = stage.keeper(&model);
    stage
        .make(&model, &keeper, &lacking(&files))
        .1
        .expect("made");
    assert!(model.asked().is_empty(), "they were stored again");
    Stage::close(&keeper);
}

#[derive(Clone, Copy, Debug)]
enum Spoil {
    Zero,
    Delete,
}

#[expect(clippy::disallowed_methods, reason = "a directory of the test's")]
fn spoil_all(folder: &Path, spoil: Spoil) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        match (path.is_dir(), spoil) {
            (true, _) => spoil_all(&path, spoil),
            (false, Spoil::Delete) => fs::remove_file(path).expect("removed"),
            (false, Spoil::Zero) => {
                let length =
                    usize::try_from(entry.metadata().expect("there").len()).expect("small");
                fs::write(path, vec![0; length]).expect("written");
            }
        }
    }
}

#[test]
fn a_model_that_fails_fails_in_words_and_costs_nothing_that_was_made() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let files = three_files(&stage);
    let keeper = stage.keeper(&model);
    let faults = [
        (Fault::Unreachable, EmbedErrorKind::Unavailable),
        (Fault::TooFew, EmbedErrorKind::Unusable),
        (Fault::TooShort, EmbedErrorKind::Unusable),
        (Fault::NotANumber, EmbedErrorKind::Unusable),
    ];
    for (fault, kind) in faults {
        model.fail(Some(fault));
        let (made, done) = stage.make(&model, &keeper, &lacking(&files));
        assert_eq!(done.expect_err("it fails").kind, kind, "{fault:?}");
        assert!(made.is_empty(), "{fault:?}");
    }
    model.fail(None);
    model.asked();
    stage
        .make(&model, &keeper, &lacking(&files[..1]))
        .1
        .expect("made");
    model.fail(Some(Fault::Unreachable));
    let (made, done) = stage.make(&model, &keeper, &lacking(&files[..1]));
    done.expect("known without the model");
    assert_right(&stage, &files[..1], &made);
    Stage::close(&keeper);
}

#[test]
fn a_file_that_is_another_by_now_is_left_alone() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let mut files = three_files(&stage);
    fs::write(stage.project().join("one.rs"), "fn changed() {}\n").expect("written");
    fs::remove_file(stage.project().join("three.txt")).expect("removed");
    let keeper = stage.keeper(&model);
    let (made, done) = stage.make(&model, &keeper, &lacking(&files));
    done.expect("made");
    files.remove(2);
    files.remove(0);
    assert_right(&stage, &files, &made);
    assert!(model.asked().iter().all(|text| !text.contains("changed")));
    Stage::close(&keeper);
}

#[test]
fn no_secret_reaches_the_model() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!("{}let token = \"{secret}\";\n", functions(&["login"]));
    let file = stage.file("one.rs", &text);
    assert!(!file.outline.redactions.is_empty());
    let keeper = stage.keeper(&model);
    let (made, done) = stage.make(&model, &keeper, &lacking(&[Arc::clone(&file)]));
    done.expect("made");
    assert_right(&stage, &[file], &made);
    let asked = model.asked().concat();
    assert!(
        asked.contains("let token") && !asked.contains(&secret[4..12]),
        "{asked}"
    );
    Stage::close(&keeper);
}

#[test]
fn it_stops_when_it_is_told_to() {
    let stage = Stage::new();
    let model = Distant::new("distant@1");
    let one = |number: u8| {
        stage.file(
            &format!("{number}.rs"),
            &functions(&[&format!("run_{number}")]),
        )
    };
    let files: Vec<_> = (0..20).map(one).collect();
    let keeper = stage.keeper(&model);
    let dir = RootDir::open(&stage.project(), "project").expect("opened");
    let maker = Maker {
        stage: models::Stage::First,
        embedder: &model,
        keeper: &keeper,
        dir: &dir,
        largest_file: 1 << 20,
    };
    maker
        .make(&lacking(&files), |_| Further::Stop)
        .expect("stopped");
    assert!(model.asked().len() < chunks(&files));
    Stage::close(&keeper);
}
