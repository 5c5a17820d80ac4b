//! The connection to a mail server as the SMTP client gets it: bounded, and with the greeting in front.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are read of a mail server in one connection. A dialogue takes less than two kilobytes. The client
/// parses an answer anew with each of its lines, so a larger bound would cost much time.
pub(super) const MAX_READ_BYTES: usize = 8 * 1024;

/// A connection of which at most [`MAX_READ_BYTES`] are read. A server greets once, before STARTTLS; the
/// client expects the greeting at the begin of the encrypted stream, so it is repeated there.
#[derive(Debug)]
pub(super) struct MailStream<S> {
    greeting: Bytes,
    inner: S,
    peer: SocketAddr,
    left: usize,
}

impl<S> MailStream<S> {
    pub(super) fn new(greeting: Bytes, inner: S, peer: SocketAddr) -> Self {
        Self { greeting, inner, peer, left: MAX_READ_BYTES }
    }
}

impl<S> AsyncTokioStream for MailStream<S>
where
    S: AsyncRead + AsyncWrite + Send + Sync + Unpin + std::fmt::Debug,
{
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MailStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.greeting.has_remaining() {
            let length = self.greeting.remaining().min(buffer.remaining());
            buffer.put_slice(&self.greeting.split_to(length));
            return Poll::Ready(Ok(()));
        }
        if self.left == 0 {
            return Poll::Ready(Err(io::Error::other("the mail server wrote too much")));
        }
        // A buffer of its own, because the caller's may be longer than what is left.
        let mut part = [0; 1024];
        let length = part.len().min(self.left).min(buffer.remaining());
        let Some(part) = part.get_mut(..length) else {
            return Poll::Ready(Err(io::Error::other("no room")));
        };
        let mut part = ReadBuf::new(part);
        std::task::ready!(Pin::new(&mut self.inner).poll_read(context, &mut part))?;
        buffer.put_slice(part.filled());
        self.left = self.left.saturating_sub(part.filled().len());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MailStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn the_greeting_comes_first_and_the_rest_is_bounded() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 25));
        let inner = std::io::Cursor::new(vec![b'x'; MAX_READ_BYTES + 1]);
        let mut stream = MailStream::new(Bytes::from_static(b"220 hi\r\n"), inner, peer);
        let mut read = Vec::new();
        assert!(stream.read_to_end(&mut read).await.is_err());
        assert_eq!(read.len(), 8 + MAX_READ_BYTES);
        assert!(read.starts_with(b"220 hi\r\nxxx"));
    }
}
