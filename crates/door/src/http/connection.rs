//! One connection, HTTP/1.1 or HTTP/2, and the requests sent on it.
//!
//! An HTTP/1.1 connection serves one request at a time, so the future that waits for the response
//! also drives the socket: there is no background task, and dropping the connection closes the
//! socket at once. An HTTP/2 connection is shared, so a background task drives it; the task is
//! aborted when the last handle is dropped.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use contract::evidence::{Failure, FailureKind, FailurePhase, TlsFacts};
use http::{HeaderMap, Request, Response, Uri, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::AbortHandle;

use crate::Limits;
use crate::failure::{http_failure, new_failure};
use crate::guard::address::VettedAddress;
use crate::guard::url::CheckedTarget;
use crate::targets::ConnectionLease;

use super::headers::RequestHeaders;
use super::request::Outgoing;

/// An open connection. Dropping the last handle closes the socket at once, so that a stalling host
/// cannot hold our resources.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: RequestSender,
    pub(crate) driver: ConnectionDriver,
    pub(crate) address: VettedAddress,
    pub(crate) tls: Option<Arc<TlsFacts>>,
    /// Whether it has served an earlier request.
    pub(crate) reused: bool,
    /// Counts it as an open connection; shared by all handles.
    lease: Option<Arc<ConnectionLease>>,
}

#[derive(Debug)]
enum RequestSender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// Moves bytes between the socket and the HTTP state machine.
pub(crate) enum ConnectionDriver {
    /// Polled by the reader. `None` once the connection has ended.
    Inline(Option<Pin<Box<dyn Future<Output = ()> + Send>>>),
    /// Runs in a background task that all handles share.
    Task(Arc<TasksGuard>),
}

impl fmt::Debug for ConnectionDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inline(Some(_)) => "Own",
            Self::Inline(None) => "Ended",
            Self::Task(_) => "Task",
        })
    }
}

/// The background tasks of one HTTP/2 connection, aborted together. hyper moves the socket into a
/// task of its own, which would otherwise wait for a peer that has stopped reading. hyper adds
/// handles through `execute`; the mutex guards the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionTasks(Arc<Mutex<Vec<AbortHandle>>>);

impl ConnectionTasks {
    fn abort_all(&self) {
        for task in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl<F> hyper::rt::Executor<F> for ConnectionTasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, future: F) {
        let task = tokio::spawn(future).abort_handle();
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }
}

/// Aborts the tasks when the last handle to their connection is dropped.
#[derive(Debug)]
pub(crate) struct TasksGuard(ConnectionTasks);

impl Drop for TasksGuard {
    fn drop(&mut self) {
        self.0.abort_all();
    }
}

impl ConnectionDriver {
    /// Waits for a future that only makes progress when this connection is driven.
    pub(crate) async fn drive<T>(&mut self, mut step: Pin<&mut impl Future<Output = T>>) -> T {
        poll_fn(|context| {
            let Self::Inline(own) = self else { return step.as_mut().poll(context) };
            // Only the driver, polled right below, can make the step progress, so the step does not
            // need a waker.
            let mut silent = Context::from_waker(Waker::noop());
            if let Poll::Ready(value) = step.as_mut().poll(&mut silent) {
                return Poll::Ready(value);
            }
            if own.as_mut().is_some_and(|driver| driver.as_mut().poll(context).is_ready()) {
                // Dropping the driver closes its channels, which wakes the step.
                *own = None;
            }
            step.as_mut().poll(&mut silent)
        })
        .await
    }
}

