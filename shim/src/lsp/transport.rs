//! Messages on standard input and output: headers, a blank line, and JSON of the length that a header says.
//!
//! A message that cannot be read is distinguished from the end of the input: the session goes on with the next one. It cannot if
//! the length is absurd, because the start of the next one is unknown.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::message::RpcError;

/// The largest message. Documents are sent whole when they are opened.
const LARGEST_MESSAGE: usize = 64 << 20;
/// The largest message that is skipped. A larger one would swallow all that the client says from then on.
const LARGEST_SKIPPED: usize = 1 << 30;
/// The most bytes of a line of headers.
const LONGEST_HEADER: u64 = 8 << 10;

/// Reads the next message. None at the end of the input; an error inside the message does not end the stream.
pub async fn read_message(
    input: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<Result<Value, RpcError>>> {
    let Some(length) = read_headers(input).await? else {
        return Ok(None);
    };
    let Some(length) = length else {
        let error = RpcError::parse("a message begins with the header Content-Length");
        return Ok(Some(Err(error)));
    };
    if length > LARGEST_SKIPPED {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("Content-Length {length} cannot be right: the session ends"),
        ));
    }
    if length > LARGEST_MESSAGE {
        let skipped = &mut input.take(length as u64);
        tokio::io::copy_buf(skipped, &mut tokio::io::sink()).await?;
        let error = format!(
            "a message may be at most {} MiB long",
            LARGEST_MESSAGE >> 20
        );
        return Ok(Some(Err(RpcError::invalid_request(error))));
    }
    // Read as it arrives: a false length costs no memory.
    let mut body = vec![];
    input.take(length as u64).read_to_end(&mut body).await?;
    if body.len() < length {
        return Ok(None);
    }
    let message = serde_json::from_slice(&body);
    Ok(Some(message.map_err(|error| {
        RpcError::parse(format!("this message is not JSON: {error}"))
    })))
}

/// Reads headers up to the blank line. The inner option is none where they have no length.
async fn read_headers(
    input: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<Option<usize>>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = vec![];
        (&mut *input)
            .take(LONGEST_HEADER)
            .read_until(b'\n', &mut line)
            .await?;
        if line.is_empty() {
            return Ok(None);
        }
        let is_blank = line.trim_ascii().is_empty();
        // Blank lines before the first header are skipped.
        if is_blank && !is_first {
            return Ok(Some(length));
        }
        is_first = is_first && is_blank;
        let text = String::from_utf8_lossy(&line);
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let value = value.trim();
            let is_number = !value.is_empty() && value.bytes().all(|sign| sign.is_ascii_digit());
            length = is_number.then(|| value.parse().unwrap_or(usize::MAX));
        }
    }
}

/// Writes a message.
pub async fn write_message(
    output: &mut (impl AsyncWrite + Unpin),
    message: &str,
) -> io::Result<()> {
    // In one write: each write to standard output waits for another thread.
    let whole = format!("Content-Length: {}\r\n\r\n{message}", message.len());
    output.write_all(whole.as_bytes()).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_message_that_cannot_be_read_does_not_end_the_stream() {
        let mut written = vec![];
        write_message(&mut written, r#"{"id":1}"#)
            .await
            .expect("written");
        let huge = LARGEST_MESSAGE + 1;
        written.extend(format!("Content-Length: {huge}\r\n\r\n").bytes());
        written.extend(std::iter::repeat_n(b'x', huge));
        written.extend(b"Content-Type: text\r\n\r\nContent-Length: 4\r\n\r\n{bad");
        written.extend(b"content-length: 2\r\nContent-Type: x\r\n\r\n{}");
        let mut input = &written[..];
        let mut read = async || read_message(&mut input).await.expect("readable");
        assert_eq!(read().await, Some(Ok(json!({ "id": 1 }))));
        let code =
            |read: Option<Result<Value, RpcError>>| read.map(|one| one.map_err(|error| error.code));
        assert_eq!(code(read().await), Some(Err(RpcError::INVALID_REQUEST)));
        assert_eq!(code(read().await), Some(Err(RpcError::PARSE)));
        assert_eq!(code(read().await), Some(Err(RpcError::PARSE)));
        assert_eq!(read().await, Some(Ok(json!({}))));
        assert_eq!(read().await, None);
    }

    #[tokio::test]
    async fn an_absurd_length_ends_the_stream_with_an_error() {
        for length in [(LARGEST_SKIPPED + 1).to_string(), "9".repeat(30)] {
            let input = format!("Content-Length: {length}\r\n\r\n{{}}");
            let read = read_message(&mut input.as_bytes()).await;
            let error = read.expect_err("an absurd length");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
        }
    }
}
