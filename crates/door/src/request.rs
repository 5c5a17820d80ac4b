//! What to read, and what came of it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::evidence::Exchange;
use futures_util::future::BoxFuture;

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
    /// Dial anew. Later reads of the same identity may go on with what was dialled, and only they.
    pub fresh_connection: bool,
    pub follow: Follow,
}

/// Which redirects are followed, as far as the kind of the read allows any.
#[derive(Debug, Clone, Default)]
pub enum Follow {
    #[default]
    All,
    /// None: the redirect itself is the answer.
    Nothing,
    /// Those that somebody else lets through, besides our own guard.
    If(Arc<dyn Gate>),
}

/// Asked before a redirect is followed, once it has passed our own guard.
pub trait Gate: fmt::Debug + Send + Sync {
    /// Why this address is not to be asked; nothing when it may be. The read's time runs on.
    fn refuses<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<Refusal>>;
}

/// Why a redirect was not followed, as it will stand in the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// A stable word for machines.
    pub reason: &'static str,
    /// One sentence for people.
    pub detail: &'static str,
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
