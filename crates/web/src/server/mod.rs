//! The accept loop of the server.
//!
//! The framework's own loop never closes a client that connects and sends nothing, half a line, or a
//! few bytes at a time. This one does. It also caps the number of connections, passes the peer's
//! address on, speaks TLS if it has a certificate ([`tls`]), and lets running requests finish before it
//! stops.

mod connection;
mod connection_slots;
mod lingering_close;
mod options;
mod tls;
mod write_timeout;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::unconstrained,
    time::{Instant, timeout_at},
};
use tokio_util::task::TaskTracker;

pub use options::{ServeReport, ServerOptions};
pub use tls::{CertificateFacts, TlsIdentity, TlsPair, TlsPairError};

use self::{
    connection::ShutdownSignals, connection_slots::ConnectionSlots,
    lingering_close::lingering_close,
};
use crate::{app::App, http_metrics};

/// 503 responses to refused connections sent at a time; above it a connection is closed without one.
const MAX_CONCURRENT_REFUSALS: usize = 64;
/// The pause before the next accept when the system has no sockets left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long clients that are connecting just then are waited for after the call to stop.
const FINAL_ACCEPT_WINDOW: Duration = Duration::from_millis(20);
/// How long connections whose handshake the kernel has completed are accepted after that window: closing
/// the listener would reset them. Clients that connect faster than they can be accepted end here.
const FINAL_ACCEPT_LIMIT: Duration = Duration::from_secs(1);

/// Serves until `shutdown` completes. Then accepts no new connection, lets running requests finish
/// within [`ServerOptions::drain_timeout`], and closes the rest.
pub async fn serve(
    listener: TcpListener,
    app: impl Into<App>,
    options: ServerOptions,
    shutdown: impl Future<Output = ()>,
) -> ServeReport {
    let (app, options) = (app.into(), Arc::new(options));
    let slots = ConnectionSlots::new(options.max_connections);
    let refusals = Arc::new(Semaphore::new(MAX_CONCURRENT_REFUSALS));
    let tasks = TaskTracker::new();
    let signals = ShutdownSignals::default();
    let (mut accepted, mut refused) = (0, 0);
    let mut upkeep = tokio::time::interval(http_metrics::UPKEEP_EVERY);
    tokio::pin!(shutdown);
    let mut admit = |stream: TcpStream, peer: SocketAddr| {
        // Responses are written in one piece, so waiting to fill a packet only delays them. A socket
        // that refuses the option still works.
        let _ = stream.set_nodelay(true);
        if let Some(slot) = slots.admit() {
            accepted += 1;
            let (app, signals, options) = (app.clone(), signals.clone(), Arc::clone(&options));
            tasks.spawn(connection::serve_connection(stream, peer, app, slot, signals, options));
        } else {
            refused += 1;
            if options.counts_connections {
                http_metrics::count_refused_connection();
            }
            // A client that expects TLS cannot read a 503, and a handshake is what there is no room for.
            if options.tls.is_none()
                && let Ok(permit) = Arc::clone(&refusals).try_acquire_owned()
            {
                let patience = options.linger_timeout;
                tasks.spawn(async move {
                    send_overloaded(stream, patience).await;
                    drop(permit);
                });
            }
        }
    };

    loop {
        let (stream, peer) = tokio::select! {
            biased;
            () = &mut shutdown => break,
            _ = upkeep.tick() => {
                http_metrics::run_upkeep();
                if options.counts_connections {
                    http_metrics::set_open_connections(slots.open_connections());
                }
                continue;
            }
            next = listener.accept() => match next {
                Ok(next) => next,
                Err(error) => {
                    handle_accept_error(&error, &slots).await;
                    continue;
                }
            },
        };
        admit(stream, peer);
    }

    accept_waiting(&listener, admit).await;
    drop(listener);
    signals.finish.cancel();
    tasks.close();
    let mut cut = 0;
    if tokio::time::timeout(options.drain_timeout, tasks.wait()).await.is_err() {
        cut = tasks.len();
        signals.abort.cancel();
        tasks.wait().await;
    }
    ServeReport { accepted, refused, evicted: slots.evicted_connections(), aborted: cut }
}

/// Accepts the clients that connected before the stop: they have a completed handshake and expect an answer. On
/// a busy machine the window can be over before the first of them was accepted.
async fn accept_waiting(listener: &TcpListener, mut admit: impl FnMut(TcpStream, SocketAddr)) {
    let last_wait = Instant::now() + FINAL_ACCEPT_WINDOW;
    let end = last_wait + FINAL_ACCEPT_LIMIT;
    // After the window, a connection that is there is still returned, but none is waited for. Unconstrained, because a
    // task whose turn is used up would be told that there is none.
    while Instant::now() < end
        && let Ok(accepted) = timeout_at(last_wait, unconstrained(listener.accept())).await
    {
        match accepted {
            Ok((stream, peer)) => admit(stream, peer),
            Err(error) if concerns_one_connection(&error) => {}
            Err(_) => break,
        }
    }
}

/// A failed accept concerns either that one connection, or this process (no file descriptors left).
/// In the second case it closes idle connections and pauses; retrying at once would burn the CPU.
async fn handle_accept_error(error: &io::Error, slots: &ConnectionSlots) {
    if !concerns_one_connection(error) {
        tracing::warn!(%error, "cannot accept connections; trying again");
        slots.evict_idle();
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}

/// Sends 503 to a connection above the cap. The request is not read, so the response is always the
/// flat JSON shape, whatever the client accepts.
async fn send_overloaded(mut stream: TcpStream, patience: Duration) {
    const BODY: &str = "{\"error\":\"The service has too many connections. Try again in 1 s.\",\
                        \"code\":\"overloaded\",\"retryable\":true,\"retry_after_s\":1}";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    let sent = tokio::time::timeout(patience, stream.write_all(answer.as_bytes())).await;
    if matches!(sent, Ok(Ok(()))) {
        lingering_close(stream, patience).await;
    }
}
