use super::*;

fn real() -> NamePolicy {
    NamePolicy::default()
}

fn lab() -> NamePolicy {
    NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![8443] }
}

#[test]
fn every_spelling_of_a_domain_is_normalised() {
    for (input, domain) in [
        ("wikipedia.org", "wikipedia.org"),
        (" Wikipedia.ORG ", "wikipedia.org"),
        ("wikipedia.org.", "wikipedia.org"),
        ("www.wikipedia.org", "wikipedia.org"),
        ("https://www.wikipedia.org/wiki/Wayleave?x=1#top", "wikipedia.org"),
        ("HTTP://wikipedia.org:80/", "wikipedia.org"),
        ("https://wikipedia.org:443", "wikipedia.org"),
        ("wikipedia.org:443", "wikipedia.org"),
        ("wikipedia.org/a?next=https://evil.org", "wikipedia.org"),
        ("en.m.wikipedia.org", "en.m.wikipedia.org"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("ＷＩＫＩＰＥＤＩＡ。ｏｒｇ", "wikipedia.org"),
        ("www.com", "www.com"),
        ("bbc.co.uk", "bbc.co.uk"),
        ("someone.github.io", "someone.github.io"),
        ("1.2.3.4.nip.io", "1.2.3.4.nip.io"),
        ("4chan.org", "4chan.org"),
        ("https://www.example.com/", "example.com"),
        ("a.b.example.net", "a.b.example.net"),
        ("example.org", "example.org"),
    ] {
        assert_eq!(
            Domain::parse(input, &real()).as_ref().map(Domain::as_str),
            Ok(domain),
            "{input}"
        );
    }
}

#[test]
fn a_policy_can_allow_a_lab_suffix_and_port() {
    assert_eq!(Domain::parse("open.lab", &real()), Err(NameRefusal::UnknownTld));
    assert_eq!(Domain::parse("open.lab", &lab()).unwrap().as_str(), "open.lab");
    assert_eq!(Domain::parse("https://www.open.lab:8443/x", &lab()).unwrap().as_str(), "open.lab");
    assert_eq!(Domain::parse("lab", &lab()), Err(NameRefusal::PublicSuffix));
    assert_eq!(Domain::parse("notlab", &lab()), Err(NameRefusal::SingleLabel));
    assert_eq!(Domain::parse("x.test", &lab()), Err(NameRefusal::Reserved));
}

#[test]
fn reserved_names_are_refused_with_their_subdomains() {
    for name in ["shop.example", "a.b.example", "x.test", "x.invalid", "x.local", "x.internal"] {
        assert_eq!(Domain::parse(name, &real()), Err(NameRefusal::Reserved), "{name}");
    }
}

#[test]
fn www_stays_when_the_rest_is_not_a_public_name() {
    assert_eq!(Domain::parse("www.co.uk", &real()).unwrap().as_str(), "www.co.uk");
    assert_eq!(Domain::parse("www.lab", &lab()).unwrap().as_str(), "www.lab");
}

#[test]
fn the_registered_domain_is_found_by_the_suffixes_of_registries_alone() {
    for (text, expected) in [
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("user.github.io", "github.io"),
        ("github.io", "github.io"),
        ("a.user.github.io", "github.io"),
        ("x.s3.eu-west-1.amazonaws.com", "amazonaws.com"),
        ("shop.blogspot.co.uk", "blogspot.co.uk"),
    ] {
        assert_eq!(
            Domain::parse(text, &real()).unwrap().registered_domain().as_str(),
            expected,
            "{text}"
        );
    }
    assert_eq!(
        Domain::parse("a.shop.lab", &lab()).unwrap().registered_domain().as_str(),
        "shop.lab"
    );
    assert_eq!(Domain::parse("shop.lab", &lab()).unwrap().registered_domain().as_str(), "shop.lab");
}

#[test]
fn a_stored_domain_is_checked_by_its_characters_only() {
    assert!(serde_json::from_str::<Domain>("\"gone.tldthatwas\"").is_ok());
    for bad in ["\"\"", "\"A.org\"", "\"a b\"", "\"a/b\"", "1"] {
        assert!(serde_json::from_str::<Domain>(bad).is_err(), "{bad}");
    }
}

proptest::proptest! {
    #[test]
    fn parsing_never_panics_and_is_idempotent(text in "\\PC{0,80}") {
        if let Ok(domain) = Domain::parse(&text, &real()) {
            proptest::prop_assert_eq!(Domain::parse(domain.as_str(), &real()), Ok(domain));
        }
    }

    #[test]
    fn numeric_hosts_are_refused(a in 0u64..=u64::from(u32::MAX), dots in 0usize..4) {
        let text = match dots {
            0 => format!("{a}"),
            1 => format!("0x{a:x}"),
            2 => format!("{}.{}", a >> 24, a & 0xff_ffff),
            _ => format!("0{:o}.{}.{}.{}", a >> 24, (a >> 16) & 255, (a >> 8) & 255, a & 255),
        };
        proptest::prop_assert_eq!(Domain::parse(&text, &real()), Err(NameRefusal::IpAddress));
    }
}
