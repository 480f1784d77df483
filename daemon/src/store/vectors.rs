//! The vectors, in LanceDB: the store of record for what an embedder has made of each chunk.
//!
//! LanceDB never syncs to disk, so this holds only what can be made again. It is opened when it is first needed and
//! its caches are capped: by default they may take gigabytes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancedb::{Connection, ObjectStoreRegistry, Session};
use tokio::sync::OnceCell;

const INDEX_CACHE_BYTES: usize = 64 << 20;
const METADATA_CACHE_BYTES: usize = 16 << 20;

pub struct VectorStore {
    directory: PathBuf,
    connection: OnceCell<Connection>,
}

impl VectorStore {
    pub fn new(data: &Path) -> Self {
        Self { directory: data.join("vectors"), connection: OnceCell::new() }
    }

    /// Opens the store and looks: how many tables, and how many vectors in them.
    pub async fn probe(&self) -> io::Result<Contents> {
        let connection = self.connection().await?;
        let names = connection.table_names().execute().await.map_err(io::Error::other)?;
        let mut contents = Contents { tables: names.len(), vectors: 0 };
        for name in names {
            let table = connection.open_table(name).execute().await.map_err(io::Error::other)?;
            contents.vectors += table.count_rows(None).await.map_err(io::Error::other)?;
        }
        Ok(contents)
    }

    async fn connection(&self) -> io::Result<&Connection> {
        self.connection
            .get_or_try_init(|| async {
                std::fs::create_dir_all(&self.directory)?;
                let caches =
                    Session::new(INDEX_CACHE_BYTES, METADATA_CACHE_BYTES, Arc::new(ObjectStoreRegistry::default()));
                let address = self.directory.to_str().ok_or_else(|| io::Error::other("the path is not UTF-8"))?;
                lancedb::connect(address).session(Arc::new(caches)).execute().await.map_err(io::Error::other)
            })
            .await
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    pub tables: usize,
    pub vectors: usize,
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int32Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    #[tokio::test]
    async fn an_empty_store_is_made_and_rows_are_counted() {
        let scratch = tempfile::tempdir().expect("a directory");
        let store = VectorStore::new(scratch.path());
        assert_eq!(store.probe().await.expect("opened"), Contents { tables: 0, vectors: 0 });

        let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::Int32, false)]));
        let rows = RecordBatch::try_new(schema, vec![Arc::new(Int32Array::from(vec![1, 2, 3]))]).expect("a batch");
        let connection = store.connection().await.expect("open");
        connection.create_table("rows", rows).execute().await.expect("created");
        assert_eq!(store.probe().await.expect("opened"), Contents { tables: 1, vectors: 3 });
    }
}
