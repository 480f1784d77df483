//! Requests and replies between the daemon and the process that runs a transformer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The models that can be chosen by name. `claudevil-vectors` describes them, and a test there compares the names.
pub const NAMES: &[&str] = &[
    "all-minilm-l12-v2",
    "all-minilm-l12-v2-q",
    "all-minilm-l6-v2",
    "all-minilm-l6-v2-q",
    "all-mpnet-base-v2",
    "bge-base-en-v1.5",
    "bge-base-en-v1.5-q",
    "bge-large-en-v1.5",
    "bge-large-en-v1.5-q",
    "bge-large-zh-v1.5",
    "bge-m3",
    "bge-small-en-v1.5",
    "bge-small-en-v1.5-q",
    "bge-small-zh-v1.5",
    "embeddinggemma-300m",
    "embeddinggemma-300m-q",
    "embeddinggemma-300m-q4",
    "gte-base-en-v1.5",
    "gte-base-en-v1.5-q",
    "gte-large-en-v1.5",
    "gte-large-en-v1.5-q",
    "jina-embeddings-v2-base-code",
    "jina-embeddings-v2-base-en",
    "modernbert-embed-large",
    "multilingual-e5-base",
    "multilingual-e5-large",
    "multilingual-e5-small",
    "mxbai-embed-large-v1",
    "mxbai-embed-large-v1-q",
    "nomic-embed-text-v1",
    "nomic-embed-text-v1.5",
    "nomic-embed-text-v1.5-q",
    "paraphrase-multilingual-minilm-l12-v2",
    "paraphrase-multilingual-minilm-l12-v2-q",
    "paraphrase-multilingual-mpnet-base-v2",
    "snowflake-arctic-embed-l",
    "snowflake-arctic-embed-l-q",
    "snowflake-arctic-embed-m",
    "snowflake-arctic-embed-m-long",
    "snowflake-arctic-embed-m-long-q",
    "snowflake-arctic-embed-m-q",
    "snowflake-arctic-embed-s",
    "snowflake-arctic-embed-s-q",
    "snowflake-arctic-embed-xs",
    "snowflake-arctic-embed-xs-q",
];

/// A model: by name, or in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// By one of [`NAMES`]. It is downloaded once.
    Named(String),
    /// `model.onnx` and `tokenizer.json` in a folder.
    Directory(PathBuf),
}

/// Prefixes by which a model tells queries from documents: `query: `, `passage: `.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefixes {
    pub query: String,
    pub document: String,
}

/// The model that the process is to load.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoadRequest {
    pub source: Source,
    /// The folder for downloaded models.
    pub models: PathBuf,
    pub threads: usize,
    /// Replace the model's own prefixes, unless they are empty.
    pub prefixes: Prefixes,
    /// Print the progress of a download.
    pub shows_progress: bool,
}

/// The id and dimensions of a loaded model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    pub id: String,
    pub dimensions: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    Documents(Vec<String>),
    Query(String),
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    Loaded(ModelInfo),
    Vectors(Vec<Vec<f32>>),
    Failed(EmbedError),
}

impl Reply {
    pub fn vectors(self) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self {
            Self::Vectors(vectors) => Ok(vectors),
            other => Err(other.error()),
        }
    }

    pub fn info(self) -> Result<ModelInfo, EmbedError> {
        match self {
            Self::Loaded(info) => Ok(info),
            other => Err(other.error()),
        }
    }

    fn error(self) -> EmbedError {
        match self {
            Self::Failed(error) => error,
            Self::Loaded(_) | Self::Vectors(_) => {
                EmbedError::unusable("the process sent an unexpected reply")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct EmbedError {
    pub kind: EmbedErrorKind,
    pub message: String,
}

impl EmbedError {
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self {
            kind: EmbedErrorKind::Unavailable,
            message: message.into(),
        }
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self {
            kind: EmbedErrorKind::Refused,
            message: message.into(),
        }
    }

    pub fn unusable(message: impl Into<String>) -> Self {
        Self {
            kind: EmbedErrorKind::Unusable,
            message: message.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EmbedErrorKind {
    /// The model cannot be reached or loaded now; a later attempt may succeed.
    Unavailable,
    /// The model does not accept these texts.
    Refused,
    /// The answer of the model is not valid.
    Unusable,
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::frame::{receive, send};

    #[test]
    fn messages_come_as_they_were_sent() {
        let mut pipe = vec![];
        send(
            &mut pipe,
            &Request::Documents(vec!["a".to_owned(), "ü".to_owned()]),
        )
        .expect("sent");
        send(&mut pipe, &Reply::Vectors(vec![vec![1.0, -2.5]])).expect("sent");
        let mut read = pipe.as_slice();
        let Request::Documents(texts) = receive(&mut read).expect("received") else {
            panic!("another")
        };
        assert_eq!(texts, ["a", "ü"]);
        assert_eq!(
            receive::<Reply>(&mut read).expect("received").vectors(),
            Ok(vec![vec![1.0, -2.5]])
        );
        assert_eq!(
            receive::<Reply>(&mut read).expect_err("the end").kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert!(
            receive::<Reply>(&mut [0xFF; 40].as_slice()).is_err(),
            "too long to be one"
        );
    }
}
