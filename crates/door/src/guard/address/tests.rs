use super::*;

/// Columns: address, expected reason code, why it is here.
const HOSTILE: &str = include_str!("../../../corpus/hostile.txt");
/// Columns: address, why it is here.
const PUBLIC: &str = include_str!("../../../corpus/public.txt");

/// The IANA special-purpose registries and multicast as plain text, written independently of the
/// table in `address_blocks.rs`, so that a mistake in either one shows.
const REGISTRY: &[&str] = &[
    "0.0.0.0/8",
    "0.0.0.0/32",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/32",
    "192.0.0.171/32",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.88.99.2/32",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "224.0.0.0/4",
    "168.63.129.16/32",
    "::1/128",
    "::/128",
    "::ffff:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "ff00::/8",
    "fec0::/10",
    "::/96",
    "::ffff:0:0:0/96",
];

fn rule() -> AddressRule {
    AddressRule::default()
}

fn rows(corpus: &str) -> Vec<(IpAddr, Vec<&str>)> {
    corpus
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut words = line.split_whitespace();
            let address = words.next().unwrap().parse().unwrap();
            (address, words.collect())
        })
        .collect()
}

fn nets(list: &[&str]) -> Vec<IpNet> {
    list.iter().map(|net| net.parse().unwrap()).collect()
}

fn reason(rule: &AddressRule, address: &str) -> &'static str {
    rule.vet(address.parse().unwrap()).map_or_else(|refusal| refusal.reason(), |()| "allowed")
}

#[test]
fn every_hostile_address_is_refused_for_its_reason() {
    let rows = rows(HOSTILE);
    assert!(rows.len() >= 150, "only {}", rows.len());
    for (address, words) in rows {
        let refusal = rule().vet(address).expect_err(&address.to_string());
        assert_eq!(refusal.reason(), words[0], "{address}");
        assert!(words.len() > 1, "{address} has no explanation");
        assert!(!refusal.source.is_empty() && !refusal.block.is_empty());
    }
}

#[test]
fn no_public_address_is_refused() {
    let rows = rows(PUBLIC);
    assert!(rows.len() >= 30, "only {}", rows.len());
    for (address, _) in rows {
        assert_eq!(rule().vet(address), Ok(()), "{address}");
    }
}

#[test]
fn every_block_starts_and_ends_where_the_registry_says() {
    let registry = nets(REGISTRY);
    let global: IpNet = "2000::/3".parse().unwrap();
    let expected = |address: IpAddr| {
        registry.iter().any(|net| net.contains(&address))
            || (address.is_ipv6() && !global.contains(&address))
    };
    for net in registry.iter().chain([&global]) {
        for address in [net.network(), net.broadcast(), before(net), after(net)] {
            assert_eq!(
                rule().vet(address).is_err(),
                expected(address),
                "{address}, at an edge of {net}"
            );
        }
    }
}

fn before(net: &IpNet) -> IpAddr {
    match net.network() {
        IpAddr::V4(first) => Ipv4Addr::from_bits(first.to_bits().wrapping_sub(1)).into(),
        IpAddr::V6(first) => Ipv6Addr::from_bits(first.to_bits().wrapping_sub(1)).into(),
    }
}

fn after(net: &IpNet) -> IpAddr {
    match net.broadcast() {
        IpAddr::V4(last) => Ipv4Addr::from_bits(last.to_bits().wrapping_add(1)).into(),
        IpAddr::V6(last) => Ipv6Addr::from_bits(last.to_bits().wrapping_add(1)).into(),
    }
}

#[test]
fn every_row_names_its_document() {
    let sources =
        IPV4_BLOCKS.iter().map(|row| row.source).chain(IPV6_BLOCKS.iter().map(|row| row.source));
    for source in sources {
        assert!(source.starts_with("RFC ") || source == "cloud vendors", "{source}");
    }
}

#[test]
fn an_allowed_network_is_allowed_in_that_form_only() {
    let rule = AddressRule::new(&nets(&["127.0.0.0/8", "fd00:1::/32"]), &[]);
    for (address, expected) in [
        ("127.0.0.1", "allowed"),
        ("127.255.255.255", "allowed"),
        ("fd00:1::5", "allowed"),
        ("fd00:2::5", "private_address"),
        ("10.0.0.1", "private_address"),
        ("::1", "loopback_address"),
        ("::ffff:127.0.0.1", "embedded_ipv4_address"),
        ("::127.0.0.1", "embedded_ipv4_address"),
        ("64:ff9b::7f00:1", "embedded_ipv4_address"),
        ("2002:7f00:1::", "embedded_ipv4_address"),
        ("8.8.8.8", "allowed"),
    ] {
        assert_eq!(reason(&rule, address), expected, "{address}");
    }
    let all = AddressRule::new(&nets(&["::/0"]), &[]);
    assert_eq!(reason(&all, "::ffff:8.8.8.8"), "embedded_ipv4_address");
}

