//! What a page is asked, and what it answers.

use std::time::Duration;

use bytes::Bytes;

use crate::{
    audience::{self, Purpose},
    site::Site,
    world::Ports,
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

/// One request, as the sites' functions see it.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) site: &'static Site,
    pub(crate) ports: Ports,
    pub(crate) scheme: Scheme,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
    pub(crate) user_agent: &'a str,
    pub(crate) accept: &'a str,
    /// Requests that the site had seen before this one.
    pub(crate) visit: u64,
    /// Whether somebody last opened `/turn/away`, and not `/turn/back`.
    pub(crate) turned_away: bool,
}

impl Ask<'_> {
    pub(crate) fn is_from_ai(&self) -> bool {
        self.purpose().is_some()
    }

    pub(crate) fn purpose(&self) -> Option<Purpose> {
        audience::purpose(self.user_agent)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Payload,
    /// How long to think first.
    pub(crate) wait: Duration,
}

#[derive(Debug, Clone)]
pub(crate) enum Payload {
    Bytes(Bytes),
    /// `head`, so many `unit`s, `tail`: sent without a length, and never held in memory at once.
    Repeat {
        head: Bytes,
        unit: Bytes,
        times: u64,
        tail: Bytes,
    },
    /// One byte at a time.
    Drip {
        bytes: Bytes,
        every: Duration,
    },
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: vec![("content-type", content_type.as_bytes().to_vec())],
            body: Payload::Bytes(body.into()),
            wait: Duration::ZERO,
        }
    }

    pub(crate) fn html(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(status, "text/html; charset=utf-8", body)
    }

    pub(crate) fn text(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", body)
    }

    pub(crate) fn redirect(status: u16, location: impl Into<Vec<u8>>) -> Self {
        Self::text(status, "This page is elsewhere.\n").with("location", location)
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same reply as a redirect.
    pub(crate) fn found(mut self, location: &str) -> Self {
        self.status = 302;
        self.with("location", location)
    }

    pub(crate) fn payload(mut self, body: Payload) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn after(mut self, milliseconds: u64) -> Self {
        self.wait = Duration::from_millis(milliseconds);
        self
    }
}
