//! Looking up addresses in 40,000 prefixes, compared with the fastest public crates for that.
//!
//! Every contender holds the same prefixes and gets the same addresses in the same order. The crates
//! find the longest prefix and its value; `RangeTable` finds all feeds, which is more. The contenders
//! take turns in short rounds of processor time, and the median of the rounds counts. Only the ratios
//! are meaningful.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for the terminal"
)]

use std::hint::black_box;
use std::net::IpAddr;
use std::time::Duration;

use agents::FeedIndex;
use agents::ranges::{PrefixSet, RangeTable};
use bench_table::{Goal, report_ratio};
use ip_network_table_deps_treebitmap::IpLookupTable;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use iptrie::{Ipv4LCTrieMap, Ipv4RTrieMap, Ipv6LCTrieMap, Ipv6RTrieMap};
use poptrie::Poptrie;
use prefix_trie::PrefixMap;
use rustix::time::{ClockId, clock_gettime};

const PREFIXES: usize = 40_000;
const FEEDS: u64 = 30;
const ADDRESSES: usize = 1 << 16;
const GOAL: f64 = 1.0;

/// Looks up all addresses and counts those that are in a prefix.
type Lookups = Box<dyn Fn(&[IpAddr]) -> usize>;

fn main() {
    // `cargo test --all-targets` also runs this; then one short round is enough.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let mut missed = false;
    for (name, ipv4_share) in [("IPv4", 100), ("IPv6", 0), ("three quarters IPv4", 75)] {
        let nets = prefixes(ipv4_share);
        let addresses = addresses(&nets);
        missed |= !compare(name, &nets, &addresses, measured);
    }
    if measured && missed {
        std::process::exit(1);
    }
}

/// Prints the rates of all contenders and returns whether the goal is reached.
fn compare(name: &str, nets: &[(IpNet, FeedIndex)], addresses: &[IpAddr], measured: bool) -> bool {
    let sets: Vec<(FeedIndex, PrefixSet)> = (0..FEEDS)
        .map(|feed| FeedIndex(u16::try_from(feed).unwrap()))
        .map(|feed| (feed, nets.iter().filter(|net| net.1 == feed).map(|net| net.0).collect()))
        .collect();
    let start = processor_time();
    let table = RangeTable::new(sets.iter().map(|(feed, set)| (*feed, set)));
    let built = processor_time() - start;
    println!(
        "{} prefixes, {name}; RangeTable takes {} KiB, built in {:.1} ms",
        nets.len(),
        table.memory_bytes() / 1024,
        built.as_secs_f64() * 1e3
    );
    let ours: Lookups = Box::new(move |addresses| {
        addresses.iter().filter(|address| !table.feeds_of(**address).is_empty()).count()
    });
    let contenders: [(&str, Lookups); 5] = [
        ("RangeTable", ours),
        ("poptrie", poptrie(nets)),
        ("treebitmap", treebitmap(nets)),
        ("prefix-trie", prefix_trie(nets)),
        ("iptrie", iptrie(nets)),
    ];
    let hits = contenders[0].1(addresses);
    println!("  {hits} of {} addresses are in a prefix", addresses.len());
    for (name, run) in &contenders {
        assert_eq!(run(addresses), hits, "{name} must agree");
    }

    let rounds = if measured { 31 } else { 1 };
    let round = Duration::from_millis(if measured { 50 } else { 1 });
    let mut rates = [const { Vec::new() }; 5];
    for _ in 0..rounds {
        for (rates, (_, run)) in rates.iter_mut().zip(&contenders) {
            rates.push(rate(round, addresses, run));
        }
    }
    let rates = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    });
    for ((name, _), rate) in contenders.iter().zip(rates) {
        println!(
            "  {name:<12} {:>8.1} million/s {:>7.1} ns   ours / this {:>6.2}",
            rate / 1e6,
            1e9 / rate,
            rates[0] / rate
        );
    }
    let best = rates[1..].iter().copied().fold(0.0, f64::max);
    let ratio = rates[0] / best;
    let path = format!("look-ups of addresses, {name}");
    report_ratio(&path, "the best crate", ratio, Goal::AtLeast(GOAL))
}

