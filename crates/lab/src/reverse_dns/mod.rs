//! Names of visitors' addresses (PTR): genuine ones of every operator that documents its names, and
//! forged ones. The forward names are outside `.lab`, as the operators' are; the lab's name server
//! answers for them.
//!
//! The addresses are invented and are in no feed of the lab, so that only the names tell who a
//! visitor is.

mod arpa;
mod forged;
mod genuine;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

pub(crate) use self::arpa::{is_special, reverse_name};
use crate::dns_entry::EntryData;

/// The suffixes of names that operators document (names below them, not themselves).
pub const DOCUMENTED_SUFFIXES: [&str; 14] = [
    "googlebot.com",
    "google.com",
    "gae.googleusercontent.com",
    "search.msn.com",
    "applebot.apple.com",
    "crawl.amazonbot.amazon",
    "crawl.commoncrawl.org",
    "search.you.com",
    "yandex.ru",
    "yandex.net",
    "yandex.com",
    "petalsearch.com",
    "crawl.baidu.com",
    "crawl.baidu.jp",
];

/// The zones outside `.lab` that the name server answers for, besides the reverse zones.
pub(crate) fn forward_zones() -> impl Iterator<Item = &'static str> {
    DOCUMENTED_SUFFIXES.into_iter().chain([forged::LOOKALIKE_ZONE])
}

/// One visitor's address, and what a look-up of its names shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtrCase {
    pub address: IpAddr,
    /// A stable word. Most cases exist for an IPv4 and an IPv6 address; `genuine` exists for every
    /// documented suffix.
    pub case: &'static str,
    pub outcome: PtrOutcome,
    /// The documented suffix below which the address has a confirmed name; `None` if it has none.
    pub suffix: Option<&'static str>,
}

/// What a correct check of a case finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PtrOutcome {
    /// A name below a documented suffix that leads back to the address.
    Confirmed,
    /// Names, but none below a documented suffix that leads back to the address.
    OtherNames,
    /// A definite answer without a name.
    NoName,
    /// No definite answer.
    LookupFails,
}

/// All cases.
#[must_use]
pub fn ptr_cases() -> Vec<PtrCase> {
    CASES.iter().map(|records| records.case.clone()).collect()
}

/// The entries of the name server for all cases.
pub(crate) fn zone_entries() -> impl Iterator<Item = (String, EntryData)> {
    CASES.iter().flat_map(|records| records.entries.iter().cloned())
}

/// A case and the names that exist because of it.
#[derive(Debug)]
struct CaseRecords {
    case: PtrCase,
    entries: Vec<(String, EntryData)>,
}

static CASES: LazyLock<Vec<CaseRecords>> =
    LazyLock::new(|| genuine::cases().into_iter().chain(forged::cases()).collect());

/// The IPv4 and the IPv6 address of the case with this number.
fn addresses(block: u8, number: u8) -> [IpAddr; 2] {
    let ipv6 = Ipv6Addr::new(0x2a0e, 0xe00 + u16::from(block), u16::from(number), 0, 0, 0, 0, 1);
    [IpAddr::V4(Ipv4Addr::new(44, 224 + block, number, 1)), IpAddr::V6(ipv6)]
}

/// The address as a part of a name: `44-224-0-1`, `2a0e-e00-0-0-0-0-0-1`.
fn label(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.octets().map(|octet| octet.to_string()).join("-"),
        IpAddr::V6(address) => address.segments().map(|group| format!("{group:x}")).join("-"),
    }
}
