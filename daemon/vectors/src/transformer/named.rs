//! The models that can be chosen by name: those that fastembed supports, with their prefixes and downloads.

use std::path::{Path, PathBuf};

use claudevil_child::transformer::{EmbedError, Prefixes};
use claudevil_protocol::embedding_models::{ModelEntry, ModelKind};
use fastembed::{EmbeddingModel, ModelInfo, TextEmbedding, TextInitOptions};

use super::files::ModelFiles;

/// Models for images.
const NOT_FOR_CODE: [EmbeddingModel; 1] = [EmbeddingModel::ClipVitB32];
const SEARCH: &str = "Represent this sentence for searching relevant passages: ";
/// Prefixes of queries and documents, by the beginning of a model's name; the first match counts.
const PREFIXES: [(&str, &str, &str); 8] = [
    ("multilingual-e5", "query: ", "passage: "),
    ("bge-m3", "", ""),
    ("bge-", SEARCH, ""),
    ("nomic-", "search_query: ", "search_document: "),
    ("modernbert-embed", "search_query: ", "search_document: "),
    ("mxbai-", SEARCH, ""),
    ("snowflake-", SEARCH, ""),
    (
        "embeddinggemma",
        "task: code retrieval | query: ",
        "title: none | text: ",
    ),
];

/// A model that can be chosen by name.
#[derive(Clone, Debug)]
pub struct NamedModel {
    pub name: String,
    pub dimensions: usize,
    pub description: String,
    /// The repository that it is downloaded from, on Hugging Face.
    pub repository: String,
    info: ModelInfo<EmbeddingModel>,
}

/// Returns all models that can be chosen by name, sorted by name.
pub fn all() -> Vec<NamedModel> {
    let known = TextEmbedding::list_supported_models()
        .into_iter()
        .filter(|info| !NOT_FOR_CODE.contains(&info.model));
    let mut all: Vec<NamedModel> = known.map(NamedModel::new).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

pub fn by_name(name: &str) -> Option<NamedModel> {
    all()
        .into_iter()
        .find(|named| named.name.eq_ignore_ascii_case(name))
}

impl NamedModel {
    fn new(info: ModelInfo<EmbeddingModel>) -> Self {
        let code = info
            .model_code
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let code = code.trim_end_matches("-q").trim_end_matches("-onnx");
        let variant = format!("{:?}", info.model);
        let quantised = if variant.ends_with("Q4") {
            "-q4"
        } else if variant.ends_with('Q') {
            "-q"
        } else {
            ""
        };
        Self {
            name: format!("{code}{quantised}"),
            dimensions: info.dim,
            description: info.description.trim().to_owned(),
            repository: info.model_code.clone(),
            info,
        }
    }

    /// Returns its entry in `claudevil model list`.
    pub fn entry(&self, models: &Path) -> ModelEntry {
        ModelEntry {
            name: self.name.clone(),
            kind: ModelKind::Named,
            dimensions: Some(self.dimensions as u64),
            description: self.description.clone(),
            repository: Some(self.repository.clone()),
            installed: self.folder(models).is_some(),
            chosen: false,
        }
    }

    pub fn prefixes(&self) -> Prefixes {
        let own = PREFIXES
            .iter()
            .find(|(beginning, ..)| self.name.starts_with(beginning));
        let (query, document) = own.map_or(("", ""), |(_, query, document)| (query, document));
        Prefixes {
            query: query.to_owned(),
            document: document.to_owned(),
        }
    }

    /// Returns its folder, if it is downloaded completely.
    pub fn folder(&self, models: &Path) -> Option<PathBuf> {
        let repository = models.join(format!("models--{}", self.repository.replace('/', "--")));
        #[expect(
            clippy::disallowed_methods,
            reason = "a download of ours, not a root's files"
        )]
        let commit = std::fs::read_to_string(repository.join("refs/main")).ok()?;
        let folder = repository.join("snapshots").join(commit.trim());
        let needed = [&self.info.model_file, "tokenizer.json"].map(|name: &str| name.to_owned());
        let mut needed = needed.iter().chain(&self.info.additional_files);
        needed
            .all(|name| folder.join(name).is_file())
            .then_some(folder)
    }

    /// Downloads it, which fastembed does when it loads a model.
    pub fn download(
        &self,
        models: &Path,
        threads: usize,
        shows_progress: bool,
    ) -> Result<(), EmbedError> {
        let options = TextInitOptions::new(self.info.model.clone())
            .with_cache_dir(models.to_owned())
            .with_intra_threads(threads)
            .with_show_download_progress(shows_progress);
        TextEmbedding::try_new(options).map(drop).map_err(|error| {
            let why = with_causes(&error);
            EmbedError::unavailable(format!(
                "{} cannot be downloaded from Hugging Face ({}): {why}; a folder with model.onnx and tokenizer.json \
                 can be used instead",
                self.name, self.repository
            ))
        })
    }

    pub fn read(&self, models: &Path) -> Result<ModelFiles, EmbedError> {
        let gone = || {
            EmbedError::unavailable(format!(
                "{} is not downloaded: claudevil model install {}",
                self.name, self.name
            ))
        };
        let mut files = ModelFiles::read(
            &self.folder(models).ok_or_else(gone)?,
            Some(&self.info.model_file),
        )?;
        files.model.quantization = TextEmbedding::get_quantization_mode(&self.info.model);
        files.model.output_key.clone_from(&self.info.output_key);
        if let Some(pooling) = TextEmbedding::get_default_pooling_method(&self.info.model) {
            files.model.pooling = Some(pooling);
        }
        Ok(files)
    }
}

pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut words: Vec<String> = causes.map(ToString::to_string).collect();
    // Some errors repeat the text of their cause.
    words.dedup_by(|later, earlier| earlier.contains(later.as_str()));
    words.join(": ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use claudevil_child::transformer::NAMES;

    use super::*;

    #[test]
    fn every_model_has_a_name_of_its_own() {
        let all = all();
        assert!(all.len() > 40, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names.len(), all.len(), "{names:?}");
        let plain = |name: &str| {
            name.chars().all(|letter| {
                letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.".contains(letter)
            })
        };
        assert!(names.iter().all(|name| plain(name)), "{names:?}");
        let listed: BTreeSet<&str> = NAMES.iter().copied().collect();
        assert_eq!(
            names, listed,
            "the daemon knows the names without this program"
        );
        for name in [
            "all-minilm-l6-v2",
            "all-minilm-l6-v2-q",
            "bge-small-en-v1.5",
            "jina-embeddings-v2-base-code",
        ] {
            assert!(names.contains(name), "{name}: {names:?}");
        }
        assert_eq!(by_name("All-MiniLM-L6-v2").expect("known").dimensions, 384);
        assert!(by_name("large").is_none());
    }

    #[test]
    fn models_with_prefixes_get_them() {
        let of = |name: &str| by_name(name).expect("known").prefixes();
        assert_eq!(of("multilingual-e5-small").document, "passage: ");
        assert_eq!(of("bge-small-en-v1.5").query, SEARCH);
        assert_eq!(of("bge-m3"), Prefixes::default());
        assert_eq!(of("all-minilm-l6-v2"), Prefixes::default());
    }

    #[test]
    fn a_model_is_installed_once_all_files_are_there() {
        let scratch = tempfile::tempdir().expect("a directory");
        let model = by_name("all-minilm-l6-v2").expect("known");
        assert_eq!(model.folder(scratch.path()), None);
        let repository = scratch.path().join("models--Qdrant--all-MiniLM-L6-v2-onnx");
        let snapshot = repository.join("snapshots/abc");
        fs::create_dir_all(&snapshot).expect("made");
        fs::create_dir_all(repository.join("refs")).expect("made");
        fs::write(repository.join("refs/main"), "abc").expect("written");
        fs::write(snapshot.join("model.onnx"), "graph").expect("written");
        assert_eq!(model.folder(scratch.path()), None);
        fs::write(snapshot.join("tokenizer.json"), "{}").expect("written");
        assert_eq!(model.folder(scratch.path()), Some(snapshot));
    }
}
