//! Names whose addresses change between look-ups, and names that mix public and private addresses.
//! Only vetted addresses may be dialled; the proof is a trap listener that no one connected to.

use std::time::Duration;

use contract::evidence::{ExchangeOutcome, FailurePhase};
use futures_util::future::join_all;

use crate::setup::{door, lab, page, policy, response, why};

#[tokio::test]
async fn one_visit_looks_up_once_and_uses_that_answer() {
    let lab = lab().await;
    let visit = door(policy(&lab)).visit(Duration::from_secs(20));
    let pinned = format!("{}:{}", lab.address("rebinds.lab").unwrap(), lab.network().https_port);
    for round in 0..20 {
        let mut request = page("https://rebinds.lab/");
        request.identity = format!("identity {}", round % 5);
        request.fresh_connection = round % 2 == 0;
        let read = visit.fetch(request).await;
        assert_eq!(response(&read.exchange).status, 200);
        assert_eq!(read.exchange.hops[0].address.as_ref(), Some(&pinned));
    }
    assert_eq!(visit.dns_readings().len(), 1);
    // The next visit sees the private address and dials nothing.
    let later = door(policy(&lab)).visit(Duration::from_secs(20));
    let read = later.fetch(page("https://rebinds.lab/")).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", "loopback_address"));
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn alternating_answers_never_reach_the_private_address() {
    let lab = lab().await;
    let door = door(policy(&lab));
    let (mut served, mut refused) = (0, 0);
    for _ in 0..20 {
        let reads = join_all((0..10).map(|_| async {
            let visit = door.visit(Duration::from_secs(20));
            visit.fetch(page("http://alternates.lab/")).await
        }))
        .await;
        for read in reads {
            match &read.exchange.outcome {
                ExchangeOutcome::Response(_) => served += 1,
                ExchangeOutcome::Failed(failure) => {
                    // The redirect from http to https is part of the same visit, so it uses the
                    // same address.
                    assert_eq!(failure.reason, "loopback_address", "{failure:?}");
                    assert_eq!(failure.phase, FailurePhase::Address);
                    assert_eq!(read.exchange.hops.len(), 1);
                    assert_eq!(read.exchange.hops[0].address, None);
                    refused += 1;
                }
            }
        }
    }
    assert!(served > 0 && refused > 0, "{served} served, {refused} refused");
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn one_refused_address_refuses_the_name() {
    let lab = lab().await;
    for (host, reason) in [
        ("mixed.lab", "loopback_address"),
        ("mixed-six.lab", "loopback_address"),
        ("alias-to-trap.lab", "loopback_address"),
        ("at-loopback.lab", "loopback_address"),
        ("at-metadata.lab", "metadata_address"),
        ("at-private.lab", "private_address"),
        ("at-six-mapped.lab", "embedded_ipv4_address"),
    ] {
        for scheme in ["http", "https"] {
            let read = crate::setup::read(&lab, &format!("{scheme}://{host}/")).await;
            assert_eq!(why(&read.exchange), ("refused_by_policy", reason), "{scheme} {host}");
            assert_eq!(read.exchange.hops[0].address, None);
        }
        assert_eq!(lab.connections(host), 0, "{host}: its good address was dialled");
    }
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn a_network_refused_by_the_operator_wins_over_an_allowed_one() {
    let lab = lab().await;
    let mut policy = policy(&lab);
    let address = lab.address("open.lab").unwrap();
    policy.refuse_networks.push(format!("{address}/32").parse().unwrap());
    let read = door(policy).visit(Duration::from_secs(5)).fetch(page("https://open.lab/")).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", "operator_refused_address"));
    assert_eq!(lab.connections("open.lab"), 0);
}

#[tokio::test]
async fn lab_sites_are_refused_as_loopback_unless_allowed() {
    let lab = lab().await;
    let mut policy = policy(&lab);
    policy.allow_networks.clear();
    let read = door(policy).visit(Duration::from_secs(5)).fetch(page("https://open.lab/")).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", "loopback_address"));
    assert_eq!(lab.connections("open.lab"), 0);
}
