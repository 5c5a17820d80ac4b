//! Limits that apply whatever a site does: the guard, the deadline, the number and the size of
//! reads.

use std::time::Duration;

use contract::evidence::{ExchangeOutcome, ReadTarget, SkipReason};
use door::{Door, TargetLimit, TargetLimits};

use crate::setup::{
    all_reads, answer, catalogue, door, door_with_limits, first_reads, lab, live, of, scan,
};

/// Enough time for all reads of a site, also on a busy machine.
const ENOUGH: Duration = Duration::from_secs(30);

#[tokio::test]
async fn one_resolution_serves_the_whole_scan_and_nothing_forbidden_is_dialled() {
    let lab = lab().await;
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
        "many-sitemaps.lab",
        "at-loopback.lab",
        "at-metadata.lab",
        "at-private.lab",
        "at-six-loopback.lab",
        "at-six-mapped.lab",
        "at-six-translated.lab",
        "at-six-local.lab",
    ];
    for name in tempting {
        let read = scan(&door, name, ENOUGH).await;
        if name == "rebinds.lab" {
            let first = first_reads(&read);
            let served = first.iter().filter(|r| r.exchange.response().is_some());
            assert_eq!(served.count(), all_reads(), "the first answer holds for the whole scan");
        }
    }
    assert_eq!(lab.trap().connections(), 0, "a listener that must never be dialled was dialled");
}

#[tokio::test]
async fn few_of_the_sitemaps_that_robots_txt_names_are_read_and_none_at_a_private_address() {
    let lab = lab().await;
    let read = scan(&door(&lab), "many-sitemaps.lab", ENOUGH).await;
    let sitemaps = of(&read, ReadTarget::Sitemap);
    let paths: Vec<&str> = sitemaps.iter().map(|reading| &*reading.path).collect();
    let expected = [
        "https://inner.many-sitemaps.lab/map.xml",
        "https://www.many-sitemaps.lab/maps/1.xml",
        "https://www.many-sitemaps.lab/maps/2.xml",
    ];
    assert_eq!(paths, expected);
    let ExchangeOutcome::Failed(failure) = &sitemaps[0].exchange.outcome else {
        panic!("it was dialled")
    };
    assert_eq!(
        (failure.kind.as_str(), &*failure.reason),
        ("refused_by_policy", "loopback_address")
    );
    assert!(sitemaps[0].exchange.hops.iter().all(|hop| hop.address.is_none()));
    assert!(sitemaps[1..].iter().all(|reading| answer(reading).status == 200));
    assert_eq!(lab.trap().connections(), 0);
    assert_eq!(lab.hits("open.lab"), [], "another domain's is not read");
    // robots.txt of both hosts was read.
    let robots_reads = of(&read, ReadTarget::RobotsElsewhere);
    let urls: Vec<&str> = robots_reads.iter().map(|reading| &*reading.exchange.url).collect();
    let expected =
        ["https://inner.many-sitemaps.lab/robots.txt", "https://www.many-sitemaps.lab/robots.txt"];
    assert_eq!(urls, expected);
}

#[tokio::test]
async fn the_deadline_applies_and_cut_reads_are_not_recorded_as_absent() {
    let lab = lab().await;
    let door = door(&lab);
    let begun = tokio::time::Instant::now();
    // Four seconds, so that a busy machine gets everything that is served.
    let read = scan(&door, "stalls-before-head.lab", Duration::from_secs(4)).await;
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let evidence = &read.evidence;
    assert_eq!(evidence.reads.len() + evidence.not_read.len(), all_reads());
    let home = of(&read, ReadTarget::Home);
    assert!(home.iter().all(|reading| reading.exchange.response().is_none()));
    let cut = evidence.not_read.iter().filter(|unread| unread.target == ReadTarget::Home);
    assert_eq!(home.len() + cut.count(), catalogue().compared_identities().count() + 1);
    // Home pages that never arrive do not keep the files, or robots.txt as the waiting identities,
    // from being read.
    let files = of(&read, ReadTarget::MachineFile);
    assert_eq!(files.len(), declared::files::FILE_LOCATIONS.len() - 1);
    assert!(files.iter().all(|reading| reading.exchange.response().is_some()));
    let robots = of(&read, ReadTarget::RobotsAs);
    assert!(robots.len() >= 7, "{}", robots.len());
    assert!(robots.iter().all(|reading| answer(reading).status == 200));
    assert!(evidence.not_read.iter().all(|unread| unread.why == SkipReason::Deadline));
}

