//! What to read, and what came of it.

use std::time::Duration;

use bytes::Bytes;
use contract::evidence::Exchange;

/// One GET.
#[derive(Debug, Clone)]
pub struct Request {
    pub url: String,
    /// Who asks (a catalogue id). Connections are never shared between identities.
    pub identity: String,
    /// The header fields of this identity, sent in this order behind Host. The connection's own
    /// fields (Host, Connection, Content-Length, …) are the door's and are left out.
    pub headers: Vec<(String, String)>,
    pub kind: ReadKind,
    /// For the whole read, redirects included; the visit's deadline holds besides.
    pub timeout: Option<Duration>,
    /// Dial anew, and keep the connection for nobody else.
    pub fresh_connection: bool,
}

/// What is expected, which decides the byte caps and the number of redirects followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadKind {
    Page,
    Robots,
    /// JSON and every other machine file.
    Json,
}

/// The facts of one read, and the decoded body they speak of.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub exchange: Exchange,
    /// As many decoded bytes as were read; empty when no response came.
    pub body: Bytes,
}
