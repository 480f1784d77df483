//! Requests and replies between the daemon and the process of the vector store.
//!
//! A request begins with its space. Then comes one block: the kind in its first byte, then rows of equal length, which are
//! hashes or hashes with codes.

use std::io::{self, Read, Write};

use super::{ChunkHash, ChunkVector, Space};
use crate::frame::{invalid, read_block, write_block};

const HASH: usize = size_of::<ChunkHash>();

#[derive(Debug, PartialEq)]
pub enum Request {
    Append(Vec<ChunkVector>),
    Load(Vec<ChunkHash>),
    Count,
    KeepOnly(Vec<ChunkHash>),
    /// The ids of the models whose vectors stay; all of them if none is given.
    Maintain(Vec<String>),
}

#[derive(Debug, PartialEq)]
pub enum Reply {
    Vectors(Vec<ChunkVector>),
    Number(u64),
    Failed(String),
}

fn write_space(to: &mut (impl Write + ?Sized), space: &Space) -> io::Result<()> {
    write_block(to, space.model.as_bytes())?;
    write_block(to, &(space.dimensions as u64).to_le_bytes())
}

fn read_space(from: &mut (impl Read + ?Sized)) -> io::Result<Space> {
    let model = String::from_utf8(read_block(from)?).map_err(|_| invalid())?;
    let dimensions = usize::try_from(number(&read_block(from)?)?).map_err(|_| invalid())?;
    Ok(Space { model, dimensions })
}

pub fn write_request(
    to: &mut (impl Write + ?Sized),
    space: &Space,
    request: &Request,
) -> io::Result<()> {
    write_space(to, space)?;
    let block = match request {
        Request::Append(vectors) => rows(0, vectors),
        Request::Load(hashes) => [&[1], hashes.as_flattened()].concat(),
        Request::Count => vec![2],
        Request::KeepOnly(hashes) => [&[3], hashes.as_flattened()].concat(),
        Request::Maintain(models) => [&[4], models.join("\n").as_bytes()].concat(),
    };
    write_block(to, &block)?;
    to.flush()
}

pub fn read_request(from: &mut (impl Read + ?Sized)) -> io::Result<(Space, Request)> {
    let space = read_space(from)?;
    let block = read_block(from)?;
    let request = match block.split_first().ok_or_else(invalid)? {
        (0, rest) => Request::Append(vectors(rest, space.dimensions)?),
        (1, rest) => Request::Load(hashes(rest)?),
        (2, []) => Request::Count,
        (3, rest) => Request::KeepOnly(hashes(rest)?),
        (4, models) => {
            let models = std::str::from_utf8(models).map_err(|_| invalid())?;
            Request::Maintain(models.lines().map(str::to_owned).collect())
        }
        _ => return Err(invalid()),
    };
    Ok((space, request))
}

/// Writes a reply, with the errors of the store.
pub fn write_reply(
    to: &mut (impl Write + ?Sized),
    reply: &Reply,
    troubles: &[String],
) -> io::Result<()> {
    let block = match reply {
        Reply::Vectors(vectors) => rows(0, vectors),
        Reply::Number(number) => [&[1][..], &number.to_le_bytes()].concat(),
        Reply::Failed(why) => [&[2], why.as_bytes()].concat(),
    };
    write_block(to, &block)?;
    write_block(to, &(troubles.len() as u64).to_le_bytes())?;
    for trouble in troubles {
        write_block(to, trouble.as_bytes())?;
    }
    to.flush()
}

pub fn read_reply(
    from: &mut (impl Read + ?Sized),
    dimensions: usize,
) -> io::Result<(Reply, Vec<String>)> {
    let block = read_block(from)?;
    let reply = match block.split_first().ok_or_else(invalid)? {
        (0, rest) => Reply::Vectors(vectors(rest, dimensions)?),
        (1, rest) => Reply::Number(number(rest)?),
        (2, why) => Reply::Failed(String::from_utf8_lossy(why).into_owned()),
        _ => return Err(invalid()),
    };
    let count = number(&read_block(from)?)?;
    let words = (0..count).map(|_| Ok(String::from_utf8_lossy(&read_block(from)?).into_owned()));
    Ok((reply, words.collect::<io::Result<_>>()?))
}

fn rows(kind: u8, vectors: &[ChunkVector]) -> Vec<u8> {
    let length = vectors.first().map_or(0, |first| HASH + first.codes.len());
    let mut block = Vec::with_capacity(1 + vectors.len() * length);
    block.push(kind);
    for vector in vectors {
        block.extend_from_slice(&vector.hash);
        block.extend(vector.codes.iter().map(|code| code.to_le_bytes()[0]));
    }
    block
}

fn vectors(block: &[u8], dimensions: usize) -> io::Result<Vec<ChunkVector>> {
    let rows = block.chunks_exact(HASH + dimensions);
    if !rows.remainder().is_empty() {
        return Err(invalid());
    }
    rows.map(|row| {
        let (hash, codes) = row.split_first_chunk::<HASH>().ok_or_else(invalid)?;
        Ok(ChunkVector::from_codes(
            *hash,
            codes
                .iter()
                .map(|code| i8::from_le_bytes([*code]))
                .collect(),
        ))
    })
    .collect()
}

fn hashes(block: &[u8]) -> io::Result<Vec<ChunkHash>> {
    let (hashes, rest) = block.as_chunks();
    if rest.is_empty() {
        Ok(hashes.to_vec())
    } else {
        Err(invalid())
    }
}

fn number(block: &[u8]) -> io::Result<u64> {
    Ok(u64::from_le_bytes(block.try_into().map_err(|_| invalid())?))
}
