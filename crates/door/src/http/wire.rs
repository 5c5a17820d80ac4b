//! One connection, HTTP/1.1 or HTTP/2, and one request on it.
//!
//! An HTTP/1.1 connection serves one request at a time, so whoever waits for it drives its socket
//! as well: no task, and the socket is closed the moment the connection is dropped. An HTTP/2
//! connection is shared, so a task drives it, which is ended with the last handle.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use contract::evidence::{Failure, FailureKind, Phase, TlsFacts};
use http::{HeaderMap, Request, Response, Uri, Version};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::AbortHandle;

use crate::Limits;
use crate::failure::{failure, http as http_failure};
use crate::guard::address::Vetted;
use crate::guard::url::Target;

use super::fields::Fields;

/// An open connection. Dropping the last handle to it closes the socket at once, so that a host
/// that stalls holds nothing of ours.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: Sender,
    pub(crate) driver: Driver,
    pub(crate) address: Vetted,
    pub(crate) tls: Option<Arc<TlsFacts>>,
    /// Whether it has served a request before.
    pub(crate) used: bool,
}

#[derive(Debug)]
enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

/// What moves bytes between the socket and the protocol.
pub(crate) enum Driver {
    /// Nothing when the connection has ended.
    Own(Option<Pin<Box<dyn Future<Output = ()> + Send>>>),
    Task(Arc<Task>),
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own(Some(_)) => "Own",
            Self::Own(None) => "Ended",
            Self::Task(_) => "Task",
        })
    }
}

/// The tasks behind one HTTP/2 connection, ended together: the protocol hands the socket to a task
/// of its own, which would otherwise wait for a peer that has stopped reading.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks(Arc<Mutex<Vec<AbortHandle>>>);

