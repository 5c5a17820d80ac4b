//! Addresses that a stranger named, addresses without a name, and look-ups that fail. Whoever has an
//! address can give it any name, but cannot make the name of an operator lead to it.

use std::net::IpAddr;

use super::{CaseRecords, PtrCase, PtrOutcome, addresses, label, reverse_name};
use crate::dns_entry::EntryData;

/// A zone whose name ends like a documented suffix, but not at a dot.
pub(super) const LOOKALIKE_ZONE: &str = "notgooglebot.com";

const BLOCK: u8 = 1;
const MANY_NAMES: usize = 1_000;

type Build = fn(IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>);

const CASES: &[(&str, Build)] = &[
    ("forward_elsewhere", forward_elsewhere),
    ("suffix_inside_other_name", suffix_inside_other_name),
    ("suffix_without_boundary", suffix_without_boundary),
    ("no_forward", no_forward),
    ("forward_without_address", forward_without_address),
    ("thousand_names", thousand_names),
    ("points_at_itself", points_at_itself),
    ("nxdomain", |_| (PtrOutcome::NoName, Vec::new())),
    ("no_pointer", |address| {
        (PtrOutcome::NoName, vec![(reverse_name(address), EntryData::Addresses(Vec::new()))])
    }),
    ("servfail", |address| fails(address, EntryData::ServerFailure)),
    ("refused", |address| fails(address, EntryData::Refused)),
    ("timeout", |address| fails(address, EntryData::Silent)),
    ("alias_loop", alias_loop),
    ("forward_servfail", |address| forward_fails(address, EntryData::ServerFailure)),
    ("forward_timeout", |address| forward_fails(address, EntryData::Silent)),
];

pub(super) fn cases() -> Vec<CaseRecords> {
    let numbered = CASES.iter().zip(0_u8..);
    numbered
        .flat_map(|((case, build), number)| {
            addresses(BLOCK, number).map(|address| {
                let (outcome, entries) = build(address);
                let case = PtrCase { address, case, outcome, suffix: None };
                CaseRecords { case, entries }
            })
        })
        .collect()
}

/// A name as Googlebot has it.
fn right_looking(address: IpAddr) -> String {
    format!("crawl-{}.googlebot.com", label(address))
}

fn named(address: IpAddr, names: Vec<String>) -> (String, EntryData) {
    (reverse_name(address), EntryData::Pointer(names))
}

fn forward_elsewhere(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let name = right_looking(address);
    let elsewhere = addresses(BLOCK, u8::MAX).to_vec();
    let entries = vec![named(address, vec![name.clone()]), (name, EntryData::Addresses(elsewhere))];
    (PtrOutcome::OtherNames, entries)
}

/// The stranger owns evil.lab, so the name does lead back.
fn suffix_inside_other_name(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    leads_back(address, format!("{}.evil.lab", right_looking(address)))
}

fn suffix_without_boundary(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    leads_back(address, format!("crawl-{}.{LOOKALIKE_ZONE}", label(address)))
}

fn leads_back(address: IpAddr, name: String) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let entries =
        vec![named(address, vec![name.clone()]), (name, EntryData::Addresses(vec![address]))];
    (PtrOutcome::OtherNames, entries)
}

fn no_forward(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    (PtrOutcome::OtherNames, vec![named(address, vec![right_looking(address)])])
}

fn forward_without_address(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let name = right_looking(address);
    let entries =
        vec![named(address, vec![name.clone()]), (name, EntryData::Addresses(Vec::new()))];
    (PtrOutcome::OtherNames, entries)
}

fn thousand_names(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let names = (1..=MANY_NAMES).map(|number| format!("crawl-{number}.googlebot.com")).collect();
    (PtrOutcome::OtherNames, vec![named(address, names)])
}

fn points_at_itself(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    (PtrOutcome::OtherNames, vec![named(address, vec![reverse_name(address)])])
}

fn fails(address: IpAddr, data: EntryData) -> (PtrOutcome, Vec<(String, EntryData)>) {
    (PtrOutcome::LookupFails, vec![(reverse_name(address), data)])
}

fn alias_loop(address: IpAddr) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let reverse = reverse_name(address);
    let other = format!("other.{reverse}");
    let entries = vec![
        (reverse.clone(), EntryData::Alias(other.clone())),
        (other, EntryData::Alias(reverse)),
    ];
    (PtrOutcome::LookupFails, entries)
}

fn forward_fails(address: IpAddr, data: EntryData) -> (PtrOutcome, Vec<(String, EntryData)>) {
    let name = right_looking(address);
    let entries = vec![named(address, vec![name.clone()]), (name, data)];
    (PtrOutcome::LookupFails, entries)
}
