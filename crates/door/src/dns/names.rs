//! Host names as DNS names: checked before a question, and written the way they are recorded.

use std::net::IpAddr;

use contract::{HostName, NamePolicy, NameRefusal};
use hickory_proto::rr::Name;

/// Checks a name before it is looked up: a public host name, or a service label (`_something.`)
/// below one.
pub(crate) fn check_name(text: &str, policy: &NamePolicy) -> Result<Name, NameRefusal> {
    let mut host = text;
    let mut labels = String::new();
    while let Some((label, rest)) = host.split_once('.') {
        let Some(plain) = label.strip_prefix('_') else { break };
        let shaped = (1..=62).contains(&plain.len())
            && plain.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if !shaped {
            return Err(NameRefusal::Syntax);
        }
        labels.push_str(label);
        labels.push('.');
        host = rest;
    }
    let host = HostName::parse(host, policy)?;
    parse_dns_name(&format!("{labels}{host}").to_ascii_lowercase()).ok_or(NameRefusal::TooLong)
}

/// Needs no check: a `HostName` was checked when it was created.
pub(crate) fn to_dns_name(host: &HostName) -> Result<Name, NameRefusal> {
    parse_dns_name(host.as_str()).ok_or(NameRefusal::TooLong)
}

/// The `in-addr.arpa` or `ip6.arpa` name for a reverse look-up.
pub(crate) fn reverse_name(address: IpAddr) -> Name {
    Name::from(address)
}

fn parse_dns_name(text: &str) -> Option<Name> {
    let mut name = Name::from_ascii(text).ok()?;
    name.set_fqdn(true);
    Some(name)
}

/// The name as recorded: lower case, without the trailing dot.
pub(crate) fn to_recorded_text(name: &Name) -> String {
    let text = name.to_lowercase().to_ascii();
    text.strip_suffix('.').unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_labels_are_accepted_below_public_names_only() {
        let policy = NamePolicy::default();
        for (text, presented_as) in [
            ("wikipedia.org", "wikipedia.org"),
            ("_svc.Wikipedia.org", "_svc.wikipedia.org"),
            ("_a._b.wikipedia.org.", "_a._b.wikipedia.org"),
        ] {
            assert_eq!(
                to_recorded_text(&check_name(text, &policy).unwrap()),
                presented_as,
                "{text}"
            );
        }
        for text in ["", "_a", "_a.corp", "_.wikipedia.org", "_a b.wikipedia.org", "_a.10.0.0.1"] {
            assert!(check_name(text, &policy).is_err(), "{text}");
        }
        let long = format!("_{}.wikipedia.org", "a".repeat(63));
        assert!(check_name(&long, &policy).is_err());
    }

    #[test]
    fn reverse_names_are_those_of_the_arpa_trees() {
        for (address, name) in [
            ("192.0.2.7", "7.2.0.192.in-addr.arpa"),
            (
                "2001:db8::1",
                "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
            ),
        ] {
            assert_eq!(to_recorded_text(&reverse_name(address.parse().unwrap())), name);
        }
    }
}