impl Connection {
    pub(crate) async fn http1<S>(
        stream: S,
        address: VettedAddress,
        tls: Option<Arc<TlsFacts>>,
        limits: &Limits,
    ) -> Result<Self, Failure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // hyper panics below this size.
        const LEAST_BUFFER: usize = 8192;
        let (sender, connection) = http1::Builder::new()
            .title_case_headers(true)
            .ignore_invalid_headers_in_responses(true)
            .max_headers(limits.max_head_fields)
            .max_buf_size((limits.max_head_bytes as usize).max(LEAST_BUFFER))
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| http_failure(&error, FailurePhase::Request))?;
        // The reader of the response gets the error, so it is dropped here.
        let driver =
            ConnectionDriver::Inline(Some(Box::pin(async move { drop(connection.await) })));
        let sender = RequestSender::Http1(sender);
        Ok(Self { sender, driver, address, tls, reused: false, lease: None })
    }

    pub(crate) async fn http2<S>(
        stream: S,
        address: VettedAddress,
        tls: Option<Arc<TlsFacts>>,
        limits: &Limits,
    ) -> Result<Self, Failure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        const STREAM_WINDOW: u32 = 256 * 1024;
        const CONNECTION_WINDOW: u32 = 1024 * 1024;
        let tasks = ConnectionTasks::default();
        let task = Arc::new(TasksGuard(tasks.clone()));
        let (sender, connection) = http2::Builder::new(tasks.clone())
            .max_header_list_size(limits.max_head_bytes)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| http_failure(&error, FailurePhase::Request))?;
        hyper::rt::Executor::execute(&tasks, async move { drop(connection.await) });
        let driver = ConnectionDriver::Task(task);
        let sender = RequestSender::Http2(sender);
        Ok(Self { sender, driver, address, tls, reused: false, lease: None })
    }

    /// Another handle to the same connection, if its protocol supports parallel requests.
    pub(crate) fn share(&self) -> Option<Self> {
        match (&self.sender, &self.driver) {
            (RequestSender::Http2(sender), ConnectionDriver::Task(task)) => Some(Self {
                sender: RequestSender::Http2(sender.clone()),
                driver: ConnectionDriver::Task(Arc::clone(task)),
                address: self.address,
                tls: self.tls.clone(),
                reused: true,
                lease: self.lease.clone(),
            }),
            _ => None,
        }
    }

    /// Ties the lease to the lifetime of the connection.
    pub(crate) fn with_lease(self, lease: ConnectionLease) -> Self {
        Self { lease: Some(Arc::new(lease)), ..self }
    }

    /// Whether no other handle to the same connection is in use.
    pub(crate) fn is_only_handle(&self) -> bool {
        match &self.driver {
            ConnectionDriver::Inline(_) => true,
            ConnectionDriver::Task(task) => Arc::strong_count(task) == 1,
        }
    }

    pub(crate) fn is_http2(&self) -> bool {
        matches!(self.sender, RequestSender::Http2(_))
    }

    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            RequestSender::Http1(sender) => sender.is_closed(),
            RequestSender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Sends one request and waits for the response head.
    pub(crate) async fn send(
        &mut self,
        target: &CheckedTarget,
        fields: &RequestHeaders,
        outgoing: &Outgoing,
        limits: &Limits,
    ) -> Result<Response<Incoming>, SendFailure> {
        let authority = target.authority();
        let headers = fields.to_header_map(&authority, self.is_http2());
        let mut request = self.build_request(target, headers, outgoing)?;
        let interim = InterimCounter::attach(&mut request, limits.max_interim_responses);
        let (sender, used) = (&mut self.sender, self.reused);
        let asking = pin!(async {
            match sender {
                RequestSender::Http1(sender) => {
                    // A new connection accepts its first request at once.
                    if used {
                        sender.ready().await.map_err(SendFailure::before_sending)?;
                    }
                    sender.try_send_request(request).await.map_err(SendFailure::of_request)
                }
                RequestSender::Http2(sender) => {
                    sender.ready().await.map_err(SendFailure::before_sending)?;
                    sender.try_send_request(request).await.map_err(SendFailure::of_request)
                }
            }
        });
        let mut answering = pin!(self.driver.drive(asking));
        let response = poll_fn(|context| match answering.as_mut().poll(context) {
            Poll::Ready(response) => Poll::Ready(Some(response)),
            Poll::Pending if interim.is_over_limit() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
        .filter(|_| !interim.is_over_limit())
        .ok_or_else(|| {
            new_failure(
                FailureKind::Protocol,
                FailurePhase::Head,
                "too_many_interim_responses",
                "The host sent more interim (1xx) responses than we accept.",
            )
        })??;
        if response.headers().len() > limits.max_head_fields {
            return Err(SendFailure::from(new_failure(
                FailureKind::TooLarge,
                FailurePhase::Head,
                "head_too_large",
                "The response head exceeds the size limit.",
            )));
        }
        Ok(response)
    }

    fn build_request(
        &self,
        target: &CheckedTarget,
        headers: HeaderMap,
        outgoing: &Outgoing,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let uri = if self.is_http2() {
            Uri::builder()
                .scheme(target.url.scheme())
                .authority(target.authority())
                .path_and_query(target.path_and_query())
                .build()
        } else {
            Uri::try_from(target.path_and_query()).map_err(Into::into)
        };
        let uri = uri.map_err(|_| {
            new_failure(
                FailureKind::Protocol,
                FailurePhase::Request,
                "bad_url",
                "The path of the URL cannot be sent in a request.",
            )
        })?;
        let mut request = Request::new(Full::new(outgoing.body.clone()));
        *request.method_mut() = outgoing.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok(request)
    }
}

/// Why there is no response head, and whether the host got nothing of the request.
#[derive(Debug)]
pub(crate) struct SendFailure {
    pub(crate) failure: Failure,
    pub(crate) unsent: bool,
}

impl SendFailure {
    fn before_sending(error: hyper::Error) -> Self {
        Self { failure: http_failure(&error, FailurePhase::Head), unsent: true }
    }

    /// hyper gives the request back if it sent nothing of it.
    fn of_request(mut error: TrySendError<Request<Full<Bytes>>>) -> Self {
        let unsent = error.take_message().is_some();
        Self { failure: http_failure(error.error(), FailurePhase::Head), unsent }
    }
}

impl From<Failure> for SendFailure {
    fn from(failure: Failure) -> Self {
        Self { failure, unsent: false }
    }
}

/// Counts interim (1xx) responses, because hyper does not limit them. hyper's callback increments
/// the counter; the read checks it.
struct InterimCounter {
    seen: Arc<AtomicU32>,
    max: u32,
}

impl InterimCounter {
    fn attach(request: &mut Request<Full<Bytes>>, most: u32) -> Self {
        let seen = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&seen);
        hyper::ext::on_informational(request, move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        Self { seen, max: most }
    }

    fn is_over_limit(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > self.max
    }
}

/// The HTTP version as recorded.
pub(crate) fn version_label(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}

/// A TLS stream that treats an end without close_notify as a normal end, as browsers do. If a
/// length was announced, HTTP itself detects the missing bytes.
#[derive(Debug)]
pub(crate) struct EofTolerantStream<S>(pub(crate) S);

impl<S: AsyncRead + Unpin> AsyncRead for EofTolerantStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.0).poll_read(context, buffer) {
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Poll::Ready(Ok(()))
            }
            other => other,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for EofTolerantStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncWriteExt;

    use super::*;
    use crate::AddressRule;

    #[tokio::test]
    async fn dropping_an_http2_connection_closes_its_socket_even_if_the_peer_reads_nothing() {
        let (ours, mut theirs) = tokio::io::duplex(256);
        let address = AddressRule::new(&[], &[]).vet_socket([9, 9, 9, 9].into(), 443).unwrap();
        let connection = Connection::http2(ours, address, None, &Limits::default()).await.unwrap();
        // More than the peer's buffer holds: from here on our side cannot send another byte.
        let RequestSender::Http2(sender) = &connection.sender else { panic!("HTTP/2") };
        let request = Request::builder()
            .uri("http://a.lab/")
            .header("x", "y".repeat(4000))
            .body(Full::<Bytes>::default())
            .unwrap();
        let stuck = sender.clone().send_request(request);
        assert!(tokio::time::timeout(Duration::from_millis(50), stuck).await.is_err());
        drop(connection);
        let closed = async { while theirs.write_all(&[0; 64]).await.is_ok() {} };
        assert!(tokio::time::timeout(Duration::from_secs(5), closed).await.is_ok());
    }
}
