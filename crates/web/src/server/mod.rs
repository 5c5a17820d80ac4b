//! Our own accept loop: every connection has a place, a clock and an end.
//!
//! The framework's own loop never closes a client that connects and says nothing, says half a
//! line, or drips; this one does, and it caps connections, passes the peer's address on, and
//! drains before it goes.

mod connection;
mod options;
mod paced;
mod slots;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, timeout_at},
};
use tokio_util::task::TaskTracker;

pub use connection::PeerAddress;
pub use options::{ServeReport, ServerOptions};

use self::{connection::Calls, slots::Slots};
use crate::{App, telemetry};

/// Refusals being said at the same time; beyond this a connection is closed without a word.
const REFUSALS_AT_ONCE: usize = 64;
/// How long we pause when the system has no socket left to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long connections are still taken after the call to stop: those that the system had accepted
/// for us by then would be reset.
const LAST_KNOCKS: Duration = Duration::from_millis(20);

/// Serves until `shutdown` ends; then takes no new connection, lets requests at work finish
/// within [`ServerOptions::drain`], and closes what is left.
pub async fn serve(
    listener: TcpListener,
    app: impl Into<App>,
    options: ServerOptions,
    shutdown: impl Future<Output = ()>,
) -> ServeReport {
    let (app, options) = (app.into(), Arc::new(options));
    let slots = Slots::new(options.max_connections);
    let refusals = Arc::new(Semaphore::new(REFUSALS_AT_ONCE));
    let tasks = TaskTracker::new();
    let calls = Calls::default();
    let (mut accepted, mut refused) = (0, 0);
    let mut upkeep = tokio::time::interval(telemetry::UPKEEP_EVERY);
    tokio::pin!(shutdown);
    let mut admit = |stream: TcpStream, peer: SocketAddr| {
        // Answers are written in one piece; waiting to fill a packet only delays them. A socket
        // that refuses the option still serves.
        let _ = stream.set_nodelay(true);
        if let Some(slot) = slots.admit() {
            accepted += 1;
            let (app, calls, options) = (app.clone(), calls.clone(), Arc::clone(&options));
            tasks.spawn(connection::run(stream, peer, app, slot, calls, options));
        } else {
            refused += 1;
            telemetry::connection_refused();
            if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                let patience = options.linger;
                tasks.spawn(async move {
                    refuse(stream, patience).await;
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
                telemetry::upkeep();
                telemetry::connections(slots.open());
                continue;
            }
            next = listener.accept() => match next {
                Ok(next) => next,
                Err(error) => {
                    after_failed_accept(&error, &slots).await;
                    continue;
                }
            },
        };
        admit(stream, peer);
    }

    // Whoever got through to the system before we stopped was promised an answer.
    let last = Instant::now() + LAST_KNOCKS;
    while Instant::now() < last
        && let Ok(Ok((stream, peer))) = timeout_at(last, listener.accept()).await
    {
        admit(stream, peer);
    }
    drop(listener);
    calls.finish.cancel();
    tasks.close();
    let mut cut = 0;
    if tokio::time::timeout(options.drain, tasks.wait()).await.is_err() {
        cut = tasks.len();
        calls.cut.cancel();
        tasks.wait().await;
    }
    ServeReport { accepted, refused, evicted: slots.evicted(), cut }
}

/// A failed accept is either that one connection's misfortune, or ours: then closing idle
/// connections and waiting help, and trying again at once would only burn the processor.
async fn after_failed_accept(error: &io::Error, slots: &Slots) {
    let theirs = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    );
    if !theirs {
        tracing::warn!(%error, "cannot accept connections; trying again");
        slots.make_room();
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

/// Says 503 to a connection for which there is no place. The request is not read, so it cannot
/// be told a problem document from the flat shape.
async fn refuse(mut stream: TcpStream, patience: Duration) {
    const BODY: &str = "{\"error\":\"the service has too many connections at the moment\",\
                        \"code\":\"overloaded\",\"retryable\":true,\"retry_after_s\":1}";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    let said = tokio::time::timeout(patience, stream.write_all(answer.as_bytes())).await;
    if matches!(said, Ok(Ok(()))) {
        connection::linger(stream, patience).await;
    }
}
