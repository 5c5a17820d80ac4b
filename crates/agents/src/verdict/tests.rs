//! Each row of the table, and what it must not depend on.

use std::sync::{Arc, LazyLock};

use contract::Timestamp;
use contract::records::VisitorVerdict;
use proptest::prelude::*;

use super::cases::{Dns, Example, ListState, SignatureCase, verdict_cases};
use super::*;
use crate::ranges::PrefixSet;
use crate::{KnownAgents, SearchableAgents};

const CATALOGUE: &str = r#"{
  "v": 1,
  "as_of": "2026-11-15",
  "agents": [
    {"id": "list", "name": "List-Bot", "operator": "One", "purpose": "training", "user_agent_tokens": ["List-Bot"],
     "feeds": ["one-list"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "list-extra", "name": "List-Bot-Extra", "operator": "One", "purpose": "search", "user_agent_tokens": ["List-Bot-Extra"],
     "feeds": ["one-extra"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "shared", "name": "Shared-Bot", "operator": "Two", "purpose": "training", "user_agent_tokens": ["Shared-Bot"],
     "feeds": ["two-all"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "both", "name": "Both-Bot", "operator": "Both", "purpose": "search", "user_agent_tokens": ["Both-Bot"],
     "feeds": ["both-list"], "reverse_dns_suffixes": ["bots.example"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "names", "name": "Name-Bot", "operator": "Names", "purpose": "search", "user_agent_tokens": ["Name-Bot"],
     "reverse_dns_suffixes": ["bots.example"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "network", "name": "Network-Bot", "operator": "Net", "purpose": "training", "user_agent_tokens": ["Network-Bot"],
     "feeds": ["net-all"], "networks": ["AS64500"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "mixed", "name": "Mixed-Bot", "operator": "Net", "purpose": "user_fetch", "user_agent_tokens": ["Mixed-Bot"],
     "feeds": ["net-own", "net-all"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "unconfirmed", "name": "Unconfirmed-Bot", "operator": "Unconfirmed", "purpose": "search",
     "user_agent_tokens": ["Unconfirmed-Bot"], "reverse_dns_suffixes": ["bots.example"], "names_without_addresses": true,
     "evidence": "public_lists", "checked_on": "2026-11-15"},
    {"id": "silent", "name": "Silent-Bot", "operator": "Silent", "purpose": "training", "user_agent_tokens": ["Silent-Bot"],
     "evidence": "public_lists", "checked_on": "2026-11-15"},
    {"id": "signing", "name": "Signing-Bot", "operator": "Signers", "purpose": "agent", "user_agent_tokens": ["Signing-Bot"],
     "feeds": ["signing-list"], "key_directories": ["https://signing.example"], "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "never", "name": "Token-Never", "operator": "One", "purpose": "training_control", "robots_tokens": ["Token-Never"],
     "user_agent_tokens": ["Token-Never"], "token_only": "never_sent", "evidence": "operator_page", "checked_on": "2026-11-15"},
    {"id": "maybe", "name": "Token-Maybe", "operator": "Two", "purpose": "training_control", "robots_tokens": ["Token-Maybe"],
     "user_agent_tokens": ["Token-Maybe"], "token_only": "not_documented", "evidence": "operator_page", "checked_on": "2026-11-15"}
  ],
  "feeds": [
    {"id": "one-list", "operator": "One", "url": "https://one.example/list.json", "format": "prefix_json", "proves": "agent"},
    {"id": "one-extra", "operator": "One", "url": "https://one.example/extra.json", "format": "prefix_json", "proves": "agent"},
    {"id": "two-all", "operator": "Two", "url": "https://two.example/all.json", "format": "prefix_json", "proves": "operator"},
    {"id": "both-list", "operator": "Both", "url": "https://both.example/list.json", "format": "prefix_json", "proves": "agent"},
    {"id": "net-all", "operator": "Net", "url": "https://net.example/geofeed", "format": "geofeed", "proves": "network"},
    {"id": "net-own", "operator": "Net", "url": "https://net.example/own.json", "format": "prefix_json", "proves": "agent"},
    {"id": "signing-list", "operator": "Signers", "url": "https://signing.example/list.json", "format": "prefix_json", "proves": "agent"}
  ]
}"#;

const LISTS: [(&str, &str); 7] = [
    ("one-list", "44.10.0.0/24\n"),
    ("one-extra", "44.11.0.0/24\n"),
    ("two-all", "44.20.0.0/24\n"),
    ("both-list", "44.30.0.0/24\n"),
    ("net-all", "44.40.0.0/16\n"),
    ("net-own", "44.45.0.0/24\n"),
    ("signing-list", "44.50.0.0/24\n"),
];

fn noon() -> Timestamp {
    Timestamp::from_rfc3339("2026-11-16T12:00:00Z").unwrap()
}

/// Built once for each state of the lists.
fn checker(lists: ListState) -> &'static VisitorChecker {
    static CHECKERS: LazyLock<[VisitorChecker; 3]> =
        LazyLock::new(|| [ListState::Fresh, ListState::Old, ListState::Never].map(new_checker));
    let at = match lists {
        ListState::Fresh => 0,
        ListState::Old => 1,
        ListState::Never => 2,
    };
    &CHECKERS[at]
}

fn new_checker(lists: ListState) -> VisitorChecker {
    let agents = KnownAgents::parse(CATALOGUE).unwrap();
    let agents = Arc::new(SearchableAgents::new(agents));
    let fetched_at = match lists {
        ListState::Fresh => Timestamp::from_rfc3339("2026-11-15T06:00:00Z").unwrap(),
        ListState::Old | ListState::Never => {
            Timestamp::from_rfc3339("2026-10-01T06:00:00Z").unwrap()
        }
    };
    let loaded: Vec<_> = LISTS
        .iter()
        .filter(|_| lists != ListState::Never)
        .map(|(id, text)| {
            let prefixes = PrefixSet::from_text(text).unwrap();
            (agents.feed_index(id).unwrap(), LoadedFeed { prefixes, fetched_at })
        })
        .collect();
    VisitorChecker::new(agents, loaded)
}

fn dns_of(dns: Dns) -> ReverseDns {
    let name = || "crawl-7.bots.example".to_owned();
    match dns {
        Dns::NotLookedUp => ReverseDns::NotLookedUp,
        Dns::Confirmed => ReverseDns::Confirmed { name: name() },
        Dns::Other => ReverseDns::Denied(NameDenial::OtherName("host.other.example".to_owned())),
        Dns::Forged => ReverseDns::Denied(NameDenial::NotConfirmed(name())),
        Dns::NoName => ReverseDns::Denied(NameDenial::NoName),
        Dns::Failed => ReverseDns::Failed { why: "got no answer" },
    }
}

fn signature_of(signature: SignatureCase) -> SignatureEvidence {
    let origin = "https://signing.example".to_owned();
    match signature {
        SignatureCase::None => SignatureEvidence::NotGiven,
        SignatureCase::Valid => SignatureEvidence::Valid { origin },
        SignatureCase::Foreign => {
            SignatureEvidence::Valid { origin: "https://stranger.example".to_owned() }
        }
        SignatureCase::Invalid => {
            let why = "is not valid: it does not match".to_owned();
            SignatureEvidence::Invalid { origin: Some(origin), why }
        }
        SignatureCase::Unreadable => {
            let why = "could not be checked: the keys could not be read".to_owned();
            SignatureEvidence::Unverified { origin, why }
        }
    }
}

fn check(example: &Example) -> (&'static VisitorChecker, Verdict) {
    let checker = checker(example.lists);
    let verdict = checker.check(&VisitorEvidence {
        user_agent: example.user_agent.as_bytes(),
        address: example.address.map(|text| text.parse().unwrap()),
        reverse_dns: &dns_of(example.dns),
        signature: &signature_of(example.signature),
        now: noon(),
    });
    (checker, verdict)
}

#[test]
fn every_row_of_the_table_holds() {
    for case in verdict_cases() {
        let (checker, verdict) = check(&case.example);
        let why = checker.explain(&verdict);
        let row = format!("{} | {}", case.claimed_agent, case.evidence);
        assert_eq!(verdict.verdict, case.verdict, "{row}: {why}");
        assert!(why.contains(case.example.says), "{row}: {why}");
        assert!(why.ends_with('.') && why.len() > 20, "{row}: {why}");
        let is_verified = verdict.verdict == VisitorVerdict::Verified;
        assert_eq!(verdict.method.is_some(), is_verified, "{row}");
    }
}

#[test]
fn the_oldest_list_that_decided_is_named() {
    let example = |user_agent: &'static str, address: Option<&'static str>| Example {
        user_agent,
        address,
        dns: Dns::NotLookedUp,
        signature: SignatureCase::None,
        lists: ListState::Fresh,
        says: "",
    };
    let as_of = |user_agent, address| check(&example(user_agent, address)).1.ranges_as_of;
    let fetched = Timestamp::from_rfc3339("2026-11-15T06:00:00Z").ok();
    assert_eq!(as_of("List-Bot/1.0", Some("44.10.0.7")), fetched);
    assert_eq!(as_of("List-Bot/1.0", Some("44.99.0.7")), fetched);
    assert_eq!(as_of("Silent-Bot/1.0", Some("44.99.0.7")), None);
    assert_eq!(checker(ListState::Never).oldest_feed(), None);
    assert_eq!(checker(ListState::Fresh).oldest_feed(), fetched);
}

/// A server that has only IPv6 behind NAT64 sees the operator's IPv4 addresses translated.
#[test]
fn translated_addresses_are_those_of_the_lists() {
    let checker = checker(ListState::Fresh);
    let verdict = |address: &str| {
        let evidence = VisitorEvidence {
            user_agent: b"List-Bot/1.0",
            address: address.parse().ok(),
            reverse_dns: &ReverseDns::NotLookedUp,
            signature: &SignatureEvidence::NotGiven,
            now: noon(),
        };
        checker.check(&evidence)
    };
    for prefix in ["", "::ffff:", "64:ff9b::"] {
        let one = |address: &str| verdict(&format!("{prefix}{address}"));
        assert_eq!(one("44.10.0.7"), verdict("44.10.0.7"), "{prefix}");
        assert_eq!(one("44.10.0.7").verdict, VisitorVerdict::Verified);
        assert_eq!(one("44.99.0.7"), verdict("44.99.0.7"), "{prefix}");
        assert_eq!(one("10.0.0.7").reason, Reason::SpecialAddress);
        let named = checker.named_agents(b"Both-Bot/1.0");
        let address = format!("{prefix}44.30.0.7").parse().unwrap();
        assert_eq!(checker.agent_to_look_up(&named, address), None);
    }
    assert_eq!(verdict("64:ff9b:1::44.10.0.7").reason, Reason::SpecialAddress);
}

#[test]
fn documented_names_end_at_a_dot() {
    let checker = checker(ListState::Fresh);
    let agent = checker.named_agents(b"Name-Bot/1.0").first().unwrap();
    for (name, is_documented) in [
        ("crawl-7.bots.example", true),
        ("a.b.BOTS.example.", true),
        ("bots.example", false),
        ("notbots.example", false),
        ("crawl.bots.example.evil.example", false),
        (".bots.example", false),
        ("", false),
    ] {
        assert_eq!(checker.is_documented_name(agent, name), is_documented, "{name}");
    }
}

#[test]
fn names_are_looked_up_only_where_they_can_decide() {
    let checker = checker(ListState::Fresh);
    let asks = |user_agent: &str, address: &str| {
        let named = checker.named_agents(user_agent.as_bytes());
        checker.agent_to_look_up(&named, address.parse().unwrap()).is_some()
    };
    assert!(asks("Name-Bot/1.0", "44.99.0.7"));
    assert!(asks("Both-Bot/1.0", "44.99.0.7"));
    assert!(!asks("Both-Bot/1.0", "44.30.0.7"), "the list confirms it");
    assert!(!asks("List-Bot/1.0", "44.99.0.7"), "no names are documented");
    assert!(!asks("Name-Bot/1.0", "10.0.0.7"), "not a public address");
    assert!(!asks("Chrome/157", "44.99.0.7"));
}

proptest! {
    /// Whoever is not confirmed by a list, a name or a signature is never verified.
    #[test]
    fn nobody_is_verified_without_a_proof(user_agent in "\\PC{0,60}", agent in 0_usize..10, address: u32) {
        let names = ["List-Bot", "List-Bot-Extra", "Shared-Bot", "Both-Bot", "Name-Bot", "Network-Bot",
            "Silent-Bot", "Signing-Bot", "Token-Never", "Token-Maybe"];
        let user_agent = format!("{user_agent} {}", names[agent]);
        let address = std::net::IpAddr::from(address.to_be_bytes());
        let text = address.to_string();
        let is_listed = ["44.10.0.", "44.11.0.", "44.20.0.", "44.30.0.", "44.50.0."]
            .iter().any(|list| text.starts_with(list));
        prop_assume!(!is_listed);
        for dns in [Dns::NotLookedUp, Dns::Other, Dns::Forged, Dns::NoName, Dns::Failed] {
            for signature in [SignatureCase::None, SignatureCase::Foreign, SignatureCase::Invalid, SignatureCase::Unreadable] {
                for lists in [ListState::Fresh, ListState::Old, ListState::Never] {
                    let verdict = checker(lists).check(&VisitorEvidence {
                        user_agent: user_agent.as_bytes(),
                        address: Some(address),
                        reverse_dns: &dns_of(dns),
                        signature: &signature_of(signature),
                        now: noon(),
                    });
                    prop_assert_ne!(verdict.verdict, VisitorVerdict::Verified);
                }
            }
        }
    }
}

/// What is shown of the methods never contradicts the verdict.
#[test]
fn the_methods_agree_with_the_verdict() {
    let mut seen = std::collections::HashSet::new();
    for case in verdict_cases() {
        let example = &case.example;
        let (checker, verdict) = check(example);
        let Some(agent) = verdict.claimed else { continue };
        let methods = checker.check_methods(
            agent,
            &VisitorEvidence {
                user_agent: example.user_agent.as_bytes(),
                address: example.address.map(|text| text.parse().unwrap()),
                reverse_dns: &dns_of(example.dns),
                signature: &signature_of(example.signature),
                now: noon(),
            },
        );
        let row = format!("{} | {}", case.claimed_agent, case.evidence);
        let found = |wanted| methods.iter().any(|check| check.result == wanted);
        if case.verdict == VisitorVerdict::Verified {
            let by = methods.iter().find(|check| Some(check.method) == verdict.method).unwrap();
            assert_eq!(by.result, MethodResult::Confirms, "{row}");
        } else {
            assert!(!found(MethodResult::Confirms), "{row}: {methods:?}");
        }
        assert!(methods.iter().all(|check| check.detail.ends_with('.')), "{row}: {methods:?}");
        seen.extend(methods.map(|check| (check.method, check.result)));
    }
    for method in [Method::AddressList, Method::ReverseDns, Method::Signature] {
        for result in [
            MethodResult::Confirms,
            MethodResult::Denies,
            MethodResult::Unknown,
            MethodResult::NotDocumented,
        ] {
            assert!(seen.contains(&(method, result)), "{method:?} {result:?} was not tried");
        }
    }
}
