//! What all rules look at: the evidence, and everything in it parsed once.

use std::collections::BTreeMap;

use agents::{Catalogue, Role};
use contract::evidence::{Evidence, Reading, Response, Target};
use declared::page::{self, Page, Shingles};

use super::robots_file::RobotsFile;
use crate::Bodies;
use crate::rulepack::Rulepack;
use crate::walls::{Wall, Walls};

pub(super) struct Look<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) bodies: &'a dyn Bodies,
    pub(super) catalogue: &'a Catalogue,
    pub(super) rules: &'a Rulepack,
    pub(super) robots: RobotsFile<'a>,
    /// By the digest of the body: identities that were given the same bytes share one page.
    pages: BTreeMap<&'a str, Sheet>,
}

/// A page, and what it is compared by.
pub(super) struct Sheet {
    pub(super) page: Page,
    pub(super) shingles: Shingles,
    pub(super) prices: Vec<String>,
    pub(super) words: u32,
}

impl Sheet {
    fn read(body: &[u8], content_type: Option<&str>) -> Self {
        let page = Page::read(body, content_type);
        Self {
            shingles: page::shingles(&page.main),
            prices: page::prices(&page.main),
            words: super::count(page.words().count()),
            page,
        }
    }
}

impl<'a> Look<'a> {
    pub(super) fn new(
        evidence: &'a Evidence,
        bodies: &'a dyn Bodies,
        catalogue: &'a Catalogue,
        rules: &'a Rulepack,
    ) -> Self {
        let mut pages = BTreeMap::new();
        for reading in &evidence.reads {
            let wanted = match reading.target {
                Target::Home | Target::Markdown => true,
                Target::Fresh => reading.path == "/",
                _ => false,
            };
            let Some(response) = reading.exchange.response().filter(|_| wanted) else { continue };
            if let Some(body) = bodies.body(&response.body.sha256) {
                pages
                    .entry(response.body.sha256.as_str())
                    .or_insert_with(|| Sheet::read(body, response.header("content-type")));
            }
        }
        let robots = RobotsFile::of(evidence, bodies);
        Self { evidence, bodies, catalogue, rules, robots, pages }
    }

    pub(super) fn reads(&self, target: Target) -> impl Iterator<Item = &'a Reading> + use<'a> {
        self.evidence.reads.iter().filter(move |reading| reading.target == target)
    }

    /// The reading of a path, the later one of two.
    pub(super) fn reading(&self, target: Target, path: &str) -> Option<&'a Reading> {
        self.evidence.reads.iter().rfind(|r| r.target == target && r.path == path)
    }

    pub(super) fn body(&self, response: &Response) -> Option<&'a [u8]> {
        self.bodies.body(&response.body.sha256)
    }

    /// The page of a response that came to its end, whatever its status.
    pub(super) fn page(&self, response: &Response) -> Option<&Sheet> {
        if response.body.cut.is_some() {
            return None;
        }
        self.pages.get(response.body.sha256.as_str())
    }

    /// What stands in the place of the answer, if something does.
    pub(super) fn wall(&self, response: &Response) -> Option<Wall> {
        let body = self.body(response).unwrap_or_default();
        let page = self.pages.get(response.body.sha256.as_str()).map(|sheet| &sheet.page);
        Walls::built_in().recognise_read(response, body, page)
    }

    /// Whether a wall, and no doubt about it, stands where the answer should be.
    pub(super) fn is_walled(&self, response: &Response) -> bool {
        self.wall(response).is_some_and(|wall| wall.certain)
    }

    pub(super) fn browser_id(&self) -> &'a str {
        self.catalogue.the(Role::Browser).map_or("", |identity| identity.id.as_str())
    }
}

/// Whether a response is one of success.
pub(super) fn is_success(response: &Response) -> bool {
    (200..300).contains(&response.status)
}
