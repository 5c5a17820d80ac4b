//! All names of the lab, computed once from the catalogue and from the names of visitors.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    dns_entry::EntryData,
    lab_state::LabState,
    ports::TRAP_ADDRESS,
    proofs::PublishedProofs,
    reverse_dns::{self, reverse_name},
    site::{DnsAddress, DnsBehaviour},
};

/// Names in lower case, without the final dot.
#[derive(Debug)]
pub(super) struct Zone {
    entries: HashMap<String, ZoneEntry>,
    /// What is published while the lab runs.
    published: Arc<PublishedProofs>,
}

#[derive(Debug)]
pub(super) struct ZoneEntry {
    pub(super) data: EntryData,
    pub(super) texts: Vec<String>,
    pub(super) signed: bool,
    /// IPv4 look-ups so far. Each look-up increments it; names that alternate choose their address
    /// by it.
    lookups: AtomicU64,
}

impl Zone {
    pub(super) fn new(world: &LabState) -> Self {
        let mut zone = Self { entries: HashMap::new(), published: Arc::clone(&world.published) };
        for running_site in &world.sites {
            let names = &running_site.site.dns;
            for (label, answer) in names.answers {
                let name = name_below(label, running_site.site.name);
                zone.add_answer(&name, *answer, running_site.address, names.signed);
            }
            for (label, text) in names.texts {
                let entry =
                    zone.entries.entry(name_below(label, running_site.site.name)).or_insert_with(
                        || ZoneEntry::new(EntryData::Addresses(Vec::new()), names.signed),
                    );
                entry.texts.push((*text).to_owned());
            }
            zone.insert(
                reverse_name(IpAddr::V4(running_site.address)),
                EntryData::Pointer(vec![running_site.site.name.to_owned()]),
                false,
            );
        }
        // A name for the trap, as a target of redirects and aliases.
        zone.insert(
            "trap.lab".to_owned(),
            EntryData::Addresses(vec![IpAddr::V4(TRAP_ADDRESS)]),
            false,
        );
        for (name, data) in reverse_dns::zone_entries() {
            zone.insert(name, data, false);
        }
        zone
    }

    pub(super) fn find(&self, name: &str) -> Option<&ZoneEntry> {
        self.entries.get(name)
    }

    /// The TXT records of this name: those of the catalogue and those that are published.
    pub(super) fn txt_records(&self, name: &str) -> Vec<Vec<String>> {
        let entry = self.find(name);
        let fixed = entry.into_iter().flat_map(|entry| &entry.texts);
        let mut records: Vec<Vec<String>> = fixed.map(|text| vec![text.clone()]).collect();
        records.extend(self.published.txt_records_at(name));
        // A wildcard is for names that do not exist.
        if records.is_empty() && entry.is_none() {
            records = self.published.wildcard_txt_records(name);
        }
        records
    }

    /// Whether the zone of a published record is signed.
    pub(super) fn is_published_signed(&self, name: &str) -> bool {
        self.published.is_signed(name)
    }

    /// Whether a name exists below this one. Then this name exists too, even without records.
    pub(super) fn has_below(&self, name: &str) -> bool {
        let is_below =
            |key: &String| key.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
        self.entries.keys().any(is_below) || self.published.has_txt_below(name)
    }

    fn insert(&mut self, name: String, data: EntryData, signed: bool) {
        self.entries.insert(name, ZoneEntry::new(data, signed));
    }

    fn add_answer(&mut self, name: &str, answer: DnsBehaviour, own: Ipv4Addr, signed: bool) {
        let address = IpAddr::V4(own);
        let data = match answer {
            DnsBehaviour::Own => EntryData::Addresses(vec![address]),
            DnsBehaviour::Addresses(list) => {
                EntryData::Addresses(list.iter().map(|item| to_ip_address(*item, own)).collect())
            }
            DnsBehaviour::Empty => EntryData::Addresses(Vec::new()),
            DnsBehaviour::Alias(target) => EntryData::Alias(target.to_owned()),
            DnsBehaviour::AliasChain(length) => {
                for hop in 1..=length {
                    let next = if hop == length {
                        EntryData::Addresses(vec![address])
                    } else {
                        EntryData::Alias(format!("hop{}.{name}", hop + 1))
                    };
                    self.insert(format!("hop{hop}.{name}"), next, signed);
                }
                EntryData::Alias(format!("hop1.{name}"))
            }
            DnsBehaviour::ServerFailure => EntryData::ServerFailure,
            DnsBehaviour::Refused => EntryData::Refused,
            DnsBehaviour::Late(milliseconds) => EntryData::Late(milliseconds, address),
            DnsBehaviour::Silent => EntryData::Silent,
            DnsBehaviour::TcpOnly => EntryData::TcpOnly(address),
            DnsBehaviour::Truncated => EntryData::Truncated,
            DnsBehaviour::UpperCase => EntryData::UpperCase,
            DnsBehaviour::OwnThenTrap => EntryData::Alternating { own: address, every: 0 },
            DnsBehaviour::Alternating => EntryData::Alternating { own: address, every: 2 },
            DnsBehaviour::Many(count) => EntryData::Addresses(
                std::iter::once(address)
                    .chain(unused_addresses().take(count.saturating_sub(1)))
                    .collect(),
            ),
        };
        self.insert(name.to_owned(), data, signed);
    }
}

impl ZoneEntry {
    fn new(data: EntryData, signed: bool) -> Self {
        Self { data, texts: Vec::new(), signed, lookups: AtomicU64::new(0) }
    }

    /// The addresses for this look-up.
    pub(super) fn addresses(&self, version4: bool) -> Vec<IpAddr> {
        match &self.data {
            EntryData::Addresses(list) => {
                list.iter().copied().filter(|address| address.is_ipv4() == version4).collect()
            }
            EntryData::Late(_, address) | EntryData::TcpOnly(address) if version4 => vec![*address],
            EntryData::Alternating { own, every } if version4 => {
                let turn = self.lookups.fetch_add(1, Ordering::SeqCst);
                let good = turn == 0 || turn.checked_rem(*every) == Some(0);
                vec![if good { *own } else { IpAddr::V4(TRAP_ADDRESS) }]
            }
            _ => Vec::new(),
        }
    }
}

/// Addresses of the lab's network that no site uses.
fn unused_addresses() -> impl Iterator<Item = IpAddr> {
    (128..=255u8)
        .flat_map(|third| (1..=250u8).map(move |fourth| Ipv4Addr::new(127, 77, third, fourth)))
        .map(IpAddr::V4)
}

fn name_below(label: &str, name: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{label}.{name}") }
}

fn to_ip_address(address: DnsAddress, own: Ipv4Addr) -> IpAddr {
    match address {
        DnsAddress::Own => IpAddr::V4(own),
        DnsAddress::Trap => IpAddr::V4(TRAP_ADDRESS),
        DnsAddress::V4(octets) => IpAddr::from(octets),
        DnsAddress::V6(segments) => IpAddr::from(segments),
    }
}
