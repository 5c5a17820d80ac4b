//! Every name of the lab, worked out once from the catalogue.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    ports::TRAP,
    site::{Address, Answer},
    world::World,
};

/// Names in lower case, without the final dot.
#[derive(Debug)]
pub(super) struct Zone(HashMap<String, Entry>);

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) data: Data,
    pub(super) texts: Vec<String>,
    pub(super) signed: bool,
    /// Look-ups of its IPv4 address so far: some names answer by turns.
    asked: AtomicU64,
}

#[derive(Debug)]
pub(super) enum Data {
    Addresses(Vec<IpAddr>),
    Alias(String),
    Pointer(String),
    ServerFailure,
    Refused,
    Late(u64, IpAddr),
    Silent,
    TcpOnly(IpAddr),
    /// The own address at first, the trap's later (`every` 0) or in turn (`every` 2).
    Turning {
        own: IpAddr,
        every: u64,
    },
}

impl Zone {
    pub(super) fn new(world: &World) -> Self {
        let mut zone = Self(HashMap::new());
        for place in &world.places {
            let names = &place.site.names;
            for (label, answer) in names.answers {
                let name = below(label, place.site.name);
                zone.add_answer(&name, *answer, place.address, names.signed);
            }
            for (label, text) in names.texts {
                let entry = zone
                    .0
                    .entry(below(label, place.site.name))
                    .or_insert_with(|| Entry::new(Data::Addresses(Vec::new()), names.signed));
                entry.texts.push((*text).to_owned());
            }
            let [a, b, c, d] = place.address.octets();
            zone.insert(
                format!("{d}.{c}.{b}.{a}.in-addr.arpa"),
                Data::Pointer(place.site.name.to_owned()),
                false,
            );
        }
        // A name for the trap, for redirects and aliases to lead to.
        zone.insert("trap.lab".to_owned(), Data::Addresses(vec![IpAddr::V4(TRAP)]), false);
        zone
    }

    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        self.0.get(name)
    }

    /// Whether some name lies below this one: then it exists, even without records.
    pub(super) fn has_below(&self, name: &str) -> bool {
        self.0.keys().any(|key| key.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')))
    }

    fn insert(&mut self, name: String, data: Data, signed: bool) {
        self.0.insert(name, Entry::new(data, signed));
    }

    fn add_answer(&mut self, name: &str, answer: Answer, own: Ipv4Addr, signed: bool) {
        let address = IpAddr::V4(own);
        let data = match answer {
            Answer::Own => Data::Addresses(vec![address]),
            Answer::Addresses(list) => {
                Data::Addresses(list.iter().map(|item| resolved(*item, own)).collect())
            }
            Answer::Empty => Data::Addresses(Vec::new()),
            Answer::Alias(target) => Data::Alias(target.to_owned()),
            Answer::AliasChain(length) => {
                for hop in 1..=length {
                    let next = if hop == length {
                        Data::Addresses(vec![address])
                    } else {
                        Data::Alias(format!("hop{}.{name}", hop + 1))
                    };
                    self.insert(format!("hop{hop}.{name}"), next, signed);
                }
                Data::Alias(format!("hop1.{name}"))
            }
            Answer::ServerFailure => Data::ServerFailure,
            Answer::Refused => Data::Refused,
            Answer::Late(milliseconds) => Data::Late(milliseconds, address),
            Answer::Silent => Data::Silent,
            Answer::TcpOnly => Data::TcpOnly(address),
            Answer::ThenTrap => Data::Turning { own: address, every: 0 },
            Answer::Alternating => Data::Turning { own: address, every: 2 },
            Answer::Many(count) => Data::Addresses(
                std::iter::once(address).chain(crowd().take(count.saturating_sub(1))).collect(),
            ),
        };
        self.insert(name.to_owned(), data, signed);
    }
}

impl Entry {
    fn new(data: Data, signed: bool) -> Self {
        Self { data, texts: Vec::new(), signed, asked: AtomicU64::new(0) }
    }

    /// The addresses to give this time.
    pub(super) fn addresses(&self, version4: bool) -> Vec<IpAddr> {
        match &self.data {
            Data::Addresses(list) => {
                list.iter().copied().filter(|address| address.is_ipv4() == version4).collect()
            }
            Data::Late(_, address) | Data::TcpOnly(address) if version4 => vec![*address],
            Data::Turning { own, every } if version4 => {
                let turn = self.asked.fetch_add(1, Ordering::SeqCst);
                let good = turn == 0 || turn.checked_rem(*every) == Some(0);
                vec![if good { *own } else { IpAddr::V4(TRAP) }]
            }
            _ => Vec::new(),
        }
    }
}

/// Addresses of the lab's network at which nobody lives.
fn crowd() -> impl Iterator<Item = IpAddr> {
    (128..=255u8)
        .flat_map(|third| (1..=250u8).map(move |fourth| Ipv4Addr::new(127, 77, third, fourth)))
        .map(IpAddr::V4)
}

fn below(label: &str, name: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{label}.{name}") }
}

fn resolved(address: Address, own: Ipv4Addr) -> IpAddr {
    match address {
        Address::Own => IpAddr::V4(own),
        Address::Trap => IpAddr::V4(TRAP),
        Address::V4(octets) => IpAddr::from(octets),
        Address::V6(segments) => IpAddr::from(segments),
    }
}
