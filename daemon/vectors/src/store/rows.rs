//! Vectors as rows of a table, each with a checksum.
//!
//! The files of a table carry no checksums, so each row does: over its key, its codes and the space it belongs to. A
//! row with a wrong checksum is not handed out, and is counted. **Invariant:** no vector leaves here unchecked.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt64Type};
use arrow_array::{
    ArrayRef, FixedSizeBinaryArray, FixedSizeListArray, Int8Array, RecordBatch, UInt32Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use claudevil_child::vectors::{ChunkHash, ChunkVector, Space};

use super::error::VectorError;

pub(crate) const HASH: &str = "hash";
pub(crate) const HASH_BYTES: i32 = 16;
const CODES: &str = "codes";
const CHECKSUM: &str = "checksum";
/// The day on which a row was written, since 1970. Only rows that are shared have it.
pub(crate) const DAY: &str = "day";
const MODEL: &str = "model";

/// The schema of the rows of one space, and the key of their checksums.
#[derive(Clone)]
pub(crate) struct Rows {
    schema: SchemaRef,
    dimensions: usize,
    key: [u8; 32],
    dated: bool,
}

/// The sound rows of a batch, and the keys of the damaged ones.
pub(crate) struct DecodedRows {
    pub sound: Vec<ChunkVector>,
    pub damaged: Vec<ChunkHash>,
}

impl Rows {
    pub fn new(space: &Space) -> Result<Self, VectorError> {
        let mut hasher = blake3::Hasher::new_derive_key("claudevil vector rows");
        hasher
            .update(&(space.dimensions as u64).to_le_bytes())
            .update(space.model.as_bytes());
        Self::with_columns(space, *hasher.finalize().as_bytes(), vec![])
    }

    /// Returns the rows of a table that several people write: their checksums depend on a key that others do not have.
    pub fn shared(space: &Space, key: [u8; 32]) -> Result<Self, VectorError> {
        let day = Field::new(DAY, DataType::UInt32, false);
        Self::with_columns(space, key, vec![day])
    }

    fn with_columns(space: &Space, key: [u8; 32], more: Vec<Field>) -> Result<Self, VectorError> {
        let width = i32::try_from(space.dimensions)
            .ok()
            .filter(|width| *width > 0);
        let width = width.ok_or_else(|| {
            VectorError::other(format!("no vector has {} dimensions", space.dimensions))
        })?;
        let dated = !more.is_empty();
        let mut fields = vec![
            Field::new(HASH, DataType::FixedSizeBinary(HASH_BYTES), false),
            Field::new(CODES, DataType::FixedSizeList(code_field(), width), false),
            Field::new(CHECKSUM, DataType::UInt64, false),
        ];
        fields.extend(more);
        let metadata = HashMap::from([(MODEL.to_owned(), space.model.clone())]);
        Ok(Self {
            schema: Arc::new(Schema::new_with_metadata(fields, metadata)),
            dimensions: space.dimensions,
            key,
            dated,
        })
    }

    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Checks that a table with this schema holds these rows: same model, same columns, same width.
    pub fn fit(&self, found: &Schema) -> Result<(), VectorError> {
        let model = found
            .metadata()
            .get(MODEL)
            .map_or("no model", String::as_str);
        let ours = &self.schema.metadata()[MODEL];
        if model != ours {
            return Err(VectorError::damaged(format!(
                "the table is of {model}, not of {ours}"
            )));
        }
        let same = self
            .schema
            .fields()
            .iter()
            .zip(found.fields())
            .all(|(ours, theirs)| same_column(ours, theirs));
        if !same || found.fields().len() != self.schema.fields().len() {
            return Err(VectorError::damaged(format!(
                "the table is not of vectors of {} dimensions",
                self.dimensions
            )));
        }
        Ok(())
    }

    /// Encodes vectors as rows. `day` is stored in shared rows only.
    pub fn encode(&self, vectors: &[&ChunkVector], day: u32) -> Result<RecordBatch, VectorError> {
        if let Some(other) = vectors
            .iter()
            .find(|vector| vector.codes.len() != self.dimensions)
        {
            let (found, due) = (other.codes.len(), self.dimensions);
            return Err(VectorError::other(format!(
                "a vector has {found} dimensions where {due} are due"
            )));
        }
        let codes: Int8Array = vectors
            .iter()
            .flat_map(|vector| vector.codes.iter().copied())
            .collect();
        let sums: UInt64Array = vectors
            .iter()
            .map(|vector| self.checksum(&vector.hash, &vector.codes))
            .collect();
        self.columns(vectors, codes, sums, day)
            .map_err(|error| VectorError::other(error.to_string()))
    }

    fn columns(
        &self,
        vectors: &[&ChunkVector],
        codes: Int8Array,
        sums: UInt64Array,
        day: u32,
    ) -> Result<RecordBatch, ArrowError> {
        let hashes = FixedSizeBinaryArray::try_from_iter(vectors.iter().map(|vector| vector.hash))?;
        let width = i32::try_from(self.dimensions).unwrap_or(i32::MAX);
        let codes = FixedSizeListArray::try_new(code_field(), width, Arc::new(codes), None)?;
        let mut columns: Vec<ArrayRef> = vec![Arc::new(hashes), Arc::new(codes), Arc::new(sums)];
        if self.dated {
            columns.push(Arc::new(UInt32Array::from_value(day, vectors.len())));
        }
        RecordBatch::try_new(self.schema(), columns)
    }

    pub fn decode(&self, batch: &RecordBatch) -> Result<DecodedRows, VectorError> {
        let columns = (|| {
            let hashes = batch.column_by_name(HASH)?.as_fixed_size_binary_opt()?;
            let codes = batch.column_by_name(CODES)?.as_fixed_size_list_opt()?;
            let sums = batch
                .column_by_name(CHECKSUM)?
                .as_primitive_opt::<UInt64Type>()?;
            Some((hashes, codes, sums))
        })();
        let (hashes, codes, sums) =
            columns.ok_or_else(|| VectorError::damaged("the table lacks a column"))?;
        let mut checked = DecodedRows {
            sound: Vec::with_capacity(batch.num_rows()),
            damaged: vec![],
        };
        for row in 0..batch.num_rows() {
            let Ok(hash) = ChunkHash::try_from(hashes.value(row)) else {
                return Err(VectorError::damaged("the table's keys have another length"));
            };
            let list = codes.value(row);
            let found = list
                .as_primitive_opt::<Int8Type>()
                .map(|codes| &codes.values()[..]);
            match found.filter(|codes| {
                codes.len() == self.dimensions && self.checksum(&hash, codes) == sums.value(row)
            }) {
                Some(codes) => checked
                    .sound
                    .push(ChunkVector::from_codes(hash, codes.into())),
                None => checked.damaged.push(hash),
            }
        }
        Ok(checked)
    }

    fn checksum(&self, hash: &ChunkHash, codes: &[i8]) -> u64 {
        let mut row = Vec::with_capacity(hash.len() + codes.len());
        row.extend_from_slice(hash);
        row.extend(codes.iter().map(|code| code.to_le_bytes()[0]));
        let mut first = [0; 8];
        first.copy_from_slice(&blake3::keyed_hash(&self.key, &row).as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

fn code_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Int8, false))
}

/// Compares the names and types of two columns. Nullability may differ.
fn same_column(one: &Field, other: &Field) -> bool {
    let same_type = match (one.data_type(), other.data_type()) {
        (DataType::FixedSizeList(one, width), DataType::FixedSizeList(other, found)) => {
            width == found && one.data_type() == other.data_type()
        }
        (one, other) => one == other,
    };
    one.name() == other.name() && same_type
}
