//! The limits of connections, and the report of a finished server.

use std::time::Duration;

use super::tls::identity::TlsIdentity;

/// The defaults close every idle, incomplete or very slow connection within five seconds.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Connections open at a time. At the cap, the connection that has been idle longest is closed for
    /// a new one; if every connection is busy, the new one gets 503 (with TLS: nothing) and is closed.
    pub max_connections: usize,
    /// The complete head of a request must arrive within this time, counted from the accept or from
    /// the end of the previous response. So this is also how long an idle keep-alive connection stays
    /// open.
    pub head_timeout: Duration,
    /// The maximum size of the request line and header fields together (above it: 431). The number of
    /// header fields is limited to 100.
    pub max_head_bytes: usize,
    /// How long a response may wait for a client that does not read. Each further 64 KiB that the
    /// client reads extends it by one second.
    pub write_allowance: Duration,
    /// How long data that the client is still sending is read and dropped after our last byte, so that
    /// a reset does not destroy the response.
    pub linger_timeout: Duration,
    /// How long running requests may take to finish after the call to shut down.
    pub drain_timeout: Duration,
    /// Whether its connections are in the metrics. Only the main server's are.
    pub counts_connections: bool,
    /// Speak TLS with this certificate; `None` for plain HTTP. The handshake has the time of a head, and
    /// the first head has its own time after it.
    pub tls: Option<TlsIdentity>,
    /// Tell browsers to use HTTPS alone with this host (`Strict-Transport-Security`).
    pub https_only: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_connections: 512,
            head_timeout: Duration::from_millis(3_500),
            max_head_bytes: 16 * 1_024,
            write_allowance: Duration::from_secs(5),
            linger_timeout: Duration::from_millis(500),
            drain_timeout: Duration::from_secs(30),
            counts_connections: true,
            tls: None,
            https_only: false,
        }
    }
}

/// Counts of a server's connections, returned when it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeReport {
    /// Connections that were served.
    pub accepted: u64,
    /// Connections refused with 503 because all others were busy.
    pub refused: u64,
    /// Idle connections closed to make room for new ones.
    pub evicted: u64,
    /// Connections still busy at the end of the drain timeout, and aborted.
    pub aborted: usize,
}
