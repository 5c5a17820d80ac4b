//! The evidence of a scan with its robots.txt and pages parsed once, for all rules.

use std::collections::BTreeMap;

use agents::{Catalogue, Role};
use contract::evidence::{Evidence, ReadTarget, Reading, Response};
use declared::comparison::ComparedPage;
use declared::page::Page;

use super::convert::saturating_u32;
use super::robots_file::RobotsFile;
use crate::bodies::Bodies;
use crate::parallel::map_on_threads;
use crate::rulepack::Rulepack;
use crate::walls::{GateKey, Wall, WallDetector, add_gate, recognise_gate};

pub(super) struct ParsedEvidence<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) bodies: &'a dyn Bodies,
    pub(super) catalogue: &'a Catalogue,
    pub(super) rules: &'a Rulepack,
    pub(super) robots: RobotsFile<'a>,
    /// By the digest of the body: identities that got the same bytes share one parsed page.
    pages: BTreeMap<&'a str, ParsedPage>,
    /// The bytes of all pages together.
    page_bytes: usize,
    /// By the address of the response: several rules ask about each response to a request for a page.
    page_walls: BTreeMap<usize, PageWalls>,
}

/// What a response to a request for a page was recognised as.
#[derive(Clone)]
struct PageWalls {
    /// The block page or challenge.
    wall: Option<Wall>,
    /// The same, or the page that stands in for another.
    page_wall: Option<Wall>,
}

/// A parsed page and what it is compared by.
pub(super) struct ParsedPage {
    pub(super) page: Page,
    pub(super) compared: ComparedPage,
    pub(super) words: u32,
}

/// A thread is started for this much of the pages: for less, it takes longer than parsing them.
const BYTES_PER_THREAD: usize = 50_000;

/// The gates of the responses so far: most sites serve the same page to all identities.
type Gates<'r> = BTreeMap<GateKey<'r>, Option<Wall>>;

/// The texts of the style sheets that were read, by address.
type StyleSheets = BTreeMap<String, String>;

impl ParsedPage {
    fn parse(body: &[u8], response: &Response, sheets: &StyleSheets, domain: &str) -> Self {
        let content_type = response.header("content-type");
        let mut page = Page::read(body, content_type);
        let linked: Vec<(&str, &str)> = page
            .style_sheets
            .iter()
            .filter_map(|href| {
                let url = page.resolve(&response.url, href)?;
                Some((href.as_str(), sheets.get(url.as_str())?.as_str()))
            })
            .collect();
        if !linked.is_empty() {
            let text_of = |href: &str| linked.iter().find(|(known, _)| *known == href);
            let styled = Page::read_with_styles(body, content_type, &|href| {
                text_of(href).map(|(_, text)| *text)
            });
            page = styled;
        }
        Self {
            compared: ComparedPage::new(&page, domain, response.body.cut.is_some()),
            words: saturating_u32(page.count_words(usize::MAX)),
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
        let mut page_responses = Vec::new();
        for reading in &evidence.reads {
            let is_page = match reading.target {
                ReadTarget::Home
                | ReadTarget::HomeAgain
                | ReadTarget::HomeTrial
                | ReadTarget::Markdown
                | ReadTarget::SignedHome
                | ReadTarget::UnsignedHome
                | ReadTarget::Page => true,
                ReadTarget::Fresh => reading.path == "/",
                _ => false,
            };
            let Some(response) = reading.exchange.response().filter(|_| is_page) else { continue };
            page_responses.push(response);
        }
        let (pages, page_bytes) = parse_pages(evidence, bodies, &page_responses);
        let robots = RobotsFile::from_evidence(evidence, bodies);
        let page_walls = BTreeMap::new();
        let mut parsed =
            Self { evidence, bodies, catalogue, rules, robots, pages, page_bytes, page_walls };
        let mut gates = Gates::new();
        parsed.page_walls = page_responses
            .into_iter()
            .map(|response| (address(response), parsed.recognise_walls(response, &mut gates)))
            .collect();
        parsed
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

    /// The page of a response, whatever its status. A page that is longer than the limit is read up to
    /// it; one that was not received completely for another reason is not read.
    pub(super) fn page(&self, response: &Response) -> Option<&ParsedPage> {
        if response.body.cut.is_some() && !response.is_read_to_limit() {
            return None;
        }
        self.pages.get(response.body.sha256.as_str())
    }

    /// Whether the pages are so long that threads make a rule about all of them faster.
    pub(super) fn is_worth_threads(&self) -> bool {
        self.page_bytes >= 2 * BYTES_PER_THREAD
    }

    /// The block page or challenge that this response is, if it is one.
    pub(super) fn wall(&self, response: &Response) -> Option<Wall> {
        if let Some(known) = self.page_walls.get(&address(response)) {
            return known.wall.clone();
        }
        let body = self.body(response).unwrap_or_default();
        let page = self.parsed_page(response);
        WallDetector::built_in().recognise_with_page(response, body, page)
    }

    /// The block page, challenge or gate that stands in for a page, if one does.
    pub(super) fn page_wall(&self, response: &Response) -> Option<Wall> {
        match self.page_walls.get(&address(response)) {
            Some(known) => known.page_wall.clone(),
            None => self.recognise_walls(response, &mut Gates::new()).page_wall,
        }
    }

    fn recognise_walls<'r>(&self, response: &'r Response, gates: &mut Gates<'r>) -> PageWalls {
        let wall = self.wall(response);
        let body = self.body(response).unwrap_or_default();
        // A body that is no longer stored is not an empty one.
        let is_lost = body.is_empty() && response.body.bytes > 0;
        let page_wall = if is_lost {
            wall.clone()
        } else {
            add_gate(wall.clone(), || {
                let recognise = || recognise_gate(response, body, self.parsed_page(response));
                gates.entry(GateKey::of(response)).or_insert_with(recognise).clone()
            })
        };
        PageWalls { wall, page_wall }
    }

    /// The page parsed from the body of a response, however complete it is.
    fn parsed_page(&self, response: &Response) -> Option<&Page> {
        self.pages.get(response.body.sha256.as_str()).map(|parsed_page| &parsed_page.page)
    }

    /// Whether this response is certainly a block page or challenge.
    pub(super) fn is_certain_wall(&self, response: &Response) -> bool {
        self.wall(response).is_some_and(|wall| wall.certain)
    }

    pub(super) fn browser_id(&self) -> &'a str {
        self.catalogue.identity_with_role(Role::Browser).map_or("", |identity| identity.id.as_str())
    }
}

