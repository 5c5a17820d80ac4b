//! A socket with a write timeout: it gives up on a client that does not read its response.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep},
};

/// Each of these many bytes written extends the timeout by one second.
const BYTES_PER_SECOND: u64 = 64 * 1_024;

/// Reads pass through: heads and bodies have their own timeouts. A write that has to wait starts a
/// timer, which stops when everything has been written.
#[derive(Debug)]
pub(super) struct WriteTimeoutStream {
    stream: TcpStream,
    allowance: Duration,
    stalled: Option<StalledWrite>,
}

/// A write that is waiting for the client, and its timer.
#[derive(Debug)]
struct StalledWrite {
    since: Instant,
    written: u64,
    timer: Pin<Box<Sleep>>,
}

impl WriteTimeoutStream {
    pub(super) fn new(stream: TcpStream, allowance: Duration) -> Self {
        Self { stream, allowance, stalled: None }
    }

    /// Applies the timeout to one write: `Pending` starts or checks the timer, progress extends it.
    fn track_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(count)) => {
                if let Some(waiting) = &mut self.stalled {
                    waiting.written += count as u64;
                    let bought = Duration::from_secs(waiting.written / BYTES_PER_SECOND);
                    waiting.timer.as_mut().reset(waiting.since + self.allowance + bought);
                }
                Poll::Ready(Ok(count))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let allowance = self.allowance;
                let waiting = self.stalled.get_or_insert_with(|| {
                    let since = Instant::now();
                    let alarm = Box::pin(tokio::time::sleep_until(since + allowance));
                    StalledWrite { since, written: 0, timer: alarm }
                });
                ready!(waiting.timer.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.track_write(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.track_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when there is nothing left to write.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stalled = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
