//! Makes vectors of real files with a real store and a model that counts its requests.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::embed::hashing::HashingEmbedder;
use crate::embed::{EmbedErrorKind, ModelId};
use crate::extract::{self, ChunkSizes};
use crate::index::models::ModelTier;
use crate::lang::{self, Detection};
use crate::store::ledger::record::{FileRecord, FileState};
use claudevil_child::vectors::Space;
use claudevil_vectors::store::Local;

const WIDTH: usize = 64;

/// A model that is not instant, records its texts and fails on demand.
pub struct SlowModel {
    model: ModelId,
    inner: HashingEmbedder,
    asked: Mutex<Vec<String>>,
    /// The number of texts in each call.
    batches: Mutex<Vec<usize>>,
    fault: Mutex<Option<Fault>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Unreachable,
    TooFew,
    TooShort,
    NotANumber,
    /// Refuses texts with this word.
    Refuses(&'static str),
}

impl SlowModel {
    pub fn new(model: &str) -> Self {
        let (asked, fault) = (Mutex::default(), Mutex::default());
        Self {
            model: ModelId::new(model),
            inner: HashingEmbedder::new(WIDTH),
            asked,
            batches: Mutex::default(),
            fault,
        }
    }

    /// Returns the texts since the last call.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("unpoisoned"))
    }

    fn fail(&self, fault: Option<Fault>) {
        *self.fault.lock().expect("unpoisoned") = fault;
    }
}

impl Embedder for SlowModel {
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
            Some(Fault::Refuses(word)) if texts.iter().any(|text| text.contains(word)) => {
                return Err(EmbedError {
                    kind: EmbedErrorKind::Refused,
                    message: "too long".to_owned(),
                });
            }
            None | Some(Fault::Refuses(_)) => {}
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
        self.batches.lock().expect("unpoisoned").push(texts.len());
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

struct Project {
    scratch: TempDir,
    runtime: Runtime,
}

impl Project {
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

    fn buffer(&self, embedder: &dyn Embedder) -> Arc<VectorBuffer> {
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
        Arc::new(VectorBuffer::new(
            Box::new(store),
            embedder,
            live,
            Box::new(Vec::new),
        ))
    }

    fn close(buffer: &VectorBuffer) {
        buffer.close(Instant::now() + Duration::from_secs(60));
    }

    fn folder(&self) -> std::path::PathBuf {
        self.scratch.path().join("project")
    }

