//! The bounds every connection lives under.

use std::time::Duration;

/// The defaults close every idle, half-said or dripping connection within five seconds.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Connections open at a time. At the cap, a connection that is waiting for a request makes
    /// room for a new one, the longest waiting first; when every connection is at work, a new one
    /// is answered with 503 and closed.
    pub max_connections: usize,
    /// The whole head of a request must have come within this time, counted from the moment the
    /// connection was accepted or its previous answer was done: so this is also how long an idle
    /// keep-alive connection stays open.
    pub head_timeout: Duration,
    /// The most bytes a request line and its header fields may take together (then 431). The
    /// number of header fields is bounded to 100.
    pub max_head_bytes: usize,
    /// How long an answer may wait for a client that does not read. Each further 64 KiB taken
    /// buys one more second.
    pub write_allowance: Duration,
    /// How long what a client is still sending is read and dropped after our last byte, so that a
    /// reset does not take the answer from it.
    pub linger: Duration,
    /// After the call to shut down: how long requests at work may take to finish.
    pub drain: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_connections: 512,
            head_timeout: Duration::from_millis(3_500),
            max_head_bytes: 16 * 1_024,
            write_allowance: Duration::from_secs(5),
            linger: Duration::from_millis(500),
            drain: Duration::from_secs(30),
        }
    }
}

/// How a server's life went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeReport {
    /// Connections that were served.
    pub accepted: u64,
    /// Connections turned away with 503 because all others were at work.
    pub refused: u64,
    /// Waiting connections closed to make room for new ones.
    pub evicted: u64,
    /// Connections still at work when the drain time was over, and cut.
    pub cut: usize,
}
