//! Transformers: any model in ONNX format with its tokenizer, by name or from a folder, run by fastembed.
//!
//! ONNX Runtime runs in a process of its own, `claudevil-vectors`: its memory is freed with the process, and a crash fails only
//! the current request. Texts are embedded one at a time: padding a batch to its longest text would change vectors, and saves
//! nothing on CPUs. **Invariant:** the daemon itself never loads ONNX Runtime.

mod process;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claudevil_child::program::{Missing, VectorsProgram};
use claudevil_child::transformer::Source;

use self::process::TransformerProcess;
use super::runtime::{self, Library};
use super::{EmbedError, Embedder, ModelId, Prefixes};

/// Texts in one message: a query waits for one message, not for all documents.
const BATCH: usize = 8;
/// The longest wait of a query for the process.
const QUERY_PATIENCE: Duration = Duration::from_secs(3);
/// The longest time for one message. Beyond it the process counts as hanging.
const DOCUMENTS_PATIENCE: Duration = Duration::from_secs(300);
/// The idle time after which the process ends.
const IDLE_END: Duration = Duration::from_secs(300);

#[derive(Clone, Debug)]
pub struct OnnxSettings {
    pub source: Source,
    /// The folder for downloaded models.
    pub models: PathBuf,
    pub runtime: runtime::LibraryPaths,
    pub program: VectorsProgram,
    pub threads: usize,
    /// Replace the model's own prefixes, unless they are empty.
    pub prefixes: Prefixes,
    /// Environment variables for network access.
    pub network: Vec<(String, OsString)>,
    pub shows_progress: bool,
}

pub struct Onnx {
    id: ModelId,
    dimensions: usize,
    library: Library,
    process: TransformerProcess,
}

impl Onnx {
    /// Starts the process, which downloads the model if necessary and loads it.
    pub fn open(settings: &OnnxSettings) -> Result<Self, EmbedError> {
        settings
            .program
            .find()
            .map_err(|missing| missing_program(&missing))?;
        let library = settings.runtime.find()?;
        let process = TransformerProcess::new(settings.clone(), library.path.clone());
        let info = process.open()?;
        Ok(Self {
            id: ModelId::new(info.id),
            dimensions: info.dimensions,
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

    fn similar_code(&self, code: &str) -> Result<Vec<f32>, EmbedError> {
        self.process.document(code, QUERY_PATIENCE)
    }

    fn detail(&self) -> Option<String> {
        let state = if self.process.is_running() {
            "running"
        } else {
            "idle"
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

/// Returns a function that opens the model.
pub fn opener(
    settings: OnnxSettings,
) -> impl Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync + 'static {
    move || Ok(Arc::new(Onnx::open(&settings)?))
}

/// Returns the error of a model whose program is not installed.
pub fn missing_program(missing: &Missing) -> EmbedError {
    EmbedError::unavailable(format!(
        "{missing}, and models besides the built-in one need it: install it beside claudevild (packaging/install.sh does, \
         and so do the packages), or set vectors_program to where it is"
    ))
}
