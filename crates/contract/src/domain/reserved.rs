//! Reserved names, which are never public sites.

/// These names and all their subdomains are refused.
const RESERVED: &[&str] = &[
    // RFC 6761, RFC 2606. The names example.com, example.net and example.org are not here: they
    // resolve, and RFC 6761 section 6.5 asks software to treat them like any other name.
    "example",
    "invalid",
    "localhost",
    "test",
    // RFC 6762, RFC 7686, RFC 9476
    "local",
    "onion",
    "alt",
    // ICANN board resolution 2024.07.29.06
    "internal",
    // arpa names for special use: RFC 8375, 9031, 8880, 9665, 9140, 9462, and reverse mapping
    "home.arpa",
    "6tisch.arpa",
    "ipv4only.arpa",
    "service.arpa",
    "eap-noob.arpa",
    "resolver.arpa",
    "in-addr.arpa",
    "ip6.arpa",
    "arpa",
    // Used inside networks (RFC 6762 appendix G, SAC113)
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "mail",
    "localdomain",
    // Cloud metadata services that have real-looking names
    "metadata.tencentyun.com",
    "metadata.packet.net",
];

pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| name == *reserved || is_under(name, reserved))
}

/// Whether `name` is a proper subdomain of `suffix`.
pub(super) fn is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}