    /// Writes and indexes a file of the project.
    fn file(&self, path: &str, text: &str) -> Arc<IndexedFile> {
        fs::write(self.folder().join(path), text).expect("written");
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
        buffer: &Arc<VectorBuffer>,
        missing: &[MissingVectors],
    ) -> (Vec<FileEmbedding>, Result<(), EmbedError>) {
        let dir = RootDir::open(&self.folder(), "project").expect("opened");
        let embedder = FileEmbedder {
            tier: ModelTier::BuiltIn,
            embedder,
            buffer,
            sharing: None,
            dir: &dir,
            largest_file: 1 << 20,
        };
        let mut all = vec![];
        let done = embedder.embed_all(missing, |made| {
            all.extend(made);
            ControlFlow::Continue(())
        });
        (all, done)
    }
}

fn missing(files: &[Arc<IndexedFile>]) -> Vec<MissingVectors> {
    files
        .iter()
        .map(|file| MissingVectors {
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
fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.folder().join(path)).expect("read")
}

/// Checks that every row is the model's vector of the chunk's text.
fn assert_right(project: &Project, files: &[Arc<IndexedFile>], made: &[FileEmbedding]) {
    let model = HashingEmbedder::new(WIDTH);
    assert_eq!(made.len(), files.len());
    for made in made {
        let file = files
            .iter()
            .find(|file| file.path == made.path)
            .expect("asked for");
        let text = read(project, &file.path);
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

fn three_files(project: &Project) -> Vec<Arc<IndexedFile>> {
    vec![
        project.file("one.rs", &functions(&["open", "close", "read", "write"])),
        project.file("two.rs", &functions(&["parse", "render", "open", "layout"])),
        project.file("three.txt", "a few words\n"),
    ]
}

#[test]
fn a_slow_model_is_asked_once_for_each_chunk_and_never_again() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let files = three_files(&project);
    let buffer = project.buffer(&model);
    let (made, done) = project.make(&model, &buffer, &missing(&files));
    done.expect("made");
    assert_right(&project, &files, &made);
    let asked = model.asked();
    assert_eq!(asked.len(), chunks(&files), "{asked:#?}");
    let batches = std::mem::take(&mut *model.batches.lock().expect("unpoisoned"));
    let (last, full) = batches.split_last().expect("asked");
    assert!(
        *last > 0 && full.iter().all(|size| *size == 3),
        "{batches:?}"
    );

    // The vectors are loaded once before they are stored, and once by a new buffer over the store.
    let (again, done) = project.make(&model, &buffer, &missing(&files));
    done.expect("made");
    assert_right(&project, &files, &again);
    Project::close(&buffer);
    let buffer = project.buffer(&model);
    let (reloaded, done) = project.make(&model, &buffer, &missing(&files));
    done.expect("made");
    assert_right(&project, &files, &reloaded);
    assert!(model.asked().is_empty());
    assert_eq!(buffer.trouble(), None);
    Project::close(&buffer);
}

#[test]
fn an_edit_costs_the_chunks_that_it_changed() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let before = project.file("one.rs", &functions(&["open", "close", "read", "write"]));
    let buffer = project.buffer(&model);
    let (made, _) = project.make(&model, &buffer, &missing(&[Arc::clone(&before)]));
    let before =
        Arc::new(before.with_vectors(ModelTier::BuiltIn, Some(Arc::clone(&made[0].vectors))));
    model.asked();
    // With an empty store, the vectors in memory are enough.
    let nowhere = Project::new();
    let other = nowhere.buffer(&model);
    let edited = project.file("one.rs", &functions(&["open", "close", "seek", "write"]));
    let asked_for = [MissingVectors {
        file: Arc::clone(&edited),
        before: Some(before),
    }];
    let (made, done) = project.make(&model, &other, &asked_for);
    done.expect("made");
    assert_right(&project, &[edited], &made);
    let asked = model.asked();
    assert!(
        asked.len() == 1 && asked[0].contains("fn seek"),
        "{asked:#?}"
    );
    Project::close(&buffer);
    Project::close(&other);
}

#[test]
fn another_model_has_vectors_of_its_own() {
    let project = Project::new();
    let files = three_files(&project);
    let all = chunks(&files);
    // The vectors of both models are stored, each under its id.
    for (model, asked) in [
        ("slow@1", all),
        ("slow@2", all),
        ("slow@1", 0),
        ("slow@2", 0),
    ] {
        let model = SlowModel::new(model);
        let buffer = project.buffer(&model);
        let (made, done) = project.make(&model, &buffer, &missing(&files));
        done.expect("made");
        assert_right(&project, &files, &made);
        assert_eq!(model.asked().len(), asked, "{}", model.model);
        Project::close(&buffer);
    }
}

#[test]
fn damaged_vectors_are_made_again() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let files = three_files(&project);
    for damage in [Damage::Zero, Damage::Delete] {
        let buffer = project.buffer(&model);
        project
            .make(&model, &buffer, &missing(&files))
            .1
            .expect("made");
        Project::close(&buffer);
        model.asked();
        damage_all(&project.scratch.path().join("vectors"), damage);
        let buffer = project.buffer(&model);
        let (made, done) = project.make(&model, &buffer, &missing(&files));
        done.expect("made");
        assert_right(&project, &files, &made);
        assert_eq!(model.asked().len(), chunks(&files), "{damage:?}");
        Project::close(&buffer);
    }
    let buffer = project.buffer(&model);
    project
        .make(&model, &buffer, &missing(&files))
        .1
        .expect("made");
    assert!(model.asked().is_empty(), "they were stored again");
    Project::close(&buffer);
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Zero,
    Delete,
}

#[expect(clippy::disallowed_methods, reason = "a directory of the test's")]
fn damage_all(folder: &Path, damage: Damage) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        match (path.is_dir(), damage) {
            (true, _) => damage_all(&path, damage),
            (false, Damage::Delete) => fs::remove_file(path).expect("removed"),
            (false, Damage::Zero) => {
                let length =
                    usize::try_from(entry.metadata().expect("there").len()).expect("small");
                fs::write(path, vec![0; length]).expect("written");
            }
        }
    }
}

