//! One connection, from its first byte to its last.

use std::{
    convert::Infallible,
    future::{poll_fn, ready},
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{Router, body::Body as AnyBody};
use bytes::Bytes;
use futures_util::future::Either;
use http::{Request, Response};
use http_body_util::Full;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::{
    ServerOptions,
    paced::PacedStream,
    slots::{AtWork, Slot},
};
use crate::App;

/// The other end of the socket, as a request extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The two calls to end, both made by the accept loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    /// Finish what is at work, begin nothing new.
    pub(super) finish: CancellationToken,
    /// Stop at once.
    pub(super) cut: CancellationToken,
}

/// How long a connection that has not asked anything is listened to when we stop: what it asks may
/// be on its way from the system to us.
const FIRST_WORD: Duration = Duration::from_millis(100);

async fn told_to_finish(calls: &Calls, has_asked: &AtomicBool) {
    calls.finish.cancelled().await;
    if !has_asked.load(Ordering::Relaxed) {
        tokio::time::sleep(FIRST_WORD).await;
    }
}

/// Answers requests until either side has had enough.
pub(super) async fn run(
    stream: TcpStream,
    peer: SocketAddr,
    app: App,
    slot: Arc<Slot>,
    calls: Calls,
    options: Arc<ServerOptions>,
) {
    let has_asked = Arc::new(AtomicBool::new(false));
    let service = {
        let (slot, has_asked) = (Arc::clone(&slot), Arc::clone(&has_asked));
        service_fn(move |request: Request<Incoming>| {
            has_asked.store(true, Ordering::Relaxed);
            let at_work = slot.at_work();
            match app.ready(&request, peer) {
                Some(response) => Either::Left(ready(Ok(
                    response.map(|bytes| WorkingBody::new(Sent::Ready(bytes.into()), at_work))
                ))),
                None => Either::Right(Box::pin(answer(app.router(), request, peer, at_work))),
            }
        })
    };
    let io = TokioIo::new(PacedStream::new(stream, options.write_allowance));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_header_size(options.max_head_bytes)
        .serve_connection(io, service);

    let (mut finishing, mut evicting) = (false, false);
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            () = calls.cut.cancelled() => return,
            () = told_to_finish(&calls, &has_asked), if !finishing => {
                finishing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = slot.evicted(), if !evicting => {
                evicting = true;
                // Nothing was asked, so nothing can be lost. Otherwise the tail of an answer may
                // still be on its way.
                if !has_asked.load(Ordering::Relaxed) {
                    return;
                }
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended early");
    }
    let stream = connection.into_parts().io.into_inner();
    tokio::select! {
        () = linger(stream, options.linger) => {}
        () = calls.cut.cancelled() => {}
    }
}

/// Says that no more will come, then reads and drops what the client is still sending: closing a
/// socket with unread bytes resets it, and a reset can take the answer away from a client that
/// has not read it yet (a refused upload, mostly).
pub(super) async fn linger<S>(mut stream: S, patience: Duration)
where
    S: AsyncReadExt + AsyncWriteExt + Unpin,
{
    const MOST: usize = 4 * 1_024 * 1_024;
    let drain = async {
        if stream.shutdown().await.is_err() {
            return;
        }
        let mut dropped = 0;
        let mut buffer = [0_u8; 8_192];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            dropped += count;
            if dropped > MOST {
                return;
            }
        }
    };
    // Time being up is an ordinary end here.
    let _ = tokio::time::timeout(patience, drain).await;
}

async fn answer(
    mut app: Router,
    mut request: Request<Incoming>,
    peer: SocketAddr,
    at_work: AtWork,
) -> Result<Response<WorkingBody>, Infallible> {
    request.extensions_mut().insert(PeerAddress(peer));
    let response = app.call(request).await?;
    Ok(response.map(|body| WorkingBody::new(Sent::Made(body), at_work)))
}

/// A body during whose sending the connection counts as being at work.
#[derive(Debug)]
struct WorkingBody {
    body: Sent,
    _at_work: AtWork,
}

impl WorkingBody {
    fn new(body: Sent, at_work: AtWork) -> Self {
        Self { body, _at_work: at_work }
    }
}

#[derive(Debug)]
enum Sent {
    Ready(Full<Bytes>),
    Made(AnyBody),
}

impl Body for WorkingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut self.body {
            Sent::Ready(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|n| match n {}))),
            Sent::Made(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            Sent::Ready(body) => body.is_end_stream(),
            Sent::Made(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Sent::Ready(body) => body.size_hint(),
            Sent::Made(body) => body.size_hint(),
        }
    }
}
