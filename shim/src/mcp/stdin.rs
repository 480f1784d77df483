//! Standard input that tells when it has ended.
//!
//! After its end the protocol library waits some seconds for calls that are still under way; an editor that has closed
//! us wants us gone.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

pub struct Watched<R> {
    inner: R,
    ended: Arc<Notify>,
}

impl<R> Watched<R> {
    /// The input, and what is notified at its end.
    pub fn new(inner: R) -> (Self, Arc<Notify>) {
        let ended = Arc::new(Notify::new());
        (Self { inner, ended: Arc::clone(&ended) }, ended)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over {
            self.ended.notify_one();
        }
        read
    }
}
