//! Framing: numbers in little-endian order, and blocks after their length.

use std::io::{self, Read, Write};

use claudevil_protocol::version::Identity;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// More than any batch that is sent.
const LARGEST_BLOCK: usize = 64 << 20;

/// Sends the first block of a child: its build.
pub fn greet(to: &mut (impl Write + ?Sized)) -> io::Result<()> {
    write_block(to, Identity::own().build.as_bytes())?;
    to.flush()
}

/// Sends one message as one block.
pub fn send(to: &mut (impl Write + ?Sized), message: &impl Serialize) -> io::Result<()> {
    write_block(to, &bincode::serialize(message).map_err(io::Error::other)?)?;
    to.flush()
}

pub fn receive<T: DeserializeOwned>(from: &mut (impl Read + ?Sized)) -> io::Result<T> {
    bincode::deserialize(&read_block(from)?).map_err(|_| invalid())
}

pub fn write_block(to: &mut (impl Write + ?Sized), block: &[u8]) -> io::Result<()> {
    if block.len() > LARGEST_BLOCK {
        return Err(invalid());
    }
    write_number(to, block.len())?;
    to.write_all(block)
}

pub fn read_block(from: &mut (impl Read + ?Sized)) -> io::Result<Vec<u8>> {
    let length = read_number(from)?;
    if length > LARGEST_BLOCK {
        return Err(invalid());
    }
    let mut block = vec![0; length];
    from.read_exact(&mut block)?;
    Ok(block)
}

pub fn write_number(to: &mut (impl Write + ?Sized), number: usize) -> io::Result<()> {
    to.write_all(&u32::try_from(number).map_err(|_| invalid())?.to_le_bytes())
}

pub fn read_number(from: &mut (impl Read + ?Sized)) -> io::Result<usize> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes) as usize)
}

pub(crate) fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}