#[tokio::test]
async fn parallel_reads_of_a_host_are_limited() {
    let lab = lab().await;
    // One at a time, 0.8 seconds each: five seconds are enough for six.
    let mut policy = door(&lab).policy().clone();
    policy.limits.requests_per_host = 1;
    let door = Door::new(policy, std::sync::Arc::new(door::SystemClock)).unwrap();
    let read = scan(&door, "slow.lab", Duration::from_secs(5)).await;
    assert!((2..=6).contains(&answered(&read)), "{}", answered(&read));
    // One further page for four identities was planned after the first reads.
    assert_eq!(read.evidence.reads.len() + read.evidence.not_read.len(), all_reads() + 4);
}

fn answered(read: &observe::CollectedEvidence) -> usize {
    read.evidence.reads.iter().filter(|reading| reading.exchange.response().is_some()).count()
}

#[tokio::test]
async fn all_bodies_share_one_limit_and_equal_bodies_count_once() {
    let lab = lab().await;
    let mut policy = door(&lab).policy().clone();
    let all = scan(&door(&lab), "open.lab", Duration::from_secs(10)).await;
    let stored: usize = all.bodies.values().map(bytes::Bytes::len).sum();
    let read: u64 = all.evidence.reads.iter().map(|reading| answer(reading).body.bytes).sum();
    assert!(read > 2 * stored as u64, "{read} bytes read, {stored} kept");
    // A budget for the stored bodies plus those being read is enough for everything.
    let in_hand = 12 * all.bodies.values().map(bytes::Bytes::len).max().unwrap();
    policy.limits.max_visit_bytes = (stored + in_hand) as u64;
    let enough = Door::new(policy.clone(), std::sync::Arc::new(door::SystemClock)).unwrap();
    let same = scan(&enough, "open.lab", Duration::from_secs(10)).await;
    assert!(same.evidence.reads.iter().all(|reading| answer(reading).body.cut.is_none()));
    policy.limits.max_visit_bytes = 2000;
    let little = Door::new(policy, std::sync::Arc::new(door::SystemClock)).unwrap();
    let less = scan(&little, "open.lab", Duration::from_secs(10)).await;
    let cut = |reading: &&contract::evidence::Reading| {
        answer(reading).body.cut.as_ref().is_some_and(|cut| cut.reason == "visit_limit")
    };
    assert!(less.evidence.reads.iter().filter(cut).count() > 10);
    assert_eq!(first_reads(&less).len(), all_reads(), "the heads are facts all the same");
}

#[tokio::test]
async fn a_live_reading_ends_at_its_deadline_whatever_the_site_does() {
    let lab = lab().await;
    let door = door(&lab);
    let budget = Duration::from_millis(600);
    for name in ["stalls-before-head.lab", "drips-head.lab", "drip.lab", "endless.lab", "slow.lab"]
    {
        let read = live(&door, name, budget).await;
        let took = read.evidence.finished_at.millis_since(read.evidence.started_at);
        // Allows for a slow test machine.
        assert!(took < 3_000, "{name}: {took} ms");
        for reading in &read.evidence.reads {
            assert!(u128::from(reading.exchange.took_ms) < budget.as_millis() + 2_400, "{name}");
        }
    }
}

#[tokio::test]
async fn reads_over_the_limit_of_an_address_are_left_out_and_the_next_scan_is_refused() {
    let lab = lab().await;
    let address = TargetLimit { connections: 0, reads_per_minute: 30 };
    let door = door_with_limits(&lab, TargetLimits { address, ..TargetLimits::none() });
    let first = scan(&door, "open.lab", ENOUGH).await;
    assert_eq!(first.target_refusal, None);
    let limited = |read: &observe::CollectedEvidence| {
        let left_out = read.evidence.not_read.iter();
        left_out.filter(|read| read.why == SkipReason::TargetLimit).count()
    };
    assert!(limited(&first) >= all_reads() - 30, "{} were left out", limited(&first));
    let failed = first.evidence.reads.iter().find(|reading| {
        matches!(&reading.exchange.outcome, ExchangeOutcome::Failed(failure) if failure.reason == door::TARGET_LIMIT)
    });
    assert!(failed.is_none(), "a read that was not made is no reading: {failed:?}");
    let hits = lab.hits("open.lab").len();
    assert!((20..=30).contains(&hits), "{hits}");
    let second = scan(&door, "open.lab", ENOUGH).await;
    let refusal = second.target_refusal.expect("nothing could be read");
    assert!((1..=65).contains(&refusal.retry_after.as_secs()), "{refusal:?}");
    assert!(second.evidence.reads.is_empty());
    assert_eq!(lab.hits("open.lab").len(), hits);
}
