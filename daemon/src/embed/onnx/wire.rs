//! What goes through the pipe between the daemon and the process that runs a transformer.
//!
//! Both ends are the same build, which the process's first word proves. A message is one block, with its length before
//! it.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Source;
use crate::embed::{EmbedError, EmbedErrorKind, Prefixes};

/// Some thousand vectors, or as many texts as are ever sent at once.
const LARGEST: usize = 64 << 20;

/// What the process is to load.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub source: Source,
    pub models: PathBuf,
    pub threads: usize,
    pub query_prefix: String,
    pub document_prefix: String,
    /// Whether somebody sees what it says while it downloads.
    pub shows_progress: bool,
}

/// What it loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
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
    Opened(Opened),
    Vectors(Vec<Vec<f32>>),
    Unavailable(String),
    Refused(String),
    Unusable(String),
}

impl Order {
    pub fn prefixes(&self) -> Prefixes {
        Prefixes {
            query: self.query_prefix.clone(),
            document: self.document_prefix.clone(),
        }
    }
}

impl From<EmbedError> for Reply {
    fn from(error: EmbedError) -> Self {
        match error.kind {
            EmbedErrorKind::Unavailable => Self::Unavailable(error.message),
            EmbedErrorKind::Refused => Self::Refused(error.message),
            EmbedErrorKind::Unusable => Self::Unusable(error.message),
        }
    }
}

impl Reply {
    pub fn vectors(self) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self {
            Self::Vectors(vectors) => Ok(vectors),
            other => Err(other.error()),
        }
    }

    pub fn opened(self) -> Result<Opened, EmbedError> {
        match self {
            Self::Opened(opened) => Ok(opened),
            other => Err(other.error()),
        }
    }

    fn error(self) -> EmbedError {
        match self {
            Self::Unavailable(message) => EmbedError::unavailable(message),
            Self::Refused(message) => EmbedError::refused(message),
            Self::Unusable(message) => EmbedError::unusable(message),
            Self::Opened(_) | Self::Vectors(_) => {
                EmbedError::unusable("the process answered something else")
            }
        }
    }
}

pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let block = bincode::serialize(message).map_err(io::Error::other)?;
    let length = u32::try_from(block.len())
        .ok()
        .filter(|_| block.len() <= LARGEST)
        .ok_or_else(invalid)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&block)?;
    to.flush()
}

pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length))
        .ok()
        .filter(|length| *length <= LARGEST);
    let mut block = vec![0; length.ok_or_else(invalid)?];
    from.read_exact(&mut block)?;
    bincode::deserialize(&block).map_err(|_| invalid())
}

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

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
