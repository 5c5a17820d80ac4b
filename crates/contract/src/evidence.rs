//! Evidence: what was received, or why nothing was. It contains no interpretation and no judgement.
//!
//! Evidence does not change after a scan and is complete enough to be judged again with later
//! rules. Bodies are stored separately, under their digest.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Domain, Timestamp, open_enum};

/// Everything that one scan of a domain fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    pub v: u32,
    pub domain: Domain,
    /// The host of the first requests: the domain, or its `www.` name when only that has addresses.
    pub host: String,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub observer: Observer,
    pub dns: Vec<DnsReading>,
    /// In plan order. Each `id` is unique within this evidence.
    pub reads: Vec<Reading>,
    /// Reads that were planned but did not take place, with the reason. Never report them as
    /// absent.
    pub not_read: Vec<SkippedRead>,
}

/// Which program made the requests, and from which network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Observer {
    pub name: String,
    pub version: String,
    /// The operator's name for the network the requests came from.
    pub vantage: String,
}

/// One planned read that took place, with or without a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reading {
    /// Identifies this reading within its evidence; findings and ledger rows refer to it.
    pub id: String,
    pub target: ReadTarget,
    /// The requested path.
    pub path: String,
    /// The identity (catalogue id) the request was sent as.
    pub identity: String,
    /// Where a further page was found; null for all other reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub chosen_from: Option<PageSource>,
    pub exchange: Exchange,
}

open_enum! {
    /// Where the scan found a further page of the site.
    pub enum PageSource {
        Sitemap = "sitemap",
        /// A link on the home page.
        Linked = "linked",
        LlmsTxt = "llms_txt",
    }
}

open_enum! {
    /// The purpose of a read.
    pub enum ReadTarget {
        /// The home page.
        Home = "home",
        /// robots.txt, read first because it may disallow all other reads.
        Robots = "robots",
        /// One of the other machine files.
        MachineFile = "machine_file",
        /// A path that cannot exist: shows how this host answers for missing pages.
        ControlPath = "control_path",
        /// robots.txt, requested as one of the compared identities: a site may serve each a
        /// different file.
        RobotsAs = "robots_as",
        /// robots.txt of another host, reached through a redirect or a sitemap address: it may
        /// disallow reads there.
        RobotsElsewhere = "robots_elsewhere",
        /// The home page over plain http: shows whether it redirects to https.
        PlainHome = "plain_home",
        /// The same path with a unique query that bypasses caches; `path` is without the query.
        Fresh = "fresh",
        /// The home page, requested as Markdown.
        Markdown = "markdown",
        /// A sitemap listed in robots.txt; `path` is as written there.
        Sitemap = "sitemap",
        /// A licence (RSL): listed in robots.txt, with `path` as written there, or linked from the
        /// home page, with `path` as its whole address.
        Licence = "licence",
        /// The home page once more, as the browser, the control identity and those AI identities
        /// whose first text matched no text of the other two: sorts out chance differences.
        HomeAgain = "home_again",
        /// The home page in the deciding trial: requests of both groups in an order drawn at random.
        HomeTrial = "home_trial",
        /// Another page of the site than the home page.
        Page = "page",
        /// The home page as our own identity, with our signature (Web Bot Auth).
        SignedHome = "signed_home",
        /// The home page as our own identity without a signature, for comparison.
        UnsignedHome = "unsigned_home",
        /// A style sheet that the home page links to, read to find text that it hides; `path` is
        /// its whole address.
        StyleSheet = "style_sheet",
        /// A sitemap that a sitemap index lists; `path` is its whole address.
        SitemapChild = "sitemap_child",
        /// A feed that the home page links to; `path` is its whole address.
        Feed = "feed",
        /// A description of an API that the home page or the API catalog links to; `path` is its whole
        /// address.
        ServiceDescription = "service_description",
        /// A call of a declared operation of the class `read_only_public`; `path` is with the query.
        CapabilityCall = "capability_call",
    }
}

/// A planned read that did not take place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedRead {
    pub target: ReadTarget,
    pub path: String,
    pub identity: String,
    pub why: SkipReason,
}

open_enum! {
    /// Why a planned read did not take place.
    pub enum SkipReason {
        /// The deadline that all reads share had passed.
        Deadline = "deadline",
        /// robots.txt has a group for this service's own token that disallows reading.
        OptOut = "opt_out",
        /// The name has no address, or only addresses that may not be contacted.
        NoAddress = "no_address",
        /// The scan had contacted as many hosts as it may.
        TooManyHosts = "too_many_hosts",
        /// This service was reading as much of the address or its network as it may, over all of its
        /// readings.
        TargetLimit = "target_limit",
        /// robots.txt does not let crawlers read it, or could not be read. Only for reads that need its
        /// permission.
        Robots = "robots",
        /// This service made as many calls of this site today as it may, for all callers together.
        DailyLimit = "daily_limit",
    }
}

