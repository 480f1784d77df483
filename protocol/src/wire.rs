//! Frames: length-delimited bincode, bounded in each direction.
//!
//! The only place that knows the codec. A frame above its bound or one that does not decode ends its connection and
//! nothing else. Deadlines are clamped here, before they are decoded: tarpc turns a duration into an instant while
//! it decodes, and an absurd one would overflow the clock.

use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bincode::Options;
use futures::{Sink, Stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarpc::{ClientMessage, Response};
use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

/// The most that a client may send in one call.
pub const REQUEST_LIMIT: usize = 1 << 20;
/// The most that the daemon answers in one call.
pub const RESPONSE_LIMIT: usize = 8 << 20;
/// The longest that any call may run.
pub const LONGEST_DEADLINE: Duration = Duration::from_secs(600);

/// One end of a connection, as tarpc wants it.
pub struct Transport<S, Incoming, Outgoing> {
    reader: FramedRead<ReadHalf<S>, LengthDelimitedCodec>,
    writer: FramedWrite<WriteHalf<S>, LengthDelimitedCodec>,
    outgoing_limit: usize,
    types: PhantomData<fn(Outgoing) -> Incoming>,
}

/// Returns the client's end.
pub fn client<S, Request, Answer>(
    stream: S,
) -> Transport<S, Response<Answer>, ClientMessage<Request>>
where
    S: AsyncRead + AsyncWrite,
{
    Transport::new(stream, RESPONSE_LIMIT, REQUEST_LIMIT)
}

/// Returns the daemon's end.
pub fn daemon<S, Request, Answer>(
    stream: S,
) -> Transport<S, ClientMessage<Request>, Response<Answer>>
where
    S: AsyncRead + AsyncWrite,
{
    Transport::new(stream, REQUEST_LIMIT, RESPONSE_LIMIT)
}

/// Encodes a value as in a frame.
#[cfg(test)]
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    codec().serialize(value).expect("plain data")
}

/// Returns the number of bytes that a value takes in a frame.
pub fn encoded_size(value: &impl Serialize) -> usize {
    codec()
        .serialized_size(value)
        .ok()
        .and_then(|size| usize::try_from(size).ok())
        .unwrap_or(usize::MAX)
}

impl<S: AsyncRead + AsyncWrite, Incoming, Outgoing> Transport<S, Incoming, Outgoing> {
    fn new(stream: S, incoming_limit: usize, outgoing_limit: usize) -> Self {
        let frames = |limit| {
            LengthDelimitedCodec::builder()
                .max_frame_length(limit)
                .new_codec()
        };
        let (reader, writer) = tokio::io::split(stream);
        Self {
            reader: FramedRead::new(reader, frames(incoming_limit)),
            writer: FramedWrite::new(writer, frames(outgoing_limit)),
            outgoing_limit,
            types: PhantomData,
        }
    }

    /// Returns whether everything that was sent has been handed to the system.
    pub fn is_flushed(&self) -> bool {
        self.writer.write_buffer().is_empty()
    }
}

impl<S, Incoming, Outgoing> Stream for Transport<S, Incoming, Outgoing>
where
    S: AsyncRead + AsyncWrite,
    Incoming: Message,
{
    type Item = io::Result<Incoming>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.reader)
            .poll_next(context)
            .map(|frame| frame.map(|frame| frame.and_then(Incoming::decode)))
    }
}