impl Tasks {
    fn end(&self) {
        for task in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl<F> hyper::rt::Executor<F> for Tasks
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

/// Ends the tasks with the last handle to their connection.
#[derive(Debug)]
pub(crate) struct Task(Tasks);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Driver {
    /// Waits for something that this connection brings about.
    pub(crate) async fn drive<T>(&mut self, mut step: Pin<&mut impl Future<Output = T>>) -> T {
        poll_fn(|context| {
            let Self::Own(own) = self else { return step.as_mut().poll(context) };
            // Nothing but the driver, polled right here, can bring the step on, so the step needs
            // to wake nobody.
            let mut silent = Context::from_waker(Waker::noop());
            if let Poll::Ready(value) = step.as_mut().poll(&mut silent) {
                return Poll::Ready(value);
            }
            if own.as_mut().is_some_and(|driver| driver.as_mut().poll(context).is_ready()) {
                // Ends the channels to it, which tells the step.
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
        address: Vetted,
        tls: Option<Arc<TlsFacts>>,
        limits: &Limits,
    ) -> Result<Self, Failure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // Below this hyper would panic; no head is that short.
        const LEAST_BUFFER: usize = 8192;
        let (sender, connection) = http1::Builder::new()
            .title_case_headers(true)
            .ignore_invalid_headers_in_responses(true)
            .max_headers(limits.head_fields)
            .max_buf_size((limits.head_bytes as usize).max(LEAST_BUFFER))
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| http_failure(&error, Phase::Request))?;
        // How it ended is told to whoever waits for a response; nobody else needs to know.
        let driver = Driver::Own(Some(Box::pin(async move { drop(connection.await) })));
        Ok(Self { sender: Sender::Http1(sender), driver, address, tls, used: false })
    }

    pub(crate) async fn http2<S>(
        stream: S,
        address: Vetted,
        tls: Option<Arc<TlsFacts>>,
        limits: &Limits,
    ) -> Result<Self, Failure>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        const STREAM_WINDOW: u32 = 256 * 1024;
        const CONNECTION_WINDOW: u32 = 1024 * 1024;
        let tasks = Tasks::default();
        let task = Arc::new(Task(tasks.clone()));
        let (sender, connection) = http2::Builder::new(tasks.clone())
            .max_header_list_size(limits.head_bytes)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| http_failure(&error, Phase::Request))?;
        hyper::rt::Executor::execute(&tasks, async move { drop(connection.await) });
        let driver = Driver::Task(task);
        Ok(Self { sender: Sender::Http2(sender), driver, address, tls, used: false })
    }

    /// Another handle to the same connection, if its protocol can serve several requests at once.
    pub(crate) fn share(&self) -> Option<Self> {
        match (&self.sender, &self.driver) {
            (Sender::Http2(sender), Driver::Task(task)) => Some(Self {
                sender: Sender::Http2(sender.clone()),
                driver: Driver::Task(Arc::clone(task)),
                address: self.address,
                tls: self.tls.clone(),
                used: true,
            }),
            _ => None,
        }
    }

    pub(crate) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Sends one GET and waits for the head of the response.
    pub(crate) async fn get(
        &mut self,
        target: &Target,
        fields: &Fields,
        limits: &Limits,
    ) -> Result<Response<Incoming>, Failure> {
        let authority = target.authority();
        let mut request = self.request(target, fields.map(&authority, self.is_http2()))?;
        let interim = Interim::count(&mut request, limits.interim_responses);
        let (sender, used) = (&mut self.sender, self.used);
        let asking = pin!(async {
            match sender {
                Sender::Http1(sender) => {
                    // A new connection takes its first request at once.
                    if used {
                        sender.ready().await?;
                    }
                    sender.send_request(request).await
                }
                Sender::Http2(sender) => {
                    sender.ready().await?;
                    sender.send_request(request).await
                }
            }
        });
        let mut answering = pin!(self.driver.drive(asking));
        let response = poll_fn(|context| match answering.as_mut().poll(context) {
            Poll::Ready(response) => Poll::Ready(Some(response)),
            Poll::Pending if interim.is_flood() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
        .filter(|_| !interim.is_flood())
        .ok_or_else(|| {
            failure(
                FailureKind::Protocol,
                Phase::Head,
                "too_many_interim_responses",
                "The host sent more interim responses than are read.",
            )
        })?
        .map_err(|error| http_failure(&error, Phase::Head))?;
        if response.headers().len() > limits.head_fields {
            return Err(failure(
                FailureKind::TooLarge,
                Phase::Head,
                "head_too_large",
                "The response head is larger than is read.",
            ));
        }
        Ok(response)
    }

    fn request(
        &self,
        target: &Target,
        headers: HeaderMap,
    ) -> Result<Request<Empty<Bytes>>, Failure> {
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
            failure(
                FailureKind::Protocol,
                Phase::Request,
                "bad_url",
                "The path of the address cannot be sent.",
            )
        })?;
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok(request)
    }
}

/// Counts interim responses: none of them is a head whose size would be checked.
struct Interim {
    seen: Arc<AtomicU32>,
    most: u32,
}

impl Interim {
    fn count(request: &mut Request<Empty<Bytes>>, most: u32) -> Self {
        let seen = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&seen);
        hyper::ext::on_informational(request, move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        Self { seen, most }
    }

    fn is_flood(&self) -> bool {
        self.seen.load(Ordering::Relaxed) > self.most
    }
}

/// The version of a response, as recorded.
pub(crate) fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}

/// A TLS stream whose end without a farewell is a plain end, as browsers take it. Where a length
/// was announced, HTTP itself sees that something is missing.
#[derive(Debug)]
pub(crate) struct Lenient<S>(pub(crate) S);

impl<S: AsyncRead + Unpin> AsyncRead for Lenient<S> {
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

impl<S: AsyncWrite + Unpin> AsyncWrite for Lenient<S> {
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
    async fn an_http2_socket_is_closed_with_its_connection_although_the_peer_reads_nothing() {
        let (ours, mut theirs) = tokio::io::duplex(256);
        let address = AddressRule::new(&[], &[]).vetted([9, 9, 9, 9].into(), 443).unwrap();
        let connection = Connection::http2(ours, address, None, &Limits::default()).await.unwrap();
        // More than the peer's buffer takes: from here on our side cannot get a byte out.
        let Sender::Http2(sender) = &connection.sender else { panic!("HTTP/2") };
        let request = Request::builder()
            .uri("http://a.lab/")
            .header("x", "y".repeat(4000))
            .body(Empty::<Bytes>::new())
            .unwrap();
        let stuck = sender.clone().send_request(request);
        assert!(tokio::time::timeout(Duration::from_millis(50), stuck).await.is_err());
        drop(connection);
        let closed = async { while theirs.write_all(&[0; 64]).await.is_ok() {} };
        assert!(tokio::time::timeout(Duration::from_secs(5), closed).await.is_ok());
    }
}
