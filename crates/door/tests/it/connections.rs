//! Connections: reused within a visit, an identity and a host; never beyond.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::setup::{door, lab, listen, page, policy, response, visit};

#[tokio::test]
async fn both_versions_are_read_and_their_connections_used_again() {
    let lab = lab().await;
    for (url, version) in [
        ("https://open.lab/", "2"),
        ("https://http1-only.lab/", "1.1"),
        ("http://http-only.lab/", "1.1"),
    ] {
        let visit = visit(&lab);
        for round in 0..3 {
            let read = visit.fetch(page(url)).await;
            assert_eq!(response(&read.exchange).http, version, "{url}");
            assert_eq!(read.exchange.hops[0].reused_connection, round > 0, "{url} {round}");
        }
        let mut other = page(url);
        other.identity = "crawler".to_owned();
        assert!(!visit.fetch(other).await.exchange.hops[0].reused_connection, "{url}");
        let mut fresh = page(url);
        fresh.fresh_connection = true;
        assert!(!visit.fetch(fresh).await.exchange.hops[0].reused_connection, "{url}");
    }
    assert_eq!(lab.connections("open.lab"), 3, "one each for two identities and a fresh one");
}

#[tokio::test]
async fn reads_side_by_side_share_one_http2_connection() {
    let lab = lab().await;
    let visit = visit(&lab);
    let reads =
        join_all((0..10).map(|n| visit.fetch(page(&format!("https://open.lab/{n}"))))).await;
    assert!(reads.iter().all(|read| response(&read.exchange).http == "2"));
    assert_eq!(lab.connections("open.lab"), 1);
    let reused = reads.iter().filter(|read| read.exchange.hops[0].reused_connection).count();
    assert_eq!(reused, 9);
}

#[tokio::test]
async fn a_visit_keeps_nothing_for_the_next() {
    let lab = lab().await;
    let door = door(policy(&lab));
    for _ in 0..3 {
        let visit = door.visit(Duration::from_secs(5));
        assert!(!visit.fetch(page("https://open.lab/")).await.exchange.hops[0].reused_connection);
    }
    assert_eq!(lab.connections("open.lab"), 3);
}

#[tokio::test]
async fn a_host_is_asked_only_so_many_things_at_a_time() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                    peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    stream.write_all(answer).await.unwrap();
                }
            });
        }
    });
    let visit = door(policy).visit(Duration::from_secs(20));
    let reads = join_all((0..20).map(|n| visit.fetch(page(&format!("{base}/{n}"))))).await;
    assert!(reads.iter().all(|read| read.body == "ok"));
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_meanwhile_is_replaced() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let _ = stream.read(&mut buffer).await;
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
                // Reads the second request and hangs up on it.
                let _ = stream.read(&mut buffer).await;
            });
        }
    });
    let visit = door(policy).visit(Duration::from_secs(5));
    for _ in 0..3 {
        let read = visit.fetch(page(&format!("{base}/"))).await;
        assert_eq!(read.body, "ok");
        assert!(!read.exchange.hops[0].reused_connection);
    }
}
