//! Recognises responses that are not the requested page: block pages, challenges, CAPTCHAs, payment
//! demands, login pages and rate limits, and (in `gates`) pages that stand in for the content, such
//! as parked domains. All of them are called walls here. The vendor and the kind
//! are read from the headers and the body of one response, by marks in `data/walls.json` (which is
//! part of the rules).
//!
//! Each mark has a strength. One *decisive* mark is enough. Of *supporting* marks two are needed. A
//! *weak* mark also fits other vendors and only adds to a supporting one. A *presence* mark shows
//! which vendor is in front of the site, not that it refused the request. A status alone names no
//! vendor, and a success status does not mean that the page was served.

pub(crate) mod gates;
mod limits;
mod mark_table;
mod normalised_response;
mod price;
pub mod refusal_target;
#[cfg(test)]
mod tests;
mod text;
mod unknown_vendor;
mod wall;

use std::sync::LazyLock;

use contract::evidence::Response;
use declared::page::Page;

pub(crate) use gates::{GateKey, recognise_gate};
use mark_table::{MarkTable, MarkTableError, Strength, Vendor};
use normalised_response::NormalisedResponse;
pub use wall::{Wall, WallKind};

/// For the fuzz targets in `fuzz/`. Not part of the interface.
#[doc(hidden)]
pub mod fuzzing {
    /// A detector with the marks of this file; `None` if the file is not valid.
    #[must_use]
    pub fn parse_wall_table(text: &str) -> Option<super::WallDetector> {
        super::WallDetector::parse(text).ok()
    }
}

const WALLS_JSON: &str = include_str!("../../data/walls.json");
/// The most marks listed for one wall.
const MAX_MARKS: usize = 12;

/// The marks of all vendors that this build knows.
#[derive(Debug)]
pub struct WallDetector {
    table: MarkTable,
    digest: String,
}

static BUILT_IN: LazyLock<WallDetector> = LazyLock::new(|| {
    // A test checks that the file can be parsed. An empty table would only recognise plain statuses.
    WallDetector::parse(WALLS_JSON)
        .unwrap_or_else(|_| WallDetector { table: MarkTable::default(), digest: String::default() })
});

impl WallDetector {
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    fn parse(text: &str) -> Result<Self, MarkTableError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        let digest = proof::canonical::to_vec(&value)
            .map(|bytes| proof::digest::sha256(&bytes).to_string())
            .unwrap_or_default();
        Ok(Self { table: MarkTable::parse(text)?, digest })
    }

    /// The SHA-256 of the mark file as canonical JSON, in hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The SHA-256 of the file with the words of gates as canonical JSON, in hex.
    pub(crate) fn gate_digest() -> &'static str {
        gates::GateTable::built_in().digest()
    }

    /// The wall that this response shows, if any. `body` is the decoded body.
    #[must_use]
    pub fn recognise(&self, response: &Response, body: &[u8]) -> Option<Wall> {
        self.recognise_with_page(response, body, None)
    }

    /// The wall or gate that stands in for a page that people would read. Machine files are not such
    /// pages: an empty one is a file without rules. `page` is parsed from this body.
    #[must_use]
    pub fn recognise_page(
        &self,
        response: &Response,
        body: &[u8],
        page: Option<&Page>,
    ) -> Option<Wall> {
        let wall = self.recognise_with_page(response, body, page);
        add_gate(wall, || recognise_gate(response, body, page))
    }

    /// The same as `recognise`, with the page already parsed from this body.
    pub(crate) fn recognise_with_page(
        &self,
        response: &Response,
        body: &[u8],
        page: Option<&Page>,
    ) -> Option<Wall> {
        let table = &self.table;
        let seen = NormalisedResponse::from_response(response, body, page, &table.limits);
        let tallies: Vec<VendorMatch<'_>> = table
            .vendors
            .iter()
            .filter(|vendor| vendor.applies_to_url(&response.url))
            .map(|vendor| VendorMatch::find(vendor, &seen, table))
            .collect();
        let mut wall = tallies
            .iter()
            .find(|tally| tally.has_decisive_mark())
            .or_else(|| tallies.iter().find(|tally| tally.is_certain()))
            .or_else(|| tallies.iter().find(|tally| tally.is_likely(&seen, table)))
            .and_then(|tally| tally.to_wall(&seen, table))
            .or_else(|| {
                unknown_vendor::recognise_unknown_vendor(&seen, table, &vendors_in_front(&tallies))
            })?;
        if wall.kind == WallKind::Payment {
            wall.price =
                price::price_in_headers(response, &seen).or_else(|| price::price_in_body(body));
        }
        wall.marks.extend(seen.detail_header(wall.kind));
        wall.marks.truncate(MAX_MARKS);
        Some(wall)
    }

    /// The vendors in front of this host, by header fields and cookies. Their presence does not mean
    /// that they refused the request.
    #[must_use]
    pub fn vendors_present(&self, response: &Response) -> Vec<String> {
        let seen = NormalisedResponse::from_response(response, b"", None, &self.table.limits);
        let is_present = |vendor: &&Vendor| {
            let mut presence_marks =
                vendor.marks.iter().filter(|mark| mark.shows_presence_in_head());
            presence_marks.any(|mark| mark.find_in(&seen).is_some())
        };
        self.table.vendors.iter().filter(is_present).map(|vendor| vendor.label.clone()).collect()
    }
}

