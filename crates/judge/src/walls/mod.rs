//! Who stands between a reader and a page, and what they want: told from the head and the body of
//! one answer, by marks that are data (`data/walls.json`, a part of the rules).
//!
//! A mark has a strength. A *decisive* one is enough; of *supporting* ones it takes two that agree;
//! a *weak* one fits others as well and only joins in; *presence* says who is in front and nothing
//! of a refusal. A status alone names nobody, and a success status does not yet mean that the page
//! was served.

pub mod contrast;
mod price;
mod seen;
mod table;
#[cfg(test)]
mod tests;
mod unnamed;

use std::sync::LazyLock;

use contract::evidence::Response;
use declared::page::Page;
use serde::{Deserialize, Serialize};

use seen::Seen;
use table::{Strength, Table, TableError, Vendor};

const FILE: &str = include_str!("../../data/walls.json");
/// Marks told of one wall.
const MAX_MARKS: usize = 12;

/// The marks of every wall that this build knows.
#[derive(Debug)]
pub struct Walls {
    table: Table,
    digest: String,
}

/// Something other than the page that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wall {
    /// Whose it is, as people call it; nothing when the answer does not show that.
    pub vendor: Option<String>,
    pub vendor_id: Option<String>,
    pub kind: WallKind,
    /// Whether this rests on a decisive mark, on several that agree, or on a status whose meaning
    /// HTTP fixes. Otherwise it is the likeliest reading.
    pub certain: bool,
    /// What was seen, in words, the telling ones first.
    pub marks: Vec<String>,
    /// What is asked for the page, for [`WallKind::Payment`], as the answer says it.
    pub price: Option<String>,
}

/// What a wall wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WallKind {
    /// Nothing: it is a no.
    Block,
    /// Proof of a browser, without a person's help: a script that must run.
    Challenge,
    /// Proof of a person: a puzzle.
    Captcha,
    /// Fewer requests.
    RateLimit,
    Payment,
    Login,
    /// Nothing: a legal demand forbids it.
    Legal,
}

impl WallKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Challenge => "challenge",
            Self::Captcha => "captcha",
            Self::RateLimit => "rate_limit",
            Self::Payment => "payment",
            Self::Login => "login",
            Self::Legal => "legal",
        }
    }
}

static BUILT_IN: LazyLock<Walls> = LazyLock::new(|| {
    // The tests hold that the file reads; an empty table would only recognise bare statuses.
    Walls::read(FILE)
        .unwrap_or_else(|_| Walls { table: Table::default(), digest: String::default() })
});

impl Walls {
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    fn read(text: &str) -> Result<Self, TableError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        let digest = proof::canonical::to_vec(&value)
            .map(|bytes| proof::digest::sha256(&bytes).to_string())
            .unwrap_or_default();
        Ok(Self { table: Table::read(text)?, digest })
    }

    /// The SHA-256 of the marks as canonical JSON, in hex: which marks judged.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The wall that this answer is, if it is one. `body` is the decoded body of the answer.
    #[must_use]
    pub fn recognise(&self, response: &Response, body: &[u8]) -> Option<Wall> {
        self.recognise_read(response, body, None)
    }

    /// The same, where the page of this very body was read already.
    pub(crate) fn recognise_read(
        &self,
        response: &Response,
        body: &[u8],
        page: Option<&Page>,
    ) -> Option<Wall> {
        let table = &self.table;
        let seen = Seen::read(response, body, page, &table.limits);
        let tallies: Vec<Tally<'_>> = table
            .vendors
            .iter()
            .filter(|vendor| vendor.is_at(&response.url))
            .map(|vendor| Tally::of(vendor, &seen, table))
            .collect();
        let mut wall = tallies
            .iter()
            .find(|tally| tally.is_decided())
            .or_else(|| tallies.iter().find(|tally| tally.is_certain()))
            .or_else(|| tallies.iter().find(|tally| tally.is_likely(&seen, table)))
            .and_then(|tally| tally.wall(&seen, table))
            .or_else(|| unnamed::wall(&seen, table, &in_front(&tallies)))?;
        if wall.kind == WallKind::Payment {
            wall.price = price::asked(response, &seen).or_else(|| price::asked_in_body(body));
        }
        wall.marks.extend(seen.particulars(wall.kind));
        wall.marks.truncate(MAX_MARKS);
        Some(wall)
    }

    /// Who is in front of this host by its header fields and cookies. That they are there does not
    /// mean that they refused anything.
    #[must_use]
    pub fn vendors_present(&self, response: &Response) -> Vec<String> {
        let seen = Seen::read(response, b"", None, &self.table.limits);
        let shows = |vendor: &&Vendor| {
            let mut there = vendor.marks.iter().filter(|mark| mark.shows_presence_in_head());
            there.any(|mark| mark.found(&seen).is_some())
        };
        self.table.vendors.iter().filter(shows).map(|vendor| vendor.label.clone()).collect()
    }
}

