//! Timeouts: each phase has its own, a read may have its own, and one deadline applies to all.

use std::time::{Duration, Instant};

use contract::evidence::{ExchangeOutcome, FailureKind, FailurePhase};
use futures_util::future::join_all;
use tokio::io::AsyncReadExt;

use crate::setup::{door, lab, listen, page, policy, response, stopped, visit, why};

#[tokio::test]
async fn one_deadline_ends_every_read_of_a_visit() {
    let lab = lab().await;
    let door = door(policy(&lab));
    let hosts = ["stalls-before-head", "stalls-in-head", "drips-head", "tls-stalls", "dns-silent"];
    let start = Instant::now();
    let visit = door.visit(Duration::from_millis(950));
    let urls: Vec<String> = hosts.iter().map(|host| format!("https://{host}.lab/")).collect();
    let reads = join_all(urls.iter().map(|url| visit.fetch(page(url)))).await;
    // Allows for a busy machine.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    for read in &reads {
        assert_eq!(stopped(&read.exchange).unwrap().kind, FailureKind::Timeout);
        assert!(read.exchange.took_ms < 5_000);
    }
    assert_eq!(why(&reads[0].exchange), ("timeout", "deadline"));
    assert_eq!(
        why(&reads[3].exchange),
        ("timeout", "tls_timeout"),
        "live visits have short phases"
    );
    assert_eq!(visit.remaining(), Duration::ZERO);
    // After the deadline no read is started.
    let late = visit.fetch(page("https://open.lab/")).await;
    assert_eq!(why(&late.exchange), ("timeout", "deadline"));
    assert_eq!(late.exchange.hops[0].address, None);
    assert_eq!(lab.connections("open.lab"), 0);
}

#[tokio::test]
async fn a_stall_after_the_head_is_a_response_with_a_cut_body() {
    let lab = lab().await;
    let mut policy = policy(&lab);
    // The timeout of the read must pass before the stall is cut as too slow.
    policy.limits.min_rate_after = Duration::from_secs(20);
    let mut request = page("https://stalls-after-head.lab/");
    request.timeout = Some(Duration::from_secs(3));
    let read = door(policy).visit(Duration::from_secs(30)).fetch(request).await;
    let answer = response(&read.exchange);
    assert_eq!(answer.status, 200);
    let cut = answer.body.cut.as_ref().unwrap();
    assert_eq!((&cut.kind, &cut.phase), (&FailureKind::Timeout, &FailurePhase::Body));
    assert_eq!(cut.reason, "deadline");
    assert!(!read.body.is_empty(), "what had come is kept");
}

#[tokio::test]
async fn a_read_may_have_a_shorter_timeout_than_the_visit() {
    let lab = lab().await;
    let visit = visit(&lab);
    let mut request = page("https://slow.lab/");
    // The site answers after 800 milliseconds.
    request.timeout = Some(Duration::from_millis(700));
    let read = visit.fetch(request).await;
    assert_eq!(why(&read.exchange), ("timeout", "deadline"));
    let ExchangeOutcome::Failed(failure) = &read.exchange.outcome else { panic!() };
    assert_eq!(failure.phase, FailurePhase::Head);
    assert_eq!(response(&visit.fetch(page("https://slow.lab/")).await.exchange).status, 200);
}

#[tokio::test]
async fn the_connection_to_a_stalled_host_is_closed_when_its_read_ends() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    let left = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        // The request, then the end of the connection.
        while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
    });
    let visit = door(policy).visit(Duration::from_secs(20));
    let mut request = page(&base);
    request.timeout = Some(Duration::from_millis(200));
    let read = visit.fetch(request).await;
    assert_eq!(why(&read.exchange), ("timeout", "deadline"));
    tokio::time::timeout(Duration::from_secs(10), left).await.expect("socket still open").unwrap();
}
