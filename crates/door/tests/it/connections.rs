//! Connections are reused only within one visit, one identity and one host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::setup::{door, lab, listen, page, policy, response, visit};

#[tokio::test]
async fn connections_of_both_http_versions_are_reused() {
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
async fn a_fresh_connection_serves_later_reads_of_its_identity_until_it_is_closed() {
    let lab = lab().await;
    for url in ["https://open.lab/", "https://http1-only.lab/", "http://http-only.lab/"] {
        let visit = visit(&lab);
        let reused = async |fresh: bool| {
            let mut request = page(url);
            request.fresh_connection = fresh;
            visit.fetch(request).await.exchange.hops[0].reused_connection
        };
        assert!(!reused(true).await, "{url}");
        assert!(!reused(true).await, "{url}: fresh is fresh");
        assert!(reused(false).await, "{url}");
        visit.close_connections("somebody else");
        assert!(reused(false).await, "{url}");
        visit.close_connections("browser");
        assert!(!reused(false).await, "{url}");
    }
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
async fn visits_do_not_share_connections() {
    let lab = lab().await;
    let door = door(policy(&lab));
    for _ in 0..3 {
        let visit = door.visit(Duration::from_secs(5));
        assert!(!visit.fetch(page("https://open.lab/")).await.exchange.hops[0].reused_connection);
    }
    assert_eq!(lab.connections("open.lab"), 3);
}

/// Requests in progress: the current number and the maximum.
#[derive(Clone, Default)]
struct Load {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

/// Answers every request after a short delay and counts parallel requests.
async fn count_requests(listener: TcpListener, load: Load) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let load = load.clone();
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                let now = load.now.fetch_add(1, Ordering::SeqCst) + 1;
                load.most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(30)).await;
                load.now.fetch_sub(1, Ordering::SeqCst);
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
            }
        });
    }
}

#[tokio::test]
async fn parallel_requests_to_a_host_and_a_network_are_limited() {
    let lab = lab().await;
    // Two names in one network.
    let (first, mut policy, first_url) = listen(&lab, "open.lab").await;
    let (second, other, second_url) = listen(&lab, "broken-files.lab").await;
    policy.names.allow_ports.extend(other.names.allow_ports);
    let octets = |host| lab.address(host).unwrap().octets();
    assert_eq!(octets("open.lab")[..3], octets("broken-files.lab")[..3]);
    for (per_host, per_network, urls, expected) in [
        (4, 100, vec![&first_url], 4),
        (100, 4, vec![&first_url, &second_url], 4),
        (3, 100, vec![&first_url, &second_url], 6),
    ] {
        policy.limits.requests_per_host = per_host;
        policy.limits.requests_per_network = per_network;
        let load = Load::default();
        let servers = [&first, &second].map(|listener| {
            let listener = std::net::TcpListener::from(clone_of(listener));
            tokio::spawn(count_requests(TcpListener::from_std(listener).unwrap(), load.clone()))
        });
        let visit = door(policy.clone()).visit(Duration::from_secs(20));
        let reads = (0..20).map(|n| visit.fetch(page(&format!("{}/{n}", urls[n % urls.len()]))));
        assert!(join_all(reads).await.iter().all(|read| read.body == "ok"));
        assert_eq!(load.most.load(Ordering::SeqCst), expected);
        servers.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

fn clone_of(listener: &TcpListener) -> std::os::fd::OwnedFd {
    std::os::fd::AsFd::as_fd(listener).try_clone_to_owned().unwrap()
}

#[tokio::test]
async fn a_pooled_connection_that_was_closed_is_replaced() {
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
                // Reads the second request and closes the connection.
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