/// Where a response is. The responses of the evidence do not move, so that no two of them are at the same
/// place.
fn address(response: &Response) -> usize {
    std::ptr::from_ref(response).addr()
}

/// The pages of the responses, by the digest of the body, and how many bytes they have together. The first
/// response with a body decides how it is read.
fn parse_pages<'a>(
    evidence: &'a Evidence,
    bodies: &dyn Bodies,
    responses: &[&'a Response],
) -> (BTreeMap<&'a str, ParsedPage>, usize) {
    let sheets = read_style_sheets(evidence, bodies);
    let mut first = BTreeMap::new();
    for response in responses {
        if let Some(body) = bodies.body(&response.body.sha256) {
            first.entry(response.body.sha256.as_str()).or_insert((body, *response));
        }
    }
    let total: usize = first.values().map(|(body, _)| body.len()).sum();
    let to_parse: Vec<(&str, (&[u8], &Response))> = first.into_iter().collect();
    let domain = evidence.domain.as_str();
    let parsed =
        map_on_threads(&to_parse, total / BYTES_PER_THREAD, |(digest, (body, response))| {
            (*digest, ParsedPage::parse(body, response, &sheets, domain))
        });
    (parsed.into_iter().collect(), total)
}

fn read_style_sheets(evidence: &Evidence, bodies: &dyn Bodies) -> StyleSheets {
    let readings = evidence.reads.iter().filter(|r| r.target == ReadTarget::StyleSheet);
    readings
        .filter_map(|reading| {
            let response = reading.exchange.response().filter(|response| is_success(response))?;
            let text = String::from_utf8_lossy(bodies.body(&response.body.sha256)?);
            Some((reading.exchange.url.clone(), text.into_owned()))
        })
        .collect()
}

/// Whether the status is 2xx.
pub(super) fn is_success(response: &Response) -> bool {
    (200..300).contains(&response.status)
}

/// Whether any request got a response.
pub(super) fn has_any_response(evidence: &Evidence) -> bool {
    evidence.reads.iter().any(|reading| reading.exchange.response().is_some())
}
