//! The evidence of a scan with its robots.txt and pages parsed once, for all rules.

use std::collections::BTreeMap;

use agents::{Catalogue, Role};
use contract::evidence::{Evidence, ReadTarget, Reading, Response};
use declared::page::{self, Page, Shingles};

use super::convert::saturating_u32;
use super::robots_file::RobotsFile;
use crate::bodies::Bodies;
use crate::rulepack::Rulepack;
use crate::walls::{Wall, WallDetector};

pub(super) struct ParsedEvidence<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) bodies: &'a dyn Bodies,
    pub(super) catalogue: &'a Catalogue,
    pub(super) rules: &'a Rulepack,
    pub(super) robots: RobotsFile<'a>,
    /// By the digest of the body: identities that got the same bytes share one parsed page.
    pages: BTreeMap<&'a str, ParsedPage>,
}

/// A parsed page and what it is compared by.
pub(super) struct ParsedPage {
    pub(super) page: Page,
    pub(super) shingles: Shingles,
    pub(super) prices: Vec<String>,
    pub(super) words: u32,
}

impl ParsedPage {
    fn parse(body: &[u8], content_type: Option<&str>) -> Self {
        let page = Page::read(body, content_type);
        Self {
            shingles: page::shingles(&page.main),
            prices: page::prices(&page.main),
            words: saturating_u32(page.words().count()),
            page,
        }
    }
}

impl<'a> ParsedEvidence<'a> {
    pub(super) fn new(
        evidence: &'a Evidence,
        bodies: &'a dyn Bodies,
        catalogue: &'a Catalogue,
        rules: &'a Rulepack,
    ) -> Self {
        let mut pages = BTreeMap::new();
        for reading in &evidence.reads {
            let is_page = match reading.target {
                ReadTarget::Home | ReadTarget::Markdown => true,
                ReadTarget::Fresh => reading.path == "/",
                _ => false,
            };
            let Some(response) = reading.exchange.response().filter(|_| is_page) else { continue };
            if let Some(body) = bodies.body(&response.body.sha256) {
                pages
                    .entry(response.body.sha256.as_str())
                    .or_insert_with(|| ParsedPage::parse(body, response.header("content-type")));
            }
        }
        let robots = RobotsFile::from_evidence(evidence, bodies);
        Self { evidence, bodies, catalogue, rules, robots, pages }
    }

    pub(super) fn readings(
        &self,
        target: ReadTarget,
    ) -> impl Iterator<Item = &'a Reading> + use<'a> {
        self.evidence.reads.iter().filter(move |reading| reading.target == target)
    }

    /// The last reading of a path.
    pub(super) fn last_reading(&self, target: ReadTarget, path: &str) -> Option<&'a Reading> {
        self.evidence.reads.iter().rfind(|r| r.target == target && r.path == path)
    }

    pub(super) fn body(&self, response: &Response) -> Option<&'a [u8]> {
        self.bodies.body(&response.body.sha256)
    }

    /// The page of a completely received response, whatever its status.
    pub(super) fn page(&self, response: &Response) -> Option<&ParsedPage> {
        if response.body.cut.is_some() {
            return None;
        }
        self.pages.get(response.body.sha256.as_str())
    }

    /// The block page or challenge that this response is, if it is one.
    pub(super) fn wall(&self, response: &Response) -> Option<Wall> {
        let body = self.body(response).unwrap_or_default();
        let page =
            self.pages.get(response.body.sha256.as_str()).map(|parsed_page| &parsed_page.page);
        WallDetector::built_in().recognise_with_page(response, body, page)
    }

    /// Whether this response is certainly a block page or challenge.
    pub(super) fn is_certain_wall(&self, response: &Response) -> bool {
        self.wall(response).is_some_and(|wall| wall.certain)
    }

    pub(super) fn browser_id(&self) -> &'a str {
        self.catalogue.identity_with_role(Role::Browser).map_or("", |identity| identity.id.as_str())
    }
}

/// Whether the status is 2xx.
pub(super) fn is_success(response: &Response) -> bool {
    (200..300).contains(&response.status)
}

/// Whether any request got a response.
pub(super) fn has_any_response(evidence: &Evidence) -> bool {
    evidence.reads.iter().any(|reading| reading.exchange.response().is_some())
}
