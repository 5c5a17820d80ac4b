//! A stream that lets a client send only so many bytes before its handshake is complete.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A client's part of the handshake has 2 KiB, because it is not asked for a certificate; the library
/// would keep reading for as long as the time allows. A client may send its request right after it,
/// and the library then reads a whole record of 16 KiB, and a little more, before it is done.
const MAX_HANDSHAKE_BYTES: usize = 40 * 1_024;

#[derive(Debug)]
pub(in crate::server) struct HandshakeBudget<S> {
    stream: S,
    /// `None` after the handshake.
    left: Option<usize>,
}

impl<S> HandshakeBudget<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, left: Some(MAX_HANDSHAKE_BYTES) }
    }

    pub(super) fn end(&mut self) {
        self.left = None;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HandshakeBudget<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        if let Some(left) = &mut self.left {
            match left.checked_sub(buf.filled().len() - before) {
                Some(rest) => *left = rest,
                None => return Poll::Ready(Err(io::Error::other("the handshake is too long"))),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HandshakeBudget<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
