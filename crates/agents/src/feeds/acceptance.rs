//! Decides whether a feed may replace the last good copy.

use ipnet::IpNet;

use super::content::FeedContent;
use super::fault::{AddressFamily, FeedFault};
use crate::feed_id::FeedScope;
use crate::ranges::{PrefixSet, special_block_in};

/// The most IPv4 addresses in a list of agents, a 64th of all.
pub const MAX_IPV4_ADDRESSES: u64 = 1 << 26;

/// Checks a feed that was read. On a fault, the last good copy must stay in use.
///
/// A list that really shrank by 90 % is refused until a person accepts it; then call this without
/// `last_good`.
pub fn check_feed(
    scope: FeedScope,
    content: &FeedContent,
    last_good: Option<&PrefixSet>,
) -> Result<(), FeedFault> {
    let prefixes = &content.prefixes;
    if prefixes.is_empty() {
        return Err(FeedFault::NoPrefixes);
    }
    if content.skipped > content.entries {
        return Err(FeedFault::MostlyInvalid {
            skipped: content.skipped,
            total: content.skipped + content.entries,
        });
    }
    for prefix in prefixes.iter() {
        check_prefix(scope, prefix)?;
    }
    let addresses = prefixes.ipv4_addresses();
    if scope != FeedScope::Network && addresses > MAX_IPV4_ADDRESSES {
        return Err(FeedFault::TooManyAddresses { addresses });
    }
    last_good.map_or(Ok(()), |last_good| check_shrinkage(prefixes, last_good))
}

fn check_prefix(scope: FeedScope, prefix: IpNet) -> Result<(), FeedFault> {
    if prefix.prefix_len() == 0 {
        return Err(FeedFault::EveryAddress { prefix });
    }
    let shortest = shortest_prefix(scope, &prefix);
    if prefix.prefix_len() < shortest {
        return Err(FeedFault::TooWide { prefix, shortest });
    }
    match special_block_in(&prefix) {
        Some(block) => Err(FeedFault::SpecialPurpose {
            prefix,
            block: block.name,
            source_document: block.source,
        }),
        None => Ok(()),
    }
}

/// The shortest prefix that a list may contain. The longest allocations to one company are a few /8
/// and one /19; lists of agents stay far below, and a wider prefix in one is a mistake.
fn shortest_prefix(scope: FeedScope, prefix: &IpNet) -> u8 {
    match (scope, prefix) {
        (FeedScope::Network, IpNet::V4(_)) => 8,
        (FeedScope::Network, IpNet::V6(_)) => 19,
        (FeedScope::Agent | FeedScope::Operator, IpNet::V4(_)) => 16,
        (FeedScope::Agent | FeedScope::Operator, IpNet::V6(_)) => 32,
    }
}

/// A list that lost nearly everything is more often a mistake than the truth, and would make genuine
/// visitors look forged. Families count on their own: one may vanish while the other stays.
fn check_shrinkage(now: &PrefixSet, before: &PrefixSet) -> Result<(), FeedFault> {
    let (prefixes_now, prefixes_before) = (now.len(), before.len());
    if shrank(prefixes_now as u128, prefixes_before as u128) {
        return Err(FeedFault::FewerPrefixes { before: prefixes_before, now: prefixes_now });
    }
    let families = [
        (AddressFamily::Ipv4, now.ipv4_addresses().into(), before.ipv4_addresses().into()),
        (AddressFamily::Ipv6, now.ipv6_addresses(), before.ipv6_addresses()),
    ];
    for (family, now, before) in families {
        if shrank(now, before) {
            return Err(FeedFault::FewerAddresses { family, before, now });
        }
    }
    Ok(())
}

