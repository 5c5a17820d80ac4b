//! The request for one read, and its result.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::evidence::Exchange;
use futures_util::future::BoxFuture;

/// One GET.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    pub url: String,
    /// The id of the identity in the catalogue. Connections are never shared between identities.
    pub identity: String,
    /// The headers of this identity, sent in this order after Host. Headers that belong to the
    /// connection (Host, Connection, Content-Length, …) are set by the door and dropped from this
    /// list.
    pub headers: Vec<(String, String)>,
    pub kind: ReadKind,
    /// The most bytes of the body to receive, if less than the limit of the kind.
    pub max_wire_bytes: Option<u64>,
    /// For the whole read, including redirects. The deadline of the visit applies as well.
    pub timeout: Option<Duration>,
    /// Open a new connection. Later reads of the same identity may reuse it; no other identity
    /// does.
    pub fresh_connection: bool,
    pub redirects: RedirectPolicy,
}

/// Which redirects are followed, up to the limit of the read kind.
#[derive(Debug, Clone, Default)]
pub enum RedirectPolicy {
    #[default]
    All,
    /// No redirect is followed: the redirect itself is the result.
    Never,
    /// Redirects are followed if this gate allows them, in addition to our own guard.
    IfAllowed(Arc<dyn RedirectGate>),
}

/// Decides whether a redirect is followed, after it has passed our own guard.
pub trait RedirectGate: fmt::Debug + Send + Sync {
    /// Returns why this URL must not be requested, or `None` if it may be. The timeout of the read
    /// keeps running.
    fn check_redirect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<RedirectRefusal>>;
}

/// Why a redirect was not followed, as recorded in the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedirectRefusal {
    /// The stable reason code.
    pub reason: &'static str,
    /// One sentence for people.
    pub detail: &'static str,
}

/// What kind of file is expected. It decides the size caps and the number of redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadKind {
    /// The home page.
    Page,
    /// Any other page. The limits of a visit count it apart from the home page.
    OtherPage,
    Robots,
    /// JSON and all other machine-readable files.
    Json,
    StyleSheet,
    /// An answer of an MCP server.
    Mcp,
}

/// The recorded facts of one read, and the decoded body.
#[derive(Debug, Clone)]
pub struct FetchResult {
    pub exchange: Exchange,
    /// The decoded bytes that were read; empty if there was no response.
    pub body: Bytes,
}
