use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use super::*;

/// 2026-01-01.
const NOW: i64 = 1_767_225_600_000;

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn issue(&self, names: &[&str], years: std::ops::Range<i32>) -> CertificateDer<'static> {
        let key = KeyPair::generate().unwrap();
        leaf(names, years).signed_by(&key, &self.0).unwrap().der().clone()
    }

    fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }
}

fn leaf(names: &[&str], years: std::ops::Range<i32>) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name.push(DnType::CommonName, "leaf");
    params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
    params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
    params
}

fn judged(
    roots: &[CertificateDer<'static>],
    chain: &[CertificateDer<'static>],
) -> (Option<Certificate>, Vec<&'static str>) {
    let host = ServerName::try_from("good.lab").unwrap();
    let (tls, checked) = (TlsClient::new(roots).unwrap(), CheckedCertificates::default());
    let assess = || tls.assess_certificate(chain, &host, Timestamp::from_millis(NOW), &checked);
    let first = assess();
    assert_eq!(assess(), first, "the stored check says the same");
    first
}

#[test]
fn every_fault_is_reported() {
    let ours = Authority::new("ours");
    let other = Authority::new("other");
    let own_key = KeyPair::generate().unwrap();
    let alone = leaf(&["good.lab"], 2025..2027).self_signed(&own_key).unwrap().der().clone();
    let alone_old = leaf(&["old.lab"], 2020..2021).self_signed(&own_key).unwrap().der().clone();
    let roots = [ours.der()];
    let none: Vec<&str> = vec![];
    for (what, certificate, expected) in [
        ("good", ours.issue(&["good.lab"], 2025..2027), none),
        ("expired", ours.issue(&["good.lab"], 2020..2021), vec!["expired"]),
        ("early", ours.issue(&["good.lab"], 2030..2031), vec!["not_yet_valid"]),
        ("name", ours.issue(&["bad.lab"], 2025..2027), vec!["wrong_name"]),
        ("old name", ours.issue(&["bad.lab"], 2020..2021), vec!["expired", "wrong_name"]),
        ("unknown", other.issue(&["good.lab"], 2025..2027), vec!["unknown_issuer"]),
        (
            "all",
            other.issue(&["bad.lab"], 2020..2021),
            vec!["expired", "wrong_name", "unknown_issuer"],
        ),
        ("self", alone, vec!["self_signed"]),
        ("self old", alone_old, vec!["expired", "wrong_name", "self_signed"]),
    ] {
        let (described, errors) = judged(&roots, &[certificate]);
        assert_eq!(errors, expected, "{what}");
        assert!(described.is_some());
    }
}

#[test]
fn a_broken_signature_is_not_a_missing_issuer() {
    let ours = Authority::new("ours");
    let mut der = ours.issue(&["good.lab"], 2025..2027).to_vec();
    *der.last_mut().unwrap() ^= 1;
    let (_, errors) = judged(&[ours.der()], &[der.into()]);
    assert_eq!(errors, ["bad_signature"]);
}

#[test]
fn data_that_is_not_a_certificate_is_malformed() {
    for chain in [vec![], vec![CertificateDer::from(vec![0x30, 0x03, 1, 2, 3])]] {
        assert_eq!(judged(&[], &chain), (None, vec!["malformed"]));
    }
}

#[test]
fn a_certificate_is_described_within_bounds() {
    let ours = Authority::new("ours");
    let names: Vec<String> = (0..150).map(|n| format!("n{n}.lab")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (certificate, _) = judged(&[], &[ours.issue(&names, 2025..2027)]);
    let certificate = certificate.unwrap();
    assert_eq!(certificate.sans.len(), 100);
    assert_eq!(certificate.sans_total, 150);
    assert_eq!(certificate.sans[0], "n0.lab");
    assert_eq!(certificate.not_before.to_string(), "2025-01-01T00:00:00Z");
    assert_eq!(certificate.not_after.to_string(), "2027-01-01T00:00:00Z");
    assert!(certificate.issuer.contains("ours") && certificate.subject.contains("leaf"));
    assert_eq!(certificate.sha256.len(), 64);
}

#[test]
fn a_stored_check_holds_for_its_chain_its_host_and_its_second() {
    let ours = Authority::new("ours");
    let (tls, checked) = (TlsClient::new(&[ours.der()]).unwrap(), CheckedCertificates::default());
    let errors = |chain: &[CertificateDer<'static>], host: &'static str, now: i64| {
        let host = ServerName::try_from(host).unwrap();
        tls.assess_certificate(chain, &host, Timestamp::from_millis(now), &checked).1
    };
    let (chain, other) = ([ours.issue(&["good.lab"], 2025..2026)], [ours.issue(&[], 2025..2026)]);
    assert_eq!(errors(&chain, "good.lab", NOW), [""; 0]);
    assert_eq!(errors(&chain, "good.lab", NOW + 1), ["expired"], "within the same second");
    assert_eq!(errors(&chain, "bad.lab", NOW), ["wrong_name"]);
    assert_eq!(errors(&other, "good.lab", NOW), ["wrong_name"]);
    assert_eq!(errors(&chain, "good.lab", NOW), [""; 0]);
    let stored = |host: &'static str, now: i64| {
        let host = ServerName::try_from(host).unwrap();
        checked.find(&chain, &host, Timestamp::from_millis(now)).is_some()
    };
    assert!(stored("good.lab", NOW) && stored("bad.lab", NOW));
    assert!(!stored("good.lab", NOW - 1), "the second before");
    for host in ["a.lab", "b.lab", "c.lab", "d.lab", "e.lab", "f.lab", "g.lab", "h.lab"] {
        errors(&chain, host, NOW);
        assert!(stored(host, NOW));
    }
    assert!(!stored("good.lab", NOW), "few are kept");
}