/// Look-ups in a second of processor time, so that other programs do not count.
fn rate(round: Duration, addresses: &[IpAddr], run: &Lookups) -> f64 {
    let start = processor_time();
    let mut passes = 0_u32;
    loop {
        black_box(run(black_box(addresses)));
        passes += 1;
        let spent = processor_time() - start;
        if spent >= round {
            return f64::from(passes) * addresses.len() as f64 / spent.as_secs_f64();
        }
    }
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

fn poptrie(nets: &[(IpNet, FeedIndex)]) -> Lookups {
    let ipv4: Poptrie<(u32, u8), u16> =
        ipv4(nets).map(|(net, feed)| ((net.network().to_bits(), net.prefix_len()), feed)).collect();
    let ipv6: Poptrie<(u128, u8), u16> =
        ipv6(nets).map(|(net, feed)| ((net.network().to_bits(), net.prefix_len()), feed)).collect();
    count(move |address| match address {
        IpAddr::V4(address) => ipv4.lookup(address.to_bits()).copied(),
        IpAddr::V6(address) => ipv6.lookup(address.to_bits()).copied(),
    })
}

fn treebitmap(nets: &[(IpNet, FeedIndex)]) -> Lookups {
    let (mut v4, mut v6) = (IpLookupTable::new(), IpLookupTable::new());
    for (net, feed) in ipv4(nets) {
        v4.insert(net.network(), net.prefix_len().into(), feed);
    }
    for (net, feed) in ipv6(nets) {
        v6.insert(net.network(), net.prefix_len().into(), feed);
    }
    count(move |address| match address {
        IpAddr::V4(address) => v4.longest_match(address).map(|found| *found.2),
        IpAddr::V6(address) => v6.longest_match(address).map(|found| *found.2),
    })
}

fn prefix_trie(nets: &[(IpNet, FeedIndex)]) -> Lookups {
    let ipv4: PrefixMap<Ipv4Net, u16> = ipv4(nets).collect();
    let ipv6: PrefixMap<Ipv6Net, u16> = ipv6(nets).collect();
    count(move |address| match address {
        IpAddr::V4(address) => ipv4.get_lpm(&address.into()).map(|found| *found.1),
        IpAddr::V6(address) => ipv6.get_lpm(&address.into()).map(|found| *found.1),
    })
}

fn iptrie(nets: &[(IpNet, FeedIndex)]) -> Lookups {
    // Its root is a value for addresses in no prefix.
    let (mut v4, mut v6) = (Ipv4RTrieMap::with_root(None), Ipv6RTrieMap::with_root(None));
    for (net, feed) in ipv4(nets) {
        v4.insert(net.to_string().parse().unwrap(), Some(feed));
    }
    for (net, feed) in ipv6(nets) {
        v6.insert(net.to_string().parse().unwrap(), Some(feed));
    }
    let (v4, v6): (Ipv4LCTrieMap<_>, Ipv6LCTrieMap<_>) = (v4.compress(), v6.compress());
    count(move |address| match address {
        IpAddr::V4(address) => *v4.lookup(&address).1,
        IpAddr::V6(address) => *v6.lookup(&address).1,
    })
}

fn count(lookup: impl Fn(IpAddr) -> Option<u16> + 'static) -> Lookups {
    Box::new(move |addresses| {
        addresses.iter().filter(|address| lookup(**address).is_some()).count()
    })
}

fn ipv4(nets: &[(IpNet, FeedIndex)]) -> impl Iterator<Item = (Ipv4Net, u16)> {
    nets.iter().filter_map(|(net, feed)| match net {
        IpNet::V4(net) => Some((*net, feed.0)),
        IpNet::V6(_) => None,
    })
}

fn ipv6(nets: &[(IpNet, FeedIndex)]) -> impl Iterator<Item = (Ipv6Net, u16)> {
    nets.iter().filter_map(|(net, feed)| match net {
        IpNet::V6(net) => Some((*net, feed.0)),
        IpNet::V4(_) => None,
    })
}

/// Prefixes as feeds have them: single addresses and small blocks, close together in the networks of
/// a few hosting companies, some inside others.
fn prefixes(ipv4_share: u64) -> Vec<(IpNet, FeedIndex)> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let ipv4_networks: Vec<u32> =
        (0..600).map(|_| (1 + dice.roll(222) as u32) << 24 | dice.bits32() & 0xff_0000).collect();
    let ipv6_networks: Vec<u128> =
        (0..60).map(|_| 0x2_u128 << 124 | u128::from(dice.bits32() & 0xfff_ffff) << 96).collect();
    let mut nets = Vec::with_capacity(PREFIXES);
    while nets.len() < PREFIXES {
        let feed = FeedIndex(u16::try_from(dice.roll(FEEDS)).unwrap());
        let net: IpNet = if dice.roll(100) < ipv4_share {
            let length = [32, 32, 32, 32, 28, 28, 28, 24, 24, 22, 20, 27, 30][dice.index(13)];
            let network = ipv4_networks[dice.index(ipv4_networks.len())];
            Ipv4Net::new((network | dice.bits32() & 0xffff).into(), length).unwrap().into()
        } else {
            let length = [64, 64, 64, 48, 48, 48, 56, 40, 128, 128][dice.index(10)];
            let network = ipv6_networks[dice.index(ipv6_networks.len())];
            // Networks number their parts from the start.
            let part =
                u128::from(dice.bits32() & 0x3ff) << 80 | u128::from(dice.bits32() & 0xff) << 64;
            let host = if length == 128 { u128::from(dice.bits32()) } else { 0 };
            Ipv6Net::new((network | part | host).into(), length).unwrap().into()
        };
        nets.push((net.trunc(), feed));
    }
    nets
}

/// Addresses in random order: half of them in a prefix, a quarter close to one, a quarter anywhere.
fn addresses(nets: &[(IpNet, FeedIndex)]) -> Vec<IpAddr> {
    let mut dice = Dice(0xd1b5_4a32_d192_ed03);
    (0..ADDRESSES)
        .map(|_| {
            let net = nets[dice.index(nets.len())].0;
            let keep = match dice.roll(4) {
                0 | 1 => u32::from(net.prefix_len()),
                2 if net.max_prefix_len() == 32 => 16,
                2 => 48,
                _ => 0,
            };
            match net {
                IpNet::V4(net) => {
                    let host = u32::MAX.checked_shr(keep).unwrap_or(0);
                    IpAddr::V4((net.network().to_bits() & !host | dice.bits32() & host).into())
                }
                IpNet::V6(net) => {
                    let host = u128::MAX.checked_shr(keep).unwrap_or(0);
                    let bits = dice.bits128();
                    IpAddr::V6((net.network().to_bits() & !host | bits & host).into())
                }
            }
        })
        .collect()
}

/// A small generator of repeatable numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn bits64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bits32(&mut self) -> u32 {
        (self.bits64() >> 20) as u32
    }

    fn bits128(&mut self) -> u128 {
        u128::from(self.bits64()) << 64 | u128::from(self.bits64())
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.bits64() % sides
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.roll(length as u64)).unwrap()
    }
}
