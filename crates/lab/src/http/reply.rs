//! A request as a site sees it, and the reply.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    content::BusinessText,
    ports::Ports,
    proofs::PublishedProof,
    user_agents::{self, Purpose},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// One request, as the functions of the sites see it.
#[derive(Debug)]
pub(crate) struct SiteRequest<'a> {
    pub(crate) site_name: &'static str,
    pub(crate) text: &'static BusinessText,
    pub(crate) ports: Ports,
    pub(crate) scheme: Scheme,
    pub(crate) method: &'a str,
    /// At most 64 KiB; empty if it was longer.
    pub(crate) body: &'a [u8],
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    pub(crate) user_agent: &'a str,
    pub(crate) accept: &'a str,
    /// All header fields, with names in lower case.
    pub(crate) headers: &'a [(String, String)],
    /// How many requests the site received before this one.
    pub(crate) earlier_requests: u64,
    /// Whether the last request for `/turn/…` was `/turn/away` and not `/turn/back`.
    pub(crate) has_moved: bool,
    /// The proofs of control that are published for the site.
    pub(crate) published: &'a [PublishedProof],
}

impl SiteRequest<'_> {
    /// The first header field of this name (in lower case).
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_from_ai(&self) -> bool {
        self.purpose().is_some()
    }

    /// Whether the user agent contains one of these tokens, in any letter case.
    pub(crate) fn is_from_any(&self, tokens: &[&str]) -> bool {
        let user_agent = self.user_agent.to_ascii_lowercase();
        tokens.iter().any(|token| user_agent.contains(&token.to_ascii_lowercase()))
    }

    pub(crate) fn purpose(&self) -> Option<Purpose> {
        user_agents::ai_purpose(self.user_agent)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: ReplyBody,
    /// How long to wait before replying.
    pub(crate) delay: Duration,
}

#[derive(Debug, Clone)]
pub(crate) enum ReplyBody {
    Bytes(Bytes),
    /// `head`, then `unit` this many times, then `tail`. Sent without a length and never held in
    /// memory as a whole.
    Repeat {
        head: Bytes,
        unit: Bytes,
        times: u64,
        tail: Bytes,
    },
    /// What is sent to a channel, until its sender is gone.
    Channel(Arc<Mutex<Option<UnboundedReceiver<Bytes>>>>),
    /// One byte at a time, with this pause before each.
    Drip {
        bytes: Bytes,
        every: Duration,
    },
}

impl ReplyBody {
    pub(crate) fn channel(receiver: UnboundedReceiver<Bytes>) -> Self {
        Self::Channel(Arc::new(Mutex::new(Some(receiver))))
    }
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: vec![("content-type", content_type.as_bytes().to_vec())],
            body: ReplyBody::Bytes(body.into()),
            delay: Duration::ZERO,
        }
    }

    pub(crate) fn html(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(status, "text/html; charset=utf-8", body)
    }

    pub(crate) fn text(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", body)
    }

    pub(crate) fn redirect(status: u16, location: impl Into<Vec<u8>>) -> Self {
        Self::text(status, "This page is elsewhere.\n").with_header("location", location)
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same reply as a redirect.
    pub(crate) fn into_redirect_to(mut self, location: &str) -> Self {
        self.status = 302;
        self.with_header("location", location)
    }

    pub(crate) fn with_body(mut self, body: ReplyBody) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn delayed_by(mut self, milliseconds: u64) -> Self {
        self.delay = Duration::from_millis(milliseconds);
        self
    }
}
