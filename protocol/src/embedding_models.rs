//! The answers of `claudevil model`. The daemon's binary writes them as JSON; they do not go over the wire.

use serde::{Deserialize, Serialize};

/// The models that can be chosen, and which of them are installed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelList {
    /// The value of `embedder`.
    pub chosen: String,
    /// The place where it is set.
    pub source: String,
    pub models: Vec<ModelEntry>,
    pub runtime: RuntimeStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// The value of the setting `embedder`.
    pub name: String,
    pub kind: ModelKind,
    /// None if it is not known before the model is opened.
    pub dimensions: Option<u64>,
    pub description: String,
    /// The repository on Hugging Face that it is downloaded from.
    pub repository: Option<String>,
    /// True if all of its files are on this machine.
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

/// The state of ONNX Runtime, which all models but the built-in one need on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeStatus {
    pub path: Option<String>,
    /// The setting or variable that names it.
    pub source: Option<String>,
    /// Why there is none, and what to do.
    pub problem: Option<String>,
}

/// A model that was opened once, to see that it works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChecked {
    pub name: String,
    /// The id under which its vectors are stored.
    pub id: String,
    pub dimensions: u64,
    /// The server that texts are sent to, if any.
    pub destination: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeInstalled {
    pub path: String,
    pub version: String,
}

/// The speed of models on the chunks of a folder, with one thread each.
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
    /// Chunks that were embedded within the time limit.
    pub chunks: u64,
    pub seconds: f64,
    pub chunks_per_second: f64,
    /// Seconds until the model could embed its first text.
    pub open_seconds: f64,
    /// The memory of its process, if it runs in its own.
    pub memory_bytes: Option<u64>,
    /// Its time as a multiple of the built-in model's.
    pub slower: f64,
}

/// The answer of a command of the daemon's binary that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailed {
    pub error: String,
    /// A setting has a wrong value.
    #[serde(default)]
    pub is_setting: bool,
}
