//! Transformers: any model in ONNX's format with its tokenizer, by name or from a folder, run by fastembed.
//!
//! ONNX Runtime is a large library of somebody else's, loaded when it is needed, so it runs in a process of its own,
//! `claudevil-vectors`: what it takes and leaves behind goes with the process, and a crash costs what was asked of it. Texts are
//! run one at a time. Padding a batch to its longest text would change vectors by what they happen to be made with, and on
//! processors it saves nothing. **Invariant:** the daemon itself never loads ONNX Runtime.

mod process;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claudevil_child::program::{Missing, VectorsProgram};
use claudevil_child::transformer::Source;

use self::process::Process;
use super::runtime::{self, Library};
use super::{EmbedError, Embedder, ModelId, Prefixes};

/// Texts in one message: a question waits for the message before it, not for all that is to be made.
const BATCH: usize = 8;
/// How long a question waits.
const QUERY_PATIENCE: Duration = Duration::from_secs(3);
/// How long one message may take; past it the process is taken to hang.
const DOCUMENTS_PATIENCE: Duration = Duration::from_secs(300);
/// A process that nobody needs for this long ends.
const IDLE_END: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub struct OnnxSettings {
    pub source: Source,
    /// Where downloads are kept.
    pub models: PathBuf,
    pub runtime: runtime::Places,
    pub program: VectorsProgram,
    pub threads: usize,
    /// Where they are not empty they replace those of the model.
    pub prefixes: Prefixes,
    /// Variables that say how to get to the network.
    pub network: Vec<(String, OsString)>,
    pub shows_progress: bool,
}

pub struct Onnx {
    id: ModelId,
    dimensions: usize,
    library: Library,
    process: Process,
}

impl Onnx {
    /// Starts the process, which loads the model, and downloads it first where it is not there.
    pub fn open(settings: &OnnxSettings) -> Result<Self, EmbedError> {
        settings.program.find().map_err(|missing| needs(&missing))?;
        let library = settings.runtime.find()?;
        let process = Process::new(settings.clone(), library.path.clone());
        let opened = process.open()?;
        Ok(Self {
            id: ModelId::new(opened.id),
            dimensions: opened.dimensions,
            library,
            process,
        })
    }
}

impl Embedder for Onnx {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut all = Vec::with_capacity(texts.len());
        for some in texts.chunks(BATCH) {
            all.extend(self.process.documents(some, DOCUMENTS_PATIENCE)?);
        }
        Ok(all)
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.process.query(text, QUERY_PATIENCE)
    }

    fn detail(&self) -> Option<String> {
        let state = if self.process.is_running() {
            "running"
        } else {
            "resting"
        };
        Some(format!(
            "its process is {state}, with {}",
            self.library.path.display()
        ))
    }

    fn memory(&self) -> Option<u64> {
        self.process.memory()
    }

    fn release_idle(&self) {
        self.process.end_if_idle(IDLE_END);
    }
}

/// How a model of this kind is opened.
pub fn opener(
    settings: OnnxSettings,
) -> impl Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync + 'static {
    move || Ok(Arc::new(Onnx::open(&settings)?))
}

/// The error of a model whose program is not installed.
pub fn needs(missing: &Missing) -> EmbedError {
    EmbedError::unavailable(format!(
        "{missing}, and models besides the built-in one need it: install it beside claudevild (packaging/install.sh does, \
         and so do the packages), or set vectors_program to where it is"
    ))
}