#[test]
fn a_refused_network_stays_refused_even_if_it_is_also_allowed() {
    let rule = AddressRule::new(
        &nets(&["127.0.0.0/8"]),
        &nets(&["127.0.0.9/32", "93.184.216.0/24", "2606:4700::/32"]),
    );
    for (address, expected) in [
        ("127.0.0.8", "allowed"),
        ("127.0.0.9", "operator_refused_address"),
        ("93.184.216.34", "operator_refused_address"),
        ("::ffff:93.184.216.34", "operator_refused_address"),
        ("93.184.217.1", "allowed"),
        ("2606:4700::1111", "operator_refused_address"),
    ] {
        assert_eq!(reason(&rule, address), expected, "{address}");
    }
}

#[test]
fn a_wide_allowed_network_does_not_include_a_metadata_service() {
    let wide = AddressRule::new(&nets(&["169.254.0.0/16", "100.64.0.0/10"]), &[]);
    assert_eq!(reason(&wide, "169.254.1.1"), "allowed");
    assert_eq!(reason(&wide, "169.254.169.254"), "metadata_address");
    assert_eq!(reason(&wide, "100.100.100.200"), "metadata_address");
    let exact = AddressRule::new(&nets(&["169.254.169.254/32"]), &[]);
    assert_eq!(reason(&exact, "169.254.169.254"), "allowed");
}

#[test]
fn an_allowed_dns64_prefix_still_applies_the_ipv4_rule() {
    let rule = AddressRule::new(&nets(&["64:ff9b::/96"]), &nets(&["93.184.216.0/24"]));
    assert_eq!(reason(&rule, "64:ff9b::808:808"), "allowed");
    assert_eq!(reason(&rule, "64:ff9b::7f00:1"), "loopback_address");
    assert_eq!(reason(&rule, "64:ff9b::a9fe:a9fe"), "metadata_address");
    assert_eq!(reason(&rule, "64:ff9b::5db8:d822"), "operator_refused_address");
}

/// Every standardised way to embed an IPv4 address in an IPv6 address, below a prefix of the
/// caller's choice where the form has room for one.
fn embedded_forms(v4: u32, prefix: u64, flag: bool) -> Vec<Ipv6Addr> {
    let low = u128::from(v4);
    let global = (u128::from(prefix) >> 3 | 1 << 61) << 64;
    let isatap = if flag { 0x0200_5efe } else { 0x0000_5efe };
    [
        low,
        0xffff << 32 | low,
        0xffff << 48 | low,
        0x0064_ff9b << 96 | low,
        0x0064_ff9b_0001 << 80 | u128::from(prefix & 0xffff_ffff) << 32 | low,
        0x2002 << 112 | low << 80 | u128::from(prefix),
        0x2001_0000 << 96 | low << 64 | u128::from(prefix),
        0x2001_0000 << 96 | u128::from(prefix) << 32 | u128::from(!v4),
        global | isatap << 32 | low,
    ]
    .map(Ipv6Addr::from_bits)
    .to_vec()
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

    #[test]
    fn no_special_ipv4_passes_in_any_ipv6_form(
        row in 0..IPV4_BLOCKS.len(), host: u32, prefix: u64, flag: bool,
    ) {
        let block = &IPV4_BLOCKS[row];
        let mask = u32::MAX.checked_shr(block.prefix).unwrap_or(0);
        let v4 = block.base.to_bits() | host & mask;
        proptest::prop_assert!(rule().vet(Ipv4Addr::from_bits(v4).into()).is_err());
        for form in embedded_forms(v4, prefix, flag) {
            proptest::prop_assert!(rule().vet(form.into()).is_err(), "{}", form);
        }
    }

    #[test]
    fn whatever_passes_is_outside_the_registry(bits: u128) {
        // Put half of the samples inside global unicast, where the special blocks are narrow.
        let bits = if bits & 1 == 0 { bits >> 3 | 1 << 125 } else { bits };
        let address = IpAddr::V6(Ipv6Addr::from_bits(bits));
        if rule().vet(address).is_ok() {
            let inside = REGISTRY.iter().any(|net| net.parse::<IpNet>().unwrap().contains(&address));
            proptest::prop_assert!(!inside, "{}", address);
        }
    }
}