impl<S, Incoming, Outgoing> Sink<Outgoing> for Transport<S, Incoming, Outgoing>
where
    S: AsyncRead + AsyncWrite,
    Outgoing: Serialize,
{
    type Error = io::Error;

    fn poll_ready(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Sink::<Bytes>::poll_ready(Pin::new(&mut self.writer), context)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Outgoing) -> io::Result<()> {
        let size = encoded_size(&message);
        if size > self.outgoing_limit {
            return Err(invalid(format!(
                "a message of {size} bytes is above the limit of {}",
                self.outgoing_limit
            )));
        }
        let bytes = codec().serialize(&message).map_err(invalid)?;
        Pin::new(&mut self.writer).start_send(Bytes::from(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Sink::<Bytes>::poll_flush(Pin::new(&mut self.writer), context)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Sink::<Bytes>::poll_close(Pin::new(&mut self.writer), context)
    }
}

/// A value that can arrive in a frame.
pub trait Message: Sized {
    fn decode(frame: BytesMut) -> io::Result<Self>;
}

impl<Answer: DeserializeOwned> Message for Response<Answer> {
    fn decode(frame: BytesMut) -> io::Result<Self> {
        codec().deserialize(&frame).map_err(invalid)
    }
}

impl<Request: DeserializeOwned> Message for ClientMessage<Request> {
    fn decode(mut frame: BytesMut) -> io::Result<Self> {
        clamp_deadline(&mut frame);
        codec().deserialize(&frame).map_err(invalid)
    }
}

/// Bounds the deadline of a request, which starts with its variant (four bytes, zero) and the seconds that are left to
/// it (eight bytes).
fn clamp_deadline(frame: &mut [u8]) {
    if let Some((variant, rest)) = frame.split_first_chunk_mut::<4>()
        && *variant == [0; 4]
        && let Some(seconds) = rest.first_chunk_mut::<8>()
        && u64::from_le_bytes(*seconds) > LONGEST_DEADLINE.as_secs()
    {
        *seconds = LONGEST_DEADLINE.as_secs().to_le_bytes();
    }
}

fn codec() -> impl Options {
    bincode::DefaultOptions::new()
        .with_fixint_encoding()
        .reject_trailing_bytes()
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures::{SinkExt, StreamExt};
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn request(seconds: u64) -> ClientMessage<String> {
        let mut context = tarpc::context::current();
        context.deadline = Instant::now() + Duration::from_secs(seconds);
        ClientMessage::Request(tarpc::Request {
            context,
            id: 7,
            message: "ping".to_owned(),
        })
    }

    fn seconds_left(message: &ClientMessage<String>) -> u64 {
        let ClientMessage::Request(request) = message else {
            panic!("a request was sent")
        };
        request
            .context
            .deadline
            .saturating_duration_since(Instant::now())
            .as_secs()
    }

    #[tokio::test]
    async fn requests_cross_with_their_deadline() {
        let (near, far) = tokio::io::duplex(1 << 16);
        let mut sender = client::<_, String, String>(near);
        let mut receiver = daemon::<_, String, String>(far);
        sender.send(request(30)).await.expect("sent");
        let message = receiver.next().await.expect("one frame").expect("decoded");
        assert!((28..=30).contains(&seconds_left(&message)));
    }

    #[tokio::test]
    async fn an_absurd_deadline_is_clamped_before_it_can_overflow() {
        for seconds in [u64::MAX, 1 << 40, LONGEST_DEADLINE.as_secs() + 1] {
            let mut frame = codec().serialize(&request(30)).expect("encoded");
            frame[4..12].copy_from_slice(&seconds.to_le_bytes());
            let message =
                ClientMessage::<String>::decode(BytesMut::from(&frame[..])).expect("decoded");
            assert!(seconds_left(&message) <= LONGEST_DEADLINE.as_secs());
        }
    }

    #[tokio::test]
    async fn a_frame_above_the_bound_is_refused_on_both_sides() {
        let (near, mut far) = tokio::io::duplex(1 << 16);
        let mut sender = client::<_, String, String>(near);
        let context = tarpc::context::current();
        let message = "x".repeat(REQUEST_LIMIT);
        let sent = sender
            .send(ClientMessage::Request(tarpc::Request {
                context,
                id: 1,
                message,
            }))
            .await;
        assert_eq!(
            sent.expect_err("too large").kind(),
            io::ErrorKind::InvalidData
        );

        far.write_all(
            &u32::try_from(RESPONSE_LIMIT + 1)
                .expect("small")
                .to_be_bytes(),
        )
        .await
        .expect("written");
        assert!(sender.next().await.expect("an error").is_err());
    }

    #[tokio::test]
    async fn no_bytes_make_the_decoder_panic() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let valid = codec().serialize(&request(30)).expect("encoded");
        for round in 0..20_000_usize {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mut frame = valid.clone();
            let at = usize::try_from(state >> 32).expect("64 bit") % frame.len();
            frame[at] ^= u8::try_from(state & 0xff).expect("a byte");
            frame.truncate(if round % 3 == 0 { at } else { frame.len() });
            let _ = ClientMessage::<String>::decode(BytesMut::from(&frame[..]));
        }
    }
}
