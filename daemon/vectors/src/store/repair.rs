//! Opens a table, and repairs it if it is damaged.
//!
//! A table that does not open, or cannot be read completely, goes back version by version, and is rebuilt empty in the end:
//! lost vectors are recomputed from the source. That is done only for damage. A table that cannot be opened because of
//! permissions, memory or descriptors stays as it is.

use claudevil_child::vectors::Space;
use lancedb::{Connection, Table};

use super::error::{VectorError, guarded};
use super::ledger::{Inspection, Ledger};
use super::location::{StepBack, StoreLocation};
use super::rows::Rows;
use super::table::SpaceTable;

/// The most versions to go back: more attempts do not help if all versions share a damaged file.
const STEPS_BACK: usize = 8;

/// The state in which a table was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOutcome {
    pub vectors: usize,
    /// Rows with wrong checksums, which are not handed out.
    pub damaged_rows: usize,
    pub condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Sound,
    New,
    /// The newest versions could not be read; vectors of the last batches are gone.
    SteppedBack {
        reason: String,
    },
    /// Nothing could be read, or it had another schema. All vectors of the space are gone.
    Rebuilt {
        reason: String,
    },
}

pub(super) async fn open(
    location: &StoreLocation,
    space: &Space,
) -> Result<(SpaceTable, Condition), VectorError> {
    let (name, rows) = (super::table_name(&space.model), Rows::new(space)?);
    let ledger = location.ledger(&name);
    let mut reason = None;
    for _ in 0..=STEPS_BACK {
        match ledger.inspect().await? {
            Inspection::Absent => {
                return Ok((create(location, &name, rows).await?, Condition::New));
            }
            Inspection::Unverifiable(problem) => return rebuild(location, space, problem).await,
            Inspection::Incomplete(problem) => _ = reason.get_or_insert(problem),
            Inspection::Sound => {}
        }
        match attempt(location, &name, &rows, ledger.clone()).await {
            Ok(Some(table)) => {
                let Some(reason) = reason else {
                    return Ok((table, Condition::Sound));
                };
                table.record_all().await?;
                return Ok((table, Condition::SteppedBack { reason }));
            }
            Ok(None) => break,
            Err(error) if error.is_damage() => _ = reason.get_or_insert(error.message),
            Err(error) => return Err(error),
        }
        if location.step_back(&name).await? == StepBack::NoEarlierVersion {
            break;
        }
    }
    rebuild(
        location,
        space,
        reason.unwrap_or_else(|| "its versions are gone".to_owned()),
    )
    .await
}

pub(super) async fn rebuild(
    location: &StoreLocation,
    space: &Space,
    reason: String,
) -> Result<(SpaceTable, Condition), VectorError> {
    let name = super::table_name(&space.model);
    location.drop_table(&name).await?;
    Ok((
        create(location, &name, Rows::new(space)?).await?,
        Condition::Rebuilt { reason },
    ))
}

/// Opens and reads a table. None if there is none.
async fn attempt(
    location: &StoreLocation,
    name: &str,
    rows: &Rows,
    ledger: Ledger,
) -> Result<Option<SpaceTable>, VectorError> {
    let connection = location.connection().await?;
    match guarded(open_table(&connection, name)).await? {
        Some(table) => SpaceTable::survey(table, rows.clone(), ledger)
            .await
            .map(Some),
        None => Ok(None),
    }
}

async fn open_table(connection: &Connection, name: &str) -> lancedb::Result<Option<Table>> {
    match connection.open_table(name).execute().await {
        Err(lancedb::Error::TableNotFound { .. }) => Ok(None),
        opened => opened.map(Some),
    }
}

async fn create(
    location: &StoreLocation,
    name: &str,
    rows: Rows,
) -> Result<SpaceTable, VectorError> {
    let connection = location.connection().await?;
    let table = guarded(connection.create_empty_table(name, rows.schema()).execute()).await?;
    let table = SpaceTable::survey(table, rows, location.ledger(name)).await?;
    table.record_all().await?;
    Ok(table)
}
