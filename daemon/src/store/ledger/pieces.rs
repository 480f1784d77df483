//! Stores values in pieces, several of which fit a page.
//!
//! redb stores a value that is larger than a page in pages of its own, rounded up to a power of two, which leave holes that
//! only smaller values fit. Stored whole, the facts of a large project took twice their size.

use redb::{Error, ReadableTable, Table, TableDefinition};

/// The key of a piece: that of its value, and its number.
type PieceKey = (&'static [u8; 16], u32);
pub type Pieces = TableDefinition<'static, PieceKey, &'static [u8]>;

/// The length of a piece in bytes. A shorter one is the last of its value.
const PIECE: usize = 1000;

pub fn insert(
    table: &mut Table<'_, PieceKey, &'static [u8]>,
    key: &[u8; 16],
    value: &[u8],
) -> Result<(), Error> {
    let mut number = 0;
    for piece in value.chunks(PIECE) {
        table.insert((key, number), piece)?;
        number += 1;
    }
    if value.len().is_multiple_of(PIECE) {
        table.insert((key, number), &[][..])?;
        number += 1;
    }
    // Removes the remaining pieces of a longer value that was there before.
    while table.remove((key, number))?.is_some() {
        number += 1;
    }
    Ok(())
}

/// Returns the whole value. None if a piece is missing.
pub fn get(
    table: &impl ReadableTable<PieceKey, &'static [u8]>,
    key: &[u8; 16],
) -> Result<Option<Vec<u8>>, Error> {
    let mut value = vec![];
    // A range needs a single descent into the tree, because the pieces of a value are adjacent.
    for (number, entry) in (0..).zip(table.range((key, 0)..=(key, u32::MAX))?) {
        let (place, piece) = entry?;
        if place.value().1 != number {
            break;
        }
        value.extend_from_slice(piece.value());
        if piece.value().len() < PIECE {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

pub fn remove(table: &mut Table<'_, PieceKey, &'static [u8]>, key: &[u8; 16]) -> Result<(), Error> {
    table.retain_in((key, 0)..=(key, u32::MAX), |_, _| false)?;
    Ok(())
}

/// Returns the keys of all values.
pub fn keys(table: &impl ReadableTable<PieceKey, &'static [u8]>) -> Result<Vec<[u8; 16]>, Error> {
    let mut keys = vec![];
    for entry in table.iter()? {
        let (piece, _) = entry?;
        let (key, number) = piece.value();
        if number == 0 {
            keys.push(*key);
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableTableMetadata};

    use super::*;

    const TABLE: Pieces = TableDefinition::new("pieces");

    #[test]
    fn values_of_any_length_come_back_and_go_whole() {
        let database = Database::builder()
            .create_with_backend(InMemoryBackend::new())
            .expect("made");
        let transaction = database.begin_write().expect("begun");
        let mut table = transaction.open_table(TABLE).expect("opened");
        let value = |length: usize| -> Vec<u8> { (0..=250).cycle().take(length).collect() };
        let lengths = [
            5 * PIECE,
            0,
            1,
            PIECE - 1,
            PIECE,
            PIECE + 1,
            2 * PIECE,
            70 * PIECE + 3,
        ];
        for (number, length) in (0..).zip(lengths) {
            insert(&mut table, &[number; 16], &value(length)).expect("inserted");
        }
        // A shorter value leaves nothing of the longer one before it.
        insert(&mut table, &[0; 16], &value(2 * PIECE)).expect("inserted");
        for (number, length) in
            (0..).zip([2 * PIECE].into_iter().chain(lengths[1..].iter().copied()))
        {
            assert_eq!(
                get(&table, &[number; 16]).expect("read"),
                Some(value(length))
            );
        }
        assert_eq!(keys(&table).expect("read").len(), lengths.len());
        assert_eq!(get(&table, &[99; 16]).expect("read"), None);
        table.remove((&[7; 16], 3)).expect("removed");
        assert_eq!(
            get(&table, &[7; 16]).expect("read"),
            None,
            "a piece is missing"
        );
        for number in 0..8 {
            remove(&mut table, &[number; 16]).expect("removed");
        }
        assert_eq!(table.len().expect("counted"), 0);
    }
}
