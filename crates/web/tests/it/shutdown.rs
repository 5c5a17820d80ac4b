//! Going away without breaking a promise.

use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use web::{ServerOptions, WebOptions};

use crate::harness::Server;

#[tokio::test]
async fn what_is_at_work_is_finished_and_nothing_new_begun() {
    let mut server = Server::start().await;
    let mut working = server.dial().await;
    working.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
    server.arrived.notified().await;
    let mut silent = server.dial().await;
    let mut kept = server.dial().await;
    kept.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(kept.reply().await.unwrap().status, 200);

    server.begin_stop();
    assert!(silent.closed_after().await < Duration::from_secs(1), "a silent one");
    assert!(kept.closed_after().await < Duration::from_secs(1), "an idle one");
    assert!(TcpStream::connect(server.address).await.is_err(), "a new one");

    server.release.notify_waiters();
    let reply = working.reply().await.expect("the promised answer");
    assert_eq!(reply.text(), "released");
    assert_eq!(reply.header("connection"), Some("close"));
    let report = server.report().await;
    assert_eq!((report.accepted, report.cut), (3, 0));
}

#[tokio::test]
async fn draining_has_an_end() {
    let options = ServerOptions { drain: Duration::from_millis(300), ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut working = server.dial().await;
    working.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
    server.arrived.notified().await;
    server.begin_stop();
    let begun = Instant::now();
    let report = server.report().await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(report.cut, 1);
    assert!(working.reply().await.is_none());
}