/// The marks of one vendor that an answer carries.
struct Tally<'a> {
    vendor: &'a Vendor,
    found: Vec<Found>,
}

struct Found {
    strength: Strength,
    kind: Option<WallKind>,
    words: String,
}

impl<'a> Tally<'a> {
    fn of(vendor: &'a Vendor, seen: &Seen, table: &Table) -> Self {
        let found = vendor
            .marks
            .iter()
            .filter(|mark| mark.counts_at(seen, table))
            .filter_map(|mark| {
                let words = mark.found(seen)?;
                Some(Found { strength: mark.strength, kind: mark.kind, words })
            })
            .collect();
        Self { vendor, found }
    }

    fn count(&self, strength: Strength) -> usize {
        self.found.iter().filter(|found| found.strength == strength).count()
    }

    fn is_decided(&self) -> bool {
        self.count(Strength::Decisive) > 0
    }

    fn is_certain(&self) -> bool {
        let supporting = self.count(Strength::Supporting);
        self.is_decided() || (supporting > 0 && supporting + self.count(Strength::Weak) > 1)
    }

    /// Something is refused, and one mark speaks for this vendor, or a weak one together with its
    /// presence. Where the status says success that is not enough.
    fn is_likely(&self, seen: &Seen, table: &Table) -> bool {
        table.may_refuse(seen.status)
            && (self.count(Strength::Supporting) > 0
                || (self.count(Strength::Weak) > 0 && self.count(Strength::Presence) > 0))
    }

    fn wall(&self, seen: &Seen, table: &Table) -> Option<Wall> {
        let mut telling: Vec<&Found> = self.found.iter().collect();
        telling.sort_by_key(|found| found.strength);
        let decisive = |found: &&&Found| found.strength == Strength::Decisive;
        let decided: Vec<WallKind> =
            telling.iter().filter(decisive).filter_map(|found| found.kind).collect();
        let kinds = match decided.is_empty() {
            true => telling.iter().filter_map(|found| found.kind).collect(),
            false => decided,
        };
        // A puzzle is the exacter word for what a field in the head calls a challenge or a block.
        let kind = kinds
            .iter()
            .find(|kind| **kind == WallKind::Captcha)
            .or_else(|| kinds.first())
            .copied()
            .or_else(|| table.status(seen.status).map(|(kind, _)| kind))
            .or_else(|| self.is_decided().then_some(WallKind::Challenge))?;
        let status = format!("status {}", seen.status);
        let said = telling.iter().any(|found| found.words == status);
        Some(Wall {
            vendor: Some(self.vendor.label.clone()),
            vendor_id: Some(self.vendor.id.clone()),
            kind,
            certain: self.is_certain(),
            marks: telling
                .iter()
                .map(|found| found.words.clone())
                .chain((!said).then_some(status))
                .collect(),
            price: None,
        })
    }
}

/// Who is in front, and by which mark, in words.
fn in_front(tallies: &[Tally<'_>]) -> Vec<String> {
    tallies
        .iter()
        .filter_map(|tally| {
            let mark = tally.found.iter().find(|found| found.strength == Strength::Presence)?;
            Some(format!(
                "{} is in front ({}); nothing shows that it refused",
                tally.vendor.label, mark.words
            ))
        })
        .collect()
}
