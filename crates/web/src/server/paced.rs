//! A socket that gives up on a client which does not take its answer.

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

/// So many bytes taken buy a second.
const BYTES_PER_SECOND: u64 = 64 * 1_024;

/// Reads pass through (the head has its own time-out, and so has every body). A write that has to
/// wait starts a clock, which stops when everything has been taken.
#[derive(Debug)]
pub(super) struct PacedStream {
    stream: TcpStream,
    allowance: Duration,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    since: Instant,
    taken: u64,
    alarm: Pin<Box<Sleep>>,
}

impl PacedStream {
    pub(super) fn new(stream: TcpStream, allowance: Duration) -> Self {
        Self { stream, allowance, waiting: None }
    }

    /// Books one write: `Pending` starts or checks the clock, progress buys time.
    fn book(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(count)) => {
                if let Some(waiting) = &mut self.waiting {
                    waiting.taken += count as u64;
                    let bought = Duration::from_secs(waiting.taken / BYTES_PER_SECOND);
                    waiting.alarm.as_mut().reset(waiting.since + self.allowance + bought);
                }
                Poll::Ready(Ok(count))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let allowance = self.allowance;
                let waiting = self.waiting.get_or_insert_with(|| {
                    let since = Instant::now();
                    let alarm = Box::pin(tokio::time::sleep_until(since + allowance));
                    Waiting { since, taken: 0, alarm }
                });
                ready!(waiting.alarm.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.book(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.book(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when the writer has nothing left to hand over.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.waiting = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