#[test]
fn a_failing_model_is_an_error_and_keeps_what_was_made() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let files = three_files(&project);
    let buffer = project.buffer(&model);
    let faults = [
        (Fault::Unreachable, EmbedErrorKind::Unavailable),
        (Fault::TooFew, EmbedErrorKind::Unusable),
        (Fault::TooShort, EmbedErrorKind::Unusable),
        (Fault::NotANumber, EmbedErrorKind::Unusable),
    ];
    for (fault, kind) in faults {
        model.fail(Some(fault));
        let (made, done) = project.make(&model, &buffer, &missing(&files));
        assert_eq!(done.expect_err("it fails").kind, kind, "{fault:?}");
        assert!(made.is_empty(), "{fault:?}");
    }
    model.fail(None);
    model.asked();
    project
        .make(&model, &buffer, &missing(&files[..1]))
        .1
        .expect("made");
    model.fail(Some(Fault::Unreachable));
    let (made, done) = project.make(&model, &buffer, &missing(&files[..1]));
    done.expect("known without the model");
    assert_right(&project, &files[..1], &made);
    Project::close(&buffer);
}

#[test]
fn a_text_that_is_refused_costs_no_other_file_its_vectors() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let mut files = three_files(&project);
    let buffer = project.buffer(&model);
    model.fail(Some(Fault::Refuses("fn layout")));
    let (made, done) = project.make(&model, &buffer, &missing(&files));
    done.expect("the others are made");
    files.remove(1);
    assert_right(&project, &files, &made);
    let file = [project.file("four.rs", &functions(&["layout_again", "layout_more"]))];
    let (made, done) = project.make(&model, &buffer, &missing(&file));
    assert_eq!(
        done.expect_err("nothing is taken").kind,
        EmbedErrorKind::Refused
    );
    assert!(made.is_empty());
    Project::close(&buffer);
}

#[test]
fn a_file_that_changed_since_it_was_indexed_is_skipped() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let mut files = three_files(&project);
    fs::write(project.folder().join("one.rs"), "fn changed() {}\n").expect("written");
    fs::remove_file(project.folder().join("three.txt")).expect("removed");
    let buffer = project.buffer(&model);
    let (made, done) = project.make(&model, &buffer, &missing(&files));
    done.expect("made");
    files.remove(2);
    files.remove(0);
    assert_right(&project, &files, &made);
    assert!(model.asked().iter().all(|text| !text.contains("changed")));
    Project::close(&buffer);
}

#[test]
fn no_secret_reaches_the_model() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!("{}let token = \"{secret}\";\n", functions(&["login"]));
    let file = project.file("one.rs", &text);
    assert!(!file.outline.redactions.is_empty());
    let buffer = project.buffer(&model);
    let (made, done) = project.make(&model, &buffer, &missing(&[Arc::clone(&file)]));
    done.expect("made");
    assert_right(&project, &[file], &made);
    let asked = model.asked().concat();
    assert!(
        asked.contains("let token") && !asked.contains(&secret[4..12]),
        "{asked}"
    );
    Project::close(&buffer);
}

#[test]
fn embedding_stops_when_the_caller_breaks() {
    let project = Project::new();
    let model = SlowModel::new("slow@1");
    let one = |number: u8| {
        project.file(
            &format!("{number}.rs"),
            &functions(&[&format!("run_{number}")]),
        )
    };
    let files: Vec<_> = (0..20).map(one).collect();
    let buffer = project.buffer(&model);
    let dir = RootDir::open(&project.folder(), "project").expect("opened");
    let embedder = FileEmbedder {
        tier: ModelTier::BuiltIn,
        embedder: &model,
        buffer: &buffer,
        sharing: None,
        dir: &dir,
        largest_file: 1 << 20,
    };
    embedder
        .embed_all(&missing(&files), |_| ControlFlow::Break(()))
        .expect("stopped");
    assert!(model.asked().len() < chunks(&files));
    Project::close(&buffer);
}
