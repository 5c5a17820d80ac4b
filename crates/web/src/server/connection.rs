//! Serves one connection, from its first byte to its last.

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
use futures_util::{StreamExt, future::Either, stream::FuturesUnordered};
use http::{HeaderMap, HeaderValue, Request, Response, header::STRICT_TRANSPORT_SECURITY};
use http_body_util::Full;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::{
    connection_slots::{BusyGuard, ConnectionSlot},
    lingering_close::lingering_close,
    options::ServerOptions,
    tls,
    write_timeout::WriteTimeoutStream,
};
use crate::{app::App, request::PeerAddress};

/// The two shutdown signals. The accept loop sends them; every connection listens to both.
#[derive(Debug, Clone, Default)]
pub(super) struct ShutdownSignals {
    /// Finish the running request, start no new one.
    pub(super) finish: CancellationToken,
    /// Stop at once.
    pub(super) abort: CancellationToken,
}

/// How long a connection without any request is still read during shutdown: its first request may
/// already be in the kernel's buffer.
const FIRST_REQUEST_GRACE: Duration = Duration::from_millis(100);

async fn finish_signal(signals: &ShutdownSignals, has_requested: &AtomicBool) {
    signals.finish.cancelled().await;
    if !has_requested.load(Ordering::Relaxed) {
        tokio::time::sleep(FIRST_REQUEST_GRACE).await;
    }
}

/// Why the server ends a connection that the client would keep open.
#[derive(Clone, Copy)]
enum EndSignal {
    Abort,
    Finish,
    Evicted,
}

impl EndSignal {
    async fn wait(
        self,
        shutdown: &ShutdownSignals,
        slot: &ConnectionSlot,
        has_requested: &AtomicBool,
    ) -> Self {
        match self {
            Self::Abort => shutdown.abort.cancelled().await,
            Self::Finish => finish_signal(shutdown, has_requested).await,
            Self::Evicted => slot.evicted().await,
        }
        self
    }
}

/// Serves an accepted connection, after its TLS handshake if there is one.
pub(super) async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: App,
    slot: Arc<ConnectionSlot>,
    shutdown: ShutdownSignals,
    options: Arc<ServerOptions>,
) {
    let Some(tls) = &options.tls else {
        let stream = WriteTimeoutStream::new(stream, options.write_allowance);
        return serve_requests(stream, peer, app, slot, shutdown, options).await;
    };
    // A connection without a finished handshake counts as idle, so it can be evicted.
    let handshake = tokio::select! {
        biased;
        () = shutdown.abort.cancelled() => return,
        () = slot.evicted() => return,
        () = handshake_end(&shutdown) => return,
        stream = tls::accept_tls(stream, tls, &options) => stream,
    };
    if let Some(stream) = handshake {
        Box::pin(serve_requests(stream, peer, app, slot, shutdown, options)).await;
    }
}

/// How long a handshake may still take after the call to stop: the client expects an answer.
const HANDSHAKE_GRACE: Duration = Duration::from_secs(1);

async fn handshake_end(signals: &ShutdownSignals) {
    signals.finish.cancelled().await;
    tokio::time::sleep(HANDSHAKE_GRACE).await;
}

/// Answers the requests of one connection until the client or the server ends it. `has_requested` is
/// set by the request service and read by the shutdown signals.
async fn serve_requests<S>(
    stream: S,
    peer: SocketAddr,
    app: App,
    slot: Arc<ConnectionSlot>,
    shutdown: ShutdownSignals,
    options: Arc<ServerOptions>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let has_requested = Arc::new(AtomicBool::new(false));
    let service = {
        let (slot, has_requested) = (Arc::clone(&slot), Arc::clone(&has_requested));
        let https_only = options.https_only;
        service_fn(move |request: Request<Incoming>| {
            has_requested.store(true, Ordering::Relaxed);
            let busy_guard = slot.mark_busy();
            // One state for the whole request, also if a reload replaces it meanwhile.
            let app = app.current();
            match app.try_fast_path(&request, peer) {
                Some(mut response) => {
                    add_https_only(https_only, response.headers_mut());
                    Either::Left(ready(Ok(response.map(|bytes| {
                        BusyBody::new(ResponseBody::Prepared(bytes.into()), busy_guard)
                    }))))
                }
                None => {
                    let routed = route_request(app.router(), request, peer, busy_guard, https_only);
                    Either::Right(Box::pin(routed))
                }
            }
        })
    };
    let io = TokioIo::new(stream);
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_header_size(options.max_head_bytes)
        .serve_connection(io, service);

    // FuturesUnordered gives each signal its own waker, so a request polls none of them.
    let mut signals: FuturesUnordered<_> =
        [EndSignal::Abort, EndSignal::Finish, EndSignal::Evicted]
            .map(|signal| signal.wait(&shutdown, &slot, &has_requested))
            .into_iter()
            .collect();
    let ended = loop {
        let signal = tokio::select! {
            biased;
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            Some(signal) = signals.next() => signal,
        };
        match signal {
            EndSignal::Abort => return,
            // Without a request nothing can be lost. Otherwise the end of a response may still be in
            // transit.
            EndSignal::Evicted if !has_requested.load(Ordering::Relaxed) => return,
            EndSignal::Evicted | EndSignal::Finish => Pin::new(&mut connection).graceful_shutdown(),
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended early");
    }
    let stream = connection.into_parts().io.into_inner();
    tokio::select! {
        () = lingering_close(stream, options.linger_timeout) => {}
        () = shutdown.abort.cancelled() => {}
    }
}

/// A browser that has seen this uses no plain HTTP with this host for a year.
fn add_https_only(https_only: bool, headers: &mut HeaderMap) {
    if https_only {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, year);
    }
}

async fn route_request(
    mut app: Router,
    mut request: Request<Incoming>,
    peer: SocketAddr,
    busy_guard: BusyGuard,
    https_only: bool,
) -> Result<Response<BusyBody>, Infallible> {
    request.extensions_mut().insert(PeerAddress(peer));
    let mut response = app.call(request).await?;
    add_https_only(https_only, response.headers_mut());
    Ok(response.map(|body| BusyBody::new(ResponseBody::Routed(body), busy_guard)))
}

/// A response body. The connection counts as busy until it is dropped.
#[derive(Debug)]
struct BusyBody {
    body: ResponseBody,
    _busy_guard: BusyGuard,
}

impl BusyBody {
    fn new(body: ResponseBody, busy_guard: BusyGuard) -> Self {
        Self { body, _busy_guard: busy_guard }
    }
}

/// The body of a response: from the fast path, or from the router.
#[derive(Debug)]
enum ResponseBody {
    Prepared(Full<Bytes>),
    Routed(AnyBody),
}

impl Body for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut self.body {
            ResponseBody::Prepared(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|n| match n {}))),
            ResponseBody::Routed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            ResponseBody::Prepared(body) => body.is_end_stream(),
            ResponseBody::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            ResponseBody::Prepared(body) => body.size_hint(),
            ResponseBody::Routed(body) => body.size_hint(),
        }
    }
}
