//! A million addresses at once: memory, fairness and cost.

use std::net::Ipv4Addr;
use std::time::Duration;

use service::AddressBlock;
use tokio::time::Instant;

use super::{limiter::RateLimiter, rate::RateLimit, scopes::RateLimitClient};

const MB: usize = 1024 * 1024;
/// 16 networks of 65,536 addresses: 10.0.0.0/12.
const FLOOD: u32 = 1 << 20;
const FLOOD_START: u32 = 10 << 24;
const FLOOD_NETWORKS: u32 = 16;
const LIMIT: RateLimit = RateLimit { max: 10, window: Duration::from_secs(60) };

fn client(bits: u32) -> RateLimitClient {
    AddressBlock::from_address(Ipv4Addr::from_bits(bits).into()).into()
}

fn address(text: &str) -> RateLimitClient {
    AddressBlock::from_address(text.parse().unwrap()).into()
}

fn limiter(is_exact: bool) -> RateLimiter {
    let max = if is_exact { 5 } else { LIMIT.max };
    RateLimiter::new("read", vec![RateLimit { max, ..LIMIT }], is_exact)
}

/// How many requests of the flood were accepted: each address sends one.
fn flood(rates: &RateLimiter, first: u32, now: Instant) -> u32 {
    let verdicts = (0..FLOOD).map(|number| rates.acquire_test(client(first + number), 1, now));
    verdicts.map(|verdict| u32::from(verdict.wait.is_zero())).sum()
}

#[test]
fn a_flood_harms_only_its_own_networks() {
    for is_exact in [false, true] {
        let (rates, start) = (limiter(is_exact), Instant::now());
        let max = if is_exact { 5 } else { LIMIT.max };
        // Two clients that are there before the flood: one of another network, one of the same.
        let (guest, neighbour) = (address("192.0.2.1"), address("10.3.0.250"));
        for client in [guest, neighbour] {
            for _ in 0..3 {
                assert!(rates.acquire_test(client, 1, start).wait.is_zero());
            }
        }
        let accepted = flood(&rates, FLOOD_START, start);
        // Those who were there keep exactly their limit.
        for client in [guest, neighbour] {
            let mut left = 0;
            while rates.acquire_test(client, 1, start).wait.is_zero() {
                left += 1;
                assert!(left < 100);
            }
            // The neighbour's own address was part of the flood, and counted as itself.
            let used = if client == guest { 3 } else { 4 };
            assert_eq!(left, max - used, "{client:?}");
        }
        // The flood fills the table, and then has what its 16 networks have together.
        let room: u32 = if is_exact { 32_768 } else { 65_536 };
        let most = room + FLOOD_NETWORKS * max * 64;
        assert!(accepted <= most, "{accepted} of {most}");
        assert!(accepted > room / 10 * 9, "{accepted}: the room is used");
        // A new client of another network is served, and refused by its network only after 64 clients' limits.
        let mut served = 0;
        while rates.acquire_test(address("198.51.100.7"), 1, start).wait.is_zero() {
            served += 1;
            assert!(served <= 64 * max);
        }
        assert!(served == max || served == 64 * max, "{served}");
        assert!(rates.acquire_test(address("2001:db8::1"), 1, start).wait.is_zero(), "IPv6");
        // A new address of the flood's networks is refused, for the network as the sentence says.
        let late = (0..FLOOD_NETWORKS << 16).map(|number| client(FLOOD_START + number));
        let mut refused = late.map(|late| rates.acquire_test(late, 1, start));
        let refused = refused.find_map(|verdict| verdict.refused_for).unwrap();
        assert!(refused.is_crowd && refused.network.to_string().starts_with("10."), "{refused:?}");
        // When the flood is over, everybody is counted alone again.
        let later = start + LIMIT.window;
        assert_eq!(rates.tracked_clients(later), 0);
        let verdict = rates.acquire_test(client(FLOOD_START + 77), 1, later);
        assert_eq!(
            (&*verdict.quotas[0].policy.name, verdict.quotas[0].remaining),
            ("read", max - 1)
        );
    }
}

/// A flood from one IPv6 provider: the /48 networks are limited, and so is the provider.
#[test]
fn a_flood_of_ipv6_networks_harms_only_its_own_networks() {
    let (rates, start) = (limiter(false), Instant::now());
    let network = |number: u128| {
        let bits = (0x2001_0db8_u128 << 96) | (number << 64);
        RateLimitClient::from(AddressBlock::from_address(
            std::net::Ipv6Addr::from_bits(bits).into(),
        ))
    };
    // One /48: 16 times the limit, whatever the number of its networks.
    let one =
        (0..1 << 16).filter(|number| rates.acquire_test(network(*number), 1, start).wait.is_zero());
    assert_eq!(one.count(), 160);
    // All /48 of a /32.
    let all = (1..FLOOD.into()).map(|number| network(number << 12));
    let accepted =
        all.filter(|client| rates.acquire_test(*client, 1, start).wait.is_zero()).count();
    assert!(accepted < 65_536 + 640, "{accepted}");
    assert!(rates.acquire_test(address("2a00:1::1"), 1, start).wait.is_zero(), "another provider");
    assert!(rates.acquire_test(address("192.0.2.1"), 1, start).wait.is_zero(), "IPv4");
}

/// The memory of this process that no file backs.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

/// The tests of one binary share a process, so the measurement runs in a process of its own.
#[test]
fn a_million_addresses_take_bounded_memory_and_constant_time() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["rate_limits::flood_tests::measure_alone", "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    text.lines().filter(|line| line.contains("limiter")).for_each(|line| println!("{line}"));
}

#[test]
#[ignore = "needs a process of its own; started by a_million_addresses_take_bounded_memory_and_constant_time"]
fn measure_alone() {
    for (is_exact, bound) in [(false, 3 * MB), (true, 5 * MB)] {
        let (rates, start) = (limiter(is_exact), Instant::now());
        let before = resident_bytes();
        flood(&rates, FLOOD_START, start);
        let first = resident_bytes().saturating_sub(before);
        // Another million, and the same again a window later.
        flood(&rates, 20 << 24, start);
        flood(&rates, FLOOD_START, start + LIMIT.window);
        let grown = resident_bytes().saturating_sub(before);
        println!("limiter, exact {is_exact}: {first} bytes after a million, {grown} after three");
        assert!(grown <= bound, "{grown} of {bound}");
        drop(rates);
    }
    // One request in a full table against one in an empty table: the best of several runs, because the
    // machine may be busy.
    let (empty, full, start) = (limiter(false), limiter(false), Instant::now());
    flood(&full, FLOOD_START, start);
    let time = |rates: &RateLimiter| {
        let runs = (0..20_u32).map(|run| {
            let began = std::time::Instant::now();
            for number in 0..5_000_u32 {
                rates.acquire_test(client((30 << 24) + run * 5_000 + number), 1, start);
            }
            began.elapsed()
        });
        runs.min().unwrap()
    };
    let (few, many) = (time(&empty), time(&full));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    println!(
        "limiter: a request among a million clients takes {ratio:.2} times one among few ({few:?} for 5,000)"
    );
    assert!(ratio < 10.0, "{ratio}");
}
