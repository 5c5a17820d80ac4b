//! One check of a content clock: read robots.txt for our own token, then make one conditional
//! request for the page, and one for the sitemap that robots.txt names if the page may have changed.

use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, Role};
use bytes::Bytes;
use contract::evidence::FailureKind;
use declared::robots::Robots;
use door::{Door, FetchRequest, FetchResult, ReadKind, RedirectPolicy};
use url::{Position, Url};

use crate::scan::robots_gate::{OPT_OUT, RobotsGate, robots_policy};

/// A larger sitemap is not read: it is requested only for the date of one page.
const MAX_SITEMAP_BYTES: u64 = 1 << 20;
/// How many sitemaps of robots.txt are looked at.
const MAX_SITEMAP_LINES: usize = 20;

/// Everything that a check needs to start.
#[derive(Debug)]
pub struct ContentClockCheck<'a> {
    /// Without query and fragment.
    pub url: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    /// The deadline for all reads together.
    pub deadline: Duration,
    /// The ETag of the version that was read last.
    pub etag: Option<&'a str>,
    /// The Last-Modified date of that version; used only if there is no ETag.
    pub last_modified: Option<&'a str>,
}

/// The outcome of a check.
#[derive(Debug)]
pub enum ContentClockOutcome {
    /// robots.txt disallows this page for us.
    Disallowed,
    /// robots.txt could not be read, for this reason. A crawler must then stay away (RFC 9309,
    /// section 2.3.1.4).
    RobotsUnreadable(String),
    /// The page was requested; the result says how it went.
    Fetched {
        page: Box<FetchResult>,
        /// The sitemap of the site, if it was read completely.
        sitemap: Option<Bytes>,
    },
}

impl ContentClockCheck<'_> {
    pub async fn run(&self) -> ContentClockOutcome {
        let Some(own) = self.catalogue.identity_with_role(Role::Own) else {
            return ContentClockOutcome::RobotsUnreadable(
                "The catalogue has no identity for our own reader.".to_owned(),
            );
        };
        let Ok(url) = Url::parse(self.url) else {
            return ContentClockOutcome::RobotsUnreadable("The URL is not valid.".to_owned());
        };
        let visit = self.door.visit(self.deadline);
        let robots_request = FetchRequest {
            url: format!("{}/robots.txt", &url[..Position::BeforePath]),
            identity: own.id.clone(),
            headers: own.headers(),
            kind: ReadKind::Robots,
            max_wire_bytes: None,
            timeout: Some(self.deadline / 3),
            fresh_connection: false,
            redirects: RedirectPolicy::All,
        };
        let robots = visit.fetch(robots_request.clone()).await;
        let robots_policy = match self.parse_robots(&robots) {
            Ok(robots_policy) => robots_policy,
            Err(why) => return ContentClockOutcome::RobotsUnreadable(why),
        };
        // Returning every few hours is crawling, so the rules for all crawlers apply to us too.
        let path = &url[Position::BeforePath..Position::AfterQuery];
        if !robots_policy.access(&self.catalogue.own_token, path).allowed {
            return ContentClockOutcome::Disallowed;
        }
        let sitemap_url = sitemap_url(&robots_policy, &url, &self.catalogue.own_token);
        let robots_gate =
            Arc::new(RobotsGate::new(visit.clone(), &self.catalogue.own_token, robots_request));
        robots_gate.add_policy(&url[Position::BeforeHost..Position::BeforePath], robots_policy);
        let mut headers = own.headers();
        // If there is an ETag, it is sent without the date: it is the stronger validator (RFC 9110,
        // section 13.1.3).
        match (self.etag, self.last_modified) {
            (Some(etag), _) => headers.push(("if-none-match".to_owned(), etag.to_owned())),
            (None, Some(date)) => headers.push(("if-modified-since".to_owned(), date.to_owned())),
            (None, None) => {}
        }
        let page = FetchRequest {
            url: self.url.to_owned(),
            identity: own.id.clone(),
            headers,
            kind: ReadKind::Page,
            max_wire_bytes: None,
            timeout: None,
            fresh_connection: false,
            redirects: RedirectPolicy::IfAllowed(robots_gate.clone()),
        };
        let fetched = visit.fetch(page).await;
        let refused = match &fetched.exchange.outcome {
            contract::evidence::ExchangeOutcome::Failed(failure) => {
                failure.kind == FailureKind::RefusedByPolicy && failure.reason == OPT_OUT.reason
            }
            contract::evidence::ExchangeOutcome::Response(_) => false,
        };
        if refused {
            return ContentClockOutcome::Disallowed;
        }
        // A page that did not change needs no date.
        let is_new = fetched.exchange.response().is_some_and(|response| response.status == 200);
        let sitemap = match sitemap_url.filter(|_| is_new) {
            Some(url) => {
                let read = visit.fetch(FetchRequest {
                    url,
                    identity: own.id.clone(),
                    headers: own.headers(),
                    kind: ReadKind::Json,
                    max_wire_bytes: Some(MAX_SITEMAP_BYTES),
                    timeout: None,
                    fresh_connection: false,
                    redirects: RedirectPolicy::IfAllowed(robots_gate),
                });
                complete_body(read.await)
            }
            None => None,
        };
        ContentClockOutcome::Fetched { page: Box::new(fetched), sitemap }
    }

    fn parse_robots(&self, robots: &FetchResult) -> Result<Robots, String> {
        match robots.exchange.response().map(|response| response.status) {
            Some(status @ (429 | 500..=599)) => {
                Err(format!("The server answered robots.txt with status {status}."))
            }
            Some(_) => Ok(robots_policy(robots)),
            // If the host does not answer, the page will fail as well, and that read records why.
            None => Ok(Robots::default()),
        }
    }
}

/// The first sitemap of the same host that robots.txt names and lets us read.
fn sitemap_url(robots: &Robots, page: &Url, token: &str) -> Option<String> {
    robots.sitemaps.iter().take(MAX_SITEMAP_LINES).find_map(|line| {
        let url = Url::parse(&line.value).ok()?;
        let is_own = url.origin() == page.origin();
        let path = &url[Position::BeforePath..Position::AfterQuery];
        (is_own && robots.access(token, path).allowed).then(|| url.to_string())
    })
}

/// The body of a successful answer that was received completely.
fn complete_body(read: FetchResult) -> Option<Bytes> {
    let response = read.exchange.response()?;
    (response.status == 200 && response.body.cut.is_none()).then_some(read.body)
}
