//! Reading plans against the lab.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use contract::evidence::{NotReadWhy, Observer, Target};
use contract::{Domain, NamePolicy};
use door::{Door, Policy, ResolverChoice, SystemClock};
use lab::{Lab, LabOptions};
use observe::{MACHINE_FILES, Read, ScanPlan};

fn door(lab: &Lab) -> Door {
    let network = lab.network();
    let policy = Policy {
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    };
    Door::new(policy, Arc::new(SystemClock)).unwrap()
}

async fn scan(door: &Door, name: &str, deadline: Duration) -> Read {
    let catalogue = Catalogue::built_in().unwrap().filled_in("0", "https://svc.example");
    let observer =
        Observer { name: "wayleave".into(), version: "0".into(), vantage: "test".into() };
    let plan = ScanPlan {
        domain: &Domain::parse(name, &door.policy().names).unwrap(),
        door,
        catalogue: &catalogue,
        clock: &SystemClock,
        observer,
        deadline,
        token: "k7q2m9".into(),
        progress: &|_| {},
    };
    plan.run().await
}

#[tokio::test]
async fn everything_planned_is_read_or_accounted_for() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let read = scan(&door(&lab), "open.lab", Duration::from_secs(10)).await;
    let evidence = &read.evidence;
    // robots.txt, seven identities, the browser again, seven further files, one control path.
    assert_eq!((evidence.reads.len(), evidence.not_read.len()), (17, 0));
    for path in MACHINE_FILES {
        assert_eq!(
            evidence.reads.iter().filter(|reading| reading.path == path).count(),
            1,
            "{path}"
        );
    }
    let home: Vec<&str> = evidence
        .reads
        .iter()
        .filter(|reading| reading.target == Target::Home)
        .map(|reading| reading.identity.as_str())
        .collect();
    assert_eq!(home.iter().filter(|identity| **identity == "browser").count(), 2);
    // Every body that is named is there, and hashes to its name.
    for reading in &evidence.reads {
        let body = &reading.exchange.response().unwrap().body;
        assert_eq!(read.bodies[&body.sha256].len() as u64, body.bytes, "{}", reading.id);
    }
    // What left is what the identity sends, and nobody sends cookies.
    for hit in lab.hits("open.lab") {
        assert!(!hit.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("cookie")));
    }
}

#[tokio::test]
async fn one_resolution_serves_the_whole_scan_and_nothing_forbidden_is_dialled() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let door = door(&lab);
    let tempting = [
        "rebinds.lab",
        "alternates.lab",
        "mixed.lab",
        "mixed-six.lab",
        "alias-to-trap.lab",
        "to-trap-address.lab",
        "to-trap-name.lab",
        "to-metadata.lab",
        "to-localhost.lab",
        "to-ipv6.lab",
        "to-integer.lab",
        "redirect-to-port.lab",
        "http-to-trap.lab",
        "at-loopback.lab",
        "at-metadata.lab",
        "at-private.lab",
        "at-six-loopback.lab",
        "at-six-mapped.lab",
        "at-six-translated.lab",
        "at-six-local.lab",
    ];
    for name in tempting {
        let read = scan(&door, name, Duration::from_secs(5)).await;
        if name == "rebinds.lab" {
            let served = read.evidence.reads.iter().filter(|r| r.exchange.response().is_some());
            assert_eq!(served.count(), 17, "the first answer holds for the whole scan");
        }
    }
    assert_eq!(lab.trap().connections(), 0, "a listener that must never be dialled was dialled");
}

#[tokio::test]
async fn an_opt_out_stops_everything_but_the_policy_file() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let read = scan(&door(&lab), "robots-opt-out.lab", Duration::from_secs(5)).await;
    assert_eq!(read.evidence.reads.len(), 1);
    assert!(read.evidence.not_read.iter().all(|unread| unread.why == NotReadWhy::OptOut));
    let asked: Vec<String> =
        lab.hits("robots-opt-out.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt"]);
}

#[tokio::test]
async fn the_deadline_holds_and_what_it_cut_is_not_an_absence() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let door = door(&lab);
    let begun = tokio::time::Instant::now();
    let read = scan(&door, "stalls-before-head.lab", Duration::from_millis(900)).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let evidence = &read.evidence;
    assert_eq!(evidence.reads.len() + evidence.not_read.len(), 17);
    let home = || evidence.reads.iter().filter(|reading| reading.target == Target::Home);
    assert!(home().all(|reading| reading.exchange.response().is_none()));
    let cut = evidence.not_read.iter().filter(|unread| unread.target == Target::Home);
    assert_eq!(home().count() + cut.count(), 8);
}

#[tokio::test]
async fn the_www_name_is_asked_when_only_that_has_addresses() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let read = scan(&door(&lab), "www-only.lab", Duration::from_secs(5)).await;
    assert_eq!(read.evidence.host, "www.www-only.lab");
    assert!(read.evidence.reads.iter().all(|reading| reading.exchange.response().is_some()));
}

#[tokio::test]
async fn http_is_tried_where_https_is_not_spoken() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let read = scan(&door(&lab), "http-only.lab", Duration::from_secs(5)).await;
    let [first, second, ..] = read.evidence.reads.as_slice() else { panic!("two robots reads") };
    assert!(first.exchange.url.starts_with("https://") && first.exchange.response().is_none());
    assert!(second.exchange.url.starts_with("http://") && second.exchange.response().is_some());
    assert_eq!(read.evidence.reads.len(), 18);
}
