//! Addresses whose names lead back to them.

use std::net::IpAddr;

use super::{
    CaseRecords, DOCUMENTED_SUFFIXES, PtrCase, PtrOutcome, addresses, label, reverse_name,
};
use crate::dns_entry::EntryData;

const BLOCK: u8 = 0;
/// The numbers of the further cases; those below belong to the suffixes.
const BY_ALIAS: u8 = 100;
const MIXED_CASE: u8 = 101;
const AMONG_OTHERS: u8 = 102;

pub(super) fn cases() -> Vec<CaseRecords> {
    let every_suffix = DOCUMENTED_SUFFIXES.iter().zip(0_u8..).flat_map(|(suffix, number)| {
        addresses(BLOCK, number).map(|address| genuine(address, suffix))
    });
    every_suffix
        .chain(addresses(BLOCK, BY_ALIAS).map(by_alias))
        .chain(addresses(BLOCK, MIXED_CASE).map(mixed_case))
        .chain(addresses(BLOCK, AMONG_OTHERS).map(among_others))
        .collect()
}

fn genuine(address: IpAddr, suffix: &'static str) -> CaseRecords {
    let name = operator_name(address, suffix);
    let entries = vec![
        (reverse_name(address), EntryData::Pointer(vec![name.clone()])),
        (name, EntryData::Addresses(vec![address])),
    ];
    confirmed("genuine", address, suffix, entries)
}

/// A name as the operator forms it.
fn operator_name(address: IpAddr, suffix: &str) -> String {
    let label = label(address);
    match suffix {
        "googlebot.com" => format!("crawl-{label}.{suffix}"),
        "google.com" => format!("rate-limited-proxy-{label}.{suffix}"),
        "search.msn.com" => format!("msnbot-{label}.{suffix}"),
        "search.you.com" => format!("youbot-{label}.{suffix}"),
        "yandex.ru" | "yandex.net" | "yandex.com" => format!("{label}.spider.{suffix}"),
        "petalsearch.com" => format!("petalbot-{label}.{suffix}"),
        "crawl.baidu.com" | "crawl.baidu.jp" => format!("baiduspider-{label}.{suffix}"),
        _ => format!("{label}.{suffix}"),
    }
}

/// The reverse name is an alias of one in a zone of the network's owner (RFC 2317).
fn by_alias(address: IpAddr) -> CaseRecords {
    let name = operator_name(address, "googlebot.com");
    let reverse = reverse_name(address);
    let owned = format!("owned.{reverse}");
    let entries = vec![
        (reverse, EntryData::Alias(owned.clone())),
        (owned, EntryData::Pointer(vec![name.clone()])),
        (name, EntryData::Addresses(vec![address])),
    ];
    confirmed("genuine_by_alias", address, "googlebot.com", entries)
}

/// Letter case means nothing in names.
fn mixed_case(address: IpAddr) -> CaseRecords {
    let name = operator_name(address, "search.msn.com");
    let shouted = name.replace("search.msn.com", "Search.MSN.com");
    let entries = vec![
        (reverse_name(address), EntryData::Pointer(vec![shouted])),
        (name, EntryData::Addresses(vec![address])),
    ];
    confirmed("genuine_mixed_case", address, "search.msn.com", entries)
}

/// The second of three names is the operator's, and it has several addresses.
fn among_others(address: IpAddr) -> CaseRecords {
    let name = operator_name(address, "yandex.com");
    let names = vec!["host.lab".to_owned(), name.clone(), "customer.lab".to_owned()];
    let [ipv4, ipv6] = addresses(BLOCK, u8::MAX);
    let other = if address.is_ipv4() { ipv4 } else { ipv6 };
    let entries = vec![
        (reverse_name(address), EntryData::Pointer(names)),
        (name, EntryData::Addresses(vec![other, address])),
    ];
    confirmed("genuine_among_others", address, "yandex.com", entries)
}

fn confirmed(
    case: &'static str,
    address: IpAddr,
    suffix: &'static str,
    entries: Vec<(String, EntryData)>,
) -> CaseRecords {
    let case = PtrCase { address, case, outcome: PtrOutcome::Confirmed, suffix: Some(suffix) };
    CaseRecords { case, entries }
}
