//! Evidence: what was really received, or why it was not. No meaning, no judgement.
//!
//! Immutable once made, and complete enough to judge again later with better rules. Bodies are
//! kept apart, by digest.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Domain, Timestamp, open_enum};

/// Everything that one scan of a domain read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    pub v: u32,
    pub domain: Domain,
    /// The host that was asked first: the domain, or its `www.` name when only that has addresses.
    pub host: String,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub observer: Observer,
    pub dns: Vec<DnsReading>,
    /// In plan order. `id` is unique in here.
    pub reads: Vec<Reading>,
    /// What was planned and not read, with the reason. Never to be reported as absent.
    pub not_read: Vec<NotRead>,
}

/// Who looked, with what, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Observer {
    pub name: String,
    pub version: String,
    /// The operator's name for the network we looked from.
    pub vantage: String,
}

/// One planned read that took place, whether or not something came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reading {
    /// Names this reading inside its evidence; findings and ledger rows point here.
    pub id: String,
    pub target: Target,
    /// The path that was asked for.
    pub path: String,
    /// The identity (catalogue id) that asked.
    pub identity: String,
    pub exchange: Exchange,
}

open_enum! {
    /// What a read was for.
    pub enum Target {
        /// The home page.
        Home = "home",
        /// robots.txt, read first because it may ask us to stop.
        Robots = "robots",
        /// One of the other machine files.
        MachineFile = "machine_file",
        /// A path that cannot exist: shows what this host answers for "nothing here".
        ControlPath = "control_path",
        /// robots.txt as one of the compared identities: a site may say other things to each.
        RobotsAs = "robots_as",
        /// robots.txt of another host that a redirect or a sitemap's address led to: it may ask us to
        /// stop there.
        RobotsElsewhere = "robots_elsewhere",
        /// The home page over plain http: shows where it leads.
        PlainHome = "plain_home",
        /// The same path past any cache, by a query nobody has asked before; `path` is the bare one.
        Fresh = "fresh",
        /// The home page, asked for as Markdown.
        Markdown = "markdown",
        /// A sitemap that robots.txt names; `path` is as it stands there.
        Sitemap = "sitemap",
        /// A licence (RSL) that robots.txt names; `path` is as it stands there.
        Licence = "licence",
    }
}

/// A planned read that did not take place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotRead {
    pub target: Target,
    pub path: String,
    pub identity: String,
    pub why: NotReadWhy,
}

open_enum! {
    /// Why a planned read did not take place.
    pub enum NotReadWhy {
        /// The deadline all reads share had passed.
        Deadline = "deadline",
        /// robots.txt has a group for our own token that asks us to stay away.
        OptOut = "opt_out",
        /// The name has no address, or the guard refuses it.
        NoAddress = "no_address",
    }
}

/// One request and what became of it, redirects included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exchange {
    pub method: String,
    /// The address that was asked for first.
    pub url: String,
    /// The header fields of the request, in the order they go out with each hop that has an address;
    /// names in lower case, and Host for what HTTP/2 calls the authority. Never holds a secret.
    pub request_headers: Vec<HeaderLine>,
    pub started_at: Timestamp,
    pub took_ms: u32,
    /// Every hop in order, the last one included.
    pub hops: Vec<Hop>,
    pub outcome: Outcome,
}

impl Exchange {
    /// The response, if one came.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        match &self.outcome {
            Outcome::Response(response) => Some(response),
            Outcome::Failed(_) => None,
        }
    }
}

/// One step of a redirect chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hop {
    pub url: String,
    /// The address that was dialled; null when nothing was dialled.
    pub address: Option<String>,
    pub status: Option<u16>,
    /// The Location field as received.
    pub location: Option<String>,
    pub took_ms: u32,
    /// Whether the connection had served an earlier request of this scan.
    pub reused_connection: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Response(Box<Response>),
    Failed(Failure),
}

/// The head of the last hop's response, and facts about its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Response {
    /// Where it finally answered.
    pub url: String,
    pub status: u16,
    /// `1.1` or `2`.
    pub http: String,
    /// As received, in order; names in lower case.
    pub headers: Vec<HeaderLine>,
    pub body: Body,
    pub tls: Option<TlsFacts>,
}

impl Response {
    /// The first field of this (lower-case) name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers_named(name).next()
    }

    pub fn headers_named(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |line| line.name == name).map(|line| line.value.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeaderLine {
    pub name: String,
    /// Bytes that are not UTF-8 are replaced.
    pub value: String,
}

/// Facts about a body. The bytes themselves are kept by `sha256`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Body {
    /// Over the decoded bytes that were read (all of them, when `cut` is null).
    pub sha256: String,
    /// Decoded bytes read.
    pub bytes: u64,
    /// Bytes that came over the wire for them.
    pub wire_bytes: u64,
    /// The Content-Encoding that was undone, if any.
    pub encoding: Option<String>,
    /// Why reading stopped before the end, if it did.
    pub cut: Option<Failure>,
}

/// Why something was not received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    pub kind: FailureKind,
    pub phase: Phase,
    /// A stable word for this very reason, for machines: `private_address`, `redirect_loop`, …
    pub reason: String,
    /// One sentence for people. Holds no text of the other side.
    pub detail: String,
}

open_enum! {
    /// The seven ways a read can fail.
    pub enum FailureKind {
        /// Our own guard said no; nothing was dialled for this hop.
        RefusedByPolicy = "refused_by_policy",
        Dns = "dns",
        Connect = "connect",
        Tls = "tls",
        Timeout = "timeout",
        TooLarge = "too_large",
        Protocol = "protocol",
    }
}

open_enum! {
    /// How far a read had come when it failed.
    pub enum Phase {
        Name = "name",
        Dns = "dns",
        Address = "address",
        Connect = "connect",
        Tls = "tls",
        Request = "request",
        Head = "head",
        Redirect = "redirect",
        Body = "body",
    }
}

/// What the TLS handshake showed. A bad certificate is a fact, not a reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TlsFacts {
    /// `TLS1.2` or `TLS1.3`.
    pub version: String,
    pub cipher: String,
    pub alpn: Option<String>,
    /// The leaf certificate; null when it could not be parsed.
    pub certificate: Option<Certificate>,
    /// Certificates the server sent, leaf included.
    pub chain_length: u32,
    /// Whether chain, name and time all hold against our roots.
    pub trusted: bool,
    /// Everything that is wrong, as words: `expired`, `not_yet_valid`, `wrong_name`,
    /// `self_signed`, `unknown_issuer`, `bad_signature`, `malformed`, `other`.
    pub errors: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Certificate {
    pub subject: String,
    pub issuer: String,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    /// DNS names, at most 100; `sans_total` says how many there were.
    pub sans: Vec<String>,
    pub sans_total: u32,
    /// Over the DER bytes.
    pub sha256: String,
}

/// What a resolver answered for one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsReading {
    pub name: String,
    /// The resolver that was asked.
    pub resolver: String,
    pub asked_at: Timestamp,
    pub took_ms: u32,
    pub answers: Vec<DnsAnswer>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsAnswer {
    /// `A`, `AAAA`, `CNAME`, `TXT`, `PTR`.
    pub record_type: String,
    /// `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …; null when no answer came.
    pub rcode: Option<String>,
    /// The resolver's authenticated-data flag.
    pub authenticated_data: bool,
    /// Presentation form; for A and AAAA the CNAME chain is in its own answer.
    pub records: Vec<String>,
    /// The CNAMEs passed on the way, in order.
    pub cnames: Vec<String>,
    pub failure: Option<Failure>,
}
