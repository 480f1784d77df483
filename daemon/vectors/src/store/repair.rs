//! Opening a table, whatever has become of its files.
//!
//! A table that does not open or cannot be read to its end goes back version by version, and in the end is made anew:
//! what is lost is made again from the source. That is done only for damage. A table that cannot be opened for want of
//! permission, memory or files stays as it is.

use claudevil_child::vectors::Space;
use lancedb::{Connection, Table};

use super::error::{VectorError, guarded};
use super::ledger::{Inspection, Ledger};
use super::location::{StepBack, StoreLocation};
use super::rows::Rows;
use super::table::SpaceTable;

/// Damage in a file that all versions share is not worth more attempts.
const STEPS_BACK: usize = 8;

/// The state in which a table was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOutcome {
    pub vectors: usize,
    /// Rows that are not what was written. They are not handed out.
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
    /// Nothing could be read, or it was of another shape. All vectors of the space are gone.
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
        match inspect(ledger.as_ref()).await? {
            Inspection::Absent => {
                return Ok((create(location, &name, rows).await?, Condition::New));
            }
            Inspection::Unverifiable(unknown) => return rebuild(location, space, unknown).await,
            Inspection::Incomplete(lacking) => _ = reason.get_or_insert(lacking),
            Inspection::Sound => {}
        }
        match attempt(location, &name, &rows, ledger.clone()).await {
            Ok(OpenAttempt::Table(table)) => {
                let Some(reason) = reason else {
                    return Ok((*table, Condition::Sound));
                };
                table.record_all().await?;
                return Ok((*table, Condition::SteppedBack { reason }));
            }
            Ok(OpenAttempt::Missing) if location.directory().is_none() => {
                return Ok((create(location, &name, rows).await?, Condition::New));
            }
            Ok(OpenAttempt::Missing) => break,
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

/// An object store vouches for its files itself.
async fn inspect(ledger: Option<&Ledger>) -> Result<Inspection, VectorError> {
    match ledger {
        Some(ledger) => ledger.inspect().await,
        None => Ok(Inspection::Sound),
    }
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

enum OpenAttempt {
    Table(Box<SpaceTable>),
    Missing,
}

async fn attempt(
    location: &StoreLocation,
    name: &str,
    rows: &Rows,
    ledger: Option<Ledger>,
) -> Result<OpenAttempt, VectorError> {
    let connection = location.connection().await?;
    match guarded(open_table(&connection, name)).await? {
        Some(table) => Ok(OpenAttempt::Table(Box::new(
            SpaceTable::survey(table, rows.clone(), ledger).await?,
        ))),
        None => Ok(OpenAttempt::Missing),
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