/// One request with its redirects and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exchange {
    pub method: String,
    /// The first address requested.
    pub url: String,
    /// The request's header fields, in the order sent on each hop that was connected to; names in
    /// lower case, with `host` standing for HTTP/2's `:authority`. Never contains a secret.
    pub request_headers: Vec<HeaderLine>,
    pub started_at: Timestamp,
    pub took_ms: u32,
    /// Every hop in order, including the last.
    pub hops: Vec<Hop>,
    pub outcome: ExchangeOutcome,
}

impl Exchange {
    /// The response, if there was one.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        match &self.outcome {
            ExchangeOutcome::Response(response) => Some(response),
            ExchangeOutcome::Failed(_) => None,
        }
    }
}

/// One step of a redirect chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hop {
    pub url: String,
    /// The IP address that was connected to; null when there was no connection attempt.
    pub address: Option<String>,
    pub status: Option<u16>,
    /// The Location field as received.
    pub location: Option<String>,
    pub took_ms: u32,
    /// Whether the connection had already been used for a request of this scan.
    pub reused_connection: bool,
}

/// A response, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeOutcome {
    Response(Box<Response>),
    Failed(Failure),
}

/// The head of the last hop's response, with size and digest of its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Response {
    /// The address that returned the response, after redirects.
    pub url: String,
    pub status: u16,
    /// `1.1` or `2`.
    pub http: String,
    /// As received, in order; names in lower case.
    pub headers: Vec<HeaderLine>,
    pub body: BodyFacts,
    pub tls: Option<TlsFacts>,
}

/// The reason of a cut by the limit of all bodies of a visit together.
pub const VISIT_LIMIT: &str = "visit_limit";

impl Response {
    /// Whether the body is longer than the limit of one body and was read up to it. A body that the
    /// limit of all bodies together cut is not meant: another reader of the same page got more of it.
    #[must_use]
    pub fn is_read_to_limit(&self) -> bool {
        let is_long =
            |cut: &Failure| cut.kind == FailureKind::TooLarge && cut.reason != VISIT_LIMIT;
        self.body.cut.as_ref().is_some_and(is_long)
    }

    /// Whether the limit of all bodies together cut this one.
    #[must_use]
    pub fn is_cut_by_visit_limit(&self) -> bool {
        self.body.cut.as_ref().is_some_and(|cut| cut.reason == VISIT_LIMIT)
    }

    /// The value of the first field with this (lower-case) name.
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
    /// Bytes that are not valid UTF-8 are replaced.
    pub value: String,
}

/// Size and digest of a body. The bytes themselves are stored under `sha256`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BodyFacts {
    /// SHA-256 of the decoded bytes that were read; of the whole body when `cut` is null.
    pub sha256: String,
    /// How many decoded bytes were read.
    pub bytes: u64,
    /// How many bytes were received for them, before decoding.
    pub wire_bytes: u64,
    /// The Content-Encoding that was decoded, if any.
    pub encoding: Option<String>,
    /// Why reading stopped before the end; null when the body is complete.
    pub cut: Option<Failure>,
}

/// Why something was not received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    pub kind: FailureKind,
    pub phase: FailurePhase,
    /// The exact reason as a stable word: `private_address`, `redirect_loop`, …
    pub reason: String,
    /// One sentence for people. Contains no text sent by the server.
    pub detail: String,
}

open_enum! {
    /// How a read failed.
    pub enum FailureKind {
        /// This service's own policy does not allow the request; no connection was made for this
        /// hop.
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
    /// The step at which a read failed.
    pub enum FailurePhase {
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

/// What the TLS handshake showed. An invalid certificate is recorded; it does not end the read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TlsFacts {
    /// `TLS1.2` or `TLS1.3`.
    pub version: String,
    pub cipher: String,
    pub alpn: Option<String>,
    /// The leaf certificate; null when it could not be parsed.
    pub certificate: Option<Certificate>,
    /// How many certificates the server sent, including the leaf.
    pub chain_length: u32,
    /// Whether the chain, the name and the validity period all pass against this service's root
    /// certificates.
    pub trusted: bool,
    /// Everything that is wrong with the certificate: `expired`, `not_yet_valid`, `wrong_name`,
    /// `self_signed`, `unknown_issuer`, `bad_signature`, `malformed`, `other`.
    pub errors: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Certificate {
    pub subject: String,
    pub issuer: String,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    /// DNS names, at most 100; `sans_total` is their full number.
    pub sans: Vec<String>,
    pub sans_total: u32,
    /// SHA-256 of the DER bytes.
    pub sha256: String,
}

/// What a resolver answered for one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsReading {
    pub name: String,
    /// The resolver that was queried.
    pub resolver: String,
    pub asked_at: Timestamp,
    pub took_ms: u32,
    pub answers: Vec<DnsAnswer>,
}

/// The answer to one query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsAnswer {
    /// `A`, `AAAA`, `CNAME`, `TXT`, `PTR`.
    pub record_type: String,
    /// `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …; null when the resolver did not answer.
    pub rcode: Option<String>,
    /// The resolver's authenticated-data flag.
    pub authenticated_data: bool,
    /// In presentation form. For A and AAAA without the CNAME records, which are in `cnames`.
    pub records: Vec<String>,
    /// The CNAMEs that were followed, in order.
    pub cnames: Vec<String>,
    pub failure: Option<Failure>,
}
