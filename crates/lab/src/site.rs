//! What a lab site is: data, and the kinds of behaviour it can have.

use serde::Serialize;

use crate::{
    cases::served_case::ServedCase,
    content::BusinessText,
    http::{
        reply::{Reply, SiteRequest},
        script::ScriptStep,
    },
};

/// One site of the lab. The public fields say what a correct record of it contains; the private
/// fields say how it is served.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LabSite {
    /// Ends in `.lab`.
    pub name: &'static str,
    /// A stable code, unique among the sites.
    pub behaviour: &'static str,
    /// What the site does, in one or two sentences.
    pub does: &'static str,
    /// What a correct record says about it, in one or two sentences.
    pub says: &'static str,
    /// The same in machine-readable form.
    pub expect: ExpectedRecord,
    #[serde(skip)]
    pub(crate) text: &'static BusinessText,
    #[serde(skip)]
    pub(crate) dns: SiteDns,
    #[serde(skip)]
    pub(crate) http: PortBehaviour,
    #[serde(skip)]
    pub(crate) https: PortBehaviour,
    #[serde(skip)]
    pub(crate) certificate: CertificateKind,
    #[serde(skip)]
    pub(crate) protocol: HttpsProtocol,
}

/// What a test can check in a record of the site. `None`: the site promises nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExpectedRecord {
    /// Whether a request for the home page with a browser's user agent gets a final response head
    /// (redirects followed), over https or, if that fails, over http.
    pub reachable: bool,
    /// The status of that response.
    pub home_status_browser: Option<u16>,
    /// True: no AI identity gets the page (refused, asked to pay, challenged or disconnected).
    /// False: every one gets a page. None: only some do, or nobody does.
    pub ai_refused: Option<bool>,
    /// How many of the eight machine files answer with success and with a body of their own (not
    /// the body that the site returns for every path). Says nothing about validity.
    pub machine_files_present: Option<u32>,
    /// The effect of robots.txt: `allows_all`, `blocks_ai`, `blocks_all`, `blocks_some`,
    /// `opts_us_out`, `none` (404), `refused` (401, 403), `error` (429, 5xx, nothing usable),
    /// `not_robots` (an HTML page instead). With `opts_us_out` a correct record has read nothing
    /// else, whatever the other fields say.
    pub robots: Option<&'static str>,
    /// The failure of the browser's read of the home page, before the head or in the body.
    pub failure: Option<ExpectedFailure>,
    /// The code that the errors of the TLS facts must contain.
    pub tls_error: Option<&'static str>,
    /// The vendor whose block page or challenge AI identities get on the home page: the id in the
    /// judge's `walls.json`.
    pub vendor: Option<&'static str>,
    /// The kind of that page: `block`, `challenge`, `captcha`, `rate_limit`, `payment`, `login`,
    /// `legal`.
    pub wall: Option<&'static str>,
    /// How the responses to the identities differ: a value of `contract::records::IdentitySplit`.
    pub split: Option<&'static str>,
    /// `varies`: the page changes by itself, for everybody.
    pub variation: Option<&'static str>,
    /// What stands in for the content with a success status, for AI identities: `login`, `region`,
    /// `age`, `consent`, `parked`, `maintenance`, `placeholder`, `empty`, `challenge`, `none`.
    pub gate: Option<&'static str>,
    /// Whether the page says that it is behind a paywall.
    pub paywall: Option<bool>,
    /// The first part of the ids of findings that a correct record has.
    pub finding: &'static [&'static str],
    /// The same of findings that would be wrong.
    pub no_finding: &'static [&'static str],
    /// Machine files by path: `absent`, `ok`, `faulty`.
    pub files: &'static [(&'static str, &'static str)],
    /// The decision for `read` is one of these. Empty: the site promises nothing.
    pub read: &'static [&'static str],
    /// The same for `cite`.
    pub cite: &'static [&'static str],
    /// The grade is this one or worse; no grade is worse than every grade.
    pub grade_at_most: Option<&'static str>,
    /// The grade is this one or better.
    pub grade_at_least: Option<&'static str>,
}

/// The decisions that let an agent read on, with or without a warning.
pub(crate) const MAY_READ: &[&str] = &["allow", "warn"];
/// Every decision that is stricter than `allow`.
pub(crate) const NOT_ALLOW: &[&str] = &["warn", "require_confirmation", "block"];
/// The decisions with which an agent does nothing on its own.
pub(crate) const ASK_FIRST: &[&str] = &["require_confirmation", "block"];

/// A failure as recorded in the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExpectedFailure {
    /// A value of `contract::evidence::FailureKind`.
    pub kind: &'static str,
    /// The reason code is one of these.
    pub reasons: &'static [&'static str],
}

/// The DNS records of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteDns {
    /// By label below the site's name; empty for the name itself.
    pub(crate) answers: &'static [(&'static str, DnsBehaviour)],
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// Whether answers are marked as authenticated for clients that ask.
    pub(crate) signed: bool,
}

/// How the name server answers for one name. The default is an A record with the site's address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DnsBehaviour {
    Own,
    Addresses(&'static [DnsAddress]),
    /// The name exists and has no address.
    Empty,
    Alias(&'static str),
    /// A chain of this many aliases (`hop1.…`, `hop2.…`), then the address.
    AliasChain(usize),
    ServerFailure,
    Refused,
    /// Answers after this many milliseconds.
    Late(u64),
    Silent,
    /// Over UDP only a truncated answer, so that clients ask again over TCP.
    TcpOnly,
    /// A truncated answer without records, also over TCP.
    Truncated,
    /// No address; the names in answers are in upper case.
    UpperCase,
    /// The site's own address at the first look-up, the trap's at all later ones.
    OwnThenTrap,
    /// The site's own address and the trap's alternately.
    Alternating,
    /// This many addresses, the site's own first.
    Many(usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum DnsAddress {
    Own,
    Trap,
    V4([u8; 4]),
    V6([u16; 8]),
}

/// What a site does on one of its two ports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PortBehaviour {
    /// Nothing: connections are refused.
    Closed,
    /// A correct HTTP server with these pages.
    Pages(fn(&SiteRequest<'_>) -> Reply),
    /// The same; the function itself decides how to show published proofs of control.
    Proofs(fn(&SiteRequest<'_>) -> Reply),
    /// The same with the sections of a case file.
    Case(&'static ServedCase),
    /// The same with the address lists of operators, which tests can change.
    Feeds,
    /// The same with the directory of an agent's keys, which tests can change.
    KeyDirectory,
    /// The same with an MCP server, which tests can change.
    Mcp,
    /// The same with the registry, which tests can change.
    Rdap,
    /// Every connection leads to a server that a test named ([`crate::Lab::forward`]), without TLS.
    Forward,
    /// Raw bytes in answer to each request; inside TLS on the https port.
    RawReplies(fn(&SiteRequest<'_>) -> Vec<ScriptStep>),
    /// Raw bytes as soon as a connection is made; on the https port, instead of TLS.
    RawSocket(fn() -> Vec<ScriptStep>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CertificateKind {
    Good,
    Expired,
    NotYetValid,
    WrongName,
    SelfSigned,
    UnknownIssuer,
    /// Valid, with this many additional names.
    ManyNames(usize),
}

/// The protocols that the https port supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpsProtocol {
    Http2,
    Http1,
    /// HTTP/2 as well, but no TLS 1.3.
    Tls12,
}
