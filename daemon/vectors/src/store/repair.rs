//! Opening a table, whatever has become of its files.
//!
//! A table that does not open or cannot be read to its end goes back version by version, and in the end is made anew:
//! what is lost is made again from the source. That is done only for damage. A table that cannot be opened for want of
//! permission, memory or files stays as it is.

use claudevil_child::vectors::Space;
use lancedb::{Connection, Table};

use super::error::{VectorError, guarded};
use super::ledger::{Inspected, Ledger};
use super::place::{Place, Stepped};
use super::rows::Rows;
use super::table::SpaceTable;

/// Damage in a file that all versions share is not worth more attempts.
const STEPS_BACK: usize = 8;

/// The state in which a table was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
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
    place: &Place,
    space: &Space,
) -> Result<(SpaceTable, Condition), VectorError> {
    let (name, rows) = (super::table_name(&space.model), Rows::new(space)?);
    let ledger = place.ledger(&name);
    let mut reason = None;
    for _ in 0..=STEPS_BACK {
        match inspect(ledger.as_ref()).await? {
            Inspected::Absent => return Ok((create(place, &name, rows).await?, Condition::New)),
            Inspected::Unknown(unknown) => return rebuild(place, space, unknown).await,
            Inspected::Lacking(lacking) => _ = reason.get_or_insert(lacking),
            Inspected::AsRecorded => {}
        }
        match attempt(place, &name, &rows, ledger.clone()).await {
            Ok(Found::Table(table)) => {
                let Some(reason) = reason else {
                    return Ok((*table, Condition::Sound));
                };
                table.record_all().await?;
                return Ok((*table, Condition::SteppedBack { reason }));
            }
            Ok(Found::Nothing) if place.directory().is_none() => {
                return Ok((create(place, &name, rows).await?, Condition::New));
            }
            Ok(Found::Nothing) => break,
            Err(error) if error.is_damage() => _ = reason.get_or_insert(error.message),
            Err(error) => return Err(error),
        }
        if place.step_back(&name).await? == Stepped::Nowhere {
            break;
        }
    }
    rebuild(
        place,
        space,
        reason.unwrap_or_else(|| "its versions are gone".to_owned()),
    )
    .await
}

/// An object store vouches for its files itself.
async fn inspect(ledger: Option<&Ledger>) -> Result<Inspected, VectorError> {
    match ledger {
        Some(ledger) => ledger.inspect().await,
        None => Ok(Inspected::AsRecorded),
    }
}

pub(super) async fn rebuild(
    place: &Place,
    space: &Space,
    reason: String,
) -> Result<(SpaceTable, Condition), VectorError> {
    let name = super::table_name(&space.model);
    place.drop_table(&name).await?;
    Ok((
        create(place, &name, Rows::new(space)?).await?,
        Condition::Rebuilt { reason },
    ))
}

enum Found {
    Table(Box<SpaceTable>),
    Nothing,
}

async fn attempt(
    place: &Place,
    name: &str,
    rows: &Rows,
    ledger: Option<Ledger>,
) -> Result<Found, VectorError> {
    let connection = place.connection().await?;
    match guarded(open_table(&connection, name)).await? {
        Some(table) => Ok(Found::Table(Box::new(
            SpaceTable::survey(table, rows.clone(), ledger).await?,
        ))),
        None => Ok(Found::Nothing),
    }
}

async fn open_table(connection: &Connection, name: &str) -> lancedb::Result<Option<Table>> {
    match connection.open_table(name).execute().await {
        Err(lancedb::Error::TableNotFound { .. }) => Ok(None),
        opened => opened.map(Some),
    }
}

async fn create(place: &Place, name: &str, rows: Rows) -> Result<SpaceTable, VectorError> {
    let connection = place.connection().await?;
    let table = guarded(connection.create_empty_table(name, rows.schema()).execute()).await?;
    let table = SpaceTable::survey(table, rows, place.ledger(name)).await?;
    table.record_all().await?;
    Ok(table)
}
