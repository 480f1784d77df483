//! Length-prefixed messages: the length as a little-endian `u32`, then the bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Stdin, Write};

use claudevil_protocol::version::Identity;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest block in bytes. No message comes near it.
const LARGEST_BLOCK: usize = 64 << 20;
/// The size of the buffer at each end of a pipe, in bytes.
pub(crate) const BUFFER: usize = 1 << 16;

/// The child's end of its two pipes.
pub type ChildPipes = (BufReader<Stdin>, BufWriter<File>);

/// Opens the child's end of its pipes, and greets the daemon.
pub fn open_child_pipes() -> io::Result<ChildPipes> {
    let input = BufReader::with_capacity(BUFFER, io::stdin());
    let mut output = BufWriter::with_capacity(BUFFER, standard_output()?);
    greet(&mut output)?;
    Ok((input, output))
}

/// Returns the pipe itself, because `std::io::Stdout` is line-buffered.
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(Into::into)
}

#[cfg(windows)]
fn standard_output() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout()
        .as_handle()
        .try_clone_to_owned()
        .map(Into::into)
}

/// Sends the first block of a child: its build.
fn greet(to: &mut (impl Write + ?Sized)) -> io::Result<()> {
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
