//! Reads the files of a model in a folder, with defaults for optional ones.

use std::io;
use std::path::{Path, PathBuf};

use claudevil_child::transformer::EmbedError;
use fastembed::{Pooling, TokenizerFiles, UserDefinedEmbeddingModel};

/// Paths of the graph, as exporters write it.
const GRAPHS: [&str; 4] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "onnx/model_quantized.onnx",
];
/// Extensions of files with the weights of graphs above two gigabytes.
const WEIGHTS: [&str; 2] = ["onnx_data", "data"];
/// The settings of most tokenizers.
const TOKENIZER_CONFIG: &str = r#"{"model_max_length": 512, "pad_token": "[PAD]"}"#;

/// The files of a model, read.
pub struct ModelFiles {
    pub model: UserDefinedEmbeddingModel,
    /// The hash of all files.
    pub hash: blake3::Hash,
}

impl ModelFiles {
    /// `graph` is the path of the graph, if it is known.
    pub fn read(folder: &Path, graph: Option<&str>) -> Result<Self, EmbedError> {
        let missing = |what: &str| {
            EmbedError::unavailable(format!(
                "{} has no {what}: a model is a folder with model.onnx and tokenizer.json",
                folder.display()
            ))
        };
        let mut hash = blake3::Hasher::new();
        let mut take = |bytes: Vec<u8>| {
            hash.update(&(bytes.len() as u64).to_le_bytes())
                .update(&bytes);
            bytes
        };
        let candidates = graph.map_or(GRAPHS.to_vec(), |graph| vec![graph]);
        let graph = candidates
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file());
        let graph = graph.ok_or_else(|| missing(candidates[0]))?;
        let onnx_file = take(required(&graph)?);
        let tokenizer_file = take(
            optional(&folder.join("tokenizer.json"))?.ok_or_else(|| missing("tokenizer.json"))?,
        );
        let or = |name: &str, other: &str| {
            Ok(optional(&folder.join(name))?.unwrap_or_else(|| other.as_bytes().to_vec()))
        };
        let tokenizer_files = TokenizerFiles {
            tokenizer_file,
            config_file: take(or("config.json", "{}")?),
            special_tokens_map_file: take(or("special_tokens_map.json", "{}")?),
            tokenizer_config_file: take(or("tokenizer_config.json", TOKENIZER_CONFIG)?),
        };
        let pooling = pooling(&take(or("1_Pooling/config.json", "{}")?));
        let mut model =
            UserDefinedEmbeddingModel::new(onnx_file, tokenizer_files).with_pooling(pooling);
        for weights in weights_beside(&graph) {
            let name = weights
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default()
                .to_owned();
            model = model.with_external_initializer(name, take(required(&weights)?));
        }
        Ok(Self {
            model,
            hash: hash.finalize(),
        })
    }
}

/// Reads the pooling from `1_Pooling/config.json` of sentence-transformers; the mean by default.
fn pooling(config: &[u8]) -> Pooling {
    let config: serde_json::Value = serde_json::from_slice(config).unwrap_or_default();
    if config["pooling_mode_cls_token"].as_bool().unwrap_or(false) {
        Pooling::Cls
    } else {
        Pooling::Mean
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a model that somebody named, not a root's files"
)]
fn weights_beside(graph: &Path) -> Vec<PathBuf> {
    let stem = graph
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let entries = graph
        .parent()
        .and_then(|folder| std::fs::read_dir(folder).ok());
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    found.retain(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_weights = path
            .extension()
            .and_then(|end| end.to_str())
            .is_some_and(|end| WEIGHTS.contains(&end));
        is_weights && name.starts_with(stem)
    });
    found.sort();
    found
}

fn required(path: &Path) -> Result<Vec<u8>, EmbedError> {
    let gone = || EmbedError::unavailable(format!("{} is gone", path.display()));
    optional(path)?.ok_or_else(gone)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a model that somebody named, not a root's files"
)]
fn optional(path: &Path) -> Result<Option<Vec<u8>>, EmbedError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EmbedError::unavailable(format!(
            "{}: {error}",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_needs_a_graph_and_a_tokenizer_and_no_more() {
        let scratch = tempfile::tempdir().expect("a directory");
        let read = || ModelFiles::read(scratch.path(), None);
        let error = read().err().expect("empty");
        assert!(error.message.contains("has no model.onnx"), "{error}");
        fs::create_dir(scratch.path().join("onnx")).expect("made");
        fs::write(scratch.path().join("onnx/model.onnx"), "graph").expect("written");
        let error = read().err().expect("no tokenizer");
        assert!(error.message.contains("has no tokenizer.json"), "{error}");
        fs::write(scratch.path().join("tokenizer.json"), "{}").expect("written");
        let first = read().expect("read");
        assert_eq!(
            (
                first.model.onnx_file.as_slice(),
                first.model.pooling.clone()
            ),
            (&b"graph"[..], Some(Pooling::Mean))
        );
        assert_eq!(first.hash, read().expect("read").hash);
        // Whatever changes a vector changes the name.
        fs::create_dir(scratch.path().join("1_Pooling")).expect("made");
        fs::write(
            scratch.path().join("1_Pooling/config.json"),
            r#"{"pooling_mode_cls_token": true}"#,
        )
        .expect("written");
        let second = read().expect("read");
        assert!(second.hash != first.hash && second.model.pooling == Some(Pooling::Cls));
        fs::write(scratch.path().join("onnx/model.onnx_data"), "weights").expect("written");
        let third = read().expect("read");
        assert!(third.hash != second.hash);
        assert_eq!(
            third.model.external_initializers[0].file_name,
            "model.onnx_data"
        );
    }
}
