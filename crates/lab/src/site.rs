//! What a lab site is: data, and the few shapes its parts can take.

use serde::Serialize;

use crate::{
    content::Text,
    http::{Ask, Reply, Step},
};

/// One site of the lab. The public half says what a right record tells of it; the private half is
/// how it is served.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Site {
    /// Ends in `.lab`.
    pub name: &'static str,
    /// A stable word, no other site has it.
    pub behaviour: &'static str,
    /// What the site does, in a sentence: the meaning of the behaviour word.
    pub does: &'static str,
    /// What a right record says of it, in a sentence.
    pub says: &'static str,
    /// The same for machines.
    pub expect: Expect,
    #[serde(skip)]
    pub(crate) text: &'static Text,
    #[serde(skip)]
    pub(crate) names: Names,
    #[serde(skip)]
    pub(crate) http: Web,
    #[serde(skip)]
    pub(crate) https: Web,
    #[serde(skip)]
    pub(crate) certificate: Certificate,
    #[serde(skip)]
    pub(crate) protocol: Protocol,
}

/// What a test can check in a record of the site. `None`: nothing is promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Expect {
    /// Whether the home page, asked for with a browser's user agent, gets the head of a final
    /// response (redirects followed), from this domain's `https` address or, failing that, `http`.
    pub reachable: bool,
    /// The status of that response.
    pub home_status_browser: Option<u16>,
    /// True: no AI identity is given the page (refused, asked to pay, challenged or dropped).
    /// False: every one is given a page. None: some are, or nobody is.
    pub ai_refused: Option<bool>,
    /// Of the eight machine files of the interface, those that answer with success and with a body
    /// of their own (not what the site answers to everything). Says nothing about validity.
    pub machine_files_present: Option<u32>,
    /// What robots.txt amounts to: `allows_all`, `blocks_ai`, `blocks_all`, `blocks_some`,
    /// `opts_us_out`, `none` (404), `refused` (401, 403), `error` (429, 5xx, nothing usable),
    /// `not_robots` (a page instead). With `opts_us_out` a right record has read nothing else,
    /// whatever the other fields say.
    pub robots: Option<&'static str>,
    /// What stopped the browser's read of the home page, before the head or in the body.
    pub failure: Option<ExpectedFailure>,
    /// The word that the TLS facts must hold among their errors.
    pub tls_error: Option<&'static str>,
    /// Whose wall AI identities meet on the home page: the id in the judge's file of marks.
    pub vendor: Option<&'static str>,
    /// What that wall is: `block`, `challenge`, `captcha`, `rate_limit`, `payment`, `login`,
    /// `legal`.
    pub wall: Option<&'static str>,
}

/// A failure as evidence words it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExpectedFailure {
    /// A word of `contract::evidence::FailureKind`.
    pub kind: &'static str,
    /// The reason word is one of these.
    pub reasons: &'static [&'static str],
}

/// What the name server says of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    /// By label below the site's name; empty for the name itself.
    pub(crate) answers: &'static [(&'static str, Answer)],
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// Whether answers are marked as authenticated for those who ask.
    pub(crate) signed: bool,
}

/// How one name is answered. Where nothing else is said: an A record with the site's address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    Own,
    Addresses(&'static [Address]),
    /// The name exists and has no address.
    Empty,
    Alias(&'static str),
    /// So many aliases (`hop1.…`, `hop2.…`), then the address.
    AliasChain(usize),
    ServerFailure,
    Refused,
    /// After so many milliseconds.
    Late(u64),
    Silent,
    /// Over UDP only "too long, ask again over TCP".
    TcpOnly,
    /// The own address at the first look-up, the trap's at all later ones.
    ThenTrap,
    /// The own address and the trap's in turn.
    Alternating,
    /// So many addresses, the own one first.
    Many(usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Address {
    Own,
    Trap,
    V4([u8; 4]),
    V6([u16; 8]),
}

/// What listens on one of a site's two ports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Web {
    /// Nothing: connections are refused.
    Closed,
    /// An honest HTTP server with these pages.
    Pages(fn(&Ask<'_>) -> Reply),
    /// Bytes of our own choice in answer to each request; inside TLS on the https port.
    Wire(fn(&Ask<'_>) -> Vec<Step>),
    /// Bytes of our own choice as soon as a connection is made; on the https port, instead of TLS.
    Socket(fn() -> Vec<Step>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certificate {
    Good,
    Expired,
    NotYetValid,
    WrongName,
    SelfSigned,
    UnknownIssuer,
    /// Good, with so many further names.
    ManyNames(usize),
}

/// What the https port offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http2,
    Http1,
    /// HTTP/2 as well, but no TLS 1.3.
    Tls12,
}
