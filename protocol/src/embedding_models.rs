//! What `claudevil model` shows. The daemon's binary writes these as JSON; they do not go over the wire.

use serde::{Deserialize, Serialize};

/// Every model that can be chosen, and what is there of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelList {
    /// The value of `embedder`.
    pub chosen: String,
    /// Where that is set.
    pub source: String,
    pub models: Vec<ModelEntry>,
    pub runtime: RuntimeStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// What `embedder` is set to.
    pub name: String,
    pub kind: ModelKind,
    /// None where that is not known before it is opened.
    pub dimensions: Option<u64>,
    pub description: String,
    /// Where it is downloaded from, on Hugging Face.
    pub repository: Option<String>,
    /// Whether everything of it is on this machine.
    pub installed: bool,
    pub chosen: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    BuiltIn,
    Named,
    Directory,
    Remote,
}

/// Whether ONNX Runtime is there, which models besides the built-in one need on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeStatus {
    pub path: Option<String>,
    /// What named it.
    pub source: Option<String>,
    /// Why there is none, and what to do.
    pub problem: Option<String>,
}

/// A model that was opened once, to see that it works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChecked {
    pub name: String,
    /// Under which its vectors are kept.
    pub id: String,
    pub dimensions: u64,
    /// Where texts are sent, if they are.
    pub destination: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeInstalled {
    pub path: String,
    pub version: String,
}

/// How fast models are on the chunks of a folder, one thread each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelBench {
    pub folder: String,
    pub chunks: u64,
    /// The mean size of a chunk in bytes.
    pub bytes_per_chunk: u64,
    pub rows: Vec<BenchRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    pub name: String,
    pub id: String,
    pub dimensions: u64,
    /// Embedded in the time that there was.
    pub chunks: u64,
    pub seconds: f64,
    pub chunks_per_second: f64,
    /// Until it could be asked for the first time.
    pub open_seconds: f64,
    /// What its process takes, where it has one.
    pub memory_bytes: Option<u64>,
    /// How many times slower than the built-in model.
    pub slower: f64,
}

/// What a command of the daemon's binary answers when it fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailed {
    pub error: String,
}