/// What a response is that shows this wall or none: the wall, or a gate that says more about it.
pub(crate) fn add_gate(wall: Option<Wall>, gate: impl FnOnce() -> Option<Wall>) -> Option<Wall> {
    // A vendor's own mark says more than the words of a page.
    if wall.as_ref().is_some_and(|wall| wall.vendor.is_some()) {
        return wall;
    }
    match (wall, gate()) {
        (Some(wall), Some(gate)) if gate.certain => {
            let is_challenge = matches!(wall.kind, WallKind::Challenge | WallKind::Captcha);
            if is_challenge && wall.certain {
                return Some(wall);
            }
            let mut marks = gate.marks;
            marks.extend(wall.marks);
            marks.dedup();
            marks.truncate(MAX_MARKS);
            Some(Wall { marks, ..gate })
        }
        (Some(wall), _) => Some(wall),
        (None, gate) => gate,
    }
}

/// The marks of one vendor that a response carries.
struct VendorMatch<'a> {
    vendor: &'a Vendor,
    marks: Vec<MatchedMark>,
}

struct MatchedMark {
    strength: Strength,
    kind: Option<WallKind>,
    description: String,
}

impl<'a> VendorMatch<'a> {
    fn find(vendor: &'a Vendor, seen: &NormalisedResponse, table: &MarkTable) -> Self {
        let found = vendor
            .marks
            .iter()
            .filter(|mark| mark.counts_for(seen, table))
            .filter_map(|mark| {
                let words = mark.find_in(seen)?;
                Some(MatchedMark { strength: mark.strength, kind: mark.kind, description: words })
            })
            .collect();
        Self { vendor, marks: found }
    }

    fn count(&self, strength: Strength) -> usize {
        self.marks.iter().filter(|found| found.strength == strength).count()
    }

    fn has_decisive_mark(&self) -> bool {
        self.count(Strength::Decisive) > 0
    }

    fn is_certain(&self) -> bool {
        let supporting = self.count(Strength::Supporting);
        self.has_decisive_mark() || (supporting > 0 && supporting + self.count(Strength::Weak) > 1)
    }

    /// The status is a refusal, and the response has a supporting mark of this vendor, or a weak mark
    /// and a presence mark. With a success status these are not enough.
    fn is_likely(&self, seen: &NormalisedResponse, table: &MarkTable) -> bool {
        table.is_refusal_status(seen.status)
            && (self.count(Strength::Supporting) > 0
                || (self.count(Strength::Weak) > 0 && self.count(Strength::Presence) > 0))
    }

    fn to_wall(&self, seen: &NormalisedResponse, table: &MarkTable) -> Option<Wall> {
        let mut by_strength: Vec<&MatchedMark> = self.marks.iter().collect();
        by_strength.sort_by_key(|found| found.strength);
        let decisive = |found: &&&MatchedMark| found.strength == Strength::Decisive;
        let decided: Vec<WallKind> =
            by_strength.iter().filter(decisive).filter_map(|found| found.kind).collect();
        let kinds = match decided.is_empty() {
            true => by_strength.iter().filter_map(|found| found.kind).collect(),
            false => decided,
        };
        // A CAPTCHA is more specific than the challenge or block that a header field names.
        let kind = kinds
            .iter()
            .find(|kind| **kind == WallKind::Captcha)
            .or_else(|| kinds.first())
            .copied()
            .or_else(|| table.status_meaning(seen.status).map(|(kind, _)| kind))
            .or_else(|| self.has_decisive_mark().then_some(WallKind::Challenge))?;
        let status = format!("status {}", seen.status);
        let has_status_mark = by_strength.iter().any(|found| found.description == status);
        Some(Wall {
            vendor: Some(self.vendor.label.clone()),
            vendor_id: Some(self.vendor.id.clone()),
            kind,
            certain: self.is_certain(),
            marks: by_strength
                .iter()
                .map(|found| found.description.clone())
                .chain((!has_status_mark).then_some(status))
                .collect(),
            price: None,
        })
    }
}

/// A sentence for each vendor whose presence shows, with the mark that shows it.
fn vendors_in_front(tallies: &[VendorMatch<'_>]) -> Vec<String> {
    tallies
        .iter()
        .filter_map(|tally| {
            let mark = tally.marks.iter().find(|found| found.strength == Strength::Presence)?;
            Some(format!(
                "{} is in front of the site ({}), but nothing shows that it refused the request",
                tally.vendor.label, mark.description
            ))
        })
        .collect()
}
