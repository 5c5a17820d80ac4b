//! The catalogue: one table per theme. A site is a few lines of data; what it serves is a function
//! of the request beside its table, mostly a small change to [`plain`]. Whoever adds a site gives
//! it a name, a word, the two sentences and what to expect; the sweep in `tests/it/catalogue.rs`
//! then holds it to that.

mod access;
mod business;
mod challenges;
mod documents;
mod encoding;
mod machine_files;
mod names;
mod names_and_places;
mod offers;
mod reading;
mod redirects;
mod rights;
mod robots;
mod six;
mod tls;
mod walls;
mod wire;

use std::sync::LazyLock;

use crate::{
    content::{self, BAKERY},
    http::{Ask, Reply},
    site::{Answer, Certificate, Expect, ExpectedFailure, Names, Protocol, Site, Web},
};

/// The site at whose address the trap has an odd port.
pub(crate) const ODD_PORT_SITE: &str = "redirect-to-port.lab";

static ALL: LazyLock<Vec<Site>> = LazyLock::new(|| {
    let themes: &[&[Site]] = &[
        machine_files::SITES,
        access::SITES,
        challenges::SITES,
        reading::SITES,
        robots::SITES,
        documents::SITES,
        business::SITES,
        redirects::SITES,
        encoding::SITES,
        wire::SITES,
        tls::SITES,
        names::SITES,
        walls::SITES,
        six::SITES,
        rights::SITES,
        offers::SITES,
        names_and_places::SITES,
    ];
    themes.concat()
});

/// How many sites [`crowd`] has, and how many [`stalling_crowd`].
const CROWD: usize = 500;
const STALLING_CROWD: usize = 200;

static CROWD_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| numbered('n', CROWD));
static STALLING_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| numbered('s', STALLING_CROWD));

static CROWD_SITES: LazyLock<Vec<Site>> = LazyLock::new(|| {
    let names = CROWD_NAMES.iter();
    names.map(|name| Site { name, ..pages(machine_files::open) }).collect()
});

static STALLING_SITES: LazyLock<Vec<Site>> = LazyLock::new(|| {
    let names = STALLING_NAMES.iter();
    names.map(|name| Site { name, ..wire::stalling() }).collect()
});

fn numbered(letter: char, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{letter}{number:03}.lab")).collect()
}

/// Many sites that are all like `open.lab`, for measuring how many are read in what time. Not in
/// the catalogue: there is nothing to learn from them.
#[must_use]
pub fn crowd() -> &'static [Site] {
    &CROWD_SITES
}

/// Many sites that take every request and answer none, for measuring what waiting for them costs
/// others. Not in the catalogue either.
#[must_use]
pub fn stalling_crowd() -> &'static [Site] {
    &STALLING_SITES
}

/// Every site of the lab, by theme.
#[must_use]
pub fn catalogue() -> &'static [Site] {
    &ALL
}

const BOTH_NAMES: Names =
    Names { answers: &[("", Answer::Own), ("www", Answer::Own)], texts: &[], signed: false };

/// A site with honest pages: https with HTTP/2, http that redirects there. Tables override what
/// differs.
const fn pages(page: fn(&Ask<'_>) -> Reply) -> Site {
    Site {
        name: "",
        behaviour: "",
        does: "",
        says: "",
        expect: SERVED,
        text: &BAKERY,
        names: BOTH_NAMES,
        http: Web::Pages(to_https),
        https: Web::Pages(page),
        certificate: Certificate::Good,
        protocol: Protocol::Http2,
    }
}

/// A page for everybody, an open robots.txt, no other machine file.
const SERVED: Expect = Expect {
    reachable: true,
    home_status_browser: Some(200),
    ai_refused: Some(false),
    machine_files_present: Some(1),
    robots: Some("allows_all"),
    failure: None,
    tls_error: None,
    vendor: None,
    wall: None,
};

/// Nothing can be read, for this reason.
const fn fails(kind: &'static str, reasons: &'static [&'static str]) -> Expect {
    Expect {
        reachable: false,
        home_status_browser: None,
        ai_refused: None,
        machine_files_present: None,
        robots: None,
        failure: Some(ExpectedFailure { kind, reasons }),
        tls_error: None,
        vendor: None,
        wall: None,
    }
}

/// The site answers, but its home page cannot be had, for this reason.
const fn stops(kind: &'static str, reasons: &'static [&'static str]) -> Expect {
    Expect {
        reachable: false,
        home_status_browser: None,
        ai_refused: None,
        failure: Some(ExpectedFailure { kind, reasons }),
        ..SERVED
    }
}

/// The home page begins, and its body is cut for this reason.
const fn cut(kind: &'static str, reasons: &'static [&'static str]) -> Expect {
    Expect { failure: Some(ExpectedFailure { kind, reasons }), ..SERVED }
}

/// What nearly every site has behind its http port.
fn to_https(ask: &Ask<'_>) -> Reply {
    let query = ask.query.map(|query| format!("?{query}")).unwrap_or_default();
    Reply::redirect(301, format!("https://{}{}{query}", ask.host, ask.path))
}

/// A home page, a way to find the place, an open robots.txt, and 404 for the rest.
fn plain(ask: &Ask<'_>) -> Reply {
    with_robots(ask, "User-agent: *\nAllow: /\n")
}

/// The same with another robots.txt.
fn with_robots(ask: &Ask<'_>, robots: &str) -> Reply {
    match ask.path {
        "/" => content::home(ask),
        "/robots.txt" => Reply::text(200, robots.to_owned()),
        "/visit" => visit(ask),
        _ => content::not_found(ask),
    }
}

fn visit(ask: &Ask<'_>) -> Reply {
    let text = ask.site.text;
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>Find us</title></head>\n<body>\
             <h1>Find us</h1><p>{}, {} {}. We are open {}.</p></body></html>\n",
            text.street, text.town, text.postcode, text.hours
        ),
    )
}