/// Whether at most a tenth is left.
fn shrank(now: u128, before: u128) -> bool {
    before > 0 && now <= before / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> FeedContent {
        let prefixes = PrefixSet::from_text(text).unwrap();
        FeedContent { entries: prefixes.len(), prefixes, created_at: None, skipped: 0 }
    }

    fn check(scope: FeedScope, text: &str) -> Result<(), FeedFault> {
        check_feed(scope, &content(text), None)
    }

    #[test]
    fn an_ordinary_list_is_accepted() {
        for scope in [FeedScope::Agent, FeedScope::Operator, FeedScope::Network] {
            assert_eq!(check(scope, "5.6.0.0/16\n9.9.9.9/32\n2a00:1::/32\n2a00:2::1/128"), Ok(()));
        }
        assert_eq!(check(FeedScope::Network, "9.0.0.0/8\n2a10::/19"), Ok(()));
    }

    #[test]
    fn a_list_without_prefixes_or_with_too_few_valid_ones_is_refused() {
        assert_eq!(check(FeedScope::Agent, ""), Err(FeedFault::NoPrefixes));
        // Entries that repeat a prefix count.
        let half = FeedContent { entries: 7, skipped: 7, ..content("5.6.7.0/24") };
        assert_eq!(check_feed(FeedScope::Agent, &half, None), Ok(()));
        let more = FeedContent { skipped: 8, ..half };
        let fault = FeedFault::MostlyInvalid { skipped: 8, total: 15 };
        assert_eq!(check_feed(FeedScope::Agent, &more, None), Err(fault));
    }

    #[test]
    fn wide_prefixes_are_refused_by_scope() {
        for (scope, text, shortest) in [
            (FeedScope::Agent, "5.6.0.0/15", 16),
            (FeedScope::Operator, "5.6.0.0/15", 16),
            (FeedScope::Agent, "2a00::/31", 32),
            (FeedScope::Network, "8.0.0.0/7", 8),
            (FeedScope::Network, "2a10::/18", 19),
        ] {
            let prefix = text.parse().unwrap();
            let fault = FeedFault::TooWide { prefix, shortest };
            assert_eq!(check(scope, &format!("5.6.7.8\n{text}")), Err(fault), "{scope:?}");
        }
        for text in ["0.0.0.0/0", "::/0"] {
            let fault = FeedFault::EveryAddress { prefix: text.parse().unwrap() };
            assert_eq!(check(FeedScope::Network, text), Err(fault));
        }
    }

    #[test]
    fn special_addresses_are_refused() {
        for (text, name) in [
            ("10.0.0.0/24", "private"),
            ("127.0.0.1/32", "loopback"),
            ("100.64.0.0/24", "carrier-grade NAT"),
            ("192.0.2.0/24", "documentation"),
            ("224.0.0.1/32", "multicast"),
            ("::ffff:5.6.7.8/128", "IPv4-mapped"),
            ("2002::/32", "6to4"),
            ("fd00::/48", "unique local"),
            ("2001:db8::/48", "documentation"),
        ] {
            let fault = check(FeedScope::Network, &format!("5.6.7.8\n{text}")).unwrap_err();
            assert!(
                matches!(fault, FeedFault::SpecialPurpose { block, .. } if block == name),
                "{fault}"
            );
        }
    }

    #[test]
    fn too_many_addresses_are_refused_except_for_networks() {
        let wide =
            |count: u32| (0..count).map(|n| format!("{}.{}.0.0/16\n", 20 + n / 256, n % 256));
        let most: String = wide(1024).collect();
        assert_eq!(check(FeedScope::Operator, &most), Ok(()));
        let more: String = wide(1025).collect();
        let addresses = MAX_IPV4_ADDRESSES + (1 << 16);
        let fault = FeedFault::TooManyAddresses { addresses };
        assert_eq!(check(FeedScope::Operator, &more), Err(fault));
        assert_eq!(check(FeedScope::Network, &more), Ok(()));
    }

    #[test]
    fn a_list_that_shrank_by_nine_tenths_is_refused() {
        let hosts = |count: u32| -> String { (0..count).map(|n| format!("5.6.7.{n}\n")).collect() };
        let check = |before: &str, now: &str| {
            let before = PrefixSet::from_text(before).unwrap();
            check_feed(FeedScope::Agent, &content(now), Some(&before))
        };
        assert_eq!(check(&hosts(20), &hosts(3)), Ok(()));
        assert_eq!(
            check(&hosts(20), &hosts(2)),
            Err(FeedFault::FewerPrefixes { before: 20, now: 2 })
        );
        // A short list may lose all but one.
        assert_eq!(check(&hosts(9), &hosts(1)), Ok(()));
        assert_eq!(check("", &hosts(1)), Ok(()));
        // As many prefixes, but much longer ones.
        let now = "5.6.7.0/28\n";
        let fault = FeedFault::FewerAddresses { family: AddressFamily::Ipv4, before: 256, now: 16 };
        assert_eq!(check("5.6.7.0/24\n", now), Err(fault));
        // One family vanished.
        let both = "5.6.7.0/24\n5.6.8.0/24\n2a00::/64\n";
        let fault =
            FeedFault::FewerAddresses { family: AddressFamily::Ipv6, before: 1 << 64, now: 0 };
        assert_eq!(check(both, "5.6.7.0/24\n5.6.8.0/24\n"), Err(fault));
        let fault = FeedFault::FewerAddresses { family: AddressFamily::Ipv4, before: 512, now: 0 };
        assert_eq!(check(both, "2a00::/64\n"), Err(fault));
    }

    #[test]
    fn faults_are_told_in_plain_words() {
        let fault = check(FeedScope::Agent, "10.1.0.0/16").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "the list contains 10.1.0.0/16, which no public client can have (private addresses, RFC 1918)"
        );
        assert_eq!(fault.code(), "special_purpose");
        let fault = check(FeedScope::Agent, "5.0.0.0/9").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "the list contains 5.0.0.0/9; a prefix shorter than /16 is too wide to be right"
        );
    }
}
