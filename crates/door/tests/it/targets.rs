//! Limits over all visits: what a target gets to see of many scans at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use door::{Policy, TARGET_LIMIT, TargetLimit, TargetLimits};
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::setup::{door, lab, listen, page, policy, response, stopped, why};

/// The connections that a server accepted, has open, and had open at most.
#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

/// Serves keep-alive HTTP/1.1 and takes a moment for each response.
fn serve_slowly(listener: TcpListener) -> Arc<Counts> {
    let counts = Arc::new(Counts::default());
    let shared = Arc::clone(&counts);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counts = Arc::clone(&shared);
            counts.accepted.fetch_add(1, Ordering::SeqCst);
            let open = counts.open.fetch_add(1, Ordering::SeqCst) + 1;
            counts.most_open.fetch_max(open, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut head = [0; 4096];
                while let Ok(1..) = stream.read(&mut head).await {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    let reply = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
                    if stream.write_all(reply).await.is_err() {
                        break;
                    }
                }
                counts.open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    counts
}

fn with_limits(policy: Policy, connections: u32, reads_per_minute: u32) -> Policy {
    let address = TargetLimit { connections, reads_per_minute };
    Policy { targets: TargetLimits { address, ..TargetLimits::none() }, ..policy }
}

#[tokio::test]
async fn a_hundred_visits_share_the_connections_of_an_address() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    let counts = serve_slowly(listener);
    let door = door(with_limits(policy, 5, 0));
    let visits = (0..100).map(|_| async {
        let visit = door.visit(Duration::from_secs(30));
        let read = visit.fetch(page(&format!("{base}/"))).await;
        assert_eq!(response(&read.exchange).status, 200);
    });
    join_all(visits).await;
    let most = counts.most_open.load(Ordering::SeqCst);
    // A server notices the end of a connection after the next one is opened, on a busy machine long after.
    // Without the limit there would be a hundred.
    assert!((2..=30).contains(&most), "{most} connections were open at once");
}

#[tokio::test]
async fn the_identities_of_one_visit_do_not_wait_for_each_other_for_ever() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    serve_slowly(listener);
    let http1 = (with_limits(policy, 2, 0), base);
    let http2 = (with_limits(crate::setup::policy(&lab), 2, 0), "https://open.lab".to_owned());
    for (policy, base) in [http1, http2] {
        let visit = door(policy).visit(Duration::from_secs(20));
        let reads = (0..30).map(|number| {
            let request = door::FetchRequest {
                identity: format!("identity {}", number % 10),
                ..page(&format!("{base}/"))
            };
            visit.fetch(request)
        });
        for read in join_all(reads).await {
            assert_eq!(response(&read.exchange).status, 200, "{base}");
        }
    }
}

#[tokio::test]
async fn a_read_over_the_limit_is_not_sent_and_says_so() {
    let lab = lab().await;
    let door = door(with_limits(policy(&lab), 0, 3));
    let visit = door.visit(Duration::from_secs(10));
    for _ in 0..3 {
        let read = visit.fetch(page("https://open.lab/")).await;
        assert_eq!(response(&read.exchange).status, 200);
    }
    let hits = lab.hits("open.lab").len();
    let other = door.visit(Duration::from_secs(10));
    let read = other.fetch(page("https://open.lab/")).await;
    assert_eq!(why(&read.exchange), ("refused_by_policy", TARGET_LIMIT));
    assert!(read.exchange.hops.iter().all(|hop| hop.address.is_none()));
    assert_eq!(lab.hits("open.lab").len(), hits);
    let refusal = other.reserve_reads("open.lab", 2).await.unwrap_err();
    assert!((1..=65).contains(&refusal.retry_after.as_secs()), "{refusal:?}");
    // Another address has its own limit.
    assert!(other.reserve_reads("minimal.lab", 2).await.is_ok());
}

#[tokio::test]
async fn a_connection_that_never_becomes_free_is_reported_as_our_limit() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    // Accepts and never answers.
    let accepted = Arc::new(Notify::new());
    let accepts = Arc::clone(&accepted);
    tokio::spawn(async move {
        let mut streams = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            streams.push(stream);
            accepts.notify_one();
        }
    });
    let door = door(with_limits(policy, 1, 0));
    let first = door.visit(Duration::from_secs(10));
    let url = format!("{base}/");
    let (first, second) = tokio::join!(first.fetch(page(&url)), async {
        accepted.notified().await;
        let second = door.visit(Duration::from_secs(2));
        second.fetch(page(&url)).await
    });
    assert_eq!(why(&first.exchange).0, "timeout");
    assert_eq!(why(&second.exchange), ("refused_by_policy", TARGET_LIMIT));
}

#[tokio::test]
async fn a_visit_receives_a_bounded_number_of_bytes_of_each_kind() {
    let lab = lab().await;
    let visit = door(policy(&lab)).visit(Duration::from_secs(30));
    let reads = (0..8).map(|number| {
        let request = door::FetchRequest {
            identity: format!("identity {number}"),
            ..page("https://endless.lab/")
        };
        visit.fetch(request)
    });
    let reads = join_all(reads).await;
    let received: u64 = reads.iter().map(|read| response(&read.exchange).body.wire_bytes).sum();
    assert_eq!(received, 8_000_000);
    for read in &reads {
        // Bodies that are thrown away have been read all the same.
        visit.release_bytes(read.body.len());
        assert!(stopped(&read.exchange).is_some());
    }
    let again = visit.fetch(page("https://endless.lab/")).await;
    assert_eq!(response(&again.exchange).status, 200);
    assert_eq!(response(&again.exchange).body.wire_bytes, 0);
    assert_eq!(why(&again.exchange), ("too_large", "visit_limit"));
    // Other kinds have their own share.
    let robots = door::FetchRequest {
        kind: door::ReadKind::Robots,
        ..page("https://endless.lab/robots.txt")
    };
    let robots = visit.fetch(robots).await;
    assert!(stopped(&robots.exchange).is_none());
}

#[tokio::test]
async fn a_read_receives_no_more_than_its_own_limit() {
    let lab = lab().await;
    let visit = door(policy(&lab)).visit(Duration::from_secs(30));
    assert_eq!(visit.remaining_wire_bytes(door::ReadKind::Page), 8_000_000);
    let request =
        door::FetchRequest { max_wire_bytes: Some(50_000), ..page("https://endless.lab/") };
    let read = visit.fetch(request).await;
    assert_eq!(response(&read.exchange).body.wire_bytes, 50_000);
    assert_eq!(why(&read.exchange), ("too_large", "wire_limit"));
    assert_eq!(visit.remaining_wire_bytes(door::ReadKind::Page), 7_950_000);
}
