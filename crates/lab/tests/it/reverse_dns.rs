//! Tests of the names of visitors' addresses, checked as a careful server would check them.

use std::{collections::HashSet, net::IpAddr};

use futures_util::future::join_all;
use hickory_proto::{
    op::{Message, ResponseCode},
    rr::{Name, RData, RecordType},
};
use lab::{DOCUMENTED_SUFFIXES, Lab, LabOptions, PtrCase, PtrOutcome, ptr_cases};

use crate::resolve::{addresses, aliases, ask, query, tcp, udp};

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

fn arpa(address: IpAddr) -> String {
    Name::from(address).to_ascii().trim_end_matches('.').to_owned()
}

/// The names of an address; `None` if there was no definite answer.
async fn names_of(lab: &Lab, address: IpAddr) -> Option<Vec<String>> {
    let reply = definite(ask(lab, &arpa(address), RecordType::PTR).await)?;
    let name = |data: &RData| match data {
        RData::PTR(name) => Some(name.to_ascii().trim_end_matches('.').to_owned()),
        _ => None,
    };
    let names: Vec<String> = reply.answers.iter().filter_map(|r| name(&r.data)).collect();
    let is_loop = names.is_empty() && !aliases(&reply).is_empty();
    (!is_loop).then_some(names)
}

fn definite(reply: Option<Message>) -> Option<Message> {
    let codes = [ResponseCode::NoError, ResponseCode::NXDomain];
    reply.filter(|reply| codes.contains(&reply.metadata.response_code))
}

/// Forward-confirmed reverse DNS, by the book and without any bound.
async fn check(lab: &Lab, address: IpAddr) -> (PtrOutcome, Option<&'static str>) {
    let Some(names) = names_of(lab, address).await else { return (PtrOutcome::LookupFails, None) };
    if names.is_empty() {
        return (PtrOutcome::NoName, None);
    }
    let kind = if address.is_ipv4() { RecordType::A } else { RecordType::AAAA };
    for name in names {
        let name = name.to_ascii_lowercase();
        let below = |suffix: &&str| name.ends_with(&format!(".{suffix}"));
        let Some(suffix) = DOCUMENTED_SUFFIXES.into_iter().find(below) else { continue };
        let Some(reply) = definite(ask(lab, &name, kind).await) else {
            return (PtrOutcome::LookupFails, None);
        };
        if addresses(&reply).contains(&address) {
            return (PtrOutcome::Confirmed, Some(suffix));
        }
    }
    (PtrOutcome::OtherNames, None)
}

fn case(name: &str) -> PtrCase {
    ptr_cases().into_iter().find(|case| case.case == name).unwrap()
}

#[tokio::test]
async fn every_case_is_found_as_it_is_described() {
    let lab = lab().await;
    let cases = ptr_cases();
    let checks = cases.iter().map(|case| check(&lab, case.address));
    for (case, found) in cases.iter().zip(join_all(checks).await) {
        assert_eq!(found, (case.outcome, case.suffix), "{case:?}");
    }
}

#[test]
fn every_suffix_has_a_genuine_address_of_both_versions_and_every_case_too() {
    let cases = ptr_cases();
    let of = |test: &dyn Fn(&PtrCase) -> bool| -> Vec<bool> {
        let mut found: Vec<bool> =
            cases.iter().filter(|case| test(case)).map(|case| case.address.is_ipv4()).collect();
        found.sort_unstable();
        found
    };
    for suffix in DOCUMENTED_SUFFIXES {
        let both = of(&|case| case.case == "genuine" && case.suffix == Some(suffix));
        assert_eq!(both, [false, true], "{suffix}");
    }
    let words: HashSet<&str> = cases.iter().map(|case| case.case).collect();
    assert_eq!(words.len(), 19);
    for word in words.into_iter().filter(|word| *word != "genuine") {
        assert_eq!(of(&|case| case.case == word), [false, true], "{word}");
    }
    let different: HashSet<IpAddr> = cases.iter().map(|case| case.address).collect();
    assert_eq!(different.len(), cases.len());
}

/// Otherwise a test could not tell whether the list or the name decided.
#[test]
fn the_addresses_are_in_no_feed() {
    let prefixes: Vec<String> =
        lab::feeds().iter().flat_map(|feed| lab::feed_prefixes(feed.id)).collect();
    for case in ptr_cases() {
        let block = match case.address {
            IpAddr::V4(address) => format!("44.{}.", address.octets()[1]),
            IpAddr::V6(address) => format!("2a0e:{:x}:", address.segments()[1]),
        };
        assert!(case.address.to_string().starts_with(&block), "{case:?}");
        assert!(prefixes.iter().all(|prefix| !prefix.starts_with(&block)), "{case:?}");
    }
}

#[tokio::test]
async fn a_thousand_names_come_over_tcp() {
    let lab = lab().await;
    let message = query(&arpa(case("thousand_names").address), RecordType::PTR);
    assert!(udp(&lab, &message).await.unwrap().metadata.truncation);
    assert_eq!(tcp(&lab, &message).await.unwrap().answers.len(), 1000);
}

#[tokio::test]
async fn some_names_are_as_operators_form_them() {
    let lab = lab().await;
    for (case, expected) in [
        (case("genuine"), "crawl-44-224-0-1.googlebot.com"),
        (case("genuine_mixed_case"), "msnbot-44-224-101-1.Search.MSN.com"),
        (case("suffix_inside_other_name"), "crawl-44-225-1-1.googlebot.com.evil.lab"),
        (case("suffix_without_boundary"), "crawl-44-225-2-1.notgooglebot.com"),
        (case("points_at_itself"), "1.6.225.44.in-addr.arpa"),
    ] {
        assert_eq!(names_of(&lab, case.address).await.unwrap(), [expected]);
    }
    let alias = ask(&lab, &arpa(case("genuine_by_alias").address), RecordType::PTR).await.unwrap();
    assert_eq!(aliases(&alias), ["owned.1.100.224.44.in-addr.arpa"]);
}

#[tokio::test]
async fn the_lab_answers_for_the_operators_zones_and_for_all_public_addresses() {
    let lab = lab().await;
    for (name, code, zone) in [
        ("nobody.googlebot.com", ResponseCode::NXDomain, Some("googlebot.com.")),
        ("search.msn.com", ResponseCode::NoError, Some("search.msn.com.")),
        ("nobody.notgooglebot.com", ResponseCode::NXDomain, Some("notgooglebot.com.")),
        ("8.8.8.8.in-addr.arpa", ResponseCode::NXDomain, Some("in-addr.arpa.")),
        ("8.b.d.0.1.0.0.2.ip6.arpa", ResponseCode::NXDomain, Some("ip6.arpa.")),
        ("nowhere.lab", ResponseCode::NXDomain, Some("lab.")),
        ("msn.com", ResponseCode::Refused, None),
        ("apple.com", ResponseCode::Refused, None),
        ("1.0.0.127.in-addr.arpa", ResponseCode::Refused, None),
    ] {
        let reply = ask(&lab, name, RecordType::PTR).await.unwrap();
        assert_eq!(reply.metadata.response_code, code, "{name}");
        let authority = reply.authorities.first().map(|record| record.name.to_ascii());
        assert_eq!(authority.as_deref(), zone, "{name}");
    }
}
