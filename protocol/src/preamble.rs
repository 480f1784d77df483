//! The greeting before the first frame: both sides say who they are, and learn whether they can talk.
//!
//! Bincode does not describe itself, so two builds that disagree about a type would misread each other. These few
//! bytes are laid out by hand and never change shape; a body may grow at its end, and readers skip what they do not
//! know.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::version::Identity;

/// Time limit for the other side's part of the greeting.
pub const GREETING_TIMEOUT: Duration = Duration::from_secs(2);

const MAGIC: [u8; 8] = *b"claudevl";
const BODY_LIMIT: u16 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Make calls.
    Use,
    /// Take the daemon's place: it drains and exits, if the client is indeed newer.
    Replace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub client: Identity,
    pub intent: Intent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Frames follow, in this version of the protocol.
    Accepted(u16),
    /// No version in common.
    VersionUnsupported,
    /// The daemon already serves its maximum number of connections.
    Busy,
    /// The daemon is exiting: connect again when its lock is free.
    Draining,
    /// The peer is another user.
    ForeignUser,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    pub daemon: Identity,
    pub verdict: Verdict,
    pub pid: u32,
}

impl Hello {
    pub async fn write(&self, stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut body = Vec::with_capacity(64);
        body.push(match self.intent {
            Intent::Use => 0,
            Intent::Replace => 1,
        });
        put_identity(&mut body, &self.client);
        send(stream, &body).await
    }

    pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let body = receive(stream).await?;
        let mut rest = body.as_slice();
        let intent = match take(&mut rest)? {
            [0] => Intent::Use,
            [1] => Intent::Replace,
            _ => return Err(malformed("unknown intent")),
        };
        Ok(Self {
            client: take_identity(&mut rest)?,
            intent,
        })
    }
}

impl Welcome {
    pub async fn write(&self, stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut body = Vec::with_capacity(64);
        let (code, version) = match self.verdict {
            Verdict::Accepted(version) => (0, version),
            Verdict::VersionUnsupported => (1, 0),
            Verdict::Busy => (2, 0),
            Verdict::Draining => (3, 0),
            Verdict::ForeignUser => (4, 0),
        };
        body.push(code);
        body.extend(version.to_le_bytes());
        body.extend(self.pid.to_le_bytes());
        put_identity(&mut body, &self.daemon);
        send(stream, &body).await
    }

    pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let body = receive(stream).await?;
        let mut rest = body.as_slice();
        let [code] = take(&mut rest)?;
        let version = u16::from_le_bytes(take(&mut rest)?);
        let verdict = match code {
            0 => Verdict::Accepted(version),
            1 => Verdict::VersionUnsupported,
            2 => Verdict::Busy,
            3 => Verdict::Draining,
            4 => Verdict::ForeignUser,
            _ => return Err(malformed("unknown verdict")),
        };
        let pid = u32::from_le_bytes(take(&mut rest)?);
        Ok(Self {
            daemon: take_identity(&mut rest)?,
            verdict,
            pid,
        })
    }
}

fn put_identity(body: &mut Vec<u8>, identity: &Identity) {
    body.extend(identity.protocol.start().to_le_bytes());
    body.extend(identity.protocol.end().to_le_bytes());
    body.extend(identity.capabilities.to_le_bytes());
    let build = identity.build.as_bytes();
    let length = u8::try_from(build.len()).unwrap_or(u8::MAX);
    body.push(length);
    body.extend(&build[..usize::from(length)]);
}

fn take_identity(rest: &mut &[u8]) -> io::Result<Identity> {
    let first = u16::from_le_bytes(take(rest)?);
    let last = u16::from_le_bytes(take(rest)?);
    let capabilities = u32::from_le_bytes(take(rest)?);
    let [length] = take(rest)?;
    let (build, after) = rest
        .split_at_checked(usize::from(length))
        .ok_or_else(|| malformed("cut short"))?;
    *rest = after;
    Ok(Identity {
        protocol: first..=last,
        build: String::from_utf8_lossy(build).into_owned(),
        capabilities,
    })
}

fn take<const N: usize>(rest: &mut &[u8]) -> io::Result<[u8; N]> {
    let (head, after) = rest
        .split_first_chunk::<N>()
        .ok_or_else(|| malformed("cut short"))?;
    *rest = after;
    Ok(*head)
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    let length = u16::try_from(body.len()).map_err(|_| malformed("too long"))?;
    let mut message = Vec::with_capacity(MAGIC.len() + 2 + body.len());
    message.extend(MAGIC);
    message.extend(length.to_le_bytes());
    message.extend(body);
    stream.write_all(&message).await?;
    stream.flush().await
}

async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut magic = [0; MAGIC.len()];
    stream.read_exact(&mut magic).await?;
    if magic != MAGIC {
        return Err(malformed("the peer does not speak claudevil's protocol"));
    }
    let length = stream.read_u16_le().await?;
    if length > BODY_LIMIT {
        return Err(malformed("too long"));
    }
    let mut body = vec![0; usize::from(length)];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("preamble: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity {
            protocol: 3..=4,
            build: "1.2.3".to_owned(),
            capabilities: 5,
        }
    }

    #[tokio::test]
    async fn both_halves_survive_the_wire() {
        let hello = Hello {
            client: identity(),
            intent: Intent::Replace,
        };
        let mut bytes = Vec::new();
        hello.write(&mut bytes).await.expect("written");
        assert_eq!(
            Hello::read(&mut bytes.as_slice()).await.expect("read"),
            hello
        );

        let welcome = Welcome {
            daemon: identity(),
            verdict: Verdict::Accepted(4),
            pid: 77,
        };
        let mut bytes = Vec::new();
        welcome.write(&mut bytes).await.expect("written");
        assert_eq!(
            Welcome::read(&mut bytes.as_slice()).await.expect("read"),
            welcome
        );
    }

    #[tokio::test]
    async fn a_body_may_grow_at_its_end() {
        let mut bytes = Vec::new();
        Hello {
            client: identity(),
            intent: Intent::Use,
        }
        .write(&mut bytes)
        .await
        .expect("written");
        bytes.extend([9; 6]);
        let length = u16::try_from(bytes.len() - 10).expect("short");
        bytes[8..10].copy_from_slice(&length.to_le_bytes());
        assert_eq!(
            Hello::read(&mut bytes.as_slice())
                .await
                .expect("read")
                .client,
            identity()
        );
    }

    #[tokio::test]
    async fn garbage_is_refused() {
        for bytes in [
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            b"claudevl\xff\xff",
            b"claudevl\x01\x00\x00",
            b"clau",
        ] {
            assert!(Hello::read(&mut &*bytes).await.is_err());
        }
    }
}
